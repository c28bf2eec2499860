#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/base/words.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/io/scene/parts.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

// Of its length at rest: an elastic link that starts shorter has no direction to speak of.
constexpr double kShortestStart = 1e-6;

struct EntryOfLink {
  LinkEntry entry;
  const Node* node = nullptr;
  std::string owner;  // "link 2"
  bool sound = false;
};

// The value of a key if it is there, else the table itself: where to point when a key is at fault.
void check_start(const EntryOfLink& link, Mistakes& mistakes) {
  const Node& node = *link.node;
  if (link.entry.hinge == Vec3{})
    mistakes.add(spot_of(node, "hinge"), link.owner + ": hinge must not be zero");
  if (!link.entry.direction) {
    if (link.entry.rate && node.find("direction") == nullptr) {
      mistakes.add(spot_of(node, "rate"),
                   link.owner + ": rate needs a direction; with angles, give theta_dot and phi_dot");
    }
    return;
  }
  for (const char* key : {"theta", "phi", "theta_dot", "phi_dot", "theta_step", "phi_step"}) {
    if (node.find(key) == nullptr) continue;
    mistakes.add(spot_of(node, "direction"),
                 fmt::format("{}: give either direction (and rate) or angles, not both: here is also {}",
                             link.owner, key));
    break;
  }
  if (*link.entry.direction == Vec3{0.0, 0.0, 0.0}) {
    mistakes.add(spot_of(node, "direction"), link.owner + ": direction must not be zero");
  }
}

// What only elastic links have, and what they have not.
void check_kind(const EntryOfLink& link, ChainKind kind, Mistakes& mistakes) {
  const Node& node = *link.node;
  const LinkEntry& entry = link.entry;
  const auto complain = [&](const char* key, const std::string& what) {
    mistakes.add(spot_of(node, key), fmt::format("{}: {} {}", link.owner, key, what));
  };
  if (kind == ChainKind::rigid) {
    for (const char* key : {"stiffness", "stretch", "stretch_dot", "axial_damping"}) {
      if (node.find(key) == nullptr) continue;
      complain(key, "is for elastic chains; give the chain kind = \"elastic\", or leave it out");
    }
    return;
  }
  if (!entry.stiffness) complain("stiffness", "is missing; an elastic link needs it, a number in N/m");
  const char* at_the_end = "does not go with kind = \"elastic\", whose masses are points at the links' ends";
  if (entry.hinge) complain("hinge", "is for rigid chains; leave it out");
  if (entry.center_of_mass.value_or(1.0) != 1.0) complain("center_of_mass", at_the_end);
  if (entry.inertia.rod || entry.inertia.value != 0.0) complain("inertia", at_the_end);
  const double least = (kShortestStart - 1.0) * entry.length;
  if (entry.stretch < least) {
    complain("stretch", fmt::format("must leave a millionth of the length, at least {}, got {}",
                                    number_text(least), number_text(entry.stretch)));
  }
}

// `kind` is none where it could not be read.
EntryOfLink read_link(const Node& node, std::string owner, std::optional<ChainKind> kind,
                      Mistakes& mistakes) {
  EntryOfLink link;
  link.node = &node;
  link.owner = std::move(owner);
  const std::size_t before = mistakes.count();
  read_fields(node, link.owner, link_fields(), {}, link.entry, mistakes);
  check_start(link, mistakes);
  warn_of_lonely_keys(node, link.owner,
                      {{"friction_rate", "friction"}, {"theta_step", "repeat"}, {"phi_step", "repeat"}},
                      mistakes);
  if (kind && mistakes.count() == before) check_kind(link, *kind, mistakes);
  link.sound = mistakes.count() == before;
  return link;
}

// A hinge lets the link turn in the plane normal to its axis, so the link must lie in it.
void check_hinge(const EntryOfLink& from, const Link& link, Mistakes& mistakes) {
  constexpr double kAligned = 1e-12;
  const auto along_axis = [&](const Vec3& v) {
    const double size = std::max(1.0, length(v));
    const double along = v[0] * link.hinge[0] + v[1] * link.hinge[1] + v[2] * link.hinge[2];
    return std::fabs(along) > kAligned * size;
  };
  if (along_axis(start_direction(link))) {
    mistakes.add(spot_of(*from.node, "hinge"),
                 from.owner + ": hinge must be perpendicular to the link, which turns about it");
  } else if (along_axis(start_rate(link))) {
    mistakes.add(spot_of(*from.node, "hinge"),
                 from.owner + ": the link's rate at the start does not turn about the hinge's axis");
  }
}

// Adds the links that an entry stands for behind those that are there.
void expand(const EntryOfLink& from, std::vector<Link>& links, Mistakes& mistakes) {
  const int before = static_cast<int>(links.size());
  int parent = before - 1;
  if (from.entry.parent) {
    parent = *from.entry.parent - 1;
    if (parent >= before) {
      const std::string choice = before == 0 ? "0, the pivot"
                                 : before == 1
                                     ? "link 1, or 0 for the pivot"
                                     : fmt::format("a link before it, 1 to {}, or 0 for the pivot", before);
      mistakes.add(spot_of(*from.node, "parent"),
                   fmt::format("{}: parent must be {}, got {}", from.owner, choice, parent + 1));
      parent = before - 1;
    }
  }
  for (int i = 0; i < from.entry.repeat; ++i) {
    links.push_back(link_of(from.entry, i));
    links.back().parent = i == 0 ? parent : before + i - 1;
    if (from.entry.hinge && i == 0) check_hinge(from, links.back(), mistakes);
  }
}

bool turns_freely(const Link& link) { return link.center_of_mass == 0.0 && link.inertia == 0.0; }

// A link with its mass at its upper joint has no inertia of its own against turning. A child gives it one in
// all directions only when the child's mass sits at its own upper joint or the child has inertia; a point
// mass further down resists only along the child.
void check_motion_determined(const std::vector<Link>& links, const std::vector<const EntryOfLink*>& origins,
                             Mistakes& mistakes) {
  std::vector<bool> has_child(links.size());
  std::vector<bool> steadied(links.size());
  for (const Link& link : links) {
    if (link.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    has_child[parent] = true;
    if (link.center_of_mass == 0.0 || link.inertia > 0.0) steadied[parent] = true;
  }
  const EntryOfLink* reported = nullptr;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!turns_freely(links[i]) || steadied[i] || origins[i] == reported) continue;
    reported = origins[i];
    mistakes.add(
        spot_of(*origins[i]->node, "center_of_mass"),
        fmt::format(
            "{}: with center_of_mass = 0 and inertia = 0 {}, so its motion is undetermined; give it an "
            "inertia or a center_of_mass above 0",
            origins[i]->owner,
            has_child[i] ? "it has no inertia when it lines up with the link below"
                         : "nothing resists its turning"));
  }
}

// What links solved as bodies cannot have. `why` says why they are: "formulation 'multibody'", "end".
void check_links_as_bodies(const SharedPlace& spot, const std::string& owner, const std::string& why,
                           const Chain& chain, const std::vector<const EntryOfLink*>& origins,
                           Mistakes& mistakes) {
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const Link& link = chain.links[i];
    std::string what;
    if (link.hinge != Vec3{}) what = "a hinge fixed in space; use bodies with revolute joints";
    if (link.center_of_mass < 1.0 && link.inertia == 0.0)
      what = "its mass along it but no inertia; give it an inertia, or center_of_mass = 1";
    const bool law = link.damping != Vec3{} || link.friction > 0.0 || link.joint_stiffness > 0.0;
    if (chain.carrier && link.parent < 0 && law)
      what = "damping, friction or stiffness at a joint on a body; use bodies and joints there";
    if (what.empty()) continue;
    mistakes.add(
        spot, fmt::format("{}: {} does not go with {}, which has {}", owner, why, origins[i]->owner, what));
    return;
  }
}

// What chains solved as bodies cannot do; by formulation, or because of what holds them.
void check_as_bodies(const Node& node, const std::string& owner, const std::string& formulation,
                     const Chain& chain, const std::vector<const EntryOfLink*>& origins, Mistakes& mistakes) {
  if (!chain.as_bodies()) return;
  const bool by_name = formulation == "multibody";
  const std::string why = by_name ? "formulation 'multibody'" : chain.end ? "end" : "a body as pivot";
  const SharedPlace& spot = spot_of(node, by_name ? "formulation" : chain.end ? "end" : "pivot");
  const auto complain = [&](const std::string& what) {
    mistakes.add(spot, fmt::format("{}: {} {}", owner, why, what));
  };
  if (chain.kind == ChainKind::elastic)
    return complain("is for rigid chains; to hold an elastic one, use springs between bodies");
  if (!formulation.empty() && !by_name) {
    return complain(fmt::format(
        "does not go with formulation '{}': such chains are solved as 'multibody'; leave formulation out",
        formulation));
  }
  check_links_as_bodies(spot, owner, why, chain, origins, mistakes);
}

// A chain that rests on both ends must reach from one to the other.
void check_reach(const Node& node, const std::string& owner, const Chain& chain, Mistakes& mistakes) {
  if (!chain.end || chain.end->body >= 0 || chain.carrier) return;
  double reach = 0.0;
  for (int k = static_cast<int>(chain.links.size()) - 1; k >= 0;
       k = chain.links[static_cast<std::size_t>(k)].parent)
    reach += chain.links[static_cast<std::size_t>(k)].length;
  const Vec3 &a = chain.pivot, &b = chain.end->point;
  const double distance = length(a - b);
  if (distance < reach) return;
  mistakes.add(
      spot_of(node, "end"),
      fmt::format("{}: end is {} m from the pivot, and the links reach {} m; they must reach farther", owner,
                  number_text(distance), number_text(reach)));
}

// What a formulation cannot do: most have point masses at the ends of links that hang in one line, and those
// with dense matrices are for chains of moderate length.
void check_formulation(const Node& chain, const std::string& owner, const std::string& name,
                       const std::vector<Link>& links, const std::vector<const EntryOfLink*>& origins,
                       Mistakes& mistakes) {
  const FormulationInfo& info = formulation_info(formulation_named(name));
  if (info.any_links) return;
  const SharedPlace& spot = spot_of(chain, "formulation");
  for (std::size_t i = 0; i < links.size(); ++i) {
    std::string why;
    if (links[i].center_of_mass < 1.0) why = "center_of_mass below 1";
    if (links[i].inertia > 0.0) why = "inertia";
    if (links[i].hinge != Vec3{}) why = "a hinge";
    if (links[i].parent != static_cast<int>(i) - 1) why = "a parent other than the link before";
    if (why.empty()) continue;
    mistakes.add(spot, fmt::format("{}: formulation '{}' is for point masses in one line, but {} has {}; use "
                                   "'articulated', or leave formulation out",
                                   owner, name, origins[i]->owner, why));
    return;
  }
  if (info.dense && links.size() > kMostDenseLinks) {
    mistakes.add(spot, fmt::format("{}: formulation '{}' solves dense matrices, for {} links at most, and "
                                   "there are {}; use 'tension', or leave formulation out",
                                   owner, name, kMostDenseLinks, links.size()));
  }
  if (const Node* plane = chain.find("plane");
      info.in_space != nullptr && plane != nullptr && plane->text() != nullptr && *plane->text() == "none") {
    mistakes.add(spot_of(chain, "plane"),
                 fmt::format("{}: formulation '{}' is for motion in a plane and does not go with plane = "
                             "\"none\"; use {}, or leave plane out",
                             owner, name, info.in_space));
  }
}

std::vector<EntryOfLink> read_links(const Node& chain, const std::string& prefix, const std::string& owner,
                                    std::optional<ChainKind> kind, Mistakes& mistakes) {
  std::vector<EntryOfLink> entries;
  const Node* links = chain.find("links");
  if (links == nullptr || (links->list() != nullptr && links->list()->empty())) {
    mistakes.add(links != nullptr ? links->spot : chain.spot,
                 owner + ": there are no links; a chain needs at least one, with length and mass");
    return entries;
  }
  if (links->list() == nullptr) {
    mistakes.add(links->spot,
                 fmt::format("{}: links must be a list of tables, got {}; write [[{}.links]] with "
                             "double brackets",
                             owner, described(*links), prefix.empty() ? "chain" : "chains"));
    return entries;
  }
  entries.reserve(links->list()->size());
  for (const Node& node : *links->list()) {
    if (mistakes.full()) break;
    entries.push_back(read_link(node, fmt::format("{}link {}", prefix, entries.size() + 1), kind, mistakes));
  }
  return entries;
}

// Counts links over all chains of a scene, against the limit.
class LinkCount {
 public:
  bool add(const std::vector<EntryOfLink>& entries, Mistakes& mistakes) {
    for (const EntryOfLink& link : entries) {
      count_ += link.entry.repeat;
      if (count_ <= kMostLinks) continue;
      mistakes.add(spot_of(*link.node, "repeat"),
                   fmt::format("{}: the scene has more than {} links here, which is the limit", link.owner,
                               kMostLinks));
      return false;
    }
    return true;
  }

 private:
  long long count_ = 0;
};

std::optional<ChainKind> kind_named(const std::string& name) {
  if (name == "rigid") return ChainKind::rigid;
  if (name == "elastic") return ChainKind::elastic;
  return std::nullopt;
}

// The body that `key` names, with its point.
std::optional<Hold> hold_on(const Node& chain, const char* key, const std::string& owner,
                            const std::string& name, const Vec3& point, const std::vector<Body>& bodies,
                            Mistakes& mistakes) {
  const SharedPlace& spot = spot_of(chain, key);
  std::vector<std::string> names;
  for (const Body& body : bodies) names.push_back(body.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string guess = did_you_mean(name, names);
    mistakes.add(spot, fmt::format("{}: {}: there is no body {}{}", owner, key, in_quotes(name),
                                   !guess.empty()  ? guess
                                   : names.empty() ? "; a place is three numbers, [x, y, z]"
                                                   : fmt::format("; known are {}", fmt::join(names, ", "))));
    return std::nullopt;
  }
  const Body& body = bodies[static_cast<std::size_t>(found - names.begin())];
  if (body.point && point != Vec3{}) {
    mistakes.add(spot_of(chain, std::string(key) + "_point"),
                 fmt::format("{}: {}_point does not go with body '{}', which is a point; leave it out", owner,
                             key, name));
  }
  return Hold{static_cast<int>(found - names.begin()), point, place_of(spot)};
}

// What holds the chain's ends where that is more than a resting pivot.
void set_holds(const Node& node, const std::string& owner, const ChainEntry& entry,
               const std::vector<Body>& bodies, Chain& chain, Mistakes& mistakes) {
  const auto check_point = [&](const char* key, const Vec3& point, bool is_body) {
    if (is_body || point == Vec3{}) return;
    mistakes.add(
        spot_of(node, std::string(key) + "_point"),
        fmt::format("{}: {}_point is a point of a body, and {} names none; leave it out", owner, key, key));
  };
  check_point("pivot", entry.pivot_point, !entry.pivot.body.empty());
  check_point("end", entry.end_point, entry.end && !entry.end->body.empty());
  if (!entry.pivot.body.empty()) {
    chain.carrier = hold_on(node, "pivot", owner, entry.pivot.body, entry.pivot_point, bodies, mistakes);
    if (chain.carrier) {
      const Body& body = bodies[static_cast<std::size_t>(chain.carrier->body)];
      const Vec3 arm = rotated(body.orientation, chain.carrier->point);
      for (std::size_t i = 0; i < 3; ++i) chain.pivot[i] = body.position[i] + arm[i];
    }
  }
  if (!entry.end) return;
  chain.end = entry.end->body.empty()
                  ? Hold{-1, entry.end->point, place_of(spot_of(node, "end"))}
                  : hold_on(node, "end", owner, entry.end->body, entry.end_point, bodies, mistakes);
}

// The place at t = 0 of a pivot that moves is where the chain starts from.
void set_pivot(const Node& chain_node, const std::string& owner, const WrittenPivot& written, Chain& chain,
               Mistakes& mistakes) {
  chain.pivot = written.start;
  if (!given(written.motion)) return;
  const Node* node = chain_node.find("pivot");
  FieldInfo field;
  field.name = "pivot";
  field.variables = {"t"};
  const std::size_t before = mistakes.count();
  for (const Node& component : *node->list()) check_formula({component, field, owner, mistakes}, {});
  if (mistakes.count() > before) return;
  chain.pivot_motion = written.motion;
  for (std::size_t i = 0; i < 3; ++i) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, written.motion[i], {{"t"}, {}});
    const double start = 0.0;
    expr::Program(graph, {parsed.node}, 1).evaluate(&start, 1, &chain.pivot[i]);
    if (std::isfinite(chain.pivot[i])) continue;
    mistakes.add((*node->list())[i].spot, fmt::format("{}: pivot[{}] is not finite at t = 0", owner, i + 1));
  }
}

// One chain; `prefix` leads the names of its links in messages ("chain 'a', ").
Chain read_chain(const Node& node, const std::string& owner, const std::string& prefix,
                 const std::vector<Body>& bodies, LinkCount& count, Mistakes& mistakes) {
  Chain chain;
  ChainEntry entry;
  const std::size_t before = mistakes.count();
  read_fields(node, owner, chain_fields(), {"links"}, entry, mistakes);
  if (node.table() == nullptr) return chain;
  const std::optional<ChainKind> kind = kind_named(entry.kind);
  const std::vector<EntryOfLink> entries = read_links(node, prefix, owner, kind, mistakes);
  chain.name = entry.name;
  chain.kind = kind.value_or(ChainKind::rigid);
  chain.formulation = formulation_named(entry.formulation);
  chain.formulation_place = place_of(spot_of(node, "formulation"));
  set_pivot(node, owner, entry.pivot, chain, mistakes);
  set_holds(node, owner, entry, bodies, chain, mistakes);
  chain.velocity_damping = entry.velocity_damping;
  chain.slack = entry.slack;
  chain.plane_allowed = entry.plane != "none";
  const bool sound = std::all_of(entries.begin(), entries.end(), [](const auto& link) { return link.sound; });
  if (chain.kind == ChainKind::elastic && node.find("formulation") != nullptr) {
    mistakes.add(spot_of(node, "formulation"),
                 owner + ": formulation is for rigid chains; elastic ones have one only, leave it out");
  }
  if (chain.slack && chain.kind == ChainKind::rigid) {
    mistakes.add(spot_of(node, "slack"),
                 owner + ": slack is for elastic chains; give it kind = \"elastic\", or leave slack out");
  }
  if (!sound || !count.add(entries, mistakes)) return chain;

  std::vector<const EntryOfLink*> origins;
  for (const EntryOfLink& link : entries) {
    expand(link, chain.links, mistakes);
    origins.resize(chain.links.size(), &link);
  }
  if (mistakes.count() > before) return chain;
  check_motion_determined(chain.links, origins, mistakes);
  check_formulation(node, owner, entry.formulation, chain.links, origins, mistakes);
  check_as_bodies(node, owner, entry.formulation, chain, origins, mistakes);
  check_reach(node, owner, chain, mistakes);
  return chain;
}

void check_name(const Node& chain, const std::string& owner, std::set<std::string>& names,
                Mistakes& mistakes) {
  const Node* node = chain.find("name");
  if (node == nullptr) {
    mistakes.add(chain.spot, owner + ": name is missing; each of [[chains]] needs its own");
    return;
  }
  if (node->text() == nullptr) return;  // reported with the other fields
  const std::string& name = *node->text();
  if (!is_name(name)) {
    mistakes.add(node->spot,
                 fmt::format("{}: name {} must begin with a letter and have only letters, digits, _ and -",
                             owner, in_quotes(name)));
  } else if (name == "total" || name == "ground") {
    mistakes.add(node->spot, fmt::format("{}: the name '{}' is taken; choose another", owner, name));
  } else if (!names.insert(name).second) {
    mistakes.add(node->spot, fmt::format("{}: the name {} is given to two chains", owner, in_quotes(name)));
  }
}

std::vector<Chain> read_several(const Node& list, const std::vector<Body>& bodies, Mistakes& mistakes) {
  std::vector<Chain> chains;
  if (list.list() == nullptr) {
    mistakes.add(list.spot,
                 fmt::format("chains must be a list of tables, got {}; write [[chains]] with double "
                             "brackets, or [chain] for a single one",
                             described(list)));
    return chains;
  }
  if (list.list()->empty()) mistakes.add(list.spot, "chains is empty; a scene needs at least one chain");
  std::set<std::string> names;
  LinkCount count;
  for (const Node& node : *list.list()) {
    if (mistakes.full()) break;
    const std::string owner = fmt::format("chain {}", chains.size() + 1);
    if (node.table() != nullptr) check_name(node, owner, names, mistakes);
    chains.push_back(read_chain(node, owner, owner + ", ", bodies, count, mistakes));
  }
  return chains;
}

}  // namespace

std::vector<Chain> read_chains(const Node& scene, const std::vector<Body>& bodies, Mistakes& mistakes) {
  const Node* chain = scene.find("chain");
  const Node* chains = scene.find("chains");
  if (chain != nullptr && chains != nullptr) {
    mistakes.add(chains->spot, "give either one [chain] or several [[chains]], not both");
  }
  if (chain == nullptr && chains == nullptr && scene.find("bodies") == nullptr &&
      scene.find("lagrangian") == nullptr && scene.find("equations") == nullptr) {
    mistakes.add(scene.spot,
                 "there is no chain; a scene needs a [chain] with [[chain.links]], several [[chains]], "
                 "[[bodies]], a [lagrangian] or [equations]");
  }
  std::vector<Chain> read;
  if (chain != nullptr) {
    if (const Node* name = chain->find("name")) {
      mistakes.add(name->spot, "chain: only [[chains]] have names; leave name out");
    }
    LinkCount count;
    read.push_back(read_chain(*chain, "chain", "", bodies, count, mistakes));
  }
  if (chains != nullptr) {
    for (Chain& one : read_several(*chains, bodies, mistakes)) read.push_back(std::move(one));
  }
  return read;
}

}  // namespace catena
