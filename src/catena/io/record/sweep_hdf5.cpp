// Sweeps in HDF5: one dataset for each measure, with the grid's shape; checksummed as runs are.
#include <cassert>

#include "catena/base/mistake.h"
#include "catena/io/record/file.h"
#include "catena/io/record/hdf5_file.h"
#include "catena/io/record/sweep_layout.h"

namespace catena::run_files {
namespace {

constexpr const char* kGroup = "catena.sweep";

// A block of the array of at most kLargestChunk bytes: whole lines of the last axes, as many as fit.
Extents chunk_for(const Extents& extents, std::size_t bytes_each) {
  Extents chunk = extents;
  hsize_t room = kLargestChunk / bytes_each;
  for (std::size_t i = extents.size(); i-- > 0;) {
    chunk[i] = std::clamp<hsize_t>(room, 1, std::max<hsize_t>(1, extents[i]));
    room /= std::max<hsize_t>(1, chunk[i]);
  }
  return chunk;
}

Extents extents_from(const std::vector<std::size_t>& shape) { return {shape.begin(), shape.end()}; }

void write_array(hid_t where, const std::string& name, const Extents& extents,
                 const std::vector<double>& values, const std::string& unit) {
  const Handle dataset =
      new_dataset(where, name, H5T_IEEE_F64LE, extents, chunk_for(extents, sizeof(double)));
  checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  if (!unit.empty()) write_text_attribute(dataset, "unit", unit);
}

// One text for each failure, in the order of cases.
void write_reasons(hid_t file, const std::vector<CaseReason>& reasons) {
  const std::size_t count = std::min(reasons.size(), kMostReasons);
  const Handle type = text_type();
  const Handle space = dataspace({count});
  const Handle texts(H5Dcreate2(file, "reasons", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
  std::vector<const char*> pointers;
  std::vector<std::uint64_t> cases;
  for (std::size_t i = 0; i < count; ++i) {
    pointers.push_back(reasons[i].text.c_str());
    cases.push_back(reasons[i].index);
  }
  const Handle indices(
      H5Dcreate2(file, "reasons_case", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (count == 0) return;
  checked(H5Dwrite(texts, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()));
  checked(H5Dwrite(indices, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, cases.data()));
}

void write_all(const SweepFile& sweep, const std::string& path) {
  const SweepInfo& info = sweep.info;
  const SweepResults& results = sweep.results;
  const Handle creation = property_list(H5P_FILE_CREATE);
  checked(H5Pset_obj_track_times(creation, false));
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, file_access()), H5Fclose);
  write_text_attribute(file, "catena", info.version);
  write_text_attribute(file, "plan", info.plan_json);
  write_text_attribute(file, "scene", info.scene_json);
  write_text_attribute(file, "summary", info.summary_json);
  std::vector<std::string> along;
  for (const SweepExtent& extent : info.extents) along.push_back(extent.name);
  write_list_attribute(file, "dimensions", along);
  write_list_attribute(file, "measures", results.names);
  const Extents shape = extents_from(array_shape(results));
  for (std::size_t m = 0; m < results.names.size(); ++m)
    write_array(file, results.names[m], shape, results.measures[m], unit_of(info, results.names[m]));
  const Handle status = new_dataset(file, "status", H5T_STD_U8LE, shape, chunk_for(shape, 1));
  checked(H5Dwrite(status, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, results.status.data()));
  write_list_attribute(status, "meaning", {"done", "failed", "skipped", "not computed"});
  write_reasons(file, results.reasons);
  {
    const Handle axes(H5Gcreate2(file, "axes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (const SweepAxisValues& axis : info.axes) {
      Extents extents{axis.values.size() / axis.width};
      if (axis.width > 1) extents.push_back(axis.width);
      write_array(axes, axis.name, extents, axis.values, axis.unit);
      const Handle dataset(H5Dopen2(axes, axis.name.c_str(), H5P_DEFAULT), H5Dclose);
      write_list_attribute(dataset, "keys", axis.keys);
    }
    const Handle group(H5Gcreate2(file, kGroup, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    write_bytes(group, "version", info.version);
    write_bytes(group, "plan", info.plan_json);
    write_bytes(group, "scene", info.scene_json);
    write_bytes(group, "summary", info.summary_json);
    write_bytes(group, "layout", layout_json(sweep));
    write_bytes(group, "reasons", reasons_json(results.reasons));
  }
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  file.close();
}

std::vector<double> read_array(hid_t where, const std::string& name, const Extents& expected) {
  const Handle dataset(H5Dopen2(where, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Extents extents = checked_extents(dataset, H5T_IEEE_F64LE, name);
  if (extents != expected) throw HdfFailure{fmt::format("'{}' has another shape", name)};
  std::size_t count = 1;
  for (const hsize_t extent : extents) count *= extent;
  std::vector<double> out(count);
  checked(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()));
  return out;
}

SweepFile read_all(const std::string& path) {
  const InputFile source(path);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access()), H5Fclose);
  SweepFile out;
  const Handle group(H5Gopen2(file, kGroup, H5P_DEFAULT), H5Gclose);
  out.info.version = read_bytes(group, "version", source.size());
  out.info.plan_json = read_bytes(group, "plan", source.size());
  out.info.scene_json = read_bytes(group, "scene", source.size());
  out.info.summary_json = read_bytes(group, "summary", source.size());
  take_layout(path, read_bytes(group, "layout", source.size()), out);
  out.results.reasons = reasons_from_json(path, read_bytes(group, "reasons", source.size()));
  SweepResults& results = out.results;
  if (results.count > source.size()) throw HdfFailure{"it says that it has more than it can"};
  const Extents shape = extents_from(array_shape(results));
  for (const std::string& name : results.names) results.measures.push_back(read_array(file, name, shape));
  const Handle status(H5Dopen2(file, "status", H5P_DEFAULT), H5Dclose);
  if (checked_extents(status, H5T_STD_U8LE, "status") != shape)
    throw HdfFailure{"'status' has another shape"};
  results.status.resize(results.count);
  checked(H5Dread(status, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, results.status.data()));
  const Handle axes(H5Gopen2(file, "axes", H5P_DEFAULT), H5Gclose);
  for (SweepAxisValues& axis : out.info.axes) {
    Extents extents{out.info.extents[axis.extent].count};
    if (axis.width > 1) extents.push_back(axis.width);
    axis.values = read_array(axes, axis.name, extents);
  }
  return out;
}

}  // namespace

void write_sweep_hdf5(const SweepFile& sweep, const std::string& path) {
  const Silence silence;
  try {
    write_all(sweep, path);
  } catch (const HdfFailure& failure) {
    throw_write_error(path, error_number(failure.reason));
  }
}

SweepFile read_sweep_hdf5(const std::string& path) {
  const Silence silence;
  try {
    return read_all(path);
  } catch (const HdfFailure& failure) {
    throw InputError({path},
                     fmt::format("is no file of a sweep, or damaged or cut off (HDF5: {})", failure.reason));
  }
}

bool is_sweep_hdf5(const std::string& path) {
  const Silence silence;
  try {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, file_access()), H5Fclose);
    return H5Lexists(file, kGroup, H5P_DEFAULT) > 0;
  } catch (const HdfFailure&) {
    return false;
  }
}

}  // namespace catena::run_files
