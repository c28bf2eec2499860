// What figures of a run are made from: its rows, read twice.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catena/draw/plot/run_columns.h"
#include "catena/draw/plot/run_figures.h"
#include "catena/draw/plot/run_tracing.h"
#include "catena/draw/plot/run_walk.h"

namespace catena::draw {

inline constexpr std::size_t kMostCurves = 60;  // of one panel
inline constexpr std::size_t kMostPanels = 9;   // of phase portraits

class RunReading {
 protected:
  RunReading(const RunRows& run, const Scene* scene, const FigureOptions& options, const RunRows* fine)
      : run_(run), fine_(fine != nullptr ? *fine : run), options_(options), columns_(run.stems) {
    width_ = columns_.size();
    for (const std::string& item : columns_.items_with("x")) bobs_.push_back(item);
    if (scene != nullptr) skeleton_ = skeleton_of(*scene);
    const bool fits =
        skeleton_.links.size() == bobs_.size() &&
        std::equal(bobs_.begin(), bobs_.end(), skeleton_.links.begin(),
                   [](const std::string& bob, const Skeleton::Link& link) { return bob == link.label; });
    if (!fits) skeleton_ = skeleton_of(bobs_);
    for (const std::string& bob : bobs_) add_item(bob, items_);
    const std::vector<std::string> with_moments = columns_.items_with("mx");
    const auto is_joint = [&](const std::string& item) {
      return std::find(with_moments.begin(), with_moments.end(), item) != with_moments.end();
    };
    const auto is_chain_end = [&](const std::string& item) {
      return !is_joint(item) &&
             (item == "pivot" || item.ends_with("_pivot") || item == "end" || item.ends_with("_end"));
    };
    const auto is_other = [&](const RunColumn& column) {
      return !column.item.empty() && !is_chain_end(column.item);
    };
    for (const RunColumn& column : columns_) {
      if (is_other(column)) add_item(column.item, bobs_.empty() ? items_ : joints_);
    }
  }

  // Links and bodies have their colours, joints have theirs.
  void add_item(const std::string& item, std::vector<std::string>& among) {
    if (item_places_.emplace(item, std::pair(&among, among.size())).second) among.push_back(item);
  }

  // ---- what is needed

  static std::vector<std::string> kind_quantities(const std::string& kind) {
    if (kind == "angles")
      return {"angles", "rates", "joints", "joint-rates", "coordinates", "coordinate-rates", "states"};
    if (kind == "energies") return {"energies", "invariants", "invariant-errors"};
    if (kind == "reactions") return {"tension", "strain", "forces", "torques"};
    if (kind == "run") return {"run"};
    return {};
  }

  bool has_positions() const {
    return !bobs_.empty() && columns_.find("y", bobs_[0]) != nullptr &&
           columns_.find("z", bobs_[0]) != nullptr;
  }

  void plan(const std::vector<Choice>& choices, const std::vector<std::string>& kinds) {
    const auto asks = [&](const char* kind) {
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    for (const std::string& kind : kinds) {
      for (const std::string& figure : kind_quantities(kind)) {
        for (const RunColumn& column : columns_) {
          if (column.name.figure == figure && column.index > 0) kind_columns_.push_back(&column);
        }
      }
    }
    for (const Choice& choice : choices) {
      for (const RunColumn& column : columns_) {
        const bool wanted =
            column.index > 0 && column.stem == choice.stem && column.label.empty() == choice.total &&
            (choice.labels.empty() ||
             std::find(choice.labels.begin(), choice.labels.end(), column.label) != choice.labels.end());
        if (wanted) chosen_.push_back(&column);
      }
    }
    thin_out(kind_columns_);
    thin_out(chosen_);
    wants_paths_ = asks("paths") && has_positions();
    wants_projections_ = asks("projections") && has_positions();
    wants_phase_ = asks("phase");
    wants_adjacent_ = asks("adjacent");
    const RunColumn* step = columns_.find("step_size", "");
    if (asks("steps") && step != nullptr) step_column_ = step->index;
  }

  // At most kMostCurves links of each stem.
  static void thin_out(std::vector<const RunColumn*>& columns) {
    std::map<std::string, std::vector<const RunColumn*>> by_stem;
    for (const RunColumn* column : columns) {
      if (!column->label.empty()) by_stem[column->stem].push_back(column);
    }
    std::set<const RunColumn*> kept;
    for (const auto& [stem, all] : by_stem) {
      for (const RunColumn* column : spread(all, kMostCurves)) kept.insert(column);
    }
    std::erase_if(columns, [&](const RunColumn* c) { return !c->label.empty() && !kept.contains(c); });
  }

  // ---- passes

  template <class Visit>
  static void each_row(const RunRows& run, const Visit& visit) {
    RowWalker walker(run);
    while (const double* row = walker.next()) visit(row);
  }

  std::vector<double> row_at(std::size_t index) {
    std::vector<double> row(width_);
    run_.read(index, 1, row.data());
    return row;
  }

  void need_time(std::size_t column, bool wraps) {
    if (!time_jobs_.contains(column)) {
      time_jobs_.emplace(column, TimeJob{column, wraps, Envelope(start_, end_)});
    }
  }

  void first_pass() {
    if (run_.rows > 0) {
      start_ = row_at(0)[0];
      end_ = row_at(run_.rows - 1)[0];
    }
    for (const auto* list : {&kind_columns_, &chosen_}) {
      for (const RunColumn* column : *list) need_time(column->index, column->name.angle);
    }
    std::vector<std::array<std::size_t, 3>> places;
    if (wants_paths_ || wants_projections_) {
      for (const std::string& bob : bobs_) places.push_back(place_columns(bob));
      const std::vector<Vec3> pivots = skeleton_.pivots();
      if (!pivots.empty()) room_.center = pivots[0];
      for (const Vec3& pivot : pivots) room_.add(pivot);
    }
    const std::vector<std::size_t> bounded = bounded_columns();
    for (const std::size_t column : bounded) bounds_[column];
    std::vector<TimeJob*> jobs;  // a list is faster to walk than a map, ten million times
    std::vector<std::pair<std::size_t, Bounds*>> ranges;
    for (auto& [column, job] : time_jobs_) jobs.push_back(&job);
    for (auto& [column, range] : bounds_) ranges.emplace_back(column, &range);
    const auto take_ranges = [&](const double* row) {
      for (const auto& [column, range] : ranges) range->add(row[column]);
      for (const auto& [x, y, z] : places) room_.add({row[x], row[y], row[z]});
    };
    const bool is_one_walk = &fine_ == &run_;
    each_row(run_, [&](const double* row) {
      for (TimeJob* job : jobs) job->take(row[0], row[job->column]);
      if (step_column_ > 0) steps_.take(row[step_column_]);
      if (is_one_walk) take_ranges(row);
    });
    if (!is_one_walk && !(ranges.empty() && places.empty())) each_row(fine_, take_ranges);
  }

  std::array<std::size_t, 3> place_columns(const std::string& bob) const {
    return {columns_.find("x", bob)->index, columns_.find("y", bob)->index, columns_.find("z", bob)->index};
  }

  // Columns of portraits and projections, whose ranges must be known before the second pass.
  std::vector<std::size_t> bounded_columns() const {
    std::vector<std::size_t> out;
    const auto add = [&](const char* quantity) {
      for (const RunColumn& column : columns_) {
        if (column.quantity == quantity && !column.item.empty()) out.push_back(column.index);
      }
    };
    if (wants_adjacent_) add("theta");
    if (wants_phase_) {
      for (const auto& [across, up] : phase_pairs()) out.insert(out.end(), {across->index, up->index});
    }
    if (wants_projections_) {
      for (const char* axis : {"x", "y", "z"}) add(axis);
    }
    return out;
  }

  // An angle as a portrait shows it: within one turn, if it leaves it.
  struct Angle {
    std::size_t column;
    Bounds bounds;
    bool wrapped;

    double operator()(const double* row) const {
      return wrapped ? std::remainder(row[column], 2 * kPi) : row[column];
    }
  };
  Angle angle(const RunColumn& of) const {
    const std::size_t column = of.index;
    const Bounds& bounds = bounds_.at(column);
    const bool turns = of.name.angle;
    const bool wrapped = turns && (bounds.high > kPi + 1e-9 || bounds.low < -kPi - 1e-9);
    if (!wrapped) return {column, bounds, false};
    Bounds turn;
    turn.add(-kPi);
    turn.add(kPi);
    return {column, turn, true};
  }

  struct Portrait {
    std::string item, other;
    bool y_angle;
    std::size_t job;
    const RunColumn* x;
    const RunColumn* y;
  };

  // What portraits show against its rate.
  struct Pair {
    const char* coordinate;
    const char* rate;
  };
  static constexpr std::array<Pair, 3> kPairs{Pair{"theta", "theta_dot"}, Pair{"angle", "angle_dot"},
                                              Pair{"travel", "travel_dot"}};

  std::size_t add_trace(RowPoint value, const Bounds& x_bounds, const Bounds& y_bounds, double jump) {
    traces_.push_back({std::move(value), Trace(x_bounds, y_bounds), jump, x_bounds, y_bounds});
    return traces_.size() - 1;
  }

  // What portraits show: coordinates and their rates, and the states of equations against the first one.
  using Phases = std::vector<std::pair<const RunColumn*, const RunColumn*>>;
  Phases phase_pairs() const {
    Phases all;
    for (const Pair& pair : kPairs) {
      for (const std::string& item : columns_.items_with(pair.coordinate)) {
        const RunColumn* rate = columns_.find(pair.rate, item);
        if (rate != nullptr) all.emplace_back(columns_.find(pair.coordinate, item), rate);
      }
    }
    const RunColumn* first = nullptr;
    for (const RunColumn& column : columns_) {
      if (column.name.figure == "coordinates")
        all.emplace_back(&column, columns_.find(column.stem + "_dot", ""));
      if (column.name.figure != "states") continue;
      if (first != nullptr) all.emplace_back(first, &column);
      if (first == nullptr) first = &column;
    }
    return all;
  }

  void plan_phase() {
    const Phases all = phase_pairs();
    phases_ = all.size();
    for (const auto& [of, rate] : spread(all, kMostPanels)) {
      const Angle x = angle(*of);
      const std::size_t y = rate->index;
      const double jump = x.wrapped ? kPi : kNoJump;
      const std::size_t job = add_trace(
          [x, y](const double* row) {
            return Point{x(row), row[y]};
          },
          x.bounds, bounds_.at(y), jump);
      phase_.push_back({of->item, "", false, job, of, rate});
    }
  }

  void plan_portraits() {
    const std::vector<std::string> all = columns_.items_with("theta");
    if (wants_phase_) plan_phase();
    if (!wants_adjacent_ || all.size() < 2) return;
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) pairs.emplace_back(all[i], all[i + 1]);
    for (const auto& [item, next] : spread(pairs, kMostPanels)) {
      const Angle x = angle(*columns_.find("theta", item)), y = angle(*columns_.find("theta", next));
      const double jump = x.wrapped || y.wrapped ? kPi : kNoJump;
      adjacent_.push_back({item, next, true,
                           add_trace(
                               [x, y](const double* row) {
                                 return Point{x(row), y(row)};
                               },
                               x.bounds, y.bounds, jump),
                           columns_.find("theta", item), columns_.find("theta", next)});
    }
  }

  void plan_paths() {
    path_bobs_ = bobs_.size() <= kDistinctColours ? bobs_ : spread(bobs_, kMostPaths);
    ground_ = ground_for(room_);
    frame_ = space_frame(kSpaceWidth, kSpaceHeight, 1);
    view_ = std::make_unique<View>(view_for(room_, ground_, gaze_for(room_), frame_, false));
    Bounds x, y;
    for (const double value : {frame_.x - 8, frame_.right() + 8}) x.add(value);
    for (const double value : {frame_.y - 8, frame_.bottom() + 8}) y.add(value);
    const auto seen = [this](const std::array<std::size_t, 3>& c, const double* row, bool on_ground) {
      return (*view_)({row[c[0]], row[c[1]], on_ground ? ground_.center[2] : row[c[2]]}).at;
    };
    for (const std::string& bob : path_bobs_) {
      const std::array<std::size_t, 3> c = place_columns(bob);
      path_jobs_.push_back(
          add_trace([seen, c](const double* row) { return seen(c, row, false); }, x, y, kNoJump));
    }
    const std::array<std::size_t, 3> c = place_columns(bobs_.back());
    shadow_job_ = add_trace([seen, c](const double* row) { return seen(c, row, true); }, x, y, kNoJump);
  }

  void plan_projections() {
    projected_bobs_ = bobs_.size() <= kDistinctColours ? bobs_ : spread(bobs_, kMostPaths);
    const double size = std::max({room_.reach, room_.z.high - room_.z.low, 1e-300});
    const auto flat = [&](const Bounds& bounds) { return bounds.high - bounds.low < 1e-6 * size; };
    if (flat(room_.y)) {
      planes_ = {{0, 2}};
    } else if (flat(room_.x)) {
      planes_ = {{1, 2}};
    } else {
      planes_ = {{0, 1}, {0, 2}, {1, 2}};
    }
    for (const auto& [a, b] : planes_) {
      for (const std::string& bob : projected_bobs_) {
        const std::size_t x = place_columns(bob)[a], y = place_columns(bob)[b];
        projection_jobs_.push_back(add_trace(
            [x, y](const double* row) {
              return Point{row[x], row[y]};
            },
            bounds_.at(x), bounds_.at(y), kNoJump));
      }
    }
  }

  void second_pass() {
    plan_portraits();
    if (wants_paths_) plan_paths();
    if (wants_projections_) plan_projections();
    if (traces_.empty()) return;
    each_row(fine_, [&](const double* row) {
      for (TraceJob& job : traces_) job.take(row);
    });
  }

  static constexpr double kSpaceWidth = 640, kSpaceHeight = 560;

  const RunRows& run_;
  const RunRows& fine_;
  const FigureOptions& options_;
  RunColumns columns_;
  std::size_t width_ = 0;
  std::vector<std::string> bobs_, items_, joints_;
  std::unordered_map<std::string, std::pair<const std::vector<std::string>*, std::size_t>> item_places_;
  Skeleton skeleton_;

  std::vector<const RunColumn*> kind_columns_, chosen_;
  bool wants_paths_ = false, wants_projections_ = false, wants_phase_ = false, wants_adjacent_ = false;
  std::size_t step_column_ = 0;

  double start_ = 0.0, end_ = 1.0;
  std::map<std::size_t, TimeJob> time_jobs_;
  std::map<std::size_t, Bounds> bounds_;
  LogCounts steps_;
  Room room_;

  std::vector<TraceJob> traces_;
  std::vector<Portrait> phase_, adjacent_;
  std::size_t phases_ = 0;  // that could be shown
  std::vector<std::string> path_bobs_, projected_bobs_;
  Rect frame_;
  Ground ground_;
  std::unique_ptr<View> view_;
  std::vector<std::size_t> path_jobs_, projection_jobs_;
  std::size_t shadow_job_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> planes_;
};

}  // namespace catena::draw
