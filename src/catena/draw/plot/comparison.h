// Figures that compare methods. Plain numbers in, a Figure out: whoever ran the methods draws them with
// draw(figure, theme, path).
#pragma once

#include <string>
#include <vector>

#include "catena/draw/plot/figure.h"
#include "catena/draw/words.h"

namespace catena::draw {

struct ComparisonOptions {
  Theme theme = light_theme();
  Language language = Language::english;
  std::string note = {};  // below the title: which scene, how long
};

// One run of a method: what it cost and how far off it was. NaN or 0: that run is left out.
struct MethodRun {
  double cost = 0.0;
  double error = 0.0;
};

// A method over several tolerances or steps.
struct MethodRuns {
  std::string method;
  std::vector<MethodRun> runs;
};

// Accuracy against cost, both logarithmic; the lower left corner is best. Labels are the axes' words in
// English
// ("Computing time", "Position error"), translated where they are known.
Figure accuracy_figure(const std::vector<MethodRuns>& methods, const std::string& cost_label,
                       const std::string& cost_unit, const std::string& error_label,
                       const std::string& error_unit, const ComparisonOptions& options);

// A quantity of each method over time.
struct MethodSeries {
  std::string method;
  std::vector<Point> points;  // t, value; NaN is a gap
};

// |E - E0| over time, logarithmic. Signs are dropped, exact zeros are gaps.
Figure energy_error_figure(const std::vector<MethodSeries>& methods, const ComparisonOptions& options);

Figure step_size_figure(const std::vector<MethodSeries>& methods, const ComparisonOptions& options);

// A method at one setting.
struct MethodScore {
  std::string method;
  double energy_error = 0.0;  // mean absolute error of the total energy, J
  double speed = 0.0;         // simulated seconds per second of computing
  bool failed = false;
};

// Two panels of bars: 'Mean absolute error (MAE) of total energy' and 'Calculation speed'.
Figure score_figure(const std::vector<MethodScore>& methods, const ComparisonOptions& options);

}  // namespace catena::draw
