// Liouville's measure of mechanical systems, beside the plain volume of the numbers that a state has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

// Conservative motions keep the volume dq dp. In the lanes of a state (unit vectors, velocities, ..) on the
// manifold that constraints leave it has a density, and volumes of tangents change by its inverse:
//
//   log det X(t) + log rho(x(t)) = log rho(x(0))
//
// With E an orthonormal basis of the velocities that are allowed at a place, M = E^T (d2T/dv2) E, K E the
// rates of the place's lanes that belong to them, and N the directions of the manifold that are orthogonal to
// pure changes of velocity, N_place = K E S:  rho = det M |det S|.
class LiouvilleDensity {
 public:
  // Knows which lanes are places and which velocities, by their names.
  explicit LiouvilleDensity(const Lab& lab);

  // Why there is none; "" if there is.
  const std::string& obstacle() const { return obstacle_; }
  // log rho where the lab's motion is.
  double log_density(Lab& lab) const;

 private:
  std::vector<char> is_velocity_;  // of the lanes
  std::string obstacle_;
};

}  // namespace catena
