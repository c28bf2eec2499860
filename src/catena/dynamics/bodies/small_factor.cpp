#include "catena/dynamics/bodies/small_factor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "catena/math/aligned.h"

namespace catena {
namespace {

// As in ConstraintFactor: what is left of a redundant column is roundoff.
constexpr double kDependent = 1e-10;
constexpr double kNothing = 1e-13;

using Lanes = Pack<double, kNativeWidth>;
using PackOfFour = Pack<double, 4>;
constexpr int kWidth = kNativeWidth;
constexpr int kMotions = 48, kRows = 64;

int padded(int n) { return static_cast<int>(rounded_up(static_cast<std::size_t>(n), kWidth)); }

double sum_of(const Lanes& lanes) {
  double sum = 0.0;
  for (int i = 0; i < kWidth; ++i) sum += lanes[i];
  return sum;
}

// x -= tau v (v . x)
void reflect(double tau, const double* v, int n, double* x) {
  Lanes sum{};
  for (int i = 0; i < n; i += kWidth) sum += load<kWidth>(v + i) * load<kWidth>(x + i);
  const double weight = tau * sum_of(sum);
  for (int i = 0; i < n; i += kWidth)
    store<kWidth>(x + i, Lanes(load<kWidth>(x + i) - weight * load<kWidth>(v + i)));
}

// Rows of so many packs of out = matrix in, the matrix by columns `stride` apart. Two sums need not wait for
// each other.
template <int Packs>
[[gnu::always_inline]] inline void multiply_packs(const double* matrix, int stride, int columns,
                                                  const double* in, double* out) {
  Lanes even[Packs] = {}, odd[Packs] = {};
  int j = 0;
  for (; j + 1 < columns; j += 2, matrix += 2 * stride) {
    for (int i = 0; i < Packs; ++i) {
      even[i] += load<kWidth>(matrix + i * kWidth) * in[j];
      odd[i] += load<kWidth>(matrix + stride + i * kWidth) * in[j + 1];
    }
  }
  for (int i = 0; i < Packs; ++i) {
    if (j < columns) even[i] += load<kWidth>(matrix + i * kWidth) * in[j];
    store<kWidth>(out + i * kWidth, Lanes(even[i] + odd[i]));
  }
}
inline void multiply(const double* matrix, int stride, int columns, const double* in, double* out) {
  switch (stride / kWidth) {
    case 1:
      return multiply_packs<1>(matrix, stride, columns, in, out);
    case 2:
      return multiply_packs<2>(matrix, stride, columns, in, out);
    case 3:
      return multiply_packs<3>(matrix, stride, columns, in, out);
    default:
      int i = 0;
      for (; i + 4 * kWidth <= stride; i += 4 * kWidth)
        multiply_packs<4>(matrix + i, stride, columns, in, out + i);
      for (; i < stride; i += kWidth) multiply_packs<1>(matrix + i, stride, columns, in, out + i);
  }
}
void multiply(const double* matrix, int stride, int columns, const PackOfFour* in, PackOfFour* out) {
  std::fill_n(out, stride, PackOfFour{});
  for (int j = 0; j < columns; ++j, matrix += stride) {
    for (int i = 0; i < stride; ++i) out[i] += matrix[i] * in[j];
  }
}

// Copies numbers, and gives their bits but for their signs: 0 where all are zero.
template <class V>
std::uint64_t taken(const V& from, V& to) {
  std::uint64_t bits[sizeof(V) / sizeof(double)], out = 0;
  std::memcpy(bits, &from, sizeof from);
  for (const std::uint64_t one : bits) out |= one << 1;
  std::memcpy(&to, bits, sizeof to);
  return out;
}

// Motions and rows that entries connect. Columns of A are rows of J; those of the tree come first, then those
// that count of loops.
struct Part {
  Part() {}  // without zeros where numbers come

  std::uint64_t mask = 0;  // its motions
  int motions = 0, rows = 0, tree = 0;
  int rank = 0;
  int stride = 0;
  bool eliminated = false, multiplied_out = false;
  std::uint8_t motion[kMotions], row[kRows];
  double tau[kMotions], pivot[kMotions], over_diagonal[kMotions];
  // By columns `stride` apart: A, which becomes R; reflections; Q^T and Q.
  double *a = nullptr, *v = nullptr, *to = nullptr, *from = nullptr;

  // Columns that close loops may have a part that the tree leaves free.
  bool has_free_loops() const { return rows > tree && motions > tree; }
  void take_pivot(int step);
  void eliminate(int step);
  void eliminate_all();
  void multiply_out();
  template <class V>
  void substitute_forward(V* right, V* z) const;
  template <class V>
  void substitute_back(V* right, V* z) const;
};

// The row where a column is largest comes next: so rows of very different size keep their digits.
void Part::take_pivot(int step) {
  const double* column = a + step * stride;
  int largest = step;
  for (int i = step + 1; i < motions; ++i) {
    if (std::fabs(column[i]) > std::fabs(column[largest])) largest = i;
  }
  if (largest == step) return;
  std::swap(motion[step], motion[largest]);
  for (int k = 0; k < step; ++k) std::swap(v[k * stride + step], v[k * stride + largest]);
  for (int k = step; k < rows; ++k) std::swap(a[k * stride + step], a[k * stride + largest]);
}

// Householder: column `step` has entries above its diagonal alone from now on.
void Part::eliminate(int step) {
  take_pivot(step);
  double *column = a + step * stride, *own = v + step * stride;
  std::fill_n(own, stride, 0.0);
  tau[step] = 0.0;
  double square = 0.0;
  for (int i = step + 1; i < motions; ++i) square += column[i] * column[i];
  if (square == 0.0) return;
  const double alpha = column[step], length = std::sqrt(alpha * alpha + square);
  const double beta = alpha > 0.0 ? -length : length, over = 1.0 / (alpha - beta);
  tau[step] = (beta - alpha) / beta;
  own[step] = 1.0;
  for (int i = step + 1; i < motions; ++i) {
    own[i] = column[i] * over;
    column[i] = 0.0;
  }
  column[step] = beta;
  for (int k = step + 1; k < rows; ++k) reflect(tau[step], own, stride, a + k * stride);
}

// Those of the tree in their order, then the column of which most is left.
void Part::eliminate_all() {
  eliminated = true;
  for (int step = 0; step < tree; ++step) eliminate(step);
  rank = tree;
  const int most = std::min(rows, motions);
  for (int step = tree; step < most; ++step) {
    int best = step;
    double longest = -1.0;
    for (int k = step; k < rows; ++k) {
      double square = 0.0;
      for (int i = step; i < motions; ++i) square += a[k * stride + i] * a[k * stride + i];
      if (square > longest) {
        longest = square;
        best = k;
      }
    }
    if (!(longest > kNothing * kNothing)) break;
    if (best != step) {
      std::swap(row[step], row[best]);
      std::swap_ranges(a + step * stride, a + (step + 1) * stride, a + best * stride);
    }
    eliminate(step);
    pivot[step] = std::fabs(a[step * stride + step]);
    rank = step + 1;
  }
}

void Part::multiply_out() {
  multiplied_out = true;
  std::fill_n(from, motions * stride, 0.0);
  for (int i = 0; i < motions; ++i) from[i * stride + i] = 1.0;
  for (int k = rank; k-- > 0;) {
    if (tau[k] == 0.0) continue;
    for (int j = k; j < motions; ++j) reflect(tau[k], v + k * stride, stride, from + j * stride);
  }
  for (int j = 0; j < motions; ++j) {
    for (int i = 0; i < motions; ++i) to[j * stride + i] = from[i * stride + j];
    std::fill(to + j * stride + motions, to + (j + 1) * stride, 0.0);
  }
  for (int k = 0; k < rank; ++k) over_diagonal[k] = 1.0 / a[k * stride + k];
}

// R^T z = right and R z = right, of N rows, in registers.
template <int N>
void substitute_forward(const double* a, int stride, const double* over, const double* right, double* z) {
  double left[N];
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) left[i] = right[i];
#pragma GCC unroll 8
  for (int j = 0; j < N; ++j) {
    left[j] *= over[j];
#pragma GCC unroll 8
    for (int i = j + 1; i < N; ++i) left[i] -= a[i * stride + j] * left[j];
  }
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) z[i] = left[i];
}
template <int N>
void substitute_back(const double* a, int stride, const double* over, const double* right, double* z) {
  double left[N];
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) left[i] = right[i];
#pragma GCC unroll 8
  for (int j = N - 1; j >= 0; --j) {
    left[j] *= over[j];
#pragma GCC unroll 8
    for (int i = 0; i < j; ++i) left[i] -= a[j * stride + i] * left[j];
  }
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) z[i] = left[i];
}

// Calls act with a rank up to eight as a constant; false: it is more.
template <class Act>
bool with_rank(int rank, Act&& act) {
  switch (rank) {
#define CATENA_OF_RANK(n)         \
  case n:                         \
    act.template operator()<n>(); \
    return true;
    CATENA_OF_RANK(1)
    CATENA_OF_RANK(2)
    CATENA_OF_RANK(3)
    CATENA_OF_RANK(4)
    CATENA_OF_RANK(5)
    CATENA_OF_RANK(6)
    CATENA_OF_RANK(7)
    CATENA_OF_RANK(8)
#undef CATENA_OF_RANK
    default:
      return false;
  }
}

// R^T z = right, right being lost; the next number waits for one product alone.
template <class V>
void Part::substitute_forward(V* right, V* z) const {
  if constexpr (std::is_same_v<V, double>) {
    if (with_rank(rank, [&]<int N>() { catena::substitute_forward<N>(a, stride, over_diagonal, right, z); }))
      return;
  }
  for (int j = 0; j < rank; ++j) {
    const V now = z[j] = right[j] * over_diagonal[j];
    const double* entry = a + (j + 1) * stride + j;
    for (int i = j + 1; i < rank; ++i, entry += stride) right[i] -= *entry * now;
  }
}

// R z = right, right being lost.
template <class V>
void Part::substitute_back(V* right, V* z) const {
  if constexpr (std::is_same_v<V, double>) {
    if (with_rank(rank, [&]<int N>() { catena::substitute_back<N>(a, stride, over_diagonal, right, z); }))
      return;
  }
  for (int j = rank; j-- > 0;) {
    const V now = z[j] = right[j] * over_diagonal[j];
    const double* column = a + j * stride;
    for (int i = 0; i < j; ++i) right[i] -= column[i] * now;
  }
}

}  // namespace

struct SmallFactor::Parts {
  int motions = 0, rows = 0, tree = 0;
  std::vector<std::uint8_t> order;     // rows: those of the tree, then of loops
  AlignedVector<double> entries;       // [row][motion]
  std::vector<std::uint64_t> touched;  // the motions of each row that are not zero
  std::vector<double> scale;           // of each row
  std::vector<Part> parts;
  std::vector<std::uint8_t> alone;  // rows without an entry
  AlignedVector<double> room;
  std::vector<double> pivots;
  std::vector<std::pair<double, std::size_t>> sorted;  // pivots with their part

  Parts(std::size_t bodies, std::size_t all_rows, const std::vector<std::size_t>& tree_rows);
  void take_apart();
  void load(Part& part, double*& at);
  void cut(std::size_t most);
  void follow(const double* room_before);
  template <class V>
  void solve(const V* r, V* y, V* mu);
};

SmallFactor::SmallFactor() = default;
SmallFactor::SmallFactor(std::size_t bodies, std::size_t rows, const std::vector<std::size_t>& tree)
    : parts_(std::make_unique<Parts>(bodies, rows, tree)) {}
SmallFactor::SmallFactor(const SmallFactor& other)
    : parts_(other.parts_ ? std::make_unique<Parts>(*other.parts_) : nullptr) {
  if (parts_) parts_->follow(other.parts_->room.data());
}
SmallFactor::SmallFactor(SmallFactor&& other) noexcept = default;
SmallFactor& SmallFactor::operator=(SmallFactor other) noexcept {
  std::swap(parts_, other.parts_);
  return *this;
}
SmallFactor::~SmallFactor() = default;

SmallFactor::Parts::Parts(std::size_t bodies, std::size_t all_rows, const std::vector<std::size_t>& tree_rows)
    : motions(static_cast<int>(6 * bodies)),
      rows(static_cast<int>(all_rows)),
      tree(static_cast<int>(tree_rows.size())) {
  std::vector<char> seen(all_rows, 0);
  for (const std::size_t row : tree_rows) {
    order.push_back(static_cast<std::uint8_t>(row));
    seen[row] = 1;
  }
  for (std::size_t row = 0; row < all_rows; ++row) {
    if (!seen[row]) order.push_back(static_cast<std::uint8_t>(row));
  }
  entries.assign(all_rows * 6 * bodies, 0.0);
  touched.assign(all_rows, 0);
  scale.assign(all_rows, 1.0);
  const std::size_t wide = 6 * bodies + kWidth, long_side = std::max(wide, all_rows + kWidth);
  room.assign(6 * wide * long_side, 0.0);
  parts.reserve(6 * bodies);
  alone.reserve(all_rows);
  pivots.reserve(6 * bodies);
  sorted.reserve(6 * bodies);
}

// Of a copy: what lay in the other's room lies in its own.
void SmallFactor::Parts::follow(const double* room_before) {
  for (Part& part : parts) {
    for (double** each : {&part.a, &part.v, &part.to, &part.from})
      *each = room.data() + (*each - room_before);
  }
}

void SmallFactor::clear() {
  std::fill(parts_->entries.begin(), parts_->entries.end(), 0.0);
  std::fill(parts_->touched.begin(), parts_->touched.end(), 0);
}

void SmallFactor::put(std::size_t row, std::size_t body, const double* six) {
  double* to = parts_->entries.data() + static_cast<std::size_t>(parts_->motions) * row + 6 * body;
  std::uint64_t some = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    to[i] = six[i];
    some |= static_cast<std::uint64_t>(six[i] != 0.0) << i;
  }
  parts_->touched[row] |= some << (6 * body);
}

void SmallFactor::Parts::take_apart() {
  parts.clear();
  alone.clear();
  for (const std::uint8_t row : order) {
    std::uint64_t mask = touched[row];
    if (mask == 0) {
      alone.push_back(row);
      continue;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((parts[i].mask & mask) != 0) {
        mask |= parts[i].mask;
      } else {
        parts[kept++].mask = parts[i].mask;
      }
    }
    parts.resize(kept);
    parts.emplace_back();
    parts.back().mask = mask;
  }
  for (Part& part : parts) {
    for (int i = 0; i < motions; ++i) {
      if ((part.mask >> i & 1U) != 0) part.motion[part.motions++] = static_cast<std::uint8_t>(i);
    }
    part.stride = padded(part.motions);
  }
  for (int i = 0; i < rows; ++i) {
    const std::uint8_t row = order[static_cast<std::size_t>(i)];
    if (touched[row] == 0) continue;
    for (Part& part : parts) {
      if ((part.mask & touched[row]) == 0) continue;
      part.row[part.rows++] = row;
      if (i < tree) part.tree = part.rows;
      break;
    }
  }
}

// Columns that close loops have unit length.
void SmallFactor::Parts::load(Part& part, double*& at) {
  const auto take = [&](int columns, int stride) {
    double* from = at;
    at += columns * stride;
    return from;
  };
  part.a = take(part.rows, part.stride);
  part.v = take(std::min(part.rows, part.motions), part.stride);
  part.to = take(part.motions, part.stride);
  part.from = take(part.motions, part.stride);
  for (int k = 0; k < part.rows; ++k) {
    const double* from = entries.data() + motions * part.row[k];
    double* column = part.a + k * part.stride;
    double square = 0.0;
    for (int i = 0; i < part.motions; ++i) {
      column[i] = from[part.motion[i]];
      square += column[i] * column[i];
    }
    std::fill(column + part.motions, column + part.stride, 0.0);
    const double factor = scale[part.row[k]] = k < part.tree ? 1.0 : 1.0 / std::sqrt(square);
    for (int i = 0; i < part.motions && k >= part.tree; ++i) column[i] *= factor;
  }
}

// Of all columns that close loops those with the largest pivots count, as if there were one part.
void SmallFactor::Parts::cut(std::size_t most) {
  sorted.clear();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (int k = parts[p].tree; k < parts[p].rank; ++k) sorted.emplace_back(parts[p].pivot[k], p);
    parts[p].rank = parts[p].tree;
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  pivots.clear();
  std::size_t count = 0;
  for (const auto& [pivot, part] : sorted) {
    pivots.push_back(pivot);
    if (!(pivot > kDependent) || count == most) continue;
    ++parts[part].rank;
    ++count;
  }
}

// Parts whose rank is that of their tree wait until something is asked of them.
void SmallFactor::factor(std::size_t most_loop_rank) {
  Parts& of = *parts_;
  of.take_apart();
  double* at = of.room.data();
  bool loops = false;
  for (Part& part : of.parts) {
    of.load(part, at);
    part.rank = part.tree;
    if (!part.has_free_loops()) continue;
    loops = true;
    part.eliminate_all();
  }
  of.pivots.clear();
  if (loops) of.cut(most_loop_rank);
}

std::size_t SmallFactor::loop_rank() const {
  std::size_t out = 0;
  for (const Part& part : parts_->parts) out += static_cast<std::size_t>(part.rank - part.tree);
  return out;
}

const std::vector<double>& SmallFactor::pivots() const { return parts_->pivots; }

std::vector<std::size_t> SmallFactor::dependent_rows() const {
  std::vector<std::size_t> out(parts_->alone.begin(), parts_->alone.end());
  for (const Part& part : parts_->parts) out.insert(out.end(), part.row + part.rank, part.row + part.rows);
  std::sort(out.begin(), out.end());
  return out;
}

// With the free part of Q^T g as it is, and R^-T r in place of the rest, y is Q times that.
template <class V>
void SmallFactor::Parts::solve(const V* r, V* y, V* mu) {
  std::fill_n(mu, rows, V{});
  for (Part& part : parts) {
    alignas(kCacheLine) V g[kMotions + kWidth], turned[kMotions + kWidth], right[kMotions + kWidth],
        z[kMotions + kWidth];
    const auto gather = [&] {
      std::uint64_t some = 0;
      for (int i = 0; i < part.motions; ++i) some |= taken(y[part.motion[i]], g[i]);
      for (int k = 0; k < part.rank; ++k) some |= taken(r[part.row[k]], right[k]);
      return some != 0;
    };
    if (!gather()) continue;
    if (!part.multiplied_out) {
      if (!part.eliminated) part.eliminate_all();
      part.multiply_out();
      gather();  // rows may have changed places
    }
    for (int k = part.tree; k < part.rank; ++k) right[k] *= scale[part.row[k]];
    multiply(part.to, part.stride, part.motions, g, turned);
    part.substitute_forward(right, z);
    for (int k = 0; k < part.rank; ++k) {
      const V rest = z[k] - turned[k];
      turned[k] = z[k];
      right[k] = rest;
    }
    multiply(part.from, part.stride, part.motions, turned, g);
    part.substitute_back(right, z);
    for (int i = 0; i < part.motions; ++i) y[part.motion[i]] = g[i];
    for (int k = 0; k < part.tree; ++k) mu[part.row[k]] = z[k];
    for (int k = part.tree; k < part.rank; ++k) mu[part.row[k]] = scale[part.row[k]] * z[k];
  }
}

void SmallFactor::solve(const double* r, double* y, double* mu) { parts_->solve(r, y, mu); }

void SmallFactor::solve(const PackOfFour* r, PackOfFour* y, PackOfFour* mu) { parts_->solve(r, y, mu); }

std::vector<std::vector<double>> SmallFactor::null_space() const {
  std::vector<std::vector<double>> out;
  Parts& of = *parts_;
  const auto add = [&] { out.emplace_back(static_cast<std::size_t>(of.rows), 0.0); };
  for (Part& part : of.parts) {
    if (!part.eliminated && part.rows > part.rank) part.eliminate_all();
    for (int d = part.rank; d < part.rows; ++d) {
      add();
      const double* column = part.a + d * part.stride;
      double weight[kMotions];
      for (int k = part.rank; k-- > 0;) {
        weight[k] = column[k];
        for (int j = k + 1; j < part.rank; ++j) weight[k] -= part.a[j * part.stride + k] * weight[j];
        weight[k] /= part.a[k * part.stride + k];
        out.back()[part.row[k]] = weight[k] * of.scale[part.row[k]];
      }
      out.back()[part.row[d]] = -of.scale[part.row[d]];
    }
  }
  for (const std::uint8_t row : of.alone) {
    add();
    out.back()[row] = -1.0;
  }
  return out;
}

}  // namespace catena
