// Curves in space, given by three formulas of a parameter s.
#pragma once

#include <string>
#include <vector>

#include "catena/expr/evaluate.h"
#include "catena/expr/vector.h"
#include "catena/model/forces.h"
#include "catena/model/mechanism.h"
#include "catena/model/vectors.h"

namespace catena {

// The name of the parameter in the formulas.
inline constexpr const char* kCurveParameter = "s";

// The three formulas, which have been checked, as expressions of s.
expr::Vector curve_at(const Formulas& curve, const expr::Expression& s);

// What makes a curve unfit for something to slide along, in words: a corner, as of abs(s). "": nothing.
std::string curve_complaint(const Formulas& curve);

class Curve {
 public:
  explicit Curve(const Formulas& formulas);

  struct Point {
    Vec3 place{}, slope{};  // slope: per unit of s
  };
  Point at(double s);

  // The s of the point that is closest to a place, for |s| up to 100; of several as close, the smallest one.
  double nearest(const Vec3& to);

  // The curve as pictures show it: from s on both ways, until it closes, leaves the ball of this radius about
  // its point there, or ends. The last point is the first one where it closes.
  std::vector<Vec3> drawn(double s, double reach);

 private:
  expr::Program program_;
};

// The curve of a joint as pictures show it: points in the first body's frame, as far as the mechanism is
// wide.
std::vector<Vec3> drawn_curve(const Mechanism& mechanism, const Joint& joint);

}  // namespace catena
