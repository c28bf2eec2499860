// Constants of nature contradict neither one another nor what was measured.
#include "catena/model/constants.h"

#include <gtest/gtest.h>

#include <numbers>

#include "catena/model/forces.h"

namespace catena {
namespace {

// 1/(mu0 epsilon0) = c^2, and Coulomb's constant is 1/(4 pi epsilon0).
TEST(Constants, OfElectricityAndMagnetismBelongTogether) {
  const double epsilon = 1.0 / (4.0 * std::numbers::pi * ForceEntry{}.constant);
  EXPECT_NEAR(kMagneticConstant * epsilon * kSpeedOfLight * kSpeedOfLight, 1.0, 4e-16);
}

// CODATA 2022: 8.8541878188(14)e-12 F/m, 1.25663706127(20)e-6 N/A^2.
TEST(Constants, AreThoseOfTheSet) {
  const double epsilon = 1.0 / (4.0 * std::numbers::pi * kCoulombConstant);
  EXPECT_NEAR(epsilon, 8.8541878188e-12, 0.5e-22);
  EXPECT_EQ(kMagneticConstant, 1.25663706127e-6);
}

}  // namespace
}  // namespace catena
