#include "catena/expr/taylor.h"

#include <algorithm>
#include <utility>

#include "catena/expr/lanes.h"
#include "catena/expr/recurrences.h"

namespace catena::expr {
namespace {

// Lanes that go through all instructions together, so that what one writes the next finds in the cache.
constexpr std::size_t kBlock = 128;
constexpr std::size_t kDoublesPerLine = kCacheLine / sizeof(double);

using Row = Pack<double, kWidth>;
constexpr std::size_t kFewLanes = 4 * kWidth;

// One order of the instructions that most of a program consists of, without the way through their tables: for
// few lanes that way costs more than the work. False: it is another one.
inline bool run_simply(const Instruction& in, std::size_t n, const SeriesRows& rows, int k) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  const double* a = rows.a + now;
  double* out = rows.out + now;
  const auto map = [&](const double* b, const auto& f) {
    for (std::size_t l = 0; l < n; l += kWidth)
      store<kWidth>(out + l, f(load<kWidth>(a + l), b == nullptr ? Row{} : load<kWidth>(b + l)));
    return true;
  };
  switch (in.code) {
    case Code::add:
      return map(rows.b + now, [](const Row& x, const Row& y) { return x + y; });
    case Code::subtract:
      return map(rows.b + now, [](const Row& x, const Row& y) { return x - y; });
    case Code::weigh:
      return map(rows.b, [](const Row& x, const Row& y) { return x * y; });
    case Code::scale:
      return map(nullptr, [value = in.value](const Row& x, const Row&) { return x * value; });
    case Code::negate:
      return map(nullptr, [](const Row& x, const Row&) { return -x; });
    case Code::multiply:
      return k == 0 && map(rows.b, [](const Row& x, const Row& y) { return x * y; });
    case Code::square:
      return k == 0 && map(nullptr, [](const Row& x, const Row&) { return x * x; });
    default:
      return false;
  }
}

}  // namespace

SeriesProgram::SeriesProgram(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady)
    : lowered_(lower(graph, outputs, inputs, Purpose::series)), moving_inputs_(inputs - steady) {
  find_steady_rows(steady);
  live_.assign(static_cast<std::size_t>(moving_inputs_), 1);
  wanted_.assign(lowered_.outputs.size(), 1);
  output_rows_.resize(lowered_.outputs.size());
  renew_plan(0);
  for (const Instruction& in : lowered_.instructions)
    state_.push_back(has_state(in.code) ? state_rows_++ : kNoRow);
}

void SeriesProgram::find_steady_rows(int steady_inputs) {
  steady_row_.assign(static_cast<std::size_t>(lowered_.rows), 0);
  const auto steady = [&](int row) {
    return row == kNoRow || steady_row_[static_cast<std::size_t>(row)] != 0;
  };
  for (int i = lowered_.inputs - steady_inputs; i < lowered_.inputs; ++i) steady_row_[i] = 1;
  for (const auto& [row, value] : lowered_.constants) steady_row_[row] = 1;
  for (Instruction& in : lowered_.instructions) {
    if (steady(in.a) && steady(in.b) && steady(in.c)) {
      steady_row_[in.out] = 1;
      if (in.second != kNoRow) steady_row_[in.second] = 1;
    } else if (in.code == Code::multiply && (steady(in.a) || steady(in.b))) {
      if (steady(in.a)) std::swap(in.a, in.b);
      in.code = Code::weigh;
    }
  }
}

void SeriesProgram::reserve(std::size_t lanes, int max_order) {
  lanes_ = lanes;
  max_order_ = max_order;
  row_stride_ = rounded_up(std::max<std::size_t>(lanes, 1), kWidth);
  // An odd number of cache lines from order to order: a power of two would put all orders of a row into the
  // same few places of the cache.
  const std::size_t lines =
      rounded_up(static_cast<std::size_t>(lowered_.rows) * row_stride_, kDoublesPerLine) / kDoublesPerLine;
  order_stride_ = (lines | 1) * kDoublesPerLine;
  coefficients_.assign((static_cast<std::size_t>(max_order) + 1) * order_stride_, 0.0);
  states_.assign(static_cast<std::size_t>(state_rows_) * row_stride_, 0.0);
  for (const auto& [row, value] : lowered_.constants)
    std::fill_n(coefficients_.data() + place(0, row), row_stride_, value);
}

void SeriesProgram::compute_on_demand() {
  std::fill(wanted_.begin(), wanted_.end(), 0);
  std::fill(live_.begin(), live_.end(), 0);
  planned_ = false;
}

void SeriesProgram::want(int o) {
  char& wanted = wanted_[static_cast<std::size_t>(o)];
  planned_ = planned_ && wanted;
  wanted = 1;
}

// The last lane fills up the last register, so that all lanes see the same arithmetic and none a stray zero.
void SeriesProgram::fill_up(int k) {
  const auto is_zero = [](double x) { return x == 0.0; };
  for (int i = 0; i < (k == 0 ? lowered_.inputs : moving_inputs_); ++i) {
    double* row = input(k, i);
    std::fill(row + lanes_, row + row_stride_, row[lanes_ - 1]);
    if (i >= moving_inputs_ || live_[i] || std::all_of(row, row + lanes_, is_zero)) continue;
    live_[i] = 1;
    planned_ = false;
  }
}

// What the plans up to here left out, at the orders below k, is made up for.
void SeriesProgram::renew_plan(int k) {
  const auto indices = [&](const Plan& plan) {
    std::vector<char> out(lowered_.instructions.size(), 0);
    for (const std::size_t index : plan.index) out[index] = 1;
    return out;
  };
  const auto make_up = [&](const Plan& plan, const std::vector<char>& known, int order) {
    for (std::size_t i = 0; i < plan.index.size(); ++i) {
      if (!known[plan.index[i]]) run(plan.instructions[i], plan.index[i], order, 0, row_stride_);
    }
  };
  const std::vector<char> started = indices(start_), continued = indices(plan_);
  std::vector<char> inputs(live_);
  inputs.resize(static_cast<std::size_t>(lowered_.inputs), 1);
  start_ = plan_values(lowered_, inputs);
  plan_ = plan_series(lowered_, steady_row_, live_, wanted_);
  planned_ = true;
  for (std::size_t o = 0; o < output_rows_.size(); ++o) output_rows_[o] = plan_.row[lowered_.outputs[o]];
  if (k > 0) make_up(start_, started, 0);
  for (int order = 1; order < k; ++order) make_up(plan_, continued, order);
}

inline void SeriesProgram::run(const Instruction& in, std::size_t index, int k, std::size_t first,
                               std::size_t count) {
  double* base = coefficients_.data() + first;
  const auto at = [&](int row) {
    return row == kNoRow ? nullptr : base + static_cast<std::size_t>(row) * row_stride_;
  };
  double* state = state_[index] == kNoRow
                      ? nullptr
                      : states_.data() + static_cast<std::size_t>(state_[index]) * row_stride_ + first;
  const SeriesRows rows{at(in.a),      at(in.b), at(in.c),      at(in.out),
                        at(in.second), state,    order_stride_, zero_size_};
  if (count <= kFewLanes && run_simply(in, count, rows, k)) return;
  if (k == 0) {
    start(in, count, rows);
  } else {
    continue_series(in, count, rows, k);
  }
}

void SeriesProgram::advance(int k) {
  if (lanes_ == 0) return;
  fill_up(k);
  if (!planned_) renew_plan(k);
  const Plan& plan = k == 0 ? start_ : plan_;
  for (std::size_t first = 0; first < row_stride_; first += kBlock) {
    const std::size_t count = std::min(kBlock, row_stride_ - first);
    for (std::size_t i = 0; i < plan.index.size(); ++i) {
      run(plan.instructions[i], plan.index[i], k, first, count);
    }
  }
}

}  // namespace catena::expr
