#include "catena/observe/chain_frame.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <variant>

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// Nearer to a pole than this the azimuth is roundoff.
constexpr double kPole = 1e-14;

double planar_angle(double across, double up) { return std::atan2(across, -up); }

// Rate of the planar angle of link k.
double planar_rate(const LinkVectors& along, const double* lanes, std::size_t k) {
  const double across = along(lanes, 0, k), up = along(lanes, 1, k);
  const double turning = along(lanes, 2, k) * -up + along(lanes, 3, k) * across;
  return turning / (across * across + up * up);
}

}  // namespace

AngleMemory start_memory(const ChainUnit& unit, const double* lanes) {
  AngleMemory memory{std::vector<double>(unit.links(), 0.0), unit.phi};
  if (!unit.planar() || unit.has_angles()) return memory;
  const LinkVectors along = unit.link_vectors();
  for (std::size_t k = 0; k < unit.links(); ++k) {
    const double wrapped = planar_angle(along(lanes, 0, k), along(lanes, 1, k));
    memory.turns[k] = std::round((unit.theta[k] - wrapped) / kTurn);
  }
  return memory;
}

void follow_turns(const ChainUnit& unit, const double* from, const double* to, double elapsed,
                  AngleMemory& memory) {
  if (!unit.planar() || unit.has_angles()) return;
  const LinkVectors along = unit.link_vectors();
  for (std::size_t k = 0; k < along.links; ++k) {
    const double across0 = along(from, 0, k), up0 = along(from, 1, k);
    const double across1 = along(to, 0, k), up1 = along(to, 1, k);
    const double turned = 0.5 * elapsed * (planar_rate(along, from, k) + planar_rate(along, to, k));
    if (std::fabs(turned) > 0.25 * kTurn) {  // a long step: the rates tell how far round it went
      memory.turns[k] +=
          std::round((turned - (planar_angle(across1, up1) - planar_angle(across0, up0))) / kTurn);
      continue;
    }
    // theta wraps only at the top, where it jumps between pi and -pi: a link that changed sides turning
    // upwards over it. Sides as atan2 sees them: across = 0 at the top counts as theta = pi (or -pi for -0).
    const auto right = [](double across, double up) {
      return across > 0 || (across == 0 && !std::signbit(across) && up > 0);
    };
    const auto left = [](double across, double up) {
      return across < 0 || (across == 0 && std::signbit(across) && up > 0);
    };
    const double turning = up1 * across0 - up0 * across1;  // > 0: theta grows (u = (sin, -cos))
    if (right(across0, up0) && left(across1, up1) && turning > 0) ++memory.turns[k];
    if (left(across0, up0) && right(across1, up1) && turning < 0) --memory.turns[k];
  }
}

ChainFrame::ChainFrame(const ChainUnit& unit) : links(unit.links()) {
  for (Lanes3* vectors : {&direction, &rate, &end, &end_velocity, &center, &center_velocity, &rotation,
                          &momentum, &angular_momentum}) {
    for (Lanes& lanes : *vectors) lanes.resize(links);
  }
  for (Lanes* lanes :
       {&theta, &phi, &theta_dot, &phi_dot, &kinetic, &potential, &elastic, &strain, &tension}) {
    lanes->resize(links);
  }
  pole.assign(links, 1.0);
  const bool is_given =
      std::holds_alternative<RigidChain<2>>(unit.chain) || std::holds_alternative<RigidChain<3>>(unit.chain);
  if (!is_given) own_directions_.resize((unit.planar() ? 4 : 6) * links);
}

void ChainFrame::update(ChainUnit& unit, double t, const double* lanes, AngleMemory& memory) {
  const PivotMotion::Instant pivot_now = unit.pivot_at(t, lanes);
  pivot = pivot_now.position;
  pivot_velocity = pivot_now.velocity;
  const std::size_t half = unit.components() * links;
  const auto to_world = [&](const double* from, Lanes3& to) {
    unit.to_world(from, to[0].data(), to[1].data(), to[2].data());
  };
  const double* own = unit.directions(lanes, own_directions_.data());
  to_world(own, direction);
  to_world(own + half, rate);
  if (unit.elastic()) {
    to_world(lanes, end);
    to_world(lanes + half, end_velocity);
    place_masses(unit);
    measure_stretches(unit, lanes);
  } else {
    place(unit);
  }
  weigh(unit);
  measure_angles(unit, own, memory);
  unit.angles(lanes, {theta.data(), phi.data(), theta_dot.data(), phi_dot.data(), pole.data()});
}

void ChainFrame::place(const ChainUnit& unit) {
  const ChainLinks& given = unit.parameters();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < links; ++k) {
      const int parent = given.parent[k];
      const double joint = parent < 0 ? pivot[i] : end[i][parent];
      const double joint_velocity = parent < 0 ? pivot_velocity[i] : end_velocity[i][parent];
      const double length = given.length[k], inside = given.center_of_mass[k] * length;
      end[i][k] = joint + length * direction[i][k];
      end_velocity[i][k] = joint_velocity + length * rate[i][k];
      center[i][k] = joint + inside * direction[i][k];
      center_velocity[i][k] = joint_velocity + inside * rate[i][k];
      momentum[i][k] = given.mass[k] * center_velocity[i][k];
    }
  }
}

void ChainFrame::place_masses(const ChainUnit& unit) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < links; ++k) {
      end[i][k] += pivot[i];
      end_velocity[i][k] += pivot_velocity[i];
      momentum[i][k] = unit.parameters().mass[k] * end_velocity[i][k];
    }
    center[i] = end[i];
    center_velocity[i] = end_velocity[i];
  }
}

void ChainFrame::measure_stretches(const ChainUnit& unit, const double* lanes) {
  const auto stretches = [&](const auto& chain) {
    if constexpr (std::decay_t<decltype(chain)>::kElastic) chain.stretches(lanes, strain.data());
  };
  std::visit(stretches, unit.chain);
  for (std::size_t k = 0; k < links; ++k) {
    const bool pulls = !unit.parameters().slack || strain[k] > 0.0;
    elastic[k] = pulls ? 0.5 * unit.parameters().stiffness[k] * strain[k] * strain[k] : 0.0;
    strain[k] /= unit.parameters().length[k];
  }
}

void ChainFrame::weigh(const ChainUnit& unit) {
  const ChainLinks& given = unit.parameters();
  for (std::size_t k = 0; k < links; ++k) {
    double speed = 0.0, spin = 0.0, fall = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
      rotation[i][k] = direction[a][k] * rate[b][k] - direction[b][k] * rate[a][k];
      angular_momentum[i][k] = (center[a][k] - pivot[a]) * momentum[b][k] -
                               (center[b][k] - pivot[b]) * momentum[a][k] + given.inertia[k] * rotation[i][k];
      speed += center_velocity[i][k] * center_velocity[i][k];
      spin += rate[i][k] * rate[i][k];
      fall += unit.gravity[i] * center[i][k];
    }
    kinetic[k] = 0.5 * (given.mass[k] * speed + given.inertia[k] * spin);
    potential[k] = -given.mass[k] * fall;
  }
}

void ChainFrame::measure_angles(const ChainUnit& unit, const double* own, AngleMemory& memory) {
  for (std::size_t k = 0; k < links; ++k) {
    if (unit.planar()) {
      const double across = own[k], up = own[links + k];
      theta[k] = planar_angle(across, up) + kTurn * memory.turns[k];
      theta_dot[k] = own[2 * links + k] * -up + own[3 * links + k] * across;
      phi[k] = unit.plane.azimuth;
      phi_dot[k] = 0.0;
      continue;
    }
    const double ux = direction[0][k], uy = direction[1][k], uz = direction[2][k];
    const double wx = rate[0][k], wy = rate[1][k], wz = rate[2][k];
    const double across = std::hypot(ux, uy);
    theta[k] = std::atan2(across, -uz);
    if (across <= kPole) {
      theta_dot[k] = uz < 0 ? std::hypot(wx, wy) : -std::hypot(wx, wy);
      phi_dot[k] = std::numeric_limits<double>::quiet_NaN();
    } else {
      const double outwards = (ux * wx + uy * wy) / across;
      theta_dot[k] = across * wz - uz * outwards;
      phi_dot[k] = (ux * wy - uy * wx) / (across * across);
      double azimuth = std::atan2(uy, ux);
      if (azimuth < 0) azimuth += kTurn;
      memory.phi[k] = azimuth >= kTurn ? 0.0 : azimuth;
    }
    phi[k] = memory.phi[k];
  }
}

void ChainFrame::react(const ChainUnit& unit, const WorldReactions::OfChain& found) {
  tension = found.tension;
  pivot_force = unit.to_world(found.pivot);
  end_force = found.end;
}

}  // namespace catena
