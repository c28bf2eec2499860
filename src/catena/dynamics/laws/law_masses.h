// What force laws act on: masses of chains' links and points of bodies, and what laws know of them.
#pragma once

#include <vector>

#include "catena/dynamics/laws/law_builder.h"

namespace catena {

struct Actors {
  Actors(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies);

  const Scene& scene;
  std::vector<ChainSpace> chains;
  BodySpace bodies;
};

// One for each lane of a program: links of one chain, or points of bodies (or at rest).
struct Masses {
  const ChainSpace* chain = nullptr;  // null: bodies
  std::vector<int> links = {};
  LawBuilder::Attachments attached = {};

  std::size_t count() const { return chain != nullptr ? links.size() : attached.size(); }
};

// All on the same chain, or none of them on a chain.
Masses masses_at(const Actors& actors, const std::vector<Attachment>& attachments);

expr::Vector place(LawBuilder& builder, const Masses& masses);
expr::Vector velocity(LawBuilder& builder, const Masses& masses);
expr::Vector rotation(LawBuilder& builder, const Masses& masses);
void push(LawBuilder& builder, const Masses& masses, const expr::Vector& force);
void twist(LawBuilder& builder, const Masses& masses, const expr::Vector& torque);

struct MassTraits {
  double mass = 0.0;
  double charge = 0.0;
  double drag_area = 0.0;
  double volume = 0.0;
  double susceptibility = 0.0;
  Vec3 moment{};              // fixed in space
  double moment_along = 0.0;  // along the link, or along `axis`
  Vec3 axis{0.0, 0.0, 1.0};   // unit vector in the body's frame; the moment itself in runs with more digits
  double mass_rest = 0.0;     // what the doubles cannot hold of what was written, or follows from it
  double volume_rest = 0.0;

  bool charged() const { return charge != 0.0; }
  bool magnetic() const { return moment_along != 0.0 || moment != Vec3{} || susceptibility * volume != 0.0; }
};

MassTraits traits_of(const Actors& actors, const Attachment& mass);
// Unit vectors that the moments are along: of the links, or of the bodies' axes.
expr::Vector direction(LawBuilder& builder, const Masses& masses, const std::vector<MassTraits>& traits);

bool acts_on_link(const ForceEntry& entry, int chain, int link);
bool acts_on_body(const ForceEntry& entry, int body);
// All that an entry acts on, at the point it names: bodies that stand for links are not among them.
std::vector<Attachment> acted_on(const Actors& actors, const ForceEntry& entry);

}  // namespace catena
