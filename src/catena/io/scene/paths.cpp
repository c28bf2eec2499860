#include "catena/io/scene/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"
#include "catena/io/scene/scene.h"
#include "catena/model/fields.h"

namespace catena {
namespace {

// What a text says that is a number with a unit of angle: "120 deg", "0.25 pi", "30 deg/s".
std::optional<double> angle_in(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest == "pi" || rest == "-pi") return rest == "pi" ? std::numbers::pi : -std::numbers::pi;
  const auto number = leading_number(rest);
  if (!number) return std::nullopt;
  rest = trimmed(number->rest);
  if (rest.size() > 2 && rest.substr(rest.size() - 2) == "/s") rest.remove_suffix(2);
  for (const std::string_view word : {"deg", "degree", "degrees", "\xC2\xB0"}) {
    if (rest == word) return number->value * std::numbers::pi / 180.0;
  }
  for (const std::string_view word : {"", "rad", "radian", "radians"}) {
    if (rest == word) return number->value;
  }
  if (rest == "pi" || rest == "\xCF\x80") return number->value * std::numbers::pi;
  return std::nullopt;
}

// What a key that is not written stands for, in a section ("chain.links").
std::optional<double> unwritten(const std::string& section, const std::string& key) {
  for (const SectionInfo& one : scene_sections()) {
    if (one.path != section) continue;
    for (const FieldInfo& field : one.fields) {
      if (field.name != key) continue;
      if (field.kind == Kind::gravity) return -Simulation{}.gravity[2];
      return angle_in(field.default_text);
    }
  }
  return std::nullopt;
}

class Walk {
 public:
  Walk(std::string path, Mistakes& mistakes, std::vector<SceneNumber>& found)
      : path_(std::move(path)),
        parts_(components(path_)),
        spot_{std::make_shared<const std::string>(one_line(path_)), 0, 0},
        mistakes_(mistakes),
        found_(found) {}

  void go(const Node& node, std::size_t depth, const std::string& so_far, const std::string& section) {
    if (depth == parts_.size()) return take(node, so_far);
    const std::string& part = parts_[depth];
    const auto further = [&](const std::string& name) { return so_far.empty() ? name : so_far + "." + name; };
    const std::string owner = so_far.empty() ? "the scene" : so_far;
    if (const Node::List* list = node.list()) {
      if (part == "*") {
        for (std::size_t i = 0; i < list->size(); ++i)
          go((*list)[i], depth + 1, further(std::to_string(i + 1)), section);
        return;
      }
      const std::size_t item = item_named(*list, part);
      if (item == list->size()) return complain(no_such_item(*list, part, owner));
      return go((*list)[item], depth + 1, further(part), section);
    }
    const Node::Table* table = node.table();
    if (table == nullptr)
      return complain(fmt::format("{} is {}, which has no parts", owner, described(node)));
    if (part == "*") {
      for (const Entry& entry : *table)
        go(entry.value, depth + 1, further(entry.key), within(section, entry.key));
      return;
    }
    if (const Node* value = node.find(part))
      return go(*value, depth + 1, further(part), within(section, part));
    if (depth + 1 == parts_.size()) {
      if (const auto value = unwritten(section, part)) {
        found_.push_back({further(part), *value});
        return;
      }
    }
    std::vector<std::string> keys;
    for (const Entry& entry : *table) keys.push_back(entry.key);
    complain(fmt::format("{} has no {}{}", owner, in_quotes(part), did_you_mean(part, keys)));
  }

 private:
  // "chain.links", also for the links of one of several chains.
  static std::string within(const std::string& section, const std::string& key) {
    if (section.empty()) return key == "chains" ? "chain" : key;
    return section + "." + key;
  }

  void take(const Node& node, const std::string& path) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
      found_.push_back({path, static_cast<double>(*whole)});
    } else if (const auto* number = std::get_if<double>(&node.value)) {
      found_.push_back({path, *number});
    } else if (const auto value = node.text() == nullptr ? std::nullopt : angle_in(*node.text())) {
      found_.push_back({path, *value});
    } else if (const auto constant = is_parameter() ? parameter_in(node) : std::nullopt) {
      found_.push_back({path, *constant});
    } else if (node.text() != nullptr) {
      complain(fmt::format("{} is {}, not a number; of a formula, name one of its parameters", path,
                           described(node)));
    } else {
      complain(fmt::format("{} is {}, not a number", path, described(node)));
    }
  }

  // Whose value may be a formula of numbers.
  bool is_parameter() const { return parts_.size() > 1 && parts_[parts_.size() - 2] == "parameters"; }

  void complain(std::string message) { mistakes_.add(spot_, std::move(message)); }

  std::string path_;
  std::vector<std::string> parts_;
  SharedPlace spot_;
  Mistakes& mistakes_;
  std::vector<SceneNumber>& found_;
};

}  // namespace

std::vector<SceneNumber> scene_numbers(const Scene& scene, const std::vector<std::string>& paths) {
  const Node document = document_from_json(scene.json, scene.name);
  Mistakes mistakes;
  std::vector<SceneNumber> all, out;
  for (const std::string& path : paths) Walk(path, mistakes, all).go(document, 0, "", "");
  mistakes.throw_if_any();
  for (SceneNumber& number : all) {
    const auto is_same = [&](const SceneNumber& other) { return other.path == number.path; };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(std::move(number));
  }
  return out;
}

Scene with_number(const Scene& scene, const std::string& path, double value) {
  return with_numbers(scene, {path}, {value});
}

Scene with_numbers(const Scene& scene, const std::vector<std::string>& paths,
                   const std::vector<double>& values) {
  SceneOptions options;
  options.source = options.name = scene.name;
  for (std::size_t i = 0; i < paths.size(); ++i)
    options.overrides.push_back(fmt::format("{}={:.17e}", paths[i], values[i]));
  return read_scene(scene.json, options);
}

}  // namespace catena
