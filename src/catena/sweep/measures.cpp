#include "catena/sweep/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/base/words.h"
#include "catena/lab/column_speeds.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDegree = 16;

using Nodes = std::array<double, kDegree + 1>;

// Of Clenshaw and Curtis on [-1, 1]: places -cos(pi j / n) and weights.
struct Quadrature {
  Nodes at{}, weight{};
};

const Quadrature& quadrature() {
  static const Quadrature rule = [] {
    Quadrature out;
    for (int j = 0; j <= kDegree; ++j) {
      const auto i = static_cast<std::size_t>(j);
      out.at[i] = -std::cos(std::numbers::pi * j / kDegree);
      double sum = 1.0;
      for (int k = 1; k <= kDegree / 2; ++k) {
        const double part = k == kDegree / 2 ? 1.0 : 2.0;
        sum -= part / (4.0 * k * k - 1.0) * std::cos(2.0 * std::numbers::pi * k * j / kDegree);
      }
      out.weight[i] = (j == 0 || j == kDegree ? 1.0 : 2.0) / kDegree * sum;
    }
    return out;
  }();
  return rule;
}

// The largest value of f between low and high, where middle lies between them and is no less than either:
// golden sections, which leave an error of the square of the last bracket.
template <class F>
double largest_between(const F& f, double low, double middle, double high, double at_middle) {
  constexpr double kGolden = 0.3819660112501051;
  double best = at_middle;
  for (int i = 0; i < 60 && high - low > 1e-9 * (1.0 + std::fabs(middle)) * 1e-2; ++i) {
    const bool right = high - middle > middle - low;
    const double other = right ? middle + kGolden * (high - middle) : middle - kGolden * (middle - low);
    const double value = f(other);
    if (value > best) {
      (right ? low : high) = middle;
      middle = other;
      best = value;
    } else {
      (right ? high : low) = other;
    }
  }
  return best;
}

[[noreturn]] void refuse(const SweepMeasure& measure, const InputError& error) {
  std::vector<Mistake> mistakes = error.mistakes();
  for (Mistake& mistake : mistakes) {
    if (mistake.place.line == 0) mistake.place = measure.place;
    mistake.message = fmt::format("measure '{}': {}", measure.name, mistake.message);
  }
  throw InputError(std::move(mistakes));
}

// One column by its name, behind the time.
Columns column_of(const Lab& lab, const SweepMeasure& measure, const std::string& name) {
  try {
    Columns columns = lab.columns({name});
    if (name == "t" || columns.width() == 2) return columns;
    const std::vector<std::string> names = names_of(columns);
    throw InputError(measure.place, fmt::format("'{}' stands for {} columns; name one, as in '{}'", name,
                                                columns.width() - 1, names[1]));
  } catch (const InputError& error) {
    refuse(measure, error);
  }
}

}  // namespace

// Columns at the end and at given times.
struct Meter::Instants {
  struct One {
    std::size_t measure;
    double at;                         // s; infinite: at the end
    std::vector<std::string> names;    // of the columns
    std::vector<std::size_t> columns;  // where they are in a row
  };
  std::vector<One> all;
  std::vector<Columns> columns;  // one, once all names are known
  std::vector<double> row;
  std::vector<double> found;  // of those at given times
  std::vector<std::size_t> order;
  std::size_t next = 0;

  void name(Lab& lab) {
    std::vector<std::string> asked;
    for (const One& one : all) asked.insert(asked.end(), one.names.begin(), one.names.end());
    if (asked.empty()) asked = {"t"};
    columns.push_back(lab.columns(asked));
    const std::vector<std::string> names = names_of(columns.front());
    for (One& one : all) {
      for (const std::string& name : one.names)
        one.columns.push_back(
            static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
    }
    row.resize(columns.front().width());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::isfinite(all[i].at)) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].at < all[b].at; });
    found.resize(all.size());
  }
};

// The smallest and largest value of a column along the motion, and its mean.
struct Meter::Extremes {
  Extremes(const Lab& lab, Columns of) : column(std::move(of)), row(column.width()), speeds(lab, column) {}

  Columns column;
  std::vector<double> row;
  ColumnSpeeds speeds;
  std::size_t measure = 0;
  bool wants_extremes = true;
  double low = kInfinity, high = -kInfinity, integral = 0.0;
  double end = -kInfinity, at_end = kNone;  // where the last step ended, and the column there

  double value(Lab& lab, double t) {
    lab.observe(t, column, row.data());
    return row.back();
  }
  void restart() {
    low = kInfinity;
    high = -kInfinity;
    integral = 0.0;
    end = -kInfinity;
  }
  // Whether the column stays between the extremes so far, by how fast it may change.
  bool stays_between(Lab& lab, double from, double to) {
    if (!speeds.are_known()) return false;
    const double at_start = from == end ? at_end : value(lab, from);
    end = to;
    at_end = value(lab, to);
    speeds.look(lab);
    const double beyond = speeds.beyond(row.size() - 1, at_start, at_end, to - from);
    return std::min(at_start, at_end) - beyond >= low && std::max(at_start, at_end) + beyond <= high;
  }
  void look(Lab& lab, double from, double to) {
    if (wants_extremes && stays_between(lab, from, to)) return;
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    Nodes values{}, times{};
    for (std::size_t j = 0; j <= kDegree; ++j) {
      times[j] = j == 0 ? from : j == kDegree ? to : middle + half * quadrature().at[j];
      values[j] = value(lab, times[j]);
      integral += half * quadrature().weight[j] * values[j];
    }
    if (!wants_extremes) return;
    take(lab, times, values, 1.0, high);
    double lowest = -low;
    take(lab, times, values, -1.0, lowest);
    low = -lowest;
  }
  // The largest of sign * value.
  void take(Lab& lab, const Nodes& times, const Nodes& values, double sign, double& best) {
    const auto f = [&](double t) { return sign * value(lab, t); };
    for (std::size_t j = 0; j <= kDegree; ++j) {
      const double here = sign * values[j];
      if (std::isnan(here)) {
        best = kNone;
        return;
      }
      best = std::max(best, here);
      if (j == 0 || j == kDegree) continue;
      const double before = sign * values[j - 1], after = sign * values[j + 1];
      // Beyond a peak of the samples the column rises by less than it fell beside it.
      const bool is_peak = here >= before && here >= after;
      if (is_peak && here + (here - std::min(before, after)) > best)
        best = std::max(best, largest_between(f, times[j - 1], times[j], times[j + 1], here));
    }
  }
};

struct Meter::Happening {
  Happening(Lab& lab, const Event& event, std::size_t of) : watch(lab, {event}), measure(of) {}
  EventWatch watch;
  std::size_t measure;
  bool is_over = false;  // it has found what it looks for
};

namespace {

Event event_of(const SweepMeasure& measure) {
  Event event;
  event.name = measure.name;
  event.when = measure.of;
  event.direction = measure.direction;
  event.stop = measure.what == "count" && !measure.stop ? 0 : 1;
  event.place = measure.place;
  const bool is_column = measure.what != "time" && measure.what != "count";
  event.record = {is_column ? measure.what : "t"};
  return event;
}

}  // namespace

std::vector<std::string> derivative_paths(const SweepPlan& plan) {
  std::vector<std::string> out;
  for (const SweepMeasure& measure : plan.measures) {
    const bool is_new = std::find(out.begin(), out.end(), measure.path) == out.end();
    if (measure.kind == SweepMeasure::Kind::derivative && is_new) out.push_back(measure.path);
  }
  return out;
}

bool follows_tangents(const SweepPlan& plan) {
  return std::any_of(plan.measures.begin(), plan.measures.end(), [](const SweepMeasure& measure) {
    return measure.kind == SweepMeasure::Kind::indicator &&
           indicator_info(measure.of, measure.place).tangents;
  });
}

namespace {

void check_indicator(const SweepMeasure& measure, const SweepPlan& plan) {
  try {
    if (!indicator_info(measure.of, measure.place).tangents || derivative_paths(plan).empty()) return;
    throw InputError(measure.place,
                     "indicators from neighbouring motions and derivatives are followed one or the other: "
                     "make two sweeps of them");
  } catch (const InputError& error) {
    refuse(measure, error);
  }
}

}  // namespace

Meter::Meter(Lab& lab, const SweepPlan& plan)
    : lab_(lab),
      plan_(plan),
      duration_(lab.scene().simulation.duration),
      end_(duration_),
      instants_(std::make_unique<Instants>()) {
  using Kind = SweepMeasure::Kind;
  std::vector<Mistake> mistakes;
  for (std::size_t m = 0; m < plan.measures.size(); ++m) {
    const SweepMeasure& measure = plan.measures[m];
    try {
      if (measure.kind == Kind::column && measure.what != "last" && !measure.at) {
        extremes_.push_back(std::make_unique<Extremes>(lab, column_of(lab, measure, measure.of)));
        extremes_.back()->measure = m;
        extremes_.back()->wants_extremes = measure.what != "mean";
      } else if (measure.kind == Kind::column || measure.kind == Kind::derivative) {
        column_of(lab, measure, measure.of);
        instants_->all.push_back({m, measure.at.value_or(kInfinity), {measure.of}, {}});
        if (measure.at && *measure.at > duration_)
          throw InputError(measure.place,
                           fmt::format("measure '{}': at = {} s lies beyond the duration, {} s", measure.name,
                                       number_text(*measure.at), number_text(duration_)));
      } else if (measure.kind == Kind::nearest) {
        for (const std::string& name : measure.columns) column_of(lab, measure, name);
        instants_->all.push_back({m, kInfinity, measure.columns, {}});
      } else if (measure.kind == Kind::event) {
        if (measure.what != "time" && measure.what != "count") column_of(lab, measure, measure.what);
        happenings_.push_back(std::make_unique<Happening>(lab, event_of(measure), m));
      } else if (measure.kind == Kind::indicator) {
        check_indicator(measure, plan);
      }
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  instants_->name(lab);
  std::vector<Event> ending;
  for (const Event& event : lab.scene().events) {
    if (event.stop > 0) ending.push_back(event);
  }
  if (!ending.empty()) own_events_ = std::make_unique<EventWatch>(lab, ending);
  restart();
}

void Meter::watch_indicators() {
  IndicatorOptions options;
  options.duration = duration_;
  for (const SweepMeasure& measure : plan_.measures) {
    if (measure.kind == SweepMeasure::Kind::indicator) options.only.push_back(measure.of);
  }
  if (options.only.empty()) return;
  indicators_ = std::make_unique<IndicatorWatch>(lab_, options);
  indicators_->prepare();
}

Meter::~Meter() = default;

void Meter::restart() {
  end_ = duration_;
  instants_->next = 0;
  std::fill(instants_->found.begin(), instants_->found.end(), kNone);
  for (const auto& one : extremes_) one->restart();
  for (const auto& one : happenings_) {
    one->watch.restart();
    one->is_over = false;
  }
  if (own_events_) own_events_->restart();
  watch_indicators();
}

// All look at the whole step: what the first to end the case leaves out is left out of the others at the end,
// and measures of one event see the same instant.
void Meter::look_at_events() {
  const double end = end_;
  for (const auto& one : happenings_) {
    if (one->is_over) continue;
    one->is_over = one->watch.look(end);
    if (one->is_over && plan_.measures[one->measure].stop) end_ = std::min(end_, one->watch.stopped_at());
  }
  if (own_events_ && own_events_->look(end)) end_ = std::min(end_, own_events_->stopped_at());
}

void Meter::look_at_instants() {
  Instants& of = *instants_;
  const double reached = std::min(lab_.time(), end_);
  for (; of.next < of.order.size(); ++of.next) {
    const Instants::One& one = of.all[of.order[of.next]];
    if (one.at > reached) return;
    lab_.observe(std::max(one.at, lab_.step_start()), of.columns.front(), of.row.data());
    of.found[of.order[of.next]] = of.row[one.columns.front()];
  }
}

bool Meter::look() {
  look_at_events();
  const double from = lab_.step_start(), to = std::min(lab_.time(), end_);
  if (to > from) {
    for (const auto& one : extremes_) one->look(lab_, from, to);
  }
  look_at_instants();
  const bool is_over = lab_.time() >= end_;
  if (indicators_) look_at_indicators(is_over);
  return is_over;
}

// Last of all: what is renewed for the next step is no longer that of the step just taken.
void Meter::look_at_indicators(bool is_over) {
  if (indicators_->look(end_) != StepStatus::done)
    throw InputError(
        {}, fmt::format("neighbouring motions part beyond all numbers at t = {} s", time_text(lab_.time())));
  if (!is_over) indicators_->prepare();
}

namespace {

double nearest_of(const SweepMeasure& measure, const std::vector<double>& row,
                  const std::vector<std::size_t>& columns) {
  double least = kInfinity, best = kNone;
  for (std::size_t p = 0; p < measure.points.size(); ++p) {
    double square = 0.0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double apart = row[columns[i]] - measure.points[p][i];
      square += apart * apart;
    }
    if (square < least) {
      least = square;
      best = static_cast<double>(p);
    }
  }
  return best;
}

double summary_number(const Lab& lab, const std::string& word, double end) {
  if (word == "steps") return static_cast<double>(lab.counts().steps);
  if (word == "simulated_seconds") return end;
  const EnergyRecord& energies = lab.energies();
  if (word == "constraint_error") return energies.constraint_error;
  const double scale = energies.scale(lab.weight_scale());
  return scale > 0.0 ? energies.largest_error / scale : energies.largest_error;
}

}  // namespace

void Meter::finish(double* out) {
  Instants& of = *instants_;
  std::fill_n(out, plan_.measures.size(), kNone);
  lab_.sample(end_, of.columns.front(), of.row.data());
  std::vector<double> rates;
  const std::vector<std::string> paths = derivative_paths(plan_);
  if (!paths.empty()) {
    rates.resize(paths.size() * of.row.size());
    lab_.derivatives(of.columns.front(), rates.data());
  }
  for (std::size_t i = 0; i < of.all.size(); ++i) {
    const Instants::One& one = of.all[i];
    const SweepMeasure& measure = plan_.measures[one.measure];
    if (measure.kind == SweepMeasure::Kind::nearest) {
      out[one.measure] = nearest_of(measure, of.row, one.columns);
    } else if (measure.kind == SweepMeasure::Kind::derivative) {
      const auto at = std::find(paths.begin(), paths.end(), measure.path) - paths.begin();
      out[one.measure] = rates[static_cast<std::size_t>(at) * of.row.size() + one.columns.front()];
    } else {
      out[one.measure] = measure.at ? of.found[i] : of.row[one.columns.front()];
    }
  }
  for (const auto& one : extremes_) {
    const std::string& what = plan_.measures[one->measure].what;
    out[one->measure] = what == "min"    ? one->low
                        : what == "max"  ? one->high
                        : what == "mean" ? one->integral / end_
                                         : one->high - one->low;
  }
  for (const auto& one : happenings_) {
    const std::vector<std::vector<double>>& rows = one->watch.rows(0);
    const bool happened = !rows.empty() && rows.front()[0] <= end_;
    if (plan_.measures[one->measure].what == "count") {
      out[one->measure] = static_cast<double>(std::count_if(
          rows.begin(), rows.end(), [&](const std::vector<double>& row) { return row[0] <= end_; }));
    } else if (happened) {
      out[one->measure] = rows.front().back();
    }
  }
  const IndicatorResult found = indicators_ ? indicators_->conclude() : IndicatorResult{};
  for (std::size_t m = 0; m < plan_.measures.size(); ++m) {
    const SweepMeasure& measure = plan_.measures[m];
    if (measure.kind == SweepMeasure::Kind::summary) out[m] = summary_number(lab_, measure.of, end_);
    for (const Indicator& one : found.indicators) {
      if (measure.kind == SweepMeasure::Kind::indicator && measure.of == one.name) out[m] = one.value;
    }
  }
}

}  // namespace catena
