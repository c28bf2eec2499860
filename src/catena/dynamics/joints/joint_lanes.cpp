#include "catena/dynamics/joints/joint_lanes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "catena/dynamics/joints/joint_rotation.h"
#include "catena/dynamics/state/body_state.h"
#include "catena/expr/substitute.h"
#include "catena/math/functions_digits.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Graph;
using expr::kNone;
using expr::NodeId;

constexpr std::size_t kFrame = 12;  // numbers that describe a frame
constexpr std::size_t kTurns = 2;
constexpr std::size_t kRotation9 = 9;  // entries of a rotation matrix, by rows

Expression variable_at(Graph& g, std::size_t index) {
  return expr::variable(g, static_cast<std::uint32_t>(index));
}

expr::Vector vector_at(Graph& g, std::size_t first) {
  return {variable_at(g, first), variable_at(g, first + 1), variable_at(g, first + 2)};
}

expr::Quaternion quaternion_at(Graph& g, std::size_t first) {
  return {variable_at(g, first), variable_at(g, first + 1), variable_at(g, first + 2),
          variable_at(g, first + 3)};
}

// The rotation matrix of a side, as variables behind all others, which no program has.
struct Rotation {
  expr::Vector columns[3];
};

Rotation rotation_at(Graph& g, std::size_t first) {
  const auto column = [&](std::size_t j) -> expr::Vector {
    return {variable_at(g, first + j), variable_at(g, first + 3 + j), variable_at(g, first + 6 + j)};
  };
  return {{column(0), column(1), column(2)}};
}

}  // namespace

std::vector<bool> moving_sides(const JointLane& lane) {
  std::vector<bool> out;
  for (const int body : lane.body) out.push_back(body != kGround);
  return out;
}

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Whole turns that are given as the closest double.
DoubleDouble exact_turns(double turns) {
  if (turns == 0.0) return {};
  return digits::pi<DoubleDouble>() * DoubleDouble(2.0 * std::round(turns / kTurn));
}

}  // namespace

double add_turns(double turns, double more) { return kTurn * std::round((turns + more) / kTurn); }

JointVariables::JointVariables(const std::vector<bool>& moves, std::size_t numbers, bool with_motions)
    : numbers_(numbers), with_motions_(with_motions) {
  for (const bool moving : {true, false}) {
    for (std::size_t side = 0; side < moves.size(); ++side) {
      if (moves[side] == moving) sides_.push_back(static_cast<int>(side));
    }
    if (moving) moving_ = sides_.size();
  }
}

std::size_t JointVariables::place(std::size_t rank) const {
  return rank < moving_ ? kPlace * rank : first_steady() + kPlace * (rank - moving_);
}

std::size_t JointVariables::frame(std::size_t rank) const {
  return first_steady() + kPlace * (sides_.size() - moving_) + kFrame * rank;
}

std::size_t JointVariables::steady() const {
  return frame(sides_.size()) - first_steady() + kTurns + numbers_;
}

JointSymbols JointVariables::symbols(Graph& g) const {
  JointSymbols out;
  out.sides.resize(sides_.size());
  for (std::size_t rank = 0; rank < sides_.size(); ++rank) {
    const expr::Vector x = vector_at(g, place(rank));
    const Rotation r = rotation_at(g, count() + kRotation9 * rank);
    const auto turned = [&](std::size_t i) {
      const expr::Vector v = vector_at(g, frame(rank) + 3 * i);
      return v.x * r.columns[0] + v.y * r.columns[1] + v.z * r.columns[2];
    };
    out.sides[static_cast<std::size_t>(sides_[rank])] = {x + turned(0), turned(1), turned(2), turned(3),
                                                         quaternion_at(g, place(rank) + 3)};
  }
  const std::size_t rest = frame(sides_.size());
  out.t = variable_at(g, time());
  out.turns = {variable_at(g, rest), variable_at(g, rest + 1)};
  for (std::size_t i = 0; i < numbers_; ++i) out.numbers.push_back(variable_at(g, rest + kTurns + i));
  return out;
}

void JointVariables::seed_place(Graph& g, std::size_t rank, const expr::Vector& v, const expr::Vector& omega,
                                std::vector<NodeId>& seeds) const {
  const NodeId rates[3] = {v.x.node, v.y.node, v.z.node};
  for (std::size_t i = 0; i < 3; ++i) seeds[place(rank) + i] = rates[i];
  const expr::Quaternion turning_p = expr::rate(quaternion_at(g, place(rank) + 3), omega);
  const NodeId turns[4] = {turning_p.w.node, turning_p.x.node, turning_p.y.node, turning_p.z.node};
  for (std::size_t i = 0; i < 4; ++i) seeds[place(rank) + 3 + i] = turns[i];
  const std::size_t first = count() + kRotation9 * rank;
  const Rotation r = rotation_at(g, first);
  const expr::Vector turning[3] = {omega.z * r.columns[1] - omega.y * r.columns[2],
                                   omega.x * r.columns[2] - omega.z * r.columns[0],
                                   omega.y * r.columns[0] - omega.x * r.columns[1]};
  for (std::size_t j = 0; j < 3; ++j) {
    seeds[first + j] = turning[j].x.node;
    seeds[first + 3 + j] = turning[j].y.node;
    seeds[first + 6 + j] = turning[j].z.node;
  }
}

std::vector<NodeId> JointVariables::unit_motion(Graph& g, std::size_t rank, std::size_t c) const {
  const auto unit = [&](std::size_t i) { return expr::constant(g, i == c ? 1.0 : 0.0); };
  std::vector<NodeId> seeds(count() + kRotation9 * sides_.size(), kNone);
  seed_place(g, rank, {unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)}, seeds);
  return seeds;
}

std::vector<NodeId> JointVariables::whole_motion(Graph& g) const {
  assert(with_motions_);
  std::vector<NodeId> seeds(count() + kRotation9 * sides_.size(), kNone);
  seeds[time()] = g.constant(1.0);
  for (std::size_t rank = 0; rank < moving_; ++rank) {
    seed_place(g, rank, vector_at(g, motion(rank)), vector_at(g, motion(rank) + 3), seeds);
  }
  return seeds;
}

void JointVariables::write_steady(const JointLane& lane, double* to, std::size_t stride) const {
  const auto put = [&](double number) {
    *to = number;
    to += stride;
  };
  for (std::size_t rank = moving_; rank < sides_.size(); ++rank) {
    for (const double number : lane.resting[sides_[rank]]) put(number);
  }
  for (const int side : sides_) {
    const JointFrame& f = lane.frame[side];
    for (const Vec3* vector : {&f.point, &f.x, &f.y, &f.z}) {
      for (const double number : *vector) put(number);
    }
  }
  for (const double number : lane.turns) put(number);
  for (std::size_t i = 0; i < numbers_; ++i) put(lane.numbers[i]);
}

std::vector<std::optional<double>> JointVariables::shared(const std::vector<JointLane>& lanes) const {
  std::vector<std::optional<double>> out(count());
  if (lanes.empty()) return out;
  std::vector<double> first(steady()), other(steady());
  write_steady(lanes[0], first.data(), 1);
  std::copy(first.begin(), first.end(), out.begin() + static_cast<std::ptrdiff_t>(first_steady()));
  for (const JointLane& lane : lanes) {
    write_steady(lane, other.data(), 1);
    for (std::size_t i = 0; i < steady(); ++i) {
      if (other[i] != first[i]) out[first_steady() + i].reset();
    }
  }
  const std::size_t turns = frame(sides_.size());  // which grow
  for (std::size_t i = 0; i < kTurns; ++i) out[turns + i].reset();
  return out;
}

void JointVariables::write_exact(const JointLane& lane, double t, std::size_t n, const double* hi,
                                 const double* lo, std::vector<DoubleDouble>& inputs) const {
  const auto at = [&](std::size_t c, int body) {
    const std::size_t i = c * n + static_cast<std::size_t>(body);
    return DoubleDouble(hi[i], lo[i]);
  };
  for (std::size_t rank = 0; rank < moving_; ++rank) {
    const int body = lane.body[sides_[rank]];
    for (std::size_t c = 0; c < kPlace; ++c) inputs[place(rank) + c] = at(c, body);
    if (!with_motions_) continue;
    for (std::size_t c = 0; c < kMotion; ++c) inputs[motion(rank) + c] = at(kVelocity + c, body);
  }
  inputs[time()] = t;
  write_steady_exact(lane, &inputs[first_steady()]);
}

void JointVariables::write_steady_exact(const JointLane& lane, DoubleDouble* to) const {
  write_steady(lane, &to->hi, 2);
  for (std::size_t i = 0; i < steady(); ++i) to[i].lo = 0.0;
  for (std::size_t i = 0; i < kTurns; ++i)
    to[frame(sides_.size()) - first_steady() + i] = exact_turns(lane.turns[i]);
}

std::vector<NodeId> with_quaternions(const Graph& from, const std::vector<NodeId>& nodes,
                                     const JointVariables& variables, const std::vector<JointLane>& lanes,
                                     Folding folding, Graph& into) {
  const std::vector<std::optional<double>> shared = variables.shared(lanes);
  std::vector<NodeId> images;
  for (std::size_t i = 0; i < variables.count(); ++i) {
    const bool simple = shared[i] && (*shared[i] == 0.0 || std::fabs(*shared[i]) == 1.0);
    const bool constant = shared[i] && (simple || folding == Folding::all);
    images.push_back(constant ? into.constant(*shared[i]) : variable_at(into, i).node);
  }
  for (std::size_t rank = 0; rank < variables.sides().size(); ++rank) {
    const auto part = [&](std::size_t i) -> Expression {
      return {&into, images[variables.place(rank) + 3 + i]};
    };
    const expr::Quaternion p{part(0), part(1), part(2), part(3)};
    const auto unit = [&](std::size_t i) { return expr::constant(into, i == 0 ? 1.0 : 0.0); };
    const expr::Vector columns[3] = {rotated(p, {unit(0), unit(1), unit(1)}),
                                     rotated(p, {unit(1), unit(0), unit(1)}),
                                     rotated(p, {unit(1), unit(1), unit(0)})};
    for (const expr::Vector& column : columns) images.push_back(column.x.node);
    for (const expr::Vector& column : columns) images.push_back(column.y.node);
    for (const expr::Vector& column : columns) images.push_back(column.z.node);
  }
  return substitute(from, nodes, into, images);
}

}  // namespace catena
