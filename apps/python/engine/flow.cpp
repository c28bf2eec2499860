// The motion as a function of its start and of numbers of its scene, with its derivatives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/second_variation.h"
#include "catena/lab/variation.h"
#include "derivatives.h"
#include "handles.h"

namespace catena::python {
namespace {

// The scene with other numbers in these places, all at once.
Scene with_numbers(const Scene& scene, const std::vector<SceneNumber>& numbers) {
  if (numbers.empty()) return scene;
  SceneOptions options;
  options.source = options.name = scene.name;
  for (const SceneNumber& number : numbers)
    options.overrides.push_back(fmt::format("{}={:.17e}", number.path, number.value));
  Scene out = read_scene(scene.json, options);
  out.warnings = scene.warnings;
  return out;
}

// What a call gives, as rows one behind the other.
struct Reached {
  std::vector<double> times, states, speeds, rates;       // [time]([direction])[lane]
  std::vector<double> rows, row_rates;                    // [time]([direction])[column]
  std::vector<std::vector<double>> at_events, by_events;  // of each event: [occurrence]([direction])[lane]
  std::vector<EventTable> events;
  std::optional<double> stopped;
};

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

class Flow {
 public:
  Flow(const Scene& scene, const std::vector<std::string>& paths) : scene_(scene) {
    if (scene.simulation.function)
      throw InputError({scene.name}, "a flow is computed by a method of the engine, not by a step function");
    is_rewritten_ = made_of_unit_vectors(scene_);
    numbers_ = scene_numbers(scene_, paths);
    LabAndDirections made = lab_and_directions(scene_, paths);
    take(std::move(made.lab), std::move(made.directions));
  }

  Turns turns;
  // Whether its chains were in another formulation than the states of this flow are.
  bool is_rewritten() const { return is_rewritten_; }
  std::size_t dimension() const { return lab_->dimension(); }
  std::string json() const { return scene_.json; }
  std::vector<std::string> state_names() const { return lab_->facts().lanes; }
  py::object start() const { return owned(start_.hi); }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const SceneNumber& number : numbers_) out.push_back(number.path);
    return out;
  }
  py::object values() const {
    std::vector<double> out;
    for (const SceneNumber& number : numbers_) out.push_back(number.value);
    return owned(std::move(out));
  }

  // The numbers in their order from now on. A world is made for them unless they are those at work.
  void set_values(const Numbers& given) {
    const std::vector<double> values = vector_of(given, numbers_.size(), "parameters");
    std::vector<SceneNumber> wanted = numbers_;
    bool same = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw py::value_error(fmt::format("{} must be a finite number, got {}", wanted[i].path, values[i]));
      same = same && values[i] == wanted[i].value;
      wanted[i].value = values[i];
    }
    if (same) return;
    const Scene scene = with_numbers(scene_, wanted);
    auto lab = std::make_unique<Lab>(scene);
    if (lab->dimension() != dimension())
      throw InputError({scene.name}, "with these parameters the state has another number of coordinates");
    numbers_ = std::move(wanted);
    take(std::move(lab), directions_of(scene, numbers_));
  }

  // From `start` at `begin`, or from the start of the scene, to times that grow.
  py::dict move(const Numbers& times, const std::optional<Numbers>& start, double begin, bool derivatives,
                const std::vector<std::string>& quantities) {
    check_times(times, begin);
    std::optional<State> from;
    if (start) {
      from = State{begin, 0.0, vector_of(*start, dimension(), "start"), std::vector<double>(dimension())};
      check_finite(from->hi);
    } else if (begin != 0.0) {
      throw py::value_error("the scene's own start is at t = 0: t_start needs a start");
    }
    const Columns columns = lab_->columns(quantities);
    Reached out;
    py::dict found;
    Interrupts interrupts;
    {
      const py::gil_scoped_release unlocked;
      place(from, derivatives);
      go(times, derivatives, quantities.empty() ? nullptr : &columns, out, interrupts);
    }
    if (interrupts.stop()) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    found["start"] = owned(from_);
    found["stems"] = stems_list(columns.stems());
    for (auto& [name, values] : {std::pair{"times", &out.times}, std::pair{"states", &out.states},
                                 std::pair{"speeds", &out.speeds}, std::pair{"rates", &out.rates},
                                 std::pair{"rows", &out.rows}, std::pair{"row_rates", &out.row_rates}})
      found[name] = owned(std::move(*values));
    if (derivatives) {
      found["basis"] = owned(basis_);
      found["allowed"] = owned(allowed_);
    }
    py::list events;
    for (std::size_t i = 0; i < out.events.size(); ++i) {
      const EventTable& table = out.events[i];
      events.append(py::make_tuple(table.name, table.columns, table.rows, table.rates,
                                   owned(out.at_events[i]), owned(out.by_events[i])));
    }
    found["events"] = events;
    found["stopped"] = out.stopped;
    found["lanes"] = lab_->motion_lanes();
    found["steps"] = lab_->counts().steps;
    std::vector<std::string> warnings;
    for (const Warning& warning : lab_->warnings()) warnings.push_back(text(warning));
    found["warnings"] = warnings;
    return found;
  }

  // How the derivatives with respect to the parameters, or to lanes of the start, change along one direction
  // of both: at times that grow, from `start` at `begin` or from the start of the scene.
  py::dict bend(const Numbers& times, const std::optional<Numbers>& start, double begin,
                const Numbers& along_parameters, const Numbers& along_start, bool by_start,
                const std::vector<std::string>& quantities) {
    check_times(times, begin);
    if (!start && begin != 0.0)
      throw py::value_error("the scene's own start is at t = 0: t_start needs a start");
    const std::vector<double> weights = vector_of(along_parameters, numbers_.size(), "along");
    SecondVariation::Along along;
    along.start = vector_of(along_start, dimension(), "along_start");
    check_finite(along.start);
    std::vector<Direction> directions = by_start ? std::vector<Direction>{} : directions_;
    for (std::size_t lane = 0; by_start && lane < dimension(); ++lane) {
      directions.push_back({"start." + state_names()[lane], 0.0, {}, std::vector<double>(dimension(), 0.0)});
      directions.back().start[lane] = 1.0;
    }
    along_numbers(weights, by_start, along);
    const Columns columns = lab_->columns(quantities);
    std::vector<double> reached, states, alongs, firsts, seconds, rows;
    Interrupts interrupts;
    {
      const py::gil_scoped_release unlocked;
      Lab lab(lab_->scene());
      if (start) {
        State from{begin, 0.0, vector_of(*start, dimension(), "start"), std::vector<double>(dimension())};
        check_finite(from.hi);
        lab.place(std::move(from));
      }
      SecondVariation second(lab, std::move(directions), std::move(along), !start);
      for (std::size_t i = 0; i < times.size() && !interrupts.stop(); ++i) {
        const double t = times.data()[i];
        while ((t - lab.time()) - lab.state().t_lo > 1e-15 * std::fabs(t) && !interrupts.stop()) {
          interrupts.look();
          const StepStatus status = second.advance();
          if (status != StepStatus::done) throw std::runtime_error(failure_text(lab, status));
        }
        if (interrupts.stop()) break;
        const SecondVariation::OfState of = second.at(t);
        append(states, lab.state_at(t).hi);
        append(alongs, of.along);
        append(firsts, of.first);
        append(seconds, of.second);
        if (!quantities.empty()) append(rows, second.rows(t, columns));
      }
    }
    if (interrupts.stop()) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    py::dict found;
    found["stems"] = stems_list(columns.stems());
    for (auto& [name, values] :
         {std::pair{"states", &states}, std::pair{"along", &alongs}, std::pair{"first", &firsts},
          std::pair{"second", &seconds}, std::pair{"rows", &rows}})
      found[name] = owned(std::move(*values));
    return found;
  }

 private:
  // Along a combination of the parameters. Only starts: nothing of a scene is another one.
  void along_numbers(const std::vector<double>& weights, bool by_start, SecondVariation::Along& along) const {
    const bool any = std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0.0; });
    if (!any && by_start) return;
    along.scale = HUGE_VAL;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (!std::isfinite(weights[k]))
        throw py::value_error(fmt::format("along must have finite numbers, got {}", weights[k]));
      const double size = numbers_[k].value != 0.0 ? std::fabs(numbers_[k].value) : 1.0;
      if (weights[k] != 0.0) along.scale = std::min(along.scale, size / std::fabs(weights[k]));
    }
    if (!any) along.scale = 1.0;
    along.scene = [scene = lab_->scene(), numbers = numbers_, weights, by_start](std::size_t j, double by,
                                                                                 double moved) {
      std::vector<std::string> paths;
      std::vector<double> values;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const bool own = !by_start && k == j;
        if (weights[k] == 0.0 && !own) continue;
        paths.push_back(numbers[k].path);
        values.push_back(numbers[k].value + (own ? by : 0.0) + weights[k] * moved);
      }
      return catena::with_numbers(scene, paths, values);
    };
  }

  void take(std::unique_ptr<Lab> lab, std::vector<Direction> directions) {
    lab_ = std::move(lab);
    directions_ = std::move(directions);
    start_ = lab_->state();
    angles_ = lab_->row_angles();
    other_.reset();
  }

  static void check_times(const Numbers& times, double begin) {
    if (!std::isfinite(begin))
      throw py::value_error(fmt::format("t_start must be a time in s, got {}", begin));
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double t = times.data()[i];
      if (!std::isfinite(t) || t < begin)
        throw py::value_error(fmt::format("t = {} does not lie behind the start, at {} s", t, begin));
    }
  }

  void check_finite(const std::vector<double>& start) const {
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (!std::isfinite(start[i]))
        throw py::value_error(
            fmt::format("start must have finite numbers: {} is {}", state_names()[i], start[i]));
    }
  }

  // All numbers first, and `count` changes of the state behind them.
  void follow(std::size_t count) {
    std::vector<Direction> all = directions_;
    for (std::size_t k = 0; k < count; ++k)
      all.push_back({fmt::format("start.{}", k + 1), 0.0, {}, std::vector<double>(dimension(), 0.0)});
    lab_->follow(std::move(all));
    followed_ = count;
  }

  // The lab that follows, or one that does not.
  void choose(bool derivatives) {
    if ((lab_->variation() != nullptr) == derivatives) return;
    if (other_ == nullptr) other_ = std::make_unique<Lab>(lab_->scene());
    std::swap(lab_, other_);
    if (!derivatives || lab_->variation() != nullptr) return;
    follow(lab_->allowed_directions().size());
    const std::vector<double>& rates = lab_->end_derivatives();  // nothing has moved yet
    by_numbers_.assign(rates.begin(),
                       rates.begin() + static_cast<std::ptrdiff_t>(directions_.size() * dimension()));
  }

  void place(const std::optional<State>& from, bool derivatives) {
    choose(derivatives);
    if (from) {
      lab_->place(*from);
    } else {
      lab_->place(start_, angles_);
    }
    from_ = lab_->state().hi;
    check_placed(*lab_, "start from one of a run, or from `start` of the flow");
    if (derivatives) set_rates(!from);
  }

  // The start's derivatives: numbers as the scene's start depends on them or not at all but for what the
  // constraints ask for; then the allowed changes, and how much of each a change of each lane is.
  void set_rates(bool own_start) {
    const std::vector<std::vector<double>> basis = lab_->allowed_directions();
    const std::size_t n = dimension(), k = basis.size(), of_numbers = directions_.size() * n;
    if (k != followed_) follow(k);
    std::vector<double> rates(of_numbers + k * n);
    basis_.clear();
    for (const std::vector<double>& direction : basis) append(basis_, direction);
    allowed_.assign(k * n, 0.0);
    for (std::size_t first = 0; k > 0 && first < lab_->motion_lanes(); first += k) {
      const std::size_t last = std::min(lab_->motion_lanes(), first + k);
      std::fill(rates.begin(), rates.end(), 0.0);
      for (std::size_t lane = first; lane < last; ++lane) rates[of_numbers + (lane - first) * n + lane] = 1.0;
      lab_->set_state_derivatives(rates);
      const std::vector<double>& brought = lab_->end_derivatives();
      for (std::size_t lane = first; lane < last; ++lane) {
        for (std::size_t j = 0; j < k; ++j) {
          for (std::size_t i = 0; i < n; ++i)
            allowed_[j * n + lane] += basis[j][i] * brought[of_numbers + (lane - first) * n + i];
        }
      }
    }
    std::fill(rates.begin(), rates.end(), 0.0);
    if (own_start) std::copy(by_numbers_.begin(), by_numbers_.end(), rates.begin());
    std::copy(basis_.begin(), basis_.end(), rates.begin() + static_cast<std::ptrdiff_t>(of_numbers));
    lab_->set_state_derivatives(rates);
  }

  void go(const Numbers& times, bool derivatives, const Columns* columns, Reached& out,
          Interrupts& interrupts) {
    EventWatch watch(*lab_, lab_->scene().events);
    out.at_events.resize(lab_->scene().events.size());
    out.by_events.resize(lab_->scene().events.size());
    const double end = times.size() == 0 ? lab_->time() : times.data()[times.size() - 1];
    const auto is_reached = [&](double t) {
      return (t - lab_->time()) - lab_->state().t_lo <= 1e-15 * std::fabs(t);
    };
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double t = times.data()[i];
      while (!is_reached(t) && !out.stopped && !interrupts.stop()) {
        interrupts.look();
        const StepStatus status = lab_->advance();
        if (status != StepStatus::done) throw std::runtime_error(failure_text(*lab_, status));
        if (watch.look(end)) out.stopped = watch.stopped_at();
        note_events(watch, derivatives, out);
      }
      if (interrupts.stop() || (out.stopped && t > *out.stopped)) break;
      show(t, derivatives, columns, out);
    }
    out.events = watch.tables();
  }

  void show(double t, bool derivatives, const Columns* columns, Reached& out) {
    if (columns != nullptr) {
      std::vector<double> row(columns->width());
      lab_->observe(t, *columns, row.data());
      append(out.rows, row);
    }
    const std::vector<double> state = lab_->state_at(t).hi;
    out.times.push_back(t);
    append(out.states, state);
    append(out.speeds, lab_->rhs(t, state));
    if (!derivatives) return;
    append(out.rates, lab_->state_derivatives());
    if (columns == nullptr) return;
    std::vector<double> rates(columns->width() * lab_->variation()->count());
    lab_->derivatives(*columns, rates.data());
    append(out.row_rates, rates);
  }

  // States at the events of the last step: they change with the event's time, too.
  void note_events(const EventWatch& watch, bool derivatives, Reached& out) {
    const std::vector<EventTable> tables = watch.tables();
    const std::size_t n = dimension();
    for (std::size_t e = 0; e < tables.size(); ++e) {
      const EventTable& table = tables[e];
      for (std::size_t row = out.at_events[e].size() / n; row < table.rows.size(); ++row) {
        const double t = table.rows[row][0];
        const std::vector<double> state = lab_->state_at(t).hi;
        append(out.at_events[e], state);
        if (!derivatives) continue;
        const std::vector<double> speed = lab_->rhs(t, state);
        std::vector<double> rates = lab_->state_derivatives();
        for (std::size_t q = 0; q < rates.size(); ++q) rates[q] += speed[q % n] * table.rates[row][q / n];
        append(out.by_events[e], rates);
      }
    }
  }

  Scene scene_;
  bool is_rewritten_ = false;
  std::vector<SceneNumber> numbers_;
  std::vector<Direction> directions_;  // of these numbers
  std::unique_ptr<Lab> lab_;           // with these numbers, at work
  std::unique_ptr<Lab> other_;         // the same, with derivatives or without
  State start_;                        // of its scene
  std::vector<AngleMemory> angles_;    // there
  std::vector<double> by_numbers_;     // [number][lane]: how that start changes with them
  std::size_t followed_ = 0;           // changes of the state that are followed
  std::vector<double> from_;           // where the last motion began
  std::vector<double> basis_;          // [k][lane]: the changes of it that the constraints allow
  std::vector<double> allowed_;        // [k][lane]: what a change of each lane is in this basis
};

}  // namespace

void add_flow(py::module_& module) {
  py::class_<Flow>(module, "Flow")
      .def(py::init<const Scene&, const std::vector<std::string>&>(), py::arg("scene"), py::arg("paths"))
      .def_property_readonly("dimension", &Flow::dimension)
      .def_property_readonly("json", &Flow::json)
      .def_property_readonly("is_rewritten", &Flow::is_rewritten)
      .def_property_readonly("paths", &Flow::paths)
      .def_property_readonly("values", in_turn(+[](Flow& flow) { return flow.values(); }))
      .def_property_readonly("start", in_turn(+[](Flow& flow) { return flow.start(); }))
      .def("state_names", in_turn(+[](Flow& flow) { return flow.state_names(); }))
      .def("move",
           in_turn(+[](Flow& flow, const Numbers& times, const std::optional<Numbers>& start, double begin,
                       const Numbers& parameters, bool derivatives,
                       const std::vector<std::string>& quantities) {
             flow.set_values(parameters);
             return flow.move(times, start, begin, derivatives, quantities);
           }),
           py::arg("times"), py::arg("start"), py::arg("begin"), py::arg("parameters"),
           py::arg("derivatives"), py::arg("quantities"))
      .def("bend",
           in_turn(+[](Flow& flow, const Numbers& times, const std::optional<Numbers>& start, double begin,
                       const Numbers& parameters, const Numbers& along, const Numbers& along_start,
                       bool by_start, const std::vector<std::string>& quantities) {
             flow.set_values(parameters);
             return flow.bend(times, start, begin, along, along_start, by_start, quantities);
           }),
           py::arg("times"), py::arg("start"), py::arg("begin"), py::arg("parameters"), py::arg("along"),
           py::arg("along_start"), py::arg("by_start"), py::arg("quantities"));
}

}  // namespace catena::python
