// Numbers of a scene from measurements.
#include <fmt/format.h>

#include "catena/base/mistake.h"
#include "catena/io/record/measurements.h"
#include "fits.h"
#include "handles.h"

namespace catena::python {
namespace {

// Columns of numbers by name, one of them t.
Measurements measurements_of(const std::vector<std::string>& names, const Numbers& times,
                             const Numbers& values) {
  Measurements out;
  out.source = "data";
  out.names = names;
  out.units.resize(names.size());
  out.times.assign(times.data(), times.data() + times.size());
  out.values.assign(values.data(), values.data() + values.size());
  out.lines.resize(out.times.size(), 0);
  return out;
}

py::dict fitted(const SceneText& text, const std::map<std::string, std::string>& given,
                const std::vector<std::string>& set, const Measurements& data, const FitAsk& ask,
                const std::optional<std::function<void(int, double)>>& progress) {
  const FitScene of = fit_scene(text, settings_from(given, set, {}), "{}={}");
  const PreparedFit made = prepared(of, data, ask);
  Interrupts interrupts;
  FitControl control;
  control.stop = &interrupts.stop();
  control.pulse = [&] { interrupts.look(); };
  control.progress = [&](int iteration, double rms) {
    if (!progress) return;
    const py::gil_scoped_acquire locked;
    try {
      (*progress)(iteration, rms);
    } catch (py::error_already_set& error) {
      Interrupts::take(error);
    }
  };
  FitResult result;
  {
    const py::gil_scoped_release unlocked;
    result = fit(made.problem, control);
  }
  py::list notes, names;
  for (const Warning& one : made.notes) notes.append(catena::text(one));
  for (const Warning& one : of.scene.warnings) notes.append(catena::text(one));
  for (const Warning& one : result.warnings) notes.append(catena::text(one));
  for (const ObservedColumn& one : made.problem.observed) names.append(one.name);
  const std::size_t rows = made.problem.times.size(), columns = made.problem.observed.size();
  const auto table = [&](const std::vector<double>& values) {
    auto out = std::make_unique<double[]>(values.size());
    std::copy(values.begin(), values.end(), out.get());
    return owned(std::move(out), values.empty() ? 0 : rows, columns);
  };
  py::dict out;
  out["json"] = fit_json(made.problem, result);
  out["scene"] = fitted_text(of, made.problem, result).scene;
  out["name"] = of.scene.name + "-fitted";
  out["names"] = names;
  out["times"] = owned(made.problem.times);
  out["measured"] = table(made.problem.values);
  out["modelled"] = table(result.modelled);
  out["notes"] = notes;
  return out;
}

py::dict fit_scene_to(const std::string& text, const std::string& source, const std::string& name,
                      const std::map<std::string, std::string>& given, const std::vector<std::string>& set,
                      const py::object& data, const py::dict& asked,
                      const std::optional<std::function<void(int, double)>>& progress) {
  FitAsk ask;
  ask.free = asked["free"].cast<std::vector<std::string>>();
  ask.noise = asked["noise"].cast<std::optional<double>>();
  for (const auto& [column, noise] : asked["noise_of"].cast<std::map<std::string, double>>())
    ask.noise_of.emplace_back(column, noise);
  ask.columns = asked["columns"].cast<std::vector<std::string>>();
  ask.segments = asked["segments"].cast<std::optional<int>>();
  if (!asked["loss"].is_none()) {
    ask.loss = loss_called(asked["loss"].cast<std::string>());
    if (!ask.loss) throw InputError({}, "loss is squares, huber or cauchy");
  }
  if (py::isinstance<py::str>(data))
    return fitted({text, source, name}, given, set, read_measurements(data.cast<std::string>()), ask,
                  progress);
  const auto parts = data.cast<py::tuple>();
  return fitted(
      {text, source, name}, given, set,
      measurements_of(parts[0].cast<std::vector<std::string>>(), Numbers(parts[1]), Numbers(parts[2])), ask,
      progress);
}

}  // namespace

void add_fit(py::module_& module) {
  module.def("fit", fit_scene_to, py::arg("text"), py::arg("source"), py::arg("name"), py::arg("given"),
             py::arg("set"), py::arg("data"), py::arg("asked"), py::arg("progress"));
}

}  // namespace catena::python
