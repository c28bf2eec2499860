#include "catena/dynamics/joints/joint_laws.h"

#include <cassert>

#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"
#include "catena/math/decimal.h"

namespace catena {
namespace {

using expr::Expression;

enum Part : unsigned { kSpring = 1, kDamping = 2, kFriction = 4, kLimits = 8 };

enum Number : std::size_t {
  kValue,
  kStiffness,
  kRest,
  kDampingFactor,
  kFrictionSize,
  kFrictionRate,
  kLow,
  kHigh,
  kLimitStiffness,
  kLimitDamping,
};

constexpr std::size_t kNearbyAngles =
    kLimitDamping + 1;  // as many as a lane has numbers that drives do not use

Expression coordinate_of(JointForce::Along along, const JointSymbols& s, std::size_t pair) {
  const FrameExpressions &a = s.sides[2 * pair], &b = s.sides[2 * pair + 1];
  if (along == JointForce::Along::distance) return distance_of(a, b);
  if (along == JointForce::Along::travel) return travel_of(a, b);
  return angle_of(a, b) + (pair == 0 ? s.turns[0] : turns_of_pair(s, pair));
}

Expression parsed(const std::string& text, const expr::Names& names, expr::Graph& graph) {
  const expr::Parsed made = expr::parse(graph, text, names);
  assert(made);  // checked when the mechanism was read
  return {&graph, made.node};
}

bool variable_used(const expr::Graph& graph, const std::vector<char>& used, std::uint32_t index) {
  for (expr::NodeId node = 0; node < used.size(); ++node) {
    if (used[node] && graph[node].op == expr::Op::variable && graph[node].index == index) return true;
  }
  return false;
}

bool has_coordinate(const Joint& joint) { return joint_info(joint.kind).coordinate != Coordinate::none; }

}  // namespace

unsigned law_parts(const JointForce& f) {
  return (f.stiffness != 0.0 ? kSpring : 0u) | (f.damping != 0.0 ? kDamping : 0u) |
         (f.friction != 0.0 ? kFriction : 0u) | (f.limits ? kLimits : 0u);
}

std::vector<double> law_numbers(const JointForce& f) {
  const std::array<double, 2> limits = f.limits.value_or(std::array<double, 2>{});
  return {0.0,       f.stiffness,       f.rest,         f.damping, f.friction, f.friction_rate, limits[0],
          limits[1], f.limit_stiffness, f.limit_damping};
}

std::vector<double> law_number_rests(const JointForce& f) {
  std::vector<double> out;
  for (const double number : law_numbers(f))
    out.push_back(static_cast<double>(decimal(number) - DoubleDouble(number)));
  out[kRest] = f.rest_rest;
  out[kLow] = f.limits_rest[0];
  out[kHigh] = f.limits_rest[1];
  return out;
}

LawMaker passive_law(JointForce::Along along, unsigned parts) {
  return [=](const JointSymbols& s, const auto& rate) {
    const Expression q = coordinate_of(along, s, 0), zero = q.number(0.0);
    const Expression speed = rate(q);
    const std::vector<Expression>& n = s.numbers;
    JointLaw law{q, zero, zero, zero, zero};
    const auto resist = [&](const Expression& force) {
      law.force = law.force - force;
      law.loss = law.loss + force * speed;
    };
    const auto spring = [&](const Expression& stiffness, const Expression& stretch) {
      law.force = law.force - stiffness * stretch;
      law.energy = law.energy + 0.5 * stiffness * expr::square(stretch);
    };
    if (parts & kSpring) spring(n[kStiffness], q - n[kRest]);
    if (parts & kDamping) resist(n[kDampingFactor] * speed);
    // The law that joints of chains have, too.
    if (parts & kFriction)
      resist(n[kFrictionSize] * speed / sqrt(expr::square(speed) + expr::square(n[kFrictionRate])));
    if (parts & kLimits) {
      // One of the two is zero. The damping grows with the depth, so that the force has no jump: with the
      // depth d and its rate d' the limit pushes with d max(k + c d', 0), and never pulls.
      const Expression above = max(q - n[kHigh], zero), below = min(q - n[kLow], zero);
      const Expression drag = n[kLimitDamping] * speed;
      spring(n[kLimitStiffness], above + below);
      const Expression steepness = n[kLimitStiffness] + abs(drag);
      law.bends = {{q - n[kHigh], steepness}, {q - n[kLow], steepness}};
      resist(above * max(drag, -n[kLimitStiffness]) - below * min(drag, n[kLimitStiffness]));
    }
    return law;
  };
}

std::vector<int> joints_named_in(const JointForce& force, const Mechanism& mechanism) {
  expr::Graph graph;
  const Expression drive = parsed(force.drive, {drive_names(mechanism), force.parameters}, graph);
  const std::vector<char> used = expr::reachable(graph, {drive.node});
  std::vector<int> out;
  std::uint32_t variable = kOwnDriveNames;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    if (!has_coordinate(mechanism.joints[i])) continue;
    if (variable_used(graph, used, variable) || variable_used(graph, used, variable + 1)) {
      out.push_back(static_cast<int>(i));
    }
    variable += 2;
  }
  return out;
}

bool depends_on_rates(const JointForce& force, const Mechanism& mechanism) {
  if (force.damping != 0.0 || force.friction != 0.0) return true;
  if (force.limits && force.limit_damping != 0.0) return true;
  if (force.drive.empty()) return false;
  expr::Graph graph;
  const std::vector<std::string> names = drive_names(mechanism);
  const Expression drive = parsed(force.drive, {names, force.parameters}, graph);
  const std::vector<char> used = expr::reachable(graph, {drive.node});
  for (std::uint32_t i = kOwnDriveNames - 1; i < names.size(); i += 2) {  // rate, and then every second one
    if (variable_used(graph, used, i)) return true;
  }
  return false;
}

namespace {

// The angle as formulas of drives read it: seen from an angle r nearby, which ForceLanes keeps among the
// numbers, so that the cut where atan2 jumps is far from where the joint is.
Expression angle_read(const JointSymbols& s, std::size_t pair) {
  const FrameExpressions &a = s.sides[2 * pair], &b = s.sides[2 * pair + 1];
  const Expression along = dot(a.x, b.x), across = dot(a.y, b.x), r = s.numbers[pair];
  const Expression cosine = cos(r), sine = sin(r);
  return atan2(across * cosine - along * sine, along * cosine + across * sine) +
         (r + (pair == 0 ? s.turns[0] : turns_of_pair(s, pair)));
}

}  // namespace

LawMaker driven_law(const JointForce& force, const Mechanism& mechanism, const std::vector<int>& others) {
  return [force, mechanism, others](const JointSymbols& s, const auto& rate) {
    const Expression q = coordinate_of(force.along, s, 0), speed = rate(q), zero = q.number(0.0);
    const Expression read = force.along == JointForce::Along::angle ? angle_read(s, 0) : q;
    expr::Names names{{}, force.parameters, {{"t", s.t.node}, {"q", read.node}, {"rate", speed.node}}};
    std::vector<NamedAngle> angles;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Joint& joint = mechanism.joints[static_cast<std::size_t>(others[i])];
      const bool turns = joint_info(joint.kind).coordinate == Coordinate::angle;
      const Expression other =
          coordinate_of(turns ? JointForce::Along::angle : JointForce::Along::travel, s, i + 1);
      const bool is_read_nearby = turns && i + 1 < kNearbyAngles;
      names.meanings.emplace_back(coordinate_name(joint),
                                  is_read_nearby ? angle_read(s, i + 1).node : other.node);
      names.meanings.emplace_back(coordinate_name(joint) + "_dot", rate(other).node);
      if (turns) angles.push_back({others[i], i + 1, other});
    }
    const Expression drive = parsed(force.drive, names, *q.graph);
    return JointLaw{q, drive, zero, zero, drive * speed, true, angles};
  };
}

double motion_at(const JointMotor& motor, double t) {
  expr::Graph graph;
  const Expression motion = parsed(motor.motion, {{"t"}, motor.parameters}, graph);
  double out = 0.0;
  expr::Program(graph, {motion.node}, 1).evaluate(&t, 1, &out);
  return out;
}

expr::SampledFormulas sampled_motion(const JointMotor& motor) {
  expr::Graph graph;
  Expression motion = parsed(motor.motion, {{"t"}, motor.parameters}, graph);
  if (motor.piece) motion.node = expr::piece_at(graph, motion.node, 0, *motor.piece);
  const expr::NodeId rate = expr::derivative(graph, motion.node, 0);
  return {graph, {expr::derivative(graph, rate, 0)}, 1, 1, 0};
}

std::vector<Expression> motor_equation(const JointMotor& motor, Coordinate coordinate,
                                       const JointSymbols& s) {
  expr::Graph& graph = *s.t.graph;
  Expression motion = parsed(motor.motion, {{}, motor.parameters, {{"t", s.t.node}}}, graph);
  if (motor.piece) motion.node = expr::piece_at(graph, motion.node, graph[s.t.node].index, *motor.piece);
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  if (coordinate == Coordinate::travel) return {travel_of(a, b) - motion};
  // Against the first frame turned by the motion, so that the gap is zero whatever the number of turns.
  const Expression along = dot(a.x, b.x), across = dot(a.y, b.x), cosine = cos(motion), sine = sin(motion);
  return {atan2(across * cosine - along * sine, along * cosine + across * sine) + s.turns[0]};
}

}  // namespace catena
