// Formulas with kinks in time, piece by piece. Between two kinks a formula is smooth, and so is the piece
// that holds there: it goes on beyond the kink as if there were none, so that a step may look a little
// further than the piece holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catena/expr/graph.h"
#include "catena/expr/taylor.h"
#include "catena/math/double_double.h"

namespace catena::expr {

// The formula without abs, min, max, sign, step and choose as far as time alone decides them: as they are
// decided at `moment`. `t`: index of the variable that is time.
NodeId piece_at(Graph& graph, NodeId formula, std::uint32_t t, double moment);

// The times at which formulas change from one piece to the next: sign changes of what decides.
class TimeKinks {
 public:
  // `decimals`: of runs with more digits than a double, where numbers stand for their decimals.
  explicit TimeKinks(bool decimals = false) { graph_.keep_decimals(decimals); }
  bool keeps_decimals() const { return graph_.keeps_decimals(); }
  // A formula, `t` its time; `name` is what messages call it.
  void add(const Graph& graph, NodeId formula, std::uint32_t t, const std::string& name);
  bool empty() const { return conditions_.empty(); }

  // A moment at which everything is decided as it is right after t; from now on this piece holds.
  // `arriving`: at a kink, the piece before it: it is passed a little later.
  double enter(double t, bool arriving = false);
  // Whether the piece that holds is over at this time.
  bool is_over(double t);
  // The first time in (after, until] at which it is over, a little beyond its kink; infinity: none.
  double next(double after, double until);
  // The kink that `next` has found, to all digits.
  DoubleDouble refined(double kink) const;
  // What ended the piece that was asked for last.
  const std::string& name() const { return names_[ended_by_]; }

 private:
  void expand(double t);
  double noise(std::size_t condition, double t) const;
  bool is_over_here(double t);

  Graph graph_;  // of one variable
  std::vector<NodeId> conditions_;
  std::vector<std::string> names_;  // of the formulas they are from
  std::optional<SeriesProgram> series_;
  std::vector<int> signs_;  // of the piece that holds; 0: not decided
  std::size_t ended_by_ = 0;
};

}  // namespace catena::expr
