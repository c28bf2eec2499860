// Numbers as people write them, with more digits than a double has. 0.1 in a scene is a tenth, and no double
// is one: runs with more digits take a double for the shortest decimal that reads back as it. That is the
// number that was written wherever it has at most 15 digits.
#pragma once

#include <type_traits>

#include "catena/math/double_double.h"

namespace catena {

// The shortest decimal that reads back as `value`, to 32 digits. The double next to pi stands for pi.
DoubleDouble decimal(double value);

// The same as a number of kind S: in double it is the value itself.
template <class S>
S decimal_as(double value) {
  if constexpr (std::is_same_v<S, double>) {
    return value;
  } else {
    const DoubleDouble meant = decimal(value);
    return S(meant.hi) + S(meant.lo);
  }
}

}  // namespace catena
