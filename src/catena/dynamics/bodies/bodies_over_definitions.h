// What BodiesOver does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/dynamics/bodies/lane_equations.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/dynamics/joints/joint_programs.h"
#include "catena/expr/kinks.h"
#include "catena/expr/series_over.h"
#include "catena/expr/vector.h"
#include "catena/math/functions_digits.h"
#include "catena/math/number_tape.h"
#include "catena/math/vanishing.h"

namespace catena {
namespace bodies_parts {

// Corrections shrink by about 1e-16 from one to the next; near singular positions by less.
inline constexpr int kMostPasses = 6;

// Below this, relative to the whole, nothing is left to correct. Rates come with values that are where they
// should be, but for roundoff.
template <class S>
constexpr double finest() {
  return is_tangent<S> ? 0x1p-44 : std::is_same_v<S, DoubleDouble> ? 0x1p-104 : 0x1p-112;
}

template <class S>
double rounded(const S& value) {
  return to_pair(value).hi;
}

// A sum of products.
template <class S>
class PlainSum {
 public:
  void add(const S& a, const S& b) { sum_ = sum_ + a * b; }
  const S& value() const { return sum_; }

 private:
  S sum_{0.0};
};
template <class S>
class TangentSum {
 public:
  void add(const S& a, const S& b) { sum_.add(a, b); }
  S value() const { return sum_.times(1.0); }

 private:
  SumOfProducts<S> sum_;
};
template <class S>
using Sum = std::conditional_t<is_tangent<S>, TangentSum<S>, PlainSum<S>>;

// p' = p (0, omega) / 2: which products of p and omega each component is the sum of, with their signs.
struct TurnTerm {
  std::size_t p, omega;
  bool minus;
};
inline constexpr std::array<std::array<TurnTerm, 3>, 4> kTurn{
    {{{{1, 0, true}, {2, 1, true}, {3, 2, true}}},
     {{{0, 0, false}, {2, 2, false}, {3, 1, true}}},
     {{{0, 1, false}, {3, 0, false}, {1, 2, true}}},
     {{{0, 2, false}, {1, 1, false}, {2, 0, true}}}}};

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

// One joint or motor: its bodies, and series and values of its equations.
template <class S>
class JointOver {
 public:
  JointOver(const JointLane& lane, const JointLane& rest, const EquationMaker& equations, bool may_be_tree,
            NumberTape* tape)
      : may_be_tree_(may_be_tree),
        variables_(moving_sides(lane), lane.numbers.size(), false),
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

  void reserve(int order) {
    series_[0].reserve(1, order);
    steady_.write(series_[0], variables_);
  }
  // The turns of its pairs have changed.
  void refresh(const JointLane& lane, const JointLane& rest) {
    steady_.refresh(variables_, lane, rest);
    steady_.write(series_[0], variables_);
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
  const expr::SeriesOver<S>& series() const { return series_[0]; }

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
  JointVariables variables_, with_motions_;
  std::vector<int> bodies_;         // those that move, side by side
  std::vector<int> own_;            // each of them once,
  std::vector<std::size_t> where_;  // and where those of the sides are among them
  std::size_t rows_ = 0;
  std::vector<JacobianEntry> entries_, changing_;
  std::vector<int> drive_;  // output with c of each row, or -1
  // One each, made after the graphs; in lanes bodies measure their gaps themselves.
  std::vector<expr::SeriesOver<S>> series_, gaps_;
  SteadyInputs<S> steady_;
};

// One force in a joint, or between two points.
template <class S>
class ForceOver {
 public:
  ForceOver(const JointLane& lane, const JointLane& rest, const LawMaker& law, NumberTape* tape)
      : variables_(moving_sides(lane), lane.numbers.size(), true), bodies_(moving_bodies(variables_, lane)) {
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

  void reserve(int order) {
    series_[0].reserve(1, order);
    steady_.write(series_[0], variables_);
  }
  void refresh(const JointLane& lane, const JointLane& rest) {
    steady_.refresh(variables_, lane, rest);
    steady_.write(series_[0], variables_);
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
  const expr::SeriesOver<S>& series() const { return series_[0]; }

 private:
  // A coordinate this close to a limit (m or rad) is at it; see ForceLanes.
  static constexpr double kTouching = 1e-29, kTouchingInDoubles = 1e-13;

  JointVariables variables_;
  std::vector<int> bodies_;
  std::vector<ForceNodes::Push> pushes_;
  std::vector<expr::SeriesOver<S>> series_;  // one: made after the graph
  SteadyInputs<S> steady_;
};

inline std::vector<ConstraintBlock> blocks_of(const auto& joints) {
  std::vector<ConstraintBlock> out;
  for (const auto& joint : joints)
    out.push_back({static_cast<int>(joint.rows()), joint.bodies(), joint.may_be_tree()});
  return out;
}

}  // namespace bodies_parts

template <class S>
struct BodiesOver<S>::Parts {
  using JointOver = bodies_parts::JointOver<S>;
  using ForceOver = bodies_parts::ForceOver<S>;
  using Sum = bodies_parts::Sum<S>;
  std::size_t n = 0;  // bodies
  BodyLanes lanes;
  std::array<S, 3> gravity;
  std::vector<S> masses;
  std::vector<std::array<std::array<S, 3>, 3>> inertias;
  Multibody doubles;  // counts turns
  std::vector<JointOver> joints;
  std::vector<ForceOver> forces;
  // Where their lanes are among those of `doubles`: group and lane; and the turns they were made with.
  struct LaneAt {
    std::size_t group, lane;
    std::vector<double> turns;
  };
  std::vector<LaneAt> joint_places, force_places;
  // In lanes, each motion's own bodies: what is its own (turns, factors with their pivots and rank) is there.
  std::vector<Multibody*> bodies_of;
  std::vector<std::vector<std::vector<double>>> turns_of;  // [lane][force]: what its program has of them
  bool counts_turns = false;
  std::vector<LaneEquations<S>> equations;  // one, in lanes and of few bodies; none: bodies_of have them
  ConstraintFactor factor;
  MasslessMotions massless;

  // Series: [order][..]
  std::vector<S> momentum;             // I omega, [component][body]
  std::vector<S> multipliers;          // [row]
  std::vector<S> force, acceleration;  // [component][body]
  std::vector<S> right;
  std::vector<S> left, right_left;           // of the equations
  std::vector<S> series;                     // of the state
  std::vector<expr::SeriesOver<S>> torques;  // from the world's to the bodies' frames; made when first needed
  int reserved = 0;
  // The entries of J, of all joints: where their order 0 is, and which row and motion they are of.
  struct Entry {
    const S* gradient;
    std::size_t row, motion;
  };
  std::vector<Entry> entries;
  std::size_t entries_plans = 0;  // that they were noted with
  void note_entries();
  std::vector<double> y, rest, mu;
  std::vector<PackOfFour> rates_y, rates_rest, rates_mu;  // of four directions
  // Lanes of the state, and multipliers, that have not always been zero.
  std::vector<char> live, live_rows;
  std::vector<double> hi, lo;  // a state
  S time{};

  Parts(const Multibody& bodies, std::vector<JointOver> made, std::size_t rank, NumberTape* tape);
  void begin(const S& t, const S* x);
  void follow_turns(const S& t, const S* x, bool is_end);
  void factor_here();
  void hold_lanes(const S& t, const S* x);
  void begin_lanes(const S& t, const S* x);
  void solve_lanes(S* multiplier);
  void advance(int k, const BodyLoadsOver<S>& loads);
  void add_loads(int k, const BodyLoadsOver<S>& loads);
  void note_live(int k, const S* row);
  void advance_places(int k, S* c, std::size_t stride) const;
  void add_gyroscopic(int k, const S* c, std::size_t stride);
  void add_constraints(int k, const S* c, std::size_t stride);
  void solve(S* multiplier);
  void solve_rates(S* multiplier);
  void move_rates_back(S* x, bool rates);
  double correct(S* multiplier, int parts);
  double measure(const S& t, const S* x, bool rates);
  void take_gaps(bool rates, int part);
  void move_back(S* x, bool rates, int part);
  void normalise(S* x) const;
  S spin(std::size_t body, std::size_t i, const S* omega) const;
};

template <class S>
BodiesOver<S>::Parts::Parts(const Multibody& bodies, std::vector<JointOver> made, std::size_t rank,
                            NumberTape* tape)
    : n(bodies.bodies()),
      lanes(bodies.lanes()),
      doubles(bodies),
      joints(std::move(made)),
      factor(n, bodies_parts::blocks_of(joints)),
      massless(lanes.massless(), n, factor.rows()),
      force(kMotion * n),
      acceleration(kMotion * n),
      right(factor.rows()),
      y(kMotion * n),
      rest(factor.rows()),
      mu(factor.rows()),
      rates_y(kMotion * n),
      rates_rest(factor.rows()),
      rates_mu(factor.rows()),
      live(kBodyState * n, 0),
      live_rows(factor.rows(), 0),
      hi(kBodyState * n),
      lo(kBodyState * n) {
  factor.limit_rank(rank + bodies.slider_rows());
  for (std::size_t i = 0; i < 3; ++i) gravity[i] = number_as<S>(bodies.gravity()[i], tape);
  masses.resize(n);
  inertias.resize(n);
  const Mechanism& mechanism = bodies.mechanism();
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    const Body& body = mechanism.bodies[b];
    const int moving = bodies.moving_index(b);
    if (moving == kGround) continue;
    const auto at = static_cast<std::size_t>(moving);
    const auto number = [&](double value, double rest_of_it) {
      return takes_tape<S> ? number_as<S>(value, tape) : S(value) + S(rest_of_it);
    };
    masses[at] = number(lanes.mass(at), body.mass_rest);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        inertias[at][i][j] = number(lanes.inertia(at)[i][j], body.inertia_rest[i][j]);
    }
  }
}

// I omega, component i; omega: [component][body].
template <class S>
S BodiesOver<S>::Parts::spin(std::size_t body, std::size_t i, const S* omega) const {
  S sum(0.0);
  for (std::size_t j = 0; j < 3; ++j) sum = sum + inertias[body][i][j] * omega[j * n + body];
  return sum;
}

// J of order 0 is there: what is left of each order needs it in double alone.
template <class S>
void BodiesOver<S>::Parts::factor_here() {
  if constexpr (!is_lanes<S>) {
    factor.clear_gradients();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const JointOver& joint = joints[j];
      for (const JacobianEntry& entry : joint.entries()) {
        factor.gradient(j, entry.row, joint.where(entry))[entry.motion % kMotion] +=
            bodies_parts::rounded(joint.jacobian(0, entry));
      }
      for (std::size_t at = 0; at < joint.bodies().size(); ++at) {
        for (std::size_t row = 0; row < joint.rows(); ++row) {
          lanes.divide_by_root(static_cast<std::size_t>(joint.bodies()[at]),
                               factor.gradient(j, static_cast<int>(row), at));
        }
      }
    }
    factor.factor();
  }
}

// Turns are whole numbers: doubles count them.
template <class S>
void BodiesOver<S>::Parts::follow_turns(const S& t, const S* x, bool is_end) {
  if constexpr (!is_lanes<S>) {
    for (std::size_t i = 0; i < hi.size(); ++i) {
      const DoubleDouble pair = to_pair(x[i]);
      hi[i] = pair.hi;
      lo[i] = pair.lo;
    }
    doubles.follow_all_turns(bodies_parts::rounded(t), hi.data(), lo.data(), is_end);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      LaneAt& place = joint_places[i];
      const JointLane& lane = doubles.constraints()[place.group].lanes()[place.lane];
      if (bodies_parts::has_turns(lane, place.turns)) continue;
      joints[i].refresh(lane, bodies_parts::rest_of_joint(doubles, lane));
      bodies_parts::note_turns(lane, place.turns);
    }
    for (std::size_t i = 0; i < forces.size(); ++i) {
      LaneAt& place = force_places[i];
      const JointLane& lane = doubles.joint_forces()[place.group].lanes()[place.lane];
      if (bodies_parts::has_turns(lane, place.turns)) continue;
      const JointForce& law = doubles.mechanism().forces[doubles.forces_in(place.group)[place.lane]];
      forces[i].refresh(lane, bodies_parts::rest_of_force(doubles, lane, law));
      bodies_parts::note_turns(lane, place.turns);
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::begin(const S& t, const S* x) {
  time = t;
  if constexpr (is_lanes<S>) {
    hold_lanes(t, x);
    begin_lanes(t, x);
  } else {
    for (JointOver& joint : joints) joint.advance(0, t, x, n);
    factor_here();
    massless.factor(factor);
  }
}

// J at a state, and factored where that is done here; what is there already stays.
template <class S>
void BodiesOver<S>::Parts::hold_lanes(const S& t, const S* x) {
  if constexpr (is_lanes<S>) {
    if (!equations.empty() && equations[0].holds(t, x)) return;
    for (JointOver& joint : joints) joint.advance(0, t, x, n);
    if (equations.empty()) return;
    LaneEquations<S>& of = equations[0];
    of.hold(t, x);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      for (const JacobianEntry& entry : joints[j].entries()) {
        of.gradient(factor.first_row(j) + static_cast<std::size_t>(entry.row), joints[j].body_of(entry),
                    entry.motion % kMotion) += joints[j].jacobian(0, entry);
      }
    }
    of.factor();
  }
}

// Each motion's bodies follow its turns, and where there are many of them, factor their equations.
template <class S>
void BodiesOver<S>::Parts::begin_lanes(const S& t, const S* x) {
  if constexpr (is_lanes<S>) {
    for (int l = 0; l < S::kWidth; ++l) {
      if (!equations.empty() && !counts_turns) break;
      Multibody& of = *bodies_of[static_cast<std::size_t>(l)];
      for (std::size_t i = 0; i < hi.size(); ++i) hi[i] = x[i].lane(l);
      if (equations.empty()) {
        of.begin_orders(t.lane(l), hi.data());
      } else {
        of.follow_force_turns(t.lane(l), hi.data());
      }
      for (std::size_t i = 0; i < forces.size(); ++i) {
        const LaneAt& place = force_places[i];
        const JointLane& lane = of.joint_forces()[place.group].lanes()[place.lane];
        std::vector<double>& turns = turns_of[static_cast<std::size_t>(l)][i];
        if (!turns.empty() && bodies_parts::has_turns(lane, turns)) continue;
        forces[i].refresh_lane(lane, l);
        bodies_parts::note_turns(lane, turns);
      }
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::solve_lanes(S* multiplier) {
  if constexpr (is_lanes<S>) {
    if (!equations.empty())
      return equations[0].solve(right.data(), force.data(), acceleration.data(), multiplier);
    for (int l = 0; l < S::kWidth; ++l) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t c = 0; c < kMotion; ++c) y[kMotion * b + c] = force[c * n + b].lane(l);
      }
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = right[i].lane(l);
      bodies_of[static_cast<std::size_t>(l)]->solve_order(rest.data(), y.data(), mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t c = 0; c < kMotion; ++c) acceleration[c * n + b].set_lane(l, y[kMotion * b + c]);
      }
      for (std::size_t i = 0; i < mu.size(); ++i) multiplier[i].set_lane(l, mu[i]);
    }
  }
}

// Order k of the state, and multipliers of the order before, are there.
template <class S>
void BodiesOver<S>::Parts::note_live(int k, const S* row) {
  bool is_new = false;
  const auto note = [&](char& flag, const S& number) {
    if (flag || vanishes(number)) return;
    flag = 1;
    is_new = true;
  };
  for (std::size_t i = 0; i < live.size(); ++i) note(live[i], row[i]);
  for (std::size_t i = 0; k > 0 && i < live_rows.size(); ++i)
    note(live_rows[i], multipliers[static_cast<std::size_t>(k - 1) * live_rows.size() + i]);
  if (!is_new) return;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (const JacobianEntry& entry : joints[j].changing()) {
      const std::size_t lane = entry.motion % kMotion * n + joints[j].body_of(entry);
      if (live[kVelocity * n + lane] || live_rows[factor.first_row(j) + static_cast<std::size_t>(entry.row)])
        joints[j].want(entry);
    }
  }
}

// x' = v, p' = p (0, omega) / 2
template <class S>
void BodiesOver<S>::Parts::advance_places(int k, S* c, std::size_t stride) const {
  const Plain<S> next(k + 1.0), twice(2.0 * (k + 1.0));
  const auto row = [&](int order) { return c + static_cast<std::size_t>(order) * stride; };
  for (std::size_t b = 0; b < n; ++b) {
    S* out = row(k + 1) + b;
    for (std::size_t i = 0; i < 3; ++i) out[i * n] = row(k)[(kVelocity + i) * n + b] / next;
    for (std::size_t i = 0; i < 4; ++i) {
      S whole(0.0);
      for (const bodies_parts::TurnTerm& term : bodies_parts::kTurn[i]) {
        const std::size_t p = (kOrientation + term.p) * n + b, omega = (kRotation + term.omega) * n + b;
        if (!live[p] || !live[omega]) continue;
        Sum sum;
        for (int j = 0; j <= k; ++j) sum.add(row(j)[p], row(k - j)[omega]);
        whole = term.minus ? whole - sum.value() : whole + sum.value();
      }
      out[(kOrientation + i) * n] = whole / twice;
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::add_gyroscopic(int k, const S* c, std::size_t stride) {
  const auto omega = [&](int order) { return c + static_cast<std::size_t>(order) * stride + kRotation * n; };
  const auto spun = [&](int order) { return momentum.data() + static_cast<std::size_t>(order) * 3 * n; };
  const auto is_live = [&](std::size_t lane) { return live[kRotation * n + lane] != 0; };
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 3; ++i) spun(k)[i * n + b] = spin(b, i, omega(k));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t u = (i + 1) % 3 * n + b, v = (i + 2) % 3 * n + b;
      Sum along, against;
      for (int j = 0; j <= k && is_live(u); ++j) along.add(omega(j)[u], spun(k - j)[v]);
      for (int j = 0; j <= k && is_live(v); ++j) against.add(omega(j)[v], spun(k - j)[u]);
      force[(3 + i) * n + b] = force[(3 + i) * n + b] - (along.value() - against.value());
    }
  }
}

// The known parts of order k: (k + 1) times those of J v = 0 of order k + 1, and reactions of lower orders.
template <class S>
void BodiesOver<S>::Parts::add_constraints(int k, const S* c, std::size_t stride) {
  const auto row = [&](int order) { return c + static_cast<std::size_t>(order) * stride; };
  std::fill(right.begin(), right.end(), S(0.0));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointOver& joint = joints[j];
    joint.advance(k + 1, time, row(k + 1), n);
    const std::size_t first = factor.first_row(j);
    for (std::size_t i = 0; i < joint.rows(); ++i) {
      if (const S* rate = joint.prescribed(k + 1, i)) right[first + i] += *rate * Plain<S>(k + 1.0);
    }
    for (const JacobianEntry& entry : joint.changing()) {
      if (joint.is_resting(entry)) continue;
      const std::size_t at = first + static_cast<std::size_t>(entry.row);
      const std::size_t lane = entry.motion % kMotion * n + joint.body_of(entry);
      const S* gradient = &joint.jacobian(0, entry);
      const std::size_t step = joint.series().order_stride();
      const S* motion = row(k) + kVelocity * n + lane;
      const S* multiplier =
          multipliers.data() + at + static_cast<std::size_t>(std::max(k - 1, 0)) * factor.rows();
      // sum_{i=1..k+1} J_i v_{k+1-i} and sum_{i=1..k} J_i lambda_{k-i}: where both are, J is read once.
      Sum rate, push;
      if (live[kVelocity * n + lane] && live_rows[at]) {
        for (int i = 1; i <= k; ++i, motion -= stride, multiplier -= factor.rows()) {
          gradient += step;
          rate.add(*gradient, *motion);
          push.add(*gradient, *multiplier);
        }
        rate.add(gradient[step], *motion);
      } else if (live[kVelocity * n + lane]) {
        for (int i = 1; i <= k + 1; ++i, motion -= stride) rate.add(*(gradient += step), *motion);
      } else {
        for (int i = 1; i <= k && live_rows[at]; ++i, multiplier -= factor.rows())
          push.add(*(gradient += step), *multiplier);
      }
      right[at] = right[at] - rate.value() * Plain<S>(k + 1.0);
      force[lane] = force[lane] + push.value();
    }
  }
}

// One correction of acceleration and multipliers by the equations' rest,
//     f - M a + J^T lambda,   r - J a;
// gives its size over that of the whole.
template <class S>
double BodiesOver<S>::Parts::correct(S* multiplier, int parts) {
  if constexpr (is_lanes<S>) {
    return 0.0;
  } else {
    left = force;
    right_left = right;
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t i = 0; i < 3; ++i) {
        left[i * n + b] = left[i * n + b] - masses[b] * acceleration[i * n + b];
        left[(3 + i) * n + b] = left[(3 + i) * n + b] - spin(b, i, acceleration.data() + 3 * n);
      }
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::size_t first = factor.first_row(j);
      for (const JacobianEntry& entry : joints[j].entries()) {
        const std::size_t at = first + static_cast<std::size_t>(entry.row);
        const std::size_t lane = entry.motion % kMotion * n + joints[j].body_of(entry);
        const S& gradient = joints[j].jacobian(0, entry);
        left[lane] = left[lane] + gradient * multiplier[at];
        right_left[at] = right_left[at] - gradient * acceleration[lane];
      }
    }
    double change = 0.0, whole = 0.0;
    for (int part = 0; part < parts; ++part) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t c = 0; c < kMotion; ++c) y[kMotion * b + c] = part_of(left[c * n + b], part);
        lanes.divide_by_root(b, y.data() + kMotion * b);
      }
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = part_of(right_left[i], part);
      massless.solve(factor, rest.data(), y.data(), mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        lanes.divide_by_transposed_root(b, y.data() + kMotion * b);
        for (std::size_t c = 0; c < kMotion; ++c) {
          S& to = acceleration[c * n + b];
          add_part(to, part, y[kMotion * b + c]);
          change = std::max(change, std::fabs(y[kMotion * b + c]));
          whole = std::max(whole, std::fabs(bodies_parts::rounded(to)));
        }
      }
      for (std::size_t i = 0; i < mu.size(); ++i) add_part(multiplier[i], part, mu[i]);
    }
    return whole > 0.0 ? change / whole : 0.0;
  }
}

template <class S>
void BodiesOver<S>::Parts::note_entries() {
  std::size_t plans = 0;
  for (const JointOver& joint : joints) plans += joint.series().plans();
  if (plans == entries_plans) return;
  entries_plans = plans;
  entries.clear();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (const JacobianEntry& entry : joints[j].entries()) {
      entries.push_back({&joints[j].jacobian(0, entry),
                         factor.first_row(j) + static_cast<std::size_t>(entry.row),
                         kMotion * joints[j].body_of(entry) + entry.motion % kMotion});
    }
  }
}

// The value from the factored equations; rates from what is left of theirs with the value's solution in it,
// (A' stands for the rates of J and M)   A x' = b' - A' x:   once, and exactly.
template <class S>
void BodiesOver<S>::Parts::solve_rates(S* multiplier) {
  if constexpr (is_tangent<S>) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < kMotion; ++c) y[kMotion * b + c] = force[c * n + b].value();
      lanes.divide_by_root(b, y.data() + kMotion * b);
    }
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = right[i].value();
    massless.solve(factor, rest.data(), y.data(), mu.data());
    for (std::size_t b = 0; b < n; ++b) {
      lanes.divide_by_transposed_root(b, y.data() + kMotion * b);
      for (std::size_t c = 0; c < kMotion; ++c) acceleration[c * n + b] = S(y[kMotion * b + c]);
    }
    for (std::size_t i = 0; i < mu.size(); ++i) multiplier[i] = S(mu[i]);
    note_entries();
    for (int q = 0; q < S::kPacks; ++q) {
      for (std::size_t b = 0; b < n; ++b) {
        PackOfFour* left_of = rates_y.data() + kMotion * b;
        const double* a = y.data() + kMotion * b;
        for (std::size_t i = 0; i < 3; ++i) {
          left_of[i] = force[i * n + b].rates(q) - masses[b].rates(q) * a[i];
          left_of[3 + i] = force[(3 + i) * n + b].rates(q);
          for (std::size_t j = 0; j < 3; ++j) left_of[3 + i] -= inertias[b][i][j].rates(q) * a[3 + j];
        }
      }
      for (std::size_t i = 0; i < rest.size(); ++i) rates_rest[i] = right[i].rates(q);
      for (const Entry& entry : entries) {
        const PackOfFour gradient = entry.gradient->rates(q);
        rates_y[entry.motion] += gradient * mu[entry.row];
        rates_rest[entry.row] -= gradient * y[entry.motion];
      }
      for (std::size_t b = 0; b < n; ++b) lanes.divide_by_root(b, rates_y.data() + kMotion * b);
      massless.solve(factor, rates_rest.data(), rates_y.data(), rates_mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        lanes.divide_by_transposed_root(b, rates_y.data() + kMotion * b);
        for (std::size_t c = 0; c < kMotion; ++c) acceleration[c * n + b].rates(q) = rates_y[kMotion * b + c];
      }
      for (std::size_t i = 0; i < mu.size(); ++i) multiplier[i].rates(q) = rates_mu[i];
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::solve(S* multiplier) {
  if constexpr (is_lanes<S>) return solve_lanes(multiplier);
  if constexpr (is_tangent<S>) return solve_rates(multiplier);
  std::fill(acceleration.begin(), acceleration.end(), S(0.0));
  std::fill_n(multiplier, factor.rows(), S(0.0));
  // A correction of this size leaves its square.
  constexpr double kLast = std::is_same_v<S, DoubleDouble> ? 0x1p-52 : 0x1p-56;
  for (int pass = 0; pass < bodies_parts::kMostPasses; ++pass) {
    if (!(correct(multiplier, 1) > kLast)) break;
  }
}

// What acts from outside; torques are given in the world, and turn the bodies in their own frames.
template <class S>
void BodiesOver<S>::Parts::add_loads(int k, const BodyLoadsOver<S>& loads) {
  if (loads.forces == nullptr) return;
  for (std::size_t i = 0; i < 3 * n; ++i) force[i] += loads.forces[i];
  if (loads.torques == nullptr) return;
  if (torques.empty()) {
    expr::Graph g;
    const auto at = [&](std::uint32_t i) { return expr::variable(g, i); };
    const expr::Vector turned =
        expr::rotated(expr::Quaternion{at(0), -at(1), -at(2), -at(3)}, expr::Vector{at(4), at(5), at(6)});
    torques.emplace_back(g, std::vector<expr::NodeId>{turned.x.node, turned.y.node, turned.z.node}, 7);
    torques[0].reserve(n, reserved);
  }
  expr::SeriesOver<S>& program = torques[0];
  const S* row = series.data() + static_cast<std::size_t>(k) * kBodyState * n;
  for (std::size_t i = 0; i < 4; ++i)
    std::copy_n(row + (kOrientation + i) * n, n, program.input(k, static_cast<int>(i)));
  for (std::size_t i = 0; i < 3; ++i)
    std::copy_n(loads.torques + i * n, n, program.input(k, static_cast<int>(4 + i)));
  program.advance(k);
  for (std::size_t i = 0; i < 3; ++i) {
    const S* torque = program.output(k, static_cast<int>(i));
    for (std::size_t b = 0; b < n; ++b) force[(3 + i) * n + b] += torque[b];
  }
}

template <class S>
void BodiesOver<S>::Parts::advance(int k, const BodyLoadsOver<S>& loads) {
  const std::size_t stride = kBodyState * n;
  S* c = series.data();
  note_live(k, c + static_cast<std::size_t>(k) * stride);
  advance_places(k, c, stride);
  std::fill(force.begin(), force.end(), S(0.0));
  for (std::size_t i = 0; k == 0 && i < 3; ++i) {
    for (std::size_t b = 0; b < n; ++b) force[i * n + b] = masses[b] * gravity[i];
  }
  add_loads(k, loads);
  for (ForceOver& one : forces) one.add(k, time, c + static_cast<std::size_t>(k) * stride, n, force.data());
  add_gyroscopic(k, c, stride);
  add_constraints(k, c, stride);
  solve(multipliers.data() + static_cast<std::size_t>(k) * factor.rows());
  S* next = c + static_cast<std::size_t>(k + 1) * stride + kVelocity * n;
  for (std::size_t i = 0; i < kMotion * n; ++i) next[i] = acceleration[i] / Plain<S>(k + 1.0);
}

// C or dC/dt; the largest.
template <class S>
double BodiesOver<S>::Parts::measure(const S& t, const S* x, bool rates) {
  if constexpr (is_lanes<S>) {
    return 0.0;
  } else {
    double largest = 0.0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      joints[j].measure(t, x, n);
      for (std::size_t row = 0; row < joints[j].rows(); ++row)
        largest = std::max(largest, std::fabs(bodies_parts::rounded(joints[j].gap(row, rates))));
    }
    return largest;
  }
}

template <class S>
void BodiesOver<S>::Parts::take_gaps(bool rates, int part) {
  if constexpr (!is_lanes<S>) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      for (std::size_t row = 0; row < joints[j].rows(); ++row)
        rest[factor.first_row(j) + row] = -part_of(joints[j].gap(row, rates), part);
    }
  }
}

// By what closes the gaps of this part, with the least change.
template <class S>
void BodiesOver<S>::Parts::move_back(S* x, bool rates, int part) {
  if constexpr (!is_lanes<S>) {
    take_gaps(rates, part);
    std::fill(y.begin(), y.end(), 0.0);
    factor.solve(rest.data(), y.data(), mu.data());
    const auto change = [part](double by) {
      S out(0.0);
      add_part(out, part, by);
      return out;
    };
    for (std::size_t b = 0; b < n; ++b) {
      double* six = y.data() + kMotion * b;
      lanes.divide_by_transposed_root(b, six);
      const auto add = [&](std::size_t component, const S& by) {
        x[component * n + b] = x[component * n + b] + by;
      };
      if (rates) {
        for (std::size_t c = 0; c < kMotion; ++c) add(kVelocity + c, change(six[c]));
        continue;
      }
      for (std::size_t c = 0; c < 3; ++c) add(kPosition + c, change(six[c]));
      std::array<S, 4> p;
      for (std::size_t i = 0; i < 4; ++i) p[i] = x[(kOrientation + i) * n + b];
      const S ox = change(0.5 * six[3]), oy = change(0.5 * six[4]), oz = change(0.5 * six[5]);
      add(kOrientation, -(p[1] * ox + p[2] * oy + p[3] * oz));
      add(kOrientation + 1, p[0] * ox + p[2] * oz - p[3] * oy);
      add(kOrientation + 2, p[0] * oy + p[3] * ox - p[1] * oz);
      add(kOrientation + 3, p[0] * oz + p[1] * oy - p[2] * ox);
    }
  }
}

// What closes the gaps of the rates, in all directions.
template <class S>
void BodiesOver<S>::Parts::move_rates_back(S* x, bool rates) {
  if constexpr (is_tangent<S>) {
    for (int q = 0; q < S::kPacks; ++q) {
      for (std::size_t j = 0; j < joints.size(); ++j) {
        for (std::size_t row = 0; row < joints[j].rows(); ++row)
          rates_rest[factor.first_row(j) + row] = -joints[j].gap(row, rates).rates(q);
      }
      std::fill(rates_y.begin(), rates_y.end(), PackOfFour{});
      factor.solve(rates_rest.data(), rates_y.data(), rates_mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        PackOfFour* six = rates_y.data() + kMotion * b;
        lanes.divide_by_transposed_root(b, six);
        const auto add = [&](std::size_t component, const PackOfFour& by) {
          x[component * n + b].rates(q) += by;
        };
        for (std::size_t c = 0; c < kMotion && rates; ++c) add(kVelocity + c, six[c]);
        for (std::size_t c = 0; c < 3 && !rates; ++c) add(kPosition + c, six[c]);
        for (std::size_t i = 0; i < 4 && !rates; ++i) {
          for (const bodies_parts::TurnTerm& term : bodies_parts::kTurn[i]) {
            const double half = (term.minus ? -0.5 : 0.5) * x[(kOrientation + term.p) * n + b].value();
            add(kOrientation + i, half * six[3 + term.omega]);
          }
        }
      }
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::normalise(S* x) const {
  for (std::size_t b = 0; b < n; ++b) {
    S* p = x + kOrientation * n + b;
    S square(0.0);
    for (std::size_t i = 0; i < 4; ++i) square = square + p[i * n] * p[i * n];
    const S length = square_root(square);
    for (std::size_t i = 0; i < 4; ++i) p[i * n] = p[i * n] / length;
  }
}

template <class S>
BodiesOver<S>::BodiesOver(const Multibody& bodies, std::size_t rank, NumberTape* tape) {
  std::vector<bodies_parts::JointOver<S>> joints;
  std::vector<typename Parts::LaneAt> places;
  for (std::size_t g = 0; g < bodies.constraints().size(); ++g) {
    const EquationMaker equations = bodies.equations_of(g);
    const std::vector<JointLane>& lanes = bodies.constraints()[g].lanes();
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      joints.emplace_back(lanes[l], bodies_parts::rest_of_joint(bodies, lanes[l]), equations,
                          bodies.may_be_tree(static_cast<std::size_t>(lanes[l].joint)), tape);
      places.push_back({g, l, {}});
      bodies_parts::note_turns(lanes[l], places.back().turns);
    }
  }
  parts_ = std::make_unique<Parts>(bodies, std::move(joints), rank, tape);
  if constexpr (is_lanes<S>) {
    parts_->bodies_of.assign(static_cast<std::size_t>(S::kWidth), &parts_->doubles);
    parts_->turns_of.resize(static_cast<std::size_t>(S::kWidth));
    parts_->counts_turns = bodies.counts_turns();
    if (LaneEquations<S>::can_take(bodies))
      parts_->equations.emplace_back(
          bodies, parts_->factor.rows(), rank + bodies.slider_rows(),
          ConstraintFactor(parts_->n, bodies_parts::blocks_of(parts_->joints), FactorWay::tree_first)
              .tree_rows(),
          parts_->masses, parts_->inertias);
  }
  parts_->joint_places = std::move(places);
  for (std::size_t g = 0; g < bodies.joint_forces().size(); ++g) {
    const ForceLanes& group = bodies.joint_forces()[g];
    for (std::size_t l = 0; l < group.count(); ++l) {
      const JointForce& force = bodies.mechanism().forces[bodies.forces_in(g)[l]];
      parts_->forces.emplace_back(
          group.lanes()[l], bodies_parts::rest_of_force(bodies, group.lanes()[l], force), group.law(), tape);
      parts_->force_places.push_back({g, l, {}});
      bodies_parts::note_turns(group.lanes()[l], parts_->force_places.back().turns);
    }
  }
  for (auto& of_lane : parts_->turns_of) of_lane.resize(parts_->forces.size());
  reserve(1);
  if (tape == nullptr) return;
  for (const std::size_t word : {parts_->n, rank, parts_->factor.rows(), parts_->forces.size()})
    tape->shape(word);
  for (const auto& joint : parts_->joints) {
    for (const int body : joint.bodies()) tape->shape(static_cast<std::size_t>(body));
  }
}

template <class S>
void BodiesOver<S>::seat(int lane, Multibody* of) {
  parts_->bodies_of.at(static_cast<std::size_t>(lane)) = of == nullptr ? &parts_->doubles : of;
}

template <class S>
void BodiesOver<S>::project_lane(int lane, double t, const double* hi, double* lo) {
  if constexpr (is_lanes<S>) {
    Multibody& of = *parts_->bodies_of[static_cast<std::size_t>(lane)];
    if (parts_->equations.empty()) return of.project(t, hi, lo);
    of.project(t, hi, lo,
               [this, lane](const double* r, double* y) { parts_->equations[0].solve_lane(lane, r, y); });
  }
}

template <class S>
S BodiesOver<S>::margin(const S& t, const S* x) {
  S out(0.0);
  if constexpr (is_lanes<S>) {
    if (!parts_->equations.empty()) {
      parts_->hold_lanes(t, x);
      return parts_->equations[0].margin();
    }
    std::vector<double>& state = parts_->hi;
    for (int l = 0; l < S::kWidth; ++l) {
      for (std::size_t i = 0; i < state.size(); ++i) state[i] = x[i].lane(l);
      out.set_lane(l, parts_->bodies_of[static_cast<std::size_t>(l)]->margin(t.lane(l), state.data()));
    }
  }
  return out;
}

template <class S>
BodiesOver<S>::~BodiesOver() = default;

template <class S>
BodiesOver<S>::BodiesOver(BodiesOver&&) noexcept = default;

template <class S>
std::size_t BodiesOver<S>::bodies() const {
  return parts_->n;
}

template <class S>
void BodiesOver<S>::reserve(int order) {
  Parts& of = *parts_;
  if (order <= of.reserved) return;
  of.reserved = order;
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  of.series.resize(orders * kBodyState * of.n);
  of.momentum.resize(orders * 3 * of.n);
  of.multipliers.resize(orders * of.factor.rows());
  of.entries_plans = 0;  // they move
  for (auto& joint : of.joints) joint.reserve(order);
  for (auto& force : of.forces) force.reserve(order);
  for (expr::SeriesOver<S>& program : of.torques) program.reserve(of.n, order);
}

template <class S>
void BodiesOver<S>::begin(const S& t, const S* x) {
  std::copy_n(x, kBodyState * parts_->n, parts_->series.data());
  parts_->follow_turns(t, x, false);
  parts_->begin(t, x);
}

template <class S>
S BodiesOver<S>::loss(int n) const {
  S sum(0.0);
  for (const auto& force : parts_->forces) sum += force.loss(n);
  return sum;
}

// Of drives, and of motors: lambda . c.
template <class S>
S BodiesOver<S>::work(int n) const {
  S sum(0.0);
  for (const auto& force : parts_->forces) sum += force.work(n);
  const std::size_t rows = parts_->factor.rows();
  for (std::size_t j = 0; j < parts_->joints.size(); ++j) {
    const auto& joint = parts_->joints[j];
    const std::size_t first = parts_->factor.first_row(j);
    for (std::size_t i = 0; i < joint.rows(); ++i) {
      for (int k = 0; k <= n && joint.prescribed(0, i) != nullptr; ++k) {
        sum +=
            *joint.prescribed(k, i) * parts_->multipliers[static_cast<std::size_t>(n - k) * rows + first + i];
      }
    }
  }
  return sum;
}

template <class S>
S BodiesOver<S>::smooth_until(int order, const S& length) const {
  S until = length;
  for (const auto& force : parts_->forces) until = first_break(force.series(), order - 1, until, 0.0);
  for (const auto& joint : parts_->joints) until = first_break(joint.series(), order, until, 0.0);
  return until;
}

template <class S>
void BodiesOver<S>::advance(int n, const BodyLoadsOver<S>& loads) {
  parts_->advance(n, loads);
}

template <class S>
typename BodiesOver<S>::Rows BodiesOver<S>::rows(int n) const {
  return {parts_->series.data() + static_cast<std::size_t>(n) * kBodyState * parts_->n, parts_->n};
}

template <class S>
void BodiesOver<S>::write(int n, S* c) const {
  std::copy_n(rows(n).at, kBodyState * parts_->n, c);
}

template <class S>
void BodiesOver<S>::rhs(const S& t, const S* x, S* dx, const BodyLoadsOver<S>& loads) {
  begin(t, x);
  advance(0, loads);
  write(1, dx);
}

template <class S>
void BodiesOver<S>::project(const S& t, S* x) {
  if constexpr (!is_lanes<S>) {
    Parts& of = *parts_;
    of.normalise(x);
    of.follow_turns(t, x, true);
    of.begin(t, x);
    for (const bool rates : {false, true}) {
      for (int pass = 0;
           pass < bodies_parts::kMostPasses && of.measure(t, x, rates) > bodies_parts::finest<S>(); ++pass) {
        of.move_back(x, rates, 0);
        if (!rates) of.normalise(x);
      }
      if constexpr (is_tangent<S>) {
        of.measure(t, x, rates);
        of.move_rates_back(x, rates);
      }
    }
  }
}

// M dv = J^T lambda, J dv = - dC/dt: the equations of an acceleration, without forces.
template <class S>
void BodiesOver<S>::settle_velocities(const S& t, S* x) {
  if constexpr (!is_lanes<S>) {
    Parts& of = *parts_;
    of.follow_turns(t, x, true);
    of.begin(t, x);
    for (std::size_t j = 0; j < of.joints.size(); ++j) {
      of.joints[j].measure(t, x, of.n);
      for (std::size_t row = 0; row < of.joints[j].rows(); ++row)
        of.right[of.factor.first_row(j) + row] = -of.joints[j].gap(row, true);
    }
    std::fill(of.force.begin(), of.force.end(), S(0.0));
    std::fill(of.acceleration.begin(), of.acceleration.end(), S(0.0));
    std::fill_n(of.multipliers.data(), of.factor.rows(), S(0.0));
    // Masses may be far apart, and a pass then wins half of its digits.
    for (int pass = 0; pass < bodies_parts::kMostPasses; ++pass) of.correct(of.multipliers.data(), kParts<S>);
    for (std::size_t i = 0; i < kMotion * of.n; ++i) x[kVelocity * of.n + i] += of.acceleration[i];
  }
}

template <class S>
std::vector<S> BodiesOver<S>::prescribed_rates(const S& t, const S* x) {
  Parts& of = *parts_;
  of.begin(t, x);
  std::vector<S> out(of.factor.rows(), S(0.0));
  for (std::size_t j = 0; j < of.joints.size(); ++j) {
    for (std::size_t row = 0; row < of.joints[j].rows(); ++row) {
      if (const S* rate = of.joints[j].prescribed(0, row)) out[of.factor.first_row(j) + row] = *rate;
    }
  }
  return out;
}

template <class S>
S BodiesOver<S>::strike(const S& t, S* x, const std::vector<S>& rates_before) {
  settle_velocities(t, x);
  const std::vector<S> impulses(parts_->multipliers.data(),
                                parts_->multipliers.data() + parts_->factor.rows());
  const std::vector<S> rates_now = prescribed_rates(t, x);
  S work(0.0);
  for (std::size_t row = 0; row < impulses.size(); ++row)
    work += impulses[row] * S(0.5) * (rates_before[row] + rates_now[row]);
  return work;
}

}  // namespace catena
