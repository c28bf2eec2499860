// The same motion by several methods.
#include "catena/analyze/comparison.h"

#include "catena/base/mistake.h"
#include "handles.h"
#include "studies.h"

namespace catena::python {
namespace {

py::tuple tuple_of(const Contender& contender) {
  return py::make_tuple(contender.method, contender.step, contender.tolerance, contender.order);
}

// (name, step, tolerance, order, scene whose [method] or function it is, or None)
Contender contender_from(const py::handle& item) {
  const auto given = item.cast<py::tuple>();
  Contender out{given[0].cast<std::string>(), given[1].cast<std::optional<double>>(),
                given[2].cast<std::optional<double>>(), given[3].cast<std::optional<int>>()};
  if (given[4].is_none()) return out;
  const Scene& own = given[4].cast<const Scene&>();
  out.custom = own.simulation.custom;
  out.function = own.simulation.function;
  return out;
}

py::dict dict_of(const Score& score) {
  py::dict out;
  out["label"] = score.contender.label();
  out["method"] = score.contender.method;
  out["step"] = score.contender.step;
  out["tolerance"] = score.contender.tolerance;
  out["order"] = score.contender.order;
  out["summary"] = summary_json(score.summary);
  out["mean_energy_error"] = score.mean_energy_error;
  out["largest_energy_error"] = score.largest_energy_error;
  out["momentum_error"] = score.momentum_error;
  out["position_error"] = score.position_error;
  out["final_error"] = score.final_error;
  out["times"] = owned(score.times);
  out["energy_errors"] = owned(score.energy_errors);
  out["step_sizes"] = owned(score.step_sizes);
  const std::size_t width = score.rows.empty() ? 0 : score.rows[0].size();
  auto rows = std::make_unique<double[]>(score.rows.size() * width);
  for (std::size_t i = 0; i < score.rows.size(); ++i)
    std::copy(score.rows[i].begin(), score.rows[i].end(), rows.get() + i * width);
  out["rows"] = owned(std::move(rows), score.rows.size(), width);
  return out;
}

// What Python keeps of a comparison, and fitted_order needs.
struct Compared {
  Comparison comparison;
  bool interrupted = false;
};

// `what`: contenders, or a study.
template <class What>
Compared compare_by(const Scene& scene, const What& what, bool keep_rows, double least_seconds) {
  Interrupts interrupts;
  ComparisonOptions options;
  options.keep_rows = keep_rows;
  options.least_seconds = least_seconds;
  options.stop = &interrupts.stop();
  options.pulse = [&] { interrupts.look(); };
  const py::gil_scoped_release unlocked;
  Comparison comparison = compare(scene, what, options);
  return {std::move(comparison), interrupts.stop().load()};
}

Compared compare_all(const Scene& scene, const py::list& given, bool keep_rows, double least_seconds) {
  std::vector<Contender> all;
  for (const py::handle item : given) all.push_back(contender_from(item));
  return compare_by(scene, all, keep_rows, least_seconds);
}

Study study_named(const std::string& name, const std::vector<double>& steps,
                  const std::vector<double>& tolerances, const std::vector<int>& orders) {
  std::optional<Study> study = find_study(name);
  if (!study)
    throw InputError({}, "there is no study '" + name + "'; with a scene, say which methods: compare(\"" +
                             name + "\", [\"rk4\", \"taylor\"]); studies() has those shipped");
  if (!steps.empty()) study->steps = steps;
  if (!tolerances.empty()) study->tolerances = tolerances;
  if (!orders.empty()) study->orders = orders;
  complete(*study);
  return *study;
}

std::vector<std::string> case_names(const Study& study) {
  std::vector<std::string> names;
  for (const StudyCase& one : study.cases) names.push_back(one.name);
  return names;
}

// The scene of a case; `index` is 0 where there are none.
std::shared_ptr<Scene> scene_of_case(const Study& study, std::size_t index,
                                     std::optional<std::string> duration, std::optional<std::string> sample,
                                     std::vector<std::string> set) {
  Settings given;
  given.duration = std::move(duration);
  given.sample = std::move(sample);
  given.set = std::move(set);
  const Settings settings =
      settings_of(study, study.cases.empty() ? StudyCase{} : study.cases.at(index), std::move(given));
  return std::make_shared<Scene>(
      scene_with(find_scene(study.scene), overrides_of(settings, "{}={}"), settings.events));
}

py::list scores(const Compared& of) {
  py::list out;
  for (const Score& score : of.comparison.scores) out.append(dict_of(score));
  return out;
}

py::list left_out(const Compared& of) {
  py::list out;
  for (const auto& [contender, reason] : of.comparison.left_out)
    out.append(py::make_tuple(contender.label(), reason));
  return out;
}

}  // namespace

void add_comparison(py::module_& module) {
  module.def(
      "contenders",
      [](const std::vector<std::string>& methods, const std::vector<double>& steps,
         const std::vector<double>& tolerances, const std::vector<int>& orders) {
        py::list out;
        for (const Contender& one : contenders(methods, steps, tolerances, orders)) out.append(tuple_of(one));
        return out;
      },
      py::arg("methods"), py::arg("steps"), py::arg("tolerances"), py::arg("orders"));
  py::class_<Compared>(module, "Compared")
      .def_property_readonly("scores", scores)
      .def_property_readonly("left_out", left_out)
      .def_property_readonly("stems", [](const Compared& c) { return stems_list(c.comparison.stems); })
      .def_property_readonly("duration", [](const Compared& c) { return c.comparison.duration; })
      .def_property_readonly("reference", [](const Compared& c) { return c.comparison.reference; })
      .def_property_readonly("reference_error",
                             [](const Compared& c) { return c.comparison.reference_error; })
      .def_readonly("interrupted", &Compared::interrupted)
      .def(
          "fitted_order",
          [](const Compared& c, const std::string& method, std::optional<int> order) {
            return fitted_order(c.comparison, method, order);
          },
          py::arg("method"), py::arg("order"));
  py::class_<Study>(module, "Study")
      .def(py::init(&study_named), py::arg("name"), py::arg("steps"), py::arg("tolerances"),
           py::arg("orders"))
      .def_property_readonly("cases", case_names)
      .def("scene", scene_of_case, py::arg("index"), py::arg("duration"), py::arg("sample"), py::arg("set"))
      .def(
          "compare",
          [](const Study& study, const Scene& scene, bool keep_rows, double least_seconds) {
            return compare_by(scene, study, keep_rows, least_seconds);
          },
          py::arg("scene"), py::arg("keep_rows"), py::arg("least_seconds"));
  module.def("compare", compare_all, py::arg("scene"), py::arg("contenders"), py::arg("keep_rows"),
             py::arg("least_seconds"));
}

}  // namespace catena::python
