#include "catena/draw/plot/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "catena/draw/label.h"
#include "catena/draw/plot/run_reading.h"

namespace catena::draw {
namespace {

class Maker : private RunReading {
 public:
  Maker(const RunRows& run, const Scene* scene, const FigureOptions& options, const RunRows* fine)
      : RunReading(run, scene, options, fine) {}

  std::vector<RunFigure> figures(const std::vector<Choice>& choices, const std::vector<std::string>& kinds) {
    plan(choices, kinds);
    first_pass();
    second_pass();
    std::vector<RunFigure> out;
    for (const std::string& kind : kinds) {
      if (kind == "paths" && has_positions()) out.push_back(paths_figure());
      if (kind == "projections" && has_positions()) out.push_back(projections_figure());
      if (kind == "phase" && !phase_.empty()) out.push_back(portrait_figure("phase", phase_));
      if (kind == "adjacent" && !adjacent_.empty()) out.push_back(portrait_figure("adjacent", adjacent_));
      if (kind == "steps" && steps_.all > 0) out.push_back(steps_figure());
      const auto time_figures = kind_quantities(kind);
      for (const std::string& name : time_figures) add_time_figure(out, name, true);
    }
    std::vector<std::string> names;
    for (const RunColumn* column : chosen_) {
      if (std::find(names.begin(), names.end(), column->name.figure) == names.end())
        names.push_back(column->name.figure);
    }
    for (const std::string& name : names) add_time_figure(out, name, false);
    return out;
  }

 private:
  std::string word(std::string_view english) const { return in_words(english, options_.language); }

  std::string item_words(const std::string& item) const {
    const std::size_t bar = item.rfind('_');
    const std::string number = bar == std::string::npos ? item : item.substr(bar + 1);
    const bool is_link = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    if (!is_link) return plain_label(item);
    const std::string chain = bar == std::string::npos ? "" : item.substr(0, bar) + " ";
    return plain_label(chain) + word("link") + " " + number;
  }

  Colour item_colour(const std::string& item) const {
    const auto found = item_places_.find(item);
    if (found == item_places_.end()) return options_.theme.ink;
    return series_colour(options_.theme, found->second.second, found->second.first->size());
  }

  Axis time_axis() const {
    Axis axis = {.label = word("Time") + " $t$", .unit = "s"};
    if (end_ > start_) axis.range = Span{start_, end_};
    return axis;
  }

  std::optional<ColourKey> colour_key(std::size_t curves) const {
    if (items_.size() <= kDistinctColours || curves <= kDistinctColours) return std::nullopt;
    return ColourKey{word("Link"), plain_label(items_.front()), plain_label(items_.back())};
  }

  std::string note(std::size_t shown, std::size_t all) const {
    if (shown >= all) return options_.note;
    const std::string some = fmt::format(fmt::runtime(word("{} of {} links")), shown, all);
    return options_.note.empty() ? some : options_.note + "; " + some;
  }

  RunFigure named(const std::string& name, std::variant<Figure, SpacePicture> picture) const {
    return {name, figure_caption(name, options_.language), std::move(picture)};
  }

  // Curves of all columns that belong to a figure, panel by panel. `trim` leaves out what is zero throughout.
  void add_time_figure(std::vector<RunFigure>& out, const std::string& name, bool trim) {
    const bool made = std::any_of(out.begin(), out.end(), [&](const RunFigure& f) { return f.name == name; });
    if (made) return;
    Figure figure;
    figure.title = figure_title(name, options_.language);
    figure.shared_x = true;
    std::vector<std::string> panels;
    std::size_t most = 0;
    const std::vector<const RunColumn*>& pool = trim ? kind_columns_ : chosen_;
    for (const RunColumn* column : pool) {
      if (column->name.figure != name) continue;
      if (trim && is_dull(*column)) continue;
      const std::string panel = is_pivots_force(*column) ? column->name.panel + " pivot" : column->name.panel;
      auto found = std::find(panels.begin(), panels.end(), panel);
      if (found == panels.end()) {
        panels.push_back(panel);
        figure.panels.push_back(time_panel(*column));
        found = panels.end() - 1;
      }
      Panel& target = figure.panels[static_cast<std::size_t>(found - panels.begin())];
      target.curves.push_back(time_curve(*column));
      most = std::max(most, target.curves.size());
    }
    if (figure.panels.empty()) return;
    figure.key = colour_key(most);
    figure.note = note(most, most < kMostCurves ? most : std::max(most, items_.size()));
    figure.panel_height = figure.panels.size() == 1 ? 230 : figure.panels.size() == 2 ? 170 : 130;
    out.push_back(named(name, std::move(figure)));
  }

  // Zero throughout, or a repetition of the total.
  bool is_dull(const RunColumn& column) const {
    const Bounds& bounds = time_jobs_.at(column.index).envelope.bounds();
    if (column.stem == "balance") return true;
    const bool zero = bounds.low == 0.0 && bounds.high == 0.0;
    return zero && (column.stem == "elastic" || column.stem == "dissipated" || column.stem == "work");
  }

  // A chain's own; joints may be called pivots, too, and have angles.
  bool is_pivots_force(const RunColumn& column) const {
    return column.item.ends_with("pivot") && column.stem.starts_with("f") &&
           !columns_.find("mx", column.item);
  }

  Panel time_panel(const RunColumn& column) const {
    Panel panel;
    panel.x = time_axis();
    std::string words = column.name.words;
    std::string symbol = column.name.symbol;
    if (column.name.panel == "energies") words = "Energy", symbol = "";
    if (is_pivots_force(column)) words = "Force of the pivot";
    panel.y.label = word(words) + (symbol.empty() ? "" : " $" + symbol + "$");
    panel.y.unit = column.name.unit;
    panel.y.angle = column.name.angle;
    const bool by_magnitude = column.stem == "step_size" || column.stem == "constraint_error";
    if (by_magnitude) {
      const Bounds& bounds = time_jobs_.at(column.index).envelope.bounds();
      panel.y.logarithmic = bounds.high > 0.0 && bounds.high > 3 * bounds.least_positive;
    }
    return panel;
  }

  Curve time_curve(const RunColumn& column) const {
    Curve curve;
    curve.points = time_jobs_.at(column.index).envelope.points();
    if (column.name.panel == "energies") {
      curve.name = word(column.name.words) + " $" + column.name.symbol + "$";
      curve.colour = energy_colour(column.stem);
      if (column.stem == "energy") curve.width = 1.6;
    } else if (column.item.empty() || is_pivots_force(column)) {
      curve.colour = series_colour(options_.theme, 0, 1);
    } else {
      curve.name = item_words(column.item);
      curve.colour = item_colour(column.item);
      if (items_.size() > kDistinctColours) curve.width = items_.size() > 20 ? 0.7 : 1.0;
    }
    return curve;
  }

  Colour energy_colour(const std::string& stem) const {
    if (stem == "energy") return options_.theme.ink;
    const std::array<const char*, 6> order = {"potential",  "kinetic", "elastic",
                                              "dissipated", "work",    "balance"};
    const auto* found =
        std::find_if(order.begin(), order.end(), [&](const char* name) { return stem == name; });
    return series_colour(options_.theme, static_cast<std::size_t>(found - order.begin()), 6);
  }

  Curve traced(const TraceJob& job, const Colour& colour) const {
    Curve curve;
    curve.colour = colour;
    curve.points = job.trace.points();
    curve.density = job.trace.density();
    curve.x_bounds = job.x_bounds;
    curve.y_bounds = job.y_bounds;
    curve.width = curve.points.size() > 5000 ? 0.5 : curve.points.size() > 1500 ? 0.8 : 1.1;
    return curve;
  }

  RunFigure portrait_figure(const std::string& name, const std::vector<Portrait>& portraits) const {
    Figure figure;
    figure.title = figure_title(name, options_.language);
    figure.columns = portraits.size() <= 3 ? portraits.size() : portraits.size() == 4 ? 2 : 3;
    figure.panel_height = figure.columns == 1 ? 340 : figure.columns == 2 ? 230 : 165;
    if (figure.columns == 1) figure.width = 440;
    for (const Portrait& portrait : portraits) {
      Panel panel;
      const auto subscript = [](const std::string& item) {
        const bool is_short = item.size() <= 3 && item.find_first_of("_-") == std::string::npos;
        return is_short && !item.empty() ? "_{" + item + "}" : "";
      };
      const QuantityName &x = portrait.x->name, &y = portrait.y->name;
      const auto axis = [&](const QuantityName& of, const std::string& item) {
        return of.symbol.empty() ? of.words : "$" + of.symbol + subscript(item) + "$";
      };
      panel.x = {.label = axis(x, portrait.item), .unit = x.unit, .angle = x.angle};
      const std::string whose =
          portrait.y_angle || portrait.item.empty() ? "" : item_words(portrait.item) + ": ";
      const std::string& up = portrait.y_angle ? portrait.other : portrait.item;
      panel.y = {.label = whose + axis(y, up), .unit = y.unit, .angle = y.angle};
      panel.curves.push_back(traced(traces_[portrait.job], item_colour(portrait.item)));
      figure.panels.push_back(std::move(panel));
    }
    const std::size_t all = name == "adjacent" ? columns_.items_with("theta").size() - 1 : phases_;
    figure.note = note(portraits.size(), all);
    return named(name, std::move(figure));
  }

  RunFigure projections_figure() const {
    Figure figure;
    figure.title = figure_title("projections", options_.language);
    figure.columns = planes_.size();
    figure.panel_height = planes_.size() == 1 ? 420 : 180;
    if (planes_.size() == 1) figure.width = 520;
    const char* axes = "xyz";
    std::size_t job = 0;
    for (const auto& [a, b] : planes_) {
      Panel panel;
      panel.equal = true;
      panel.x = {.label = fmt::format("${}$", axes[a]), .unit = "m"};
      panel.y = {.label = fmt::format("${}$", axes[b]), .unit = "m"};
      for (const std::string& bob : projected_bobs_) {
        Curve curve = traced(traces_[projection_jobs_[job++]], item_colour(bob));
        curve.name = item_words(bob);
        panel.curves.push_back(std::move(curve));
      }
      figure.panels.push_back(std::move(panel));
    }
    figure.note = note(projected_bobs_.size(), bobs_.size());
    return named("projections", std::move(figure));
  }

  RunFigure steps_figure() const {
    constexpr int kBins = 48;
    const int first = steps_.counts.begin()->first, last = steps_.counts.rbegin()->first + 1;
    const int joined = std::max(1, (last - first + kBins - 1) / kBins);
    const int bins = (last - first + joined - 1) / joined;
    Histogram histogram;
    histogram.colour = series_colour(options_.theme, 0, 1);
    histogram.counts.assign(static_cast<std::size_t>(bins), 0.0);
    for (int i = 0; i <= bins; ++i) {
      histogram.edges.push_back(std::pow(10.0, (first + i * joined) / LogCounts::kPerDecade));
    }
    for (const auto& [place, count] : steps_.counts) {
      histogram.counts[static_cast<std::size_t>((place - first) / joined)] += 100 * count / steps_.all;
    }
    Panel panel;
    panel.x = {.label = word("Step size") + " $h$", .unit = "s", .logarithmic = true};
    panel.y = {.label = word("Share of the time"), .unit = "%"};
    panel.histogram = std::move(histogram);
    Figure figure;
    figure.title = figure_title("steps", options_.language);
    figure.note = options_.note;
    figure.panel_height = 220;
    figure.panels.push_back(std::move(panel));
    return named("steps", std::move(figure));
  }

  // Hooks that move are not recorded, but the links that hang from them are.
  bool has_moving_hooks() const {
    return std::any_of(skeleton_.links.begin(), skeleton_.links.end(), [&](const Skeleton::Link& link) {
      return link.parent < 0 && link.pivot_moves && columns_.find("ux", link.label) != nullptr;
    });
  }

  std::vector<Vec3> uppers_in(const std::vector<double>& row, const std::vector<Vec3>& ends) const {
    std::vector<Vec3> out(ends.size());
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const Skeleton::Link& link = skeleton_.links[k];
      out[k] = link.pivot;
      const RunColumn* strain = columns_.find("strain", link.label);
      const double length = link.length * (1 + (strain == nullptr ? 0.0 : row[strain->index]));
      for (std::size_t i = 0; i < 3 && link.pivot_moves; ++i) {
        const RunColumn* u = columns_.find(std::string("u") + "xyz"[i], link.label);
        if (u != nullptr) out[k][i] = ends[k][i] - length * row[u->index];
      }
    }
    return out;
  }

  std::vector<Quaternion> orientations_in(const std::vector<double>& row) const {
    std::vector<Quaternion> out;
    for (const Skeleton::Link& link : skeleton_.links) {
      Quaternion q = {1, 0, 0, 0};
      for (std::size_t i = 0; i < 4 && link.mesh >= 0; ++i) {
        const RunColumn* column = columns_.find(std::string("q") + "wxyz"[i], link.label);
        if (column == nullptr) return {};
        q[i] = row[column->index];
      }
      out.push_back(q);
    }
    return skeleton_.meshes.empty() ? std::vector<Quaternion>{} : out;
  }

  RunFigure paths_figure() {
    SpacePicture picture{.title = figure_title("paths", options_.language),
                         .note = {},
                         .width = kSpaceWidth,
                         .height = kSpaceHeight,
                         .skeleton = skeleton_,
                         .colours = {},
                         .legend = {},
                         .view = *view_,
                         .ground = ground_,
                         .paths = {},
                         .shadow = traces_[shadow_job_].trace.points(),
                         .instants = {},
                         .uppers = {}};
    const std::string rings = fmt::format(fmt::runtime(word("rings {} m apart")), ground_.gap);
    const std::string own = note(path_bobs_.size(), bobs_.size());
    picture.note = own.empty() ? rings : own + "; " + rings;
    for (const std::string& bob : bobs_) picture.colours.push_back(item_colour(bob));
    for (std::size_t i = 0; i < path_bobs_.size(); ++i) {
      const TraceJob& job = traces_[path_jobs_[i]];
      picture.paths.push_back(
          {item_colour(path_bobs_[i]), job.trace.points(), job.trace.density(), job.x_bounds, job.y_bounds});
      picture.legend.push_back(item_words(path_bobs_[i]));
    }
    if (bobs_.size() > kDistinctColours) picture.key = colour_key(bobs_.size());
    // A short run shows how the chain went; of a long one, where it began and where it is.
    const std::size_t instants = run_.rows <= 800 && bobs_.size() <= 12 ? 5 : 2;
    for (std::size_t i = 0; i < std::min(instants, run_.rows); ++i) {
      const std::vector<double> row = row_at((run_.rows - 1) * i / std::max<std::size_t>(1, instants - 1));
      std::vector<Vec3> ends;
      for (const std::string& bob : bobs_) {
        const std::array<std::size_t, 3> c = place_columns(bob);
        ends.push_back({row[c[0]], row[c[1]], row[c[2]]});
      }
      if (i + 1 == std::min(instants, run_.rows)) picture.orientations = orientations_in(row);
      if (has_moving_hooks()) picture.uppers.push_back(uppers_in(row, ends));
      picture.instants.push_back(std::move(ends));
    }
    return named("paths", std::move(picture));
  }

  static std::string figure_caption(const std::string& name, Language language) {
    return draw::figure_caption(name, language);
  }
};

}  // namespace

std::vector<RunFigure> run_figures(const RunRows& run, const Scene* scene, const std::vector<Choice>& choices,
                                   const std::vector<std::string>& kinds, const FigureOptions& options,
                                   const RunRows* fine) {
  return Maker(run, scene, options, fine).figures(choices, kinds);
}

Drawn draw(const RunFigure& figure, const Theme& theme, const std::string& path) {
  if (const auto* plain = std::get_if<Figure>(&figure.picture)) return draw(*plain, theme, path);
  const SpacePicture& picture = std::get<SpacePicture>(figure.picture);
  Canvas canvas = Canvas::to_file(path, picture.width, picture.height);
  Drawn drawn = draw(picture, theme, canvas);
  canvas.finish();
  return drawn;
}

}  // namespace catena::draw
