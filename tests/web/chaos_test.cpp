// The page's tools of chaos: what grows by pieces is what the program computes at once.
#include "chaos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "case_scenes.h"
#include "catena/analyze/bifurcation.h"
#include "catena/analyze/indicators.h"
#include "catena/analyze/lyapunov.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/sweep.h"
#include "session.h"
#include "support/chains.h"

namespace catena::web {
namespace {

using test::shipped_scene;

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml");
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class ChaosToolsTest : public testing::Test {
 protected:
  Json ask(const Json& request) { return Json::parse(tools.call(request.dump())); }
  // What must be right.
  Json get(const Json& request) {
    const Json answer = ask(request);
    EXPECT_FALSE(answer.contains("mistakes")) << answer.dump();
    return answer;
  }
  // What must be wrong, in words.
  std::string refused(const Json& request) {
    const Json answer = ask(request);
    if (!answer.contains("mistakes")) return "nothing was wrong: " + answer.dump();
    return answer["mistakes"].dump();
  }
  ChaosTools tools;
};

TEST_F(ChaosToolsTest, SpectraGrowToWhatTheProgramFinds) {
  EXPECT_EQ(get({{"do", "spectrum"}, {"text", text_of("lorenz")}})["dimension"], 3);
  double last = 0.0;
  Json grown;
  for (const double to : {20.0, 35.0, 80.0}) {
    grown = get({{"do", "grow"}, {"to", to}});
    EXPECT_GE(grown["time"].get<double>(), to);
    EXPECT_EQ(tools.rows().size() % grown["width"].get<std::size_t>(), 0u);
    EXPECT_GT(tools.rows()[tools.rows().size() - 4], last);
    last = tools.rows()[tools.rows().size() - 4];
  }
  LyapunovOptions options;
  options.duration = 80.0;
  const LyapunovResult whole = lyapunov(shipped_scene("lorenz"), options);
  EXPECT_EQ(grown["exponents"].get<std::vector<double>>(), whole.exponents);
  EXPECT_EQ(grown["errors"].get<std::vector<double>>(), whole.errors);
  EXPECT_EQ(grown["checks"][0]["name"], "sum");
  EXPECT_TRUE(grown["checks"][0]["holds"].get<bool>());
}

TEST_F(ChaosToolsTest, ABudgetEndsACallInTime) {
  get({{"do", "spectrum"}, {"text", text_of("double-pendulum")}});
  const Json part = get({{"do", "grow"}, {"to", 1e7}, {"budget", 150}});
  EXPECT_EQ(part["outcome"], "interrupted");
  EXPECT_LT(part["time"].get<double>(), 1e7);
}

TEST_F(ChaosToolsTest, StartsAreWhereOneClicks) {
  const Json section = get({{"do", "section"},
                            {"text", text_of("henon-heiles")},
                            {"when", "x"},
                            {"axes", {"y", "py"}},
                            {"indicator", "megno"}});
  const double energy = section["energy"];
  EXPECT_NEAR(energy, 0.125, 1e-3);
  const Json start = get({{"do", "section_start"}, {"at", {0.1, 0.05}}});
  const auto state = start["state"].get<std::vector<double>>();  // x y px py
  EXPECT_NEAR(state[0], 0.0, 1e-14);
  EXPECT_NEAR(state[1], 0.1, 1e-12);
  EXPECT_NEAR(state[3], 0.05, 1e-12);
  EXPECT_GT(state[2], 0.0);  // rising
  const double y = state[1];
  EXPECT_NEAR(0.5 * (state[2] * state[2] + state[3] * state[3] + y * y) - y * y * y / 3.0, energy, 1e-12);
  const Json some = get({{"do", "section_follow"}, {"start", start["start"]}, {"to", 150.0}});
  const std::size_t first = tools.rows().size() / 3;
  EXPECT_GT(first, 10u);
  const Json more = get({{"do", "section_follow"}, {"start", start["start"]}, {"to", 300.0}});
  EXPECT_EQ(more["points"].get<std::size_t>(), first + tools.rows().size() / 3);
  EXPECT_LE(more["residual"].get<double>(), 1e-14 * more["scale"].get<double>());
  EXPECT_TRUE(more["indicator"]["value"].is_number());
  // Every point has the energy of the section.
  for (std::size_t i = 0; i < tools.rows().size(); i += 3) {
    const double at = tools.rows()[i + 1], rate = tools.rows()[i + 2];
    EXPECT_LE(0.5 * (rate * rate + at * at) - at * at * at / 3.0, energy + 1e-12);
  }
  // Beyond the energy there is no start.
  EXPECT_NE(refused({{"do", "section_start"}, {"at", {0.9, 0.9}}}).find("has the energy"), std::string::npos);
  const Json spread = get({{"do", "section_spread"}, {"count", 5}});
  EXPECT_EQ(spread["starts"].size(), 5u);
}

TEST_F(ChaosToolsTest, SectionsWithoutAnEnergyHaveTheScenesOwnStart) {
  const Json section =
      get({{"do", "section"}, {"text", text_of("lorenz")}, {"when", "z - 27"}, {"axes", {"x", "y"}}});
  EXPECT_TRUE(section["energy"].is_null());
  EXPECT_NE(refused({{"do", "section_start"}, {"at", {1, 1}}}).find("need an energy"), std::string::npos);
  const Json start = get({{"do", "section_start"}});
  get({{"do", "section_follow"}, {"start", start["start"]}, {"to", 50}});
  EXPECT_GT(tools.rows().size(), 3u * 10u);
}

// The moment that the page saves has its ghosts in it: one without an offset moves as the motion does.
TEST_F(ChaosToolsTest, GhostsHaveTheirIndicators) {
  Experiment experiment(shipped_scene("double-pendulum"), {1.0 / 120, {"position"}, {"position"}});
  GhostSettings same, beside;
  same.offset = 0.0;
  beside.offset = 0.2;
  experiment.set_ghosts({same, beside});
  const Json begun = get({{"do", "indicators"},
                          {"saved", moment_json(experiment)},
                          {"only", {"megno", "fli"}},
                          {"duration", 60.0}});
  EXPECT_EQ(begun["motions"], 3);
  get({{"do", "indicators_follow"}, {"to", 20.0}});
  const Json found = get({{"do", "indicators_follow"}, {"to", 60.0}})["motions"];
  IndicatorOptions options;
  options.only = {"megno", "fli"};
  options.duration = 60.0;
  const IndicatorResult whole = indicators(shipped_scene("double-pendulum"), options);
  EXPECT_EQ(found[0]["time"], 60.0);
  EXPECT_EQ(found[0]["indicators"]["megno"]["value"].get<double>(), whole.indicators[0].value);
  EXPECT_EQ(found[1]["indicators"], found[0]["indicators"]);
  EXPECT_NE(found[2]["indicators"]["megno"]["value"], found[0]["indicators"]["megno"]["value"]);
  EXPECT_EQ(found[0]["indicators"]["megno"]["verdict"], "chaotic");
}

// Times count from where it is watched.
TEST_F(ChaosToolsTest, IndicatorsBeginWhereTheMotionIs) {
  const Scene scene = with_numbers(shipped_scene("double-pendulum"),
                                   {"chain.links.1.theta", "chain.links.2.theta"}, {0.1, 0.1});
  Experiment experiment(scene, {1.0 / 120, {"position"}, {"position"}});
  for (int i = 0; i < 120 * 30; ++i) experiment.forward();
  const Json saved = moment_json(experiment);
  get({{"do", "indicators"}, {"saved", saved}, {"duration", 200.0}});
  const Json found = get({{"do", "indicators_follow"}, {"to", 200.0}})["motions"][0];
  EXPECT_EQ(found["time"], 200.0);
  EXPECT_LT(std::fabs(found["indicators"]["megno"]["value"].get<double>()), 2.1);
  EXPECT_EQ(found["indicators"]["megno"]["verdict"], "regular");
}

constexpr const char* kFlips = R"([sweep]
set = ["simulation.duration=10"]
skip = "2*cos(a) + cos(b) - 1"
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-180 deg"
to = "180 deg"
count = 17
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-180 deg"
to = "180 deg"
count = 17
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
stop = true
)";

TEST_F(ChaosToolsTest, TilesOfAnyFinenessHaveTheBitsOfTheMap) {
  const Json map = get({{"do", "map"}, {"text", text_of("double-pendulum")}, {"sweep", kFlips}});
  EXPECT_EQ(map["shape"], Json({17, 17}));
  EXPECT_EQ(map["not_in_lanes"], "");
  Scene scene = shipped_scene("double-pendulum");
  scene = with_number(scene, "simulation.duration", 10.0);
  const auto sweep = sweep_over(read_sweep(kFlips, "test", {"sweep.scene=shown"}), scene);
  const SweepChunk whole = sweep->runner(1)->run(0, 17 * 17, nullptr);
  std::size_t flips = 0;
  const auto compare = [&](const std::array<std::size_t, 2>& first, const std::array<std::size_t, 2>& count,
                           std::size_t apart) {
    const Json tile = get({{"do", "tile"}, {"first", first}, {"count", count}, {"apart", {apart, apart}}});
    ASSERT_EQ(tile["cases"].get<std::size_t>(), count[0] * count[1]);
    for (std::size_t i = 0; i < count[0]; ++i) {
      for (std::size_t j = 0; j < count[1]; ++j) {
        const std::size_t index = (first[0] + i * apart) * 17 + first[1] + j * apart;
        const double value = tools.rows()[2 * (i * count[1] + j)], known = whole.measures[index];
        EXPECT_EQ(tools.rows()[2 * (i * count[1] + j) + 1], static_cast<double>(whole.status[index]));
        EXPECT_TRUE(value == known || (std::isnan(value) && std::isnan(known))) << index;
        flips += std::isfinite(known) ? 1 : 0;
      }
    }
  };
  compare({0, 0}, {5, 5}, 4);
  compare({2, 2}, {4, 4}, 4);
  compare({3, 5}, {7, 6}, 1);
  EXPECT_GT(flips, 10u);
  EXPECT_NE(refused({{"do", "tile"}, {"first", {0, 0}}, {"count", {18, 1}}}).find("17 values"),
            std::string::npos);
}

// The page computes half of a map by it.
TEST_F(ChaosToolsTest, CasesAcrossTheMiddleAreMirrorImagesToTheBit) {
  std::string sweep = kFlips;
  for (std::size_t at; (at = sweep.find("count = 17")) != std::string::npos;)
    sweep.replace(at, 10, "count = 24");
  const Json map = get({{"do", "map"}, {"text", text_of("double-pendulum")}, {"sweep", sweep}});
  for (const Json& axis : map["axes"]) {
    for (std::size_t i = 0; i < 24; ++i)
      EXPECT_EQ(axis["values"][i].get<double>(), -axis["values"][23 - i].get<double>());
  }
  get({{"do", "tile"}, {"first", {0, 0}}, {"count", {24, 24}}, {"apart", {1, 1}}});
  const std::vector<double>& rows = tools.rows();
  std::size_t flips = 0;
  for (std::size_t i = 0; i < rows.size() / 2; ++i) {
    const double one = rows[2 * i], other = rows[rows.size() - 2 - 2 * i];
    EXPECT_TRUE(one == other || (std::isnan(one) && std::isnan(other))) << i;
    EXPECT_EQ(rows[2 * i + 1], rows[rows.size() - 1 - 2 * i]);
    flips += one > 5.0 ? 1 : 0;
  }
  EXPECT_GT(flips, 50u);  // late ones, which roundoff would part
}

TEST_F(ChaosToolsTest, TheLimitOfEnergyIsDrawn) {
  get({{"do", "map"}, {"text", text_of("double-pendulum")}, {"sweep", kFlips}});
  const Json found = get({{"do", "limits"}});
  ASSERT_EQ(found["limits"].size(), 1u);
  ASSERT_GT(tools.rows().size(), 50u);
  const auto angle = [](double place) { return -3.141592653589793 + place * 2.0 * 3.141592653589793 / 16.0; };
  for (std::size_t i = 0; i < tools.rows().size(); i += 5) {
    const double a = angle(tools.rows()[i + 1]), b = angle(tools.rows()[i + 2]);
    EXPECT_NEAR(2.0 * std::cos(a) + std::cos(b), 1.0, 0.1);  // linear inside a cell of 22.5 degrees
  }
}

TEST_F(ChaosToolsTest, ColumnsOfADiagramAreThoseOfTheProgram) {
  const Scene scene = shipped_scene("driven-pendulum");
  const std::string path = "forces.1.parameters.drive";
  get({{"do", "bifurcation"},
       {"text", text_of("driven-pendulum")},
       {"along", path},
       {"from", 1.06},
       {"to", 1.08},
       {"count", 3},
       {"period", 3.0 * 3.141592653589793},
       {"record", "theta_dot_1"},
       {"duration", 300.0}});
  BifurcationOptions options;
  options.parameters = {1.06, 1.07, 1.08};
  options.scene = [&](double value) { return with_number(scene, path, value); };
  options.period = 3.0 * 3.141592653589793;
  options.record = "theta_dot_1";
  options.duration = 300.0;
  options.down = false;
  const BifurcationResult whole = catena::bifurcation(options);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(get({{"do", "column"}, {"index", i}})["outcome"], "done");
    EXPECT_EQ(tools.rows(), whole.values[i]);
  }
  EXPECT_NE(refused({{"do", "column"}, {"index", 3}}).find("no column 3"), std::string::npos);
}

TEST_F(ChaosToolsTest, WhatMakesNoSenseIsSaid) {
  const std::string lorenz = text_of("lorenz");
  for (const char* broken : {"", "{", "[]", "{}", "{\"do\": 3}", "null"})
    EXPECT_NE(tools.call(broken).find("mistakes"), std::string::npos) << broken;
  EXPECT_NE(refused({{"do", "dance"}}).find("no command 'dance'"), std::string::npos);
  for (const char* early :
       {"grow", "section_start", "section_follow", "indicators_follow", "tile", "limits", "column"})
    EXPECT_NE(refused({{"do", early}, {"to", 1.0}}).find("comes first"), std::string::npos) << early;
  EXPECT_NE(refused({{"do", "spectrum"}, {"text", lorenz}, {"exponents", 4}}).find("in 3 only"),
            std::string::npos);
  EXPECT_NE(refused({{"do", "spectrum"}, {"text", "[chain"}}).find("<scene>"), std::string::npos);
  get({{"do", "spectrum"}, {"text", lorenz}});
  EXPECT_NE(refused({{"do", "grow"}, {"to", -1.0}}).find("must be positive"), std::string::npos);
  EXPECT_NE(refused({{"do", "section"}, {"text", lorenz}, {"when", "nothing"}, {"axes", {"x", "y"}}})
                .find("nothing"),
            std::string::npos);
  EXPECT_NE(refused({{"do", "indicators"}, {"text", lorenz}, {"only", {"magno"}}, {"duration", 10.0}})
                .find("megno"),
            std::string::npos);
  EXPECT_EQ(refused({{"do", "indicators"}, {"saved", {{"tick", 1}}}, {"duration", 10.0}}).find("nothing was"),
            std::string::npos);
  EXPECT_NE(refused({{"do", "bifurcation"},
                     {"text", lorenz},
                     {"along", "equations.parameters.roh"},
                     {"from", 0},
                     {"to", 1},
                     {"count", 2},
                     {"when", "z - 27"},
                     {"record", "x"}})
                .find("roh"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::web
