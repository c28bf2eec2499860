// `catena fit` as a user types it: what it finds, what it writes, and what it refuses.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

const std::string kData = std::string(CATENA_SOURCE_DIR) + "/scenes/data/";

class Fitting : public Workplace {
 protected:
  // x' = -k x from 2, k = 0.5, as it is.
  void write_decay() const {
    write("decay.toml",
          "# A decay.\n[simulation]\nduration = 2.0\n\n[equations]\nstates = { x = 2.0 }       # the start\n"
          "parameters = { k = 0.4 }   # a guess\ndot = { x = \"-k*x\" }\n");
    std::string rows = "t,x\n";
    for (int i = 0; i <= 20; ++i) rows += fmt::format("{},{:.17g}\n", 0.1 * i, 2.0 * std::exp(-0.05 * i));
    write("decay.csv", rows);
  }
};

// Data without noise: the numbers that they were made with.
TEST_F(Fitting, FindsTheNumberThatTheDataWereMadeWith) {
  write_decay();
  const Result done =
      catena({"fit", "decay.toml", "decay.csv", "--free", "equations.parameters.k", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json said = Json::parse(done.out);
  EXPECT_NEAR(said["values"]["equations.parameters.k"], 0.5, 1e-12);
  for (const char* key : {"errors", "intervals", "correlation"})
    EXPECT_TRUE(said[key].contains("equations.parameters.k"));
  EXPECT_EQ(said["correlation"]["equations.parameters.k"]["equations.parameters.k"], 1.0);
  EXPECT_TRUE(said["undetermined"].empty());
  EXPECT_TRUE(said["converged"].get<bool>());
  EXPECT_LT(said["residual_rms"], 1e-12);
}

TEST_F(Fitting, WritesTheSceneWithItsCommentsAndTheNumbersFound) {
  write_decay();
  const Result done =
      catena({"fit", "decay.toml", "decay.csv", "--free", "equations.parameters.k", "-o", "out"});
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string scene = read("out/decay-fitted.toml");
  EXPECT_NE(scene.find("# A decay."), std::string::npos);
  EXPECT_NE(scene.find("# a guess"), std::string::npos);
  EXPECT_EQ(scene.find("k = 0.4 }"), std::string::npos);
  for (const char* name :
       {"fit.json", "fit.csv", "residuals.csv", "fit.png", "fit.svg", "residuals.png", "index.html"})
    EXPECT_TRUE(has(std::string("out/") + name)) << name;
  // The scene that was written runs through the data.
  const Result run = catena({"run", "out/decay-fitted.toml", "--times", "2", "-o", "-", "--quantities", "x"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find(fmt::format("\n2,{:.9g}", 2.0 * std::exp(-1.0)).substr(0, 12)), std::string::npos)
      << run.out;
}

// The two worked examples: the numbers that their data were made with, within their errors.
TEST_F(Fitting, OfAVideoFindsLengthDampingAndScale) {
  const Result done = catena({"fit", "pendulum-video", kData + "pendulum-video.csv", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json said = Json::parse(done.out);
  const std::map<std::string, double> truth{
      {"chain.links.1.length", 0.82},   {"chain.links.1.theta", 40 * M_PI / 180},
      {"chain.velocity_damping", 0.08}, {"fit.parameters.u0", 640.0},
      {"fit.parameters.v0", 120.0},     {"fit.parameters.s", 412.0}};
  for (const auto& [path, value] : truth) {
    const double error = said["errors"][path];
    EXPECT_NEAR(said["values"][path], value, 4 * error) << path;
    EXPECT_LT(error, 0.01 * std::fabs(value)) << path;
  }
  EXPECT_NEAR(said["residual_rms"], 1.0, 0.1);  // a pixel
}

TEST_F(Fitting, OfTenLyapunovTimesFindsFiveNumbers) {
  const Result done =
      catena({"fit", "double-pendulum-record", kData + "double-pendulum-record.csv", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json said = Json::parse(done.out);
  EXPECT_GT(said["segments"], 5);
  EXPECT_LT(said["largest_defect"], 1e-7);
  const std::map<std::string, double> truth{{"chain.links.1.length", 1.0},
                                            {"chain.links.2.length", 1.0},
                                            {"chain.links.2.mass", 1.0},
                                            {"chain.links.1.theta", 120 * M_PI / 180},
                                            {"chain.links.2.theta", 10 * M_PI / 180}};
  for (const auto& [path, value] : truth)
    EXPECT_NEAR(said["values"][path], value, 4 * said["errors"][path].get<double>()) << path;
}

TEST_F(Fitting, MayStandInAFileOfItsOwn) {
  write_decay();
  write("mine.toml",
        "scene = \"decay.toml\"\n[fit]\nobserve = { y = \"a*x\" }\nparameters = { a = 2.5 }\n"
        "[[fit.free]]\nkey = \"fit.parameters.a\"\n[[fit.free]]\nkey = \"equations.parameters.k\"\nlow = "
        "0.0\nhigh = 2.0\n");
  std::string rows = "t,y\n";
  for (int i = 0; i <= 20; ++i) rows += fmt::format("{},{:.17g}\n", 0.1 * i, 6.0 * std::exp(-0.05 * i));
  write("y.csv", rows);
  const Result done = catena({"fit", "mine.toml", "y.csv", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json said = Json::parse(done.out);
  EXPECT_NEAR(said["values"]["fit.parameters.a"], 3.0, 1e-10);
  EXPECT_NEAR(said["values"]["equations.parameters.k"], 0.5, 1e-10);
}

// A scene with a [fit] runs as any other.
TEST_F(Fitting, DoesNotDisturbARun) {
  const Result done = catena({"run", "pendulum-video", "--duration", "0.1", "-o", "-", "-q"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(catena({"check", "double-pendulum-record"}).status, 0);
}

TEST_F(Fitting, TellsWhatTheDataCannot) {
  write("free.toml",
        "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = 0.5\n");
  const Result run = catena({"run", "free.toml", "-o", "free.csv", "--quantities", "theta", "-q"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Result done =
      catena({"fit", "free.toml", "free.csv", "--free", "chain.links.1.mass,chain.links.1.length"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("not determined by these data: chain.links.1.mass: the data do not depend on it"),
            std::string::npos)
      << done.out;
}

// ---- what is wrong ----

TEST_F(Fitting, RefusesWhatMakesNoSense) {
  write_decay();
  write("nan.csv", "t,x\n0,2\n0.1,nan\n0.2,1.8\n");
  write("back.csv", "t,x\n0,2\n0.2,1.8\n0.1,1.9\n");
  write("before.csv", "t,x\n-1,2\n0.2,1.8\n");
  write("unit.csv", "t,x [furlong]\n0,2\n");
  write("few.csv", "t,x\n0,2\n");
  write("notime.csv", "time,x\n0,2\n");
  write("other.csv", "t,xx\n0,2\n1,2\n");
  write("words.csv", "t,x\n0,two\n");
  write(
      "bound.toml",
      read("decay.toml") +
          "[[fit.free]]\nkey = \"equations.parameters.k\"\nlow = 1.0\n[[fit.free]]\nkey = \"equations.z\"\n");
  write("observe.toml", read("decay.toml") + "[fit]\nobserve = { y = \"3*xx\", x = \"x + t\" }\n");
  const std::string k = "equations.parameters.k";
  struct Case {
    Words words;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases{
      {{"decay.toml", "decay.csv", "--free", "equations.parameters.kk"}, {"has no 'kk', did you mean 'k'?"}},
      {{"decay.toml", "decay.csv"}, {"nothing is free"}},
      {{"decay.toml", "nan.csv", "--free", k}, {"nan.csv:3:5: row 2: x is nan; leave the cell empty"}},
      {{"decay.toml", "back.csv", "--free", k}, {"back.csv:4:1: row 3: t = 0.1 comes after t = 0.2"}},
      {{"decay.toml", "before.csv", "--free", k}, {"before.csv:2:1: row 1: t = -1 lies before the motion"}},
      {{"decay.toml", "unit.csv", "--free", k}, {"unit.csv:1:3: the unit [furlong] of 'x' is not known"}},
      {{"decay.toml", "few.csv", "--free", k + ",equations.states.x"},
       {"1 measurement cannot determine 2 numbers"}},
      {{"decay.toml", "notime.csv", "--free", k}, {"there is no column t"}},
      {{"decay.toml", "other.csv", "--free", k},
       {"other.csv:1:1: 'xx' is neither a column", "did you mean 'x'?"}},
      {{"decay.toml", "words.csv", "--free", k}, {"words.csv:2:3: row 1: x is 'two', which is no number"}},
      {{"bound.toml", "decay.csv"},
       {"bound.toml:10:7", "outside of what it may be", "bound.toml:13:7", "has no 'z'"}},
      {{"observe.toml", "decay.csv", "--free", k},
       {"observe.toml:10:18: fit: observe.y: decay.csv has no such column"}},
      {{"decay.toml", "decay.csv", "--free", k + "," + k}, {"is free twice"}},
      {{"decay.toml", "decay.csv", "--free", k, "--noise", "0"}, {"'0' is no positive number"}},
      {{"decay.toml", "decay.csv", "--free", k, "--loss", "absolute"}, {"squares, huber and cauchy"}},
  };
  for (const Case& one : cases) {
    Words words{"fit", "-o", "out"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const Result done = catena(words);
    EXPECT_EQ(done.status, 2) << done.err;
    for (const std::string& text : one.says)
      EXPECT_NE(done.err.find(text), std::string::npos) << text << "\n" << done.err;
    EXPECT_FALSE(has("out"));
  }
}

// What is done with data beside what they say is told.
TEST_F(Fitting, TellsOfUnitsAndTimesBeyondTheRun) {
  write("swing.toml",
        "[simulation]\nduration = 1.0\n[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = \"20 deg\"\n");
  const Result run =
      catena({"run", "swing.toml", "--duration", "2", "-o", "swing.csv", "--quantities", "theta", "-q"});
  ASSERT_EQ(run.status, 0) << run.err;
  std::string rows = "t [ms];theta_1 [deg]\n";
  const Recorded recording = recorded(path("swing.csv"));
  for (std::size_t i = 0; i < recording.times.size(); i += 10)
    rows += fmt::format("{:.17g};{:.17g}\n", 1000 * recording.times[i],
                        std::bit_cast<double>(recording.bits[i * recording.columns.size() + 1]) * 180 / M_PI);
  write("degrees.csv", rows);
  const Result done = catena({"fit", "swing.toml", "degrees.csv", "--free", "chain.links.1.length", "--set",
                              "chain.links.1.length=0.95", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NEAR(Json::parse(done.out)["values"]["chain.links.1.length"], 1.0, 1e-9);
  EXPECT_NE(done.err.find("theta_1 is in deg: taken to rad"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("beyond the scene's duration of 1 s"), std::string::npos) << done.err;
}

TEST_F(Fitting, EndsWithTheBestSoFarWhenInterrupted) {
  const pid_t child =
      start({"fit", "double-pendulum-record", kData + "double-pendulum-record.csv", "--json"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(child, SIGINT);
  const Result done = wait_for(child);
  if (done.status == 0) return;  // it was done already
  EXPECT_EQ(done.status, 130) << done.err;
  if (done.out.empty()) return;  // the signal came before it had begun
  const Json said = Json::parse(done.out);
  EXPECT_EQ(said["outcome"], "interrupted");
  EXPECT_FALSE(said["converged"].get<bool>());
  EXPECT_NE(done.err.find("the best numbers so far"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace catena::testing
