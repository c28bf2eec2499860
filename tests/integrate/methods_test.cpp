// Methods on the chains they are meant for.
#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

constexpr const char* kRigid =
    "[simulation]\nduration = 1e6\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.5\n"
    "[[chain.links]]\nlength = 0.7\nmass = 0.4\ntheta = 0.3\n";
constexpr const char* kElastic =
    "[simulation]\nduration = 1e6\n[chain]\nkind = \"elastic\"\n"
    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.5\nstiffness = 100\n";

Scene with_method(const char* toml, const std::string& method, double step) {
  Scene scene = scene_of(toml);
  scene.simulation.method = method;
  scene.simulation.step = step;
  return scene;
}

TEST(Methods, SymplecticOnesAreForElasticChainsAndSayWhyElsewhere) {
  for (const char* method : {"symplectic-euler", "verlet", "yoshida4", "yoshida6", "yoshida8"}) {
    EXPECT_NO_THROW(Lab(with_method(kElastic, method, 0.01))) << method;
    try {
      Lab lab(with_method(kRigid, method, 0.01));
      FAIL() << method;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("accelerations that depend on positions alone"),
                std::string::npos)
          << error.what();
    }
  }
}

// An elastic pendulum over 100 000 steps, some 3000 swings: the energy of a symplectic method stays in the
// band that its first tenth shows, to within what an orbit that is not quite periodic still finds later.
TEST(Methods, EnergyOfAnElasticPendulumStaysBounded) {
  for (const char* method : {"verlet", "yoshida4", "yoshida6", "gauss4"}) {
    Lab lab(with_method(kElastic, method, 0.02));
    double early = 0.0;
    for (int i = 0; i < 100000; ++i) {
      ASSERT_EQ(lab.advance(), StepStatus::done) << method;
      if (i == 10000) early = lab.energies().largest_error;
    }
    EXPECT_LT(lab.energies().largest_error, 1.2 * early) << method;
  }
}

constexpr const char* kSpherical =
    "[simulation]\nduration = 1e6\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.5\nphi_dot = 1\n"
    "[[chain.links]]\nlength = 0.7\nmass = 0.4\ninertia = \"rod\"\ntheta = 0.3\n";

// So does that of a rigid chain, in a plane and in space, of masses and of rods: lengths are quadratic
// invariants of the turning unit vectors, kept without projection, and a symmetric method on a reversible
// system has no drift (E. Hairer, C. Lubich, G. Wanner, XI). rk4, projected, loses energy all along.
TEST(Methods, EnergyOfARigidChainStaysBoundedUnderGauss) {
  const auto bands = [](const char* scene, const char* method) {
    Lab lab(with_method(scene, method, 0.04));
    double early = 0.0;
    for (int i = 0; i < 100000; ++i) {
      EXPECT_EQ(lab.advance(), StepStatus::done) << method;
      if (i == 10000) early = lab.energies().largest_error;
    }
    return lab.energies().largest_error / early;
  };
  for (const char* scene : {kRigid, kSpherical}) {
    EXPECT_LT(bands(scene, "gauss4"), 1.05) << scene;
    EXPECT_LT(bands(scene, "gauss6"), 1.05) << scene;
  }
  EXPECT_GT(bands(kRigid, "rk4"), 5.0);
}

// Where the method's own error is below roundoff, what is left is the random walk of compensated sums: 1e5
// steps, 1.2e-15 J measured of an energy of 3 J.
TEST(Methods, GaussWithShortStepsKeepsTheEnergyOfARigidChainToRoundoff) {
  Lab lab(with_method(kRigid, "gauss8", 0.005));
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(lab.advance(), StepStatus::done);
  EXPECT_LT(lab.energies().largest_error, 1e-14);
}

constexpr const char* kOwnRk4 =
    "[method]\na = [[], [0.5], [0, 0.5], [0, 0, 1]]\nb = [\"1/6\", \"1/3\", \"1/3\", \"1/6\"]\n";

// rk4 written out as a table of one's own is rk4, bit by bit.
TEST(Methods, ACustomTableIsUsedLikeAnyOther) {
  Lab own(with_method((std::string(kRigid) + kOwnRk4).c_str(), "custom", 0.01));
  Lab shipped(with_method(kRigid, "rk4", 0.01));
  EXPECT_EQ(own.order(), 4);
  for (int i = 0; i < 100; ++i) own.advance(), shipped.advance();
  EXPECT_EQ(own.state().hi, shipped.state().hi);
  EXPECT_EQ(own.settings(), "custom, step 0.01");
}

// With b_hat it chooses its step: P. Bogacki and L. F. Shampine's pair of order 3(2).
TEST(Methods, ACustomPairChoosesItsStep) {
  Scene scene = scene_of(std::string(kRigid) +
                         "[method]\na = [[], [0.5], [0, 0.75], [\"2/9\", \"1/3\", \"4/9\"]]\n"
                         "b = [\"2/9\", \"1/3\", \"4/9\", 0]\nb_hat = [\"7/24\", 0.25, \"1/3\", 0.125]\n");
  scene.simulation.method = "custom";
  std::vector<double> errors;
  for (const double tolerance : {1e-6, 1e-8}) {
    scene.simulation.tolerance = tolerance;
    Lab lab(scene);
    EXPECT_TRUE(lab.adaptive());
    while (lab.time() < 2.0) ASSERT_EQ(lab.advance(), StepStatus::done);
    errors.push_back(lab.energies().largest_error);
  }
  EXPECT_LT(errors[1], 0.1 * errors[0]);
}

TEST(Methods, CustomNeedsItsTable) {
  try {
    Lab lab(with_method(kRigid, "custom", 0.01));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("give [method] with a and b"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace catena
