#include "catena/expr/digits_lanes.h"

#include <algorithm>
#include <cmath>

#include "catena/expr/values_digits.h"
#include "catena/math/double_double.h"

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace catena::expr {
namespace {

using Lanes = Pack<double, kNativeWidth>;
constexpr int kWidth = kNativeWidth;

// hi + lo in each lane, by the operations of DoubleDouble.
struct Pairs {
  Lanes hi, lo;
};

Lanes fused(const Lanes& a, const Lanes& b, const Lanes& c) {
#if defined(__AVX__) && defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  Lanes out;
  for (int i = 0; i < kWidth; ++i) out[i] = std::fma(a[i], b[i], c[i]);
  return out;
#endif
}

Pairs two_sum(const Lanes& a, const Lanes& b) {
  const Lanes sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
Pairs fast_two_sum(const Lanes& a, const Lanes& b) {
  const Lanes sum = a + b;
  return {sum, b - (sum - a)};
}
Pairs two_product(const Lanes& a, const Lanes& b) {
#if defined(__AVX__) && defined(__FMA__)
  const Lanes product = a * b;
  return {product, _mm256_fmsub_pd(a, b, product)};
#else
  Pairs out;
  for (int i = 0; i < kWidth; ++i) {
    const DoubleDouble one = catena::two_product(a[i], b[i]);
    out.hi[i] = one.hi;
    out.lo[i] = one.lo;
  }
  return out;
#endif
}

Pairs operator-(const Pairs& a) { return {-a.hi, -a.lo}; }
Pairs operator+(const Pairs& a, const Pairs& b) {
  const Pairs high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  const Pairs partial = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(partial.hi, low.lo + partial.lo);
}
Pairs operator-(const Pairs& a, const Pairs& b) { return a + (-b); }
Pairs operator*(const Pairs& a, const Pairs& b) {
  const Pairs product = two_product(a.hi, b.hi);
  const Lanes cross = fused(a.hi, b.lo, fused(a.lo, b.hi, a.lo * b.lo));
  return fast_two_sum(product.hi, product.lo + cross);
}
Pairs operator/(const Pairs& a, const Pairs& b) {
  const Lanes first = a.hi / b.hi;
  const Pairs rest = a - Pairs{first, Lanes{}} * b;
  return fast_two_sum(first, rest.hi / b.hi);
}

Pairs constant(double value) { return {Lanes{} + value, Lanes{}}; }

class Rows {
 public:
  explicit Rows(double* at) : at_(at) {}
  Pairs operator[](int row) const {
    const double* from = place(row);
    return {load<kWidth>(from), load<kWidth>(from + kWidth)};
  }
  void put(int row, const Pairs& value) const {
    double* to = place(row);
    store<kWidth>(to, value.hi);
    store<kWidth>(to + kWidth, value.lo);
  }
  DoubleDouble one(int row, std::size_t lane) const {
    return row == kNoRow ? DoubleDouble() : DoubleDouble(place(row)[lane], place(row)[kWidth + lane]);
  }
  void put_one(int row, std::size_t lane, const DoubleDouble& value) const {
    place(row)[lane] = value.hi;
    place(row)[kWidth + lane] = value.lo;
  }

 private:
  double* place(int row) const { return at_ + 2 * kWidth * row; }
  double* at_;
};

// What has no operation in lanes, one lane after the other.
void run_apart(const Instruction& in, const Rows& rows, std::size_t used) {
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(kWidth); ++lane) {
    const std::size_t from = std::min(lane, used - 1);
    if (lane == from) {
      rows.put_one(in.out, lane,
                   value_in_digits(in, rows.one(in.a, lane), rows.one(in.b, lane), rows.one(in.c, lane)));
    } else {
      rows.put_one(in.out, lane, rows.one(in.out, from));
    }
  }
}

void run(const Instruction& in, const Rows& rows, std::size_t used) {
  const auto a = [&] { return rows[in.a]; };
  const auto b = [&] { return rows[in.b]; };
  switch (in.code) {
    case Code::add:
      return rows.put(in.out, a() + b());
    case Code::subtract:
      return rows.put(in.out, a() - b());
    case Code::multiply:
    case Code::weigh:
      return rows.put(in.out, a() * b());
    case Code::square: {
      const Pairs x = a();
      return rows.put(in.out, x * x);
    }
    case Code::divide:
      return rows.put(in.out, a() / b());
    case Code::negate:
      return rows.put(in.out, -a());
    case Code::offset:
      return rows.put(in.out, a() + constant(in.value));
    case Code::from:
      return rows.put(in.out, constant(in.value) - a());
    case Code::scale:
      return rows.put(in.out, a() * constant(in.value));
    case Code::over:
      return rows.put(in.out, constant(in.value) / a());
    case Code::divide_by:
      return rows.put(in.out, a() / constant(in.value));
    default:
      return run_apart(in, rows, used);
  }
}

bool is_zero(const double* pair) {
  const auto some = (load<kWidth>(pair) != 0.0) | (load<kWidth>(pair + kWidth) != 0.0);
  auto all = some[0];
  for (int i = 1; i < kWidth; ++i) all |= some[i];
  return all == 0;
}

}  // namespace

DigitsLanes::DigitsLanes(const Graph& graph, const std::vector<NodeId>& outputs, int inputs)
    : lowered_(lower(graph, outputs, inputs, Purpose::values)),
      live_(static_cast<std::size_t>(inputs), 0),
      read_(static_cast<std::size_t>(inputs), 0),
      rows_(2 * kLanes * static_cast<std::size_t>(lowered_.rows), 0.0) {
  for (const auto& [row, value] : lowered_.constants)
    std::fill_n(hi(static_cast<std::size_t>(row)), kLanes, value);
  const auto read = [&](int row) {
    if (row >= 0 && row < inputs) read_[static_cast<std::size_t>(row)] = 1;
  };
  for (const Instruction& in : lowered_.instructions) {
    for (const int row : {in.a, in.b, in.c}) read(row);
  }
  for (const int row : lowered_.outputs) read(row);
  for (std::size_t i = 0; i < read_.size(); ++i) {
    if (read_[i]) waiting_.push_back(i);
  }
  plan_ = plan_values(lowered_, live_);
}

void DigitsLanes::follow_inputs() {
  bool planned = true;
  std::size_t kept = 0;
  for (const std::size_t input : waiting_) {
    if (is_zero(hi(input))) {
      waiting_[kept++] = input;
      continue;
    }
    live_[input] = 1;
    planned = false;
  }
  waiting_.resize(kept);
  if (!planned) plan_ = plan_values(lowered_, live_);
}

void DigitsLanes::evaluate(std::size_t used) {
  follow_inputs();
  const Rows rows(rows_.data());
  for (const Instruction& in : plan_.instructions) run(in, rows, used);
}

}  // namespace catena::expr
