// Rates of motions in lanes: how worlds side by side change in some directions, through WorldOver<LaneRates>.
#pragma once

#include <memory>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/math/lane_rates.h"
#include "catena/math/number_tape.h"

namespace catena {

// The numbers of a world, in the order in which it asks for them, and how each changes in each direction,
// [direction][number].
struct RateNumbers {
  std::vector<double> values;
  std::vector<std::vector<double>> rates;

  friend bool operator==(const RateNumbers&, const RateNumbers&) = default;
};

// Why a world's rates are not computed in lanes, in words for a user; "" if they are.
std::string rates_in_lanes_refusal(const World& world);

// Of W worlds, all like one, which must stay where it is; four directions go through the equations together.
template <int W>
class LaneFollowers {
 public:
  using S = LanesOf<W>;
  LaneFollowers(const World& world, const std::vector<const RateNumbers*>& numbers);
  ~LaneFollowers();

  std::size_t directions() const { return directions_; }
  void reserve(int order);
  // As LaneSystem has them.
  void follow(const S& t, const S* x, const S* rates, int order, S* c);
  void project(const S& t, const S* x, S* rates);

 private:
  struct Block;
  void take(const S* x, const S* rates, std::size_t first);

  std::size_t n_, directions_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<LaneRates> x_, c_;
};

}  // namespace catena
