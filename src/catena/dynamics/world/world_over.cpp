#include "catena/dynamics/world/world_over.h"

#include <algorithm>
#include <variant>

#include "catena/math/wide_packs.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/world_motion_definitions.h"

namespace catena {

std::string digits_refusal(const World& world) {
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() != nullptr) continue;
    if (!unit.elastic() && !std::holds_alternative<RigidChain<2>>(unit.chain) &&
        !std::holds_alternative<RigidChain<3>>(unit.chain)) {
      return "is for the formulations tension and articulated; leave `formulation` out";
    }
  }
  return world.has_pieces()
             ? "cannot do pivots, motors and constraints whose motion has kinks: their impulses are "
               "computed in double"
             : "";
}

template <class S>
typename PartsOver<S>::Laws WorldOver<S>::laws_of(const World& world) {
  typename PartsOver<S>::Laws out;
  for (const LawGroup& group : world.forces().groups())
    out.all.emplace_back(static_cast<const LawSeries<double>&>(group));
  return out;
}

template <class S>
WorldOver<S>::WorldOver(const World& world) : WorldMotion<S>(laws_of(world)), has_kinks_(world.has_kinks()) {
  for (const ChainUnit& unit : world.chains()) this->chains_.emplace_back(unit);
  if (world.mechanism() != nullptr) this->mechanism_.emplace(*world.mechanism(), world.mobility().rank);
  if (const LagrangianSystem* system = world.lagrangian()) this->lagrangian_.emplace(*system);
  if (const EquationsSystem* system = world.equations())
    this->equations_.emplace(system->formulas().graph, system->formulas().rates);
  this->mechanism_offset_ = world.mechanism_offset();
  this->dimension_ = world.dimension();
  this->loaded_ = world.loaded();
  this->accounts_ = world.accounts();
  this->twists_bodies_ = world.forces().twists_bodies();
  this->make_room();
}

template <class S>
void WorldOver<S>::project(const S& t, S* x) {
  this->each_part(*this, [&](auto& part, std::size_t offset) { part.project(t, x + offset); });
}

template class WorldMotion<DoubleDouble>;
template class WorldOver<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WorldMotion<Quad>;
template class WorldOver<Quad>;
#endif

}  // namespace catena
