// Gauss's rule of five points on [0, 1].
#pragma once

#include <array>

namespace catena {

inline constexpr std::array<double, 5> kGaussPlaces{0.046910077030668, 0.230765344947158, 0.5,
                                                    0.769234655052842, 0.953089922969332};
inline constexpr std::array<double, 5> kGaussWeights{0.118463442528095, 0.239314335249683, 0.284444444444444,
                                                     0.239314335249683, 0.118463442528095};

}  // namespace catena
