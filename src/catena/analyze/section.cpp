#include "catena/analyze/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "catena/analyze/indicators.h"
#include "catena/analyze/section_starts.h"
#include "catena/analyze/warned.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Event event_of(const std::string& when, const std::string& direction) {
  if (direction != "rising" && direction != "falling" && direction != "any")
    throw InputError({"--direction " + direction}, "must be rising, falling or any");
  Event event;
  event.name = "section";
  event.when = when;
  event.direction = direction;
  event.record = {"t"};
  event.place = {"--when"};
  return event;
}

// The formula at a row moved on along its rates.
double moved(ColumnFormula& formula, const std::vector<double>& row, const std::vector<double>& rates,
             double by) {
  std::vector<double> at = row;
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += by * rates[i];
  return formula.value(at.data());
}

}  // namespace

SectionWatch::SectionWatch(Lab& lab, const std::string& when, const std::string& direction,
                           const std::vector<std::string>& axes)
    : lab_(lab), watch_(lab, {event_of(when, direction)}), when_(lab, when, {"--when"}, "section") {
  for (const std::string& axis : axes) axes_.emplace_back(lab, axis, Place{"--axes"}, "axis");
}

std::vector<SectionWatch::Passage> SectionWatch::look(double end) {
  std::vector<Passage> out;
  scale_ = std::max(scale_, std::fabs(when_.value(lab_, std::min(end, lab_.time()), row_)));
  watch_.look(end);
  const std::vector<std::vector<double>>& rows = watch_.rows(0);
  for (; seen_ < rows.size(); ++seen_) {
    const double t = rows[seen_][0];
    // Newton's method in time, from the nearest double on.
    when_.value(lab_, t, row_);
    std::vector<double> rates(row_.size());
    lab_.rates(t, when_.columns(), rates.data());
    constexpr double kSpan = 1e-6;
    const double speed =
        (moved(when_, row_, rates, kSpan) - moved(when_, row_, rates, -kSpan)) / (2.0 * kSpan);
    double later = 0.0;
    const double ticks = 16.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::fabs(t));
    for (int pass = 0; pass < 3 && speed != 0.0; ++pass) {
      const double next = later - moved(when_, row_, rates, later) / speed;
      if (!(std::fabs(next) <= ticks)) break;  // a jump, or a point that touches
      later = next;
    }
    Passage passage{t + later, {}, std::fabs(moved(when_, row_, rates, later))};
    for (ColumnFormula& axis : axes_) {
      axis.value(lab_, t, row_);
      rates.resize(row_.size());
      lab_.rates(t, axis.columns(), rates.data());
      passage.axes.push_back(moved(axis, row_, rates, later));
    }
    out.push_back(std::move(passage));
  }
  return out;
}

std::optional<Winding> winding_number(const std::vector<std::array<double, 2>>& points) {
  constexpr std::size_t kLeast = 40;
  if (points.size() < kLeast) return std::nullopt;
  double x = 0.0, y = 0.0;
  for (const auto& [a, b] : points) {
    x += a / static_cast<double>(points.size());
    y += b / static_cast<double>(points.size());
  }
  // Each axis in its own spread, so that both count.
  double xx = 0.0, yy = 0.0;
  for (const auto& [a, b] : points) {
    xx += (a - x) * (a - x);
    yy += (b - y) * (b - y);
  }
  if (!(xx > 0.0) || !(yy > 0.0)) return std::nullopt;
  std::vector<double> angles;
  for (const auto& [a, b] : points)
    angles.push_back(std::atan2((b - y) / std::sqrt(yy), (a - x) / std::sqrt(xx)));
  const auto mean_turn = [&](std::size_t first, std::size_t count) {
    double sum = 0.0, all = 0.0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(count - 1);
      const double weight = std::exp(-1.0 / (s * (1.0 - s)));
      double turn = (angles[first + i + 1 < angles.size() ? first + i + 1 : first + i] - angles[first + i]) /
                    (2.0 * std::numbers::pi);
      turn -= std::floor(turn);  // in [0, 1)
      sum += weight * turn;
      all += weight;
    }
    return sum / all;
  };
  const std::size_t half = angles.size() / 2;
  const double early = mean_turn(0, half), late = mean_turn(half, angles.size() - half);
  const double all = mean_turn(0, angles.size());
  constexpr double kEven = 1e-3;
  const double error = std::max(std::fabs(early - all), std::fabs(late - all));
  if (!(error < kEven)) return std::nullopt;
  return Winding{all, error};
}

namespace {

class Passages {
 public:
  Passages(const SectionOptions& options, SectionResult& out) : options_(options), out_(out) {}

  // All of one motion; false: not to the end.
  bool follow(Lab& lab, std::size_t number, std::size_t of) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point shown = Clock::now();
    SectionWatch watch(lab, options_.when, options_.direction, {options_.axes[0], options_.axes[1]});
    SectionStart start;
    start.state = lab.state().hi;
    start.energy = energy_of(lab);
    std::vector<std::array<double, 2>> own;
    std::unique_ptr<IndicatorWatch> indicator;
    if (!options_.indicator.empty()) {
      IndicatorOptions what;
      what.only = {options_.indicator};
      what.duration = options_.duration;
      indicator = std::make_unique<IndicatorWatch>(lab, what);
    }
    const std::size_t first = out_.times.size();
    bool whole = true;
    while (lab.time() < options_.duration) {
      if (options_.stop && options_.stop->load(std::memory_order_relaxed)) {
        out_.outcome = Outcome::interrupted;
        whole = false;
        break;
      }
      if (indicator) indicator->prepare();
      StepStatus status = lab.advance();
      if (indicator && status == StepStatus::done) status = indicator->look(options_.duration);
      if (status != StepStatus::done) {
        out_.outcome = Outcome::failed;
        out_.message = fmt::format("start {}: {}", number + 1, failure_text(lab, status));
        whole = false;
        break;
      }
      for (const SectionWatch::Passage& passage : watch.look(options_.duration)) {
        own.push_back({passage.axes[0], passage.axes[1]});
        out_.times.push_back(passage.time);
        out_.start_of.push_back(number);
        out_.residual = std::max(out_.residual, passage.residual);
      }
      if (!options_.progress || Clock::now() - shown < std::chrono::milliseconds(100)) continue;
      shown = Clock::now();
      options_.progress(
          static_cast<double>(number) * options_.duration + std::min(lab.time(), options_.duration),
          static_cast<double>(of) * options_.duration);
    }
    out_.scale = std::max(out_.scale, watch.scale());
    start.points = own.size();
    start.mean_return = own.size() < 2
                            ? kNone
                            : (out_.times.back() - out_.times[first]) / static_cast<double>(own.size() - 1);
    const std::optional<Winding> winding = winding_number(own);
    start.winding = winding ? winding->value : kNone;
    start.winding_error = winding ? winding->error : kNone;
    start.indicator = kNone;
    if (indicator) {
      const IndicatorResult found = indicator->conclude();
      if (!found.indicators.empty()) start.indicator = found.indicators.front().value;
    }
    out_.points.insert(out_.points.end(), own.begin(), own.end());
    out_.starts.push_back(std::move(start));
    return whole;
  }

 private:
  const SectionOptions& options_;
  SectionResult& out_;
};

Scene long_enough(const Scene& scene, double duration) {
  Scene out = scene;
  out.simulation.duration = duration;
  out.events.clear();
  return out;
}

// Nothing was met: what might help.
[[noreturn]] void throw_never_met(const Scene& scene, const SectionOptions& options, double scale) {
  throw InputError(
      {scene.name},
      fmt::format("the section '{}' ({}) is never met within {} s: the formula is at most {:.3g} in size "
                  "there; another formula, a longer --duration, --direction any, or another start may",
                  options.when, options.direction, time_text(options.duration), scale));
}

}  // namespace

SectionResult section(const Scene& given, const SectionOptions& options) {
  SectionResult out;
  out.axes = options.axes;
  if (!options.indicator.empty()) indicator_info(options.indicator, {"--colour " + options.indicator});
  Passages passages(options, out);
  const Scene scene = long_enough(given, options.duration);
  if (!options.scenes.empty()) {
    std::vector<Mistake> mistakes;
    for (std::size_t i = 0; options.energy && i < options.scenes.size(); ++i) {
      Lab lab(long_enough(options.scenes[i], options.duration));
      const double energy = energy_of(lab);
      const double allowed = 1e-9 * std::max({std::fabs(*options.energy), std::fabs(energy), 1e-3});
      if (std::fabs(energy - *options.energy) <= allowed) continue;
      mistakes.push_back({{fmt::format("start {}", i + 1)},
                          fmt::format("has the energy {}, not {}: correct it, or leave out --energy",
                                      number_text(energy), number_text(*options.energy))});
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
    for (std::size_t i = 0; i < options.scenes.size(); ++i) {
      Lab lab(long_enough(options.scenes[i], options.duration));
      const bool goes_on = passages.follow(lab, i, options.scenes.size());
      note_warnings(lab, out.notes);
      if (!goes_on) break;
    }
  } else if (options.starts <= 1 && !options.energy) {
    Lab lab(scene);
    passages.follow(lab, 0, 1);
    note_warnings(lab, out.notes);
  } else {
    const SpreadStarts found = starts_on_section(scene, options);
    out.notes = found.notes;
    for (std::size_t i = 0; i < found.states.size(); ++i) {
      Lab lab(scene);
      State state = lab.state();
      state.hi = found.states[i];
      std::fill(state.lo.begin(), state.lo.end(), 0.0);
      lab.place(std::move(state), lab.row_angles());
      const bool goes_on = passages.follow(lab, i, found.states.size());
      note_warnings(lab, out.notes);
      if (!goes_on) break;
    }
  }
  if (out.points.empty() && out.outcome == Outcome::done) throw_never_met(given, options, out.scale);
  std::size_t empty = 0;
  for (const SectionStart& start : out.starts) empty += start.points == 0 ? 1 : 0;
  if (empty > 0 && out.outcome == Outcome::done)
    out.notes.push_back(fmt::format("{} never met the section", counted(empty, "start")));
  return out;
}

}  // namespace catena
