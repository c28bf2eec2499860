// Mistakes in the input or the arguments: status 2, a clear line, and no file touched.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace catena::testing {
namespace {

class CliMistakes : public Workplace {
 protected:
  // Refused with `expected` in the message; the folder stays as it is.
  void expect_refusal(const Words& arguments, const std::string& expected, const std::string& input = "") {
    const std::set<std::string> before = files();
    const Result result = catena(arguments, input);
    EXPECT_EQ(result.status, 2) << expected;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "") << expected;
    EXPECT_EQ(files(), before) << expected;
  }
};

constexpr const char* kMinimal = "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n";

TEST_F(CliMistakes, MistypedWordsGetTheNearestKnownOne) {
  expect_refusal({"rnu", "demo"}, "catena: there is no command 'rnu', did you mean 'run'?");
  expect_refusal({"run", "duble-pendulum"},
                 "there is no file or shipped scene 'duble-pendulum', did you mean 'double-pendulum'?");
  expect_refusal({"run", "demo", "--metod", "rk4"}, "did you mean '--method'?");
  expect_refusal({"run", "demo", "--method", "rk5"}, "did you mean 'rk4'?");
  expect_refusal({"run", "demo", "--quantities", "positon"}, "did you mean 'position'?");
  expect_refusal({"list", "method"}, "did you mean 'methods'?");
  expect_refusal({"completion", "bsh"}, "did you mean 'bash'?");
  write("swing.toml", kMinimal);
  expect_refusal({"run", "swnig.toml"}, "did you mean 'swing.toml'?");
}

TEST_F(CliMistakes, ArgumentsThatAreMissingOrTooManyAreNamed) {
  expect_refusal({"run"}, "needs a scene");
  expect_refusal({"check"}, "needs a scene");
  expect_refusal({"new"}, "needs a name");
  expect_refusal({"completion"}, "needs a shell");
  expect_refusal({"run", "demo", "--duration"}, "--duration needs a value");
  expect_refusal({"run", "demo", "again"}, "'again' is one argument too many");
  expect_refusal({"--verbose"}, "no option '--verbose'");
}

TEST_F(CliMistakes, OptionsAreNamedAsTheyWereTyped) {
  expect_refusal({"run", "demo", "--duration", "abc"}, "--duration abc: ");
  expect_refusal({"run", "demo", "--duration", "-5"}, "--duration -5: ");
  expect_refusal({"run", "demo", "--sample", "0"}, "--sample 0: ");
  expect_refusal({"run", "demo", "--tolerance", "-1e-3"}, "--tolerance -1e-3: ");
  expect_refusal({"run", "demo", "--order", "2.5"}, "--order 2.5: ");
  expect_refusal({"run", "demo", "--method", "rk4", "--step", "nan"}, "--step nan: ");
  expect_refusal({"run", "demo", "--set", "chain.links.9.mass=2"}, "--set chain.links.9.mass=2: ");
  expect_refusal({"run", "demo", "--method", "rk4", "--step", "1e-30"}, "2e+31 steps: choose a larger step");
  expect_refusal({"run", "demo", "--max-step", "-1"}, "--max-step -1: ");
  expect_refusal({"run", "demo", "--method", "rk4", "--step", "1e-3", "--max-step", "1"}, "nothing to limit");
  expect_refusal({"run", "demo", "--times", "1,x,3"}, "'x' is no time");
  expect_refusal({"run", "demo", "--times", "1,-2"}, "'-2' is no time");
  expect_refusal({"run", "demo", "--times", ","}, "--times needs at least one time");
  expect_refusal({"run", "demo", "--times", "1", "--duration", "2"}, "exclude each other");
  expect_refusal({"run", "demo", "--method", "rk4"}, "--method rk4: simulation: method 'rk4' takes steps");
  expect_refusal({"run", "demo", "--method", "rk4", "--step", "1e-3", "--order", "5"}, "order");
  expect_refusal({"run", "demo", "--sample", "1e-30"}, "rows");
}

TEST_F(CliMistakes, SettingsThatDoNotFitTheMethodAreReportedWithTheOthers) {
  write("a.toml", "[simulation]\nduration = 1\nmethod = \"rk4\"\n[[chain.links]]\nlength = 0\nmass = 1\n");
  expect_refusal({"run", "a.toml"}, "a.toml:3:10: simulation: method 'rk4' takes steps of a fixed size");
  expect_refusal({"run", "a.toml"}, "a.toml:5:10: link 1: length must be positive");
}

TEST_F(CliMistakes, ScenesThatCannotBeReadAreRefused) {
  expect_refusal({"run", "missing.toml"}, "missing.toml");
  std::filesystem::create_directory(path("folder"));
  expect_refusal({"run", "folder"}, "is a folder");
  write("binary.toml", std::string("\x7f"
                                   "ELF\0\0\1",
                                   7));
  expect_refusal({"run", "binary.toml"}, "not text");
  write("large.toml", "");
  std::filesystem::resize_file(path("large.toml"), 100'000'000);
  expect_refusal({"run", "large.toml"}, "MiB");
  write("endless.toml", std::string(kMinimal) + "repeat = 1000000000\n");
  expect_refusal({"run", "endless.toml"}, "endless.toml:6:");
  expect_refusal({"run", "-"}, "<stdin>", "[simulation");
  expect_refusal({"check", "-"}, "<stdin>", "");
}

TEST_F(CliMistakes, WhatIsNoSceneAndNoMeshIsCalledSo) {
  expect_refusal({"convert", "missing.toml", "b.json"}, "there is no file or shipped scene 'missing.toml'");
  write("list.json", "[1, 2]\n");
  expect_refusal({"run", "list.json"}, "list.json:1:1: a scene in JSON is a table");
  std::filesystem::create_directory(path("meshes"));
  write("mesh.toml",
        "[simulation]\nduration = 1\n[[bodies]]\nname = \"a\"\nshape = \"mesh\"\nmass = 1\nfile = "
        "\"meshes\"\n");
  expect_refusal({"check", "mesh.toml"}, "mesh.toml:7:8: body 'a': file 'meshes': is a folder");
}

TEST_F(CliMistakes, TheLineOfAMistakeIsShownWithACaret) {
  write("bad.toml", "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = -1\nmass = 1\n");
  expect_refusal({"run", "bad.toml"}, "bad.toml:4:10: ");
  expect_refusal({"run", "bad.toml"}, "    4 | length = -1\n      |          ^\n");
}

TEST_F(CliMistakes, AllMistakesOfASceneAreToldAtOnce) {
  write("bad.toml", "[simulation]\nduraton = 1.0\n[[chain.links]]\nlength = -1\nmass = 0\n");
  const Result result = catena({"check", "bad.toml"});
  EXPECT_EQ(result.status, 2);
  for (const char* place : {"bad.toml:2:", "bad.toml:4:", "bad.toml:5:"}) {
    EXPECT_NE(result.err.find(place), std::string::npos) << result.err;
  }
}

TEST_F(CliMistakes, OutputsThatCannotBeWrittenAreRefusedBeforeTheRun) {
  expect_refusal({"run", "demo", "-o", "run.txt"}, ".h5, .csv, .json or .npz");
  expect_refusal({"run", "demo", "-o", ""}, ".h5, .csv, .json or .npz");
  expect_refusal({"run", "demo", "-o", "nowhere/run.h5"}, "there is no folder 'nowhere'");
  expect_refusal({"run", "demo", "-o", "run.csv", "-o", "./run.csv"}, "is given twice");
  expect_refusal({"run", "demo", "-o", "-", "-o", "-"}, "given twice");
  expect_refusal({"run", "demo", "-o", "-", "--json"}, "standard output");
  expect_refusal({"run", "demo", "-o", std::string(252, 'x') + ".h5"}, "File name too long");
  std::filesystem::create_directory(path("run.h5"));
  expect_refusal({"run", "demo", "-o", "run.h5"}, "is no file");
}

TEST_F(CliMistakes, ASceneIsNotReplacedByItsOwnRecording) {
  write("scene.json", R"({"simulation": {"duration": 1}, "chain": {"links": [{"length": 1, "mass": 1}]}})");
  expect_refusal({"run", "scene.json", "-o", "scene.json"}, "would replace the scene itself");
  EXPECT_EQ(catena({"run", "scene.json"}).status, 0);
}

TEST_F(CliMistakes, AFileThatIsThereStaysUntouchedUntilTheInputIsValid) {
  write("run.csv", "precious");
  write("bad.toml", "[simulation]\nduration = -1\n");
  expect_refusal({"run", "bad.toml", "-o", "run.csv"}, "bad.toml:2:");
  expect_refusal({"run", "demo", "--method", "rk5", "-o", "run.csv"}, "rk5");
  expect_refusal({"run", "demo", "--quantities", "nonsense", "-o", "run.csv"}, "nonsense");
  expect_refusal({"run", "demo", "-o", "run.csv", "-o", "run.txt"}, "run.txt");
  expect_refusal({"run", "--resume", "run.csv"}, "run.csv");
  EXPECT_EQ(read("run.csv"), "precious");
}

}  // namespace
}  // namespace catena::testing
