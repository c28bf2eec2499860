// Constants of nature, of one set: CODATA 2022. What follows from others is computed from them, so that no
// two of them contradict one another.
#pragma once

namespace catena {

constexpr double kSpeedOfLight = 299792458.0;           // m/s, exact
constexpr double kMagneticConstant = 1.25663706127e-6;  // mu0, N/A^2
// Coulomb's, 1/(4 pi epsilon0) = mu0 c^2/(4 pi), N m^2/C^2.
constexpr double kCoulombConstant =
    kMagneticConstant * (kSpeedOfLight * kSpeedOfLight) / (4.0 * 3.14159265358979323846);

}  // namespace catena
