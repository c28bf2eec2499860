// Columns of what a world has among words that it may not know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/observe/quantities.h"

namespace catena {

std::unique_ptr<Columns> known_columns(const World& world, const std::vector<std::string>& words);

}  // namespace catena
