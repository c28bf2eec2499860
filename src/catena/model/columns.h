// Names of recorded columns.
#pragma once

#include <string>
#include <vector>

namespace catena {

// Columns are grouped by stem: CSV calls column i of a stem "<stem>_<label>", HDF5 and NPZ store the stem as
// one array [rows, labels]. A stem without labels is a single column ("t", "energy"), an array [rows].
// Two stems may share a name if one of them has no labels ("energy" of all, "energy_1" of link 1): then the
// array of the labelled one is called "<stem>_each".
struct Stem {
  std::string name;                 // "x", "theta_dot", "energy"
  std::vector<std::string> labels;  // "1", "2", .. ; empty: one column, named like the stem

  bool operator==(const Stem&) const = default;
};

}  // namespace catena
