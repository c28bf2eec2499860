// Whether a step sees all that a formula does. A step of any method knows a formula by its series at the
// start, or by a few samples. Either can miss what happens in between: a pulse, a thin wall. What a function
// can do is bounded by the range of its argument over the step: within a few of its natural lengths (1 for
// exp, the distance from the pole for 1/x) it is as smooth as it looks from any point of the range, and
// beyond, its whole range counts as unexpected. Sums and products do nothing unexpected with operands that do
// not.
//
// docs/theory/enclosures.md has the reasons and what is proven by it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "catena/expr/range.h"
#include "catena/expr/taylor.h"

namespace catena::expr {

// How far the result may be from what one look into the ranges tells: 0 where the function is tame there.
double unexpected(const Instruction& in, const Range& a, const Range& b);

// The largest part of `length` over which the series, known to this order, miss nothing that would change an
// output by more than `allowed` over the step (allowed / length at each instant), found by halving.
double known_until(const SeriesProgram& series, int order, double length, double allowed);

// Whether known_until has anything to look at.
bool may_surprise(const SeriesProgram& series);

// The same for methods that know a formula by samples along the step. All inputs but time may leave the range
// of their samples by a part of it.
class SampledFormulas {
 public:
  // `time`: which input is time, or kNoRow.
  SampledFormulas(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, std::size_t lanes,
                  int time);

  // Nothing in the formulas can surprise.
  bool empty() const { return looked_.empty() && switches_.empty(); }

  // The inputs at one of the samples, in order from 0: rows[input * stride + lane].
  void note(int sample, const double* rows, std::size_t stride);
  // The most that an output may differ from what the samples show.
  double unseen();

 private:
  double unseen_in(std::size_t lane);
  bool is_tame_around(std::size_t lane);
  void evaluate(std::vector<Range>& rows) const;
  double hidden_switch(const Instruction& in) const;
  std::optional<double> crossing(const Instruction& in) const;
  bool crosses_several() const;

  Lowered program_;
  std::size_t lanes_;
  int time_;
  std::vector<std::size_t> looked_, switches_;  // instructions
  std::vector<Range> inputs_;                   // [lane][input]
  std::vector<double> at_start_, at_end_;
  std::vector<Range> rows_, start_, end_;  // of one lane: over the step and at its ends
  std::vector<double> weights_;
  std::vector<char> tame_;       // of each lane, whether its box is known to be
  std::vector<Range> tame_box_;  // [lane][input]
  int patience_ = 0;
};

}  // namespace catena::expr
