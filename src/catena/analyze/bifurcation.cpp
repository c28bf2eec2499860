#include "catena/analyze/bifurcation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "catena/analyze/section.h"
#include "catena/analyze/warned.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {

// Where the motion with the last parameter has come to.
struct BifurcationColumns::End {
  State state;
  std::vector<AngleMemory> angles;
};

BifurcationColumns::BifurcationColumns(const BifurcationOptions& options) : options_(options) {}
BifurcationColumns::~BifurcationColumns() = default;

Outcome BifurcationColumns::take(double parameter, std::vector<double>& values) {
  Scene scene = options_.scene(parameter);
  const double count = static_cast<double>(options_.parameters.size());
  scene.simulation.duration = options_.duration * (2.0 * count + 1.0);
  scene.events.clear();
  Lab lab(scene);
  if (last_ && !options_.fresh) {
    if (last_->state.hi.size() != lab.dimension())
      throw InputError({scene.name},
                       "the state has another number of lanes at other parameters: use --fresh, "
                       "which starts each of them anew");
    lab.place(last_->state, last_->angles);
  }
  const double begin = lab.time(), end = begin + options_.duration;
  const double from = begin + options_.skip.value_or(0.5 * options_.duration);
  outcome_ = Outcome::done;
  options_.period ? strobe(lab, from, end, values) : pass(lab, from, end, values);
  note_warnings(lab, warnings_);
  last_ = std::make_unique<End>(End{lab.state(), lab.row_angles()});
  ++taken_;
  if (options_.progress) options_.progress(static_cast<double>(taken_), count * (options_.down ? 2.0 : 1.0));
  return outcome_;
}

bool BifurcationColumns::step(Lab& lab) {
  if (options_.stop && options_.stop->load(std::memory_order_relaxed)) {
    outcome_ = Outcome::interrupted;
    return false;
  }
  const StepStatus status = lab.advance();
  if (status == StepStatus::done) return true;
  outcome_ = Outcome::failed;
  message_ = failure_text(lab, status);
  return false;
}

void BifurcationColumns::strobe(Lab& lab, double from, double end, std::vector<double>& values) {
  ColumnFormula record(lab, options_.record, {"--record"}, "record");
  std::vector<double> row;
  double next = std::ceil(from / *options_.period);
  while (lab.time() < end) {
    if (!step(lab)) return;
    for (double t; (t = next * *options_.period) <= std::min(lab.time(), end); ++next)
      values.push_back(record.value(lab, t, row));
  }
}

void BifurcationColumns::pass(Lab& lab, double from, double end, std::vector<double>& values) {
  SectionWatch watch(lab, options_.when, options_.direction, {options_.record});
  while (lab.time() < end) {
    if (!step(lab)) return;
    for (const SectionWatch::Passage& passage : watch.look(end)) {
      if (passage.time >= from) values.push_back(passage.axes[0]);
    }
  }
}

namespace {

// A number that nothing depends on, at the scene's start.
bool does_nothing(const BifurcationOptions& options) {
  if (options.parameters.size() < 2) return false;
  Lab first(options.scene(options.parameters.front())), last(options.scene(options.parameters.back()));
  const auto differs = [](const std::vector<double>& a, const std::vector<double>& b) { return a != b; };
  if (differs(first.state().hi, last.state().hi)) return false;
  // Where it acts may be elsewhere, and later.
  for (const double t : {0.0, 0.3712, 1.9173, 12.137}) {
    std::vector<double> x = first.state().hi;
    for (int pass = 0; pass < 2; ++pass) {
      if (differs(first.rhs(t, x), last.rhs(t, x))) return false;
      for (const std::vector<double>& one : first.allowed_directions()) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.1 * one[i];
      }
      x = first.projected(0.0, x);
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> BifurcationColumns::notes(const BifurcationOptions& options) {
  if (!does_nothing(options)) return {};
  return {
      "the number does nothing: the equations and their start are the same at both ends of the range; look "
      "at how its path is spelled"};
}

std::size_t period_of(const std::vector<double>& values, double tolerance) {
  for (std::size_t period = 1; 2 * period <= values.size(); ++period) {
    bool repeats = true;
    for (std::size_t i = 0; repeats && i + period < values.size(); ++i)
      repeats = std::fabs(values[i] - values[i + period]) <= tolerance;
    if (repeats) return period;
  }
  return 0;
}

BifurcationResult bifurcation(const BifurcationOptions& options) {
  BifurcationResult out;
  BifurcationColumns columns(options);
  out.notes = BifurcationColumns::notes(options);
  out.parameters = options.parameters;
  for (std::size_t i = 0; i < options.parameters.size() && out.outcome == Outcome::done; ++i)
    out.outcome = columns.take(options.parameters[i], out.values.emplace_back());
  if (options.down && out.outcome == Outcome::done) {
    out.down.resize(options.parameters.size());
    for (std::size_t i = options.parameters.size(); i-- > 0 && out.outcome == Outcome::done;)
      out.outcome = columns.take(options.parameters[i], out.down[i]);
  }
  out.message = columns.message();
  out.notes.insert(out.notes.end(), columns.warnings().begin(), columns.warnings().end());
  double least = 0.0, most = 0.0;
  bool any = false;
  for (const auto* side : {&out.values, &out.down}) {
    for (const std::vector<double>& values : *side) {
      for (const double value : values) {
        least = any ? std::min(least, value) : value;
        most = any ? std::max(most, value) : value;
        any = true;
      }
    }
  }
  if (!any && out.outcome == Outcome::done)
    throw InputError({},
                     options.period
                         ? fmt::format("no multiple of the period {} s lies in the part of the {} s that is "
                                       "recorded: give a longer --duration",
                                       number_text(*options.period), time_text(options.duration))
                         : fmt::format("the section '{}' is never met within {} s: another formula, a longer "
                                       "--duration or --direction any may",
                                       options.when, time_text(options.duration)));
  const double tolerance = 1e-3 * std::max(most - least, 1e-9);
  for (const std::vector<double>& values : out.values) out.periods.push_back(period_of(values, tolerance));
  for (const std::vector<double>& values : out.down) out.down_periods.push_back(period_of(values, tolerance));
  return out;
}

}  // namespace catena
