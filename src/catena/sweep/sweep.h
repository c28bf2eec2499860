// Many cases of one scene: what computes ranges of them, and threads that share the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/model/sweep.h"
#include "catena/sweep/cases.h"

namespace catena {

inline bool is_stopped(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Where the scenes of cases come from; each thread has its own.
class CaseScenes {
 public:
  virtual ~CaseScenes() = default;
  // The scene with the numbers of a case, and behind them the one that is solved for; valid until the next
  // call. Throws InputError where they make no sense.
  virtual const Scene& with(const double* values) = 0;
  // Whether cases differ in their starts alone.
  virtual bool starts_only() const = 0;
  // What `solve` is in the scene as it is written.
  virtual double unsolved() const = 0;
  // A lab that follows the derivatives that the plan asks for.
  virtual std::unique_ptr<Lab> lab_with_derivatives(const double* values) = 0;
};
using MakeScenes = std::function<std::unique_ptr<CaseScenes>()>;

// Computes the measures of cases. One per thread; what it gives for a case depends on the plan and the case's
// index alone.
class ChunkRunner {
 public:
  virtual ~ChunkRunner() = default;
  // Cases [first, first + count), or those before `stop` was set.
  virtual SweepChunk run(std::uint64_t first, std::uint64_t count, const std::atomic<bool>* stop) = 0;
  // How many cases it takes side by side: chunks have no fewer while there are as many.
  virtual std::uint64_t beside() const { return 1; }
};

constexpr int kUsualLanes = 4;

class Sweep {
 public:
  // Throws InputError with all that the scene does not have, or that no measure can be taken of.
  Sweep(SweepPlan plan, MakeScenes scenes);

  const SweepPlan& plan() const { return plan_; }
  const SweepCases& cases() const { return cases_; }
  // `lanes`: 1, 4 or 8 cases side by side, with the same bits.
  std::unique_ptr<ChunkRunner> runner(int lanes = kUsualLanes) const;
  // Why cases are computed one after the other and not in lanes, in words for a user; "" if they are.
  const std::string& lanes_refusal() const { return lanes_refusal_; }
  // What the motion of a case is warned of before it begins, as laws that act on nothing. Cases that are
  // warned of anything else say so themselves, in their reasons.
  const std::vector<Warning>& warnings() const { return warnings_; }
  const MakeScenes& scenes() const { return scenes_; }
  // Who computes cases in place of labs, which are handed over for what they alone can do.
  using Instead = std::function<std::unique_ptr<ChunkRunner>(std::unique_ptr<ChunkRunner> labs)>;
  void compute_by(Instead instead) { instead_ = std::move(instead); }

 private:
  SweepPlan plan_;
  SweepCases cases_;
  MakeScenes scenes_;
  std::string lanes_refusal_;
  std::vector<Warning> warnings_;
  Instead instead_;
};

struct CaseRange {
  std::uint64_t first = 0, count = 0;
};

// Bytes that the results of these many cases take in memory.
double results_bytes(const SweepPlan& plan, std::uint64_t cases);

// Which cases of the results are still to be computed.
std::vector<CaseRange> not_computed(const SweepResults& results);

struct SweepControl {
  unsigned threads = 0;     // 0: one for each core
  int lanes = kUsualLanes;  // 1, 4 or 8
  const std::atomic<bool>* stop = nullptr;
  // Takes chunks as they come, from one thread at a time.
  std::function<void(const SweepChunk&)> take;
  double chunk_seconds = 0.25;                            // about how long a chunk takes
  std::uint64_t least_cases = 1, most_cases = 1'000'000;  // of a chunk
};

// Computes the ranges on threads that take the next chunk when they have done one. What a chunk holds grows
// until it takes about `chunk_seconds`, and shrinks towards the end, so that no thread waits long for
// another.
void compute(const Sweep& sweep, const std::vector<CaseRange>& ranges, const SweepControl& control);

// Over the measures, each in index order, and the status: 64 hexadecimal digits of SHA-256. Every nan is one.
std::string results_hash(const SweepResults& results);

}  // namespace catena
