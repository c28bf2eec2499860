// What the files of the module share: a scene, a scene in motion, numbers as arrays.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "catena/lab/run.h"
#include "catena/model/scene.h"

namespace catena::python {

namespace py = pybind11;

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// [(name, labels), ..]
py::list stems_list(const std::vector<Stem>& stems);
std::vector<Stem> stems_from(const py::list& list);

// An array that owns `values` and shows the first rows * columns of them; nothing is copied.
py::array owned(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns);
py::array owned(std::vector<double> values);

// `values` as a vector of that many numbers; ValueError otherwise.
std::vector<double> vector_of(const Numbers& values, std::size_t size, const char* what);

// Looks for Ctrl-C now and then while the interpreter is left alone; `stop` is set by it.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void look();
  // For Python's own code on the way: KeyboardInterrupt stops the computation that this thread is in, and is
  // thrown on where there is none. Other exceptions are thrown on.
  static void take(py::error_already_set& error);
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  Interrupts* outer_;
  std::atomic<bool> stop_{false};
  double last_ = 0.0;
};

void add_scene(py::module_& module);
void add_lab(py::module_& module);
void add_run(py::module_& module);
void add_comparison(py::module_& module);

}  // namespace catena::python
