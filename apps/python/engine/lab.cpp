// A scene in motion, step by step, and the equations behind it.
#include <fmt/format.h>

#include <cmath>

#include "catena/base/mistake.h"
#include "catena/lab/equations/equations.h"
#include "handles.h"

namespace catena::python {
namespace {

struct Motion {
  explicit Motion(const Scene& scene) : lab(scene), watch(lab, lab.scene().events) {}
  Turns turns;
  Lab lab;
  EventWatch watch;
  bool stopped = false;

  std::size_t dimension() const { return lab.system().dimension; }
  std::vector<double> state(const Numbers& y) const { return vector_of(y, dimension(), "the state"); }
};

// One step, or as many as reach `until`. Ctrl-C leaves the motion at the end of a step.
double advance(Motion& motion, std::optional<double> until) {
  if (until && std::isnan(*until)) throw py::value_error("until must be a time in s, got nan");
  Interrupts interrupts;
  StepStatus status;
  {
    const py::gil_scoped_release unlocked;
    do {
      status = motion.lab.advance();
      if (status != StepStatus::done) break;
      motion.stopped = motion.watch.look(motion.lab.time()) || motion.stopped;
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
  const Columns columns(motion.lab.world(), quantities);
  std::vector<double> row(columns.width());
  motion.lab.observe(t, columns, row.data());
  return py::make_tuple(stems_list(columns.stems()), owned(std::move(row)));
}

py::object state_at(Motion& motion, double t) {
  check_in_step(motion.lab, t);
  return owned(motion.lab.state_at(t).hi);
}

// ---- the equations
// -------------------------------------------------------------------------------------------

py::object rhs(Motion& motion, double t, const Numbers& y) {
  const std::vector<double> x = motion.state(y);
  std::vector<double> dx(x.size());
  motion.lab.system().rhs(t, x.data(), dx.data());
  return owned(std::move(dx));
}

py::object taylor(Motion& motion, int order, double t, const Numbers& y) {
  if (order < 0) throw py::value_error(fmt::format("order must not be negative, got {}", order));
  const std::vector<double> x = motion.state(y);
  const std::size_t rows = static_cast<std::size_t>(order) + 1;
  auto series = std::make_unique<double[]>(rows * x.size());
  motion.lab.system().reserve(order);
  motion.lab.system().taylor(t, x.data(), order, series.get());
  return owned(std::move(series), rows, x.size());
}

py::object project(Motion& motion, double t, const Numbers& y) {
  std::vector<double> x = motion.state(y), lo(x.size(), 0.0);
  if (motion.lab.system().project) motion.lab.system().project(t, x.data(), lo.data());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += lo[i];
  return owned(std::move(x));
}

py::tuple energies(Motion& motion, double t, const Numbers& y) {
  const Energies energy = motion.lab.energies_of(t, motion.state(y));
  return py::make_tuple(static_cast<double>(energy.kinetic), static_cast<double>(energy.potential),
                        static_cast<double>(energy.elastic));
}

LieChain<3>& lie_chain(Motion& motion) {
  World& world = const_cast<World&>(motion.lab.world());
  if (world.chains().size() == 1) {
    if (auto* chain = std::get_if<LieChain<3>>(&world.chains()[0].chain)) return *chain;
  }
  throw py::value_error("R and f belong to one chain with formulation = \"lie\" and plane = \"none\"");
}

// R(q), as columns of [component][link], and r(q, omega); x: [q, omega][component][link].
py::tuple lie_equations(Motion& motion, const Numbers& y) {
  const LieChain<3>& chain = lie_chain(motion);
  const std::size_t rows = 3 * chain.links();
  const std::vector<double> x = vector_of(y, 2 * rows, "q and omega");
  auto matrix = std::make_unique<double[]>(rows * rows);
  std::vector<double> right(rows);
  chain.equations(x.data(), matrix.get(), right.data());
  return py::make_tuple(owned(std::move(matrix), rows, rows), owned(std::move(right)));
}

// The field in the algebra of the group that acts: [xi, eta][component][link].
py::object lie_field(Motion& motion, double t, const Numbers& y) {
  const LieChain<3>& chain = lie_chain(motion);
  std::vector<double> x = vector_of(y, chain.dimension(), "q and omega");
  x.resize(motion.dimension(), 0.0);  // what forces have dissipated, and their work
  std::vector<double> f(motion.lab.system().lie.dimension);
  motion.lab.system().lie.field(t, x.data(), f.data());
  f.resize(6 * chain.links());
  return owned(std::move(f));
}

// ---- names of the state's numbers
// ----------------------------------------------------------------------------

using Names = std::vector<std::string>;

void add_names(Names& names, const Names& stems, const Names& labels) {
  for (const std::string& stem : stems) {
    for (const std::string& label : labels) names.push_back(stem + "_" + label);
  }
}

struct LaneStems {
  // None: the state's numbers are numbered.
  template <class Chain>
  Names operator()(const Chain&) const {
    return {};
  }
  Names operator()(const RigidChain<2>&) const { return {"us", "uz", "ws", "wz"}; }
  Names operator()(const RigidChain<3>&) const { return {"ux", "uy", "uz", "wx", "wy", "wz"}; }
  Names operator()(const ElasticChain<2>&) const { return {"s", "z", "vs", "vz"}; }
  Names operator()(const ElasticChain<3>&) const { return {"x", "y", "z", "vx", "vy", "vz"}; }
  Names operator()(const CoordinateChain<2>&) const { return {"theta", "theta_dot"}; }
  Names operator()(const CoordinateChain<3>&) const {
    return {"theta", "phi", "theta_dot", "phi_dot", "pole"};
  }
  Names operator()(const LieChain<2>&) const { return {"qs", "qz", "omega"}; }
  Names operator()(const LieChain<3>&) const { return {"qx", "qy", "qz", "omegax", "omegay", "omegaz"}; }
};

// s: across, in the plane of a planar chain; rotations of bodies are in their own frames.
Names state_names(Motion& motion) {
  const World& world = motion.lab.world();
  Names names;
  for (const ChainUnit& unit : world.chains()) {
    Names labels;
    for (std::size_t k = 1; k <= unit.links(); ++k) {
      labels.push_back((unit.name.empty() ? "" : unit.name + "_") + std::to_string(k));
    }
    add_names(names, std::visit(LaneStems{}, unit.chain), labels);
  }
  if (const Multibody* mechanism = world.mechanism()) {
    Names labels;
    for (const Body& body : mechanism->mechanism().bodies) {
      if (!body.fixed) labels.push_back(body.name);
    }
    add_names(names, {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "ox", "oy", "oz"}, labels);
  }
  for (const char* end : {"", "_dot"}) {
    for (const LagrangianCoordinate& one : motion.lab.scene().lagrangian.coordinates)
      names.push_back(one.name + end);
  }
  if (world.accounts()) names.insert(names.end(), {"dissipated", "work"});
  // What has other lanes than these is numbered.
  if (names.size() == motion.dimension()) return names;
  names.clear();
  for (std::size_t i = 0; i < motion.dimension(); ++i) names.push_back("y_" + std::to_string(i));
  return names;
}

py::dict facts(Motion& motion) {
  const World& world = motion.lab.world();
  py::dict out;
  out["degrees_of_freedom"] = world.degrees_of_freedom();
  out["method"] = motion.lab.method().name;
  out["order"] = motion.lab.stepper().order();
  out["adaptive"] = motion.lab.adaptive();
  out["settings"] = motion.lab.settings();
  py::list warnings;
  for (const Warning& warning : motion.lab.warnings()) warnings.append(text(warning));
  out["warnings"] = warnings;
  py::list chains;
  for (const ChainUnit& unit : world.chains()) {
    py::dict one;
    one["name"] = unit.name;
    one["links"] = unit.links();
    one["planar"] = unit.planar();
    one["elastic"] = unit.elastic();
    one["pivot"] = unit.pivot;
    one["moving"] = unit.pivot_motion.has_value();
    one["length"] = unit.parameters().length;
    one["parent"] = unit.parameters().parent;
    chains.append(one);
  }
  out["chains"] = chains;
  if (const Multibody* mechanism = world.mechanism()) {
    py::list joints;
    for (const Joint& joint : mechanism->mechanism().joints) {
      py::dict one;
      one["name"] = joint.name;
      one["a"] = joint.a;
      one["b"] = joint.b;
      one["in_a"] = joint.in_a.point;
      one["in_b"] = joint.in_b.point;
      one["ties"] = joint.first >= 0;
      joints.append(one);
    }
    out["joints"] = joints;
    py::list bodies;
    for (const Body& body : mechanism->mechanism().bodies) bodies.append(body.name);
    out["bodies"] = bodies;
    out["rank"] = world.mobility().rank;
    out["equations"] = world.mobility().equations;
  }
  return out;
}

py::list event_tables(Motion& motion) {
  py::list out;
  for (const EventTable& table : motion.watch.tables()) {
    out.append(py::make_tuple(table.name, table.columns, table.rows));
  }
  return out;
}

}  // namespace

void add_lab(py::module_& module) {
  module.def(
      "equations", [](const Scene& scene, bool latex) { return equations_of(scene, latex).text(); },
      py::arg("scene"), py::arg("latex"));
  py::class_<Motion>(module, "Motion")
      .def(py::init<const Scene&>(), py::arg("scene"))
      .def("advance", in_turn(advance), py::arg("until"))
      .def_property_readonly("time", in_turn(+[](Motion& m) { return m.lab.time(); }))
      .def_property_readonly("step_start", in_turn(+[](Motion& m) { return m.lab.step_start(); }))
      .def_property_readonly("steps", in_turn(+[](Motion& m) { return m.lab.stepper().counts().steps; }))
      .def_property_readonly("rejected",
                             in_turn(+[](Motion& m) { return m.lab.stepper().counts().rejected; }))
      .def_property_readonly("evaluations",
                             in_turn(+[](Motion& m) { return m.lab.stepper().counts().evaluations; }))
      .def_property_readonly("energy_error",
                             in_turn(+[](Motion& m) { return m.lab.energies().largest_error; }))
      .def_property_readonly("stopped", in_turn(+[](Motion& m) { return m.stopped; }))
      .def_property_readonly("dimension", &Motion::dimension)
      .def_property_readonly("state", in_turn(+[](Motion& m) { return owned(m.lab.state().hi); }))
      .def("state_at", in_turn(state_at), py::arg("t"))
      .def("sample", in_turn(sample), py::arg("t"), py::arg("quantities"))
      .def("checkpoint", in_turn(+[](Motion& m) { return py::bytes(m.lab.checkpoint()); }))
      .def("restore", in_turn(+[](Motion& m, const py::bytes& bytes) { m.lab.restore(std::string(bytes)); }),
           py::arg("checkpoint"))
      .def("events", in_turn(event_tables))
      .def("facts", in_turn(facts))
      .def("state_names", in_turn(state_names))
      .def("rhs", in_turn(rhs), py::arg("t"), py::arg("y"))
      .def("taylor", in_turn(taylor), py::arg("order"), py::arg("t"), py::arg("y"))
      .def("project", in_turn(project), py::arg("t"), py::arg("y"))
      .def("energies", in_turn(energies), py::arg("t"), py::arg("y"))
      .def("lie_equations", in_turn(lie_equations), py::arg("y"))
      .def("lie_field", in_turn(lie_field), py::arg("t"), py::arg("y"));
}

}  // namespace catena::python
