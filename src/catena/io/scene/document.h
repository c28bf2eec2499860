// A scene's text as a tree that remembers where everything stands, the same for TOML and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catena/base/mistake.h"

namespace catena {

// A place that is cheap to copy: all nodes of one input share its name.
struct SharedPlace {
  std::shared_ptr<const std::string> source;
  int line = 0;  // 0: all of the source, as in an override
  int column = 0;
};

Place place_of(const SharedPlace& spot);

struct Entry;

struct Node {
  struct Nothing {};  // JSON null
  struct Date {};     // TOML dates and times: no scene has any
  using List = std::vector<Node>;
  using Table = std::vector<Entry>;  // in the order of the text, keys unique

  SharedPlace spot;
  std::variant<Nothing, bool, std::int64_t, double, std::string, Date, List, Table> value;

  const Table* table() const { return std::get_if<Table>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
  Table* table() { return std::get_if<Table>(&value); }
  List* list() { return std::get_if<List>(&value); }

  // The value of a key, or nullptr when this is no table or has no such key.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  SharedPlace spot;  // of the key
  Node value;
};

// Where the value of a key stands, or the table where it is left out.
inline const SharedPlace& spot_of(const Node& table, std::string_view key) {
  const Node* value = table.find(key);
  return value != nullptr ? value->spot : table.spot;
}

// "the number 3", "the text 'abc'", "a list of 2", "a table": for "must be a text, got ..".
std::string described(const Node& node);

// Text of the input made printable and at most `longest` bytes long.
std::string one_line(std::string_view text, std::size_t longest = 200);

// 'text', short and printable.
std::string in_quotes(std::string_view text);

// Tables and lists inside each other, at most; more is refused, since trees are walked by recursion.
constexpr int kDeepest = 64;

// Throws InputError where `text` has a NUL or is not UTF-8.
void check_is_text(std::string_view text, const std::string& source);

// Both throw InputError with the place of a syntax error.
Node document_from_toml(std::string_view text, const std::string& source);
Node document_from_json(std::string_view text, const std::string& source);

// JSON when the source is called .json or the first non-blank character is '{', TOML otherwise. Throws
// InputError, also for what is not UTF-8 text.
Node document_from(std::string_view text, const std::string& source);

// Compact JSON; numbers read back as the same bits.
std::string json_text(const Node& node);

}  // namespace catena
