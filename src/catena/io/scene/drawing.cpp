// What there is to draw, for programs that know nothing of scenes: docs/exchange.md.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "catena/io/scene/scene.h"
#include "catena/model/curves.h"
#include "catena/model/joint_info.h"
#include "catena/model/placement.h"
#include "catena/model/shapes.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

Json shape_json(const DrawnShape& shape) {
  Json out = {{"shape", shape.shape}};
  if (shape.shape == "mesh") {
    out["vertices"] = shape.mesh.points;
    out["triangles"] = shape.mesh.triangles;
  } else {
    out["size"] = shape.size;
  }
  out["position"] = shape.position;
  out["orientation"] = shape.orientation;
  return out;
}

Json body_json(const Body& body) {
  Json shapes = Json::array();
  for (const DrawnShape& shape : body.shapes) shapes.push_back(shape_json(shape));
  Json out = {{"name", body.name},         {"label", body.name},
              {"fixed", body.fixed},       {"point", body.point},
              {"mass", body.mass},         {"inertia", body.inertia},
              {"position", body.position}, {"orientation", body.orientation},
              {"shapes", shapes}};
  if (shapes.empty() && !body.point) out["ellipsoid"] = inertia_ellipsoid(body);
  if (body.charge != 0.0) out["charge"] = body.charge;
  return out;
}

std::string body_name(const Mechanism& mechanism, int body) {
  return body == kGround ? "ground" : mechanism.bodies[static_cast<std::size_t>(body)].name;
}

// Anchors and axes in each body's own frame.
Json joint_json(const Mechanism& mechanism, const Joint& joint) {
  Json out = {{"name", joint.name}, {"kind", joint_info(joint.kind).name}};
  const bool ties = joint.first >= 0;
  if (ties) {
    const auto named = [&](int j) { return mechanism.joints[static_cast<std::size_t>(j)].name; };
    out["joints"] = {named(joint.first), named(joint.second)};
    out["ratio"] = joint.value;
    return out;
  }
  out["bodies"] = {body_name(mechanism, joint.a), body_name(mechanism, joint.b)};
  out["anchors"] = {joint.in_a.point, joint.in_b.point};
  out["axes"] = {joint.in_a.z, joint.in_b.z};
  if (joint_info(joint.kind).shows(Coordinate::travel)) out["slides"] = true;
  if (joint_info(joint.kind).place == JointPlace::curve) out["curve"] = drawn_curve(mechanism, joint);
  return out;
}

Json spring_json(const Mechanism& mechanism, const JointForce& spring) {
  return {{"name", spring.name},
          {"bodies", {body_name(mechanism, spring.a), body_name(mechanism, spring.b)}},
          {"anchors", {spring.in_a.point, spring.in_b.point}},
          {"stiffness", spring.stiffness},
          {"damping", spring.damping}};
}

// An end of a spring of [[forces]]: a bob, a point of a body, or a point that rests.
Json end_json(const Scene& scene, const Attachment& end) {
  if (end.chain >= 0) return {{"chain", end.chain}, {"link", end.link + 1}};
  return {{"body", body_name(scene.mechanism, end.body)}, {"anchor", end.point}};
}

bool is_between_bodies(const ForceEntry& force) {
  return force.between[0].chain < 0 && force.between[1].chain < 0;
}

void add_force_springs(const Scene& scene, Json& out) {
  for (std::size_t i = 0; i < scene.forces.size(); ++i) {
    const ForceEntry& force = scene.forces[i];
    if (force.kind != "spring") continue;
    const auto& [a, b] = force.between;
    Json spring = {{"name", "force " + std::to_string(i + 1)}};
    if (is_between_bodies(force)) {
      spring["bodies"] = {body_name(scene.mechanism, a.body), body_name(scene.mechanism, b.body)};
      spring["anchors"] = {a.point, b.point};
    } else {
      spring["ends"] = {end_json(scene, a), end_json(scene, b)};
    }
    spring["stiffness"] = force.stiffness;
    spring["damping"] = force.damping;
    out[is_between_bodies(force) ? "springs" : "link_springs"].push_back(std::move(spring));
  }
}

// What stands somewhere and acts from there.
void add_sources(const Scene& scene, Json& out) {
  for (const ForceEntry& force : scene.forces) {
    Json source = {{"kind", force.kind}, {"position", force.position}};
    if (force.kind == "magnet") {
      source["moment"] = force.moment;
    } else if (force.kind == "point-charge") {
      source["charge"] = force.charge;
    } else if (force.kind != "point-mass") {
      continue;
    }
    out["sources"].push_back(std::move(source));
  }
}

// A joint's axis in the world, as the scene draws it.
Vec3 axis_in_world(const Mechanism& mechanism, const Joint& joint) {
  if (joint.b == kGround) return joint.in_b.z;
  return rotated(mechanism.bodies[static_cast<std::size_t>(joint.b)].orientation, joint.in_b.z);
}

// Whether a joint lets its bodies move in planes across `normal` only.
bool keeps_plane(const Mechanism& mechanism, const Joint& joint, const Vec3& normal) {
  const double along = std::fabs(dot(axis_in_world(mechanism, joint), normal));
  switch (joint_info(joint.kind).plane) {
    case JointPlane::keeps_if_axis_across:
      return along > 1.0 - 1e-9;
    case JointPlane::keeps_if_axis_inside:
      return along < 1e-5;
    case JointPlane::keeps:
      return true;
    case JointPlane::leaves:
      return false;
  }
  return false;
}

// Which bodies joints hold to the ground, one by another; rods between points do not.
std::vector<bool> held_bodies(const Mechanism& mechanism) {
  std::vector<bool> held;
  for (const Body& body : mechanism.bodies) held.push_back(body.fixed);
  const auto is_held = [&](int body) { return body == kGround || held[static_cast<std::size_t>(body)]; };
  for (bool found = true; found;) {
    found = false;
    for (const Joint& joint : mechanism.joints) {
      if (!joint_info(joint.kind).holds) continue;
      if (is_held(joint.a) == is_held(joint.b)) continue;
      held[static_cast<std::size_t>(is_held(joint.a) ? joint.b : joint.a)] = found = true;
    }
  }
  return held;
}

// Across the plane in which a mechanism moves: parallel hinges, slides across them, and all of it held by
// them.
std::optional<Vec3> plane_normal(const Mechanism& mechanism) {
  const auto hinge = std::find_if(mechanism.joints.begin(), mechanism.joints.end(), [](const Joint& joint) {
    const JointInfo& info = joint_info(joint.kind);
    return info.coordinate == Coordinate::angle && info.plane == JointPlane::keeps_if_axis_across;
  });
  if (hinge == mechanism.joints.end()) return std::nullopt;
  const Vec3 normal = axis_in_world(mechanism, *hinge);
  for (const Joint& joint : mechanism.joints) {
    if (!keeps_plane(mechanism, joint, normal)) return std::nullopt;
  }
  const std::vector<bool> held = held_bodies(mechanism);
  if (!std::all_of(held.begin(), held.end(), [](bool one) { return one; })) return std::nullopt;
  return normal;
}

Json chain_json(const Mechanism& mechanism, const Chain& chain) {
  Json links = Json::array();
  for (std::size_t k = 0; k < chain.links.size(); ++k) {
    const Link& link = chain.links[k];
    const std::string number = std::to_string(k + 1);
    links.push_back({{"label", chain.name.empty() ? number : chain.name + "_" + number},
                     {"parent", link.parent + 1},
                     {"length", link.length},
                     {"mass", link.mass}});
    if (link.center_of_mass != 1.0) links.back()["center_of_mass"] = link.center_of_mass;
    if (link.charge != 0.0) links.back()["charge"] = link.charge;
  }
  Json out = {{"name", chain.name},
              {"kind", chain.kind == ChainKind::elastic ? "elastic" : "rigid"},
              {"pivot", chain.pivot},
              {"pivot_moves", given(chain.pivot_motion) || chain.carrier},
              {"links", links}};
  if (chain.slack) out["slack"] = true;
  if (chain.end) out["end"] = {{"body", body_name(mechanism, chain.end->body)}, {"anchor", chain.end->point}};
  return out;
}

}  // namespace

std::string drawing_json(const Scene& scene) {
  const Mechanism& mechanism = scene.mechanism;
  Json out = {{"chains", Json::array()},
              {"bodies", Json::array()},
              {"joints", Json::array()},
              {"springs", Json::array()}};
  for (const Chain& chain : scene.chains) out["chains"].push_back(chain_json(mechanism, chain));
  for (const Body& body : mechanism.bodies) out["bodies"].push_back(body_json(body));
  for (const Joint& joint : mechanism.joints) out["joints"].push_back(joint_json(mechanism, joint));
  for (const JointForce& force : mechanism.forces) {
    if (force.along == JointForce::Along::distance) out["springs"].push_back(spring_json(mechanism, force));
  }
  add_force_springs(scene, out);
  add_sources(scene, out);
  if (const auto normal = plane_normal(mechanism)) out["normal"] = *normal;
  return out.dump();
}

}  // namespace catena
