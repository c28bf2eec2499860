#include "catena/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
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

// One case after another, each through a lab; the lab is made anew only where the world is another.
class LabRunner : public ChunkRunner {
 public:
  LabRunner(const SweepPlan& plan, std::unique_ptr<CaseScenes> scenes)
      : plan_(plan),
        cases_(plan),
        scenes_(std::move(scenes)),
        follows_(!derivative_paths(plan).empty()),
        values_(cases_.width() + 1, 0.0) {}

  SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) override {
    SweepChunk chunk;
    chunk.first = first;
    chunk.measures.resize(count * plan_.measures.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      double* out = chunk.measures.data() + i * plan_.measures.size();
      const std::optional<CaseStatus> status = case_at(first + i, out, chunk, stop);
      if (!status) break;  // stopped: what was begun is not counted
      if (*status != CaseStatus::done) std::fill_n(out, plan_.measures.size(), kNone);
      chunk.status.push_back(*status);
    }
    chunk.count = chunk.status.size();
    chunk.measures.resize(chunk.count * plan_.measures.size());
    return chunk;
  }

  // Mistakes of the plan show at the start of any case that has one; that some have none is theirs.
  void check() {
    constexpr std::uint64_t kTries = 64;
    std::optional<InputError> first;
    const std::uint64_t apart = std::max<std::uint64_t>(1, cases_.count() / kTries);
    for (std::uint64_t index = 0; index < cases_.count(); index += apart) {
      cases_.values(index, values_.data());
      if (cases_.is_skipped(values_.data())) continue;
      values_.back() = scenes_->unsolved();
      try {
        lab_ = follows_ ? scenes_->lab_with_derivatives(values_.data())
                        : std::make_unique<Lab>(scenes_->with(values_.data()));
      } catch (const InputError& error) {
        if (!first) first = error;
        continue;
      }
      make(std::move(lab_));
      return;
    }
    if (first) throw *first;
  }

 private:
  // None: it was stopped on the way.
  std::optional<CaseStatus> case_at(std::uint64_t index, double* out, SweepChunk& chunk,
                                    const std::atomic<bool>* stop) {
    const auto is_stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
    if (is_stopped()) return std::nullopt;
    cases_.values(index, values_.data());
    if (cases_.is_skipped(values_.data())) return CaseStatus::skipped;
    const auto failed = [&](const std::string& why) {
      chunk.reasons.push_back({index, why});
      return CaseStatus::failed;
    };
    try {
      if (plan_.energy && !solve_for_energy()) return CaseStatus::skipped;
      begin();
      for (bool over = false; !over;) {
        if (is_stopped()) return std::nullopt;
        const StepStatus status = lab_->advance();
        if (status != StepStatus::done) {
          chunk.steps += static_cast<std::uint64_t>(lab_->counts().steps);
          return failed(failure_text(*lab_, status));
        }
        over = meter_->look();
      }
      meter_->finish(out);
      chunk.steps += static_cast<std::uint64_t>(lab_->counts().steps);
      return CaseStatus::done;
    } catch (const InputError& error) {
      meter_.reset();
      lab_.reset();
      return failed(error.mistakes().front().message);
    }
  }

  // The lab at the start of the case in values_, and its meter.
  void begin() {
    if (follows_) {
      make(scenes_->lab_with_derivatives(values_.data()));
      return;
    }
    const Scene& scene = scenes_->with(values_.data());
    if (lab_ && scenes_->starts_only() && lab_->restart(scene)) {
      meter_->restart();
      return;
    }
    make(std::make_unique<Lab>(scene));
  }
  void make(std::unique_ptr<Lab> lab) {
    meter_.reset();
    lab_ = std::move(lab);
    meter_ = std::make_unique<Meter>(*lab_, plan_);
  }

  bool solve_for_energy() {
    const auto excess = [&](double value) {
      values_.back() = value;
      const Scene& scene = scenes_->with(values_.data());
      if (!(lab_ && scenes_->starts_only() && lab_->restart(scene))) make(std::make_unique<Lab>(scene));
      return static_cast<double>(lab_->energies().start_energy - DoubleDouble(*plan_.energy));
    };
    const std::optional<double> value = solved(excess, scenes_->unsolved());
    if (!value) return false;
    values_.back() = *value;
    return true;
  }

  const SweepPlan& plan_;
  SweepCases cases_;
  std::unique_ptr<CaseScenes> scenes_;
  bool follows_;
  std::vector<double> values_;  // of the case, and what is solved for
  std::unique_ptr<Lab> lab_;
  std::unique_ptr<Meter> meter_;
};

}  // namespace

Sweep::Sweep(SweepPlan plan, MakeScenes scenes)
    : plan_(std::move(plan)), cases_(plan_), scenes_(std::move(scenes)) {
  LabRunner(plan_, scenes_()).check();
}

std::unique_ptr<ChunkRunner> Sweep::runner() const {
  std::unique_ptr<ChunkRunner> labs = std::make_unique<LabRunner>(plan_, scenes_());
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

namespace {

using Clock = std::chrono::steady_clock;

// Hands out chunks of what is left.
class Work {
 public:
  Work(std::vector<CaseRange> ranges, const SweepControl& control, unsigned threads)
      : ranges_(std::move(ranges)), control_(control), threads_(threads) {
    for (const CaseRange& range : ranges_) left_ += range.count;
  }

  std::optional<CaseRange> next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (left_ == 0 || trouble_ || (control_.stop && control_.stop->load(std::memory_order_relaxed)))
      return std::nullopt;
    while (ranges_[at_].count == 0) ++at_;
    const double usual = seconds_per_case_ > 0.0 ? control_.chunk_seconds / seconds_per_case_ : 1.0;
    const double fair = std::ceil(static_cast<double>(left_) / (4.0 * threads_));
    const auto wanted = static_cast<std::uint64_t>(std::clamp(std::min(usual, fair),
                                                              static_cast<double>(control_.least_cases),
                                                              static_cast<double>(control_.most_cases)));
    CaseRange& range = ranges_[at_];
    const CaseRange out{range.first, std::min(wanted, range.count)};
    range.first += out.count;
    range.count -= out.count;
    left_ -= out.count;
    return out;
  }

  void take(const SweepChunk& chunk, double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (chunk.count > 0) seconds_per_case_ = seconds / static_cast<double>(chunk.count);
    if (!trouble_) control_.take(chunk);
  }

  void fail(std::exception_ptr trouble) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!trouble_) trouble_ = std::move(trouble);
  }
  void throw_if_failed() const {
    if (trouble_) std::rethrow_exception(trouble_);
  }

 private:
  std::mutex mutex_;
  std::vector<CaseRange> ranges_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;
  const SweepControl& control_;
  unsigned threads_;
  double seconds_per_case_ = 0.0;
  std::exception_ptr trouble_;
};

void work_through(const Sweep& sweep, Work& work, const std::atomic<bool>* stop) try {
  const std::unique_ptr<ChunkRunner> runner = sweep.runner();
  while (const std::optional<CaseRange> range = work.next()) {
    const Clock::time_point start = Clock::now();
    const SweepChunk chunk = runner->run(range->first, range->count, stop);
    work.take(chunk, std::chrono::duration<double>(Clock::now() - start).count());
  }
} catch (...) {
  work.fail(std::current_exception());
}

}  // namespace

void compute(const Sweep& sweep, const std::vector<CaseRange>& ranges, const SweepControl& control) {
  if (ranges.empty()) return;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = control.threads > 0 ? control.threads : cores;
  Work work(ranges, control, threads);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back([&] { work_through(sweep, work, control.stop); });
  work_through(sweep, work, control.stop);
  for (std::thread& thread : others) thread.join();
  work.throw_if_failed();
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
