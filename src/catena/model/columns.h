// Names of recorded columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/model/labels.h"

namespace catena {

// Columns are grouped by stem: CSV calls column i of a stem "<stem>_<label>", HDF5 and NPZ store the stem as
// one array [rows, labels]. A stem without labels is a single column ("t", "energy"), an array [rows].
// Two stems may share a name if one of them has no labels ("energy" of all, "energy_1" of link 1): then the
// array of the labelled one is called "<stem>_each".
//
// Derivatives of a stem with respect to numbers of the scene are a stem too: in CSV "d1_x_2" is that of x_2
// by the first number, HDF5 and NPZ have one array "d_x" [rows, labels, numbers].
struct Stem {
  std::string name;                     // "x", "theta_dot", "energy"
  Labels labels;                        // "1", "2", .. ; empty: one column, named like the stem
  std::vector<std::string> paths = {};  // of the numbers; empty: the quantity itself

  std::size_t columns() const {
    return std::max<std::size_t>(1, labels.size()) * std::max<std::size_t>(1, paths.size());
  }
  bool operator==(const Stem&) const = default;
};

}  // namespace catena
