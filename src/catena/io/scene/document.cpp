#include "catena/io/scene/document.h"

#include <fmt/format.h>

#include <cstddef>
#include <type_traits>

#include "catena/base/words.h"

namespace catena {
namespace {

// Length of the UTF-8 character at the start of `text`; 0 when it is none (overlong forms, surrogates and
// values above U+10FFFF included).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json(std::string& out, const Node& node);

void append_json(std::string& out, const Node::List& list) {
  out += '[';
  for (const Node& item : list) {
    if (&item != &list.front()) out += ',';
    append_json(out, item);
  }
  out += ']';
}

void append_json(std::string& out, const Node::Table& table) {
  out += '{';
  for (const Entry& entry : table) {
    if (&entry != &table.front()) out += ',';
    append_json_text(out, entry.key);
    out += ':';
    append_json(out, entry.value);
  }
  out += '}';
}

// A double keeps a point or an exponent: "-0" would come back as the integer 0, without its sign.
std::string json_number(double value) {
  std::string text = number_text(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

void append_json(std::string& out, const Node& node) {
  std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Node::List> || std::is_same_v<Value, Node::Table>) {
          append_json(out, value);
        } else if constexpr (std::is_same_v<Value, bool>) {
          out += value ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          out += std::to_string(value);
        } else if constexpr (std::is_same_v<Value, double>) {
          out += json_number(value);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          append_json_text(out, value);
        } else {
          out += "null";
        }
      },
      node.value);
}

template <class Table>
auto value_of_key(Table* table, std::string_view key) -> decltype(&table->front().value) {
  if (table == nullptr) return nullptr;
  for (auto& entry : *table) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

}  // namespace

void check_is_text(std::string_view text, const std::string& source) {
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text.substr(i));
    if (length == 0) {
      throw InputError({source, line, column},
                       fmt::format("this is not text: a scene is UTF-8 text, but here is the byte 0x{:02x}",
                                   static_cast<unsigned char>(text[i])));
    }
    if (text[i] == '\n') {
      ++line;
      column = 0;
    }
    ++column;
    i += length;
  }
}

Place place_of(const SharedPlace& spot) {
  return {spot.source ? *spot.source : std::string(), spot.line, spot.column};
}

const Node* Node::find(std::string_view key) const { return value_of_key(table(), key); }
Node* Node::find(std::string_view key) { return value_of_key(table(), key); }

std::string one_line(std::string_view text, std::size_t longest) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (i + length > longest) {
      shown += "...";
      break;
    }
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0 || c < 0x20 || c == 0x7F) {
      shown += fmt::format("\\x{:02x}", c);
    } else {
      shown += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return "'" + one_line(text, 48) + "'"; }

std::string described(const Node& node) {
  if (const auto* flag = std::get_if<bool>(&node.value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&node.value)) return number_text(*number);
  if (const auto* text = node.text()) return "the text " + in_quotes(*text);
  if (const auto* list = node.list()) {
    return list->empty() ? "an empty list" : fmt::format("a list of {}", list->size());
  }
  if (node.table() != nullptr) return "a table";
  return std::holds_alternative<Node::Date>(node.value) ? "a date or time" : "null";
}

Node document_from(std::string_view text, const std::string& source) {
  check_is_text(text, source);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // A list is no scene, but in a file that is called .json it is JSON all the same, and told so.
  const bool is_called_json = source.size() > 5 && source.compare(source.size() - 5, 5, ".json") == 0;
  const bool is_json = is_called_json || (first != std::string_view::npos && text[first] == '{');
  if (!is_json) return document_from_toml(text, source);
  Node document = document_from_json(text, source);
  if (document.table() == nullptr) {
    throw InputError(place_of(document.spot),
                     fmt::format("a scene in JSON is a table, {{\"simulation\": {{..}}, ..}}, got {}",
                                 described(document)));
  }
  return document;
}

std::string json_text(const Node& node) {
  std::string out;
  append_json(out, node);
  return out;
}

}  // namespace catena
