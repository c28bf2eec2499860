#include "catena/analyze/indicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "catena/analyze/lyapunov_checks.h"
#include "catena/analyze/naff.h"
#include "catena/analyze/statistics.h"
#include "catena/analyze/tangent_course.h"
#include "catena/analyze/warned.h"
#include "catena/analyze/zero_one.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostGali = 6;
constexpr std::size_t kSamples = 32768;  // of the motion, for indicators that look at a series
constexpr double kTransient = 0.1;       // of the duration

// How often a motion has gone there and back: every number of the state has its maxima, and half of the
// numbers at least have as many as this says. (Angles that go round and round have none, their rates do.)
class Turns {
 public:
  void look(const std::vector<double>& state, std::size_t lanes) {
    if (before_.empty()) maxima_.assign(lanes, 0);
    rises_.resize(lanes, false);
    for (std::size_t i = 0; i < lanes && !before_.empty(); ++i) {
      if (state[i] == before_[i]) continue;
      const bool rises = state[i] > before_[i];
      if (rises_[i] && !rises) ++maxima_[i];
      rises_[i] = rises;
    }
    before_ = state;
  }
  std::size_t count() const {
    std::vector<std::size_t> sorted = maxima_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }

 private:
  std::vector<double> before_;
  std::vector<bool> rises_;
  std::vector<std::size_t> maxima_;
};

// What the indicators are made from.
struct Motion {
  double duration = 0.0;
  Turns turns;
  bool keeps_volume = false;
  Lab* lab = nullptr;
  std::unique_ptr<TangentCourse> tangents;  // null: nobody needs them
  double spacing = 0.0;
  std::vector<std::vector<double>> states;  // [sample][lane]
  std::vector<double> signal;
  std::string signal_name;
};

// ---- from tangents ----------------------------------------------------------------------------------------

// A course against t and against log t, after the transient: which of them is a line.
struct GrowthLaw {
  Line in_time, in_log;
  double change = 0.0;  // of the line in time, from the transient to the end
};

GrowthLaw law_of(const std::vector<double>& times, const std::vector<double>& logs) {
  std::vector<double> t, log_t, y;
  const double end = times.back();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < kTransient * end) continue;
    t.push_back(times[i]);
    log_t.push_back(std::log(times[i]));
    y.push_back(logs[i]);
  }
  GrowthLaw out{fitted_line(t, y), fitted_line(log_t, y)};
  out.change = out.in_time.slope * (1.0 - kTransient) * end;
  return out;
}

// Every so manieth, some thousand in all.
void thin(Indicator& of) {
  constexpr std::size_t kMost = 2000;
  const std::size_t every = of.times.size() / kMost + 1;
  if (every == 1) return;
  std::vector<double> times, course;
  for (std::size_t i = of.times.size() - 1;; i -= every) {
    times.push_back(of.times[i]);
    course.push_back(of.course[i]);
    if (i < every) break;
  }
  std::reverse(times.begin(), times.end());
  std::reverse(course.begin(), course.end());
  of.times = std::move(times);
  of.course = std::move(course);
}

Indicator megno(const Motion& motion) {
  Indicator out{"megno"};
  out.course_label = "mean of Y";
  out.times = motion.tangents->times();
  out.course = motion.tangents->megno();
  out.value = out.course.back();
  std::vector<double> late_times, late;
  double least = out.value, most = out.value;
  for (std::size_t i = 0; i < out.times.size(); ++i) {
    if (out.times[i] < 0.5 * motion.duration) continue;
    late_times.push_back(out.times[i]);
    late.push_back(out.course[i]);
    least = std::min(least, out.course[i]);
    most = std::max(most, out.course[i]);
  }
  out.error = 0.5 * (most - least);
  const Line line = fitted_line(late_times, late);
  const double rise = line.slope * 0.5 * motion.duration;
  // In chaos <Y> is lambda t/2, so the second half of the time has half of it.
  if (out.value > 4.0 && rise > 0.25 * out.value) {
    out.verdict = Verdict::chaotic;
    out.reason = fmt::format("the mean of Y grows by {:.3g} 1/s, as in chaos with the exponent {:.3g} 1/s",
                             line.slope, 2.0 * line.slope);
  } else if (out.value < 2.5 && std::fabs(rise) < 0.5 && out.error < 0.5) {
    out.verdict = Verdict::regular;
    out.reason = fmt::format("the mean of Y stays at {:.3g}: 2 for quasi-periodic motion, 0 on a limit cycle",
                             out.value);
  } else if (out.value < 0.0 && rise < 0.0) {
    out.verdict = Verdict::regular;
    out.reason = "the mean of Y falls: neighbouring motions come together";
  } else {
    out.reason = fmt::format(
        "the mean of Y is {:.3g} and has changed by {:.3g} in the second half: neither 2 nor "
        "growing in proportion to time; a longer run tells",
        out.value, rise);
  }
  return out;
}

// Whether directions turn into one another exponentially.
void judge_alignment(Indicator& out, const Motion& motion, const std::vector<double>& logs,
                     const std::string& what) {
  const GrowthLaw law = law_of(motion.tangents->times(), logs);
  constexpr double kDecided = 12.0, kSmall = 3.0;  // e-foldings
  if (!motion.keeps_volume) {
    out.reason = fmt::format(
        "{} falls by {:.3g} 1/s, but volumes shrink: directions turn into one another in ordered motion, too",
        what, -law.in_time.slope);
  } else if (-law.change > kDecided && law.in_time.misfit < 0.5 * law.in_log.misfit) {
    out.verdict = Verdict::chaotic;
    out.reason = fmt::format("{} falls exponentially, by {:.3g} 1/s", what, -law.in_time.slope);
  } else if (-law.change < kSmall) {
    out.verdict = Verdict::regular;
    out.reason = fmt::format("{} does not fall exponentially: like t^{:.2f}", what, law.in_log.slope);
  } else if (law.in_log.misfit < law.in_time.misfit) {
    out.verdict = Verdict::regular;
    out.reason = fmt::format("{} falls like a power of time, t^{:.2f}", what, law.in_log.slope);
  } else {
    out.reason = fmt::format(
        "{} has fallen by {:.3g} e-foldings, too few to tell a power of time from an "
        "exponential; a longer run tells",
        what, -law.change);
  }
}

// C. Skokos, T. Bountis, C. Antonopoulos, Physica D 231 (2007) 30.
Indicator gali(const Motion& motion, std::size_t k) {
  Indicator out{fmt::format("gali_{}", k)};
  if (k > motion.tangents->count()) {
    out.value = out.error = kNone;
    out.reason = fmt::format("states can change in {} directions only", motion.tangents->count());
    return out;
  }
  const std::vector<double>& logs = motion.tangents->log_gali(k);
  out.value = std::exp(logs.back());
  out.error = kNone;
  out.times = motion.tangents->times();
  for (const double one : logs) out.course.push_back(one / std::log(10.0));
  out.course_label = fmt::format("log10 GALI_{}", k);
  judge_alignment(out, motion, logs, fmt::format("GALI_{}", k));
  return out;
}

// C. Skokos, J. Phys. A 34 (2001) 10029. With sin a = GALI_2 it is 2 sin(a/2).
Indicator sali(const Motion& motion) {
  Indicator out{"sali"};
  out.error = kNone;
  if (motion.tangents->count() < 2) {
    out.value = kNone;
    out.reason = "states can change in one direction only";
    return out;
  }
  std::vector<double> logs;
  for (const double one : motion.tangents->log_gali(2)) {
    const double sine = std::exp(one);
    logs.push_back(sine > 1e-8 ? std::log(2.0 * std::sin(0.5 * std::asin(std::min(1.0, sine)))) : one);
    out.course.push_back(logs.back() / std::log(10.0));
  }
  out.value = std::exp(logs.back());
  out.times = motion.tangents->times();
  out.course_label = "log10 SALI";
  judge_alignment(out, motion, logs, "SALI");
  return out;
}

// C. Froeschle, E. Lega, R. Gonczi, Celest. Mech. 67 (1997) 41: the largest log|w| so far.
Indicator fli(const Motion& motion) {
  Indicator out{"fli"};
  double most = 0.0;
  for (const double one : motion.tangents->logs()) out.course.push_back(most = std::max(most, one));
  out.times = motion.tangents->times();
  out.course_label = "FLI";
  out.value = most;
  out.error = kNone;
  const GrowthLaw law = law_of(out.times, out.course);
  const double bound = 1.0 + 3.0 * std::log(std::max(motion.duration, 3.0));
  if (out.value > 2.0 * bound && law.in_time.misfit < law.in_log.misfit) {
    out.verdict = Verdict::chaotic;
    out.reason = fmt::format("grows in proportion to time, by {:.3g} 1/s", law.in_time.slope);
  } else if (out.value < bound) {
    out.verdict = Verdict::regular;
    out.reason =
        fmt::format("grows no faster than a power of time: {:.3g} after {} s, like log t times {:.2f}",
                    out.value, time_text(motion.duration), law.in_log.slope);
  } else {
    out.reason = fmt::format(
        "{:.3g} after {} s: more than a power of time would show, and less than tells chaos; "
        "a longer run tells",
        out.value, time_text(motion.duration));
  }
  return out;
}

Indicator largest_exponent(const Motion& motion) {
  Indicator out{"lyapunov"};
  const TangentCourse& from = *motion.tangents;
  out.course_label = "exponent / (1/s)";
  for (std::size_t i = 1; i < from.times().size(); ++i) {
    out.times.push_back(from.times()[i]);
    out.course.push_back(from.logs()[i] / from.times()[i]);
  }
  const MeanRate rate = mean_rate({from.record().stretches(0, kTransient * motion.duration)});
  out.value = rate.value;
  out.error = rate.error;
  const double order = order_bound(motion.duration);
  if (out.value - rate.interval > order) {
    out.verdict = Verdict::chaotic;
    out.reason =
        fmt::format("the exponent and its 95 % interval lie above {:.2g} 1/s, what order would show", order);
  } else if (out.value + rate.interval < 3.0 * order) {
    out.verdict = Verdict::regular;
    out.reason =
        fmt::format("no more than the {:.2g} 1/s, (1 + log T)/T, that ordered motion shows after {} s", order,
                    time_text(motion.duration));
  } else {
    out.reason = fmt::format("the 95 % interval, {:.3g} wide, holds both chaos and order (below {:.2g} 1/s)",
                             2.0 * rate.interval, order);
  }
  return out;
}

// log sigma / T with the largest singular value sigma of what leads from changes of the start to changes of
// the end: the most that any neighbour has parted. G. Haller, Physica D 149 (2001) 248.
Indicator finite_time_exponent(const Motion& motion) {
  Indicator out{"ftle"};
  const TangentCourse& from = *motion.tangents;
  const double time = from.times().back();
  out.value = from.log_stretch() / time;
  out.error = kNone;
  const double order = order_bound(time);
  const std::string of = from.count() < from.dimension() ? fmt::format(" of {} random directions out of {}",
                                                                       from.count(), from.dimension())
                                                         : "";
  const std::string what =
      fmt::format("the largest stretching{} in {} s is e^{:.3g}", of, time_text(time), from.log_stretch());
  if (out.value < 2.0 * order) {
    out.verdict = Verdict::regular;
    out.reason = fmt::format("{}: no more than ordered motion may show, e^{:.3g}", what, 2.0 * order * time);
  } else if (out.value > 6.0 * order) {
    out.verdict = Verdict::chaotic;
    out.reason = fmt::format("{}, far more than the e^{:.3g} of ordered motion", what, 2.0 * order * time);
  } else {
    out.reason = what + ": more than order shows, and less than tells chaos; a longer run tells";
  }
  return out;
}

// ---- from series ------------------------------------------------------------------------------------------

Indicator zero_one(const Motion& motion) {
  Indicator out{"zero_one"};
  // Close samples look like order: one for each time in which the signal forgets itself.
  constexpr std::size_t kMost = 4000;
  const std::size_t every = std::max(decorrelation(motion.signal), motion.signal.size() / kMost + 1);
  std::vector<double> taken;
  for (std::size_t i = 0; i < motion.signal.size(); i += every) taken.push_back(motion.signal[i]);
  const ZeroOne test = zero_one_test(taken);
  out.value = test.value;
  out.error = test.error;
  const std::string sampled = fmt::format("K of {} samples of {}, {:.3g} s apart", taken.size(),
                                          motion.signal_name, motion.spacing * static_cast<double>(every));
  if (taken.size() < 1000) {
    out.reason = sampled + ": too few to tell weak chaos from order; a longer run tells";
  } else if (out.value > 0.8) {
    out.verdict = Verdict::chaotic;
    out.reason = sampled + " is near 1: driven by it, a walker diffuses";
  } else if (out.value < 0.1) {
    out.verdict = Verdict::regular;
    out.reason = sampled + " is near 0: driven by it, a walker stays near";
  } else {
    out.reason = sampled + " is neither near 0 nor near 1: weak chaos, or too short a run";
  }
  return out;
}

Indicator naff(const Motion& motion) {
  Indicator out{"naff"};
  const FrequencyDrift found = frequency_drift(motion.signal, motion.spacing);
  out.value = found.frequency;
  out.error = found.error;
  // As often as it passes its mean upwards, whatever the leading frequency of a broad band may be.
  const double mean = std::accumulate(motion.signal.begin(), motion.signal.end(), 0.0) /
                      static_cast<double>(motion.signal.size());
  double turns = 0.0;
  for (std::size_t i = 1; i < motion.signal.size(); ++i)
    turns += motion.signal[i - 1] < mean && motion.signal[i] >= mean ? 1.0 : 0.0;
  const std::string drift = fmt::format(
      "the leading frequency of {}, {:.6g} rad/s, differs by {:.1e} of itself "
      "between the halves of the run",
      motion.signal_name, found.frequency, found.drift);
  if (!(turns > 20.0)) {
    out.reason = fmt::format("{}, over {:.3g} turns only; a longer run tells", drift, turns);
  } else if (found.drift > 1e-3) {
    out.verdict = Verdict::chaotic;
    out.reason = drift + ": an ordered motion keeps it";
  } else if (found.drift < 1e-5) {
    out.verdict = Verdict::regular;
    out.reason = drift;
  } else {
    out.reason = drift + ": slow diffusion, or neighbouring lines; a longer run tells";
  }
  return out;
}

Indicator recurrences(const Motion& motion) {
  Indicator out{"recurrence"};
  const Recurrence found = recurrence(motion.states, motion.spacing);
  out.value = found.determinism;
  out.error = kNone;
  const double length = found.spacing * static_cast<double>(found.states);
  const double share = length > 0.0 ? found.longest_diagonal / length : 0.0;
  const std::string what = fmt::format(
      "determinism {:.3f}; the longest stretch that the motion repeats is {:.3g} s, {:.0f} % of the run",
      found.determinism, found.longest_diagonal, 100.0 * share);
  if (found.states < 300) {
    out.reason = "too few states; a longer run tells";
  } else if (share > 0.5) {
    out.verdict = Verdict::regular;
    out.reason = what;
  } else if (share < 0.1) {
    out.verdict = Verdict::chaotic;
    out.reason = what + ": neighbours part soon";
  } else {
    out.reason = what;
  }
  return out;
}

Indicator spectrum(const Motion& motion) {
  Indicator out{"spectrum"};
  const Spectrum found = power_spectrum(motion.signal, motion.spacing);
  out.value = found.lines;
  out.error = found.lines_error;
  out.times = found.frequencies;
  out.course = found.power;
  out.course_label = "power against frequency / Hz";
  const std::string what =
      fmt::format("{:.1f} % of the power of {} is in narrow lines", 100.0 * found.lines, motion.signal_name);
  if (found.lines > 0.99) {
    out.verdict = Verdict::regular;
    out.reason = what;
  } else if (found.lines < 0.9) {
    out.verdict = Verdict::chaotic;
    out.reason = what + ", the rest is a broad band";
  } else {
    out.reason = what + ": a broad band may hide below; a longer run tells";
  }
  return out;
}

Indicator dimension(const Motion& motion) {
  Indicator out{"correlation_dimension"};
  const CorrelationDimension found = correlation_dimension(motion.states, 4 * decorrelation(motion.signal));
  out.times = found.scales;
  out.course = found.pairs;
  out.course_label = "C(r) against r";
  if (!found.is_found) {
    out.value = out.error = kNone;
    out.reason =
        "no range of scales, a factor of four wide, in which slopes agree within a tenth; a longer run tells";
    return out;
  }
  out.value = found.value;
  out.error = found.error;
  const std::string range =
      fmt::format("slope of log C from r = {:.3g} to {:.3g} (of the spread)", found.from, found.to);
  const double whole = std::round(found.value);
  if (found.value + 2.0 * found.error < 1.2 && found.value > 0.5) {
    out.verdict = Verdict::regular;
    out.reason = range + ": a closed curve";
  } else {
    out.reason = fmt::format("{}: {} does not tell order from chaos by itself", range,
                             std::fabs(found.value - whole) < 2.0 * found.error
                                 ? fmt::format("a dimension of {:.0f} within the error", whole)
                                 : "a dimension that is no whole number");
  }
  return out;
}

// ---- the motion -------------------------------------------------------------------------------------------

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
      motion_.turns.look(motion_.lab->state_at(start + part * (end - start)).hi, motion_.lab->motion_lanes());
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
    std::vector<double> state = lab.state_at(t).hi;
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
bool IndicatorWatch::has_tangents() const { return walk_->motion().tangents != nullptr; }
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
