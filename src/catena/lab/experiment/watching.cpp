// What plots ask of an experiment: values of any column over any stretch of its past.
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "catena/lab/experiment/experiment.h"
#include "catena/lab/experiment/known_columns.h"
#include "catena/lab/inside.h"

namespace catena {
namespace {

// "ghost2.x_1": the second ghost's. 0: the motion's own.
std::pair<int, std::string> part_of(const std::string& name) {
  constexpr std::string_view kGhost = "ghost";
  const std::size_t dot = name.find('.');
  if (name.rfind(kGhost, 0) != 0 || dot == std::string::npos || dot == kGhost.size()) return {0, name};
  int number = 0;
  for (std::size_t i = kGhost.size(); i < dot; ++i) {
    if (name[i] < '0' || name[i] > '9' || number > 1000) return {0, name};
    number = 10 * number + (name[i] - '0');
  }
  return {number, name.substr(dot + 1)};
}

// Places of columns by name in rows of `columns`.
std::map<std::string, std::ptrdiff_t> places_in(const Columns& columns) {
  std::map<std::string, std::ptrdiff_t> out;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty()) out.emplace(stem.name, out.size());
    for (const std::string& label : stem.labels) out.emplace(stem.name + "_" + label, out.size());
  }
  return out;
}

// A power of two, so that points do not wander while a stretch grows.
std::int64_t fitting_stride(std::int64_t ticks, int points) {
  std::int64_t stride = 1;
  while (stride < Trace::kBlock && ticks / stride > std::max(1, points)) stride *= 2;
  return stride;
}

}  // namespace

void Experiment::watch(const std::vector<std::string>& names) {
  if (names == watched_.names) return;
  watched_.names = names;
  trace_.reset(names.size());
  find_watched();
  trace_row();
}

// Which of the watched columns this scene has.
void Experiment::find_watched() {
  std::vector<std::string> own, ghost;
  std::vector<std::pair<int, std::string>> parts;
  for (const std::string& name : watched_.names) {
    parts.push_back(part_of(name));
    (parts.back().first == 0 ? own : ghost).push_back(parts.back().second);
  }
  watched_.own = columns_named(lab_->inside().world, own);
  watched_.ghost = columns_named(lab_->inside().world, ghost);
  const auto own_places = places_in(*watched_.own), ghost_places = places_in(*watched_.ghost);
  watched_.places.clear();
  for (const auto& [part, name] : parts) {
    const auto& places = part == 0 ? own_places : ghost_places;
    const auto found = places.find(name);
    watched_.places.emplace_back(part, found == places.end() ? -1 : found->second);
  }
  trace_row_.resize(watched_.names.size());
}

// The row of this tick as plots see it. Looking on changes nothing of the motion.
void Experiment::trace_row() {
  if (watched_.names.empty()) return;
  std::vector<std::vector<double>> parts(ghosts_.size() + 1);
  const auto row_of = [&](std::size_t part) -> const std::vector<double>& {
    std::vector<double>& row = parts[part];
    Lab* lab = part == 0 ? lab_.get() : ghosts_[part - 1].get();
    if (!row.empty() || lab == nullptr) return row;
    const Columns& columns = part == 0 ? *watched_.own : *watched_.ghost;
    row.resize(columns.width());
    lab->observe(time(), columns, row.data());
    return row;
  };
  for (std::size_t i = 0; i < watched_.names.size(); ++i) {
    const auto [part, place] = watched_.places[i];
    trace_row_[i] = std::numeric_limits<double>::quiet_NaN();
    if (place < 0 || part > static_cast<int>(ghosts_.size())) continue;
    const std::vector<double>& row = row_of(static_cast<std::size_t>(part));
    if (!row.empty()) trace_row_[i] = row[static_cast<std::size_t>(place)];
  }
  trace_.put(tick_, trace_row_.data());
}

Experiment::Plotted Experiment::plotted(std::int64_t first, std::int64_t last, int points, bool envelope,
                                        std::int64_t most_ticks) {
  first = std::clamp(first, begin_, end_);
  last = std::clamp(last, first, end_);
  const Stretch stretch{first, last, fitting_stride(last - first, points)};
  trace_.look_at(stretch);
  // What is left of the ticks that may be computed goes to one hole after the other.
  for (std::optional<std::int64_t> hole = trace_.hole(stretch); hole && most_ticks > 0;) {
    const std::int64_t stop = std::min(last, *hole + most_ticks);
    most_ticks -= stop - *hole + 1;
    revisit(*hole, stop, [] {});
    const std::optional<std::int64_t> next = trace_.hole(stretch);
    if (next && *next <= *hole) break;  // a motion that failed has no more rows
    hole = next;
  }
  return {catena::plotted(trace_, stretch, envelope), stretch.stride, !trace_.hole(stretch)};
}

}  // namespace catena
