// What the program says about itself.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Cli = Workplace;

const std::vector<std::string> kCommands = {"run", "check",  "lab",        "list",
                                            "new", "schema", "completion", "demo"};

TEST_F(Cli, HelpOfEveryCommandStartsWithExamplesAndNamesItsUsage) {
  for (const std::string& command : kCommands) {
    const Result help = catena({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_TRUE(help.out.starts_with("Examples:\n  ")) << help.out;
    EXPECT_NE(help.out.find("\nUsage: catena " + command), std::string::npos) << help.out;
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(catena({"help", command}).out, help.out);
  }
}

TEST_F(Cli, WithoutArgumentsItShowsExamplesAndAllCommands) {
  const Result help = catena({});
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(help.out.starts_with("Examples:\n"));
  const std::size_t list = help.out.find("\nCommands:\n");
  ASSERT_NE(list, std::string::npos);
  for (const std::string& command : kCommands) {
    EXPECT_NE(help.out.find("\n  " + command + " ", list), std::string::npos) << command;
  }
  EXPECT_EQ(catena({"--help"}).out, help.out);
}

TEST_F(Cli, HelpFitsALineOfAHundredCharacters) {
  for (const std::string& command : kCommands) {
    std::istringstream lines(catena({command, "--help"}).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_F(Cli, TheVersionIsANumberBehindTheName) {
  const Result version = catena({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("catena 0.")) << version.out;
}

TEST_F(Cli, TheVersionNamesBuildCompilerAndKernels) {
  const std::string said = catena({"--version"}).out;
  for (const char* part : {" build by ", " for ", "("}) EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_TRUE(said.find("GCC ") != std::string::npos || said.find("Clang ") != std::string::npos) << said;
}

TEST_F(Cli, TheDemoMakesPicturesAndAPageOfThem) {
  const Result demo = catena({"demo", "-o", "first"});
  ASSERT_EQ(demo.status, 0) << demo.err;
  for (const char* file : {"demo.h5", "demo.png", "figures/paths.png", "index.html"})
    EXPECT_GT(std::filesystem::file_size(path("first") / file), 1000u) << file;
  EXPECT_NE(demo.out.find("$ catena run demo -o first/demo.h5"), std::string::npos) << demo.out;
  write("taken", "a file");
  const Result refused = catena({"demo", "-o", "taken"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("taken"), std::string::npos) << refused.err;
}

TEST_F(Cli, ListsAreTablesAndJson) {
  for (const std::string topic : {"methods", "quantities", "scenes"}) {
    EXPECT_EQ(catena({"list", topic}).status, 0);
    const auto json = nlohmann::json::parse(catena({"list", topic, "--json"}).out);
    EXPECT_GT(json.size(), 3u) << topic;
    for (const auto& entry : json) EXPECT_FALSE(entry["summary"].get<std::string>().empty());
  }
  EXPECT_NE(catena({"list"}).out.find("catena list scenes"), std::string::npos);
  EXPECT_NE(catena({"list", "methods"}).out.find("taylor"), std::string::npos);
}

// Whole sentences, also behind "(R."; one of a thing is no plural; decimals as they were written.
TEST_F(Cli, TextsAreWholeAndCountRight) {
  const std::string scenes = catena({"list", "scenes"}).out;
  EXPECT_NE(scenes.find("(R. Bricard, 1897): counting equations"), std::string::npos) << scenes;
  const std::string forces = catena({"list", "forces"}).out;
  EXPECT_NE(forces.find("a sphere has 0.47, default 0.47"), std::string::npos) << forces;
  write("a.toml",
        "[simulation]\nduration = 32.8\nsample = 0.1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n");
  const std::string checked = catena({"check", "a.toml"}).out;
  EXPECT_NE(checked.find("to t = 32.8 s"), std::string::npos) << checked;
  EXPECT_NE(checked.find(" 1 link\n"), std::string::npos) << checked;
  const std::string ran = catena({"run", "a.toml", "-o", "a.csv"}).out;
  EXPECT_NE(ran.find("1 link, 1 degree of freedom, 32.8 s simulated"), std::string::npos) << ran;
  write("b.toml",
        "[simulation]\nduration = 1\n[lagrangian]\ncoordinates = { theta_1 = 1.0, x_cart = 0 }\n"
        "kinetic = \"theta_1'^2 + x_cart'^2\"\n");
  const std::string latex = catena({"equations", "b.toml", "--latex"}).out;
  EXPECT_NE(latex.find("\\dot{\\theta}_{\\mathrm{1}}^{2}"), std::string::npos) << latex;
  EXPECT_NE(latex.find("\\dot{x}_{\\mathrm{cart}}"), std::string::npos) << latex;
}

TEST_F(Cli, SchemaIsJson) {
  const Result schema = catena({"schema"});
  EXPECT_EQ(schema.status, 0);
  EXPECT_TRUE(nlohmann::json::accept(schema.out));
}

TEST_F(Cli, ANewSceneIsValidRunsAndIsNeverOverwritten) {
  const Result made = catena({"new", "swing"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("catena run swing.toml"), std::string::npos);
  const std::string text = read("swing.toml");
  EXPECT_EQ(catena({"check", "swing.toml"}).status, 0);
  EXPECT_EQ(catena({"run", "swing.toml", "--duration", "0.1"}).status, 0);
  EXPECT_TRUE(has("swing.h5"));
  write("swing.toml", "mine");
  EXPECT_EQ(catena({"new", "swing.toml"}).status, 2);
  EXPECT_EQ(read("swing.toml"), "mine");
}

TEST_F(Cli, CheckTellsWhatWouldRun) {
  const Result check = catena({"check", "double-pendulum", "--json"});
  EXPECT_EQ(check.status, 0) << check.err;
  const auto json = nlohmann::json::parse(check.out);
  EXPECT_EQ(json["links"], 2);
  EXPECT_EQ(json["degrees_of_freedom"], 2);
  EXPECT_EQ(json["chains"][0]["planar"], true);
  EXPECT_EQ(json["rows"], 1001);
  EXPECT_EQ(json["method"], "taylor");
  EXPECT_GT(json["order"], 10);
  EXPECT_NE(catena({"check", "demo"}).out.find("spatial"), std::string::npos);
  EXPECT_TRUE(files().empty());
}

TEST_F(Cli, BashCompletesCommandsOptionsMethodsAndScenes) {
  ASSERT_EQ(catena({"completion", "bash"}).status, 0);
  const auto completed = [&](const std::string& words, int at) {
    return shell("'" CATENA_BINARY
                 "' completion bash > completion; bash -n completion && source completion; "
                 "COMP_WORDS=(" +
                 words + "); COMP_CWORD=" + std::to_string(at) +
                 "; _catena; printf '%s ' \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(completed("catena ch", 1), "check ");
  EXPECT_EQ(completed("catena run gyro", 2), "gyroscope ");
  EXPECT_EQ(completed("catena run demo --tol", 3), "--tolerance ");
  EXPECT_EQ(completed("catena run demo --method dop8", 4), "dop853 ");
  EXPECT_EQ(completed("catena run demo --quantities energy,the", 4), "energy,theta energy,theta_dot ");
  EXPECT_EQ(completed("catena list sc", 2), "scenes ");
}

TEST_F(Cli, OtherShellsAcceptTheirCompletionScripts) {
  for (const std::string name : {"zsh", "fish"}) {
    const Result script = catena({"completion", name});
    EXPECT_EQ(script.status, 0);
    EXPECT_NE(script.out.find("double-pendulum"), std::string::npos);
    if (shell("command -v " + name).status != 0) continue;
    write("script", script.out);
    EXPECT_EQ(shell(name + " -n script").status, 0) << name;
  }
}

}  // namespace
}  // namespace catena::testing
