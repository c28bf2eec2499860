// Fits: against textbooks, against each other, and against the truth that the data were made from.
#include "catena/analyze/fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <chrono>
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
  return scene_of(fmt::format("[simulation]\nduration = 1\n[equations]\nstates = {{ x = {} }}\n"
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
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(found.covariance[2 * i + j], covariance(i, j), 1e-10 * square);
  }
  EXPECT_NEAR(found.noise[0], std::sqrt(square), 1e-10 * found.noise[0]);
}

TEST(Fit, DoublePendulumOverTenLyapunovTimes) {
  const Scene truth = shipped_scene("double-pendulum");
  const double noise = 0.02;
  FitProblem problem = problem_of(truth, {"theta_1", "theta_2"}, grid(0.01, 10.0), noise, 3);
  const Scene guess = with_numbers(truth, {"chain.links.1.length", "chain.links.2.length", "chain.links.2.mass",
                                           "chain.links.1.theta", "chain.links.2.theta"},
                                   {1.08, 0.93, 1.07, 1.65, 1.48});
  set_free(problem, guess, {"chain.links.1.length", "chain.links.2.length", "chain.links.2.mass",
                            "chain.links.1.theta", "chain.links.2.theta"});
  FitControl control;
  control.progress = [](int i, double rms) { fmt::print("{} {}\n", i, rms); };
  const auto begin = std::chrono::steady_clock::now();
  const FitResult found = fit(problem, control);
  fmt::print("{} s, {} segments, {}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), found.cuts.size(), found.message);
  for (std::size_t j = 0; j < problem.free.size(); ++j)
    fmt::print("{} {} +- {}\n", problem.free[j].path, found.values[j], found.errors[j]);
  EXPECT_EQ(found.outcome, FitOutcome::converged);
}

}  // namespace
}  // namespace catena
