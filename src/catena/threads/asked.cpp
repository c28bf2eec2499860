#include "catena/threads/asked.h"

#include <algorithm>

#include "catena/math/elementary.h"

namespace catena {
namespace threads {

namespace {

int direction_of(const std::string& word) { return word == "rising" ? 1 : word == "falling" ? -1 : 0; }

// Places and weights of Clenshaw and Curtis, with our own cosine.
void set_quadrature(threads::Task& task) {
  constexpr int kDegree = threads::kNodes - 1;
  constexpr double kPi = threads::kHalfTurn;
  for (int j = 0; j <= kDegree; ++j) {
    task.node[j] = -elementary::cos(kPi * j / kDegree);
    double sum = 1.0;
    for (int k = 1; k <= kDegree / 2; ++k) {
      const double part = k == kDegree / 2 ? 1.0 : 2.0;
      sum -= part / (4.0 * k * k - 1.0) * elementary::cos(2.0 * kPi * k * j / kDegree);
    }
    task.weight[j] = (j == 0 || j == kDegree ? 1.0 : 2.0) / kDegree * sum;
  }
}

}  // namespace

void ask(const Lab& lab, const SweepPlan& plan, ThreadProgram& program, Asked& asked) {
  using From = SweepMeasure::Kind;
  Task& task = program.task;
  set_quadrature(task);
  if (plan.measures.size() > threads::kMostMeasures) refuse("there are more measures than threads take");
  struct Event {
    std::string formula;
    threads::Happening what;
    int measure;  // -1: of the scene
  };
  std::vector<Event> events;
  int points = 0;
  task.measures = static_cast<int>(plan.measures.size());
  for (std::size_t i = 0; i < plan.measures.size(); ++i) {
    const SweepMeasure& given = plan.measures[i];
    threads::Measure& measure = task.measure[i];
    measure.column = static_cast<int>(asked.columns.size());
    const auto column_kind = [&] {
      if (given.at) return Kind::at;
      return given.what == "min"     ? Kind::smallest
             : given.what == "max"   ? Kind::largest
             : given.what == "mean"  ? Kind::mean
             : given.what == "range" ? Kind::range
                                     : Kind::last;
    };
    switch (given.kind) {
      case From::column:
        measure.kind = column_kind();
        measure.at = given.at.value_or(0.0);
        asked.columns.push_back(given.of);
        break;
      case From::event: {
        const bool counts = given.what == "count";
        measure.kind = counts                 ? Kind::event_count
                       : given.what == "time" ? Kind::event_time
                                              : Kind::event_column;
        if (measure.kind == Kind::event_column) asked.columns.push_back(given.what);
        const bool once = !counts || given.stop;
        events.push_back({given.of, {direction_of(given.direction), once, given.stop}, static_cast<int>(i)});
        break;
      }
      case From::nearest:
        measure.kind = Kind::nearest;
        measure.columns = static_cast<int>(given.columns.size());
        measure.points = static_cast<int>(given.points.size());
        measure.first_point = points;
        asked.columns.insert(asked.columns.end(), given.columns.begin(), given.columns.end());
        for (const std::vector<double>& point : given.points) {
          for (const double number : point) {
            if (points == threads::kMostNumbers) refuse("there are more points than threads take");
            task.point[points++] = number;
          }
        }
        break;
      case From::summary:
        if (given.of != "steps" && given.of != "simulated_seconds")
          refuse(fmt::format("'{}' is not measured there", given.of));
        measure.kind = given.of == "steps" ? Kind::steps : Kind::seconds;
        break;
      default:
        refuse(fmt::format("the measure '{}' is not taken there", given.name));
    }
  }
  for (const Event& event : [&] {
         std::vector<Event> own;
         for (const catena::Event& of : lab.scene().events) {
           if (of.stop > 1) refuse("events that end a run at their second time are not looked for there");
           if (of.stop == 1) own.push_back({of.when, {direction_of(of.direction), 1, 1}, -1});
         }
         return own;
       }())
    events.push_back(event);
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.what.stops > b.what.stops; });
  if (events.size() > threads::kMostEvents) refuse("there are more events than threads look for");
  for (std::size_t e = 0; e < events.size(); ++e) {
    task.event[e] = events[e].what;
    if (events[e].measure >= 0) task.measure[events[e].measure].event = static_cast<int>(e);
    asked.formulas.emplace_back(lab, events[e].formula);
  }
  program.events = events.size();
  bool asks_for_events_alone = !events.empty();
  for (int i = 0; i < task.measures; ++i) {
    const Kind kind = task.measure[i].kind;
    program.looks_at_times = program.looks_at_times || kind == Kind::at;
    program.looks_along = program.looks_along || kind == Kind::smallest || kind == Kind::largest ||
                          kind == Kind::mean || kind == Kind::range;
    asks_for_events_alone = asks_for_events_alone && (kind == Kind::event_time || kind == Kind::event_column);
  }
  task.ends_with_events = asks_for_events_alone ? 1 : 0;
  program.columns = asked.columns.size();
  if (program.columns > InterpretedProgram::kMostColumns) refuse("there are more columns than threads take");
}

}  // namespace threads
}  // namespace catena
