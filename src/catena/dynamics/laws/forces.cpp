#include "catena/dynamics/laws/forces.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "catena/dynamics/laws/pair_laws.h"
#include "catena/expr/derivative.h"
#include "catena/expr/substitute.h"
#include "catena/math/decimal.h"
#include "catena/model/force_laws.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Graph;
using expr::NodeId;
using expr::Vector;
using Source = LawInput::Source;
using Target = LawOutput::Target;

// ---- laws on single masses --------------------------------------------------------------------------------

// Masses on which the same laws act: they share a program.
struct MassGroup {
  Masses masses;
  std::vector<MassTraits> traits;
  std::vector<double> numbers;  // of links or bodies, from 1
  std::vector<const ForceEntry*> entries;
};

// Images of the law's variables: what they are for these masses.
std::vector<NodeId> mass_images(LawBuilder& builder, const MassGroup& group, const Graph& law,
                                const std::vector<NodeId>& roots) {
  std::vector<NodeId> images(kLawVariables, expr::kNone);
  std::vector<char> wanted(kLawVariables, 0);
  const std::vector<char> reached = expr::reachable(law, roots);
  for (NodeId id = 0; id < law.size(); ++id) {
    if (reached[id] && law[id].op == expr::Op::variable) wanted[law[id].index] = 1;
  }
  const auto set_vector = [&](std::uint32_t first, auto make) {
    if (!wanted[first] && !wanted[first + 1] && !wanted[first + 2]) return;
    const Vector v = make();
    images[first] = v.x.node, images[first + 1] = v.y.node, images[first + 2] = v.z.node;
  };
  const auto numbers = [&](double MassTraits::*value) {
    std::vector<double> values;
    for (const MassTraits& one : group.traits) values.push_back(one.*value);
    return values;
  };
  const auto set_constant = [&](std::uint32_t variable, double MassTraits::*value) {
    if (wanted[variable]) images[variable] = builder.constant(numbers(value)).node;
  };
  const auto set_sum = [&](std::uint32_t variable, double MassTraits::*value, double MassTraits::*rest) {
    if (wanted[variable]) images[variable] = builder.in_full(numbers(value), numbers(rest)).node;
  };
  if (wanted[kLawTime]) images[kLawTime] = builder.time().node;
  set_vector(kLawPosition, [&] { return place(builder, group.masses); });
  set_vector(kLawVelocity, [&] { return velocity(builder, group.masses); });
  set_vector(kLawDirection, [&] { return direction(builder, group.masses, group.traits); });
  set_vector(kLawRotation, [&] { return rotation(builder, group.masses); });
  set_vector(kLawMoment, [&] {
    std::vector<Vec3> moments;
    for (const MassTraits& one : group.traits) moments.push_back(one.moment);
    return builder.constants(moments);
  });
  set_sum(kLawMass, &MassTraits::mass, &MassTraits::mass_rest);
  set_constant(kLawCharge, &MassTraits::charge);
  set_constant(kLawArea, &MassTraits::drag_area);
  set_sum(kLawVolume, &MassTraits::volume, &MassTraits::volume_rest);
  set_constant(kLawSusceptibility, &MassTraits::susceptibility);
  set_constant(kLawMomentAlong, &MassTraits::moment_along);
  if (wanted[kLawNumber]) images[kLawNumber] = builder.constant(group.numbers).node;
  return images;
}

// Velocity damping also slows turning: -rate I (u x w) for links with inertia.
void damp_turning(LawBuilder& builder, const ChainSpace& space, double rate, const std::vector<int>& links) {
  const std::vector<double> inertia = values_of(space, links, [](const Link& link) { return link.inertia; });
  if (rate == 0.0 || std::all_of(inertia.begin(), inertia.end(), [](double i) { return i == 0.0; })) return;
  const LawBuilder::LinkFrame frame = builder.link(space, links);
  const std::vector<double> rests = values_of(space, links, [](const Link& link) {
    const DoubleDouble length = decimal(link.length);
    const DoubleDouble whole =
        link.rod ? decimal(link.mass) * length * length / DoubleDouble(12.0) : decimal(link.inertia);
    return static_cast<double>(whole - DoubleDouble(link.inertia));
  });
  const Expression slowing = rate * builder.in_full(inertia, rests);
  builder.push_apart(space, -(slowing / frame.length * frame.rate), links);
  builder.give(Target::dissipated, slowing * dot(frame.rate, frame.rate));
}

// The same for bodies: -rate I omega.
void damp_turning(LawBuilder& builder, const Mechanism& mechanism, double rate,
                  const LawBuilder::Attachments& attached) {
  if (rate == 0.0) return;
  const auto entry = [&](std::size_t i, std::size_t j) {
    std::vector<double> values, rests;
    for (const Attachment& one : attached) {
      const Body& body = mechanism.bodies[static_cast<std::size_t>(one.body)];
      values.push_back(body.point ? 0.0 : body.inertia[i][j]);
      rests.push_back(body.point ? 0.0 : body.inertia_rest[i][j]);
    }
    return builder.in_full(values, rests);
  };
  const auto row = [&](std::size_t i) { return Vector{entry(i, 0), entry(i, 1), entry(i, 2)}; };
  const Vector omega = builder.omega(attached);
  const Vector spin{dot(row(0), omega), dot(row(1), omega), dot(row(2), omega)};
  builder.twist(attached, -rate * builder.turned(attached, spin));
  builder.give(Target::dissipated, rate * dot(omega, spin));
}

// The rate of damping that belongs to the masses as wholes, not to points of bodies.
double whole_damping(const MassGroup& group) {
  double rate = group.masses.chain != nullptr ? group.masses.chain->chain.velocity_damping : 0.0;
  for (const ForceEntry* entry : group.entries) {
    if (entry->kind == "velocity-damping" && !entry->point) rate += entry->rate;
  }
  return rate;
}

MassLaw law_on(const Scene& scene, const MassGroup& group, Graph& graph) {
  MassLaw law(graph, scene.simulation.gravity);
  add_laws(group.entries, law);
  if (group.masses.chain != nullptr && group.masses.chain->chain.velocity_damping > 0.0) {
    ForceEntry entry;
    entry.rate = group.masses.chain->chain.velocity_damping;
    find_force_law("velocity-damping")->act(entry, law);
  }
  respond_to_fields(law);
  return law;
}

bool has_formulas(const ForceEntry* entry) {
  return given(entry->force) || given(entry->torque) || given(entry->field) || given(entry->velocity) ||
         !entry->potential.empty();
}

void build_mass_group(const Actors& actors, const MassGroup& group, std::vector<LawGroup>& groups,
                      LeftPlanes& leaves) {
  Graph graph;
  graph.keep_decimals(actors.bodies.decimals);
  const MassLaw law = law_on(actors.scene, group, graph);
  const std::vector<NodeId> roots{law.force.x.node,    law.force.y.node,  law.force.z.node,
                                  law.torque.x.node,   law.torque.y.node, law.torque.z.node,
                                  law.dissipated.node, law.work.node,     law.potential.node};
  // Masses without charge or moment do not feel all that is written: constants of zero fall out here.
  LawBuilder builder(actors.bodies, group.masses.count());
  builder.written = std::any_of(group.entries.begin(), group.entries.end(), has_formulas);
  builder.has_pole = std::any_of(group.entries.begin(), group.entries.end(), [](const ForceEntry* entry) {
    return find_force_law(entry->kind)->has_pole;
  });
  const std::vector<NodeId> images = mass_images(builder, group, graph, roots);
  const std::vector<NodeId> nodes = expr::substitute(graph, roots, builder.graph, images);
  const auto expression = [&](std::size_t i) { return Expression{&builder.graph, nodes[i]}; };
  push(builder, group.masses, {expression(0), expression(1), expression(2)});
  const bool twists = !builder.graph.is_constant(nodes[3], 0.0) ||
                      !builder.graph.is_constant(nodes[4], 0.0) || !builder.graph.is_constant(nodes[5], 0.0);
  if (twists) twist(builder, group.masses, {expression(3), expression(4), expression(5)});
  if (group.masses.chain != nullptr) {
    damp_turning(builder, *group.masses.chain, whole_damping(group), group.masses.links);
  } else {
    damp_turning(builder, actors.scene.mechanism, whole_damping(group), group.masses.attached);
  }
  builder.give(Target::dissipated, expression(6));
  builder.give(Target::work, expression(7));
  builder.give(Target::potential, expression(8));
  builder.check_planes(leaves);
  builder.finish(groups);
}

bool acts_on_masses(const ForceEntry& entry) {
  const ForceLaw& kind = *find_force_law(entry.kind);
  return kind.act != nullptr || kind.surround != nullptr;
}

// Those with the same laws, and of them those that are charged or magnetic alike.
class MassGroups {
 public:
  explicit MassGroups(const Actors& actors) : actors_(actors) {}

  void add(const Attachment& mass, const std::vector<const ForceEntry*>& entries) {
    const MassTraits traits = traits_of(actors_, mass);
    Found& found = found_[{entries, traits.charged(), traits.magnetic()}];
    found.masses.push_back(mass);
    found.traits.push_back(traits);
    found.numbers.push_back((mass.chain < 0 ? mass.body : mass.link) + 1.0);
  }

  void build(std::vector<LawGroup>& groups, LeftPlanes& leaves) const {
    for (const auto& [key, found] : found_) {
      build_mass_group(actors_,
                       {masses_at(actors_, found.masses), found.traits, found.numbers, std::get<0>(key)},
                       groups, leaves);
    }
  }

 private:
  struct Found {
    std::vector<Attachment> masses;
    std::vector<MassTraits> traits;
    std::vector<double> numbers;
  };
  const Actors& actors_;
  std::map<std::tuple<std::vector<const ForceEntry*>, bool, bool>, Found> found_;
};

void build_link_groups(const Actors& actors, const ChainSpace& space, std::vector<LawGroup>& groups,
                       LeftPlanes& leaves) {
  MassGroups found(actors);
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    const Attachment mass{.chain = space.index, .link = static_cast<int>(k)};
    std::vector<const ForceEntry*> entries;
    for (const ForceEntry& entry : actors.scene.forces) {
      if (acts_on_masses(entry) && acts_on_link(entry, mass.chain, mass.link)) entries.push_back(&entry);
    }
    if (!entries.empty() || space.chain.velocity_damping > 0.0) found.add(mass, entries);
  }
  found.build(groups, leaves);
}

// At each point of a body the laws that name it act, or, at its centre of mass, those that name none. What
// moves the medium has no point: it is everywhere.
void build_body_groups(const Actors& actors, std::vector<LawGroup>& groups, LeftPlanes& leaves) {
  MassGroups found(actors);
  const std::vector<Body>& bodies = actors.scene.mechanism.bodies;
  const auto is_everywhere = [](const ForceEntry& entry) {
    return !find_force_law(entry.kind)->has("point");
  };
  // With what doubles cannot hold of it. Buoyancy acts at the centre of what is displaced, which need not be
  // the centre of mass.
  const auto point_of = [](const ForceEntry& entry, const Body& body) -> std::pair<Vec3, Vec3> {
    if (body.point) return {};
    if (entry.point) return {*entry.point, rest_of(decimals_of(*entry.point), *entry.point)};
    if (entry.kind == "buoyancy") return {body.volume_center, body.volume_center_rest};
    return {};
  };
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].fixed) continue;
    std::vector<const ForceEntry*> all;
    std::set<std::pair<Vec3, Vec3>> points;
    for (const ForceEntry& entry : actors.scene.forces) {
      if (!acts_on_masses(entry) || !acts_on_body(entry, static_cast<int>(b))) continue;
      all.push_back(&entry);
      if (!is_everywhere(entry)) points.insert(point_of(entry, bodies[b]));
    }
    for (const auto& point : points) {
      std::vector<const ForceEntry*> entries;
      for (const ForceEntry* entry : all) {
        if (is_everywhere(*entry) || point_of(*entry, bodies[b]) == point) entries.push_back(entry);
      }
      found.add({.body = static_cast<int>(b), .point = point.first, .point_rest = point.second}, entries);
    }
  }
  found.build(groups, leaves);
}

// ---- joints and links -------------------------------------------------------------------------------------

bool has_joint_law(const Link& link) {
  return link.damping != Vec3{} || link.friction > 0.0 || link.joint_stiffness > 0.0;
}

// The square of the angle between unit vectors, smooth where they agree and up to where they are opposite.
// With q = sin^2 of an angle, sin^2 of its half is q / (2 (1 + cos)); two halvings lead to b/8, whose sine is
// at most sin(22.5 deg), and b^2 = 64 asin^2, asin^2(sqrt(q)) = q + q^2/3 + 8 q^3/45 + ..: each term is
// 2 n^2 q / ((n + 1) (2 n + 1)) times the one before.
Expression bend_squared(const Vector& a, const Vector& b) {
  const Vector apart = a - b, together = a + b;
  const Expression cosine = 0.5 * norm(together);  // of half the angle
  Expression q = 0.25 * dot(apart, apart) / (2.0 * (1.0 + cosine));
  q = q / (2.0 * (1.0 + sqrt(1.0 - q)));
  const int terms = a.x.graph->keeps_decimals() ? 42 : 20;  // 0.147^terms is below the last digit
  Expression sum = q.number(1.0);
  for (int n = terms; n >= 1; --n) {
    const Expression ratio = q.number(2.0 * n * n) / q.number((n + 1.0) * (2.0 * n + 1.0));
    sum = 1.0 + ratio * q * sum;
  }
  return 64.0 * q * sum;
}

// -dV/d(cos b) of V = b^2/2: b / sin b, from V as a formula of both vectors along one of them.
struct LinearBend {
  Expression energy;  // per stiffness
  Vector torque;      // on the first, towards the second, per stiffness
};

LinearBend linear_bend(LawBuilder& builder, const Vector& own, const Vector& above) {
  Graph formula;
  formula.keep_decimals(builder.graph.keeps_decimals());
  const Vector u = expr::variables(formula, 0), v = expr::variables(formula, 3);
  const Expression energy = 0.5 * bend_squared(u, v);
  std::vector<NodeId> roots{energy.node};
  for (std::uint32_t i = 0; i < 3; ++i) roots.push_back(expr::derivative(formula, energy.node, i));
  const std::vector<NodeId> images{own.x.node,   own.y.node,   own.z.node,
                                   above.x.node, above.y.node, above.z.node};
  const std::vector<NodeId> made = expr::substitute(formula, roots, builder.graph, images);
  const auto expression = [&](std::size_t i) { return Expression{&builder.graph, made[i]}; };
  const Vector slope{expression(1), expression(2), expression(3)};
  return {expression(0), -cross(own, slope)};
}

// Torques between a link and the one it hangs from: -c (omega - omega_parent), friction rounded off, and
// towards straight on, V = k (1 - u . u_parent), or V = k b^2/2 with the bend b.
void build_joint_group(const Actors& actors, const ChainSpace& space, std::vector<LawGroup>& groups,
                       LeftPlanes& leaves) {
  std::vector<int> links, parents;
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    if (!has_joint_law(space.chain.links[k])) continue;
    links.push_back(static_cast<int>(k));
    parents.push_back(space.chain.links[k].parent);
  }
  if (links.empty()) return;
  LawBuilder builder(actors.bodies, links.size());
  const auto constant = [&](auto value) { return builder.constant(values_of(space, links, value)); };
  const LawBuilder::LinkFrame own = builder.link(space, links), above = builder.link(space, parents);
  const Vector slip = cross(own.along, own.rate) - cross(above.along, above.rate);
  const Vector damping{constant([](const Link& link) { return link.damping[0]; }),
                       constant([](const Link& link) { return link.damping[1]; }),
                       constant([](const Link& link) { return link.damping[2]; })};
  const Expression friction = constant([](const Link& link) { return link.friction; });
  const Expression rounding = constant([](const Link& link) { return link.friction_rate; });
  const Expression stiffness =
      constant([](const Link& link) { return link.linear_stiffness ? 0.0 : link.joint_stiffness; });
  const Expression linear =
      constant([](const Link& link) { return link.linear_stiffness ? link.joint_stiffness : 0.0; });
  const Expression grip = friction / sqrt(dot(slip, slip) + rounding * rounding);
  const Vector against{damping.x * slip.x + grip * slip.x, damping.y * slip.y + grip * slip.y,
                       damping.z * slip.z + grip * slip.z};
  const LinearBend bend = linear_bend(builder, own.along, above.along);
  const Vector torque = stiffness * cross(own.along, above.along) + linear * bend.torque - against;
  builder.twist(space, torque, own, links);
  builder.twist(space, -torque, above, parents);
  builder.give(Target::dissipated, dot(against, slip));
  builder.give(Target::elastic, stiffness * (1.0 - dot(own.along, above.along)) + linear * bend.energy);
  builder.check_planes(leaves);
  builder.finish(groups);
}

// Damping along elastic links, b e' with the stretch e. Links that go slack have T = max(c e + b e', 0) while
// e > 0, of which the springs give c e, and nothing else.
void build_axial_group(const Actors& actors, const ChainSpace& space, std::vector<LawGroup>& groups) {
  std::vector<int> links;
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    if (space.chain.links[k].axial_damping > 0.0) links.push_back(static_cast<int>(k));
  }
  if (links.empty()) return;
  LawBuilder builder(actors.bodies, links.size());
  const LawBuilder::LinkFrame frame = builder.link(space, links);
  const Expression damping =
      builder.constant(values_of(space, links, [](const Link& link) { return link.axial_damping; }));
  const Expression lengthening = dot(frame.along, frame.span_rate);
  Expression pull = damping * lengthening;
  if (space.chain.slack) {
    const auto constant = [&](double Link::*value) {
      return builder.constant(values_of(space, links, [value](const Link& link) { return link.*value; }));
    };
    const Expression stretch = frame.length - constant(&Link::length);
    pull = choose(stretch, max(pull, -constant(&Link::stiffness) * stretch), pull.number(0.0));
  }
  builder.push_apart(space, -(pull * frame.along), links);
  builder.give(Target::dissipated, pull * lengthening);
  builder.finish(groups);
  groups.back().in_links = true;
}

}  // namespace

Forces::Forces(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies,
               const BodiesInPlane* flat)
    : leaves_plane_{std::vector<char>(scene.chains.size()),
                    std::vector<char>(flat != nullptr ? flat->in.size() : 0)} {
  Actors actors(scene, planes, bodies);
  actors.bodies.flat = flat;
  for (const ChainSpace& space : actors.chains) {
    build_link_groups(actors, space, groups_, leaves_plane_);
    build_joint_group(actors, space, groups_, leaves_plane_);
    build_axial_group(actors, space, groups_);
  }
  build_body_groups(actors, groups_, leaves_plane_);
  build_springs(actors, groups_, leaves_plane_);
  build_charges(actors, groups_, leaves_plane_);
  for (const ForceEntry& entry : scene.forces) {
    if (entry.kind == "dipoles") build_dipoles(actors, entry, groups_, leaves_plane_);
  }
  poles_ = Poles(actors);
}

bool Forces::uses(int chain, Source source) const {
  for (const LawGroup& group : groups_) {
    for (const LawInput& input : group.inputs()) {
      if (input.chain == chain && input.source == source) return true;
    }
  }
  return false;
}

bool Forces::moves_energy() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const LawGroup& group) {
    return group.gives(Target::dissipated) || group.gives(Target::work);
  });
}

bool Forces::depends_on_velocity() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const LawGroup& group) { return group.depends_on_velocity(); });
}

bool Forces::twists_bodies() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const LawGroup& group) { return group.twists_bodies(); });
}

}  // namespace catena
