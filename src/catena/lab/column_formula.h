// Formulas of the columns of a run and of time: what events, sections and axes are given by.
#pragma once

#include <string>
#include <vector>

#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"
#include "catena/lab/lab.h"

namespace catena {

// "t", "x_1", "x_2", .., in the order of rows.
std::vector<std::string> names_of(const Columns& columns);

class ColumnFormula {
 public:
  // `what`: whose formula it is, for messages: "event 'section'". Throws InputError with the place of every
  // name in it that is no column.
  ColumnFormula(const Lab& lab, const std::string& text, const Place& place, const std::string& what);

  // Those that it needs, time first.
  const Columns& columns() const { return columns_; }
  double value(const double* row);
  // At time t of the lab's last step, for looking on; `row` keeps the columns.
  double value(Lab& lab, double t, std::vector<double>& row);
  // What it may do between values along a step.
  expr::SampledFormulas& samples() { return samples_; }

 private:
  struct Read {
    Columns columns;
    expr::Program program;
    expr::SampledFormulas samples;
  };
  static Read read(const Lab& lab, const std::string& text, const Place& place, const std::string& what);
  explicit ColumnFormula(Read read)
      : columns_(std::move(read.columns)),
        program_(std::move(read.program)),
        samples_(std::move(read.samples)) {}

  Columns columns_;
  expr::Program program_;
  expr::SampledFormulas samples_;
};

}  // namespace catena
