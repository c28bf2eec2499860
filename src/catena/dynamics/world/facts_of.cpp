#include "catena/dynamics/world/facts_of.h"

#include <variant>

namespace catena {

std::size_t WorldFacts::links() const {
  std::size_t sum = 0;
  for (const ChainFacts& chain : chains) sum += chain.links();
  return sum;
}

namespace {

ChainFacts chain_facts(const ChainUnit& unit) {
  const ChainLinks& links = unit.parameters();
  return {.name = unit.name,
          .planar = unit.planar(),
          .elastic = unit.elastic(),
          .of_bodies = unit.bodies() != nullptr,
          .moving_pivot = unit.pivot_motion.has_value(),
          .azimuth = unit.plane.azimuth,
          .pivot = unit.pivot,
          .length = links.length,
          .mass = links.mass,
          .stiffness = links.stiffness,
          .parent = links.parent};
}

AssemblyFact assembly_fact(const AssemblyChange& change, const Mechanism& mechanism) {
  return {change.size, change.size > 0.0 ? mechanism.bodies[change.body].name : ""};
}

MechanismFacts mechanism_facts(const World& world) {
  const Mechanism& mechanism = world.mechanism()->mechanism();
  const Mobility& mobility = world.mobility();
  const Assembly& made = world.assembly();
  MechanismFacts out{.bodies = {},
                     .joints = {},
                     .shown_bodies = mechanism.shown_bodies(),
                     .shown_joints = mechanism.shown_joints(),
                     .equations = mobility.equations,
                     .rank = mobility.rank,
                     .move = assembly_fact(made.move, mechanism),
                     .turn = assembly_fact(made.turn, mechanism),
                     .velocity = assembly_fact(made.velocity, mechanism),
                     .spin = assembly_fact(made.spin, mechanism)};
  for (const Body& body : mechanism.bodies) out.bodies.push_back(body.name);
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const Joint& joint = mechanism.joints[j];
    out.joints.push_back({joint.name, joint.a, joint.b, joint.in_a.point, joint.in_b.point, joint.first >= 0,
                          mobility.redundant[j], mobility.unique[j] != 0});
  }
  return out;
}

LagrangianFacts lagrangian_facts(const LagrangianSystem& system) {
  LagrangianFacts out{{}, system.constraints(), system.rank(), system.redundant(), system.start_change()};
  for (const LagrangianCoordinate& one : system.given().coordinates) out.coordinates.push_back(one.name);
  return out;
}

EquationsFacts equations_facts(const Equations& given) {
  EquationsFacts out;
  for (const EquationState& one : given.states) out.states.push_back(one.name);
  for (const Invariant& one : given.invariants) out.invariants.push_back(one.name);
  return out;
}

using Names = std::vector<std::string>;

void add_names(Names& names, const Names& stems, const Names& labels) {
  for (const std::string& stem : stems) {
    for (const std::string& label : labels) names.push_back(stem + "_" + label);
  }
}

// s: across, in the plane of a planar chain; rotations of bodies are in their own frames.
Names lane_names(const World& world) {
  Names names;
  for (const ChainUnit& unit : world.chains()) {
    Names labels;
    for (std::size_t k = 1; k <= unit.links(); ++k) {
      labels.push_back((unit.name.empty() ? "" : unit.name + "_") + std::to_string(k));
    }
    add_names(names, std::visit([](const auto& chain) { return chain.lane_names(); }, unit.chain), labels);
  }
  if (const Multibody* mechanism = world.mechanism()) {
    Names labels;
    for (const Body& body : mechanism->mechanism().bodies) {
      if (!body.fixed) labels.push_back(body.name);
    }
    add_names(names, {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "ox", "oy", "oz"}, labels);
  }
  if (const LagrangianSystem* system = world.lagrangian()) {
    for (const char* end : {"", "_dot"}) {
      for (const LagrangianCoordinate& one : system->given().coordinates) names.push_back(one.name + end);
    }
  }
  if (const EquationsSystem* system = world.equations()) {
    for (const EquationState& one : system->given().states) names.push_back(one.name);
  }
  if (world.accounts()) names.insert(names.end(), {"dissipated", "work"});
  // What has other lanes than these is numbered.
  if (names.size() == world.dimension()) return names;
  names.clear();
  for (std::size_t i = 0; i < world.dimension(); ++i) names.push_back("y_" + std::to_string(i));
  return names;
}

}  // namespace

WorldFacts facts_of(const World& world) {
  WorldFacts out;
  out.degrees_of_freedom = world.degrees_of_freedom();
  out.weight_scale = world.weight_scale();
  for (const ChainUnit& unit : world.chains()) out.chains.push_back(chain_facts(unit));
  if (world.mechanism() != nullptr) out.mechanism = mechanism_facts(world);
  if (const LagrangianSystem* system = world.lagrangian()) out.lagrangian = lagrangian_facts(*system);
  if (const EquationsSystem* system = world.equations()) out.equations = equations_facts(system->given());
  out.lanes = lane_names(world);
  return out;
}

}  // namespace catena
