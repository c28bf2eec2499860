#include "catena/io/scene/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/parts.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/model/entries.h"

namespace catena {
// Named, since a class that the header names has them.
namespace in_variants {

using Path = std::vector<std::string>;

// One number of the scene, and which value it gets.
struct Target {
  std::string path;
  std::size_t value = 0;
};

Node& node_at(Node& document, const std::string& path) {
  Node* node = &document;
  for (const std::string& part : components(path)) {
    node = node->list() != nullptr ? &(*node->list())[item_named(*node->list(), part)] : node->find(part);
  }
  return *node;
}

// Whole numbers as such: some keys want them, and the others take them.
void set_number(Node& node, double value) {
  const bool is_whole = value == std::floor(value) && std::fabs(value) < 1e15 && !std::signbit(value);
  if (is_whole) {
    node.value = static_cast<std::int64_t>(value);
  } else {
    node.value = value;
  }
}

bool ends_in(const std::string& path, std::string_view word) {
  return path.size() > word.size() && path.ends_with(word) && path[path.size() - word.size() - 1] == '.';
}

// What a number of the start is in the scene's structs; one function sets it.
using Setter = void (*)(Scene& scene, std::size_t chain, std::size_t item, double value);

struct StartSlot {
  Setter set;
  std::size_t chain, item, value;
  bool is_of_direction = false;
};

Setter link_setter(const std::string& path) {
  if (ends_in(path, "theta"))
    return [](Scene& s, std::size_t c, std::size_t k, double v) {
      s.chains[c].links[k].theta = Angle::from_radians(v);
    };
  if (ends_in(path, "phi"))
    return [](Scene& s, std::size_t c, std::size_t k, double v) {
      s.chains[c].links[k].phi = Angle::from_radians(v);
    };
  if (ends_in(path, "theta_dot"))
    return [](Scene& s, std::size_t c, std::size_t k, double v) { s.chains[c].links[k].theta_dot = v; };
  if (ends_in(path, "phi_dot"))
    return [](Scene& s, std::size_t c, std::size_t k, double v) { s.chains[c].links[k].phi_dot = v; };
  return nullptr;
}

// Of a link that is written with its direction: what has been written of it holds until all of it is.
template <std::size_t kPart>
Setter direction_setter(bool is_rate) {
  if (is_rate)
    return [](Scene& s, std::size_t c, std::size_t k, double v) {
      s.chains[c].links[k].written_rate[kPart] = v;
    };
  return [](Scene& s, std::size_t c, std::size_t k, double v) {
    s.chains[c].links[k].written_direction[kPart] = v;
  };
}
Setter vector_setter(const Path& parts) {
  if (parts.size() < 2) return nullptr;
  const std::string& vector = parts[parts.size() - 2];
  if (vector != "direction" && vector != "rate") return nullptr;
  const bool is_rate = vector == "rate";
  return parts.back() == "1"   ? direction_setter<0>(is_rate)
         : parts.back() == "2" ? direction_setter<1>(is_rate)
         : parts.back() == "3" ? direction_setter<2>(is_rate)
                               : nullptr;
}

// "chain.links.2.theta", "chain.links.2.direction.1": of a link that stands for itself alone.
std::optional<StartSlot> link_slot(Node& document, const Scene& scene, const Target& target) {
  Path parts = components(target.path);
  const Setter of_vector = vector_setter(parts);
  if (of_vector != nullptr) parts.pop_back();
  const bool is_only = parts.size() == 4 && parts[0] == "chain" && parts[1] == "links";
  const bool is_one = parts.size() == 5 && parts[0] == "chains" && parts[2] == "links";
  const Setter set = of_vector != nullptr ? of_vector : link_setter(target.path);
  if ((!is_only && !is_one) || set == nullptr) return std::nullopt;
  std::size_t chain = 0;
  if (is_one) chain = item_named(*document.find("chains")->list(), parts[1]);
  Node& owner = is_only ? *document.find("chain") : (*document.find("chains")->list())[chain];
  const Node::List& links = *owner.find("links")->list();
  const std::size_t item = item_named(links, parts[is_only ? 2 : 3]);
  for (const Node& link : links) {
    if (link.find("repeat") != nullptr) return std::nullopt;
  }
  const Link& link = scene.chains[chain].links[item];
  if (link.by_direction != (of_vector != nullptr)) return std::nullopt;
  // A link in a hinge may not take every direction: reading says so.
  if (of_vector != nullptr && link.hinge != Vec3{}) return std::nullopt;
  return StartSlot{set, chain, item, target.value, of_vector != nullptr};
}

std::optional<StartSlot> state_slot(const Scene& scene, const Target& target) {
  const Path parts = components(target.path);
  if (parts.size() != 3 || parts[0] != "equations" || parts[1] != "states") return std::nullopt;
  for (std::size_t i = 0; i < scene.equations.states.size(); ++i) {
    if (scene.equations.states[i].name != parts[2]) continue;
    const Setter set = [](Scene& s, std::size_t, std::size_t k, double v) {
      s.equations.states[k].start = v;
    };
    return StartSlot{set, 0, i, target.value};
  }
  return std::nullopt;
}

}  // namespace in_variants

using namespace in_variants;

struct SceneVariants::Form {
  Node document;
  std::vector<Target> targets;
  std::vector<Node*> nodes;      // of the targets in the document
  std::vector<StartSlot> slots;  // all targets, where each is a number of the start alone
  std::size_t width = 0;
  Scene scene;

  void find_nodes() {
    nodes.clear();
    for (const Target& target : targets) nodes.push_back(&node_at(document, target.path));
  }
  void find_slots() {
    if (scene.simulation.precision != "double") return;
    for (const Target& target : targets) {
      std::optional<StartSlot> slot = link_slot(document, scene, target);
      if (!slot) slot = state_slot(scene, target);
      if (!slot) return slots.clear();
      slots.push_back(*slot);
    }
  }
  void put(const double* values) {
    for (std::size_t i = 0; i < targets.size(); ++i) set_number(*nodes[i], values[targets[i].value]);
  }
  Scene read() const {
    SceneOptions options;
    options.source = options.name = scene.name;
    Mistakes mistakes;
    Scene out = scene_in(document, options, mistakes);
    out.warnings.clear();  // said once, of the scene as it is written
    return out;
  }
};

namespace {

// The paths of the numbers behind one key. A direction that is not written yet is written.
std::vector<std::string> paths_of(const Scene& scene, Node& document, const std::string& key,
                                  std::size_t& width, Mistakes& mistakes) {
  const Path parts = components(key);
  const bool is_direction = ends_in(key, "direction") || ends_in(key, "rate");
  const Node* node = &document;
  for (const std::string& part : parts) {
    if (node == nullptr) break;
    if (node->list() != nullptr) {
      const std::size_t item = item_named(*node->list(), part);
      node = item < node->list()->size() ? &(*node->list())[item] : nullptr;
    } else {
      node = node->find(part);
    }
  }
  const bool is_vector = node != nullptr && node->list() != nullptr && node->list()->size() == 3;
  if (is_vector || (node == nullptr && is_direction)) {
    width = 3;
    if (node == nullptr) apply_override(document, key + "=[0, 0, -1]", mistakes);
    return {key + ".1", key + ".2", key + ".3"};
  }
  width = 1;
  std::vector<std::string> out;
  for (const SceneNumber& number : scene_numbers(scene, {key})) out.push_back(number.path);
  return out;
}

}  // namespace

SceneVariants::SceneVariants(const Scene& scene, const std::vector<std::vector<std::string>>& keys)
    : form_(std::make_unique<Form>()) {
  Form& form = *form_;
  form.document = document_from_json(scene.json, scene.name);
  form.scene = scene;
  Mistakes mistakes;
  std::vector<Mistake> found;
  for (const std::vector<std::string>& same : keys) {
    std::size_t width = 1;
    for (const std::string& key : same) {
      try {
        const std::vector<std::string> paths = paths_of(scene, form.document, key, width, mistakes);
        for (std::size_t i = 0; i < paths.size(); ++i)
          form.targets.push_back({paths[i], form.width + (width == 3 ? i : 0)});
      } catch (const InputError& error) {
        found.insert(found.end(), error.mistakes().begin(), error.mistakes().end());
      }
    }
    form.width += width;
  }
  if (!found.empty()) throw InputError(std::move(found));
  // Keys that stand for their defaults are written first: places in the document hold from then on.
  for (const Target& target : form.targets) {
    double value = 0.0;
    if (!target.path.ends_with(".1") && !target.path.ends_with(".2") && !target.path.ends_with(".3"))
      value = scene_numbers(scene, {target.path}).front().value;
    else
      continue;
    apply_override(form.document, fmt::format("{}={:.17e}", target.path, value), mistakes);
  }
  mistakes.throw_if_any();
  form.find_nodes();
  form.find_slots();
}

SceneVariants::SceneVariants(const SceneVariants& other) : form_(std::make_unique<Form>(*other.form_)) {
  form_->find_nodes();
}

SceneVariants::~SceneVariants() = default;

std::size_t SceneVariants::width() const { return form_->width; }
bool SceneVariants::starts_only() const { return !form_->slots.empty(); }

const Scene& SceneVariants::with(const double* values) {
  Form& form = *form_;
  if (form.slots.empty()) {
    form.put(values);
    form.scene = form.read();
    return form.scene;
  }
  for (const StartSlot& slot : form.slots) slot.set(form.scene, slot.chain, slot.item, values[slot.value]);
  for (const StartSlot& slot : form.slots) {
    if (!slot.is_of_direction) continue;
    Link& link = form.scene.chains[slot.chain].links[slot.item];
    if (link.written_direction == Vec3{}) {  // reading says that this is none
      form.put(values);
      return form.scene = form.read();
    }
    set_direction(link, link.written_direction, link.written_rate);
  }
  return form.scene;
}

Scene SceneVariants::complete(const double* values) const {
  Form copy = *form_;
  copy.find_nodes();
  copy.put(values);
  SceneOptions options;
  options.source = options.name = copy.scene.name;
  return read_scene(json_text(copy.document), options);
}

}  // namespace catena
