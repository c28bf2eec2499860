#include "catena/lab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "catena/base/words.h"
#include "catena/lab/inside.h"
#include "catena/lab/step_check.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Looks at the clock only every few milliseconds, however short the steps are.
class Pacer {
 public:
  bool due() {
    if (--steps_left_ > 0) return false;
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - last_).count();
    constexpr double kInterval = 5e-3;
    const double wanted = elapsed > 0.0 ? kInterval / elapsed * static_cast<double>(batch_) : 2.0 * batch_;
    batch_ = static_cast<int>(std::clamp(wanted, 1.0, 2.0 * batch_));
    steps_left_ = batch_;
    last_ = now;
    return true;
  }

 private:
  Clock::time_point last_ = Clock::now();
  int batch_ = 1;
  int steps_left_ = 1;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string json_number(double value);

template <class T, class Text>
std::string json_list(const std::vector<T>& items, Text text) {
  std::string out;
  for (const T& item : items) out += (out.empty() ? "" : ",") + text(item);
  return "[" + out + "]";
}

// {"section":{"count":2,"columns":["t","theta_1"],"rows":[[0.5,0],[1.5,0]]}}
std::string events_json(const std::vector<EventTable>& events) {
  std::string out;
  for (const EventTable& table : events) {
    const auto row_text = [](const std::vector<double>& row) { return json_list(row, json_number); };
    const auto index_text = [](std::size_t row) { return std::to_string(row); };
    const std::string touching =
        table.touching.empty() ? "" : ",\"touching\":" + json_list(table.touching, index_text);
    // "d_time": [[by the first number, ..] of each row], and so for every column.
    std::string derivatives;
    for (std::size_t q = 0; table.directions > 0 && q < table.columns.size(); ++q) {
      const auto of_row = [&](const std::vector<double>& row) {
        const auto first = row.begin() + static_cast<std::ptrdiff_t>(q * table.directions);
        return row_text({first, first + static_cast<std::ptrdiff_t>(table.directions)});
      };
      derivatives += fmt::format(",{}:{}", quoted(q == 0 ? "d_time" : "d_" + table.columns[q]),
                                 json_list(table.rates, of_row));
    }
    out += fmt::format("{}{}:{{\"count\":{},\"columns\":{},\"rows\":{}{}{}}}", out.empty() ? "" : ",",
                       quoted(table.name), table.rows.size(), json_list(table.columns, quoted),
                       json_list(table.rows, row_text), touching, derivatives);
  }
  return "{" + out + "}";
}

std::string json_number(double value) { return std::isfinite(value) ? number_text(value) : "null"; }

// Invariants of [equations] whose formulas leave their domain: the motion goes on, and their columns have no
// numbers from there on.
class InvariantWatch {
 public:
  InvariantWatch(const Equations& given, const Columns& columns) {
    std::size_t at = 0;
    for (const Stem& stem : columns.stems()) {
      for (const Invariant& one : given.invariants) {
        if (stem.labels.empty() && stem.name == one.name) watched_.push_back({at, &one});
      }
      at += std::max<std::size_t>(1, stem.labels.size());
    }
  }

  void look(Lab& lab, double t, const std::vector<double>& row) {
    for (Watched& one : watched_) {
      if (one.is_lost || std::isfinite(row[one.column])) continue;
      one.is_lost = true;
      lab.warn(
          {one.of->formula.place,
           fmt::format("equations: invariants.{} has no finite value at t = {} s: a division by zero, or "
                       "a function outside its domain",
                       one.of->name, number_text(t))});
    }
  }

 private:
  struct Watched {
    std::size_t column;
    const Invariant* of;
    bool is_lost = false;
  };
  std::vector<Watched> watched_;
};

// Methods that choose their step keep the balance of energy as well as their tolerance says; where it is
// worse than this, something escaped them. With a fixed step the error is the user's own choice.
constexpr double kEnergyBalance = 1e-6;

double relative_energy_error(const Lab& lab) {
  const EnergyRecord& energies = lab.energies();
  const double scale = energies.scale(lab.weight_scale());
  return scale > 0.0 ? energies.largest_error / scale : energies.largest_error;
}

}  // namespace

std::optional<Warning> energy_warning(const Lab& lab) {
  if (!lab.adaptive() || !lab.inside().world.has_energy()) return std::nullopt;
  const double error = relative_energy_error(lab);
  if (!(error > kEnergyBalance)) return std::nullopt;
  return Warning{{lab.scene().name},
                 fmt::format("the balance of energy is kept to {:.1e} of its scale only: {} may help, or "
                             "another method shows whether the motion can be believed",
                             error,
                             lab.tolerance() > 0.0
                                 ? fmt::format("a smaller tolerance than {}", number_text(lab.tolerance()))
                                 : "a smaller max_velocity_error or max_momentum_error")};
}

Schedule Schedule::grid(double sample, double duration) {
  Schedule out;
  out.sample_ = sample;
  out.end_ = duration;
  // Whole samples and the end; a sample that falls on the end but for rounding is the end.
  const double samples = duration / sample, nearest = std::max(1.0, std::round(samples));
  const bool ends_on_grid = std::fabs(nearest * sample - duration) <= 1e-9 * sample + 1e-15 * duration;
  out.count_ = static_cast<std::size_t>(ends_on_grid ? nearest : std::floor(samples) + 1) + 1;
  return out;
}

Schedule Schedule::list(std::vector<double> times) {
  Schedule out;
  out.count_ = times.size();
  out.end_ = times.empty() ? 0.0 : times.back();
  out.times_ = std::move(times);
  return out;
}

double Schedule::time(std::size_t row) const {
  if (!times_.empty()) return times_[row];
  return row + 1 == count_ ? end_ : static_cast<double>(row) * sample_;
}

// Tolerances above this may be what drives a motion out of the range of numbers.
constexpr double kFine = 1e-9;

std::string failure_text(const Lab& lab, StepStatus status) {
  if (!lab.obstacle().empty()) return lab.obstacle();
  if (status == StepStatus::not_closed) {
    const bool by_formulas = !lab.scene().lagrangian.coordinates.empty();
    return fmt::format("{} come apart between t = {} s and {} s: {} ask for motions that exclude each other",
                       by_formulas ? "constraints" : "joints", time_text(lab.time()),
                       time_text(lab.time() + lab.last_step()), by_formulas ? "they" : "motors");
  }
  const bool overflowed = status == StepStatus::not_finite;
  const char* what = overflowed                         ? "the motion left the range of numbers"
                     : status == StepStatus::not_solved ? "the equations of the implicit step were not solved"
                                                        : "no step is small enough for the tolerance";
  const char* remedy = !lab.adaptive() ? "a smaller step may go further"
                       : overflowed
                           ? (lab.tolerance() > kFine ? "a smaller tolerance or another method may go further"
                                                      : "something in it grows without bound")
                           : "a larger tolerance or another method may go further";
  const bool driven = !lab.scene().mechanism.motors.empty();
  return fmt::format("{} at t = {} s: {}{}", what, time_text(lab.time()), remedy,
                     driven ? ", unless a motor asks for what the joints do not allow" : "");
}

std::string outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::stopped_by_event:
      return "stopped-by-event";
    case Outcome::failed:
      return "failed";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::string assembly_json(const MechanismFacts& mechanism) {
  std::string out;
  const auto put = [&](const char* size, const char* whose, const AssemblyFact& change) {
    const std::string name = change.size > 0.0 ? quoted(change.body) : "null";
    out += fmt::format("{}\"{}\":{},\"{}\":{}", out.empty() ? "{" : ",", size, json_number(change.size),
                       whose, name);
  };
  put("largest_move", "moved", mechanism.move);
  put("largest_turn", "turned", mechanism.turn);
  put("largest_change", "changed", mechanism.velocity);
  put("largest_spin_change", "spun", mechanism.spin);
  return out + "}";
}

std::string summary_json(const RunSummary& s) {
  std::string out = "{";
  const auto put = [&](const char* name, const std::string& value) {
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", name, value);
  };
  put("scene", quoted(s.scene));
  put("outcome", quoted(outcome_text(s.outcome)));
  if (!s.message.empty()) put("message", quoted(s.message));
  if (!s.advice.empty()) put("advice", quoted(s.advice));
  put("warnings", json_list(s.warnings, quoted));
  put("method", quoted(s.method));
  put("order", std::to_string(s.order));
  put("tolerance", s.tolerance > 0.0 ? json_number(s.tolerance) : "null");
  put("precision", quoted(s.precision));
  put("degrees_of_freedom", std::to_string(s.degrees_of_freedom));
  put("simulated_seconds", json_number(s.simulated_seconds));
  put("rows", std::to_string(s.rows));
  put("steps", std::to_string(s.counts.steps));
  put("rejected", std::to_string(s.counts.rejected));
  put("evaluations", std::to_string(s.counts.evaluations));
  put("setup_seconds", json_number(s.setup_seconds));
  put("step_seconds", json_number(s.step_seconds));
  put("wall_seconds", json_number(s.wall_seconds));
  put("peak_memory_bytes", fmt::format("{:.0f}", s.peak_memory_bytes));
  put("energy_initial", json_number(s.energy_initial));
  put("energy_final", json_number(s.energy_final));
  put("energy_scale", json_number(s.energy_scale));
  put("energy_error_relative", json_number(s.energy_error_relative));
  const auto number_or_null = [](const std::optional<double>& value) {
    return value ? json_number(*value) : std::string("null");
  };
  put("linear_momentum_error", number_or_null(s.linear_momentum_error));
  put("angular_momentum_error", number_or_null(s.angular_momentum_error));
  std::string kept;
  for (const std::string& name : s.kept_momenta) kept += (kept.empty() ? "" : ",") + quoted(name);
  put("kept_momenta", "[" + kept + "]");
  put("constraint_error", json_number(s.constraint_error));
  if (!s.assembly.empty()) put("assembly", s.assembly);
  std::string changes;
  for (const MethodChange& change : s.changes) {
    changes += fmt::format("{}{{\"time\":{},\"from\":{},\"to\":{}}}", changes.empty() ? "" : ",",
                           json_number(change.time), quoted(change.from), quoted(change.to));
  }
  put("changes", "[" + changes + "]");
  if (!s.derivatives.empty()) {
    put("derivatives", json_list(s.derivatives, quoted));
    put("steps_shortened", std::to_string(s.shortened));
  }
  if (!s.events.empty()) put("events", events_json(s.events));
  return out + "}";
}

std::vector<Stem> recorded_stems(const Lab& lab, const Columns& columns) {
  std::vector<Stem> stems = columns.stems();
  if (lab.variation() == nullptr) return stems;
  std::vector<std::string> paths;
  for (const Direction& direction : lab.variation()->directions()) paths.push_back(direction.path);
  for (const Stem& stem : columns.stems()) {
    if (stem.name != "t") stems.push_back({stem.name, stem.labels, paths});
  }
  return stems;
}

namespace {

// The derivatives of the row sampled last, behind its columns: [column but time][number].
class DerivativeColumns {
 public:
  DerivativeColumns(Lab& lab, const Columns& columns)
      : lab_(lab),
        columns_(columns),
        count_(lab.variation() == nullptr ? 0 : lab.variation()->count()),
        rates_(count_ * columns.width()) {}

  std::size_t width() const { return count_ * (columns_.width() - 1); }
  void write(double* to) {
    if (count_ == 0) return;
    lab_.derivatives(columns_, rates_.data());
    for (std::size_t q = 1; q < columns_.width(); ++q) {
      for (std::size_t j = 0; j < count_; ++j) *to++ = rates_[j * columns_.width() + q];
    }
  }

 private:
  Lab& lab_;
  const Columns& columns_;
  std::size_t count_;
  std::vector<double> rates_;
};

}  // namespace

RunSummary run(Lab& lab, const Schedule& schedule, const Columns& columns, std::size_t first_row,
               RowSink& sink, const RunControl& control) {
  const Clock::time_point begin = Clock::now();
  DerivativeColumns derivatives(lab, columns);
  std::vector<double> values(columns.width() + derivatives.width());
  InvariantWatch invariants(lab.scene().equations, columns);
  std::size_t next = first_row;
  double output_seconds = 0.0;
  double reached = first_row > 0 ? schedule.time(first_row - 1) : 0.0;
  // Rows up to `end`, at most the time reached. One that lies beyond it by rounding alone belongs to it.
  const auto give_rows = [&](double end) {
    const double rest = end == lab.state().t ? lab.state().t_lo : 0.0;
    const auto reachable = [&](double t) { return (t - end) - rest <= 1e-15 * t; };
    if (next >= schedule.count() || !reachable(schedule.time(next))) return;
    const Clock::time_point start = Clock::now();
    for (; next < schedule.count() && reachable(schedule.time(next)); ++next) {
      reached = schedule.time(next);
      lab.sample(reached, columns, values.data());
      derivatives.write(values.data() + columns.width());
      invariants.look(lab, reached, values);
      sink.row(values.data());
    }
    output_seconds += seconds_since(start);
  };

  RunSummary summary;
  Pacer pacer;
  EventWatch watch(lab, lab.scene().events);
  if (first_row > 0) watch.restore(lab.notes());
  const auto leave_checkpoint = [&] {
    lab.set_notes(watch.memory());
    sink.checkpoint(lab.checkpoint());
  };
  StepCheck check(lab);
  give_rows(lab.state().t);
  while (next < schedule.count()) {
    if (control.stop && control.stop->load(std::memory_order_relaxed)) {
      summary.outcome = Outcome::interrupted;
      break;
    }
    check.before(lab);
    const StepStatus status = lab.advance();
    if (status != StepStatus::done) {
      summary.outcome = Outcome::failed;
      summary.message = failure_text(lab, status);
      break;
    }
    if (watch.look(schedule.end())) {
      give_rows(watch.stopped_at());
      reached = watch.stopped_at();
      summary.outcome = Outcome::stopped_by_event;
      break;
    }
    give_rows(lab.time());
    check.after(lab);
    if (!pacer.due()) continue;
    if (control.progress) control.progress(std::min(lab.time(), schedule.end()), schedule.end());
    if (sink.checkpoint_due()) leave_checkpoint();
  }
  leave_checkpoint();
  summary.events = watch.tables();

  const EnergyRecord& energies = lab.energies();
  summary.scene = lab.scene().name;
  summary.method = lab.method().name;
  summary.advice = lab.advice();
  summary.order = lab.order();
  summary.tolerance = lab.adaptive() ? lab.tolerance() : 0.0;
  summary.precision = lab.scene().simulation.precision;
  summary.counts = lab.counts();
  summary.wall_seconds = seconds_since(begin);
  summary.step_seconds = summary.wall_seconds - output_seconds;
  summary.simulated_seconds = reached;
  summary.rows = next;
  if (lab.inside().world.has_energy()) {
    summary.energy_initial = static_cast<double>(energies.start_energy);
    summary.energy_final = energies.last_energy;
    summary.energy_scale = energies.scale(lab.weight_scale());
    summary.energy_error_relative = relative_energy_error(lab);
  } else {
    summary.energy_initial = summary.energy_final = summary.energy_scale = summary.energy_error_relative =
        std::numeric_limits<double>::quiet_NaN();
  }
  const MomentumRecord& momenta = lab.inside().momenta;
  if (momenta.keeps(0)) summary.linear_momentum_error = momenta.largest(0);
  if (momenta.keeps(3)) summary.angular_momentum_error = momenta.largest(3);
  for (std::size_t i = 0; i < kMomenta; ++i) {
    if (momenta.kept[i]) summary.kept_momenta.emplace_back(kMomentumNames[i]);
  }
  summary.constraint_error = energies.constraint_error;
  summary.degrees_of_freedom = lab.degrees_of_freedom();
  if (const auto& made = lab.facts().mechanism) summary.assembly = assembly_json(*made);
  summary.changes = lab.changes();
  if (const Variation* variation = lab.variation()) {
    for (const Direction& direction : variation->directions()) summary.derivatives.push_back(direction.path);
    summary.shortened = variation->shortened();
  }
  if (const std::optional<Warning> energy = energy_warning(lab)) lab.warn(*energy);
  check.tell(lab);
  for (const Warning& warning : lab.warnings()) summary.warnings.push_back(text(warning));
  return summary;
}

}  // namespace catena
