// catena plot and catena video: which files they write, and what they say.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "cli/program.h"

namespace catena::testing {
namespace {

using CliPictures = Workplace;

const char* const kClassic = R"(filename = "swing"
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
phidot = [0.3, "r"]
zPole = true
[system.plot]
x = [true, false, false]
pos = [true, true]
totalME = [true]
KE = [false]
)";

std::string probed(const Result& result) {
  return result.out.substr(0, result.out.find_last_not_of("\n ") + 1);
}

TEST_F(CliPictures, PlotWritesFiguresAndAPageThatShowsThem) {
  ASSERT_EQ(catena({"run", "double-pendulum", "--duration", "2", "-q"}).status, 0);
  const Result result = catena({"plot", "double-pendulum.h5", "-o", "out", "--format", "png,svg,pdf"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "wrote 5 figures to out: open out/index.html\n");
  for (const char* figure : {"paths", "angles", "rates", "energies", "phase"}) {
    for (const char* ending : {".png", ".svg", ".pdf"})
      EXPECT_TRUE(has(std::string("out/") + figure + ending)) << figure;
  }
  const std::string page = read("out/index.html");
  const std::regex reference("(?:src|href)=\"([^\"]+)\"");
  int references = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), reference), end; it != end; ++it, ++references) {
    EXPECT_TRUE(has("out/" + (*it)[1].str())) << (*it)[1];
  }
  EXPECT_EQ(references, 15);
  EXPECT_NE(page.find("catena plot double-pendulum.h5 -o out --format png,svg,pdf"), std::string::npos);
}

// Strokes of the curves in a drawing, each a list of points.
std::vector<std::vector<std::pair<double, double>>> strokes(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> out;
  const std::regex path(" d=\"([^\"]*)\""), point("([ML]) (-?[0-9.]+) (-?[0-9.]+)");
  for (std::sregex_iterator it(svg.begin(), svg.end(), path), end; it != end; ++it) {
    const std::string steps = (*it)[1].str();
    for (std::sregex_iterator at(steps.begin(), steps.end(), point); at != end; ++at) {
      if ((*at)[1] == "M") out.emplace_back();
      if (!out.empty()) out.back().emplace_back(std::stod((*at)[2]), std::stod((*at)[3]));
    }
  }
  return out;
}

// A pendulum that goes round and round, recorded five times a turn: its path is a circle all the same.
TEST_F(CliPictures, PathsHaveNoCornersBetweenRows) {
  write("round.toml",
        "[simulation]\nduration = 4\nsample = 0.2\ngravity = 0\n[[chain.links]]\nlength = 1.0\nmass = "
        "1.0\ntheta = 1.0\ntheta_dot = 6.0\n");
  ASSERT_EQ(catena({"run", "round.toml", "-q"}).status, 0);
  const Result result =
      catena({"plot", "round.h5", "-o", "out", "--kinds", "projections", "--format", "svg"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::size_t longest = 0;
  double sharpest = 0.0;
  for (const auto& stroke : strokes(read("out/projections.svg"))) {
    longest = std::max(longest, stroke.size());
    if (stroke.size() < 40) continue;  // axes and letters
    for (std::size_t i = 2; i < stroke.size(); ++i) {
      const double ax = stroke[i - 1].first - stroke[i - 2].first,
                   ay = stroke[i - 1].second - stroke[i - 2].second;
      const double bx = stroke[i].first - stroke[i - 1].first, by = stroke[i].second - stroke[i - 1].second;
      if (std::hypot(ax, ay) < 1.0 || std::hypot(bx, by) < 1.0) continue;  // below a dot
      sharpest = std::max(sharpest, std::fabs(std::atan2(ax * by - ay * bx, ax * bx + ay * by)));
    }
  }
  EXPECT_GT(longest, 100u);
  EXPECT_LT(sharpest, 0.1);  // 1.2 through the rows alone
}

TEST_F(CliPictures, MechanismsShowTheirJoints) {
  ASSERT_EQ(catena({"run", "four-bar", "--duration", "1", "-q"}).status, 0);
  ASSERT_EQ(catena({"plot", "four-bar.h5", "-o", "out", "--format", "svg"}).status, 0);
  for (const char* figure : {"joints", "joint-rates", "phase"})
    EXPECT_TRUE(has(std::string("out/") + figure + ".svg")) << figure;
  ASSERT_EQ(catena({"plot", "four-bar.h5", "-o", "angles", "--kinds", "angles", "--format", "svg"}).status,
            0);
  EXPECT_TRUE(has("angles/joints.svg"));
}

TEST_F(CliPictures, AClassicConfigPlotsWhatItsSwitchesAskFor) {
  write("config.toml", kClassic);
  EXPECT_NE(catena({"plot", "config.toml"}).err.find("`catena run config.toml` makes it"), std::string::npos);
  ASSERT_EQ(catena({"run", "config.toml", "-q"}).status, 0);
  const Result result = catena({"plot", "config.toml", "-o", "out", "--format", "svg"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(files(), (std::set<std::string>{"config.toml", "swing.h5", "out"}));
  std::set<std::string> figures;
  for (const auto& entry : std::filesystem::directory_iterator(path("out")))
    figures.insert(entry.path().filename().string());
  EXPECT_EQ(figures, (std::set<std::string>{"angles.svg", "energies.svg", "position.svg", "index.html"}));
}

TEST_F(CliPictures, EveryFileFormatOfRunsCanBePlotted) {
  ASSERT_EQ(catena({"run", "pendulum", "--duration", "1", "-q", "-o", "a.h5", "-o", "a.csv", "-o", "a.json",
                    "-o", "a.npz"})
                .status,
            0);
  std::string first;
  for (const char* file : {"a.h5", "a.csv", "a.json", "a.npz"}) {
    const Result result =
        catena({"plot", file, "-o", "out", "--quantities", "theta", "--format", "svg", "-q"});
    EXPECT_EQ(result.status, 0) << result.err;
    if (first.empty()) first = read("out/angles.svg");
    EXPECT_EQ(read("out/angles.svg"), first) << file;
  }
}

TEST_F(CliPictures, PlotNamesAllMistakesAndWritesNothing) {
  ASSERT_EQ(catena({"run", "pendulum", "--duration", "1", "-q", "--quantities", "theta"}).status, 0);
  const Result result = catena({"plot", "pendulum.h5", "-o", "out", "--quantities", "thetta,energy"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("did you mean 'theta'"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("no 'energy': it was not recorded"), std::string::npos) << result.err;
  EXPECT_EQ(catena({"plot", "pendulum.h5", "-o", "out", "--format", "bmp"}).status, 2);
  EXPECT_EQ(catena({"plot", "pendulum.h5", "-o", "out", "--kinds", "phasee"}).status, 2);
  EXPECT_EQ(catena({"plot", "pendulum.h5", "-o", "out", "--theme", "blue"}).status, 2);
  EXPECT_EQ(catena({"plot", "pendulum.h5", "-o", "out", "--lang", "xx"}).status, 2);
  EXPECT_EQ(catena({"plot", "pendulum.h5", "-o", "out", "--kinds", "paths"}).status, 2) << "no positions";
  EXPECT_EQ(catena({"plot", "none.h5"}).status, 2);
  EXPECT_EQ(files(), std::set<std::string>{"pendulum.h5"});
}

TEST_F(CliPictures, TwoRunsAreComparedByTheirDistance) {
  ASSERT_EQ(catena({"run", "demo", "--duration", "2", "-q", "-o", "a.h5"}).status, 0);
  ASSERT_EQ(catena({"run", "demo", "--duration", "2", "-q", "-o", "b.h5", "--tolerance", "1e-9"}).status, 0);
  const Result result = catena({"plot", "a.h5", "--against", "b.h5", "-o", "out"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(has("out/distance.png"));
}

TEST_F(CliPictures, VideosHaveTheirSizeTheirFramesAndTheirDuration) {
  ASSERT_EQ(catena({"run", "double-pendulum", "--duration", "2", "-q"}).status, 0);
  for (const std::string file : {"a.mp4", "a.webm", "a.gif"}) {
    const Result result = catena({"video", "double-pendulum.h5", "-o", file, "--size", "320x180", "--fps",
                                  "20", "--to", "1.5", "--speed", "0.5"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with("wrote " + file + " (60 frames, 3 s, 320x180, ")) << result.out;
    const Result probe = shell(
        "ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames:format=duration "
        "-of csv=p=0 " +
        file + " | tr '\\n' ' '");
    EXPECT_TRUE(probed(probe).starts_with("320,180,60 3.0")) << file << ": " << probe.out << probe.err;
  }
  EXPECT_EQ(files(), (std::set<std::string>{"double-pendulum.h5", "a.mp4", "a.webm", "a.gif"}));
}

TEST_F(CliPictures, FramesAreComputedForTheirTimesNotTakenFromRows) {
  ASSERT_EQ(catena({"run", "demo", "--duration", "2", "-q", "-o", "fine.h5"}).status, 0);
  ASSERT_EQ(catena({"run", "demo", "--duration", "2", "--sample", "0.5", "-q", "-o", "coarse.h5"}).status, 0);
  ASSERT_EQ(
      catena({"run", "demo", "--duration", "2", "-q", "-o", "energy.csv", "--quantities", "energy"}).status,
      0);
  for (const std::string run : {"fine.h5", "coarse.h5", "energy.csv"}) {
    const Result result = catena({"video", run, "-o", run + ".png", "--at", "1.234", "--size", "320x180"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(read(run + ".png"), read("fine.h5.png")) << run;
  }
  // Between rows half a second apart there is nothing but a guess.
  ASSERT_EQ(
      catena({"video", "coarse.h5", "-o", "guess.png", "--at", "1.234", "--size", "320x180", "--interpolate"})
          .status,
      0);
  EXPECT_NE(read("guess.png"), read("fine.h5.png"));
}

TEST_F(CliPictures, ARunThatCannotBeRepeatedIsInterpolatedAndSaysSo) {
  ASSERT_EQ(catena({"run", "demo", "--duration", "1", "-q", "-o", "a.h5"}).status, 0);
  ASSERT_EQ(catena({"run", "--resume", "a.h5", "--duration", "2", "--method", "dop853", "-q"}).status, 0);
  const Result result = catena({"video", "a.h5", "-o", "a.png", "--at", "1.5", "--size", "320x180"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("a.h5 is interpolated between its rows: its method was changed on the way"),
            std::string::npos)
      << result.err;
}

TEST_F(CliPictures, MechanismsAreShownToo) {
  for (const std::string scene : {"slider-crank", "heavy-top", "cart-pole"}) {
    ASSERT_EQ(catena({"run", scene, "--duration", "0.5", "-q", "-o", "a.h5"}).status, 0) << scene;
    const Result again = catena({"video", "a.h5", "-o", "a.png", "--size", "320x180", "--at", "0.4"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.err, "");
    EXPECT_EQ(
        catena({"video", "a.h5", "-o", "b.png", "--size", "320x180", "--at", "0.4", "--interpolate"}).status,
        0);
    EXPECT_EQ(catena({"plot", "a.h5", "-o", "out", "--kinds", "all"}).status, 0);
  }
}

TEST_F(CliPictures, WithoutFfmpegThereIsAMessageAndNoFile) {
  ASSERT_EQ(catena({"run", "pendulum", "--duration", "1", "-q"}).status, 0);
  const Result result = shell("PATH=/nonexistent '" CATENA_BINARY "' video pendulum.h5 -o a.mp4");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("apt-get install ffmpeg"), std::string::npos) << result.err;
  EXPECT_EQ(files(), std::set<std::string>{"pendulum.h5"});
}

TEST_F(CliPictures, AnInterruptedVideoLeavesNothingHalfWritten) {
  ASSERT_EQ(catena({"run", "demo", "-q"}).status, 0);
  const pid_t child = start({"video", "demo.h5", "-o", "a.mp4", "--fps", "240", "--speed", "0.05"});
  ASSERT_TRUE(eventually([&] { return has("a.mp4.part") && has("a.mp4.log"); }));
  ::kill(child, SIGINT);
  const Result result = wait_for(child);
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_NE(result.err.find("nothing was written"), std::string::npos) << result.err;
  EXPECT_EQ(files(), std::set<std::string>{"demo.h5"});
}

TEST_F(CliPictures, VideoRefusesWhatItCannotDo) {
  ASSERT_EQ(catena({"run", "pendulum", "--duration", "1", "-q"}).status, 0);
  const std::vector<Words> mistakes = {{"-o", "a.avi"},      {"--size", "33x20"}, {"--size", "big"},
                                       {"--fps", "0"},       {"--speed", "-1"},   {"--camera", "drone"},
                                       {"--panels", "cake"}, {"--to", "5"},       {"--ghost", "no.h5"},
                                       {"--at", "0.5"},      {"--trail", "long"}};
  for (const Words& words : mistakes) {
    Words arguments = {"video", "pendulum.h5"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Result result = catena(arguments);
    EXPECT_EQ(result.status, 2) << words[0] << ": " << result.err;
    EXPECT_FALSE(result.err.empty());
  }
  EXPECT_EQ(files(), std::set<std::string>{"pendulum.h5"});
}

}  // namespace
}  // namespace catena::testing
