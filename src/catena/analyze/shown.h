// Rows of columns at a lab's state, and how they change with it.
#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "catena/lab/column_formula.h"
#include "catena/lab/lab.h"

namespace catena {

// Of these words for columns, those that the lab's scene has.
std::vector<std::string> known_words(const Lab& lab, const std::vector<std::string>& words);

struct Shown {
  std::vector<std::string> names;  // without time
  Eigen::VectorXd row;
  Eigen::MatrixXd slopes;  // [column][direction]
};

// Columns at the state that the lab is at, and their derivatives along changes of it, the rows of `basis`.
Shown shown(Lab& lab, const std::vector<std::string>& words, const Eigen::MatrixXd& basis);

}  // namespace catena
