// Scenes, and what there is to choose from.
#include "catena/io/scene/scene.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "catena/base/mistake.h"
#include "catena/model/fields.h"
#include "handles.h"
#include "lists.h"
#include "settings.h"

namespace catena::python {
namespace {

using Given = std::map<std::string, std::string>;

}  // namespace

Settings settings_from(Given given, std::vector<std::string> set, std::vector<std::string> events) {
  const auto take = [&](const char* name) -> std::optional<std::string> {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  return {take("duration"), take("sample"), take("method"),    take("tolerance"), take("step"),
          take("order"),    std::move(set), std::move(events), take("max_step")};
}

namespace {

// What was no text has no lines and columns.
std::vector<Mistake> without_places(std::vector<Mistake> mistakes, const std::string& source) {
  for (Mistake& mistake : mistakes) {
    if (mistake.place.source == source) mistake.place = {};
  }
  return mistakes;
}

std::shared_ptr<Scene> scene_from(const std::string& text, const std::string& source, const std::string& name,
                                  bool places, const Given& given, const std::vector<std::string>& set,
                                  const std::vector<std::string>& events) {
  const Settings settings = settings_from(given, set, events);
  try {
    auto scene = std::make_shared<Scene>(
        scene_with({text, source, name}, overrides_of(settings, "{}={}"), settings.events));
    if (!places) scene->warnings = without_places(std::move(scene->warnings), source);
    return scene;
  } catch (const InputError& error) {
    if (places) throw;
    throw InputError(without_places(error.mistakes(), source));
  }
}

py::dict simulation_dict(const Scene& scene) {
  const Simulation& s = scene.simulation;
  py::dict out;
  out["duration"] = s.duration;
  out["sample"] = s.sample;
  out["gravity"] = s.gravity;
  out["method"] = s.function ? s.function->name : s.method;
  out["tolerance"] = s.tolerance;
  out["step"] = s.step;
  out["order"] = s.order;
  out["precision"] = s.precision;
  return out;
}

// ---- steps in Python
// ------------------------------------------------------------------------------------------

// Python's objects go only while its lock is held, whoever lets go of the last copy.
std::shared_ptr<py::object> kept(py::object object) {
  return {new py::object(std::move(object)), [](py::object* pointer) {
            const py::gil_scoped_acquire locked;
            delete pointer;
          }};
}

// The right-hand side as Python sees it, of use while its step is taken and no longer.
py::cpp_function rhs_function(std::shared_ptr<const StepFunction::Rhs*> live, std::size_t n) {
  return py::cpp_function([live, n](double t, const Numbers& y) {
    if (*live == nullptr) throw std::runtime_error("f belongs to one step: do not keep it");
    const std::vector<double> x = vector_of(y, n, "the state");
    std::vector<double> dx(n);
    (**live)(t, x.data(), dx.data());
    return owned(std::move(dx));
  });
}

struct LiveRhs {
  explicit LiveRhs(const StepFunction::Rhs& rhs)
      : pointer(std::make_shared<const StepFunction::Rhs*>(&rhs)) {}
  ~LiveRhs() { *pointer = nullptr; }
  std::shared_ptr<const StepFunction::Rhs*> pointer;
};

std::shared_ptr<Scene> with_function(const Scene& scene, const std::string& name, int order,
                                     py::object callable) {
  const auto function = std::make_shared<StepFunction>();
  function->name = name;
  function->order = order;
  function->take = [step = kept(std::move(callable))](const StepFunction::Rhs& rhs, std::size_t n, double t,
                                                      const double* x, double h, double* end) {
    const py::gil_scoped_acquire locked;
    const LiveRhs live(rhs);
    std::vector<double> next(n, std::numeric_limits<double>::quiet_NaN());  // ends the run
    try {
      const py::object result =
          (*step)(rhs_function(live.pointer, n), t, owned(std::vector<double>(x, x + n)), h);
      next = vector_of(Numbers(result), n, "what the step function returns");
    } catch (py::error_already_set& error) {
      Interrupts::take(error);
    }
    std::copy(next.begin(), next.end(), end);
  };
  auto out = std::make_shared<Scene>(scene);
  out->simulation.function = function;
  return out;
}

// The type of a field's values in Python.
const char* type_text(Kind kind) {
  switch (kind) {
    case Kind::number:
      return "float";
    case Kind::whole:
      return "int";
    case Kind::flag:
      return "bool";
    case Kind::text:
      return "str";
    case Kind::vector:
    case Kind::numbers:
      return "Vector";
    case Kind::gravity:
    case Kind::triple:
    case Kind::moment:
      return "float | Vector";
    case Kind::angle:
    case Kind::angular_rate:
    case Kind::inertia:
    case Kind::fraction:
      return "float | str";
    case Kind::formula:
      return "FormulaLike";
    case Kind::pivot:
    case Kind::formulas:
      return "FormulasLike";
    case Kind::angles:
    case Kind::coefficients:
      return "Sequence[float | str]";
    case Kind::parameters:
      return "Mapping[str, float]";
    case Kind::names:
      return "Sequence[str]";
    default:
      return "Any";
  }
}

py::list sections() {
  py::list out;
  for (const SectionInfo& section : scene_sections()) {
    py::list fields;
    for (const FieldInfo& field : section.fields) {
      py::dict one;
      one["name"] = field.name;
      one["type"] = type_text(field.kind);
      one["form"] = kind_text(field);
      one["unit"] = field.unit;
      one["summary"] = field.summary;
      one["required"] = field.required;
      one["choices"] = field.choices;
      one["default"] = field.default_text;
      fields.append(one);
    }
    out.append(py::make_tuple(section.path, section.summary, fields));
  }
  return out;
}

std::string list_json(const std::string& topic) {
  const std::map<std::string, ListJson (*)()> topics = {
      {"methods", methods_json}, {"quantities", quantities_json}, {"joints", joints_json},
      {"shapes", shapes_json},   {"forces", forces_json},         {"functions", functions_json},
      {"scenes", scenes_json},   {"studies", studies_json},       {"sweeps", sweeps_json}};
  const auto found = topics.find(topic);
  if (found == topics.end()) {
    throw InputError({},
                     fmt::format("there is no list of '{}'; there are methods, quantities, joints, shapes, "
                                 "forces, functions, scenes, studies and sweeps",
                                 topic));
  }
  return found->second().dump();
}

}  // namespace

void add_scene(py::module_& module) {
  py::class_<Scene, std::shared_ptr<Scene>>(module, "Scene")
      .def_readonly("name", &Scene::name)
      .def_readonly("json", &Scene::json)
      .def_property_readonly("simulation", simulation_dict)
      .def("with_function", with_function, py::arg("name"), py::arg("order"), py::arg("step"));
  module.def("read_scene", scene_from, py::arg("text"), py::arg("source"), py::arg("name"), py::arg("places"),
             py::arg("given"), py::arg("set"), py::arg("events"));
  module.def(
      "find_scene",
      [](const std::string& argument) {
        const SceneText text = find_scene(argument);
        return py::make_tuple(text.text, text.source, text.name);
      },
      py::arg("argument"));
  module.def("list_json", list_json, py::arg("topic"));
  module.def("schema", scene_schema);
  module.def(
      "starter", [](const std::string& name) { return starter_scene(name); }, py::arg("name"));
  module.def("sections", sections);
}

}  // namespace catena::python
