#include "things.h"

#include <cstddef>

namespace catena {

ListJson chains_json(const Scene& scene, const std::vector<ChainFacts>& chains) {
  ListJson out = ListJson::array();
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const ChainFacts& chain = chains[c];
    out.push_back({{"name", chain.name},
                   {"elastic", chain.elastic},
                   {"planar", chain.planar},
                   {"azimuth", chain.azimuth},
                   {"pivot", chain.pivot},
                   {"moving", chain.moving_pivot || chain.of_bodies},
                   {"rests", !chain.moving_pivot && !scene.chains[c].carrier},
                   {"length", chain.length},
                   {"mass", chain.mass},
                   {"parent", chain.parent},
                   {"stiffness", chain.stiffness}});
  }
  return out;
}

ListJson bodies_json(const Mechanism& mechanism) {
  ListJson out = ListJson::array();
  for (const Body& body : mechanism.bodies) {
    out.push_back({{"name", body.name},
                   {"shape", body.point ? "point" : body.shape},
                   {"size", body.size},
                   {"mass", body.mass},
                   {"fixed", body.fixed},
                   {"position", body.position},
                   {"orientation", body.orientation}});
  }
  return out;
}

ListJson placed_joints_json(const Mechanism& mechanism) {
  ListJson out = ListJson::array();
  for (const Joint& joint : mechanism.joints) {
    out.push_back({{"name", joint.name},
                   {"a", joint.a},
                   {"b", joint.b},
                   {"in_a", joint.in_a.point},
                   {"in_b", joint.in_b.point},
                   {"ties", joint.first >= 0}});
  }
  return out;
}

ListJson coordinates_json(const Scene& scene) {
  ListJson out = ListJson::array();
  for (const LagrangianCoordinate& one : scene.lagrangian.coordinates) {
    out.push_back({{"name", one.name}, {"start", one.start}});
  }
  for (const EquationState& one : scene.equations.states) {
    out.push_back({{"name", one.name}, {"start", one.start}});
  }
  return out;
}

}  // namespace catena
