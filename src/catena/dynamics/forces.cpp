#include "catena/dynamics/forces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "catena/expr/derivative.h"
#include "catena/expr/parse.h"
#include "catena/expr/substitute.h"
#include "catena/model/force_laws.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Graph;
using expr::NodeId;
using expr::Vector;
using Source = LawInput::Source;
using Target = LawOutput::Target;

constexpr int kNobody = -2;  // a lane's output that nothing takes

struct ChainSpace {
  const Chain& chain;
  std::optional<Plane> plane;
  int index;

  std::size_t dimension() const { return plane ? 2 : 3; }
  bool elastic() const { return chain.kind == ChainKind::elastic; }
};

// A program being put together: lanes of one sort, its inputs made as they are asked for.
class GroupBuilder {
 public:
  explicit GroupBuilder(std::size_t lanes) : lanes_(lanes) {}

  Graph graph;

  Expression time() { return input({.source = Source::time}); }

  Expression constant(const std::vector<double>& values) {
    const bool uniform = std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
    if (uniform) return expr::constant(graph, values[0]);
    return input({.source = Source::constant, .values = values});
  }

  // A vector of the chain's own space in the world. Lanes without a link have `otherwise`, given in the
  // world.
  Vector world(const ChainSpace& space, Source source, const std::vector<int>& links,
               const Vec3& otherwise = {}) {
    const bool missing = std::any_of(links.begin(), links.end(), [](int link) { return link < 0; });
    const auto component = [&](int i, double value) {
      LawInput made{.source = source, .chain = space.index, .component = i, .links = links};
      if (missing) made.values.assign(lanes_, value);
      made.whole = is_whole(links, space.chain.links.size());
      return input(std::move(made));
    };
    if (!space.plane)
      return {component(0, otherwise[0]), component(1, otherwise[1]), component(2, otherwise[2])};
    const Plane& plane = *space.plane;
    const Expression across = component(0, plane.cosine * otherwise[0] + plane.sine * otherwise[1]);
    return {plane.cosine * across, plane.sine * across, component(1, otherwise[2])};
  }

  // Where the pivot is, and its velocity.
  Vector pivot(const ChainSpace& space) {
    const Vec3& start = space.chain.pivot;
    if (!given(space.chain.pivot_motion)) return expr::constant(graph, start[0], start[1], start[2]);
    return {motion(space, 0), motion(space, 1), motion(space, 2)};
  }
  Vector pivot_velocity(const ChainSpace& space) {
    if (!given(space.chain.pivot_motion)) return expr::constant(graph, 0, 0, 0);
    const std::uint32_t t = graph[time().node].index;
    const auto rate = [&](int i) {
      return Expression{&graph, expr::derivative(graph, motion(space, i).node, t)};
    };
    return {rate(0), rate(1), rate(2)};
  }

  Vector center(const ChainSpace& space, const std::vector<int>& links) {
    return pivot(space) + world(space, Source::center, links);
  }
  Vector center_velocity(const ChainSpace& space, const std::vector<int>& links) {
    return pivot_velocity(space) + world(space, Source::center_velocity, links);
  }

  // A link's unit vector, the rate of that, and its length.
  struct LinkFrame {
    Vector along, rate, span_rate;
    Expression length;
  };
  LinkFrame link(const ChainSpace& space, const std::vector<int>& links, const Vec3& otherwise = {0, 0, -1}) {
    const Vector span = world(space, Source::link, links, otherwise);
    const Vector span_rate = world(space, Source::link_rate, links);
    if (!space.elastic()) {
      std::vector<double> lengths;
      for (const int k : links) lengths.push_back(k < 0 ? 1.0 : space.chain.links[k].length);
      return {span, span_rate, span_rate, constant(lengths)};
    }
    const Expression length = norm(span);
    const Vector along = span / length;
    return {along, (span_rate - dot(along, span_rate) * along) / length, span_rate, length};
  }

  // A force on the lanes' link ends (-1: the pivot), into the chain's own space.
  void push(const ChainSpace& space, const Vector& force, const std::vector<int>& links,
            const std::vector<double>& weights = {}) {
    const auto component = [&](int i, const Expression& value) {
      if (graph.is_constant(value.node, 0.0)) return;
      LawOutput made{
          .target = Target::end, .chain = space.index, .component = i, .links = links, .weights = weights};
      made.whole = is_whole(links, space.chain.links.size());
      nodes_.push_back(value.node);
      outputs_.push_back(std::move(made));
    };
    if (!space.plane) {
      component(0, force.x), component(1, force.y), component(2, force.z);
      return;
    }
    component(0, space.plane->cosine * force.x + space.plane->sine * force.y);
    component(1, force.z);
    normals_.push_back(
        {space.index, (space.plane->cosine * force.y - space.plane->sine * force.x).node, norm(force).node});
  }

  // A torque on the lanes' links, as a couple of forces at their ends.
  void twist(const ChainSpace& space, const Vector& torque, const LinkFrame& frame,
             const std::vector<int>& links) {
    const Vector force = cross(torque, frame.along) / frame.length;
    push_apart(space, force, links);
  }

  // Opposite forces on both ends of the lanes' links.
  void push_apart(const ChainSpace& space, const Vector& force, const std::vector<int>& links) {
    std::vector<int> upper;
    for (const int k : links) upper.push_back(k < 0 ? kNobody : space.chain.links[k].parent);
    std::vector<int> ends = links;
    for (int& k : ends) k = k < 0 ? kNobody : k;
    push(space, force, ends);
    push(space, -force, upper);
  }

  void give(Target target, const Expression& value) {
    if (graph.is_constant(value.node, 0.0)) return;
    nodes_.push_back(value.node);
    outputs_.push_back({.target = target});
  }

  // Marks the chains that the laws would move out of their planes.
  void check_planes(std::vector<char>& leaves) {
    for (const Normal& normal : normals_) {
      if (!vanishes(normal)) leaves[static_cast<std::size_t>(normal.chain)] = 1;
    }
  }

  // Only what the outputs need is fed in.
  void finish(std::vector<LawGroup>& groups) {
    if (nodes_.empty()) return;
    std::vector<char> wanted(inputs_.size(), 0);
    const std::vector<char> reached = expr::reachable(graph, nodes_);
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (reached[id] && graph[id].op == expr::Op::variable) wanted[graph[id].index] = 1;
    }
    Graph compact;
    std::vector<LawInput> kept;
    std::vector<NodeId> images(inputs_.size(), expr::kNone);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!wanted[i]) continue;
      images[i] = compact.variable(static_cast<std::uint32_t>(kept.size()));
      kept.push_back(inputs_[i]);
    }
    const std::vector<NodeId> nodes = expr::substitute(graph, nodes_, compact, images);
    groups.emplace_back(compact, nodes, std::move(kept), outputs_, lanes_);
  }

 private:
  struct Normal {
    int chain;
    NodeId across;  // component of a force normal to the plane
    NodeId size;
  };

  static bool is_whole(const std::vector<int>& links, std::size_t count) {
    if (links.size() != count) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (links[k] != static_cast<int>(k)) return false;
    }
    return true;
  }

  Expression motion(const ChainSpace& space, int i) {
    Graph own;
    const expr::Parsed parsed =
        expr::parse(own, space.chain.pivot_motion[static_cast<std::size_t>(i)], {{"t"}, {}});
    return {&graph, expr::substitute(own, {parsed.node}, graph, {time().node})[0]};
  }

  Expression input(LawInput made) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const LawInput& known = inputs_[i];
      if (known.source == made.source && known.chain == made.chain && known.component == made.component &&
          known.links == made.links && known.values == made.values)
        return expr::variable(graph, static_cast<std::uint32_t>(i));
    }
    inputs_.push_back(std::move(made));
    return expr::variable(graph, static_cast<std::uint32_t>(inputs_.size() - 1));
  }

  // Zero as it stands, or, for laws that are analytic on a connected domain, zero at points chosen at random:
  // then it is zero everywhere.
  bool vanishes(const Normal& normal) {
    if (graph.is_constant(normal.across, 0.0)) return true;
    const LawGroup probe(graph, {normal.across}, inputs_, {{.target = Target::end}}, 0);
    if (probe.has_jumps()) return false;
    constexpr std::size_t kProbes = 64;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> anywhere(-2.0, 2.0);
    std::vector<double> in(inputs_.size() * kProbes), out(2 * kProbes);
    for (double& value : in) value = anywhere(random);
    expr::Program(graph, {normal.across, normal.size}, static_cast<int>(inputs_.size()))
        .evaluate(in.data(), kProbes, out.data());
    for (std::size_t i = 0; i < kProbes; ++i) {
      if (std::isfinite(out[i]) && std::fabs(out[i]) > 1e-13 * out[kProbes + i]) return false;
    }
    return true;
  }

  std::size_t lanes_;
  std::vector<LawInput> inputs_;
  std::vector<NodeId> nodes_;
  std::vector<LawOutput> outputs_;
  std::vector<Normal> normals_;
};

bool acts_on(const ForceEntry& entry, int chain, int link) {
  if (entry.names.empty()) return true;
  return std::any_of(entry.on.begin(), entry.on.end(),
                     [&](const LinkName& name) { return name.chain == chain && name.link == link; });
}

bool is_charged(const Link& link) { return link.charge != 0.0; }
bool is_magnetic(const Link& link) {
  return link.moment_along != 0.0 || link.moment != Vec3{} || link.susceptibility * link.volume != 0.0;
}

template <class Value>
std::vector<double> values_of(const ChainSpace& space, const std::vector<int>& links, Value value) {
  std::vector<double> out;
  for (const int k : links) out.push_back(value(space.chain.links[static_cast<std::size_t>(k)]));
  return out;
}

// ---- laws on single masses --------------------------------------------------------------------------------

// Images of the law's variables: what they are for these links.
std::vector<NodeId> mass_images(GroupBuilder& builder, const ChainSpace& space, const std::vector<int>& links,
                                const Graph& law, const std::vector<NodeId>& roots) {
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
  const auto set_constant = [&](std::uint32_t variable, auto value) {
    if (wanted[variable]) images[variable] = builder.constant(values_of(space, links, value)).node;
  };
  if (wanted[kLawTime]) images[kLawTime] = builder.time().node;
  set_vector(kLawPosition, [&] { return builder.center(space, links); });
  set_vector(kLawVelocity, [&] { return builder.center_velocity(space, links); });
  set_vector(kLawDirection, [&] { return builder.link(space, links).along; });
  set_constant(kLawMass, [](const Link& link) { return link.mass; });
  set_constant(kLawCharge, [](const Link& link) { return link.charge; });
  set_constant(kLawArea, [](const Link& link) { return link.drag_area; });
  set_constant(kLawVolume, [](const Link& link) { return link.volume; });
  set_constant(kLawSusceptibility, [](const Link& link) { return link.susceptibility; });
  set_constant(kLawMomentAlong, [](const Link& link) { return link.moment_along; });
  for (std::uint32_t i = 0; i < 3; ++i) {
    set_constant(kLawMoment + i, [i](const Link& link) { return link.moment[i]; });
  }
  if (wanted[kLawNumber]) {
    std::vector<double> numbers;
    for (const int k : links) numbers.push_back(k + 1.0);
    images[kLawNumber] = builder.constant(numbers).node;
  }
  return images;
}

// Forces act on the centre of mass: shared between the link's ends.
void push_center(GroupBuilder& builder, const ChainSpace& space, const Vector& force,
                 const std::vector<int>& links) {
  const std::vector<double> share =
      values_of(space, links, [](const Link& link) { return link.center_of_mass; });
  if (std::all_of(share.begin(), share.end(), [](double f) { return f == 1.0; }))
    return builder.push(space, force, links);
  std::vector<double> rest;
  std::vector<int> upper;
  for (std::size_t i = 0; i < links.size(); ++i) {
    rest.push_back(1.0 - share[i]);
    upper.push_back(space.chain.links[static_cast<std::size_t>(links[i])].parent);
  }
  builder.push(space, force, links, share);
  builder.push(space, force, upper, rest);
}

// -rate I (u x w), the part of velocity damping that slows the turning of links with inertia.
void damp_turning(GroupBuilder& builder, const ChainSpace& space, double rate,
                  const std::vector<int>& links) {
  const std::vector<double> inertia = values_of(space, links, [](const Link& link) { return link.inertia; });
  if (rate == 0.0 || std::all_of(inertia.begin(), inertia.end(), [](double i) { return i == 0.0; })) return;
  const GroupBuilder::LinkFrame frame = builder.link(space, links);
  const Expression slowing = rate * builder.constant(inertia);
  builder.push_apart(space, -(slowing / frame.length * frame.rate), links);
  builder.give(Target::dissipated, slowing * dot(frame.rate, frame.rate));
}

void build_mass_group(const Scene& scene, const ChainSpace& space, const std::vector<int>& links,
                      const std::vector<const ForceEntry*>& entries, std::vector<LawGroup>& groups,
                      std::vector<char>& leaves) {
  Graph graph;
  MassLaw law(graph, scene.simulation.gravity);
  double damping = space.chain.velocity_damping;
  for (const ForceEntry* entry : entries) {
    const ForceLaw& kind = *find_force_law(entry->kind);
    if (kind.surround != nullptr) kind.surround(*entry, law);
    if (entry->kind == "velocity-damping") damping += entry->rate;
  }
  for (const ForceEntry* entry : entries) {
    const ForceLaw& kind = *find_force_law(entry->kind);
    if (kind.act != nullptr) kind.act(*entry, law);
  }
  if (space.chain.velocity_damping > 0.0) {
    ForceEntry entry;
    entry.rate = space.chain.velocity_damping;
    find_force_law("velocity-damping")->act(entry, law);
  }
  respond_to_fields(law);
  const std::vector<NodeId> roots{law.force.x.node,    law.force.y.node,  law.force.z.node,
                                  law.torque.x.node,   law.torque.y.node, law.torque.z.node,
                                  law.dissipated.node, law.work.node,     law.potential.node};
  // Links without charge or moment do not feel all that is written: constants of zero fall out here.
  GroupBuilder builder(links.size());
  const std::vector<NodeId> images = mass_images(builder, space, links, graph, roots);
  const std::vector<NodeId> nodes = expr::substitute(graph, roots, builder.graph, images);
  const auto expression = [&](std::size_t i) { return Expression{&builder.graph, nodes[i]}; };
  push_center(builder, space, {expression(0), expression(1), expression(2)}, links);
  const bool twists = !builder.graph.is_constant(nodes[3], 0.0) ||
                      !builder.graph.is_constant(nodes[4], 0.0) || !builder.graph.is_constant(nodes[5], 0.0);
  if (twists) {
    builder.twist(space, {expression(3), expression(4), expression(5)}, builder.link(space, links), links);
  }
  damp_turning(builder, space, damping, links);
  builder.give(Target::dissipated, expression(6));
  builder.give(Target::work, expression(7));
  builder.give(Target::potential, expression(8));
  builder.check_planes(leaves);
  builder.finish(groups);
}

// Links on which the same laws act share a program.
void build_mass_groups(const Scene& scene, const ChainSpace& space, std::vector<LawGroup>& groups,
                       std::vector<char>& leaves) {
  std::map<std::vector<const ForceEntry*>, std::map<std::pair<bool, bool>, std::vector<int>>> links_by_laws;
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    const Link& link = space.chain.links[k];
    std::vector<const ForceEntry*> entries;
    for (const ForceEntry& entry : scene.forces) {
      const ForceLaw& kind = *find_force_law(entry.kind);
      if (kind.act == nullptr && kind.surround == nullptr) continue;
      if (acts_on(entry, space.index, static_cast<int>(k))) entries.push_back(&entry);
    }
    if (entries.empty() && space.chain.velocity_damping == 0.0) continue;
    links_by_laws[entries][{is_charged(link), is_magnetic(link)}].push_back(static_cast<int>(k));
  }
  for (const auto& [entries, sorts] : links_by_laws) {
    for (const auto& [sort, links] : sorts) build_mass_group(scene, space, links, entries, groups, leaves);
  }
}

// ---- joints and links -------------------------------------------------------------------------------------

bool has_joint_law(const Link& link) {
  return link.damping != Vec3{} || link.friction > 0.0 || link.joint_stiffness > 0.0;
}

// Torques between a link and the one it hangs from: -c (omega - omega_parent), friction rounded off, and
// towards straight on, V = k (1 - u . u_parent).
void build_joint_group(const ChainSpace& space, std::vector<LawGroup>& groups, std::vector<char>& leaves) {
  std::vector<int> links, parents;
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    if (!has_joint_law(space.chain.links[k])) continue;
    links.push_back(static_cast<int>(k));
    parents.push_back(space.chain.links[k].parent);
  }
  if (links.empty()) return;
  GroupBuilder builder(links.size());
  const auto constant = [&](auto value) { return builder.constant(values_of(space, links, value)); };
  const GroupBuilder::LinkFrame own = builder.link(space, links), above = builder.link(space, parents);
  const Vector slip = cross(own.along, own.rate) - cross(above.along, above.rate);
  const Vector damping{constant([](const Link& link) { return link.damping[0]; }),
                       constant([](const Link& link) { return link.damping[1]; }),
                       constant([](const Link& link) { return link.damping[2]; })};
  const Expression friction = constant([](const Link& link) { return link.friction; });
  const Expression rounding = constant([](const Link& link) { return link.friction_rate; });
  const Expression stiffness = constant([](const Link& link) { return link.joint_stiffness; });
  const Expression grip = friction / sqrt(dot(slip, slip) + rounding * rounding);
  const Vector against{damping.x * slip.x + grip * slip.x, damping.y * slip.y + grip * slip.y,
                       damping.z * slip.z + grip * slip.z};
  const Vector torque = stiffness * cross(own.along, above.along) - against;
  builder.twist(space, torque, own, links);
  builder.twist(space, -torque, above, parents);
  builder.give(Target::dissipated, dot(against, slip));
  builder.give(Target::elastic, stiffness * (1.0 - dot(own.along, above.along)));
  builder.check_planes(leaves);
  builder.finish(groups);
}

// Damping along elastic links.
void build_axial_group(const ChainSpace& space, std::vector<LawGroup>& groups) {
  std::vector<int> links;
  for (std::size_t k = 0; k < space.chain.links.size(); ++k) {
    if (space.chain.links[k].axial_damping > 0.0) links.push_back(static_cast<int>(k));
  }
  if (links.empty()) return;
  GroupBuilder builder(links.size());
  const GroupBuilder::LinkFrame frame = builder.link(space, links);
  const Expression damping =
      builder.constant(values_of(space, links, [](const Link& link) { return link.axial_damping; }));
  const Expression lengthening = dot(frame.along, frame.span_rate);
  builder.push_apart(space, -(damping * lengthening * frame.along), links);
  builder.give(Target::dissipated, damping * lengthening * lengthening);
  builder.finish(groups);
  groups.back().in_links = true;
}

// ---- laws between masses ----------------------------------------------------------------------------------

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

struct Pair {
  Attachment first, second;
  double stiffness = 0.0, length = 0.0, damping = 0.0;  // a spring
  double charges = 0.0;                                 // or k q_1 q_2
};

std::vector<Pair> springs_of(const Scene& scene) {
  std::vector<Pair> pairs;
  const auto place = [&](const Attachment& end) {
    return end.chain < 0 ? end.point
                         : start_center(scene.chains[static_cast<std::size_t>(end.chain)], end.link);
  };
  for (const ForceEntry& entry : scene.forces) {
    if (entry.kind != "spring") continue;
    Pair pair{.first = entry.between[0], .second = entry.between[1]};
    if (pair.first.chain < 0) std::swap(pair.first, pair.second);
    const Vec3 a = place(pair.first), b = place(pair.second);
    pair.stiffness = entry.stiffness;
    pair.damping = entry.damping;
    pair.length = entry.length.value_or(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<Attachment> masses_for(const Scene& scene, const ForceEntry& entry,
                                   bool (*applies)(const Link&)) {
  std::vector<Attachment> found;
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    for (std::size_t k = 0; k < scene.chains[c].links.size(); ++k) {
      const int chain = static_cast<int>(c), link = static_cast<int>(k);
      if (applies(scene.chains[c].links[k]) && acts_on(entry, chain, link))
        found.push_back({chain, link, {}});
    }
  }
  return found;
}

std::vector<Pair> charge_pairs_of(const Scene& scene) {
  std::vector<Pair> pairs;
  const auto charge = [&](const Attachment& mass) {
    return scene.chains[static_cast<std::size_t>(mass.chain)]
        .links[static_cast<std::size_t>(mass.link)]
        .charge;
  };
  for (const ForceEntry& entry : scene.forces) {
    if (entry.kind != "coulomb") continue;
    const std::vector<Attachment> masses = masses_for(scene, entry, is_charged);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        pairs.push_back({.first = masses[i],
                         .second = masses[j],
                         .charges = entry.constant * charge(masses[i]) * charge(masses[j])});
      }
    }
  }
  return pairs;
}

void build_pair_group(const std::vector<ChainSpace>& spaces, const std::vector<Pair>& pairs,
                      std::vector<LawGroup>& groups, std::vector<char>& leaves) {
  GroupBuilder builder(pairs.size());
  std::vector<int> first, second;
  for (const Pair& pair : pairs) {
    first.push_back(pair.first.link);
    second.push_back(pair.second.link);
  }
  const auto constant = [&](auto value) {
    std::vector<double> values;
    for (const Pair& pair : pairs) values.push_back(value(pair));
    return builder.constant(values);
  };
  const ChainSpace& a = spaces[static_cast<std::size_t>(pairs[0].first.chain)];
  const bool fixed = pairs[0].second.chain < 0;
  const ChainSpace& b = fixed ? a : spaces[static_cast<std::size_t>(pairs[0].second.chain)];
  Vector d = builder.center(a, first), rate = builder.center_velocity(a, first);
  if (fixed) {
    d = d - Vector{constant([](const Pair& pair) { return pair.second.point[0]; }),
                   constant([](const Pair& pair) { return pair.second.point[1]; }),
                   constant([](const Pair& pair) { return pair.second.point[2]; })};
  } else {
    d = d - builder.center(b, second);
    rate = rate - builder.center_velocity(b, second);
  }
  Graph& graph = builder.graph;
  const Expression stiffness = constant([](const Pair& pair) { return pair.stiffness; });
  const Expression length = constant([](const Pair& pair) { return pair.length; });
  const Expression damping = constant([](const Pair& pair) { return pair.damping; });
  const Expression charges = constant([](const Pair& pair) { return pair.charges; });
  // The energies as functions of d alone, differentiated there.
  Graph own;
  const Vector apart = expr::variables(own, 0);
  const Expression own_stiffness = expr::variable(own, 3), own_length = expr::variable(own, 4),
                   own_charges = expr::variable(own, 5);
  const Expression energies[] = {spring_energy(own_stiffness, own_length, apart),
                                 coulomb_energy(1.0, own_charges, apart)};
  std::vector<NodeId> roots{energies[0].node, energies[1].node};
  for (std::uint32_t i = 0; i < 3; ++i) {
    roots.push_back(expr::derivative(own, (energies[0] + energies[1]).node, i));
  }
  const std::vector<NodeId> images{d.x.node, d.y.node, d.z.node, stiffness.node, length.node, charges.node};
  const std::vector<NodeId> nodes = expr::substitute(own, roots, graph, images);
  const Vector slope{{&graph, nodes[2]}, {&graph, nodes[3]}, {&graph, nodes[4]}};
  Vector force = -slope;
  if (!graph.is_constant(damping.node, 0.0)) {
    const Expression distance = norm(d), lengthening = dot(d, rate) / distance;
    force = force - damping * lengthening / distance * d;
    builder.give(Target::dissipated, damping * lengthening * lengthening);
  }
  push_center(builder, a, force, first);
  if (!fixed) push_center(builder, b, -force, second);
  builder.give(Target::elastic, {&graph, nodes[0]});
  builder.give(Target::potential, {&graph, nodes[1]});
  builder.check_planes(leaves);
  builder.finish(groups);
}

void build_pair_groups(const std::vector<ChainSpace>& spaces, const std::vector<Pair>& pairs,
                       std::vector<LawGroup>& groups, std::vector<char>& leaves) {
  std::map<std::pair<int, int>, std::vector<Pair>> by_chains;
  for (const Pair& pair : pairs) by_chains[{pair.first.chain, pair.second.chain}].push_back(pair);
  for (const auto& [chains, own] : by_chains) build_pair_group(spaces, own, groups, leaves);
}

// ---- magnetic moments of the links ------------------------------------------------------------------------

// All of them in one program of one lane, since each is magnetised by the sum of all fields:
//   V = -sum_{i<j} m_i . B_j(x_i) - sum_i chi_i vol_i/(2 mu0) (|B_ext + B_i|^2 - |B_ext|^2), B_i the others'
//   sum
void build_dipole_group(const Scene& scene, const ForceEntry& entry, const std::vector<ChainSpace>& spaces,
                        std::vector<LawGroup>& groups, std::vector<char>& leaves) {
  const std::vector<Attachment> masses = masses_for(scene, entry, is_magnetic);
  if (masses.size() < 2) return;
  constexpr std::uint32_t kPerMass = 6;  // x and u; the time comes before them
  const auto place_of = [](std::size_t i) { return 1 + kPerMass * static_cast<std::uint32_t>(i); };
  const auto link_of = [&](std::size_t i) -> const Link& {
    return scene.chains[static_cast<std::size_t>(masses[i].chain)]
        .links[static_cast<std::size_t>(masses[i].link)];
  };
  Graph own;
  const auto x = [&](std::size_t i) { return expr::variables(own, place_of(i)); };
  const auto moment = [&](std::size_t i) {
    const Link& link = link_of(i);
    return expr::constant(own, link.moment[0], link.moment[1], link.moment[2]) +
           link.moment_along * expr::variables(own, place_of(i) + 3);
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
    if (link_of(i).susceptibility * link_of(i).volume == 0.0) continue;
    Graph around;
    MassLaw law(around, scene.simulation.gravity);
    for (const ForceEntry& other : scene.forces) {
      const ForceLaw& kind = *find_force_law(other.kind);
      if (kind.surround != nullptr && acts_on(other, masses[i].chain, masses[i].link))
        kind.surround(other, law);
    }
    std::vector<NodeId> images(kLawVariables, expr::kNone);
    images[kLawTime] = own.variable(0);
    for (std::uint32_t k = 0; k < 3; ++k) images[kLawPosition + k] = own.variable(place_of(i) + k);
    const std::vector<NodeId> outside = expr::substitute(
        around, {law.magnetic.x.node, law.magnetic.y.node, law.magnetic.z.node}, own, images);
    const Vector external{{&own, outside[0]}, {&own, outside[1]}, {&own, outside[2]}};
    const Vector nothing = expr::constant(own, 0, 0, 0);
    const Expression susceptibility = expr::constant(own, link_of(i).susceptibility),
                     volume = expr::constant(own, link_of(i).volume);
    energy = energy + magnetic_energy(nothing, susceptibility, volume, external + field) -
             magnetic_energy(nothing, susceptibility, volume, external);
  }
  std::vector<NodeId> roots{energy.node, expr::derivative(own, energy.node, 0)};
  for (std::uint32_t v = 1; v < place_of(masses.size()); ++v) {
    roots.push_back(expr::derivative(own, energy.node, v));
  }
  GroupBuilder builder(1);
  std::vector<NodeId> images{builder.time().node};
  for (const Attachment& mass : masses) {
    const ChainSpace& space = spaces[static_cast<std::size_t>(mass.chain)];
    const Vector at = builder.center(space, {mass.link}), along = builder.link(space, {mass.link}).along;
    for (const NodeId node : {at.x.node, at.y.node, at.z.node, along.x.node, along.y.node, along.z.node})
      images.push_back(node);
  }
  const std::vector<NodeId> nodes = expr::substitute(own, roots, builder.graph, images);
  const auto slope = [&](std::size_t first) {
    const auto at = [&](std::size_t i) { return Expression{&builder.graph, nodes[first + i]}; };
    return Vector{at(0), at(1), at(2)};
  };
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const ChainSpace& space = spaces[static_cast<std::size_t>(masses[i].chain)];
    const std::vector<int> link{masses[i].link};
    push_center(builder, space, -slope(2 + kPerMass * i), link);
    if (link_of(i).moment_along == 0.0) continue;
    const GroupBuilder::LinkFrame frame = builder.link(space, link);
    builder.twist(space, -cross(frame.along, slope(2 + kPerMass * i + 3)), frame, link);
  }
  builder.give(Target::potential, {&builder.graph, nodes[0]});
  builder.give(Target::work, {&builder.graph, nodes[1]});
  builder.check_planes(leaves);
  builder.finish(groups);
}

}  // namespace

Forces::Forces(const Scene& scene, const std::vector<std::optional<Plane>>& planes)
    : leaves_plane_(scene.chains.size(), 0) {
  std::vector<ChainSpace> spaces;
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    spaces.push_back({scene.chains[c], planes[c], static_cast<int>(c)});
  }
  for (const ChainSpace& space : spaces) {
    build_mass_groups(scene, space, groups_, leaves_plane_);
    build_joint_group(space, groups_, leaves_plane_);
    build_axial_group(space, groups_);
  }
  std::vector<Pair> pairs = springs_of(scene);
  build_pair_groups(spaces, pairs, groups_, leaves_plane_);
  build_pair_groups(spaces, charge_pairs_of(scene), groups_, leaves_plane_);
  for (const ForceEntry& entry : scene.forces) {
    if (entry.kind == "dipoles") build_dipole_group(scene, entry, spaces, groups_, leaves_plane_);
  }
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

}  // namespace catena
