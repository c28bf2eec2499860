// What the files of the module share: a scene, a scene in motion, numbers as arrays.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/lab/run.h"
#include "catena/model/scene.h"
#include "settings.h"

namespace catena::python {

namespace py = pybind11;

// Numbers that Python gives: an array, or anything that NumPy makes one of; row by row, as doubles.
//
// They come by Python's buffer protocol, and arrays are made by calling NumPy as Python does. Nothing here
// knows how an array lies in memory: that changed with NumPy 2, and pybind11 before 2.12 read strides of 0
// ever after.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const py::handle& values);

  const double* data() const { return static_cast<const double*>(view_.ptr); }
  std::size_t size() const { return static_cast<std::size_t>(view_.size); }
  std::size_t rows() const { return view_.shape.empty() ? 1 : static_cast<std::size_t>(view_.shape[0]); }
  std::size_t columns() const { return rows() == 0 ? 0 : size() / rows(); }

 private:
  py::buffer_info view_;  // keeps what it looks at
};

// [(name, labels), ..]
py::list stems_list(const std::vector<Stem>& stems);
std::vector<Stem> stems_from(const py::list& list);

// An array that owns `values` and shows the first rows * columns of them; nothing is copied.
py::object owned(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns);
py::object owned(std::vector<double> values);
void add_arrays(py::module_& module);

// `values` as a vector of that many numbers; ValueError otherwise.
std::vector<double> vector_of(const Numbers& values, std::size_t size, const char* what);

// Settings as Python gives them: by name, and lists of changes and events.
Settings settings_from(std::map<std::string, std::string> given, std::vector<std::string> set,
                       std::vector<std::string> events);

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

// What several threads may use, one after the other.
struct Turns {
  std::mutex mutex;
  std::atomic<std::thread::id> owner{};
};

// This thread's turn. Python's other threads go on while it waits. RuntimeError where the turn is its own
// already: a step function asks the motion that is taking its step.
class Turn {
 public:
  explicit Turn(Turns& turns);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

// `function` in a turn of its first argument's.
template <class Result, class Shared, class... Arguments>
auto in_turn(Result (*function)(Shared&, Arguments...)) {
  return [function](Shared& shared, Arguments... arguments) -> Result {
    const Turn turn(shared.turns);
    return function(shared, std::forward<Arguments>(arguments)...);
  };
}

// A state as Python gives it: its numbers, and what these cannot hold of them ([n] zeros as a rule).
using GivenState = std::pair<Numbers, Numbers>;
// The motion goes on from there, at its time. InputError where no state near it is allowed.
void put(Lab& lab, double t, const GivenState& state);
// Far from all that is allowed there may be nothing to find, or no end of the search. `advice`: what to give
// instead.
void check_placed(Lab& lab, const std::string& advice);

void add_scene(py::module_& module);
void add_lab(py::module_& module);
void add_run(py::module_& module);
void add_comparison(py::module_& module);
void add_flow(py::module_& module);
void add_analysis(py::module_& module);
void add_fit(py::module_& module);
void add_sweep(py::module_& module);
void add_finding(py::module_& module);

}  // namespace catena::python

namespace pybind11::detail {

template <>
struct type_caster<catena::python::Numbers> {
  PYBIND11_TYPE_CASTER(catena::python::Numbers, const_name("numpy.typing.ArrayLike"));
  bool load(handle values, bool) {
    value = catena::python::Numbers(values);
    return true;
  }
};

}  // namespace pybind11::detail
