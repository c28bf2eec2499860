#include "catena/dynamics/force_lanes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "catena/dynamics/joint_rotation.h"
#include "catena/dynamics/kinks.h"
#include "catena/expr/derivative.h"

namespace catena {
namespace {

// A coordinate this close to a limit (m or rad) is at it: a step has just landed there, and where the motion
// goes decides on which side the series is.
constexpr double kTouching = 1e-14;

}  // namespace

using expr::Expression;
using expr::Graph;
using expr::NodeId;

ForceLanes::ForceLanes(const std::vector<bool>& moves, bool turns, const LawMaker& law,
                       std::vector<JointLane> lanes)
    : lanes_(std::move(lanes)), variables_(moves, lanes_.at(0).numbers.size(), true), turns_(turns) {
  Graph g;
  const auto rate = [&](const Expression& of) -> Expression {
    return {&g, directional_derivatives(g, {of.node}, variables_.whole_motion(g))[0]};
  };
  const JointLaw made = law(variables_.symbols(g), rate);
  std::vector<NodeId> outputs{made.loss.node, made.work.node};
  loss_ = 0;
  work_ = 1;
  for (std::size_t motion = 0; motion < variables_.moving() * kMotion; ++motion) {
    const std::vector<NodeId> seeds = variables_.unit_motion(g, motion / kMotion, motion % kMotion);
    const NodeId arm = directional_derivatives(g, {made.coordinate.node}, seeds)[0];
    if (g.is_constant(arm, 0.0)) continue;
    pushes_.push_back({motion, static_cast<int>(outputs.size())});
    outputs.push_back(g.multiply(arm, made.force.node));
  }
  Graph run;
  series_.emplace_back(run, with_quaternions(g, outputs, variables_, lanes_, Folding::all, run),
                       static_cast<int>(variables_.count()), static_cast<int>(variables_.steady()));
  const std::vector<NodeId> looked_at{made.energy.node, made.coordinate.node, rate(made.coordinate).node};
  Graph exact_run;
  exact_.emplace_back(exact_run,
                      with_quaternions(g, looked_at, variables_, lanes_, Folding::exact, exact_run),
                      static_cast<int>(variables_.count()));
  inputs_.resize(variables_.count());
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

void ForceLanes::set_turns(const std::vector<double>& of_joints) {
  for (JointLane& lane : lanes_) {
    if (lane.joint >= 0) lane.turns[0] = of_joints[static_cast<std::size_t>(lane.joint)];
  }
  noted_.clear();
  refresh_steady();
}

void ForceLanes::follow_turns(double t, std::size_t bodies, const double* hi, const double* lo, bool note) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const bool first = noted_.empty();
  if (first) noted_.resize(count());
  bool changed = false;
  for (std::size_t lane = 0; lane < count(); ++lane) {
    variables_.write_exact(lanes_[lane], t, bodies, hi, lo, inputs_);
    DoubleDouble out[3];
    exact_[0].evaluate(inputs_.data(), out);
    Instant now{t, static_cast<double>(out[1]), static_cast<double>(out[2])};
    if (!first) {
      const double expected =
          noted_[lane].angle + 0.5 * (t - noted_[lane].t) * (noted_[lane].rate + now.rate);
      const double turned = kTurn * std::round((expected - now.angle) / kTurn);
      changed = changed || turned != 0.0;
      lanes_[lane].turns[0] += turned;
      now.angle += turned;
    }
    if (first || note) noted_[lane] = now;
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

void ForceLanes::add_forces(int k, double* forces, std::size_t stride) const {
  for (const Push& push : pushes_) {
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
  return first_kink(series_[0], order, length);
}

double ForceLanes::largest_rate(double t, std::size_t bodies, const double* hi, const double* lo) {
  double largest = 0.0;
  DoubleDouble out[3];
  for (const JointLane& lane : lanes_) {
    variables_.write_exact(lane, t, bodies, hi, lo, inputs_);
    exact_[0].evaluate(inputs_.data(), out);
    largest = std::max(largest, abs(out[2]));
  }
  return largest;
}

DoubleDouble ForceLanes::energy(double t, std::size_t bodies, const double* hi, const double* lo) {
  DoubleDouble sum, out[3];
  for (const JointLane& lane : lanes_) {
    variables_.write_exact(lane, t, bodies, hi, lo, inputs_);
    exact_[0].evaluate(inputs_.data(), out);
    sum += out[0];
  }
  return sum;
}

}  // namespace catena
