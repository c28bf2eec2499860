// Orthogonal factorisation of A = M^(-1/2) J^T, the constraints' gradients in the mass metric; it answers,
// for given g and r,
//
//     y = g + A mu,   A^T y = r          (y = M^(1/2) v',  g = M^(-1/2) f)
//
// Joints that form a tree come first, leaf to root: their columns are independent, six rows per body stay six
// rows, and the triangular factor has blocks only between a joint and those of its parent body. The columns
// that close loops come last: their parts that the tree leaves free are factored with column pivoting, which
// reveals the rank. So the work is linear in the bodies of a tree, and loops pay for themselves.
//
// They pay with the cube of their number. Where there are many, all joints are eliminated in the order that
// their graph asks for, trees and loops alike (catena/math/sparse_orthogonal.h): whichever takes fewer
// operations. Where there are few bodies, Q is multiplied out as a whole (small_factor.h), with the
// same columns in the same order.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/bodies/small_factor.h"
#include "catena/math/pack.h"
#include "catena/math/sparse_orthogonal.h"

namespace catena {

using PackOfFour = Pack<double, 4>;

// A block of rows of J: a joint between bodies.
struct ConstraintBlock {
  int rows = 0;
  std::vector<int> bodies;  // those that move, each once
  bool may_be_tree = true;  // its rows are independent wherever the bodies are
};

// How it is factored; `fewest`: by what takes fewer operations, and multiplied out where bodies are few.
enum class FactorWay { fewest, tree_first, sparse };

class ConstraintFactor {
 public:
  // Numbers of a joint's rows, and of its matrices, are this far apart.
  static constexpr int kPadded = 8, kMatrix = 6 * kPadded;

  ConstraintFactor(std::size_t bodies, std::vector<ConstraintBlock> blocks,
                   FactorWay way = FactorWay::fewest);

  std::size_t rows() const { return rows_; }
  std::size_t first_row(std::size_t block) const { return first_row_[block]; }
  // Of joints that form a tree, leaf to root; none where the way is another.
  std::vector<std::size_t> tree_rows() const;
  bool has_loops() const { return loop_columns_ > 0; }
  bool is_sparse() const { return is_sparse_; }
  // Operations of a factorisation and of a solution, counted before anything is known of the rank.
  double factor_work() const;
  double solve_work() const;

  // Before factor(): the gradient of a row by the motion of one of its block's bodies, in the mass metric.
  double* gradient(std::size_t block, int row, std::size_t body_in_block) {
    return gradients_.data() + gradient_at_[block] +
           6 * (static_cast<std::size_t>(row) * blocks_[block].bodies.size() + body_in_block);
  }
  void clear_gradients();
  const std::vector<int>& bodies_of(std::size_t block) const { return blocks_[block].bodies; }

  void factor();
  // The rank that the constraints have wherever they hold. Off there, redundant rows look independent, and
  // are not: no more than these count from now on.
  void limit_rank(std::size_t rank);

  std::size_t rank() const {
    return is_sparse_ ? sparse_.rank() : tree_columns_ + (small_.empty() ? loop_rank_ : small_.loop_rank());
  }
  // The smallest pivot of those that close loops where this many columns count; 0: fewer do.
  double margin(std::size_t usual_rank) const;
  // Rows that follow from the others.
  std::vector<std::size_t> redundant_rows() const;

  // y: g in, the solution out, six numbers per body. mu: one number per row, 0 for redundant ones.
  void solve(const double* r, double* y, double* mu);
  // The same for a few right-hand sides side by side.
  void solve(const PackOfFour* r, PackOfFour* y, PackOfFour* mu);

  // Vectors n with A n = 0, one behind the other: what multipliers leave open.
  std::vector<std::vector<double>> null_space();
  // Of all multipliers that make the same motion, those with the least sum of squares. Gives the rows whose
  // multipliers are open.
  std::vector<char> take_least(std::vector<double>& mu);

 private:
  struct Beside {  // a later joint that shares the parent body
    int joint;
    bool as_child;     // its block of that body's six rows: that of its child, or of its parent
    std::size_t fill;  // where the block of the triangular factor is, and behind it the same transposed
  };
  struct TreeJoint {
    int block;
    int child, parent;  // bodies; parent may be ground (-1)
    int m;
    std::vector<Beside> beside;
    double c[36], p[36];                         // by columns of six: child's rows, parent's rows
    double inverse[48], inverse_transposed[48];  // of the triangular factor R, by columns of eight
    double to[144];    // Q^T of the child's six rows and the parent's, by columns of twelve
    double from[144];  // Q
  };
  struct Loop {
    int block;
    int columns;
    std::size_t first_column;
    std::vector<int> touched;    // bodies, children before parents
    std::vector<int> parent_at;  // where in `touched` the parent is, or -1
    std::vector<double> data;    // [touched][column][6]
  };

  void choose_tree(FactorWay way);
  void choose_way(FactorWay way, const std::vector<int>& tree_blocks);
  std::vector<char> take_least_of(const std::vector<SparseOrthogonal::Entries>& null,
                                  std::vector<double>& mu) const;
  void order_tree(const std::vector<int>& tree_blocks);
  void find_loops(const std::vector<int>& tree_blocks);
  void load_small();
  void load_tree();
  void load_loops();
  void factor_tree();
  void couple(const TreeJoint& joint);
  void factor_loops();
  void pivot_rows(std::size_t step);
  template <class V>
  void to_range(V* y) const;  // y := Q^T y
  template <class V>
  void from_range(V* y) const;  // y := Q y
  template <class V>
  void tree_forward(const V* r, V* z) const;  // R^T z = r
  template <class V>
  void tree_backward(V* z) const;  // R mu = z
  // What a solution needs besides, of one right-hand side or of a few.
  template <class V>
  struct Scratch {
    std::vector<V> free, right, range, kept, loops;
    template <class Other>
    void take_room_of(const Other& other) {
      free.resize(other.free.size());
      right.resize(other.right.size());
      range.resize(other.range.size());
      kept.resize(other.kept.size());
      loops.resize(other.loops.size());
    }
  };
  template <class V>
  void solve_loops(const V* r, const V* z, V* y, V* mu, Scratch<V>& of);
  template <class V>
  void solve_tree_first(const V* r, V* y, V* mu, Scratch<V>& of);

  std::size_t bodies_;
  std::vector<ConstraintBlock> blocks_;
  std::vector<std::size_t> first_row_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> gradient_at_;
  std::vector<double> gradients_;

  bool is_sparse_ = false;
  SparseOrthogonal sparse_;
  SmallFactor small_;  // empty: another way

  std::vector<TreeJoint> tree_;  // leaf to root
  std::vector<int> joint_of_;    // body -> its joint towards the root, or -1
  std::vector<double> fill_;
  std::size_t tree_columns_ = 0;
  std::vector<Loop> loops_;
  std::size_t loop_columns_ = 0;
  std::vector<std::size_t> free_at_;  // body -> its first free row
  std::size_t free_rows_ = 0;

  std::vector<double> scale_;  // of loop columns
  std::vector<double> dense_;  // [column][free row], factored in place
  std::vector<double> tau_, norms_;
  std::vector<int> pivot_;         // column in dense_ order -> loop column
  std::vector<std::size_t> swap_;  // at each step: the row that changed places with this one
  std::vector<double> pivots_;
  std::size_t loop_rank_ = 0;
  std::size_t most_loop_rank_ = static_cast<std::size_t>(-1);
  Scratch<double> one_;
  Scratch<PackOfFour> four_;
  std::vector<double> lane_r_, lane_y_, lane_mu_;  // of one lane, where factors are sparse
};

}  // namespace catena
