// Small motions about equilibria: against closed forms, and two formulations against each other.
#include "catena/analyze/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/chains.h"

namespace catena {
namespace {

using test::number;
using test::reference;
using test::scene_of;
using test::shipped_scene;

std::string chain_of(std::size_t links, const std::string& link, const std::string& more = "") {
  return fmt::format(
      "[simulation]\nduration = 1\ngravity = 9.81\n[chain]\n{}\n[[chain.links]]\n{}\nrepeat = {}\n", more, link,
      links);
}

// sqrt(g/l times the reference), each to `tolerance` of itself.
void expect_frequencies(const Modes& found, const nlohmann::json& squares, double unit, double tolerance) {
  ASSERT_EQ(found.modes.size(), squares.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double expected = std::sqrt(unit * number(squares[i]));
    EXPECT_NEAR(found.modes[i].frequency() / expected, 1.0, tolerance) << "mode " << i + 1;
    EXPECT_EQ(found.modes[i].damping(), 0.0);
  }
}

// w^2 = (2 -+ sqrt 2) g/l.
TEST(Modes, EqualDoublePendulumHasItsFrequencies) {
  const Modes found = find_modes(scene_of(chain_of(2, "length = 0.7\nmass = 1.3\ntheta = 0.4")), {});
  ASSERT_EQ(found.modes.size(), 2u);
  const double unit = 9.81 / 0.7;
  EXPECT_NEAR(found.modes[0].frequency() / std::sqrt((2 - std::sqrt(2.0)) * unit), 1.0, 1e-14);
  EXPECT_NEAR(found.modes[1].frequency() / std::sqrt((2 + std::sqrt(2.0)) * unit), 1.0, 1e-14);
  EXPECT_EQ(found.stability, Stability::minimum);
}

TEST(Modes, ChainsHaveTheZerosOfLaguerrePolynomials) {
  const nlohmann::json known = reference("chain_normal_modes")["laguerre_zeros"];
  for (const std::size_t links : {1, 2, 3, 4, 5, 6, 8, 10}) {
    SCOPED_TRACE(links);
    const Modes found = find_modes(scene_of(chain_of(links, "length = 0.5\nmass = 2")), {});
    expect_frequencies(found, known[std::to_string(links)], 9.81 / 0.5, 1e-12);
  }
}

// Rods hinged end to end, as bodies: each 0.5 m long, straight down, the first one drawn away from there.
std::string rods(std::size_t count) {
  std::string out = "[simulation]\nduration = 1\ngravity = 9.81\n";
  for (std::size_t k = 1; k <= count; ++k) {
    out += fmt::format(
        "[[bodies]]\nname = \"rod{}\"\nshape = \"rod\"\nlength = 0.5\nmass = 2\nposition = [0, 0, {}]\n"
        "orientation = {{ axis = [0, 1, 0], angle = \"90 deg\" }}\n",
        k, 0.25 - 0.5 * static_cast<double>(k));
    out += fmt::format(
        "[[joints]]\nkind = \"revolute\"\nbodies = [\"{}\", \"rod{}\"]\npoint = [0, 0, {}]\naxis = [0, 1, 0]\n",
        k == 1 ? "ground" : fmt::format("rod{}", k - 1), k, 0.5 - 0.5 * static_cast<double>(k));
  }
  return out;
}

TEST(Modes, RodsHaveTheirClosedForms) {
  const nlohmann::json known = reference("chain_normal_modes")["rigid_rod_chain_mu"];
  const std::string rod = "length = 0.5\nmass = 2\ncenter_of_mass = 0.5\ninertia = \"rod\"";
  for (const std::size_t links : {1, 2, 3, 4, 5, 10}) {
    SCOPED_TRACE(links);
    const nlohmann::json& squares = known[std::to_string(links)];
    expect_frequencies(find_modes(scene_of(chain_of(links, rod)), {}), squares, 9.81 / 0.5, 1e-12);
    if (links <= 5) expect_frequencies(find_modes(scene_of(rods(links)), {}), squares, 9.81 / 0.5, 1e-12);
  }
}

}  // namespace
}  // namespace catena
