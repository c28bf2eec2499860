#include "catena/dynamics/bodies/multibody.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "catena/dynamics/joints/joint_laws.h"
#include "catena/math/decimal.h"
#include "catena/math/pack.h"
#include "catena/model/forces.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

std::vector<Body> moving_bodies(const Mechanism& mechanism) {
  std::vector<Body> out;
  for (const Body& body : mechanism.bodies) {
    if (!body.fixed) out.push_back(body);
  }
  return out;
}

// How far the joints of each body that moves are from its centre; else its size; else a metre.
std::vector<double> reaches(const Mechanism& mechanism) {
  std::vector<double> all(mechanism.bodies.size(), 0.0);
  for (const Joint& joint : mechanism.joints) {
    for (const auto& [body, frame] : {std::pair(joint.a, &joint.in_a), std::pair(joint.b, &joint.in_b)}) {
      if (body == kGround) continue;
      const Vec3& p = frame->point;
      double& reach = all[static_cast<std::size_t>(body)];
      reach = std::max(reach, length(p));
    }
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    if (body.fixed) continue;
    const double size = *std::max_element(body.size.begin(), body.size.end());
    out.push_back(all[i] > 0.0 ? all[i] : size > 0.0 ? size : 1.0);
  }
  return out;
}

// By kind, curve, and which sides move.
using JointGroups = std::map<std::tuple<JointKind, Formulas, std::vector<bool>>, std::vector<JointLane>>;

// Joints on the ground run along with those between bodies where these leave lanes of a register empty.
void fill_registers(JointGroups& groups) {
  for (auto group = groups.begin(); group != groups.end();) {
    const auto& [key, lanes] = *group;
    const auto& [kind, curve, moves] = key;
    const auto larger = groups.find({kind, curve, std::vector<bool>(moves.size(), true)});
    const bool fits = larger != groups.end() && larger != group &&
                      rounded_up(larger->second.size() + lanes.size(), kNativeWidth) ==
                          rounded_up(larger->second.size(), kNativeWidth);
    if (fits) larger->second.insert(larger->second.end(), lanes.begin(), lanes.end());
    group = fits ? groups.erase(group) : std::next(group);
  }
}

// Rows of n numbers into rows of `stride`, which is less than a register more. Calls of memcpy would take
// longer than few bodies do.
void copy_rows(const double* from, std::size_t n, std::size_t rows, double* to, std::size_t stride) {
  constexpr std::size_t kWidth = kNativeWidth;
  const std::size_t whole = n / kWidth * kWidth, left = n - whole;
  for (std::size_t row = 0; row < rows; ++row, from += n, to += stride) {
    for (std::size_t b = 0; b < whole; b += kWidth) store<kNativeWidth>(to + b, load<kNativeWidth>(from + b));
    for (std::size_t i = 0; i < kWidth - 1; ++i) {
      if (i < left) to[whole + i] = from[whole + i];
    }
  }
}

}  // namespace

Multibody::Multibody(const Mechanism& mechanism, const Vec3& gravity, FactorWay way)
    : mechanism_(mechanism),
      gravity_(gravity),
      bodies_(moving_bodies(mechanism), reaches(mechanism)),
      factor_(bodies_.count(), blocks(), way),
      massless_(bodies_.massless(), bodies_.count(), factor_.rows()) {
  for (const double reach : reaches(mechanism)) {
    size_ = std::min(size_, reach);
    extent_ = std::max(extent_, reach);
  }
  y_.resize(6 * bodies());
  zeros_.resize(dimension());
  right_.resize(factor_.rows());
  rates_.resize(factor_.rows());
  multipliers_.resize(factor_.rows());
  for (std::size_t g = 0; g < groups_.size(); ++g) place_rows(g);
  force_.assign(6 * bodies_.stride(), 0.0);
  group_forces();
  if (way == FactorWay::fewest) make_recursion();
  reserve(1);
}

// Asked for a way to factor, bodies keep to it.
void Multibody::make_recursion() {
  if (!mechanism_.motors.empty() || factor_.is_sparse() || factor_.has_loops()) return;
  std::vector<TreeJoint> joints;
  for (const ConstraintLanes& group : groups_) {
    for (const JointLane& lane : group.lanes())
      joints.push_back({mechanism_.joints[static_cast<std::size_t>(lane.joint)].kind, lane});
  }
  recursion_ = TreeRecursion(bodies_, joints);
}

void Multibody::place_rows(std::size_t g) {
  ConstraintLanes& group = groups_[g];
  std::vector<std::size_t> rows;
  for (int row = 0; row < group.rows(); ++row) {
    for (std::size_t lane = 0; lane < group.count(); ++lane)
      rows.push_back(factor_.first_row(first_block_[g] + lane) + static_cast<std::size_t>(row));
  }
  group.place_rows(std::move(rows));
}

void Multibody::add_side(JointLane& lane, int body, const JointFrame& frame) const {
  const int moving = body == kGround ? kGround : moving_index_[static_cast<std::size_t>(body)];
  std::array<double, kPlace> resting{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  if (body != kGround) {
    const Body& of = mechanism_.bodies[static_cast<std::size_t>(body)];
    std::copy(of.position.begin(), of.position.end(), resting.begin());
    std::copy(of.orientation.begin(), of.orientation.end(), resting.begin() + 3);
  }
  lane.body.push_back(moving);
  lane.resting.push_back(resting);
  lane.frame.push_back(frame);
}

void Multibody::add_sides(JointLane& lane, const Joint& joint) const {
  add_side(lane, joint.a, joint.in_a);
  add_side(lane, joint.b, joint.in_b);
}

JointLane Multibody::lane_of(std::size_t index) const {
  const Joint& joint = mechanism_.joints[index];
  JointLane lane;
  lane.joint = static_cast<int>(index);
  lane.numbers = joint_numbers(joint);
  if (!joint_info(joint.kind).is_tie()) {
    add_sides(lane, joint);
    if (joint.slider >= 0) add_side(lane, joint.slider, {});
  } else {
    add_sides(lane, mechanism_.joints[static_cast<std::size_t>(joint.first)]);
    add_sides(lane, mechanism_.joints[static_cast<std::size_t>(joint.second)]);
  }
  return lane;
}

bool Multibody::may_be_tree(std::size_t index) const {
  const Joint& joint = mechanism_.joints[index];
  return !joint_info(joint.kind).is_tie() && joint.slider < 0;
}

// Joints of one kind whose sides move alike share a group.
void Multibody::group_joints() {
  int moving = 0;
  for (const Body& body : mechanism_.bodies) moving_index_.push_back(body.fixed ? kGround : moving++);
  JointGroups found;
  for (std::size_t i = 0; i < mechanism_.joints.size(); ++i) {
    const Joint& joint = mechanism_.joints[i];
    slider_rows_ += joint.slider >= 0 ? 3 : 0;
    const JointLane lane = lane_of(i);
    const std::vector<bool> moves = moving_sides(lane);
    if (std::none_of(moves.begin(), moves.end(), [](bool one) { return one; })) continue;
    found[{joint.kind, joint.curve, moves}].push_back(lane);
  }
  fill_registers(found);
  for (auto& [key, lanes] : found) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(lanes[0].joint)];
    const auto equations = [&joint](const JointSymbols& symbols) { return joint_equations(joint, symbols); };
    std::string called = fmt::format("joint {}", static_cast<int>(joint.kind));
    for (const std::string& formula : joint.curve) called += '|' + formula;
    groups_.emplace_back(std::get<2>(key), equations, std::move(lanes), called);
  }
  add_motors();
}

void Multibody::add_motors() {
  for (const JointMotor& motor : mechanism_.motors) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(motor.joint)];
    JointLane lane;
    lane.joint = motor.joint;
    add_sides(lane, joint);
    motors_.push_back(groups_.size());
    motions_.push_back(sampled_motion(motor));
    groups_.push_back(motor_group(motor, std::move(lane)));
  }
}

namespace {

EquationMaker equation_of(const JointMotor& motor, const Joint& joint) {
  const Coordinate coordinate = joint_info(joint.kind).coordinate;
  return
      [motor, coordinate](const JointSymbols& symbols) { return motor_equation(motor, coordinate, symbols); };
}

}  // namespace

ConstraintLanes Multibody::motor_group(const JointMotor& motor, JointLane lane) const {
  const std::vector<bool> moves = moving_sides(lane);
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(motor.joint)];
  const bool is_known = motor.parameters.empty() && !motor.piece;  // by its formula alone
  const std::string called =
      is_known ? fmt::format("motor {} {}", static_cast<int>(joint_info(joint.kind).coordinate), motor.motion)
               : "";
  return {moves, equation_of(motor, joint), std::vector<JointLane>{std::move(lane)}, called};
}

EquationMaker Multibody::equations_of(std::size_t group) const {
  const auto motor = std::find(motors_.begin(), motors_.end(), group);
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(groups_[group].lanes()[0].joint)];
  if (motor == motors_.end())
    return [joint](const JointSymbols& symbols) { return joint_equations(joint, symbols); };
  return equation_of(mechanism_.motors[static_cast<std::size_t>(motor - motors_.begin())], joint);
}

void Multibody::take_piece(double moment) {
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    mechanism_.motors[i].piece = moment;
    ConstraintLanes& group = groups_[motors_[i]];
    motions_[i] = sampled_motion(mechanism_.motors[i]);
    group = motor_group(mechanism_.motors[i], group.lanes()[0]);
    place_rows(motors_[i]);
    group.reserve(reserved_);
  }
  factored_places_.clear();
}

// Forces of the same parts along the same coordinate share a group; each drive has its own.
void Multibody::group_forces() {
  struct Alike {
    std::vector<JointLane> lanes;
    std::vector<std::size_t> which;
  };
  std::map<std::tuple<JointForce::Along, unsigned, std::vector<bool>>, Alike> found;
  for (std::size_t index = 0; index < mechanism_.forces.size(); ++index) {
    const JointForce& force = mechanism_.forces[index];
    JointLane lane;
    lane.joint = force.joint;
    lane.numbers = law_numbers(force);
    add_side(lane, force.a, force.in_a);
    add_side(lane, force.b, force.in_b);
    if (lane.body[0] == kGround && lane.body[1] == kGround) continue;
    if (const unsigned parts = law_parts(force); parts != 0) {
      Alike& alike = found[{force.along, parts, moving_sides(lane)}];
      alike.lanes.push_back(lane);
      alike.which.push_back(index);
    }
    if (force.drive.empty()) continue;
    const std::vector<int> others = joints_named_in(force, mechanism_);
    for (const int other : others) add_sides(lane, mechanism_.joints[static_cast<std::size_t>(other)]);
    drives_.push_back(forces_.size());
    force_indices_.push_back({index});
    forces_.emplace_back(moving_sides(lane), force.along == JointForce::Along::angle,
                         driven_law(force, mechanism_, others), std::vector<JointLane>{lane});
  }
  for (auto& [key, alike] : found) {
    force_indices_.push_back(alike.which);
    forces_.emplace_back(std::get<2>(key), std::get<0>(key) == JointForce::Along::angle,
                         passive_law(std::get<0>(key), std::get<1>(key)), std::move(alike.lanes));
  }
}

// Coordinates are the gaps of constraints that nobody imposes.
void Multibody::make_coordinates() {
  std::map<std::pair<Coordinate, std::vector<bool>>, std::vector<JointLane>> found;
  for (std::size_t i = 0; i < mechanism_.joints.size(); ++i) {
    const Coordinate coordinate = joint_info(mechanism_.joints[i].kind).coordinate;
    if (coordinate == Coordinate::none) continue;
    JointLane lane;
    lane.joint = static_cast<int>(i);
    add_sides(lane, mechanism_.joints[i]);
    found[{coordinate, moving_sides(lane)}].push_back(lane);
  }
  coordinate_of_joint_.assign(mechanism_.joints.size(), -1);
  coordinate_lane_.assign(mechanism_.joints.size(), 0);
  for (auto& [key, lanes] : found) {
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      coordinate_of_joint_[static_cast<std::size_t>(lanes[l].joint)] = static_cast<int>(coordinates_.size());
      coordinate_lane_[static_cast<std::size_t>(lanes[l].joint)] = l;
    }
    const bool turns = key.first == Coordinate::angle;
    const auto equation = [turns](const JointSymbols& s) -> std::vector<expr::Expression> {
      return {turns ? angle_of(s.sides[0], s.sides[1]) : travel_of(s.sides[0], s.sides[1])};
    };
    coordinates_.emplace_back(key.second, equation, std::move(lanes), turns ? "angle" : "travel");
  }
}

std::vector<ConstraintBlock> Multibody::blocks() {
  group_joints();
  std::vector<ConstraintBlock> out;
  for (const ConstraintLanes& group : groups_) {
    first_block_.push_back(out.size());
    for (std::size_t l = 0; l < group.count(); ++l) {
      ConstraintBlock block{group.rows(), {}, true};
      std::vector<std::size_t> where(group.moving());
      for (std::size_t s = 0; s < group.moving(); ++s) {
        const int body = group.moving_body(l, s);
        if (body == kGround) continue;
        const auto at = std::find(block.bodies.begin(), block.bodies.end(), body);
        where[s] = static_cast<std::size_t>(at - block.bodies.begin());
        if (at == block.bodies.end()) block.bodies.push_back(body);
      }
      block.may_be_tree = may_be_tree(static_cast<std::size_t>(group.lanes()[l].joint));
      out.push_back(std::move(block));
      block_side_.push_back(where);
    }
  }
  return out;
}

void Multibody::start(std::vector<double>& hi, std::vector<double>& lo) const {
  const std::size_t n = bodies();
  hi.assign(dimension(), 0.0);
  lo.assign(dimension(), 0.0);
  for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) {
    if (moving_index_[i] == kGround) continue;
    const Body& body = mechanism_.bodies[i];
    const std::size_t b = static_cast<std::size_t>(moving_index_[i]);
    const Vec3 omega = body.point ? Vec3{} : rotated_back(body.orientation, body.angular_velocity);
    for (std::size_t c = 0; c < 3; ++c) {
      hi[(kPosition + c) * n + b] = body.position[c];
      hi[(kVelocity + c) * n + b] = body.velocity[c];
      hi[(kRotation + c) * n + b] = omega[c];
    }
    for (std::size_t c = 0; c < 4; ++c) hi[(kOrientation + c) * n + b] = body.orientation[c];
  }
}

void Multibody::reserve(int order) {
  if (!series_.empty() && order <= reserved_) return;
  reserved_ = order;
  factored_places_.clear();
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  series_.assign(orders * bodies_.order_stride(), 0.0);
  momentum_.assign(orders * 3 * bodies_.stride(), 0.0);
  for (ConstraintLanes& group : groups_) group.reserve(order);
  for (ForceLanes& group : forces_) group.reserve(order);
  for (expr::SeriesProgram& program : torques_) program.reserve(bodies(), order);
}

void Multibody::load_gradients() {
  factor_.clear_gradients();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ConstraintLanes& group = groups_[g];
    for (std::size_t lane = 0; lane < group.count(); ++lane) {
      const std::size_t block = first_block_[g] + lane;
      const std::vector<std::size_t>& side_at = block_side_[block];
      group.for_gradients(lane, [&](int row, std::size_t side, std::size_t component, double value) {
        factor_.gradient(block, row, side_at[side])[component] += value;
      });
      const std::vector<int>& bodies = factor_.bodies_of(block);
      for (std::size_t at = 0; at < bodies.size(); ++at) {
        for (int row = 0; row < group.rows(); ++row) {
          bodies_.divide_by_root(static_cast<std::size_t>(bodies[at]), factor_.gradient(block, row, at));
        }
      }
    }
  }
}

// Places that are factored already are left so: the same bits would come out.
void Multibody::factor_at(double t, const double* x) {
  const std::size_t n = bodies(), s = bodies_.stride();
  copy_rows(x, n, kBodyState, order(0), s);
  if (t == t_ && !factored_places_.empty() &&
      std::equal(factored_places_.begin(), factored_places_.end(), x)) {
    return;
  }
  t_ = t;
  factored_places_.assign(x, x + kPlace * n);
  for (ConstraintLanes& group : groups_) group.advance(0, t, {order(0), s});
  load_gradients();
  factor_.factor();
  usual_rank_ = std::max(usual_rank_, factor_.rank());
}

// Corrections that are repeated until nothing is left may use a factorisation from next door: the last step's
// end, before its last digits were settled.
bool Multibody::factored_near(double t, const double* x) const {
  constexpr double kNear = 1e-12;
  if (factored_places_.empty() || !(std::fabs(t - t_) <= kNear * (1.0 + std::fabs(t)))) return false;
  const auto near = [](double a, double b) { return std::fabs(a - b) <= kNear * (1.0 + std::fabs(a)); };
  return std::equal(factored_places_.begin(), factored_places_.end(), x, near);
}

void Multibody::expect_rank(std::size_t rank) {
  factor_.limit_rank(rank + slider_rows_);
  usual_rank_ = rank + slider_rows_;
  factored_places_.clear();
}

bool Multibody::counts_turns() const {
  return std::any_of(forces_.begin(), forces_.end(), [](const ForceLanes& group) { return group.turns(); });
}

void Multibody::follow_force_turns(double t, const double* x) {
  for (ForceLanes& group : forces_) {
    if (group.turns()) group.follow_turns(t, bodies(), x, zeros_.data(), false);
  }
}

void Multibody::begin_orders(double t, const double* x) {
  factor_at(t, x);
  massless_.factor(factor_);
  follow_force_turns(t, x);
}

void Multibody::solve_order(const double* r, double* six, double* multipliers) {
  for (std::size_t b = 0; b < bodies(); ++b) bodies_.divide_by_root(b, six + 6 * b);
  massless_.solve(factor_, r, six, multipliers);
  for (std::size_t b = 0; b < bodies(); ++b) bodies_.divide_by_transposed_root(b, six + 6 * b);
}

void Multibody::begin(double t, const double* x) {
  begin_orders(t, x);
  some_places_ = bodies_.some(order(0), kPlace);
  some_velocities_ = bodies_.some(order(0) + kVelocity * bodies_.stride(), kMotion);
  const BodyRows velocities{order(0) + kVelocity * bodies_.stride(), bodies_.stride(), some_velocities_};
  for (ConstraintLanes& group : groups_) group.set_velocities(0, velocities);
}

// The known parts of order k: r = (k + 1) (c_{k+1} - ..) into right_, and reactions of lower orders into
// force_.
void Multibody::advance_constraints(int k) {
  for (double& row : right_) row = 0.0;
  const BodyRows places{order(k + 1), bodies_.stride(), some_places_};
  for (ConstraintLanes& group : groups_) {
    group.advance(k + 1, t_, places);
    group.add_sums(k, right_.data(), force_.data(), bodies_.stride());
  }
}

// Whether all bodies have turned about one of their own axes only, in all orders up to k.
void Multibody::note_turning(int k) {
  const unsigned turned = (some_places_ >> (kOrientation + 1) | some_velocities_ >> 3) & 7U;
  turning_ = k == 0 ? turned : turning_ | turned;
  axis_ = (turning_ & (turning_ - 1)) != 0 ? -1 : turning_ == 4 ? 2 : turning_ == 2 ? 1 : 0;
}

// What acts besides the joints, order k.
void Multibody::push(int k, double t, const BodyLoads& loads) {
  const std::size_t n = bodies(), s = bodies_.stride();
  std::fill(force_.begin(), force_.end(), 0.0);
  if (k == 0) {
    double* weight = force_.data();
    for (std::size_t b = 0; b < n; ++b) {
      const double mass = bodies_.mass(b);
      weight[b] = mass * gravity_[0];
      weight[s + b] = mass * gravity_[1];
      weight[2 * s + b] = mass * gravity_[2];
    }
  }
  const BodyRows places{order(k), s}, velocities{order(k) + kVelocity * s, s};
  for (ForceLanes& group : forces_) {
    group.advance(k, t, places, velocities);
    group.add_forces(k, force_.data(), s);
  }
  add_loads(k, loads);
}

void Multibody::advance(int k, const BodyLoads& loads) {
  const std::size_t n = bodies(), s = bodies_.stride();
  note_turning(k);
  bodies_.advance_places(k, series_.data(), axis_);
  some_places_ = bodies_.some(order(k + 1), kPlace);
  push(k, t_, loads);
  if (k == 0) spun_ = 0;
  if (axis_ < 0 || !bodies_.is_principal(axis_)) {
    for (; spun_ <= k; ++spun_)
      bodies_.spin_momentum(order(spun_), momentum_.data() + static_cast<std::size_t>(spun_) * 3 * s);
    bodies_.subtract_gyroscopic(k, series_.data(), momentum_.data(), force_.data() + 3 * s);
  }
  advance_constraints(k);
  double* six = y_.data();
  const double* force = force_.data();
  for (std::size_t b = 0; b < n; ++b, six += 6, ++force) {
    for (std::size_t c = 0; c < 6; ++c) six[c] = force[c * s];
  }
  solve_order(right_.data(), y_.data(), multipliers_.data());
  double* next = order(k + 1) + kVelocity * s;
  const double* from = y_.data();
  const double over = k + 1;
  for (std::size_t b = 0; b < n; ++b, from += 6) {
    for (std::size_t c = 0; c < 6; ++c) next[c * s + b] = from[c] / over;
  }
  some_velocities_ = bodies_.some(next, kMotion);
  const BodyRows next_velocities{next, s, some_velocities_};
  for (ConstraintLanes& group : groups_) {
    group.set_multipliers(k, multipliers_.data());
    group.set_velocities(k + 1, next_velocities);
  }
}

// Forces are the world's already; torques are turned into the bodies' frames.
void Multibody::add_loads(int k, const BodyLoads& loads) {
  const std::size_t n = bodies(), s = bodies_.stride();
  for (std::size_t i = 0; i < 3 && loads.forces != nullptr; ++i) {
    for (std::size_t b = 0; b < n; ++b) force_[i * s + b] += loads.forces[i * n + b];
  }
  if (loads.torques == nullptr) return;
  if (torques_.empty()) {
    expr::Graph g;
    const auto at = [&](std::uint32_t i) { return expr::variable(g, i); };
    const expr::Vector turned =
        expr::rotated(expr::Quaternion{at(0), -at(1), -at(2), -at(3)}, expr::Vector{at(4), at(5), at(6)});
    torques_.emplace_back(g, std::vector<expr::NodeId>{turned.x.node, turned.y.node, turned.z.node}, 7);
    torques_[0].reserve(n, reserved_);
  }
  expr::SeriesProgram& program = torques_[0];
  for (int i = 0; i < 4; ++i) std::copy_n(order(k) + (kOrientation + i) * s, n, program.input(k, i));
  for (int i = 0; i < 3; ++i) std::copy_n(loads.torques + i * n, n, program.input(k, 4 + i));
  program.advance(k);
  for (std::size_t i = 0; i < 3; ++i) {
    const double* torque = program.output(k, static_cast<int>(i));
    for (std::size_t b = 0; b < n; ++b) force_[(3 + i) * s + b] += torque[b];
  }
}

Energies Multibody::energy_in_full(const double* hi, const double* lo) const {
  const std::size_t n = bodies();
  const DoubleDouble half(0.5);
  Energies out{};
  for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b) {
    if (moving_index_[b] == kGround) continue;
    const auto at = static_cast<std::size_t>(moving_index_[b]);
    const Body& body = mechanism_.bodies[b];
    const auto lane = [&](std::size_t row) { return DoubleDouble(hi[row * n + at], lo[row * n + at]); };
    const DoubleDouble mass = DoubleDouble(bodies_.mass(at)) + DoubleDouble(body.mass_rest);
    for (std::size_t i = 0; i < 3; ++i) {
      out.kinetic += half * mass * lane(kVelocity + i) * lane(kVelocity + i);
      out.potential -= mass * decimal(gravity_[i]) * lane(kPosition + i);
      for (std::size_t j = 0; j < 3 && !bodies_.point(at); ++j) {
        const DoubleDouble inertia =
            DoubleDouble(bodies_.inertia(at)[i][j]) + DoubleDouble(body.inertia_rest[i][j]);
        out.kinetic += half * inertia * lane(kRotation + i) * lane(kRotation + j);
      }
    }
  }
  return out;
}

Energies Multibody::energy(double t, const double* hi, const double* lo) {
  Energies out = all_digits_ ? energy_in_full(hi, lo) : bodies_.energy(gravity_, hi, lo);
  for (ForceLanes& group : forces_) out.elastic += group.energy(t, bodies(), hi, lo);
  return out;
}

double Multibody::weight_scale() const {
  double mass = 0.0;
  for (std::size_t b = 0; b < bodies(); ++b) mass += bodies_.mass(b);
  return mass * length(gravity_);
}

bool Multibody::moves_energy() const {
  const auto moves = [](const JointForce& force) {
    return !force.drive.empty() || force.damping != 0.0 || force.friction != 0.0 ||
           force.limit_damping != 0.0;
  };
  return !mechanism_.motors.empty() || std::any_of(mechanism_.forces.begin(), mechanism_.forces.end(), moves);
}

double Multibody::loss(int n) const {
  double sum = 0.0;
  for (const ForceLanes& group : forces_) sum += group.loss(n);
  return sum;
}

double Multibody::work(int n) const {
  double sum = 0.0;
  for (const ForceLanes& group : forces_) sum += group.work(n);
  for (const std::size_t motor : motors_) sum += groups_[motor].work(n);
  return sum;
}

// A register at a time: what a row writes beyond its bodies the next one overwrites.
void Multibody::write(int k, double* c) const {
  const std::size_t n = bodies(), s = bodies_.stride();
  const double* from = order(k);
  std::size_t i = 0;
  const auto has_room = [&] { return i < kBodyState && (kBodyState - i) * n >= s; };
  if (s == kNativeWidth) {  // few bodies: one register
    for (; has_room(); ++i, from += s, c += n) store<kNativeWidth>(c, load<kNativeWidth>(from));
  }
  for (; has_room(); ++i, from += s, c += n) {
    for (std::size_t b = 0; b < s; b += kNativeWidth)
      store<kNativeWidth>(c + b, load<kNativeWidth>(from + b));
  }
  for (; i < kBodyState; ++i, from += s, c += n) std::copy_n(from, n, c);
}

void Multibody::taylor(double t, const double* x, int order, double* c) {
  begin(t, x);
  write(0, c);
  for (int k = 0; k < order; ++k) {
    advance(k);
    write(k + 1, c + static_cast<std::size_t>(k + 1) * dimension());
  }
}

void Multibody::rhs(double t, const double* x, double* dx, const BodyLoads& loads) {
  if (!recursion_.empty()) {
    const std::size_t n = bodies(), s = bodies_.stride();
    copy_rows(x, n, kBodyState, order(0), s);
    for (ForceLanes& group : forces_) {
      if (group.turns()) group.follow_turns(t, n, x, zeros_.data(), false);
    }
    push(0, t, {loads.forces, nullptr});
    bodies_.advance_places(0, series_.data());
    recursion_.accelerations(order(0), force_.data(), loads.torques, order(1) + kVelocity * s);
    return write(1, dx);
  }
  begin(t, x);
  advance(0, loads);
  write(1, dx);
}

void Multibody::look_inside(double allowed) {
  const double lightest = bodies_.smallest_inertia();
  for (const std::size_t motor : motors_) groups_[motor].look_inside(allowed);
  for (const std::size_t drive : drives_) forces_[drive].look_inside(allowed * lightest);
  for (ForceLanes& group : forces_) group.look_at_bends(10 * allowed * lightest);  // the tolerance itself
}

bool Multibody::looks_inside() const {
  const auto looks = [](const auto& group) { return group.looks_inside(); };
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    if (!motions_[i].empty() && groups_[motors_[i]].allowed() > 0.0) return true;
  }
  return std::any_of(groups_.begin(), groups_.end(), looks) ||
         std::any_of(forces_.begin(), forces_.end(),
                     [&](const ForceLanes& group) { return looks(group) || group.looks_at_bends(); });
}

void Multibody::sample(int which, double t, const double* x) {
  const BodyRows places{x, bodies()}, velocities{x + kVelocity * bodies(), bodies()};
  for (ForceLanes& group : forces_) group.sample(which, t, places, velocities);
}

bool Multibody::reads_time() const {
  const auto reads = [](const auto& group) { return group.reads_time(); };
  return std::any_of(groups_.begin(), groups_.end(), reads) ||
         std::any_of(forces_.begin(), forces_.end(), reads);
}

void Multibody::set_low_time(double low) {
  for (ConstraintLanes& group : groups_) group.set_low_time(low);
  for (const std::size_t drive : drives_) forces_[drive].set_low_time(low);
}

bool Multibody::misses(double t, double length) {
  const double end = t + length;
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    expr::SampledFormulas& motion = motions_[i];
    if (motion.empty()) continue;
    motion.note(0, &t, 1);
    motion.note(1, &end, 1);
    if (motion.unseen() * length > groups_[motors_[i]].allowed()) return true;
  }
  return std::any_of(forces_.begin(), forces_.end(),
                     [&](ForceLanes& group) { return group.misses(length) || group.bends(t, length); });
}

double Multibody::smooth_until(int order, double length) const {
  for (const ForceLanes& group : forces_) length = group.smooth_until(order - 1, length);
  for (const ConstraintLanes& group : groups_) length = group.smooth_until(order - 1, length);
  return length;
}

bool Multibody::has_kinks() const {
  return std::any_of(forces_.begin(), forces_.end(), [](const ForceLanes& g) { return g.has_kinks(); }) ||
         std::any_of(groups_.begin(), groups_.end(), [](const ConstraintLanes& g) { return g.has_kinks(); });
}

double Multibody::margin(double t, const double* x) {
  if (!factor_.has_loops()) return 1.0;
  factor_at(t, x);
  return factor_.margin(usual_rank_);
}

Multibody::Multibody(const Multibody&) = default;
Multibody::Multibody(Multibody&&) noexcept = default;
Multibody& Multibody::operator=(const Multibody&) = default;
Multibody& Multibody::operator=(Multibody&&) noexcept = default;
Multibody::~Multibody() = default;

}  // namespace catena
