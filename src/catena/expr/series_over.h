// Taylor series of expressions with more digits than a double: the instructions and recurrences of
// SeriesProgram, one number at a time. Order 0 is the value itself. Constants are the doubles that a formula
// has, or that its constant parts have been folded to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"
#include "catena/expr/plan.h"
#include "catena/expr/recurrences.h"
#include "catena/math/lane_kinds.h"

namespace catena {
class NumberTape;
}

namespace catena::expr {

// What an instruction gives, with all digits of S.
template <class S>
S value_over(const Instruction& in, const S& a, const S& b, const S& c);

template <class S>
class SeriesOver {
 public:
  // `tape`: where its numbers come from, with their rates. The last `steady` inputs do not change with time.
  explicit SeriesOver(Lowered lowered, NumberTape* tape = nullptr, int steady = 0);
  // As SeriesProgram; time has all its digits in one number.
  SeriesOver(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady = 0,
             int time = kNoRow, NumberTape* tape = nullptr);

  // As SeriesProgram.
  void reserve(std::size_t lanes, int max_order);
  S* input(int order, int i) { return coefficients_.data() + index(order, i); }
  const S* output(int order, int o) const {
    return coefficients_.data() + index(order, output_rows_[static_cast<std::size_t>(o)]);
  }
  // Inputs that have always been zero are taken for zero: where one leaves it, this allocates and makes up
  // for what was left out.
  void advance(int k);

  // As SeriesProgram.
  const std::vector<Switch>& switches() const { return lowered_.switches; }
  // In lanes too, inputs that have always been zero in all of them are taken for zero. Before the first
  // order.
  void leave_out_zeros() {
    std::fill(live_.begin(), live_.end(), 0);
    planned_ = false;
  }
  const S* switch_row(int order, int s) const {
    return coefficients_.data() +
           index(order,
                 plan_.row[static_cast<std::size_t>(lowered_.switch_rows[static_cast<std::size_t>(s)])]);
  }
  void treat_as_zero_below(double size) { zero_size_ = size; }
  std::size_t lanes() const { return lanes_; }
  std::size_t order_stride() const { return index(1, 0); }

  // Whether all of an output's coefficients beyond order 0 have always been zero.
  bool is_resting(int o) const {
    return moving_row_[static_cast<std::size_t>(output_rows_[static_cast<std::size_t>(o)])] == 0;
  }
  // Changes when that may have changed.
  std::size_t plans() const { return plans_; }
  // As SeriesProgram.
  void compute_on_demand() {
    std::fill(wanted_.begin(), wanted_.end(), 0);
    planned_ = false;
  }
  void want(int o) {
    char& wanted = wanted_[static_cast<std::size_t>(o)];
    planned_ = planned_ && wanted;
    wanted = 1;
  }
  bool is_steady(int o) const { return steady_row_[static_cast<std::size_t>(lowered_.outputs[o])] != 0; }
  int inputs() const { return lowered_.inputs; }
  int outputs() const { return static_cast<int>(lowered_.outputs.size()); }

 private:
  std::size_t index(int order, int row) const {
    return (static_cast<std::size_t>(order) * static_cast<std::size_t>(lowered_.rows) +
            static_cast<std::size_t>(row)) *
           lanes_;
  }

  void take_numbers(NumberTape* tape);
  void lay_out();
  void look_at_inputs(int k);
  void renew_plan(int k);
  bool run_plain(const Operation& op, const S& value, int k);
  void run(const Instruction& in, std::size_t index, int k);
  void follow_rest(int k);
  bool norm_rates_from_rest(const Instruction& norm, std::size_t lane, int v, int order);

  // In lanes recurrences go through one number after the other, as many as there are side by side: choices
  // are each number's own.
  using One = typename OneOfNumber<S>::type;
  static constexpr std::size_t kBeside = OneOfNumber<S>::kBeside;

  Lowered lowered_;
  std::vector<char> steady_row_;
  std::size_t moving_inputs_;
  std::vector<char> live_;  // inputs that have not always been zero
  std::vector<char> wanted_;
  Plan start_, plan_;                             // order 0, and beyond
  std::vector<Operation> starting_, continuing_;  // the same, with places
  std::vector<char> moving_row_;                  // beyond order 0, by the plan
  std::vector<int> output_rows_;
  std::size_t plans_ = 0;
  bool planned_ = false;
  std::vector<S> values_, constants_;  // of the instructions, and of rows that hold a constant
  std::size_t lanes_ = 0;
  double zero_size_ = 0.0;
  std::vector<S> coefficients_;  // [order][row][lane]
  std::vector<double> states_;   // [instruction][lane]
};

}  // namespace catena::expr
