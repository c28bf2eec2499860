// One chain's state taken over by another chain of as many links: when links become elastic or stiff, when
// gravity turns out of the plane, when a ghost starts beside the motion.
#pragma once

#include "catena/dynamics/world/world.h"

namespace catena {

// `state` of the chain `from` as a state of `to`. The links keep their directions and rates (rigid) or their
// ends (elastic); rigid to elastic is exact, elastic to rigid as in dynamics/conversion.h. What points out of
// the plane of a planar `to` is lost.
LanePair carried(const ChainUnit& from, const LanePair& state, const ChainUnit& to);

// `state` with its first link turned by `angle` away from straight down; the other links keep their
// directions.
LanePair first_link_turned(const ChainUnit& unit, const LanePair& state, double angle);

// The vectors of one chain in the state of its world: [u, w] (rigid) or [x, v] (elastic), whatever its
// formulation. ChainUnit::state_of leads back.
LanePair lanes_of(ChainUnit& unit, const std::vector<double>& hi, const std::vector<double>& lo);

}  // namespace catena
