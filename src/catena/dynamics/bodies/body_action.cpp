#include "catena/dynamics/bodies/body_action.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/bodies/body_lanes.h"

namespace catena {
namespace {

constexpr std::size_t kPlaceLanes = 0;
constexpr std::size_t kTurnLanes = 3;
constexpr std::size_t kMotionLanes = 6;  // velocity and rotation, as in the state behind kVelocity

Vec3 turn_of(const double* lanes, std::size_t n, std::size_t b) {
  return {lanes[kTurnLanes * n + b], lanes[(kTurnLanes + 1) * n + b], lanes[(kTurnLanes + 2) * n + b]};
}

void put_turn(const Vec3& turn, std::size_t n, std::size_t b, double* lanes) {
  for (std::size_t i = 0; i < 3; ++i) lanes[(kTurnLanes + i) * n + b] = turn[i];
}

// (1 - (a/2) cot(a/2)) / a^2
double bernoulli(double square) {
  if (square < 1e-2) return 1.0 / 12 + square * (1.0 / 720 + square * (1.0 / 30240 + square / 1209600));
  const double half = 0.5 * std::sqrt(square);
  return (1.0 - half / std::tan(half)) / square;
}

}  // namespace

void BodyAction::field(const double* x, const double* dx, double* f) const {
  const std::size_t n = bodies_;
  std::copy_n(dx + kPosition * n, 3 * n, f + kPlaceLanes * n);
  std::copy_n(x + kRotation * n, 3 * n, f + kTurnLanes * n);
  std::copy_n(dx + kVelocity * n, 6 * n + others_, f + kMotionLanes * n);
}

void BodyAction::act(const double* sigma, const double* x, double* change) const {
  const std::size_t n = bodies_;
  std::copy_n(sigma + kPlaceLanes * n, 3 * n, change + kPosition * n);
  std::copy_n(sigma + kMotionLanes * n, 6 * n + others_, change + kVelocity * n);
  for (std::size_t b = 0; b < n; ++b) {
    const Vec3 turn = turn_of(sigma, n, b);
    const double angle = length(turn);
    const double quarter = std::sin(0.25 * angle);
    const double w = -2.0 * quarter * quarter;  // cos(angle/2) - 1
    const double s = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    const Vec3 v = s * turn;
    const double* p = x + kOrientation * n + b;
    double* to = change + kOrientation * n + b;
    const double pw = p[0], px = p[n], py = p[2 * n], pz = p[3 * n];
    to[0] = pw * w - (px * v[0] + py * v[1] + pz * v[2]);
    to[n] = px * w + pw * v[0] + py * v[2] - pz * v[1];
    to[2 * n] = py * w + pw * v[1] + pz * v[0] - px * v[2];
    to[3 * n] = pz * w + pw * v[2] + px * v[1] - py * v[0];
  }
}

void BodyAction::dexp_inverse(const double* sigma, const double* v, double* out) const {
  const std::size_t n = bodies_;
  std::copy_n(v, algebra(), out);
  for (std::size_t b = 0; b < n; ++b) {
    const Vec3 s = turn_of(sigma, n, b), w = turn_of(v, n, b), once = cross(s, w), twice = cross(s, once);
    const double factor = bernoulli(dot(s, s));
    Vec3 turn;
    for (std::size_t i = 0; i < 3; ++i) turn[i] = w[i] + 0.5 * once[i] + factor * twice[i];
    put_turn(turn, n, b, out);
  }
}

void BodyAction::bracket(const double* a, const double* b, double* out) const {
  std::fill_n(out, algebra(), 0.0);
  for (std::size_t k = 0; k < bodies_; ++k)
    put_turn(cross(turn_of(b, bodies_, k), turn_of(a, bodies_, k)), bodies_, k, out);
}

}  // namespace catena
