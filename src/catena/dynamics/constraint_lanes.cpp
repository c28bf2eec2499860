#include "catena/dynamics/constraint_lanes.h"

#include <algorithm>
#include <utility>

#include "catena/dynamics/joint_programs.h"
#include "catena/expr/lanes.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

using expr::Graph;
using expr::Lanes;
using expr::NodeId;

bool is_some(double number) { return number != 0.0; }

std::size_t numbers_of(const std::vector<JointLane>& lanes) {
  return lanes.empty() ? 0 : lanes[0].numbers.size();
}

// sum_{i=1..k} a_i b_{k-i}; two sums need not wait for each other.
Lanes<1> convolved(const double* a, std::size_t a_stride, const double* b, std::size_t b_stride, int k) {
  Lanes<1> even = expr::zero<1>(), odd = expr::zero<1>();
  const double* at = a + a_stride;
  const double* with = b + static_cast<std::size_t>(k - 1) * b_stride;
  int i = 1;
  for (; i < k; i += 2, at += 2 * a_stride, with -= 2 * b_stride) {
    even = multiply_add(expr::read<1>(at), expr::read<1>(with), even);
    odd = multiply_add(expr::read<1>(at + a_stride), expr::read<1>(with - b_stride), odd);
  }
  if (i == k) even = multiply_add(expr::read<1>(at), expr::read<1>(with), even);
  return even + odd;
}

}  // namespace

ConstraintLanes::ConstraintLanes(const std::vector<bool>& moves, const EquationMaker& equations,
                                 std::vector<JointLane> lanes)
    : lanes_(std::move(lanes)),
      variables_(moves, numbers_of(lanes_), false),
      exact_variables_(moves, numbers_of(lanes_), true) {
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (const JointLane& lane : lanes_) body_.push_back(lane.body[variables_.sides()[rank]]);
  }
  Graph run;
  const JacobianNodes jacobian = jacobian_nodes(variables_, equations, lanes_, Folding::all, run);
  rows_ = jacobian.rows;
  drive_ = jacobian.drive;
  for (const JacobianEntry& of : jacobian.entries) entries_.push_back({of.row, of.motion, of.output, false});
  series_.emplace_back(run, jacobian.outputs, static_cast<int>(variables_.count()),
                       static_cast<int>(variables_.steady()));
  for (Entry& entry : entries_) entry.steady = series_[0].is_steady(entry.output);
  series_[0].compute_on_demand();
  for (const int output : drive_) {
    if (output >= 0) series_[0].want(output);
  }
  live_motion_.assign(moving() * kMotion, 0);
  live_row_.assign(static_cast<std::size_t>(rows_), 0);

  Graph exact_run;
  const std::vector<NodeId> exact = gap_nodes(exact_variables_, equations, lanes_, exact_run);
  exact_.emplace_back(exact_run, exact, static_cast<int>(exact_variables_.count()));
  exact_[0].look_for_zeros();
  inputs_.resize(exact_variables_.count());
  outputs_.resize(exact.size());
  reserve(1);
}

void ConstraintLanes::refresh_steady() {
  expr::SeriesProgram& program = series_[0];
  const int first = static_cast<int>(variables_.count() - variables_.steady());
  const std::size_t stride = static_cast<std::size_t>(program.input(0, 1) - program.input(0, 0));
  for (std::size_t lane = 0; lane < count(); ++lane) {
    variables_.write_steady(lanes_[lane], program.input(0, first) + lane, stride);
  }
}

void ConstraintLanes::enliven_motion(std::size_t motion) {
  live_motion_[motion] = 1;
  rate_entries_.clear();
  for (const Entry& entry : entries_) {
    if (entry.steady || !live_motion_[entry.motion]) continue;
    rate_entries_.push_back(entry);
    series_[0].want(entry.output);
  }
}

void ConstraintLanes::enliven_row(int row) {
  live_row_[row] = 1;
  reaction_entries_.clear();
  pushed_.clear();
  for (const Entry& entry : entries_) {
    if (entry.steady || !live_row_[entry.row]) continue;
    reaction_entries_.push_back(entry);
    if (pushed_.empty() || pushed_.back() != entry.motion) pushed_.push_back(entry.motion);
    series_[0].want(entry.output);
  }
}

void ConstraintLanes::add_turns(std::size_t lane, double first, double second) {
  lanes_[lane].turns[0] += first;
  lanes_[lane].turns[1] += second;
  refresh_steady();
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
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (std::size_t c = 0; c < kPlace; ++c) {
      double* row = program.input(k, input++);
      for (std::size_t lane = 0; lane < count(); ++lane) row[lane] = places(c, moving_body(lane, rank));
    }
  }
  std::fill_n(program.input(k, input), count(), k == 0 ? t : k == 1 ? 1.0 : 0.0);
  program.advance(k);
}

void ConstraintLanes::jacobian(std::size_t lane, int row, std::size_t rank, double* six) const {
  std::fill_n(six, kMotion, 0.0);
  for (const Entry& entry : entries_) {
    if (entry.row != row || entry.motion / kMotion != rank) continue;
    six[entry.motion % kMotion] = series_[0].output(0, entry.output)[lane];
  }
}

void ConstraintLanes::set_velocities(int k, const BodyRows& velocities) {
  double* to = velocities_.data() + static_cast<std::size_t>(k) * moving() * kMotion * stride_;
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (std::size_t c = 0; c < kMotion; ++c, to += stride_) {
      for (std::size_t lane = 0; lane < count(); ++lane) to[lane] = velocities(c, moving_body(lane, rank));
      if (!live_motion_[rank * kMotion + c] && std::any_of(to, to + count(), is_some)) {
        enliven_motion(rank * kMotion + c);
      }
    }
  }
}

void ConstraintLanes::rate_left(int k, double* rows) const {
  const expr::SeriesProgram& program = series_[0];
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (int row = 0; row < rows_; ++row) {
    if (drive_[row] >= 0) std::copy_n(program.output(k, drive_[row]), count(), sums_.data() + row * stride_);
  }
  const std::size_t by_order = moving() * kMotion * stride_, j_stride = program.order_stride();
  for (const Entry& entry : rate_entries_) {
    const double* j = program.output(0, entry.output);
    const double* v = velocities_.data() + entry.motion * stride_;
    double* sum = sums_.data() + entry.row * stride_;
    for (std::size_t lane = 0; lane < stride_; lane += expr::kWidth) {
      const Lanes<1> part = convolved(j + lane, j_stride, v + lane, by_order, k);
      expr::write<1>(sum + lane, expr::read<1>(sum + lane) - part);
    }
  }
  for (int row = 0; row < rows_; ++row)
    std::copy_n(sums_.data() + row * stride_, count(), rows + row * count());
}

void ConstraintLanes::set_multipliers(int k, const double* rows) {
  double* to = multipliers_.data() + static_cast<std::size_t>(k * rows_) * stride_;
  for (int row = 0; row < rows_; ++row) {
    const double* from = rows + row * count();
    std::copy_n(from, count(), to + row * stride_);
    if (!live_row_[row] && std::any_of(from, from + count(), is_some)) enliven_row(row);
  }
}

void ConstraintLanes::add_reactions(int k, double* forces, std::size_t stride) const {
  if (k == 0) return;
  const expr::SeriesProgram& program = series_[0];
  std::fill(sums_.begin(), sums_.end(), 0.0);
  const std::size_t by_order = static_cast<std::size_t>(rows_) * stride_, j_stride = program.order_stride();
  for (const Entry& entry : reaction_entries_) {
    const double* j = program.output(0, entry.output);
    const double* l = multipliers_.data() + entry.row * stride_;
    double* sum = sums_.data() + entry.motion * stride_;
    for (std::size_t lane = 0; lane < stride_; lane += expr::kWidth) {
      const Lanes<1> part = convolved(j + lane, j_stride, l + lane, by_order, k);
      expr::write<1>(sum + lane, expr::read<1>(sum + lane) + part);
    }
  }
  for (const std::size_t motion : pushed_) {
    const double* sum = sums_.data() + motion * stride_;
    double* to = forces + (motion % kMotion) * stride;
    const int* body = body_.data() + motion / kMotion * count();
    for (std::size_t lane = 0; lane < count(); ++lane) to[body[lane]] += sum[lane];
  }
}

double ConstraintLanes::work(int k) const {
  double sum = 0.0;
  for (int row = 0; row < rows_; ++row) {
    if (drive_[row] < 0) continue;
    for (int j = 0; j <= k; ++j) {
      const double* c = series_[0].output(j, drive_[row]);
      const double* l = multipliers_.data() + static_cast<std::size_t>((k - j) * rows_ + row) * stride_;
      for (std::size_t lane = 0; lane < count(); ++lane) sum += c[lane] * l[lane];
    }
  }
  return sum;
}

const DoubleDouble* ConstraintLanes::violation(std::size_t lane, double t, std::size_t bodies,
                                               const double* hi, const double* lo) {
  exact_variables_.write_exact(lanes_[lane], t, bodies, hi, lo, inputs_);
  exact_[0].evaluate(inputs_.data(), outputs_.data());
  return outputs_.data();
}

}  // namespace catena
