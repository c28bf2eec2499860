// What recordings do with a number that is no arithmetic.
#pragma once

#include <cstdint>
#include <cstring>

namespace catena {

// Its first 24 bits: of constants that are applied in two parts.
inline double head_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= ~((std::uint64_t{1} << 29) - 1);
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

// For decisions: on which side of zero it is, and whether by more than 1e-10: formulas look at no more of it.
inline double band_of(double x) {
  constexpr double kBand = 1e-10;
  if (x > kBand) return 2.0;
  if (x < -kBand) return -2.0;
  if (x > 0.0) return 1.0;
  if (x < 0.0) return -1.0;
  return x == 0.0 ? 0.0 : 3.0;
}

}  // namespace catena
