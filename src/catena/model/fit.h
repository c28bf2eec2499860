// What a fit is to find, and the measurements it has: [fit] of a scene, and a table of numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/model/body_entries.h"
#include "catena/model/entries.h"

namespace catena {

// [fit] as written.
struct FitEntry {
  std::string scene;
  WrittenFormulas observe;
  Parameters parameters;
  Parameters noise;
  std::string loss = "squares";
  Formula segments = "auto";
};

// [[fit.free]] as written.
struct FreeEntry {
  std::string key;
  std::optional<double> low, high;  // angles in radians
  Numbers prior;                    // mean and standard deviation
};

// A number that a fit is free to change.
struct FreeKey {
  std::string key;            // as a path; * is all
  std::optional<double> low;  // SI units
  std::optional<double> high;
  std::optional<double> prior_mean;  // with its standard deviation: both or none
  std::optional<double> prior_error;
  Place place{};
};

// Data that are a formula of recorded columns and parameters.
struct ObserveFormula {
  std::string name;
  std::string formula;
  Place place{};  // of the formula
};

enum class Loss { squares, huber, cauchy };

// [fit] of a scene, or of a file of its own.
struct FitPlan {
  std::string scene;  // a file or a shipped scene; empty: the scene around it
  std::vector<ObserveFormula> observe;
  struct Named {
    std::string name;
    double value = 0.0;
    Place place{};
  };
  std::vector<Named> parameters;  // of the formulas
  std::vector<Named> noise;       // standard deviations of data
  Loss loss = Loss::squares;
  int segments = 0;  // of multiple shooting; 0: as many as the motion asks for
  std::vector<FreeKey> free;
  Place place{};
};

// Columns that were measured at times.
struct Measurements {
  std::string source;              // what messages call it
  std::vector<std::string> names;  // beside t
  std::vector<std::string> units;  // as they stood behind the names; empty: none
  std::vector<double> times;       // s
  std::vector<double> values;      // [row][name], in SI units; nan: not measured
  std::vector<int> lines;          // of each row in the source; 0: it has none
  int header_line = 0;
  std::vector<Warning> notes = {};  // what was made of it, for people

  std::size_t rows() const { return times.size(); }
  double value(std::size_t row, std::size_t name) const { return values[row * names.size() + name]; }
};

}  // namespace catena
