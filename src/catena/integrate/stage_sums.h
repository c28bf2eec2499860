// Sums of slopes, a few lanes at a time through all stages: the sum stays in registers.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/math/aligned.h"
#include "catena/math/pack.h"

namespace catena {

// The entries of a tableau's row that are not zero.
struct StageSum {
  std::vector<std::size_t> stage;
  std::vector<double> weight;

  StageSum() = default;
  explicit StageSum(const std::vector<double>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == 0.0) continue;
      stage.push_back(i);
      weight.push_back(row[i]);
    }
  }
};

// Slopes of all stages, each row padded with zeros to whole vector registers.
class StageSlopes {
 public:
  StageSlopes(std::size_t stages, std::size_t lanes)
      : stride_(rounded_up(lanes, kNativeWidth)), slopes_(stages * stride_, 0.0) {}

  std::size_t stride() const { return stride_; }
  double* operator[](std::size_t i) { return slopes_.data() + i * stride_; }
  const double* operator[](std::size_t i) const { return slopes_.data() + i * stride_; }

  // out = factor * sum; `out` is padded too.
  void sum(const StageSum& sum, double factor, double* out) const {
    over_lanes([&]<int Packs>(std::size_t lane) {
      Lanes total[Packs] = {};
      add<Packs>(sum, lane, total);
      for (int q = 0; q < Packs; ++q) put(out + lane, q, total[q] * factor);
    });
  }

  // out = base + factor * sum
  void advance(const double* base, const StageSum& sum, double factor, double* out) const {
    over_lanes([&]<int Packs>(std::size_t lane) {
      Lanes total[Packs] = {};
      add<Packs>(sum, lane, total);
      for (int q = 0; q < Packs; ++q) {
        put(out + lane, q, load<kNativeWidth>(base + lane + q * kNativeWidth) + total[q] * factor);
      }
    });
  }

 private:
  using Lanes = Pack<double, kNativeWidth>;

  static void put(double* to, int q, const Lanes& value) {
    store<kNativeWidth>(to + q * kNativeWidth, value);
  }

  template <int Packs>
  void add(const StageSum& sum, std::size_t lane, Lanes* total) const {
    for (std::size_t j = 0; j < sum.stage.size(); ++j) {
      const double* slopes = slopes_.data() + sum.stage[j] * stride_ + lane;
      for (int q = 0; q < Packs; ++q) {
        total[q] += load<kNativeWidth>(slopes + q * kNativeWidth) * sum.weight[j];
      }
    }
  }

  // Four registers at once hide the latency of the additions.
  template <class Call>
  void over_lanes(Call&& call) const {
    std::size_t lane = 0;
    for (; lane + 4 * kNativeWidth <= stride_; lane += 4 * kNativeWidth) call.template operator()<4>(lane);
    for (; lane + 2 * kNativeWidth <= stride_; lane += 2 * kNativeWidth) call.template operator()<2>(lane);
    for (; lane < stride_; lane += kNativeWidth) call.template operator()<1>(lane);
  }

  std::size_t stride_;
  AlignedVector<double> slopes_;
};

}  // namespace catena
