#include "catena/io/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catena/base/links.h"
#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"

namespace catena {
namespace run_files {

// A format is its own file with these two functions, and its row here; messages and help name it by its
// ending.
using Open = std::unique_ptr<RunReader>(const std::string& path);
using Write = void(RunReader& reader, const std::string& path);
Open open_hdf5, open_csv, open_json, open_npz, open_journal;
Write write_hdf5, write_csv, write_json, write_npz;

namespace {

struct Format {
  std::string_view ending;
  Open* open;
  Write* write;  // null: only read
};

constexpr std::array kFormats = {
    Format{".h5", open_hdf5, write_hdf5},   Format{".csv", open_csv, write_csv},
    Format{".json", open_json, write_json}, Format{".npz", open_npz, write_npz},
    Format{".part", open_journal, nullptr},
};

const Format* format_of(std::string_view path) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& format) { return path.ends_with(format.ending); });
  return found == kFormats.end() ? nullptr : &*found;
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::array<int, 256> base64_values() {
  std::array<int, 256> values;
  values.fill(-1);
  for (std::size_t i = 0; i < kBase64.size(); ++i) {
    values[static_cast<unsigned char>(kBase64[i])] = static_cast<int>(i);
  }
  return values;
}

bool is_storable(const std::string& name) {
  const auto is_bad = [](unsigned char c) { return c < ' ' || c == ',' || c == '"' || c == '/'; };
  return !name.empty() && name != "." && std::none_of(name.begin(), name.end(), is_bad) &&
         utf32_from_utf8(name).has_value();
}

void check_unique(const std::string& path, std::vector<std::string> names, const char* what) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw InputError({path}, fmt::format("two {} are called '{}': rename one of them", what, *twice));
  }
}

}  // namespace

std::size_t column_count(const std::vector<Stem>& stems) {
  std::size_t count = 0;
  for (const Stem& stem : stems) count += stem.columns();
  return count;
}

void check_stems(const std::string& path, const std::vector<Stem>& stems) {
  if (stems.empty() || stems.front() != Stem{"t", {}}) {
    throw InputError({path}, "is no recorded run: its first column must be 't'");
  }
  const std::vector<std::string> names = column_names(stems);
  for (const std::string& name : names) {
    if (!is_storable(name)) {
      throw InputError(
          {path},
          fmt::format("a column cannot be called '{}': use UTF-8 without , \" / and line breaks", name));
    }
  }
  check_unique(path, names, "columns");
  check_unique(path, array_names(stems), "arrays");
}

std::string stems_json(const std::vector<Stem>& stems) {
  nlohmann::json out = nlohmann::json::array();
  for (const Stem& stem : stems) {
    nlohmann::json entry = {stem.name};
    if (!stem.paths.empty()) entry.push_back({{"derivatives", stem.paths}});
    for (const std::string& label : stem.labels) entry.push_back(label);
    out.push_back(std::move(entry));
  }
  return out.dump();
}

std::optional<std::vector<Stem>> stems_from_json(std::string_view text) {
  const nlohmann::json in = nlohmann::json::parse(text, nullptr, false);
  if (!in.is_array()) return std::nullopt;
  std::vector<Stem> stems;
  for (const nlohmann::json& entry : in) {
    if (!entry.is_array() || entry.empty()) return std::nullopt;
    const auto is_text = [](const auto& e) { return e.is_string(); };
    std::size_t first = 1;
    Stem& stem = stems.emplace_back();
    if (entry.size() > 1 && entry[1].is_object()) {
      const nlohmann::json paths = entry[1].value("derivatives", nlohmann::json());
      if (!paths.is_array() || paths.empty() || !std::all_of(paths.begin(), paths.end(), is_text))
        return std::nullopt;
      for (const nlohmann::json& path : paths) stem.paths.push_back(path.get<std::string>());
      first = 2;
    }
    const auto labels = entry.begin() + static_cast<std::ptrdiff_t>(first);
    if (!entry[0].is_string() || !std::all_of(labels, entry.end(), is_text)) return std::nullopt;
    stem.name = entry[0].get<std::string>();
    for (std::size_t i = first; i < entry.size(); ++i) stem.labels.push_back(entry[i].get<std::string>());
  }
  return stems;
}

std::vector<Stem> stems_from_names(const std::vector<std::string>& names) {
  std::vector<Stem> stems;
  for (const std::string& name : names) {
    const std::size_t bar = name.rfind('_');
    const bool has_suffix = bar != std::string::npos && bar > 0;
    const std::string prefix = has_suffix ? name.substr(0, bar) : name;
    const std::string suffix = has_suffix ? name.substr(bar + 1) : "";
    const bool continues = has_suffix && !stems.empty() && !stems.back().labels.empty() &&
                           stems.back().name == prefix &&
                           suffix == fmt::format("{}", stems.back().labels.size() + 1);
    if (continues) {
      stems.back().labels.push_back(suffix);
    } else if (suffix == "1") {
      stems.push_back({prefix, {suffix}});
    } else {
      stems.push_back({name, {}});
    }
  }
  return stems;
}

std::vector<std::string> array_names(const std::vector<Stem>& stems) {
  std::set<std::string_view> alone;
  for (const Stem& stem : stems) {
    if (stem.labels.empty()) alone.insert(stem.name);
  }
  std::vector<std::string> names;
  names.reserve(stems.size());
  for (const Stem& stem : stems) {
    const bool taken = !stem.labels.empty() && alone.contains(stem.name);
    names.push_back((stem.paths.empty() ? "" : "d_") + stem.name + (taken ? "_each" : ""));
  }
  return names;
}

std::string base64_text(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kBase64[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return out;
}

std::optional<std::string> bytes_from_base64(std::string_view text) {
  static const std::array<int, 256> values = base64_values();
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with("=")) {
    text.remove_suffix(1);
  }
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    group = (group << 6 | static_cast<unsigned>(value)) & 0xffffu;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xffu);
  }
  return out;
}

std::optional<std::u32string> utf32_from_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int followers = lead < 0x80   ? 0
                          : lead < 0xc2 ? -1
                          : lead < 0xe0 ? 1
                          : lead < 0xf0 ? 2
                          : lead < 0xf5 ? 3
                                        : -1;
    if (followers < 0 || text.size() - i < static_cast<std::size_t>(followers)) return std::nullopt;
    char32_t point = followers == 0 ? lead : lead & (0x3fu >> followers);
    for (int k = 0; k < followers; ++k) {
      const auto follower = static_cast<unsigned char>(text[i++]);
      if ((follower & 0xc0u) != 0x80) return std::nullopt;
      point = point << 6 | (follower & 0x3fu);
    }
    constexpr std::array<char32_t, 4> kLeast = {0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    if (point < kLeast[static_cast<std::size_t>(followers)] || is_surrogate || point > 0x10ffff)
      return std::nullopt;
    out += point;
  }
  return out;
}

void visit_blocks(RunReader& reader, std::size_t block_rows, const BlockVisitor& visit) {
  const std::size_t columns = column_count(reader.info().stems);
  const std::size_t rows = reader.rows();
  std::vector<double> block(std::min(block_rows, rows) * columns);
  for (std::size_t first = 0; first < rows; first += block_rows) {
    const std::size_t count = std::min(block_rows, rows - first);
    reader.read(first, count, block.data());
    visit(block.data(), first, count);
  }
}

std::size_t rows_within(std::size_t bytes, std::size_t columns) {
  return std::max<std::size_t>(1, bytes / (sizeof(double) * columns));
}

}  // namespace run_files

using namespace run_files;

std::vector<std::string> column_names(const std::vector<Stem>& stems) {
  std::vector<std::string> names;
  names.reserve(column_count(stems));
  for (const Stem& stem : stems) {
    const auto add = [&](const std::string& column) {
      if (stem.paths.empty()) names.push_back(column);
      for (std::size_t j = 1; j <= stem.paths.size(); ++j) names.push_back(fmt::format("d{}_{}", j, column));
    };
    if (stem.labels.empty()) add(stem.name);
    for (const std::string& label : stem.labels) add(fmt::format("{}_{}", stem.name, label));
  }
  return names;
}

std::vector<std::string> run_endings() {
  std::vector<std::string> out;
  for (const Format& format : kFormats) {
    if (format.write != nullptr) out.emplace_back(format.ending);
  }
  return out;
}

bool is_run_format(std::string_view path) {
  const Format* format = format_of(path);
  return format != nullptr && format->write != nullptr;
}

std::unique_ptr<RunReader> RunReader::open(const std::string& path) {
  const Format* format = format_of(path);
  if (format == nullptr) {
    std::vector<std::string> endings;
    for (const Format& one : kFormats) endings.emplace_back(one.ending);
    throw InputError({path}, "is no recorded run: its name must end in " + alternatives(endings));
  }
  std::unique_ptr<RunReader> reader = format->open(path);
  if (is_later_version(reader->info().version)) throw InputError({path}, too_late(reader->info().version));
  return reader;
}

void write_run(RunReader& reader, const std::string& path) {
  if (!is_run_format(path)) {
    throw InputError({path}, "cannot tell the format: the name must end in " + alternatives(run_endings()));
  }
  check_stems(path, reader.info().stems);
  const std::string target = through_links(path), unfinished = target + ".tmp";
  try {
    format_of(path)->write(reader, unfinished);
    sync_and_rename(unfinished, target);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

}  // namespace catena
