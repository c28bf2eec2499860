// [[forces]]: laws with their fields, and the links and bodies that they name.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"
#include "catena/model/force_laws.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

// What forces may act on: chains by the names that forces use (the only chain is "chain"), and bodies.
struct Actors {
  const std::vector<Chain>& chains;
  const std::vector<Body>& bodies;

  std::vector<std::string> chain_names() const {
    std::vector<std::string> names;
    for (const Chain& chain : chains) names.push_back(chain.name.empty() ? "chain" : chain.name);
    return names;
  }
};

// A body, a link, or a whole chain.
struct Named {
  int body = -1;
  int chain = -1;
  std::optional<int> link = std::nullopt;  // none: all of them
};

// "crank", "chain.2", "a.7" or "a".
std::optional<Named> find_actor(const std::string& name, const Actors& actors, std::string& why) {
  for (std::size_t b = 0; b < actors.bodies.size(); ++b) {
    if (actors.bodies[b].name == name) return Named{.body = static_cast<int>(b)};
  }
  const std::vector<std::string> names = actors.chain_names();
  const std::size_t point = name.rfind('.');
  const std::string owner = name.substr(0, point);
  const auto found = std::find(names.begin(), names.end(), owner);
  if (found == names.end()) {
    std::vector<std::string> known = names;
    for (const Body& body : actors.bodies) known.push_back(body.name);
    const std::string guess = did_you_mean(owner, known);
    why = fmt::format("there is no {}{}", in_quotes(owner),
                      guess.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : guess);
    return std::nullopt;
  }
  Named named{.chain = static_cast<int>(found - names.begin())};
  if (point == std::string::npos) return named;
  const std::size_t links = actors.chains[static_cast<std::size_t>(named.chain)].links.size();
  int link = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + point + 1, end, link);
  if (error != std::errc() || rest != end || link < 1 || static_cast<std::size_t>(link) > links) {
    why = fmt::format("{} is no link: {} has links 1 to {}", in_quotes(name), owner, links);
    return std::nullopt;
  }
  named.link = link - 1;
  return named;
}

void resolve_names(const Node& node, const std::string& owner, const Actors& actors, ForceEntry& entry,
                   Mistakes& mistakes) {
  for (std::size_t i = 0; i < entry.names.size(); ++i) {
    std::string why;
    const auto named = find_actor(entry.names[i], actors, why);
    if (!named) {
      mistakes.add((*node.find("on")->list())[i].spot, fmt::format("{}: on: {}", owner, why));
      continue;
    }
    if (named->body >= 0) {
      entry.on_bodies.push_back(named->body);
      continue;
    }
    const auto count = static_cast<int>(actors.chains[static_cast<std::size_t>(named->chain)].links.size());
    for (int link = named->link.value_or(0); link <= named->link.value_or(count - 1); ++link) {
      entry.on.push_back({named->chain, link});
    }
  }
}

// Links have no frame that a point could be given in, and points no extent.
void check_point(const Node& node, const std::string& owner, const Actors& actors, const ForceEntry& entry,
                 Mistakes& mistakes) {
  if (!entry.point) return;
  const auto complain = [&](const std::string& what) {
    mistakes.add(node.find("point")->spot, fmt::format("{}: point {}", owner, what));
  };
  if (actors.bodies.empty()) return complain("is a point of bodies, and there are none; leave it out");
  if (!entry.on.empty()) return complain("is for bodies, but `on` names links; give each its own force");
  for (const int b : entry.on_bodies) {
    const Body& body = actors.bodies[static_cast<std::size_t>(b)];
    if (!body.point || *entry.point == Vec3{}) continue;
    return complain(fmt::format("does not go with body '{}', which is a point; leave it out", body.name));
  }
}

void resolve_ends(const Node& node, const std::string& owner, const Actors& actors, ForceEntry& entry,
                  Mistakes& mistakes) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& name = entry.ends[i].name;
    Attachment& end = entry.between[i];
    const Vec3 point = entry.end_points ? (*entry.end_points)[i] : Vec3{};
    end.point = name.empty() ? entry.ends[i].point : point;
    end.point_rest = rest_of(decimals_of(end.point), end.point);
    if (name == "ground") continue;
    std::string why;
    const auto named = name.empty() ? std::nullopt : find_actor(name, actors, why);
    if (named && named->body >= 0) {
      end.body = named->body;
      continue;
    }
    if (point != Vec3{}) {
      mistakes.add(
          (*node.find("points")->list())[i].spot,
          fmt::format("{}: points[{}] is of a body, but that end is none; write [0, 0, 0]", owner, i + 1));
    }
    if (name.empty()) continue;
    if (named && named->link) {
      end.chain = named->chain;
      end.link = *named->link;
      continue;
    }
    if (named) why = fmt::format("{} is a whole chain; name one of its links", in_quotes(name));
    mistakes.add((*node.find("between")->list())[i].spot, fmt::format("{}: between: {}", owner, why));
  }
}

void check_formulas(const Node& node, const std::string& owner, const std::vector<Field<ForceEntry>>& fields,
                    const Parameters& parameters, Mistakes& mistakes) {
  for (const Field<ForceEntry>& field : fields) {
    const Node* value = node.find(field.name);
    if (value == nullptr) continue;
    if (field.kind == Kind::formula) check_formula({*value, field, owner, mistakes}, parameters);
    if (field.kind != Kind::formulas) continue;
    for (const Node& component : *value->list())
      check_formula({component, field, owner, mistakes}, parameters);
  }
}

// Parameters must have names that formulas of forces, of whatever kind, do not know already.
void check_own_parameters(const Node& node, const std::string& owner,
                          const std::vector<Field<ForceEntry>>& fields, Mistakes& mistakes) {
  const Node* parameters = node.find("parameters");
  if (parameters == nullptr || parameters->table() == nullptr) return;
  std::vector<std::string> variables, formulas;
  for (const Field<ForceEntry>& field : force_fields())
    variables.insert(variables.end(), field.variables.begin(), field.variables.end());
  for (const Field<ForceEntry>& field : fields) {
    const Node* value = node.find(field.name);
    const bool is_formula = field.kind == Kind::formula || field.kind == Kind::formulas;
    if (value == nullptr || !is_formula) continue;
    if (value->text() != nullptr) formulas.push_back(*value->text());
    if (value->list() == nullptr) continue;
    for (const Node& component : *value->list()) {
      if (component.text() != nullptr) formulas.push_back(*component.text());
    }
  }
  check_parameters(*parameters, owner, variables, mistakes);
  warn_of_unused(*parameters, owner, formulas, mistakes);
}

std::vector<Field<ForceEntry>> fields_of(const ForceLaw& law) {
  std::vector<Field<ForceEntry>> own;
  for (const Field<ForceEntry>& field : force_fields()) {
    if (!law.has(field.name)) continue;
    own.push_back(field);
    own.back().required = law.needs(field.name);
  }
  return own;
}

ForceEntry read_force(const Node& node, const std::string& owner, const Actors& actors, Mistakes& mistakes) {
  ForceEntry entry;
  if (!is_table(node, owner, mistakes)) return entry;
  const Node* kind = node.find("kind");
  const ForceLaw* law = kind != nullptr && kind->text() != nullptr ? find_force_law(*kind->text()) : nullptr;
  if (law == nullptr) {
    if (kind == nullptr || kind->text() == nullptr) {
      mistakes.add(kind != nullptr ? kind->spot : node.spot,
                   fmt::format("{}: kind is missing; it must be one of {}", owner,
                               fmt::join(force_law_kinds(), ", ")));
    } else {
      FieldInfo field;
      field.name = "kind";
      check_choice({*kind, field, owner, mistakes}, *kind->text(), force_law_kinds());
    }
    return entry;
  }
  const std::vector<Field<ForceEntry>> fields = fields_of(*law);
  const std::size_t before = mistakes.count();
  entry.place = place_of(node.spot);
  for (const char* key : {"velocity", "field", "torque", "force", "potential"}) {
    if (const Node* formula = node.find(key)) entry.place = place_of(formula->spot);
  }
  read_fields(node, owner, fields, {}, entry, mistakes);
  if (mistakes.count() > before) return entry;
  check_own_parameters(node, owner, fields, mistakes);
  check_formulas(node, owner, fields, entry.parameters, mistakes);
  warn_of_lonely_keys(node, owner, {{"ground", "height"}, {"exponent", "height"}}, mistakes);
  resolve_names(node, owner, actors, entry, mistakes);
  check_point(node, owner, actors, entry, mistakes);
  if (law->has("between")) resolve_ends(node, owner, actors, entry, mistakes);
  if (law->complaint == nullptr) return entry;
  if (const std::string why = law->complaint(entry); !why.empty()) {
    mistakes.add(node.spot, fmt::format("{}: {}", owner, why));
  }
  return entry;
}

}  // namespace

std::vector<ForceEntry> read_forces(const Node& scene, const std::vector<Chain>& chains,
                                    const std::vector<Body>& bodies, Mistakes& mistakes) {
  std::vector<ForceEntry> forces;
  const Node* node = scene.find("forces");
  if (node == nullptr) return forces;
  if (node->list() == nullptr) {
    mistakes.add(node->spot,
                 fmt::format("forces must be a list of tables, got {}; write [[forces]] with double "
                             "brackets",
                             described(*node)));
    return forces;
  }
  for (const Node& entry : *node->list()) {
    if (mistakes.full()) break;
    const std::string owner = fmt::format("force {}", forces.size() + 1);
    forces.push_back(read_force(entry, owner, {chains, bodies}, mistakes));
  }
  return forces;
}

}  // namespace catena
