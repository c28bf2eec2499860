#include "catena/threads/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

// What columns are computed from.
struct Shown {
  Recorded t;
  std::vector<Recorded> x, angles;
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

  Recorded value(const std::string& name, const Shown& shown,
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
  Recorded wrapped(const std::pair<std::size_t, std::size_t>& angle, const Shown& shown) const {
    const Own u = own(angle.first, angle.second, shown, false);
    return atan2_of(u[0], -u[1]);
  }

 private:
  using Own = std::array<Recorded, 3>;
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
  Own own(std::size_t c, std::size_t k, const Shown& shown, bool rates) const {
    const ChainUnit& chain = unit(c);
    const std::size_t n = chain.links(), d = chain.components();
    Own out{Recorded(0.0), Recorded(0.0), Recorded(0.0)};
    for (std::size_t i = 0; i < d; ++i) out[i] = shown.x[chain.offset + (rates ? d * n : 0) + i * n + k];
    return out;
  }
  // In the world.
  Recorded component(const ChainUnit& chain, const Own& v, std::size_t i) const {
    if (!chain.planar()) return v[i];
    return i == 2 ? v[1] : Recorded(v[0] * Recorded(i == 0 ? chain.plane.cosine : chain.plane.sine));
  }

  Recorded of_link(const Link& link, const Shown& shown) const {
    const ChainUnit& chain = unit(link.chain);
    if (link.stem == "theta_dot") {
      const Own u = own(link.chain, link.link, shown, false), w = own(link.chain, link.link, shown, true);
      return w[1] * u[0] - w[0] * u[1];
    }
    const bool rates = link.stem[0] == 'v';
    const auto axis = static_cast<std::size_t>(link.stem.back() - 'x');
    if (link.stem[0] == 'u') return component(chain, own(link.chain, link.link, shown, false), axis);
    Recorded at(rates ? 0.0 : chain.pivot[axis]);
    if (chain.elastic()) return at + component(chain, own(link.chain, link.link, shown, rates), axis);
    std::vector<std::size_t> way;  // from the pivot on
    for (int k = static_cast<int>(link.link); k >= 0; k = chain.parents()[static_cast<std::size_t>(k)])
      way.push_back(static_cast<std::size_t>(k));
    for (std::size_t i = way.size(); i-- > 0;) {
      const Own v = own(link.chain, way[i], shown, rates);
      at += Recorded(chain.lengths()[way[i]]) * component(chain, v, axis);
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

  Recorded value(const std::function<Recorded(const std::string&)>& column) const {
    const std::vector<char> reached = expr::reachable(graph_, {node_});
    std::vector<Recorded> values(graph_.size(), Recorded(0.0));
    for (expr::NodeId id = 0; id < graph_.size(); ++id) {
      if (!reached[id]) continue;
      const expr::Node& node = graph_[id];
      const auto of = [&](std::size_t i) {
        return node.operands[i] == expr::kNone ? Recorded(0.0) : values[node.operands[i]];
      };
      values[id] = node.op == expr::Op::variable ? column(names_[node.index]) : applied(node, of(0), of(1));
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

  static Recorded applied(const expr::Node& node, const Recorded& a, const Recorded& b) {
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
      case Op::power:
        return pow_of(a, b);
      default:
        return Recorded(node.value);
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
  const auto system = [&] { return lane_system<kRecorded>(world, {&numbers}); };
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
    motion.project(Recorded(like.t), in.data(), lo.data());
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
    return Shown{in[0], {in.begin() + 1, states}, {states, in.end()}};
  };
  program.angles_of = recorded([&] {
    const Shown in = shown();
    std::vector<Recorded> out;
    for (const auto& angle : program.angles) out.push_back(columns.wrapped(angle, in));
    return out;
  });
  program.events_of = recorded([&] {
    const Shown in = shown();
    std::vector<Recorded> out;
    for (const ThreadFormula& formula : asked.formulas) {
      out.push_back(
          formula.value([&](const std::string& name) { return columns.value(name, in, program.angles); }));
    }
    return out;
  });
  program.columns_of = recorded([&] {
    const Shown in = shown();
    std::vector<Recorded> out;
    for (const std::string& name : asked.columns) out.push_back(columns.value(name, in, program.angles));
    return out;
  });
}

}  // namespace

std::optional<ThreadProgram> thread_program(const Scene& scene, const SweepPlan& plan, std::string& why) try {
  // A few steps on, where nothing is zero by chance: decisions are those of a motion.
  Lab like(scene);
  if (const std::string reason = like.lanes_refusal(); !reason.empty()) refuse(reason);
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
    switches = switches || !group.series().switches().empty() || !group.shared_series().switches().empty();
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
  for (const RecordedFunction* one : {&series, &rhs, &project, &angles_of, &events_of, &columns_of})
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
  question("bool", "looks_inside", looks_inside ? "true" : "false");
  bool along = false, at_times = false;
  for (int i = 0; i < task.measures; ++i) {
    const Kind kind = task.measure[i].kind;
    at_times = at_times || kind == Kind::at;
    along =
        along || kind == Kind::smallest || kind == Kind::largest || kind == Kind::mean || kind == Kind::range;
  }
  question("bool", "looks_along", along ? "true" : "false");
  question("bool", "looks_at_times", at_times ? "true" : "false");
  out += kept.access;
  for (const auto& [name, function] :
       {std::pair{"series", &kept.function}, std::pair{"rhs", &rhs}, std::pair{"project", &project},
        std::pair{"angles_of", &angles_of}, std::pair{"events_of", &events_of},
        std::pair{"columns_of", &columns_of}})
    out += printed(*function, name);
  out += "};\n\n}  // namespace threads\n}  // namespace catena\n\n";
  out +=
      "#if defined(__CUDACC_RTC__)\n"
      "extern \"C\" __global__ void __launch_bounds__(128, 2)\n"
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
