// `catena compare`: numbers that are known, refusals, files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena {
namespace {

using nlohmann::json;

using testing::Result;

class CliCompare : public testing::Workplace {};

TEST_F(CliCompare, MeasuresErrorsAndOrdersAgainstAReference) {
  const Result result =
      catena({"compare", "double-pendulum", "--duration", "2", "--methods", "rk4,dopri5,taylor", "--steps",
              "4e-3,2e-3,1e-3", "--tolerances", "1e-6,1e-12", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json all = json::parse(result.out);
  EXPECT_LT(all["reference_error"], 1e-11);
  ASSERT_EQ(all["runs"].size(), 7u);
  EXPECT_NEAR(all["fitted_orders"]["rk4"], 4.0, 0.3);
  EXPECT_FALSE(all["fitted_orders"].contains("taylor"));
  for (const json& run : all["runs"]) {
    if (run["method"] == "rk4") {
      EXPECT_EQ(run["steps"], std::lround(2.0 / run["step"].get<double>()));
    }
    if (run["method"] == "taylor" && run["tolerance"] == 1e-12) {
      EXPECT_LT(run["final_error"], 1e-9);
    }
  }
}

TEST_F(CliCompare, RefusesMethodsThatCannotDoTheSceneJustice) {
  const Result unknown = catena({"compare", "double-pendulum", "--methods", "rk5,taylr"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("unknown method 'rk5'"), std::string::npos);
  EXPECT_NE(unknown.err.find("did you mean 'taylor'?"), std::string::npos);
  const Result verlet = catena({"compare", "double-pendulum", "--methods", "verlet,yoshida4"});
  EXPECT_EQ(verlet.status, 2);
  EXPECT_NE(verlet.err.find("verlet"), std::string::npos);
  EXPECT_EQ(catena({"compare", "double-pendulum"}).status, 2);
}

TEST_F(CliCompare, GoesOnWithoutMethodsThatDoNotApplyAndSaysSo) {
  const std::vector<std::string> words{"compare",   "double-pendulum",   "--duration", "0.5",
                                       "--methods", "verlet,rk4,taylor", "--steps",    "1e-2"};
  const Result table = catena(words);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("verlet, step 0.01  does not apply: method 'verlet' needs"), std::string::npos)
      << table.out;
  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  const json all = json::parse(catena(as_json).out);
  ASSERT_GE(all["runs"].size(), 2u);
  EXPECT_EQ(all["runs"][0]["method"], "rk4");
  for (const json& run : all["runs"]) EXPECT_NE(run["method"], "verlet");
  ASSERT_EQ(all["left_out"].size(), 1u);
  EXPECT_EQ(all["left_out"][0]["method"], "verlet");
  EXPECT_NE(all["left_out"][0]["reason"].get<std::string>().find("accelerations"), std::string::npos);
}

// The same motion in other coordinates: roundoff apart, which two seconds stretch a hundredfold.
TEST_F(CliCompare, FormulationsAreCases) {
  const std::vector<std::string> names{"tension", "articulated", "angles", "chart", "lie", "multibody"};
  const Result result =
      catena({"compare", "double-pendulum", "--duration", "2", "--formulations",
              "tension,articulated,angles,chart,lie,multibody", "--tolerances", "1e-15", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json all = json::parse(result.out);
  ASSERT_EQ(all.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(all[i]["case"], names[i]);
    ASSERT_EQ(all[i]["runs"].size(), 1u);
    EXPECT_EQ(all[i]["runs"][0]["method"], "taylor");
    EXPECT_LT(all[i]["runs"][0]["final_error"], 1e-11) << names[i];
    EXPECT_EQ(all[i]["reference"], all[0]["reference"]) << "one reference for all";
  }
  const Result wrong = catena({"compare", "double-pendulum", "--formulations", "tension,angels"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("angels"), std::string::npos) << wrong.err;
}

TEST_F(CliCompare, FillsAFolder) {
  const Result result = catena({"compare", "double-pendulum", "--duration", "0.5", "--methods", "euler,rk4",
                                "--steps", "1e-2", "-o", "out", "--no-video", "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* file : {"out/compare.json", "out/compare.csv", "out/compare.png", "out/accuracy.png",
                           "out/index.html", "out/euler/run.h5", "out/rk4/run.h5", "out/rk4/index.html"}) {
    EXPECT_TRUE(std::filesystem::exists(path(file))) << file;
  }
}

// The published experiment: 52 accepted steps for two links, as many of the fixed-step method, and its
// errors.
TEST_F(CliCompare, TheStudyOfTheHorizontalChainHasThePublishedSteps) {
  const Result listed = catena({"list", "studies"});
  EXPECT_NE(listed.out.find("horizontal-chain"), std::string::npos);
  const Result result = catena({"compare", "horizontal-chain", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json cases = json::parse(result.out);
  ASSERT_EQ(cases.size(), 6u);
  for (const json& one : cases) {
    ASSERT_EQ(one["runs"].size(), 2u);
    EXPECT_EQ(one["runs"][0]["method"], "rkmk54");
    EXPECT_EQ(one["runs"][1]["method"], "rkmk5");
    EXPECT_NEAR(one["runs"][1]["steps"].get<double>(), one["runs"][0]["steps"].get<double>(), 1.0);
  }
}

}  // namespace
}  // namespace catena
