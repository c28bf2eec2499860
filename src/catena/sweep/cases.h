// The cases of a plan by their index: a case depends on the plan and its index alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "catena/expr/evaluate.h"
#include "catena/model/sweep.h"

namespace catena {

class SweepCases {
 public:
  // Throws InputError where there are more cases than can be counted, or dimensions than Sobol's numbers
  // have.
  explicit SweepCases(const SweepPlan& plan);

  std::uint64_t count() const { return count_; }
  // Numbers of one case: one for each axis, three for a direction.
  std::size_t width() const { return width_; }
  void values(std::uint64_t index, double* out) const;
  // Whether the plan leaves the case out. Has scratch memory: one thread at a time.
  bool is_skipped(const double* values);

  const std::vector<SweepExtent>& extents() const { return extents_; }
  // Values along axis `a` of the plan, [place][number].
  std::vector<double> along(std::size_t a) const;

 private:
  double drawn(std::uint64_t index, std::uint32_t dimension) const;
  void draw(const SweepAxis& axis, std::uint64_t sample, std::uint32_t dimension, double* out) const;

  SweepPlan plan_;
  std::vector<SweepExtent> extents_;
  std::uint64_t count_ = 1;
  std::size_t width_ = 0;
  std::vector<std::size_t> offset_;       // of each axis's numbers
  std::vector<std::uint32_t> dimension_;  // the first of each axis's draws
  std::unique_ptr<expr::Program> skip_;
  std::vector<double> skip_inputs_;
};

}  // namespace catena
