// catena run: what it records, says and returns.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using CliRun = Workplace;

const std::vector<std::string> kContractKeys = {"method",
                                                "order",
                                                "steps",
                                                "rejected",
                                                "evaluations",
                                                "setup_seconds",
                                                "step_seconds",
                                                "wall_seconds",
                                                "peak_memory_bytes",
                                                "simulated_seconds",
                                                "energy_initial",
                                                "energy_final",
                                                "energy_scale",
                                                "energy_error_relative",
                                                "constraint_error",
                                                "degrees_of_freedom",
                                                "outcome"};

// A run that would take days.
const std::vector<std::string> kEndless = {
    "run",  "horizontal-chain-100", "--duration",      "1e6",       "--sample",
    "0.01", "--quantities",         "position,energy", "--progress"};

TEST_F(CliRun, WithoutOutputItWritesAFileNamedLikeTheScene) {
  const Result result = catena({"run", "pendulum", "--duration", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(files(), std::set<std::string>{"pendulum.h5"});
  EXPECT_TRUE(result.out.starts_with("pendulum: 1 link, 1 degree of freedom, 1 s simulated in "))
      << result.out;
  EXPECT_NE(result.out.find("wrote pendulum.h5 (101 rows, "), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
}

TEST_F(CliRun, QuietSaysNothing) {
  const Result result = catena({"run", "pendulum", "--duration", "1", "--quiet"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(CliRun, TheSummaryHasEveryKeyOfTheContract) {
  const Result result = catena({"run", "double-pendulum", "--duration", "2", "--json"});
  EXPECT_EQ(result.status, 0);
  const auto summary = nlohmann::json::parse(result.out);
  for (const std::string& key : kContractKeys) EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["outcome"], "done");
  EXPECT_EQ(summary["simulated_seconds"], 2.0);
  EXPECT_GT(summary["setup_seconds"], 0.0);
  EXPECT_GT(summary["peak_memory_bytes"], 1e6);
  EXPECT_LT(summary["energy_error_relative"], 1e-12);
}

TEST_F(CliRun, SeveralOutputsHoldTheSameBits) {
  const Result result = catena({"run", "demo", "--duration", "1", "-o", "a.h5", "-o", "a.csv", "-o", "a.json",
                                "-o", "a.npz", "-o", "-"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(files(), (std::set<std::string>{"a.h5", "a.csv", "a.json", "a.npz"}));
  const Recorded first = recorded(path("a.h5"));
  EXPECT_EQ(first.times.size(), 101u);
  for (const char* other : {"a.csv", "a.json", "a.npz"}) EXPECT_EQ(recorded(path(other)), first) << other;
  EXPECT_EQ(result.out, read("a.csv"));
}

TEST_F(CliRun, OnStandardOutputThereIsOnlyCsv) {
  const Result result = catena({"run", "demo", "--duration", "0.1", "--quantities", "energy", "-o", "-"});
  EXPECT_EQ(result.status, 0);
  std::istringstream lines(result.out);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#' || line == "t,energy") continue;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 1) << line;
    EXPECT_EQ(line.find_first_not_of("0123456789.,e+-"), std::string::npos) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 11);
  EXPECT_NE(result.err.find("demo: 5 links"), std::string::npos);
  EXPECT_TRUE(files().empty());
}

TEST_F(CliRun, AReaderThatHasSeenEnoughEndsTheRunQuietly) {
  const Result result = shell("'" CATENA_BINARY
                              "' run horizontal-chain-100 --duration 1e6 -o - | head -n 5 > head; echo "
                              "${PIPESTATUS[0]}");
  EXPECT_EQ(result.out, "130\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(CliRun, TimesGiveExactlyTheseRows) {
  for (const char* other : {"3,0.1,1", "1,1,3"}) {
    const Result result = catena({"run", "demo", "--times", other, "-o", "a.csv"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("times must grow from one to the next"), std::string::npos) << result.err;
  }
  const Result result = catena({"run", "demo", "--times", "0.1,1,3", "-o", "a.csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(recorded(path("a.csv")).times, (std::vector<double>{0.1, 1, 3}));
  EXPECT_EQ(catena({"run", "demo", "--times", "0", "-o", "b.csv"}).status, 0);
  EXPECT_EQ(recorded(path("b.csv")).times, std::vector<double>{0});
}

TEST_F(CliRun, OptionsOverrideTheScene) {
  const Result result =
      catena({"run", "demo", "--set", "chain.links.*.mass=2", "--set", "simulation.duration=7", "--duration",
              ".5", "--sample", "0.25", "--method", "rk4", "--step", "1e-3", "--json", "--quantities",
              "theta,energy", "--quantities", "x_2"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto summary = nlohmann::json::parse(result.out);
  EXPECT_EQ(summary["method"], "rk4");
  EXPECT_EQ(summary["steps"], 500);
  const Recorded run = recorded(path("demo.h5"));
  EXPECT_EQ(run.times, (std::vector<double>{0, 0.25, 0.5}));
  EXPECT_EQ(run.columns, (std::vector<std::string>{"t", "x_2", "theta_1", "theta_2", "theta_3", "theta_4",
                                                   "theta_5", "energy"}));
}

TEST_F(CliRun, ASceneMayComeFromStandardInput) {
  const std::string scene =
      R"({"simulation": {"duration": 1}, "chain": {"links": [{"length": 1, "mass": 1}]}})";
  EXPECT_EQ(catena({"run", "-"}, scene).status, 0);
  EXPECT_EQ(files(), std::set<std::string>{"scene.h5"});
}

TEST_F(CliRun, AFileComesBeforeAShippedSceneAFolderDoesNot) {
  std::filesystem::create_directory(path("demo"));
  EXPECT_NE(catena({"check", "demo"}).out.find("degrees of freedom  10"), std::string::npos);
  std::filesystem::remove(path("demo"));
  write("demo", "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n");
  EXPECT_NE(catena({"check", "demo"}).out.find("degrees of freedom  1\n"), std::string::npos);
}

TEST_F(CliRun, TheClassicConfigWritesTheFileItNamesWithOneRowMoreThanSteps) {
  write("config.toml", R"(filename = "swing"
[system.sim]
g = 9.81
timedelta = 0.01
steps = 150
[[system.sim.pendula]]
length = 1.0
mass = 1.0
theta = [0.5, "p"]
phi = [30, "d"]
thetadot = [0, "r"]
phidot = [0, "r"]
zPole = true
)");
  const Result result = catena({"run", "config.toml"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(files(), (std::set<std::string>{"config.toml", "swing.h5"}));
  EXPECT_EQ(recorded(path("swing.h5")).times.size(), 151u);
}

TEST_F(CliRun, EveryShippedSceneIsValidAndRuns) {
  const auto scenes = nlohmann::json::parse(catena({"list", "scenes", "--json"}).out);
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/scenes")) {
    count += file.path().extension() == ".toml" ? 1 : 0;
  }
  EXPECT_EQ(scenes.size(), count);
  for (const auto& scene : scenes) {
    const std::string name = scene["name"];
    EXPECT_EQ(catena({"check", name}).status, 0) << name;
    // To the end, but for the one that takes a minute.
    const bool is_mechanical = name != "lorenz" && name != "henon-heiles";
    std::vector<std::string> words{"run", name, "--quantities", is_mechanical ? "energy_error" : "states",
                                   "--json"};
    if (name == "thousand-links") words.insert(words.end(), {"--duration", "0.2"});
    const Result result = catena(words);
    EXPECT_EQ(result.status, 0) << result.err;
    const auto summary = nlohmann::json::parse(result.out);
    if (!is_mechanical) {  // equations have no energy
      EXPECT_TRUE(summary["energy_error_relative"].is_null()) << name;
      continue;
    }
    // Scenes that show another method have that method's error (rattle's oscillates by 2e-3). The shaken
    // pivot's phase, 800 rad at the end, is rounded to 1e-13, and 667 steps exchange 30 J each by it: 8e-11 J
    // of 35 J if roundoff is at random; 4e-11 J come out.
    const double bound = summary["method"] != "taylor" ? 1e-2 : name == "kapitza" ? 1e-11 : 1e-12;
    EXPECT_LT(summary["energy_error_relative"], bound) << name;
  }
}

TEST_F(CliRun, AFailureKeepsWhatWasComputed) {
  const Result result = catena(
      {"run", "double-pendulum", "--method", "euler", "--step", "0.5", "--duration", "1000", "-o", "a.csv"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find("rows are kept in a.csv"), std::string::npos) << result.err;
  EXPECT_EQ(files(), std::set<std::string>{"a.csv"});
  EXPECT_GT(recorded(path("a.csv")).times.size(), 1u);
  EXPECT_NE(read("a.csv").find("\"outcome\":\"failed\""), std::string::npos);
}

TEST_F(CliRun, AnInterruptKeepsWhatWasComputed) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = start(kEndless);
    ASSERT_TRUE(eventually([&] { return progress() > 0.05; }));  // five rows
    ::kill(child, signal);
    const Result result = wait_for(child);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_NE(result.err.find("interrupted at t = "), std::string::npos) << result.err;
    EXPECT_EQ(files(), std::set<std::string>{"horizontal-chain-100.h5"});
    EXPECT_GT(recorded(path("horizontal-chain-100.h5")).times.size(), 1u);
  }
}

TEST_F(CliRun, EndsQuietlyWhenNobodyReadsWhatItSays) {
  const Result result = shell("'" CATENA_BINARY "' run demo --duration 1 | true; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(result.out, "0\n");
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(has("demo.h5"));
}

TEST_F(CliRun, WhatARunThatWasCutOffLeftBehindIsNotOverwrittenUnasked) {
  write("a.csv.part", "left behind");
  const Result refused = catena({"run", "pendulum", "-o", "a.csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("catena run --resume a.csv.part"), std::string::npos) << refused.err;
  EXPECT_EQ(read("a.csv.part"), "left behind");
  EXPECT_EQ(catena({"run", "pendulum", "-o", "a.csv", "--force"}).status, 0);
  EXPECT_EQ(files(), std::set<std::string>{"a.csv"});
}

TEST_F(CliRun, LargeRecordingsAreAnnounced) {
  const pid_t child = start({"run", "horizontal-chain-100", "--duration", "1e4", "-o", "a.h5"});
  ASSERT_TRUE(eventually([&] { return has("a.h5.part"); }));
  ::kill(child, SIGINT);
  const Result result = wait_for(child);
  EXPECT_NE(result.err.find("note: this records about "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--quantities position,energy"), std::string::npos);
}

TEST_F(CliRun, ALimitOnFilesIsAFailureThatKeepsWhatWasComputed) {
  const Result result = shell("ulimit -f 300; '" CATENA_BINARY "' run demo --duration 100 -o a.csv");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("ulimit -f"), std::string::npos) << result.err;
  EXPECT_GT(recorded(path("a.csv.part")).times.size(), 1u);
}

TEST_F(CliRun, AFullDiskForStandardOutputIsAFailure) {
  const Result result = shell("'" CATENA_BINARY "' run demo -o - > /dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace catena::testing
