// Chains on bodies that keep to a plane: they are shown as planar chains are, with an angle that has a sign
// and counts turns.
//
// Such a chain keeps to its plane where everything that it is joined to does. Two things have to be so. The
// joints allow it: what is pushed along the plane stays in it. They are equations of a fixed kind, so that a
// motion under forces along the plane that are as good as any shows it. And nothing pushes across the plane:
// that is a matter of the scene's formulas, and is read from these.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "catena/dynamics/world/world.h"
#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

constexpr int kOrder = 10;
constexpr double kRoundoff = 1e-12;

bool is_on_a_body(const Chain& chain) { return chain.carrier || (chain.end && chain.end->body >= 0); }

// A motion as good as any that starts like the motor's own.
std::string some_motion(const JointMotor& motor) {
  expr::Graph graph;
  expr::NodeId place = expr::parse(graph, motor.motion, {{"t"}, motor.parameters}).node;
  if (motor.piece) place = expr::piece_at(graph, place, 0, *motor.piece);
  const double t = 0.0;
  double out[2];
  expr::Program(graph, {place, expr::derivative(graph, place, 0)}, 1).evaluate(&t, 1, out);
  return fmt::format("({:.17g}) + ({:.17g})*t + 0.37*t^2 - 0.21*t^3", out[0], out[1]);
}

// The mechanism with drives and motors that may do anything along their joints.
Mechanism with_any_drives(Mechanism mechanism) {
  for (JointForce& force : mechanism.forces) {
    if (!force.drive.empty()) force.drive = "0.83 + 0.4*t";
  }
  for (JointMotor& motor : mechanism.motors) {
    motor.motion = some_motion(motor);
    motor.piece.reset();
  }
  return mechanism;
}

// Forces along the plane and torques about its normal, or in all directions: lanes [force,
// torque][component][body].
std::vector<double> some_loads(const BodyLanes& bodies, const Plane& plane, bool in_plane) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const std::size_t n = bodies.count();
  std::vector<double> out(6 * n);
  for (std::size_t b = 0; b < n; ++b) {
    const Matrix3& inertia = bodies.inertia(b);
    const double size = bodies.mass(b), spin = inertia[0][0] + inertia[1][1] + inertia[2][2];
    const double along = any(random) * size, up = any(random) * size, about = any(random) * spin;
    double six[] = {plane.cosine * along, plane.sine * along,   up,
                    -plane.sine * about,  plane.cosine * about, 0.0};
    for (std::size_t i = 0; i < 6; ++i) {
      if (!in_plane) six[i] = any(random) * (i < 3 ? size : spin);
      out[i * n + b] = six[i];
    }
  }
  return out;
}

// States along the motion from the start under those forces.
std::vector<std::vector<double>> some_states(Multibody& bodies, const LanePair& start,
                                             std::vector<double> loads) {
  const std::size_t n = bodies.bodies(), lanes = bodies.dimension();
  std::vector<double> series((kOrder + 1) * lanes);
  bodies.reserve(kOrder);
  bodies.begin(0.0, start.hi.data());
  double reach = 1.0;  // s; well within the circle of convergence
  for (int k = 0;; ++k) {
    double* row = series.data() + static_cast<std::size_t>(k) * lanes;
    std::vector<double> order(lanes + kNativeWidth);
    bodies.write(k, order.data());
    std::copy_n(order.data(), lanes, row);
    for (std::size_t i = 0; i < lanes && k > 1; ++i) {
      if (row[i] != 0.0) reach = std::min(reach, 0.3 * std::pow(std::fabs(row[i]), -1.0 / k));
    }
    if (k == kOrder) break;
    bodies.advance(k, {loads.data(), loads.data() + 3 * n});
    std::fill(loads.begin(), loads.end(), 0.0);
  }
  std::vector<std::vector<double>> out;
  for (const double t : {0.0, 0.3 * reach, reach}) {
    std::vector<double>& at = out.emplace_back(lanes);
    for (std::size_t k = kOrder + 1; k-- > 0;) {
      for (std::size_t i = 0; i < lanes; ++i) at[i] = at[i] * t + series[k * lanes + i];
    }
  }
  return out;
}

// Whether the body is in the plane, and has turned from its start about the normal alone.
bool is_in(const BodiesInPlane& flat, const BodyLanes& lanes, std::size_t body,
           const std::vector<double>& x) {
  const std::size_t n = lanes.count();
  const auto at = [&](std::size_t component) { return x[component * n + body]; };
  const Vec3 normal{-flat.plane.sine, flat.plane.cosine, 0.0};
  const auto across = [&](std::size_t first) { return normal[0] * at(first) + normal[1] * at(first + 1); };
  const auto is_small = [](double value, double size) {
    return std::fabs(value) <= kRoundoff * (1.0 + size);
  };
  const double place = std::hypot(at(0), at(1)), speed = std::hypot(at(kVelocity), at(kVelocity + 1));
  if (!is_small(across(kPosition) - flat.offset, place) || !is_small(across(kVelocity), speed)) return false;
  if (lanes.point(body)) return true;
  const Quaternion p{at(kOrientation), at(kOrientation + 1), at(kOrientation + 2), at(kOrientation + 3)};
  const Vec3 own = rotated_back(flat.start[body], normal), now = rotated_back(p, normal);
  const Vec3 omega{at(kRotation), at(kRotation + 1), at(kRotation + 2)};
  const double turning = own[0] * omega[0] + own[1] * omega[1] + own[2] * omega[2];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!is_small(now[i] - own[i], 1.0) || !is_small(omega[i] - turning * own[i], std::fabs(turning)))
      return false;
  }
  return true;
}

// The bodies that joints and start keep in the plane, and of them those that nothing moves out of it.
struct Kept {
  BodiesInPlane flat;
  std::vector<char> held;
};

Kept kept_in(const Plane& plane, double offset, const Mechanism& mechanism, const Vec3& gravity,
             const LanePair& start, std::size_t rank) {
  Multibody probe(with_any_drives(mechanism), gravity);
  probe.expect_rank(rank);
  const std::size_t n = probe.bodies();
  Kept out{{plane, offset, std::vector<char>(n, 1), std::vector<Quaternion>(n)}, std::vector<char>(n, 1)};
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 4; ++i) out.flat.start[b][i] = start.hi[(kOrientation + i) * n + b];
  }
  for (const bool in_plane : {true, false}) {
    std::vector<char>& in = in_plane ? out.flat.in : out.held;
    for (const std::vector<double>& state :
         some_states(probe, start, some_loads(probe.lanes(), plane, in_plane))) {
      for (std::size_t b = 0; b < n; ++b) in[b] = in[b] && is_in(out.flat, probe.lanes(), b, state);
    }
  }
  return out;
}

// Takes out all that is joined to what is out.
void take_out_joined(const Mechanism& mechanism, const std::vector<int>& moving, BodiesInPlane& flat) {
  std::vector<std::vector<int>> ties;
  for (const Joint& joint : mechanism.joints) {
    std::vector<int>& tie = ties.emplace_back(std::vector<int>{joint.a, joint.b});
    for (const int tied : {joint.first, joint.second}) {
      if (tied < 0) continue;
      const Joint& other = mechanism.joints[static_cast<std::size_t>(tied)];
      tie.insert(tie.end(), {other.a, other.b});
    }
  }
  for (const JointForce& force : mechanism.forces) ties.push_back({force.a, force.b});
  for (std::vector<int>& tie : ties) {
    for (int& body : tie) body = body == kGround ? kGround : moving[static_cast<std::size_t>(body)];
    std::erase(tie, kGround);
  }
  const auto is_out = [&](int body) { return !flat.in[static_cast<std::size_t>(body)]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<int>& tie : ties) {
      if (std::none_of(tie.begin(), tie.end(), is_out)) continue;
      for (const int body : tie) {
        char& in = flat.in[static_cast<std::size_t>(body)];
        changed = changed || in;
        in = 0;
      }
    }
  }
}

bool is_in(const BodiesInPlane& flat, const ChainBodies& chain, const std::vector<int>& moving) {
  const auto stays = [&](const Attachment& spot) {
    if (spot.body < 0) return true;
    const int index = moving[static_cast<std::size_t>(spot.body)];
    return index == kGround || flat.in[static_cast<std::size_t>(index)];
  };
  return stays(chain.pivot) && std::all_of(chain.center.begin(), chain.center.end(), stays);
}

}  // namespace

void World::flatten_chains(const Scene& scene, const Union& bodies) {
  const BodySpace space(bodies.mechanism);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const auto plane = common_plane(scene.chains[c], scene.simulation.gravity);
    if (!plane || !is_on_a_body(scene.chains[c])) continue;
    ChainUnit& unit = chains_[c];
    const Vec3 pivot = unit.bodies()->pivot(start_.hi.data() + unit.offset).position;
    const double across = plane->cosine * pivot[1] - plane->sine * pivot[0];
    const double offset = std::fabs(across) <= kRoundoff * std::hypot(pivot[0], pivot[1]) ? 0.0 : across;
    auto [flat, held] =
        kept_in(*plane, offset, bodies.mechanism, scene.simulation.gravity, assembly_.state, mobility_.rank);
    const std::vector<std::optional<Plane>> none(chains_.size());
    for (bool changed = true; changed;) {  // a body out of the plane may pull others along
      changed = false;
      take_out_joined(bodies.mechanism, space.moving, flat);
      const Forces laws(scene, none, bodies, &flat);
      for (std::size_t b = 0; b < flat.in.size(); ++b) {
        if (!flat.in[b] || held[b] || !laws.leaves_plane().bodies[b]) continue;
        flat.in[b] = 0;
        changed = true;
      }
    }
    if (!is_in(flat, *bodies.chains[c], space.moving)) continue;
    ChainUnit in_plane = chain_unit(scene.chains[c], plane, scene.simulation.gravity,
                                    BodyLinks(*bodies.chains[c], bodies.mechanism), has_more_digits_);
    unit.plane = *plane;
    unit.theta = std::move(in_plane.theta);
    unit.phi = std::move(in_plane.phi);
    unit.chain.emplace<BodyChain<2>>(std::move(std::get<BodyChain<2>>(in_plane.chain)));
  }
}

}  // namespace catena
