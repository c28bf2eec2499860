// HDF5 with errors as exceptions and handles that close themselves. Only for io/record*.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena::run_files {

constexpr std::size_t kLargestChunk = std::size_t{1} << 20;

struct HdfFailure {
  std::string reason;  // the library's, the most specific one
};

inline herr_t keep_first_reason(unsigned number, const H5E_error2_t* error, void* out) {
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

inline Handle dataspace(const Extents& extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

inline Handle property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose}; }

inline Handle file_access() {
  Handle access = property_list(H5P_FILE_ACCESS);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_file_locking(access, false, true));  // network file systems often cannot lock
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  checked(H5Pset_cache(access, 0, 0, 0,
                       0.0));  // whole chunks pass by once: a cache per dataset only costs memory
  return access;
}

inline Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  checked(H5Tset_size(type, H5T_VARIABLE));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

inline void write_attribute(hid_t owner, const char* name, const Handle& space,
                            const std::vector<std::string>& texts) {
  const Handle type = text_type();
  const Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  checked(H5Awrite(attribute, type, pointers.data()));
}

inline void write_text_attribute(hid_t owner, const char* name, const std::string& text) {
  write_attribute(owner, name, Handle(H5Screate(H5S_SCALAR), H5Sclose), {text});
}

inline void write_list_attribute(hid_t owner, const char* name, const std::vector<std::string>& texts) {
  write_attribute(owner, name, dataspace({texts.size()}), texts);
}

inline Handle new_dataset(hid_t where, const std::string& name, hid_t type, const Extents& extents,
                          const Extents& chunk) {
  const Handle creation = property_list(H5P_DATASET_CREATE);
  checked(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
  checked(H5Pset_fletcher32(creation));
  checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  checked(H5Pset_obj_track_times(creation, false));  // equal runs give equal files
  return {H5Dcreate2(where, name.c_str(), type, dataspace(extents), H5P_DEFAULT, creation, H5P_DEFAULT),
          H5Dclose};
}

inline void write_bytes(hid_t group, const char* name, const std::string& bytes) {
  const Extents chunk = {std::clamp<hsize_t>(bytes.size(), 1, kLargestChunk)};
  const Handle dataset = new_dataset(group, name, H5T_STD_U8LE, {bytes.size()}, chunk);
  if (!bytes.empty())
    checked(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
}

inline Extents checked_extents(hid_t dataset, hid_t type, const std::string& name) {
  const Handle stored(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (checked(H5Tequal(stored, type)) == 0) throw HdfFailure{fmt::format("'{}' is of another type", name)};
  Extents extents(static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space))));
  checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
  return extents;
}

inline std::string read_bytes(hid_t group, const char* name, std::uint64_t most) {
  const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
  const Extents extents = checked_extents(dataset, H5T_STD_U8LE, name);
  if (extents.size() != 1 || extents[0] > most) throw HdfFailure{fmt::format("{} is damaged", name)};
  std::string out(extents[0], '\0');
  if (!out.empty()) checked(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()));
  return out;
}

// "file write failed: .., errno = 28, error message = .." tells what the operating system said.
inline int error_number(const std::string& reason) {
  constexpr std::string_view kMark = "errno = ";
  const std::size_t start = reason.find(kMark);
  if (start == std::string::npos) return EIO;
  return std::atoi(reason.c_str() + start + kMark.size());
}

}  // namespace catena::run_files
