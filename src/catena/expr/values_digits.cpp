#include "catena/expr/values_digits.h"

#include <algorithm>
#include <array>

#include "catena/expr/kernels.h"
#include "catena/expr/lanes.h"
#include "catena/expr/series_over.h"
#include "catena/math/decimal.h"

namespace catena::expr {
namespace {

// f(hi) + f'(hi) lo, by the kernels for lanes of doubles.
DoubleDouble to_first_order(const Instruction& in, const DoubleDouble* rows) {
  using Row = std::array<double, kWidth>;
  std::array<Row, 4> value{}, rate{};
  const std::array<int, 3> operands{in.a, in.b, in.c};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == kNoRow) continue;
    value[i].fill(rows[operands[i]].hi);
    rate[i].fill(rows[operands[i]].lo);
  }
  const auto at = [&](std::array<Row, 4>& all, std::size_t i) {
    return operands[i] == kNoRow ? nullptr : all[i].data();
  };
  const Operands values{at(value, 0), at(value, 1), at(value, 2), value[3].data()};
  const Operands rates{at(rate, 0), at(rate, 1), at(rate, 2), rate[3].data()};
  execute(in, kWidth, values);
  propagate(in, kWidth, values, rates);
  return two_sum(value[3][0], rate[3][0]);
}

DoubleDouble result(const Instruction& in, const DoubleDouble* rows, bool decimals) {
  const auto constant = [&] { return decimals ? decimal(in.value) : DoubleDouble(in.value); };
  const DoubleDouble a = rows[in.a];
  const auto b = [&]() -> const DoubleDouble& { return rows[in.b]; };
  switch (in.code) {
    case Code::add:
      return a + b();
    case Code::subtract:
      return a - b();
    case Code::multiply:
    case Code::weigh:
      return a * b();
    case Code::square:
      return a * a;
    case Code::divide:
      return a / b();
    case Code::negate:
      return -a;
    case Code::offset:
      return a + constant();
    case Code::from:
      return constant() - a;
    case Code::scale:
      return a * constant();
    case Code::over:
      return constant() / a;
    case Code::divide_by:
      return a / constant();
    case Code::sqrt:
      return square_root(a);
    case Code::norm: {
      DoubleDouble sum = a * a + b() * b();
      if (in.c != kNoRow) sum += rows[in.c] * rows[in.c];
      return square_root(sum);
    }
    default: {
      if (!decimals) return to_first_order(in, rows);
      const auto operand = [&](int row) { return row == kNoRow ? DoubleDouble() : rows[row]; };
      return value_over(in, operand(in.a), operand(in.b), operand(in.c));
    }
  }
}

}  // namespace

DoubleDouble value_in_digits(const Instruction& in, const DoubleDouble& a, const DoubleDouble& b,
                             const DoubleDouble& c) {
  const std::array<DoubleDouble, 3> rows{a, b, c};
  Instruction here = in;
  here.a = 0;
  here.b = in.b == kNoRow ? kNoRow : 1;
  here.c = in.c == kNoRow ? kNoRow : 2;
  return result(here, rows.data(), false);
}

DigitsProgram::DigitsProgram(const Graph& graph, const std::vector<NodeId>& outputs, int inputs,
                             bool decimals)
    : lowered_(lower(graph, outputs, inputs, Purpose::values)),
      rows_(static_cast<std::size_t>(lowered_.rows)),
      decimals_(decimals) {
  for (const auto& [row, value] : lowered_.constants)
    rows_[static_cast<std::size_t>(row)] = decimals ? decimal(value) : DoubleDouble(value);
  live_.assign(static_cast<std::size_t>(inputs), 1);
  plan_ = plan_values(lowered_, live_);
}

void DigitsProgram::look_for_zeros() {
  std::fill(live_.begin(), live_.end(), 0);
  plan_ = plan_values(lowered_, live_);
}

void DigitsProgram::evaluate(const DoubleDouble* inputs, DoubleDouble* outputs) {
  bool planned = true;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    rows_[i] = inputs[i];
    if (live_[i] || (inputs[i].hi == 0.0 && inputs[i].lo == 0.0)) continue;
    live_[i] = 1;
    planned = false;
  }
  if (!planned) plan_ = plan_values(lowered_, live_);
  for (const Instruction& in : plan_.instructions) rows_[in.out] = result(in, rows_.data(), decimals_);
  for (std::size_t i = 0; i < lowered_.outputs.size(); ++i) {
    outputs[i] = rows_[plan_.row[lowered_.outputs[i]]];
  }
}

}  // namespace catena::expr
