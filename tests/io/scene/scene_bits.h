// Scenes for comparing: every number as hexadecimal, so that equal texts are equal bits.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"

namespace catena {

inline std::string bits(double value) { return fmt::format("{:a} ", value); }
inline std::string bits(const Vec3& v) { return bits(v[0]) + bits(v[1]) + bits(v[2]); }
inline std::string bits(const Angle& angle) {
  return bits(angle.radians) + bits(angle.sine) + bits(angle.cosine);
}

inline std::string bits(const Link& link) {
  return bits(link.length) + bits(link.mass) + bits(link.theta) + bits(link.phi) + bits(link.theta_dot) +
         bits(link.phi_dot) + (link.by_direction ? "by direction " : "by angles ") + bits(link.direction) +
         bits(link.rate) + bits(link.center_of_mass) + bits(link.inertia) + bits(link.stiffness) +
         bits(link.stretch) + bits(link.stretch_dot) + fmt::format("parent {}\n", link.parent);
}

inline std::string bits(const Scene& scene) {
  const Simulation& s = scene.simulation;
  std::string out = bits(s.duration) + bits(s.sample) + bits(s.gravity) + s.method + ' ' + s.precision + ' ' +
                    bits(s.tolerance.value_or(-1.0)) + bits(s.step.value_or(-1.0)) +
                    fmt::format("order {}\n{}\n", s.order.value_or(-1), scene.output);
  for (const Chain& chain : scene.chains) {
    out += fmt::format("chain '{}' {} {} {} {}\n", chain.name, static_cast<int>(chain.kind),
                       static_cast<int>(chain.formulation), bits(chain.pivot), chain.plane_allowed);
    for (const Link& link : chain.links) out += bits(link);
  }
  for (const PlotSwitch& one : scene.plot) out += fmt::format("{} {}\n", one.name, one.on);
  return out;
}

inline Scene scene_from(const std::string& text, std::vector<std::string> overrides = {}) {
  SceneOptions options;
  options.source = "s.toml";
  options.overrides = std::move(overrides);
  return read_scene(text, options);
}

// The mistakes as a user sees them, a line each; "" when the scene is right.
inline std::string complaints(const std::string& text, std::vector<std::string> overrides = {}) {
  SceneOptions options;
  options.source = "s.toml";
  options.overrides = std::move(overrides);
  options.methods = {"taylor", "rk4", "dopri5", "gauss4"};
  try {
    read_scene(text, options);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

inline std::vector<std::filesystem::path> shipped_scenes() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  return paths;
}

}  // namespace catena
