// CSV: comment lines carry what stands beside the rows.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"

namespace catena {
namespace run_files {
namespace {

constexpr std::size_t kLongestNumber = 32;  // "-2.2250738585072014e-308" and a comma, with room to spare
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;
constexpr auto kBatchTime = std::chrono::milliseconds(100);
constexpr std::size_t kIndexRows = 1024;

constexpr std::string_view kVersionMark = "# catena ";
constexpr std::string_view kSceneMark = "# scene: ";
constexpr std::string_view kStemsMark = "# stems: ";
constexpr std::string_view kSummaryMark = "# summary: ";
constexpr std::string_view kCheckpointMark = "# checkpoint: ";

// JSON has line breaks only between its parts, where a space means the same.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string beginning(const RunInfo& info) {
  std::string text = fmt::format("{}{}\n{}{}\n{}{}\n", kVersionMark, info.version, kSceneMark,
                                 one_line(info.scene_json), kStemsMark, stems_json(info.stems));
  for (const std::string& name : column_names(info.stems)) text += name + ',';
  text.back() = '\n';
  return text;
}

std::string ending(const RunState& state) {
  std::string text;
  if (!state.summary_json.empty()) text += fmt::format("{}{}\n", kSummaryMark, one_line(state.summary_json));
  if (!state.checkpoint.empty())
    text += fmt::format("{}{}\n", kCheckpointMark, base64_text(state.checkpoint));
  return text;
}

char* number_written(char* out, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, out);  // without the sign that x86 gives to 0/0
  return fmt::format_to(out, FMT_COMPILE("{}"), value);
}

// Reads a file line by line, from any line's beginning, holding little more than a line.
class LineReader {
 public:
  LineReader(const InputFile& file, std::uint64_t offset, int number)
      : file_(file),
        buffer_(4 * kBatchBytes),
        read_offset_(offset),
        line_offset_(offset),
        number_(number - 1) {}

  bool next() {
    line_offset_ += consumed_;
    begin_ += consumed_;
    consumed_ = 0;
    std::size_t searched = begin_;
    const char* end = nullptr;
    while ((end = line_break(searched)) == nullptr) {
      searched = filled_ - begin_;
      if (!fill()) break;
    }
    is_complete_ = end != nullptr;
    const std::size_t length = is_complete_ ? end - (buffer_.data() + begin_) : filled_ - begin_;
    consumed_ = length + (is_complete_ ? 1 : 0);
    if (consumed_ == 0) return false;
    line_ = {buffer_.data() + begin_, length};
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }

  std::string_view line() const { return line_; }        // without its line break
  bool is_complete() const { return is_complete_; }      // whether a line break ends it
  std::uint64_t offset() const { return line_offset_; }  // of the line's beginning
  int number() const { return number_; }

 private:
  const char* line_break(std::size_t from) const {
    if (from >= filled_) return nullptr;
    return static_cast<const char*>(std::memchr(buffer_.data() + from, '\n', filled_ - from));
  }

  // Moves the begun line to the front, so that positions count from there, and reads more behind it.
  bool fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < filled_ + kBatchBytes) buffer_.resize(2 * buffer_.size());
    const std::size_t got = file_.read(read_offset_, buffer_.data() + filled_, buffer_.size() - filled_);
    filled_ += got;
    read_offset_ += got;
    return got > 0;
  }

  const InputFile& file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the line in the buffer
  std::size_t filled_ = 0;
  std::size_t consumed_ = 0;
  std::uint64_t read_offset_;
  std::uint64_t line_offset_;
  std::string_view line_;
  bool is_complete_ = false;
  int number_;
};

bool is_row(std::string_view line) { return !line.empty() && line.front() != '#'; }

// Calls visit(field, where it starts) for each part between commas.
template <typename Visit>
void visit_fields(std::string_view line, Visit visit) {
  for (std::size_t start = 0;;) {
    const std::size_t comma = line.find(',', start);
    visit(trimmed(line.substr(start, comma - start)), start);
    if (comma == std::string_view::npos) return;
    start = comma + 1;
  }
}

class CsvReader : public RunReader {
 public:
  explicit CsvReader(const std::string& path) : file_(path) {
    LineReader lines(file_, 0, 1);
    bool last_row_complete = true;
    while (lines.next()) {
      if (is_row(lines.line()) && has_header_) last_row_complete = lines.is_complete();
      take_line(lines);
    }
    if (!has_header_) throw InputError({path}, "is no recorded run: it has no header line");
    if (!info_.version.empty() && !last_row_complete) {
      throw InputError({path, lines.number(), 1}, "the file is cut off in this row");
    }
  }

  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_; }

  void read(std::size_t first, std::size_t count, double* out) override {
    assert(first <= rows_ && count <= rows_ - first);
    if (count == 0) return;
    if (!lines_ || first < next_row_ || first / kIndexRows > next_row_ / kIndexRows) {
      const IndexEntry& entry = index_[first / kIndexRows];
      lines_.emplace(file_, entry.offset, entry.line);
      next_row_ = first / kIndexRows * kIndexRows;
    }
    for (; next_row_ < first; ++next_row_) advance_to_row();
    for (; next_row_ < first + count; ++next_row_, out += columns_) {
      advance_to_row();
      parse_row(out);
    }
  }

 private:
  struct IndexEntry {
    std::uint64_t offset;
    int line;
  };

  void take_line(const LineReader& lines) {
    std::string_view line = lines.line();
    if (lines.number() == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.starts_with('#')) {
      take_comment(line, lines.number());
    } else if (line.empty()) {
      return;
    } else if (!has_header_) {
      take_header(line, lines.number());
    } else if (rows_++ % kIndexRows == 0) {
      index_.push_back({lines.offset(), lines.number()});
    }
  }

  void take_comment(std::string_view line, int number) {
    const auto after = [&](std::string_view mark) { return std::string(line.substr(mark.size())); };
    if (line.starts_with(kVersionMark)) {
      info_.version = after(kVersionMark);
      if (!utf32_from_utf8(info_.version))
        throw InputError({file_.path(), number, 1}, "this line is damaged");
    } else if (line.starts_with(kSceneMark)) {
      info_.scene_json = checked_json(after(kSceneMark), number);
    } else if (line.starts_with(kSummaryMark)) {
      state_.summary_json = checked_json(after(kSummaryMark), number);
    } else if (line.starts_with(kStemsMark)) {
      const std::optional<std::vector<Stem>> stems = stems_from_json(line.substr(kStemsMark.size()));
      if (!stems) throw InputError({file_.path(), number, 1}, "the line of stems is damaged");
      info_.stems = *stems;
    } else if (line.starts_with(kCheckpointMark)) {
      const std::optional<std::string> bytes = bytes_from_base64(line.substr(kCheckpointMark.size()));
      if (!bytes) throw InputError({file_.path(), number, 1}, "the checkpoint is cut off or damaged");
      state_.checkpoint = *bytes;
    }
  }

  std::string checked_json(std::string text, int number) const {
    if (!text.empty() && !nlohmann::json::accept(text)) {
      throw InputError({file_.path(), number, 1}, "the JSON in this line is cut off or damaged");
    }
    return text;
  }

  void take_header(std::string_view line, int number) {
    std::vector<std::string> names;
    visit_fields(line, [&](std::string_view field, std::size_t) { names.emplace_back(field); });
    if (info_.stems.empty()) info_.stems = stems_from_names(names);
    check_stems(file_.path(), info_.stems);
    if (column_names(info_.stems) != names) {
      throw InputError({file_.path(), number, 1},
                       "the header does not agree with the line of stems above it");
    }
    columns_ = names.size();
    has_header_ = true;
  }

  void advance_to_row() {
    do {
      if (!lines_->next()) throw InputError({file_.path()}, "became shorter while it was read");
    } while (!is_row(lines_->line()));
  }

  void parse_row(double* out) const {
    std::size_t column = 0;
    visit_fields(lines_->line(), [&](std::string_view field, std::size_t start) {
      if (column < columns_) out[column] = number_from(field, start);
      ++column;
    });
    if (column != columns_) {
      throw InputError({file_.path(), lines_->number(), 1},
                       fmt::format("this row has {} columns, the header has {}", column, columns_));
    }
  }

  double number_from(std::string_view field, std::size_t start) const {
    if (field.starts_with('+')) field.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      throw InputError({file_.path(), lines_->number(), static_cast<int>(start) + 1},
                       fmt::format("expected a number, got '{}'", field.substr(0, 40)));
    }
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  }

  InputFile file_;
  RunInfo info_;
  RunState state_;
  bool has_header_ = false;
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  std::vector<IndexEntry> index_;  // of each kIndexRows-th row
  std::optional<LineReader> lines_;
  std::size_t next_row_ = 0;  // the row that lines_ comes to next
};

}  // namespace

std::unique_ptr<RunReader> open_csv(const std::string& path) { return std::make_unique<CsvReader>(path); }

void write_csv(RunReader& reader, const std::string& path) {
  OutputFile file(path);
  CsvStream stream([&](std::string_view text) { file.write(text); }, reader.info());
  const std::size_t columns = column_count(reader.info().stems);
  visit_blocks(reader, rows_within(kBlockBytes, columns),
               [&](const double* rows, std::size_t, std::size_t count) {
                 for (std::size_t row = 0; row < count; ++row) stream.append(rows + row * columns);
               });
  stream.finish(reader.state());
  file.close();
}

}  // namespace run_files

using namespace run_files;

CsvStream::CsvStream(std::function<void(std::string_view)> write, const RunInfo& info)
    : write_(std::move(write)),
      columns_(column_count(info.stems)),
      buffer_(kBatchBytes + columns_ * kLongestNumber),
      flushed_(std::chrono::steady_clock::now()) {
  write_(beginning(info));
}

void CsvStream::append(const double* row) {
  char* out = buffer_.data() + used_;
  for (std::size_t column = 0; column < columns_; ++column) {
    out = number_written(out, row[column]);
    *out++ = ',';
  }
  out[-1] = '\n';
  used_ = static_cast<std::size_t>(out - buffer_.data());
  const bool is_due = used_ >= kBatchBytes || std::chrono::steady_clock::now() - flushed_ >= kBatchTime;
  if (is_due) flush();
}

void CsvStream::finish(const RunState& state) {
  flush();
  const std::string text = ending(state);
  if (!text.empty()) write_(text);
}

void CsvStream::flush() {
  if (used_ > 0) write_({buffer_.data(), used_});
  used_ = 0;
  flushed_ = std::chrono::steady_clock::now();
}

}  // namespace catena
