#include "catena/dynamics/laws/pair_laws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "catena/expr/derivative.h"
#include "catena/expr/substitute.h"
#include "catena/math/decimal.h"
#include "catena/model/force_laws.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Graph;
using expr::NodeId;
using expr::Vector;
using Target = LawOutput::Target;

struct Pair {
  Attachment first, second;
  double stiffness = 0.0, length = 0.0, damping = 0.0;  // a spring
  double charges = 0.0;                                 // or k q_1 q_2
  double length_rest = 0.0, charges_rest = 0.0;         // what these doubles cannot hold of them
};

// Where the mass of a link is at the start.
Vec3 start_center(const Chain& chain, int link) {
  const Link& own = chain.links[static_cast<std::size_t>(link)];
  Vec3 at = chain.pivot;
  const auto go = [&](const Link& along, double share) {
    const Vec3 u = start_direction(along);
    for (std::size_t i = 0; i < 3; ++i) at[i] += share * (along.length + along.stretch) * u[i];
  };
  go(own, own.center_of_mass);
  for (int k = own.parent; k >= 0; k = chain.links[static_cast<std::size_t>(k)].parent) {
    go(chain.links[static_cast<std::size_t>(k)], 1.0);
  }
  return at;
}

// The same with all digits that were written.
Vec3Digits start_center_digits(const Chain& chain, int link) {
  const Link& own = chain.links[static_cast<std::size_t>(link)];
  Vec3Digits at = decimals_of(chain.pivot);
  const auto go = [&](const Link& along, const DoubleDouble& share) {
    at = plus(at,
              times(share * (decimal(along.length) + decimal(along.stretch)), start_digits(along).direction));
  };
  go(own, decimal(own.center_of_mass));
  for (int k = own.parent; k >= 0; k = chain.links[static_cast<std::size_t>(k)].parent)
    go(chain.links[static_cast<std::size_t>(k)], DoubleDouble(1.0));
  return at;
}

Vec3Digits start_place_digits(const Scene& scene, const Attachment& end) {
  if (end.chain >= 0) return start_center_digits(scene.chains[static_cast<std::size_t>(end.chain)], end.link);
  const Vec3Digits point = all_digits(end.point, end.point_rest);
  if (end.body < 0) return point;
  const Body& body = scene.mechanism.bodies[static_cast<std::size_t>(end.body)];
  return plus(all_digits(body.position, body.position_rest),
              rotated(all_digits(body.orientation, body.orientation_rest), point));
}

// What a double cannot hold of a spring's length: as written, or as far as its ends are apart at the start.
double rest_of_length(const Actors& actors, const ForceEntry& entry, const Pair& pair) {
  if (!actors.bodies.decimals) return 0.0;
  const Vec3Digits d =
      minus(start_place_digits(actors.scene, pair.first), start_place_digits(actors.scene, pair.second));
  return static_cast<double>((entry.length ? decimal(*entry.length) : square_root(dot(d, d))) -
                             DoubleDouble(pair.length));
}

Vec3 start_place(const Scene& scene, const Attachment& end) {
  if (end.chain >= 0) return start_center(scene.chains[static_cast<std::size_t>(end.chain)], end.link);
  if (end.body < 0) return end.point;
  const Body& body = scene.mechanism.bodies[static_cast<std::size_t>(end.body)];
  Vec3 at = rotated(body.orientation, end.point);
  for (std::size_t i = 0; i < 3; ++i) at[i] += body.position[i];
  return at;
}

struct Damper {
  Vector pull;
  Expression loss;
};

// b (u . d') u along the spring, u = d / |d|.
Damper damper_along(const Expression& damping, const Vector& d, const Vector& rate) {
  const Expression pull = damping * dot(d, rate) / dot(d, d);
  return {pull * d, pull * dot(d, rate)};
}

// The ends of a spring without length may meet, where it has no direction: there, within a nanometre, it is
// that of the way on which they pass each other.
Damper damper_through_zero(const Expression& damping, const Vector& d, const Vector& rate) {
  constexpr double kMeeting = 1e-9;  // m
  const Damper apart = damper_along(damping, d, rate);
  const Expression side = dot(d, d) * (1.0 / (kMeeting * kMeeting)) - 1.0;
  const auto either = [&](const Expression& outside, const Expression& inside) {
    return choose(side, outside, damping * inside);
  };
  return {{either(apart.pull.x, rate.x), either(apart.pull.y, rate.y), either(apart.pull.z, rate.z)},
          either(apart.loss, dot(rate, rate))};
}

void build_pair_group(const Actors& actors, const std::vector<Pair>& pairs, std::vector<LawGroup>& groups,
                      LeftPlanes& leaves) {
  LawBuilder builder(actors.bodies, pairs.size());
  std::vector<Attachment> firsts, seconds;
  for (const Pair& pair : pairs) {
    firsts.push_back(pair.first);
    seconds.push_back(pair.second);
  }
  const auto numbers = [&](double Pair::*value) {
    std::vector<double> values;
    for (const Pair& pair : pairs) values.push_back(pair.*value);
    return values;
  };
  const auto constant = [&](double Pair::*value) { return builder.constant(numbers(value)); };
  const auto in_full = [&](double Pair::*value, double Pair::*rest) {
    return builder.in_full(numbers(value), numbers(rest));
  };
  builder.has_pole =
      std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.charges != 0.0; });
  builder.of_pairs = true;
  const Masses a = masses_at(actors, firsts), b = masses_at(actors, seconds);
  const Vector d = place(builder, a) - place(builder, b);
  const Expression damping = constant(&Pair::damping);
  // The energies as functions of d alone, differentiated there.
  Graph own;
  own.keep_decimals(actors.bodies.decimals);
  const Vector apart = expr::variables(own, 0);
  const Expression energies[] = {spring_energy(expr::variable(own, 3), expr::variable(own, 4), apart),
                                 coulomb_energy(1.0, expr::variable(own, 5), apart)};
  std::vector<NodeId> roots{energies[0].node, energies[1].node};
  for (std::uint32_t i = 0; i < 3; ++i) {
    roots.push_back(expr::derivative(own, (energies[0] + energies[1]).node, i));
  }
  Graph& graph = builder.graph;
  const std::vector<NodeId> images{d.x.node,
                                   d.y.node,
                                   d.z.node,
                                   constant(&Pair::stiffness).node,
                                   in_full(&Pair::length, &Pair::length_rest).node,
                                   in_full(&Pair::charges, &Pair::charges_rest).node};
  const std::vector<NodeId> nodes = expr::substitute(own, roots, graph, images);
  Vector force = -Vector{{&graph, nodes[2]}, {&graph, nodes[3]}, {&graph, nodes[4]}};
  if (!graph.is_constant(damping.node, 0.0)) {
    const Vector rate = velocity(builder, a) - velocity(builder, b);
    const auto has_length = [](const Pair& pair) { return pair.length > 0.0; };
    const bool meet = !std::all_of(pairs.begin(), pairs.end(), has_length);
    const Damper damper = meet ? damper_through_zero(damping, d, rate) : damper_along(damping, d, rate);
    force = force - damper.pull;
    builder.give(Target::dissipated, damper.loss);
  }
  push(builder, a, force);
  push(builder, b, -force);
  builder.give(Target::elastic, {&graph, nodes[0]});
  builder.give(Target::potential, {&graph, nodes[1]});
  builder.check_planes(leaves);
  builder.finish(groups);
}

// Pairs of the same chains share a program; all that is no chain counts as one.
void build_pair_groups(const Actors& actors, const std::vector<Pair>& pairs, std::vector<LawGroup>& groups,
                       LeftPlanes& leaves) {
  std::map<std::pair<int, int>, std::vector<Pair>> by_chains;
  for (const Pair& pair : pairs) by_chains[{pair.first.chain, pair.second.chain}].push_back(pair);
  for (const auto& [chains, own] : by_chains) build_pair_group(actors, own, groups, leaves);
}

}  // namespace

void build_springs(const Actors& actors, std::vector<LawGroup>& groups, LeftPlanes& leaves) {
  std::vector<Pair> pairs;
  for (const ForceEntry& entry : actors.scene.forces) {
    if (entry.kind != "spring") continue;
    Pair pair{.first = entry.between[0], .second = entry.between[1]};
    if (pair.first.chain < 0) std::swap(pair.first, pair.second);
    const Vec3 a = start_place(actors.scene, pair.first), b = start_place(actors.scene, pair.second);
    pair.stiffness = entry.stiffness;
    pair.damping = entry.damping;
    pair.length = entry.length.value_or(length(a - b));
    pair.length_rest = rest_of_length(actors, entry, pair);
    pairs.push_back(pair);
  }
  build_pair_groups(actors, pairs, groups, leaves);
}

void build_charges(const Actors& actors, std::vector<LawGroup>& groups, LeftPlanes& leaves) {
  std::vector<Pair> pairs;
  for (const ForceEntry& entry : actors.scene.forces) {
    if (entry.kind != "coulomb") continue;
    std::vector<Attachment> masses;
    for (const Attachment& mass : acted_on(actors, entry)) {
      if (traits_of(actors, mass).charged()) masses.push_back(mass);
    }
    for (std::size_t i = 0; i < masses.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double first = traits_of(actors, masses[i]).charge,
                     second = traits_of(actors, masses[j]).charge;
        const double charges = entry.constant * (first * second);
        const DoubleDouble whole = decimal(entry.constant) * decimal(first) * decimal(second);
        pairs.push_back({.first = masses[i],
                         .second = masses[j],
                         .charges = charges,
                         .charges_rest = static_cast<double>(whole - DoubleDouble(charges))});
      }
    }
  }
  build_pair_groups(actors, pairs, groups, leaves);
}

// ---- magnetic moments -------------------------------------------------------------------------------------

namespace {

// Variables of the energy: the time, then place and direction of each mass.
constexpr std::uint32_t kPerMass = 6;
std::uint32_t place_of(std::size_t i) { return 1 + kPerMass * static_cast<std::uint32_t>(i); }

// The field of all sources around a mass, as an expression of `own`.
Vector field_around(const Actors& actors, const Attachment& mass, std::size_t i, Graph& own) {
  Graph around;
  around.keep_decimals(own.keeps_decimals());
  MassLaw law(around, actors.scene.simulation.gravity);
  for (const ForceEntry& other : actors.scene.forces) {
    const ForceLaw& kind = *find_force_law(other.kind);
    const bool acts =
        mass.chain >= 0 ? acts_on_link(other, mass.chain, mass.link) : acts_on_body(other, mass.body);
    if (kind.surround != nullptr && acts) kind.surround(other, law);
  }
  std::vector<NodeId> images(kLawVariables, expr::kNone);
  images[kLawTime] = own.variable(0);
  for (std::uint32_t k = 0; k < 3; ++k) images[kLawPosition + k] = own.variable(place_of(i) + k);
  const std::vector<NodeId> outside =
      expr::substitute(around, {law.magnetic.x.node, law.magnetic.y.node, law.magnetic.z.node}, own, images);
  return {{&own, outside[0]}, {&own, outside[1]}, {&own, outside[2]}};
}

// V = -sum_{i<j} m_i . B_j(x_i) - sum_i chi_i vol_i/(2 mu0) (|B_ext + B_i|^2 - |B_ext|^2), B_i the others'
// sum
Expression dipole_energy(const Actors& actors, const std::vector<Attachment>& masses,
                         const std::vector<MassTraits>& traits, Graph& own) {
  const auto x = [&](std::size_t i) { return expr::variables(own, place_of(i)); };
  const auto moment = [&](std::size_t i) {
    return expr::constant(own, traits[i].moment[0], traits[i].moment[1], traits[i].moment[2]) +
           traits[i].moment_along * expr::variables(own, place_of(i) + 3);
  };
  Expression energy = expr::constant(own, 0.0);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    Vector field = expr::constant(own, 0, 0, 0);
    for (std::size_t j = 0; j < masses.size(); ++j) {
      if (i == j) continue;
      const Vector from_j = dipole_field(moment(j), x(i) - x(j));
      if (j < i) energy = energy - dot(moment(i), from_j);
      field = field + from_j;
    }
    if (traits[i].susceptibility * traits[i].volume == 0.0) continue;
    const Vector external = field_around(actors, masses[i], i, own);
    const Vector nothing = expr::constant(own, 0, 0, 0);
    const Expression susceptibility = expr::constant(own, traits[i].susceptibility),
                     volume = constant_in_full(own, traits[i].volume, traits[i].volume_rest);
    energy = energy + magnetic_energy(nothing, susceptibility, volume, external + field) -
             magnetic_energy(nothing, susceptibility, volume, external);
  }
  return energy;
}

}  // namespace

// All of them in one program of one lane, since each is magnetised by the sum of all fields.
void build_dipoles(const Actors& actors, const ForceEntry& entry, std::vector<LawGroup>& groups,
                   LeftPlanes& leaves) {
  std::vector<Attachment> masses;
  std::vector<MassTraits> traits;
  for (const Attachment& mass : acted_on(actors, entry)) {
    const MassTraits of = traits_of(actors, mass);
    if (!of.magnetic()) continue;
    masses.push_back(mass);
    traits.push_back(of);
  }
  if (masses.size() < 2) return;
  Graph own;
  own.keep_decimals(actors.bodies.decimals);
  const Expression energy = dipole_energy(actors, masses, traits, own);
  std::vector<NodeId> roots{energy.node, expr::derivative(own, energy.node, 0)};
  for (std::uint32_t v = 1; v < place_of(masses.size()); ++v) {
    roots.push_back(expr::derivative(own, energy.node, v));
  }
  LawBuilder builder(actors.bodies, 1);
  builder.has_pole = true;
  std::vector<NodeId> images{builder.time().node};
  std::vector<Vector> directions;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Masses one = masses_at(actors, {masses[i]});
    const Vector at = place(builder, one);
    directions.push_back(direction(builder, one, {traits[i]}));
    const Vector& along = directions.back();
    for (const NodeId node : {at.x.node, at.y.node, at.z.node, along.x.node, along.y.node, along.z.node})
      images.push_back(node);
  }
  const std::vector<NodeId> nodes = expr::substitute(own, roots, builder.graph, images);
  const auto slope = [&](std::size_t first) {
    const auto at = [&](std::size_t i) { return Expression{&builder.graph, nodes[first + i]}; };
    return Vector{at(0), at(1), at(2)};
  };
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Masses one = masses_at(actors, {masses[i]});
    push(builder, one, -slope(2 + kPerMass * i));
    if (traits[i].moment_along == 0.0) continue;
    twist(builder, one, -cross(directions[i], slope(2 + kPerMass * i + 3)));
  }
  builder.give(Target::potential, {&builder.graph, nodes[0]});
  builder.give(Target::work, {&builder.graph, nodes[1]});
  builder.check_planes(leaves);
  builder.finish(groups);
}

}  // namespace catena
