// [equations] by the command line: what every command makes of a system without chains, bodies and energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

class CliEquations : public Workplace {
 protected:
  Json json(const Words& words) {
    const Result result = catena(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
  void expect_refusal(const Words& words, const std::string& said) {
    const Result result = catena(words);
    EXPECT_EQ(result.status, 2) << said;
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
  }
};

TEST_F(CliEquations, RecordTheirStatesAndInvariantsByName) {
  const Json facts = json({"check", "henon-heiles", "--json"});
  EXPECT_EQ(facts["states"], 4);
  EXPECT_EQ(facts["invariants"], Json::array({"H"}));
  const Result said = catena({"check", "henon-heiles"});
  EXPECT_NE(said.out.find("4 states, 1 invariant"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("degrees of freedom"), std::string::npos) << said.out;

  const Json summary = json({"run", "henon-heiles", "-o", "a.csv", "--json"});
  for (const char* energy : {"energy_initial", "energy_final", "energy_scale", "energy_error_relative"})
    EXPECT_TRUE(summary[energy].is_null()) << energy;
  const auto reader = RunReader::open(path("a.csv").string());
  EXPECT_EQ(column_names(reader->info().stems),
            (std::vector<std::string>{"t", "x", "y", "px", "py", "H", "H_error", "step_size"}));
  std::vector<double> row(8);
  for (std::size_t i = 0; i < reader->rows(); ++i) {
    reader->read(i, 1, row.data());
    ASSERT_NEAR(row[5], 0.125, 1e-14);  // its energy
    ASSERT_LT(std::fabs(row[6]), 1e-14);
  }
  const Result report = catena({"run", "lorenz", "-o", "b.csv", "--duration", "1"});
  EXPECT_NE(report.out.find("lorenz: 3 states, 1 s simulated"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("energy"), std::string::npos) << report.out;
}

TEST_F(CliEquations, ParametersAreOverridden) {
  const auto at_one = [&](const Words& more) {
    Words words{"run", "lorenz", "-q", "-o", "a.csv", "--times", "1"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(catena(words).status, 0);
    std::vector<double> row(5);
    RunReader::open(path("a.csv").string())->read(0, 1, row.data());
    return row;
  };
  const auto plain = at_one({});
  EXPECT_EQ(plain, at_one({"--set", "equations.parameters.rho=56/2"}));
  EXPECT_NE(plain, at_one({"--set", "equations.parameters.rho=30"}));
  EXPECT_EQ(
      at_one({"--set", "equations.parameters.rho=30"}),
      at_one({"--set", "equations.dot.y=\"x*(30 - z) - y\"", "--set", "equations.parameters.rho=default"}));
  EXPECT_NE(plain, at_one({"--set", "equations.states.x=1.5"}));
  expect_refusal(
      {"run", "lorenz", "--set", "equations.parameters.rho=many"},
      "--set equations.parameters.rho=many: equations: parameter 'rho' must be a formula of numbers");
  expect_refusal({"run", "lorenz", "--set", "simulation.gravity=3"}, "[equations] know no gravity");
}

TEST_F(CliEquations, EventsFindStates) {
  const Json summary = json({"run", "lorenz", "-o", "a.csv", "--json", "--event",
                             "{ name = \"level\", when = \"z - 27\", record = [\"z\"] }"});
  const Json& level = summary["events"]["level"];
  const Json& rising = summary["events"]["section"];
  ASSERT_GT(rising["count"], 50);
  // Up and down by turns.
  EXPECT_LE(std::abs(level["count"].get<int>() - 2 * rising["count"].get<int>()), 1);
  for (const auto& row : level["rows"]) EXPECT_NEAR(row[1].get<double>(), 27.0, 1e-11);
  const Json stopped =
      json({"run", "lorenz", "-o", "b.csv", "--json", "--event", "{ when = \"x + 10\", stop = 1 }"});
  EXPECT_EQ(stopped["outcome"], "stopped-by-event");
}

TEST_F(CliEquations, ArePrinted) {
  const std::string text = catena({"equations", "lorenz"}).out;
  for (const char* line : {"x' = sigma*(y - x)", "y' = x*(rho - z) - y", "z' = x*y - beta*z", "beta = 8/3"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  const std::string latex = catena({"equations", "henon-heiles", "--latex"}).out;
  for (const char* line : {"\\dot{\\mathrm{px}} &= ", "\\paragraph{Invariants}", "H &= "})
    EXPECT_NE(latex.find(line), std::string::npos) << line << latex;
}

// Errors are those of the states; there is no energy to be off.
TEST_F(CliEquations, AreComparedByTheirStates) {
  const Json found = json({"compare", "lorenz", "--methods", "dop853,rk4", "--duration", "2", "--json"});
  ASSERT_GE(found["runs"].size(), 4u);
  for (const auto& score : found["runs"]) {
    EXPECT_LT(score["final_error"], 1e-3);
    EXPECT_GT(score["final_error"], 0.0);
    EXPECT_TRUE(score["mean_energy_error"].is_null()) << score;
    EXPECT_TRUE(score["largest_energy_error"].is_null()) << score;
  }
  const Result table =
      catena({"compare", "lorenz", "--methods", "dop853,rk4", "--duration", "2", "-o", "out"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(table.out.find("energy"), std::string::npos) << table.out;
  EXPECT_TRUE(has("out/accuracy.png"));
  EXPECT_FALSE(has("out/energy-error.png"));
  expect_refusal({"compare", "lorenz", "--methods", "verlet"}, "do not say which states are positions");
}

TEST_F(CliEquations, ArePlottedAndNotFilmed) {
  ASSERT_EQ(catena({"run", "henon-heiles", "-q", "-o", "a.h5", "--duration", "10"}).status, 0);
  ASSERT_EQ(catena({"plot", "a.h5", "-o", "figures", "--format", "svg"}).status, 0);
  for (const char* figure : {"states", "phase", "invariants", "invariant-errors"})
    EXPECT_TRUE(has(std::string("figures/") + figure + ".svg")) << figure;
  expect_refusal({"video", "a.h5", "-o", "a.mp4"}, "this run has coordinates or states alone");
  expect_refusal({"convert", "a.h5", "a.glb"}, "states of equations have no place in space");
  EXPECT_FALSE(has("a.mp4"));
}

TEST_F(CliEquations, KeepTheirBitsThroughFormatsAndResume) {
  for (const char* precision : {"double", "double-double"}) {
    const std::string set = std::string("simulation.precision=") + precision;
    for (const char* scene : {"lorenz", "henon-heiles"}) {
      ASSERT_EQ(catena({"run", scene, "-q", "-o", "a.h5", "--duration", "2", "--set", set}).status, 0);
      ASSERT_EQ(catena({"convert", "a.h5", "b.json"}).status, 0);
      ASSERT_EQ(catena({"convert", "b.json", "c.csv"}).status, 0);
      ASSERT_EQ(catena({"convert", "c.csv", "d.npz"}).status, 0);
      ASSERT_EQ(catena({"convert", "d.npz", "e.h5"}).status, 0);
      EXPECT_EQ(recorded(path("a.h5")), recorded(path("e.h5"))) << scene;
      ASSERT_EQ(catena({"run", "-q", "--resume", "e.h5", "--duration", "5"}).status, 0);
      ASSERT_EQ(catena({"run", scene, "-q", "-o", "whole.h5", "--duration", "5", "--set", set}).status, 0);
      EXPECT_EQ(recorded(path("e.h5")), recorded(path("whole.h5"))) << scene << " " << precision;
    }
  }
  const auto columns = recorded(path("whole.h5")).columns;
  EXPECT_EQ(std::count(columns.begin(), columns.end(), "lo_px"), 1);
}

TEST_F(CliEquations, WhatIsHardlyMeantIsSaid) {
  const auto warned = [&](const std::string& lines) {
    write("a.toml",
          "[simulation]\nduration = 2\n[equations]\nstates = { x = 1 }\ndot = { x = \"-1\" }\n" + lines);
    const Json summary = json({"run", "a.toml", "-o", "a.csv", "--json"});
    EXPECT_LE(summary["warnings"].size(), 1u);
    return summary["warnings"].empty() ? std::string() : summary["warnings"][0].get<std::string>();
  };
  EXPECT_EQ(warned(""), "");
  EXPECT_EQ(warned("parameters = { k = 1 }\n"),
            "a.toml:6:16: equations: parameter 'k' is used by no formula");
  // x = 1 - t: the motion goes on where the formula of the invariant has no value.
  EXPECT_EQ(warned("invariants = { H = \"log(x)\" }\n"),
            "a.toml:6:20: equations: invariants.H has no finite value at t = 1 s: a division by zero, or a "
            "function outside its domain");
}

TEST_F(CliEquations, MethodsThatNeedStructureSayWhich) {
  const Words run{"run", "lorenz", "--step", "0.01", "-o", "a.csv", "--method"};
  const auto with = [&](const char* method) {
    Words words = run;
    words.emplace_back(method);
    return words;
  };
  expect_refusal(with("verlet"), "or are not known: [equations] do not say which states are positions");
  expect_refusal(with("rattle"), "method 'rattle' needs constraints");
  expect_refusal(with("cf4"), "method 'cf4' needs the Lie-group action");
}

TEST_F(CliEquations, AreListed) {
  const std::string quantities = catena({"list", "quantities"}).out;
  for (const char* name : {"<state>", "lo_<state>", "<invariant>", "<invariant>_error"})
    EXPECT_NE(quantities.find(name), std::string::npos) << name;
  const std::string keys = catena({"list", "keys"}).out;
  EXPECT_NE(keys.find("invariants"), std::string::npos);
  const Json schema = Json::parse(catena({"schema"}).out);
  EXPECT_EQ(schema["properties"]["equations"]["required"], Json::array({"states", "dot"}));
  const Json& parameter =
      schema["properties"]["equations"]["properties"]["parameters"]["additionalProperties"];
  EXPECT_EQ(parameter["anyOf"].size(), 2u);  // numbers, and formulas of them
  for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_EQ(catena({"completion", shell}).status, 0);
  const std::string scenes = catena({"list", "scenes"}).out;
  for (const char* name : {"lorenz", "henon-heiles"}) EXPECT_NE(scenes.find(name), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
