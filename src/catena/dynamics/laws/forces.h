// All that acts on the chains and bodies of a scene beside links, joints and uniform gravity: the laws of
// [[forces]], and damping, friction and stiffness in the joints of chains.
#pragma once

#include <optional>
#include <vector>

#include "catena/dynamics/chain/chain_bodies.h"
#include "catena/dynamics/laws/law_builder.h"
#include "catena/dynamics/laws/law_group.h"
#include "catena/dynamics/laws/poles.h"
#include "catena/dynamics/state/plane.h"
#include "catena/model/scene.h"

namespace catena {

class Forces {
 public:
  // The laws in each chain's own space: its plane, if it has one. `bodies` says which chains are bodies.
  // `flat`: bodies that keep to a plane as far as their joints say.
  Forces(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies,
         const BodiesInPlane* flat = nullptr);

  // Chains, and of `flat` bodies, that the laws would move out of their planes.
  const LeftPlanes& leaves_plane() const { return leaves_plane_; }

  std::vector<LawGroup>& groups() { return groups_; }
  const std::vector<LawGroup>& groups() const { return groups_; }
  Poles& poles() { return poles_; }
  const Poles& poles() const { return poles_; }
  bool uses(int chain, LawInput::Source source) const;
  bool moves_energy() const;  // dissipates it or does work
  bool depends_on_velocity() const;
  bool twists_bodies() const;  // gives torques to them

 private:
  std::vector<LawGroup> groups_;
  LeftPlanes leaves_plane_;
  Poles poles_;
};

}  // namespace catena
