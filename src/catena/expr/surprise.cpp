#include "catena/expr/surprise.h"

#include <array>

#include "catena/expr/function_rows.h"

namespace catena::expr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How many factors a product may have: what so few make of one another shows in so many orders, or samples.
constexpr int kTameProduct = 8;
constexpr int kFewestFactors = 4;

bool is_product(Code code) { return code == Code::multiply || code == Code::square; }

bool is_switch(Code code) {
  return code == Code::abs || code == Code::sign || code == Code::min || code == Code::max ||
         code == Code::choose;
}

// `factors`: so many of a product are tame.
bool is_looked_at(const Instruction& in, int factors) {
  if (function_row(in) != nullptr) return in.code != Code::sqrt && !is_switch(in.code);
  switch (in.code) {
    case Code::multiply:
    case Code::square:
      return in.value > factors;
    case Code::atan2:
    case Code::general_power:
    case Code::over:
    case Code::divide:
    case Code::ratio:
      return true;
    case Code::power:
      return in.value < 0.0 || in.value > kTameFactor;
    default:
      return false;
  }
}

// Roots and broken powers end where their argument vanishes: there they have no slopes, and series, which
// need them, do not pass.
bool ends_at_zero(const Instruction& in) {
  return in.code == Code::sqrt ||
         (in.code == Code::power && in.value > 0.0 && std::floor(in.value) != in.value);
}

double product_spread(const Range& a, const Range& b) {
  const double far = a.magnitude() * b.magnitude(), near = a.mignitude() * b.mignitude();
  return near > 0.0 && std::log(far / near) <= kTameExponent ? 0.0 : far;
}

double power_spread(const Range& a, double exponent) {
  const double near = a.mignitude(), far = a.magnitude();
  if (near > 0.0 && std::fabs(exponent) * std::log(far / near) <= kTameExponent) return 0.0;
  return std::pow(exponent < 0.0 ? near : far, exponent);
}

}  // namespace

double unexpected(const Instruction& in, const Range& a, const Range& b) {
  if (!a.is_known() || !b.is_known()) return kInfinity;
  if (const FunctionRow* row = function_row(in)) return row->unexpected(a);
  switch (in.code) {
    case Code::atan2: {
      const Range angle = result_of(in, a, b, {});
      return angle.width() <= 0.5 * kTameStep ? 0.0 : angle.width();
    }
    case Code::over:
      return quotient_spread(a, std::fabs(in.value));
    case Code::divide:
    case Code::ratio:
      return quotient_spread(b, a.magnitude());
    case Code::multiply:
    case Code::square:
      return product_spread(a, in.code == Code::square ? a : b);
    case Code::power:
      return power_spread(a, in.value);
    case Code::general_power: {
      const Range log{std::log(std::max(a.low, 0.0)), std::log(a.high)};
      const Range exponent = result_of({.code = Code::multiply}, log, b, {});
      return exponent.width() <= kTameExponent ? 0.0 : std::exp(exponent.high);
    }
    default:
      return 0.0;
  }
}

namespace {

// Bounds of |d out / d operand| over the ranges.
std::array<double, 3> slopes(const Instruction& in, const Range& a, const Range& b, const Range& c) {
  if (const FunctionRow* row = function_row(in)) return {row->steepest(a), 1.0, 1.0};
  const double size = a.magnitude(), near = a.mignitude();
  switch (in.code) {
    case Code::multiply:
    case Code::weigh:
      return {b.magnitude(), size, 0.0};
    case Code::square:
      return {2 * size, 0.0, 0.0};
    case Code::scale:
      return {std::fabs(in.value), 0.0, 0.0};
    case Code::divide_by:
      return {std::fabs(1.0 / in.value), 0.0, 0.0};
    case Code::over:
      return {std::fabs(in.value) / (near * near), 0.0, 0.0};
    case Code::divide:
    case Code::ratio:
      return {1.0 / b.mignitude(), size / (b.mignitude() * b.mignitude()), 0.0};
    case Code::power:
      return {std::fabs(in.value) * std::pow(in.value < 1.0 ? near : size, in.value - 1.0), 0.0, 0.0};
    case Code::general_power: {
      const double most = result_of(in, a, b, c).magnitude();
      return {b.magnitude() * most / near, most * std::fabs(std::log(size)), 0.0};
    }
    case Code::atan2: {
      const double over = 1.0 / std::hypot(near, b.mignitude());
      return {over, over, 0.0};
    }
    case Code::choose:
      return {b.magnitude() + c.magnitude(), 1.0, 1.0};
    default:
      return {1.0, 1.0, 1.0};  // sums, and functions that grow no faster than their argument
  }
}

// How much each row counts in all outputs together: a change of the row by d changes them by at most weight
// d.
template <class RangeOf>
void weigh_rows(const std::vector<Instruction>& instructions, const std::vector<int>& outputs,
                const RangeOf& range_of, std::vector<double>& weights) {
  std::fill(weights.begin(), weights.end(), 0.0);
  for (const int row : outputs) weights[static_cast<std::size_t>(row)] = 1.0;
  const auto range = [&](int row) { return row == kNoRow ? Range{} : range_of(row); };
  for (std::size_t i = instructions.size(); i-- > 0;) {
    const Instruction& in = instructions[i];
    const bool pair = in.code == Code::sin_cos || in.code == Code::sinh_cosh;
    double weight = weights[static_cast<std::size_t>(in.out)];
    if (pair) weight += weights[static_cast<std::size_t>(in.second)];
    if (weight == 0.0) continue;
    const std::array<double, 3> by = slopes(in, range(in.a), range(in.b), range(in.c));
    const std::array<int, 3> operands{in.a, in.b, in.c};
    for (std::size_t k = 0; k < 3; ++k) {
      if (operands[k] == kNoRow || by[k] == 0.0) continue;
      double& to = weights[static_cast<std::size_t>(operands[k])];
      to = std::min(to + weight * by[k], 1e200);
    }
  }
}

// How far inputs may leave the range of their samples, as a part of it.
constexpr double kBeyondSamples = 0.25;

constexpr std::size_t kPieces = 16;
constexpr double kFollowed = 1e-9;  // of a function's size: far more than a step leaves, far less than a miss

// One lane of a series, over a step.
class Lane {
 public:
  Lane(const SeriesProgram& series, int order, std::size_t lane)
      : series_(series), order_(order), lane_(lane) {}

  double at(int k, int row) const { return series_.row(k, row)[lane_]; }

  // sum over k >= 1 of |u_k| h^k: what the argument changes by at most within |t| <= h, in the complex plane,
  // too.
  double variation(int row, double h) const {
    double sum = 0.0;
    for (int k = order_; k >= 1; --k) sum = (sum + std::fabs(at(k, row))) * h;
    return sum;
  }
  Range disc(int row, double h) const {
    return row == kNoRow ? Range{} : Range::around(at(0, row), variation(row, h));
  }

  // The polynomial at the ends of equal pieces of 0 <= t <= h, and how far it can be from the straight lines
  // between.
  struct Course {
    std::array<double, kPieces + 1> at{};
    double bend = 0.0;

    Range piece(std::size_t i) const {
      return {std::min(at[i], at[i + 1]) - bend, std::max(at[i], at[i + 1]) + bend};
    }
    Range whole() const {
      const auto [low, high] = std::minmax_element(at.begin(), at.end());
      return {*low - bend, *high + bend};
    }
  };

  Course course(int row, double h) const {
    Course out;
    if (row == kNoRow) return out;
    double curvature = 0.0;
    for (int k = order_; k >= 2; --k) curvature = curvature * h + k * (k - 1.0) * std::fabs(at(k, row));
    out.bend = curvature * h * h / (8.0 * kPieces * kPieces);
    for (std::size_t i = 0; i <= kPieces; ++i) {
      const double t = h * static_cast<double>(i) / kPieces;
      for (int k = order_; k >= 0; --k) out.at[i] = out.at[i] * t + at(k, row);
    }
    return out;
  }

  // Cauchy's bound of what the series of sin, cos, exp leave out over h, from their size on larger discs.
  double remainder(const FunctionRow& row, const Instruction& in, double h) const {
    double least = kInfinity;
    for (double factor = 2.0; factor <= 16.0; factor *= 2.0) {
      const double radius = variation(in.a, factor * h);
      const double size = row.log_size(at(0, in.a), radius);
      least = std::min(least, std::exp(size - (order_ + 1) * std::log(factor)) / (1.0 - 1.0 / factor));
    }
    return least;
  }

  // What the series of a product leaves out over h: sum of |a_i| |b_j| h^(i + j) over i + j > order.
  double left_out(int a, int b, double h) const {
    double sum = 0.0, rest = 0.0;  // rest: of b, what a_i brings beyond the order
    for (int i = 1; i <= order_; ++i) {
      rest = rest * h + std::fabs(at(order_ + 1 - i, b));
      sum += std::fabs(at(i, a)) * rest;
    }
    const double most = sum == 0.0 ? 0.0 : sum * std::pow(h, order_ + 1);
    return std::isnan(most) ? kInfinity : most;
  }

  // Whether the polynomial comes to zero, or so near that pieces or roundoff do not tell; one that is zero
  // stays there.
  bool vanishes(int row, double h) const {
    const double change = variation(row, h), now = std::fabs(at(0, row));
    if (now > change + roundoff(row) || (now == 0.0 && change == 0.0)) return false;
    const Course course = this->course(row, h);
    const double noise = roundoff(row);
    for (std::size_t i = 0; i < kPieces; ++i) {
      const Range piece = course.piece(i);
      if (piece.low <= noise && piece.high >= -noise) return true;
    }
    return false;
  }
  // Of a sum: what its terms leave of it.
  double roundoff(int row) const {
    constexpr double kRoundoff = 4 * std::numeric_limits<double>::epsilon();
    for (const Instruction& in : series_.lowered().instructions) {
      if (in.out != row) continue;
      const bool of_two = in.code == Code::add || in.code == Code::subtract;
      const bool of_one = in.code == Code::offset || in.code == Code::from;
      if (of_two) return kRoundoff * (std::fabs(at(0, in.a)) + std::fabs(at(0, in.b)));
      if (of_one) return kRoundoff * (std::fabs(at(0, in.a)) + std::fabs(in.value));
    }
    return 0.0;
  }

  double unexpected(const Instruction& in, double h) const {
    if (ends_at_zero(in)) {
      if (vanishes(in.a, h)) return kInfinity;
      if (!is_looked_at(in, 0)) return 0.0;
    }
    if (is_product(in.code)) return left_out(in.a, in.code == Code::square ? in.a : in.b, h);
    if (expr::unexpected(in, disc(in.a, h), disc(in.b, h)) == 0.0) return 0.0;
    const Course a = course(in.a, h), b = course(in.b, h);
    if (is_followed(in, a, b, course(in.out, h))) return 0.0;
    const double most = expr::unexpected(in, a.whole(), b.whole());
    const FunctionRow* row = function_row(in);
    const bool entire = row != nullptr && row->log_size != nullptr;
    return most > 0.0 && entire ? std::min(most, remainder(*row, in, h)) : most;
  }

 private:
  // Whether the function is tame on every piece, and its own series tells its values at their ends: then
  // there is nothing between them that the series do not know.
  static bool is_followed(const Instruction& in, const Course& a, const Course& b, const Course& out) {
    const double size = std::max(out.whole().magnitude(), std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < kPieces; ++i) {
      if (expr::unexpected(in, a.piece(i), b.piece(i)) != 0.0) return false;
      const auto point = [&](const Course& of) { return Range{of.at[i + 1], of.at[i + 1]}; };
      const double value = result_of(in, point(a), point(b), {}).middle();
      if (!(std::fabs(value - out.at[i + 1]) <= kFollowed * size)) return false;
    }
    return true;
  }

  const SeriesProgram& series_;
  int order_;
  std::size_t lane_;
};

// Directions, vectors over their own length, turn where the vector vanishes: the norm's kink ends the step
// there.
bool is_direction(const std::vector<Instruction>& all, const Instruction& in) {
  if (in.code != Code::ratio) return false;
  return std::any_of(all.begin(), all.end(),
                     [&](const Instruction& other) { return other.out == in.b && other.code == Code::norm; });
}

// Of all rows, from those of the inputs on.
void possible_ranges(const std::vector<Instruction>& all, const Lane& lane, double h,
                     std::vector<Range>& out) {
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = lane.disc(static_cast<int>(row), h);
  const auto at = [&](int row) { return row == kNoRow ? Range{} : out[static_cast<std::size_t>(row)]; };
  for (const Instruction& in : all) {
    const Range a = at(in.a), b = at(in.b), c = at(in.c);
    if (in.code == Code::sin_cos) out[static_cast<std::size_t>(in.second)] = cosine_of(a);
    if (in.code == Code::sinh_cosh)
      out[static_cast<std::size_t>(in.second)] = function_row(Op::cosh)->range(a);
    out[static_cast<std::size_t>(in.out)] = result_of(in, a, b, c);
  }
}

}  // namespace

bool may_surprise(const SeriesProgram& series) {
  const std::vector<Instruction>& all = series.lowered().instructions;
  return std::any_of(all.begin(), all.end(), [&](const Instruction& in) {
    return ends_at_zero(in) || (is_looked_at(in, kFewestFactors) && !is_direction(all, in));
  });
}

double known_until(const SeriesProgram& series, int order, double length, double allowed) {
  if (!(length > 0.0)) return length;
  const double shortest = 1e-18 * std::min(length, 1.0);  // what is not known there is not known at all
  const std::vector<Instruction>& all = series.moving();
  thread_local std::vector<double> weights;  // scratch: steps do not allocate
  thread_local std::vector<Range> ranges;
  ranges.resize(static_cast<std::size_t>(series.lowered().rows));
  for (const Instruction& in : all) {
    if (!ends_at_zero(in) && !is_looked_at(in, std::min(kTameProduct, order))) continue;
    for (std::size_t l = 0; l < series.lanes(); ++l) {
      const Lane lane(series, order, l);
      double most = lane.unexpected(in, length);
      if (most == 0.0 || is_direction(all, in)) continue;
      for (; most > 0.0 && length >= shortest; most = lane.unexpected(in, length)) {
        // What a row can be, not what its series says: a factor that is zero here may be none inside.
        possible_ranges(all, lane, length, ranges);
        weights.resize(ranges.size());
        weigh_rows(
            all, series.output_rows(), [&](int row) { return ranges[static_cast<std::size_t>(row)]; },
            weights);
        double weight = weights[static_cast<std::size_t>(in.out)];
        if (in.second != kNoRow) weight += weights[static_cast<std::size_t>(in.second)];
        if (weight == 0.0 || most * weight * length <= allowed) break;
        length *= 0.5;
      }
    }
  }
  return length;
}

SampledFormulas::SampledFormulas(const Graph& graph, const std::vector<NodeId>& outputs, int inputs,
                                 std::size_t lanes, int time)
    : program_(lower(graph, outputs, inputs, Purpose::values)),
      lanes_(lanes),
      time_(time),
      inputs_(lanes * static_cast<std::size_t>(inputs)),
      at_start_(inputs_.size()),
      at_end_(inputs_.size()),
      tame_(lanes),
      tame_box_(inputs_.size()) {
  const std::vector<Instruction>& all = program_.instructions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_looked_at(all[i], kTameProduct)) looked_.push_back(i);
    if (is_switch(all[i].code)) switches_.push_back(i);
  }
  const auto rows = static_cast<std::size_t>(program_.rows);
  weights_.resize(rows);
  for (std::vector<Range>* of : {&rows_, &start_, &end_}) {
    of->resize(rows);
    for (const auto& [row, value] : program_.constants) (*of)[static_cast<std::size_t>(row)] = {value, value};
  }
}

namespace {

// Of one operation over these ranges. A direction whose vector could vanish has a kink there, which is no
// surprise of the quotient; one that cannot turns within a length of its own, as that of (1, 1e6 t).
double unexpected_among(const std::vector<Instruction>& all, const Instruction& in,
                        const std::vector<Range>& rows) {
  const auto range = [&](int row) { return row == kNoRow ? Range{} : rows[static_cast<std::size_t>(row)]; };
  if (in.code == Code::ratio && range(in.b).has_zero() && is_direction(all, in)) return 0.0;
  return unexpected(in, range(in.a), range(in.b));
}

}  // namespace

void SampledFormulas::note(int sample, const double* rows, std::size_t stride) {
  const auto inputs = static_cast<std::size_t>(program_.inputs);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const double value = rows[i * stride + lane];
      const std::size_t at = lane * inputs + i;
      if (sample == 0) {
        inputs_[at] = {value, value};
        at_start_[at] = value;
      }
      inputs_[at].include(value);
      at_end_[at] = value;
    }
  }
}

double SampledFormulas::unseen() {
  double worst = 0.0;
  for (std::size_t lane = 0; lane < lanes_; ++lane) worst = std::max(worst, unseen_in(lane));
  return worst;
}

void SampledFormulas::evaluate(std::vector<Range>& rows) const {
  const auto at = [&](int row) { return row == kNoRow ? Range{} : rows[static_cast<std::size_t>(row)]; };
  for (const Instruction& in : program_.instructions) {
    rows[static_cast<std::size_t>(in.out)] = result_of(in, at(in.a), at(in.b), at(in.c));
  }
}

namespace {

// What a switch depends on the sign of.
Range condition(const Instruction& in, const std::vector<Range>& rows) {
  const Range& a = rows[static_cast<std::size_t>(in.a)];
  if (in.code != Code::min && in.code != Code::max) return a;
  return result_of({.code = Code::subtract}, a, rows[static_cast<std::size_t>(in.b)], {});
}

// A step that begins or ends at the switch, but for roundoff, has not passed it unseen.
double switch_noise(const Range& over) {
  return 2e-15 * (1.0 + std::max(std::fabs(over.low), std::fabs(over.high)));
}

}  // namespace

// What a switch may do and undo within the step: where it could be on the other side, and is not at either
// end.
double SampledFormulas::hidden_switch(const Instruction& in) const {
  const Range over = condition(in, rows_), start = condition(in, start_), end = condition(in, end_);
  const double noise = switch_noise(over);
  const bool above = start.low >= noise && end.low >= noise,
             below = start.high <= -noise && end.high <= -noise;
  if (!over.has_zero() || (!above && !below)) return 0.0;
  const double beyond = above ? -over.low : over.high;
  if (in.code == Code::sign) return beyond > 0.0 ? 2.0 : 0.0;
  if (in.code == Code::choose) {
    const Range &a = rows_[static_cast<std::size_t>(in.b)], &b = rows_[static_cast<std::size_t>(in.c)];
    return beyond > 0.0 ? std::max(a.high, b.high) - std::min(a.low, b.low) : 0.0;
  }
  return in.code == Code::abs ? 2 * beyond : beyond;
}

namespace {

// The side of what a switch depends on that both ends of a step are on, one of them perhaps at the switch
// itself: 1, -1, or 0 where there is none.
int common_side(const Range& over, const Range& start, const Range& end) {
  const double noise = switch_noise(over), a = start.middle(), b = end.middle();
  const bool above = a >= -noise && b >= -noise && std::max(a, b) > noise;
  const bool below = a <= noise && b <= noise && std::min(a, b) < -noise;
  return above ? 1 : below ? -1 : 0;
}

// The ranges of all rows where switches that jump stay on the side that both ends are on: what they could do
// on the other side counts by itself.
void evaluate_on_sides(const Lowered& program, const std::vector<Range>& start, const std::vector<Range>& end,
                       std::vector<Range>& rows) {
  const auto at = [&](int row) { return row == kNoRow ? Range{} : rows[static_cast<std::size_t>(row)]; };
  for (const Instruction& in : program.instructions) {
    Range& out = rows[static_cast<std::size_t>(in.out)];
    out = result_of(in, at(in.a), at(in.b), at(in.c));
    if (in.code != Code::sign && in.code != Code::choose) continue;
    const int side = common_side(condition(in, rows), condition(in, start), condition(in, end));
    if (side != 0 && in.code == Code::sign) out = {1.0 * side, 1.0 * side};
    if (side != 0 && in.code == Code::choose) out = at(side > 0 ? in.b : in.c);
  }
}

}  // namespace

// At which part of the step a switch goes to its other side, as far as its ends tell; none: it stays.
std::optional<double> SampledFormulas::crossing(const Instruction& in) const {
  const Range over = condition(in, rows_);
  const double noise = switch_noise(over);
  const auto side = [&](double value) { return std::fabs(value) <= noise ? 0.0 : value; };
  const double start = side(condition(in, start_).middle()), end = side(condition(in, end_).middle());
  if (start * end > 0.0 || (start == 0.0 && end == 0.0) || std::isnan(start + end)) return std::nullopt;
  return start / (start - end);
}

// Whether several switches go to their other sides one after the other: what the first does the next may
// undo, as the two kinks of a wall do. What decides a switch may itself jump, as min(choose(..), ..) does:
// then it goes over when that does, and the ends do not tell the instant.
bool SampledFormulas::crosses_several() const {
  constexpr double kSameInstant = 1e-6;  // of the step
  double first = 1.0, last = 0.0;
  thread_local std::vector<char> jumps;  // scratch: steps do not allocate
  jumps.assign(rows_.size(), 0);
  const auto jumped = [&](int row) { return row != kNoRow && jumps[static_cast<std::size_t>(row)]; };
  for (const Instruction& in : program_.instructions) {
    const bool by_jump = jumped(in.a) || jumped(in.b) || jumped(in.c);
    const std::optional<double> part = is_switch(in.code) ? crossing(in) : std::nullopt;
    const bool is_jump = part && (in.code == Code::sign || in.code == Code::choose);
    jumps[static_cast<std::size_t>(in.out)] = by_jump || is_jump;
    if (!part || jumped(in.a) || (in.code != Code::choose && jumped(in.b))) continue;
    first = std::min(first, *part);
    last = std::max(last, *part);
  }
  return last - first > kSameInstant;
}

// Where nothing is unseen in a box several steps wide, nothing is in any step within it.
bool SampledFormulas::is_tame_around(std::size_t lane) {
  constexpr double kStepsAhead = 4.0;
  constexpr int kPatience = 16;  // looks until a wide box is tried again
  if (!switches_.empty()) return false;
  const auto inputs = static_cast<std::size_t>(program_.inputs);
  const auto first = static_cast<std::ptrdiff_t>(lane * inputs);
  const auto is_in_box = [](const Range& box, const Range& seen) { return box.holds(seen); };
  if (tame_[lane] && std::equal(tame_box_.begin() + first, tame_box_.begin() + first + program_.inputs,
                                inputs_.begin() + first, is_in_box)) {
    return true;
  }
  tame_[lane] = 0;
  if (--patience_ > 0) return false;
  for (std::size_t i = 0; i < inputs; ++i) {
    rows_[i] = inputs_[lane * inputs + i].widened(kStepsAhead + kBeyondSamples);
    tame_box_[lane * inputs + i] = inputs_[lane * inputs + i].widened(kStepsAhead);
  }
  evaluate(rows_);
  tame_[lane] = std::all_of(looked_.begin(), looked_.end(), [&](std::size_t i) {
    return unexpected_among(program_.instructions, program_.instructions[i], rows_) == 0.0;
  });
  patience_ = tame_[lane] ? 0 : kPatience;
  return tame_[lane] != 0;
}

double SampledFormulas::unseen_in(std::size_t lane) {
  if (is_tame_around(lane)) return 0.0;
  const auto inputs = static_cast<std::size_t>(program_.inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    const Range& seen = inputs_[lane * inputs + i];
    rows_[i] = static_cast<int>(i) == time_ ? seen : seen.widened(kBeyondSamples);
  }
  evaluate(rows_);
  if (!switches_.empty()) {
    for (std::size_t i = 0; i < inputs; ++i) {
      start_[i] = Range::around(at_start_[lane * inputs + i], 0.0);
      end_[i] = Range::around(at_end_[lane * inputs + i], 0.0);
    }
    evaluate(start_);
    evaluate(end_);
  }
  const auto range = [&](int row) { return row == kNoRow ? Range{} : rows_[static_cast<std::size_t>(row)]; };
  const bool several = switches_.size() > 1 && crosses_several();
  const auto may_hide = [&](std::size_t i) { return hidden_switch(program_.instructions[i]) > 0.0; };
  if (!switches_.empty() && !several && std::none_of(switches_.begin(), switches_.end(), may_hide))
    evaluate_on_sides(program_, start_, end_, rows_);
  double worst = 0.0;
  bool weighed = false;
  const auto count = [&](const Instruction& in, double most) {
    if (most == 0.0) return;
    if (!weighed) weigh_rows(program_.instructions, program_.outputs, range, weights_);
    weighed = true;
    const double weight = weights_[static_cast<std::size_t>(in.out)], all = most * weight;
    if (weight != 0.0) worst = std::max(worst, std::isnan(all) ? kInfinity : all);
  };
  for (const std::size_t i : looked_) {
    const Instruction& in = program_.instructions[i];
    count(in, unexpected_among(program_.instructions, in, rows_));
  }
  for (const std::size_t i : switches_) {
    const Instruction& in = program_.instructions[i];
    count(in, several && crossing(in) ? range(in.out).width() : hidden_switch(in));
  }
  return worst;
}

}  // namespace catena::expr
