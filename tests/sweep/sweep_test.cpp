// Cases of a plan and what is measured of them.
#include "catena/sweep/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/analyze/indicators.h"
#include "catena/base/mistake.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "catena/io/scene/variants.h"
#include "catena/lab/run.h"
#include "catena/sweep/measures.h"

namespace catena {
namespace {

constexpr const char* kPendulum = R"(
[simulation]
duration = 3.0
[[chain.links]]
length = 1.0
mass = 1.0
theta = 0.5
)";

constexpr const char* kDouble = R"(
[simulation]
duration = 10.0
tolerance = 1e-11
[[chain.links]]
length = 1.0
mass = 1.0
[[chain.links]]
length = 1.0
mass = 1.0
)";

class Scenes : public CaseScenes {
 public:
  Scenes(const SceneVariants& variants, double unsolved) : variants_(variants), unsolved_(unsolved) {}
  const Scene& with(const double* values) override { return variants_.with(values); }
  bool starts_only() const override { return variants_.starts_only(); }
  double unsolved() const override { return unsolved_; }
  std::unique_ptr<Lab> lab_with_derivatives(const double*) override { return nullptr; }

 private:
  SceneVariants variants_;
  double unsolved_;
};

Scene scene_of(const std::string& text) {
  SceneOptions options;
  return read_scene(text, options);
}

Sweep sweep_of(const std::string& scene_text, const std::string& sweep_text) {
  SweepPlan plan = read_sweep(sweep_text + "\n" + scene_text, "<plan>");
  const Scene scene = scene_of(scene_text);
  std::vector<std::vector<std::string>> keys;
  for (const SweepAxis& axis : plan.axes) keys.push_back(axis.keys);
  double unsolved = 0.0;
  if (!plan.solve.empty()) {
    keys.push_back({plan.solve});
    unsolved = scene_numbers(scene, {plan.solve}).front().value;
  }
  const SceneVariants variants(scene, keys);
  return {std::move(plan), [=] { return std::make_unique<Scenes>(variants, unsolved); }};
}

SweepChunk all_of(const Sweep& sweep) { return sweep.runner()->run(0, sweep.cases().count(), nullptr); }

std::string axis(const std::string& key, const std::string& values, const std::string& name = "") {
  return fmt::format("[[sweep.vary]]\nkey = \"{}\"\n{}{}\n", key,
                     name.empty() ? "" : "name = \"" + name + "\"\n", values);
}
std::string measure(const std::string& lines) { return "[[sweep.measures]]\n" + lines + "\n"; }

// As one lane has them, in four and in eight.
void expect_same_bits_in_lanes(const Sweep& sweep) {
  EXPECT_EQ(sweep.lanes_refusal(), "");
  const std::uint64_t count = sweep.cases().count();
  const SweepChunk one = sweep.runner(1)->run(0, count, nullptr);
  EXPECT_EQ(one.count, count);
  for (const int lanes : {4, 8}) {
    const SweepChunk many = sweep.runner(lanes)->run(0, count, nullptr);
    EXPECT_EQ(many.status, one.status) << lanes;
    EXPECT_EQ(many.reasons, one.reasons) << lanes;
    EXPECT_EQ(many.steps, one.steps) << lanes;
    ASSERT_EQ(many.measures.size(), one.measures.size());
    for (std::size_t i = 0; i < one.measures.size(); ++i) {
      const bool is_none = std::isnan(one.measures[i]);
      EXPECT_TRUE(is_none ? std::isnan(many.measures[i]) : many.measures[i] == one.measures[i])
          << lanes << " lanes, number " << i << ": " << many.measures[i] << ", alone " << one.measures[i];
    }
  }
}

const std::string kTwoAngles = axis("chain.links.1.theta", "from = -3.0\nto = 3.0\ncount = 7", "a") +
                               axis("chain.links.2.theta", "from = -3.1\nto = 3.0\ncount = 5", "b");

TEST(Sweeps, GiveTheSameBitsForACaseWhereverAChunkBegins) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + kTwoAngles + measure("column = \"theta_1\"") +
                                            measure("name = \"top\"\ncolumn = \"z_2\"\nwhat = \"max\""));
  const SweepChunk whole = all_of(sweep);
  for (const std::uint64_t size : {1u, 4u, 9u}) {
    const auto runner = sweep.runner();
    for (std::uint64_t first = 0; first < whole.count; first += size) {
      const SweepChunk part = runner->run(first, std::min(size, whole.count - first), nullptr);
      for (std::size_t i = 0; i < part.measures.size(); ++i)
        ASSERT_EQ(part.measures[i], whole.measures[2 * first + i]) << first;
    }
  }
}

TEST(Sweeps, GiveTheBitsOfARun) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + kTwoAngles + measure("column = \"theta_2\""));
  const SweepChunk found = all_of(sweep);
  for (const std::uint64_t index : {0u, 13u, 34u}) {
    double values[3];
    sweep.cases().values(index, values);
    SceneOptions options;
    options.overrides = {fmt::format("chain.links.1.theta={:.17e}", values[0]),
                         fmt::format("chain.links.2.theta={:.17e}", values[1])};
    Lab lab(read_scene(kDouble, options));
    lab.use_lanes();
    while (lab.time() < 10.0) ASSERT_EQ(lab.advance(), StepStatus::done);
    double row[2];
    const Columns columns = lab.columns({"theta_2"});
    lab.observe(10.0, columns, row);
    EXPECT_EQ(found.measures[index], row[1]);
  }
}

// Cases end at different times, some fail, some are skipped; worlds differ in their numbers, or have another
// shape (a plane, space).
TEST(Sweeps, GiveTheSameBitsInEveryNumberOfLanes) {
  const std::string flips = measure("name = \"flip\"\nevent = \"theta_2^2 - pi^2\"\nstop = true") +
                            measure("name = \"top\"\ncolumn = \"z_2\"\nwhat = \"max\"") +
                            measure("name = \"mean\"\ncolumn = \"x_1\"\nwhat = \"mean\"") +
                            measure("column = \"theta_1\"") + measure("name = \"n\"\nsummary = \"steps\"");
  const std::string blows_up =
      "[simulation]\nduration = 3.0\n[equations]\nstates = { x = 1.0 }\nparameters = { a = 0.1 }\n"
      "dot = { x = \"a*x^2\" }\n";
  const std::vector<std::pair<std::string, std::string>> all = {
      {kDouble, "[sweep]\nskip = \"2*cos(a) + cos(b) - 1\"\n" + kTwoAngles + flips},
      {kDouble, "[sweep]\n" + axis("chain.links.1.length", "from = 0.5\nto = 1.5\ncount = 6") +
                    axis("chain.links.1.theta", "from = -3.0\nto = 3.0\ncount = 3") + flips},
      {std::string(kDouble) + "theta = 1.0\n",
       "[sweep]\n" + axis("chain.links.1.phi_dot", "values = [0, 1, 0, 2, 3, 0, 1]") +
           measure("column = \"z_2\"")},
      {blows_up, "[sweep]\n" + axis("equations.parameters.a", "values = [0.1, 1.0, 0.2, 0.3, 2.0, 0.25]") +
                     measure("column = \"x\"")},
      {kDouble, "[sweep]\nenergy = -5.0\nsolve = \"chain.links.2.theta_dot\"\n" +
                    axis("chain.links.1.theta", "from = -1.0\nto = 3.0\ncount = 9") +
                    measure("column = \"x_2\"")}};
  for (const auto& [scene, plan] : all) expect_same_bits_in_lanes(sweep_of(scene, plan));
}

// Neighbouring motions go along in lanes, too: of chains in a plane and in space, under linear laws, of
// equations; where cases differ in their numbers, and where some end sooner.
TEST(Sweeps, OfIndicatorsGiveTheSameBitsInEveryNumberOfLanes) {
  const auto indicator = [](const std::string& name) {
    return measure("name = \"" + name + "\"\nindicator = \"" + name + "\"");
  };
  const std::string asked = indicator("ftle") + indicator("megno") + indicator("gali_2") +
                            indicator("lyapunov") + measure("name = \"end\"\ncolumn = \"theta_2\"") +
                            measure("name = \"flip\"\nevent = \"theta_2^2 - pi^2\"\nstop = true");
  expect_same_bits_in_lanes(sweep_of(kDouble, "[sweep]\n" + kTwoAngles + asked));
  expect_same_bits_in_lanes(
      sweep_of(std::string(kDouble) +
                   "theta = 2.0\nphi_dot = 0.5\n[[forces]]\nkind = \"drag\"\nlinear = 0.1\ncoefficient = 0\n",
               "[sweep]\n" + axis("chain.links.1.mass", "from = 0.5\nto = 1.5\ncount = 6") + asked));
  expect_same_bits_in_lanes(sweep_of(
      "[simulation]\nduration = 20.0\n[equations]\nstates = { x = 1.0, y = 0.0, z = 1.0 }\nparameters = { r "
      "= 28.0 }\ndot = { x = \"10*(y - x)\", y = \"x*(r - z) - y\", z = \"x*y - 8/3*z\" }\n",
      "[sweep]\n" + axis("equations.parameters.r", "from = 5\nto = 28\ncount = 6") + indicator("lyapunov") +
          indicator("ftle")));
}

// Starts, masses and springs; a spring that is missing makes a world of another shape. Events, extremes and
// reactions of joints.
TEST(Sweeps, OfMechanismsGiveTheSameBitsInEveryNumberOfLanes) {
  std::string bars = read_scene_text(std::string(CATENA_SOURCE_DIR) + "/scenes/four-bar.toml");
  bars.replace(bars.find("duration = 10.0"), 15, "duration = 2.0");
  const std::string asked = measure("name = \"there\"\nevent = \"angle_drive - 3\"") +
                            measure("name = \"top\"\ncolumn = \"z_coupler\"\nwhat = \"max\"") +
                            measure("column = \"fx_pivot\"") + measure("column = \"wy_rocker\"") +
                            measure("name = \"n\"\nsummary = \"steps\"");
  const std::string rates = axis("joints.1.rate", "values = [9.0, 0.5, 14.0]");
  for (const std::string& other :
       {axis("bodies.2.mass", "values = [1.0, 0.2, 3.0]"), axis("joints.4.stiffness", "values = [0.0, 2.0]")})
    expect_same_bits_in_lanes(sweep_of(bars, "[sweep]\n" + rates + other + asked));
}

TEST(Sweeps, ThatCannotGoInLanesSaySoAndAreComputed) {
  std::string scene = kPendulum;
  scene.insert(scene.find("duration"), "method = \"dop853\"\n");
  const Sweep sweep = sweep_of(scene, "[sweep]\n" + axis("chain.links.1.theta", "values = [0.5, 1.0]") +
                                          measure("column = \"theta_1\""));
  EXPECT_NE(sweep.lanes_refusal().find("dop853"), std::string::npos);
  EXPECT_EQ(sweep.runner(4)->beside(), 1u);
  EXPECT_EQ(all_of(sweep).count, 2u);
}

// What was begun when it was stopped is not there, nor anything behind it.
TEST(Sweeps, StoppedOnTheWayHaveNoHoles) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + kTwoAngles + measure("column = \"theta_1\""));
  const std::atomic<bool> stop = true;
  const SweepChunk none = sweep.runner(4)->run(3, 10, &stop);
  EXPECT_EQ(none.count, 0u);
  EXPECT_TRUE(none.status.empty() && none.measures.empty() && none.reasons.empty());
  EXPECT_EQ(none.steps, 0u);
}

TEST(Sweeps, TheLastAxisRunsFastest) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + kTwoAngles + measure("column = \"theta_2\""));
  double values[3];
  sweep.cases().values(6, values);
  EXPECT_DOUBLE_EQ(values[0], -2.0);
  EXPECT_DOUBLE_EQ(values[1], -3.1 + 6.1 / 4);
}

// A pendulum swings between plus and minus its start: what steps miss, their polynomials have.
TEST(Measures, ExtremesAreThoseOfTheMotionBetweenSteps) {
  const Sweep sweep =
      sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [0.3, 1.0, 2.5]") +
                              measure("name = \"low\"\ncolumn = \"theta_1\"\nwhat = \"min\"") +
                              measure("name = \"way\"\ncolumn = \"theta_1\"\nwhat = \"range\""));
  const SweepChunk found = all_of(sweep);
  const double starts[] = {0.3, 1.0, 2.5};
  for (std::size_t i = 0; i < 3; ++i) {  // to what the method's tolerance leaves over 3 s
    EXPECT_NEAR(found.measures[2 * i], -starts[i], 1e-12);
    EXPECT_NEAR(found.measures[2 * i + 1], 2 * starts[i], 2e-12);
  }
}

// The mean speed along z over a swing is what the height changed by over the time.
TEST(Measures, MeansAreIntegralsOfTheMotion) {
  const Sweep sweep =
      sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [0.3, 1.0, 2.5]") +
                              measure("name = \"v\"\ncolumn = \"vz_1\"\nwhat = \"mean\"") +
                              measure("name = \"z\"\ncolumn = \"z_1\"") +
                              measure("name = \"z0\"\ncolumn = \"z_1\"\nat = 0.0"));
  const SweepChunk found = all_of(sweep);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(3.0 * found.measures[3 * i], found.measures[3 * i + 1] - found.measures[3 * i + 2], 1e-13);
}

// From rest at theta0 the pendulum passes the bottom after K(sin(theta0 / 2)) sqrt(L / g).
TEST(Measures, EventsHaveTheirTime) {
  const Sweep sweep = sweep_of(
      kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [0.5, 2.0]") +
                     measure("name = \"when\"\nevent = \"theta_1\"\nstop = true") +
                     measure("name = \"swings\"\nevent = \"theta_1\"\nwhat = \"count\"") +
                     measure("name = \"fast\"\nevent = \"theta_1\"\nwhat = \"theta_dot_1\"") +
                     measure("name = \"never\"\nevent = \"theta_1 - 9\"") + measure("column = \"t\""));
  const SweepChunk found = all_of(sweep);
  const double starts[] = {0.5, 2.0};
  for (std::size_t i = 0; i < 2; ++i) {
    const double* of = found.measures.data() + 5 * i;
    const double when = std::comp_ellint_1(std::sin(0.5 * starts[i])) * std::sqrt(1.0 / 9.81);
    EXPECT_NEAR(of[0], when, 1e-13);
    EXPECT_EQ(of[1], 1.0);  // the case ends there
    EXPECT_NEAR(of[2], -std::sqrt(2 * 9.81 * (1 - std::cos(starts[i]))), 1e-12);
    EXPECT_TRUE(std::isnan(of[3]));
    EXPECT_EQ(of[4], of[0]);
  }
}

// Each of them ends the case, and none before the others have seen it.
TEST(Measures, OfOneEventSeeTheSameInstant) {
  const std::string event = "event = \"theta_1\"\nstop = true\n";
  const Sweep sweep =
      sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "from = 0.1\nto = 3.0\ncount = 40") +
                              measure("name = \"when\"\n" + event) +
                              measure("name = \"fast\"\nwhat = \"theta_dot_1\"\n" + event) +
                              measure("name = \"low\"\nwhat = \"z_1\"\n" + event));
  const SweepChunk found = all_of(sweep);
  for (std::size_t i = 0; i < found.measures.size(); ++i) EXPECT_TRUE(std::isfinite(found.measures[i])) << i;
}

// Equal point masses at rest: link 2 can only turn over where 2 cos a + cos b <= 1.
TEST(Measures, NoStartBelowTheEnergyOfAFlipFlips) {
  const std::string angles = axis("chain.links.1.theta", "from = -3.1\nto = 3.1\ncount = 13", "a") +
                             axis("chain.links.2.theta", "from = -3.1\nto = 3.1\ncount = 13", "b");
  const Sweep sweep =
      sweep_of(kDouble, "[sweep]\n" + angles + measure("event = \"theta_2^2 - pi^2\"\nstop = true"));
  const SweepChunk found = all_of(sweep);
  int flips = 0;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    double values[3];
    sweep.cases().values(i, values);
    const bool has_energy = 2 * std::cos(values[0]) + std::cos(values[1]) <= 1.0;
    EXPECT_TRUE(has_energy || std::isnan(found.measures[i])) << values[0] << " " << values[1];
    flips += std::isnan(found.measures[i]) ? 0 : 1;
  }
  EXPECT_GT(flips, 50);
}

TEST(Measures, TheNearestPointIsToldByItsNumber) {
  const Sweep sweep =
      sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [-1.0, 0.01, 1.0]") +
                              measure("nearest = [[1.0], [0.0], [-1.0]]\ncolumns = [\"x_1\"]") +
                              measure("name = \"x\"\ncolumn = \"x_1\""));
  const SweepChunk found = all_of(sweep);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = found.measures[2 * i + 1];
    EXPECT_EQ(found.measures[2 * i], x > 0.5 ? 0.0 : x < -0.5 ? 2.0 : 1.0);
  }
}

TEST(Sweeps, StartOnTheEnergySurfaceThatIsAskedFor) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\nenergy = -5.0\nsolve = \"chain.links.2.theta_dot\"\n" +
                                            axis("chain.links.1.theta", "from = -1.0\nto = 3.0\ncount = 9") +
                                            measure("name = \"e\"\ncolumn = \"energy\"\nat = 0.0") +
                                            measure("name = \"w\"\ncolumn = \"theta_dot_2\"\nat = 0.0"));
  const SweepChunk found = all_of(sweep);
  int skipped = 0;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    double values[2];
    sweep.cases().values(i, values);
    const double potential = -9.81 * (2 * std::cos(values[0]) + 1);
    if (found.status[i] == CaseStatus::skipped) {
      EXPECT_GT(potential, -5.0);
      ++skipped;
      continue;
    }
    EXPECT_NEAR(found.measures[2 * i], -5.0, 1e-12);
    EXPECT_GE(found.measures[2 * i + 1], 0.0);  // the larger of both roots
  }
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 9);
}

TEST(Sweeps, SkipWhereAFormulaIsNotNegative) {
  const Sweep sweep =
      sweep_of(kDouble, "[sweep]\nskip = \"a\"\n" + kTwoAngles + measure("column = \"theta_2\""));
  const SweepChunk found = all_of(sweep);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    double values[3];
    sweep.cases().values(i, values);
    EXPECT_EQ(found.status[i], values[0] >= 0.0 ? CaseStatus::skipped : CaseStatus::done);
    EXPECT_EQ(std::isnan(found.measures[i]), values[0] >= 0.0);
  }
}

TEST(Sweeps, OfFailedCasesSayWhyAndGoOn) {
  const std::string scene = R"(
[simulation]
duration = 3.0
[equations]
states = { x = 1.0 }
parameters = { a = 0.1 }
dot = { x = "a*x^2" }
)";
  const Sweep sweep =
      sweep_of(scene, "[sweep]\n" + axis("equations.parameters.a", "values = [0.1, 1.0, 0.2]") +
                          measure("column = \"x\""));
  const SweepChunk found = all_of(sweep);
  EXPECT_EQ(found.status[1], CaseStatus::failed);  // 1 / (1 - t) has a pole
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].index, 1u);
  EXPECT_TRUE(std::isnan(found.measures[1]));
  EXPECT_NEAR(found.measures[0], 1 / (1 - 0.3), 1e-13);
  EXPECT_NEAR(found.measures[2], 1 / (1 - 0.6), 1e-13);
}

TEST(Sweeps, DirectionsAreDrawnFromTheSphere) {
  const std::string scene = R"(
[simulation]
duration = 0.01
[[chain.links]]
length = 1.0
mass = 1.0
direction = [1, 0, 0]
)";
  const Sweep sweep =
      sweep_of(scene, "[sweep]\nsamples = 200\n" + axis("chain.links.1.direction", "sphere = true") +
                          measure("name = \"x\"\ncolumn = \"x_1\"\nat = 0.0") +
                          measure("name = \"z\"\ncolumn = \"z_1\"\nat = 0.0"));
  const SweepChunk found = all_of(sweep);
  double squares = 0.0;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    ASSERT_EQ(found.status[i], CaseStatus::done);
    double values[4];
    sweep.cases().values(i, values);
    EXPECT_NEAR(std::hypot(values[0], values[1], values[2]), 1.0, 1e-15);
    EXPECT_NEAR(found.measures[2 * i], values[0], 1e-15);
    squares += found.measures[2 * i + 1] * found.measures[2 * i + 1] / 200;
  }
  EXPECT_NEAR(squares, 1.0 / 3.0, 5 * std::sqrt(4.0 / 45.0 / 200));  // five standard deviations
}

TEST(Sweeps, ThreadsGiveTheSameHash) {
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + kTwoAngles + measure("column = \"theta_1\""));
  std::string hash;
  for (const unsigned threads : {1u, 2u, 5u}) {
    SweepResults results(sweep.plan(), 0, sweep.cases().count());
    SweepControl control;
    control.threads = threads;
    control.take = [&](const SweepChunk& chunk) { results.take(chunk); };
    compute(sweep, not_computed(results), control);
    EXPECT_TRUE(not_computed(results).empty());
    if (!hash.empty()) {
      EXPECT_EQ(results_hash(results), hash);
    }
    hash = results_hash(results);
  }
}

// A pendulum that stands upright: what leads from changes of (angle, rate) at the start to those at the end
// is
// ((cosh, sinh/w), (w sinh, cosh)) of w T, and its largest singular value is known.
TEST(Sweeps, FiniteTimeExponentsAreThoseOfTheFlow) {
  const Sweep sweep =
      sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [3.141592653589793]") +
                              measure("indicator = \"ftle\""));
  const SweepChunk chunk = all_of(sweep);
  ASSERT_EQ(chunk.status[0], CaseStatus::done);
  const double w = std::sqrt(9.81), c = std::cosh(3.0 * w), s = std::sinh(3.0 * w);
  const double squares = 2.0 * c * c + s * s * (w * w + 1.0 / (w * w));
  const double largest =
      std::sqrt(0.5 * (squares + std::sqrt(squares * squares - 4.0)));  // the determinant is 1
  EXPECT_NEAR(chunk.measures[0], std::log(largest) / 3.0, 1e-11);
}

TEST(Sweeps, IndicatorsAreThoseOfTheAnalysis) {
  const std::string two = axis("chain.links.1.theta", "values = [0.3, 2.0]", "a") +
                          axis("chain.links.2.theta", "values = [0.2, 2.5]", "b");
  const std::vector<std::string> names{"ftle", "megno", "lyapunov", "gali_2", "naff"};
  std::string measures;
  for (const std::string& name : names)
    measures += measure("name = \"" + name + "\"\nindicator = \"" + name + "\"");
  const Sweep sweep = sweep_of(kDouble, "[sweep]\n" + two + measures);
  const SweepChunk chunk = all_of(sweep);
  ASSERT_EQ(chunk.count, 4u);
  const SceneVariants variants(scene_of(kDouble), {{"chain.links.1.theta"}, {"chain.links.2.theta"}});
  for (std::size_t k = 0; k < 4; ++k) {
    const double values[] = {k < 2 ? 0.3 : 2.0, k % 2 == 0 ? 0.2 : 2.5};
    IndicatorOptions options;
    options.duration = 10.0;
    options.only = names;
    const IndicatorResult analysis = indicators(variants.complete(values), options);
    // The same of a lab that goes in lanes, as cases of sweeps do, by itself.
    Lab lab(variants.complete(values));
    lab.use_lanes();
    IndicatorWatch watch(lab, options);
    for (bool is_over = false; !is_over; is_over = lab.time() >= 10.0) {
      watch.prepare();
      ASSERT_EQ(lab.advance(), StepStatus::done);
      ASSERT_EQ(watch.look(10.0), StepStatus::done);
    }
    const IndicatorResult alone = watch.conclude();
    ASSERT_EQ(alone.indicators.size(), names.size());
    ASSERT_EQ(analysis.indicators.size(), names.size());
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto same = [&](const Indicator& one) { return one.name == names[m]; };
      const auto own = std::find_if(alone.indicators.begin(), alone.indicators.end(), same);
      const auto other = std::find_if(analysis.indicators.begin(), analysis.indicators.end(), same);
      EXPECT_EQ(chunk.measures[k * names.size() + m], own->value) << own->name << k;
      // Steps differ in length by some parts of a million, and in what tolerance and quadrature leave.
      EXPECT_NEAR(own->value, other->value, 1e-7 * std::max(1.0, std::fabs(other->value))) << own->name << k;
    }
  }
  EXPECT_GT(chunk.measures[15], 2.0 * chunk.measures[0]);  // chaos parts neighbours faster
}

TEST(Sweeps, IndicatorsThatThereAreNotAreNamed) {
  const std::string one = "[sweep]\n" + axis("chain.links.1.theta", "values = [1]");
  try {
    sweep_of(kPendulum, one + measure("indicator = \"megnoo\""));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.mistakes()[0].message.find("did you mean 'megno'"), std::string::npos);
    EXPECT_EQ(error.mistakes()[0].place.line, 6);
  }
  // A lab follows one or the other.
  const SweepPlan both =
      read_sweep(one + measure("indicator = \"megno\"") +
                     measure("derivative = [\"x_1\", \"chain.links.1.length\"]") + kPendulum,
                 "<plan>");
  Lab lab(scene_of(kPendulum));
  EXPECT_THROW(Meter(lab, both), InputError);
}

TEST(Sweeps, AStartAtTheTopIsNoFlip) {
  const std::string flip = measure("name = \"flip\"\nevent = \"theta_2^2 - pi^2\"\nstop = true") +
                           measure("name = \"turns\"\nevent = \"cos(theta_2/2)\"\nwhat = \"count\"");
  for (const char* top : {"[3.141592653589793]", "[-3.141592653589793]"}) {
    const Sweep sweep =
        sweep_of(kDouble, "[sweep]\n" + axis("chain.links.1.theta", "values = [0]", "a") +
                              axis("chain.links.2.theta", std::string("values = ") + top, "b") + flip);
    const SweepChunk chunk = all_of(sweep);
    EXPECT_FALSE(chunk.measures[0] < 0.5) << top << chunk.measures[0];
  }
}

TEST(Sweeps, PlansTakeOverrides) {
  const std::string text = std::string("[sweep]\n") + kTwoAngles + measure("column = \"theta_1\"") + kDouble;
  const SweepPlan plan = read_sweep(text, "<plan>",
                                    {"sweep.vary.a.from=0.5", "sweep.vary.a.to=1.5", "sweep.vary.a.count=3",
                                     "sweep.vary.2.from=\"-10 deg\"", "sweep.vary.2.to=\"10 deg\""});
  EXPECT_EQ(plan.axes[0].values, (std::vector<double>{0.5, 1.0, 1.5}));
  EXPECT_EQ(plan.axes[1].values.size(), 5u);
  EXPECT_NEAR(plan.axes[1].values.back(), std::numbers::pi / 18.0, 1e-15);
  EXPECT_NE(plan.json, read_sweep(text, "<plan>").json);
  for (const char* wrong :
       {"sweep.vary.c.from=0", "sweep.vary.a.count=2.5", "sweep.vary.a", "sweep.vary.a.count=0"})
    EXPECT_THROW(read_sweep(text, "<plan>", {wrong}), InputError) << wrong;
}

TEST(Sweeps, NameWhatTheSceneDoesNotHave) {
  try {
    sweep_of(kPendulum, "[sweep]\n" + axis("chain.links.1.theta", "values = [1]") +
                            measure("column = \"theta_7\"") + measure("name = \"e\"\nevent = \"thta_1\""));
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.mistakes().size(), 2u);
    EXPECT_EQ(error.mistakes()[0].place.line, 6);
    EXPECT_NE(error.mistakes()[1].message.find("did you mean 'theta_1'"), std::string::npos);
  }
}

// A lab that starts anew has the bits of a new one, whatever it did before.
TEST(Restart, HasTheBitsOfANewLab) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> scenes = {
      {kDouble, {"chain.links.1.theta", "chain.links.2.theta_dot"}},
      {std::string(kDouble) + "theta = 1.0\nphi = 0.4\nphi_dot = 1.0\n",
       {"chain.links.1.theta", "chain.links.1.phi"}},
      {std::string(kDouble) +
           "[[forces]]\nkind = \"formula\"\nforce = [\"-0.1*vx*speed\", 0, \"sin(3*t)\"]\n",
       {"chain.links.1.theta", "chain.links.2.theta"}},
      {"[simulation]\nduration = 5\n[equations]\nstates = { x = 1.0, y = 0.0 }\ndot = { x = \"y\", y = "
       "\"-x^3\" }\n",
       {"equations.states.x", "equations.states.y"}},
      {"[simulation]\nduration = 5\n[chain]\nplane = \"none\"\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n"
       "direction = [0, 0, -1]\nrate = [0.1, 0.2, 0.3]\n",
       {"chain.links.1.direction.1", "chain.links.1.rate.2"}},
  };
  for (const auto& [text, keys] : scenes) {
    SceneVariants variants(scene_of(text), {{keys[0]}, {keys[1]}});
    ASSERT_TRUE(variants.starts_only());
    const double first[] = {0.7, 1.3}, second[] = {-1.1, 0.4};
    for (const bool in_lanes : {false, true}) {
      Lab used(variants.with(first));
      if (in_lanes) used.use_lanes();
      for (int i = 0; i < 20; ++i) used.advance();
      ASSERT_TRUE(used.restart(variants.with(second)));
      Lab fresh(variants.complete(second));
      if (in_lanes) fresh.use_lanes();
      for (int i = 0; i < 15; ++i) {
        EXPECT_EQ(used.time(), fresh.time());
        ASSERT_EQ(used.state().hi, fresh.state().hi) << text << i;
        ASSERT_EQ(used.state().lo, fresh.state().lo) << text << i;
        used.advance();
        fresh.advance();
      }
      EXPECT_EQ(used.counts().steps, fresh.counts().steps);
    }
  }
}

TEST(Restart, ADirectionOfLengthZeroIsNamed) {
  SceneVariants variants(scene_of("[simulation]\nduration = 5\n[chain]\n[[chain.links]]\nlength = 1.0\n"
                                  "mass = 1.0\ndirection = [1, 0, 0]\n"),
                         {{"chain.links.1.direction.1"}});
  const double none[] = {0.0}, one[] = {2.0};
  EXPECT_THROW(variants.with(none), InputError);
  EXPECT_EQ(variants.with(one).chains[0].links[0].direction, (Vec3{1.0, 0.0, 0.0}));
}

TEST(Restart, IsRefusedWhereTheWorldIsAnother) {
  SceneVariants variants(scene_of(kDouble), {{"chain.links.1.phi_dot"}});
  const double plane[] = {0.0}, space[] = {1.0};
  Lab lab(variants.with(plane));
  Scene other = variants.with(space);
  other.chains[0].links[0].theta = Angle::from_radians(1.0);
  EXPECT_FALSE(lab.restart(other));
}

}  // namespace
}  // namespace catena
