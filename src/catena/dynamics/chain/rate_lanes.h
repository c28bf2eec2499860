// Which lanes of a chain's state are rates of the others.
#pragma once

#include <cstddef>
#include <variant>

#include "catena/dynamics/chain/chain_unit.h"

namespace catena {

struct RateLanes {
  std::size_t first = 0, end = 0;  // among the chain's own lanes
};

// The second half, but for two formulations: in a plane Lie's chains have one rate for two components, and
// behind the rates of charts is which one each link is in.
inline RateLanes rate_lanes(const ChainUnit& unit) {
  const std::size_t lanes = unit.dimension(), n = unit.links();
  if (std::holds_alternative<LieChain<2>>(unit.chain)) return {2 * n, lanes};
  if (std::holds_alternative<CoordinateChain<3>>(unit.chain)) return {2 * n, 4 * n};
  return {lanes / 2, lanes};
}

}  // namespace catena
