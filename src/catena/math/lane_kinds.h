// That there are numbers in lanes (catena/math/lanes.h), for sources over any number.
#pragma once

#include <type_traits>

namespace catena {

template <int W>
struct LanesOf;
template <int W>
struct LanesDigits;

template <class S>
struct IsLanes : std::false_type {};
template <int W>
struct IsLanes<LanesOf<W>> : std::true_type {};
template <class S>
inline constexpr bool is_lanes = IsLanes<S>::value;
// Tangents in lanes (catena/math/lane_rates.h).
template <class S>
inline constexpr bool has_lane_rates = false;

// A number that a vector of numbers consists of, and how many are side by side in it.
template <class S>
struct OneOfNumber {
  using type = S;
  static constexpr int kBeside = 1;
};
template <int W>
struct OneOfNumber<LanesOf<W>> {
  using type = LanesOf<1>;
  static constexpr int kBeside = W;
};

// x or y, in each lane: x where a > b.
template <class S>
S where_larger(const S& a, const S& b, const S& x, const S& y) {
  if constexpr (is_lanes<S>) {
    return choose(a > b, x, y);
  } else {
    return a > b ? x : y;
  }
}

// F(W) for all widths there are: more motions than four go in fours.
#define CATENA_LANE_WIDTHS(F) F(1) F(4)

}  // namespace catena
