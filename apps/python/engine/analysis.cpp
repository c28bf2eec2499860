// What kind of motion a scene has. Results go over as JSON: the numbers that the command line prints.
#include "analyses.h"
#include "handles.h"

namespace catena::python {
namespace {

// While Python's other threads go on; Ctrl-C keeps what there is.
template <class Options, class Compute>
std::string computed(Options& options, const Compute& compute) {
  Interrupts interrupts;
  options.stop = &interrupts.stop();
  options.progress = [&](double, double) { interrupts.look(); };
  const py::gil_scoped_release unlocked;
  return analysis_json(compute()).dump();
}

std::string lyapunov_of(const Scene& scene, std::size_t exponents, double duration,
                        std::optional<double> error, std::size_t starts, std::uint64_t seed, bool vectors) {
  LyapunovOptions options;
  options.exponents = exponents;
  options.duration = duration;
  options.error = error;
  options.starts = starts;
  options.seed = seed;
  options.vectors = vectors;
  return computed(options, [&] { return lyapunov(scene, options); });
}

std::string indicators_of(const Scene& scene, double duration, std::vector<std::string> only,
                          std::string column, std::uint64_t seed) {
  IndicatorOptions options;
  options.duration = duration;
  options.only = std::move(only);
  options.column = std::move(column);
  options.seed = seed;
  return computed(options, [&] { return indicators(scene, options); });
}

std::string section_of(const Scene& scene, const std::string& when, const std::string& direction,
                       const std::array<std::string, 2>& axes, double duration, std::size_t starts,
                       std::optional<double> energy, const py::list& scenes, const std::string& indicator) {
  SectionOptions options;
  options.when = when;
  options.direction = direction;
  options.axes = axes;
  options.duration = duration;
  options.starts = starts;
  options.energy = energy;
  options.indicator = indicator;
  for (const py::handle& one : scenes) options.scenes.push_back(one.cast<const Scene&>());
  return computed(options, [&] { return section(scene, options); });
}

// `scenes`: one for each parameter.
std::string bifurcation_of(std::vector<double> parameters, const py::list& scenes, std::string when,
                           std::string direction, std::optional<double> period, std::string record,
                           double duration, std::optional<double> skip, bool down, bool fresh) {
  BifurcationOptions options;
  options.parameters = std::move(parameters);
  std::vector<Scene> own;
  for (const py::handle& one : scenes) own.push_back(one.cast<const Scene&>());
  options.scene = [&](double value) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (options.parameters[i] == value) return own[i];
    }
    return own.at(0);
  };
  options.when = std::move(when);
  options.direction = std::move(direction);
  options.period = period;
  options.record = std::move(record);
  options.duration = duration;
  options.skip = skip;
  options.down = down;
  options.fresh = fresh;
  return computed(options, [&] { return bifurcation(options); });
}

}  // namespace

void add_analysis(py::module_& module) {
  module.def("lyapunov", lyapunov_of, py::arg("scene"), py::arg("exponents"), py::arg("duration"),
             py::arg("error"), py::arg("starts"), py::arg("seed"), py::arg("vectors"));
  module.def("indicators", indicators_of, py::arg("scene"), py::arg("duration"), py::arg("only"),
             py::arg("column"), py::arg("seed"));
  module.def("section", section_of, py::arg("scene"), py::arg("when"), py::arg("direction"), py::arg("axes"),
             py::arg("duration"), py::arg("starts"), py::arg("energy"), py::arg("scenes"),
             py::arg("indicator"));
  module.def("bifurcation", bifurcation_of, py::arg("parameters"), py::arg("scenes"), py::arg("when"),
             py::arg("direction"), py::arg("period"), py::arg("record"), py::arg("duration"), py::arg("skip"),
             py::arg("down"), py::arg("fresh"));
}

}  // namespace catena::python
