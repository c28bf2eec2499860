#include "catena/dynamics/bodies/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/dynamics/bodies/assembly_stages.h"
#include "catena/model/joint_info.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

// What Newton-Raphson leaves of a gap that closes is far below; of one that cannot, far above.
constexpr double kClosed = 1e-11;
// Closing a smaller gap changes nothing that another way to close it would not change alike.
constexpr double kFits = 1e-8;

void tidy(LanePair& state) {
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble sum = two_sum(state.hi[i], state.lo[i]);
    state.hi[i] = sum.hi;
    state.lo[i] = sum.lo;
  }
}

// What a body that moves does in a state.
struct Motion {
  Vec3 position{}, velocity{}, spin{};
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};
};

Motion motion_in(const LanePair& state, std::size_t count, std::size_t b) {
  const auto three = [&](std::size_t first) -> Vec3 {
    return {state.hi[first * count + b], state.hi[(first + 1) * count + b],
            state.hi[(first + 2) * count + b]};
  };
  Motion out{three(kPosition), three(kVelocity), three(kRotation)};
  for (std::size_t i = 0; i < 4; ++i) out.orientation[i] = state.hi[(kOrientation + i) * count + b];
  out.spin = rotated(out.orientation, out.spin);
  return out;
}

Motion motion_in(const Body& drawn) {
  return {drawn.position, drawn.velocity, drawn.point ? Vec3{} : drawn.angular_velocity, drawn.orientation};
}

// The angle that leads from one orientation to the other.
double angle_between(const Quaternion& a, const Quaternion& b) {
  double same = 0.0, opposite = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    same = std::hypot(same, a[i] - b[i]);
    opposite = std::hypot(opposite, a[i] + b[i]);
  }
  return 4.0 * std::asin(std::min(1.0, 0.5 * std::min(same, opposite)));
}

// The velocities as drawn, of all bodies or of those that are given: they are the world's, wherever assembly
// has turned the bodies.
void set_drawn_velocities(const Mechanism& mechanism, bool all, LanePair& state) {
  const std::size_t count = state.hi.size() / kBodyState;
  std::size_t b = 0;
  const auto set = [&](std::size_t first, const Vec3& value) {
    for (std::size_t i = 0; i < 3; ++i) {
      state.hi[(first + i) * count + b] = value[i];
      state.lo[(first + i) * count + b] = 0.0;
    }
  };
  for (const Body& body : mechanism.bodies) {
    if (body.fixed) continue;
    if (all || body.velocity_given) set(kVelocity, body.velocity);
    if (!body.point && (all || body.angular_velocity_given)) {
      Vec3 spin = rotated_back(motion_in(state, count, b).orientation, body.angular_velocity);
      if (body.link) spin[0] = 0.0;
      set(kRotation, spin);
    }
    ++b;
  }
}

// Gaps are sorted by joints; of a joint and its motor or start value the larger one counts.
std::vector<JointGap> one_of_each(const std::vector<JointGap>& gaps) {
  std::vector<JointGap> out;
  for (const JointGap& gap : gaps) {
    if (out.empty() || out.back().joint != gap.joint) {
      out.push_back(gap);
    } else {
      out.back().gap = std::max(out.back().gap, gap.gap);
    }
  }
  return out;
}

// A joint's point in one of its bodies, world.
Vec3 point_of(const Multibody& bodies, const LanePair& state, int body, const JointFrame& frame) {
  if (body == kGround) return frame.point;
  const Body& of = bodies.mechanism().bodies[static_cast<std::size_t>(body)];
  const int moving = bodies.moving_index(static_cast<std::size_t>(body));
  Vec3 at = of.position;
  Quaternion p = of.orientation;
  if (moving != kGround) {
    const std::size_t n = bodies.bodies(), b = static_cast<std::size_t>(moving);
    for (std::size_t c = 0; c < 3; ++c) at[c] = state.hi[(kPosition + c) * n + b];
    for (std::size_t c = 0; c < 4; ++c) p[c] = state.hi[(kOrientation + c) * n + b];
  }
  return at + rotated(p, frame.point);
}

// The equation of a rod, (d^2 - L^2) / 2L, is in metres only close to its zero: what people want is d - L.
void measure_rods(const Multibody& bodies, const LanePair& state, std::vector<JointGap>& gaps) {
  for (JointGap& gap : gaps) {
    const Joint& joint = bodies.mechanism().joints[gap.joint];
    if (joint_info(joint.kind).place != JointPlace::ends) continue;
    const Vec3 a = point_of(bodies, state, joint.a, joint.in_a);
    const Vec3 b = point_of(bodies, state, joint.b, joint.in_b);
    gap.gap = std::fabs(length(b - a) - joint.value);
  }
}

// Joints between bodies that rest hold nothing, but must fit: seen as if the second body could move. Those
// with a slider have something that moves.
std::vector<JointGap> gaps_at_rest(const Mechanism& mechanism) {
  const auto rests = [&](int body) {
    return body == kGround || mechanism.bodies[static_cast<std::size_t>(body)].fixed;
  };
  std::vector<JointGap> out;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    Joint joint = mechanism.joints[i];
    if (joint.first >= 0 || joint.slider >= 0 || !rests(joint.a) || !rests(joint.b)) continue;
    Mechanism pair;
    Body second;
    if (joint.b != kGround) second = mechanism.bodies[static_cast<std::size_t>(joint.b)];
    second.fixed = false;
    second.mass = 1.0;
    for (std::size_t k = 0; k < 3; ++k)
      second.inertia[k] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    if (joint.a != kGround) {
      pair.bodies.push_back(mechanism.bodies[static_cast<std::size_t>(joint.a)]);
      joint.a = 0;
    }
    joint.b = static_cast<int>(pair.bodies.size());
    pair.bodies.push_back(second);
    pair.joints.push_back(joint);
    Multibody bodies(pair, {});
    LanePair state;
    bodies.start(state.hi, state.lo);
    std::vector<JointGap> gaps = bodies.gaps(state, false, kClosed);
    measure_rods(bodies, state, gaps);
    for (const JointGap& gap : gaps) out.push_back({i, gap.gap});
  }
  return out;
}

// The gap that motors open within a moment of the start: redundant equations are left out of the motion, so
// those that ask for something else than the others stay unmet. 0: all agree.
double parted(const Mechanism& mechanism, const LanePair& start) {
  constexpr int kOrder = 12;
  constexpr double kMoment = 1e-2;  // s, or less where the motion is fast
  Multibody bodies(mechanism, {});
  const Mobility mobility = bodies.mobility(0.0, start.hi.data());
  if (mechanism.motors.empty() || mobility.equations == mobility.rank) return 0.0;
  bodies.expect_rank(mobility.rank);
  bodies.reserve(kOrder);
  const std::size_t n = bodies.dimension();
  std::vector<double> series((kOrder + 1) * n);
  bodies.taylor(0.0, start.hi.data(), kOrder, series.data());
  double moment = kMoment;
  for (std::size_t i = kOrder * n; i < series.size(); ++i) {
    if (series[i] != 0.0) moment = std::min(moment, 0.1 * std::pow(std::fabs(series[i]), -1.0 / kOrder));
  }
  LanePair later{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = kOrder + 1; k-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) later.hi[i] = later.hi[i] * moment + series[k * n + i];
  }
  bodies.project(moment, later.hi.data(), later.lo.data());
  const double gap = bodies.constraint_error(moment, later.hi.data(), later.lo.data());
  return gap > kClosed ? gap : 0.0;
}

// The motors without any of which the others would agree; all, where there is no such.
std::vector<JointGap> parting_motors(const Mechanism& mechanism, const LanePair& start) {
  std::vector<JointGap> out, all;
  const double gap = parted(mechanism, start);
  if (gap == 0.0) return out;
  for (std::size_t i = 0; i < mechanism.motors.size(); ++i) {
    Mechanism others = mechanism;
    others.motors.erase(others.motors.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back({static_cast<std::size_t>(mechanism.motors[i].joint), gap});
    if (parted(others, start) == 0.0) out.push_back(all.back());
  }
  return out.empty() ? all : out;
}

// Whether a little way along some motion that is left, more constraints count.
bool is_singular(Multibody& bodies, const LanePair& state) {
  if (!bodies.has_loops()) return false;
  const auto rank_at = [&](const LanePair& at) {
    bodies.hold(0.0, at.hi.data());
    return bodies.last_rank();
  };
  const std::size_t rank = rank_at(state);
  LanePair aside = state;
  bodies.wander(aside, 1e-3);
  return bodies.close(aside) < kClosed && rank_at(aside) > rank;
}

}  // namespace

Assembly assemble(const Mechanism& mechanism, std::optional<double> most) {
  Assembly made;
  if (most) {
    Multibody plain(mechanism, {});
    LanePair state;
    plain.start(state.hi, state.lo);
    made.apart = one_of_each(plain.gaps(state, false, *most));
    measure_rods(plain, state, made.apart);
    if (!made.apart.empty()) return made;
  }
  made.open = gaps_at_rest(mechanism);
  if (!made.open.empty()) return made;
  const Mechanism with_values = assembly::with_start_values(mechanism);
  Multibody as_given(with_values, {});
  as_given.start(made.state.hi, made.state.lo);
  // Newton-Raphson's way to close what is apart must not depend on how the scene lies in the world. Chains
  // that are pulled to their end come as close to the drawing as may be, besides: the equations of a link's
  // two angles are others from wherever one looks. Mechanisms of bodies start where their way ends, as they
  // always have: recorded runs are taken up from their scenes.
  const LanePair drawing = made.state;
  const bool is_apart = !as_given.gaps(drawing, false, kFits).empty();
  const bool pulled = is_apart && mechanism.shown_bodies() < mechanism.bodies.size();
  Multibody drawn = is_apart ? Multibody(assembly::with_own_frames(with_values), {}) : as_given;
  double left = drawn.close(made.state);
  // Axes that end up against one another agree, too, and then angles depend on the frames: take them as
  // given.
  if (is_apart && (left > kClosed || !as_given.gaps(made.state, false, kFits).empty())) {
    made.state = drawing;
    drawn = as_given;
    left = drawn.close(made.state);
  }
  if (left > kClosed) {
    made.open = one_of_each(drawn.gaps(made.state, false, kClosed));
    measure_rods(drawn, made.state, made.open);
    return made;
  }
  if (pulled) drawn.approach(drawing, made.state);
  const Mechanism with_rates = assembly::with_start_rates(mechanism, drawn, made.state);
  set_drawn_velocities(mechanism, true, made.state);
  if (assembly::has_givens(mechanism)) {
    Multibody heavy(assembly::with_heavy_givens(with_rates), {});
    for (int pass = 0; pass < 3; ++pass) {
      set_drawn_velocities(mechanism, false, made.state);
      heavy.project(0.0, made.state.hi.data(), made.state.lo.data());
      tidy(made.state);
    }
  }
  Multibody moving(with_rates, {});
  for (int pass = 0; pass < 2; ++pass) {
    moving.project(0.0, made.state.hi.data(), made.state.lo.data());
    tidy(made.state);
  }
  made.clashing = one_of_each(moving.gaps(made.state, true, kClosed));
  Multibody plain(mechanism, {});
  made.singular = is_singular(plain, made.state);
  made.undetermined = plain.undetermined(0.0, made.state.hi.data());
  if (made.clashing.empty() && !made.singular && made.undetermined.empty())
    made.parting = parting_motors(mechanism, made.state);
  note_changes(mechanism, made);
  return made;
}

void note_changes(const Mechanism& drawing, Assembly& made) {
  const std::size_t count = made.state.hi.size() / kBodyState;
  made.move = made.turn = made.velocity = made.spin = made.given_velocity = made.given_spin = {};
  const auto note = [](AssemblyChange& largest, double size, std::size_t body) {
    if (size > largest.size) largest = {size, body, 1.0};
  };
  double extent = 0.0, speed = 0.0, turning = 0.0;
  std::size_t b = 0;
  for (std::size_t i = 0; i < drawing.bodies.size(); ++i) {
    const Body& body = drawing.bodies[i];
    const Motion before = motion_in(body);
    extent = std::max({extent, length(before.position - drawing.bodies[0].position), length(body.size)});
    if (body.fixed) continue;
    const Motion now = motion_in(made.state, count, b++);
    speed = std::max({speed, length(before.velocity), length(now.velocity)});
    turning = std::max({turning, length(before.spin), length(now.spin)});
    note(made.move, length(now.position - before.position), i);
    note(made.velocity, length(now.velocity - before.velocity), i);
    if (body.velocity_given) note(made.given_velocity, length(now.velocity - before.velocity), i);
    if (body.point) continue;
    note(made.turn, angle_between(now.orientation, before.orientation), i);
    note(made.spin, length(now.spin - before.spin), i);
    if (body.angular_velocity_given) note(made.given_spin, length(now.spin - before.spin), i);
  }
  for (const Joint& joint : drawing.joints) {
    for (const JointFrame* frame : {&joint.in_a, &joint.in_b})
      extent = std::max(extent, length(frame->point));
    if (joint_info(joint.kind).place == JointPlace::ends) extent = std::max(extent, joint.value);
  }
  made.move.reference = extent;
  made.velocity.reference = made.given_velocity.reference = speed;
  made.spin.reference = made.given_spin.reference = turning;
}

std::vector<Warning> assembly_warnings(const Mechanism& mechanism, const Assembly& made) {
  std::vector<Warning> out;
  const auto warn = [&](const AssemblyChange& change, const char* what, const char* unit,
                        const char* remedy) {
    if (!change.is_notable()) return;
    const Body& body = mechanism.bodies[change.body];
    out.push_back({body.place, fmt::format("assembly changed the {} of '{}' by {:.3g} {}; {}", what,
                                           body.name, change.size, unit, remedy)});
  };
  const char* drawn = "joints and start values ask for it; draw it so to be sure of where it starts";
  warn(made.move, "place", "m", drawn);
  warn(made.turn, "orientation", "rad", drawn);
  const char* given = "joints, motors and the other velocities do not allow what is given";
  warn(made.given_velocity, "velocity", "m/s", given);
  warn(made.given_spin, "angular velocity", "rad/s", given);
  return out;
}

}  // namespace catena
