#include "catena/math/sparse_orthogonal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "catena/math/elimination.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

// Columns have unit length. What is left of one that follows from others is roundoff, a few 1e-15.
constexpr double kDependent = 1e-10;
// Entries of null vectors below this, relative to the largest, are roundoff too.
constexpr double kNothing = 1e-14;

constexpr int kLanes = kNativeWidth;
using Lanes = Pack<double, kLanes>;

int padded(int n) { return static_cast<int>(rounded_up(static_cast<std::size_t>(n), kLanes)); }

double sum_of(const Lanes& lanes) {
  double sum = 0.0;
  for (int i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

// From a multiple of kLanes to another.
double dot(const double* a, const double* b, int from, int to) {
  Lanes sum{};
  for (int i = from; i < to; i += kLanes) sum += load<kLanes>(a + i) * load<kLanes>(b + i);
  return sum_of(sum);
}

void subtract(double factor, const double* a, double* from, int first, int last) {
  for (int i = first; i < last; i += kLanes)
    store<kLanes>(from + i, Lanes(load<kLanes>(from + i) - factor * load<kLanes>(a + i)));
}

// Rows that a front may leave over with so many columns before they are made as few as these. Making them so
// takes as long as eliminating all columns; so it is not done at every front.
int most_passed(int columns) { return columns == 0 ? 0 : columns + columns / 2; }

std::size_t height_of(const SparseOrthogonal::Columns& block, const std::vector<int>& row_sizes) {
  std::size_t sum = 0;
  for (const int rows : block.rows)
    sum += static_cast<std::size_t>(row_sizes[static_cast<std::size_t>(rows)]);
  return sum;
}

}  // namespace

SparseOrthogonal::SparseOrthogonal(const std::vector<int>& row_sizes, const std::vector<Columns>& blocks)
    : blocks_(blocks), row_sizes_(row_sizes) {
  for (const int size : row_sizes) {
    first_row_.push_back(rows_);
    rows_ += static_cast<std::size_t>(size);
  }
  std::size_t at = 0;
  for (const Columns& block : blocks_) {
    first_column_.push_back(columns_);
    entries_at_.push_back(at);
    columns_ += static_cast<std::size_t>(block.count);
    at += static_cast<std::size_t>(block.count) * height_of(block, row_sizes_);
  }
  some_.assign(at, 1);
  take_apart();
  order();
  some_.assign(at, 0);
}

// Whether one of them is other than zero for the first time.
bool SparseOrthogonal::note_entries(const double* entries) {
  bool any = fronts_.empty();
  for (std::size_t i = 0; i < some_.size(); ++i) {
    if (entries[i] == 0.0 || some_[i] != 0) continue;
    some_[i] = 1;
    any = true;
  }
  return any;
}

// Rows and columns that entries join, directly or through others, stay together. A column without any stays
// with its first row.
void SparseOrthogonal::take_apart() {
  std::vector<int> leader(rows_ + columns_);
  std::iota(leader.begin(), leader.end(), 0);
  const auto root = [&](std::size_t of) {
    int i = static_cast<int>(of);
    while (leader[static_cast<std::size_t>(i)] != i)
      i = leader[static_cast<std::size_t>(i)] =
          leader[static_cast<std::size_t>(leader[static_cast<std::size_t>(i)])];
    return i;
  };
  const auto for_entries = [&](std::size_t b, int column, const auto& visit) {
    std::size_t at = entries_at_[b] + static_cast<std::size_t>(column) * height_of(blocks_[b], row_sizes_);
    for (const int block : blocks_[b].rows) {
      for (int i = 0; i < row_sizes_[static_cast<std::size_t>(block)]; ++i, ++at)
        visit(block, first_row_[static_cast<std::size_t>(block)] + static_cast<std::size_t>(i), at);
    }
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (int i = 0; i < blocks_[b].count && !blocks_[b].rows.empty(); ++i) {
      const std::size_t column = rows_ + first_column_[b] + static_cast<std::size_t>(i);
      bool any = false;
      for_entries(b, i, [&](int, std::size_t row, std::size_t at) {
        if (some_[at] != 0) any = true, leader[static_cast<std::size_t>(root(column))] = root(row);
      });
      if (!any) leader[column] = root(first_row_[static_cast<std::size_t>(blocks_[b].rows[0])]);
    }
  }
  piece_rows_.clear();
  pieces_.clear();
  std::vector<int> piece_of(rows_);
  for (std::size_t b = 0; b < row_sizes_.size(); ++b) {
    const std::size_t first = piece_rows_.size();
    for (int i = 0; i < row_sizes_[b]; ++i) {
      const std::size_t row = first_row_[b] + static_cast<std::size_t>(i);
      std::size_t piece = first;
      while (piece < piece_rows_.size() && root(static_cast<std::size_t>(piece_rows_[piece][0])) != root(row))
        ++piece;
      if (piece == piece_rows_.size()) piece_rows_.emplace_back();
      piece_rows_[piece].push_back(static_cast<int>(row));
      piece_of[row] = static_cast<int>(piece);
    }
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].rows.empty()) continue;
    const std::size_t first = pieces_.size();
    for (int i = 0; i < blocks_[b].count; ++i) {
      const std::size_t column = first_column_[b] + static_cast<std::size_t>(i);
      const int own = root(rows_ + column);
      std::size_t piece = first;
      while (piece < pieces_.size() &&
             root(rows_ + static_cast<std::size_t>(pieces_[piece].columns[0])) != own)
        ++piece;
      if (piece == pieces_.size()) pieces_.emplace_back();
      Piece& to = pieces_[piece];
      to.columns.push_back(static_cast<int>(column));
      const bool is_first = to.columns.size() == 1;
      for_entries(b, i, [&](int, std::size_t row, std::size_t at) {
        if (root(row) != own) return;
        if (is_first && (to.rows.empty() || to.rows.back() != piece_of[row]))
          to.rows.push_back(piece_of[row]);
        to.at.push_back(at);
      });
    }
  }
}

void SparseOrthogonal::order() {
  fronts_.clear();
  factor_work_ = solve_work_ = 0.0;
  keeps_ = false;
  std::vector<int> weights;
  std::vector<std::vector<int>> rows;
  for (const Piece& piece : pieces_) {
    weights.push_back(static_cast<int>(piece.columns.size()));
    rows.push_back(piece.rows);
  }
  Elimination elimination(weights, rows, piece_rows_.size());
  std::vector<int> own, elements, rest;
  while (!elimination.done()) {
    elimination.next(own, elements, rest);
    add_front(own, elements, rest);
  }
  reserve();
}

void SparseOrthogonal::add_front(const std::vector<int>& own, const std::vector<int>& elements,
                                 const std::vector<int>& rest) {
  Front front;
  std::vector<int>& place = places_;
  place.resize(columns_);
  const auto add_columns = [&](int piece) {
    for (const int column : pieces_[static_cast<std::size_t>(piece)].columns) {
      place[static_cast<std::size_t>(column)] = static_cast<int>(front.columns.size());
      front.columns.push_back(column);
    }
  };
  for (const int b : own) add_columns(b);
  front.pivots = static_cast<int>(front.columns.size());
  for (const int b : rest) add_columns(b);
  const int row_blocks = static_cast<int>(piece_rows_.size());
  for (const int e : elements) {
    if (e < row_blocks) {
      add_rows(front, e, own, rest);
      continue;
    }
    Front& child = fronts_[static_cast<std::size_t>(e - row_blocks)];
    Child of{e - row_blocks, {}};
    const int others = static_cast<int>(child.columns.size()) - child.pivots;
    for (int i = child.pivots; i < child.pivots + others; ++i)
      of.columns.push_back(place[static_cast<std::size_t>(child.columns[static_cast<std::size_t>(i)])]);
    front.children.push_back(std::move(of));
    front.most_rows += std::min(child.most_rows, most_passed(others));
    const int left = std::max(child.usual_rows - child.pivots, 0);
    front.usual_rows += left <= most_passed(others) ? left : others;
  }
  front.most_rows += front.own_rows;
  front.usual_rows += front.own_rows;
  const int others = static_cast<int>(front.columns.size()) - front.pivots;
  const auto reflectors = [&](int rows, int left) {
    return std::min(rows, front.pivots + (left > most_passed(others) ? others : 0));
  };
  front.most_reflectors = reflectors(front.most_rows, front.most_rows);
  const double made = reflectors(front.usual_rows, front.usual_rows - front.pivots), high = front.usual_rows;
  const auto all = static_cast<double>(front.columns.size());
  factor_work_ += 2.0 * high * all * made;
  solve_work_ += 2.0 * (2.0 * high * made + front.pivots * all);
  front.stride = padded(front.most_rows);
  for (Load& load : front.loads)
    load.to += static_cast<std::size_t>(place[static_cast<std::size_t>(load.column)] * front.stride);
  fronts_.push_back(std::move(front));
}

// A block of rows is read in the first front that has a column of it.
void SparseOrthogonal::add_rows(Front& front, int rows, const std::vector<int>& own,
                                const std::vector<int>& rest) {
  const std::vector<int>& these = piece_rows_[static_cast<std::size_t>(rows)];
  const auto add = [&](int b) {
    const Piece& piece = pieces_[static_cast<std::size_t>(b)];
    std::size_t entry = 0;
    for (const int column : piece.columns) {
      for (const int other : piece.rows) {
        const std::size_t size = piece_rows_[static_cast<std::size_t>(other)].size();
        for (std::size_t i = 0; i < size && other == rows; ++i) {
          // Rows for now; their stride is known later.
          front.loads.push_back({piece.at[entry + i], static_cast<std::size_t>(front.own_rows) + i, column});
        }
        entry += size;
      }
    }
  };
  for (const int b : own) add(b);
  for (const int b : rest) add(b);
  front.own.insert(front.own.end(), these.begin(), these.end());
  front.own_rows += static_cast<int>(these.size());
}

void SparseOrthogonal::reserve() {
  std::size_t matrix = 0, reflectors = 0, products = 0, triangle = 0, rows = 0, pivots = 0, stride = 1,
              made = 1;
  for (Front& front : fronts_) {
    const std::size_t all = front.columns.size();
    front.lead = padded(front.pivots);
    front.matrix = matrix;
    front.reflectors = reflectors;
    front.products = products;
    front.triangle = triangle;
    front.rows_at = rows;
    front.pivot_at = pivots;
    const auto high = static_cast<std::size_t>(front.stride),
               wide = static_cast<std::size_t>(front.most_reflectors);
    matrix += high * all;
    reflectors += high * wide;
    products += wide * wide;
    triangle += static_cast<std::size_t>(front.lead) * all;
    rows += high;
    pivots += static_cast<std::size_t>(front.pivots);
    stride = std::max({stride, high, static_cast<std::size_t>(front.lead)});
    made = std::max(made, wide);
  }
  matrices_.assign(matrix, 0.0);
  reflectors_.assign(reflectors, 0.0);
  products_.assign(products, 0.0);
  triangles_.assign(triangle, 0.0);
  row_of_.assign(rows, 0);
  pivot_.assign(pivots, 0.0);
  sizes_.reserve(pivots);
  differences_.assign(pivots, 0.0);
  scale_.assign(columns_, 1.0);
  left_.assign(columns_, 0.0);
  multipliers_.assign(columns_, 0.0);
  work_.assign(stride, 0.0);
  triangle_work_.assign(stride, 0.0);
  sums_.assign(2 * made, 0.0);
}

void SparseOrthogonal::measure_columns(const double* entries) {
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (const Front& front : fronts_) {
    for (const Load& load : front.loads)
      scale_[static_cast<std::size_t>(load.column)] += entries[load.from] * entries[load.from];
  }
  for (double& scale : scale_) scale = scale > 0.0 ? 1.0 / std::sqrt(scale) : 1.0;
}

void SparseOrthogonal::limit_rank(std::size_t rank) {
  limit_ = rank;
  keeps_ = false;
  for (Front& front : fronts_) front.least_dependent = 0;
}

void SparseOrthogonal::factor(const double* entries) {
  if (note_entries(entries)) {
    take_apart();
    order();
  }
  measure_columns(entries);
  factor_once(entries, kDependent);
  if (keeps_) return;
  // Too many count: the shortest ones must not.
  constexpr int kMostTries = 4;
  constexpr double kJustOver = 1.0 + 1e-9;
  for (int i = 0; i < kMostTries && rank_ > limit_; ++i) {
    sizes_.clear();
    for (const Front& front : fronts_)
      sizes_.insert(sizes_.end(), pivot_.begin() + static_cast<std::ptrdiff_t>(front.pivot_at),
                    pivot_.begin() + static_cast<std::ptrdiff_t>(front.pivot_at) + front.rank);
    std::nth_element(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(limit_), sizes_.end(),
                     std::greater<>());
    factor_once(entries, kJustOver * sizes_[limit_]);
  }
  if (rank_ != limit_) return;
  keeps_ = true;
  for (Front& front : fronts_) front.least_dependent = front.pivots - front.rank;
}

void SparseOrthogonal::factor_once(const double* entries, double least) {
  rank_ = 0;
  smallest_pivot_ = 1.0;
  for (Front& front : fronts_) {
    assemble(front, entries);
    eliminate(front, least);
    shrink(front);
    keep_triangle(front);
    multiply_reflectors(front);
    rank_ += static_cast<std::size_t>(front.rank);
    for (int i = 0; i < front.rank; ++i)
      smallest_pivot_ = std::min(smallest_pivot_, pivot_[front.pivot_at + static_cast<std::size_t>(i)]);
  }
}

void SparseOrthogonal::assemble(Front& front, const double* entries) {
  double* matrix = matrices_.data() + front.matrix;
  const auto stride = static_cast<std::size_t>(front.stride);
  std::fill_n(matrix, stride * front.columns.size(), 0.0);
  int* row_of = row_of_.data() + front.rows_at;
  std::copy(front.own.begin(), front.own.end(), row_of);
  std::sort(front.columns.begin(), front.columns.begin() + front.pivots);  // as they were at first
  for (const Load& load : front.loads)
    matrix[load.to] = scale_[static_cast<std::size_t>(load.column)] * entries[load.from];
  front.rows = front.own_rows;
  for (const Child& child : front.children) {
    const Front& of = fronts_[static_cast<std::size_t>(child.front)];
    std::copy_n(row_of_.data() + of.rows_at + of.rank, of.passed, row_of + front.rows);
    const double* from =
        matrices_.data() + of.matrix + static_cast<std::size_t>(of.pivots * of.stride + of.rank);
    for (std::size_t i = 0; i < child.columns.size(); ++i, from += of.stride)
      std::copy_n(from, of.passed, matrix + static_cast<std::size_t>(child.columns[i]) * stride + front.rows);
    front.rows += of.passed;
  }
  front.made = 0;
}

// A column is turned onto the row where it is largest: so rows that have nothing to do with each other, as
// those along a plane and across it, never meet, and zeros stay zeros. The reflections made so far change
// their rows too: all swaps come before all reflections.
void SparseOrthogonal::pivot_row(Front& front, int column, int row) {
  double* matrix = matrices_.data() + front.matrix;
  const double* c = matrix + static_cast<std::size_t>(column * front.stride);
  const auto less = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto largest = static_cast<int>(std::max_element(c + row, c + front.rows, less) - c);
  if (largest == row) return;
  for (std::size_t j = 0; j < front.columns.size(); ++j, matrix += front.stride)
    std::swap(matrix[row], matrix[largest]);
  double* v = reflectors_.data() + front.reflectors;
  for (int j = 0; j < front.made; ++j, v += front.stride) std::swap(v[row], v[largest]);
  int* row_of = row_of_.data() + front.rows_at;
  std::swap(row_of[row], row_of[largest]);
}

// Householder: turns what a column has from a row on onto that row, and the columns behind it likewise.
void SparseOrthogonal::reflect(Front& front, int column, int row) {
  pivot_row(front, column, row);
  const auto stride = static_cast<std::size_t>(front.stride);
  double* c = matrices_.data() + front.matrix + static_cast<std::size_t>(column) * stride;
  double* v = reflectors_.data() + front.reflectors + static_cast<std::size_t>(front.made) * stride;
  std::fill_n(v, stride, 0.0);
  double square = 0.0;
  for (int i = row + 1; i < front.rows; ++i) square += c[i] * c[i];
  double tau = 0.0;
  v[row] = 1.0;
  if (square != 0.0) {
    const double alpha = c[row], length = std::sqrt(alpha * alpha + square);
    const double beta = alpha > 0.0 ? -length : length, over = 1.0 / (alpha - beta);
    tau = (beta - alpha) / beta;
    for (int i = row + 1; i < front.rows; ++i) v[i] = over * c[i], c[i] = 0.0;
    c[row] = beta;
    const int from = row / kLanes * kLanes, to = padded(front.rows);
    const int all = static_cast<int>(front.columns.size());
    for (int j = column + 1; j < all; ++j) {
      double* other = matrices_.data() + front.matrix + static_cast<std::size_t>(j) * stride;
      const double sum = tau * dot(v, other, from, to);
      if (sum != 0.0) subtract(sum, v, other, from, to);
    }
  }
  products_[front.products + static_cast<std::size_t>(front.made * (front.most_reflectors + 1))] = tau;
  ++front.made;
}

void SparseOrthogonal::eliminate(Front& front, double least) {
  double* matrix = matrices_.data() + front.matrix;
  const auto column = [&](int j) { return matrix + static_cast<std::size_t>(j * front.stride); };
  const int most = std::min(front.rows, front.pivots - front.least_dependent);
  int step = 0;
  for (; step < most; ++step) {
    int best = step;
    double largest = -1.0;
    for (int j = step; j < front.pivots; ++j) {
      double square = 0.0;
      for (int i = step; i < front.rows; ++i) square += column(j)[i] * column(j)[i];
      if (square > largest) largest = square, best = j;
    }
    if (!(largest > least * least)) break;
    if (best != step) {
      std::swap_ranges(column(step), column(step) + front.stride, column(best));
      std::swap(front.columns[static_cast<std::size_t>(step)], front.columns[static_cast<std::size_t>(best)]);
    }
    reflect(front, step, step);
    pivot_[front.pivot_at + static_cast<std::size_t>(step)] = std::fabs(column(step)[step]);
  }
  front.rank = step;
}

// What is left has few more rows than columns: others would be carried along for nothing.
void SparseOrthogonal::shrink(Front& front) {
  const int all = static_cast<int>(front.columns.size());
  int row = front.rank;
  if (front.rows - row <= most_passed(all - front.pivots)) {
    front.passed = front.rows - row;
    return;
  }
  for (int j = front.pivots; j < all && row < front.rows; ++j) {
    const double* c = matrices_.data() + front.matrix + static_cast<std::size_t>(j * front.stride);
    if (std::all_of(c + row, c + front.rows, [](double x) { return x == 0.0; })) continue;
    reflect(front, j, row++);
  }
  front.passed = row - front.rank;
}

// In place of the diagonal: one over it.
void SparseOrthogonal::keep_triangle(Front& front) {
  const double* from = matrices_.data() + front.matrix;
  double* to = triangles_.data() + front.triangle;
  for (int j = 0; j < static_cast<int>(front.columns.size()); ++j, from += front.stride, to += front.lead) {
    std::fill(std::copy_n(from, front.rank, to), to + front.lead, 0.0);
    if (j < front.rank) to[j] = 1.0 / from[j];
  }
}

// H_1 .. H_m = 1 - V T V^T, T upper triangular (R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10,
// 1989).
void SparseOrthogonal::multiply_reflectors(Front& front) {
  const double* v = reflectors_.data() + front.reflectors;
  const auto lead = static_cast<std::size_t>(front.most_reflectors),
             stride = static_cast<std::size_t>(front.stride);
  double* t = products_.data() + front.products;
  const int to = padded(front.rows);
  for (std::size_t j = 1; j < static_cast<std::size_t>(front.made); ++j) {
    for (std::size_t i = 0; i < j; ++i) sums_[i] = dot(v + i * stride, v + j * stride, 0, to);
    for (std::size_t i = 0; i < j; ++i) {
      double sum = 0.0;
      for (std::size_t k = i; k < j; ++k) sum += t[k * lead + i] * sums_[k];
      t[j * lead + i] = -t[j * lead + j] * sum;
    }
  }
}

// The front's rows of y; whether one is other than zero.
bool SparseOrthogonal::gather(const Front& front, const double* y) {
  const int* row_of = row_of_.data() + front.rows_at;
  double* x = work_.data();
  bool any = false;
  for (int i = 0; i < front.rows; ++i) {
    x[i] = y[row_of[i]];
    any = any || x[i] != 0.0;
  }
  for (int i = front.rows; i < padded(front.rows); ++i) x[i] = 0.0;
  return any;
}

// Q^T of the rows gathered, or Q, back into y.
void SparseOrthogonal::turn(const Front& front, bool back, double* y) {
  const int* row_of = row_of_.data() + front.rows_at;
  const double* v = reflectors_.data() + front.reflectors;
  const double* t = products_.data() + front.products;
  const auto lead = static_cast<std::size_t>(front.most_reflectors),
             stride = static_cast<std::size_t>(front.stride);
  const auto made = static_cast<std::size_t>(front.made);
  const int to = padded(front.rows);
  double* x = work_.data();
  double* u = sums_.data();
  for (std::size_t j = 0; j < made; ++j) u[j] = dot(v + j * stride, x, 0, to);
  if (back) {
    for (std::size_t i = 0; i < made; ++i) {
      double sum = 0.0;
      for (std::size_t j = i; j < made; ++j) sum += t[j * lead + i] * u[j];
      u[i] = sum;
    }
  } else {
    for (std::size_t i = made; i-- > 0;) {
      double sum = 0.0;
      for (std::size_t j = 0; j <= i; ++j) sum += t[i * lead + j] * u[j];
      u[i] = sum;
    }
  }
  for (std::size_t j = 0; j < made; ++j) subtract(u[j], v + j * stride, x, 0, to);
  for (int i = 0; i < front.rows; ++i) y[row_of[i]] = x[i];
}

// Multipliers of the front's columns, from those of the others and what the triangle times all of them is.
void SparseOrthogonal::substitute(const Front& front, double* own) {
  const double* triangle = triangles_.data() + front.triangle;
  const auto lead = static_cast<std::size_t>(front.lead);
  for (std::size_t j = static_cast<std::size_t>(front.rank); j < front.columns.size(); ++j) {
    const double mu = multipliers_[static_cast<std::size_t>(front.columns[j])];
    if (mu != 0.0) subtract(mu, triangle + j * lead, own, 0, front.lead);
  }
  for (int j = front.rank; j-- > 0;) {
    const double* column = triangle + static_cast<std::size_t>(j) * lead;
    own[j] *= column[j];
    for (int i = 0; i < j; ++i) own[i] -= column[i] * own[j];
    multipliers_[static_cast<std::size_t>(front.columns[static_cast<std::size_t>(j)])] = own[j];
  }
}

// Fronts in which all is zero, as those across a plane, stay so.
void SparseOrthogonal::solve(const double* r, double* y, double* mu) {
  for (std::size_t i = 0; i < columns_; ++i) left_[i] = scale_[i] * r[i];
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  double* z = triangle_work_.data();
  for (const Front& front : fronts_) {
    double* differences = differences_.data() + front.pivot_at;
    bool any = gather(front, y);
    for (int j = 0; j < front.rank && !any; ++j)
      any = left_[static_cast<std::size_t>(front.columns[static_cast<std::size_t>(j)])] != 0.0;
    if (!any) {
      for (int j = 0; j < front.rank; ++j) differences[j] = 0.0;
      continue;
    }
    turn(front, false, y);
    const double* triangle = triangles_.data() + front.triangle;
    const int* row_of = row_of_.data() + front.rows_at;
    for (int j = 0; j < front.lead; ++j) z[j] = 0.0;
    for (int j = 0; j < front.rank; ++j, triangle += front.lead) {
      double sum = left_[static_cast<std::size_t>(front.columns[static_cast<std::size_t>(j)])];
      for (int i = 0; i < j; ++i) sum -= triangle[i] * z[i];
      z[j] = sum * triangle[j];
      differences[j] = z[j] - y[row_of[j]];
      y[row_of[j]] = z[j];
    }
    triangle = triangles_.data() + front.triangle + static_cast<std::size_t>(front.pivots * front.lead);
    for (std::size_t j = static_cast<std::size_t>(front.pivots); j < front.columns.size();
         ++j, triangle += front.lead)
      left_[static_cast<std::size_t>(front.columns[j])] -= dot(triangle, z, 0, front.lead);
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const double* differences = differences_.data() + front.pivot_at;
    bool any = false;
    for (int j = 0; j < front.rank; ++j) {
      z[j] = differences[j];
      any = any || z[j] != 0.0;
    }
    for (int j = front.rank; j < front.lead; ++j) z[j] = 0.0;
    for (std::size_t j = static_cast<std::size_t>(front.pivots); j < front.columns.size() && !any; ++j)
      any = multipliers_[static_cast<std::size_t>(front.columns[j])] != 0.0;
    if (any) substitute(front, z);
    if (gather(front, y)) turn(front, true, y);
  }
  for (std::size_t i = 0; i < columns_; ++i) mu[i] = scale_[i] * multipliers_[i];
}

std::vector<std::size_t> SparseOrthogonal::dependent() const {
  std::vector<std::size_t> out;
  for (const Front& front : fronts_) {
    for (int j = front.rank; j < front.pivots; ++j)
      out.push_back(static_cast<std::size_t>(front.columns[static_cast<std::size_t>(j)]));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Of a column that follows from others: those are in its front and in what fed it. Where nothing but roundoff
// goes down, nothing below has a part in it.
SparseOrthogonal::Entries SparseOrthogonal::null_vector(std::size_t of, int dependent) {
  std::vector<std::size_t> waiting{of};
  std::vector<std::pair<int, double>> found{{fronts_[of].columns[static_cast<std::size_t>(dependent)], -1.0}};
  multipliers_[static_cast<std::size_t>(found[0].first)] = -1.0;
  while (!waiting.empty()) {
    const Front& front = fronts_[waiting.back()];
    waiting.pop_back();
    double largest = 0.0;
    for (std::size_t j = static_cast<std::size_t>(front.rank); j < front.columns.size(); ++j)
      largest = std::max(largest, std::fabs(multipliers_[static_cast<std::size_t>(front.columns[j])]));
    if (largest <= kNothing) continue;
    double* own = triangle_work_.data();
    std::fill_n(own, front.lead, 0.0);
    substitute(front, own);
    for (int j = 0; j < front.rank; ++j) {
      const int column = front.columns[static_cast<std::size_t>(j)];
      double& mu = multipliers_[static_cast<std::size_t>(column)];
      if (std::fabs(mu) <= kNothing) {
        mu = 0.0;
      } else {
        found.emplace_back(column, mu);
      }
    }
    for (const Child& child : front.children) waiting.push_back(static_cast<std::size_t>(child.front));
  }
  std::sort(found.begin(), found.end());
  Entries out;
  for (const auto& [column, mu] : found) {
    out.index.push_back(column);
    out.value.push_back(mu * scale_[static_cast<std::size_t>(column)]);
    multipliers_[static_cast<std::size_t>(column)] = 0.0;
  }
  return out;
}

std::vector<SparseOrthogonal::Entries> SparseOrthogonal::null_space() {
  std::vector<Entries> out;
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    for (int j = fronts_[f].rank; j < fronts_[f].pivots; ++j) out.push_back(null_vector(f, j));
  }
  return out;
}

}  // namespace catena
