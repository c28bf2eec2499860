// What a scene's world consists of, as plain records: chains, bodies with joints, coordinates.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

struct ChainFacts {
  std::string name;  // empty for the one and only chain
  bool planar = false;
  bool elastic = false;
  bool of_bodies = false;     // its links are bodies of the mechanism
  bool moving_pivot = false;  // by formulas of its own
  double azimuth = 0.0;       // of a planar chain's plane, rad
  Vec3 pivot{};               // at the start
  std::vector<double> length, mass, stiffness;
  std::vector<int> parent;

  std::size_t links() const { return length.size(); }
};

struct JointFacts {
  std::string name;
  int a = 0, b = 0;
  Vec3 in_a{}, in_b{};
  bool ties = false;          // two other joints, instead of two bodies
  std::size_t redundant = 0;  // so many of its equations follow from the others
  bool unique = true;         // whether its reaction is
};

// The largest change that assembly made, and to which body.
struct AssemblyFact {
  double size = 0.0;
  std::string body;
};

// Bodies and joints; those that stand for links of chains come last and are not shown.
struct MechanismFacts {
  std::vector<std::string> bodies;
  std::vector<JointFacts> joints;
  std::size_t shown_bodies = 0, shown_joints = 0;
  std::size_t equations = 0, rank = 0;
  AssemblyFact move, turn, velocity, spin;  // m, rad, m/s, rad/s
};

struct LagrangianFacts {
  std::vector<std::string> coordinates;
  std::size_t constraints = 0, rank = 0;
  std::vector<std::size_t> redundant;  // constraints that follow from the others
  double start_change = 0.0;           // what the start values had to be changed by
};

struct EquationsFacts {
  std::vector<std::string> states, invariants;
};

struct WorldFacts {
  std::size_t degrees_of_freedom = 0;
  double weight_scale = 0.0;  // sum of m g L, J: the scale of energies when nothing moves
  std::vector<ChainFacts> chains;
  std::optional<MechanismFacts> mechanism;
  std::optional<LagrangianFacts> lagrangian;
  std::optional<EquationsFacts> equations;
  std::vector<std::string> lanes;  // what the numbers of the state are called

  std::size_t links() const;
};

}  // namespace catena
