#include "catena/io/scene/scene.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "catena/io/scene/document.h"
#include "catena/io/scene/parts.h"
#include "catena/io/scene/turning_points.h"
#include "catena/io/scene/values.h"

namespace catena {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

void check_method(const Node& simulation, const std::vector<std::string>& methods, Mistakes& mistakes) {
  const Node* method = simulation.find("method");
  if (methods.empty() || method == nullptr || method->text() == nullptr) return;
  FieldInfo field;
  field.name = "method";
  check_choice({*method, field, "simulation", mistakes}, *method->text(), methods);
}

Simulation read_simulation(const Node& scene, const SceneOptions& options, Mistakes& mistakes) {
  Simulation simulation;
  const Node* node = scene.find("simulation");
  if (node == nullptr) {
    mistakes.add(scene.spot, "[simulation] is missing; it needs at least a duration");
    return simulation;
  }
  const std::size_t before = mistakes.count();
  simulation.custom = read_method(scene, mistakes);
  read_fields(*node, "simulation", simulation_fields(), {}, simulation, mistakes);
  check_method(*node, options.methods, mistakes);
  if (mistakes.count() > before || !options.refusal) return simulation;
  if (const std::string reason = options.refusal(simulation); !reason.empty()) {
    const Node* method = node->find("method");
    mistakes.add(method != nullptr ? method->spot : node->spot, "simulation: " + reason);
  }
  return simulation;
}

// A scene may say which form of this language it is written in; so far there is one.
void check_format(const Node& scene, Mistakes& mistakes) {
  const Node* node = scene.find("format");
  if (node == nullptr) return;
  const auto* number = std::get_if<std::int64_t>(&node->value);
  if (number != nullptr && *number == kSceneFormat) return;
  mistakes.add(node->spot, fmt::format("format must be {}, the only one that this version knows, got {}",
                                       kSceneFormat, described(*node)));
}

// Forces, springs and columns name chains and bodies alike.
void check_shared_names(const Node& scene, const std::vector<Body>& bodies, Mistakes& mistakes) {
  const auto is_body = [&](const std::string& name) {
    return std::any_of(bodies.begin(), bodies.end(), [&](const Body& body) { return body.name == name; });
  };
  if (const Node* chain = scene.find("chain"); chain != nullptr && is_body("chain")) {
    mistakes.add(chain->spot, "the body 'chain' has the name of [chain]; choose another for the body");
  }
  const Node* chains = scene.find("chains");
  if (chains == nullptr || chains->list() == nullptr) return;
  for (const Node& chain : *chains->list()) {
    const Node* name = chain.find("name");
    if (name == nullptr || name->text() == nullptr || !is_body(*name->text())) continue;
    mistakes.add(name->spot,
                 fmt::format("the name {} is given to a chain and to a body; choose another for one of them",
                             in_quotes(*name->text())));
  }
}

// Columns fx_NAME are a joint's reactions, x_NAME a body's places: with one name for both they read as one
// thing's.
void warn_of_shared_names(const Node& scene, const std::vector<Body>& bodies, Mistakes& mistakes) {
  const Node* joints = scene.find("joints");
  if (joints == nullptr || joints->list() == nullptr) return;
  for (const Node& joint : *joints->list()) {
    const Node* name = joint.find("name");
    if (name == nullptr || name->text() == nullptr) continue;
    const auto has_it = [&](const Body& body) { return body.name == *name->text(); };
    if (std::none_of(bodies.begin(), bodies.end(), has_it)) continue;
    mistakes.warn(name->spot,
                  fmt::format("the name {} is given to a joint and to a body; columns do not say which of "
                              "them they are of",
                              in_quotes(*name->text())));
  }
}

// Settings that this scene has no use for.
void warn_of_idle_settings(const Node& document, const Scene& scene, Mistakes& mistakes) {
  const auto warn = [&](const Node* node, const std::string& what) {
    if (node != nullptr) mistakes.warn(node->spot, what);
  };
  const Node& simulation = *document.find("simulation");
  if (!scene.lagrangian.coordinates.empty())
    warn(simulation.find("gravity"),
         "simulation: gravity does nothing: a Lagrangian has its own, in its formulas");
  if (scene.simulation.method != "custom")
    warn(document.find("method"), "method does nothing: simulation.method is not \"custom\"");
  const bool assembles =
      !scene.mechanism.bodies.empty() || std::any_of(scene.chains.begin(), scene.chains.end(),
                                                     [](const Chain& chain) { return chain.as_bodies(); });
  if (!assembles)
    warn(simulation.find("max_assembly_gap"),
         "simulation: max_assembly_gap does nothing: there are no joints");
}

std::string read_output(const Node& scene, Mistakes& mistakes) {
  const Node* node = scene.find("output");
  if (node == nullptr) return "";
  if (node->text() != nullptr && !node->text()->empty()) return *node->text();
  mistakes.add(node->spot, fmt::format("output must be a file's name, got {}", described(*node)));
  return "";
}

// Overrides apply to the scene as the user sees it: to a classic config where they name its own keys,
// otherwise to the ordinary scene that it stands for.
Node document_with_overrides(std::string_view text, const SceneOptions& options, Mistakes& mistakes) {
  Node document = document_from(text, options.source);
  const bool classic = is_classic(document);
  for (const std::string& one : options.overrides) {
    if (classic && is_classic_override(one)) apply_override(document, one, mistakes);
  }
  if (classic) {
    document = from_classic(document, options.name, mistakes);
    mistakes.throw_if_any();
  }
  for (const std::string& one : options.overrides) {
    if (!classic || !is_classic_override(one)) apply_override(document, one, mistakes);
  }
  return document;
}

// A scene may have its sweep inside: that is another command's.
void set_sweep_aside(Node& document, const std::string& source, Mistakes& mistakes) {
  const Node* sweep = document.find("sweep");
  if (sweep == nullptr) return;
  mistakes.warn(sweep->spot, fmt::format("[sweep] is left aside: this is the scene alone; `catena sweep {}` "
                                         "computes its cases",
                                         source));
  std::erase_if(*document.table(), [](const Entry& entry) { return entry.key == "sweep"; });
}

std::string contents(std::istream& stream, const std::string& source) {
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) {
      throw InputError({source, 0, 0},
                       fmt::format("the scene is larger than {} MiB, the limit", kLargestFile >> 20));
    }
  }
  if (stream.bad()) throw InputError({source, 0, 0}, "cannot be read to its end");
  return text;
}

void check_readable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw InputError({path, 0, 0}, "cannot be opened: " + std::generic_category().message(errno));
  }
  if (S_ISDIR(status.st_mode)) throw InputError({path, 0, 0}, "is a folder, not a scene");
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > kLargestFile) {
    throw InputError({path, 0, 0},
                     fmt::format("has {:.1f} MiB; a scene may have {} MiB at most",
                                 static_cast<double>(status.st_size) / (1 << 20), kLargestFile >> 20));
  }
}

}  // namespace

Scene scene_in(const Node& document, const SceneOptions& options, Mistakes& mistakes) {
  check_keys(*document.table(), "scene",
             {"format", "simulation", "chain", "chains", "bodies", "joints", "lagrangian", "equations",
              "forces", "events", "method", "output", "plot", "fit"},
             mistakes);
  check_format(document, mistakes);
  Scene scene;
  scene.name = options.name;
  scene.simulation = read_simulation(document, options, mistakes);
  scene.mechanism.bodies = read_bodies(document, mistakes);
  scene.chains = read_chains(document, scene.mechanism.bodies, mistakes);
  check_shared_names(document, scene.mechanism.bodies, mistakes);
  warn_of_shared_names(document, scene.mechanism.bodies, mistakes);
  read_joints(document, scene.mechanism, mistakes);
  scene.lagrangian = read_lagrangian(document, mistakes);
  scene.equations = read_equations(document, mistakes);
  scene.forces = read_forces(document, scene.chains, scene.mechanism.bodies, mistakes);
  scene.events = read_events(document, mistakes);
  scene.output = read_output(document, mistakes);
  read_fit(document, mistakes);
  if (const Node* plot = document.find("plot")) scene.plot = read_plot(*plot, "plot", mistakes);
  mistakes.throw_if_any();
  scene.formulas = mistakes.formulas();
  refuse_turning_points(scene, mistakes);
  mistakes.throw_if_any();
  warn_of_idle_settings(document, scene, mistakes);
  warn_of_short_tables(scene, mistakes);
  return scene;
}

Scene read_scene(std::string_view text, const SceneOptions& options) {
  Mistakes mistakes;
  Node document = document_with_overrides(text, options, mistakes);
  for (const std::string& event : options.events) add_event(document, event, mistakes);
  set_sweep_aside(document, options.source, mistakes);
  put_tables_inside(document, mistakes);
  Scene scene = scene_in(document, options, mistakes);
  if (scene.simulation.precision != "double") warn_of_lost_digits(text, options.source, mistakes);
  scene.warnings = mistakes.warnings();
  put_meshes_inside(document);
  scene.json = json_text(document);
  return scene;
}

std::string read_scene_text(const std::string& path) {
  if (path == "-") {
    const std::string text = contents(std::cin, "<stdin>");
    check_is_text(text, "<stdin>");
    return text;
  }
  check_readable(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({path, 0, 0}, "cannot be opened: " + std::generic_category().message(errno));
  const std::string text = contents(file, path);
  check_is_text(text, path);
  return text;
}

}  // namespace catena
