// How directions grew along a motion, in stretches of time: never more than some thousands of them, however
// long the run.
#pragma once

#include <string>
#include <vector>

#include "catena/analyze/statistics.h"
#include "catena/lab/bytes.h"

namespace catena {

// Stretches are whole steps; where they become too many, two and two are joined. What it holds depends on the
// steps alone, not on when somebody looked.
class GrowthRecord {
 public:
  static constexpr std::size_t kMost = 8192;

  explicit GrowthRecord(std::size_t count) : count_(count), part_(count, 0.0), total_(count, 0.0) {}

  void add(const std::vector<double>& growth, double time);

  std::size_t count() const { return count_; }
  double time() const { return time_; }
  // Since the start, all stretches together.
  double total(std::size_t k) const { return total_[k]; }
  // Of direction k, without what lies before `from`.
  Stretches stretches(std::size_t k, double from) const;
  // Ends of the stretches.
  std::vector<double> ends() const;

  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  std::size_t count_;
  std::size_t stride_ = 1, filled_ = 0;  // steps in a stretch, and in the one under way
  std::vector<double> part_;
  double part_time_ = 0.0;
  std::vector<double> growth_, times_;  // [stretch][direction], [stretch]
  std::vector<double> total_;
  double time_ = 0.0;
};

}  // namespace catena
