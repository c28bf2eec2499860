#include "catena/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/ensemble.h"
#include "catena/lab/run.h"
#include "catena/sweep/measures.h"
#include "catena/sweep/sha256.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Roots of a x^2 + b x + c = 0, the larger one; none: it has none.
std::optional<double> larger_root(double a, double b, double c) {
  if (std::fabs(a) <= 1e-14 * (std::fabs(b) + std::fabs(c))) {
    if (b == 0.0) return std::nullopt;
    return -c / b;
  }
  const double discriminant = b * b - 4.0 * a * c;
  if (discriminant < 0.0) return std::nullopt;
  const double q = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  return q == 0.0 ? 0.0 : std::max(q / a, c / q);
}

// Where f vanishes, as near as bisection comes; the signs at both ends differ.
template <class F>
double bisected(const F& f, double low, double high, double at_low) {
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > std::min(low, high) && middle < std::max(low, high))) return middle;
    const double value = f(middle);
    if (value == 0.0) return middle;
    ((value > 0.0) == (at_low > 0.0) ? low : high) = middle;
  }
}

// A number with f = 0. Energies are quadratic in rates: of both roots the larger one. Others: the nearest to
// `from` that a search outwards finds.
template <class F>
std::optional<double> solved(const F& f, double from) {
  const double left = f(from - 1.0), here = f(from), right = f(from + 1.0), beyond = f(from + 2.0);
  const double a = 0.5 * (left + right) - here, b = 0.5 * (right - left);
  const double scale = std::fabs(left) + std::fabs(here) + std::fabs(right) + std::fabs(beyond);
  if (std::fabs(4.0 * a + 2.0 * b + here - beyond) <= 1e-12 * scale) {
    std::optional<double> shift = larger_root(a, b, here);
    if (!shift) return std::nullopt;
    for (int i = 0; i < 2; ++i) {  // once more with what the formula left
      const double slope = 2.0 * a * *shift + b;
      if (slope != 0.0) *shift -= f(from + *shift) / slope;
    }
    return from + *shift;
  }
  double before_up = here, before_down = here, up = from, down = from;
  for (double step = 1e-3; step < 1e4; step *= 1.5) {
    const double higher = from + step, lower = from - step;
    const double at_higher = f(higher), at_lower = f(lower);
    if (before_up * at_higher <= 0.0) return bisected(f, up, higher, before_up);
    if (before_down * at_lower <= 0.0) return bisected(f, down, lower, before_down);
    up = higher;
    down = lower;
    before_up = at_higher;
    before_down = at_lower;
  }
  return std::nullopt;
}

// A case under way: its lab, made anew only where the world is another, and its meter.
class CasePlace {
 public:
  // `told`: what the sweep was warned of as a whole.
  CasePlace(const SweepPlan& plan, SweepCases& cases, CaseScenes& scenes, const std::vector<Warning>& told)
      : plan_(plan),
        cases_(cases),
        scenes_(scenes),
        told_(told),
        follows_(!derivative_paths(plan).empty()),
        neighbours_(follows_tangents(plan)),
        values_(cases.width() + 1, 0.0) {}

  // At its start; how it ended where that is all there is to it.
  std::optional<CaseStatus> begin(std::uint64_t index) {
    cases_.values(index, values_.data());
    if (cases_.is_skipped(values_.data())) return CaseStatus::skipped;
    return guarded([&]() -> std::optional<CaseStatus> {
      if (plan_.energy && !solve_for_energy()) return CaseStatus::skipped;
      place();
      return std::nullopt;
    });
  }
  // After a step, into `out` once it has ended.
  std::optional<CaseStatus> look(StepStatus status, double* out) {
    if (status != StepStatus::done) return failed(failure_text(*lab_, status));
    return guarded([&]() -> std::optional<CaseStatus> {
      if (!meter_->look()) return std::nullopt;
      meter_->finish(out);
      reason_ = warned();
      return CaseStatus::done;
    });
  }
  Lab& lab() { return *lab_; }
  bool has_lab() const { return lab_ != nullptr; }
  // Of the case that ended: why it failed, or what it is warned of.
  const std::string& reason() const { return reason_; }
  std::uint64_t steps() const { return lab_ ? static_cast<std::uint64_t>(lab_->counts().steps) : 0; }

  // Mistakes of the plan show at the start of any case that has one; that some have none is theirs. Gives why
  // cases do not go in lanes.
  std::string check() {
    constexpr std::uint64_t kTries = 64;
    std::optional<InputError> first;
    const std::uint64_t apart = std::max<std::uint64_t>(1, cases_.count() / kTries);
    for (std::uint64_t index = 0; index < cases_.count(); index += apart) {
      cases_.values(index, values_.data());
      if (cases_.is_skipped(values_.data())) continue;
      values_.back() = scenes_.unsolved();
      std::unique_ptr<Lab> lab;
      try {
        lab = made();
      } catch (const InputError& error) {
        if (!first) first = error;
        continue;
      }
      take(std::move(lab));
      return lanes_refusal_;
    }
    if (first) throw *first;
    return "";
  }

 private:
  std::string warned() const {
    std::string out;
    const auto add = [&](const Warning& warning) {
      const auto is_known = [&](const Warning& known) { return known.message == warning.message; };
      if (std::none_of(told_.begin(), told_.end(), is_known))
        out += (out.empty() ? "" : "; ") + warning.message;
    };
    for (const Warning& warning : lab_->warnings()) add(warning);
    if (const std::optional<Warning> energy = energy_warning(*lab_)) add(*energy);
    return out;
  }

  std::optional<CaseStatus> failed(std::string why) {
    reason_ = std::move(why);
    return CaseStatus::failed;
  }
  template <class F>
  std::optional<CaseStatus> guarded(const F& f) try {
    return f();
  } catch (const InputError& error) {
    meter_.reset();
    lab_.reset();
    return failed(error.mistakes().front().message);
  }

  std::unique_ptr<Lab> made() {
    auto lab = follows_ ? scenes_.lab_with_derivatives(values_.data())
                        : std::make_unique<Lab>(scenes_.with(values_.data()));
    lanes_refusal_ = lab->lanes_refusal();
    if (lanes_refusal_.empty() && neighbours_) lanes_refusal_ = lab->following_in_lanes_refusal();
    if (lanes_refusal_.empty()) lab->use_lanes();
    return lab;
  }
  void take(std::unique_ptr<Lab> lab) {
    meter_.reset();
    lab_ = std::move(lab);
    meter_ = std::make_unique<Meter>(*lab_, plan_);
  }
  bool restarts() {
    return lab_ && !follows_ && scenes_.starts_only() && lab_->restart(scenes_.with(values_.data()));
  }
  // The lab at the start of the case in values_, and its meter.
  void place() {
    if (!restarts()) return take(made());
    meter_->restart();
  }

  bool solve_for_energy() {
    const auto excess = [&](double value) {
      values_.back() = value;
      if (!restarts()) take(made());
      return static_cast<double>(lab_->energies().start_energy - DoubleDouble(*plan_.energy));
    };
    const std::optional<double> value = solved(excess, scenes_.unsolved());
    if (!value) return false;
    values_.back() = *value;
    return true;
  }

  const SweepPlan& plan_;
  SweepCases& cases_;
  CaseScenes& scenes_;
  const std::vector<Warning>& told_;
  bool follows_, neighbours_;   // derivatives, motions nearby
  std::vector<double> values_;  // of the case, and what is solved for
  std::unique_ptr<Lab> lab_;
  std::unique_ptr<Meter> meter_;
  std::string reason_;
  std::string lanes_refusal_;  // of the lab made last
};

// Cases side by side: one that ends makes room for the next. Labs in lanes step together; others, and those
// whose worlds have another shape, by themselves.
class CaseRunner : public ChunkRunner {
 public:
  CaseRunner(const SweepPlan& plan, std::unique_ptr<CaseScenes> scenes, int width,
             const std::vector<Warning>& told)
      : measures_(plan.measures.size()), cases_(plan), scenes_(std::move(scenes)), together_(width) {
    for (std::size_t i = 0; i < together_.width(); ++i)
      places_.push_back({std::make_unique<CasePlace>(plan, cases_, *scenes_, told)});
  }

  std::uint64_t beside() const override { return places_.size(); }

  SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) override {
    SweepChunk chunk;
    chunk.first = first;
    chunk.measures.assign(count * measures_, kNone);
    chunk.status.assign(count, CaseStatus::not_computed);
    steps_.assign(count, 0);
    next_ = 0;
    while (!is_stopped(stop) && fill(chunk)) {
      together_.advance();
      for (std::size_t at = 0; at < places_.size(); ++at) {
        Place& place = places_[at];
        if (!place.is_taken) continue;
        const bool is_seated = together_.at(at) != nullptr;
        const StepStatus status = is_seated ? together_.status(at) : place.of->lab().advance();
        const std::optional<CaseStatus> end =
            place.of->look(status, chunk.measures.data() + place.number * measures_);
        if (end) settle(at, *end, chunk);
      }
    }
    for (std::size_t at = 0; at < places_.size(); ++at) free(at);
    cut(chunk);
    return chunk;
  }

 private:
  struct Place {
    std::unique_ptr<CasePlace> of;
    bool is_taken = false;
    std::uint64_t number = 0;  // in the chunk
  };

  // Free places take the next cases; whether anything is under way.
  bool fill(SweepChunk& chunk) {
    bool is_any = false;
    for (std::size_t at = 0; at < places_.size(); ++at) {
      Place& place = places_[at];
      while (!place.is_taken && next_ < chunk.status.size()) {
        place.number = next_++;
        if (const std::optional<CaseStatus> end = place.of->begin(chunk.first + place.number)) {
          settle(at, *end, chunk);
          continue;
        }
        place.is_taken = true;
        together_.seat(at, place.of->lab());
      }
      is_any = is_any || place.is_taken;
    }
    return is_any;
  }

  void settle(std::size_t at, CaseStatus end, SweepChunk& chunk) {
    const Place& place = places_[at];
    chunk.status[place.number] = end;
    const bool has_reason =
        end == CaseStatus::failed || (end == CaseStatus::done && !place.of->reason().empty());
    if (has_reason) chunk.reasons.push_back({chunk.first + place.number, place.of->reason()});
    if (end != CaseStatus::done)
      std::fill_n(chunk.measures.data() + place.number * measures_, measures_, kNone);
    if (place.is_taken) steps_[place.number] = place.of->steps();
    free(at);
  }
  void free(std::size_t at) {
    together_.leave(at);
    places_[at].is_taken = false;
  }

  // Stopped: what was begun is not counted, nor what lies behind it.
  void cut(SweepChunk& chunk) const {
    const auto end = std::find(chunk.status.begin(), chunk.status.end(), CaseStatus::not_computed);
    chunk.count = static_cast<std::uint64_t>(end - chunk.status.begin());
    chunk.status.resize(chunk.count);
    chunk.measures.resize(chunk.count * measures_);
    for (std::uint64_t i = 0; i < chunk.count; ++i) chunk.steps += steps_[i];
    std::erase_if(chunk.reasons,
                  [&](const CaseReason& one) { return one.index >= chunk.first + chunk.count; });
    std::sort(chunk.reasons.begin(), chunk.reasons.end(),
              [](const CaseReason& a, const CaseReason& b) { return a.index < b.index; });
  }

  std::size_t measures_;
  SweepCases cases_;
  std::unique_ptr<CaseScenes> scenes_;
  std::vector<Place> places_;
  Ensemble together_;  // goes before the labs
  std::vector<std::uint64_t> steps_;
  std::uint64_t next_ = 0;  // case that nobody has begun
};

}  // namespace

Sweep::Sweep(SweepPlan plan, MakeScenes scenes)
    : plan_(std::move(plan)), cases_(plan_), scenes_(std::move(scenes)) {
  const std::unique_ptr<CaseScenes> made = scenes_();
  CasePlace any(plan_, cases_, *made, warnings_);
  lanes_refusal_ = any.check();
  if (any.has_lab()) warnings_ = any.lab().warnings();
}

std::unique_ptr<ChunkRunner> Sweep::runner(int lanes) const {
  std::unique_ptr<ChunkRunner> labs =
      std::make_unique<CaseRunner>(plan_, scenes_(), lanes_refusal_.empty() ? lanes : 1, warnings_);
  return instead_ ? instead_(std::move(labs)) : std::move(labs);
}

double results_bytes(const SweepPlan& plan, std::uint64_t cases) {
  return static_cast<double>(cases) * (8.0 * static_cast<double>(plan.measures.size()) + 1.0);
}

std::vector<CaseRange> not_computed(const SweepResults& results) {
  std::vector<CaseRange> out;
  for (std::uint64_t i = 0; i < results.count; ++i) {
    if (results.status[i] != CaseStatus::not_computed) continue;
    const std::uint64_t index = results.first + i;
    if (out.empty() || out.back().first + out.back().count != index) out.push_back({index, 0});
    ++out.back().count;
  }
  return out;
}

std::string results_hash(const SweepResults& results) {
  Sha256 hash;
  std::vector<double> block;
  for (const std::vector<double>& measure : results.measures) {
    for (std::size_t first = 0; first < measure.size(); first += 4096) {
      const std::size_t count = std::min<std::size_t>(4096, measure.size() - first);
      block.assign(measure.begin() + static_cast<std::ptrdiff_t>(first),
                   measure.begin() + static_cast<std::ptrdiff_t>(first + count));
      for (double& value : block) {
        if (std::isnan(value)) value = kNone;
      }
      hash.add(block.data(), block.size() * sizeof(double));
    }
  }
  hash.add(results.status.data(), results.status.size());
  return hash.hex();
}

}  // namespace catena
