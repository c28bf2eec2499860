#include "catena/dynamics/bodies/wide_multibody.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/dynamics/joints/joint_programs.h"
#include "catena/expr/wide_series.h"
#include "catena/math/decimal.h"
#include "catena/math/wide_packs.h"

namespace catena {
namespace {

// Corrections shrink by about 1e-16 from one to the next; near singular positions by less.
constexpr int kMostPasses = 6;

// Below this, relative to the whole, nothing is left to correct.
template <class S>
constexpr double finest() {
  return std::is_same_v<S, DoubleDouble> ? 0x1p-104 : 0x1p-112;
}

template <class S>
double rounded(const S& value) {
  return to_pair(value).hi;
}

// What the doubles of a lane cannot hold, in the same places.
JointLane rest_of(const Multibody& bodies, const JointLane& lane) {
  const Mechanism& mechanism = bodies.mechanism();
  const Joint& joint = mechanism.joints[static_cast<std::size_t>(lane.joint)];
  JointLane out = lane;
  std::fill(out.numbers.begin(), out.numbers.end(), 0.0);
  if (!out.numbers.empty()) out.numbers[0] = joint.value_rest;
  out.turns = {};
  std::vector<int> sides;
  const auto add_sides = [&](const Joint& of) { sides.insert(sides.end(), {of.a, of.b}); };
  if (joint_info(joint.kind).is_tie()) {
    for (const int tied : {joint.first, joint.second})
      add_sides(mechanism.joints[static_cast<std::size_t>(tied)]);
  } else {
    add_sides(joint);
    if (joint.slider >= 0) sides.push_back(joint.slider);
  }
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

// One joint: its bodies, and series and values of its equations.
template <class S>
class WideJoint {
 public:
  WideJoint(const JointLane& lane, const JointLane& rest, const Joint& joint, bool may_be_tree)
      : may_be_tree_(may_be_tree),
        variables_(moving_sides(lane), lane.numbers.size(), false),
        with_motions_(moving_sides(lane), lane.numbers.size(), true) {
    const auto equations = [&joint](const JointSymbols& symbols) { return joint_equations(joint, symbols); };
    expr::Graph run, gaps_run;
    JacobianNodes jacobian = jacobian_nodes(variables_, equations, {lane}, Folding::exact, run);
    rows_ = static_cast<std::size_t>(jacobian.rows);
    entries_ = std::move(jacobian.entries);
    for (const int side : variables_.sides()) {
      const int body = lane.body[static_cast<std::size_t>(side)];
      if (body != kGround) bodies_.push_back(body);
    }
    const auto lowered = [](const expr::Graph& g, const std::vector<expr::NodeId>& outputs,
                            const JointVariables& variables, expr::Purpose purpose) {
      return lower(g, outputs, static_cast<int>(variables.count()), purpose);
    };
    series_.emplace_back(lowered(run, jacobian.outputs, variables_, expr::Purpose::series));
    const std::vector<expr::NodeId> gaps = gap_nodes(with_motions_, equations, {lane}, gaps_run);
    gaps_.emplace_back(lowered(gaps_run, gaps, with_motions_, expr::Purpose::values));
    steady_.resize(variables_.steady());
    variables_.write_steady(lane, steady_.data(), 1);
    steady_rest_.resize(variables_.steady());
    variables_.write_steady(rest, steady_rest_.data(), 1);
    reserve(1);
    gaps_[0].reserve(1, 0);
    write_steady(gaps_[0], with_motions_);
  }

  std::size_t rows() const { return rows_; }
  bool may_be_tree() const { return may_be_tree_; }
  const std::vector<int>& bodies() const { return bodies_; }
  const std::vector<JacobianEntry>& entries() const { return entries_; }
  std::size_t body_of(const JacobianEntry& entry) const {
    return static_cast<std::size_t>(bodies_[entry.motion / kMotion]);
  }

  void reserve(int order) {
    series_[0].reserve(1, order);
    write_steady(series_[0], variables_);
  }

  // Places of order k, [component][body]; then J of order k.
  void advance(int k, const S* places, std::size_t count) {
    int input = 0;
    for (const int body : bodies_) {
      for (std::size_t c = 0; c < kPlace; ++c) {
        *series_[0].input(k, input++) = places[c * count + static_cast<std::size_t>(body)];
      }
    }
    series_[0].advance(k);
  }
  const S& jacobian(int k, const JacobianEntry& entry) const { return *series_[0].output(k, entry.output); }

  // C and then dC/dt, of a state.
  void measure(const S* x, std::size_t count) {
    for (std::size_t rank = 0; rank < bodies_.size(); ++rank) {
      const S* of = x + bodies_[rank];
      for (std::size_t c = 0; c < kPlace; ++c) {
        *gaps_[0].input(0, static_cast<int>(with_motions_.place(rank) + c)) = of[c * count];
      }
      for (std::size_t c = 0; c < kMotion; ++c) {
        *gaps_[0].input(0, static_cast<int>(with_motions_.motion(rank) + c)) = of[(kVelocity + c) * count];
      }
    }
    gaps_[0].advance(0);
  }
  const S& gap(std::size_t row, bool rate) const {
    return *gaps_[0].output(0, static_cast<int>(row + (rate ? rows_ : 0)));
  }

 private:
  void write_steady(expr::WideSeries<S>& program, const JointVariables& variables) {
    const std::size_t first = variables.count() - variables.steady();
    for (std::size_t i = 0; i < steady_.size(); ++i) {
      *program.input(0, static_cast<int>(first + i)) = S(steady_[i]) + S(steady_rest_[i]);
    }
  }

  bool may_be_tree_;
  JointVariables variables_, with_motions_;
  std::size_t rows_ = 0;
  std::vector<JacobianEntry> entries_;
  std::vector<int> bodies_;                         // those that move
  std::vector<expr::WideSeries<S>> series_, gaps_;  // one each: made after the graphs
  std::vector<double> steady_, steady_rest_;
};

}  // namespace

std::string wide_refusal(const Mechanism& mechanism) {
  if (!mechanism.forces.empty()) {
    return "cannot do springs, dampers, limits and drives of bodies: their laws are evaluated in double "
           "alone";
  }
  if (!mechanism.motors.empty()) return "cannot do motors: what they prescribe is evaluated in double alone";
  const auto turns = [](const Joint& joint) {
    return joint_info(joint.kind).is_tie() || joint_info(joint.kind).turning_pairs > 0;
  };
  if (std::any_of(mechanism.joints.begin(), mechanism.joints.end(), turns)) {
    return "cannot do gears, racks and screws, whose turns are counted in double";
  }
  return "";
}

template <class S>
struct WideMultibody<S>::Parts {
  std::size_t n = 0;  // bodies
  BodyLanes lanes;
  std::array<S, 3> gravity;
  std::vector<S> masses;
  std::vector<std::array<std::array<S, 3>, 3>> inertias;
  std::vector<WideJoint<S>> joints;
  ConstraintFactor factor;
  MasslessMotions massless;

  // Series: [order][..]
  std::vector<S> momentum;             // I omega, [component][body]
  std::vector<S> multipliers;          // [row]
  std::vector<S> force, acceleration;  // [component][body]
  std::vector<S> right;
  std::vector<S> scratch;  // two orders of the state
  std::vector<double> y, rest, mu;

  Parts(const Multibody& bodies, std::vector<WideJoint<S>> made, std::size_t rank);
  void begin(const S* x);
  void factor_here();
  void advance(int k, S* c, std::size_t stride);
  void advance_places(int k, S* c, std::size_t stride) const;
  void add_gyroscopic(int k, const S* c, std::size_t stride);
  void add_constraints(int k, const S* c, std::size_t stride);
  void solve(S* multiplier);
  double correct(S* multiplier);
  double measure(const S* x, bool rates);
  void normalise(S* x) const;
  S spin(std::size_t body, std::size_t i, const S* omega) const;
};

namespace {

std::vector<ConstraintBlock> blocks_of(const auto& joints) {
  std::vector<ConstraintBlock> out;
  for (const auto& joint : joints)
    out.push_back({static_cast<int>(joint.rows()), joint.bodies(), joint.may_be_tree()});
  return out;
}

}  // namespace

template <class S>
WideMultibody<S>::Parts::Parts(const Multibody& bodies, std::vector<WideJoint<S>> made, std::size_t rank)
    : n(bodies.bodies()),
      lanes(bodies.lanes()),
      joints(std::move(made)),
      factor(n, blocks_of(joints)),
      massless(lanes.massless(), n, factor.rows()),
      force(kMotion * n),
      acceleration(kMotion * n),
      right(factor.rows()),
      scratch(2 * kBodyState * n),
      y(kMotion * n),
      rest(factor.rows()),
      mu(factor.rows()) {
  factor.limit_rank(rank + bodies.slider_rows());
  for (std::size_t i = 0; i < 3; ++i) gravity[i] = decimal_as<S>(bodies.gravity()[i]);
  masses.resize(n);
  inertias.resize(n);
  const Mechanism& mechanism = bodies.mechanism();
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    const Body& body = mechanism.bodies[b];
    const int moving = bodies.moving_index(b);
    if (moving == kGround) continue;
    const auto at = static_cast<std::size_t>(moving);
    masses[at] = S(lanes.mass(at)) + S(body.mass_rest);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        inertias[at][i][j] = S(lanes.inertia(at)[i][j]) + S(body.inertia_rest[i][j]);
    }
  }
}

// I omega, component i; omega: [component][body].
template <class S>
S WideMultibody<S>::Parts::spin(std::size_t body, std::size_t i, const S* omega) const {
  S sum(0.0);
  for (std::size_t j = 0; j < 3; ++j) sum = sum + inertias[body][i][j] * omega[j * n + body];
  return sum;
}

// J of order 0 is there: what is left of each order needs it in double alone.
template <class S>
void WideMultibody<S>::Parts::factor_here() {
  factor.clear_gradients();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const WideJoint<S>& joint = joints[j];
    for (const JacobianEntry& entry : joint.entries()) {
      factor.gradient(j, entry.row, entry.motion / kMotion)[entry.motion % kMotion] +=
          rounded(joint.jacobian(0, entry));
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

template <class S>
void WideMultibody<S>::Parts::begin(const S* x) {
  for (WideJoint<S>& joint : joints) joint.advance(0, x, n);
  factor_here();
  massless.factor(factor);
}

// x' = v, p' = p (0, omega) / 2
template <class S>
void WideMultibody<S>::Parts::advance_places(int k, S* c, std::size_t stride) const {
  const S next(k + 1.0), twice(2.0 * (k + 1.0));
  const auto row = [&](int order) { return c + static_cast<std::size_t>(order) * stride; };
  for (std::size_t b = 0; b < n; ++b) {
    S* out = row(k + 1) + b;
    for (std::size_t i = 0; i < 3; ++i) out[i * n] = row(k)[(kVelocity + i) * n + b] / next;
    std::array<S, 4> sum{S(0.0), S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j <= k; ++j) {
      const S* p = row(j) + kOrientation * n + b;
      const S* o = row(k - j) + kRotation * n + b;
      sum[0] = sum[0] - (p[n] * o[0] + p[2 * n] * o[n] + p[3 * n] * o[2 * n]);
      sum[1] = sum[1] + (p[0] * o[0] + p[2 * n] * o[2 * n] - p[3 * n] * o[n]);
      sum[2] = sum[2] + (p[0] * o[n] + p[3 * n] * o[0] - p[n] * o[2 * n]);
      sum[3] = sum[3] + (p[0] * o[2 * n] + p[n] * o[n] - p[2 * n] * o[0]);
    }
    for (std::size_t i = 0; i < 4; ++i) out[(kOrientation + i) * n] = sum[i] / twice;
  }
}

template <class S>
void WideMultibody<S>::Parts::add_gyroscopic(int k, const S* c, std::size_t stride) {
  const auto omega = [&](int order) { return c + static_cast<std::size_t>(order) * stride + kRotation * n; };
  const auto spun = [&](int order) { return momentum.data() + static_cast<std::size_t>(order) * 3 * n; };
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 3; ++i) spun(k)[i * n + b] = spin(b, i, omega(k));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t u = (i + 1) % 3 * n + b, v = (i + 2) % 3 * n + b;
      S sum(0.0);
      for (int j = 0; j <= k; ++j) {
        sum = sum + (omega(j)[u] * spun(k - j)[v] - omega(j)[v] * spun(k - j)[u]);
      }
      force[(3 + i) * n + b] = force[(3 + i) * n + b] - sum;
    }
  }
}

// The known parts of order k: (k + 1) times those of J v = 0 of order k + 1, and reactions of lower orders.
template <class S>
void WideMultibody<S>::Parts::add_constraints(int k, const S* c, std::size_t stride) {
  const auto row = [&](int order) { return c + static_cast<std::size_t>(order) * stride; };
  std::fill(right.begin(), right.end(), S(0.0));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    WideJoint<S>& joint = joints[j];
    joint.advance(k + 1, row(k + 1), n);
    const std::size_t first = factor.first_row(j);
    for (const JacobianEntry& entry : joint.entries()) {
      const std::size_t at = first + static_cast<std::size_t>(entry.row);
      const std::size_t lane = entry.motion % kMotion * n + joint.body_of(entry);
      S rate(0.0), push(0.0);
      for (int i = 1; i <= k + 1; ++i) {
        const S& gradient = joint.jacobian(i, entry);
        rate = rate + gradient * row(k + 1 - i)[kVelocity * n + lane];
        if (i <= k)
          push = push + gradient * multipliers[static_cast<std::size_t>(k - i) * factor.rows() + at];
      }
      right[at] = right[at] - rate * S(k + 1.0);
      force[lane] = force[lane] + push;
    }
  }
}

// One correction of acceleration and multipliers by the equations' rest,
//     f - M a + J^T lambda,   r - J a;
// gives its size over that of the whole.
template <class S>
double WideMultibody<S>::Parts::correct(S* multiplier) {
  std::vector<S> left(force), right_left(right);
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
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t c = 0; c < kMotion; ++c) y[kMotion * b + c] = rounded(left[c * n + b]);
    lanes.divide_by_root(b, y.data() + kMotion * b);
  }
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rounded(right_left[i]);
  massless.solve(factor, rest.data(), y.data(), mu.data());
  double change = 0.0, whole = 0.0;
  for (std::size_t b = 0; b < n; ++b) {
    lanes.divide_by_transposed_root(b, y.data() + kMotion * b);
    for (std::size_t c = 0; c < kMotion; ++c) {
      S& to = acceleration[c * n + b];
      to = to + S(y[kMotion * b + c]);
      change = std::max(change, std::fabs(y[kMotion * b + c]));
      whole = std::max(whole, std::fabs(rounded(to)));
    }
  }
  for (std::size_t i = 0; i < mu.size(); ++i) multiplier[i] = multiplier[i] + S(mu[i]);
  return whole > 0.0 ? change / whole : 0.0;
}

template <class S>
void WideMultibody<S>::Parts::solve(S* multiplier) {
  std::fill(acceleration.begin(), acceleration.end(), S(0.0));
  std::fill_n(multiplier, factor.rows(), S(0.0));
  // A correction of this size leaves its square.
  constexpr double kLast = std::is_same_v<S, DoubleDouble> ? 0x1p-52 : 0x1p-56;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!(correct(multiplier) > kLast)) break;
  }
}

template <class S>
void WideMultibody<S>::Parts::advance(int k, S* c, std::size_t stride) {
  advance_places(k, c, stride);
  std::fill(force.begin(), force.end(), S(0.0));
  for (std::size_t i = 0; k == 0 && i < 3; ++i) {
    for (std::size_t b = 0; b < n; ++b) force[i * n + b] = masses[b] * gravity[i];
  }
  add_gyroscopic(k, c, stride);
  add_constraints(k, c, stride);
  solve(multipliers.data() + static_cast<std::size_t>(k) * factor.rows());
  S* next = c + static_cast<std::size_t>(k + 1) * stride + kVelocity * n;
  for (std::size_t i = 0; i < kMotion * n; ++i) next[i] = acceleration[i] / S(k + 1.0);
}

// C or dC/dt into rest, negated; the largest.
template <class S>
double WideMultibody<S>::Parts::measure(const S* x, bool rates) {
  double largest = 0.0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].measure(x, n);
    for (std::size_t row = 0; row < joints[j].rows(); ++row) {
      double& to = rest[factor.first_row(j) + row];
      to = -rounded(joints[j].gap(row, rates));
      largest = std::max(largest, std::fabs(to));
    }
  }
  return largest;
}

template <class S>
void WideMultibody<S>::Parts::normalise(S* x) const {
  for (std::size_t b = 0; b < n; ++b) {
    S* p = x + kOrientation * n + b;
    S square(0.0);
    for (std::size_t i = 0; i < 4; ++i) square = square + p[i * n] * p[i * n];
    const S length = square_root(square);
    for (std::size_t i = 0; i < 4; ++i) p[i * n] = p[i * n] / length;
  }
}

template <class S>
WideMultibody<S>::WideMultibody(const Multibody& bodies, std::size_t rank) {
  std::vector<WideJoint<S>> joints;
  const Mechanism& mechanism = bodies.mechanism();
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const JointLane lane = bodies.lane_of(i);
    const std::vector<bool> moves = moving_sides(lane);
    if (std::none_of(moves.begin(), moves.end(), [](bool one) { return one; })) continue;
    joints.emplace_back(lane, rest_of(bodies, lane), mechanism.joints[i], bodies.may_be_tree(i));
  }
  parts_ = std::make_unique<Parts>(bodies, std::move(joints), rank);
  reserve(1);
}

template <class S>
WideMultibody<S>::~WideMultibody() = default;

template <class S>
WideMultibody<S>::WideMultibody(WideMultibody&&) noexcept = default;

template <class S>
void WideMultibody<S>::reserve(int order) {
  Parts& of = *parts_;
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  if (of.momentum.size() >= orders * 3 * of.n && !of.momentum.empty()) return;
  of.momentum.resize(orders * 3 * of.n);
  of.multipliers.resize(orders * of.factor.rows());
  for (WideJoint<S>& joint : of.joints) joint.reserve(order);
}

template <class S>
void WideMultibody<S>::taylor(const S* x, int order, S* c, std::size_t stride) {
  std::copy_n(x, kBodyState * parts_->n, c);
  parts_->begin(x);
  for (int k = 0; k < order; ++k) parts_->advance(k, c, stride);
}

template <class S>
void WideMultibody<S>::rhs(const S* x, S* dx) {
  const std::size_t own = kBodyState * parts_->n;
  taylor(x, 1, parts_->scratch.data(), own);
  std::copy_n(parts_->scratch.data() + own, own, dx);
}

template <class S>
void WideMultibody<S>::project(S* x) {
  Parts& of = *parts_;
  const std::size_t n = of.n;
  of.normalise(x);
  of.begin(x);
  for (const bool rates : {false, true}) {
    for (int pass = 0; pass < kMostPasses && of.measure(x, rates) > finest<S>(); ++pass) {
      std::fill(of.y.begin(), of.y.end(), 0.0);
      of.factor.solve(of.rest.data(), of.y.data(), of.mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        double* six = of.y.data() + kMotion * b;
        of.lanes.divide_by_transposed_root(b, six);
        const auto add = [&](std::size_t component, const S& change) {
          x[component * n + b] = x[component * n + b] + change;
        };
        if (rates) {
          for (std::size_t c = 0; c < kMotion; ++c) add(kVelocity + c, S(six[c]));
          continue;
        }
        for (std::size_t c = 0; c < 3; ++c) add(kPosition + c, S(six[c]));
        std::array<S, 4> p;
        for (std::size_t i = 0; i < 4; ++i) p[i] = x[(kOrientation + i) * n + b];
        const S ox(0.5 * six[3]), oy(0.5 * six[4]), oz(0.5 * six[5]);
        add(kOrientation, -(p[1] * ox + p[2] * oy + p[3] * oz));
        add(kOrientation + 1, p[0] * ox + p[2] * oz - p[3] * oy);
        add(kOrientation + 2, p[0] * oy + p[3] * ox - p[1] * oz);
        add(kOrientation + 3, p[0] * oz + p[1] * oy - p[2] * ox);
      }
      if (!rates) of.normalise(x);
    }
  }
}

template class WideMultibody<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WideMultibody<Quad>;
#endif

}  // namespace catena
