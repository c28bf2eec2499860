// JSON: whole columns by name, nan as null.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"
#include "catena/io/scene/scene.h"

namespace catena::run_files {
namespace {

using nlohmann::json;

constexpr std::size_t kTextBytes = std::size_t{256} << 10;

class JsonWriter {
 public:
  explicit JsonWriter(const std::string& path) : file_(path) {}

  void text(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kTextBytes) flush();
  }

  void begin_column(const std::string& name, bool is_first) {
    text(is_first ? "\n" : ",\n");
    text(json(name).dump());
    text(": [");
    at_start_ = true;
  }

  void value(double value) {
    if (!at_start_) buffer_ += ',';
    at_start_ = false;
    if (std::isnan(value)) {
      buffer_ += "null";
    } else if (std::isinf(value)) {
      buffer_ += value > 0 ? "\"inf\"" : "\"-inf\"";
    } else {
      fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value);
      if (value == 0 && std::signbit(value)) buffer_ += ".0";  // readers take "-0" for the integer 0
    }
    if (buffer_.size() >= kTextBytes) flush();
  }

  void close() {
    flush();
    file_.close();
  }

 private:
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  OutputFile file_;
  std::string buffer_;
  bool at_start_ = true;
};

// Writes columns [first, first + count): the first as it is read, the others from memory.
void write_columns(RunReader& reader, JsonWriter& writer, const std::vector<std::string>& names,
                   std::size_t first, std::size_t count) {
  const std::size_t rows = reader.rows();
  std::vector<double> waiting((count - 1) * rows);
  writer.begin_column(names[first], first == 0);
  const auto visit = [&](const double* block, std::size_t first_row, std::size_t block_rows) {
    for (std::size_t row = 0; row < block_rows; ++row) {
      const double* values = block + row * names.size() + first;
      writer.value(values[0]);
      for (std::size_t i = 1; i < count; ++i) waiting[(i - 1) * rows + first_row + row] = values[i];
    }
  };
  visit_blocks(reader, rows_within(kBlockBytes, names.size()), visit);
  writer.text("]");
  for (std::size_t i = 1; i < count; ++i) {
    writer.begin_column(names[first + i], false);
    for (std::size_t row = 0; row < rows; ++row) writer.value(waiting[(i - 1) * rows + row]);
    writer.text("]");
  }
}

// The bytes of a file one by one, with the place for error messages. While `capture` points to a text, the
// bytes are appended to it.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path) : file_(path), buffer_(kTextBytes) { fill(); }

  bool at_end() const { return next_ == filled_; }
  char peek() const { return buffer_[next_]; }
  void take() {
    const char c = buffer_[next_++];
    if (capture != nullptr) capture->push_back(c);
    ++column_;
    if (c == '\n') {
      ++line_;
      column_ = 0;
    }
    if (next_ == filled_) fill();
  }
  Place place() const { return {file_.path(), line_, std::max(1, column_)}; }

  std::string* capture = nullptr;

 private:
  void fill() {
    next_ = 0;
    filled_ = file_.read(offset_, buffer_.data(), buffer_.size());
    offset_ += filled_;
  }

  InputFile file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t offset_ = 0;
  int line_ = 1;
  int column_ = 0;
};

// Makes a ByteSource look like the pair of iterators that the parser wants.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  explicit ByteIterator(ByteSource* source) : source_(source) {}
  char operator*() const { return source_->peek(); }
  ByteIterator& operator++() {
    source_->take();
    return *this;
  }
  ByteIterator operator++(int) {
    ByteIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ByteIterator& other) const { return at_end() == other.at_end(); }

 private:
  bool at_end() const { return source_ == nullptr || source_->at_end(); }

  ByteSource* source_ = nullptr;
};

// What the file holds, gathered while it is parsed.
struct JsonRun {
  RunInfo info;
  RunState state;
  std::string stems;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  bool is_run = false;  // it has the member "columns"
};

// Follows the parser through { "scene": {..}, .., "columns": { "t": [..] } }: depth 1 is inside the outer
// braces, 2 inside those of "columns", 3 inside a column.
class JsonRunBuilder : public nlohmann::json_sax<json> {
 public:
  JsonRunBuilder(ByteSource& source, JsonRun& run) : source_(source), run_(run) {}

  bool null() override { return take_value(std::numeric_limits<double>::quiet_NaN()); }
  bool boolean(bool) override { return in_columns() ? fail("expected a number") : take_other(); }
  bool number_integer(number_integer_t value) override { return take_value(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && member_ == "format" && value > kRunFormat) {
      fail(fmt::format("a later version of this program wrote it: format {}, and this one reads {}", value,
                       kRunFormat));
    }
    return take_value(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return take_value(value); }
  bool binary(binary_t&) override { return fail("expected text"); }

  bool string(string_t& text) override {
    if (in_columns()) return take_infinity(text);
    if (depth_ != 1) return take_other();
    if (member_ == "catena") run_.info.version = text;
    if (member_ == "checkpoint") {
      const std::optional<std::string> bytes = bytes_from_base64(text);
      if (!bytes) return fail("the checkpoint is damaged");
      run_.state.checkpoint = *bytes;
    }
    return take_other();
  }

  bool start_object(std::size_t) override {
    if (depth_ == 1 && member_ == "columns") {
      run_.is_run = true;
    } else if (in_columns()) {
      return fail("a column must be a list of numbers");
    }
    start_capture('{');
    ++depth_;
    return true;
  }

  bool key(string_t& name) override {
    if (depth_ == 1) member_ = name;
    if (depth_ == 2 && member_ == "columns") {
      run_.names.push_back(name);
      run_.columns.emplace_back();
    }
    return true;
  }

  bool end_object() override { return leave(); }

  bool start_array(std::size_t) override {
    if (depth_ == 0 || (depth_ == 1 && member_ == "columns")) return fail("expected '{'");
    if (depth_ == 3 && in_columns()) return fail("expected a number");
    start_capture('[');
    ++depth_;
    return true;
  }

  bool end_array() override { return leave(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return fail(source_.at_end() ? "the file is cut off here" : "the JSON is damaged here");
  }

 private:
  [[noreturn]] bool fail(const std::string& message) const { throw InputError(source_.place(), message); }
  bool in_columns() const { return depth_ >= 2 && member_ == "columns"; }

  bool take_other() const {
    if (depth_ == 0) fail("is no recorded run: expected '{'");
    return true;
  }

  bool take_value(double value) {
    if (!in_columns()) return take_other();
    if (depth_ != 3) fail("a column must be a list of numbers");
    run_.columns.back().push_back(value);
    return true;
  }

  bool take_infinity(const std::string& text) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "inf") return take_value(kInfinity);
    if (text == "-inf") return take_value(-kInfinity);
    return fail("expected a number, null, \"inf\" or \"-inf\"");
  }

  // Scene, summary and stems are kept as the text they are.
  void start_capture(char opening) {
    if (depth_ != 1) return;
    std::string* text = member_ == "scene"     ? &run_.info.scene_json
                        : member_ == "summary" ? &run_.state.summary_json
                        : member_ == "stems"   ? &run_.stems
                                               : nullptr;
    if (text != nullptr) *text = opening;
    source_.capture = text;
  }

  bool leave() {
    if (--depth_ == 1) source_.capture = nullptr;
    return true;
  }

  ByteSource& source_;
  JsonRun& run_;
  int depth_ = 0;
  std::string member_;
};

class JsonReader : public RunReader {
 public:
  explicit JsonReader(const std::string& path) {
    ByteSource source(path);
    JsonRunBuilder builder(source, run_);
    json::sax_parse(ByteIterator(&source), ByteIterator(), &builder);
    if (!run_.is_run) throw InputError({path}, "is no recorded run: it has no member \"columns\"");
    settle_stems(path);
    for (std::size_t i = 0; i < run_.columns.size(); ++i) {
      if (run_.columns[i].size() == rows()) continue;
      throw InputError({path}, fmt::format("column '{}' has {} rows, 't' has {}", run_.names[i],
                                           run_.columns[i].size(), rows()));
    }
  }

  const RunInfo& info() const override { return run_.info; }
  const RunState& state() const override { return run_.state; }
  std::size_t rows() const override { return run_.columns.front().size(); }

  void read(std::size_t first, std::size_t count, double* out) override {
    assert(first <= rows() && count <= rows() - first);
    for (std::size_t row = first; row < first + count; ++row) {
      for (const std::vector<double>& column : run_.columns) *out++ = column[row];
    }
  }

 private:
  void settle_stems(const std::string& path) {
    std::optional<std::vector<Stem>> stems =
        run_.stems.empty() ? stems_from_names(run_.names) : stems_from_json(run_.stems);
    if (!stems) throw InputError({path}, "the member \"stems\" is damaged");
    check_stems(path, *stems);
    order_columns(path, column_names(*stems));
    run_.info.stems = *std::move(stems);
  }

  // Members of an object have no order: other programs may have sorted them.
  void order_columns(const std::string& path, const std::vector<std::string>& names) {
    std::map<std::string, std::size_t> found;
    for (std::size_t i = 0; i < run_.names.size(); ++i) found[run_.names[i]] = i;
    if (found.size() != names.size() || run_.names.size() != names.size()) {
      throw InputError({path}, "its columns do not agree with its stems");
    }
    std::vector<std::vector<double>> ordered;
    for (const std::string& name : names) {
      const auto entry = found.find(name);
      if (entry == found.end()) throw InputError({path}, fmt::format("column '{}' is missing", name));
      ordered.push_back(std::move(run_.columns[entry->second]));
    }
    run_.columns = std::move(ordered);
    run_.names = names;
  }

  JsonRun run_;
};

// Empty where this program does not understand the scene, as one that another version recorded.
std::string drawing_of(const std::string& scene_json) {
  try {
    return drawing_json(read_scene(scene_json, {}));
  } catch (const InputError&) {
    return "";
  }
}

std::string_view or_null(std::string_view text) { return text.empty() ? "null" : text; }

}  // namespace

std::unique_ptr<RunReader> open_json(const std::string& path) { return std::make_unique<JsonReader>(path); }

void write_json(RunReader& reader, const std::string& path) {
  const RunInfo& info = reader.info();
  const RunState& state = reader.state();
  const std::vector<std::string> names = column_names(info.stems);
  JsonWriter writer(path);
  writer.text(fmt::format("{{\"catena\": {},\n\"format\": {},\n\"scene\": {},\n\"summary\": {},\n",
                          json(info.version).dump(), kRunFormat, or_null(info.scene_json),
                          or_null(state.summary_json)));
  writer.text(fmt::format("\"drawing\": {},\n\"stems\": {},\n", or_null(drawing_of(info.scene_json)),
                          stems_json(info.stems)));
  writer.text(fmt::format("\"checkpoint\": \"{}\",\n\"columns\": {{", base64_text(state.checkpoint)));
  const std::size_t column_bytes = sizeof(double) * std::max<std::size_t>(1, reader.rows());
  const std::size_t pass_columns = 1 + kPassBytes / column_bytes;
  for (std::size_t first = 0; first < names.size(); first += pass_columns) {
    write_columns(reader, writer, names, first, std::min(pass_columns, names.size() - first));
  }
  writer.text("}}\n");
  writer.close();
}

}  // namespace catena::run_files
