// `catena analyze` as a user meets it: fields of --json, files, mistakes, interrupts.
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;
class Analyze : public Workplace {};

TEST_F(Analyze, LyapunovHasTheFieldsOfTheFormatsPage) {
  const Result result = catena({"analyze", "lyapunov", "lorenz", "--duration", "60", "--json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["exponents"].size(), 3u);
  EXPECT_EQ(json["errors"].size(), 3u);
  for (const char* name : {"kaplan_yorke", "kaplan_yorke_error", "duration"})
    EXPECT_TRUE(json[name].is_number()) << name;
  for (const char* name : {"lyapunov.json", "lyapunov.csv", "lyapunov.png", "lyapunov.svg", "lyapunov.state"})
    EXPECT_TRUE(has(std::string("out/") + name)) << name;
  // Going on in the same folder gives what one run would have given.
  const Result resumed =
      catena({"analyze", "lyapunov", "lorenz", "--duration", "90", "--json", "-o", "out", "--resume"});
  const Result whole = catena({"analyze", "lyapunov", "lorenz", "--duration", "90", "--json"});
  EXPECT_EQ(Json::parse(resumed.out)["exponents"], Json::parse(whole.out)["exponents"]);
}

TEST_F(Analyze, IndicatorsHaveVerdictsAndReasons) {
  const Result result = catena(
      {"analyze", "indicators", "lorenz", "--only", "megno,sali,zero_one", "--duration", "60", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  for (const char* name : {"megno", "sali", "zero_one"}) {
    for (const char* field : {"value", "error", "verdict", "reason"})
      EXPECT_TRUE(json[name].contains(field)) << name << field;
  }
  EXPECT_EQ(json["megno"]["verdict"], "chaotic");
  const Json list = Json::parse(catena({"list", "indicators", "--json"}).out);
  EXPECT_EQ(list[0]["name"], "megno");
}

TEST_F(Analyze, SectionsAreTablesAndFigures) {
  write("starts.csv", "equations.states.y,equations.states.py\n0.1,0.1\n0.2,0.0\n");
  const Result result = catena({"analyze", "section", "henon-heiles", "--when", "x", "--axes", "y,py",
                                "--starts", "starts.csv", "--duration", "60", "--json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["points"].size(), json["times"].size());
  EXPECT_EQ(json["starts"].size(), json["times"].size());
  EXPECT_EQ(json["starts"].back(), 2);
  EXPECT_EQ(json["points"][0].size(), 2u);
  EXPECT_TRUE(has("out/section.png") && has("out/section.csv"));
}

TEST_F(Analyze, BifurcationSpectrumAndRecurrenceAnswer) {
  const Result diagram = catena({"analyze",
                                 "bifurcation",
                                 "driven-pendulum",
                                 "--along",
                                 "forces.1.parameters.drive",
                                 "--from",
                                 "0.8",
                                 "--to",
                                 "0.9",
                                 "--count",
                                 "3",
                                 "--period",
                                 "3*pi",
                                 "--record",
                                 "theta_dot_1",
                                 "--duration",
                                 "200",
                                 "--json",
                                 "-o",
                                 "out"});
  ASSERT_EQ(diagram.status, 0) << diagram.err;
  EXPECT_EQ(Json::parse(diagram.out)["values"].size(), 3u);
  EXPECT_TRUE(has("out/bifurcation.png"));
  const Result spectrum =
      catena({"analyze", "spectrum", "pendulum", "--columns", "theta_1", "--duration", "60", "--json"});
  ASSERT_EQ(spectrum.status, 0) << spectrum.err;
  EXPECT_TRUE(Json::parse(spectrum.out)["theta_1"]["power"].is_array());
  const Result recurrence = catena({"analyze", "recurrence", "pendulum", "--columns", "theta_1,theta_dot_1",
                                    "--duration", "60", "--json", "-o", "out"});
  ASSERT_EQ(recurrence.status, 0) << recurrence.err;
  EXPECT_GT(Json::parse(recurrence.out)["determinism"].get<double>(), 0.9);
  EXPECT_TRUE(has("out/recurrence.png"));
}

// Each with status 2, a word of what would be right, and no folder left behind.
TEST_F(Analyze, MistakesAreSaidAndNothingIsWritten) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"lyapunov", "lorenz", "--exponents", "7", "--duration", "5"}, "1 to 3"},
      {{"lyapunov", "lorenz", "--exponents", "none"}, "whole number"},
      {{"lyapunov", "lorenz", "--error", "-1"}, "positive"},
      {{"lyapunov", "lorenz", "--resume"}, "-o DIR"},
      {{"indicators", "lorenz", "--only", "megnoo"}, "megno"},
      {{"indicators", "double-pendulum", "--set", "chain.links.*.theta=0"}, "equilibrium"},
      {{"section", "henon-heiles"}, "--when"},
      {{"section", "henon-heiles", "--when", "x", "--axes", "y"}, "two axes"},
      {{"section", "henon-heiles", "--when", "x - 9", "--axes", "y,py", "--duration", "20"}, "never met"},
      {{"section", "henon-heiles", "--when", "x", "--axes", "y,py", "--starts", "5", "--energy", "-3",
        "--duration", "20"},
       "no start"},
      {{"section", "lorenz", "--when", "x", "--axes", "y,z", "--starts", "5", "--duration", "20"},
       "invariants"},
      {{"bifurcation", "lorenz", "--along", "equations.parameters.rho", "--from", "1", "--to", "2",
        "--record", "x"},
       "--period"},
      {{"spectrum", "lorenz"}, "--columns"},
      {{"recurrence", "lorenz", "--columns", "x", "--duration", "0.1"}, "too few"}};
  for (const auto& [words, said] : cases) {
    Words all{"analyze"};
    all.insert(all.end(), words.begin(), words.end());
    if (words.back() != "--resume") all.insert(all.end(), {"-o", "out"});
    const Result result = catena(all);
    EXPECT_EQ(result.status, 2) << words[0] << " " << words.back() << result.err;
    EXPECT_NE(result.err.find(said), std::string::npos) << said << " in " << result.err;
    EXPECT_FALSE(has("out")) << words.back();
  }
}

TEST_F(Analyze, AnInterruptKeepsWhatThereIs) {
  const pid_t child = start({"analyze", "lyapunov", "lorenz", "--duration", "1e7", "--json", "-o", "out"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ::kill(child, SIGINT);
  const Result result = wait_for(child);
  EXPECT_EQ(result.status, 130);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["outcome"], "interrupted");
  EXPECT_TRUE(has("out/lyapunov.state"));
}

}  // namespace
}  // namespace catena::testing
