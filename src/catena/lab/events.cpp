#include "catena/lab/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/expr/formula_range.h"
#include "catena/expr/parse.h"
#include "catena/lab/bytes.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/column_speeds.h"
#include "catena/lab/inside.h"
#include "catena/lab/variation.h"
#include "catena/math/roots.h"
#include "catena/model/joint_info.h"

namespace catena {
namespace {

Columns recorded_columns(const World& world, const Event& event) {
  if (event.record.empty()) return {world, usual_columns(world)};
  try {
    return Columns(world, event.record);
  } catch (const InputError& error) {
    std::vector<Mistake> mistakes = error.mistakes();
    for (Mistake& mistake : mistakes) {
      mistake.place = event.place;
      mistake.message = fmt::format("event '{}': record: {}", event.name, mistake.message);
    }
    throw InputError(std::move(mistakes));
  }
}

expr::FormulaRange range_of(const std::string& formula, const Columns& columns) {
  expr::Graph graph;
  const std::vector<std::string> names = names_of(columns);
  return {graph, expr::parse(graph, formula, {names, {}}).node, static_cast<int>(names.size())};
}

}  // namespace

struct EventWatch::Watched {
  Watched(const Lab& lab, const Event& given)
      : event(given),
        reading(lab, given.when, given.place, fmt::format("event '{}'", given.name)),
        recorded(recorded_columns(lab.inside().world, given)),
        speeds(lab, reading.columns()),
        range(range_of(given.when, reading.columns())) {}

  double value(Lab& lab, double t) { return reading.value(lab, t, inputs); }

  // Whether the formula may reach zero between these times where a few values do not show it: a pulse, a
  // wave. Poles are looked for that closely only so far: towards them nothing gets tame.
  bool hides(Lab& lab, double start, double end, int depth) {
    constexpr int kSamples = 5, kNearPole = 12;
    if (reading.samples().empty()) return false;
    double least = std::numeric_limits<double>::infinity(), first = 0.0;
    for (int i = 0; i < kSamples; ++i) {
      const double t = i + 1 < kSamples ? start + (end - start) * i / (kSamples - 1) : end;
      const double now = value(lab, t);
      if (std::isnan(now)) return false;
      if (i == 0) first = now;
      least = (now > 0.0) == (first > 0.0) ? std::min(least, std::fabs(now)) : 0.0;
      reading.samples().note(i, inputs.data(), 1);
    }
    const double unseen = reading.samples().unseen();
    if (std::isinf(unseen) && depth > kNearPole) return false;
    return unseen > 0.0 && unseen >= least;
  }

  // Whether the formula has no root over the step: by how far columns can change, and the range of the
  // formula over that; in halves where the whole is too much.
  bool stays_away(Lab& lab, double start, double end) {
    if (!speeds.are_known()) return false;
    ranges.resize(inputs.size());
    speeds.look(lab);
    return stays_away(lab, start, end, at_start_inputs.data(), at_end_inputs.data(), 0);
  }
  bool stays_away(Lab& lab, double start, double end, const double* from, const double* to, int depth) {
    constexpr int kDeepest = 2;
    const double length = end - start;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double beyond = speeds.beyond(i, from[i], to[i], length);
      ranges[i] = {std::min(from[i], to[i]) - beyond, std::max(from[i], to[i]) + beyond};
    }
    if (!range.over(ranges).has_zero()) return true;
    const double between = start + 0.5 * length;
    if (depth == kDeepest || !(between > start && between < end)) return false;
    if (!(value(lab, between) * at_end > 0.0)) return false;
    const std::vector<double> here = inputs;
    return stays_away(lab, start, between, from, here.data(), depth + 1) &&
           stays_away(lab, between, end, here.data(), to, depth + 1);
  }

  // A root that touches has no direction. A jump is one of the formula's (sign, choose), not of a column that
  // starts anew after a turn.
  bool counts(Lab& lab, const Crossing& crossing) {
    if (event.direction != "any" && (crossing.touching || (event.direction == "rising") != crossing.rising))
      return false;
    return !crossing.jumping || !columns_jump(lab, crossing.at);
  }

  bool columns_jump(Lab& lab, double at) {
    value(lab, std::nextafter(at, -std::numeric_limits<double>::infinity()));
    const std::vector<double> before = inputs;
    value(lab, at);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (std::fabs(inputs[i] - before[i]) > 1e-3 * (1.0 + std::fabs(inputs[i]))) return true;
    }
    return false;
  }

  // The formula is a number at one of these times and none at the other: the last time on the way from the
  // first to the second at which it still is one.
  double last_number(Lab& lab, double number, double none) {
    for (;;) {
      const double middle = number + 0.5 * (none - number);
      if (middle == number || middle == none) return number;
      (std::isnan(value(lab, middle)) ? none : number) = middle;
    }
  }

  // Once, as it may be so for the rest of the run. Rates of azimuths at a pole are none for an instant.
  void warn_of_none(Lab& lab, double t) {
    if (warned || !std::isnan(value(lab, t))) return;
    std::string values;
    const std::vector<std::string> names = names_of(reading.columns());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "t") continue;
      if (std::isnan(inputs[i])) return;
      values += fmt::format("{}{} = {:.6g}", values.empty() ? ", where " : ", ", names[i], inputs[i]);
    }
    warned = true;
    lab.warn({event.place,
              fmt::format("event '{}': '{}' is not a number at t = {} s{}: nothing is found where it is none",
                          event.name, event.when, number_text(t), values)});
  }

  void warn_of_hurry(Lab& lab, double t) {
    if (hurried) return;
    hurried = true;
    lab.warn(
        {event.place,
         fmt::format("event '{}': '{}' changes too often from t = {} s on for all of its roots to be found: "
                     "take a shorter max_step",
                     event.name, event.when, number_text(t))});
  }

  // It has happened as often as ends the run.
  bool is_over() const { return event.stop > 0 && rows.size() >= static_cast<std::size_t>(event.stop); }

  Event event;
  ColumnFormula reading;
  Columns recorded;
  ColumnSpeeds speeds;
  expr::FormulaRange range;
  bool warned = false, hurried = false;
  int pieces = 0;  // of the step at hand
  std::vector<double> inputs, at_start_inputs, at_end_inputs;
  std::vector<expr::Range> ranges;
  double at_end = 0.0;                                     // the formula where the last step ended
  double last = -std::numeric_limits<double>::infinity();  // time of the last event
  std::vector<std::vector<double>> rows, rates;            // of each row, [column][direction]
  std::vector<double> touching;  // times of those rows at which the formula only touches zero
};

EventWatch::EventWatch(Lab& lab, const std::vector<Event>& events) : lab_(lab) {
  std::vector<Mistake> mistakes;
  for (const Event& event : events) {
    try {
      events_.push_back(std::make_unique<Watched>(lab, event));
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

EventWatch::~EventWatch() = default;

void EventWatch::find(Watched& event, double start, double end) {
  event.pieces = 0;
  if (fresh_) {
    event.at_end = event.value(lab_, start);
    event.at_end_inputs = event.inputs;
  }
  const double at_start = event.at_end;
  std::swap(event.at_start_inputs, event.at_end_inputs);
  event.at_end = event.value(lab_, end);
  event.at_end_inputs = event.inputs;
  const bool starts = !std::isnan(at_start), ends = !std::isnan(event.at_end);
  if (at_start * event.at_end > 0.0 && event.stays_away(lab_, start, end)) return;
  if (!starts || !ends) event.warn_of_none(lab_, starts ? end : start);
  if (starts && ends) return take(event, start, end, at_start, event.at_end);
  if (starts) {  // as far as it is a number
    end = event.last_number(lab_, start, end);
    return take(event, start, end, at_start, event.value(lab_, end));
  }
  if (!ends) return;
  start = event.last_number(lab_, end, start);
  take(event, start, end, event.value(lab_, start), event.at_end);
}

// In pieces, where the whole may hide something.
void EventWatch::take(Watched& event, double start, double end, double at_start, double at_end, int depth) {
  constexpr int kDeepest = 50, kMostPieces = 200'000;
  const double middle = start + 0.5 * (end - start);
  const bool splits =
      depth < kDeepest && middle > start && middle < end && event.hides(lab_, start, end, depth);
  if (splits && ++event.pieces > kMostPieces) return event.warn_of_hurry(lab_, start);
  if (!splits) return take_piece(event, start, end, at_start, at_end);
  const double at_middle = event.value(lab_, middle);
  take(event, start, middle, at_start, at_middle, depth + 1);
  if (!event.is_over()) take(event, middle, end, at_middle, at_end, depth + 1);
}

void EventWatch::take_piece(Watched& event, double start, double end, double at_start, double at_end) {
  const auto f = [&](double t) { return event.value(lab_, t); };
  for (const Crossing& crossing : sign_changes(f, start, end, at_start, at_end)) {
    if (crossing.at < event.last + event.event.cooldown || !event.counts(lab_, crossing)) continue;
    event.last = crossing.at;
    if (crossing.touching) event.touching.push_back(crossing.at);
    event.rows.emplace_back(event.recorded.width());
    lab_.observe(crossing.at, event.recorded, event.rows.back().data());
    if (lab_.variation() != nullptr) {
      event.rates.emplace_back(event.recorded.width() * lab_.variation()->count(),
                               std::numeric_limits<double>::quiet_NaN());
      // One that only touches zero, or is jumped over, is there or not: it has no derivative.
      if (!crossing.touching && !crossing.jumping) {
        const auto formula = [&](const std::vector<double>& inputs) {
          return event.reading.value(inputs.data());
        };
        lab_.derivatives_at_root(event.reading.columns(), formula, event.recorded, event.rates.back().data());
      }
    }
    if (event.is_over()) return;
  }
}

bool EventWatch::look(double end) {
  const double start = lab_.step_start();
  end = std::min(end, lab_.time());
  if (events_.empty() || end <= start) return false;
  std::optional<double> stop;
  for (const auto& event : events_) {
    find(*event, start, end);
    if (event->is_over()) stop = std::min(stop.value_or(event->last), event->last);
  }
  fresh_ = false;
  if (!stop) return false;
  // What the others found behind it does not happen any more.
  stopped_at_ = *stop;
  for (const auto& event : events_) {
    std::erase_if(event->rows, [&](const std::vector<double>& row) { return row[0] > stopped_at_; });
    if (event->rates.size() > event->rows.size()) event->rates.resize(event->rows.size());
  }
  return true;
}

std::vector<EventTable> EventWatch::tables() const {
  std::vector<EventTable> tables;
  for (const auto& event : events_) {
    EventTable& table =
        tables.emplace_back(EventTable{event->event.name, names_of(event->recorded), event->rows, {}});
    if (lab_.variation() != nullptr) {
      table.directions = lab_.variation()->count();
      table.rates = event->rates;
    }
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto& times = event->touching;
      if (std::find(times.begin(), times.end(), table.rows[i][0]) != times.end()) table.touching.push_back(i);
    }
  }
  return tables;
}

const std::vector<std::vector<double>>& EventWatch::rows(std::size_t event) const {
  return events_[event]->rows;
}

void EventWatch::restart() {
  fresh_ = true;
  stopped_at_ = 0.0;
  for (const auto& event : events_) {
    event->rows.clear();
    event->rates.clear();
    event->touching.clear();
    event->at_end = 0.0;
    event->last = -std::numeric_limits<double>::infinity();
  }
}

std::string EventWatch::memory() const {
  ByteWriter out;
  for (const auto& event : events_) {
    out.put(static_cast<std::uint64_t>(event->rows.size()));
    for (const std::vector<double>& row : event->rows) out.put(row);
    for (const std::vector<double>& row : event->rates) out.put(row);
  }
  for (const auto& event : events_) {
    out.put(static_cast<std::uint64_t>(event->touching.size()));
    for (const double time : event->touching) out.put(time);
  }
  return out.take();
}

// A checkpoint is where the last step began: what that step had is found again.
void EventWatch::restore(std::string_view memory) {
  ByteReader in(memory);
  for (const auto& event : events_) {
    std::uint64_t count = 0;
    in.get(count);
    event->rows.clear();
    for (std::uint64_t i = 0; i < count && in.good(); ++i) {
      std::vector<double> row(event->recorded.width());
      in.get(row);
      if (!in.good() || row[0] > lab_.time()) continue;
      event->last = row[0];
      event->rows.push_back(std::move(row));
    }
    event->rates.clear();
    for (std::uint64_t i = 0; i < count && lab_.variation() != nullptr && in.good(); ++i) {
      std::vector<double> row(event->recorded.width() * lab_.variation()->count());
      in.get(row);
      if (in.good() && event->rates.size() < event->rows.size()) event->rates.push_back(std::move(row));
    }
  }
  if (in.finished()) return;  // of version 0.1.0, which knew no touching ones
  for (const auto& event : events_) {
    std::uint64_t count = 0;
    in.get(count);
    event->touching.clear();
    for (std::uint64_t i = 0; i < count && in.good(); ++i) in.get(event->touching.emplace_back());
  }
}

}  // namespace catena
