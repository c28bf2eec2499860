// One joint, or one force in a joint, over any number: its bodies, and series and values of its equations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/dynamics/joints/joint_programs.h"
#include "catena/expr/kinks.h"
#include "catena/expr/series_over.h"
#include "catena/math/functions_digits.h"
#include "catena/math/number_tape.h"

namespace catena::bodies_parts {

// What a double cannot hold of so many whole turns, in radians.
inline double turns_rest(double turns) {
  constexpr double kWholeTurn = 6.283185307179586;
  const DoubleDouble whole = DoubleDouble(2.0 * std::round(turns / kWholeTurn)) * digits::pi<DoubleDouble>();
  return static_cast<double>(whole - DoubleDouble(turns));
}

// What the doubles of a lane cannot hold, in the same places; but of its numbers.
inline JointLane rest_of(const Multibody& bodies, const JointLane& lane, const std::vector<int>& sides) {
  const Mechanism& mechanism = bodies.mechanism();
  JointLane out = lane;
  std::fill(out.numbers.begin(), out.numbers.end(), 0.0);
  for (double& turns : out.turns) turns = turns_rest(turns);
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const int body = sides[side];
    const JointFrame& frame = lane.frame[side];
    out.frame[side].point = frame.point_rest;
    out.frame[side].x = frame.x_rest;
    out.frame[side].y = frame.y_rest;
    out.frame[side].z = frame.z_rest;
    out.resting[side] = {};
    if (body == kGround) continue;
    const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
    std::copy(of.position_rest.begin(), of.position_rest.end(), out.resting[side].begin());
    std::copy(of.orientation_rest.begin(), of.orientation_rest.end(), out.resting[side].begin() + 3);
  }
  return out;
}

// The bodies, of the mechanism, that a joint's sides are.
inline std::vector<int> sides_of(const Mechanism& mechanism, const Joint& joint) {
  std::vector<int> sides;
  const auto add_sides = [&](const Joint& of) { sides.insert(sides.end(), {of.a, of.b}); };
  if (joint_info(joint.kind).is_tie()) {
    for (const int tied : {joint.first, joint.second})
      add_sides(mechanism.joints[static_cast<std::size_t>(tied)]);
  } else {
    add_sides(joint);
    if (joint.slider >= 0) sides.push_back(joint.slider);
  }
  return sides;
}

inline JointLane rest_of_joint(const Multibody& bodies, const JointLane& lane) {
  const Joint& joint = bodies.mechanism().joints[static_cast<std::size_t>(lane.joint)];
  JointLane out = rest_of(bodies, lane, sides_of(bodies.mechanism(), joint));
  if (!out.numbers.empty()) out.numbers[0] = joint.value_rest;
  return out;
}

inline JointLane rest_of_force(const Multibody& bodies, const JointLane& lane, const JointForce& force) {
  const Mechanism& mechanism = bodies.mechanism();
  std::vector<int> sides{force.a, force.b};
  if (!force.drive.empty() && lane.body.size() > 2) {
    for (const int other : joints_named_in(force, mechanism)) {
      const Joint& joint = mechanism.joints[static_cast<std::size_t>(other)];
      sides.insert(sides.end(), {joint.a, joint.b});
    }
  }
  JointLane out = rest_of(bodies, lane, sides);
  const std::vector<double> rests = law_number_rests(force);
  std::copy(rests.begin(), rests.end(), out.numbers.begin());
  for (std::size_t i = rests.size(); i < lane.numbers.size(); ++i)
    out.numbers[i] = turns_rest(lane.numbers[i]);
  return out;
}

// Whole turns that a lane counts, and its other numbers.
inline void note_turns(const JointLane& lane, std::vector<double>& turns) {
  turns.assign(lane.turns.begin(), lane.turns.end());
  turns.insert(turns.end(), lane.numbers.begin(), lane.numbers.end());
}
inline bool has_turns(const JointLane& lane, const std::vector<double>& turns) {
  const auto numbers = turns.begin() + static_cast<std::ptrdiff_t>(lane.turns.size());
  return std::equal(lane.turns.begin(), lane.turns.end(), turns.begin(), numbers) &&
         std::equal(lane.numbers.begin(), lane.numbers.end(), numbers, turns.end());
}

// The steady variables of a lane and what doubles cannot hold of them, into a program's inputs.
template <class S>
class SteadyInputs {
 public:
  void take(const JointVariables& variables, const JointLane& lane, const JointLane& rest, NumberTape* tape) {
    read(variables, lane, rest);
    numbers_.resize(hi_.size());
    for (std::size_t i = 0; i < hi_.size(); ++i)
      numbers_[i] = takes_tape<S> ? number_as<S>(hi_[i], tape) : S(hi_[i]) + S(lo_[i]);
  }
  // Of one motion of several.
  void refresh_lane(const JointVariables& variables, const JointLane& lane, int which) {
    variables.write_steady(lane, hi_.data(), 1);
    for (std::size_t i = 0; i < hi_.size(); ++i) numbers_[i].set_lane(which, hi_[i]);
  }
  // The turns of its pairs have changed, by whole ones: how numbers change with others has not.
  void refresh(const JointVariables& variables, const JointLane& lane, const JointLane& rest) {
    const std::vector<double> before = hi_;
    read(variables, lane, rest);
    for (std::size_t i = 0; i < hi_.size(); ++i) {
      if constexpr (is_tangent<S>) {
        add_part(numbers_[i], 0, hi_[i] - before[i]);
      } else {
        numbers_[i] = S(hi_[i]) + S(lo_[i]);
      }
    }
  }
  void write(expr::SeriesOver<S>& program, const JointVariables& variables) const {
    const std::size_t first = variables.count() - variables.steady();
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      *program.input(0, static_cast<int>(first + i)) = numbers_[i];
  }

 private:
  void read(const JointVariables& variables, const JointLane& lane, const JointLane& rest) {
    hi_.resize(variables.steady());
    lo_.resize(variables.steady());
    variables.write_steady(lane, hi_.data(), 1);
    variables.write_steady(rest, lo_.data(), 1);
  }

  std::vector<double> hi_, lo_;
  std::vector<S> numbers_;
};

template <class S>
void write_time(expr::SeriesOver<S>& program, const JointVariables& variables, int k, const S& t) {
  *program.input(k, static_cast<int>(variables.time())) = k == 0 ? t : S(k == 1 ? 1.0 : 0.0);
}

inline std::vector<int> moving_bodies(const JointVariables& variables, const JointLane& lane) {
  std::vector<int> out;
  for (const int side : variables.sides()) {
    const int body = lane.body[static_cast<std::size_t>(side)];
    if (body != kGround) out.push_back(body);
  }
  return out;
}

// A program of series whose steady inputs are a lane's own numbers.
template <class S>
class SteadySeries {
 public:
  explicit SteadySeries(JointVariables variables) : variables_(std::move(variables)) {}

  void reserve(int order) {
    series_[0].reserve(1, order);
    steady_.write(series_[0], variables_);
  }
  // The turns of its pairs have changed.
  void refresh(const JointLane& lane, const JointLane& rest) {
    steady_.refresh(variables_, lane, rest);
    steady_.write(series_[0], variables_);
  }
  const expr::SeriesOver<S>& series() const { return series_[0]; }

 protected:
  JointVariables variables_;
  std::vector<expr::SeriesOver<S>> series_;  // one: made after the graph
  SteadyInputs<S> steady_;
};

// One joint or motor: its bodies, and series and values of its equations.
template <class S>
class JointOver : public SteadySeries<S> {
  using Base = SteadySeries<S>;
  using Base::series_, Base::steady_, Base::variables_;

 public:
  using Base::reserve;
  JointOver(const JointLane& lane, const JointLane& rest, const EquationMaker& equations, bool may_be_tree,
            NumberTape* tape)
      : Base(JointVariables(moving_sides(lane), lane.numbers.size(), false)),
        may_be_tree_(may_be_tree),
        with_motions_(moving_sides(lane), lane.numbers.size(), true),
        bodies_(moving_bodies(variables_, lane)) {
    for (const int body : bodies_) {
      const auto at = std::find(own_.begin(), own_.end(), body);
      where_.push_back(static_cast<std::size_t>(at - own_.begin()));
      if (at == own_.end()) own_.push_back(body);
    }
    expr::Graph run, gaps_run;
    run.keep_decimals();
    gaps_run.keep_decimals();
    JacobianNodes jacobian = jacobian_nodes(variables_, equations, {lane}, Folding::exact, run);
    rows_ = static_cast<std::size_t>(jacobian.rows);
    entries_ = std::move(jacobian.entries);
    drive_ = std::move(jacobian.drive);
    const auto lowered = [](const expr::Graph& g, const std::vector<expr::NodeId>& outputs,
                            const JointVariables& variables, expr::Purpose purpose) {
      return lower(g, outputs, static_cast<int>(variables.count()), purpose);
    };
    const int steady = static_cast<int>(variables_.steady());
    series_.emplace_back(lowered(run, jacobian.outputs, variables_, expr::Purpose::series), tape, steady);
    series_[0].compute_on_demand();
    for (const int output : drive_) {
      if (output >= 0) series_[0].want(output);
    }
    for (const JacobianEntry& entry : entries_) {
      if (!series_[0].is_steady(entry.output)) changing_.push_back(entry);
    }
    if constexpr (is_lanes<S>) {
      series_[0].leave_out_zeros();
      for (const JacobianEntry& entry : entries_) {
        if (tape == nullptr) break;
        tape->shape(static_cast<std::size_t>(entry.row));
        tape->shape(entry.motion);
      }
    } else {
      const std::vector<expr::NodeId> gaps = gap_nodes(with_motions_, equations, {lane}, gaps_run);
      gaps_.emplace_back(lowered(gaps_run, gaps, with_motions_, expr::Purpose::series), tape, steady);
      gaps_[0].reserve(1, 0);
    }
    steady_.take(variables_, lane, rest, tape);
    reserve(1);
    if constexpr (!is_lanes<S>) steady_.write(gaps_[0], with_motions_);
  }

  std::size_t rows() const { return rows_; }
  bool may_be_tree() const { return may_be_tree_; }
  // Each once: a gear on an arm has the arm on two of its sides.
  const std::vector<int>& bodies() const { return own_; }
  std::size_t where(const JacobianEntry& entry) const { return where_[entry.motion / kMotion]; }
  const std::vector<JacobianEntry>& entries() const { return entries_; }
  // Those that change beyond order 0: computed there if asked for, and zero as long as nothing moves them.
  const std::vector<JacobianEntry>& changing() const { return changing_; }
  void want(const JacobianEntry& entry) { series_[0].want(entry.output); }
  bool is_resting(const JacobianEntry& entry) const { return series_[0].is_resting(entry.output); }
  std::size_t body_of(const JacobianEntry& entry) const {
    return static_cast<std::size_t>(bodies_[entry.motion / kMotion]);
  }

  void refresh(const JointLane& lane, const JointLane& rest) {
    Base::refresh(lane, rest);
    steady_.write(gaps_[0], with_motions_);
  }

  // Places of order k, [component][body]; then J of order k.
  void advance(int k, const S& t, const S* places, std::size_t count) {
    int input = 0;
    for (const int body : bodies_) {
      for (std::size_t c = 0; c < kPlace; ++c) {
        *series_[0].input(k, input++) = places[c * count + static_cast<std::size_t>(body)];
      }
    }
    write_time(series_[0], variables_, k, t);
    series_[0].advance(k);
  }
  const S& jacobian(int k, const JacobianEntry& entry) const { return *series_[0].output(k, entry.output); }
  // What is prescribed, c of order k; null: nothing is.
  const S* prescribed(int k, std::size_t row) const {
    return drive_[row] < 0 ? nullptr : series_[0].output(k, drive_[row]);
  }

  // C and then dC/dt, of a state.
  void measure(const S& t, const S* x, std::size_t count) {
    for (std::size_t rank = 0; rank < bodies_.size(); ++rank) {
      const S* of = x + bodies_[rank];
      for (std::size_t c = 0; c < kPlace; ++c) {
        *gaps_[0].input(0, static_cast<int>(with_motions_.place(rank) + c)) = of[c * count];
      }
      for (std::size_t c = 0; c < kMotion; ++c) {
        *gaps_[0].input(0, static_cast<int>(with_motions_.motion(rank) + c)) = of[(kVelocity + c) * count];
      }
    }
    write_time(gaps_[0], with_motions_, 0, t);
    gaps_[0].advance(0);
  }
  const S& gap(std::size_t row, bool rate) const {
    return *gaps_[0].output(0, static_cast<int>(row + (rate ? rows_ : 0)));
  }

 private:
  bool may_be_tree_;
  JointVariables with_motions_;
  std::vector<int> bodies_;         // those that move, side by side
  std::vector<int> own_;            // each of them once,
  std::vector<std::size_t> where_;  // and where those of the sides are among them
  std::size_t rows_ = 0;
  std::vector<JacobianEntry> entries_, changing_;
  std::vector<int> drive_;                 // output with c of each row, or -1
  std::vector<expr::SeriesOver<S>> gaps_;  // one, or none: in lanes bodies measure their gaps themselves
};

// One force in a joint, or between two points.
template <class S>
class ForceOver : public SteadySeries<S> {
  using Base = SteadySeries<S>;
  using Base::series_, Base::steady_, Base::variables_;

 public:
  using Base::reserve;
  ForceOver(const JointLane& lane, const JointLane& rest, const LawMaker& law, NumberTape* tape)
      : Base(JointVariables(moving_sides(lane), lane.numbers.size(), true)),
        bodies_(moving_bodies(variables_, lane)) {
    expr::Graph g, run;
    g.keep_decimals();
    run.keep_decimals();
    ForceNodes nodes = force_nodes(variables_, made_law(variables_, law, g), g);
    pushes_ = std::move(nodes.pushes);
    const std::vector<expr::NodeId> outputs =
        with_quaternions(g, nodes.outputs, variables_, with_growing_turns({lane}), Folding::exact, run);
    series_.emplace_back(lower(run, outputs, static_cast<int>(variables_.count()), expr::Purpose::series),
                         tape, static_cast<int>(variables_.steady()));
    series_[0].treat_as_zero_below(takes_tape<S> ? kTouchingInDoubles : kTouching);
    if constexpr (is_lanes<S>) series_[0].leave_out_zeros();
    for (const ForceNodes::Push& push : pushes_) {
      if (tape != nullptr) tape->shape(push.motion);
    }
    steady_.take(variables_, lane, rest, tape);
    reserve(1);
  }

  void refresh_lane(const JointLane& lane, int which) {
    steady_.refresh_lane(variables_, lane, which);
    steady_.write(series_[0], variables_);
  }

  // Order k from the bodies' states of that order, added to the forces [6][body].
  void add(int k, const S& t, const S* states, std::size_t count, S* forces) {
    for (std::size_t rank = 0; rank < bodies_.size(); ++rank) {
      const S* of = states + bodies_[rank];
      for (std::size_t c = 0; c < kPlace; ++c)
        *series_[0].input(k, static_cast<int>(variables_.place(rank) + c)) = of[c * count];
      for (std::size_t c = 0; c < kMotion; ++c)
        *series_[0].input(k, static_cast<int>(variables_.motion(rank) + c)) = of[(kVelocity + c) * count];
    }
    write_time(series_[0], variables_, k, t);
    series_[0].advance(k);
    for (const ForceNodes::Push& push : pushes_) {
      const int body = bodies_[push.motion / kMotion];
      forces[(push.motion % kMotion) * count + static_cast<std::size_t>(body)] +=
          *series_[0].output(k, push.output);
    }
  }
  const S& loss(int k) const { return *series_[0].output(k, ForceNodes::kLoss); }
  const S& work(int k) const { return *series_[0].output(k, ForceNodes::kWork); }

 private:
  // A coordinate this close to a limit (m or rad) is at it; see ForceLanes.
  static constexpr double kTouching = 1e-29, kTouchingInDoubles = 1e-13;

  std::vector<int> bodies_;
  std::vector<ForceNodes::Push> pushes_;
};

}  // namespace catena::bodies_parts
