// Whole runs into memory, the motion between their rows, and their files.
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/record/record.h"
#include "catena/lab/variation.h"
#include "derivatives.h"
#include "handles.h"
#include "settings.h"

namespace catena::python {
namespace {

using Clock = std::chrono::steady_clock;
using Checkpoints = std::vector<std::pair<double, std::string>>;  // where its step begins, and its bytes

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::unique_ptr<double[]> room(std::size_t rows, std::size_t columns) {
  try {
    return std::unique_ptr<double[]>(new double[rows * columns]);  // pages are taken as rows come
  } catch (const std::bad_alloc&) {
    throw InputError({},
                     fmt::format("{} rows of {} numbers do not fit into memory: choose a larger sample or "
                                 "fewer quantities",
                                 rows, columns));
  }
}

// Rows one behind the other, the state of each, and now and then a checkpoint from which the motion between
// rows can be had again.
class MemorySink final : public RowSink {
 public:
  MemorySink(const Lab& lab, std::size_t rows, std::size_t width)
      : lab_(lab),
        width_(width),
        dimension_(lab.dimension()),
        rows_(room(rows, width)),
        states_(room(rows, dimension_)) {}

  // Rows that are there already.
  void begin(const double* rows, const double* states, std::size_t count) {
    std::memcpy(rows_.get(), rows, count * width_ * sizeof(double));
    std::memcpy(states_.get(), states, count * dimension_ * sizeof(double));
    count_ = count;
  }

  void row(const double* values) override {
    std::memcpy(rows_.get() + count_ * width_, values, width_ * sizeof(double));
    std::memcpy(states_.get() + count_ * dimension_, lab_.sampled_state().data(),
                dimension_ * sizeof(double));
    ++count_;
  }

  // However long the run, there are at most kMost, about as many seconds of computing apart from one another.
  bool checkpoint_due() override { return seconds_since(last_) >= spacing_; }
  void checkpoint(const std::string& bytes) override {
    last_ = Clock::now();
    if (checkpoints_.size() >= kMost) {
      for (std::size_t i = 0; 2 * i < checkpoints_.size(); ++i)
        checkpoints_[i] = std::move(checkpoints_[2 * i]);
      checkpoints_.resize((checkpoints_.size() + 1) / 2);
      spacing_ *= 2;
    }
    checkpoints_.emplace_back(lab_.step_start(), bytes);
  }

  std::size_t count() const { return count_; }
  py::object rows() { return owned(std::move(rows_), count_, width_); }
  py::object states() { return owned(std::move(states_), count_, dimension_); }
  py::list checkpoints() const {
    py::list out;
    for (const auto& [time, bytes] : checkpoints_) out.append(py::make_tuple(time, py::bytes(bytes)));
    return out;
  }

 private:
  static constexpr std::size_t kMost = 128;
  const Lab& lab_;
  std::size_t width_, dimension_;
  std::unique_ptr<double[]> rows_, states_;
  std::size_t count_ = 0;
  Checkpoints checkpoints_;
  Clock::time_point last_ = Clock::now();
  double spacing_ = 0.02;
};

// What a run that goes on has already.
struct Before {
  Numbers rows, states;
  std::string checkpoint;
};

// How many of the rows there are the schedule has too, from the first on.
std::size_t rows_in_common(const Numbers& rows, const Schedule& schedule) {
  const std::size_t count = std::min(rows.rows(), schedule.count());
  std::size_t same = 0;
  while (same < count && rows.data()[same * rows.columns()] == schedule.time(same)) ++same;
  return same;
}

std::size_t take_up(const Before& before, Lab& lab, const Schedule& schedule, MemorySink& sink) {
  lab.restore(before.checkpoint);
  const std::size_t same = rows_in_common(before.rows, schedule);
  if (same < schedule.count() && schedule.time(same) < lab.time()) {
    throw InputError({lab.scene().name}, "the run has gone further already: ask for a longer duration");
  }
  sink.begin(before.rows.data(), before.states.data(), same);
  return same;
}

std::unique_ptr<Lab> lab_of(Scene& scene, const std::vector<std::string>& derivatives) {
  return derivatives.empty() ? std::make_unique<Lab>(scene) : lab_with_derivatives(scene, derivatives);
}

// The numbers that a recording has derivatives with respect to.
std::vector<std::string> paths_of(const std::vector<Stem>& stems) {
  return stems.empty() ? std::vector<std::string>{} : stems.back().paths;
}

py::dict simulate(Scene scene, const std::optional<Numbers>& times,
                  const std::vector<std::string>& quantities, const std::optional<py::tuple>& before,
                  const std::optional<std::function<void(double, double)>>& progress,
                  const std::vector<std::string>& derivatives, const std::optional<GivenState>& start) {
  const Clock::time_point begin = Clock::now();
  const Schedule schedule =
      times ? Schedule::list(vector_of(*times, times->size(), "times")) : schedule_of(scene);
  const std::unique_ptr<Lab> made = lab_of(scene, derivatives);
  Lab& lab = *made;
  if (start) put(lab, 0.0, *start);
  const Columns columns = lab.columns(quantities);
  const std::vector<Stem> stems = recorded_stems(lab, columns);
  MemorySink sink(lab, schedule.count(), column_names(stems).size());
  std::size_t first_row = 0;
  if (before) {
    const Before known{Numbers((*before)[0]), Numbers((*before)[1]), (*before)[2].cast<std::string>()};
    first_row = take_up(known, lab, schedule, sink);
  }
  Interrupts interrupts;
  RunControl control;
  control.stop = &interrupts.stop();
  control.progress = [&](double time, double end) {
    interrupts.look();
    if (!progress) return;
    const py::gil_scoped_acquire locked;
    try {
      (*progress)(time, end);
    } catch (py::error_already_set& error) {
      Interrupts::take(error);
    }
  };
  const double setup = seconds_since(begin);
  RunSummary summary;
  {
    const py::gil_scoped_release unlocked;
    summary = run(lab, schedule, columns, first_row, sink, control);
  }
  if (interrupts.stop() && summary.outcome == Outcome::failed) {  // inside a step function
    summary.outcome = Outcome::interrupted;
    summary.message.clear();
  }
  summary.setup_seconds = setup;
  summary.peak_memory_bytes = peak_memory_bytes();
  py::list events;
  for (const EventTable& table : summary.events)
    events.append(py::make_tuple(table.name, table.columns, table.rows, table.rates));
  py::dict out;
  out["stems"] = stems_list(columns.stems());
  out["derivatives"] = paths_of(stems);
  out["scene"] = scene.json;
  out["rows"] = sink.rows();
  out["states"] = sink.states();
  out["checkpoints"] = sink.checkpoints();
  out["events"] = events;
  out["end"] = schedule.end();
  out["summary"] = summary_json(summary);
  return out;
}

// ---- between the rows
// ----------------------------------------------------------------------------------------

// The motion of a run at any time: goes on from the nearest checkpoint before, with the same bits as the run.
class Track {
 public:
  Track(const Scene& scene, Checkpoints checkpoints, double end, const std::vector<std::string>& derivatives,
        const std::optional<GivenState>& start)
      : scene_(scene),
        made_(lab_of(scene_, derivatives)),
        lab_(*made_),
        checkpoints_(std::move(checkpoints)),
        end_(end) {
    if (start) put(lab_, 0.0, *start);
    checkpoints_.insert(checkpoints_.begin(), {0.0, lab_.checkpoint()});
  }

  Turns turns;  // one motion for all who ask
  std::size_t dimension() const { return lab_.dimension(); }

  // States at times that grow, one behind the other; of pairs what doubles cannot hold stands behind each.
  py::object states(const Numbers& times, bool pairs) {
    const std::size_t count = times.size(), width = (pairs ? 2 : 1) * dimension();
    auto out = room(count, width);
    const double* wanted = times.data();
    Interrupts interrupts;
    {
      const py::gil_scoped_release unlocked;
      for (std::size_t i = 0; i < count; ++i) {
        reach(wanted[i], interrupts);
        const State state = lab_.state_at(wanted[i]);
        std::copy(state.hi.begin(), state.hi.end(), out.get() + i * width);
        if (pairs) std::copy(state.lo.begin(), state.lo.end(), out.get() + i * width + dimension());
      }
    }
    return owned(std::move(out), count, width);
  }

  // The derivatives of those states, [direction][lane] of each.
  py::object rates(const Numbers& times) {
    const std::size_t count = times.size();
    const std::size_t width = dimension() * (lab_.variation() == nullptr ? 0 : lab_.variation()->count());
    auto out = room(count, width);
    const double* wanted = times.data();
    Interrupts interrupts;
    {
      const py::gil_scoped_release unlocked;
      for (std::size_t i = 0; i < count && width > 0; ++i) {
        reach(wanted[i], interrupts);
        lab_.state_at(wanted[i]);
        const std::vector<double>& rates = lab_.state_derivatives();
        std::copy(rates.begin(), rates.end(), out.get() + i * width);
      }
    }
    return owned(std::move(out), count, width);
  }

  py::tuple rows(const Numbers& times, const std::vector<std::string>& quantities) {
    const Columns columns = lab_.columns(quantities);
    const std::size_t count = times.size();
    auto out = room(count, columns.width());
    const double* wanted = times.data();
    Interrupts interrupts;
    {
      const py::gil_scoped_release unlocked;
      for (std::size_t i = 0; i < count; ++i) {
        reach(wanted[i], interrupts);
        lab_.observe(wanted[i], columns, out.get() + i * columns.width());
      }
    }
    return py::make_tuple(stems_list(columns.stems()), owned(std::move(out), count, columns.width()));
  }

 private:
  void reach(double t, Interrupts& interrupts) {
    if (!(t >= 0.0 && t <= end_)) {
      throw py::value_error(fmt::format("t = {} is outside of the run, which goes from 0 to {}", t, end_));
    }
    // A time that is the end of a step but for rounding belongs to that step, as the run's rows do: what was
    // asked before must not decide.
    const double begin = t - 2e-15 * t;
    std::size_t nearest = 0;
    while (nearest + 1 < checkpoints_.size() && checkpoints_[nearest + 1].first < begin) ++nearest;
    if (begin <= lab_.step_start() || checkpoints_[nearest].first > lab_.time()) {
      lab_.restore(checkpoints_[nearest].second);
    }
    const auto is_reached = [&] { return (t - lab_.time()) - lab_.state().t_lo <= 1e-15 * t; };
    while (!is_reached() && !interrupts.stop()) {
      interrupts.look();
      const StepStatus status = lab_.advance();
      if (status != StepStatus::done && !interrupts.stop())
        throw std::runtime_error(failure_text(lab_, status));
    }
    if (!interrupts.stop()) return;
    const py::gil_scoped_acquire locked;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }

  Scene scene_;
  std::unique_ptr<Lab> made_;
  Lab& lab_;
  Checkpoints checkpoints_;
  double end_;
};

Checkpoints checkpoints_from(const py::list& list) {
  Checkpoints out;
  for (const py::handle item : list) out.push_back(item.cast<std::pair<double, std::string>>());
  return out;
}

// ---- files
// ---------------------------------------------------------------------------------------------------

class MemoryRun final : public RunReader {
 public:
  MemoryRun(RunInfo info, RunState state, Numbers rows)
      : info_(std::move(info)), state_(std::move(state)), rows_(std::move(rows)) {}
  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_.rows(); }
  void read(std::size_t first, std::size_t count, double* out) override {
    const std::size_t width = rows_.columns();
    std::memcpy(out, rows_.data() + first * width, count * width * sizeof(double));
  }

 private:
  RunInfo info_;
  RunState state_;
  Numbers rows_;
};

// Trouble with writing as Python has it: an OSError of the kind that its number says. The library's text has
// the system's words, "cannot write 'run.h5.tmp': No space left on device; free some space ..", and these
// have a number.
[[noreturn]] void throw_os_error(const std::string& path, const std::string& text) {
  constexpr int kMostNumbers = 256;
  int number = EIO;
  for (int n = 1; n < kMostNumbers; ++n) {
    if (text.find(fmt::format("': {};", std::strerror(n))) != std::string::npos) number = n;
  }
  const py::object error = py::reinterpret_borrow<py::object>(PyExc_OSError)(number, text, path);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void save(const std::string& path, const std::string& scene_json, const py::list& stems, Numbers rows,
          const std::string& summary, const py::bytes& checkpoint,
          const std::vector<std::string>& derivatives) {
  if (!is_run_format(path)) {
    throw InputError({path}, "cannot tell the format: the name must end in " + alternatives(run_endings()));
  }
  std::vector<Stem> all = stems_from(stems);
  const std::size_t plain = all.size();
  for (std::size_t i = 1; i < plain && !derivatives.empty(); ++i)
    all.push_back({all[i].name, all[i].labels, derivatives});
  MemoryRun run({std::string(this_version()), scene_json, std::move(all)}, {summary, std::string(checkpoint)},
                std::move(rows));
  try {
    write_run(run, path);
  } catch (const std::runtime_error& error) {
    throw_os_error(path, error.what());
  }
}

py::dict load(const std::string& path) {
  const std::unique_ptr<RunReader> reader = RunReader::open(path);
  std::size_t width = 0;
  for (const Stem& stem : reader->info().stems) width += stem.columns();
  auto rows = room(reader->rows(), width);
  reader->read(0, reader->rows(), rows.get());
  py::dict out;
  out["version"] = reader->info().version;
  out["scene"] = reader->info().scene_json;
  std::vector<Stem> stems = reader->info().stems;
  out["derivatives"] = paths_of(stems);
  std::erase_if(stems, [](const Stem& stem) { return !stem.paths.empty(); });
  out["stems"] = stems_list(stems);
  out["rows"] = owned(std::move(rows), reader->rows(), width);
  out["summary"] = reader->state().summary_json;
  out["checkpoint"] = py::bytes(reader->state().checkpoint);
  return out;
}

}  // namespace

void add_run(py::module_& module) {
  module.def("simulate", simulate, py::arg("scene"), py::arg("times"), py::arg("quantities"),
             py::arg("before"), py::arg("progress"), py::arg("derivatives") = std::vector<std::string>{},
             py::arg("start") = std::nullopt);
  py::class_<Track>(module, "Track")
      .def(py::init([](const Scene& scene, const py::list& checkpoints, double end,
                       const std::vector<std::string>& derivatives, const std::optional<GivenState>& start) {
             return std::make_unique<Track>(scene, checkpoints_from(checkpoints), end, derivatives, start);
           }),
           py::arg("scene"), py::arg("checkpoints"), py::arg("end"),
           py::arg("derivatives") = std::vector<std::string>{}, py::arg("start") = std::nullopt)
      .def_property_readonly("dimension", &Track::dimension)
      .def("states", in_turn(+[](Track& track, const Numbers& times, bool pairs) {
             return track.states(times, pairs);
           }),
           py::arg("times"), py::arg("pairs") = false)
      .def("rates", in_turn(+[](Track& track, const Numbers& times) { return track.rates(times); }),
           py::arg("times"))
      .def("rows",
           in_turn(+[](Track& track, const Numbers& times, const std::vector<std::string>& quantities) {
             return track.rows(times, quantities);
           }),
           py::arg("times"), py::arg("quantities"));
  module.def("save", save, py::arg("path"), py::arg("scene"), py::arg("stems"), py::arg("rows"),
             py::arg("summary"), py::arg("checkpoint"), py::arg("derivatives") = std::vector<std::string>{});
  module.def("load", load, py::arg("path"));
}

}  // namespace catena::python
