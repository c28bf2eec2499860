#include "catena/dynamics/world.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/dynamics/conversion.h"
#include "catena/dynamics/directions.h"

namespace catena {
namespace {

constexpr double kRoundoff = 4 * 2.220446049250313e-16;

ChainLinks chain_links(const Chain& chain) {
  ChainLinks links;
  for (const Link& link : chain.links) {
    links.length.push_back(link.length);
    links.mass.push_back(link.mass);
    links.center_of_mass.push_back(link.center_of_mass);
    links.inertia.push_back(link.inertia);
    links.parent.push_back(link.parent);
    if (chain.kind == ChainKind::elastic) links.stiffness.push_back(link.stiffness);
  }
  return links;
}

Vec3 direction(const Link& link) {
  if (link.by_direction) return link.direction;
  return {link.theta.sine * link.phi.cosine, link.theta.sine * link.phi.sine, -link.theta.cosine};
}

Vec3 rate(const Link& link) {
  if (link.by_direction) return link.rate;
  const double polar = link.theta_dot, azimuthal = link.phi_dot * link.theta.sine;
  return {polar * link.theta.cosine * link.phi.cosine - azimuthal * link.phi.sine,
          polar * link.theta.cosine * link.phi.sine + azimuthal * link.phi.cosine, polar * link.theta.sine};
}

double within_turn(double angle) {
  const double turn = 2 * std::numbers::pi;
  double out = std::fmod(angle, turn);
  if (out < 0) out += turn;
  return out >= turn ? 0.0 : out;
}

// The horizontal direction that a link's start shows, if it shows one.
std::optional<Plane> shown_plane(const Link& link) {
  if (!link.by_direction) {
    if (link.theta.sine == 0.0 && link.theta_dot == 0.0) return std::nullopt;
    return Plane{within_turn(link.phi.radians), link.phi.cosine, link.phi.sine};
  }
  for (const Vec3& v : {link.direction, link.rate}) {
    const double size = std::hypot(v[0], v[1]);
    if (size > 0.0) return Plane{within_turn(std::atan2(v[1], v[0])), v[0] / size, v[1] / size};
  }
  return std::nullopt;
}

// The vertical plane that start and gravity lie in; none if the motion is spatial.
std::optional<Plane> common_plane(const Chain& chain, const Vec3& gravity) {
  // The charts are of space: they show theta and phi where others show the plane's angle.
  if (!chain.plane_allowed || chain.formulation == Formulation::chart) return std::nullopt;
  std::optional<Plane> plane;
  for (const Link& link : chain.links) {
    if ((plane = shown_plane(link))) break;
  }
  const double sideways_pull = std::hypot(gravity[0], gravity[1]);
  if (!plane && sideways_pull > 0.0) {
    const double azimuth = within_turn(std::atan2(gravity[1], gravity[0]));
    plane = Plane{azimuth, gravity[0] / sideways_pull, gravity[1] / sideways_pull};
  }
  if (!plane) {
    const Link& first = chain.links.front();
    plane = first.by_direction ? Plane{}
                               : Plane{within_turn(first.phi.radians), first.phi.cosine, first.phi.sine};
  }
  const auto leaves = [&](const Vec3& v, double size) {
    return std::fabs(v[1] * plane->cosine - v[0] * plane->sine) > kRoundoff * size;
  };
  if (leaves(gravity, std::hypot(gravity[0], gravity[1]))) return std::nullopt;
  for (const Link& link : chain.links) {
    const Vec3 w = rate(link);
    if (leaves(direction(link), 1.0) || leaves(w, std::hypot(w[0], w[1], w[2]))) return std::nullopt;
  }
  return plane;
}

// +1 when the link's own azimuth is the plane's, -1 when it is opposite. A link that shows no azimuth,
// vertical and at rest, keeps the sign of its angle.
double side(const Link& link, const Plane& plane) {
  if (!shown_plane(link)) return 1.0;
  return link.phi.cosine * plane.cosine + link.phi.sine * plane.sine < 0.0 ? -1.0 : 1.0;
}

std::array<double, 4> planar_start(const Link& link, const Plane& plane) {
  if (link.by_direction) {
    const auto along = [&](const Vec3& v) { return v[0] * plane.cosine + v[1] * plane.sine; };
    return {along(link.direction), link.direction[2], along(link.rate), link.rate[2]};
  }
  const double sign = side(link, plane);
  return {sign * link.theta.sine, -link.theta.cosine, sign * link.theta_dot * link.theta.cosine,
          link.theta_dot * link.theta.sine};
}

ChainSolver solver_for(const Chain& chain, const ChainLinks& links) {
  if (chain.formulation == Formulation::articulated) return ChainSolver::articulated;
  return links.serial() && links.point_masses() ? ChainSolver::tension : ChainSolver::articulated;
}

// Angles at the start: planar ones signed and as written, with all their turns; spatial ones as columns show
// them.
void start_angles(const Chain& chain, ChainUnit& unit) {
  for (const Link& link : chain.links) {
    const Vec3 u = direction(link);
    if (unit.planar()) {
      const std::array<double, 4> start = planar_start(link, unit.plane);
      unit.theta.push_back(link.by_direction ? std::atan2(start[0], -start[1])
                                             : side(link, unit.plane) * link.theta.radians);
      unit.phi.push_back(unit.plane.azimuth);
    } else {
      unit.theta.push_back(std::atan2(std::hypot(u[0], u[1]), -u[2]));
      unit.phi.push_back(link.by_direction ? within_turn(std::atan2(u[1], u[0]))
                                           : within_turn(link.phi.radians));
    }
  }
}

template <int D>
AnyChain chain_in(const Chain& chain, const std::array<double, D>& gravity) {
  ChainLinks links = chain_links(chain);
  if (chain.kind == ChainKind::elastic) return ElasticChain<D>(std::move(links), gravity);
  if (chain.formulation == Formulation::lie) return LieChain<D>(std::move(links), gravity);
  if (chain.formulation == Formulation::angles || chain.formulation == Formulation::chart) {
    return CoordinateChain<D>(std::move(links), gravity);
  }
  const ChainSolver solver = solver_for(chain, links);
  return RigidChain<D>(std::move(links), gravity, solver);
}

ChainUnit chain_unit(const Chain& chain, const Vec3& gravity) {
  const std::optional<Plane> plane = common_plane(chain, gravity);
  if (!plane && chain.formulation == Formulation::angles) {
    const std::string owner = chain.name.empty() ? "chain" : "chain '" + chain.name + "'";
    throw InputError(chain.formulation_place,
                     owner +
                         ": formulation 'angles' is for motion in one vertical plane, which start or "
                         "gravity leave here; use 'chart' or 'lie', or leave formulation out");
  }
  const auto make = [&]() -> AnyChain {
    if (!plane) return chain_in<3>(chain, gravity);
    return chain_in<2>(chain, {gravity[0] * plane->cosine + gravity[1] * plane->sine, gravity[2]});
  };
  ChainUnit unit{chain.name, chain.pivot, gravity, plane.value_or(Plane{}), make(), 0, {}, {}};
  start_angles(chain, unit);
  return unit;
}

LanePair start_directions(const Chain& chain, const ChainUnit& unit) {
  const std::size_t n = unit.links(), d = unit.planar() ? 2 : 3;
  LanePair state{std::vector<double>(2 * d * n), std::vector<double>(2 * d * n, 0.0)};
  double* lanes = state.hi.data();
  for (std::size_t k = 0; k < n; ++k) {
    const Link& link = chain.links[k];
    if (unit.planar()) {
      const std::array<double, 4> start = planar_start(link, unit.plane);
      for (std::size_t i = 0; i < 4; ++i) lanes[i * n + k] = start[i];
    } else {
      const Vec3 u = direction(link), w = rate(link);
      for (std::size_t i = 0; i < d; ++i) {
        lanes[i * n + k] = u[i];
        lanes[(d + i) * n + k] = w[i];
      }
    }
  }
  return state;
}

template <int D>
LanePair elastic_start(const Chain& chain, const ChainLinks& links, LanePair directions) {
  project_directions<D>(links.count(), directions.hi.data(), directions.lo.data());
  std::vector<double> extent, lengthening;
  for (const Link& link : chain.links) {
    extent.push_back(link.length + link.stretch);
    lengthening.push_back(link.stretch_dot);
  }
  return ends_of<D>(links, directions, extent, lengthening);
}

LanePair start_of(const Chain& chain, const ChainUnit& unit) {
  LanePair directions = start_directions(chain, unit);
  if (!unit.elastic()) {
    const auto state = [&](const auto& c) -> LanePair {
      if constexpr (requires { c.state_of(directions); })
        return c.state_of(directions);
      else
        return directions;
    };
    LanePair own = std::visit(state, unit.chain);
    // Angles as written, with all their turns.
    if (unit.planar() && unit.has_angles()) std::copy(unit.theta.begin(), unit.theta.end(), own.hi.begin());
    return own;
  }
  return unit.planar() ? elastic_start<2>(chain, unit.parameters(), std::move(directions))
                       : elastic_start<3>(chain, unit.parameters(), std::move(directions));
}

}  // namespace

bool ChainUnit::planar() const {
  return std::visit([](const auto& c) { return c.kDimension == 2; }, chain);
}

bool ChainUnit::elastic() const {
  return std::visit([](const auto& c) { return c.kElastic; }, chain);
}

std::size_t ChainUnit::links() const {
  return std::visit([](const auto& c) { return c.links(); }, chain);
}

std::size_t ChainUnit::dimension() const {
  return std::visit([](const auto& c) { return c.dimension(); }, chain);
}

const ChainLinks& ChainUnit::parameters() const {
  return std::visit([](const auto& c) -> const ChainLinks& { return c.parameters(); }, chain);
}

void ChainUnit::to_world(const double* lanes, double* x, double* y, double* z) const {
  const std::size_t n = links();
  if (!planar()) {
    std::copy_n(lanes, n, x);
    std::copy_n(lanes + n, n, y);
    std::copy_n(lanes + 2 * n, n, z);
    return;
  }
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = lanes[k] * plane.cosine;
    y[k] = lanes[k] * plane.sine;
  }
  std::copy_n(lanes + n, n, z);
}

const double* ChainUnit::directions(const double* lanes, double* room) const {
  const auto own = [&](const auto& c) -> const double* {
    if constexpr (requires { c.directions(lanes, room); }) {
      c.directions(lanes, room);
      return room;
    } else {
      return lanes;
    }
  };
  return std::visit(own, chain);
}

LinkVectors ChainUnit::link_vectors() const {
  return {links(), elastic() ? parameters().parent.data() : nullptr,
          std::holds_alternative<LieChain<2>>(chain)};
}

bool ChainUnit::has_angles() const {
  return std::visit(
      [](const auto& c) {
        return requires { c.angles(nullptr, AngleLanes{}); };
      },
      chain);
}

void ChainUnit::angles(const double* lanes, const AngleLanes& out) const {
  const auto own = [&](const auto& c) {
    if constexpr (requires { c.angles(lanes, out); }) c.angles(lanes, out);
  };
  std::visit(own, chain);
}

World::World(const Scene& scene) {
  for (const Chain& chain : scene.chains) {
    chains_.push_back(chain_unit(chain, scene.simulation.gravity));
    ChainUnit& unit = chains_.back();
    unit.offset = dimension_;
    dimension_ += unit.dimension();
    const LanePair start = start_of(chain, unit);
    start_.hi.insert(start_.hi.end(), start.hi.begin(), start.hi.end());
    start_.lo.insert(start_.lo.end(), start.lo.begin(), start.lo.end());
    for (const double mass : unit.parameters().mass) {
      for (int i = 0; i < 3; ++i) pivot_potential_ -= DoubleDouble(mass * unit.gravity[i]) * unit.pivot[i];
    }
  }
}

std::size_t World::degrees_of_freedom() const {
  std::size_t sum = 0;
  for (const ChainUnit& unit : chains_) {
    sum += std::visit([](const auto& c) { return c.degrees_of_freedom(); }, unit.chain);
  }
  return sum;
}

double World::series_overhead() const {
  double largest = 0.0;
  for (const ChainUnit& unit : chains_) {
    largest = std::max(largest, std::visit([](const auto& c) { return c.series_overhead(); }, unit.chain));
  }
  return largest;
}

void World::start(std::vector<double>& hi, std::vector<double>& lo) const {
  hi = start_.hi;
  lo = start_.lo;
  project(hi.data(), lo.data());
}

void World::rhs(const double* x, double* dx) {
  for (ChainUnit& unit : chains_) {
    std::visit([&](auto& c) { c.rhs(x + unit.offset, dx + unit.offset); }, unit.chain);
  }
}

void World::taylor(const double* x, int order, double* c) {
  if (chains_.size() == 1) {
    std::visit([&](auto& chain) { chain.taylor(x, order, c); }, chains_[0].chain);
    return;
  }
  for (ChainUnit& unit : chains_) {
    const std::size_t own = unit.dimension();
    std::visit([&](auto& chain) { chain.taylor(x + unit.offset, order, series_.data()); }, unit.chain);
    for (int k = 0; k <= order; ++k) {
      std::copy_n(series_.data() + k * own, own, c + k * dimension_ + unit.offset);
    }
  }
}

void World::reserve(int order) {
  std::size_t largest = 0;
  for (ChainUnit& unit : chains_) {
    std::visit([&](auto& c) { c.reserve(order); }, unit.chain);
    largest = std::max(largest, unit.dimension());
  }
  if (chains_.size() > 1)
    series_.resize(std::max(series_.size(), (static_cast<std::size_t>(order) + 1) * largest));
}

void World::project(const double* hi, double* lo) const {
  for (const ChainUnit& unit : chains_) {
    std::visit([&](const auto& c) { c.project(hi + unit.offset, lo + unit.offset); }, unit.chain);
  }
}

double World::constraint_error(const double* hi, const double* lo) const {
  double largest = 0.0;
  for (const ChainUnit& unit : chains_) {
    const auto error = [&](const auto& c) { return c.constraint_error(hi + unit.offset, lo + unit.offset); };
    largest = std::max(largest, std::visit(error, unit.chain));
  }
  return largest;
}

bool World::settle(double* hi, double* lo) const {
  bool changed = false;
  for (const ChainUnit& unit : chains_) {
    const auto settle_one = [&](const auto& c) {
      if constexpr (requires { c.settle(hi, lo); }) changed |= c.settle(hi + unit.offset, lo + unit.offset);
    };
    std::visit(settle_one, unit.chain);
  }
  return changed;
}

Energies World::energy(const double* hi, const double* lo) const {
  Energies sum{{}, pivot_potential_, {}};
  for (const ChainUnit& unit : chains_) {
    const auto part = [&](const auto& c) { return c.energy(hi + unit.offset, lo + unit.offset); };
    const Energies own = std::visit(part, unit.chain);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
    sum.elastic += own.elastic;
  }
  return sum;
}

double World::weight_scale() const {
  double sum = 0.0;
  for (const ChainUnit& unit : chains_) {
    const double g = std::hypot(unit.gravity[0], unit.gravity[1], unit.gravity[2]);
    for (std::size_t k = 0; k < unit.links(); ++k) {
      sum += unit.parameters().mass[k] * g * unit.parameters().length[k];
    }
  }
  return sum;
}

}  // namespace catena
