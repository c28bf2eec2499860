#include "catena/dynamics/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/model/placement.h"

namespace catena {
namespace {

// What Newton-Raphson leaves of a gap that closes is far below; of one that cannot, far above.
constexpr double kClosed = 1e-11;

void tidy(LanePair& state) {
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble sum = two_sum(state.hi[i], state.lo[i]);
    state.hi[i] = sum.hi;
    state.lo[i] = sum.lo;
  }
}

// The mechanism with motors in place of start values: q = value at t = 0.
Mechanism with_start_values(const Mechanism& mechanism) {
  Mechanism out = mechanism;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    if (!mechanism.joints[i].start) continue;
    out.motors.push_back({static_cast<int>(i), "value", {{"value", *mechanism.joints[i].start}}});
  }
  return out;
}

// Likewise with rates, at the coordinates that positions have been given.
Mechanism with_start_rates(const Mechanism& mechanism, Multibody& closed, const LanePair& state) {
  Mechanism out = mechanism;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    if (!mechanism.joints[i].start_rate) continue;
    const double q = closed.coordinate(i, 0.0, state.hi.data(), state.lo.data()).value;
    out.motors.push_back(
        {static_cast<int>(i), "value + rate*t", {{"value", q}, {"rate", *mechanism.joints[i].start_rate}}});
  }
  return out;
}

void note_changes(const Multibody& bodies, const LanePair& from, Assembly& made) {
  const std::size_t n = bodies.bodies();
  for (std::size_t b = 0; b < n; ++b) {
    double move = 0.0, change = 0.0, turn = 0.0;
    for (std::size_t c = 0; c < 3; ++c) {
      move = std::hypot(move, made.state.hi[(kPosition + c) * n + b] - from.hi[(kPosition + c) * n + b]);
      change = std::hypot(change, made.state.hi[(kVelocity + c) * n + b] - from.hi[(kVelocity + c) * n + b]);
    }
    for (std::size_t c = 0; c < 4; ++c) {
      turn =
          std::hypot(turn, made.state.hi[(kOrientation + c) * n + b] - from.hi[(kOrientation + c) * n + b]);
    }
    made.largest_move = std::max(made.largest_move, move);
    made.largest_turn = std::max(made.largest_turn, 2.0 * turn);
    made.largest_change = std::max(made.largest_change, change);
  }
}

// Whether a little way along some motion that is left, more constraints count.
bool is_singular(Multibody& bodies, const LanePair& state) {
  if (!bodies.has_loops()) return false;
  const std::size_t rank = bodies.mobility(0.0, state.hi.data()).rank;
  LanePair aside = state;
  bodies.wander(aside, 1e-3);
  return bodies.close(aside) < kClosed && bodies.mobility(0.0, aside.hi.data()).rank > rank;
}

}  // namespace

Assembly assemble(const Mechanism& mechanism) {
  Assembly made;
  Multibody drawn(with_start_values(mechanism), {});
  drawn.start(made.state.hi, made.state.lo);
  const LanePair drawing = made.state;
  if (drawn.close(made.state) > kClosed) {
    made.open = drawn.gaps(made.state, false, kClosed);
    return made;
  }
  Multibody moving(with_start_rates(mechanism, drawn, made.state), {});
  moving.project(0.0, made.state.hi.data(), made.state.lo.data());
  tidy(made.state);
  moving.project(0.0, made.state.hi.data(), made.state.lo.data());
  tidy(made.state);
  made.clashing = moving.gaps(made.state, true, kClosed);
  Multibody plain(mechanism, {});
  made.singular = is_singular(plain, made.state);
  made.undetermined = plain.undetermined(0.0, made.state.hi.data());
  note_changes(drawn, drawing, made);
  return made;
}

}  // namespace catena
