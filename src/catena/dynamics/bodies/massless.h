// Motions without inertia: bodies without mass, points without mass, rods that are infinitely thin. The mass
// matrix M is singular there, yet the constraints may determine the motion. With a positive definite D that
// differs from M by such motions alone, D - M = E, and in D's metric (D = L L^T, y = L^T v',
// E = L U U^T L^T, U^T U = 1),
//
//     (1 - U U^T) y = g + A mu,   A^T y = r
//
// has the solution of the same equations with D in place of M for the forces g + U s, with s = U^T y from
//
//     K s = U^T y_D,   K = 1 - U^T P U
//
// where y_D is the solution for g alone and P projects onto the motions that the constraints allow. K is
// singular exactly where a motion without inertia is left undetermined.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/bodies/constraint_factor.h"
#include "catena/model/mechanism.h"

namespace catena {

struct MasslessMotion {
  std::size_t body;            // among those that move
  std::array<double, 6> unit;  // in D's metric, length 1
};

// A motion that nothing determines: of the body that takes most part in it.
struct UndeterminedMotion {
  std::size_t body;
  bool turns;
  Vec3 direction;  // a unit vector: in the world, of an axis in the body's frame
};

class MasslessMotions {
 public:
  explicit MasslessMotions(std::vector<MasslessMotion> motions, std::size_t bodies, std::size_t rows);

  bool empty() const { return motions_.empty(); }
  const std::vector<MasslessMotion>& motions() const { return motions_; }

  // After the constraints are factored in D's metric.
  void factor(ConstraintFactor& constraints);
  // As ConstraintFactor::solve, with M in place of D.
  void solve(ConstraintFactor& constraints, const double* r, double* y, double* mu);
  // Of a few right-hand sides side by side.
  void solve(ConstraintFactor& constraints, const PackOfFour* r, PackOfFour* y, PackOfFour* mu);
  // Combinations of the motions, one number each, that nothing determines, as of the last factor().
  std::vector<std::vector<double>> undetermined() const;

 private:
  std::vector<MasslessMotion> motions_;
  std::vector<double> k_, root_;  // [row][column]; root_: of K, not a number where there is none
  std::vector<double> forces_, amounts_, none_, unused_;
  std::vector<double> lane_r_, lane_y_, lane_mu_;  // of one right-hand side of several
};

}  // namespace catena
