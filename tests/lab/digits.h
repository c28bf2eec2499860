// Numbers with more digits, for tests of them.
#pragma once

#include <string>
#include <vector>

#include "catena/math/double_double.h"

namespace catena {

inline const std::vector<std::string> kPrecisions = {"double-double", "quad"};

// "-0.123..." with all its digits.
inline DoubleDouble parsed(const std::string& text) {
  DoubleDouble value, unit(1.0);
  bool behind = false;
  int exponent = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'e') {
      exponent = std::stoi(text.substr(i + 1));
      break;
    }
    if (c == '.') behind = true;
    if (c < '0' || c > '9') continue;
    value = value * DoubleDouble(10.0) + DoubleDouble(c - '0');
    if (behind) unit = unit * DoubleDouble(10.0);
  }
  for (; exponent < 0; ++exponent) unit = unit * DoubleDouble(10.0);
  value = value / unit;
  return text[0] == '-' ? -value : value;
}

}  // namespace catena
