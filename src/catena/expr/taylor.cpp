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

}  // namespace

SeriesProgram::SeriesProgram(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady,
                             int time)
    : lowered_(lower(graph, outputs, inputs, Purpose::series, time)), moving_inputs_(inputs - steady) {
  find_steady_rows(steady);
  find_inputs_read();
  live_.assign(static_cast<std::size_t>(moving_inputs_), 1);
  wanted_.assign(lowered_.outputs.size(), 1);
  output_rows_.resize(lowered_.outputs.size());
  renew_plan(0);
  for (const Instruction& in : lowered_.instructions)
    state_.push_back(has_state(in.code) ? state_rows_++ : kNoRow);
}

// A product with a steady factor is a weight.
void SeriesProgram::find_steady_rows(int steady_inputs) {
  steady_row_ = steady_rows(lowered_, steady_inputs);
  const auto steady = [&](int row) { return steady_row_[static_cast<std::size_t>(row)] != 0; };
  for (Instruction& in : lowered_.instructions) {
    if (in.code != Code::multiply || steady(in.a) == steady(in.b)) continue;
    if (steady(in.a)) std::swap(in.a, in.b);
    in.code = Code::weigh;
  }
}

void SeriesProgram::find_inputs_read() {
  read_.assign(static_cast<std::size_t>(lowered_.inputs), 0);
  const auto note = [&](int row) {
    if (row != kNoRow && row < lowered_.inputs) read_[static_cast<std::size_t>(row)] = 1;
  };
  for (const Instruction& in : lowered_.instructions) {
    for (const int row : {in.a, in.b, in.c}) note(row);
  }
  for (const int row : lowered_.outputs) note(row);
  for (const int row : lowered_.switch_rows) note(row);
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
    std::fill_n(coefficients_.data() + index(0, row), row_stride_, value);
  lay_out();
}

void SeriesProgram::set_low(double low) {
  if (lowered_.low_row != kNoRow)
    std::fill_n(coefficients_.data() + index(0, lowered_.low_row), row_stride_, low);
}

// The plans' instructions with their places, and the inputs that are filled up and watched.
void SeriesProgram::lay_out() {
  const auto at = [&](int row) { return static_cast<std::uint32_t>(std::max(row, 0) * row_stride_); };
  const auto operations = [&](const Plan& plan) {
    std::vector<Operation> out;
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
      const Instruction& in = plan.instructions[i];
      out.push_back({in.code, at(in.a), at(in.b), at(in.out), in.value, i});
    }
    return out;
  };
  starting_ = operations(start_);
  continuing_ = operations(plan_);
  filled_.clear();
  watched_.clear();
  for (int i = 0; i < moving_inputs_; ++i) {
    if (read_[i]) (live_[i] ? filled_ : watched_).push_back(i);
  }
}

void SeriesProgram::compute_on_demand() {
  std::fill(wanted_.begin(), wanted_.end(), 0);
  std::fill(live_.begin(), live_.end(), 0);
  planned_ = false;
  lay_out();
}

void SeriesProgram::want(int o) {
  char& wanted = wanted_[static_cast<std::size_t>(o)];
  planned_ = planned_ && wanted;
  wanted = 1;
}

// The last lane fills up the last register, so that all lanes see the same arithmetic and none a stray zero.
void SeriesProgram::fill_up(int k) {
  const auto fill = [&](int i) {
    double* row = input(k, i);
    for (std::size_t lane = lanes_; lane < row_stride_; ++lane) row[lane] = row[lanes_ - 1];
  };
  const auto is_some = [](double x) { return x != 0.0; };
  for (const int i : filled_) fill(i);
  for (const int i : watched_) {
    double* row = input(k, i);
    if (std::none_of(row, row + lanes_, is_some)) continue;
    fill(i);
    enliven(i);
  }
  if (k > 0) return;
  for (int i = moving_inputs_; i < lowered_.inputs; ++i) {
    if (read_[i]) fill(i);
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
  ++plans_;
  moving_row_.assign(static_cast<std::size_t>(lowered_.rows), 0);
  std::copy(live_.begin(), live_.end(), moving_row_.begin());
  for (const Instruction& in : plan_.instructions) {
    moving_row_[in.out] = 1;
    if (in.second != kNoRow) moving_row_[in.second] = 1;
  }
  lay_out();
  for (std::size_t o = 0; o < output_rows_.size(); ++o) output_rows_[o] = plan_.row[lowered_.outputs[o]];
  if (k > 0) make_up(start_, started, 0);
  for (int order = 1; order < k; ++order) make_up(plan_, continued, order);
}

void SeriesProgram::run(const Instruction& in, std::size_t index, int k, std::size_t first,
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
  if (k == 0) {
    start(in, count, rows);
  } else {
    continue_series(in, count, rows, k);
  }
}

void SeriesProgram::enliven(int i) {
  live_[static_cast<std::size_t>(i)] = 1;
  planned_ = false;
}

void SeriesProgram::advance(int k) {
  if (lanes_ == 0) return;
  fill_up(k);
  advance_filled(k);
}

void SeriesProgram::advance_filled(int k) {
  if (!planned_) renew_plan(k);
  const Plan& plan = k == 0 ? start_ : plan_;
  const std::vector<Operation>& operations = k == 0 ? starting_ : continuing_;
  for (std::size_t first = 0; first < row_stride_; first += kBlock) {
    const std::size_t count = std::min(kBlock, row_stride_ - first);
    const Operation* op = operations.data();
    const Operation* end = op + operations.size();
    while (op != end) {
      if (is_plain(op->code)) {
        op = run_plain(op, end, coefficients_.data() + first, order_stride_, count, k);
      } else {
        run(plan.instructions[op->at], plan.index[op->at], k, first, count);
        ++op;
      }
    }
  }
}

SeriesProgram::SeriesProgram(const SeriesProgram&) = default;
SeriesProgram::SeriesProgram(SeriesProgram&&) noexcept = default;
SeriesProgram& SeriesProgram::operator=(const SeriesProgram&) = default;
SeriesProgram& SeriesProgram::operator=(SeriesProgram&&) noexcept = default;
SeriesProgram::~SeriesProgram() = default;

}  // namespace catena::expr
