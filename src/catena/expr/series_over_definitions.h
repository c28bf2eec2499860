// What SeriesOver does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "catena/expr/function_rows.h"
#include "catena/expr/recurrences_definitions.h"
#include "catena/expr/series_over.h"
#include "catena/math/functions_digits.h"
#include "catena/math/number_tape.h"
#include "catena/math/tangent.h"
#include "catena/math/vanishing.h"

namespace catena::expr {

// Whether an instruction has a number in it.
inline bool has_value(Code code) {
  switch (code) {
    case Code::offset:
    case Code::from:
    case Code::scale:
    case Code::over:
    case Code::divide_by:
    case Code::power:
      return true;
    default:
      return false;
  }
}

template <class S>
SeriesOver<S>::SeriesOver(Lowered lowered, NumberTape* tape, int steady)
    : lowered_(std::move(lowered)),
      steady_row_(steady_rows(lowered_, steady)),
      moving_inputs_(static_cast<std::size_t>(lowered_.inputs - steady)),
      // What is zero in one lane need not be in another: nothing is left out there, unless it is asked for.
      live_(static_cast<std::size_t>(lowered_.inputs), is_lanes<S> || has_lane_rates<S> ? 1 : 0),
      wanted_(lowered_.outputs.size(), 1) {
  take_numbers(tape);
  renew_plan(0);
}

template <class S>
SeriesOver<S>::SeriesOver(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady, int,
                          NumberTape* tape)
    : SeriesOver(lower(graph, outputs, inputs, Purpose::series), tape, steady) {}

template <class S>
void SeriesOver<S>::take_numbers(NumberTape* tape) {
  if (tape != nullptr && !lowered_.switches.empty()) tape->note_choice();
  for (const Instruction& in : lowered_.instructions) {
    values_.push_back(has_value(in.code) ? number_as<S>(in.value, tape) : S(in.value));
    // Exponents are the same in all lanes.
    if (is_lanes<S> && tape != nullptr && in.code == Code::power) tape->shape(std::hash<double>{}(in.value));
    if (tape == nullptr) continue;
    if (has_state(in.code)) tape->note_choice();
    tape->shape(static_cast<std::size_t>(in.code));
    tape->shape(static_cast<std::size_t>(in.op));
    for (const int row : {in.a, in.b, in.c, in.out, in.second}) tape->shape(static_cast<std::size_t>(row));
  }
  for (const int row : lowered_.outputs) {
    if (tape != nullptr) tape->shape(static_cast<std::size_t>(row));
  }
  for (const auto& constant : lowered_.constants) constants_.push_back(number_as<S>(constant.second, tape));
}

template <class S>
void SeriesOver<S>::reserve(std::size_t lanes, int max_order) {
  lanes_ = lanes;
  coefficients_.assign(index(max_order + 1, 0), S(0.0));
  states_.assign(lowered_.instructions.size() * lanes * kBeside, 0.0);
  for (std::size_t i = 0; i < constants_.size(); ++i)
    std::fill_n(coefficients_.data() + index(0, lowered_.constants[i].first), lanes, constants_[i]);
  lay_out();
}

// The plans' instructions with their places.
template <class S>
void SeriesOver<S>::lay_out() {
  const auto at = [&](int row) { return static_cast<std::uint32_t>(index(0, std::max(row, 0))); };
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
}

// What the plans up to here left out, at the orders below k, is made up for.
template <class S>
void SeriesOver<S>::renew_plan(int k) {
  std::vector<char> started(lowered_.instructions.size(), 0), continued = started;
  for (const std::size_t index : start_.index) started[index] = 1;
  for (const std::size_t index : plan_.index) continued[index] = 1;
  start_ = plan_values(lowered_, live_);
  plan_ = plan_series(lowered_, steady_row_, live_, wanted_);
  moving_row_.assign(static_cast<std::size_t>(lowered_.rows), 0);
  std::copy_n(live_.begin(), moving_inputs_, moving_row_.begin());
  for (const Instruction& in : plan_.instructions) {
    moving_row_[static_cast<std::size_t>(in.out)] = 1;
    if (in.second != kNoRow) moving_row_[static_cast<std::size_t>(in.second)] = 1;
  }
  output_rows_.clear();
  for (const int row : lowered_.outputs) output_rows_.push_back(plan_.row[static_cast<std::size_t>(row)]);
  lay_out();
  ++plans_;
  const auto make_up = [&](const Plan& plan, const std::vector<char>& known, int order) {
    for (std::size_t i = 0; i < plan.index.size(); ++i) {
      if (!known[plan.index[i]]) run(plan.instructions[i], plan.index[i], order);
    }
  };
  if (k > 0) make_up(start_, started, 0);
  for (int order = 1; order < k; ++order) make_up(plan_, continued, order);
}

template <class S>
void SeriesOver<S>::run(const Instruction& in, std::size_t which, int k) {
  One* base = reinterpret_cast<One*>(coefficients_.data());
  const auto* values = reinterpret_cast<const One*>(values_.data());
  const auto at = [&](int row) { return row == kNoRow ? nullptr : base + index(0, row) * kBeside; };
  const std::size_t lanes = lanes_ * kBeside;
  const SeriesRowsOf<One> rows{at(in.a),
                               at(in.b),
                               at(in.c),
                               at(in.out),
                               at(in.second),
                               states_.data() + which * lanes,
                               index(1, 0) * kBeside,
                               zero_size_,
                               values + which * kBeside,
                               kBeside};
  k == 0 ? start(in, lanes, rows) : continue_series(in, lanes, rows, k);
}

// Plain arithmetic: for few lanes the way to an instruction costs more than the work. False: it is none.
template <class S>
bool SeriesOver<S>::run_plain(const Operation& op, const S& value, int k) {
  S* base = coefficients_.data();
  const std::size_t stride = index(1, 0);
  S* now = base + static_cast<std::size_t>(k) * stride;
  const S *a = now + op.a, *b = now + op.b;
  S* out = now + op.out;
  const auto over = [&](const auto& give) {
    for (std::size_t l = 0; l < lanes_; ++l) out[l] = give(l);
  };
  const auto column = [&](std::uint32_t row, std::size_t l) {
    return Column<One, S>{reinterpret_cast<const One*>(base + row + l), stride * kBeside};
  };
  switch (op.code) {
    case Code::add:
      over([&](std::size_t l) -> S { return a[l] + b[l]; });
      return true;
    case Code::subtract:
      over([&](std::size_t l) -> S { return a[l] - b[l]; });
      return true;
    case Code::scale:
      over([&](std::size_t l) -> S { return value * a[l]; });
      return true;
    case Code::negate:
      over([&](std::size_t l) -> S { return -a[l]; });
      return true;
    case Code::weigh:
      over([&](std::size_t l) -> S { return a[l] * base[op.b + l]; });
      return true;
    case Code::multiply:
      over([&](std::size_t l) -> S {
        return k == 0 ? S(a[l] * b[l]) : product(column(op.a, l), column(op.b, l), 0, k, k);
      });
      return true;
    case Code::square:
      over([&](std::size_t l) -> S { return k == 0 ? S(a[l] * a[l]) : squares(column(op.a, l), 0, k); });
      return true;
    default:
      break;
  }
  return false;
}

// Inputs that are not zero at this order, for the first time, belong to the plans from now on.
template <class S>
void SeriesOver<S>::look_at_inputs(int k) {
  const auto is_zero = [](const S& x) { return vanishes(x); };
  for (std::size_t i = 0; i < (k == 0 ? live_.size() : moving_inputs_); ++i) {
    const S* row = input(k, static_cast<int>(i));
    if (live_[i] || std::all_of(row, row + lanes_, is_zero)) continue;
    live_[i] = 1;
    planned_ = false;
  }
}

template <class S>
void SeriesOver<S>::advance(int k) {
  look_at_inputs(k);
  if (!planned_) renew_plan(k);
  planned_ = true;
  const Plan& plan = k == 0 ? start_ : plan_;
  for (const Operation& op : k == 0 ? starting_ : continuing_) {
    const std::size_t index = plan.index[op.at];
    if (!run_plain(op, values_[index], k)) run(plan.instructions[op.at], index, k);
  }
  follow_rest(k);
}

// Of second derivatives there are none where a norm is zero.
template <class S>
inline constexpr bool has_first_rates = false;
template <int K>
inline constexpr bool has_first_rates<Tangent<K>> = true;

// Where a vector a = t^v A starts with zeros, its rates need not: |A| dy = A . da for its norm y, of which
// order i takes A up to i, known v orders later. Until then these rates meet zeros only, where the norm is a
// factor of its vector, as in drag: so they are put right now, and with them what was made of them.
template <class S>
void SeriesOver<S>::follow_rest(int k) {
  if constexpr (has_first_rates<S>) {
    int from = k + 1;
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& in = plan_.instructions[i];
      if (in.code != Code::norm) continue;
      for (std::size_t l = 0; l < lanes_; ++l) {
        const double valuation = states_[plan_.index[i] * lanes_ + l];
        if (!(valuation > 0.0) || valuation > k) continue;
        const int v = static_cast<int>(valuation);
        if (norm_rates_from_rest(in, l, v, k - v)) from = std::min(from, k - v);
      }
    }
    for (int order = from; order <= k; ++order) {
      const Plan& plan = order == 0 ? start_ : plan_;
      for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        if (!has_state(plan.instructions[i].code)) run(plan.instructions[i], plan.index[i], order);
      }
    }
  }
}

// False where nothing below order v has rates.
template <class S>
bool SeriesOver<S>::norm_rates_from_rest(const Instruction& norm, std::size_t lane, int v, int order) {
  if constexpr (has_first_rates<S>) {
    const auto at = [&](int row, int k) -> S& { return coefficients_[index(k, row) + lane]; };
    const double first = at(norm.out, v).value();
    bool leaves_rates = false;
    for (const int row : {norm.a, norm.b, norm.c}) {
      for (int below = 0; row != kNoRow && below < v; ++below)
        leaves_rates = leaves_rates || !(at(row, below) == S(at(row, below).value()));
    }
    if (first == 0.0 || !leaves_rates) return false;
    S out(at(norm.out, order).value());
    for (int q = 0; q < S::kPacks; ++q) {
      auto sum = out.rates(q);
      for (int m = 0; m <= order; ++m) {
        for (const int row : {norm.a, norm.b, norm.c}) {
          if (row != kNoRow) sum += at(row, v + m).value() * at(row, order - m).rates(q);
        }
        if (m > 0) sum -= at(norm.out, v + m).value() * at(norm.out, order - m).rates(q);
      }
      out.rates(q) = sum / first;
    }
    at(norm.out, order) = out;
    return true;
  }
  return false;
}

// What all numbers that go one at a time share.
template <class S>
struct OneByOne {
  struct One {
    using Lanes = S;
  };

  template <class L>
  static S read(const S* from) {
    return *from;
  }
  template <class L>
  static S same(double value) {
    return S(value);
  }
  static void write(S* to, const S& value) { *to = value; }
  static S multiply_add(const S& a, const S& b, const S& c) { return catena::multiply_add(a, b, c); }
  template <class Kernel>
  static void over_lanes(std::size_t lanes, const Kernel& kernel) {
    for (std::size_t lane = 0; lane < lanes; ++lane) kernel(One{}, lane);
  }
  static void execute(const Instruction& in, std::size_t lanes, const OperandsOf<S>& o);
};

// What an instruction gives; `value`: the number in it.
template <class S>
S value_of(const Instruction& in, const S& value, const S& a, const S& b, const S& c) {
  switch (in.code) {
    case Code::add:
      return a + b;
    case Code::subtract:
      return a - b;
    case Code::multiply:
    case Code::weigh:
      return a * b;
    case Code::square:
      return a * a;
    case Code::divide:
      return a / b;
    case Code::negate:
      return -a;
    case Code::offset:
      return a + value;
    case Code::from:
      return value - a;
    case Code::scale:
      return value * a;
    case Code::over:
      return value / a;
    case Code::divide_by:
      return a / value;
    case Code::power:
      return Scalar<S>::power(a, value);
    case Code::general_power:
      return Scalar<S>::power(a, b);
    case Code::atan2:
      return Scalar<S>::atan2(a, b);
    case Code::min:
      return either(-Scalar<S>::rounded(a - b), a, b);
    case Code::max:
      return either(Scalar<S>::rounded(a - b), a, b);
    case Code::norm:
      return Scalar<S>::norm(a, b, c);
    case Code::ratio:
      return a == S(0.0) && b == S(0.0) ? S(0.0) : a / b;
    case Code::choose:
      return either(Scalar<S>::rounded(a), b, c);
    default:
      break;
  }
  const FunctionRow* row = function_row(in);
  return row == nullptr ? S(kNan) : Scalar<S>::function(row->text.op, a);
}

template <class S>
void OneByOne<S>::execute(const Instruction& in, std::size_t lanes, const OperandsOf<S>& o) {
  const auto at = [](const S* row, std::size_t lane) { return row == nullptr ? S(0.0) : row[lane]; };
  for (std::size_t l = 0; l < lanes; ++l) {
    const S value = o.value == nullptr ? S(0.0) : o.value[l % o.beside];
    o.out[l] = value_of<S>(in, value, at(o.a, l), at(o.b, l), at(o.c, l));
  }
}

}  // namespace catena::expr
