// Indicators of order and chaos, on motions whose nature and laws are known.
#include "catena/analyze/indicators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/analyze/statistics.h"
#include "catena/analyze/tangent_course.h"
#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

IndicatorResult indicators_of(const Scene& scene, double duration, std::vector<std::string> only) {
  IndicatorOptions options;
  options.duration = duration;
  options.only = std::move(only);
  return indicators(scene, options);
}

const Indicator& of(const IndicatorResult& result, const std::string& name) {
  for (const Indicator& one : result.indicators) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

// How fast a course falls in e-foldings against log t, from a tenth of the time on.
double power_of(const Indicator& one) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < one.times.size(); ++i) {
    if (one.times[i] < 0.1 * one.times.back()) continue;
    x.push_back(std::log(one.times[i]));
    y.push_back(one.course[i] * std::log(10.0));
  }
  return fitted_line(x, y).slope;
}

const std::vector<std::string> kTangents{"megno", "sali", "gali", "fli", "lyapunov", "ftle"};

// On a torus of two frequencies GALI_2 stays, GALI_3 falls like t^-2 and GALI_4 like t^-4; MEGNO goes to 2.
TEST(Indicators, OrderFollowsItsLaws) {
  const Scene scene = shipped_scene("henon-heiles", {"equations.states.px=0.42", "equations.states.py=0.04"});
  const IndicatorResult result = indicators_of(scene, 2000.0, kTangents);
  EXPECT_NEAR(of(result, "megno").value, 2.0, 0.2);
  EXPECT_GT(of(result, "gali_2").value, 0.05);
  EXPECT_NEAR(power_of(of(result, "gali_2")), 0.0, 0.1);
  EXPECT_NEAR(power_of(of(result, "gali_3")), -2.0, 0.2);
  EXPECT_NEAR(power_of(of(result, "gali_4")), -4.0, 0.3);
  for (const Indicator& one : result.indicators)
    EXPECT_EQ(one.verdict, Verdict::regular) << one.name << one.reason;
}

// In chaos GALI_k falls by (l1 - l2) + .. + (l1 - lk): l1, 2 l1 and 4 l1 with the exponents l1, 0, 0, -l1;
// and MEGNO is l1 t/2.
TEST(Indicators, ChaosFollowsItsLaws) {
  const IndicatorResult result = indicators_of(shipped_scene("henon-heiles"), 2000.0, kTangents);
  const double exponent = of(result, "lyapunov").value, error = of(result, "lyapunov").error;
  EXPECT_GT(exponent, 0.03);
  const double fallen = -of(result, "gali_2").course.back() * std::log(10.0) / 2000.0;
  EXPECT_NEAR(fallen, exponent, 4.0 * error + 0.005);
  EXPECT_NEAR(of(result, "gali_3").course.back() / of(result, "gali_2").course.back(), 2.0, 0.3);
  EXPECT_NEAR(of(result, "gali_4").course.back() / of(result, "gali_2").course.back(), 4.0, 0.6);
  EXPECT_NEAR(of(result, "megno").value, 0.5 * exponent * 2000.0, 0.35 * exponent * 2000.0);
  for (const Indicator& one : result.indicators)
    EXPECT_EQ(one.verdict, Verdict::chaotic) << one.name << one.reason;
}

// Y is integrated along the steps' dense output: a motion of two seconds has ten steps and the same MEGNO in
// a thousand.
TEST(Indicators, MegnoDoesNotDependOnWhereStepsEnd) {
  for (const char* start : {"chain.links.1.theta=-3.1154", "chain.links.1.theta=-1.5577"}) {
    const std::vector<std::string> settings{start, "chain.links.2.theta=-3.1154",
                                            "simulation.tolerance=1e-12"};
    Scene scene = shipped_scene("double-pendulum", settings);
    const double coarse = of(indicators_of(scene, 5.0, {"megno"}), "megno").value;
    scene.simulation.max_step = 0.005;
    EXPECT_NEAR(of(indicators_of(scene, 5.0, {"megno"}), "megno").value, coarse, 1e-4) << start;
  }
}

TEST(Indicators, SeriesTellLorenzsChaosFromAClock) {
  const std::vector<std::string> series{"zero_one", "naff", "recurrence", "spectrum",
                                        "correlation_dimension"};
  const IndicatorResult chaos = indicators_of(shipped_scene("lorenz"), 600.0, series);
  for (const char* name : {"zero_one", "naff", "recurrence", "spectrum"})
    EXPECT_EQ(of(chaos, name).verdict, Verdict::chaotic) << name << of(chaos, name).reason;
  // P. Grassberger, I. Procaccia (1983): 2.05 +- 0.01.
  EXPECT_NEAR(of(chaos, "correlation_dimension").value, 2.05, 0.1);
  const IndicatorResult clock = indicators_of(shipped_scene("pendulum"), 600.0, series);
  for (const char* name : {"naff", "recurrence", "spectrum"})
    EXPECT_EQ(of(clock, name).verdict, Verdict::regular) << name << of(clock, name).reason;
  EXPECT_LT(of(clock, "zero_one").value, 0.1);
}

// Where volumes shrink directions align in order, too: a limit cycle must not be called chaotic.
TEST(Indicators, ALimitCycleIsNotCalledChaotic) {
  const Scene cycle = scene_of(R"([simulation]
duration = 100
[equations]
states = { x = 1.0, v = 0.0 }
dot = { x = "v", v = "(1 - x^2)*v - x" }
)");
  for (const Indicator& one : indicators_of(cycle, 300.0, {}).indicators)
    EXPECT_NE(one.verdict, Verdict::chaotic) << one.name << one.reason;
}

// Chaotic motions that have hardly begun, and an orderly one on its way down from its head: nobody can tell.
TEST(Indicators, ShortRunsTellNothing) {
  const auto expect_nothing = [](const Scene& scene, double duration) {
    std::vector<std::string> names = kTangents;
    names.insert(names.end(), {"spectrum", "recurrence"});
    const IndicatorResult result = indicators_of(scene, duration, names);
    for (const Indicator& one : result.indicators)
      EXPECT_EQ(one.verdict, Verdict::undecided) << scene.name << duration << one.name << one.reason;
    ASSERT_FALSE(result.notes.empty()) << scene.name << duration;
    EXPECT_NE(result.notes[0].find("too short for any statement"), std::string::npos) << result.notes[0];
  };
  for (const double duration : {1e-9, 5.0, 20.0}) expect_nothing(shipped_scene("lorenz"), duration);
  for (const double duration : {2.0, 10.0}) expect_nothing(shipped_scene("double-pendulum"), duration);
  expect_nothing(shipped_scene("pendulum", {"chain.links.1.theta=3.14159265"}), 8.0);
  // What dies away without a turn is in order: all neighbours come together.
  const Scene dying = shipped_scene("lorenz", {"equations.parameters.rho=0.5"});
  EXPECT_EQ(of(indicators_of(dying, 100.0, {"megno"}), "megno").verdict, Verdict::regular);
}

// However long the run, times are some thousands, as far apart as one another, and the last is the end.
TEST(Indicators, CoursesOfLongRunsAreBounded) {
  Lab lab(shipped_scene("lorenz", {"simulation.tolerance=1e-5", "simulation.duration=10000"}));
  TangentCourse course(lab, 2, 1);
  std::size_t steps = 0;
  for (; steps < 5 * TangentCourse::kMostTimes + 3; ++steps) {
    ASSERT_EQ(course.advance(), StepStatus::done);
    ASSERT_EQ(course.times().back(), lab.time());
    ASSERT_LE(course.times().size(), TangentCourse::kMostTimes + 1);
  }
  EXPECT_EQ(course.times().size(), 5 * TangentCourse::kMostTimes / 8 + 2);
  EXPECT_EQ(course.logs().size(), course.times().size());
  EXPECT_EQ(course.megno().size(), course.times().size());
  EXPECT_EQ(course.log_gali(2).size(), course.times().size());
  EXPECT_NEAR(course.logs().back() / lab.time(), 0.906, 0.05);
  EXPECT_NEAR(course.megno().back() / (0.5 * course.logs().back()), 1.0, 0.05);
}

TEST(Indicators, UnknownNamesAndScenesAtRestAreRefused) {
  EXPECT_THROW(indicators_of(shipped_scene("lorenz"), 10.0, {"megnoo"}), InputError);
  EXPECT_THROW(indicators_of(shipped_scene("double-pendulum", {"chain.links.*.theta=0"}), 10.0, {}),
               InputError);
}

}  // namespace
}  // namespace catena
