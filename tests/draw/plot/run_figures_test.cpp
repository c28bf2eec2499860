// Figures of recorded runs: which there are, what they show, and the words that choose them.
#include "catena/draw/plot/run_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "catena/base/mistake.h"
#include "catena/draw/plot/run_columns.h"
#include "draw/pictures.h"

namespace catena::draw::testing {
namespace {

using RunFigures = Pictures;

std::vector<std::string> numbers(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t k = 1; k <= count; ++k) out.push_back(std::to_string(k));
  return out;
}

// Columns as `catena run` records them; each value is row-dependent and known.
RunRows recorded(std::size_t links, std::size_t rows) {
  RunRows run;
  run.stems = {{"t", {}}};
  for (const char* stem :
       {"x", "y", "z", "vx", "theta", "phi", "theta_dot", "phi_dot", "tension", "px", "kinetic", "energy"}) {
    run.stems.push_back({stem, numbers(links)});
  }
  for (const char* stem :
       {"fx_pivot", "px_total", "p_total", "kinetic", "potential", "elastic", "energy", "dissipated", "work",
        "balance", "energy_error", "step_size", "constraint_error"}) {
    run.stems.push_back({stem, {}});
  }
  const RunColumns columns(run.stems);
  const std::size_t width = columns.size();
  std::vector<std::string> names;
  for (const RunColumn& column : columns) names.push_back(column.stem);
  run.rows = rows;
  run.read = [=](std::size_t first, std::size_t count, double* out) {
    for (std::size_t row = first; row < first + count; ++row) {
      for (std::size_t c = 0; c < width; ++c) {
        const double t = 0.01 * static_cast<double>(row), phase = t + static_cast<double>(c);
        const bool zero = names[c] == "elastic" || names[c] == "dissipated" || names[c] == "work";
        const bool positive = names[c] == "step_size" || names[c] == "constraint_error";
        *out++ = c == 0 ? t : zero ? 0.0 : positive ? std::exp(std::sin(phase)) * 1e-3 : std::sin(phase);
      }
    }
  };
  return run;
}

std::vector<std::string> names_of(const std::vector<RunFigure>& figures) {
  std::vector<std::string> names;
  for (const RunFigure& figure : figures) names.push_back(figure.name);
  return names;
}

const Figure& plain(const RunFigure& figure) { return std::get<Figure>(figure.picture); }

TEST_F(RunFigures, ByDefaultThereArePathsAnglesEnergiesAndPhasePortraits) {
  const auto figures = run_figures(recorded(2, 300), nullptr, {}, default_kinds(), {});
  EXPECT_EQ(names_of(figures), (std::vector<std::string>{"paths", "angles", "rates", "energies", "phase"}));
  const Figure& energies = plain(figures[3]);
  ASSERT_EQ(energies.panels.size(), 2u);
  EXPECT_EQ(energies.panels[0].curves.size(), 3u) << "what is zero throughout is left out";
  EXPECT_EQ(plain(figures[4]).panels.size(), 2u);
}

TEST_F(RunFigures, AllKindsDrawWithoutOverlapsForAnyNumberOfLinksAndRows) {
  for (const std::size_t links : {1, 7, 8, 50}) {
    for (const std::size_t rows : {1, 400}) {
      for (const Language language : {Language::english, Language::japanese}) {
        if (language == Language::japanese && (links != 7 || writable(language) != language)) continue;
        FigureOptions options;
        options.language = language;
        options.note = "a run, and what it was made with";
        for (const RunFigure& figure :
             run_figures(recorded(links, rows), nullptr, {}, figure_kinds(), options)) {
          SCOPED_TRACE(figure.name + " of " + std::to_string(links) + " links, " + std::to_string(rows) +
                       " rows");
          EXPECT_FALSE(figure.caption.empty());
          expect_no_overlap(draw(figure, light_theme(), path(figure.name + std::to_string(links) + ".png")));
        }
      }
    }
  }
}

TEST_F(RunFigures, QuantitiesOverTimeShowTheNumbersRecorded) {
  const RunRows run = recorded(3, 500);
  const auto choices = choices_for({"tension_2"}, run.stems, "run.h5");
  const auto figures = run_figures(run, nullptr, choices, {}, {});
  ASSERT_EQ(names_of(figures), std::vector<std::string>{"tension"});
  ASSERT_EQ(plain(figures[0]).panels.size(), 1u);
  ASSERT_EQ(plain(figures[0]).panels[0].curves.size(), 1u);
  const std::size_t column = RunColumns(run.stems).find("tension", "2")->index;
  for (const Point& point : plain(figures[0]).panels[0].curves[0].points) {
    EXPECT_NEAR(point.y, std::sin(point.x + static_cast<double>(column)), 1e-12);
  }
}

TEST_F(RunFigures, WordsMeanColumnsStemsOrGroups) {
  const std::vector<Stem> stems = recorded(2, 1).stems;
  const auto count = [&](const char* word) { return choices_for({word}, stems, "run.h5").size(); };
  EXPECT_EQ(count("theta"), 1u);
  EXPECT_EQ(count("x_2"), 1u);
  EXPECT_EQ(count("position"), 3u);
  EXPECT_EQ(count("angles"), 4u);
  const auto energy = choices_for({"energy"}, stems, "run.h5");
  ASSERT_EQ(energy.size(), 1u);
  EXPECT_TRUE(energy[0].total) << "a single column comes before a stem of that name";
  EXPECT_EQ(choices_for({"all"}, stems, "run.h5").size(), stems.size() - 1);
}

TEST_F(RunFigures, AllUnknownWordsAreNamedAtOnceWithARemedy) {
  try {
    choices_for({"thetta", "tension", "strain", "nonsense"}, recorded(2, 1).stems, "run.h5");
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.mistakes().size(), 3u);
    EXPECT_NE(error.mistakes()[0].message.find("did you mean 'theta'"), std::string::npos);
    EXPECT_NE(error.mistakes()[1].message.find("was not recorded"), std::string::npos);
    EXPECT_NE(error.mistakes()[2].message.find("catena list quantities"), std::string::npos);
  }
}

TEST_F(RunFigures, SwitchesOfTheClassicConfigChooseComponentsAndTotals) {
  const RunRows run = recorded(2, 50);
  const std::vector<PlotSwitch> switches = {{"x", {true, false, true}},  {"pos", {false, true}},
                                            {"totalKE", {true}},         {"KE", {true}},
                                            {"absTotalLM", {true}},      {"totalLM", {true, false, false}},
                                            {"v", {false, false, false}}};
  const auto choices = classic_choices(switches, run.stems);
  std::set<std::string> chosen;
  for (const Choice& choice : choices) chosen.insert((choice.total ? "total " : "") + choice.stem);
  EXPECT_EQ(chosen, (std::set<std::string>{"x", "z", "phi", "total kinetic", "kinetic", "total p_total",
                                           "total px_total"}));
  const auto figures = run_figures(run, nullptr, choices, {}, {});
  EXPECT_EQ(plain(figures[0]).panels.size(), 2u);
}

TEST_F(RunFigures, AnglesThatJumpATurnHaveAGapThere) {
  RunRows run;
  run.stems = {{"t", {}}, {"phi", {"1"}}};
  run.rows = 600;
  run.read = [](std::size_t first, std::size_t count, double* out) {
    for (std::size_t row = first; row < first + count; ++row) {
      *out++ = static_cast<double>(row);
      *out++ = std::fmod(0.05 * static_cast<double>(row), 2 * std::numbers::pi);
    }
  };
  const auto figures = run_figures(run, nullptr, choices_for({"phi"}, run.stems, ""), {}, {});
  const auto& points = plain(figures[0]).panels[0].curves[0].points;
  int gaps = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    gaps += std::isnan(points[i].y) ? 1 : 0;
    EXPECT_FALSE(std::fabs(points[i].y - points[i - 1].y) > 3) << "a stroke across the figure";
  }
  EXPECT_EQ(gaps, 4);
}

TEST_F(RunFigures, SeveralChainsBodiesAndUnknownColumnsHaveNames) {
  const RunColumns columns({{"t", {}},
                            {"x_left", {"1", "2"}},
                            {"theta_dot_left", {"1"}},
                            {"fx_left_pivot", {}},
                            {"qw_crank", {}},
                            {"angle_elbow", {}},
                            {"angle_elbow_dot", {}},
                            {"alpha", {}},
                            {"energy_error", {}}});
  EXPECT_NE(columns.find("x", "left_2"), nullptr);
  EXPECT_NE(columns.find("theta_dot", "left_1"), nullptr);
  EXPECT_NE(columns.find("fx", "left_pivot"), nullptr);
  EXPECT_NE(columns.find("qw", "crank"), nullptr);
  EXPECT_NE(columns.find("angle", "elbow"), nullptr);
  EXPECT_NE(columns.find("angle_dot", "elbow"), nullptr);
  EXPECT_NE(columns.find("alpha", ""), nullptr);
  EXPECT_NE(columns.find("energy_error", ""), nullptr);
}

TEST_F(RunFigures, MemoryDoesNotGrowWithTheRun) {
  // Blocks are read one after the other, twice, and no block is larger than a few megabytes.
  RunRows run = recorded(2, 300'000);
  const auto read = run.read;
  std::size_t largest = 0, total = 0;
  run.read = [&](std::size_t first, std::size_t count, double* out) {
    largest = std::max(largest, count);
    total += count;
    read(first, count, out);
  };
  const auto figures = run_figures(run, nullptr, {}, default_kinds(), {});
  EXPECT_LE(largest * RunColumns(run.stems).size() * sizeof(double), std::size_t{1} << 22);
  EXPECT_LE(total, 2 * run.rows + 10);
  for (const RunFigure& figure : figures) {
    if (!std::holds_alternative<Figure>(figure.picture)) continue;
    for (const Panel& panel : plain(figure).panels) {
      for (const Curve& curve : panel.curves) EXPECT_LE(curve.points.size(), 20000u) << figure.name;
    }
  }
}

TEST_F(RunFigures, TheDistanceOfTwoRunsIsThatOfTheirBobs) {
  const RunRows here = recorded(1, 200);
  RunRows there = here;
  const std::size_t width = RunColumns(here.stems).size();
  there.read = [=](std::size_t first, std::size_t count, double* out) {
    here.read(first, count, out);
    for (std::size_t i = 0; i < count; ++i) out[i * width + 1] += 0.003, out[i * width + 2] += 0.004;
  };
  const RunFigure figure = distance_figure(here, there, {});
  for (const Point& point : plain(figure).panels[0].curves[0].points) EXPECT_NEAR(point.y, 0.005, 1e-12);
}

// A mechanism: two bodies, a hinge and a slider. Joints have their own figures and portraits.
RunRows mechanism(std::size_t rows, double gap) {
  RunRows run;
  run.stems = {
      {"t", {}},          {"x", {"crank", "slider"}}, {"y", {"crank", "slider"}}, {"z", {"crank", "slider"}},
      {"angle", {"pin"}}, {"angle_pin_dot", {}},      {"travel", {"rail"}},       {"travel_rail_dot", {}}};
  run.rows = rows;
  run.read = [gap](std::size_t first, std::size_t count, double* out) {
    for (std::size_t row = first; row < first + count; ++row) {
      const double t = gap * static_cast<double>(row), c = std::cos(t), s = std::sin(t);
      for (const double value : {t, c, 2 * c, 0.0, 0.0, s, 0.0, t, 1.0, c, -s}) *out++ = value;
    }
  };
  return run;
}

TEST_F(RunFigures, MechanismsShowTheirJoints) {
  const auto figures = run_figures(mechanism(100, 0.1), nullptr, {}, default_kinds(), {});
  EXPECT_EQ(names_of(figures), (std::vector<std::string>{"paths", "joints", "joint-rates", "phase"}));
  EXPECT_EQ(plain(figures[1]).panels.size(), 2u) << "angles and travels have axes of their own";
  EXPECT_EQ(plain(figures[2]).panels.size(), 2u);
  const Figure& phase = plain(figures[3]);
  ASSERT_EQ(phase.panels.size(), 2u);
  EXPECT_TRUE(phase.panels[0].x.angle);
  EXPECT_FALSE(phase.panels[1].x.angle);
  EXPECT_EQ(phase.panels[1].x.unit, "m");
  for (const RunFigure& figure : figures)
    expect_no_overlap(draw(figure, light_theme(), path(figure.name + "-mechanism.png")));
}

// Joints may be called pivots, too: their angles and forces are theirs.
TEST_F(RunFigures, AJointCalledPivotIsNoPivotOfAChain) {
  RunRows run;
  run.stems = {{"t", {}}};
  for (const char* stem : {"angle_pivot", "angle_pivot_dot", "fx_pivot", "fy_pivot", "fz_pivot", "mx_pivot",
                           "my_pivot", "mz_pivot"})
    run.stems.push_back({stem, {}});
  run.rows = 50;
  const std::size_t width = run.stems.size();
  run.read = [width](std::size_t first, std::size_t count, double* out) {
    for (std::size_t row = first; row < first + count; ++row) {
      for (std::size_t c = 0; c < width; ++c)
        *out++ = c == 0 ? 0.1 * static_cast<double>(row) : std::sin(static_cast<double>(row + c));
    }
  };
  const auto labels = [](const RunRows& rows, const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const RunFigure& figure :
         run_figures(rows, nullptr, choices_for(words, rows.stems, "run.h5"), {}, {})) {
      for (const Panel& panel : plain(figure).panels) out.push_back(panel.y.label);
    }
    return out;
  };
  const auto of_joint = labels(run, {"angle_pivot", "fx_pivot", "mx_pivot"});
  EXPECT_EQ(of_joint.size(), 3u);
  for (const std::string& label : of_joint)
    EXPECT_EQ(label.find("Force of the pivot"), std::string::npos) << label;
  const auto of_chain = labels(recorded(2, 50), {"fx_pivot"});
  ASSERT_EQ(of_chain.size(), 1u);
  EXPECT_NE(of_chain[0].find("Force of the pivot"), std::string::npos) << of_chain[0];
}

// The angle between each stroke and the next.
double sharpest_corner(const std::vector<Point>& points) {
  double sharpest = 0.0;
  for (std::size_t i = 2; i < points.size(); ++i) {
    const double ax = points[i - 1].x - points[i - 2].x, ay = points[i - 1].y - points[i - 2].y;
    const double bx = points[i].x - points[i - 1].x, by = points[i].y - points[i - 1].y;
    if (std::hypot(ax, ay) * std::hypot(bx, by) < 1e-12) continue;
    sharpest = std::max(sharpest, std::fabs(std::atan2(ax * by - ay * bx, ax * bx + ay * by)));
  }
  return sharpest;
}

TEST_F(RunFigures, CurvesGoThroughTheMotionBetweenRows) {
  const RunRows coarse = mechanism(9, 1.0), fine = mechanism(801, 0.01);
  const auto corner = [&](const RunRows* between) {
    const auto figures = run_figures(coarse, nullptr, {}, {"phase"}, {}, between);
    return sharpest_corner(plain(figures[0]).panels[1].curves[0].points);
  };
  EXPECT_GT(corner(nullptr), 0.9);  // a circle of strokes one radian long
  EXPECT_LT(corner(&fine), 0.02);   // and of a hundredth
}

}  // namespace
}  // namespace catena::draw::testing
