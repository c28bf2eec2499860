// What is measured, as formulas of a motion's columns, with rates of change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/fit.h"
#include "catena/expr/evaluate.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/lab.h"

namespace catena {

class Observation {
 public:
  // Throws InputError with the places of all names that are neither columns nor parameters.
  Observation(const Lab& lab, const FitProblem& problem);

  const Columns& columns() const { return columns_; }
  std::size_t count() const { return observed_.size(); }
  std::size_t parameters() const { return parameters_; }

  // Of a row of the columns, with these parameters: all that is observed.
  void values(const double* row, const double* parameters, double* out);
  // Its rates [observed][direction] from those of the columns, [direction][column], and of parameters,
  // [direction][parameter].
  void rates(const double* row, const double* parameters, const double* column_rates,
             const double* parameter_rates, std::size_t directions, double* out);

  // Columns of rows that count whole turns, which a motion that is taken up in the middle does not know.
  const std::vector<std::size_t>& turning() const { return turning_; }
  // Whether what is observed there is an angle in one turn: differences are less than half a turn.
  bool is_wrapped(std::size_t observed) const { return observed_[observed].wrapped; }
  // Columns that add up along the motion from its start: not to be had in the middle.
  const std::vector<std::string>& summed() const { return summed_; }

 private:
  struct One {
    std::optional<std::size_t> column;  // it is this one; none: the next of the formulas
    bool wrapped = false;
  };
  static Columns columns_of(const Lab& lab, const FitProblem& problem);

  Columns columns_;
  std::size_t parameters_;
  std::vector<One> observed_;
  std::optional<expr::Program> program_;  // of columns and behind them parameters
  std::vector<std::size_t> turning_;
  std::vector<std::string> summed_;
  std::vector<double> inputs_, input_rates_, outputs_, output_rates_;
};

}  // namespace catena
