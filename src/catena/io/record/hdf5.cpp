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

namespace catena::run_files {
namespace {

constexpr const char* kOwnGroup = "catena.run";  // no column's name: those have no dots
constexpr std::size_t kSmallChunk = std::size_t{256} << 10;
constexpr std::size_t kLargestChunk = std::size_t{1} << 20;
constexpr std::size_t kWindowBytes = std::size_t{16} << 20;  // of rows that are read or written at once

struct HdfFailure {
  std::string reason;  // the library's, the most specific one
};

herr_t keep_first_reason(unsigned number, const H5E_error2_t* error, void* out) {
  if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
  return 0;
}

// Passes on what a library call returned, unless that means failure.
template <typename Returned>
Returned checked(Returned returned) {
  if (returned >= 0) return returned;
  HdfFailure failure{"unknown reason"};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first_reason, &failure.reason);
  throw failure;
}

// The library prints its errors on stderr unless told not to; and when the program ends, once more about
// damaged files that it could not close. All files are closed by then, so there is nothing left to do.
class Silence {
 public:
  Silence() {
    static const herr_t at_exit = H5dont_atexit();
    static_cast<void>(at_exit);
    H5Eget_auto2(H5E_DEFAULT, &print_, &argument_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, argument_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* argument_ = nullptr;
};

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(checked(id)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close() { checked(close_(std::exchange(id_, -1))); }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

using Extents = std::vector<hsize_t>;

Handle dataspace(const Extents& extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

Handle property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose}; }

Handle file_access() {
  Handle access = property_list(H5P_FILE_ACCESS);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_file_locking(access, false, true));  // network file systems often cannot lock
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  checked(H5Pset_cache(access, 0, 0, 0,
                       0.0));  // whole chunks pass by once: a cache per dataset only costs memory
  return access;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  checked(H5Tset_size(type, H5T_VARIABLE));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void write_attribute(hid_t owner, const char* name, const Handle& space,
                     const std::vector<std::string>& texts) {
  const Handle type = text_type();
  const Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  checked(H5Awrite(attribute, type, pointers.data()));
}

void write_text_attribute(hid_t owner, const char* name, const std::string& text) {
  write_attribute(owner, name, Handle(H5Screate(H5S_SCALAR), H5Sclose), {text});
}

void write_list_attribute(hid_t owner, const char* name, const std::vector<std::string>& texts) {
  write_attribute(owner, name, dataspace({texts.size()}), texts);
}

Handle new_dataset(hid_t where, const std::string& name, hid_t type, const Extents& extents,
                   const Extents& chunk) {
  const Handle creation = property_list(H5P_DATASET_CREATE);
  checked(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
  checked(H5Pset_fletcher32(creation));
  checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  checked(H5Pset_obj_track_times(creation, false));  // equal runs give equal files
  return {H5Dcreate2(where, name.c_str(), type, dataspace(extents), H5P_DEFAULT, creation, H5P_DEFAULT),
          H5Dclose};
}

void write_bytes(hid_t group, const char* name, const std::string& bytes) {
  const Extents chunk = {std::clamp<hsize_t>(bytes.size(), 1, kLargestChunk)};
  const Handle dataset = new_dataset(group, name, H5T_STD_U8LE, {bytes.size()}, chunk);
  if (!bytes.empty())
    checked(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
}

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
    for (const auto* names : {&stem.labels, &stem.paths}) {
      if (!names->empty()) beyond_rows.push_back(names->size());
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
    info_.version = bytes(group, "version");
    info_.scene_json = bytes(group, "scene");
    state_.summary_json = bytes(group, "summary");
    state_.checkpoint = bytes(group, "checkpoint");
    const std::optional<std::vector<Stem>> stems = stems_from_json(bytes(group, "stems"));
    if (!stems) throw HdfFailure{"the list of stems is damaged"};
    info_.stems = *stems;
    check_stems(source_.path(), info_.stems);
  }

  std::string bytes(hid_t group, const char* name) const {
    const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
    const Extents extents = checked_extents(dataset, H5T_STD_U8LE, name);
    if (extents.size() != 1 || extents[0] > source_.size())
      throw HdfFailure{fmt::format("{} is damaged", name)};
    std::string out(extents[0], '\0');
    if (!out.empty()) checked(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()));
    return out;
  }

  static Extents checked_extents(hid_t dataset, hid_t type, const std::string& name) {
    const Handle stored(H5Dget_type(dataset), H5Tclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (checked(H5Tequal(stored, type)) == 0) throw HdfFailure{fmt::format("'{}' is of another type", name)};
    Extents extents(static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space))));
    checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    return extents;
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

// "file write failed: .., errno = 28, error message = .." tells what the operating system said.
int error_number(const std::string& reason) {
  constexpr std::string_view kMark = "errno = ";
  const std::size_t start = reason.find(kMark);
  if (start == std::string::npos) return EIO;
  return std::atoi(reason.c_str() + start + kMark.size());
}

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
