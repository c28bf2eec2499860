// Scenes as text for people: TOML and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "catena/io/scene/document.h"
#include "catena/io/scene/scene.h"

namespace catena {
namespace {

bool is_plain(const Node& node) { return node.list() == nullptr && node.table() == nullptr; }

bool is_list_of_tables(const Node& node) {
  const Node::List* list = node.list();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(), [](const Node& item) { return item.table() != nullptr; });
}

// JSON's texts and numbers are TOML's as well, but for infinities, which no scene has.
std::string value_text(const Node& node) { return json_text(node); }

// ---- TOML -------------------------------------------------------------------------------------------------

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : value_text(Node{{}, key});
}

void append_inline(std::string& out, const Node& node) {
  if (is_plain(node)) {
    out += value_text(node);
  } else if (const Node::List* list = node.list()) {
    out += '[';
    for (const Node& item : *list) {
      if (&item != &list->front()) out += ", ";
      append_inline(out, item);
    }
    out += ']';
  } else {
    out += "{ ";
    for (const Entry& entry : *node.table()) {
      if (&entry != &node.table()->front()) out += ", ";
      out += key_text(entry.key) + " = ";
      append_inline(out, entry.value);
    }
    out += node.table()->empty() ? "}" : " }";
  }
}

// Lines of a table, then the lists of tables in it. TOML has no null: such a key is left out.
void append_section(std::string& out, const std::string& path, const Node& table) {
  for (const Entry& entry : *table.table()) {
    if (is_list_of_tables(entry.value) || std::holds_alternative<Node::Nothing>(entry.value.value)) continue;
    out += key_text(entry.key) + " = ";
    append_inline(out, entry.value);
    out += '\n';
  }
  for (const Entry& entry : *table.table()) {
    if (!is_list_of_tables(entry.value)) continue;
    const std::string inner = path + "." + key_text(entry.key);
    for (const Node& item : *entry.value.list()) {
      out += fmt::format("\n[[{}]]\n", inner);
      append_section(out, inner, item);
    }
  }
}

std::string toml_document(const Node& document) {
  std::string out;
  const Node::Table& table = *document.table();
  const auto is_section = [](const Node& node) { return node.table() != nullptr || is_list_of_tables(node); };
  for (const Entry& entry : table) {
    if (is_section(entry.value)) continue;
    out += key_text(entry.key) + " = ";
    append_inline(out, entry.value);
    out += '\n';
  }
  for (const Entry& entry : table) {
    if (!is_section(entry.value)) continue;
    const std::string path = key_text(entry.key);
    if (entry.value.table() != nullptr) {
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", path);
      append_section(out, path, entry.value);
      continue;
    }
    for (const Node& item : *entry.value.list()) {
      out += fmt::format("{}[[{}]]\n", out.empty() ? "" : "\n", path);
      append_section(out, path, item);
    }
  }
  return out;
}

// ---- JSON -------------------------------------------------------------------------------------------------

// Tables over several lines, lists of numbers on one.
void append_json(std::string& out, const Node& node, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  if (const Node::Table* table = node.table(); table != nullptr && !table->empty()) {
    out += "{\n";
    for (const Entry& entry : *table) {
      out += inner + value_text(Node{{}, entry.key}) + ": ";
      append_json(out, entry.value, indent + 2);
      out += &entry == &table->back() ? "\n" : ",\n";
    }
    out += std::string(indent, ' ') + "}";
    return;
  }
  if (!is_list_of_tables(node)) {
    out += value_text(node);
    return;
  }
  out += "[\n";
  for (const Node& item : *node.list()) {
    out += inner;
    append_json(out, item, indent + 2);
    out += &item == &node.list()->back() ? "\n" : ",\n";
  }
  out += std::string(indent, ' ') + "]";
}

}  // namespace

std::string scene_as_toml(std::string_view json) { return toml_document(document_from(json, "<scene>")); }

std::string scene_as_json(std::string_view json) {
  std::string out;
  append_json(out, document_from(json, "<scene>"), 0);
  return out + "\n";
}

}  // namespace catena
