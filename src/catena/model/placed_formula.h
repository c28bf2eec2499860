// A formula that has been checked, with its place in the scene's text.
#pragma once

#include <string>

#include "catena/base/mistake.h"

namespace catena {

struct PlacedFormula {
  std::string text;  // empty: not given
  Place place{};
};

}  // namespace catena
