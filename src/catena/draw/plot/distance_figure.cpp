#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catena/base/mistake.h"
#include "catena/draw/label.h"
#include "catena/draw/plot/run_figures.h"
#include "catena/draw/plot/run_walk.h"

namespace catena::draw {

RunFigure distance_figure(const RunRows& run, const RunRows& other, const FigureOptions& options) {
  const RunColumns columns(run.stems), others(other.stems);
  struct Pair {
    std::string item;
    std::array<std::size_t, 3> here, there;
  };
  std::vector<Pair> pairs;
  for (const std::string& item : columns.items_with("x")) {
    Pair pair{item, {}, {}};
    bool complete = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string axis(1, "xyz"[i]);
      const RunColumn* a = columns.find(axis, item);
      const RunColumn* b = others.find(axis, item);
      complete = complete && a != nullptr && b != nullptr;
      if (complete) pair.here[i] = a->index, pair.there[i] = b->index;
    }
    if (complete) pairs.push_back(pair);
  }
  if (pairs.empty())
    throw InputError({}, "the two runs have no positions in common: record both with --quantities position");
  const std::size_t all = pairs.size();
  pairs = spread(pairs, kMostPaths);
  std::vector<double> row(columns.size());
  run.read(run.rows - 1, 1, row.data());
  std::vector<Envelope> envelopes(pairs.size(), Envelope(0.0, row[0]));
  RowWalker here(run), there(other);
  const double* a = here.next();
  const double* b = there.next();
  while (a != nullptr && b != nullptr) {
    if (a[0] == b[0]) {
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Pair& pair = pairs[k];
        const double distance =
            std::hypot(a[pair.here[0]] - b[pair.there[0]], a[pair.here[1]] - b[pair.there[1]],
                       a[pair.here[2]] - b[pair.there[2]]);
        envelopes[k].add(a[0], distance > 0.0 ? distance : std::numeric_limits<double>::quiet_NaN());
      }
      a = here.next();
      b = there.next();
    } else if (a[0] < b[0]) {
      a = here.next();
    } else {
      b = there.next();
    }
  }
  Panel panel;
  panel.x = {.label = in_words("Time", options.language) + " $t$", .unit = "s", .tight = true};
  panel.y = {.label = in_words("Distance", options.language), .unit = "m", .logarithmic = true};
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    Curve curve;
    curve.name = in_words("bob", options.language) + " " + plain_label(pairs[k].item);
    curve.colour = series_colour(options.theme, k, pairs.size());
    curve.points = envelopes[k].points();
    panel.curves.push_back(std::move(curve));
  }
  Figure figure;
  figure.title = figure_title("distance", options.language);
  figure.note = options.note;
  if (pairs.size() < all) {
    figure.note +=
        "; " + fmt::format(fmt::runtime(in_words("{} of {} links", options.language)), pairs.size(), all);
  }
  figure.panel_height = 240;
  figure.panels.push_back(std::move(panel));
  return {"distance", figure_caption("distance", options.language), std::move(figure)};
}

}  // namespace catena::draw
