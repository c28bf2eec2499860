// Measured columns from a table of numbers (CSV).
#pragma once

#include <string>
#include <string_view>

#include "catena/model/fit.h"

namespace catena {

// A header with names, one of them t, then rows of numbers, with commas, semicolons or tabs between; lines
// that begin with # are comments. A unit may stand behind a name, as in "theta_1 [deg]"; values are taken to
// SI units. An empty cell was not measured. Throws InputError with all mistakes: no t, names twice, cells
// that are no numbers, times that go back.
Measurements read_measurements(const std::string& path);
Measurements measurements_from(std::string_view text, const std::string& source);

}  // namespace catena
