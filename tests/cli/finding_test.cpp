// catena analyze modes and orbit, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

class CliFinding : public Workplace {
 protected:
  void expect_refusal(const Words& words, const std::string& said) {
    Words all = words;
    all.insert(all.end(), {"-o", "out"});
    const Result result = catena(all);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    EXPECT_FALSE(has("out"));
  }
};

TEST_F(CliFinding, ModesAreJsonWithTheLinearModel) {
  const Result result = catena({"analyze", "modes", "double-pendulum", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json found = Json::parse(result.out);
  ASSERT_EQ(found["frequencies"].size(), 2u);
  EXPECT_NEAR(found["frequencies"][0].get<double>() / std::sqrt((2 - std::sqrt(2.0)) * 9.81), 1.0, 1e-14);
  EXPECT_EQ(found["damping"], Json::array({0.0, 0.0}));
  EXPECT_EQ(found["stable"], true);
  EXPECT_EQ(found["states"], Json::array({"theta_1", "theta_2", "theta_dot_1", "theta_dot_2"}));
  for (const char* name : {"a", "b", "c", "d", "equilibrium"}) EXPECT_TRUE(found.contains(name)) << name;
  EXPECT_EQ(found["a"].size(), 4u);
}

TEST_F(CliFinding, ModesHavePictures) {
  const Result result = catena({"analyze", "modes", "double-pendulum", "-o", "out", "--no-video"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* file :
       {"out/modes.json", "out/modes.png", "out/modes.svg", "out/mode-1.png", "out/mode-2.png"})
    EXPECT_TRUE(has(file)) << file;
}

TEST_F(CliFinding, OrbitIsJsonWithMultipliers) {
  const Result result = catena({"analyze", "orbit", "pendulum", "--json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json found = Json::parse(result.out);
  EXPECT_EQ(found["multipliers"], Json::parse("[[1.0, 0.0], [1.0, 0.0]]"));
  EXPECT_EQ(found["stable"], true);
  EXPECT_LE(found["flow_error"].get<double>(), 1e-10);
  for (const char* file : {"out/orbit.json", "out/orbit.png", "out/orbit.svg"})
    EXPECT_TRUE(has(file)) << file;
}

TEST_F(CliFinding, BranchesAreListedAndDrawn) {
  write("fold.toml",
        "[simulation]\nduration = 40\n[equations]\nstates = { x = 1.2, y = 0 }\nparameters = { p = 0.5 }\n"
        "dot = { x = \"-y + x*(p + (x^2 + y^2) - (x^2 + y^2)^2)\", y = \"x + y*(p + (x^2 + y^2) - (x^2 + "
        "y^2)^2)\" }\n");
  const Result result = catena({"analyze", "orbit", "fold.toml", "--along", "equations.parameters.p",
                                "--from", "0.2", "--to", "-0.4", "--json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json found = Json::parse(result.out);
  ASSERT_FALSE(found["special"].empty());
  EXPECT_EQ(found["special"][0]["kind"], "fold");
  EXPECT_NEAR(found["special"][0]["parameter"].get<double>(), -0.25, 1e-10);
  EXPECT_FALSE(found["branches"][0]["points"].empty());
  EXPECT_TRUE(has("out/branches.png"));
}

TEST_F(CliFinding, MistakesNameThePlaceAndWriteNothing) {
  expect_refusal({"analyze", "modes", "driven-pendulum"}, "driven");
  expect_refusal({"analyze", "modes", "pendulum", "--outputs", "thetta"}, "thetta");
  expect_refusal({"analyze", "modes", "pendulum", "--inputs", "chain.links.1.lenght"}, "lenght");
  expect_refusal(
      {"analyze", "orbit", "pendulum", "--along", "chain.links.1.lenght", "--from", "1", "--to", "2"},
      "lenght");
  expect_refusal({"analyze", "orbit", "pendulum", "--from", "1"}, "--along");
  expect_refusal({"analyze", "orbit", "pendulum", "--period", "-1"}, "positive");
  expect_refusal({"analyze", "orbit", "driven-pendulum", "--period", "3", "--duration", "30"},
                 "repeats after 9.42");
  expect_refusal({"analyze", "orbit", "pendulum", "--set", "chain.links.1.theta=0"}, "equilibrium");
  expect_refusal({"analyze", "orbit", "pendulum", "--duration", "0.2"}, "no periodic orbit");
}

}  // namespace
}  // namespace catena::testing
