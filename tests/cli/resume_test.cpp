// catena run --resume: the same bits as a run that was never interrupted.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

class CliResume : public Workplace {
 protected:
  Result done(const Words& arguments) {
    Result result = catena(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }

  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  void expect_refusal(const Words& arguments, const std::string& expected) {
    const std::set<std::string> before = files();
    const Result result = catena(arguments);
    EXPECT_EQ(result.status, 2) << expected;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(files(), before) << expected;
  }
};

struct Case {
  std::string name;
  std::vector<std::string> method;
};

class CliResumeWithMethod : public CliResume, public ::testing::WithParamInterface<Case> {};

TEST_P(CliResumeWithMethod, TwoHalvesGiveTheBitsOfTheWholeInEveryFormat) {
  for (const std::string scene : {"double-pendulum", "tree", "spherical-pendulum"}) {
    const Words start = joined({"run", scene, "--sample", "0.1"}, GetParam().method);
    done(joined(start, {"--duration", "10", "-o", "whole.h5"}));
    const Recorded whole = recorded(path("whole.h5"));
    EXPECT_EQ(whole.times.size(), 101u);
    for (const std::string file : {"half.h5", "half.csv", "half.json", "half.npz"}) {
      done(joined(start, {"--duration", "4", "-o", file}));
      done({"run", "--resume", file, "--duration", "10"});
      EXPECT_EQ(recorded(path(file)), whole) << scene << " " << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CliResumeWithMethod,
                         ::testing::Values(Case{"taylor", {}}, Case{"dop853", {"--method", "dop853"}},
                                           Case{"dopri5", {"--method", "dopri5"}},
                                           Case{"rk4", {"--method", "rk4", "--step", "3e-3"}},
                                           Case{"euler", {"--method", "euler", "--step", "1e-3"}}),
                         [](const auto& method) { return method.param.name; });

// Steps of free fall, and of what stands still until a force comes, do not depend on how long the run is.
TEST_F(CliResume, FreeFallAndRestGoOnWithTheSameBits) {
  write("slack.toml",
        "[chain]\nkind = \"elastic\"\nslack = true\n[[chain.links]]\nlength = 0.726\nmass = 0.477\ntheta = "
        "2.038\nphi = -0.104\ntheta_dot = -0.204\nphi_dot = 1.434\nstiffness = 71.066\nstretch = -0.037\n"
        "stretch_dot = 0.005\n[simulation]\nduration = 2\n");
  write("rest.toml",
        "[simulation]\nduration = 2\n[[chain.links]]\nlength = 0.7\nmass = 0.3\n[[forces]]\nkind = "
        "\"formula\"\nforce = [\"0.3*exp(-(50*(t - 1.3))^2)\", 0, 0]\n");
  write("fall.toml",
        "[simulation]\nduration = 2\nprecision = \"double-double\"\n[[bodies]]\nname = \"a\"\nshape = "
        "\"point\"\nmass = 1\nvelocity = [0.3, 0.1, 0.7]\n");
  for (const std::string scene : {"slack.toml", "rest.toml", "fall.toml"}) {
    done({"run", scene, "--sample", "0.25", "-o", "whole.h5"});
    done({"run", scene, "--sample", "0.25", "--duration", "1", "-o", "half.h5"});
    done({"run", "--resume", "half.h5", "--duration", "2"});
    EXPECT_EQ(recorded(path("half.h5")), recorded(path("whole.h5"))) << scene;
  }
}

TEST_F(CliResume, AKilledRunGoesOnWithTheSameBits) {
  const Words scene = {"horizontal-chain-100", "--sample", "0.01", "--quantities", "position,energy,theta"};
  const pid_t child = start(joined(joined({"run"}, scene), {"--duration", "1e6", "-o", "a.h5"}));
  ASSERT_TRUE(eventually([&] { return rows_in("a.h5.part") > 10; }));
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child).status, 128 + SIGKILL);
  EXPECT_EQ(files(), std::set<std::string>{"a.h5.part"});

  const Recorded before = recorded(path("a.h5.part"));
  const std::string duration = std::to_string(before.times.back() + 0.5);
  done({"run", "--resume", "a.h5.part", "--duration", duration});
  EXPECT_EQ(files(), std::set<std::string>{"a.h5"});
  done(joined(joined({"run"}, scene), {"--duration", duration, "-o", "whole.h5"}));
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("whole.h5")));
}

// Rows go to the disk together with the checkpoint that makes them worth keeping.
TEST_F(CliResume, TheFirstRowsOnTheDiskCanBeResumed) {
  const pid_t child = start({"run", "double-pendulum", "--duration", "1e9", "--sample", "1000", "-o", "a.h5",
                             "--quantities", "theta"});
  ASSERT_TRUE(eventually([&] { return rows_in("a.h5.part") > 1; }));
  ::kill(child, SIGKILL);
  wait_for(child);
  const auto reader = RunReader::open(path("a.h5.part").string());
  EXPECT_GT(reader->rows(), 1u);
  EXPECT_FALSE(reader->state().checkpoint.empty());
}

TEST_F(CliResume, AResumptionThatIsKilledCanBeResumedToo) {
  const Words scene = {"horizontal-chain-100", "--sample", "0.01", "--quantities", "position,energy"};
  done(joined(joined({"run"}, scene), {"--duration", "1", "-o", "a.h5"}));
  const std::string first = read("a.h5");
  const pid_t child = start({"run", "--resume", "a.h5", "--duration", "1e6"});
  ASSERT_TRUE(eventually([&] { return has("a.h5.part"); }));
  ::kill(child, SIGKILL);
  wait_for(child);
  EXPECT_EQ(read("a.h5"), first);
  expect_refusal({"run", "--resume", "a.h5", "--duration", "2"}, "--resume a.h5.part");
  EXPECT_GE(recorded(path("a.h5.part")).times.size(), 101u);
  done({"run", "--resume", "a.h5.part", "--duration", "2"});
  done(joined(joined({"run"}, scene), {"--duration", "2", "-o", "whole.h5"}));
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("whole.h5")));
  EXPECT_EQ(files(), (std::set<std::string>{"a.h5", "whole.h5"}));
}

TEST_F(CliResume, AnInterruptedRunGoesOnWithTheSameBits) {
  const pid_t child = start({"run", "horizontal-chain-100", "--duration", "1e6", "--sample", "0.01", "-o",
                             "a.csv", "--quantities", "theta,energies", "--progress"});
  ASSERT_TRUE(eventually([&] { return progress() > 0.0; }));
  ::kill(child, SIGINT);
  EXPECT_EQ(wait_for(child).status, 130);
  const std::string duration = std::to_string(recorded(path("a.csv")).times.back() + 0.2);
  done({"run", "--resume", "a.csv", "--duration", duration});
  done({"run", "horizontal-chain-100", "--sample", "0.01", "--duration", duration, "-o", "whole.csv",
        "--quantities", "theta,energies"});
  EXPECT_EQ(recorded(path("a.csv")), recorded(path("whole.csv")));
}

TEST_F(CliResume, TheEndRowOfAShorterRunGivesWayWhereItIsOffTheGrid) {
  done({"run", "demo", "--sample", "0.1", "--duration", "0.33", "-o", "a.h5"});
  EXPECT_EQ(recorded(path("a.h5")).times.back(), 0.33);
  done({"run", "--resume", "a.h5", "--duration", "1"});
  done({"run", "demo", "--sample", "0.1", "--duration", "1", "-o", "whole.h5"});
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("whole.h5")));
}

TEST_F(CliResume, ListedTimesGoOnToo) {
  done({"run", "demo", "--times", "1,2", "-o", "a.h5"});
  done({"run", "--resume", "a.h5", "--times", "1,2,4", "-o", "b.npz"});
  done({"run", "demo", "--times", "1,2,4", "-o", "whole.h5"});
  EXPECT_EQ(recorded(path("b.npz")), recorded(path("whole.h5")));
  expect_refusal({"run", "--resume", "a.h5", "--times", "0.5,4"}, "its rows are at other times");
  expect_refusal({"run", "--resume", "a.h5", "--times", "1,1.5,4"}, "has gone on to t = ");
}

TEST_F(CliResume, AChangeOfMethodIsRecordedAndKept) {
  done({"run", "demo", "--duration", "1", "-o", "a.h5"});
  done({"run", "--resume", "a.h5", "--duration", "2", "--method", "dop853"});
  const Result result =
      done({"run", "--resume", "a.h5", "--duration", "3", "--tolerance", "1e-12", "--json"});
  const auto summary = nlohmann::json::parse(result.out);
  EXPECT_EQ(summary["simulated_seconds"], 3.0);
  EXPECT_EQ(summary["rows"], 301);
  ASSERT_EQ(summary["changes"].size(), 2u);
  EXPECT_TRUE(
      summary["changes"][0]["from"].get<std::string>().starts_with("taylor, tolerance 1e-15, order "));
  EXPECT_EQ(summary["changes"][0]["to"], "dop853, tolerance 1e-10, order 8");
  EXPECT_EQ(summary["changes"][1]["to"], "dop853, tolerance 1e-12, order 8");
}

TEST_F(CliResume, AnotherStepOfAFixedStepMethodHolds) {
  done({"run", "pendulum", "--method", "rk4", "--step", "0.01", "--duration", "1", "-o", "a.h5"});
  const Result result = done({"run", "--resume", "a.h5", "--duration", "2", "--step", "0.001", "--json"});
  const auto summary = nlohmann::json::parse(result.out);
  EXPECT_NEAR(summary["steps"], 100 + 1000, 20);
  EXPECT_EQ(summary["changes"][0]["to"], "rk4, step 0.001");
}

TEST_F(CliResume, ARunThatHasAllThatIsAskedForIsHandedOver) {
  done({"run", "demo", "--duration", "2", "-o", "a.h5"});
  const std::string before = read("a.h5");
  EXPECT_NE(done({"run", "--resume", "a.h5"}).out.find("nothing to do"), std::string::npos);
  EXPECT_EQ(read("a.h5"), before);
  const Result result = done({"run", "--resume", "a.h5", "--duration", "1", "-o", "b.csv", "-o", "-"});
  EXPECT_EQ(recorded(path("b.csv")), recorded(path("a.h5")));
  EXPECT_EQ(result.out, read("b.csv"));
}

TEST_F(CliResume, TheSceneMayBeNamedIfItIsTheSame) {
  done({"run", "demo", "--duration", "1", "-o", "a.h5"});
  done({"run", "demo", "--resume", "a.h5", "--duration", "2"});
  expect_refusal({"run", "tree", "--resume", "a.h5", "--duration", "3"}, "other chains");
  expect_refusal({"run", "--resume", "a.h5", "--duration", "3", "--set", "chain.links.1.mass=2"},
                 "other chains");
  expect_refusal({"run", "--resume", "a.h5", "--duration", "3", "--set", "simulation.gravity=1"},
                 "another gravity");
  expect_refusal({"run", "--resume", "a.h5", "--duration", "3", "--sample", "0.02"},
                 "its rows are at other times");
  expect_refusal({"run", "--resume", "a.h5", "--duration", "3", "--quantities", "energy"},
                 "other quantities");
  expect_refusal({"run", "--resume", "missing.h5"}, "missing.h5");
  expect_refusal({"run", "--resume", "a.txt"}, "a.txt");
}

TEST_F(CliResume, ChosenQuantitiesStayChosen) {
  done(
      {"run", "demo", "--duration", "1", "-o", "a.h5", "--quantities", "energies,theta_2,position,fx_pivot"});
  done({"run", "--resume", "a.h5", "--duration", "2"});
  done({"run", "demo", "--duration", "2", "-o", "whole.h5", "--quantities",
        "energies,theta_2,position,fx_pivot"});
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("whole.h5")));
}

TEST_F(CliResume, AFileThatCannotBeMadeLeavesTheJournalToRecoverFrom) {
  // The disk is as good as full for the last file: its temporary name is taken by a folder.
  std::filesystem::create_directories(path("b.csv.tmp/folder"));
  const Result result = catena({"run", "demo", "--duration", "1", "-o", "a.h5", "-o", "b.csv"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("catena run --resume a.h5.part"), std::string::npos) << result.err;
  EXPECT_TRUE(has("a.h5.part"));
  std::filesystem::remove_all(path("b.csv.tmp"));
  done({"run", "--resume", "a.h5.part", "-o", "a.h5", "-o", "b.csv"});
  EXPECT_EQ(files(), (std::set<std::string>{"a.h5", "b.csv"}));
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("b.csv")));
}

// `ulimit -f 0` stands for a disk without any room: every write fails.
TEST_F(CliResume, AFullDiskLeavesWhatWasKeptAndNothingEmpty) {
  const pid_t child = start({"run", "horizontal-chain-100", "--sample", "0.01", "--quantities", "position",
                             "--duration", "1e6", "-o", "a.h5"});
  ASSERT_TRUE(eventually([&] { return rows_in("a.h5.part") > 10; }));
  ::kill(child, SIGKILL);
  wait_for(child);
  const std::string kept = read("a.h5.part");
  const std::string duration = std::to_string(recorded(path("a.h5.part")).times.back() + 0.2);
  const std::string again = "'" CATENA_BINARY "' run --resume a.h5.part --duration " + duration;
  for (int i = 0; i < 2; ++i) {
    const Result full = shell("ulimit -f 0; " + again);
    EXPECT_EQ(full.status, 1) << full.err;
    EXPECT_EQ(files(), std::set<std::string>{"a.h5.part"});
    EXPECT_EQ(read("a.h5.part"), kept);
  }
  EXPECT_EQ(shell(again).status, 0);
  EXPECT_EQ(files(), std::set<std::string>{"a.h5"});
  done({"run", "horizontal-chain-100", "--sample", "0.01", "--quantities", "position", "--duration", duration,
        "-o", "whole.h5"});
  EXPECT_EQ(recorded(path("a.h5")), recorded(path("whole.h5")));
}

TEST_F(CliResume, ARunThatFindsNoRoomLeavesNothing) {
  for (const std::string more : {"", " --resume half.h5"}) {
    done({"run", "demo", "--duration", "1", "-o", "half.h5"});
    const std::string half = read("half.h5");
    const Result full = shell("ulimit -f 0; '" CATENA_BINARY "' run demo --duration 2 -o a.h5" + more);
    EXPECT_EQ(full.status, 1) << full.err;
    EXPECT_EQ(files(), std::set<std::string>{"half.h5"}) << more;
    EXPECT_EQ(read("half.h5"), half);
  }
}

TEST_F(CliResume, AfterAKillAllFilesAreWritten) {
  std::filesystem::create_directory(path("there"));
  const pid_t child =
      start({"run", "horizontal-chain-100", "--sample", "0.01", "--quantities", "position", "--duration",
             "1e6", "-o", "there/a.h5", "-o", "b.csv", "-o", path("c.npz").string()});
  ASSERT_TRUE(eventually([&] { return rows_in("there/a.h5.part") > 1; }));
  ::kill(child, SIGKILL);
  wait_for(child);
  const std::string duration = std::to_string(recorded(path("there/a.h5.part")).times.back() + 0.1);
  // From another folder, too.
  const Result result =
      shell("cd there && '" CATENA_BINARY "' run --resume a.h5.part --json --duration " + duration);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(files(), (std::set<std::string>{"b.csv", "c.npz", "there"}));
  EXPECT_EQ(recorded(path("b.csv")), recorded(path("there/a.h5")));
  EXPECT_EQ(recorded(path("c.npz")), recorded(path("there/a.h5")));
  // What the file is called says nothing of the scene.
  EXPECT_EQ(nlohmann::json::parse(result.out)["scene"], "horizontal-chain-100");
}

TEST_F(CliResume, SymbolicLinksAreWrittenThrough) {
  std::filesystem::create_directory(path("disk"));
  for (const std::string file : {"a.h5", "a.csv", "a.json", "a.npz"}) {
    std::filesystem::create_symlink("disk/" + file, path(file));  // leads nowhere yet
    for (const std::string duration : {"1", "2"}) {
      done({"run", "demo", "--duration", duration, "-o", file});
      EXPECT_TRUE(std::filesystem::is_symlink(path(file))) << file;
      EXPECT_EQ(recorded(path("disk/" + file)).times.back(), std::stod(duration)) << file;
    }
    done({"run", "--resume", file, "--duration", "3"});
    EXPECT_TRUE(std::filesystem::is_symlink(path(file))) << file;
    EXPECT_EQ(recorded(path("disk/" + file)).times.back(), 3.0) << file;
  }
  std::filesystem::create_symlink("disk/scene.json", path("scene.json"));
  write("scene.toml", "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n");
  done({"convert", "scene.toml", "scene.json"});
  EXPECT_TRUE(std::filesystem::is_symlink(path("scene.json")));
  EXPECT_NE(read("disk/scene.json").find("duration"), std::string::npos);
  std::filesystem::create_symlink("nowhere/b.h5", path("b.h5"));
  expect_refusal({"run", "demo", "-o", "b.h5"}, "there is no folder 'nowhere'");
}

}  // namespace
}  // namespace catena::testing
