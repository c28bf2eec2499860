#include "catena/lab/experiment/body_drag.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace catena {
namespace {

constexpr int kMostSteps = 40;         // of one move of the hand
constexpr double kLargestTurn = 0.25;  // rad in one step, so that turns are counted and joints can be met
constexpr double kMet = 1e-12;         // m, rad: joints are met
constexpr double kNear = 1e-9;         // of the distance to the hand at first: it has arrived

double size(const Vec3& a) { return std::sqrt(dot(a, a)); }

// v from the body's frame to the world: v + 2 w (p x v) + 2 p x (p x v).
Vec3 turned(const Quaternion& q, const Vec3& v) {
  const Vec3 p{q[1], q[2], q[3]};
  const Vec3 once = cross(p, v), twice = cross(p, once);
  return {v[0] + 2.0 * (q[0] * once[0] + twice[0]), v[1] + 2.0 * (q[0] * once[1] + twice[1]),
          v[2] + 2.0 * (q[0] * once[2] + twice[2])};
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

// One body's part of lanes [component][body].
struct BodyView {
  const std::vector<double>& lanes;
  std::size_t bodies, body;

  double at(std::size_t component) const { return lanes[component * bodies + body]; }
  Vec3 vector(std::size_t first) const { return {at(first), at(first + 1), at(first + 2)}; }
  Quaternion orientation() const {
    return {at(kOrientation), at(kOrientation + 1), at(kOrientation + 2), at(kOrientation + 3)};
  }
};

// How all bodies would begin to move from rest, were this the only force (world, at the centre of mass, with
// its torque) on them: accelerations with it less those without, [v, omega (body frame)][body].
std::vector<double> response(Multibody& mechanism, double t, const LanePair& lanes, std::size_t body,
                             const Vec3& force, const Vec3& torque) {
  const std::size_t n = mechanism.bodies();
  std::vector<double> loads(6 * n, 0.0), with(mechanism.dimension()), without(mechanism.dimension());
  for (std::size_t i = 0; i < 3; ++i) {
    loads[i * n + body] = force[i];
    loads[(3 + i) * n + body] = torque[i];
  }
  mechanism.reserve(1);
  mechanism.begin(t, lanes.hi.data());
  mechanism.advance(0, {loads.data(), loads.data() + 3 * n});
  mechanism.write(1, with.data());
  mechanism.rhs(t, lanes.hi.data(), without.data());
  std::vector<double> out(6 * n);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = with[kVelocity * n + i] - without[kVelocity * n + i];
  return out;
}

Vec3 at_body(const std::vector<double>& motion, std::size_t n, std::size_t first, std::size_t body) {
  return {motion[first * n + body], motion[(first + 1) * n + body], motion[(first + 2) * n + body]};
}

double largest_turn(const std::vector<double>& motion, std::size_t n) {
  double largest = 0.0;
  for (std::size_t b = 0; b < n; ++b) largest = std::max(largest, size(at_body(motion, n, 3, b)));
  return largest;
}

// All bodies moved by `factor` times `motion`, each turning about a fixed axis.
LanePair moved(const LanePair& lanes, const std::vector<double>& motion, std::size_t n, double factor) {
  LanePair out = lanes;
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 3; ++i) out.hi[(kPosition + i) * n + b] += factor * motion[i * n + b];
    const Vec3 omega = at_body(motion, n, 3, b);
    const double angle = factor * size(omega);
    if (angle == 0.0) continue;
    const double along = factor * std::sin(0.5 * angle) / angle;
    const Quaternion turn{std::cos(0.5 * angle), along * omega[0], along * omega[1], along * omega[2]};
    const Quaternion q = product(BodyView{lanes.hi, n, b}.orientation(), turn);
    for (std::size_t i = 0; i < 4; ++i) {
      out.hi[(kOrientation + i) * n + b] = q[i];
      out.lo[(kOrientation + i) * n + b] = 0.0;
    }
  }
  return out;
}

void stop(LanePair& lanes, std::size_t n) {
  std::fill(lanes.hi.begin() + static_cast<std::ptrdiff_t>(kVelocity * n), lanes.hi.end(), 0.0);
  std::fill(lanes.lo.begin() + static_cast<std::ptrdiff_t>(kVelocity * n), lanes.lo.end(), 0.0);
}

// Takes over `lanes`; turns of joints follow the short way.
void take(Multibody& mechanism, double t, BodyStates& state, LanePair lanes) {
  follow_turns(mechanism, t, {state.lanes.hi.data(), state.lanes.lo.data()},
               {lanes.hi.data(), lanes.lo.data()}, 0.0, state.angles);
  state.lanes = std::move(lanes);
}

// Along `motion` by `factor`, or by less where joints cannot be met; false: not at all.
bool step(Multibody& mechanism, double t, BodyStates& state, const std::vector<double>& motion,
          double factor) {
  for (int halving = 0; halving < 6; ++halving, factor *= 0.5) {
    LanePair tried = moved(state.lanes, motion, mechanism.bodies(), factor);
    if (!settle(mechanism, t, tried)) continue;
    take(mechanism, t, state, std::move(tried));
    return true;
  }
  mechanism.set_turns(state.angles.turns);
  return false;
}

}  // namespace

bool settle(Multibody& mechanism, double t, LanePair& lanes) {
  constexpr int kMostPasses = 10;
  double before = HUGE_VAL;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    mechanism.project(t, lanes.hi.data(), lanes.lo.data());
    for (std::size_t i = 0; i < lanes.hi.size(); ++i) {  // what was far off goes into hi
      const double whole = lanes.hi[i] + lanes.lo[i];
      lanes.lo[i] -= whole - lanes.hi[i];
      lanes.hi[i] = whole;
      if (!std::isfinite(whole)) return false;
    }
    const double error = mechanism.constraint_error(t, lanes.hi.data(), lanes.lo.data());
    if (error < kMet) return true;
    if (!(error < before)) return false;
    before = error;
  }
  return false;
}

BodyStates body_dragged(Multibody& mechanism, double t, BodyStates from, std::size_t body,
                        const Vec3& in_body, const Vec3& target) {
  const int index = mechanism.moving_index(body);
  if (index < 0) return from;
  const std::size_t n = mechanism.bodies(), b = static_cast<std::size_t>(index);
  mechanism.set_turns(from.angles.turns);
  stop(from.lanes, n);
  if (!settle(mechanism, t, from.lanes)) return from;
  double first_gap = -1.0;
  double pull = HUGE_VAL;  // how far ahead the hand is taken to be: near it where paths bend
  Vec3 before{};           // where the point was going
  for (int i = 0; i < kMostSteps; ++i) {
    const BodyView view{from.lanes.hi, n, b};
    const Vec3 arm = turned(view.orientation(), in_body);
    const Vec3 gap = target - (view.vector(kPosition) + arm);
    const double distance = size(gap);
    if (first_gap < 0.0) first_gap = distance;
    if (distance <= kNear * first_gap) break;
    const std::vector<double> motion = response(mechanism, t, from.lanes, b, gap, cross(arm, gap));
    const Vec3 point =
        at_body(motion, n, 0, b) + cross(turned(view.orientation(), at_body(motion, n, 3, b)), arm);
    const double along = dot(gap, point), square = dot(point, point);
    if (!(along > 1e-9 * distance * std::sqrt(square)) || square == 0.0) break;  // as near as it gets
    if (dot(point, before) < 0.0) pull = 0.4 * std::min(pull, distance);         // it went too far
    before = point;
    const double factor = std::min(std::min(1.0, pull / distance) * along / square,
                                   kLargestTurn / std::max(largest_turn(motion, n), 1e-300));
    if (!step(mechanism, t, from, motion, factor)) break;
  }
  stop(from.lanes, n);
  settle(mechanism, t, from.lanes);
  return from;
}

BodyStates first_body_turned(Multibody& mechanism, double t, BodyStates from, double angle) {
  const std::size_t n = mechanism.bodies();
  mechanism.set_turns(from.angles.turns);
  for (const std::size_t first : {std::size_t{3}, std::size_t{0}}) {  // turning, then moving
    for (std::size_t b = 0; b < n; ++b) {
      std::vector<double> best;
      double fastest = 1e-9;  // per N or N m and kg: less is roundoff
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3 pull{};
        pull[axis] = 1.0;
        std::vector<double> motion = first == 3 ? response(mechanism, t, from.lanes, b, Vec3{}, pull)
                                                : response(mechanism, t, from.lanes, b, pull, Vec3{});
        const double speed = size(at_body(motion, n, first, b));
        if (speed > fastest) {
          fastest = speed;
          best = std::move(motion);
        }
      }
      if (!best.empty() && step(mechanism, t, from, best, angle / fastest)) return from;
    }
  }
  return from;
}

}  // namespace catena
