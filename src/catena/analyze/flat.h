// Directions in which numbers can change and nothing that is observed does, in plain words.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "catena/analyze/fit.h"

namespace catena {

// `null`: columns that span the changes of the numbers (in their units) that the data do not see.
std::vector<FlatDirection> flat_directions(const std::vector<FreeNumber>& free,
                                           const std::vector<double>& values, const Eigen::MatrixXd& null);

}  // namespace catena
