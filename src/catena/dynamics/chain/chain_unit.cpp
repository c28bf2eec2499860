#include "catena/dynamics/chain/chain_unit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/dynamics/chain/chain_start.h"
#include "catena/dynamics/chain/conversion.h"
#include "catena/dynamics/chain/directions.h"
#include "catena/dynamics/chain/energy_digits.h"
#include "catena/math/decimal.h"
#include "catena/math/functions_digits.h"

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// What doubles cannot hold of a hinge's axis: that of the numbers as they were written.
Vec3 hinge_rest(const Link& link) {
  const Vec3& written = link.written_hinge;
  if (link.hinge == Vec3{}) return {};
  const DoubleDouble x = decimal(written[0]), y = decimal(written[1]), z = decimal(written[2]);
  const DoubleDouble size = square_root(x * x + y * y + z * z);
  return {static_cast<double>(x / size - DoubleDouble(link.hinge[0])),
          static_cast<double>(y / size - DoubleDouble(link.hinge[1])),
          static_cast<double>(z / size - DoubleDouble(link.hinge[2]))};
}

ChainLinks chain_links(const Chain& chain, bool decimals) {
  ChainLinks links;
  links.decimals = decimals;
  for (const Link& link : chain.links) {
    links.length.push_back(link.length);
    links.mass.push_back(link.mass);
    links.center_of_mass.push_back(link.center_of_mass);
    links.inertia.push_back(link.inertia);
    links.parent.push_back(link.parent);
    if (chain.kind == ChainKind::elastic) links.stiffness.push_back(link.stiffness);
    if (decimals) links.rod.push_back(link.rod ? 1 : 0);
  }
  const auto damped = [](const Link& link) { return link.axial_damping > 0.0; };
  if (std::any_of(chain.links.begin(), chain.links.end(), damped)) {
    for (const Link& link : chain.links) links.axial_damping.push_back(link.axial_damping);
  }
  links.slack = chain.slack;
  const auto hinged = [](const Link& link) { return link.hinge != Vec3{}; };
  if (std::any_of(chain.links.begin(), chain.links.end(), hinged)) {
    for (const Link& link : chain.links) {
      links.hinge.push_back(link.hinge);
      if (decimals) links.hinge_rest.push_back(hinge_rest(link));
    }
  }
  return links;
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
  const bool simple = links.serial() && links.point_masses() && links.hinge.empty();
  return simple ? ChainSolver::tension : ChainSolver::articulated;
}

// Angles at the start: planar ones signed and as written, with all their turns; spatial ones as columns show
// them.
void start_angles(const Chain& chain, ChainUnit& unit) {
  unit.theta.clear();
  unit.phi.clear();
  for (const Link& link : chain.links) {
    const Vec3 u = start_direction(link);
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
AnyChain chain_in(const Chain& chain, const std::array<double, D>& gravity, const Plane& plane,
                  const std::optional<BodyLinks>& bodies, bool decimals) {
  ChainLinks links = chain_links(chain, decimals);
  if (bodies) return BodyChain<D>(std::move(links), gravity, *bodies, plane);
  if (chain.kind == ChainKind::elastic) return ElasticChain<D>(std::move(links), gravity);
  if (chain.formulation == Formulation::lie) return LieChain<D>(std::move(links), gravity);
  if (chain.formulation == Formulation::angles || chain.formulation == Formulation::chart) {
    return CoordinateChain<D>(std::move(links), gravity);
  }
  const ChainSolver solver = solver_for(chain, links);
  return RigidChain<D>(std::move(links), gravity, solver);
}

// Mass that moves with each link's turning, times its length: what its rate adds to the momentum.
std::vector<double> momentum_weights(const Chain& chain) {
  std::vector<double> weights(chain.links.size(), 0.0), carried(chain.links.size(), 0.0);
  for (std::size_t k = chain.links.size(); k-- > 0;) {
    const Link& link = chain.links[k];
    weights[k] = (carried[k] + link.center_of_mass * link.mass) * link.length;
    if (link.parent >= 0) carried[static_cast<std::size_t>(link.parent)] += carried[k] + link.mass;
    if (chain.kind == ChainKind::elastic) weights[k] = link.mass;
  }
  return weights;
}

// Direction and rate with all digits: three components each; planar: across, up and nothing.
std::array<DoubleDouble, 6> start_in_digits(const Link& link, const ChainUnit& unit) {
  if (unit.planar() && !link.by_direction) {
    const AngleDigits theta(link.theta);
    const DoubleDouble rate = two_sum(link.theta_dot, link.theta_dot_rest), sign = side(link, unit.plane);
    return {sign * theta.sine, -theta.cosine, 0.0, sign * rate * theta.cosine, rate * theta.sine, 0.0};
  }
  const auto [u, w] = start_digits(link);
  if (!unit.planar()) return {u[0], u[1], u[2], w[0], w[1], w[2]};
  const DoubleDouble c = unit.plane.cosine_digits(), s = unit.plane.sine_digits();
  return {u[0] * c + u[1] * s, u[2], 0.0, w[0] * c + w[1] * s, w[2], 0.0};
}

LanePair directions_digits(const Chain& chain, const ChainUnit& unit) {
  const std::size_t n = unit.links(), d = unit.planar() ? 2 : 3;
  LanePair state{std::vector<double>(2 * d * n), std::vector<double>(2 * d * n)};
  for (std::size_t k = 0; k < n; ++k) {
    const std::array<DoubleDouble, 6> start = start_in_digits(chain.links[k], unit);
    for (std::size_t i = 0; i < 2 * d; ++i) {
      const DoubleDouble& value = start[i < d ? i : 3 + i - d];
      state.hi[i * n + k] = value.hi;
      state.lo[i * n + k] = value.lo;
    }
  }
  return state;
}

LanePair start_directions(const Chain& chain, const ChainUnit& unit) {
  if (unit.parameters().decimals) return directions_digits(chain, unit);
  const std::size_t n = unit.links(), d = unit.planar() ? 2 : 3;
  LanePair state{std::vector<double>(2 * d * n), std::vector<double>(2 * d * n, 0.0)};
  double* lanes = state.hi.data();
  for (std::size_t k = 0; k < n; ++k) {
    const Link& link = chain.links[k];
    if (unit.planar()) {
      const std::array<double, 4> start = planar_start(link, unit.plane);
      for (std::size_t i = 0; i < 4; ++i) lanes[i * n + k] = start[i];
    } else {
      const Vec3 u = start_direction(link), w = start_rate(link);
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
  std::vector<DoubleDouble> extent, lengthening;
  for (const Link& link : chain.links) {
    const auto number = [&](double value) { return links.number<DoubleDouble>(value); };
    extent.push_back(links.decimals ? number(link.length) + number(link.stretch)
                                    : DoubleDouble(link.length + link.stretch));
    lengthening.push_back(number(link.stretch_dot));
  }
  return ends_of<D>(links, directions, extent, lengthening);
}

// Angles as written, with all their turns.
void take_turns(const ChainUnit& unit, LanePair& own) {
  for (std::size_t k = 0; k < unit.theta.size(); ++k) {
    if (!unit.parameters().decimals) {
      own.hi[k] = unit.theta[k];
      continue;
    }
    const double turns = std::round((unit.theta[k] - own.hi[k]) / kTurn);
    if (turns == 0.0) continue;
    const DoubleDouble whole = DoubleDouble(2.0 * turns) * digits::pi<DoubleDouble>();
    const DoubleDouble all = two_sum(own.hi[k], own.lo[k]) + whole;
    own.hi[k] = all.hi;
    own.lo[k] = all.lo;
  }
}

}  // namespace

ChainUnit chain_unit(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                     const std::optional<BodyLinks>& bodies, bool decimals) {
  const FormulationInfo& info = formulation_info(chain.formulation);
  if (!plane && info.in_space != nullptr) {
    const std::string owner = chain.name.empty() ? "chain" : "chain '" + chain.name + "'";
    throw InputError(
        chain.formulation_place,
        owner + ": formulation '" + info.name +
            "' is for motion in one vertical plane, which start, forces or pivot leave here; use " +
            info.in_space + ", or leave formulation out");
  }
  const auto make = [&]() -> AnyChain {
    if (!plane) return chain_in<3>(chain, gravity, {}, bodies, decimals);
    return chain_in<2>(chain, {gravity[0] * plane->cosine + gravity[1] * plane->sine, gravity[2]}, *plane,
                       bodies, decimals);
  };
  ChainUnit unit{.name = chain.name,
                 .pivot = chain.pivot,
                 .gravity = gravity,
                 .plane = plane.value_or(Plane{}),
                 .chain = make(),
                 .pivot_motion = std::nullopt,
                 .offset = 0,
                 .theta = {},
                 .phi = {},
                 .momentum_weights = momentum_weights(chain),
                 .mass = 0.0,
                 .simple = false};
  if (given(chain.pivot_motion) && !chain.as_bodies())
    unit.pivot_motion.emplace(chain.pivot_motion, plane, chain.pivot_piece, decimals);
  for (const Link& link : chain.links) unit.mass += link.mass;
  unit.simple = unit.parameters().serial() && unit.parameters().point_masses();
  start_angles(chain, unit);
  return unit;
}

void set_start_angles(const Chain& chain, ChainUnit& unit) { start_angles(chain, unit); }

LanePair start_of(const Chain& chain, const ChainUnit& unit) {
  if (unit.bodies() != nullptr) return {};
  LanePair directions = start_directions(chain, unit);
  if (!unit.elastic()) {
    LanePair own = unit.state_of(directions);
    if (unit.planar() && unit.has_angles()) take_turns(unit, own);
    return own;
  }
  return unit.planar() ? elastic_start<2>(chain, unit.parameters(), std::move(directions))
                       : elastic_start<3>(chain, unit.parameters(), std::move(directions));
}

bool ChainUnit::planar() const {
  return std::visit([](const auto& c) { return c.kDimension == 2; }, chain);
}

bool ChainUnit::elastic() const {
  return std::visit([](const auto& c) { return c.kElastic; }, chain);
}

const BodyLinks* ChainUnit::bodies() const {
  return std::visit([](const auto& c) { return c.bodies(); }, chain);
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

const double* ChainUnit::directions(const double* lanes, double* room) {
  return std::visit([&](auto& c) { return c.directions(lanes, room); }, chain);
}

const double* ChainUnit::vectors(const double* lanes, double* room) {
  return elastic() ? lanes : directions(lanes, room);
}

const std::vector<DoubleDouble>& ChainUnit::vectors_digits(const double* hi, const double* lo) {
  digits_vectors.resize(2 * components() * links());
  std::visit([&](const auto& c) { c.vectors_digits(hi, lo, digits_vectors.data()); }, chain);
  return digits_vectors;
}

LanePair ChainUnit::state_of(const LanePair& vectors) const {
  return std::visit([&](const auto& c) { return c.state_of(vectors); }, chain);
}

const double* ChainUnit::accelerations(const double* lanes, const double* rates, double* room) {
  return std::visit([&](auto& c) { return c.accelerations(lanes, rates, room); }, chain);
}

bool ChainUnit::has_angles() const {
  return std::visit([](const auto& c) { return c.kHasAngles; }, chain);
}

void ChainUnit::angles(const double* lanes, const AngleLanes& out) const {
  std::visit([&](const auto& c) { c.angles(lanes, out); }, chain);
}

Vec3 ChainUnit::to_world(const Vec3& own) const {
  if (!planar()) return own;
  return {own[0] * plane.cosine, own[0] * plane.sine, own[1]};
}

Vec3 ChainUnit::to_own(const Vec3& world) const { return planar() ? plane.own<double>(world) : world; }

PivotMotion::Instant ChainUnit::pivot_at(double t, const double* lanes) {
  if (const BodyLinks* links = bodies()) return links->pivot(lanes);
  return pivot_motion ? pivot_motion->at(t) : PivotMotion::Instant{pivot, {}, {}};
}

PivotRates<double> ChainUnit::pivot_rates(double t, const double* lanes) {
  const PivotMotion::Instant now = pivot_at(t, lanes);
  return {to_own(now.velocity), to_own(now.acceleration)};
}

const double* ChainUnit::vectors(const double* lanes) {
  scratch.resize(2 * components() * links());
  return vectors(lanes, scratch.data());
}

const double* ChainUnit::accelerations(const double* lanes, const double* rates) {
  scratch.resize(2 * components() * links());
  return accelerations(lanes, rates, scratch.data());
}

Vec3 ChainUnit::weighed(const double* rates, std::size_t stride, double factor) const {
  return weighed_rates(momentum_weights, components(), rates, stride, factor);
}

double ChainUnit::series_overhead() const {
  return std::visit([](const auto& c) { return c.series_overhead(); }, chain);
}

double ChainUnit::weight_scale() const {
  if (bodies() != nullptr) return 0.0;  // the mechanism counts it
  const double g = std::hypot(gravity[0], gravity[1], gravity[2]);
  double sum = 0.0;
  for (std::size_t k = 0; k < links(); ++k) sum += parameters().mass[k] * g * parameters().length[k];
  return sum;
}

void ChainUnit::reserve(int order) {
  std::visit([&](auto& c) { c.reserve(order); }, chain);
  if (pivot_motion) pivot_motion->series().reserve(order + 2);
}

double ChainUnit::smooth_until(int order, double length) const {
  if (pivot_motion) length = pivot_motion->smooth_until(order, length);
  return std::visit([&](const auto& c) { return c.smooth_until(order, length); }, chain);
}

void ChainUnit::look_inside(double allowed) {
  if (pivot_motion) pivot_motion->look_inside(allowed);
  if (!parameters().slack) return;
  slack.allowed = 10 * allowed;  // the tolerance itself
  for (std::vector<double>* lanes : {&slack.stretch, &slack.shortest, &slack.longest}) lanes->resize(links());
}

void ChainUnit::sample(int which, double, const double* x) {
  if (slack.stretch.empty()) return;
  std::visit(
      [&](const auto& c) {
        if constexpr (std::decay_t<decltype(c)>::kElastic) c.stretches(x, slack.stretch.data());
      },
      chain);
  for (std::size_t k = 0; k < links(); ++k) {
    const double now = slack.stretch[k];
    slack.shortest[k] = which == 0 ? now : std::min(slack.shortest[k], now);
    slack.longest[k] = which == 0 ? now : std::max(slack.longest[k], now);
  }
}

// A link that goes slack or taut within a step has a kink there, which no estimate of an error of high order
// can judge, and it may go back unseen: what it pulls on one side of it, over the step, must be little.
static bool is_kinked(const ChainUnit& unit, double length) {
  constexpr double kBeyondSamples = 0.25;
  const ChainLinks& links = unit.parameters();
  if (unit.slack.stretch.empty()) return false;
  for (std::size_t k = 0; k < unit.links(); ++k) {
    const double low = unit.slack.shortest[k], high = unit.slack.longest[k],
                 more = kBeyondSamples * (high - low);
    const double beyond = std::min(high + more, more - low);
    if (beyond <= 2e-15 * links.length[k]) continue;
    double mass = links.mass[k];
    if (links.parent[k] >= 0) mass = std::min(mass, links.mass[static_cast<std::size_t>(links.parent[k])]);
    if (links.stiffness[k] * beyond * length > unit.slack.allowed * mass) return true;
  }
  return false;
}

void ChainUnit::set_low_time(double low) {
  if (pivot_motion) pivot_motion->set_low_time(low);
}

bool ChainUnit::misses(double t, double length) {
  return (pivot_motion && pivot_motion->misses(t, length)) || is_kinked(*this, length);
}

void ChainUnit::project(double, const double* hi, double* lo) {
  std::visit([&](auto& c) { c.project(hi, lo); }, chain);
}

double ChainUnit::constraint_error(double, const double* hi, const double* lo) {
  return std::visit([&](auto& c) { return c.constraint_error(hi, lo); }, chain);
}

bool ChainUnit::settle(double* hi, double* lo) {
  return std::visit([&](auto& c) { return c.settle(hi, lo); }, chain);
}

Energies ChainUnit::energy(double t, const double* hi, const double* lo) {
  const bool full = parameters().decimals && bodies() == nullptr;
  Energies sum = full ? energy_digits(*this, vectors_digits(hi, lo), digits_scratch)
                      : std::visit([&](auto& c) { return c.energy(hi, lo); }, chain);
  if (!pivot_motion) return sum;
  // Seen from the moving pivot: T = T' + V . P' + M V^2/2.
  const PivotMotion::Instant now = pivot_at(t, hi);
  const double* rows = vectors(hi);
  const Vec3 momentum = weighed(rows + components() * links(), links(), 1.0);
  sum.kinetic += dot(to_own(now.velocity), momentum);
  sum.kinetic += 0.5 * mass * dot(now.velocity, now.velocity);
  sum.potential -= DoubleDouble(mass * dot(gravity, now.position - pivot));
  return sum;
}

LinkVectors ChainUnit::link_vectors() const {
  return {links(), elastic() ? parameters().parent.data() : nullptr,
          std::holds_alternative<LieChain<2>>(chain), bodies(), plane};
}

double LinkVectors::of_bodies(const double* lanes, std::size_t i, std::size_t k) const {
  const PivotMotion::Instant end = bodies->end(k, lanes), upper = bodies->upper(k, lanes);
  const Vec3 &a = i < 2 ? end.position : end.velocity, &b = i < 2 ? upper.position : upper.velocity;
  if (i % 2 == 1) return a[2] - b[2];
  return plane.cosine * (a[0] - b[0]) + plane.sine * (a[1] - b[1]);
}

}  // namespace catena
