#include "catena/dynamics/laws/law_masses.h"

#include <algorithm>
#include <cmath>

#include "catena/math/decimal.h"
#include "catena/model/placement_digits.h"

namespace catena {

Actors::Actors(const Scene& of, const std::vector<std::optional<Plane>>& planes, const Union& united)
    : scene(of), bodies(united.mechanism) {
  bodies.decimals = of.simulation.precision != "double";
  for (std::size_t c = 0; c < of.chains.size(); ++c) {
    const ChainBodies* as_bodies = united.chains[c] ? &*united.chains[c] : nullptr;
    chains.push_back({of.chains[c], planes[c], static_cast<int>(c), as_bodies});
  }
}

Masses masses_at(const Actors& actors, const std::vector<Attachment>& attachments) {
  Masses out;
  if (attachments.front().chain < 0) {
    out.attached = attachments;
    return out;
  }
  out.chain = &actors.chains[static_cast<std::size_t>(attachments.front().chain)];
  for (const Attachment& mass : attachments) out.links.push_back(mass.link);
  return out;
}

expr::Vector place(LawBuilder& builder, const Masses& masses) {
  return masses.chain != nullptr ? builder.center(*masses.chain, masses.links)
                                 : builder.place(masses.attached);
}

expr::Vector velocity(LawBuilder& builder, const Masses& masses) {
  return masses.chain != nullptr ? builder.center_velocity(*masses.chain, masses.links)
                                 : builder.velocity(masses.attached);
}

expr::Vector rotation(LawBuilder& builder, const Masses& masses) {
  if (masses.chain == nullptr) return builder.rotation(masses.attached);
  const LawBuilder::LinkFrame frame = builder.link(*masses.chain, masses.links);
  return cross(frame.along, frame.rate);
}

expr::Vector direction(LawBuilder& builder, const Masses& masses, const std::vector<MassTraits>& traits) {
  if (masses.chain != nullptr) return builder.link(*masses.chain, masses.links).along;
  std::vector<Vec3> axes;
  for (const MassTraits& one : traits) axes.push_back(one.axis);
  return builder.turned(masses.attached, axes);
}

void push(LawBuilder& builder, const Masses& masses, const expr::Vector& force) {
  if (masses.chain == nullptr) return builder.push(masses.attached, force);
  builder.push_center(*masses.chain, force, masses.links);
}

void twist(LawBuilder& builder, const Masses& masses, const expr::Vector& torque) {
  if (masses.chain == nullptr) return builder.twist(masses.attached, torque);
  builder.twist(*masses.chain, torque, builder.link(*masses.chain, masses.links), masses.links);
}

namespace {

// Of a number that was written.
double beyond(double written) { return static_cast<double>(decimal(written) - DoubleDouble(written)); }

}  // namespace

MassTraits traits_of(const Actors& actors, const Attachment& mass) {
  if (mass.chain >= 0) {
    const Link& link =
        actors.scene.chains[static_cast<std::size_t>(mass.chain)].links[static_cast<std::size_t>(mass.link)];
    return {link.mass,           link.charge,        link.drag_area,    link.volume,
            link.susceptibility, link.moment,        link.moment_along, {},
            beyond(link.mass),   beyond(link.volume)};
  }
  const Body& body = actors.scene.mechanism.bodies[static_cast<std::size_t>(mass.body)];
  MassTraits out{body.mass, body.charge, body.drag_area, body.volume, body.susceptibility, {}, 0.0};
  out.mass_rest = body.mass_rest;
  out.volume_rest = body.volume_rest;
  if (actors.bodies.decimals && body.moment != Vec3{}) {  // as it was written: its direction is no decimal
    out.moment_along = 1.0;
    out.axis = body.moment;
    return out;
  }
  out.moment_along = length(body.moment);
  for (std::size_t i = 0; i < 3 && out.moment_along > 0.0; ++i)
    out.axis[i] = body.moment[i] / out.moment_along;
  return out;
}

bool acts_on_link(const ForceEntry& entry, int chain, int link) {
  if (entry.names.empty()) return !entry.point;
  return std::any_of(entry.on.begin(), entry.on.end(),
                     [&](const LinkName& name) { return name.chain == chain && name.link == link; });
}

bool acts_on_body(const ForceEntry& entry, int body) {
  if (entry.names.empty()) return true;
  return std::find(entry.on_bodies.begin(), entry.on_bodies.end(), body) != entry.on_bodies.end();
}

std::vector<Attachment> acted_on(const Actors& actors, const ForceEntry& entry) {
  std::vector<Attachment> found;
  for (std::size_t c = 0; c < actors.scene.chains.size(); ++c) {
    for (std::size_t k = 0; k < actors.scene.chains[c].links.size(); ++k) {
      const int chain = static_cast<int>(c), link = static_cast<int>(k);
      if (acts_on_link(entry, chain, link)) found.push_back({.chain = chain, .link = link});
    }
  }
  for (std::size_t b = 0; b < actors.scene.mechanism.bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!acts_on_body(entry, body)) continue;
    const Vec3 point = entry.point.value_or(Vec3{});
    found.push_back({.body = body, .point = point, .point_rest = rest_of(decimals_of(point), point)});
  }
  return found;
}

}  // namespace catena
