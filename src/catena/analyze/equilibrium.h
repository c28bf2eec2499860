// Where a scene can rest: the equilibrium nearest to its start, by Newton's method within the constraints.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/lab/tangent_field.h"

namespace catena {

// The scene as analyses compute it: chains in the formulation whose derivatives are known, in double.
Scene analysed(Scene scene);

// Changes of the state that the constraints allow: orthonormal bases, by rows [k][lane].
struct AllowedChanges {
  std::vector<std::vector<double>> places;  // of what is not a rate; of a system of equations all
  std::vector<std::vector<double>> rates;
};

struct Equilibrium {
  std::vector<double> x;  // the state, at rest
  AllowedChanges allowed;
  double residual = 0.0;   // the largest acceleration left (of a system of equations: rate)
  int steps = 0;           // of Newton's method
  bool descended = false;  // Newton's method alone did not find it: it went downhill first
};

// Leaves the lab there. Throws InputError, with the place and the remedy, where there is none within reach.
Equilibrium find_equilibrium(Lab& lab, TangentField& field);

// The lab goes to the nearest allowed state, and there it is.
std::vector<double> placed(Lab& lab, double t, std::vector<double> x, const std::vector<AngleMemory>& angles);

// The allowed changes at the state that the lab is at, as rows; and, of a state at rest, those of places and
// of rates by themselves.
Eigen::MatrixXd allowed_basis(Lab& lab, const std::vector<bool>& idle_lanes);
AllowedChanges allowed_changes(Lab& lab, const TangentField& field);

}  // namespace catena
