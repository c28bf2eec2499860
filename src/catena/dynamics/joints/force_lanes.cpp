#include "catena/dynamics/joints/force_lanes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "catena/dynamics/joints/joint_rotation.h"
#include "catena/expr/derivative.h"
#include "catena/expr/kinks.h"

namespace catena {
namespace {

// A coordinate this close to a limit (m or rad) is at it: a step has just landed there, and where the motion
// goes decides on which side the series is.
constexpr double kTouching = 1e-14;

std::size_t pairs_of(const JointLane& lane) { return lane.body.size() / 2; }

// How many numbers a lane has before those.
std::size_t laws_numbers(const JointLane& lane) { return lane.numbers.size() - (pairs_of(lane) - 1); }

// With a number behind the others for the turns of each pair of frames but the first.
std::vector<JointLane> with_turns(std::vector<JointLane> lanes) {
  for (JointLane& lane : lanes) lane.numbers.resize(lane.numbers.size() + pairs_of(lane) - 1, 0.0);
  return lanes;
}

}  // namespace

std::vector<JointLane> with_growing_turns(std::vector<JointLane> lanes) {
  JointLane other = lanes.at(0);
  // Those of drives are angles nearby, from which their formulas read others; passive laws do not use the
  // first.
  for (std::size_t i = 0; i < std::min(pairs_of(other), laws_numbers(other)); ++i) other.numbers[i] += 1.0;
  for (std::size_t i = 1; i < pairs_of(other); ++i) other.numbers[other.numbers.size() - i] += 1.0;
  lanes.push_back(std::move(other));
  return lanes;
}

expr::Expression turns_of_pair(const JointSymbols& symbols, std::size_t pair) {
  const std::size_t pairs = symbols.sides.size() / 2;
  return symbols.numbers[symbols.numbers.size() - pairs + pair];
}

using expr::Expression;
using expr::Graph;
using expr::NodeId;

namespace {

Expression rate_of(const JointVariables& variables, const Expression& of, Graph& g) {
  return {&g, directional_derivatives(g, {of.node}, variables.whole_motion(g))[0]};
}

}  // namespace

JointLaw made_law(const JointVariables& variables, const LawMaker& law, Graph& g) {
  return law(variables.symbols(g), [&](const Expression& of) { return rate_of(variables, of, g); });
}

ForceNodes force_nodes(const JointVariables& variables, const JointLaw& law, Graph& g) {
  ForceNodes out{{law.loss.node, law.work.node}, {}};
  for (std::size_t motion = 0; motion < variables.moving() * kMotion; ++motion) {
    const std::vector<NodeId> seeds = variables.unit_motion(g, motion / kMotion, motion % kMotion);
    const NodeId arm = directional_derivatives(g, {law.coordinate.node}, seeds)[0];
    if (g.is_constant(arm, 0.0)) continue;
    out.pushes.push_back({motion, static_cast<int>(out.outputs.size())});
    out.outputs.push_back(g.multiply(arm, law.force.node));
  }
  return out;
}

ForceLanes::ForceLanes(const std::vector<bool>& moves, bool turns, const LawMaker& law,
                       std::vector<JointLane> lanes)
    : law_(law), lanes_(with_turns(std::move(lanes))), variables_(moves, lanes_.at(0).numbers.size(), true) {
  Graph g;
  const auto rate = [&](const Expression& of) { return rate_of(variables_, of, g); };
  const JointLaw made = made_law(variables_, law, g);
  ForceNodes nodes = force_nodes(variables_, made, g);
  // Drives do not use the numbers of passive laws: theirs are angles nearby.
  for (JointLane& lane : lanes_) {
    if (made.given) std::fill_n(lane.numbers.begin(), laws_numbers(lane), 0.0);
  }
  const std::vector<NodeId>& outputs = nodes.outputs;
  pushes_ = std::move(nodes.pushes);
  const std::vector<JointLane> growing = with_growing_turns(lanes_);
  Graph run;
  const std::vector<NodeId> run_outputs =
      with_quaternions(g, outputs, variables_, growing, Folding::all, run);
  series_.emplace_back(run, run_outputs, static_cast<int>(variables_.count()),
                       static_cast<int>(variables_.steady()), static_cast<int>(variables_.time()));
  if (made.given && expr::may_surprise(series_[0])) {
    sampled_.emplace_back(run, run_outputs, static_cast<int>(variables_.count()), count(),
                          static_cast<int>(variables_.time()));
    rows_.resize(variables_.count() * count());
  }
  std::vector<NodeId> looked_at{made.energy.node, made.coordinate.node, rate(made.coordinate).node};
  if (turns) counted_.push_back({kOwn, 0, 1});
  for (const NamedAngle& other : made.others) {
    counted_.push_back({other.joint, other.pair, looked_at.size()});
    looked_at.push_back(other.angle.node);
    looked_at.push_back(rate(other.angle).node);
  }
  if (!made.bends.empty()) {
    std::vector<NodeId> looks;
    for (const JointBend& bend : made.bends)
      looks.insert(looks.end(), {bend.beyond.node, bend.steepness.node});
    Graph bend_run;
    bends_.emplace_back(bend_run, with_quaternions(g, looks, variables_, growing, Folding::all, bend_run),
                        static_cast<int>(variables_.count()));
    bend_rows_.resize(looks.size() * count());
    reaches_.resize(made.bends.size() * count());
    rows_.resize(variables_.count() * count());
  }
  Graph exact_run;
  exact_.emplace_back(exact_run,
                      with_quaternions(g, looked_at, variables_, growing, Folding::exact, exact_run),
                      static_cast<int>(variables_.count()));
  inputs_.resize(variables_.count());
  outputs_.resize(looked_at.size());
  series_[0].treat_as_zero_below(kTouching);
  series_[0].reserve(count(), 1);
  refresh_steady();
}

void ForceLanes::refresh_steady() {
  expr::SeriesProgram& program = series_[0];
  const int first = static_cast<int>(variables_.count() - variables_.steady());
  const std::size_t stride = static_cast<std::size_t>(program.input(0, 1) - program.input(0, 0));
  for (std::size_t lane = 0; lane < count(); ++lane) {
    variables_.write_steady(lanes_[lane], program.input(0, first) + lane, stride);
  }
}

void ForceLanes::reserve(int order) {
  if (order <= series_[0].max_order()) return;
  series_[0].reserve(count(), order);
  refresh_steady();
}

double& ForceLanes::turns_of(JointLane& lane, const Counted& of) const {
  return of.joint == kOwn ? lane.turns[0] : lane.numbers[lane.numbers.size() - pairs_of(lane) + of.pair];
}

void ForceLanes::set_turns(const std::vector<double>& of_joints) {
  for (JointLane& lane : lanes_) {
    for (const Counted& of : counted_) {
      const int joint = of.joint == kOwn ? lane.joint : of.joint;
      if (joint >= 0) turns_of(lane, of) = of_joints[static_cast<std::size_t>(joint)];
    }
  }
  noted_.clear();
  refresh_steady();
}

// Two instants are kept, the last one first. What lies before it is followed from the other: a step that was
// tried and taken back may have led anywhere.
void ForceLanes::follow_turns(double t, std::size_t bodies, const double* hi, const double* lo, bool note) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  constexpr double kMost = 1e12;  // rad: more than that cannot be counted, and is no motion
  const std::size_t all = count() * counted_.size();
  const bool first = noted_.empty();
  if (first) noted_.resize(2 * all);
  const bool back = !first && t < noted_[0].t;
  bool changed = false;
  // Formulas of drives read an angle that is more than a quarter turn from zero from another one nearby.
  const auto read_from_nearby = [this](JointLane& lane, const Counted& of, double angle) {
    constexpr double kNearby = 3.0;
    if (sampled_.empty() || of.pair >= laws_numbers(lane)) return false;
    const double seen = angle - turns_of(lane, of);
    const double from = std::fabs(seen) <= 0.25 * kTurn ? 0.0 : std::copysign(kNearby, seen);
    return std::exchange(lane.numbers[of.pair], from) != from;
  };
  for (std::size_t lane = 0; lane < count(); ++lane) {
    variables_.write_exact(lanes_[lane], t, bodies, hi, lo, inputs_);
    exact_[0].evaluate(inputs_.data(), outputs_.data());
    for (std::size_t i = 0; i < counted_.size(); ++i) {
      const Counted& of = counted_[i];
      Instant now{t, static_cast<double>(outputs_[of.output]), static_cast<double>(outputs_[of.output + 1])};
      Instant& last = noted_[lane * counted_.size() + i];
      Instant& before = noted_[all + lane * counted_.size() + i];
      if (first) {
        last = before = now;
        changed = read_from_nearby(lanes_[lane], of, now.angle) || changed;
        continue;
      }
      const Instant& from = back ? before : last;
      const double expected = from.angle + 0.5 * (t - from.t) * (from.rate + now.rate);
      const double turned = kTurn * std::round((expected - now.angle) / kTurn);
      if (!(std::fabs(turned) < kMost)) continue;
      if (turned != 0.0) {
        double& turns = turns_of(lanes_[lane], of);
        turns = add_turns(turns, turned);
        now.angle += turned;
        changed = true;
      }
      changed = read_from_nearby(lanes_[lane], of, now.angle) || changed;
      if (!note) continue;
      if (!back && t > last.t) before = last;
      if (t < before.t) before = now;
      last = now;
    }
  }
  if (changed) refresh_steady();
}

void ForceLanes::advance(int k, double t, const BodyRows& places, const BodyRows& velocities) {
  expr::SeriesProgram& program = series_[0];
  for (std::size_t rank = 0; rank < variables_.moving(); ++rank) {
    for (std::size_t lane = 0; lane < count(); ++lane) {
      const int body = moving_body(lane, rank);
      for (std::size_t c = 0; c < kPlace; ++c) {
        program.input(k, static_cast<int>(variables_.place(rank) + c))[lane] = places(c, body);
      }
      for (std::size_t c = 0; c < kMotion; ++c) {
        program.input(k, static_cast<int>(variables_.motion(rank) + c))[lane] = velocities(c, body);
      }
    }
  }
  std::fill_n(program.input(k, static_cast<int>(variables_.time())), count(),
              k == 0   ? t
              : k == 1 ? 1.0
                       : 0.0);
  program.advance(k);
}

void ForceLanes::sample(int which, double t, const BodyRows& places, const BodyRows& velocities) {
  if (!looks_inside() && !looks_at_bends()) return;
  advance(0, t, places, velocities);
  for (std::size_t i = 0; i < variables_.count(); ++i) {
    std::copy_n(series_[0].input(0, static_cast<int>(i)), count(), rows_.data() + i * count());
  }
  if (looks_inside()) sampled_[0].note(which, rows_.data(), count());
  if (looks_at_bends()) sample_bends(which);
}

void ForceLanes::sample_bends(int which) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  bends_[0].evaluate(rows_.data(), count(), bend_rows_.data());
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    const std::size_t bend = i / count(), lane = i % count();
    Reach& reach = reaches_[i];
    double now = bend_rows_[2 * bend * count() + lane];
    const double steepness = bend_rows_[(2 * bend + 1) * count() + lane];
    if (which == 0) {
      reach = {now, now, now, steepness};
      continue;
    }
    if (turns()) now += kTurn * std::round((reach.last - now) / kTurn);
    reach = {std::min(reach.low, now), std::max(reach.high, now), now, std::max(reach.steepest, steepness)};
  }
}

// What acts on one side of the bend, over the step, must be little.
bool ForceLanes::bends(double t, double length) const {
  constexpr double kBeyondSamples = 0.25, kAtIt = 2e-15, kShortest = 1e-14;
  if (!looks_at_bends() || length <= kShortest * std::max(1.0, std::fabs(t))) return false;
  return std::any_of(reaches_.begin(), reaches_.end(), [&](const Reach& reach) {
    const double more = kBeyondSamples * (reach.high - reach.low);
    const double beyond = std::min(reach.high + more, more - reach.low);
    return beyond > kAtIt && reach.steepest * beyond * length > allowed_bend_;
  });
}

void ForceLanes::add_forces(int k, double* forces, std::size_t stride) const {
  for (const ForceNodes::Push& push : pushes_) {
    const double* from = series_[0].output(k, push.output);
    for (std::size_t lane = 0; lane < count(); ++lane) {
      const int body = moving_body(lane, push.motion / kMotion);
      forces[(push.motion % kMotion) * stride + static_cast<std::size_t>(body)] += from[lane];
    }
  }
}

double ForceLanes::sum_of(int k, int output) const {
  const double* from = series_[0].output(k, output);
  double sum = 0.0;
  for (std::size_t lane = 0; lane < count(); ++lane) sum += from[lane];
  return sum;
}

double ForceLanes::smooth_until(int order, double length) const {
  return first_break(series_[0], order, length, allowed_);
}

double ForceLanes::largest_rate(double t, std::size_t bodies, const double* hi, const double* lo) {
  double largest = 0.0;
  for (const JointLane& lane : lanes_) {
    variables_.write_exact(lane, t, bodies, hi, lo, inputs_);
    exact_[0].evaluate(inputs_.data(), outputs_.data());
    largest = std::max(largest, abs(outputs_[2]));
  }
  return largest;
}

DoubleDouble ForceLanes::energy(double t, std::size_t bodies, const double* hi, const double* lo) {
  DoubleDouble sum;
  for (const JointLane& lane : lanes_) {
    variables_.write_exact(lane, t, bodies, hi, lo, inputs_);
    exact_[0].evaluate(inputs_.data(), outputs_.data());
    sum += outputs_[0];
  }
  return sum;
}

}  // namespace catena
