// --set path=value
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

struct Override {
  SharedPlace spot;
  std::vector<std::string> path;
  Node value;
  bool removes = false;  // path=default: the key goes, so its default holds
};

void set_spots(Node& node, const SharedPlace& spot) {
  node.spot = spot;
  if (Node::List* list = node.list()) {
    for (Node& item : *list) set_spots(item, spot);
  }
  if (Node::Table* table = node.table()) {
    for (Entry& entry : *table) {
      entry.spot = spot;
      set_spots(entry.value, spot);
    }
  }
}

// Words and numbers with units need no quotes: rk4, 120 deg.
bool is_bare_text(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter_or_digit && std::string_view(" _.+-/").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::optional<Override> parsed(const std::string& text, Mistakes& mistakes) {
  const SharedPlace spot{std::make_shared<const std::string>("--set " + one_line(text)), 0, 0};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    mistakes.add(spot, "an override needs the form path=value, as in chain.links.1.mass=2");
    return std::nullopt;
  }
  Override read{spot, components(std::string_view(text).substr(0, equals)), {}};
  for (const std::string& part : read.path) {
    if (!part.empty() && read.path.size() < static_cast<std::size_t>(kDeepest)) continue;
    mistakes.add(spot,
                 part.empty() ? "the path before '=' has an empty part" : "the path before '=' is too long");
    return std::nullopt;
  }
  const std::string_view right = trimmed(std::string_view(text).substr(equals + 1));
  if (right == "default") {
    read.removes = true;
    return read;
  }
  auto value = value_from_toml(right, spot, mistakes);
  if (!value) return std::nullopt;
  read.value = std::move(*value);
  return read;
}

// Walks down a path and sets the value at its end.
class Setter {
 public:
  Setter(const Override& what, Mistakes& mistakes) : what_(what), mistakes_(mistakes) {}

  void set(Node& node, std::size_t depth) {
    if (depth == what_.path.size()) {
      if (what_.removes) return complain("an item of a list has no default");
      node = what_.value;
    } else if (Node::List* list = node.list()) {
      set_in_list(*list, depth);
    } else if (node.table() != nullptr) {
      set_in_table(node, depth);
    } else {
      complain(fmt::format("{} is {}, which has no parts", path_to(depth), described(node)));
    }
  }

 private:
  void set_in_list(Node::List& list, std::size_t depth) {
    const std::string& part = what_.path[depth];
    if (part == "*") {
      for (Node& item : list) set(item, depth + 1);
      return;
    }
    const std::size_t item = item_named(list, part);
    if (item == list.size()) return complain(no_such_item(list, part, path_to(depth)));
    set(list[item], depth + 1);
  }

  void set_in_table(Node& node, std::size_t depth) {
    const std::string& part = what_.path[depth];
    if (part == "*") {
      complain(fmt::format("* stands for all items of a list, but {} is a table", path_to(depth)));
      return;
    }
    Node* value = node.find(part);
    if (what_.removes && (value == nullptr || depth + 1 == what_.path.size())) {
      std::erase_if(*node.table(), [&](const Entry& entry) { return entry.key == part; });
      return;
    }
    if (value == nullptr) {
      node.table()->push_back({part, what_.spot, Node{what_.spot, Node::Table{}}});
      value = &node.table()->back().value;
    }
    set(*value, depth + 1);
  }

  std::string path_to(std::size_t depth) const {
    const auto begin = what_.path.begin();
    return depth == 0 ? "the scene"
                      : fmt::format("{}", fmt::join(begin, begin + static_cast<std::ptrdiff_t>(depth), "."));
  }

  void complain(std::string message) { mistakes_.add(what_.spot, std::move(message)); }

  const Override& what_;
  Mistakes& mistakes_;
};

}  // namespace

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    parts.emplace_back(trimmed(path.substr(start, end - start)));
    start = end + 1;
  }
  return parts;
}

std::size_t item_named(const Node::List& list, const std::string& part) {
  const bool is_number = part.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    const std::size_t number = part.size() > 9 ? 0 : std::stoul(part);
    return number >= 1 && number <= list.size() ? number - 1 : list.size();
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Node* name = list[i].find("name");
    if (name != nullptr && name->text() != nullptr && *name->text() == part) return i;
  }
  return list.size();
}

std::string no_such_item(const Node::List& list, const std::string& part, const std::string& owner) {
  const bool is_number = part.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) return fmt::format("there is no item {} in {} (it has {})", part, owner, list.size());
  std::vector<std::string> names;
  for (const Node& item : list) {
    const Node* name = item.find("name");
    if (name != nullptr && name->text() != nullptr) names.push_back(*name->text());
  }
  if (!names.empty())
    return fmt::format("there is no {} in {}{}", in_quotes(part), owner, did_you_mean(part, names));
  return fmt::format("{} is a list: its items are named by number, from 1 to {}, or * for all", owner,
                     list.size());
}

std::optional<Node> value_from_toml(std::string_view text, const SharedPlace& spot, Mistakes& mistakes) {
  Node value{spot, {}};
  std::string why = "it must be one value";
  try {
    Node document = document_from_toml(fmt::format("value = {}", text), "");
    if (document.table()->size() == 1) {
      value = std::move(document.table()->front().value);
      set_spots(value, spot);
      return value;
    }
  } catch (const InputError& error) {
    why = error.mistakes().front().message;
  }
  if (is_bare_text(text)) {
    value.value = std::string(text);
    return value;
  }
  mistakes.add(spot, text.empty() ? "there is no value after '='" : "the value cannot be read: " + why);
  return std::nullopt;
}

void apply_override(Node& scene, const std::string& override_text, Mistakes& mistakes) {
  const auto what = parsed(override_text, mistakes);
  if (what) Setter(*what, mistakes).set(scene, 0);
}

bool is_classic_override(const std::string& override_text) {
  const std::string first =
      components(std::string_view(override_text).substr(0, override_text.find('='))).front();
  return first == "system" || first == "filename";
}

}  // namespace catena
