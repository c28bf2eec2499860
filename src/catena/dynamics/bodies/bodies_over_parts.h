// What BodiesOver is made of, and the equations of its orders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/dynamics/bodies/joint_over.h"
#include "catena/dynamics/bodies/lane_equations.h"
#include "catena/expr/series_over.h"
#include "catena/expr/vector.h"
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

}  // namespace catena
