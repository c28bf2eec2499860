#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "catena/sweep/sweep.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

// Hands out chunks of what is left.
class Work {
 public:
  Work(std::vector<CaseRange> ranges, const SweepControl& control, unsigned threads)
      : ranges_(std::move(ranges)), control_(control), threads_(threads) {
    for (const CaseRange& range : ranges_) left_ += range.count;
  }

  // `beside`: as many cases the one who asks takes side by side.
  std::optional<CaseRange> next(std::uint64_t beside) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (left_ == 0 || trouble_ || is_stopped(control_.stop)) return std::nullopt;
    while (ranges_[at_].count == 0) ++at_;
    const double usual = seconds_per_case_ > 0.0 ? control_.chunk_seconds / seconds_per_case_ : 1.0;
    const double fair = std::ceil(static_cast<double>(left_) / (4.0 * threads_));
    // Lanes are to be full, also where cases are long.
    const double least = static_cast<double>(std::max<std::uint64_t>(beside, control_.least_cases));
    const auto wanted = static_cast<std::uint64_t>(
        std::clamp(std::min(usual, fair), least, std::max(least, static_cast<double>(control_.most_cases))));
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

void work_through(const Sweep& sweep, Work& work, const SweepControl& control) try {
  const std::unique_ptr<ChunkRunner> runner = sweep.runner(control.lanes);
  while (const std::optional<CaseRange> range = work.next(runner->beside())) {
    const Clock::time_point start = Clock::now();
    const SweepChunk chunk = runner->run(range->first, range->count, control.stop);
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
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&] { work_through(sweep, work, control); });
  work_through(sweep, work, control);
  for (std::thread& thread : others) thread.join();
  work.throw_if_failed();
}

}  // namespace catena
