#include "catena/threads/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/math/elementary.h"
#include "catena/math/recorded.h"
#include "catena/threads/asked.h"

namespace catena {
namespace {

using threads::Asked, threads::Bounded, threads::refuse, threads::Shown, threads::ThreadColumns,
    threads::ThreadFormula;

constexpr std::size_t kMostOperations = 60'000;

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

// What cases differ in beside their starts; empty: nothing.
struct Given {
  NumberTape tape;
  std::vector<double> all;  // of the world, then of columns

  Given(const World& world, bool in_starts_alone) : tape(lane_numbers(world)) {
    if (in_starts_alone) return;
    all = tape.values();
    const std::vector<double> columns = ThreadColumns::numbers(world);
    all.insert(all.end(), columns.begin(), columns.end());
  }
  // Behind all other inputs.
  void take() const {
    if (!all.empty()) Recorder::active()->take_numbers(all);
  }
  std::vector<Recorded> take_for_columns() const {
    take();
    std::vector<Recorded> out;
    for (const double one : all) out.push_back(Recorded::of_scene(one));
    if (!out.empty()) out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(tape.values().size()));
    return out;
  }
};

void record_motion(World& world, const State& like, const Given& given, ThreadProgram& program) {
  const NumberTape& numbers = given.tape;
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
    const std::vector<Recorded> in = inputs(now);
    given.take();
    const LaneSystem<kRecorded> motion = system();
    motion.reserve(order);
    AlignedVector<Recorded> c((static_cast<std::size_t>(order) + 1) * n, Recorded(0.0));
    motion.taylor(in[0], in.data() + 1, order, c.data());
    return std::vector<Recorded>(c.begin(), c.end());
  });
  program.rhs = recorded([&] {
    const std::vector<Recorded> in = inputs(now);
    given.take();
    const LaneSystem<kRecorded> motion = system();
    motion.reserve(order);
    std::vector<Recorded> out(n, Recorded(0.0));
    motion.rhs(in[0], in.data() + 1, out.data());
    return out;
  });
  if (!program.projects) return;
  program.project = recorded([&] {
    std::vector<double> both = like.hi;
    both.insert(both.end(), like.lo.begin(), like.lo.end());
    const std::vector<Recorded> in = inputs(both);
    given.take();
    const LaneSystem<kRecorded> motion = system();
    std::vector<Recorded> lo(in.begin() + static_cast<std::ptrdiff_t>(n), in.end());
    constexpr bool kAll[] = {true};
    motion.project(Recorded(like.t), in.data(), lo.data(), kAll);
    return lo;
  });
}

void record_measures(World& world, const State& like, const Asked& asked, const Given& given,
                     ThreadProgram& program) {
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
    return Shown<Recorded>{in[0], {in.begin() + 1, states}, {states, in.end()}, given.take_for_columns()};
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
                                  const Asked& asked, const Given& given, const ThreadProgram& program,
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
    const std::vector<Recorded> numbers = given.take_for_columns();
    // A step's end differs from its series by what tolerance and unit vectors leave.
    constexpr double kParts = 100.0;
    const Recorded off = scale * Recorded(kParts * program.rule.tolerance);
    Shown<Bounded> in{Bounded(std::vector<Recorded>{t, length}), {}, {}, {}};
    for (const Recorded& one : numbers) in.numbers.push_back(Bounded(std::vector<Recorded>{one}));
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

void record_margins(World& world, const State& like, const Asked& asked, const Given& given,
                    ThreadProgram& program) {
  if (asked.formulas.empty()) return;
  const ThreadColumns columns(world);
  std::vector<double> now{like.t};
  now.insert(now.end(), like.hi.begin(), like.hi.end());
  std::vector<std::size_t> all(program.states);
  std::iota(all.begin(), all.end(), std::size_t{0});
  // Most states do not matter to an event.
  const std::vector<char> used = used_inputs(recorded_margins(columns, now, asked, given, program, all));
  const std::size_t per_state = static_cast<std::size_t>(program.rule.order) + 1,
                    first = 3 + program.angles.size();
  for (std::size_t i = 0; i < program.states; ++i) {
    const auto begin = used.begin() + static_cast<std::ptrdiff_t>(first + i * per_state);
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(per_state), [](char one) { return one != 0; }))
      program.near_states.push_back(i);
  }
  program.near_of = recorded_margins(columns, now, asked, given, program, program.near_states);
}

// Those that were recorded.
std::vector<RecordedFunction*> functions_of(ThreadProgram& program) {
  std::vector<RecordedFunction*> out;
  for (RecordedFunction* one : {&program.series, &program.rhs, &program.project, &program.angles_of,
                                &program.events_of, &program.columns_of, &program.near_of}) {
    if (one->inputs > 0) out.push_back(one);
  }
  return out;
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

std::optional<ThreadProgram> thread_program(const Scene& scene, const SweepPlan& plan, std::string& why,
                                            bool in_starts_alone) try {
  // A few steps on, where nothing is zero by chance: decisions are those of a motion.
  Lab like(scene);
  if (const std::string reason = like.lanes_refusal(); !reason.empty()) refuse(reason);
  if (like.inside().world.mechanism() != nullptr) refuse("bodies and joints are not computed there");
  if (like.inside().world.has_pieces()) refuse("prescribed motions with kinks are not computed there");
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
  Asked asked;
  ask(like, plan, program, asked);
  const Given given(world, in_starts_alone);
  program.numbers = given.all.size();
  program.shape = given.tape.shape();
  record_motion(world, like.state(), given, program);
  record_measures(world, like.state(), asked, given, program);
  record_margins(world, like.state(), asked, given, program);
  if (program.numbers > 0) program.given_of = with_given(functions_of(program), program.numbers);
  if (program.operations() > kMostOperations)
    refuse(fmt::format("a step takes {} operations, more than the {} that a thread is given",
                       program.operations(), kMostOperations));
  return program;
} catch (const threads::Refusal& refusal) {
  why = refusal.why;
  return std::nullopt;
}

std::size_t ThreadProgram::operations() const {
  std::size_t out = 0;
  for (const RecordedFunction* one : {&series, &rhs, &project, &angles_of, &events_of, &columns_of, &near_of})
    out += one->nodes.size();
  return out;
}

bool ThreadProgram::write_start(Lab& lab, double* out) const {
  if (numbers > 0) {
    const NumberTape tape = lane_numbers(lab.inside().world);
    const std::vector<double> of_columns = threads::ThreadColumns::numbers(lab.inside().world);
    if (tape.shape() != shape || tape.values().size() + of_columns.size() != numbers) return false;
    double* const to = out + 2 * states + angles.size();
    std::copy(of_columns.begin(), of_columns.end(),
              std::copy(tape.values().begin(), tape.values().end(), to));
  }
  const State& state = lab.state();
  std::copy(state.hi.begin(), state.hi.end(), out);
  std::copy(state.lo.begin(), state.lo.end(), out + states);
  for (std::size_t a = 0; a < angles.size(); ++a)
    out[2 * states + a] = lab.row_angles()[angles[a].first].turns[angles[a].second];
  return true;
}

}  // namespace catena
