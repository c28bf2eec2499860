// Equilibria with their modes, and periodic orbits.
#include "handles.h"
#include "modes_and_orbits.h"

namespace catena::python {
namespace {

std::string modes_text(const Scene& scene, const std::vector<std::string>& outputs,
                       const std::vector<std::string>& inputs) {
  const py::gil_scoped_release unlocked;
  ModesOptions options;
  options.outputs = outputs;
  options.inputs = inputs_of(scene, inputs);
  return modes_json(find_modes(scene, options), scene.name).dump();
}

std::string orbit_text(const Scene& scene, std::optional<double> period, int multiple, bool symmetric,
                       const std::string& column, const std::string& along, double from, double to,
                       int branches, int points) {
  Interrupts interrupts;
  const py::gil_scoped_release unlocked;
  OrbitOptions options;
  options.period = period;
  options.multiple = multiple;
  options.symmetric = symmetric;
  options.column = column;
  options.from = from;
  options.to = to;
  options.most_branches = static_cast<std::size_t>(branches);
  options.most_points = static_cast<std::size_t>(points);
  options.stop = &interrupts.stop();
  options.pulse = [&] { interrupts.look(); };
  if (!along.empty()) set_path(options, scene, along);
  FoundOrbit found = find_orbit(scene, options);
  const Orbit orbit = found.orbit;
  if (along.empty()) return orbit_json(orbit, nullptr, scene.name).dump();
  const Continuation followed = continued(std::move(found), options);
  return orbit_json(orbit, &followed, scene.name).dump();
}

std::string orbits_text(const Scene& scene, int starts, int returns, const std::string& when,
                        const std::string& direction, std::optional<double> energy,
                        std::optional<double> period, std::uint64_t seed) {
  Interrupts interrupts;
  const py::gil_scoped_release unlocked;
  OrbitSearchOptions options;
  options.starts = static_cast<std::size_t>(starts);
  options.returns = returns;
  options.when = when;
  options.direction = direction;
  options.energy = energy;
  options.period = period;
  options.seed = seed;
  options.stop = &interrupts.stop();
  options.pulse = [&] { interrupts.look(); };
  return search_json(search_orbits(scene, options), scene.name).dump();
}

}  // namespace

void add_finding(py::module_& module) {
  module.def("modes", &modes_text, py::arg("scene"), py::arg("outputs"), py::arg("inputs"));
  module.def("orbit", &orbit_text, py::arg("scene"), py::arg("period"), py::arg("multiple"),
             py::arg("symmetric"), py::arg("column"), py::arg("along"), py::arg("start"), py::arg("end"),
             py::arg("branches"), py::arg("points"));
  module.def("orbits", &orbits_text, py::arg("scene"), py::arg("starts"), py::arg("returns"), py::arg("when"),
             py::arg("direction"), py::arg("energy"), py::arg("period"), py::arg("seed"));
}

}  // namespace catena::python
