// Figures that compare methods.
#include "catena/draw/plot/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "draw/pictures.h"

namespace catena::draw::testing {
namespace {

using Comparisons = Pictures;

const std::vector<std::string> kMethods = {"taylor", "vern9",  "dop853", "tsit5",    "dopri5",
                                           "rk4",    "gauss8", "rkmk54", "yoshida6", "verlet",
                                           "radau5", "cf4",    "euler"};

std::vector<MethodRuns> runs() {
  std::vector<MethodRuns> out;
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    MethodRuns method{kMethods[i], {}};
    const double order = 30.0 / static_cast<double>(i + 1);
    for (int k = 0; k < 6; ++k) {
      const double cost = 1e-3 * std::pow(2.0, k) * (1 + 0.3 * static_cast<double>(i));
      method.runs.push_back({cost, std::max(1e-14, 1e-2 * std::pow(2.0, -order * k))});
    }
    out.push_back(std::move(method));
  }
  out[12].runs.push_back({std::nan(""), 1.0});
  out[12].runs.push_back({1.0, 0.0});
  return out;
}

std::vector<MethodSeries> series() {
  std::vector<MethodSeries> out;
  for (std::size_t i = 0; i < 5; ++i) {
    MethodSeries one{kMethods[i], {}};
    for (int k = 0; k <= 500; ++k) {
      const double t = 0.02 * k;
      one.points.push_back({t, std::pow(10.0, -14.0 + 2.0 * static_cast<double>(i)) * t *
                                   std::sin(3 * t + static_cast<double>(i))});
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<MethodScore> scores() {
  std::vector<MethodScore> out;
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    out.push_back({kMethods[i], std::pow(10.0, -14.0 + static_cast<double>(i)),
                   3000.0 / static_cast<double>(i + 1), i == 12});
  }
  out[1].energy_error = 0.0;
  return out;
}

TEST_F(Comparisons, DrawWithoutOverlapsInBothLanguagesAndThemes) {
  for (const Theme* theme : {&light_theme(), &dark_theme()}) {
    for (const Language language : {Language::english, writable(Language::japanese)}) {
      const ComparisonOptions options = {*theme, language, "demo, the first 10 s"};
      const std::string tail =
          std::string(theme->dark ? "-dark" : "") + (language == Language::japanese ? "-ja" : "") + ".png";
      expect_no_overlap(draw(accuracy_figure(runs(), "Computing time", "s", "Position error", "m", options),
                             *theme, path("accuracy" + tail)));
      expect_no_overlap(draw(energy_error_figure(series(), options), *theme, path("energy-error" + tail)));
      expect_no_overlap(draw(step_size_figure(series(), options), *theme, path("step-size" + tail)));
      Drawn drawn = draw(score_figure(scores(), options), *theme, path("scores" + tail));
      drawn.frames.clear();  // values stand behind their bars, inside the axes
      expect_no_overlap(drawn);
    }
  }
}

TEST_F(Comparisons, RunsWithoutACostOrAnErrorAreLeftOut) {
  const Figure figure = accuracy_figure(runs(), "Computing time", "s", "Error", "", {});
  for (const Curve& curve : figure.panels[0].curves) {
    EXPECT_EQ(curve.points.size(), 6u);
    EXPECT_TRUE(
        std::is_sorted(curve.points.begin(), curve.points.end(), [](auto& a, auto& b) { return a.x < b.x; }));
  }
}

TEST_F(Comparisons, NoTwoMethodsLookAlike) {
  const Figure figure = accuracy_figure(runs(), "Computing time", "s", "Error", "", {});
  const auto& curves = figure.panels[0].curves;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = curves[i].colour.r == curves[j].colour.r &&
                        curves[i].colour.g == curves[j].colour.g && curves[i].marker == curves[j].marker;
      EXPECT_FALSE(same) << curves[i].name << " and " << curves[j].name;
    }
  }
}

TEST_F(Comparisons, NothingToCompareIsNoTrouble) {
  for (const Figure& figure : {accuracy_figure({}, "Error", "", "Error", "", {}), energy_error_figure({}, {}),
                               score_figure({}, {})}) {
    EXPECT_NO_THROW(draw(figure, light_theme(), path("empty.png")));
  }
}

}  // namespace
}  // namespace catena::draw::testing
