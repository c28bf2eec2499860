// HDF5: one dataset per stem. The newest file format is used because it checksums its own tables, and the
// filter fletcher32 checksums the rest: so a damaged file is refused, where the library might crash.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/formats.h"
#include "catena/io/record/hdf5_file.h"

namespace catena::run_files {
namespace {

constexpr const char* kOwnGroup = "catena.run";  // no column's name: those have no dots
constexpr std::size_t kSmallChunk = std::size_t{256} << 10;
constexpr std::size_t kWindowBytes = std::size_t{16} << 20;  // of rows that are read or written at once

// Rows that are read or written at once: a power of two, so that chunks, smaller ones, never straddle.
std::size_t window_rows(std::size_t columns) { return std::bit_floor(rows_within(kWindowBytes, columns)); }

Extents chunk_of(const Extents& extents, std::size_t window) {
  hsize_t labels = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) labels *= extents[i];
  const hsize_t wanted = std::bit_floor(rows_within(kSmallChunk, labels));
  const hsize_t rows =
      std::clamp<hsize_t>(std::min<hsize_t>(wanted, window), 1, std::max<hsize_t>(1, extents[0]));
  if (extents.size() == 1) return {rows};
  Extents chunk = {rows, std::min<hsize_t>(extents[1], kLargestChunk / sizeof(double))};
  if (extents.size() == 3)
    chunk.push_back(std::clamp<hsize_t>(kLargestChunk / sizeof(double) / chunk[1], 1, extents[2]));
  return chunk;
}

// One stem's dataset and where its columns are in a row.
struct StemDataset {
  Handle dataset;
  std::size_t first;
  std::size_t count;
  Extents beyond_rows;  // labels, paths; those that there are

  StemDataset(Handle of, std::size_t at, const Stem& stem)
      : dataset(std::move(of)), first(at), count(stem.columns()) {
    for (const std::size_t names : {stem.labels.size(), stem.paths.size()}) {
      if (names > 0) beyond_rows.push_back(names);
    }
  }

  Extents extents(std::size_t rows) const {
    Extents out{rows};
    out.insert(out.end(), beyond_rows.begin(), beyond_rows.end());
    return out;
  }

  // Selects rows [first_row, first_row + rows) in the file.
  Handle selection(std::size_t first_row, std::size_t rows) const {
    Handle space(H5Dget_space(dataset), H5Sclose);
    Extents start(1 + beyond_rows.size(), 0);
    start[0] = first_row;
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extents(rows).data(), nullptr));
    return space;
  }
};

// Calls visit(stem, its array's name, its first column) in order.
template <typename Visit>
void visit_stems(const std::vector<Stem>& stems, Visit visit) {
  const std::vector<std::string> arrays = array_names(stems);
  std::size_t first = 0;
  for (std::size_t i = 0; i < stems.size(); ++i) {
    visit(stems[i], arrays[i], first);
    first += stems[i].columns();
  }
}

std::vector<StemDataset> create_datasets(hid_t file, const std::vector<Stem>& stems, std::size_t rows) {
  const std::size_t window = window_rows(column_count(stems));
  std::vector<StemDataset> out;
  visit_stems(stems, [&](const Stem& stem, const std::string& array, std::size_t first) {
    StemDataset made({}, first, stem);
    const Extents extents = made.extents(rows);
    made.dataset = new_dataset(file, array, H5T_IEEE_F64LE, extents, chunk_of(extents, window));
    if (!stem.labels.empty()) write_list_attribute(made.dataset, "labels", stem.labels);
    if (!stem.paths.empty()) write_list_attribute(made.dataset, "derivatives", stem.paths);
    out.push_back(std::move(made));
  });
  return out;
}

void write_rows(RunReader& reader, const std::vector<StemDataset>& stems) {
  const std::size_t columns = column_count(reader.info().stems);
  std::vector<double> part;
  visit_blocks(
      reader, window_rows(columns), [&](const double* block, std::size_t first_row, std::size_t rows) {
        for (const StemDataset& stem : stems) {
          part.resize(rows * stem.count);
          for (std::size_t row = 0; row < rows; ++row) {
            std::copy_n(block + row * columns + stem.first, stem.count, part.data() + row * stem.count);
          }
          const Handle selection = stem.selection(first_row, rows);
          const Handle memory = dataspace(stem.extents(rows));
          checked(H5Dwrite(stem.dataset, H5T_NATIVE_DOUBLE, memory, selection, H5P_DEFAULT, part.data()));
        }
      });
}

void write_run_file(RunReader& reader, const std::string& path) {
  const RunInfo& info = reader.info();
  const RunState& state = reader.state();
  const Handle creation = property_list(H5P_FILE_CREATE);
  checked(H5Pset_obj_track_times(creation, false));
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, file_access()), H5Fclose);
  write_text_attribute(file, "catena", info.version);
  write_text_attribute(file, "scene", info.scene_json);
  write_text_attribute(file, "summary", state.summary_json);
  write_list_attribute(file, "columns", column_names(info.stems));
  {
    const Handle group(H5Gcreate2(file, kOwnGroup, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    write_bytes(group, "version", info.version);
    write_bytes(group, "scene", info.scene_json);
    write_bytes(group, "summary", state.summary_json);
    write_bytes(group, "stems", stems_json(info.stems));
    write_bytes(group, "checkpoint", state.checkpoint);
  }
  write_rows(reader, create_datasets(file, info.stems, reader.rows()));
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  file.close();
}

class Hdf5Reader : public RunReader {
 public:
  explicit Hdf5Reader(const std::string& path) : source_(path) {
    const Silence silence;
    try {
      file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access()), H5Fclose);
      read_texts();
      open_datasets();
    } catch (const HdfFailure& failure) {
      throw damage(failure);
    }
  }

  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_; }

  // Rows come through a window of whole chunks, so that reading them one by one is no slower.
  void read(std::size_t first, std::size_t count, double* out) override {
    assert(first <= rows_ && count <= rows_ - first);
    const std::size_t columns = column_count(info_.stems);
    while (count > 0) {
      if (first < window_first_ || first >= window_first_ + window_count_) load_window(first);
      const std::size_t skipped = first - window_first_;
      const std::size_t part = std::min(count, window_count_ - skipped);
      out = std::copy_n(window_.data() + skipped * columns, part * columns, out);
      first += part;
      count -= part;
    }
  }

 private:
  InputError damage(const HdfFailure& failure) const {
    return InputError({source_.path()},
                      fmt::format("is no recorded run, or damaged or cut off (HDF5: {})", failure.reason));
  }

  void read_texts() {
    const Handle group(H5Gopen2(file_, kOwnGroup, H5P_DEFAULT), H5Gclose);
    info_.version = read_bytes(group, "version", source_.size());
    info_.scene_json = read_bytes(group, "scene", source_.size());
    state_.summary_json = read_bytes(group, "summary", source_.size());
    state_.checkpoint = read_bytes(group, "checkpoint", source_.size());
    const std::optional<std::vector<Stem>> stems =
        stems_from_json(read_bytes(group, "stems", source_.size()));
    if (!stems) throw HdfFailure{"the list of stems is damaged"};
    info_.stems = *stems;
    check_stems(source_.path(), info_.stems);
  }

  void open_datasets() {
    visit_stems(info_.stems, [&](const Stem& stem, const std::string& array, std::size_t first) {
      StemDataset opened({}, first, stem);
      opened.dataset = Handle(H5Dopen2(file_, array.c_str(), H5P_DEFAULT), H5Dclose);
      const Extents extents = checked_extents(opened.dataset, H5T_IEEE_F64LE, array);
      if (stems_.empty() && extents.size() == 1) rows_ = extents[0];
      if (extents != opened.extents(rows_)) throw HdfFailure{fmt::format("'{}' has another shape", array)};
      stems_.push_back(std::move(opened));
    });
  }

  void load_window(std::size_t row) {
    const Silence silence;
    const std::size_t columns = column_count(info_.stems);
    const std::size_t size = window_rows(columns);
    window_first_ = row / size * size;
    window_count_ = 0;  // none is valid if reading fails
    const std::size_t count = std::min(size, rows_ - window_first_);
    window_.resize(count * columns);
    try {
      for (const StemDataset& stem : stems_) load_stem(stem, count);
    } catch (const HdfFailure& failure) {
      throw damage(failure);
    }
    window_count_ = count;
  }

  void load_stem(const StemDataset& stem, std::size_t rows) {
    const std::size_t columns = column_count(info_.stems);
    part_.resize(rows * stem.count);
    const Handle selection = stem.selection(window_first_, rows);
    const Handle memory = dataspace(stem.extents(rows));
    checked(H5Dread(stem.dataset, H5T_NATIVE_DOUBLE, memory, selection, H5P_DEFAULT, part_.data()));
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(part_.data() + row * stem.count, stem.count, window_.data() + row * columns + stem.first);
    }
  }

  InputFile source_;
  RunInfo info_;
  RunState state_;
  std::size_t rows_ = 0;
  Handle file_;
  std::vector<StemDataset> stems_;
  std::vector<double> window_;
  std::size_t window_first_ = 0;
  std::size_t window_count_ = 0;
  std::vector<double> part_;
};

}  // namespace

std::unique_ptr<RunReader> open_hdf5(const std::string& path) { return std::make_unique<Hdf5Reader>(path); }

void write_hdf5(RunReader& reader, const std::string& path) {
  const Silence silence;
  try {
    write_run_file(reader, path);
  } catch (const HdfFailure& failure) {
    throw_write_error(path, error_number(failure.reason));
  }
}

}  // namespace catena::run_files
