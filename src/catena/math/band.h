// How decisions see a number that is recorded.
#pragma once

namespace catena {

// On which side of zero it is, and whether by more than 1e-10: formulas look at no more of it.
inline double band_of(double x) {
  constexpr double kBand = 1e-10;
  if (x > kBand) return 2.0;
  if (x < -kBand) return -2.0;
  if (x > 0.0) return 1.0;
  if (x < 0.0) return -1.0;
  return x == 0.0 ? 0.0 : 3.0;
}

}  // namespace catena
