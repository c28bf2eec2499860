// What there is to draw, for programs that know nothing of scenes: docs/exchange.md.
#include <nlohmann/json.hpp>
#include <string>

#include "catena/io/scene/scene.h"

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
  return {{"name", body.name},         {"label", body.name},
          {"fixed", body.fixed},       {"point", body.point},
          {"mass", body.mass},         {"inertia", body.inertia},
          {"position", body.position}, {"orientation", body.orientation},
          {"shapes", shapes}};
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
    return out;
  }
  out["bodies"] = {body_name(mechanism, joint.a), body_name(mechanism, joint.b)};
  out["anchors"] = {joint.in_a.point, joint.in_b.point};
  out["axes"] = {joint.in_a.z, joint.in_b.z};
  return out;
}

Json spring_json(const Mechanism& mechanism, const JointForce& spring) {
  return {{"name", spring.name},
          {"bodies", {body_name(mechanism, spring.a), body_name(mechanism, spring.b)}},
          {"anchors", {spring.in_a.point, spring.in_b.point}}};
}

Json chain_json(const Chain& chain) {
  Json links = Json::array();
  for (std::size_t k = 0; k < chain.links.size(); ++k) {
    const Link& link = chain.links[k];
    const std::string number = std::to_string(k + 1);
    links.push_back({{"label", chain.name.empty() ? number : chain.name + "_" + number},
                     {"parent", link.parent + 1},
                     {"length", link.length},
                     {"mass", link.mass}});
  }
  return {{"name", chain.name},
          {"kind", chain.kind == ChainKind::elastic ? "elastic" : "rigid"},
          {"pivot", chain.pivot},
          {"pivot_moves", given(chain.pivot_motion) || chain.carrier},
          {"links", links}};
}

}  // namespace

std::string drawing_json(const Scene& scene) {
  const Mechanism& mechanism = scene.mechanism;
  Json out = {{"chains", Json::array()},
              {"bodies", Json::array()},
              {"joints", Json::array()},
              {"springs", Json::array()}};
  for (const Chain& chain : scene.chains) out["chains"].push_back(chain_json(chain));
  for (const Body& body : mechanism.bodies) out["bodies"].push_back(body_json(body));
  for (const Joint& joint : mechanism.joints) out["joints"].push_back(joint_json(mechanism, joint));
  for (const JointForce& force : mechanism.forces) {
    if (force.along == JointForce::Along::distance) out["springs"].push_back(spring_json(mechanism, force));
  }
  for (std::size_t i = 0; i < scene.forces.size(); ++i) {
    const auto& [a, b] = scene.forces[i].between;
    if (scene.forces[i].kind != "spring" || a.chain >= 0 || b.chain >= 0) continue;
    out["springs"].push_back({{"name", "force " + std::to_string(i + 1)},
                              {"bodies", {body_name(mechanism, a.body), body_name(mechanism, b.body)}},
                              {"anchors", {a.point, b.point}}});
  }
  return out.dump();
}

}  // namespace catena
