// JSON scenes. nlohmann's parser keeps no positions of values, so it reads through an iterator that counts
// lines and columns and remembers where the token at hand began.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catena/io/scene/document.h"

namespace catena {
namespace {

// Follows the characters as the parser consumes them: just enough of JSON's grammar to know where tokens
// begin.
class Reader {
 public:
  struct Position {
    int line = 1;
    int column = 1;
  };

  void consume(char c) {
    if (in_text_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_text_ = false;
      }
    } else {
      consume_outside_text(c);
    }
    advance(c);
  }

  Position value_start() const { return value_start_; }
  Position token_start() const { return token_start_; }
  Position here() const { return here_; }

 private:
  void consume_outside_text(char c) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const bool separator = c == ',' || c == ':' || c == ']' || c == '}';
    const bool opener = c == '{' || c == '[' || c == '"';
    if (!blank && (separator || opener || !in_word_)) token_start_ = here_;
    if (!blank && !separator && (opener || !in_word_)) value_start_ = here_;
    in_word_ = !blank && !separator && !opener;
    in_text_ = c == '"';
  }

  void advance(char c) {
    const bool continuation = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (c == '\n') {
      ++here_.line;
      here_.column = 1;
    } else if (!continuation) {
      ++here_.column;
    }
  }

  Position here_;
  Position value_start_;
  Position token_start_;
  bool in_text_ = false;
  bool escaped_ = false;
  bool in_word_ = false;
};

// An input iterator that tells the Reader of each character passed.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Reader* reader) : at_(at), reader_(reader) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    reader_->consume(*at_++);
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Reader* reader_;
};

// Builds the tree from the parser's events. Throws InputError at the first mistake.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const Reader& reader, const std::string& source)
      : reader_(reader), source_(std::make_shared<const std::string>(source)) {}

  Node take() { return std::move(root_); }

  bool null() override { return add(Node::Nothing{}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kLargest = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (value > kLargest) return add(static_cast<double>(value));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(double{value}); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Node::Table{}); }
  bool start_array(std::size_t) override { return open(Node::List{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const SharedPlace spot = spot_at(reader_.value_start());
    if (!open_.back().keys.insert(name).second) {
      throw InputError(place_of(spot), fmt::format("the key {} is given twice", in_quotes(name)));
    }
    open_.back().node->table()->push_back({std::move(name), spot, Node{spot, {}}});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception...] parse error at line 1, column 5: syntax error while parsing value - unexpected .."
    std::string what = error.what();
    for (const char* prefix : {"- ", "] "}) {
      const std::size_t at = what.find(prefix);
      if (at == std::string::npos) continue;
      what.erase(0, at + 2);
      break;
    }
    // What the parser last read may hold any bytes of the input.
    what = what.substr(0, what.find("; last read:"));
    Reader::Position position = reader_.token_start();
    if (what.find("end of input") != std::string::npos) position = reader_.here();
    if (what.rfind("number overflow", 0) == 0) position = reader_.value_start();
    throw InputError(place_of(spot_at(position)), "JSON: " + one_line(what));
  }

 private:
  struct Open {
    Node* node;
    std::unordered_set<std::string> keys;  // of a table
  };

  SharedPlace spot_at(Reader::Position position) const { return {source_, position.line, position.column}; }

  template <class Value>
  Node* place_value(Value&& value) {
    Node* node = &root_;
    if (!open_.empty()) {
      Node& parent = *open_.back().node;
      node = parent.table() != nullptr ? &parent.table()->back().value : &parent.list()->emplace_back();
    }
    node->spot = spot_at(reader_.value_start());
    node->value = std::forward<Value>(value);
    return node;
  }

  template <class Value>
  bool add(Value&& value) {
    place_value(std::forward<Value>(value));
    return true;
  }

  // A parent's vector does not grow while a child of it is open, so pointers to open nodes stay good.
  template <class Value>
  bool open(Value&& value) {
    Node* node = place_value(std::forward<Value>(value));
    open_.push_back({node, {}});
    if (open_.size() > static_cast<std::size_t>(kDeepest)) {
      throw InputError(place_of(node->spot),
                       fmt::format("tables and lists are nested more than {} deep", kDeepest));
    }
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const Reader& reader_;
  std::shared_ptr<const std::string> source_;
  Node root_;
  std::vector<Open> open_;
};

}  // namespace

Node document_from_json(std::string_view text, const std::string& source) {
  Reader reader;
  TreeBuilder builder(reader, source);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &reader),
                            CountingIterator(text.data() + text.size(), &reader), &builder);
  return builder.take();
}

}  // namespace catena
