// catena._engine: the library as the Python package sees it. What people use is in apps/python/catena.
#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "handles.h"

namespace catena::python {
namespace {

// InputError with all mistakes, each (source, line, column, message); its text is that of the command line.
void add_input_error(py::module_& module) {
  static PyObject* type = PyErr_NewExceptionWithDoc(
      "catena.InputError",
      "A mistake in a scene or a setting. str() names all of them, as the command line does; `mistakes` has "
      "(source, line, column, message) of each.",
      PyExc_ValueError, nullptr);
  module.attr("InputError") = py::handle(type);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      py::list mistakes;
      for (const Mistake& mistake : error.mistakes()) {
        mistakes.append(
            py::make_tuple(mistake.place.source, mistake.place.line, mistake.place.column, mistake.message));
      }
      py::object value = py::reinterpret_borrow<py::object>(type)(error.what());
      value.attr("mistakes") = mistakes;
      PyErr_SetObject(type, value.ptr());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_engine, module) {
  module.attr("version") = std::string(this_version());
  module.attr("build") = build_facts();
  module.def(
      "too_late",
      [](const std::string& version) { return is_later_version(version) ? too_late(version) : ""; },
      py::arg("version"), "Why what this version wrote is refused; empty: it is not.");
  add_input_error(module);
  add_arrays(module);
  add_scene(module);
  add_lab(module);
  add_run(module);
  add_comparison(module);
  add_flow(module);
  add_analysis(module);
  add_fit(module);
  add_sweep(module);
  add_finding(module);
}

}  // namespace catena::python
