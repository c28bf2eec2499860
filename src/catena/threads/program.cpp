#include "catena/threads/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/math/recorded.h"

namespace catena {
namespace {

using threads::Kind;

constexpr std::size_t kMostOperations = 60'000;

// Why threads cannot do it: caught where programs are made.
struct Refusal {
  std::string why;
};
[[noreturn]] void refuse(std::string why) { throw Refusal{std::move(why)}; }

// A number along a step: a polynomial of degree three in s, from 0 at its start to 1 at its end, and how far
// from it the number may be, at most. Sums and products of such are such again: roots are looked for only
// where a formula can have one.
class Bounded {
 public:
  Bounded(double value) : c_{Recorded(value)} {}  // NOLINT: as Recorded
  explicit Bounded(std::vector<Recorded> c) : c_(std::move(c)) {}
  Bounded(std::vector<Recorded> c, const Recorded& rest) : c_(std::move(c)), rest_(rest) {}

  // A state over a step of this length, of its series; where the step ends it is `off` from them, at most.
  static Bounded of_series(const Recorded* series, int order, const Recorded& length, const Recorded& off) {
    constexpr int kDegree = 3;
    Bounded out(std::vector<Recorded>{series[0]});
    Recorded power(1.0), rest(0.0);
    for (int k = 1; k <= std::min(order, kDegree); ++k) {
      power = k == 1 ? length : Recorded(power * length);
      out.c_.push_back(series[k] * power);
    }
    for (int k = order; k > kDegree; --k)
      rest = k == order ? size_of(series[k]) : Recorded(rest * length + size_of(series[k]));
    if (order > kDegree) rest = rest * Recorded(power * length);
    out.rest_ = off;
    if (order > kDegree) out.add_rest(rest);
    out.allow(kSlack);
    return out;
  }

  // Its integral from 0 to s.
  Bounded integral() const {
    Bounded out(0.0);
    out.rest_ = rest_;
    for (std::size_t k = 0; k < c_.size(); ++k)
      out.put(k + 1, c_[k] * Recorded(1.0 / static_cast<double>(k + 1)));
    return out;
  }
  // For roundings: that part of its size.
  static constexpr double kSlack = 0x1p-45;
  void allow(double part) { add_rest(size() * Recorded(part)); }

  // By how much it is away from zero, all along.
  Recorded margin() const {
    const auto c = [&](std::size_t k) { return k < c_.size() ? c_[k] : Recorded(0.0); };
    const Recorded third(1.0 / 3.0);
    std::vector<Recorded> at{c(0)};  // coefficients of Bernstein: it lies between them
    if (c_.size() > 1) {
      at.push_back(c(0) + c(1) * third);
      at.push_back(c(0) + (c(1) + c(1) + c(2)) * third);
      at.push_back(c(0) + (c(1) + c(2) + c(3)));
    }
    Recorded least = at[0], most = at[0];
    for (std::size_t i = 1; i < at.size(); ++i) {
      least = choose(at[i] < least, at[i], least);
      most = choose(most < at[i], at[i], most);
    }
    const Recorded away = choose(-most < least, least, -most);
    return rest_ ? Recorded(away - *rest_) : away;
  }

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    Bounded out = a;
    for (std::size_t k = 0; k < b.c_.size(); ++k) {
      if (k < out.c_.size()) {
        out.c_[k] += b.c_[k];
      } else {
        out.c_.push_back(b.c_[k]);
      }
    }
    if (b.rest_) out.add_rest(*b.rest_);
    return out;
  }
  friend Bounded operator-(const Bounded& a) {
    Bounded out = a;
    for (Recorded& one : out.c_) one = -one;
    return out;
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    Bounded out(std::vector<Recorded>{});
    for (std::size_t k = 0; k + 1 < a.c_.size() + b.c_.size(); ++k) {
      std::optional<Recorded> sum;
      for (std::size_t i = 0; i < a.c_.size(); ++i) {
        if (k < i || k - i >= b.c_.size()) continue;
        sum = sum ? Recorded(a.c_[i] * b.c_[k - i] + *sum) : Recorded(a.c_[i] * b.c_[k - i]);
      }
      out.put(k, *sum);
    }
    if (a.rest_) out.add_rest(*a.rest_ * b.size());
    if (b.rest_) out.add_rest(*b.rest_ * a.size());
    if (a.rest_ && b.rest_) out.add_rest(*a.rest_ * *b.rest_);
    return out;
  }
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    if (b.c_.size() > 1 || b.rest_) refuse("events divide by numbers alone");
    return a * Bounded(std::vector<Recorded>{Recorded(1.0) / b.c_[0]});
  }
  Bounded& operator+=(const Bounded& b) { return *this = *this + b; }

 private:
  static constexpr std::size_t kMost = 4;  // coefficients

  Recorded size() const {
    Recorded out = size_of(c_[0]);
    for (std::size_t k = 1; k < c_.size(); ++k) out += size_of(c_[k]);
    return out;
  }
  void add_rest(const Recorded& more) { rest_ = rest_ ? Recorded(*rest_ + more) : more; }
  void put(std::size_t k, const Recorded& value) {
    if (k >= kMost) return add_rest(size_of(value));
    if (k == c_.size()) c_.push_back(Recorded(0.0));
    c_[k] = value;
  }

  std::vector<Recorded> c_;
  std::optional<Recorded> rest_;  // none: nothing is left out
};

Recorded power_of(const Recorded& a, const Recorded& b, double) { return pow_of(a, b); }
Bounded power_of(const Bounded& a, const Bounded&, double exponent) {
  Bounded out(1.0);
  for (int i = 0; i < static_cast<int>(exponent); ++i) out = i == 0 ? a : out * a;
  return out;
}

// What columns are computed from.
template <class S>
struct Shown {
  S t;
  std::vector<S> x, angles;
};

// Columns of chains and equations over numbers of any kind that lanes have.
class ThreadColumns {
 public:
  explicit ThreadColumns(World& world) : world_(world) {}

  // The angle that is behind this column and counts its turns; none: there is none.
  std::optional<std::pair<std::size_t, std::size_t>> angle_of(const std::string& name) const {
    const auto found = link_of(name);
    if (!found || found->stem != "theta" || !unit(found->chain).planar()) return std::nullopt;
    return std::pair{found->chain, found->link};
  }

  bool knows(const std::string& name) const {
    return name == "t" || state_of(name) || link_of(name).has_value();
  }

  template <class S>
  S value(const std::string& name, const Shown<S>& shown,
          const std::vector<std::pair<std::size_t, std::size_t>>& angles) const {
    if (name == "t") return shown.t;
    if (const auto state = state_of(name)) return shown.x[*state];
    const auto found = link_of(name);
    if (!found) refuse(fmt::format("the column '{}' is not computed there", name));
    const std::pair<std::size_t, std::size_t> angle{found->chain, found->link};
    const auto at = std::find(angles.begin(), angles.end(), angle);
    if (found->stem == "theta" && at != angles.end())
      return shown.angles[static_cast<std::size_t>(at - angles.begin())];
    return of_link(*found, shown);
  }
  // Of a planar link, in (-pi, pi].
  Recorded wrapped(const std::pair<std::size_t, std::size_t>& angle, const Shown<Recorded>& shown) const {
    const Own<Recorded> u = own(angle.first, angle.second, shown, false);
    return atan2_of(u[0], -u[1]);
  }
  // How fast it grows.
  template <class S>
  S rate(const std::pair<std::size_t, std::size_t>& angle, const Shown<S>& shown) const {
    const Own<S> u = own(angle.first, angle.second, shown, false),
                 w = own(angle.first, angle.second, shown, true);
    return w[1] * u[0] - w[0] * u[1];
  }

 private:
  template <class S>
  using Own = std::array<S, 3>;
  struct Link {
    std::string stem;
    std::size_t chain, link;
  };

  const ChainUnit& unit(std::size_t chain) const { return world_.chains()[chain]; }

  std::optional<std::size_t> state_of(const std::string& name) const {
    if (world_.equations() == nullptr) return std::nullopt;
    const auto& states = world_.equations()->given().states;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].name == name) return i;
    }
    return std::nullopt;
  }

  std::optional<Link> link_of(const std::string& name) const {
    static const char* const kStems[] = {"x",  "y",  "z",     "vx", "vy",       "vz",
                                         "ux", "uy", "theta", "uz", "theta_dot"};
    for (std::size_t c = 0; c < world_.chains().size(); ++c) {
      const ChainUnit& chain = unit(c);
      if (chain.pivot_motion || chain.has_angles() || chain.bodies() != nullptr) continue;
      for (const std::string stem : kStems) {
        const std::string start = stem + (chain.name.empty() ? "" : "_" + chain.name) + "_";
        if (!name.starts_with(start)) continue;
        for (std::size_t k = 0; k < chain.links(); ++k) {
          if (name.substr(start.size()) != std::to_string(k + 1)) continue;
          const bool turns = stem == "theta_dot" || stem == "theta";
          if ((turns && !chain.planar()) || (chain.elastic() && (turns || stem[0] == 'u'))) continue;
          return Link{stem, c, k};
        }
      }
    }
    return std::nullopt;
  }

  // Of the state, in the chain's own space; planar: across, up, 0.
  template <class S>
  Own<S> own(std::size_t c, std::size_t k, const Shown<S>& shown, bool rates) const {
    const ChainUnit& chain = unit(c);
    const std::size_t n = chain.links(), d = chain.components();
    Own<S> out{S(0.0), S(0.0), S(0.0)};
    for (std::size_t i = 0; i < d; ++i) out[i] = shown.x[chain.offset + (rates ? d * n : 0) + i * n + k];
    return out;
  }
  // In the world.
  template <class S>
  S component(const ChainUnit& chain, const Own<S>& v, std::size_t i) const {
    if (!chain.planar()) return v[i];
    return i == 2 ? v[1] : S(v[0] * S(i == 0 ? chain.plane.cosine : chain.plane.sine));
  }

  template <class S>
  S of_link(const Link& link, const Shown<S>& shown) const {
    const ChainUnit& chain = unit(link.chain);
    if (link.stem == "theta_dot") return rate({link.chain, link.link}, shown);
    const bool rates = link.stem[0] == 'v';
    const auto axis = static_cast<std::size_t>(link.stem.back() - 'x');
    if (link.stem[0] == 'u') return component(chain, own(link.chain, link.link, shown, false), axis);
    S at(rates ? 0.0 : chain.pivot[axis]);
    if (chain.elastic()) return at + component(chain, own(link.chain, link.link, shown, rates), axis);
    std::vector<std::size_t> way;  // from the pivot on
    for (int k = static_cast<int>(link.link); k >= 0; k = chain.parents()[static_cast<std::size_t>(k)])
      way.push_back(static_cast<std::size_t>(k));
    for (std::size_t i = way.size(); i-- > 0;) {
      const Own<S> v = own(link.chain, way[i], shown, rates);
      at += S(chain.lengths()[way[i]]) * component(chain, v, axis);
    }
    return at;
  }

  World& world_;
};

// A formula of columns; smooth ones alone.
class ThreadFormula {
 public:
  ThreadFormula(const Lab& lab, const std::string& text) : names_(names_of(lab.columns({}))) {
    node_ = expr::parse(graph_, text, {names_, {}}).node;
    const std::vector<char> reached = expr::reachable(graph_, {node_});
    for (expr::NodeId id = 0; id < graph_.size(); ++id) {
      if (!reached[id]) continue;
      if (graph_[id].op == expr::Op::variable) used_.push_back(names_[graph_[id].index]);
    }
    // Threads look at a few moments of a step. That shows all roots of what is no rougher than the motion.
    if (degree(node_) > kMostDegree)
      refuse(fmt::format("'{}' may have roots that a few looks at a step do not show", text));
  }

  const std::vector<std::string>& used() const { return used_; }

  template <class S>
  S value(const std::function<S(const std::string&)>& column) const {
    const std::vector<char> reached = expr::reachable(graph_, {node_});
    std::vector<S> values(graph_.size(), S(0.0));
    for (expr::NodeId id = 0; id < graph_.size(); ++id) {
      if (!reached[id]) continue;
      const expr::Node& node = graph_[id];
      const auto of = [&](std::size_t i) {
        return node.operands[i] == expr::kNone ? S(0.0) : values[node.operands[i]];
      };
      if (node.op == expr::Op::power) {
        values[id] = power_of(of(0), of(1), graph_[node.operands[1]].value);
      } else {
        values[id] = node.op == expr::Op::variable ? column(names_[node.index]) : applied(node, of(0), of(1));
      }
    }
    return values[node_];
  }

 private:
  static constexpr double kMostDegree = 4.0;

  // As a polynomial of columns; infinite if it is none.
  double degree(expr::NodeId id) const {
    using expr::Op;
    const expr::Node& node = graph_[id];
    const auto of = [&](std::size_t i) { return degree(node.operands[i]); };
    const auto is_number = [&](std::size_t i) { return graph_[node.operands[i]].op == Op::constant; };
    constexpr double kNone = std::numeric_limits<double>::infinity();
    switch (node.op) {
      case Op::constant:
      case Op::parameter:
        return 0.0;
      case Op::variable:
        return 1.0;
      case Op::add:
      case Op::subtract:
        return std::max(of(0), of(1));
      case Op::multiply:
        return of(0) + of(1);
      case Op::divide:
        return of(1) == 0.0 ? of(0) : kNone;
      case Op::negate:
        return of(0);
      case Op::power: {
        const double exponent = is_number(1) ? graph_[node.operands[1]].value : -1.0;
        return exponent >= 0.0 && exponent == std::floor(exponent) ? exponent * of(0) : kNone;
      }
      default:
        return kNone;
    }
  }

  template <class S>
  static S applied(const expr::Node& node, const S& a, const S& b) {
    using expr::Op;
    switch (node.op) {
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      case Op::negate:
        return -a;
      default:
        return S(node.value);
    }
  }

  std::vector<std::string> names_, used_;
  expr::Graph graph_;
  expr::NodeId node_ = 0;
};

// What a plan measures, in the order of its measures.
struct Asked {
  std::vector<std::string> columns;
  std::vector<ThreadFormula> formulas;  // of events; those that end a case first
};

int direction_of(const std::string& word) { return word == "rising" ? 1 : word == "falling" ? -1 : 0; }

void ask(const Lab& lab, const SweepPlan& plan, ThreadProgram& program, Asked& asked) {
  using From = SweepMeasure::Kind;
  threads::Task& task = program.task;
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

// One function as it was recorded; `record` gives its outputs.
template <class F>
RecordedFunction recorded(const F& record) {
  Recorder recorder;
  for (const Recorded& output : record()) recorder.output(output.operand());
  if (!recorder.refusal().empty()) refuse(recorder.refusal());
  return recorder.take();
}

std::vector<Recorded> inputs(const std::vector<double>& like) {
  std::vector<Recorded> out;
  for (const double value : like) out.push_back(Recorded::input(value));
  return out;
}

void record_motion(World& world, const State& like, ThreadProgram& program) {
  const NumberTape numbers = lane_numbers(world);
  const int order = program.rule.order;
  std::vector<double> now{like.t};
  now.insert(now.end(), like.hi.begin(), like.hi.end());
  const auto system = [&] { return lane_worlds<kRecorded>(world, {&numbers}).system; };
  {
    const LaneSystem<kRecorded> motion = system();
    program.states = motion.dimension;
    program.controlled = motion.controlled == 0 ? motion.dimension : motion.controlled;
    program.reads_time = motion.reads_time;
    program.projects = static_cast<bool>(motion.project);
  }
  const std::size_t n = program.states;
  if (n > InterpretedProgram::kMostStates || order > InterpretedProgram::kMostOrder)
    refuse("the scene is larger than what a thread computes");
  program.series = recorded([&] {
    const LaneSystem<kRecorded> motion = system();
    motion.reserve(order);
    const std::vector<Recorded> in = inputs(now);
    AlignedVector<Recorded> c((static_cast<std::size_t>(order) + 1) * n, Recorded(0.0));
    motion.taylor(in[0], in.data() + 1, order, c.data());
    return std::vector<Recorded>(c.begin(), c.end());
  });
  program.rhs = recorded([&] {
    const LaneSystem<kRecorded> motion = system();
    motion.reserve(order);
    const std::vector<Recorded> in = inputs(now);
    std::vector<Recorded> out(n, Recorded(0.0));
    motion.rhs(in[0], in.data() + 1, out.data());
    return out;
  });
  if (!program.projects) return;
  program.project = recorded([&] {
    const LaneSystem<kRecorded> motion = system();
    std::vector<double> both = like.hi;
    both.insert(both.end(), like.lo.begin(), like.lo.end());
    const std::vector<Recorded> in = inputs(both);
    std::vector<Recorded> lo(in.begin() + static_cast<std::ptrdiff_t>(n), in.end());
    constexpr bool kAll[] = {true};
    motion.project(Recorded(like.t), in.data(), lo.data(), kAll);
    return lo;
  });
}

void record_measures(World& world, const State& like, const Asked& asked, ThreadProgram& program) {
  const ThreadColumns columns(world);
  const auto need = [&](const std::string& name) {
    if (!columns.knows(name)) refuse(fmt::format("the column '{}' is not computed there", name));
    const auto angle = columns.angle_of(name);
    if (angle && std::find(program.angles.begin(), program.angles.end(), *angle) == program.angles.end())
      program.angles.push_back(*angle);
  };
  for (const std::string& name : asked.columns) need(name);
  for (const ThreadFormula& formula : asked.formulas) {
    for (const std::string& name : formula.used()) need(name);
  }
  if (program.angles.size() > InterpretedProgram::kMostAngles)
    refuse("there are more angles than threads follow");
  std::vector<double> now{like.t};
  now.insert(now.end(), like.hi.begin(), like.hi.end());
  for (const auto& angle : program.angles) {
    static_cast<void>(angle);
    now.push_back(0.5);
  }
  const auto shown = [&] {
    const std::vector<Recorded> in = inputs(now);
    const auto states = in.begin() + 1 + static_cast<std::ptrdiff_t>(program.states);
    return Shown<Recorded>{in[0], {in.begin() + 1, states}, {states, in.end()}};
  };
  program.angles_of = recorded([&] {
    const Shown<Recorded> in = shown();
    std::vector<Recorded> out;
    for (const auto& angle : program.angles) out.push_back(columns.wrapped(angle, in));
    return out;
  });
  program.events_of = recorded([&] {
    const Shown<Recorded> in = shown();
    std::vector<Recorded> out;
    for (const ThreadFormula& formula : asked.formulas) {
      out.push_back(formula.value<Recorded>(
          [&](const std::string& name) { return columns.value(name, in, program.angles); }));
    }
    return out;
  });
  program.columns_of = recorded([&] {
    const Shown<Recorded> in = shown();
    std::vector<Recorded> out;
    for (const std::string& name : asked.columns) out.push_back(columns.value(name, in, program.angles));
    return out;
  });
}

// The inputs that it uses.
std::vector<char> used_inputs(const RecordedFunction& function) {
  std::vector<char> out(function.inputs, 0);
  const auto use = [&](Operand operand) {
    if (operand >= 0 && static_cast<std::size_t>(operand) < function.inputs)
      out[static_cast<std::size_t>(operand)] = 1;
  };
  for (std::size_t i = function.inputs; i < function.nodes.size(); ++i) {
    for (const Operand operand : {function.nodes[i].a, function.nodes[i].b, function.nodes[i].c})
      use(operand);
  }
  for (const Operand operand : function.outputs) use(operand);
  return out;
}

// Margins of events along a step, from the series of these states.
RecordedFunction recorded_margins(const ThreadColumns& columns, const std::vector<double>& like,
                                  const Asked& asked, const ThreadProgram& program,
                                  const std::vector<std::size_t>& states) {
  const int order = program.rule.order;
  return recorded([&] {
    constexpr double kLength = 0.1, kCoefficient = 0.3;
    const Recorded t = Recorded::input(like[0]), length = Recorded::input(kLength),
                   scale = Recorded::input(1.0);
    std::vector<Recorded> at_start;
    for (std::size_t a = 0; a < program.angles.size(); ++a) at_start.push_back(Recorded::input(0.5));
    std::vector<std::vector<Recorded>> series(states.size());
    for (std::size_t j = 0; j < states.size(); ++j) {
      for (int k = 0; k <= order; ++k)
        series[j].push_back(Recorded::input(k == 0 ? like[1 + states[j]] : kCoefficient));
    }
    // A step's end differs from its series by what tolerance and unit vectors leave.
    constexpr double kParts = 100.0;
    const Recorded off = scale * Recorded(kParts * program.rule.tolerance);
    Shown<Bounded> in{Bounded(std::vector<Recorded>{t, length}), {}, {}};
    in.t.allow(Bounded::kSlack);
    in.x.assign(program.states, Bounded(0.0));
    for (std::size_t j = 0; j < states.size(); ++j)
      in.x[states[j]] = Bounded::of_series(series[j].data(), order, length, off);
    for (std::size_t a = 0; a < program.angles.size(); ++a) {
      const Bounded turned =
          (columns.rate(program.angles[a], in) * Bounded(std::vector<Recorded>{length})).integral();
      Bounded start(std::vector<Recorded>{at_start[a]}, off);
      start.allow(Bounded::kSlack);
      in.angles.push_back(start + turned);
    }
    std::vector<Recorded> out;
    for (const ThreadFormula& formula : asked.formulas) {
      out.push_back(formula
                        .value<Bounded>(
                            [&](const std::string& name) { return columns.value(name, in, program.angles); })
                        .margin());
    }
    return out;
  });
}

void record_margins(World& world, const State& like, const Asked& asked, ThreadProgram& program) {
  if (asked.formulas.empty()) return;
  const ThreadColumns columns(world);
  std::vector<double> now{like.t};
  now.insert(now.end(), like.hi.begin(), like.hi.end());
  std::vector<std::size_t> all(program.states);
  std::iota(all.begin(), all.end(), std::size_t{0});
  // Most states do not matter to an event.
  const std::vector<char> used = used_inputs(recorded_margins(columns, now, asked, program, all));
  const std::size_t per_state = static_cast<std::size_t>(program.rule.order) + 1,
                    first = 3 + program.angles.size();
  for (std::size_t i = 0; i < program.states; ++i) {
    const auto begin = used.begin() + static_cast<std::ptrdiff_t>(first + i * per_state);
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(per_state), [](char one) { return one != 0; }))
      program.near_states.push_back(i);
  }
  program.near_of = recorded_margins(columns, now, asked, program, program.near_states);
}

// Whether distances, which have kinks where they vanish, are divided by and nothing else: of magnets and
// charges. There the law has a pole, which its series know from afar, so that no step comes near; elsewhere
// a kink has to be looked for.
bool has_poles_alone(const expr::SeriesProgram& series) {
  const expr::Lowered& lowered = series.lowered();
  for (const expr::Switch& one : lowered.switches) {
    if (one.op != expr::Op::norm) return false;
  }
  const auto is_distance = [&](int row) {
    return std::any_of(
        lowered.instructions.begin(), lowered.instructions.end(),
        [&](const expr::Instruction& in) { return in.code == expr::Code::norm && in.out == row; });
  };
  for (const expr::Instruction& in : lowered.instructions) {
    using expr::Code;
    const bool divides = in.code == Code::divide || in.code == Code::ratio;
    const bool is_pole = in.code == Code::over || (in.code == Code::power && in.value < 0.0);
    if (in.a != expr::kNoRow && is_distance(in.a) && !is_pole) return false;
    if (in.b != expr::kNoRow && is_distance(in.b) && !divides) return false;
    if (in.c != expr::kNoRow && is_distance(in.c)) return false;
  }
  return std::none_of(lowered.outputs.begin(), lowered.outputs.end(), is_distance);
}

}  // namespace

std::optional<ThreadProgram> thread_program(const Scene& scene, const SweepPlan& plan, std::string& why) try {
  // A few steps on, where nothing is zero by chance: decisions are those of a motion.
  Lab like(scene);
  if (const std::string reason = like.lanes_refusal(); !reason.empty()) refuse(reason);
  if (like.inside().world.mechanism() != nullptr) refuse("bodies and joints are not computed there");
  if (plan.energy) refuse("starts on an energy surface are found one after the other");
  like.use_lanes();
  constexpr int kSteps = 5;
  for (int i = 0; i < kSteps; ++i) {
    if (like.advance() != StepStatus::done) break;
  }
  ThreadProgram program;
  program.scene = std::make_shared<const Scene>(scene);
  World world(like.inside().world);
  const StepOptions& options = like.inside().options;
  program.rule = lane_rule(world, options);
  bool switches = world.has_switches();
  for (const LawGroup& group : world.forces().groups())
    switches = switches || !has_poles_alone(group.series()) || !has_poles_alone(group.shared_series());
  if (switches) refuse("laws with kinks and slack links are not computed there");
  if (world.looks_inside()) refuse("formulas that could act between looks at a step are bounded by labs");
  // Coefficients have to fall from one to the next, or a few looks do not show what a step does.
  constexpr double kMostRatio = 0.35;
  if (std::pow(program.rule.tolerance, 1.0 / program.rule.order) > kMostRatio)
    refuse("the order is high for the tolerance: steps are too long for a few looks at them");
  threads::Task& task = program.task;
  task.tolerance = program.rule.tolerance;
  task.log_tolerance_per_order =
      elementary::log2(program.rule.tolerance) / static_cast<double>(program.rule.order);
  task.first = options.step.value_or(0.0);
  task.longest = options.max_step.value_or(threads::kInfinite);
  task.duration = scene.simulation.duration;
  set_quadrature(task);
  Asked asked;
  ask(like, plan, program, asked);
  record_motion(world, like.state(), program);
  record_measures(world, like.state(), asked, program);
  record_margins(world, like.state(), asked, program);
  if (program.operations() > kMostOperations)
    refuse(fmt::format("a step takes {} operations, more than the {} that a thread is given",
                       program.operations(), kMostOperations));
  return program;
} catch (const Refusal& refusal) {
  why = refusal.why;
  return std::nullopt;
}

std::size_t ThreadProgram::operations() const {
  std::size_t out = 0;
  for (const RecordedFunction* one : {&series, &rhs, &project, &angles_of, &events_of, &columns_of, &near_of})
    out += one->nodes.size();
  return out;
}

namespace {

// What of a series has to be kept: a coefficient that is a number times another one, as those of velocities
// are, is computed where it is needed.
struct KeptSeries {
  RecordedFunction function;  // with those that are kept as outputs
  std::string access;         // the text of `coefficient`
};

KeptSeries kept_series(const RecordedFunction& series, std::size_t states) {
  KeptSeries out{series, ""};
  std::unordered_map<Operand, std::size_t> slots;
  const auto is_derived = [&](Operand operand) {
    if (operand < 0) return false;
    const RecordedNode& node = series.nodes[static_cast<std::size_t>(operand)];
    const auto is_output = [&](Operand one) {
      return one >= 0 && std::find(series.outputs.begin() + static_cast<std::ptrdiff_t>(states),
                                   series.outputs.end(), one) != series.outputs.end();
    };
    return node.op == RecordedOp::multiply && node.a < 0 && is_output(node.b);
  };
  out.function.outputs.clear();
  for (std::size_t i = states; i < series.outputs.size(); ++i) {
    const Operand operand = series.outputs[i];
    if (is_derived(operand) || slots.contains(operand)) continue;
    slots[operand] = out.function.outputs.size();
    out.function.outputs.push_back(operand);
  }
  out.access =
      "  static CATENA_INLINE double coefficient(const double* c, int k, int i) {\n    switch (k * kStates + "
      "i) {\n";
  for (std::size_t i = states; i < series.outputs.size(); ++i) {
    const Operand operand = series.outputs[i];
    const auto slot = slots.find(operand);
    if (slot != slots.end()) {
      out.access += fmt::format("      case {}: return c[{}];\n", i, slot->second);
      continue;
    }
    const RecordedNode& node = series.nodes[static_cast<std::size_t>(operand)];
    // Chains of such are followed by the other's own case.
    const auto other = std::find(series.outputs.begin() + static_cast<std::ptrdiff_t>(states),
                                 series.outputs.end(), node.b) -
                       series.outputs.begin();
    const double factor = series.constants[static_cast<std::size_t>(~node.a)];
    const auto kept = slots.find(node.b);
    out.access +=
        kept != slots.end()
            ? fmt::format("      case {}: return {:a} * c[{}];\n", i, factor, kept->second)
            : fmt::format("      case {}: return {:a} * coefficient(c, {}, {});\n", i, factor,
                          static_cast<std::size_t>(other) / states, static_cast<std::size_t>(other) % states);
  }
  out.access += "      default: return 0.0;\n    }\n  }\n";
  out.function.drop_unused();
  return out;
}

}  // namespace

std::string ThreadProgram::source() const {
  const KeptSeries kept = kept_series(series, states);
  const auto some = [](std::size_t count) { return std::max<std::size_t>(1, count); };
  std::string out = "#include \"catena/threads/frame.h\"\n\nnamespace catena {\nnamespace threads {\n\n";
  out += "struct Program {\n";
  const auto number = [&](const char* name, std::size_t value) {
    out += fmt::format("  static constexpr int {} = {};\n", name, value);
  };
  number("kStates", states);
  number("kControlled", controlled);
  number("kOrder", static_cast<std::size_t>(rule.order));
  number("kAngles", angles.size());
  number("kMostStates", states);
  number("kMostCoefficients", some(kept.function.outputs.size()));
  number("kMostInputs", 1 + states + angles.size());
  number("kMostAngles", some(angles.size()));
  number("kMostEvents", some(events));
  number("kMostColumns", some(columns));
  number("kMostKept", some(static_cast<std::size_t>(task.measures)));
  number("kNearStates", near_states.size());
  number("kMostNear", some(near_of.inputs));
  const auto truth = [&](const char* name, bool value) {
    out += fmt::format("  static constexpr bool {} = {};\n", name, value);
  };
  truth("kProjects", projects);
  truth("kReadsTime", reads_time);
  const auto question = [&](const char* type, const char* name, const std::string& value) {
    out += fmt::format("  static constexpr {} {}() {{ return {}; }}\n", type, name, value);
  };
  question("int", "states", std::to_string(states));
  question("int", "controlled", std::to_string(controlled));
  question("int", "order", std::to_string(rule.order));
  question("int", "angles", std::to_string(angles.size()));
  question("int", "events", std::to_string(events));
  question("int", "measures", std::to_string(task.measures));
  question("bool", "looks_along", looks_along ? "true" : "false");
  question("bool", "looks_at_times", looks_at_times ? "true" : "false");
  out += "  static CATENA_INLINE constexpr Kind kind(const Task&, int i) {\n    switch (i) {\n";
  for (int i = 0; i < task.measures; ++i)
    out += fmt::format("      case {}: return static_cast<Kind>({});\n", i,
                       static_cast<int>(task.measure[i].kind));
  out += "      default: return Kind::steps;\n    }\n  }\n";
  out += "  static CATENA_INLINE constexpr int near_state(int j) {\n    switch (j) {\n";
  for (std::size_t j = 0; j < near_states.size(); ++j)
    out += fmt::format("      case {}: return {};\n", j, near_states[j]);
  out += "      default: return 0;\n    }\n  }\n";
  out += kept.access;
  for (const auto& [name, function] :
       {std::pair{"series", &kept.function}, std::pair{"rhs", &rhs}, std::pair{"project", &project},
        std::pair{"angles_of", &angles_of}, std::pair{"events_of", &events_of},
        std::pair{"columns_of", &columns_of}, std::pair{"near_of", &near_of}})
    out += printed(*function, name);
  out += "};\n\n}  // namespace threads\n}  // namespace catena\n\n";
  out +=
      "#if defined(__CUDACC_RTC__)\n"
      "#if !defined(CATENA_BLOCK)\n"
      "#define CATENA_BLOCK 128\n"
      "#endif\n"
      "#if !defined(CATENA_BLOCKS)\n"
      "#define CATENA_BLOCKS 2\n"
      "#endif\n"
      "extern \"C\" __global__ void __launch_bounds__(CATENA_BLOCK, CATENA_BLOCKS)\n"
      "    catena_sweep(const catena::threads::Task task, const catena::threads::Cases cases) {\n"
      "  catena::threads::work<catena::threads::Program>(task, cases);\n"
      "}\n"
      "#else\n"
      "extern \"C\" void catena_sweep(const catena::threads::Task* task, const catena::threads::Cases* "
      "cases) {\n"
      "  catena::threads::work<catena::threads::Program>(*task, *cases);\n"
      "}\n"
      "#endif\n";
  return out;
}

void ThreadProgram::write_start(const Lab& lab, double* out) const {
  const State& state = lab.state();
  std::copy(state.hi.begin(), state.hi.end(), out);
  std::copy(state.lo.begin(), state.lo.end(), out + states);
  for (std::size_t a = 0; a < angles.size(); ++a)
    out[2 * states + a] = lab.row_angles()[angles[a].first].turns[angles[a].second];
}

}  // namespace catena
