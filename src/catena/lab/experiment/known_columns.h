// Columns of what a world has among words that it may not know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/observe/quantities.h"

namespace catena {

std::unique_ptr<Columns> known_columns(const World& world, const std::vector<std::string>& words);
// Those of single columns by their full names, and the time.
std::unique_ptr<Columns> columns_named(const World& world, const std::vector<std::string>& names);

// All that columns depend on: worlds of one shape have the same ones, in the same places. Finding known words
// takes longer than a step, and sliders ask for it all the time.
std::string column_shape(const World& world);

}  // namespace catena
