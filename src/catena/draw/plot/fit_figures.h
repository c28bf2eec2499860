// Figures of a fit: measurements beside the motion that was found, and what is left between them.
#pragma once

#include <string>
#include <vector>

#include "catena/draw/plot/figure.h"
#include "catena/draw/words.h"

namespace catena::draw {

// A column of the data.
struct FittedColumn {
  std::string name, unit;
  double noise = 0.0;                             // its standard deviation; 0: not known
  std::vector<double> times, measured, modelled;  // nan in the second: not measured
};

struct FitLook {
  Theme theme = light_theme();
  Language language = Language::english;
  std::string note = {};
  std::vector<double> cuts = {};  // where segments begin
};

// Dots and a curve, one panel for each column.
Figure fit_figure(const std::vector<FittedColumn>& columns, const FitLook& look);
// Measured less modelled, with lines at plus and minus two standard deviations.
Figure residual_figure(const std::vector<FittedColumn>& columns, const FitLook& look);

}  // namespace catena::draw
