#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "handles.h"

namespace catena::python {

py::list stems_list(const std::vector<Stem>& stems) {
  py::list out;
  for (const Stem& stem : stems) out.append(py::make_tuple(stem.name, std::vector<std::string>(stem.labels)));
  return out;
}

std::vector<Stem> stems_from(const py::list& list) {
  std::vector<Stem> out;
  for (const py::handle item : list) {
    const auto pair = item.cast<std::pair<std::string, std::vector<std::string>>>();
    out.push_back({pair.first, pair.second});
  }
  return out;
}

namespace {

// A name of NumPy's, which is loaded when it is first needed.
py::handle numpy(const char* name, PyObject*& known) {
  if (known == nullptr) known = py::object(py::module_::import("numpy").attr(name)).release().ptr();
  return known;
}

bool is_plain(const py::buffer_info& view) {
  if (view.format != py::format_descriptor<double>::format()) return false;
  py::ssize_t next = view.itemsize;
  for (py::ssize_t k = view.ndim; k-- > 0;) {
    if (view.shape[k] > 1 && view.strides[k] != next) return false;
    next *= view.shape[k];
  }
  return true;
}

py::buffer_info seen(const py::handle& values) {
  return py::reinterpret_borrow<py::buffer>(values).request();
}

// What an array lies in.
struct Block {
  std::unique_ptr<double[]> array;
  std::vector<double> vector;
  std::size_t rows, columns;

  double* data() { return array ? array.get() : vector.data(); }
  std::size_t size() const { return rows * columns; }
};

py::object array_of(Block block, const py::tuple& shape) {
  static PyObject* known = nullptr;
  return numpy("ndarray", known)(shape, "f8", py::cast(std::move(block)));
}

}  // namespace

Numbers::Numbers(const py::handle& values) {
  if (PyObject_CheckBuffer(values.ptr()) != 0) {
    view_ = seen(values);
    if (is_plain(view_)) return;
  }
  static PyObject* known = nullptr;
  view_ = seen(numpy("ascontiguousarray", known)(values, "f8"));
}

py::object owned(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns) {
  return array_of({std::move(values), {}, rows, columns}, py::make_tuple(rows, columns));
}

py::object owned(std::vector<double> values) {
  const std::size_t count = values.size();
  return array_of({nullptr, std::move(values), 1, count}, py::make_tuple(count));
}

void add_arrays(py::module_& module) {
  py::class_<Block>(module, "Block", py::buffer_protocol()).def_buffer([](Block& block) {
    return py::buffer_info(block.data(), static_cast<py::ssize_t>(block.size()));
  });
}

std::vector<double> vector_of(const Numbers& values, std::size_t size, const char* what) {
  if (values.size() != size) {
    throw py::value_error(fmt::format("{} must have {} numbers, got {}", what, size, values.size()));
  }
  return {values.data(), values.data() + size};
}

Turn::Turn(Turns& turns) : turns_(turns) {
  if (turns.owner.load() == std::this_thread::get_id()) {
    throw std::runtime_error(
        "a step is being taken: what takes it cannot ask the same Lab, or the same run's sol, on the way");
  }
  if (!turns.mutex.try_lock()) {
    const py::gil_scoped_release unlocked;  // whoever has the turn may need Python to end it
    turns.mutex.lock();
  }
  turns.owner.store(std::this_thread::get_id());
}

Turn::~Turn() {
  turns_.owner.store({});
  turns_.mutex.unlock();
}

namespace {
thread_local Interrupts* current = nullptr;
}

Interrupts::Interrupts() : outer_(std::exchange(current, this)) {}
Interrupts::~Interrupts() { current = outer_; }

void Interrupts::take(py::error_already_set& error) {
  if (current == nullptr || !error.matches(PyExc_KeyboardInterrupt)) throw;
  current->stop_.store(true);
}

void Interrupts::look() {
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  constexpr double kInterval = 0.05;  // taking the interpreter's lock may have to wait for other threads
  if (now - last_ < kInterval) return;
  last_ = now;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return;
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw py::error_already_set();
  PyErr_Clear();
  stop_.store(true);
}

}  // namespace catena::python
