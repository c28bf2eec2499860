// NPZ: a zip archive, stored, of one numpy array per stem.
#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"

namespace catena::run_files {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are stored as they are in memory");

constexpr std::string_view kArrayMagic{"\x93NUMPY\x01\x00", 8};  // format 1.0
constexpr std::size_t kHeadBytes = kArrayMagic.size() + 2;       // and the length of the description
constexpr std::array<std::string_view, 6> kReserved = {"catena", "scene",      "summary",
                                                       "stems",  "checkpoint", "columns"};

using Shape = std::vector<std::size_t>;

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

// As Python writes it: "()", "(3,)", "(3, 2)".
std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// The beginning of a .npy file, padded so that the numbers are aligned to 64 bytes.
std::string array_head(std::string_view type, const Shape& shape) {
  std::string description =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape_text(shape));
  const std::size_t unpadded = kHeadBytes + description.size() + 1;
  description.append((64 - unpadded % 64) % 64, ' ');
  description += '\n';
  std::string head(kArrayMagic);
  head += static_cast<char>(description.size() & 0xffu);
  head += static_cast<char>(description.size() >> 8 & 0xffu);
  return head + description;
}

class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path)
      : path_(path), zip_(zipOpen64(path.c_str(), APPEND_STATUS_CREATE)) {
    if (zip_ == nullptr) throw_write_error(path_, errno);
  }
  ~ZipWriter() {
    if (zip_ != nullptr) zipClose(zip_, nullptr);
  }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void begin(const std::string& array, std::string_view type, const Shape& shape, std::size_t bytes) {
    constexpr uLong kFirstOfJanuary1980 = 0x210000;  // as numpy does: equal runs give equal files
    constexpr uLong kNamesAreUtf8 = 1u << 11;
    constexpr std::size_t kLargestPlainEntry = 0xfff00000;
    zip_fileinfo details{};
    details.dosDate = kFirstOfJanuary1980;
    errno = 0;
    check(zipOpenNewFileInZip4_64(zip_, (array + ".npy").c_str(), &details, nullptr, 0, nullptr, 0, nullptr,
                                  0, 0, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, 0,
                                  kNamesAreUtf8, bytes > kLargestPlainEntry));
    const std::string head = array_head(type, shape);
    write(head.data(), head.size());
  }

  void write(const void* bytes, std::size_t size) {
    constexpr std::size_t kPartBytes = std::size_t{1} << 30;  // the library counts in 32 bits
    const char* next = static_cast<const char*>(bytes);
    while (size > 0) {
      const std::size_t part = std::min(size, kPartBytes);
      errno = 0;
      check(zipWriteInFileInZip(zip_, next, static_cast<unsigned>(part)));
      next += part;
      size -= part;
    }
  }

  void end() { check(zipCloseFileInZip(zip_)); }

  void add(const std::string& array, std::string_view type, const Shape& shape, const void* bytes,
           std::size_t size) {
    begin(array, type, shape, size);
    write(bytes, size);
    end();
  }

  void close() {
    errno = 0;
    const int status = zipClose(zip_, nullptr);
    zip_ = nullptr;
    check(status);
  }

 private:
  void check(int status) const {
    if (status != ZIP_OK) throw_write_error(path_, errno != 0 ? errno : EIO);
  }

  std::string path_;
  zipFile zip_;
};

// Texts of equal width, as numpy keeps them; zeros at their ends do not count. Width 0 is not portable.
void add_texts(ZipWriter& zip, const std::string& array, const std::vector<std::string>& texts,
               const Shape& shape) {
  std::vector<std::u32string> wide;
  std::size_t width = 1;
  for (const std::string& text : texts) {
    wide.push_back(utf32_from_utf8(text).value_or(U"\ufffd"));
    width = std::max(width, wide.back().size());
  }
  std::u32string all;
  all.reserve(width * texts.size());
  for (std::u32string& text : wide) {
    text.resize(width);
    all += text;
  }
  zip.add(array, fmt::format("<U{}", width), shape, all.data(), all.size() * sizeof(char32_t));
}

struct StemColumns {
  std::string array;
  std::size_t first;  // column of a row
  std::size_t count;
  Shape shape;

  std::size_t bytes() const { return element_count(shape) * sizeof(double); }
};

std::vector<StemColumns> stem_columns(const std::vector<Stem>& stems, std::size_t rows) {
  const std::vector<std::string> arrays = array_names(stems);
  std::vector<StemColumns> out;
  std::size_t first = 0;
  for (std::size_t i = 0; i < stems.size(); ++i) {
    Shape shape{rows};
    for (const auto* names : {&stems[i].labels, &stems[i].paths}) {
      if (!names->empty()) shape.push_back(names->size());
    }
    out.push_back({arrays[i], first, stems[i].columns(), std::move(shape)});
    first += stems[i].columns();
  }
  return out;
}

// Writes stems[first, last): the first as it is read, the others from memory.
void write_stems(RunReader& reader, ZipWriter& zip, const std::vector<StemColumns>& stems, std::size_t first,
                 std::size_t last) {
  const std::size_t columns = column_count(reader.info().stems);
  const std::size_t block_rows = rows_within(kBlockBytes, columns);
  std::vector<double> now(block_rows * stems[first].count);
  std::vector<std::vector<double>> waiting;
  for (std::size_t i = first + 1; i < last; ++i) waiting.emplace_back(element_count(stems[i].shape));
  zip.begin(stems[first].array, "<f8", stems[first].shape, stems[first].bytes());
  visit_blocks(reader, block_rows, [&](const double* block, std::size_t first_row, std::size_t rows) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t count = stems[i].count;
      double* out = i == first ? now.data() : waiting[i - first - 1].data() + first_row * count;
      for (std::size_t row = 0; row < rows; ++row) {
        std::copy_n(block + row * columns + stems[i].first, count, out + row * count);
      }
    }
    zip.write(now.data(), rows * stems[first].count * sizeof(double));
  });
  zip.end();
  for (std::size_t i = first + 1; i < last; ++i) {
    zip.add(stems[i].array, "<f8", stems[i].shape, waiting[i - first - 1].data(), stems[i].bytes());
  }
}

// One array of an archive: its description and its bytes.
struct Array {
  std::string type;
  Shape shape;
  std::string bytes;
};

// What follows `key` in "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", up to `end`.
std::string_view described(std::string_view description, std::string_view key, char end) {
  const std::size_t start = description.find(key);
  if (start == std::string_view::npos) return {};
  description.remove_prefix(start + key.size());
  return description.substr(0, description.find(end));
}

std::optional<Shape> shape_from(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent > std::size_t{1} << 40 || shape.size() == 3) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  return shape;
}

std::optional<Array> parsed_array(std::string bytes) {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kArrayMagic)) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(bytes[8]) | static_cast<unsigned char>(bytes[9]) << 8;
  if (bytes.size() < kHeadBytes + length) return std::nullopt;
  const std::string_view description = std::string_view(bytes).substr(kHeadBytes, length);
  const std::optional<Shape> shape = shape_from(described(description, "'shape': (", ')'));
  const bool is_c_order = described(description, "'fortran_order': ", ',') == "False";
  if (!shape || !is_c_order) return std::nullopt;
  Array array{std::string(described(description, "'descr': '", '\'')), *shape, {}};
  bytes.erase(0, kHeadBytes + length);
  array.bytes = std::move(bytes);
  return array;
}

class ZipReader {
 public:
  explicit ZipReader(const InputFile& file) : file_(file), zip_(unzOpen64(file.path().c_str())) {
    if (zip_ == nullptr) fail("is no NPZ archive, or it is cut off");
  }
  ~ZipReader() { unzClose(zip_); }
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  std::map<std::string, Array> arrays() {
    std::map<std::string, Array> out;
    int status = unzGoToFirstFile(zip_);
    for (; status == UNZ_OK; status = unzGoToNextFile(zip_)) {
      std::array<char, 1024> name{};
      unz_file_info64 details{};
      if (unzGetCurrentFileInfo64(zip_, &details, name.data(), name.size() - 1, nullptr, 0, nullptr, 0) !=
          UNZ_OK) {
        fail("the archive is damaged");
      }
      std::string array(name.data());
      if (!array.ends_with(".npy")) continue;
      array.resize(array.size() - 4);
      std::optional<Array> parsed = parsed_array(entry(array, details.uncompressed_size));
      if (!parsed) fail(fmt::format("array '{}' is damaged or not of a kind that Catena writes", array));
      out[array] = *std::move(parsed);
    }
    if (status != UNZ_END_OF_LIST_OF_FILE) fail("the archive is damaged");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_.path()}, message); }

  // The current entry's bytes. Closing it compares the checksum.
  std::string entry(const std::string& array, std::uint64_t expected_bytes) {
    constexpr std::size_t kPartBytes = std::size_t{1} << 20;
    const std::size_t part = std::min<std::uint64_t>(kPartBytes, expected_bytes + 1);
    const std::string damaged = fmt::format("array '{}' is damaged", array);
    if (unzOpenCurrentFile(zip_) != UNZ_OK) fail(damaged);
    std::string bytes;
    bytes.reserve(std::min(expected_bytes, file_.size()));  // a damaged archive may promise anything
    for (;;) {
      const std::size_t before = bytes.size();
      bytes.resize(before + part);
      const int got = unzReadCurrentFile(zip_, bytes.data() + before, static_cast<unsigned>(part));
      if (got < 0) fail(damaged);
      bytes.resize(before + static_cast<std::size_t>(got));
      if (got == 0) break;
    }
    if (unzCloseCurrentFile(zip_) != UNZ_OK || bytes.size() != expected_bytes) fail(damaged);
    return bytes;
  }

  const InputFile& file_;
  unzFile zip_;
};

void append_utf8(std::string& out, char32_t point) {
  constexpr std::array<unsigned, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  const std::size_t followers = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out += static_cast<char>(kLead[followers] | point >> (6 * followers));
  for (std::size_t k = followers; k-- > 0;) out += static_cast<char>(0x80u | (point >> (6 * k) & 0x3fu));
}

class NpzReader : public RunReader {
 public:
  explicit NpzReader(const std::string& path) : file_(path), arrays_(ZipReader(file_).arrays()) {
    info_.version = text("catena");
    info_.scene_json = text("scene");
    state_.summary_json = text("summary");
    state_.checkpoint = array("checkpoint", "|u1").bytes;
    const std::optional<std::vector<Stem>> stems = stems_from_json(text("stems"));
    if (!stems) throw InputError({path}, "the text 'stems' is damaged");
    check_stems(path, *stems);
    info_.stems = *stems;
    const Shape time = array("t", "<f8").shape;
    if (time.size() != 1) throw InputError({path}, "array 't' must have one dimension");
    rows_ = time[0];
    for (const StemColumns& stem : stem_columns(info_.stems, rows_)) take_stem(stem);
  }

  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_; }

  void read(std::size_t first, std::size_t count, double* out) override {
    assert(first <= rows_ && count <= rows_ - first);
    for (std::size_t row = first; row < first + count; ++row) {
      for (const auto& [bytes, row_bytes] : sources_) {
        std::memcpy(out, bytes + row * row_bytes, row_bytes);
        out += row_bytes / sizeof(double);
      }
    }
  }

 private:
  const Array& array(const std::string& name, std::string_view type) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) {
      throw InputError({file_.path()}, fmt::format("is no recorded run: array '{}' is missing", name));
    }
    if (found->second.type != type) {
      throw InputError({file_.path()}, fmt::format("array '{}' must be of type '{}', got '{}'", name, type,
                                                   found->second.type.substr(0, 40)));
    }
    return found->second;
  }

  std::string text(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end() || !found->second.type.starts_with("<U") || !found->second.shape.empty()) {
      throw InputError({file_.path()}, fmt::format("is no recorded run: the text '{}' is missing", name));
    }
    const std::string& bytes = found->second.bytes;
    std::string out;
    for (std::size_t i = 0; i + sizeof(char32_t) <= bytes.size(); i += sizeof(char32_t)) {
      char32_t point = 0;
      std::memcpy(&point, bytes.data() + i, sizeof point);
      if (point == 0) break;
      append_utf8(out, point);
    }
    return out;
  }

  void take_stem(const StemColumns& stem) {
    const Array& values = array(stem.array, "<f8");
    if (values.shape != stem.shape || values.bytes.size() != stem.bytes()) {
      throw InputError({file_.path()}, fmt::format("array '{}' must have the shape {}, got {}", stem.array,
                                                   shape_text(stem.shape), shape_text(values.shape)));
    }
    sources_.emplace_back(values.bytes.data(), stem.count * sizeof(double));
  }

  InputFile file_;
  std::map<std::string, Array> arrays_;
  RunInfo info_;
  RunState state_;
  std::size_t rows_ = 0;
  std::vector<std::pair<const char*, std::size_t>> sources_;  // each stem's bytes, and how many make a row
};

}  // namespace

std::unique_ptr<RunReader> open_npz(const std::string& path) { return std::make_unique<NpzReader>(path); }

void write_npz(RunReader& reader, const std::string& path) {
  const RunInfo& info = reader.info();
  const RunState& state = reader.state();
  const std::vector<StemColumns> stems = stem_columns(info.stems, reader.rows());
  for (const StemColumns& stem : stems) {
    if (std::find(kReserved.begin(), kReserved.end(), stem.array) == kReserved.end()) continue;
    throw InputError({path},
                     fmt::format("NPZ keeps '{}' for itself: rename that column or choose .h5", stem.array));
  }
  const std::vector<std::string> names = column_names(info.stems);
  ZipWriter zip(path);
  add_texts(zip, "catena", {info.version}, {});
  add_texts(zip, "scene", {info.scene_json}, {});
  add_texts(zip, "summary", {state.summary_json}, {});
  add_texts(zip, "stems", {stems_json(info.stems)}, {});
  add_texts(zip, "columns", names, {names.size()});
  zip.add("checkpoint", "|u1", {state.checkpoint.size()}, state.checkpoint.data(), state.checkpoint.size());
  for (std::size_t first = 0; first < stems.size();) {
    std::size_t last = first + 1;
    std::size_t waiting_bytes = 0;
    while (last < stems.size() && waiting_bytes + stems[last].bytes() <= kPassBytes) {
      waiting_bytes += stems[last++].bytes();
    }
    write_stems(reader, zip, stems, first, last);
    first = last;
  }
  zip.close();
}

}  // namespace catena::run_files
