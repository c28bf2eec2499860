// A scene in motion, step by step, and the equations behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/equations/equations.h"
#include "handles.h"
#include "things.h"

namespace catena::python {
namespace {

struct Motion {
  explicit Motion(const Scene& scene) : lab(scene), watch(lab, lab.scene().events) {}
  Turns turns;
  Lab lab;
  EventWatch watch;
  bool stopped = false;

  std::size_t dimension() const { return lab.dimension(); }
  std::vector<double> state(const Numbers& y) const { return vector_of(y, dimension(), "the state"); }
  StepStatus step() {
    const StepStatus status = lab.advance();
    if (status == StepStatus::done) stopped = watch.look(lab.time()) || stopped;
    return status;
  }
};

// One step, or as many as reach `until`. Ctrl-C leaves the motion at the end of a step.
double advance(Motion& motion, std::optional<double> until) {
  if (until && std::isnan(*until)) throw py::value_error("until must be a time in s, got nan");
  Interrupts interrupts;
  StepStatus status;
  {
    const py::gil_scoped_release unlocked;
    do {
      status = motion.step();
      if (status != StepStatus::done) break;
      interrupts.look();
    } while (until && motion.lab.time() < *until && !interrupts.stop());
  }
  if (interrupts.stop()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (status != StepStatus::done) throw std::runtime_error(failure_text(motion.lab, status));
  return motion.lab.time();
}

void check_in_step(const Lab& lab, double t) {
  if (t >= lab.step_start() && t <= lab.time()) return;
  throw py::value_error(fmt::format("t = {} is not in the last step, which goes from {} to {}", t,
                                    lab.step_start(), lab.time()));
}

// One row; without a time at the end of the last step.
py::tuple sample(Motion& motion, std::optional<double> asked, const std::vector<std::string>& quantities) {
  const double t = asked.value_or(motion.lab.time());
  check_in_step(motion.lab, t);
  const Columns columns = motion.lab.columns(quantities);
  std::vector<double> row(columns.width());
  motion.lab.observe(t, columns, row.data());
  return py::make_tuple(stems_list(columns.stems()), owned(std::move(row)));
}

py::object state_at(Motion& motion, double t) {
  check_in_step(motion.lab, t);
  return owned(motion.lab.state_at(t).hi);
}

// [2, n]: numbers, and what they cannot hold.
py::object pair_of(const State& state) {
  const std::size_t n = state.hi.size();
  auto both = std::make_unique<double[]>(2 * n);
  std::copy(state.hi.begin(), state.hi.end(), both.get());
  std::copy(state.lo.begin(), state.lo.end(), both.get() + n);
  return owned(std::move(both), 2, n);
}

void set_state(Motion& motion, const GivenState& state) {
  put(motion.lab, motion.lab.time(), state);
  motion.watch.restart();
  motion.stopped = false;
}

// All that is needed to be where the motion is, with the same bits: the start of its last step, what its
// events know, and whether that step was taken.
py::tuple whole(Motion& motion) {
  const bool moved = motion.lab.time() > motion.lab.step_start();
  return py::make_tuple(py::bytes(motion.lab.checkpoint()), py::bytes(motion.watch.memory()), moved);
}

void take_up(Motion& motion, const py::bytes& checkpoint, const py::bytes& watched, bool moved) {
  motion.lab.restore(std::string(checkpoint));
  motion.watch.restore(std::string(watched));
  motion.stopped = false;
  if (!moved) return;
  const py::gil_scoped_release unlocked;
  const StepStatus status = motion.step();
  if (status != StepStatus::done) throw std::runtime_error(failure_text(motion.lab, status));
}

// ---- the equations
// -------------------------------------------------------------------------------------------

py::object rhs(Motion& motion, double t, const Numbers& y) {
  return owned(motion.lab.rhs(t, motion.state(y)));
}

py::object taylor(Motion& motion, int order, double t, const Numbers& y) {
  if (order < 0) throw py::value_error(fmt::format("order must not be negative, got {}", order));
  const std::vector<double> x = motion.state(y);
  const std::size_t rows = static_cast<std::size_t>(order) + 1;
  auto series = std::make_unique<double[]>(rows * x.size());
  motion.lab.taylor(t, x, order, series.get());
  return owned(std::move(series), rows, x.size());
}

py::object project(Motion& motion, double t, const Numbers& y) {
  return owned(motion.lab.projected(t, motion.state(y)));
}

py::tuple energies(Motion& motion, double t, const Numbers& y) {
  const StateEnergies energy = motion.lab.energies_of(t, motion.state(y));
  return py::make_tuple(energy.kinetic, energy.potential, energy.elastic);
}

std::size_t lie_links(const Motion& motion) {
  if (const std::size_t links = motion.lab.lie_links()) return links;
  throw py::value_error("R and f belong to one chain with formulation = \"lie\" and plane = \"none\"");
}

// R(q), as columns of [component][link], and r(q, omega); x: [q, omega][component][link].
py::tuple lie_equations(Motion& motion, const Numbers& y) {
  const std::size_t rows = 3 * lie_links(motion);
  LieEquations found = motion.lab.lie_equations(vector_of(y, 2 * rows, "q and omega"));
  auto matrix = std::make_unique<double[]>(rows * rows);
  std::copy(found.matrix.begin(), found.matrix.end(), matrix.get());
  return py::make_tuple(owned(std::move(matrix), rows, rows), owned(std::move(found.right)));
}

// The field in the algebra of the group that acts: [xi, eta][component][link].
py::object lie_field(Motion& motion, double t, const Numbers& y) {
  return owned(motion.lab.lie_field(t, vector_of(y, 6 * lie_links(motion), "q and omega")));
}

// Names of the state's numbers. s: across, in the plane of a planar chain; rotations of bodies are in their
// own frames.
std::vector<std::string> state_names(Motion& motion) { return motion.lab.facts().lanes; }

py::dict facts(Motion& motion) {
  const WorldFacts world = motion.lab.facts();
  py::dict out;
  out["degrees_of_freedom"] = world.degrees_of_freedom;
  out["method"] = motion.lab.method().name;
  out["order"] = motion.lab.order();
  out["adaptive"] = motion.lab.adaptive();
  out["settings"] = motion.lab.settings();
  py::list warnings;
  for (const Warning& warning : motion.lab.warnings()) warnings.append(text(warning));
  out["warnings"] = warnings;
  py::list chains;
  for (const ChainFacts& chain : world.chains) {
    py::dict one;
    one["name"] = chain.name;
    one["links"] = chain.links();
    one["planar"] = chain.planar;
    one["elastic"] = chain.elastic;
    one["pivot"] = chain.pivot;
    one["moving"] = chain.moving_pivot;
    one["length"] = chain.length;
    one["parent"] = chain.parent;
    chains.append(one);
  }
  out["chains"] = chains;
  if (const auto& mechanism = world.mechanism) {
    py::list joints;
    for (const JointFacts& joint : mechanism->joints) {
      py::dict one;
      one["name"] = joint.name;
      one["a"] = joint.a;
      one["b"] = joint.b;
      one["in_a"] = joint.in_a;
      one["in_b"] = joint.in_b;
      one["ties"] = joint.ties;
      joints.append(one);
    }
    out["joints"] = joints;
    py::list bodies;
    for (const std::string& body : mechanism->bodies) bodies.append(body);
    out["bodies"] = bodies;
    out["rank"] = mechanism->rank;
    out["equations"] = mechanism->equations;
  }
  return out;
}

// What the lab's view draws by, as JSON.
std::string things(Motion& motion) {
  const Scene& scene = motion.lab.scene();
  ListJson out = {{"chains", chains_json(scene, motion.lab.facts().chains)},
                  {"bodies", bodies_json(scene.mechanism)},
                  {"joints", placed_joints_json(scene.mechanism)},
                  {"coordinates", coordinates_json(scene)}};
  out["drawing"] = ListJson::parse(drawing_json(scene));
  return out.dump();
}

py::list event_tables(Motion& motion) {
  py::list out;
  for (const EventTable& table : motion.watch.tables()) {
    out.append(py::make_tuple(table.name, table.columns, table.rows));
  }
  return out;
}

}  // namespace

void check_placed(Lab& lab, const std::string& advice) {
  constexpr double kOff = 1e-9;
  const std::vector<double>& here = lab.state().hi;
  const std::vector<double> there = lab.projected(lab.time(), here);
  double size = 1.0, off = 0.0;
  for (std::size_t i = 0; i < there.size(); ++i) {
    size = std::max(size, std::fabs(here[i]));
    off = std::max(off, std::isfinite(there[i]) ? std::fabs(there[i] - here[i]) : HUGE_VAL);
  }
  if (off <= kOff * size) return;
  throw InputError({lab.scene().name},
                   "start: no state near it is one that the constraints allow; " + advice);
}

void put(Lab& lab, double t, const GivenState& state) {
  State to{t, 0.0, vector_of(state.first, lab.dimension(), "the state"),
           vector_of(state.second, lab.dimension(), "what the state's numbers cannot hold")};
  const std::vector<std::string> names = lab.facts().lanes;
  for (std::size_t i = 0; i < to.hi.size(); ++i) {
    if (!std::isfinite(to.hi[i]) || !std::isfinite(to.lo[i]))
      throw py::value_error(fmt::format("a state must have finite numbers: {} is {}", names[i], to.hi[i]));
  }
  const bool pairs = std::any_of(to.lo.begin(), to.lo.end(), [](double lo) { return lo != 0.0; });
  lab.place(State{t, 0.0, to.hi, std::vector<double>(to.hi.size())});
  // Of pairs the first numbers stay what they are: the second ones belong to them.
  if (pairs) lab.place(std::move(to), lab.row_angles());
  check_placed(lab, "start from one of a run, or from `start` of a System");
}

void add_lab(py::module_& module) {
  module.def(
      "equations", [](const Scene& scene, bool latex) { return equations_of(scene, latex).text(); },
      py::arg("scene"), py::arg("latex"));
  py::class_<Motion>(module, "Motion")
      .def(py::init<const Scene&>(), py::arg("scene"))
      .def("advance", in_turn(advance), py::arg("until"))
      .def_property_readonly("time", in_turn(+[](Motion& m) { return m.lab.time(); }))
      .def_property_readonly("step_start", in_turn(+[](Motion& m) { return m.lab.step_start(); }))
      .def_property_readonly("steps", in_turn(+[](Motion& m) { return m.lab.counts().steps; }))
      .def_property_readonly("rejected", in_turn(+[](Motion& m) { return m.lab.counts().rejected; }))
      .def_property_readonly("evaluations", in_turn(+[](Motion& m) { return m.lab.counts().evaluations; }))
      .def_property_readonly("energy_error", in_turn(+[](Motion& m) {
                               return m.lab.facts().equations ? std::numeric_limits<double>::quiet_NaN()
                                                              : m.lab.energies().largest_error;
                             }))
      .def_property_readonly("stopped", in_turn(+[](Motion& m) { return m.stopped; }))
      .def_property_readonly("dimension", &Motion::dimension)
      .def_property_readonly("state", in_turn(+[](Motion& m) { return owned(m.lab.state().hi); }))
      .def_property_readonly("pair", in_turn(+[](Motion& m) { return pair_of(m.lab.state()); }))
      .def("set_state", in_turn(set_state), py::arg("state"))
      .def("state_at", in_turn(state_at), py::arg("t"))
      .def("sample", in_turn(sample), py::arg("t"), py::arg("quantities"))
      .def("checkpoint", in_turn(+[](Motion& m) { return py::bytes(m.lab.checkpoint()); }))
      .def("restore", in_turn(+[](Motion& m, const py::bytes& bytes) { m.lab.restore(std::string(bytes)); }),
           py::arg("checkpoint"))
      .def("whole", in_turn(whole))
      .def("take_up", in_turn(take_up), py::arg("checkpoint"), py::arg("watched"), py::arg("moved"))
      .def("events", in_turn(event_tables))
      .def("facts", in_turn(facts))
      .def("things", in_turn(things))
      .def("state_names", in_turn(state_names))
      .def("rhs", in_turn(rhs), py::arg("t"), py::arg("y"))
      .def("taylor", in_turn(taylor), py::arg("order"), py::arg("t"), py::arg("y"))
      .def("project", in_turn(project), py::arg("t"), py::arg("y"))
      .def("energies", in_turn(energies), py::arg("t"), py::arg("y"))
      .def("lie_equations", in_turn(lie_equations), py::arg("y"))
      .def("lie_field", in_turn(lie_field), py::arg("t"), py::arg("y"));
}

}  // namespace catena::python
