// Means with error bars, frequencies and other numbers of series: against closed forms.
#include "catena/analyze/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/analyze/correlation_dimension.h"
#include "catena/analyze/naff.h"
#include "catena/analyze/recurrence.h"
#include "catena/analyze/spectrum.h"
#include "catena/analyze/zero_one.h"

namespace catena {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<double> remembering(double memory, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> out;
  double x = random.normal() / std::sqrt(1.0 - memory * memory);
  for (std::size_t i = 0; i < count; ++i) out.push_back(x = memory * x + random.normal());
  return out;
}

// x' = m x + noise: the sum over all lags is (1 + m)/(1 - m).
TEST(Statistics, CorrelationLengthOfNoiseWithMemory) {
  EXPECT_NEAR(correlation_length(remembering(0.0, 100'000, 1)), 1.0, 0.05);
  EXPECT_NEAR(correlation_length(remembering(0.8, 100'000, 2)), 9.0, 1.0);
}

// Of 400 means with a mean of zero 95 % intervals hold 380 in the mean: 366 to 392 are three standard
// deviations.
TEST(Statistics, IntervalsOfMeansHoldAsOftenAsTheySay) {
  int hold = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::vector<double> series = remembering(0.7, 2000, seed * 77);
    const MeanRate mean = mean_rate({{series, std::vector<double>(series.size(), 1.0)}});
    hold += std::fabs(mean.value) <= mean.interval ? 1 : 0;
  }
  EXPECT_GE(hold, 366);
  EXPECT_LE(hold, 392);
}

// Growth that swings far more than it diffuses: d(sin) + noise. Batches alone would see the swings.
TEST(Statistics, SwingsDoNotWidenTheIntervals) {
  int hold = 0;
  double mean_interval = 0.0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed * 31);
    std::vector<double> series;
    double last = random.normal();
    for (int i = 0; i < 2000; ++i) {
      const double next = 0.9 * last + random.normal();
      series.push_back(next - last + 0.02 * random.normal());
      last = next;
    }
    const MeanRate mean = mean_rate({{series, std::vector<double>(series.size(), 1.0)}});
    hold += std::fabs(mean.value) <= mean.interval ? 1 : 0;
    mean_interval += mean.interval / 400.0;
  }
  // 64 batches have two ends each, of variance 1/(1 - 0.9^2): alone they would be taken for an error of
  // sqrt(64 * 2 * 5.26)/2000 = 0.013, and intervals of twice that.
  EXPECT_GE(hold, 366);
  EXPECT_LT(mean_interval, 0.5 * 2.0 * 0.013);
}

TEST(Statistics, StretchesOfAShortRunAreNotSettled) {
  const std::vector<double> series = remembering(0.95, 200, 3);
  EXPECT_FALSE(mean_rate({{series, std::vector<double>(series.size(), 1.0)}}).is_settled);
}

std::vector<double> two_tones(std::size_t count, double spacing) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = spacing * static_cast<double>(i);
    out.push_back(0.3 + 1.0 * std::cos(1.2345678 * t + 0.4) + 0.2 * std::cos(2.71 * t - 1.0));
  }
  return out;
}

// Under Hann's window lines see each other by (w T)^-3 of their amplitudes: 1e-8 here, per turn 1e-10.
TEST(Naff, FindsFrequenciesBeyondTheirWidth) {
  const std::vector<Frequency> found = frequencies_of(two_tones(8000, 0.05), 0.05, 2);
  EXPECT_NEAR(found[0].value, 1.2345678, 1e-8);
  EXPECT_NEAR(found[0].amplitude, 1.0, 1e-6);
  EXPECT_NEAR(found[0].phase, 0.4, 1e-5);
  EXPECT_NEAR(found[1].value, 2.71, 1e-7);
  EXPECT_LT(frequency_drift(two_tones(8000, 0.05), 0.05).drift, 1e-6);
}

// Parseval: the power adds up to the variance.
TEST(Spectrum, PowerAddsUpToTheVariance) {
  const std::vector<double> series = two_tones(1 << 14, 0.05);
  const Spectrum found = power_spectrum(series, 0.05);
  double sum = 0.0;
  for (const double one : found.power) sum += one * found.frequencies[1];
  EXPECT_NEAR(sum, 0.5 * (1.0 + 0.04), 0.01);  // but for the ends of segments
  EXPECT_GT(found.lines, 0.999);
  EXPECT_LT(power_spectrum(remembering(0.5, 1 << 14, 5), 1.0).lines, 0.2);
}

// The logistic map at 3.55 has period 8; at 3.97 it is chaotic: the example of the test's authors.
TEST(ZeroOne, TellsTheLogisticMapsOrderFromItsChaos) {
  const auto logistic = [](double r) {
    std::vector<double> out;
    double x = 0.3;
    for (int i = 0; i < 3000; ++i) {
      x = r * x * (1.0 - x);
      if (i >= 1000) out.push_back(x);
    }
    return out;
  };
  EXPECT_LT(zero_one_test(logistic(3.55)).value, 0.05);
  EXPECT_GT(zero_one_test(logistic(3.97)).value, 0.95);
}

TEST(Recurrence, PeriodicMotionsRepeatForAsLongAsTheyAreWatched) {
  std::vector<std::vector<double>> circle, noise;
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    circle.push_back({std::cos(0.1 * i), std::sin(0.1 * i)});
    noise.push_back({random.normal(), random.normal()});
  }
  const Recurrence order = recurrence(circle, 0.1), none = recurrence(noise, 0.1);
  EXPECT_NEAR(order.rate, 0.05, 0.005);
  EXPECT_GT(order.determinism, 0.99);
  EXPECT_GT(order.longest_diagonal, 80.0);  // of 100 s
  EXPECT_LT(none.determinism, 0.2);
}

TEST(CorrelationDimension, OfACircleIsOneAndOfATorusTwo) {
  std::vector<std::vector<double>> circle, torus;
  Random random(11);
  for (int i = 0; i < 4000; ++i) {
    const double a = random.uniform() * 2.0 * kPi, b = random.uniform() * 2.0 * kPi;
    circle.push_back({std::cos(a), std::sin(a)});
    torus.push_back({std::cos(a), std::sin(a), std::cos(b), std::sin(b)});
  }
  const CorrelationDimension one = correlation_dimension(circle, 1), two = correlation_dimension(torus, 1);
  ASSERT_TRUE(one.is_found);
  ASSERT_TRUE(two.is_found);
  EXPECT_NEAR(one.value, 1.0, 0.05);
  EXPECT_NEAR(two.value, 2.0, 0.1);
  EXPECT_LT(two.from * 4.0, two.to * 1.0001);
}

}  // namespace
}  // namespace catena
