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
#include "catena/io/record/npz_archive.h"

namespace catena::run_files {
namespace {

constexpr std::array<std::string_view, 6> kReserved = {"catena", "scene",      "summary",
                                                       "stems",  "checkpoint", "columns"};

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
    for (const std::size_t names : {stems[i].labels.size(), stems[i].paths.size()}) {
      if (names > 0) shape.push_back(names);
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
    return text_of(found->second.bytes);
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
