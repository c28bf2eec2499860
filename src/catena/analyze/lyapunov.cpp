#include "catena/analyze/lyapunov.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "catena/analyze/covariant.h"
#include "catena/analyze/growth_record.h"
#include "catena/analyze/lyapunov_checks.h"
#include "catena/analyze/tangent_frame.h"
#include "catena/analyze/warned.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

constexpr double kTransient = 0.1;  // of the duration, left out of the means
constexpr double kBeside = 1e-6;    // how far other starts lie beside the first, of the state's size
constexpr double kMixing = 2.0;     // from when on they are independent, in times that they took to part
constexpr std::size_t kMostDoublings = 12;
constexpr std::string_view kMark = "catena lyapunov 1";

// One motion with its frame.
class Start {
 public:
  Start(const Scene& scene, std::size_t number, const LyapunovOptions& options)
      : lab_(std::make_unique<Lab>(scene)) {
    const std::uint64_t seed = options.seed * 1000003u + number;
    if (number > 0) step_aside(seed);
    checks_ = std::make_unique<AlongTheWay>(*lab_);
    frame_ = std::make_unique<TangentFrame>(*lab_, options.exponents, seed);
    record_ = std::make_unique<GrowthRecord>(frame_->count());
    if (options.vectors && number == 0) vectors_ = std::make_unique<CovariantAngles>(frame_->count());
    checks_->begin(*lab_, *frame_);
  }

  StepStatus advance() {
    take_pending();
    const double before = lab_->time(), before_lo = lab_->state().t_lo;
    const StepStatus status = frame_->advance();
    if (status != StepStatus::done) return status;
    pending_ = (lab_->time() - before) + (lab_->state().t_lo - before_lo);
    checks_->look(*lab_, *frame_);
    if (vectors_ && frame_->was_renewed()) {
      vectors_->add(frame_->triangle(), lab_->time() - renewed_at_);
      renewed_at_ = lab_->time();
    }
    return status;
  }

  double time() const { return lab_->time(); }
  Lab& lab() { return *lab_; }
  const TangentFrame& frame() const { return *frame_; }
  AlongTheWay& checks() { return *checks_; }
  const CovariantAngles* vectors() const { return vectors_.get(); }

  // With the last step.
  GrowthRecord record() const {
    GrowthRecord out = *record_;
    if (pending_ > 0.0) out.add(frame_->growth(), pending_);
    return out;
  }

  // A lab's checkpoint is where the last step began, and so is the record.
  void write(ByteWriter& out) const {
    out.put(std::string_view(lab_->checkpoint()));
    out.put(std::string_view(frame_->memory()));
    checks_->write(out);
    record_->write(out);
  }
  void read(ByteReader& in) {
    std::string lab, frame;
    in.get(lab);
    in.get(frame);
    if (!in.good()) return;
    lab_->restore(lab);
    frame_->restore(frame);
    checks_->read(in);
    record_->read(in);
  }

 private:
  void take_pending() {
    if (pending_ > 0.0) record_->add(frame_->growth(), pending_);
    if (pending_ > 0.0) checks_->keep();
    pending_ = 0.0;
  }

  // A start beside the scene's: in chaos its motion is another one after a few Lyapunov times.
  void step_aside(std::uint64_t seed) {
    Random random(seed);
    State state = lab_->state();
    double size = 1.0;
    for (const double number : state.hi) size = std::max(size, std::fabs(number));
    for (const std::vector<double>& one : lab_->allowed_directions()) {
      const double part = kBeside * size * random.normal();
      for (std::size_t i = 0; i < state.hi.size(); ++i) state.hi[i] += part * one[i];
    }
    lab_->place(std::move(state), lab_->row_angles());
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<AlongTheWay> checks_;
  std::unique_ptr<TangentFrame> frame_;
  std::unique_ptr<GrowthRecord> record_;
  std::unique_ptr<CovariantAngles> vectors_;
  double pending_ = 0.0;  // s: the last step, which the record does not have yet
  double renewed_at_ = 0.0;
};

// ---- evaluation -------------------------------------------------------------------------------------------

// From when on each motion counts. Others than the first begin beside it, are the same motion until they have
// parted, and know of each other for about as long again.
struct Windows {
  std::vector<double> from;  // s
  bool are_independent = true;
  double wanted = 0.0;  // s: a duration in which they may be
};

// When neighbours at the distance of two starts have become as far apart as states are.
std::optional<double> parted_at(const GrowthRecord& record) {
  const Stretches of = record.stretches(0, 0.0);
  double growth = std::log(kBeside), at = 0.0;
  for (std::size_t i = 0; i < of.time.size(); ++i) {
    growth += of.growth[i];
    at += of.time[i];
    if (growth >= 0.0) return at;
  }
  return std::nullopt;
}

Windows windows_of(const std::vector<GrowthRecord>& records, double duration) {
  Windows out;
  const auto transient = [&] {
    out.from.assign(records.size(), kTransient * duration);
    for (std::size_t i = 0; i < records.size(); ++i) {  // a run of one step has nothing else
      if (records[i].stretches(0, out.from[i]).time.empty()) out.from[i] = 0.0;
    }
  };
  transient();
  double latest = 0.0;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::optional<double> parted = parted_at(records[i]);
    out.are_independent = out.are_independent && parted && kMixing * *parted <= 0.5 * duration;
    if (parted) latest = std::max(latest, kMixing * *parted);
    if (parted) out.from[i] = std::max(out.from[i], kMixing * *parted);
  }
  if (out.are_independent) return out;
  transient();
  out.wanted = std::max(2.0 * duration, 2.0 * latest);
  return out;
}

// Of a function of all exponents, by leaving out one block after the other.
struct Jackknife {
  std::optional<double> value, error;
};

template <class Function>
Jackknife jackknife(const std::vector<GrowthRecord>& records, const Windows& windows,
                    const Function& function) {
  constexpr std::size_t kBlocks = 16;  // of each motion
  const std::size_t count = records[0].count();
  std::vector<std::vector<double>> blocks;  // [block][exponent], then the time
  std::vector<double> whole(count + 1, 0.0);
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::size_t first = blocks.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Stretches of = records[r].stretches(k, windows.from[r]);
      const std::size_t n = of.time.size(), number = std::min(kBlocks, n);
      blocks.resize(first + number, std::vector<double>(count + 1, 0.0));
      for (std::size_t b = 0; b < number; ++b) {
        for (std::size_t i = b * n / number; i < (b + 1) * n / number; ++i) {
          blocks[first + b][k] += of.growth[i];
          if (k == 0) blocks[first + b][count] += of.time[i];
        }
      }
    }
  }
  for (const std::vector<double>& block : blocks) {
    for (std::size_t i = 0; i <= count; ++i) whole[i] += block[i];
  }
  const auto value_of = [&](const std::vector<double>& without) -> std::optional<double> {
    std::vector<double> exponents(count);
    for (std::size_t k = 0; k < count; ++k)
      exponents[k] = (whole[k] - without[k]) / (whole[count] - without[count]);
    std::sort(exponents.begin(), exponents.end(), std::greater<>());
    return function(exponents);
  };
  Jackknife out;
  out.value = value_of(std::vector<double>(count + 1, 0.0));
  if (!out.value || blocks.size() < 2) return out;
  double squares = 0.0;
  for (const std::vector<double>& block : blocks) {
    const std::optional<double> one = value_of(block);
    if (!one) return out;
    squares += (*one - *out.value) * (*one - *out.value);
  }
  const auto n = static_cast<double>(blocks.size());
  const double motions = windows.are_independent ? 1.0 : static_cast<double>(records.size());
  out.error = std::sqrt(squares * (n - 1.0) / n * motions);
  return out;
}

double sum_of_positive(const std::vector<double>& exponents) {
  double sum = 0.0;
  for (const double one : exponents) sum += std::max(one, 0.0);
  return sum;
}

// Running values of one motion, at a few hundred times.
void add_running(LyapunovResult& out, const GrowthRecord& record) {
  constexpr std::size_t kRows = 500;
  const std::vector<double> ends = record.ends();
  const std::size_t step = std::max<std::size_t>(1, ends.size() / kRows);
  out.running.assign(record.count(), {});
  out.times.clear();
  for (std::size_t k = 0; k < record.count(); ++k) {
    const Stretches of = record.stretches(k, 0.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      sum += of.growth[i];
      if ((i + 1) % step != 0) continue;
      out.running[k].push_back(sum / ends[i]);
      if (k == 0) out.times.push_back(ends[i]);
    }
  }
}

void add_means(LyapunovResult& out, const std::vector<GrowthRecord>& records) {
  const std::size_t count = records[0].count();
  const Windows windows = windows_of(records, out.duration);
  out.starts_want = windows.wanted;
  out.is_settled = true;
  std::vector<MeanRate> rates;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Stretches> motions;
    for (std::size_t r = 0; r < records.size(); ++r)
      motions.push_back(records[r].stretches(k, windows.from[r]));
    rates.push_back(mean_rate(motions, windows.are_independent));
    out.is_settled = out.is_settled && rates.back().is_settled;
    out.correlation_time = std::max(out.correlation_time, rates.back().correlation_time);
    out.batches = k == 0 ? rates.back().batches : std::min(out.batches, rates.back().batches);
  }
  // The frame sorts them itself, but for those that differ by less than their errors.
  const auto larger = [](const MeanRate& a, const MeanRate& b) { return a.value > b.value; };
  std::stable_sort(rates.begin(), rates.end(), larger);
  for (const MeanRate& rate : rates) {
    out.exponents.push_back(rate.value);
    out.errors.push_back(rate.error);
    out.intervals.push_back(rate.interval);
  }
  for (std::size_t r = 0; r < records.size(); ++r) {
    std::vector<MeanRate> own;
    for (std::size_t k = 0; k < count; ++k)
      own.push_back(mean_rate({records[r].stretches(k, windows.from[r])}));
    std::stable_sort(own.begin(), own.end(), larger);
    out.by_start.emplace_back();
    out.start_intervals.emplace_back();
    for (const MeanRate& rate : own) {
      out.by_start.back().push_back(rate.value);
      out.start_intervals.back().push_back(rate.interval);
    }
  }
  const Jackknife dimension = jackknife(records, windows, [&](const std::vector<double>& exponents) {
    return kaplan_yorke_dimension(exponents, out.dimension);
  });
  out.kaplan_yorke = dimension.value;
  out.kaplan_yorke_error = dimension.error;
  const Jackknife entropy = jackknife(records, windows, [](const std::vector<double>& exponents) {
    return std::optional<double>(sum_of_positive(exponents));
  });
  out.entropy = entropy.value.value_or(0.0);
  out.entropy_error = entropy.error.value_or(0.0);
  const Jackknife sum = jackknife(records, windows, [](const std::vector<double>& exponents) {
    return std::optional<double>(std::accumulate(exponents.begin(), exponents.end(), 0.0));
  });
  out.sum = sum.value.value_or(0.0);
  out.sum_error = sum.error.value_or(0.0);
}

// Starts whose exponents differ by more than their errors: they are not parts of one and the same.
void note_disagreement(LyapunovResult& out) {
  if (out.by_start.size() < 2 || !out.is_settled) return;
  const double order = order_bound(out.duration);
  const auto number = static_cast<double>(out.by_start.size());
  for (std::size_t k = 0; k < out.exponents.size(); ++k) {
    double least = out.by_start[0][k], most = least;
    for (const std::vector<double>& own : out.by_start) {
      least = std::min(least, own[k]);
      most = std::max(most, own[k]);
    }
    // Twice the interval of a difference of two, which is twice that of their common mean; many scatter
    // wider.
    const double allowed = 2.0 * std::sqrt(2.0 * number * std::log2(number)) * out.intervals[k] + order;
    if (most - least <= allowed) continue;
    out.notes.push_back(fmt::format(
        "starts disagree: exponent {} is between {:.4g} and {:.4g}. They are in different places of a mixed "
        "phase space, or on different attractors, or the run is too short; a longer --duration tells",
        k + 1, least, most));
    return;
  }
}

void add_notes(LyapunovResult& out) {
  if (!out.is_settled) {
    constexpr double kEnough = 12 * 20;
    out.notes.push_back(fmt::format(
        "too short for error bars to be relied on: what grows is correlated over {:.3g} s, and batches of "
        "twenty such times are fewer than twelve; --duration {:.0f} would do",
        out.correlation_time,
        std::ceil(std::max(2.0 * out.duration, kEnough / (1.0 - kTransient) * out.correlation_time))));
  }
  if (out.exponents.empty()) return;
  const double order = order_bound(out.duration);
  out.is_chaotic = out.exponents[0] - out.intervals[0] > order;
  if (!out.is_chaotic) {
    out.notes.push_back(
        fmt::format("no exponent is above {:.2g}, which a regular motion shows as well after {} s, (1 + log "
                    "T)/T: this is "
                    "no sign of chaos; a longer run would lower the bound",
                    order, time_text(out.duration)));
  }
  if (out.is_chaotic && out.starts_want > 0.0) {
    out.notes.push_back(
        fmt::format("the starts have not been apart for most of the run, and count as one motion in the "
                    "errors; --duration {:.0f} would do",
                    std::ceil(out.starts_want)));
  }
  note_disagreement(out);
}

}  // namespace

double order_bound(double duration) {
  return duration > 0.0 ? (1.0 + std::log(std::max(duration, 1.0))) / duration
                        : std::numeric_limits<double>::infinity();
}

std::optional<double> kaplan_yorke_dimension(const std::vector<double>& exponents, std::size_t dimension) {
  if (exponents.empty()) return std::nullopt;
  // Where volumes are kept the sum of all is zero to rounding.
  const double roundoff = 1e-9 * std::max(std::fabs(exponents.front()), std::fabs(exponents.back()));
  double sum = 0.0;
  for (std::size_t j = 0; j < exponents.size(); ++j) {
    if (sum + exponents[j] < -roundoff) return static_cast<double>(j) + sum / std::fabs(exponents[j]);
    sum += exponents[j];
  }
  if (exponents.size() < dimension) return std::nullopt;
  return static_cast<double>(dimension);
}

namespace {

// Start and equations in numbers: what another scene of the same shape differs in.
std::vector<double> fingerprint_of(const Scene& scene) {
  Lab lab(scene);
  std::vector<double> x = lab.state().hi, out = x;
  double part = 0.1;
  for (const std::vector<double>& one : lab.allowed_directions()) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * one[i];
    part *= 0.9;
  }
  for (const double t : {0.0, 0.3712}) {
    const std::vector<double> rates = lab.rhs(t, x);
    out.insert(out.end(), rates.begin(), rates.end());
  }
  return out;
}

class Computation {
 public:
  Computation(const Scene& scene, const LyapunovOptions& options)
      : options_(options), scene_(in_unit_vectors(scene)) {
    scene_.simulation.duration = options.duration * (options.error ? std::pow(2.0, kMostDoublings) : 1.0);
    scene_.events.clear();
    limit_steps_at_rest();
    fingerprint_ = fingerprint_of(scene_);
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options.starts); ++i)
      starts_.push_back(std::make_unique<Start>(scene_, i, options));
    if (!options.resumed.empty()) resume();
  }

  Outcome grow(double to) { return outcome_ = run_to(to); }
  double time() const {
    double least = starts_[0]->time();
    for (const auto& start : starts_) least = std::min(least, start->time());
    return least;
  }
  LyapunovResult result() { return evaluated(outcome_); }

  LyapunovResult run() {
    double target = options_.duration;
    for (std::size_t round = 0;; ++round) {
      const Outcome outcome = run_to(target);
      LyapunovResult result = evaluated(outcome);
      const double worst =
          result.errors.empty() ? 0.0 : *std::max_element(result.errors.begin(), result.errors.end());
      looked_at_.emplace_back(result.duration, worst);
      result.looked_at = looked_at_;
      if (outcome != Outcome::done || !options_.error) return result;
      if (result.is_settled && worst <= *options_.error) return result;
      if (round == kMostDoublings) {
        result.notes.push_back(fmt::format("the error that was wanted, {}, is not reached after {} s: {:.2g}",
                                           number_text(*options_.error), time_text(result.duration), worst));
        return result;
      }
      target *= 2.0;
    }
  }

 private:
  // A motion that rests exactly allows any step, and tells nothing of how fast its neighbours move: 2/rate
  // leaves 2^n/n! of a series of order n.
  void limit_steps_at_rest() {
    Lab lab(scene_);
    if (!is_autonomous(lab) || !is_at_rest(lab)) return;
    const std::vector<double>& x = lab.state().hi;
    constexpr double kAside = 1e-6;
    double fastest = 0.0;
    for (const std::vector<double>& one : lab.allowed_directions()) {
      std::vector<double> beside = x;
      for (std::size_t i = 0; i < x.size(); ++i) beside[i] += kAside * one[i];
      const std::vector<double> rates = lab.rhs(lab.time(), beside);
      double squares = 0.0;
      for (std::size_t i = 0; i < lab.motion_lanes(); ++i) squares += rates[i] * rates[i];
      fastest = std::max(fastest, std::sqrt(squares) / kAside);
    }
    if (!(fastest > 0.0)) return;
    const double limit = 2.0 / (fastest * std::sqrt(static_cast<double>(lab.motion_lanes())));
    scene_.simulation.max_step = std::min(scene_.simulation.max_step.value_or(limit), limit);
  }

  void resume() {
    ByteReader in(options_.resumed);
    std::string mark;
    std::uint64_t starts = 0, exponents = 0, seed = 0;
    in.get(mark);
    in.get(starts);
    in.get(exponents);
    in.get(seed);
    std::vector<double> fingerprint(fingerprint_.size());
    in.get(fingerprint);
    const bool fits = mark == kMark && starts == starts_.size() && exponents == starts_[0]->frame().count() &&
                      seed == options_.seed && fingerprint == fingerprint_;
    if (in.good() && fits) {
      for (const auto& start : starts_) start->read(in);
    }
    if (!fits || !in.finished())
      throw InputError(
          {scene_.name},
          "what was kept of the earlier analysis does not fit: it needs the same scene, the same "
          "number of exponents and starts, and the same seed");
    if (options_.vectors)
      throw InputError({scene_.name},
                       "covariant vectors cannot be taken up again: leave out --vectors, or "
                       "begin anew without --resume");
  }

  Outcome run_to(double target) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point shown = Clock::now();
    const double all = target * static_cast<double>(starts_.size());
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      Start& start = *starts_[i];
      while (start.time() < target) {
        if (options_.stop && options_.stop->load(std::memory_order_relaxed)) return Outcome::interrupted;
        const StepStatus status = start.advance();
        if (status != StepStatus::done) {
          message_ = failure_text(start.lab(), status);
          return Outcome::failed;
        }
        if (!options_.progress || Clock::now() - shown < std::chrono::milliseconds(100)) continue;
        shown = Clock::now();
        options_.progress(static_cast<double>(i) * target + std::min(start.time(), target), all);
      }
    }
    return Outcome::done;
  }

  LyapunovResult evaluated(Outcome outcome) {
    LyapunovResult out;
    out.outcome = outcome;
    out.message = message_;
    out.dimension = starts_[0]->frame().dimension();
    // Where a run was cut short, starts that have not come far say nothing yet.
    double longest = 0.0;
    for (const auto& start : starts_) longest = std::max(longest, start->time());
    std::vector<GrowthRecord> records;
    std::vector<AlongTheWay*> checks;
    out.duration = longest;
    for (const auto& start : starts_) {
      if (!(start->time() > 0.0) || start->time() < 0.5 * longest) continue;
      records.push_back(start->record());
      checks.push_back(&start->checks());
      out.duration = std::min(out.duration, records.back().time());
    }
    if (!records.empty()) {
      add_means(out, records);
      add_running(out, records[0]);
      for (std::size_t i = 0; i < records.size(); ++i)
        checks[i]->conclude(starts_[i]->lab(), starts_[i]->frame(), records[i], i == 0, out);
    }
    add_notes(out);
    for (const auto& start : starts_) note_warnings(start->lab(), out.notes);
    if (const CovariantAngles* vectors = starts_[0]->vectors()) add_vectors(out, *vectors);
    ByteWriter memory;
    memory.put(kMark);
    memory.put(static_cast<std::uint64_t>(starts_.size()));
    memory.put(static_cast<std::uint64_t>(starts_[0]->frame().count()));
    memory.put(options_.seed);
    memory.put(fingerprint_);
    for (const auto& start : starts_) start->write(memory);
    out.memory = memory.take();
    return out;
  }

  void add_vectors(LyapunovResult& out, const CovariantAngles& vectors) {
    if (vectors.looks() == 0)
      out.notes.push_back(
          "too short for covariant vectors: they need three windows of 400 renewals of the frame; give a "
          "longer --duration");
    for (std::size_t p = 0; p < vectors.pairs().size(); ++p)
      out.angles.push_back({vectors.pairs()[p].first, vectors.pairs()[p].second, vectors.counts()[p]});
    out.vector_exponents = vectors.exponents();
  }

  LyapunovOptions options_;
  Scene scene_;
  std::vector<std::unique_ptr<Start>> starts_;
  std::vector<std::pair<double, double>> looked_at_;
  std::string message_;
  Outcome outcome_ = Outcome::done;
  std::vector<double> fingerprint_;
};

LyapunovOptions without_end(LyapunovOptions options) {
  options.duration = 1e9;
  options.error.reset();
  return options;
}

}  // namespace

struct LyapunovGrowth::Inside : Computation {
  using Computation::Computation;
};

LyapunovGrowth::LyapunovGrowth(const Scene& scene, const LyapunovOptions& options)
    : inside_(std::make_unique<Inside>(scene, without_end(options))) {}
LyapunovGrowth::~LyapunovGrowth() = default;
Outcome LyapunovGrowth::grow(double to) { return inside_->grow(to); }
double LyapunovGrowth::time() const { return inside_->time(); }
LyapunovResult LyapunovGrowth::result() { return inside_->result(); }

LyapunovResult lyapunov(const Scene& scene, const LyapunovOptions& options) {
  return Computation(scene, options).run();
}

}  // namespace catena
