// Many cases of one scene: chunks of them, computed anywhere, and the files they go to.
#include "catena/io/scene/sweep.h"

#include <chrono>
#include <cstring>
#include <future>

#include "catena/io/record/sweep_file.h"
#include "catena/io/scene/scene.h"
#include "handles.h"
#include "sweeps.h"

namespace catena::python {
namespace {

// A plan and its scene as texts, which travel to other processes.
struct SweepWork {
  LoadedSweep loaded;

  SweepWork(const std::string& plan, const std::string& scene, const std::string& name) {
    SceneOptions options;
    options.source = options.name = name;
    options.methods = method_names();
    options.refusal = settings_refusal;
    SweepPlan read = sweep_from_json(plan, "<sweep>");
    read.name = name;
    loaded = load_sweep(std::move(read), read_scene(scene, options));
  }
};

py::tuple texts_of(const std::string& argument, const std::string& text,
                   const std::vector<std::string>& set) {
  const SceneText plan = text.empty() ? find_sweep(argument) : SceneText{text, argument, "sweep"};
  Settings settings;
  settings.set = set;
  const LoadedSweep loaded = load_sweep(plan, overrides_of(settings, "{}={}"));
  return py::make_tuple(loaded.info.plan_json, loaded.info.scene_json, loaded.info.scene_name, plan.name);
}

py::bytes bytes_of(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

py::tuple tuple_of(const SweepChunk& chunk) {
  py::list reasons;
  for (const CaseReason& reason : chunk.reasons) reasons.append(py::make_tuple(reason.index, reason.text));
  return py::make_tuple(chunk.first, chunk.count,
                        bytes_of(chunk.measures.data(), chunk.measures.size() * sizeof(double)),
                        bytes_of(chunk.status.data(), chunk.status.size()), reasons, chunk.steps);
}

SweepChunk chunk_from(const py::handle& given, std::size_t measures) {
  const auto of = given.cast<py::tuple>();
  SweepChunk chunk;
  chunk.first = of[0].cast<std::uint64_t>();
  chunk.count = of[1].cast<std::uint64_t>();
  const auto numbers = of[2].cast<std::string>(), status = of[3].cast<std::string>();
  if (numbers.size() != chunk.count * measures * sizeof(double) || status.size() != chunk.count)
    throw py::value_error("a chunk of a sweep has another size than it says");
  chunk.measures.resize(chunk.count * measures);
  chunk.status.resize(chunk.count);
  std::memcpy(chunk.measures.data(), numbers.data(), numbers.size());
  std::memcpy(chunk.status.data(), status.data(), status.size());
  for (const py::handle reason : of[4].cast<py::list>()) {
    const auto pair = reason.cast<py::tuple>();
    chunk.reasons.push_back({pair[0].cast<std::uint64_t>(), pair[1].cast<std::string>()});
  }
  chunk.steps = of[5].cast<std::uint64_t>();
  return chunk;
}

// Cases [first, first + count) on threads; Ctrl-C ends it with those that are done. Chunks as they came.
py::list computed(const SweepWork& work, std::uint64_t first, std::uint64_t count, unsigned threads) {
  std::vector<SweepChunk> chunks;
  Interrupts interrupts;
  SweepControl control;
  control.threads = threads;
  control.stop = &interrupts.stop();
  control.take = [&](const SweepChunk& chunk) { chunks.push_back(chunk); };
  {
    const py::gil_scoped_release unlocked;
    // Ctrl-C is looked for by the thread that Python gave us: the others compute.
    std::future<void> computing = std::async(std::launch::async, [&] {
      compute(*work.loaded.sweep, {{first, count}}, control);
    });
    while (computing.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) interrupts.look();
    computing.get();
  }
  py::list out;
  for (const SweepChunk& chunk : chunks) out.append(tuple_of(chunk));
  return out;
}

py::list axes_of(const SweepInfo& info) {
  py::list out;
  for (const SweepAxisValues& axis : info.axes) {
    py::dict one;
    one["name"] = axis.name;
    one["keys"] = axis.keys;
    one["unit"] = axis.unit;
    one["extent"] = axis.extent;
    one["width"] = axis.width;
    one["log"] = axis.logarithmic;
    one["values"] = owned(axis.values);
    out.append(one);
  }
  return out;
}

// A file as Python has it.
py::dict dict_of(const SweepFile& file) {
  py::dict out;
  py::list extents, measures, reasons;
  for (const SweepExtent& extent : file.info.extents) extents.append(extent.name);
  for (const std::vector<double>& measure : file.results.measures) measures.append(owned(measure));
  for (const CaseReason& reason : file.results.reasons)
    reasons.append(py::make_tuple(reason.index, reason.text));
  out["plan"] = file.info.plan_json;
  out["scene"] = file.info.scene_json;
  out["scene_name"] = file.info.scene_name;
  out["summary"] = file.info.summary_json;
  out["units"] = file.info.units_json;
  out["dimensions"] = extents;
  out["axes"] = axes_of(file.info);
  out["shape"] = file.results.shape;
  out["is_whole"] = file.results.is_whole();
  out["names"] = file.results.names;
  out["measures"] = measures;
  out["status"] = bytes_of(file.results.status.data(), file.results.status.size());
  out["reasons"] = reasons;
  return out;
}

SweepFile assembled(const SweepWork& work, const py::list& chunks, double seconds, const std::string& device,
                    const std::string& outcome) {
  SweepFile out;
  out.info = work.loaded.info;
  out.results = SweepResults(work.loaded.sweep->plan(), 0, work.loaded.sweep->cases().count());
  const std::size_t measures = out.results.names.size();
  for (const py::handle chunk : chunks) out.results.take(chunk_from(chunk, measures));
  SweepTiming timing;
  timing.seconds = seconds;
  timing.device = device;
  timing.outcome = outcome;
  timing.lanes = kUsualLanes;
  timing.lanes_refusal = work.loaded.sweep->lanes_refusal();
  out.info.summary_json = sweep_summary(out, timing);
  return out;
}

}  // namespace

void add_sweep(py::module_& module) {
  module.def("sweep_texts", texts_of, py::arg("argument"), py::arg("text"), py::arg("set"));
  py::class_<SweepFile>(module, "SweepFile")
      .def("arrays", dict_of)
      .def(
          "save", [](const SweepFile& file, const std::string& path) { write_sweep_file(file, path); },
          py::arg("path"));
  module.def("load_sweep", read_sweep_file, py::arg("path"));
  module.def("is_sweep_file", is_sweep_file, py::arg("path"));
  py::class_<SweepWork>(module, "SweepWork")
      .def(py::init<const std::string&, const std::string&, const std::string&>(), py::arg("plan"),
           py::arg("scene"), py::arg("name"))
      .def_property_readonly("cases",
                             [](const SweepWork& work) { return work.loaded.sweep->cases().count(); })
      .def("compute", computed, py::arg("first"), py::arg("count"), py::arg("threads"))
      .def("assembled", assembled, py::arg("chunks"), py::arg("seconds"), py::arg("device"),
           py::arg("outcome"));
}

}  // namespace catena::python
