#include "catena/analyze/indicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "catena/analyze/indicator_laws.h"
#include "catena/analyze/lyapunov_checks.h"
#include "catena/analyze/statistics.h"
#include "catena/analyze/warned.h"
#include "catena/analyze/zero_one.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

using namespace indication;

constexpr std::size_t kMostGali = 6;
constexpr std::size_t kSamples = 32768;  // of the motion, for indicators that look at a series

bool wanted(const IndicatorOptions& options, const std::string& name) {
  if (options.only.empty()) return true;
  return std::any_of(options.only.begin(), options.only.end(), [&](const std::string& one) {
    return one == name || (one == "gali" && name.starts_with("gali_"));
  });
}

std::vector<std::string> known_names() {
  std::vector<std::string> known{"gali"};
  for (const IndicatorInfo& info : indicator_infos()) known.push_back(info.name);
  return known;
}

Mistake unknown_indicator(const std::string& name, const Place& place) {
  const std::string near = did_you_mean(name, known_names());
  return {place, fmt::format("there is no indicator '{}'{}", name,
                             near.empty() ? "; `catena list indicators` has them" : near)};
}

void check_names(const IndicatorOptions& options) {
  const std::vector<std::string> known = known_names();
  std::vector<Mistake> mistakes;
  for (const std::string& name : options.only) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      mistakes.push_back(unknown_indicator(name, {"--only"}));
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

// Volumes of all directions together, or what the equations say where not all are followed.
bool keeps_volume(const Motion& motion) {
  const TangentCourse& from = *motion.tangents;
  if (from.count() < from.dimension()) return motion.lab->dimension() == motion.lab->motion_lanes();
  double sum = 0.0, most = 0.0;
  for (std::size_t k = 0; k < from.count(); ++k) {
    sum += from.record().total(k);
    most = std::max(most, std::fabs(from.record().total(k)));
  }
  return std::fabs(sum) < 5.0 + 1e-3 * most;
}

// A motion that has gone there and back a few times only shows neither order nor chaos: whatever it does,
// neighbours part no more than they come from, and even the way down from an unstable rest looks like chaos.
// Where all neighbours have come together nothing more can happen.
constexpr std::size_t kTurns = 50;
bool is_too_short(const Motion& motion) {
  constexpr double kTogether = -20.0;  // e-foldings
  return motion.turns.count() < kTurns &&
         !(motion.tangents && motion.tangents->record().total(0) < kTogether);
}

void judge_length(Indicator& one, const Motion& motion) {
  if (one.verdict == Verdict::undecided || !is_too_short(motion)) return;
  one.verdict = Verdict::undecided;
  one.reason = "too short a run to tell; so far: " + one.reason;
}

struct Row {
  IndicatorInfo info;
  Indicator (*compute)(const Motion&);
};

template <std::size_t K>
Indicator gali_of(const Motion& motion) {
  return gali(motion, K);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {{"megno", "mean exponential growth of nearby orbits: 2 in order, in proportion to time in chaos",
        true},
       megno},
      {{"sali", "smaller alignment index: exponentially small in chaos; where volumes are kept", true}, sali},
      {{"gali_2", "generalised alignment index of 2 directions; where volumes are kept", true}, gali_of<2>},
      {{"gali_3", "likewise of 3", true}, gali_of<3>},
      {{"gali_4", "likewise of 4", true}, gali_of<4>},
      {{"gali_5", "likewise of 5", true}, gali_of<5>},
      {{"gali_6", "likewise of 6", true}, gali_of<6>},
      {{"fli", "fast Lyapunov indicator: like log t in order, like t in chaos", true}, fli},
      {{"lyapunov", "largest Lyapunov exponent with its standard error, 1/s", true, "1/s"}, largest_exponent},
      {{"ftle", "finite-time exponent: the most that any neighbour has parted, 1/s", true, "1/s"},
       finite_time_exponent},
      {{"zero_one", "0-1 test of a column: 0 in order, 1 in chaos", false}, zero_one},
      {{"naff", "leading frequency and its drift between both halves of the run, rad/s", false, "rad/s"},
       naff},
      {{"recurrence", "determinism, from how the motion comes back near where it was", false}, recurrences},
      {{"spectrum", "share of the power in narrow lines", false}, spectrum},
      {{"correlation_dimension", "of where the motion goes, with its range of scales", false}, dimension},
  };
  return all;
}

}  // namespace

class IndicatorWatch::Walk {
 public:
  Walk(Lab& lab, const IndicatorOptions& options) : options_(options), begin_(lab.time()) {
    motion_.lab = &lab;
    bool follows = false;
    for (const IndicatorInfo& info : indicator_infos()) {
      if (!wanted(options, info.name)) continue;
      follows |= info.tangents;
      samples_ |= !info.tangents;
    }
    if (!options.column.empty()) column_.emplace(lab, options.column, Place{"--column"}, "column");
    if (follows) {
      const std::size_t all = lab.allowed_directions().size();
      const std::size_t count = all <= 12 ? all : kMostGali;
      motion_.tangents = std::make_unique<TangentCourse>(lab, count, options.seed);
    }
    motion_.spacing = options.duration / kSamples;
    if (samples_) take(begin_);
  }

  void prepare() {
    if (motion_.tangents) motion_.tangents->prepare();
  }

  StepStatus look(double until) {
    const double end = std::min(until, motion_.lab->time()), start = motion_.lab->step_start();
    for (const double part : {0.5, 1.0})
      motion_.turns.look(motion_.lab->numbers_at(start + part * (end - start)), motion_.lab->motion_lanes());
    while (samples_) {
      const double t = begin_ + motion_.spacing * static_cast<double>(motion_.states.size());
      if (t > end) break;
      take(t);
    }
    motion_.duration = end - begin_;
    return motion_.tangents ? motion_.tangents->look(until) : StepStatus::done;
  }

  Motion& motion() { return motion_; }
  const IndicatorOptions& options() const { return options_; }

  // The column asked for, or the number of the state that changes most.
  void choose_signal() {
    if (motion_.tangents) motion_.keeps_volume = keeps_volume(motion_);
    if (!samples_) return;
    if (column_) {
      motion_.signal = values_;
      motion_.signal_name = options_.column;
      return;
    }
    std::size_t best = 0;
    double widest = -1.0;
    for (std::size_t lane = 0; lane < motion_.lab->motion_lanes(); ++lane) {
      double sum = 0.0, squares = 0.0;
      for (const std::vector<double>& state : motion_.states) {
        sum += state[lane];
        squares += state[lane] * state[lane];
      }
      const auto n = static_cast<double>(motion_.states.size());
      const double variance = squares / n - sum / n * sum / n;
      // Places before rates: they come first, and have fewer spikes.
      if (variance > 1.001 * widest && (widest < 1e-6 || lane < motion_.lab->motion_lanes() / 2)) {
        widest = variance;
        best = lane;
      }
    }
    for (const std::vector<double>& state : motion_.states) motion_.signal.push_back(state[best]);
    motion_.signal_name = motion_.lab->facts().lanes[best];
  }

 private:
  void take(double t) {
    Lab& lab = *motion_.lab;
    if (column_) values_.push_back(column_->value(lab, t, row_));
    std::vector<double> state = lab.numbers_at(t);
    state.resize(lab.motion_lanes());
    motion_.states.push_back(std::move(state));
  }

  IndicatorOptions options_;
  double begin_;  // s
  Motion motion_;
  bool samples_ = false;  // whether anything looks at a series
  std::optional<ColumnFormula> column_;
  std::vector<double> values_, row_;
};

const std::vector<IndicatorInfo>& indicator_infos() {
  static const std::vector<IndicatorInfo> all = [] {
    std::vector<IndicatorInfo> out;
    for (const Row& row : rows()) out.push_back(row.info);
    return out;
  }();
  return all;
}

std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::regular ? "regular" : verdict == Verdict::chaotic ? "chaotic" : "undecided";
}

const IndicatorInfo& indicator_info(const std::string& name, const Place& place) {
  for (const IndicatorInfo& info : indicator_infos()) {
    if (info.name == name) return info;
  }
  throw InputError({unknown_indicator(name, place)});
}

IndicatorWatch::IndicatorWatch(Lab& lab, const IndicatorOptions& options) {
  check_names(options);
  walk_ = std::make_unique<Walk>(lab, options);
}

IndicatorWatch::~IndicatorWatch() = default;
void IndicatorWatch::prepare() { walk_->prepare(); }
StepStatus IndicatorWatch::look(double until) { return walk_->look(until); }

IndicatorResult IndicatorWatch::conclude() {
  IndicatorResult out;
  Motion& motion = walk_->motion();
  constexpr double kLeast = 100.0 / kSamples;  // of the time that was asked for
  if (!(motion.duration > kLeast * walk_->options().duration)) {
    out.notes.push_back("too short for any statement");
    return out;
  }
  walk_->choose_signal();
  out.duration = motion.duration;
  out.signal = motion.signal_name;
  if (!motion.signal.empty() && decorrelation(motion.signal) <= 1)
    out.notes.push_back(
        fmt::format("samples {:.3g} s apart are coarse for {}: its frequencies may be mistaken for others; a "
                    "shorter run has "
                    "finer ones",
                    motion.spacing, motion.signal_name));
  if (is_too_short(motion)) {
    const std::size_t turns = motion.turns.count();
    out.notes.push_back(fmt::format(
        "too short for any statement: {} in {} s; {} and more tell",
        turns == 0   ? "no turn"
        : turns == 1 ? "1 turn"
                     : fmt::format("{} turns", turns),
        time_text(motion.duration),
        turns == 0 ? fmt::format("{} turns", kTurns)
                   : fmt::format("{:.2g} s", motion.duration * 1.2 * kTurns / static_cast<double>(turns))));
  }
  const std::vector<std::string>& only = walk_->options().only;
  for (const Row& row : rows()) {
    if (!wanted(walk_->options(), row.info.name)) continue;
    const bool asked = std::find(only.begin(), only.end(), row.info.name) != only.end();
    Indicator one = row.compute(motion);
    judge_length(one, motion);
    if (std::isnan(one.value) && row.info.tangents && !asked) continue;  // more directions than there are
    if (!one.times.empty()) thin(one);
    out.indicators.push_back(std::move(one));
  }
  bool chaotic = false, regular = false;
  for (const Indicator& one : out.indicators) {
    chaotic |= one.verdict == Verdict::chaotic;
    regular |= one.verdict == Verdict::regular;
  }
  if (chaotic && regular)
    out.notes.push_back(
        "indicators disagree: weak chaos, a motion near an island of order, or too short a run");
  return out;
}

namespace {

Outcome watched(Lab& lab, IndicatorWatch& watch, const IndicatorOptions& options, std::string& message) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point shown = Clock::now();
  while (lab.time() < options.duration) {
    if (options.stop && options.stop->load(std::memory_order_relaxed)) return Outcome::interrupted;
    watch.prepare();
    StepStatus status = lab.advance();
    if (status == StepStatus::done) status = watch.look(options.duration);
    if (status != StepStatus::done) {
      message = failure_text(lab, status);
      return Outcome::failed;
    }
    if (!options.progress || Clock::now() - shown < std::chrono::milliseconds(100)) continue;
    shown = Clock::now();
    options.progress(std::min(lab.time(), options.duration), options.duration);
  }
  return Outcome::done;
}

}  // namespace

IndicatorResult indicators(const Scene& scene, const IndicatorOptions& options) {
  check_names(options);
  Scene own = in_unit_vectors(scene);
  own.simulation.duration = options.duration;
  own.events.clear();
  Lab lab(own);
  if (is_autonomous(lab) && is_at_rest(lab))
    throw InputError({scene.name},
                     "the scene rests in an equilibrium: nothing moves that could be orderly or "
                     "chaotic; give it another start, or a velocity");
  IndicatorWatch watch(lab, options);
  std::string message;
  const Outcome outcome = watched(lab, watch, options, message);
  IndicatorResult out = watch.conclude();
  note_warnings(lab, out.notes);
  out.outcome = outcome;
  out.message = message;
  return out;
}

Samples sampled(const Scene& scene, double duration, double spacing, const std::vector<std::string>& columns,
                const std::atomic<bool>* stop, const std::function<void(double, double)>& progress) {
  Scene own = scene;
  own.simulation.duration = duration;
  own.events.clear();
  Lab lab(own);
  Samples out;
  out.spacing = spacing;
  const Columns asked = lab.columns(columns.empty() ? std::vector<std::string>{"t"} : columns);
  out.names = names_of(asked);
  out.names.erase(out.names.begin());  // time
  out.columns.resize(out.names.size());
  std::vector<double> row(asked.width());
  const auto take_up_to = [&](double end) {
    for (double t; (t = spacing * static_cast<double>(out.times.size())) <= end;) {
      lab.sample(t, asked, row.data());
      out.times.push_back(t);
      for (std::size_t k = 0; k < out.columns.size(); ++k) out.columns[k].push_back(row[k + 1]);
      std::vector<double> state = lab.sampled_state();
      state.resize(lab.motion_lanes());
      out.states.push_back(std::move(state));
    }
  };
  take_up_to(0.0);
  while (lab.time() < duration) {
    if (stop && stop->load(std::memory_order_relaxed)) {
      out.outcome = Outcome::interrupted;
      break;
    }
    const StepStatus status = lab.advance();
    if (status != StepStatus::done) {
      out.outcome = Outcome::failed;
      out.message = failure_text(lab, status);
      break;
    }
    take_up_to(std::min(lab.time(), duration));
    if (progress) progress(std::min(lab.time(), duration), duration);
  }
  note_warnings(lab, out.notes);
  return out;
}

}  // namespace catena
