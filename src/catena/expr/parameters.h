// Names for numbers that formulas use.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace catena::expr {

// A number, and the formula it was written as where that says more than a double can hold, as "8/3" does.
struct Constant {
  double value = 0.0;
  std::string formula = {};

  Constant(double number) : value(number) {}
  Constant(double number, std::string text) : value(number), formula(std::move(text)) {}
  operator double() const { return value; }
};

// Names and their numbers.
using Parameters = std::vector<std::pair<std::string, Constant>>;

}  // namespace catena::expr
