// Taylor series of expressions with more digits than a double: the instructions and recurrences of
// SeriesProgram, one number at a time. Order 0 is the value itself. Constants are the doubles that a formula
// has, or that its constant parts have been folded to.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"

namespace catena::expr {

template <class S>
class WideSeries {
 public:
  explicit WideSeries(Lowered lowered);

  // As SeriesProgram.
  void reserve(std::size_t lanes, int max_order);
  S* input(int order, int i) { return coefficients_.data() + place(order, i); }
  const S* output(int order, int o) const {
    return coefficients_.data() + place(order, lowered_.outputs[static_cast<std::size_t>(o)]);
  }
  void advance(int k);

  int inputs() const { return lowered_.inputs; }
  int outputs() const { return static_cast<int>(lowered_.outputs.size()); }

 private:
  std::size_t place(int order, int row) const {
    return (static_cast<std::size_t>(order) * static_cast<std::size_t>(lowered_.rows) +
            static_cast<std::size_t>(row)) *
           lanes_;
  }

  Lowered lowered_;
  std::size_t lanes_ = 0;
  std::vector<S> coefficients_;  // [order][row][lane]
  std::vector<double> states_;   // [instruction][lane]
};

}  // namespace catena::expr
