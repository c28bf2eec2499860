// Fits: against textbooks, against each other, and against the truth that the data were made from.
#include "catena/analyze/fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <atomic>
#include <cmath>
#include <random>

#include "catena/io/scene/paths.h"
#include "catena/lab/run.h"
#include "catena/math/student.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

// Data of a scene's columns at times, with normal noise.
FitProblem problem_of(const Scene& truth, const std::vector<std::string>& columns,
                      const std::vector<double>& times, double noise, std::uint64_t seed) {
  FitProblem out;
  for (const std::string& name : columns) out.observed.push_back({name, "", {}, {}});
  out.times = times;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  Lab lab(truth);
  std::vector<std::string> asked{"t"};
  asked.insert(asked.end(), columns.begin(), columns.end());
  for (const double t : times) {
    while (lab.time() < t) EXPECT_EQ(lab.advance(), StepStatus::done);
    for (const std::string& name : columns) {
      const Columns one = lab.columns({name});
      std::vector<double> row(one.width());
      lab.sample(t, one, row.data());
      out.values.push_back(row.back() + noise * normal(random));
    }
  }
  return out;
}

void set_free(FitProblem& problem, const Scene& guess, const std::vector<std::string>& paths) {
  for (const SceneNumber& number : scene_numbers(guess, paths)) {
    FreeNumber& one = problem.free.emplace_back();
    one.path = number.path;
    one.guess = number.value;
  }
  problem.scene = [guess, free = problem.free](const std::vector<double>& values) {
    std::vector<std::string> names;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < free.size(); ++i) {
      if (!free[i].parameter) names.push_back(free[i].path), numbers.push_back(values[i]);
    }
    return with_numbers(guess, names, numbers);
  };
}

std::vector<double> grid(double step, double end) {
  std::vector<double> out;
  for (int i = 0; i * step <= end * (1 + 1e-12); ++i) out.push_back(i * step);
  return out;
}

Scene line(double a, double b) {
  return scene_of(
      fmt::format("[simulation]\nduration = 1\n[equations]\nstates = {{ x = {} }}\n"
                  "parameters = {{ b = {} }}\ndot = {{ x = \"b\" }}\n",
                  a, b));
}

// x' = b, x(0) = a: the estimates, their errors and covariance of linear regression.
TEST(Fit, OfALineIsTheTextbooks) {
  const std::vector<double> times = grid(0.05, 1.0);
  FitProblem problem = problem_of(line(2.0, 3.0), {"x"}, times, 0.1, 7);
  set_free(problem, line(1.0, 1.0), {"equations.states.x", "equations.parameters.b"});
  const FitResult found = fit(problem, {});
  ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
  const auto n = static_cast<double>(times.size());
  Eigen::MatrixXd x(times.size(), 2);
  Eigen::VectorXd y(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    x.row(static_cast<Eigen::Index>(i)) << 1.0, times[i];
    y(static_cast<Eigen::Index>(i)) = problem.values[i];
  }
  const Eigen::Vector2d expected = x.householderQr().solve(y);
  const double square = (y - x * expected).squaredNorm() / (n - 2);
  const Eigen::Matrix2d covariance = square * (x.transpose() * x).inverse();
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.values[i], expected(i), 1e-10);
    EXPECT_NEAR(found.errors[i], std::sqrt(covariance(i, i)), 1e-10 * found.errors[i]);
    const double reach = student_quantile(0.95, n - 2) * std::sqrt(covariance(i, i));
    EXPECT_NEAR(found.intervals[i].second - found.values[i], reach, 1e-9 * reach);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(found.covariance[2 * i + j], covariance(i, j), 1e-10 * square);
  }
  EXPECT_NEAR(found.noise[0], std::sqrt(square), 1e-10 * found.noise[0]);
}

// A prior is one more measurement, of the number itself: the mean of both, weighed by their squared errors.
TEST(Fit, APriorCountsAsAMeasurement) {
  FitProblem problem = problem_of(line(2.0, 0.0), {"x"}, grid(0.1, 1.0), 0.1, 5);
  problem.observed[0].noise = 0.1;
  set_free(problem, line(1.0, 0.0), {"equations.states.x"});
  problem.free[0].prior_mean = 1.7;
  problem.free[0].prior_error = 0.05;
  const FitResult found = fit(problem, {});
  ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
  double weight = 1 / (0.05 * 0.05), sum = 1.7 * weight;
  for (const double value : problem.values) sum += value / 0.01, weight += 1 / 0.01;
  EXPECT_NEAR(found.values[0], sum / weight, 1e-12);
  EXPECT_NEAR(found.errors[0], 1 / std::sqrt(weight), 1e-12);
}

Scene oscillator(double start, double frequency) {
  return scene_of(
      fmt::format("[simulation]\nduration = 10\n[equations]\nstates = {{ q = {}, p = 0.0 }}\n"
                  "parameters = {{ w = {} }}\ndot = {{ q = \"p\", p = \"-w^2*q\" }}\n",
                  start, frequency));
}

// q = a cos(w t), whose derivatives by a and w are known: errors are those of the Jacobian in closed form.
TEST(Fit, OfAnOscillatorHasTheErrorsOfItsClosedForm) {
  const std::vector<double> times = grid(0.1, 10.0);
  FitProblem problem = problem_of(oscillator(1.0, 1.3), {"q"}, times, 0.05, 11);
  problem.observed[0].noise = 0.05;
  problem.segments = 1;
  set_free(problem, oscillator(0.9, 1.25), {"equations.states.q", "equations.parameters.w"});
  const FitResult found = fit(problem, {});
  ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
  const double a = found.values[0], w = found.values[1];
  Eigen::MatrixXd slopes(times.size(), 2);
  Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Eigen::Vector2d slope{std::cos(w * times[i]), -a * times[i] * std::sin(w * times[i])};
    slopes.row(static_cast<Eigen::Index>(i)) = slope.transpose();
    gradient += slope * (a * std::cos(w * times[i]) - problem.values[i]);
  }
  const Eigen::Matrix2d covariance = 0.05 * 0.05 * (slopes.transpose() * slopes).inverse();
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.errors[i], std::sqrt(covariance(i, i)), 1e-9 * found.errors[i]);
    // The gradient is zero to a billionth of a standard error.
    EXPECT_LT(std::fabs(gradient(i)), 1e-7 * slopes.col(i).squaredNorm() * found.errors[i]);
  }
  EXPECT_NEAR(found.intervals[0].second - a, 1.959963984540054 * found.errors[0], 1e-12);
}

Scene pendulum(double length, double theta, double damping) {
  return scene_of(
      fmt::format("[simulation]\nduration = 10\n[chain]\nvelocity_damping = {}\n[[chain.links]]\n"
                  "length = {}\nmass = 1.0\ntheta = {}\n",
                  damping, length, theta));
}

const std::vector<std::string> kPendulum{"chain.links.1.length", "chain.links.1.theta",
                                         "chain.velocity_damping"};

void expect_same(const FitResult& a, const FitResult& b) {
  ASSERT_EQ(a.outcome, FitOutcome::converged) << a.message;
  ASSERT_EQ(b.outcome, FitOutcome::converged) << b.message;
  for (std::size_t j = 0; j < a.values.size(); ++j) {
    // Both settle within a thousandth of a standard error.
    EXPECT_NEAR(a.values[j], b.values[j], 2e-3 * a.errors[j]) << j;
    EXPECT_NEAR(a.errors[j], b.errors[j], 1e-3 * a.errors[j]) << j;
  }
  for (std::size_t i = 0; i < a.correlation.size(); ++i)
    EXPECT_NEAR(a.correlation[i], b.correlation[i], 1e-3);
}

// Segments that are tied together say what the whole record says, errors and correlations too.
TEST(Fit, SegmentsGiveWhatTheWholeRecordGives) {
  FitProblem problem = problem_of(pendulum(1.0, 1.0, 0.1), {"theta_1"}, grid(0.05, 4.0), 0.02, 13);
  set_free(problem, pendulum(1.03, 0.95, 0.12), kPendulum);
  problem.segments = 1;
  const FitResult whole = fit(problem, {});
  problem.segments = 5;
  const FitResult cut = fit(problem, {});
  EXPECT_EQ(cut.cuts.size(), 5u);
  EXPECT_LT(cut.largest_defect, 1e-7);
  expect_same(whole, cut);
}

// A linkage: starts of segments stay on what its joints allow, which its lengths change.
TEST(Fit, SegmentsOfAClosedLoopGiveWhatTheWholeRecordGives) {
  const Scene truth = shipped_scene("four-bar");
  const std::vector<std::string> paths{"bodies.coupler.mass", "joints.drive.rate",
                                       "joints.crank-pin.anchors.1.1"};
  FitProblem problem = problem_of(truth, {"angle_drive", "angle_pivot"}, grid(0.02, 0.5), 0.01, 17);
  set_free(problem, with_numbers(truth, paths, {1.1, 8.9, 0.203}), paths);
  problem.segments = 1;
  const FitResult whole = fit(problem, {});
  problem.segments = 3;
  const FitResult cut = fit(problem, {});
  expect_same(whole, cut);
}

// Whole turns are not known in the middle of a record: they come from the data.
TEST(Fit, SegmentsCountTurnsAsTheDataDo) {
  const Scene truth =
      scene_of("[simulation]\nduration = 10\n[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta_dot = 9.0\n");
  FitProblem problem = problem_of(truth, {"theta_1"}, grid(0.02, 3.0), 0.02, 19);
  EXPECT_GT(problem.values.back(), 15.0);
  set_free(problem, with_number(truth, "chain.links.1.theta_dot", 9.05), {"chain.links.1.theta_dot"});
  problem.segments = 1;
  const FitResult whole = fit(problem, {});
  problem.segments = 6;
  expect_same(whole, fit(problem, {}));
}

// ---- what data cannot tell ----

TEST(Fit, TheMassOfAPendulumIsNotDetermined) {
  FitProblem problem = problem_of(pendulum(1.0, 1.0, 0.0), {"theta_1"}, grid(0.1, 3.0), 0.01, 23);
  set_free(problem, pendulum(1.02, 1.0, 0.0), {"chain.links.1.length", "chain.links.1.mass"});
  for (const int segments : {1, 3}) {
    problem.segments = segments;
    const FitResult found = fit(problem, {});
    ASSERT_EQ(found.undetermined.size(), 1u);
    EXPECT_EQ(found.undetermined[0].text, "chain.links.1.mass: the data do not depend on it");
    EXPECT_TRUE(std::isnan(found.errors[1]));
    EXPECT_EQ(found.values[1], 1.0);
    EXPECT_NEAR(found.values[0], 1.0, 5 * found.errors[0]);
  }
}

TEST(Fit, NamesWhatIsDeterminedOfNumbersThatAreNot) {
  const Scene both = shipped_scene("double-pendulum", {"chain.links.1.theta=0.5", "chain.links.2.theta=0.3"});
  FitProblem masses = problem_of(both, {"theta_1", "theta_2"}, grid(0.05, 2.0), 0.01, 29);
  set_free(masses, both, {"chain.links.1.mass", "chain.links.2.mass", "chain.links.1.length"});
  for (const int segments : {1, 3}) {
    masses.segments = segments;
    const FitResult found = fit(masses, {});
    ASSERT_EQ(found.undetermined.size(), 1u) << segments;
    EXPECT_EQ(found.undetermined[0].text, "chain.links.1.mass and chain.links.2.mass: only their ratio");
    EXPECT_FALSE(std::isnan(found.errors[2]));
  }
  FitProblem length = problem_of(pendulum(1.0, 1.0, 0.0), {"theta_1"}, grid(0.1, 3.0), 0.01, 31);
  set_free(length, scene_of(pendulum(1.02, 1.0, 0.0).json, {"simulation.gravity=9.81"}),
           {"chain.links.1.length", "simulation.gravity"});
  const FitResult found = fit(length, {});
  ASSERT_EQ(found.undetermined.size(), 1u);
  EXPECT_EQ(found.undetermined[0].text, "chain.links.1.length and simulation.gravity: only their ratio");
  // Two numbers that only add up.
  const Scene sum = scene_of(
      "[simulation]\nduration = 1\n[equations]\nstates = { x = 1.0 }\nparameters = { a = 1.0, b = 2.0 }\n"
      "dot = { x = \"a + b\" }\n");
  FitProblem added = problem_of(sum, {"x"}, grid(0.1, 1.0), 0.01, 37);
  set_free(added, sum, {"equations.parameters.a", "equations.parameters.b"});
  const FitResult one = fit(added, {});
  ASSERT_EQ(one.undetermined.size(), 1u);
  EXPECT_EQ(one.undetermined[0].text, "equations.parameters.a and equations.parameters.b: only their sum");
}

TEST(Fit, ANumberAtItsBoundSaysSoAndHasNoError) {
  FitProblem problem = problem_of(line(2.0, 3.0), {"x"}, grid(0.05, 1.0), 0.1, 41);
  set_free(problem, line(1.0, 1.0), {"equations.states.x", "equations.parameters.b"});
  problem.free[1].high = 2.0;
  const FitResult found = fit(problem, {});
  ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
  EXPECT_EQ(found.values[1], 2.0);
  EXPECT_EQ(found.bounds[1], 1);
  EXPECT_TRUE(std::isnan(found.errors[1]));
  // The other one is what it is with that slope: the mean of x - 2 t.
  double mean = 0.0;
  for (std::size_t i = 0; i < problem.times.size(); ++i) mean += problem.values[i] - 2.0 * problem.times[i];
  EXPECT_NEAR(found.values[0], mean / static_cast<double>(problem.times.size()), 1e-9);
  EXPECT_TRUE(found.undetermined.empty());
}

// ---- outliers ----

TEST(Fit, RobustLossesForgiveOutliers) {
  FitProblem problem = problem_of(line(2.0, 3.0), {"x"}, grid(0.01, 1.0), 0.01, 43);
  set_free(problem, line(1.8, 2.7), {"equations.states.x", "equations.parameters.b"});
  for (std::size_t i = 5; i < problem.values.size(); i += 10) problem.values[i] += 5.0;
  const FitResult squares = fit(problem, {});
  EXPECT_GT(std::fabs(squares.values[0] - 2.0), 0.1);
  for (const Loss loss : {Loss::huber, Loss::cauchy}) {
    problem.loss = loss;
    const FitResult found = fit(problem, {});
    ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
    for (int i = 0; i < 2; ++i) {
      // A tenth of the data pulls one way with bounded force: a few standard errors.
      EXPECT_NEAR(found.values[i], i == 0 ? 2.0 : 3.0, 5 * found.errors[i]);
      EXPECT_LT(found.errors[i], 0.02);
    }
  }
}

// Where no residual is beyond its bend, Huber's loss is that of squares.
TEST(Fit, HubersLossIsSquaresForSmallResiduals) {
  FitProblem problem = problem_of(line(2.0, 3.0), {"x"}, grid(0.05, 1.0), 0.01, 47);
  problem.observed[0].noise = 1.0;
  set_free(problem, line(1.8, 2.7), {"equations.states.x", "equations.parameters.b"});
  const FitResult squares = fit(problem, {});
  problem.loss = Loss::huber;
  const FitResult huber = fit(problem, {});
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(squares.values[i], huber.values[i], 1e-10);
}

// ---- rows ----

TEST(Fit, CellsThatWereNotMeasuredDoNotCount) {
  const Scene truth = oscillator(1.0, 1.3);
  FitProblem both = problem_of(truth, {"q", "p"}, grid(0.1, 3.0), 0.05, 53);
  for (ObservedColumn& one : both.observed) one.noise = 0.05;
  FitProblem one = both;
  one.observed.pop_back();
  one.values.clear();
  for (std::size_t row = 0; row < both.times.size(); ++row) {
    one.values.push_back(both.values[2 * row]);
    both.values[2 * row + 1] = std::nan("");
  }
  for (FitProblem* problem : {&both, &one})
    set_free(*problem, oscillator(0.95, 1.28), {"equations.states.q", "equations.parameters.w"});
  const FitResult a = fit(both, {}), b = fit(one, {});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(a.values[i], b.values[i], 1e-12);
    EXPECT_NEAR(a.errors[i], b.errors[i], 1e-12);
  }
}

TEST(Fit, StopsWhenAsked) {
  FitProblem problem = problem_of(pendulum(1.0, 1.0, 0.1), {"theta_1"}, grid(0.05, 2.0), 0.02, 59);
  set_free(problem, pendulum(1.1, 0.9, 0.12), kPendulum);
  std::atomic<bool> stop{false};
  FitControl control;
  control.stop = &stop;
  control.progress = [&](int iteration, double) { stop = iteration >= 1; };
  const FitResult found = fit(problem, control);
  EXPECT_EQ(found.outcome, FitOutcome::interrupted);
  EXPECT_LT(std::fabs(found.values[0] - 1.0), 0.1);
}

// ---- chaos ----

const std::vector<std::string> kDouble{"chain.links.1.length", "chain.links.2.length", "chain.links.2.mass",
                                       "chain.links.1.theta", "chain.links.2.theta"};

// Ten Lyapunov times: small differences grow by e^10. In one piece no step leads there; in segments the
// numbers are found, as exactly as a chaotic motion tells them.
TEST(Fit, FindsTheNumbersOfAChaoticRecord) {
  const Scene truth =
      with_numbers(shipped_scene("double-pendulum"), kDouble, {1.0, 1.0, 1.0, 2.0943951, 0.17453293});
  FitProblem problem = problem_of(truth, {"theta_1", "theta_2"}, grid(0.01, 10.0), 0.015, 61);
  set_free(problem, with_numbers(truth, kDouble, {1.08, 0.93, 1.07, 1.95, 0.19}), kDouble);
  const FitResult found = fit(problem, {});
  ASSERT_EQ(found.outcome, FitOutcome::converged) << found.message;
  EXPECT_GT(found.cuts.size(), 5u);
  EXPECT_NEAR(found.residual_rms, 0.015, 0.001);
  const std::vector<double> expected{1.0, 1.0, 1.0, 2.0943951, 0.17453293};
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(found.values[j], expected[j], 4.5 * found.errors[j]) << kDouble[j];
    EXPECT_LT(found.errors[j], 2e-3) << kDouble[j];
  }
  problem.segments = 1;
  FitControl few;
  few.most_iterations = 15;
  EXPECT_GT(fit(problem, few).residual_rms, 0.3);
}

// ---- intervals ----

// 95 % intervals hold the truth in 95 % of many records, as far as chance allows: the counts lie where those
// of a fair coin of 0.95 do but once in ten thousand times. Fits that do not converge are misses.
TEST(Fit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  constexpr int kRecords = 200;
  constexpr double kChance = 1e-4;
  const Scene truth = scene_of(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 1.0 }\nparameters = { k = 0.8 }\n"
      "dot = { x = \"-k*x\" }\n");
  const std::vector<std::string> paths{"equations.states.x", "equations.parameters.k"};
  const Scene guess = with_numbers(truth, paths, {0.9, 0.75});
  std::vector<int> held(2, 0);
  for (int record = 0; record < kRecords; ++record) {
    FitProblem problem = problem_of(truth, {"x"}, grid(0.3, 3.0), 0.05, 1000 + record);
    problem.segments = 1;
    set_free(problem, guess, paths);
    const FitResult found = fit(problem, {});
    if (found.outcome != FitOutcome::converged) continue;
    for (int j = 0; j < 2; ++j) {
      const double true_value = j == 0 ? 1.0 : 0.8;
      held[j] += found.intervals[j].first <= true_value && true_value <= found.intervals[j].second ? 1 : 0;
    }
  }
  for (const int count : held) {
    EXPECT_GT(binomial_below(count, kRecords, 0.95), kChance) << count;
    EXPECT_LT(binomial_below(count - 1, kRecords, 0.95), 1 - kChance) << count;
  }
}

}  // namespace
}  // namespace catena
