#include "catena/expr/range.h"

#include <numbers>

#include "catena/expr/function_rows.h"

namespace catena::expr {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUlps = 4 * std::numeric_limits<double>::epsilon();

}  // namespace

Range outward(double low, double high) {
  if (!(low <= high)) return Range::everything();
  return {low - kUlps * std::fabs(low), high + kUlps * std::fabs(high)};
}

namespace {

// Of a function that grows all along.
template <class F>
Range rising(const Range& a, F f) {
  return outward(f(a.low), f(a.high));
}

// 0 times anything that is not infinite is 0, and an end that is infinite stands for all that is large.
double product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

Range times(const Range& a, const Range& b) {
  const double ends[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                         product(a.high, b.high)};
  return outward(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
}

Range reciprocal(const Range& a) {
  if (a.has_zero()) {
    if (a.low == 0.0 && a.high > 0.0) return {1.0 / a.high, kInfinity};
    if (a.high == 0.0 && a.low < 0.0) return {-kInfinity, 1.0 / a.low};
    return Range::everything();
  }
  return outward(1.0 / a.high, 1.0 / a.low);
}

Range square_of(const Range& a) {
  const Range size = size_of(a);
  return outward(size.low * size.low, size.high * size.high);
}

Range root_of(const Range& a) {
  return outward(std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0)));
}

Range length_of(const Range& a, const Range& b, const Range& c) {
  const Range x = square_of(a), y = square_of(b), z = square_of(c);
  return root_of({x.low + y.low + z.low, x.high + y.high + z.high});
}

// Whole exponents take any base, others none below zero.
Range power_of(const Range& a, double exponent) {
  const bool whole = exponent == std::floor(exponent);
  if (!whole && a.high < 0.0) return Range::everything();
  if (exponent < 0.0) return reciprocal(power_of(a, -exponent));
  const bool even = whole && std::fmod(exponent, 2.0) == 0.0;
  const Range base = even ? size_of(a) : whole ? a : Range{std::max(a.low, 0.0), a.high};
  return rising(base, [exponent](double x) { return std::pow(x, exponent); });
}

Range angle_of(const Range& y, const Range& x) {
  if (x.low <= 0.0 && y.has_zero()) return {-kPi, kPi};
  const double ends[] = {std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                         std::atan2(y.high, x.high)};
  return outward(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
}

Range either(const Range& condition, const Range& a, const Range& b) {
  if (condition.low >= 0.0) return a;
  if (condition.high < 0.0) return b;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range arithmetic(const Instruction& in, const Range& a, const Range& b) {
  const Range value{in.value, in.value};
  switch (in.code) {
    case Code::add:
      return outward(a.low + b.low, a.high + b.high);
    case Code::subtract:
      return outward(a.low - b.high, a.high - b.low);
    case Code::multiply:
    case Code::weigh:
      return times(a, b);
    case Code::square:
      return square_of(a);
    case Code::negate:
      return {-a.high, -a.low};
    case Code::offset:
      return outward(a.low + in.value, a.high + in.value);
    case Code::from:
      return outward(in.value - a.high, in.value - a.low);
    case Code::scale:
      return times(a, value);
    case Code::over:
      return times(reciprocal(a), value);
    case Code::divide_by:
      return times(a, reciprocal(value));
    default:
      return times(a, reciprocal(b));  // divide, ratio
  }
}

}  // namespace

namespace {

// A wave whose highest points are at `crest` and every 2 pi from there, its lowest half way between.
template <class F>
Range wave(const Range& a, double crest, F f) {
  if (!(a.width() < 2 * kPi)) return {-1.0, 1.0};
  const Range ends = outward(std::min(f(a.low), f(a.high)), std::max(f(a.low), f(a.high)));
  const double slack = kUlps * a.magnitude();  // what multiples of pi are off
  const auto within = [&](double phase) {
    return std::floor((a.high + slack - phase) / (2 * kPi)) > std::floor((a.low - slack - phase) / (2 * kPi));
  };
  return {within(crest + kPi) ? -1.0 : std::max(ends.low, -1.0),
          within(crest) ? 1.0 : std::min(ends.high, 1.0)};
}

}  // namespace

Range cosine_of(const Range& a) {
  return wave(a, 0.0, [](double x) { return std::cos(x); });
}

Range sine_of(const Range& a) {
  return wave(a, 0.5 * kPi, [](double x) { return std::sin(x); });
}

Range result_of(const Instruction& in, const Range& a, const Range& b, const Range& c) {
  if (const FunctionRow* row = function_row(in)) return row->range(a);
  switch (in.code) {
    case Code::power:
      return power_of(a, in.value);
    case Code::general_power: {
      const Range log = rising({std::max(a.low, 0.0), a.high}, [](double x) { return std::log(x); });
      return rising(times(log, b), [](double x) { return std::exp(x); });
    }
    case Code::atan2:
      return angle_of(a, b);
    case Code::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Code::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Code::norm:
      return length_of(a, b, in.c == kNoRow ? Range{} : c);
    case Code::choose:
      return either(a, b, c);
    default:
      return arithmetic(in, a, b);
  }
}

}  // namespace catena::expr
