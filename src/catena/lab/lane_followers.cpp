#include "catena/lab/lane_followers.h"

#include <algorithm>
#include <string>

#include "catena/dynamics/world/world_over_lane_rates.h"
#include "catena/lab/lane_stepper.h"

namespace catena {
namespace {

constexpr int kFour = LaneRates::Lanes::kWidth;

// Four lanes of a number that has one: the same in all.
template <int W>
LaneRates::Lanes four(const LanesOf<W>& lanes) {
  return LaneRates::Lanes(lanes);
}
template <int W>
LanesOf<W> as_many(const LaneRates::Lanes& four) {
  if constexpr (W == 1) {
    return LanesOf<1>(four.lane(0));
  } else {
    return four;
  }
}

}  // namespace

std::string rates_in_lanes_refusal(const World& world) {
  if (world.mechanism() != nullptr) return "derivatives of bodies with joints are not computed in lanes yet";
  const auto is_slack = [](const ChainUnit& unit) { return unit.parameters().slack; };
  if (world.has_pieces() || std::any_of(world.chains().begin(), world.chains().end(), is_slack))
    return "derivatives past kinks of slack links and prescribed motions are not computed in lanes yet";
  if (world.may_be_singular()) return "derivatives of systems with constraints are not computed in lanes yet";
  if (lane_numbers(world).chooses())
    return "derivatives of formulas that choose by their numbers (abs, min, max, roots, norms, powers) are "
           "not "
           "computed in lanes yet";
  return "";
}

template <int W>
struct LaneFollowers<W>::Block {
  WorldOver<LaneRates> moving;
  Block(const World& world, NumberTape tape) : moving(world, &tape) {}
};

template <int W>
LaneFollowers<W>::LaneFollowers(const World& world, const std::vector<const RateNumbers*>& numbers)
    : n_(world.dimension()), directions_(numbers.front()->rates.size()), x_(n_) {
  constexpr std::size_t kAtOnce = LaneRates::kDirections;
  for (std::size_t first = 0; first < directions_; first += kAtOnce) {
    std::vector<std::vector<double>> parts;  // [lane][number, its rates]
    for (std::size_t l = 0; l < kFour; ++l) {
      const RateNumbers& of = *numbers[W == 1 ? 0 : l];
      parts.push_back(of.values);
      for (std::size_t j = first; j < first + kAtOnce; ++j)
        parts.push_back(j < directions_ ? of.rates[j] : std::vector<double>(of.values.size(), 0.0));
    }
    blocks_.push_back(std::make_unique<Block>(world, NumberTape(numbers.front()->values, std::move(parts))));
  }
}

template <int W>
LaneFollowers<W>::~LaneFollowers() = default;

template <int W>
void LaneFollowers<W>::reserve(int order) {
  c_.resize((static_cast<std::size_t>(order) + 1) * n_);
  for (const auto& block : blocks_) block->moving.reserve(order);
}

// The state with its rates in four directions, those that are not there being zero.
template <int W>
void LaneFollowers<W>::take(const S* x, const S* rates, std::size_t first) {
  for (std::size_t i = 0; i < n_; ++i) {
    x_[i] = LaneRates::made(four(x[i]), [&](int j) {
      const std::size_t at = first + static_cast<std::size_t>(j);
      return at < directions_ ? four(rates[at * n_ + i]) : LaneRates::Lanes(0.0);
    });
  }
}

template <int W>
void LaneFollowers<W>::follow(const S& t, const S* x, const S* rates, int order, S* c) {
  const LaneRates time(four(t));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::size_t first = b * LaneRates::kDirections;
    take(x, rates, first);
    blocks_[b]->moving.taylor(time, x_.data(), order, c_.data());
    const std::size_t count = std::min<std::size_t>(LaneRates::kDirections, directions_ - first);
    for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
      const LaneRates* from = c_.data() + k * n_;
      S* const to = c + (k * directions_ + first) * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < count; ++j) to[j * n_ + i] = as_many<W>(from[i].rates[j]);
      }
    }
  }
}

template <int W>
void LaneFollowers<W>::project(const S& t, const S* x, S* rates) {
  const LaneRates time(four(t));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::size_t first = b * LaneRates::kDirections;
    take(x, rates, first);
    blocks_[b]->moving.project(time, x_.data());
    for (std::size_t j = first; j < std::min(directions_, first + LaneRates::kDirections); ++j) {
      for (std::size_t i = 0; i < n_; ++i) rates[j * n_ + i] = as_many<W>(x_[i].rates[j - first]);
    }
  }
}

#define CATENA_OF_WIDTH(W) template class LaneFollowers<W>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
