#include "catena/dynamics/constraint_lanes.h"

#include <algorithm>
#include <utility>

#include "catena/expr/derivative.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Graph;
using expr::kNone;
using expr::NodeId;
using Lanes = Pack<double, kNativeWidth>;

constexpr std::size_t kFrame = 12;  // numbers that describe a frame
constexpr std::size_t kNumbers = 3;  // value and two turn counts

// Where the variables are: places of the moving sides, t, then what is steady: places of the resting sides, all
// frames, value and turns; behind them, for rates, the motions of the moving sides.
struct Variables {
  std::size_t sides;
  std::vector<int> order;  // moving sides first, then resting ones
  std::size_t moving;

  std::size_t time() const { return kPlace * moving; }
  std::size_t place(std::size_t rank) const { return kPlace * rank + (rank >= moving ? 1 : 0); }
  std::size_t frame(std::size_t rank) const { return kPlace * sides + 1 + kFrame * rank; }
  std::size_t numbers() const { return frame(sides); }
  std::size_t steady() const { return numbers() + kNumbers - time() - 1; }
  std::size_t count() const { return numbers() + kNumbers; }
  std::size_t motion(std::size_t rank) const { return count() + kMotion * rank; }
  std::size_t with_motions() const { return motion(moving); }
};

expr::Vector vector_at(Graph& g, std::size_t first) {
  const auto at = [&](std::size_t i) { return expr::variable(g, static_cast<std::uint32_t>(first + i)); };
  return {at(0), at(1), at(2)};
}

expr::Quaternion quaternion_at(Graph& g, std::size_t first) {
  const auto at = [&](std::size_t i) { return expr::variable(g, static_cast<std::uint32_t>(first + i)); };
  return {at(0), at(1), at(2), at(3)};
}

JointSymbols symbols_in(Graph& g, const Variables& variables) {
  JointSymbols out;
  out.sides.resize(variables.sides);
  for (std::size_t rank = 0; rank < variables.sides; ++rank) {
    const expr::Vector x = vector_at(g, variables.place(rank));
    const expr::Quaternion p = quaternion_at(g, variables.place(rank) + 3);
    const auto turned = [&](std::size_t i) {
      return rotated(p, vector_at(g, variables.frame(rank) + 3 * i));
    };
    out.sides[static_cast<std::size_t>(variables.order[rank])] = {x + turned(0), turned(1), turned(2), turned(3)};
  }
  const auto number = [&](std::size_t i) {
    return expr::variable(g, static_cast<std::uint32_t>(variables.numbers() + i));
  };
  out.t = expr::variable(g, static_cast<std::uint32_t>(variables.time()));
  out.value = number(0);
  out.turns = {number(1), number(2)};
  return out;
}

// Rates of a side's place when it moves with v and omega.
void seed_place(std::vector<NodeId>& seeds, std::size_t place, const expr::Quaternion& p, const expr::Vector& v,
                const expr::Vector& omega) {
  const expr::Quaternion turning = rate(p, omega);
  const NodeId rates[kPlace] = {v.x.node,       v.y.node,       v.z.node,      turning.w.node,
                                turning.x.node, turning.y.node, turning.z.node};
  for (std::size_t i = 0; i < kPlace; ++i) seeds[place + i] = rates[i];
}

std::vector<NodeId> nodes_of(const std::vector<Expression>& expressions) {
  std::vector<NodeId> out;
  for (const Expression& e : expressions) out.push_back(e.node);
  return out;
}

void put_frame(const JointFrame& frame, double* to, std::size_t stride) {
  const Vec3* vectors[4] = {&frame.point, &frame.x, &frame.y, &frame.z};
  for (std::size_t i = 0; i < kFrame; ++i) to[i * stride] = (*vectors[i / 3])[i % 3];
}

}  // namespace

ConstraintLanes::ConstraintLanes(const std::vector<bool>& moving, const EquationMaker& equations,
                                 std::vector<ConstraintLane> lanes)
    : lanes_(std::move(lanes)) {
  for (std::size_t side = 0; side < moving.size(); ++side) {
    (moving[side] ? moving_sides_ : resting_sides_).push_back(static_cast<int>(side));
  }
  Variables variables{moving.size(), moving_sides_, moving_sides_.size()};
  variables.order.insert(variables.order.end(), resting_sides_.begin(), resting_sides_.end());

  Graph g;
  const std::vector<NodeId> gaps = nodes_of(equations(symbols_in(g, variables)));
  rows_ = static_cast<int>(gaps.size());
  std::vector<NodeId> outputs;
  const auto by = [&](const std::vector<NodeId>& seeds) { return directional_derivatives(g, gaps, seeds); };
  const auto is_zero = [&](NodeId node) { return g.is_constant(node, 0.0); };
  const Expression zero = expr::constant(g, 0.0), one = expr::constant(g, 1.0);
  for (std::size_t side = 0; side < variables.moving; ++side) {
    const expr::Quaternion p = quaternion_at(g, variables.place(side) + 3);
    for (std::size_t c = 0; c < kMotion; ++c) {
      const auto unit = [&](std::size_t i) { return i == c ? one : zero; };
      std::vector<NodeId> seeds(variables.count(), kNone);
      seed_place(seeds, variables.place(side), p, {unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)});
      const std::vector<NodeId> column = by(seeds);
      for (int row = 0; row < rows_; ++row) {
        if (is_zero(column[row])) continue;
        entries_.push_back({row, side, c, static_cast<int>(outputs.size()), false});
        outputs.push_back(column[row]);
      }
    }
  }
  std::vector<NodeId> seeds(variables.count(), kNone);
  seeds[variables.time()] = one.node;
  const std::vector<NodeId> driven = by(seeds);
  for (int row = 0; row < rows_; ++row) {
    drive_.push_back(is_zero(driven[row]) ? -1 : static_cast<int>(outputs.size()));
    if (drive_.back() >= 0) outputs.push_back(g.negate(driven[row]));
  }
  series_.emplace_back(g, outputs, static_cast<int>(variables.count()), static_cast<int>(variables.steady()));
  for (Entry& entry : entries_) entry.steady = series_[0].is_steady(entry.output);

  for (std::size_t side = 0; side < variables.moving; ++side) {
    seed_place(seeds, variables.place(side), quaternion_at(g, variables.place(side) + 3),
               vector_at(g, variables.motion(side)), vector_at(g, variables.motion(side) + 3));
  }
  std::vector<NodeId> exact = gaps;
  const std::vector<NodeId> rates = by(seeds);
  exact.insert(exact.end(), rates.begin(), rates.end());
  exact_.emplace_back(g, exact, static_cast<int>(variables.with_motions()));
  inputs_.resize(variables.with_motions());
  outputs_.resize(exact.size());
  reserve(1);
}

void ConstraintLanes::write_steady(std::size_t lane, double* to, std::size_t stride) const {
  const ConstraintLane& of = lanes_[lane];
  for (const int side : resting_sides_) {
    for (const double number : of.resting[side]) *to = number, to += stride;
  }
  for (const std::vector<int>* sides : {&moving_sides_, &resting_sides_}) {
    for (const int side : *sides) {
      put_frame(of.frame[side], to, stride);
      to += kFrame * stride;
    }
  }
  to[0] = of.value;
  to[stride] = of.turns[0];
  to[2 * stride] = of.turns[1];
}

void ConstraintLanes::refresh_steady() {
  expr::SeriesProgram& program = series_[0];
  const int first = static_cast<int>(kPlace * moving()) + 1;
  const std::size_t stride = static_cast<std::size_t>(program.input(0, 1) - program.input(0, 0));
  for (std::size_t lane = 0; lane < count(); ++lane) write_steady(lane, program.input(0, first) + lane, stride);
}

void ConstraintLanes::reserve(int order) {
  if (!velocities_.empty() && order <= series_[0].max_order()) return;
  series_[0].reserve(count(), order);
  stride_ = rounded_up(count(), kNativeWidth);
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  velocities_.assign(orders * moving() * kMotion * stride_, 0.0);
  multipliers_.assign(orders * static_cast<std::size_t>(rows_) * stride_, 0.0);
  sums_.assign(std::max(static_cast<std::size_t>(rows_), moving() * kMotion) * stride_, 0.0);
  refresh_steady();
}

void ConstraintLanes::advance(int k, double t, const BodyRows& places) {
  expr::SeriesProgram& program = series_[0];
  int input = 0;
  for (const int side : moving_sides_) {
    for (std::size_t c = 0; c < kPlace; ++c) {
      double* row = program.input(k, input++);
      for (std::size_t lane = 0; lane < count(); ++lane) row[lane] = places(c, lanes_[lane].body[side]);
    }
  }
  std::fill_n(program.input(k, input), count(), k == 0 ? t : k == 1 ? 1.0 : 0.0);
  program.advance(k);
}

void ConstraintLanes::jacobian(std::size_t lane, int row, std::size_t side, double* six) const {
  std::fill_n(six, kMotion, 0.0);
  for (const Entry& entry : entries_) {
    if (entry.row == row && entry.side == side) six[entry.component] = series_[0].output(0, entry.output)[lane];
  }
}

void ConstraintLanes::set_velocities(int k, const BodyRows& velocities) {
  double* to = velocities_.data() + static_cast<std::size_t>(k) * moving() * kMotion * stride_;
  for (const int side : moving_sides_) {
    for (std::size_t c = 0; c < kMotion; ++c, to += stride_) {
      for (std::size_t lane = 0; lane < count(); ++lane) to[lane] = velocities(c, lanes_[lane].body[side]);
    }
  }
}

void ConstraintLanes::rate_left(int k, double* rows) const {
  const expr::SeriesProgram& program = series_[0];
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (int row = 0; row < rows_; ++row) {
    if (drive_[row] >= 0) std::copy_n(program.output(k, drive_[row]), count(), sums_.data() + row * stride_);
  }
  const std::size_t by_order = moving() * kMotion * stride_, stride = program.order_stride();
  for (const Entry& entry : entries_) {
    if (entry.steady) continue;
    const double* j = program.output(0, entry.output);
    const double* v = velocities_.data() + (entry.side * kMotion + entry.component) * stride_;
    double* sum = sums_.data() + entry.row * stride_;
    for (std::size_t lane = 0; lane < stride_; lane += kNativeWidth) {
      Lanes left = load<kNativeWidth>(sum + lane);
      for (int i = 1; i <= k; ++i) {
        left -= load<kNativeWidth>(j + i * stride + lane) * load<kNativeWidth>(v + (k - i) * by_order + lane);
      }
      store<kNativeWidth>(sum + lane, left);
    }
  }
  for (int row = 0; row < rows_; ++row) std::copy_n(sums_.data() + row * stride_, count(), rows + row * count());
}

void ConstraintLanes::set_multipliers(int k, const double* rows) {
  double* to = multipliers_.data() + static_cast<std::size_t>(k * rows_) * stride_;
  for (int row = 0; row < rows_; ++row) std::copy_n(rows + row * count(), count(), to + row * stride_);
}

void ConstraintLanes::add_reactions(int k, double* forces, std::size_t stride) {
  if (k == 0) return;
  const expr::SeriesProgram& program = series_[0];
  std::fill(sums_.begin(), sums_.end(), 0.0);
  const std::size_t by_order = static_cast<std::size_t>(rows_) * stride_, j_stride = program.order_stride();
  for (const Entry& entry : entries_) {
    if (entry.steady) continue;
    const double* j = program.output(0, entry.output);
    const double* l = multipliers_.data() + entry.row * stride_;
    double* sum = sums_.data() + (entry.side * kMotion + entry.component) * stride_;
    for (std::size_t lane = 0; lane < stride_; lane += kNativeWidth) {
      Lanes force = load<kNativeWidth>(sum + lane);
      for (int i = 1; i <= k; ++i) {
        force += load<kNativeWidth>(j + i * j_stride + lane) * load<kNativeWidth>(l + (k - i) * by_order + lane);
      }
      store<kNativeWidth>(sum + lane, force);
    }
  }
  const double* sum = sums_.data();
  for (const int side : moving_sides_) {
    for (std::size_t c = 0; c < kMotion; ++c, sum += stride_) {
      for (std::size_t lane = 0; lane < count(); ++lane) {
        forces[c * stride + static_cast<std::size_t>(lanes_[lane].body[side])] += sum[lane];
      }
    }
  }
}

void ConstraintLanes::violation(std::size_t lane, double t, double t_lo, const DoubleDouble* places,
                                const DoubleDouble* motions, DoubleDouble* gaps, DoubleDouble* rates) {
  const std::size_t time = kPlace * moving();
  std::copy_n(places, time, inputs_.begin());
  inputs_[time] = DoubleDouble(t, t_lo);
  const std::size_t steady = inputs_.size() - time - 1 - kMotion * moving();
  std::array<double, kMostSides*(kPlace + kFrame) + kNumbers> numbers;
  write_steady(lane, numbers.data(), 1);
  std::copy_n(numbers.begin(), steady, inputs_.begin() + static_cast<std::ptrdiff_t>(time) + 1);
  std::copy_n(motions, kMotion * moving(), inputs_.end() - static_cast<std::ptrdiff_t>(kMotion * moving()));
  exact_[0].evaluate(inputs_.data(), outputs_.data());
  std::copy_n(outputs_.begin(), rows_, gaps);
  std::copy_n(outputs_.begin() + rows_, rows_, rates);
}

}  // namespace catena
