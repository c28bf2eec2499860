#include "catena/dynamics/bodies/constraint_factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "catena/math/pack.h"

namespace catena {
namespace {

// Columns have unit length. What is left of a redundant one is roundoff, a few 1e-15; what is left of one
// that counts gets small only near a singular position, and steps keep away from there.
constexpr double kDependent = 1e-10;
constexpr double kNothing = 1e-13;

// Householder: turns (alpha, x) into (beta, 0); x becomes v, with 1 in alpha's place.
double reflect(double& alpha, double* x, int n) {
  double square = 0.0;
  for (int i = 0; i < n; ++i) square += x[i] * x[i];
  if (square == 0.0) return 0.0;
  const double beta = alpha > 0.0 ? -std::sqrt(alpha * alpha + square) : std::sqrt(alpha * alpha + square);
  const double tau = (beta - alpha) / beta, over = 1.0 / (alpha - beta);
  for (int i = 0; i < n; ++i) x[i] *= over;
  alpha = beta;
  return tau;
}

void apply(double tau, const double* v, int n, double& alpha, double* x) {
  double sum = alpha;
  for (int i = 0; i < n; ++i) sum += v[i] * x[i];
  sum *= tau;
  alpha -= sum;
  for (int i = 0; i < n; ++i) x[i] -= sum * v[i];
}

using Lanes = Pack<double, kNativeWidth>;
constexpr int kBoth = 12;  // rows of a child and its parent

// out = matrix in, the matrix by columns of twelve. Two sums that need not wait for each other.
template <int Rows, int Columns>
void multiply(const double* matrix, const double* in, double* out) {
  constexpr int kPacks = Rows / kNativeWidth;
  Lanes even[kPacks] = {}, odd[kPacks] = {};
  for (int j = 0; j < Columns; j += 2) {
    const double* column = matrix + kBoth * j;
    for (int i = 0; i < kPacks; ++i) {
      even[i] += load<kNativeWidth>(column + i * kNativeWidth) * in[j];
      odd[i] += load<kNativeWidth>(column + kBoth + i * kNativeWidth) * in[j + 1];
    }
  }
  for (int i = 0; i < kPacks; ++i) store<kNativeWidth>(out + i * kNativeWidth, Lanes(even[i] + odd[i]));
}

void turn(const double* matrix, bool has_parent, double* child, double* parent) {
  double in[kBoth], out[kBoth];
  std::copy_n(child, 6, in);
  if (!has_parent) {
    multiply<8, 6>(matrix, in, out);
    std::copy_n(out, 6, child);
    return;
  }
  std::copy_n(parent, 6, in + 6);
  multiply<kBoth, kBoth>(matrix, in, out);
  std::copy_n(out, 6, child);
  std::copy_n(out + 6, 6, parent);
}

// The same reflection for all columns of twelve rows of a matrix, stored by rows: row `first`, where v is 1,
// and those from `other` on. In a plane most of v is zero.
void reflect_rows(double tau, const double* v, int n, double* rows, int first, int other) {
  if (tau == 0.0) return;
  double weight[6];
  double* row[6];
  int some = 0;
  for (int i = 0; i < n; ++i) {
    if (v[i] == 0.0) continue;
    weight[some] = v[i];
    row[some++] = rows + kBoth * (other + i);
  }
  double* top = rows + kBoth * first;
  for (int c = 0; c < kBoth; c += kNativeWidth) {
    Lanes sum = load<kNativeWidth>(top + c);
    for (int i = 0; i < some; ++i) sum += weight[i] * load<kNativeWidth>(row[i] + c);
    sum *= tau;
    store<kNativeWidth>(top + c, Lanes(load<kNativeWidth>(top + c) - sum));
    for (int i = 0; i < some; ++i)
      store<kNativeWidth>(row[i] + c, Lanes(load<kNativeWidth>(row[i] + c) - weight[i] * sum));
  }
}

// The numbers of a joint, and the columns of matrices between joints, are filled up with zeros.
constexpr int kPadded = ConstraintFactor::kPadded;
constexpr int kMatrix = ConstraintFactor::kMatrix;

// Of an upper triangular matrix, by columns of six; and the inverse transposed.
void invert(const double* r, int m, double* inverse, double* transposed) {
  std::fill_n(inverse, kMatrix, 0.0);
  std::fill_n(transposed, kMatrix, 0.0);
  for (int k = 0; k < m; ++k) {
    double* column = inverse + kPadded * k;
    column[k] = 1.0 / r[6 * k + k];
    for (int i = k - 1; i >= 0; --i) {
      double sum = 0.0;
      for (int j = i + 1; j <= k; ++j) sum += r[6 * j + i] * column[j];
      column[i] = -sum * inverse[kPadded * i + i];
    }
    for (int i = 0; i <= k; ++i) transposed[kPadded * i + k] = column[i];
  }
}

// Two sums that need not wait for each other.
template <int Rows, class Put>
void for_product(const double* matrix, int columns, const double* in, const Put& put) {
  constexpr int kPacks = Rows / kNativeWidth;
  Lanes even[kPacks] = {}, odd[kPacks] = {};
  int j = 0;
  for (; j + 1 < columns; j += 2, matrix += 2 * kPadded) {
    for (int i = 0; i < kPacks; ++i) {
      even[i] += load<kNativeWidth>(matrix + i * kNativeWidth) * in[j];
      odd[i] += load<kNativeWidth>(matrix + kPadded + i * kNativeWidth) * in[j + 1];
    }
  }
  for (int i = 0; i < kPacks; ++i) {
    if (j < columns) even[i] += load<kNativeWidth>(matrix + i * kNativeWidth) * in[j];
    put(i * kNativeWidth, Lanes(even[i] + odd[i]));
  }
}

// Calls put(first row, rows) with the product of a matrix and a vector, for joints of so many rows.
template <class Put>
void for_product(const double* matrix, int rows, int columns, const double* in, const Put& put) {
  if (rows <= 4) {
    for_product<4>(matrix, columns, in, put);
  } else {
    for_product<kPadded>(matrix, columns, in, put);
  }
}

void multiply_by(const double* matrix, int m, double* own) {
  for_product(matrix, m, m, own, [&](int row, const Lanes& sum) { store<kNativeWidth>(own + row, sum); });
}

void subtract_product(const double* matrix, int rows, int columns, const double* in, double* out) {
  for_product(matrix, rows, columns, in, [&](int row, const Lanes& sum) {
    store<kNativeWidth>(out + row, Lanes(load<kNativeWidth>(out + row) - sum));
  });
}

// For right-hand sides side by side: lanes are taken, and numbers go one by one.
void apply(double tau, const double* v, int n, PackOfFour& alpha, PackOfFour* x) {
  PackOfFour sum = alpha;
  for (int i = 0; i < n; ++i) sum += v[i] * x[i];
  sum *= tau;
  alpha -= sum;
  for (int i = 0; i < n; ++i) x[i] -= sum * v[i];
}

// out = matrix in, the matrix by columns `stride` apart.
template <int Rows>
void multiply_packs(const double* matrix, int stride, int columns, const PackOfFour* in, PackOfFour* out) {
  PackOfFour sums[Rows] = {};
  for (int j = 0; j < columns; ++j) {
    const double* column = matrix + stride * j;
    for (int i = 0; i < Rows; ++i) sums[i] += column[i] * in[j];
  }
  for (int i = 0; i < Rows; ++i) out[i] = sums[i];
}

void turn(const double* matrix, bool has_parent, PackOfFour* child, PackOfFour* parent) {
  PackOfFour in[kBoth], out[kBoth];
  std::copy_n(child, 6, in);
  if (!has_parent) return multiply_packs<6>(matrix, kBoth, 6, in, child);
  std::copy_n(parent, 6, in + 6);
  multiply_packs<kBoth>(matrix, kBoth, kBoth, in, out);
  std::copy_n(out, 6, child);
  std::copy_n(out + 6, 6, parent);
}

void multiply_by(const double* matrix, int m, PackOfFour* own) {
  PackOfFour out[6];
  multiply_packs<6>(matrix, kPadded, m, own, out);
  std::copy_n(out, m, own);
}

void subtract_product(const double* matrix, int rows, int columns, const PackOfFour* in, PackOfFour* out) {
  PackOfFour product[6];
  multiply_packs<6>(matrix, kPadded, columns, in, product);
  for (int i = 0; i < rows; ++i) out[i] -= product[i];
}

}  // namespace

double ConstraintFactor::factor_work() const {
  if (is_sparse_) return sparse_.factor_work();
  const auto loops = static_cast<double>(loop_columns_), free = static_cast<double>(free_rows_);
  return 2.0 * loops * loops * free;
}

double ConstraintFactor::solve_work() const {
  if (is_sparse_) return sparse_.solve_work();
  return 4.0 * static_cast<double>(loop_columns_) * static_cast<double>(free_rows_);
}

void ConstraintFactor::limit_rank(std::size_t rank) {
  if (is_sparse_) return sparse_.limit_rank(rank);
  most_loop_rank_ = rank - tree_columns_;
}

double ConstraintFactor::margin(std::size_t usual_rank) const {
  if (is_sparse_) return sparse_.rank() < usual_rank ? 0.0 : sparse_.smallest_pivot();
  const std::size_t usual = usual_rank - tree_columns_;
  if (usual == 0) return 1.0;
  const std::vector<double>& pivots = small_.empty() ? pivots_ : small_.pivots();
  return pivots.size() < usual ? 0.0 : pivots[usual - 1];
}

std::vector<std::size_t> ConstraintFactor::tree_rows() const {
  std::vector<std::size_t> out;
  for (const TreeJoint& joint : tree_) {
    for (int i = 0; i < joint.m; ++i) out.push_back(first_row_[joint.block] + static_cast<std::size_t>(i));
  }
  return out;
}

void ConstraintFactor::clear_gradients() { std::fill(gradients_.begin(), gradients_.end(), 0.0); }

void ConstraintFactor::load_tree() {
  for (TreeJoint& joint : tree_) {
    const std::vector<int>& ends = blocks_[joint.block].bodies;
    const std::size_t child = ends[0] == joint.child ? 0 : 1;
    for (int row = 0; row < joint.m; ++row) {
      std::copy_n(gradient(joint.block, row, child), 6, joint.c + 6 * row);
      if (joint.parent >= 0) std::copy_n(gradient(joint.block, row, 1 - child), 6, joint.p + 6 * row);
    }
  }
}

// Joint by joint: the child's six rows become m rows and 6 - m zero ones; those m and the parent's six become
// the triangular factor and six rows that only the joints of the parent see. A column is turned onto the row
// where it is largest: so rows that have nothing to do with each other, as those along a plane and across it,
// never meet, and zeros stay zeros.
void ConstraintFactor::factor_tree() {
  for (TreeJoint& joint : tree_) {
    const int m = joint.m;
    double* q = joint.from;  // Q^T by rows is Q by columns
    std::fill_n(q, kBoth * kBoth, 0.0);
    for (int i = 0; i < kBoth; ++i) q[kBoth * i + i] = 1.0;
    for (int i = 0; i < m; ++i) {
      double* v = joint.c + 6 * i;
      const auto less = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
      const int largest = static_cast<int>(std::max_element(v + i, v + 6, less) - v);
      if (largest != i) {
        for (int k = 0; k < m; ++k) std::swap(joint.c[6 * k + i], joint.c[6 * k + largest]);
        std::swap_ranges(q + kBoth * i, q + kBoth * i + 6, q + kBoth * largest);
      }
      const double tau = reflect(v[i], v + i + 1, 5 - i);
      for (int k = i + 1; k < m; ++k)
        apply(tau, v + i + 1, 5 - i, joint.c[6 * k + i], joint.c + 6 * k + i + 1);
      reflect_rows(tau, v + i + 1, 5 - i, q, i, i + 1);
    }
    for (int i = 0; i < m && joint.parent >= 0; ++i) {
      double* v = joint.p + 6 * i;
      const double tau = reflect(joint.c[6 * i + i], v, 6);
      for (int k = i + 1; k < m; ++k) apply(tau, v, 6, joint.c[6 * k + i], joint.p + 6 * k);
      reflect_rows(tau, v, 6, q, i, 6);
    }
    for (int i = 0; i < kBoth; ++i) {
      for (int k = 0; k < kBoth; ++k) joint.to[kBoth * k + i] = q[kBoth * i + k];
    }
    invert(joint.c, m, joint.inverse, joint.inverse_transposed);
    if (joint.parent >= 0) couple(joint);
  }
}

// The columns of other joints in the parent's rows.
void ConstraintFactor::couple(const TreeJoint& joint) {
  for (const Beside& beside : joint.beside) {
    TreeJoint& other = tree_[beside.joint];
    double* rows = beside.as_child ? other.c : other.p;
    for (int k = 0; k < other.m; ++k) {
      double child[6] = {};
      turn(joint.to, true, child, rows + 6 * k);
      double* fill = fill_.data() + beside.fill;
      std::copy_n(child, joint.m, fill + kPadded * k);
      for (int i = 0; i < joint.m; ++i) fill[kMatrix + kPadded * i + k] = child[i];
    }
  }
}

template <class V>
void ConstraintFactor::to_range(V* y) const {
  for (const TreeJoint& joint : tree_) {
    turn(joint.to, joint.parent >= 0, y + 6 * joint.child, y + 6 * std::max(joint.parent, 0));
  }
}

template <class V>
void ConstraintFactor::from_range(V* y) const {
  for (std::size_t j = tree_.size(); j-- > 0;) {
    const TreeJoint& joint = tree_[j];
    turn(joint.from, joint.parent >= 0, y + 6 * joint.child, y + 6 * std::max(joint.parent, 0));
  }
}

// Both keep joint j's numbers at [kPadded j].
template <class V>
void ConstraintFactor::tree_forward(const V* r, V* z) const {
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    const V* from = r + first_row_[tree_[j].block];
    for (int i = 0; i < tree_[j].m; ++i) z[kPadded * j + i] = from[i];
  }
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    const TreeJoint& joint = tree_[j];
    V* own = z + kPadded * j;
    multiply_by(joint.inverse_transposed, joint.m, own);
    for (const Beside& beside : joint.beside) {
      subtract_product(fill_.data() + beside.fill + kMatrix, tree_[beside.joint].m, joint.m, own,
                       z + kPadded * beside.joint);
    }
  }
}

template <class V>
void ConstraintFactor::tree_backward(V* z) const {
  for (std::size_t j = tree_.size(); j-- > 0;) {
    const TreeJoint& joint = tree_[j];
    V* own = z + kPadded * j;
    for (const Beside& beside : joint.beside) {
      subtract_product(fill_.data() + beside.fill, joint.m, tree_[beside.joint].m, z + kPadded * beside.joint,
                       own);
    }
    multiply_by(joint.inverse, joint.m, own);
  }
}

void ConstraintFactor::load_loops() {
  for (Loop& loop : loops_) {
    std::fill(loop.data.begin(), loop.data.end(), 0.0);
    const std::vector<int>& ends = blocks_[loop.block].bodies;
    for (int column = 0; column < loop.columns; ++column) {
      double square = 0.0;
      for (std::size_t e = 0; e < ends.size(); ++e) {
        const double* from = gradient(loop.block, column, e);
        for (int i = 0; i < 6; ++i) square += from[i] * from[i];
      }
      const double scale = scale_[loop.first_column + column] = square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;
      for (std::size_t e = 0; e < ends.size(); ++e) {
        const double* from = gradient(loop.block, column, e);
        const auto at = std::find(loop.touched.begin(), loop.touched.end(), ends[e]) - loop.touched.begin();
        double* to = loop.data.data() + 6 * (static_cast<std::size_t>(at) * loop.columns + column);
        for (int i = 0; i < 6; ++i) to[i] = scale * from[i];
      }
    }
  }
}

// As in the tree: a column is turned onto the row where it is largest. The reflections made so far change
// their rows too: all swaps come before all reflections.
void ConstraintFactor::pivot_rows(std::size_t step) {
  const double* v = dense_.data() + static_cast<std::size_t>(pivot_[step]) * free_rows_;
  const auto less = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto largest = static_cast<std::size_t>(std::max_element(v + step, v + free_rows_, less) - v);
  swap_[step] = largest;
  if (largest == step) return;
  for (std::size_t k = 0; k < loop_columns_; ++k) {
    double* c = dense_.data() + k * free_rows_;
    std::swap(c[step], c[largest]);
  }
}

void ConstraintFactor::factor_loops() {
  std::fill(dense_.begin(), dense_.end(), 0.0);
  for (Loop& loop : loops_) {
    for (std::size_t at = 0; at < loop.touched.size(); ++at) {
      const int body = loop.touched[at], joint = joint_of_[body];
      const int m = joint >= 0 ? tree_[joint].m : 0;
      for (int column = 0; column < loop.columns; ++column) {
        double* own = loop.data.data() + 6 * (at * loop.columns + column);
        if (joint >= 0) {
          const std::size_t above =
              loop.parent_at[at] < 0 ? at : static_cast<std::size_t>(loop.parent_at[at]);
          turn(tree_[joint].to, loop.parent_at[at] >= 0, own,
               loop.data.data() + 6 * (above * loop.columns + column));
        }
        double* to = dense_.data() + (loop.first_column + column) * free_rows_ + free_at_[body];
        std::copy(own + m, own + 6, to);
      }
    }
  }
  std::iota(pivot_.begin(), pivot_.end(), 0);
  pivots_.clear();
  loop_rank_ = 0;
  const auto column = [&](std::size_t k) {
    return dense_.data() + static_cast<std::size_t>(pivot_[k]) * free_rows_;
  };
  for (std::size_t step = 0; step < tau_.size(); ++step) {
    std::size_t best = step;
    for (std::size_t k = step; k < loop_columns_; ++k) {
      double square = 0.0;
      const double* c = column(k);
      for (std::size_t i = step; i < free_rows_; ++i) square += c[i] * c[i];
      norms_[k] = square;
      if (square > norms_[best]) best = k;
    }
    if (!(norms_[best] > kNothing * kNothing)) break;
    std::swap(pivot_[step], pivot_[best]);
    pivot_rows(step);
    double* v = column(step);
    const int left = static_cast<int>(free_rows_ - step) - 1;
    tau_[step] = reflect(v[step], v + step + 1, left);
    for (std::size_t k = step + 1; k < loop_columns_; ++k) {
      apply(tau_[step], v + step + 1, left, column(k)[step], column(k) + step + 1);
    }
    pivots_.push_back(std::fabs(v[step]));
    if (pivots_.back() > kDependent) loop_rank_ = step + 1;
  }
  loop_rank_ = std::min(loop_rank_, most_loop_rank_);
}

void ConstraintFactor::load_small() {
  small_.clear();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    for (int row = 0; row < blocks_[i].rows; ++row) {
      for (std::size_t at = 0; at < blocks_[i].bodies.size(); ++at)
        small_.put(first_row_[i] + static_cast<std::size_t>(row),
                   static_cast<std::size_t>(blocks_[i].bodies[at]), gradient(i, row, at));
    }
  }
}

void ConstraintFactor::factor() {
  if (is_sparse_) return sparse_.factor(gradients_.data());
  if (!small_.empty()) {
    load_small();
    return small_.factor(most_loop_rank_);
  }
  load_tree();
  factor_tree();
  if (loop_columns_ == 0) return;
  load_loops();
  factor_loops();
}

std::vector<std::size_t> ConstraintFactor::redundant_rows() const {
  if (is_sparse_) return sparse_.dependent();
  if (!small_.empty()) return small_.dependent_rows();
  std::vector<std::size_t> out;
  for (std::size_t k = loop_rank_; k < loop_columns_; ++k) {
    const std::size_t at = static_cast<std::size_t>(pivot_[k]);
    for (const Loop& loop : loops_) {
      if (at >= loop.first_column && at < loop.first_column + loop.columns) {
        out.push_back(first_row_[loop.block] + at - loop.first_column);
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// y holds Q^T g; its range part is still g's, z the new one. Leaves the loops' multipliers in mu.
template <class V>
void ConstraintFactor::solve_loops(const V* r, const V* z, V* y, V* mu, Scratch<V>& of) {
  const auto counted_end = pivot_.begin() + static_cast<std::ptrdiff_t>(loop_rank_);
  for (const Loop& loop : loops_) {
    for (int column = 0; column < loop.columns; ++column) {
      const std::size_t c = loop.first_column + column;
      // What redundant ones would need nobody asks for: of a four-bar in a plane they are three of five.
      if (std::find(pivot_.begin(), counted_end, static_cast<int>(c)) == counted_end) continue;
      V left = scale_[c] * r[first_row_[loop.block] + column];
      for (std::size_t at = 0; at < loop.touched.size(); ++at) {
        const int joint = joint_of_[loop.touched[at]];
        if (joint < 0) continue;
        const double* own = loop.data.data() + 6 * (at * loop.columns + column);
        for (int i = 0; i < tree_[joint].m; ++i) left -= own[i] * z[kPadded * joint + i];
      }
      of.right[c] = left;
    }
  }
  for (std::size_t body = 0; body < bodies_; ++body) {
    const int m = joint_of_[body] >= 0 ? tree_[joint_of_[body]].m : 0;
    std::copy(y + 6 * body + m, y + 6 * body + 6, of.free.data() + free_at_[body]);
  }
  const auto column = [&](std::size_t k) {
    return dense_.data() + static_cast<std::size_t>(pivot_[k]) * free_rows_;
  };
  const auto left = [&](std::size_t k) { return static_cast<int>(free_rows_ - k) - 1; };
  const std::size_t swaps = pivots_.size();
  for (std::size_t k = 0; k < swaps; ++k) std::swap(of.free[k], of.free[swap_[k]]);
  for (std::size_t k = 0; k < loop_rank_; ++k) {
    apply(tau_[k], column(k) + k + 1, left(k), of.free[k], of.free.data() + k + 1);
  }
  for (std::size_t k = 0; k < loop_rank_; ++k) {  // S^T z = r: into `loops`
    V sum = of.right[static_cast<std::size_t>(pivot_[k])];
    for (std::size_t i = 0; i < k; ++i) sum -= column(k)[i] * of.loops[i];
    of.loops[k] = sum / column(k)[k];
  }
  for (std::size_t k = 0; k < loop_rank_; ++k) std::swap(of.loops[k], of.free[k]);
  for (std::size_t k = 0; k < loop_rank_; ++k) of.loops[k] = of.free[k] - of.loops[k];
  for (const Loop& loop : loops_) std::fill_n(mu + first_row_[loop.block], loop.columns, V{});
  std::fill(of.right.begin(), of.right.end(), V{});
  for (std::size_t k = loop_rank_; k-- > 0;) {  // S mu = z - w
    of.loops[k] /= column(k)[k];
    for (std::size_t i = 0; i < k; ++i) of.loops[i] -= column(k)[i] * of.loops[k];
    of.right[static_cast<std::size_t>(pivot_[k])] = of.loops[k];
  }
  for (std::size_t k = loop_rank_; k-- > 0;) {
    apply(tau_[k], column(k) + k + 1, left(k), of.free[k], of.free.data() + k + 1);
  }
  for (std::size_t k = swaps; k-- > 0;) std::swap(of.free[k], of.free[swap_[k]]);
  for (std::size_t body = 0; body < bodies_; ++body) {
    const int m = joint_of_[body] >= 0 ? tree_[joint_of_[body]].m : 0;
    std::copy_n(of.free.data() + free_at_[body], 6 - m, y + 6 * body + m);
  }
  for (const Loop& loop : loops_) {
    for (int c = 0; c < loop.columns; ++c) {
      const std::size_t at = loop.first_column + c;
      mu[first_row_[loop.block] + c] = scale_[at] * of.right[at];
    }
  }
}

template <class V>
void ConstraintFactor::solve_tree_first(const V* r, V* y, V* mu, Scratch<V>& of) {
  to_range(y);
  V* z = of.kept.data();
  tree_forward(r, z);
  if (loop_columns_ > 0) solve_loops(r, z, y, mu, of);
  // From here on `range` holds R mu of the tree joints: z - Q^T g - (loops' columns) mu.
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    V* own = y + 6 * tree_[j].child;
    for (int i = 0; i < tree_[j].m; ++i) {
      of.range[kPadded * j + i] = z[kPadded * j + i] - own[i];
      own[i] = z[kPadded * j + i];
    }
  }
  for (const Loop& loop : loops_) {
    for (std::size_t at = 0; at < loop.touched.size(); ++at) {
      const int joint = joint_of_[loop.touched[at]];
      if (joint < 0) continue;
      for (int column = 0; column < loop.columns; ++column) {
        const V weight = of.right[loop.first_column + column];
        if constexpr (std::is_same_v<V, double>) {
          if (weight == 0.0) continue;
        }
        const double* own = loop.data.data() + 6 * (at * loop.columns + column);
        for (int i = 0; i < tree_[joint].m; ++i) of.range[kPadded * joint + i] -= weight * own[i];
      }
    }
  }
  tree_backward(of.range.data());
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    V* to = mu + first_row_[tree_[j].block];
    for (int i = 0; i < tree_[j].m; ++i) to[i] = of.range[kPadded * j + i];
  }
  from_range(y);
}

void ConstraintFactor::solve(const double* r, double* y, double* mu) {
  if (is_sparse_) return sparse_.solve(r, y, mu);
  if (!small_.empty()) return small_.solve(r, y, mu);
  solve_tree_first(r, y, mu, one_);
}

void ConstraintFactor::solve(const PackOfFour* r, PackOfFour* y, PackOfFour* mu) {
  if (!small_.empty()) return small_.solve(r, y, mu);
  if (!is_sparse_) {
    four_.take_room_of(one_);
    return solve_tree_first(r, y, mu, four_);
  }
  lane_r_.resize(rows_);
  lane_mu_.resize(rows_);
  lane_y_.resize(6 * bodies_);
  for (int lane = 0; lane < 4; ++lane) {
    for (std::size_t i = 0; i < rows_; ++i) lane_r_[i] = r[i][lane];
    for (std::size_t i = 0; i < lane_y_.size(); ++i) lane_y_[i] = y[i][lane];
    sparse_.solve(lane_r_.data(), lane_y_.data(), lane_mu_.data());
    for (std::size_t i = 0; i < rows_; ++i) mu[i][lane] = lane_mu_[i];
    for (std::size_t i = 0; i < lane_y_.size(); ++i) y[i][lane] = lane_y_[i];
  }
}

std::vector<std::vector<double>> ConstraintFactor::null_space() {
  std::vector<std::vector<double>> out;
  if (is_sparse_) {
    for (const SparseOrthogonal::Entries& n : sparse_.null_space()) {
      out.emplace_back(rows_, 0.0);
      for (std::size_t i = 0; i < n.index.size(); ++i)
        out.back()[static_cast<std::size_t>(n.index[i])] = n.value[i];
    }
    return out;
  }
  if (!small_.empty()) return small_.null_space();
  const auto column = [&](std::size_t k) {
    return dense_.data() + static_cast<std::size_t>(pivot_[k]) * free_rows_;
  };
  for (std::size_t d = loop_rank_; d < loop_columns_; ++d) {
    std::vector<double> n(rows_, 0.0), weights(loop_columns_, 0.0), z(kPadded * tree_.size(), 0.0);
    std::vector<double> basic(column(d), column(d) + loop_rank_);
    weights[static_cast<std::size_t>(pivot_[d])] = -1.0;
    for (std::size_t k = loop_rank_; k-- > 0;) {
      basic[k] /= column(k)[k];
      for (std::size_t i = 0; i < k; ++i) basic[i] -= column(k)[i] * basic[k];
      weights[static_cast<std::size_t>(pivot_[k])] = basic[k];
    }
    for (const Loop& loop : loops_) {
      for (int c = 0; c < loop.columns; ++c) {
        const double weight = weights[loop.first_column + c];
        n[first_row_[loop.block] + c] = weight * scale_[loop.first_column + c];
        for (std::size_t at = 0; at < loop.touched.size(); ++at) {
          const int joint = joint_of_[loop.touched[at]];
          if (joint < 0) continue;
          const double* own = loop.data.data() + 6 * (at * loop.columns + c);
          for (int i = 0; i < tree_[joint].m; ++i) z[kPadded * joint + i] -= weight * own[i];
        }
      }
    }
    tree_backward(z.data());
    for (std::size_t j = 0; j < tree_.size(); ++j) {
      std::copy_n(z.data() + kPadded * j, tree_[j].m,
                  n.begin() + static_cast<std::ptrdiff_t>(first_row_[tree_[j].block]));
    }
    out.push_back(std::move(n));
  }
  return out;
}

}  // namespace catena
