// The figures of a recorded run, made in two passes over its rows and in constant memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "catena/draw/plot/figure.h"
#include "catena/draw/plot/space.h"
#include "catena/draw/words.h"
#include "catena/model/columns.h"
#include "catena/model/scene.h"

namespace catena::draw {

// A recorded run, whatever holds it.
struct RunRows {
  std::vector<Stem> stems;  // the first is "t"
  std::size_t rows = 0;
  std::function<void(std::size_t first, std::size_t count, double* out)> read;
};

// A quantity to plot over time: all labels of a stem, or some.
struct Choice {
  std::string stem;                 // as in RunRows::stems
  std::vector<std::string> labels;  // empty: all of them
  bool total = false;               // the stem without labels
};

struct FigureOptions {
  Theme theme = light_theme();
  Language language = Language::english;
  std::string note = {};  // below every title
};

struct RunFigure {
  std::string name;     // of its file
  std::string caption;  // plain text
  std::variant<Figure, SpacePicture> picture;
};

// What can be asked for besides quantities over time: paths, projections, angles, energies, phase, adjacent,
// reactions, run, steps.
const std::vector<std::string>& figure_kinds();
const std::vector<std::string>& default_kinds();
// Whether a kind draws curves in a plane or in space: paths and portraits.
bool shows_curves(const std::string& kind);

// The choices that words of `--quantities` mean: columns (`energy`, `x_2`), stems (`theta`) or groups
// (`position`). Throws InputError that names each word the run does not have.
std::vector<Choice> choices_for(const std::vector<std::string>& words, const std::vector<Stem>& stems,
                                const std::string& source);

// Those that the classic config's [system.plot] switches on. Columns that the run lacks are left out.
std::vector<Choice> classic_choices(const std::vector<PlotSwitch>& switches, const std::vector<Stem>& stems);

// `scene` may be null: then bobs hang one from the other. Kinds whose columns the run lacks are left out.
// `fine`: the same columns at more times, for curves without corners; null: there are none.
std::vector<RunFigure> run_figures(const RunRows& run, const Scene* scene, const std::vector<Choice>& choices,
                                   const std::vector<std::string>& kinds, const FigureOptions& options,
                                   const RunRows* fine = nullptr);

// How far the bobs of two runs are from each other, at the times that both have.
RunFigure distance_figure(const RunRows& run, const RunRows& other, const FigureOptions& options);

Drawn draw(const RunFigure& figure, const Theme& theme, const std::string& path);

}  // namespace catena::draw
