// What WideSeries does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "catena/expr/function_rows.h"
#include "catena/expr/recurrences_definitions.h"
#include "catena/expr/wide_series.h"
#include "catena/math/number_tape.h"
#include "catena/math/wide_functions.h"

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
WideSeries<S>::WideSeries(Lowered lowered, NumberTape* tape)
    : lowered_(std::move(lowered)), steady_row_(steady_rows(lowered_, 0)) {
  take_numbers(tape);
}

template <class S>
WideSeries<S>::WideSeries(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady, int,
                          NumberTape* tape)
    : lowered_(lower(graph, outputs, inputs, Purpose::series)), steady_row_(steady_rows(lowered_, steady)) {
  take_numbers(tape);
}

template <class S>
void WideSeries<S>::take_numbers(NumberTape* tape) {
  for (const Instruction& in : lowered_.instructions) {
    values_.push_back(has_value(in.code) ? number_as<S>(in.value, tape) : S(in.value));
    // Exponents are the same in all lanes.
    if (is_lanes<S> && tape != nullptr && in.code == Code::power) tape->shape(std::hash<double>{}(in.value));
    if (tape != nullptr)
      tape->shape(static_cast<std::size_t>(in.code) * 1009u + static_cast<std::size_t>(in.out));
  }
  for (const auto& constant : lowered_.constants) constants_.push_back(number_as<S>(constant.second, tape));
}

template <class S>
void WideSeries<S>::reserve(std::size_t lanes, int max_order) {
  lanes_ = lanes;
  coefficients_.assign(place(max_order + 1, 0), S(0.0));
  states_.assign(lowered_.instructions.size() * lanes * kBeside, 0.0);
  for (std::size_t i = 0; i < constants_.size(); ++i)
    std::fill_n(coefficients_.data() + place(0, lowered_.constants[i].first), lanes, constants_[i]);
}

template <class S>
void WideSeries<S>::advance(int k) {
  One* base = reinterpret_cast<One*>(coefficients_.data());
  const auto* values = reinterpret_cast<const One*>(values_.data());
  const auto at = [&](int row) { return row == kNoRow ? nullptr : base + place(0, row) * kBeside; };
  const std::size_t lanes = lanes_ * kBeside, stride = place(1, 0) * kBeside;
  for (std::size_t i = 0; i < lowered_.instructions.size(); ++i) {
    const Instruction& in = lowered_.instructions[i];
    const SeriesRowsOf<One> rows{at(in.a),   at(in.b),      at(in.c),
                                 at(in.out), at(in.second), states_.data() + i * lanes,
                                 stride,     zero_size_,    values + i * kBeside,
                                 kBeside};
    k == 0 ? start(in, lanes, rows) : continue_series(in, lanes, rows, k);
  }
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
  static S multiply_add(const S& a, const S& b, const S& c) { return a * b + c; }
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
