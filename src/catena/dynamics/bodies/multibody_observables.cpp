// What can be said of a mechanism at a state: coordinates of joints, mobility, reactions.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

// The joint's point in a body that rests, world.
Vec3 resting_point(const JointLane& lane, std::size_t side) {
  const std::array<double, kPlace>& place = lane.resting[side];
  Vec3 out = rotated({place[3], place[4], place[5], place[6]}, lane.frame[side].point);
  for (std::size_t i = 0; i < 3; ++i) out[i] += place[i];
  return out;
}

}  // namespace

Multibody::JointCoordinate Multibody::coordinate(std::size_t joint, double t, const double* hi,
                                                 const double* lo) {
  if (coordinates_.empty()) make_coordinates();
  const int at = coordinate_of_joint_[joint];
  if (at < 0) return {};
  const double* both =
      coordinates_[static_cast<std::size_t>(at)].violation(coordinate_lane_[joint], t, bodies(), hi, lo);
  return {both[0], both[1]};
}

double Multibody::constraint_error(double t, const double* hi, const double* lo) {
  follow_turns(t, hi, lo);
  const Largest left = measure(t, hi, lo);
  double largest = std::max(left.gap, left.rate);
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b) {
    DoubleDouble square(-1.0);
    for (std::size_t c = 0; c < 4; ++c) {
      const DoubleDouble p(hi[(kOrientation + c) * n + b], lo[(kOrientation + c) * n + b]);
      square += p * p;
    }
    largest = std::max(largest, abs(square));
  }
  return largest;
}

Mobility Multibody::mobility(double t, const double* x) {
  factor_at(t, x);
  Mobility out;
  out.rank = last_rank();
  out.equations = factor_.rows() - slider_rows_;
  std::size_t free = 6 * bodies();
  for (std::size_t b = 0; b < bodies(); ++b) free -= bodies_.point(b) ? 3 : 0;
  out.degrees_of_freedom = free - factor_.rank();
  out.redundant.assign(mechanism_.joints.size(), 0);
  out.unique.assign(mechanism_.joints.size(), 1);
  std::vector<double> none(factor_.rows(), 0.0);
  const std::vector<char> open = factor_.take_least(none);
  std::vector<char> follows(factor_.rows(), 0);
  for (const std::size_t row : factor_.redundant_rows()) follows[row] = 1;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t lane = 0; lane < groups_[g].count(); ++lane) {
      const std::size_t first = factor_.first_row(first_block_[g] + lane);
      const std::size_t last = first + static_cast<std::size_t>(groups_[g].rows());
      const auto count = std::count(follows.begin() + static_cast<std::ptrdiff_t>(first),
                                    follows.begin() + static_cast<std::ptrdiff_t>(last), 1);
      const auto joint = static_cast<std::size_t>(groups_[g].lanes()[lane].joint);
      out.redundant[joint] += static_cast<std::size_t>(count);
      if (std::any_of(open.begin() + static_cast<std::ptrdiff_t>(first),
                      open.begin() + static_cast<std::ptrdiff_t>(last), [](char one) { return one != 0; })) {
        out.unique[joint] = 0;
      }
    }
  }
  return out;
}

std::vector<UndeterminedMotion> Multibody::undetermined(double t, const double* x) {
  std::vector<UndeterminedMotion> out;
  if (massless_.empty()) return out;
  factor_at(t, x);
  massless_.factor(factor_);
  for (const std::vector<double>& amounts : massless_.undetermined()) {
    std::vector<double> y(6 * bodies(), 0.0);
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const MasslessMotion& motion = massless_.motions()[i];
      for (std::size_t c = 0; c < 6; ++c) y[6 * motion.body + c] += amounts[i] * motion.unit[c];
    }
    const auto largest =
        std::max_element(y.begin(), y.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const std::size_t body = static_cast<std::size_t>(largest - y.begin()) / 6;
    double* six = y.data() + 6 * body;
    const bool turns = (largest - y.begin()) % 6 >= 3;
    bodies_.divide_by_transposed_root(body, six);
    Vec3 direction{six[turns ? 3 : 0], six[turns ? 4 : 1], six[turns ? 5 : 2]};
    const double size = length(direction);
    for (double& c : direction) c = std::fabs(c) < 1e-9 * size ? 0.0 : c / size;
    std::size_t index = 0;
    while (moving_index_[index] != static_cast<int>(body)) ++index;
    out.push_back({index, turns, direction});
  }
  return out;
}

std::vector<Multibody::Reaction> Multibody::reactions(double t, const double* x, const BodyLoads& loads) {
  begin(t, x);
  advance(0, loads);
  std::vector<double> least = multipliers_;
  const std::vector<char> open = factor_.take_least(least);
  std::vector<Reaction> out(mechanism_.joints.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ConstraintLanes& group = groups_[g];
    for (std::size_t lane = 0; lane < group.count(); ++lane) {
      const JointLane& of = group.lanes()[lane];
      const std::size_t first = factor_.first_row(first_block_[g] + lane);
      Reaction& reaction = out[static_cast<std::size_t>(of.joint)];
      for (int row = 0; row < group.rows(); ++row) {
        reaction.unique = reaction.unique && !open[first + static_cast<std::size_t>(row)];
      }
      // On the second body where it moves, else what the first one feels, reversed; of a tie, on the bodies
      // of the second of its joints.
      const bool ties = mechanism_.joints[static_cast<std::size_t>(of.joint)].first >= 0;
      const std::size_t b_side = ties ? 3 : 1, a_side = b_side - 1;
      const bool second = of.body[b_side] != kGround;
      const std::size_t side = second ? b_side : a_side;
      if (of.body[side] == kGround) continue;
      const std::size_t rank = group.rank_of(static_cast<int>(side));
      Vec3 force{}, torque{};
      for (int row = 0; row < group.rows(); ++row) {
        double six[6];
        group.jacobian(lane, row, rank, six);
        const double weight = (second ? 1.0 : -1.0) * least[first + static_cast<std::size_t>(row)];
        for (std::size_t i = 0; i < 3; ++i) force[i] += weight * six[i], torque[i] += weight * six[3 + i];
      }
      const std::size_t n = bodies(), b = static_cast<std::size_t>(of.body[side]);
      Quaternion p;
      for (std::size_t c = 0; c < 4; ++c) p[c] = x[(kOrientation + c) * n + b];
      const Vec3 turning = rotated(p, torque);
      Vec3 arm = rotated(p, of.frame[side].point);
      if (!second) {
        const Vec3 at = resting_point(of, b_side);
        for (std::size_t i = 0; i < 3; ++i) arm[i] = at[i] - x[i * n + b];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        reaction.force[i] += force[i];
        reaction.moment[i] += turning[i] - (arm[j] * force[k] - arm[k] * force[j]);
      }
    }
  }
  return out;
}

}  // namespace catena
