// Ticks are where people expect them and say enough.
#include "catena/draw/plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace catena::draw {
namespace {

// What a label says, undone.
double value_of(const Ticks& ticks, std::size_t i) {
  std::string text = ticks.labels[i];
  text.erase(0, 1);
  text.pop_back();
  return std::stod(text) * std::pow(10.0, ticks.exponent) + ticks.offset;
}

TEST(Ticks, LabelsSayTheValuesTheyStandAt) {
  for (const auto& [low, high] : std::initializer_list<std::pair<double, double>>{{0, 1},
                                                                                  {-3, 7},
                                                                                  {0, 1e-15},
                                                                                  {-2e5, 9e5},
                                                                                  {0.1, 0.13},
                                                                                  {99999, 100001},
                                                                                  {5e-7, 5.2e-7},
                                                                                  {-1e300, 1e300}}) {
    const Ticks ticks = linear_ticks(low, high, 6);
    EXPECT_GE(ticks.at.size(), 2u) << low;
    EXPECT_LE(ticks.at.size(), 9u) << low;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      EXPECT_NEAR(value_of(ticks, i), ticks.at[i], 1e-6 * (high - low)) << ticks.labels[i];
      EXPECT_GE(ticks.at[i], low - 1e-9 * (high - low));
      EXPECT_LE(ticks.at[i], high + 1e-9 * (high - low));
    }
  }
}

TEST(Ticks, TinyVariationsHaveLabelsThatDiffer) {
  // An energy that strays in its last digits: the labels must not collapse into one number.
  const double energy = -29.430000000000003;
  const Ticks ticks = linear_ticks(energy, energy + 4e-14, 5);
  EXPECT_GE(ticks.labels.size(), 3u);
  EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(), ticks.labels.size());
  for (const std::string& label : ticks.labels) EXPECT_LE(label.size(), 8u) << label;
  EXPECT_NE(ticks.offset, 0.0);
}

TEST(Ticks, LogarithmicOnesAreWholePowersUnlessThereAreFew) {
  const Ticks wide = log_ticks(1e-16, 1e5, 6);
  for (const double value : wide.at) EXPECT_NEAR(std::log10(value), std::round(std::log10(value)), 1e-9);
  EXPECT_LE(wide.at.size(), 8u);
  const Ticks narrow = log_ticks(0.02, 0.5, 6);
  EXPECT_GE(narrow.at.size(), 4u);
  EXPECT_TRUE(std::is_sorted(narrow.at.begin(), narrow.at.end()));
  EXPECT_GE(log_ticks(3.0, 4.0, 5).at.size(), 2u);
}

TEST(Ticks, AnglesStandAtPartsOfPi) {
  const Ticks ticks = angle_ticks(-3.3, 3.3, 5);
  EXPECT_EQ(ticks.labels, (std::vector<std::string>{"$-π$", "$-π/2$", "$0$", "$π/2$", "$π$"}));
  EXPECT_NEAR(ticks.at.back(), std::numbers::pi, 1e-15);
}

TEST(Ticks, ARangeIsNeverEmpty) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const bool logarithmic : {false, true}) {
    for (const auto& [low, high] : std::initializer_list<std::pair<double, double>>{
             {1, 1}, {inf, -inf}, {5, 5 + 1e-15}, {1e-300, 1e-300}, {1e300, 1e300}}) {
      const Span span = padded(low, high, logarithmic);
      EXPECT_LT(span.low, span.high) << low;
      EXPECT_TRUE(std::isfinite(span.low) && std::isfinite(span.high)) << low;
    }
  }
  EXPECT_LT(padded(0, 0, false).low, padded(0, 0, false).high);
}

}  // namespace
}  // namespace catena::draw
