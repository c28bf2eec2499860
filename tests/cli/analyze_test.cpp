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

// What a run would be warned of, analyses are: a law that acts on nothing, and energies that are not kept.
TEST_F(Analyze, PassesWarningsOn) {
  const std::string two =
      "[simulation]\nduration = 5\nmethod = \"dopri5\"\ntolerance = 1e-2\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2\nrepeat = 2\n";
  write("a.toml", two + "[[forces]]\nkind = \"electric\"\nfield = [1, 0, 0]\n");
  for (const Words& kind :
       {Words{"indicators", "a.toml", "--only", "megno", "--duration", "20"},
        Words{"spectrum", "a.toml", "--columns", "theta_1", "--duration", "20"},
        Words{"bifurcation", "a.toml", "--along", "chain.links.1.mass", "--from", "1", "--to", "1.5",
              "--count", "2", "--period", "1", "--record", "theta_1", "--duration", "20"}}) {
    Words all{"analyze"};
    all.insert(all.end(), kind.begin(), kind.end());
    const Result found = catena(all);
    EXPECT_NE(found.err.find("warning: force 1 (electric)"), std::string::npos) << kind[0] << found.err;
    EXPECT_NE(found.err.find("warning: the balance of energy is kept to"), std::string::npos)
        << kind[0] << found.err;
  }
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

TEST_F(Analyze, MapsTellOfTheirBoundaryAgainstScale) {
  write("plan.toml", R"toml([sweep]
scene = "double-pendulum"
set = ["simulation.duration=4", "simulation.tolerance=1e-9"]
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-180 deg"
to = "180 deg"
count = 16
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-180 deg"
to = "180 deg"
count = 16
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
stop = true
)toml");
  ASSERT_EQ(catena({"sweep", "plan.toml", "-o", "map.h5", "-q"}).status, 0);
  const Result result = catena({"analyze", "map", "map.h5", "--json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["outcomes"].size(), 2u);
  EXPECT_GE(json["scales"].size(), 2u);
  for (const char* name : {"cells", "boxes", "box_dimension", "uncertain", "uncertainty_dimension",
                           "basin_entropy", "boundary_basin_entropy"})
    EXPECT_TRUE(json["scales"][0].contains(name)) << name;
  EXPECT_TRUE(json["basin_entropy"].is_number());
  EXPECT_TRUE(has("out/map.png") && has("out/map.csv") && has("out/map.json"));
  // The line of the energy that a flip needs is in the picture's words.
  ASSERT_EQ(catena({"plot", "map.h5", "-o", "drawn", "--format", "png", "-q"}).status, 0);
  EXPECT_NE(read("drawn/index.html").find("-9.81 J"), std::string::npos);
  EXPECT_EQ(catena({"analyze", "map", "nothing.h5"}).status, 2);
  EXPECT_EQ(catena({"analyze", "map", "map.h5", "--measure", "flop"}).status, 2);
  EXPECT_EQ(catena({"analyze", "map", "map.h5", "--level", "high"}).status, 2);
}

TEST_F(Analyze, OrbitsAreSearchedFor) {
  const Result result =
      catena({"analyze", "orbit", "henon-heiles", "--search", "--energy", "0.04", "--duration", "20",
              "--returns", "1", "--starts", "60", "--json", "-q", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["orbits"].size(), 5u);
  for (const char* name : {"period", "multipliers", "stable", "action", "energy", "images"})
    EXPECT_TRUE(json["orbits"][0].contains(name)) << name;
  EXPECT_TRUE(has("out/orbits.csv") && has("out/orbit-1.png"));
  EXPECT_EQ(catena({"analyze", "orbit", "pendulum", "--energy", "3"}).status, 2);
  EXPECT_EQ(catena({"analyze", "orbit", "pendulum", "--search", "--along", "chain.links.1.length"}).status,
            2);
}

TEST_F(Analyze, SectionsAndDiagramsHaveWhatExplainsThem) {
  const Result section = catena({"analyze", "section", "henon-heiles", "--when", "x", "--axes", "y,py",
                                 "--starts", "3", "--duration", "60", "--colour", "megno", "--json", "-q"});
  ASSERT_EQ(section.status, 0) << section.err;
  for (const Json& one : Json::parse(section.out)["motions"]) EXPECT_TRUE(one["indicator"].is_number());
  EXPECT_EQ(
      catena({"analyze", "section", "henon-heiles", "--when", "x", "--axes", "y,py", "--colour", "megnoo"})
          .status,
      2);
  // Below the first doubling a dot lies on the stable branch.
  const Result diagram = catena({"analyze",
                                 "bifurcation",
                                 "driven-pendulum",
                                 "--along",
                                 "forces.1.parameters.drive",
                                 "--from",
                                 "0.9",
                                 "--to",
                                 "0.94",
                                 "--count",
                                 "3",
                                 "--period",
                                 "3*pi",
                                 "--record",
                                 "theta_dot_1",
                                 "--duration",
                                 "400",
                                 "--branches",
                                 "--json",
                                 "-q",
                                 "--up",
                                 "-o",
                                 "out"});
  ASSERT_EQ(diagram.status, 0) << diagram.err;
  const Json json = Json::parse(diagram.out);
  const Json& point = json["branches"][0]["points"][0];
  EXPECT_TRUE(point["stable"].get<bool>());
  EXPECT_NEAR(point["levels"][0].get<double>(), json["values"][0].back().get<double>(), 1e-5);
  EXPECT_TRUE(has("out/bifurcation.png"));
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
      {{"bifurcation", "lorenz", "--along", "equations.parameters.rhoo", "--from", "1", "--to", "2",
        "--record", "x", "--period", "1"},
       "did you mean 'rho'"},
      {{"spectrum", "lorenz", "--columns", "q"}, "--columns: unknown"},
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
