// Multibody as methods see it that step momenta, and the symmetries that keep them.
#include <algorithm>
#include <cmath>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

Vec3 times(const Matrix3& m, const Vec3& v) {
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  }
  return out;
}

// x of m x = right, by Cramer's rule.
Vec3 solved(const Matrix3& m, const Vec3& right) {
  const Vec3 a{m[0][0], m[1][0], m[2][0]}, b{m[0][1], m[1][1], m[2][1]}, c{m[0][2], m[1][2], m[2][2]};
  const Vec3 bc = cross(b, c);
  const double determinant = dot(a, bc);
  return {dot(right, bc) / determinant, dot(right, cross(c, a)) / determinant,
          dot(right, cross(a, b)) / determinant};
}

// The mean angular velocity w of a free flight from the spin momentum at its start: with the quaternion
// (s, h w/2) from start to end, s = sqrt(1 - h^2 w^2/4), the discrete Lagrangian h/2 w . I w has the momenta
//     s I w + h/2 w x I w  at the start,   s I w - h/2 w x I w  at the end, each in the body's frame there.
struct Flight {
  Vec3 w;
  double s;
};

bool find_flight(const Matrix3& inertia, double h, const Vec3& spin, Flight& out) {
  constexpr int kMostPasses = 50;
  Vec3 w = solved(inertia, spin);
  double before = HUGE_VAL;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double square = 0.25 * h * h * dot(w, w);
    if (!(square < 1.0)) return false;
    const double s = std::sqrt(1.0 - square);
    const Vec3 momentum = times(inertia, w), turned = cross(w, momentum);
    Vec3 left;
    for (std::size_t i = 0; i < 3; ++i) left[i] = spin[i] - s * momentum[i] - 0.5 * h * turned[i];
    const double size = length(left);
    out = {w, s};
    if (size == 0.0 || size >= before) return true;  // only roundoff is left
    before = size;
    // d/dw of s I w + h/2 w x I w, column by column.
    Matrix3 slope;
    for (std::size_t j = 0; j < 3; ++j) {
      Vec3 unit{};
      unit[j] = 1.0;
      const Vec3 own = times(inertia, unit), first = cross(unit, momentum), second = cross(w, own);
      for (std::size_t i = 0; i < 3; ++i) {
        slope[i][j] = s * own[i] - 0.25 * h * h * w[j] / s * momentum[i] + 0.5 * h * (first[i] + second[i]);
      }
    }
    const Vec3 step = solved(slope, left);
    for (std::size_t i = 0; i < 3; ++i) w[i] += step[i];
  }
  return true;
}

}  // namespace

bool Multibody::depends_on_velocity() const {
  return std::any_of(mechanism_.forces.begin(), mechanism_.forces.end(),
                     [&](const JointForce& force) { return depends_on_rates(force, mechanism_); });
}

void Multibody::momenta_of(const double* x, double* p) const {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b, p += 6) {
    Vec3 omega;
    for (std::size_t i = 0; i < 3; ++i) {
      p[i] = bodies_.mass(b) * x[(kVelocity + i) * n + b];
      omega[i] = x[(kRotation + i) * n + b];
    }
    const Vec3 spin = times(bodies_.inertia(b), omega);
    std::copy(spin.begin(), spin.end(), p + 3);
  }
}

void Multibody::set_momenta(const double* p, double* x) const {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b, p += 6) {
    double six[6];
    std::copy_n(p, 6, six);
    bodies_.divide_by_root(b, six);
    bodies_.divide_by_transposed_root(b, six);
    for (std::size_t i = 0; i < 6; ++i) x[(kVelocity + i) * n + b] = six[i];
  }
}

void Multibody::forces(double t, const double* x, double* f) {
  const std::size_t n = bodies(), s = bodies_.stride();
  for (std::size_t c = 0; c < kBodyState; ++c) std::copy_n(x + c * n, n, order(0) + c * s);
  std::fill(force_.begin(), force_.end(), 0.0);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t b = 0; b < n; ++b) force_[c * s + b] = bodies_.mass(b) * gravity_[c];
  }
  for (ForceLanes& group : forces_) {
    if (group.turns()) group.follow_turns(t, n, x, zeros_.data(), false);
    group.advance(0, t, {order(0), s}, {order(0) + kVelocity * s, s});
    group.add_forces(0, force_.data(), s);
  }
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t c = 0; c < 6; ++c) f[6 * b + c] = force_[c * s + b];
  }
}

bool Multibody::fly(double h, const double* x, double* p, double* change) const {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b, p += 6) {
    for (std::size_t i = 0; i < 3; ++i) change[(kPosition + i) * n + b] = h * p[i] / bodies_.mass(b);
    if (bodies_.point(b)) continue;
    Flight flight;
    if (!find_flight(bodies_.inertia(b), h, {p[3], p[4], p[5]}, flight)) return false;
    const Vec3& w = flight.w;
    const Vec3 v{0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const double less = -dot(v, v) / (1.0 + flight.s);  // s - 1
    const double* q = x + kOrientation * n + b;
    double* to = change + kOrientation * n + b;
    to[0] = q[0] * less - (q[n] * v[0] + q[2 * n] * v[1] + q[3 * n] * v[2]);
    to[n] = q[n] * less + q[0] * v[0] + q[2 * n] * v[2] - q[3 * n] * v[1];
    to[2 * n] = q[2 * n] * less + q[0] * v[1] + q[3 * n] * v[0] - q[n] * v[2];
    to[3 * n] = q[3 * n] * less + q[0] * v[2] + q[n] * v[1] - q[2 * n] * v[0];
    const Vec3 momentum = times(bodies_.inertia(b), w), turned = cross(w, momentum);
    for (std::size_t i = 0; i < 3; ++i) p[3 + i] = flight.s * momentum[i] - 0.5 * h * turned[i];
  }
  return true;
}

void Multibody::gaps(double t, const double* hi, const double* lo, bool rates, double* rows) {
  left_over(t, hi, lo, rates);
  for (std::size_t i = 0; i < right_.size(); ++i) rows[i] = -right_[i];
}

void Multibody::pull(const double* lambda, double* p) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ConstraintLanes& group = groups_[g];
    for (std::size_t lane = 0; lane < group.count(); ++lane) {
      const double* own = lambda + factor_.first_row(first_block_[g] + lane);
      group.for_gradients(lane, [&](int row, std::size_t side, std::size_t component, double value) {
        p[6 * static_cast<std::size_t>(group.moving_body(lane, side)) + component] += own[row] * value;
      });
    }
  }
}

void Multibody::solve_multipliers(double* rows) {
  std::fill(y_.begin(), y_.end(), 0.0);
  factor_.solve(rows, y_.data(), multipliers_.data());
  std::copy(multipliers_.begin(), multipliers_.end(), rows);
}

double Multibody::resistance(double t, const double* hi, const Vec3& v, const Vec3& omega,
                             const Vec3& point) {
  const std::size_t n = bodies();
  moved_.assign(hi, hi + dimension());
  std::fill(moved_.begin() + static_cast<std::ptrdiff_t>(kVelocity * n), moved_.end(), 0.0);
  left_over(t, moved_.data(), zeros_.data(), true);
  const std::vector<double> at_rest = right_;
  for (std::size_t b = 0; b < n; ++b) {
    Vec3 arm;
    Quaternion p;
    for (std::size_t i = 0; i < 3; ++i) arm[i] = hi[(kPosition + i) * n + b] - point[i];
    for (std::size_t i = 0; i < 4; ++i) p[i] = hi[(kOrientation + i) * n + b];
    const Vec3 turning = cross(omega, arm);
    const Vec3 own = bodies_.point(b) ? Vec3{} : rotated_back(p, omega);
    for (std::size_t i = 0; i < 3; ++i) {
      moved_[(kVelocity + i) * n + b] = v[i] + turning[i];
      moved_[(kRotation + i) * n + b] = own[i];
    }
  }
  for (const Joint& joint : mechanism_.joints) {  // where on its curve it is does not change
    if (joint.slider < 0) continue;
    const int slider = moving_index_[static_cast<std::size_t>(joint.slider)];
    for (std::size_t i = 0; i < 3; ++i) moved_[(kVelocity + i) * n + static_cast<std::size_t>(slider)] = 0.0;
  }
  left_over(t, moved_.data(), zeros_.data(), true);
  double largest = 0.0;
  for (std::size_t i = 0; i < right_.size(); ++i) {
    largest = std::max(largest, std::fabs(right_[i] - at_rest[i]));
  }
  for (ForceLanes& group : forces_) {
    largest = std::max(largest, group.largest_rate(t, n, moved_.data(), zeros_.data()));
  }
  return largest;
}

}  // namespace catena
