// From one kind of chain to the other, at an instant: what happens when links become elastic, or stiff.
#pragma once

#include <vector>

#include "catena/dynamics/chain/solvers/chain_links.h"

namespace catena {

// Positions and velocities of all ends, [x, v][component][link], of links that point along the directions
// [u, w], have the lengths `extent` and lengthen at the rates `lengthening`.
template <int D>
LanePair ends_of(const ChainLinks& links, const LanePair& directions, const std::vector<DoubleDouble>& extent,
                 const std::vector<DoubleDouble>& lengthening);

template <int D>
LanePair ends_of(const ChainLinks& links, const LanePair& directions, const std::vector<double>& extent,
                 const std::vector<double>& lengthening) {
  const auto pairs = [](const std::vector<double>& v) {
    return std::vector<DoubleDouble>(v.begin(), v.end());
  };
  return ends_of<D>(links, directions, pairs(extent), pairs(lengthening));
}

// The state of a rigid chain as one of an elastic chain: the same positions and velocities, nothing
// stretched.
template <int D>
LanePair elastic_from_rigid(const ChainLinks& links, const LanePair& rigid);

// The state of an elastic chain as one of a rigid chain: the links keep their directions and go back to their
// lengths at rest; of all velocities that such links allow, those nearest in the mass metric,
//   sum of m |v_rigid - v|^2 = smallest,
// as if impulses along the links stopped all lengthening. Kinetic energy is lost or stays, and is not gained.
template <int D>
LanePair rigid_from_elastic(const ChainLinks& links, const LanePair& elastic);

}  // namespace catena
