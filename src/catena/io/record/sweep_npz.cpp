// Sweeps as NPZ: the arrays of the HDF5 form, axes as "axes/<name>".
#include <cstring>

#include "catena/io/record/npz_archive.h"
#include "catena/io/record/sweep_layout.h"

namespace catena::run_files {
namespace {

void add_numbers(ZipWriter& zip, const std::string& name, const Shape& shape,
                 const std::vector<double>& values) {
  zip.add(name, "<f8", shape, values.data(), values.size() * sizeof(double));
}

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), file_(path), arrays_(ZipReader(file_).arrays()) {}

  std::string text(const std::string& name) const {
    const Array& array = named(name, "<U", false);
    return text_of(array.bytes);
  }
  std::vector<double> numbers(const std::string& name) const {
    const Array& array = named(name, "<f8", true);
    std::vector<double> out(array.bytes.size() / sizeof(double));
    std::memcpy(out.data(), array.bytes.data(), out.size() * sizeof(double));
    return out;
  }
  std::vector<CaseStatus> status() const {
    const Array& array = named("status", "|u1", true);
    std::vector<CaseStatus> out(array.bytes.size());
    std::memcpy(out.data(), array.bytes.data(), out.size());
    return out;
  }

 private:
  const Array& named(const std::string& name, std::string_view type, bool whole) const {
    const auto found = arrays_.find(name);
    const bool fits =
        found != arrays_.end() && (whole ? found->second.type == type : found->second.type.starts_with(type));
    if (!fits) throw InputError({path_}, fmt::format("is no file of a sweep: array '{}' is missing", name));
    return found->second;
  }

  std::string path_;
  InputFile file_;
  std::map<std::string, Array> arrays_;
};

}  // namespace

void write_sweep_npz(const SweepFile& sweep, const std::string& path) {
  const SweepInfo& info = sweep.info;
  const SweepResults& results = sweep.results;
  ZipWriter zip(path);
  const Shape shape = array_shape(results);
  for (std::size_t m = 0; m < results.names.size(); ++m)
    add_numbers(zip, results.names[m], shape, results.measures[m]);
  zip.add("status", "|u1", shape, results.status.data(), results.status.size());
  for (const SweepAxisValues& axis : info.axes) {
    Shape extents{axis.values.size() / axis.width};
    if (axis.width > 1) extents.push_back(axis.width);
    add_numbers(zip, "axes/" + axis.name, extents, axis.values);
  }
  std::vector<std::string> texts;
  std::vector<double> cases;
  for (std::size_t i = 0; i < std::min(results.reasons.size(), kMostReasons); ++i) {
    texts.push_back(results.reasons[i].text);
    cases.push_back(static_cast<double>(results.reasons[i].index));
  }
  add_texts(zip, "reasons", texts, {texts.size()});
  add_numbers(zip, "reasons_case", {cases.size()}, cases);
  add_texts(zip, "catena", {info.version}, {});
  add_texts(zip, "plan", {info.plan_json}, {});
  add_texts(zip, "scene", {info.scene_json}, {});
  add_texts(zip, "summary", {info.summary_json}, {});
  add_texts(zip, "layout", {layout_json(sweep)}, {});
  add_texts(zip, "reasons_json", {reasons_json(results.reasons)}, {});
  zip.close();
}

SweepFile read_sweep_npz(const std::string& path) {
  const Archive archive(path);
  SweepFile out;
  out.info.version = archive.text("catena");
  out.info.plan_json = archive.text("plan");
  out.info.scene_json = archive.text("scene");
  out.info.summary_json = archive.text("summary");
  take_layout(path, archive.text("layout"), out);
  out.results.reasons = reasons_from_json(path, archive.text("reasons_json"));
  for (const std::string& name : out.results.names) out.results.measures.push_back(archive.numbers(name));
  out.results.status = archive.status();
  for (SweepAxisValues& axis : out.info.axes) axis.values = archive.numbers("axes/" + axis.name);
  return out;
}

}  // namespace catena::run_files
