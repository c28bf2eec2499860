// How fast columns can change along a step, by its polynomial: who looks for roots and extremes knows where
// there are none.
#pragma once

#include <vector>

#include "catena/lab/lab.h"

namespace catena {

class ColumnSpeeds {
 public:
  ColumnSpeeds(const Lab& lab, const Columns& columns);

  // Whether all of them are known.
  bool are_known() const { return are_known_; }
  // Looks at the step that the lab has just taken.
  void look(Lab& lab);
  // How far column i may lie, somewhere between two instants of that step `length` apart, from the range that
  // its values there span; infinite where nobody knows.
  double beyond(std::size_t i, double from, double to, double length) const;

 private:
  enum class Kind { unknown, time, angle, rate, end, lane };
  struct Source {
    Kind kind = Kind::unknown;
    std::size_t chain = 0, at = 0;  // a link, or a lane of the state
  };
  struct Bound {
    double speed = 0.0;  // no column changes by more in a second,
    double bend = 0.0;   // nor its rate of change
  };
  Bound bound_of(const Lab& lab, const Source& of) const;

  std::vector<Source> sources_;
  bool are_known_ = true;
  std::vector<double> sizes_, slopes_, bends_;  // of the state's lanes
  std::vector<Bound> bounds_;
  double noise_ = 0.0;
};

}  // namespace catena
