// catena sweep, merge, list sweeps, and plots of sweeps.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catena/io/record/sweep_file.h"
#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kPlan = R"([sweep]
scene = "double-pendulum"
set = ["simulation.duration=2", "simulation.tolerance=1e-10"]

[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-180 deg"
to = "180 deg"
count = 12

[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-180 deg"
to = "180 deg"
count = 8

[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
stop = true

[[sweep.measures]]
column = "theta_1"
)";

class CliSweep : public Workplace {
 protected:
  CliSweep() { write("plan.toml", kPlan); }

  Json summary(const Words& words) {
    Words all = words;
    all.emplace_back("--json");
    const Result result = catena(all);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  std::string hash(const Words& words) { return summary(words)["hash"]; }

  void expect_refusal(const Words& words, const std::string& expected) {
    const std::set<std::string> before = files();
    const Result result = catena(words);
    EXPECT_EQ(result.status, 2) << expected << result.out;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(files(), before) << expected;
  }
  void change(const std::string& from, const std::string& to) {
    std::string text = kPlan;
    text.replace(text.find(from), from.size(), to);
    write("plan.toml", text);
  }
};

TEST_F(CliSweep, GivesTheSameArraysByThreadsFormatsAndShards) {
  const Json whole = summary({"sweep", "plan.toml", "-o", "a.h5", "--threads", "1"});
  EXPECT_EQ(whole["cases"], 96);
  EXPECT_EQ(whole["failed"], 0);
  EXPECT_EQ(whole["device"], "cpu");
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "b.npz", "--threads", "3"}), whole["hash"]);
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "c.csv"}), whole["hash"]);
  EXPECT_EQ(whole["lanes"], 4);
  for (const char* lanes : {"1", "8"})
    EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "l.h5", "--lanes", lanes}), whole["hash"]) << lanes;
  for (const char* part : {"1", "2", "3"})
    catena({"sweep", "plan.toml", "--shard", std::string(part) + "/3", "-o", std::string("s") + part + ".h5",
            "-q"});
  EXPECT_EQ(hash({"merge", "s3.h5", "s1.h5", "s2.h5", "-o", "m.h5"}), whole["hash"]);
  const SweepFile a = read_sweep_file(path("a.h5").string());
  for (const char* other : {"b.npz", "c.csv", "m.h5"}) {
    const SweepFile b = read_sweep_file(path(other).string());
    EXPECT_EQ(b.results.status, a.results.status) << other;
    EXPECT_EQ(b.results.shape, (std::vector<std::size_t>{12, 8})) << other;
    EXPECT_TRUE(b.info.is_same_sweep(a.info)) << other;
    EXPECT_EQ(b.info.axes[1].values, a.info.axes[1].values) << other;
    EXPECT_EQ(b.results.measures[1], a.results.measures[1]) << other;
  }
  EXPECT_FALSE(has("a.h5.part"));
}

TEST_F(CliSweep, OfAMechanismGivesTheSameArraysInLanesByThreadsShardsAndResumed) {
  write("plan.toml",
        "[sweep]\nscene = \"four-bar\"\nset = [\"simulation.duration=2\"]\n"
        "[[sweep.vary]]\nkey = \"joints.1.rate\"\nfrom = 2.0\nto = 12.0\ncount = 5\n"
        "[[sweep.vary]]\nkey = \"bodies.2.mass\"\nvalues = [0.5, 2.0]\n"
        "[[sweep.measures]]\ncolumn = \"z_coupler\"\nwhat = \"max\"\n"
        "[[sweep.measures]]\nname = \"round\"\nevent = \"angle_drive - 3\"\n"
        "[[sweep.measures]]\ncolumn = \"fx_pivot\"\n");
  const Json whole = summary({"sweep", "plan.toml", "-o", "a.h5", "--threads", "1"});
  EXPECT_EQ(whole["failed"], 0);
  EXPECT_EQ(whole["lanes"], 4);
  EXPECT_FALSE(whole.contains("not_in_lanes"));
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "b.npz", "--threads", "3"}), whole["hash"]);
  for (const char* lanes : {"1", "8"})
    EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "l.h5", "--lanes", lanes}), whole["hash"]) << lanes;
  for (const char* part : {"1", "2"})
    catena({"sweep", "plan.toml", "--shard", std::string(part) + "/2", "-o", std::string("s") + part + ".h5",
            "-q"});
  EXPECT_EQ(hash({"merge", "s2.h5", "s1.h5", "-o", "m.h5"}), whole["hash"]);
  SweepFile file = read_sweep_file(path("a.h5").string());
  for (std::size_t i = 3; i < 10; ++i) file.results.status[i] = CaseStatus::not_computed;
  write_sweep_file(file, path("cut.h5").string());
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "cut.h5", "--resume"}), whole["hash"]);
}

TEST_F(CliSweep, GoesOnAfterAKillAtAnyMoment) {
  change("duration=2", "duration=30");
  const std::string whole = hash({"sweep", "plan.toml", "-o", "whole.h5"});
  for (const double computed : {1.0, 20.0, 60.0}) {
    const pid_t child = start({"sweep", "plan.toml", "-o", "cut.h5", "--resume", "-q", "--threads", "2"});
    eventually([&] {
      try {
        return static_cast<double>(look_into_journal(path("cut.h5.part").string()).computed) >= computed ||
               has("cut.h5");
      } catch (const std::exception&) {
        return false;
      }
    });
    ::kill(child, SIGKILL);
    wait_for(child);
    if (has("cut.h5")) break;
  }
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "cut.h5", "--resume"}), whole);
  EXPECT_FALSE(has("cut.h5.part"));
  const Result again = catena({"sweep", "plan.toml", "-o", "cut.h5", "--resume"});
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("96 of 96 cases were there already"), std::string::npos) << again.err;
}

TEST_F(CliSweep, KeepsWhatThereIsWhenInterrupted) {
  change("duration=2", "duration=200");
  const pid_t child = start({"sweep", "plan.toml", "-o", "cut.h5", "-q", "--threads", "1"});
  ASSERT_TRUE(eventually([&] {
    try {
      return look_into_journal(path("cut.h5.part").string()).computed > 0;
    } catch (const std::exception&) {
      return false;
    }
  }));
  ::kill(child, SIGINT);
  EXPECT_EQ(wait_for(child).status, 130);
  const SweepFile cut = read_sweep_file(path("cut.h5").string());
  EXPECT_GT(cut.results.counted(CaseStatus::done), 0u);
  EXPECT_GT(cut.results.counted(CaseStatus::not_computed), 0u);
  EXPECT_EQ(Json::parse(cut.info.summary_json)["outcome"], "interrupted");
}

TEST_F(CliSweep, SaysWhyCasesDoNotGoInLanes) {
  const Json found = summary({"sweep", "plan.toml", "-o", "a.h5", "--method", "dop853"});
  EXPECT_NE(found["not_in_lanes"].get<std::string>().find("dop853"), std::string::npos);
  EXPECT_FALSE(found.contains("lanes"));
  const Result said = catena({"sweep", "plan.toml", "-o", "b.h5", "--method", "dop853"});
  EXPECT_NE(said.out.find("not side by side in lanes: method 'dop853'"), std::string::npos) << said.out;
  expect_refusal({"sweep", "plan.toml", "-o", "c.h5", "--lanes", "3"}, "there are 1, 4 and 8");
}

// Warnings of cases are counted, whoever computes them; what all are warned of is said once, at the
// beginning.
TEST_F(CliSweep, SaysWhatItsCasesAreWarnedOf) {
  const Words loose{"sweep",       "plan.toml", "--method", "dopri5",
                    "--tolerance", "1e-2",      "--set",    "chain.links.1.drag_area=0.1"};
  const auto with = [&](const Words& more) {
    Words all = loose;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Json whole = summary(with({"-o", "a.h5"}));
  ASSERT_EQ(whole["warnings"].size(), 1u) << whole["warnings"].dump();
  EXPECT_NE(whole["warnings"][0]["text"].get<std::string>().find("the balance of energy is kept to"),
            std::string::npos);
  EXPECT_GT(whole["warnings"][0]["cases"], 20);
  EXPECT_EQ(whole["failed"], 0);
  EXPECT_EQ(summary(with({"-o", "b.npz", "--threads", "1"}))["warnings"], whole["warnings"]);
  summary(with({"-o", "p1.h5", "--shard", "1/2"}));
  summary(with({"-o", "p2.h5", "--shard", "2/2"}));
  const Json merged = summary({"merge", "p1.h5", "p2.h5", "-o", "m.h5"});
  EXPECT_EQ(merged["warnings"], whole["warnings"]);
  EXPECT_EQ(merged["hash"], whole["hash"]);
  const Result said = catena(with({"-o", "c.csv"}));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_NE(said.err.find("of 96 cases, first in case"), std::string::npos) << said.err;
  EXPECT_TRUE(summary({"sweep", "plan.toml", "-o", "d.h5"})["warnings"].empty());
}

// Lagrangian systems, in lanes as one after the other: x = cos(sqrt(k) t).
TEST_F(CliSweep, TakesLagrangians) {
  write("l.toml",
        "[simulation]\nduration = 2\n[lagrangian]\ncoordinates = { x = 1.0 }\nparameters = { k = 1 }\n"
        "kinetic = \"x'^2/2\"\npotential = \"k*x^2/2\"\n[sweep]\nvary = [{ key = "
        "\"lagrangian.parameters.k\", values = [1, 2.25, 4, 9] }]\nmeasures = [{ name = \"x\", column = "
        "\"x\" }]\n");
  ASSERT_EQ(catena({"sweep", "l.toml", "-o", "l.csv", "-q"}).status, 0);
  std::istringstream lines(read("l.csv"));
  std::vector<double> found;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) == 0) continue;
    found.push_back(std::stod(line.substr(line.find(',') + 1)));
  }
  ASSERT_EQ(found.size(), 4u) << read("l.csv");
  const double rates[] = {1.0, 1.5, 2.0, 3.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], std::cos(2.0 * rates[i]), 1e-14) << i;
}

TEST_F(CliSweep, TakesItsShardFromTheEnvironment) {
  const std::string whole = hash({"sweep", "plan.toml", "-o", "whole.h5"});
  const std::string program = CATENA_BINARY;
  for (const char* line : {"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2", "PMI_RANK=1 PMI_SIZE=2"})
    EXPECT_EQ(shell(std::string(line) + " '" + program + "' sweep plan.toml -o p.h5 -q").status, 0);
  EXPECT_EQ(hash({"merge", "p.1-of-2.h5", "p.2-of-2.h5", "-o", "p.h5"}), whole);
  EXPECT_EQ(shell("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=1 '" + program +
                  "' sweep plan.toml -o q.h5 -q")
                .status,
            0);
  EXPECT_TRUE(has("q.h5"));
}

TEST_F(CliSweep, RefusesWhatDoesNotFitTheFileToResume) {
  catena({"sweep", "plan.toml", "-o", "a.h5", "-q"});
  change("count = 8", "count = 9");
  expect_refusal({"sweep", "plan.toml", "-o", "a.h5", "--resume"}, "is of another plan or scene");
  write("run.h5", "something else");
  expect_refusal({"sweep", "plan.toml", "-o", "run.h5", "--resume"}, "is no file of a sweep");
}

// A sweep that another build began, as far as it shows: a bit of a case is not what is computed now.
TEST_F(CliSweep, NoticesThatWhatItGoesOnWithHasOtherBits) {
  const auto cut = [&](const Words& more, bool changed) {
    Words words{"sweep", "plan.toml", "-o", "cut.h5"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string whole = hash(words);
    SweepFile file = read_sweep_file(path("cut.h5").string());
    for (std::size_t i = 60; i < 96; ++i) file.results.status[i] = CaseStatus::not_computed;
    double& number = file.results.measures[1][changed ? 59 : 70];
    number = std::nextafter(number, 10.0);
    write_sweep_file(file, path("cut.h5").string());
    return whole;
  };
  const std::string whole = cut({}, false);
  EXPECT_EQ(hash({"sweep", "plan.toml", "-o", "cut.h5", "--resume"}), whole);
  cut({}, true);
  expect_refusal(
      {"sweep", "plan.toml", "-o", "cut.h5", "--resume"},
      "was begun by another build of catena, or on another machine, whose numbers differ: theta_1 of "
      "case 59 was ");
  EXPECT_FALSE(has("cut.h5.part"));
  // Bits are promised in lanes; elsewhere it is said.
  const Words other{"--method", "dop853"};
  cut(other, true);
  const Result told =
      catena({"sweep", "plan.toml", "-o", "cut.h5", "--resume", "--json", "--method", "dop853"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.err.find("was begun by another build"), std::string::npos) << told.err;
  EXPECT_NE(Json::parse(told.out)["other_bits"].get<std::string>().find("case 59"), std::string::npos);
}

TEST_F(CliSweep, RefusesShardsThatDoNotMakeAWhole) {
  for (const char* part : {"1", "2", "3"})
    catena({"sweep", "plan.toml", "--shard", std::string(part) + "/3", "-o", std::string("s") + part + ".h5",
            "-q"});
  expect_refusal({"merge", "s1.h5", "s3.h5", "-o", "m.h5"}, "a shard is missing");
  catena({"sweep", "plan.toml", "--duration", "3", "--shard", "2/3", "-o", "other.h5", "-q"});
  expect_refusal({"merge", "s1.h5", "other.h5", "s3.h5", "-o", "m.h5"},
                 "is of another plan or scene than s1.h5");
  expect_refusal({"merge", "s1.h5", "none.h5", "-o", "m.h5"}, "is not there");
}

TEST_F(CliSweep, IsRefusedWhileAnotherProcessIsAtIt) {
  change("duration=2", "duration=300");
  const pid_t child = start({"sweep", "plan.toml", "-o", "a.h5", "-q", "--threads", "1"});
  ASSERT_TRUE(eventually([&] { return has("a.h5.part"); }));
  const Result second = shell(std::string("'") + CATENA_BINARY + "' sweep plan.toml -o a.h5 --resume");
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("another process is at work"), std::string::npos) << second.err;
  ::kill(child, SIGKILL);
  wait_for(child);
  const Result third = catena({"sweep", "plan.toml", "-o", "a.h5"});
  EXPECT_EQ(third.status, 2);
  EXPECT_NE(third.err.find("--resume goes on with it"), std::string::npos) << third.err;
}

TEST_F(CliSweep, NamesAllMistakesOfAPlanWithTheirPlaces) {
  write("plan.toml", R"([sweep]
scene = "double-pendulum"
seeed = 1
[[sweep.vary]]
key = "chain.links.1.thta"
from = 0
to = "30 degs"
[[sweep.measures]]
colum = "theta_1"
)");
  const Result result = catena({"sweep", "plan.toml"});
  EXPECT_EQ(result.status, 2);
  for (const char* said :
       {"plan.toml:3:1", "did you mean 'seed'", "plan.toml:7:6", "count is missing", "did you mean 'column"})
    EXPECT_NE(result.err.find(said), std::string::npos) << said << "\n" << result.err;
  write("plan.toml", R"([sweep]
scene = "double-pendulum"
[[sweep.vary]]
key = "chain.links.1.thta"
values = [1]
[[sweep.measures]]
column = "theta_1"
)");
  expect_refusal({"sweep", "plan.toml"},
                 "plan.toml:4:7: axis 'thta': chain.links.1.thta: chain.links.1 has no 'thta'");
}

TEST_F(CliSweep, SaysBeforeItStartsThatAGridIsBeyondMemory) {
  change("count = 12", "count = 1000000");
  std::string text = read("plan.toml");
  text.replace(text.find("count = 8"), 9, "count = 1000000");
  write("plan.toml", text);
  expect_refusal({"sweep", "plan.toml"}, "GiB, and this machine has");
}

TEST_F(CliSweep, PlansAreSetLikeScenes) {
  const Json other = summary({"sweep", "plan.toml", "-o", "a.h5", "--set", "sweep.vary.a.count=5", "--set",
                              "sweep.vary.2.from=0", "--set", "sweep.measures.flip.stop=false"});
  EXPECT_EQ(other["cases"], 40);
  const SweepFile file = read_sweep_file(path("a.h5").string());
  EXPECT_EQ(file.info.axes[1].values.front(), 0.0);
  expect_refusal({"sweep", "plan.toml", "--set", "sweep.vary.c.count=5"}, "there is no 'c' in sweep.vary");
  expect_refusal({"sweep", "plan.toml", "--set", "sweep.vary.a.cuont=5"}, "did you mean 'count'");
}

TEST_F(CliSweep, RefusesArgumentsThatMakeNoSense) {
  expect_refusal({"sweep"}, "needs a plan");
  expect_refusal({"sweep", "flip-mpa"}, "did you mean 'flip-map'");
  expect_refusal({"sweep", "plan.toml", "--shard", "0/3"}, "must be i/n");
  expect_refusal({"sweep", "plan.toml", "--shard", "2/200"}, "there are only 96 cases");
  expect_refusal({"sweep", "plan.toml", "-o", "a.txt"}, "cannot tell the format");
  expect_refusal({"sweep", "plan.toml", "--device", "gqu"}, "did you mean 'gpu'");
  expect_refusal({"sweep", "coupler-curves", "--device", "gpu"}, "this sweep is not computed on a GPU");
  expect_refusal({"sweep", "plan.toml", "--submit", "slurm"}, "needs --shards N");
  expect_refusal({"sweep", "plan.toml", "--set", "chain.links.9.mass=1"}, "no item 9");
}

TEST_F(CliSweep, TellsHowFarItIs) {
  EXPECT_NE(catena({"sweep", "plan.toml", "-o", "a.h5", "--status"}).out.find("nothing computed yet, of 96"),
            std::string::npos);
  catena({"sweep", "plan.toml", "-q", "--shard", "1/2", "-o", "a.1-of-2.h5"});
  const std::string half = catena({"sweep", "plan.toml", "-o", "a.h5", "--status"}).out;
  EXPECT_NE(half.find("48 of 96 cases (50.0 %)"), std::string::npos) << half;
  EXPECT_NE(half.find("shard 2: not begun"), std::string::npos) << half;
}

TEST_F(CliSweep, RunOfAPlanRunsItsSceneAndSaysSo) {
  const Result named = catena({"run", "plan.toml", "-o", "r.csv", "-q"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_NE(named.err.find("is the plan of a sweep"), std::string::npos) << named.err;
  write("around.toml",
        "[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n[sweep]\n"
        "[[sweep.vary]]\nkey = \"chain.links.1.theta\"\nvalues = [1, 2]\n"
        "[[sweep.measures]]\ncolumn = \"theta_1\"\n");
  const Result around = catena({"run", "around.toml", "-o", "s.csv", "-q"});
  EXPECT_EQ(around.status, 0) << around.err;
  EXPECT_NE(around.err.find("[sweep] is left aside"), std::string::npos) << around.err;
  const Result swept = catena({"sweep", "around.toml", "-o", "s.h5"});
  EXPECT_EQ(swept.status, 0);
  EXPECT_EQ(swept.err.find("left aside"), std::string::npos) << swept.err;
}

TEST_F(CliSweep, NoPartIsWrittenOverAnother) {
  EXPECT_EQ(catena({"sweep", "plan.toml", "-o", "a.h5", "-q", "--shard", "1/3"}).status, 0);
  expect_refusal({"sweep", "plan.toml", "-o", "a.h5", "--shard", "2/3"},
                 "has another part of this sweep, cases 0 to 31");
  EXPECT_EQ(catena({"sweep", "plan.toml", "-o", "a.h5", "-q", "--shard", "1/3"}).status, 0);
  const std::string said = catena({"sweep", "plan.toml", "-o", "a.h5", "--status"}).out;
  EXPECT_NE(said.find("a.h5, a part of 96 cases: 32 of 32 cases"), std::string::npos) << said;
}

TEST_F(CliSweep, IsDrawn) {
  catena({"sweep", "plan.toml", "-o", "a.h5", "-q"});
  EXPECT_EQ(catena({"plot", "a.h5", "-o", "map", "-q"}).status, 0);
  for (const char* file :
       {"map/flip.png", "map/flip.svg", "map/theta_1.png", "map/index.html", "map/zoom.html"})
    EXPECT_TRUE(has(file)) << file;
  EXPECT_EQ(read("map/zoom.html").find("src=\"http"), std::string::npos);  // it needs nothing else
  // Each number on its axes stands where the map has it.
  if (std::system("node --version > /dev/null 2>&1") == 0) {
    const std::string script = "node " + std::string(CATENA_SOURCE_DIR) + "/tests/cli/zoom_axes.mjs ";
    EXPECT_EQ(
        std::system((script + path("map/zoom.html").string() + " > " + path("axes.txt").string()).c_str()),
        0);
    std::istringstream counts(read("axes.txt"));
    int whole = 0, closer = 0;
    counts >> whole >> closer;
    EXPECT_GE(whole, 6);
    EXPECT_GE(closer, 4);
  }
  catena({"sweep", "plan.toml", "-o", "part.h5", "-q", "--shard", "1/2"});
  expect_refusal({"plot", "part.h5", "-o", "no"}, "is one shard of a sweep");
}

TEST_F(CliSweep, EveryShippedPlanIsListedAndReads) {
  const Json list = Json::parse(catena({"list", "sweeps", "--json"}).out);
  EXPECT_GE(list.size(), 5u);
  for (const Json& one : list) {
    const Result result = catena({"sweep", one["name"].get<std::string>(), "--status"});
    EXPECT_EQ(result.status, 0) << one["name"] << result.err;
    EXPECT_NE(result.out.find("nothing computed yet"), std::string::npos) << result.out;
  }
}

}  // namespace
}  // namespace catena::testing
