// What a lab says of the world behind it.
#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

constexpr const char* kPlanar = R"(
[simulation]
duration = 1
[[chain.links]]
length = 1
mass = 2
theta = 1.0
[[chain.links]]
length = 0.5
mass = 1
theta = 2.0
)";

constexpr const char* kHinged = R"(
[simulation]
duration = 1
[[bodies]]
name = "rod"
shape = "rod"
length = 1.0
mass = 1.0
position = [0.5, 0, 0]
[[joints]]
name = "pin"
kind = "revolute"
bodies = ["ground", "rod"]
anchors = [[0, 0, 0], [-0.5, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
)";

constexpr const char* kHoop = R"toml(
[simulation]
duration = 1
[lagrangian]
coordinates = { x = 0.6, z = -0.8 }
kinetic = "0.5*(x'^2 + z'^2)"
potential = "9.81*z"
constraints = ["x^2 + z^2 - 1"]
)toml";

TEST(LabFacts, NameEveryNumberOfTheState) {
  for (const char* toml : {kPlanar, kHinged, kHoop}) {
    const Lab lab(test::scene_of(toml));
    EXPECT_EQ(lab.facts().lanes.size(), lab.dimension());
    EXPECT_EQ(lab.state().hi.size(), lab.dimension());
  }
  EXPECT_EQ(Lab(test::scene_of(kPlanar)).facts().lanes,
            (std::vector<std::string>{"us_1", "us_2", "uz_1", "uz_2", "ws_1", "ws_2", "wz_1", "wz_2"}));
}

TEST(LabFacts, SayWhatThereIs) {
  const WorldFacts chain = Lab(test::scene_of(kPlanar)).facts();
  ASSERT_EQ(chain.chains.size(), 1u);
  EXPECT_TRUE(chain.chains[0].planar);
  EXPECT_EQ(chain.chains[0].mass, (std::vector<double>{2, 1}));
  EXPECT_EQ(chain.links(), 2u);
  EXPECT_EQ(chain.degrees_of_freedom, 2u);
  EXPECT_FALSE(chain.mechanism || chain.lagrangian);

  const WorldFacts hinged = Lab(test::scene_of(kHinged)).facts();
  ASSERT_TRUE(hinged.mechanism.has_value());
  EXPECT_EQ(hinged.mechanism->joints.at(0).name, "pin");
  EXPECT_EQ(hinged.mechanism->equations, 5u);
  EXPECT_EQ(hinged.degrees_of_freedom, 1u);

  const WorldFacts hoop = Lab(test::scene_of(kHoop)).facts();
  ASSERT_TRUE(hoop.lagrangian.has_value());
  EXPECT_EQ(hoop.lagrangian->coordinates, (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(hoop.lagrangian->rank, 1u);
}

// Without setting anything in motion.
TEST(LabFacts, OfASceneAreThoseOfItsLab) {
  for (const char* toml : {kPlanar, kHinged, kHoop}) {
    const Scene scene = test::scene_of(toml);
    EXPECT_EQ(facts_of(scene).lanes, Lab(scene).facts().lanes);
    EXPECT_EQ(facts_of(scene).weight_scale, Lab(scene).weight_scale());
  }
}

// The equations that a lab shows are those that it moves by: x' from the series, energies of a row.
TEST(LabFacts, EquationsAreThoseOfTheMotion) {
  for (const char* toml : {kPlanar, kHinged, kHoop}) {
    Lab lab(test::scene_of(toml));
    ASSERT_EQ(lab.advance(), StepStatus::done);
    const std::vector<double>& x = lab.state().hi;
    const std::vector<double> dx = lab.rhs(lab.time(), x);
    std::vector<double> series(2 * x.size());
    lab.taylor(lab.time(), x, 1, series.data());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], series[x.size() + i], 1e-13) << i;
    const Columns columns = lab.columns({"kinetic", "potential"});
    std::vector<double> row(columns.width());
    lab.observe(lab.time(), columns, row.data());
    const StateEnergies energy = lab.energies_of(lab.time(), x);
    EXPECT_NEAR(row[1] + row[2], energy.kinetic + energy.potential, 1e-12);
  }
}

}  // namespace
}  // namespace catena
