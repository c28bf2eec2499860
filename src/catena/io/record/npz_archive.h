// NPZ archives: numpy arrays in a zip file, stored. Only for io/record*.
#pragma once

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"

namespace catena::run_files {

static_assert(std::endian::native == std::endian::little, "arrays are stored as they are in memory");

constexpr std::string_view kArrayMagic{"\x93NUMPY\x01\x00", 8};  // format 1.0
constexpr std::size_t kHeadBytes = kArrayMagic.size() + 2;       // and the length of the description
using Shape = std::vector<std::size_t>;

inline std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

// As Python writes it: "()", "(3,)", "(3, 2)".
inline std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// The beginning of a .npy file, padded so that the numbers are aligned to 64 bytes.
inline std::string array_head(std::string_view type, const Shape& shape) {
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
inline void add_texts(ZipWriter& zip, const std::string& array, const std::vector<std::string>& texts,
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

// One array of an archive: its description and its bytes.
struct Array {
  std::string type;
  Shape shape;
  std::string bytes;
};

// What follows `key` in "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", up to `end`.
inline std::string_view described(std::string_view description, std::string_view key, char end) {
  const std::size_t start = description.find(key);
  if (start == std::string_view::npos) return {};
  description.remove_prefix(start + key.size());
  return description.substr(0, description.find(end));
}

inline std::optional<Shape> shape_from(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent > std::size_t{1} << 40 || shape.size() == 32) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  return shape;
}

inline std::optional<Array> parsed_array(std::string bytes) {
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

inline void append_utf8(std::string& out, char32_t point) {
  constexpr std::array<unsigned, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  const std::size_t followers = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out += static_cast<char>(kLead[followers] | point >> (6 * followers));
  for (std::size_t k = followers; k-- > 0;) out += static_cast<char>(0x80u | (point >> (6 * k) & 0x3fu));
}

// The text in the bytes of an array of one.
inline std::string text_of(const std::string& bytes) {
  std::string out;
  for (std::size_t i = 0; i + sizeof(char32_t) <= bytes.size(); i += sizeof(char32_t)) {
    char32_t point = 0;
    std::memcpy(&point, bytes.data() + i, sizeof point);
    if (point == 0) break;
    append_utf8(out, point);
  }
  return out;
}

}  // namespace catena::run_files
