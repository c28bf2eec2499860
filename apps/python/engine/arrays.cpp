#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "handles.h"

namespace catena::python {

py::list stems_list(const std::vector<Stem>& stems) {
  py::list out;
  for (const Stem& stem : stems) out.append(py::make_tuple(stem.name, stem.labels));
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

py::array owned(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns) {
  double* data = values.release();
  const py::capsule owner(data, [](void* pointer) { delete[] static_cast<double*>(pointer); });
  return py::array_t<double>({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)}, data,
                             owner);
}

py::array owned(std::vector<double> values) {
  auto* kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* pointer) { delete static_cast<std::vector<double>*>(pointer); });
  return py::array_t<double>({static_cast<py::ssize_t>(kept->size())}, kept->data(), owner);
}

std::vector<double> vector_of(const Numbers& values, std::size_t size, const char* what) {
  if (static_cast<std::size_t>(values.size()) != size) {
    throw py::value_error(fmt::format("{} must have {} numbers, got {}", what, size, values.size()));
  }
  return {values.data(), values.data() + size};
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
