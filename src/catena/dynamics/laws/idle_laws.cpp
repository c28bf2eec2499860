#include "catena/dynamics/laws/idle_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "catena/base/words.h"
#include "catena/expr/substitute.h"
#include "catena/model/force_laws.h"

namespace catena {
namespace {

using expr::Graph;
using expr::NodeId;
using Entries = std::vector<const ForceEntry*>;

// Which of the law's variables are zero for a mass, so that they take what they multiply with them.
using Zeros = std::array<bool, kLawVariables>;

Zeros zeros_of(const MassTraits& traits) {
  Zeros zero{};
  zero[kLawMass] = traits.mass == 0.0;
  zero[kLawCharge] = traits.charge == 0.0;
  zero[kLawArea] = traits.drag_area == 0.0;
  zero[kLawVolume] = traits.volume == 0.0;
  zero[kLawSusceptibility] = traits.susceptibility == 0.0;
  zero[kLawMomentAlong] = traits.moment_along == 0.0;
  for (std::uint32_t i = 0; i < 3; ++i) zero[kLawMoment + i] = traits.moment[i] == 0.0;
  return zero;
}

// Force and torque on such a mass, simplified.
std::vector<NodeId> felt(const Vec3& gravity, const Entries& entries, const Zeros& zero, Graph& into) {
  Graph own;
  MassLaw law(own, gravity);
  add_laws(entries, law);
  respond_to_fields(law);
  std::vector<NodeId> images;
  for (std::uint32_t v = 0; v < kLawVariables; ++v)
    images.push_back(zero[v] ? into.constant(0.0) : into.variable(v));
  return expr::substitute(own,
                          {law.force.x.node, law.force.y.node, law.force.z.node, law.torque.x.node,
                           law.torque.y.node, law.torque.z.node},
                          into, images);
}

// Whether force and torque are the same without the entry. Equal expressions are one node.
bool is_idle(const Vec3& gravity, const Entries& entries, const ForceEntry* entry, Zeros zero) {
  if (entry->kind == "velocity-damping") zero[kLawMass] = false;  // without mass it still slows turning
  Entries others = entries;
  std::erase(others, entry);
  Graph both;
  return felt(gravity, entries, zero, both) == felt(gravity, others, zero, both);
}

bool is_fixed(const Scene& scene, const Attachment& mass) {
  return mass.chain < 0 &&
         (mass.body < 0 || scene.mechanism.bodies[static_cast<std::size_t>(mass.body)].fixed);
}

// Looks at masses of a kind once: those that are alike in what acts on them and in what they have.
class Looker {
 public:
  explicit Looker(const Actors& actors) : actors_(actors) {}

  bool feels(const ForceEntry& entry, const Attachment& mass) {
    if (is_fixed(actors_.scene, mass)) return false;
    Entries entries;
    for (const ForceEntry& other : actors_.scene.forces) {
      const ForceLaw& kind = *find_force_law(other.kind);
      const bool acts =
          mass.chain >= 0 ? acts_on_link(other, mass.chain, mass.link) : acts_on_body(other, mass.body);
      if (acts && (kind.act != nullptr || kind.surround != nullptr)) entries.push_back(&other);
    }
    const Zeros zero = zeros_of(traits_of(actors_, mass));
    const auto [found, is_new] = known_.try_emplace({&entry, entries, zero}, true);
    if (is_new) found->second = !is_idle(actors_.scene.simulation.gravity, entries, &entry, zero);
    return found->second;
  }

 private:
  const Actors& actors_;
  std::map<std::tuple<const ForceEntry*, Entries, Zeros>, bool> known_;
};

// "charge", "drag_area", ..: what a law acts through, as scenes call it.
std::vector<std::string> trait_names(const ForceLaw& law) {
  const std::pair<std::uint32_t, const char*> names[] = {
      {kLawMass, "mass"},     {kLawCharge, "charge"}, {kLawArea, "drag_area"},
      {kLawVolume, "volume"}, {kLawMoment, "moment"}, {kLawSusceptibility, "susceptibility"}};
  std::vector<std::string> out;
  for (const auto& [variable, name] : names) {
    if (std::find(law.acts_through.begin(), law.acts_through.end(), variable) != law.acts_through.end())
      out.emplace_back(name);
  }
  return out;
}

bool has_some(const ForceLaw& law, const MassTraits& traits) {
  Zeros zero = zeros_of(traits);
  for (const std::uint32_t v : {kLawMomentAlong + 0u, kLawMoment + 1u, kLawMoment + 2u})
    zero[kLawMoment] = zero[kLawMoment] && zero[v];
  return std::any_of(law.acts_through.begin(), law.acts_through.end(),
                     [&](std::uint32_t v) { return !zero[v]; });
}

// Why an entry that acts through something of the masses changes nothing.
std::string reason(const Actors& actors, const ForceEntry& entry, const std::vector<Attachment>& masses) {
  const ForceLaw& law = *find_force_law(entry.kind);
  if (std::all_of(masses.begin(), masses.end(),
                  [&](const Attachment& m) { return is_fixed(actors.scene, m); }))
    return "all that it acts on is fixed";
  if (entry.kind == "wind")
    return "there is no drag, through which it would act; add a force of kind \"drag\"";
  const std::vector<std::string> names = trait_names(law);
  const bool lacking = std::none_of(masses.begin(), masses.end(), [&](const Attachment& mass) {
    return has_some(law, traits_of(actors, mass));
  });
  if (names.empty() || !lacking) return "it is zero as it stands";
  const char* here = law.has("area") ? ", or area here" : law.has("volume") ? ", or volume here" : "";
  return fmt::format("nothing that it acts on has {0}; give {0} to links or bodies{1}", alternatives(names),
                     here);
}

// Of the names in `on`, those of which no mass feels the law.
std::vector<std::string> idle_names(const Actors& actors, const ForceEntry& entry, Looker& looker) {
  std::vector<std::string> idle;
  std::size_t body = 0, link = 0;
  for (const std::string& name : entry.names) {
    std::vector<Attachment> masses;
    const auto& bodies = actors.scene.mechanism.bodies;
    const bool is_body =
        std::any_of(bodies.begin(), bodies.end(), [&](const Body& one) { return one.name == name; });
    if (is_body) {
      masses.push_back({.body = entry.on_bodies[body++]});
    } else {
      const int chain = entry.on[link].chain;
      const std::size_t count = name.find('.') != std::string::npos
                                    ? 1
                                    : actors.scene.chains[static_cast<std::size_t>(chain)].links.size();
      for (std::size_t i = 0; i < count; ++i, ++link)
        masses.push_back({.chain = chain, .link = entry.on[link].link});
    }
    if (std::none_of(masses.begin(), masses.end(),
                     [&](const Attachment& m) { return looker.feels(entry, m); }))
      idle.push_back("'" + name + "'");
  }
  return idle;
}

// ---- laws between masses ----------------------------------------------------------------------------------

bool some_move(const Actors& actors, const std::vector<Attachment>& masses) {
  return std::any_of(masses.begin(), masses.end(),
                     [&](const Attachment& m) { return !is_fixed(actors.scene, m); });
}

std::string idle_spring(const Actors& actors, const ForceEntry& entry) {
  if (!some_move(actors, {entry.between[0], entry.between[1]})) return "both of its ends are fixed";
  return entry.stiffness == 0.0 && entry.damping == 0.0 ? "it has neither stiffness nor damping" : "";
}

std::string idle_among(const Actors& actors, const ForceEntry& entry) {
  const bool electric = entry.kind == "coulomb";
  std::vector<Attachment> masses;
  bool has_source = false;
  for (const Attachment& mass : acted_on(actors, entry)) {
    const MassTraits traits = traits_of(actors, mass);
    if (electric ? !traits.charged() : !traits.magnetic()) continue;
    has_source = has_source || electric || traits.moment_along != 0.0 || traits.moment != Vec3{};
    masses.push_back(mass);
  }
  if (masses.size() >= 2 && has_source) {
    if (!some_move(actors, masses)) return "all that it acts on is fixed";
    return electric && entry.constant == 0.0 ? "its constant is zero" : "";
  }
  return electric
             ? "it needs two links or bodies with charge"
             : "it needs two links or bodies with moment, or one and another with susceptibility and volume";
}

}  // namespace

std::vector<Warning> idle_laws(const Actors& actors) {
  std::vector<Warning> out;
  Looker looker(actors);
  for (std::size_t i = 0; i < actors.scene.forces.size(); ++i) {
    const ForceEntry& entry = actors.scene.forces[i];
    const ForceLaw& law = *find_force_law(entry.kind);
    const std::string owner = fmt::format("force {} ({})", i + 1, entry.kind);
    const auto warn = [&](const std::string& why) {
      if (!why.empty()) out.push_back({entry.place, fmt::format("{} acts on nothing: {}", owner, why)});
    };
    if (law.act == nullptr && law.surround == nullptr) {
      warn(law.has("between") ? idle_spring(actors, entry) : idle_among(actors, entry));
      continue;
    }
    const std::vector<Attachment> masses = acted_on(actors, entry);
    if (std::none_of(masses.begin(), masses.end(),
                     [&](const Attachment& m) { return looker.feels(entry, m); })) {
      warn(reason(actors, entry, masses));
    } else if (const auto idle = idle_names(actors, entry, looker); !idle.empty()) {
      out.push_back({entry.place, fmt::format("{} does nothing to {}", owner, fmt::join(idle, ", "))});
    }
  }
  return out;
}

}  // namespace catena
