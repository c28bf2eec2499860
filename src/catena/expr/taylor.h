// Taylor series of expressions, order by order, for many lanes at once. For k = 0, 1, 2, ..: set the inputs'
// coefficients of order k, advance(k), read the outputs' coefficients of order k. So the outputs may feed
// back into the inputs' next order, which is how a differential equation's series is made.
//
// The recurrences are those of A. Griewank and A. Walther, Evaluating Derivatives (2nd ed.), chapter 13, and
// A. Jorba and M. Zou, Exp. Math. 14 (2005). Series are one-sided, for t >= 0:
//   abs   takes the sign of the first coefficient that is not zero;
//   min, max   choose by the first coefficient that differs;
//   norm  where all parts start with zero:  norm(t^v a) = t^v norm(a), v the least valuation of the parts;
//   a^c   where a starts with zero, c >= 1:  (t^v a)^c = t^(c v) a^c;  NaN from order c v on unless c v is
//   whole; sign, choose   decide by order 0 alone; sqrt, a^c (c < 1), log, atan2, ratio and division where
//   the argument (the divisor) starts with zero would need it to higher orders than are known: their order 0
//   is right, the others are not finite.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"
#include "catena/expr/plan.h"
#include "catena/expr/recurrences.h"
#include "catena/math/aligned.h"

namespace catena::expr {

class SeriesProgram {
 public:
  // Inputs are the variables 0 .. inputs - 1. Parameters' values are built in. The last `steady` inputs
  // differ from lane to lane, but do not change with time: only their order 0 is ever read, and what depends
  // on them alone costs nothing beyond order 0.
  // `time`: which input is time, of which set_low then tells the rest; kNoRow: none is.
  SeriesProgram(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady = 0,
                int time = kNoRow);
  // Long where they are made anew, so they are defined once.
  SeriesProgram(const SeriesProgram& other);
  SeriesProgram(SeriesProgram&& other) noexcept;
  SeriesProgram& operator=(const SeriesProgram& other);
  SeriesProgram& operator=(SeriesProgram&& other) noexcept;
  ~SeriesProgram();

  // Time is the input plus this, until told otherwise.
  void set_low(double low);

  // Makes room; nothing allocates afterwards. Forgets all coefficients.
  void reserve(std::size_t lanes, int max_order);

  // Rows of `lanes` coefficients of one order. Lanes are contiguous; orders are order_stride() apart.
  double* input(int order, int i) { return coefficients_.data() + index(order, i); }
  const double* output(int order, int o) const { return coefficients_.data() + index(order, row_of(o)); }
  // Whether all of an output's coefficients beyond order 0 are zero.
  bool is_steady(int o) const { return steady_row_[static_cast<std::size_t>(row_of(o))] != 0; }
  // The same as things are: nothing that it depends on has ever been other than zero, or it is not asked for.
  bool is_resting(int o) const { return moving_row_[static_cast<std::size_t>(row_of(o))] == 0; }
  // Changes when that may have changed.
  std::size_t plans() const { return plans_; }
  // Whether an input has not always been zero.
  bool is_live(int i) const { return live_[static_cast<std::size_t>(i)] != 0; }
  // All orders of all rows; order 0 of an output is somewhere in the first order_stride() of them.
  const double* coefficients() const { return coefficients_.data(); }
  // Whether anything depends on an input.
  bool reads(int i) const { return read_[static_cast<std::size_t>(i)] != 0; }
  std::size_t order_stride() const { return order_stride_; }

  // From now on only outputs that are asked for are computed beyond order 0, and inputs that have always been
  // zero are taken for zero. When that changes, advance() allocates and makes up for what was left out.
  void compute_on_demand();
  void want(int o);

  // Computes all coefficients of order k; those of lower orders must be there.
  void advance(int k);
  // The same where the inputs' rows are filled up to whole registers already, with numbers of other lanes,
  // and enliven() has been called for inputs that left zero.
  void advance_filled(int k);
  void enliven(int i);

  // What the series' validity hangs on: it holds until one of these changes its sign (or touches zero, see
  // SwitchKind), and must restart there. Their coefficients are computed along with the outputs'.
  const std::vector<Switch>& switches() const { return lowered_.switches; }
  const double* switch_row(int order, int s) const {
    return coefficients_.data() + index(order, plan_.row[static_cast<std::size_t>(lowered_.switch_rows[s])]);
  }

  // After a restart at a switch, roundoff makes a value that is zero a tiny one of either sign. Arguments of
  // abs, norm, and differences of min and max, of this size or below at order 0 count as zero. Default: 0.
  void treat_as_zero_below(double size) { zero_size_ = size; }

  // What it runs.
  const Lowered& lowered() const { return lowered_; }
  // What changes with time as things are, and where the series of each row is.
  const std::vector<Instruction>& moving() const { return plan_.instructions; }
  const std::vector<int>& output_rows() const { return output_rows_; }
  const double* row(int order, int row) const { return coefficients_.data() + index(order, row); }
  int inputs() const { return lowered_.inputs; }
  int outputs() const { return static_cast<int>(lowered_.outputs.size()); }
  std::size_t lanes() const { return lanes_; }
  int max_order() const { return max_order_; }
  std::size_t operations() const { return lowered_.instructions.size(); }

 private:
  void find_steady_rows(int steady_inputs);
  int row_of(int output) const { return output_rows_[static_cast<std::size_t>(output)]; }
  void find_inputs_read();
  void lay_out();
  void fill_up(int k);
  void renew_plan(int k);
  void run(const Instruction& in, std::size_t index, int k, std::size_t first, std::size_t count);
  std::size_t index(int order, int row) const {
    return static_cast<std::size_t>(order) * order_stride_ + static_cast<std::size_t>(row) * row_stride_;
  }

  Lowered lowered_;
  std::vector<char> steady_row_;
  int moving_inputs_ = 0;
  // What is live stays live: rows that never were have zeros beyond order 0.
  std::vector<char> live_, wanted_;
  Plan start_, plan_;                             // order 0, and beyond
  std::vector<Operation> starting_, continuing_;  // the same, with places
  std::vector<char> read_;                        // inputs that anything depends on
  std::vector<int> filled_, watched_;             // of those that move: live ones, and others
  std::vector<char> moving_row_;                  // beyond order 0, by the plan
  std::size_t plans_ = 0;
  bool planned_ = false;
  std::vector<int> output_rows_;
  std::vector<int> state_;  // of each instruction: which row of states it has, or kNoRow
  int state_rows_ = 0;
  std::size_t lanes_ = 0;
  int max_order_ = 0;
  std::size_t row_stride_ = 0;
  std::size_t order_stride_ = 0;
  double zero_size_ = 0.0;
  AlignedVector<double> coefficients_;  // [order][row][lane]
  AlignedVector<double> states_;        // [state][lane]: signs and valuations
};

}  // namespace catena::expr
