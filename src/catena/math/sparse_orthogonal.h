// Orthogonal factorisation of a sparse matrix A whose columns may follow from one another; it answers, for
// given g and r,
//
//     y = g + A mu,   A^T y = r
//
// Rows and columns come in blocks. A block of columns is eliminated in a front: the rows that still have
// entries in it, be they original ones or what other fronts have left over. The order is that of minimum
// degree, so the work follows the graph of the blocks: linear for ladders, n^1.7 for grids. (Multifrontal
// factorisation: T. A. Davis, Algorithm 915, ACM Trans. Math. Softw. 38, 2011.)
//
// Columns have unit length while they are factored. Within a front they are taken in the order of what is
// left of them, the longest first; where that is roundoff, the column follows from those before it and is
// left out. All rows of a column are in its front, so nothing could change that later.
//
// Entries that have been zero so far are not counted as entries: blocks whose rows and columns have nothing
// to do with each other, as those along a plane and across it, are taken apart. When one leaves zero, for the
// first time, the order is made anew.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

class SparseOrthogonal {
 public:
  struct Columns {
    int count = 0;
    std::vector<int> rows;  // the blocks of rows that they have entries in, each once
  };
  // A vector with few entries, by rising index.
  struct Entries {
    std::vector<int> index;
    std::vector<double> value;
  };

  SparseOrthogonal() = default;
  SparseOrthogonal(const std::vector<int>& row_sizes, const std::vector<Columns>& blocks);

  std::size_t columns() const { return columns_; }
  // Operations (multiplications with additions) of a factorisation and of a solution, counted for columns
  // that are all independent.
  double factor_work() const { return factor_work_; }
  double solve_work() const { return solve_work_; }

  // Entries: [block][column][block of rows that it touches][row]. Allocates only where an entry is not zero
  // for the first time.
  void factor(const double* entries);
  // The rank that A has wherever it is looked at, all things being well. Where A is a little off, columns
  // that follow from others look as if they did not: no more than these count from now on, and as many are
  // left out of each front as where the rank was met first.
  void limit_rank(std::size_t rank);

  std::size_t rank() const { return rank_; }
  // What was left of the shortest column that counts; 1: there is none.
  double smallest_pivot() const { return smallest_pivot_; }
  // Columns that follow from the others.
  std::vector<std::size_t> dependent() const;

  // y: g in, the solution out, rows in order. mu: one number per column, 0 for those that follow from others;
  // r too. Does not allocate.
  void solve(const double* r, double* y, double* mu);

  // Vectors n with A n = 0, one for each column that follows from the others.
  std::vector<Entries> null_space();

 private:
  struct Piece {  // columns that share their rows
    std::vector<int> columns;
    std::vector<int> rows;        // blocks of rows
    std::vector<std::size_t> at;  // of the entries, [column][block of rows][row]
  };
  struct Load {  // an entry: from where to where in the front
    std::size_t from, to;
    int column;
  };
  struct Child {
    int front;
    std::vector<int> columns;  // where its other columns are
  };
  struct Front {
    int pivots = 0;            // columns that are eliminated here
    std::vector<int> columns;  // first those, then the others that its rows have entries in
    std::vector<int> own;      // rows that are read here
    std::vector<Load> loads;
    std::vector<Child> children;
    int own_rows = 0, most_rows = 0, most_reflectors = 0;
    int usual_rows = 0;  // if all columns count
    int stride = 0;      // of columns of the matrix and of reflectors
    int lead = 0;        // of columns of the triangle
    int least_dependent = 0;
    std::size_t matrix = 0, reflectors = 0, products = 0, triangle = 0, rows_at = 0, pivot_at = 0;
    // Of the last factorisation: rows, columns that count, reflections, and rows for the next front.
    int rows = 0, rank = 0, made = 0, passed = 0;
  };

  bool note_entries(const double* entries);
  void take_apart();
  void order();
  void add_front(const std::vector<int>& own, const std::vector<int>& elements, const std::vector<int>& rest);
  void add_rows(Front& front, int rows, const std::vector<int>& own, const std::vector<int>& rest);
  void reserve();
  void measure_columns(const double* entries);
  void factor_once(const double* entries, double least);
  void assemble(Front& front, const double* entries);
  void eliminate(Front& front, double least);
  void shrink(Front& front);
  void pivot_row(Front& front, int column, int row);
  void reflect(Front& front, int column, int row);
  void keep_triangle(Front& front);
  void multiply_reflectors(Front& front);
  bool gather(const Front& front, const double* y);
  void turn(const Front& front, bool back, double* y);
  void substitute(const Front& front, double* own);
  Entries null_vector(std::size_t of, int dependent);

  std::vector<Columns> blocks_;
  std::vector<int> row_sizes_;
  std::vector<std::size_t> first_column_, first_row_, entries_at_;
  std::size_t columns_ = 0, rows_ = 0;
  std::vector<char> some_;  // entries that are not always zero
  std::vector<Piece> pieces_;
  std::vector<std::vector<int>> piece_rows_;  // blocks of rows, taken apart
  std::vector<int> places_;
  double factor_work_ = 0.0, solve_work_ = 0.0;

  std::vector<Front> fronts_;       // children before parents
  std::vector<double> matrices_;    // of the fronts, by columns
  std::vector<double> reflectors_;  // by columns
  std::vector<double> products_;    // T of 1 - V T V^T, by columns
  std::vector<double> triangles_;   // by columns
  std::vector<int> row_of_;         // of the fronts' rows: which of y
  std::vector<double> pivot_, sizes_;
  std::vector<double> scale_;  // of columns
  std::size_t rank_ = 0, limit_ = static_cast<std::size_t>(-1);
  bool keeps_ = false;  // how many columns of each front follow from others
  double smallest_pivot_ = 1.0;
  std::vector<double> left_, multipliers_, differences_, work_, triangle_work_, sums_;
};

}  // namespace catena
