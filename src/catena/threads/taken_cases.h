// Cases of a chunk as runners take them: in any order, and what they cannot do by labs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "catena/sweep/sweep.h"

namespace catena {

// Cases of a chunk as they come, in any order.
class TakenCases {
 public:
  TakenCases(std::uint64_t first, std::uint64_t count, std::size_t measures) : measures_(measures) {
    chunk_.first = first;
    chunk_.measures.assign(count * measures, std::numeric_limits<double>::quiet_NaN());
    chunk_.status.assign(count, CaseStatus::not_computed);
    steps_.assign(count, 0);
  }

  void skip(std::uint64_t i) { chunk_.status[i] = CaseStatus::skipped; }
  void take(std::uint64_t i, const double* measures, std::uint64_t steps) {
    chunk_.status[i] = CaseStatus::done;
    std::copy_n(measures, measures_, chunk_.measures.data() + i * measures_);
    steps_[i] = steps;
  }
  // By labs; false: they were stopped.
  bool redo(std::uint64_t i, ChunkRunner& labs, const std::atomic<bool>* stop) {
    const SweepChunk one = labs.run(chunk_.first + i, 1, stop);
    if (one.count == 0) return false;
    chunk_.status[i] = one.status.front();
    std::copy_n(one.measures.data(), measures_, chunk_.measures.data() + i * measures_);
    chunk_.reasons.insert(chunk_.reasons.end(), one.reasons.begin(), one.reasons.end());
    steps_[i] = one.steps;
    return true;
  }

  // Up to the first that was not computed.
  SweepChunk taken() {
    const auto end = std::find(chunk_.status.begin(), chunk_.status.end(), CaseStatus::not_computed);
    chunk_.count = static_cast<std::uint64_t>(end - chunk_.status.begin());
    chunk_.status.resize(chunk_.count);
    chunk_.measures.resize(chunk_.count * measures_);
    chunk_.steps = std::accumulate(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(chunk_.count),
                                   std::uint64_t{0});
    std::erase_if(chunk_.reasons,
                  [&](const CaseReason& one) { return one.index >= chunk_.first + chunk_.count; });
    std::sort(chunk_.reasons.begin(), chunk_.reasons.end(),
              [](const CaseReason& a, const CaseReason& b) { return a.index < b.index; });
    return std::move(chunk_);
  }

 private:
  std::size_t measures_;
  SweepChunk chunk_;
  std::vector<std::uint64_t> steps_;
};

}  // namespace catena
