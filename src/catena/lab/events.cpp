#include "catena/lab/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/lab/bytes.h"
#include "catena/math/roots.h"

namespace catena {
namespace {

std::vector<std::string> names_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty()) names.push_back(stem.name);
    for (const std::string& label : stem.labels) names.push_back(stem.name + "_" + label);
  }
  return names;
}

// The columns that a formula needs, and the formula on them.
struct Reading {
  Columns columns;
  expr::Program program;
};

Reading reading_of(const World& world, const Event& event) {
  const std::vector<std::string> all = names_of(Columns(world, {}));
  expr::Graph graph;
  const expr::Parsed parsed = expr::parse(graph, event.when, {all, {}});
  std::vector<Mistake> mistakes;
  for (const expr::FormulaMistake& mistake : parsed.mistakes) {
    Place place = event.place;
    if (place.line > 0) place.column += static_cast<int>(mistake.offset);
    mistakes.push_back({place, fmt::format("event '{}': {}", event.name, mistake.message)});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  std::vector<std::string> used{"t"};
  const std::vector<char> reached = expr::reachable(graph, {parsed.node});
  for (expr::NodeId id = 0; id < graph.size(); ++id) {
    if (reached[id] && graph[id].op == expr::Op::variable) used.push_back(all[graph[id].index]);
  }
  // Again, with the used columns alone: their order is that of the rows.
  Columns columns(world, used);
  expr::Graph small;
  const std::vector<std::string> names = names_of(columns);
  const expr::Parsed again = expr::parse(small, event.when, {names, {}});
  expr::Program program(small, {again.node}, static_cast<int>(names.size()));
  return {std::move(columns), std::move(program)};
}

Columns recorded_columns(const World& world, const Event& event) {
  if (event.record.empty())
    return Columns(world, world.lagrangian() != nullptr ? std::vector<std::string>{"position", "velocity"}
                                                        : std::vector<std::string>{"angles"});
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

}  // namespace

struct EventWatch::Watched {
  Watched(const World& world, const Event& given)
      : event(given), reading(reading_of(world, given)), recorded(recorded_columns(world, given)) {
    inputs.resize(reading.columns.width());
  }

  double value(Lab& lab, double t) {
    lab.observe(t, reading.columns, inputs.data());
    double out = 0.0;
    reading.program.evaluate(inputs.data(), 1, &out);
    return out;
  }

  bool counts(bool rising) const {
    return event.direction == "any" || (event.direction == "rising") == rising;
  }

  Event event;
  Reading reading;
  Columns recorded;
  std::vector<double> inputs;
  double at_end = 0.0;                                     // the formula where the last step ended
  double last = -std::numeric_limits<double>::infinity();  // time of the last event
  std::vector<std::vector<double>> rows;
};

EventWatch::EventWatch(Lab& lab, const std::vector<Event>& events) : lab_(lab) {
  std::vector<Mistake> mistakes;
  for (const Event& event : events) {
    try {
      events_.push_back(std::make_unique<Watched>(lab.world(), event));
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

EventWatch::~EventWatch() = default;

void EventWatch::find(Watched& event, double start, double end) {
  if (fresh_) event.at_end = event.value(lab_, start);
  const double at_start = event.at_end;
  event.at_end = event.value(lab_, end);
  const auto f = [&](double t) { return event.value(lab_, t); };
  for (const Crossing& crossing : sign_changes(f, start, end, at_start, event.at_end)) {
    if (!event.counts(crossing.rising) || crossing.at < event.last + event.event.cooldown) continue;
    event.last = crossing.at;
    event.rows.emplace_back(event.recorded.width());
    lab_.observe(crossing.at, event.recorded, event.rows.back().data());
    if (event.event.stop > 0 && event.rows.size() >= static_cast<std::size_t>(event.event.stop)) return;
  }
}

bool EventWatch::look(double end) {
  const double start = lab_.step_start();
  end = std::min(end, lab_.time());
  if (events_.empty() || end <= start) return false;
  std::optional<double> stop;
  for (const auto& event : events_) {
    find(*event, start, end);
    const auto limit = static_cast<std::size_t>(event->event.stop);
    if (limit > 0 && event->rows.size() >= limit) stop = std::min(stop.value_or(event->last), event->last);
  }
  fresh_ = false;
  if (!stop) return false;
  // What the others found behind it does not happen any more.
  stopped_at_ = *stop;
  for (const auto& event : events_) {
    std::erase_if(event->rows, [&](const std::vector<double>& row) { return row[0] > stopped_at_; });
  }
  return true;
}

std::vector<EventTable> EventWatch::tables() const {
  std::vector<EventTable> tables;
  for (const auto& event : events_) {
    tables.push_back({event->event.name, names_of(event->recorded), event->rows});
  }
  return tables;
}

std::string EventWatch::memory() const {
  ByteWriter out;
  for (const auto& event : events_) {
    out.put(static_cast<std::uint64_t>(event->rows.size()));
    for (const std::vector<double>& row : event->rows) out.put(row);
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
  }
}

}  // namespace catena
