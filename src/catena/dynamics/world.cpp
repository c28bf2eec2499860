#include "catena/dynamics/world.h"

#include <fmt/format.h>

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
  const auto damped = [](const Link& link) { return link.axial_damping > 0.0; };
  if (std::any_of(chain.links.begin(), chain.links.end(), damped)) {
    for (const Link& link : chain.links) links.axial_damping.push_back(link.axial_damping);
  }
  links.slack = chain.slack;
  const auto hinged = [](const Link& link) { return link.hinge != Vec3{}; };
  if (std::any_of(chain.links.begin(), chain.links.end(), hinged)) {
    for (const Link& link : chain.links) links.hinge.push_back(link.hinge);
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
                  const std::optional<BodyLinks>& bodies) {
  ChainLinks links = chain_links(chain);
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

ChainUnit chain_unit(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                     const std::optional<BodyLinks>& bodies) {
  if (!plane && chain.formulation == Formulation::angles) {
    const std::string owner = chain.name.empty() ? "chain" : "chain '" + chain.name + "'";
    throw InputError(chain.formulation_place,
                     owner +
                         ": formulation 'angles' is for motion in one vertical plane, which start, forces "
                         "or pivot leave here; use 'chart' or 'lie', or leave formulation out");
  }
  const auto make = [&]() -> AnyChain {
    if (!plane) return chain_in<3>(chain, gravity, {}, bodies);
    return chain_in<2>(chain, {gravity[0] * plane->cosine + gravity[1] * plane->sine, gravity[2]}, *plane,
                       bodies);
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
  if (given(chain.pivot_motion)) unit.pivot_motion.emplace(chain.pivot_motion);
  for (const Link& link : chain.links) unit.mass += link.mass;
  unit.simple = unit.parameters().serial() && unit.parameters().point_masses();
  start_angles(chain, unit);
  return unit;
}

// Whether what holds the chain's ends leaves it in the plane. What a body does is not known yet.
bool held_in(const Chain& chain, const Plane& plane) {
  if (chain.carrier) return false;
  if (!chain.end) return true;
  if (chain.end->body >= 0) return false;
  const Vec3& to = chain.end->point;
  const Vec3 span{to[0] - chain.pivot[0], to[1] - chain.pivot[1], to[2] - chain.pivot[2]};
  return std::fabs(span[1] * plane.cosine - span[0] * plane.sine) <=
         1e-15 * std::hypot(span[0], span[1], span[2]);
}

// The planes that chains are computed in: where start, gravity, pivot and forces keep to one.
std::vector<std::optional<Plane>> planes_of(const Scene& scene) {
  std::vector<std::optional<Plane>> planes;
  for (const Chain& chain : scene.chains) {
    planes.push_back(common_plane(chain, scene.simulation.gravity));
    const bool moves = given(chain.pivot_motion);
    if (planes.back() && moves && !PivotMotion(chain.pivot_motion).stays_in(*planes.back()))
      planes.back().reset();
    if (planes.back() && !held_in(chain, *planes.back())) planes.back().reset();
  }
  // Seen as chains: among bodies nothing keeps to a plane by its equations alone.
  const Union by_themselves{scene.mechanism, {scene.chains.size(), std::nullopt}};
  for (;;) {  // a chain in space may pull others out of their planes
    const Forces forces(scene, planes, by_themselves);
    bool changed = false;
    for (std::size_t c = 0; c < planes.size(); ++c) {
      if (!planes[c] || !forces.leaves_plane()[c]) continue;
      planes[c].reset();
      changed = true;
    }
    if (!changed) return planes;
  }
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
  std::vector<double> extent, lengthening;
  for (const Link& link : chain.links) {
    extent.push_back(link.length + link.stretch);
    lengthening.push_back(link.stretch_dot);
  }
  return ends_of<D>(links, directions, extent, lengthening);
}

LanePair start_of(const Chain& chain, const ChainUnit& unit) {
  if (unit.bodies() != nullptr) return {};
  LanePair directions = start_directions(chain, unit);
  if (!unit.elastic()) {
    LanePair own = unit.state_of(directions);
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

const BodyLinks* ChainUnit::bodies() const {
  const auto own = [](const auto& c) -> const BodyLinks* {
    if constexpr (requires { c.bodies(); }) {
      return &c.bodies();
    } else {
      return nullptr;
    }
  };
  return std::visit(own, chain);
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

const double* ChainUnit::vectors(const double* lanes, double* room) const {
  return elastic() ? lanes : directions(lanes, room);
}

LanePair ChainUnit::state_of(const LanePair& vectors) const {
  const auto own = [&](const auto& c) -> LanePair {
    if constexpr (requires { c.state_of(vectors); }) {
      return c.state_of(vectors);
    } else {
      return vectors;
    }
  };
  return std::visit(own, chain);
}

const double* ChainUnit::accelerations(const double* lanes, const double* rates, double* room) const {
  const auto own = [&](const auto& c) -> const double* {
    if constexpr (requires { c.accelerations(lanes, rates, room); }) {
      c.accelerations(lanes, rates, room);
      return room;
    } else {
      return rates + dimension() / 2;
    }
  };
  return std::visit(own, chain);
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

Vec3 ChainUnit::to_world(const Vec3& own) const {
  if (!planar()) return own;
  return {own[0] * plane.cosine, own[0] * plane.sine, own[1]};
}

Vec3 ChainUnit::to_own(const Vec3& world) const {
  if (!planar()) return world;
  return {world[0] * plane.cosine + world[1] * plane.sine, world[2], 0.0};
}

PivotMotion::Instant ChainUnit::pivot_at(double t, const double* lanes) {
  if (const BodyLinks* links = bodies()) return links->pivot(lanes);
  return pivot_motion ? pivot_motion->at(t) : PivotMotion::Instant{pivot, {}, {}};
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

World::World(const Scene& scene) : World(scene, planes_of(scene), united(scene)) {}

World::World(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies)
    : forces_(scene, planes, bodies) {
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    add_chain(scene.chains[c], planes[c], scene.simulation.gravity, bodies);
  }
  const bool driven = std::any_of(chains_.begin(), chains_.end(),
                                  [](const ChainUnit& unit) { return unit.pivot_motion.has_value(); });
  if (!bodies.mechanism.bodies.empty()) add_mechanism(scene, bodies);
  if (!scene.lagrangian.coordinates.empty()) add_lagrangian(scene.lagrangian);
  loaded_ = driven || !forces_.groups().empty();
  accounts_ = driven || forces_.moves_energy() || (mechanism_ && mechanism_->moves_energy()) ||
              (lagrangian_ && lagrangian_->moves_energy());
  if (accounts_) {
    dimension_ += 2;
    start_.hi.resize(dimension_, 0.0);
    start_.lo.resize(dimension_, 0.0);
  }
  pivots_.resize(chains_.size());
  pivot_forces_.resize(chains_.size());
  pivot_velocities_.resize(chains_.size());
  flatten_chains(scene, bodies);
}

void World::add_chain(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                      const Union& bodies) {
  const int index = static_cast<int>(chains_.size());
  std::optional<BodyLinks> links;
  if (const auto& own = bodies.chains[chains_.size()]) links.emplace(*own, bodies.mechanism);
  chains_.push_back(chain_unit(chain, plane, gravity, links));
  ChainUnit& unit = chains_.back();
  unit.offset = dimension_;
  dimension_ += unit.dimension();
  const LanePair start = start_of(chain, unit);
  start_.hi.insert(start_.hi.end(), start.hi.begin(), start.hi.end());
  start_.lo.insert(start_.lo.end(), start.lo.begin(), start.lo.end());
  for (const double mass : unit.parameters().mass) {
    if (links) break;  // counted with the bodies
    for (int i = 0; i < 3; ++i) pivot_potential_ -= DoubleDouble(mass * unit.gravity[i]) * unit.pivot[i];
  }
  const std::size_t lanes = unit.components() * unit.links();
  room_.resize(std::max(room_.size(), 2 * lanes));
  const auto used = [&](LawInput::Source source) { return forces_.uses(index, source); };
  ChainMotion motion;
  motion.links = unit.links();
  motion.needs_center = used(LawInput::Source::center);
  motion.needs_center_velocity = used(LawInput::Source::center_velocity);
  motion.needs_link = used(LawInput::Source::link) || used(LawInput::Source::link_rate);
  for (std::vector<double>* room :
       {&motion.center, &motion.center_velocity, &motion.link, &motion.link_rate}) {
    room->resize(lanes);
  }
  motion_.chains.push_back(std::move(motion));
  acting_.chains.push_back({unit.links(), std::vector<double>(lanes), {}});
  gravities_.push_back(unit.to_own(unit.gravity));
}

namespace {

std::string joint_words(const Mechanism& mechanism, const JointGap& gap) {
  return fmt::format("joint '{}'", mechanism.joints[gap.joint].name);
}

// What assembly could not do, at the places of the joints.
void refuse(const Mechanism& mechanism, const Assembly& made) {
  std::vector<Mistake> mistakes;
  for (const JointGap& gap : made.open) {
    mistakes.push_back(
        {mechanism.joints[gap.joint].place,
         fmt::format("{} cannot close: {:.3g} is left (m or rad); check the bodies' places, the joint's "
                     "points and start values",
                     joint_words(mechanism, gap), gap.gap)});
  }
  for (const JointGap& gap : made.clashing) {
    mistakes.push_back(
        {mechanism.joints[gap.joint].place,
         fmt::format("{} cannot move as the other joints and motors ask: its rate is off by {:.3g}",
                     joint_words(mechanism, gap), gap.gap)});
  }
  for (const UndeterminedMotion& motion : made.undetermined) {
    const Body& body = mechanism.bodies[motion.body];
    const Vec3& d = motion.direction;
    mistakes.push_back(
        {body.place,
         fmt::format(
             "body '{}': nothing determines how it {} ({:.3g}, {:.3g}, {:.3g}){}: there it has no {}, "
             "and no joint ties it to what has; give it some, or a joint that holds it",
             body.name, motion.turns ? "turns about" : "moves along", d[0], d[1], d[2],
             motion.turns ? " of its own frame" : "", motion.turns ? "inertia" : "mass")});
  }
  if (mistakes.empty() && made.singular) {
    mistakes.push_back(
        {mechanism.joints.back().place,
         "the mechanism starts in a singular position, where it can go on in more than one way; start "
         "it a little aside, for example with `angle` of a joint"});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

Mistake formula_mistake(const Mechanism& mechanism, int joint, const std::string& formula) {
  const Joint& of = mechanism.joints[static_cast<std::size_t>(joint)];
  return {of.place,
          fmt::format("joint '{}': its motor's formula \"{}\" or its rate is not a number at the start, "
                      "t = 0; does it divide by zero there?",
                      of.name, formula)};
}

// Motors whose motions are no numbers at the start: nothing could be assembled with them.
void refuse_motions(const Mechanism& mechanism) {
  std::vector<Mistake> mistakes;
  for (const JointMotor& motor : mechanism.motors) {
    Mechanism alone = mechanism;
    alone.forces.clear();
    alone.motors = {motor};
    Multibody probe(alone, {});
    std::vector<double> hi, lo, gaps(probe.rows()), rates(probe.rows());
    probe.start(hi, lo);
    probe.gaps(0.0, hi.data(), lo.data(), false, gaps.data());
    probe.gaps(0.0, hi.data(), lo.data(), true, rates.data());
    if (!all_finite(gaps) || !all_finite(rates))
      mistakes.push_back(formula_mistake(mechanism, motor.joint, motor.motion));
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

// Drives whose forces are no numbers in the start's state.
void refuse_drives(const Mechanism& mechanism, const LanePair& start) {
  std::vector<Mistake> mistakes;
  for (const JointForce& force : mechanism.forces) {
    if (force.drive.empty()) continue;
    Mechanism alone = mechanism;
    alone.motors.clear();
    alone.forces = {force};
    Multibody probe(alone, {});
    std::vector<double> forces(6 * probe.bodies());
    probe.forces(0.0, start.hi.data(), forces.data());
    if (!all_finite(forces)) mistakes.push_back(formula_mistake(mechanism, force.joint, force.drive));
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

}  // namespace

void World::add_mechanism(const Scene& scene, const Union& bodies) {
  const Mechanism& mechanism = bodies.mechanism;
  refuse_motions(mechanism);
  assembly_ = assemble(mechanism);
  const auto is_held = [](const Chain& chain) { return chain.end.has_value(); };
  if (!assembly_.open.empty() && std::any_of(scene.chains.begin(), scene.chains.end(), is_held)) {
    const Assembly other = assemble(united(sagging(scene)).mechanism);
    if (other.open.empty()) assembly_ = other;
  }
  refuse(mechanism, assembly_);
  refuse_drives(mechanism, assembly_.state);
  mechanism_.emplace(mechanism, scene.simulation.gravity);
  mechanism_offset_ = dimension_;
  for (ChainUnit& unit : chains_) {
    if (unit.bodies() != nullptr) unit.offset = mechanism_offset_;
  }
  twists_bodies_ = forces_.twists_bodies();
  acting_.bodies.resize(6 * mechanism_->bodies());
  dimension_ += mechanism_->dimension();
  start_.hi.insert(start_.hi.end(), assembly_.state.hi.begin(), assembly_.state.hi.end());
  start_.lo.insert(start_.lo.end(), assembly_.state.lo.begin(), assembly_.state.lo.end());
  mobility_ = mechanism_->mobility(0.0, assembly_.state.hi.data());
  mechanism_->expect_rank(mobility_.rank);
}

void World::add_lagrangian(const Lagrangian& lagrangian) {
  lagrangian_.emplace(lagrangian);
  dimension_ += lagrangian_->dimension();
  start_ = lagrangian_->start();
}

namespace {

bool is_on_a_body(const Chain& chain) { return chain.carrier || (chain.end && chain.end->body >= 0); }

// Whether a drive may do later what its series at the start does not show.
bool has_switching_drive(const Mechanism& mechanism) {
  const auto switches = [](const std::string& formula) {
    for (const char* name : {"abs", "step", "sign", "min", "max"}) {
      if (formula.find(name) != std::string::npos) return true;
    }
    return false;
  };
  return std::any_of(mechanism.forces.begin(), mechanism.forces.end(),
                     [&](const JointForce& force) { return switches(force.drive); }) ||
         std::any_of(mechanism.motors.begin(), mechanism.motors.end(),
                     [&](const JointMotor& motor) { return switches(motor.motion); });
}

// The largest part of a link's direction that points out of the plane.
double out_of_plane(const ChainUnit& unit, const Plane& plane, const double* x, std::vector<double>& room) {
  const std::size_t n = unit.links();
  room.resize(6 * n);
  const double* u = unit.directions(x + unit.offset, room.data());
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k)
    largest = std::max(largest, std::fabs(plane.cosine * u[n + k] - plane.sine * u[k]));
  return largest;
}

}  // namespace

// A chain on bodies keeps to its plane where everything that it is joined to does. The motion itself tells:
// it is analytic, so where its series at the start have nothing that points out of the plane, it has not.
void World::flatten_chains(const Scene& scene, const Union& bodies) {
  constexpr int kOrder = 16;
  constexpr double kRoundoff = 1e-13;
  std::vector<std::pair<std::size_t, Plane>> flat;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const auto plane = common_plane(scene.chains[c], scene.simulation.gravity);
    if (plane && is_on_a_body(scene.chains[c])) flat.emplace_back(c, *plane);
  }
  const bool jumps = std::any_of(forces_.groups().begin(), forces_.groups().end(),
                                 [](const LawGroup& group) { return group.has_jumps(); });
  if (flat.empty() || jumps || has_switching_drive(scene.mechanism)) return;
  std::vector<double> series((kOrder + 1) * dimension_), at(dimension_), room;
  taylor(0.0, start_.hi.data(), kOrder, series.data());
  double reach = 1.0;  // s; well within the circle of convergence
  for (const double coefficient :
       std::vector<double>(series.end() - static_cast<std::ptrdiff_t>(dimension_), series.end())) {
    if (coefficient != 0.0) reach = std::min(reach, 0.5 * std::pow(std::fabs(coefficient), -1.0 / kOrder));
  }
  for (const double t : {0.0, 0.3 * reach, 0.6 * reach, reach}) {
    std::fill(at.begin(), at.end(), 0.0);
    for (std::size_t k = kOrder + 1; k-- > 0;) {
      for (std::size_t i = 0; i < dimension_; ++i) at[i] = at[i] * t + series[k * dimension_ + i];
    }
    std::erase_if(flat, [&](const auto& one) {
      return out_of_plane(chains_[one.first], one.second, at.data(), room) > kRoundoff;
    });
  }
  for (const auto& [c, plane] : flat) {
    ChainUnit in_plane = chain_unit(scene.chains[c], plane, scene.simulation.gravity,
                                    BodyLinks(*bodies.chains[c], bodies.mechanism));
    ChainUnit& unit = chains_[c];
    unit.plane = plane;
    unit.theta = std::move(in_plane.theta);
    unit.phi = std::move(in_plane.phi);
    unit.chain.emplace<BodyChain<2>>(std::move(std::get<BodyChain<2>>(in_plane.chain)));
  }
}

namespace {

// Freedoms of bodies that links do not have: rods could spin, and what keeps to a plane could leave it.
std::size_t unused_freedoms(const ChainUnit& unit) {
  if (unit.bodies() == nullptr) return 0;
  const std::vector<double>& inertia = unit.parameters().inertia;
  const auto rods = std::count_if(inertia.begin(), inertia.end(), [](double i) { return i > 0.0; });
  const std::size_t aside = unit.links() - (unit.bodies()->end_held() ? 1 : 0);
  return static_cast<std::size_t>(rods) + (unit.planar() ? aside : 0);
}

}  // namespace

std::size_t World::degrees_of_freedom() const {
  if (lagrangian_) return lagrangian_->degrees_of_freedom();
  std::size_t sum = mechanism_ ? mobility_.degrees_of_freedom : 0;
  for (const ChainUnit& unit : chains_) {
    sum -= unused_freedoms(unit);
    sum += std::visit([](const auto& c) { return c.degrees_of_freedom(); }, unit.chain);
  }
  return sum;
}

double World::series_overhead() const {
  if (lagrangian_) return lagrangian_->series_overhead();
  double largest = mechanism_ ? mechanism_->series_overhead() : 0.0;
  for (const ChainUnit& unit : chains_) {
    largest = std::max(largest, std::visit([](const auto& c) { return c.series_overhead(); }, unit.chain));
  }
  return largest;
}

bool World::depends_on_velocity() const {
  return forces_.depends_on_velocity() || (lagrangian_ && !lagrangian_->separable());
}

void World::start(std::vector<double>& hi, std::vector<double>& lo) {
  hi = start_.hi;
  lo = start_.lo;
  project(0.0, hi.data(), lo.data());
}

// ---- what forces see, and what they do --------------------------------------------------------------------

namespace {

// Point masses one below the other: all components in one pass, since each sum waits for its own last term.
template <std::size_t C>
void sum_down(std::size_t n, const double* length, const double* u, std::size_t stride, double factor,
              double* center) {
  double end[C] = {};
  for (std::size_t k = 0; k < n; ++k) {
    const double scaled = factor * length[k];
    for (std::size_t i = 0; i < C; ++i) center[i * n + k] = end[i] += scaled * u[i * stride + k];
  }
}

// Rigid links: ends and centres of mass are sums along the chain of rows `factor` u.
void sum_along(const ChainUnit& unit, const double* u, std::size_t stride, double factor, bool wanted,
               std::vector<double>& center) {
  if (!wanted) return;
  const ChainLinks& links = unit.parameters();
  const std::size_t n = links.count(), components = unit.components();
  if (unit.simple) {
    (components == 2 ? sum_down<2> : sum_down<3>)(n, links.length.data(), u, stride, factor, center.data());
    return;
  }
  for (std::size_t i = 0; i < components; ++i) {
    const double* from = u + i * stride;
    double* to = center.data() + i * n;
    for (std::size_t k = 0; k < n; ++k) {
      to[k] = factor * links.length[k] * from[k] + (links.parent[k] < 0 ? 0.0 : to[links.parent[k]]);
    }
    for (std::size_t k = 0; k < n; ++k) {  // from the ends back to the centres
      to[k] -= (1.0 - links.center_of_mass[k]) * factor * links.length[k] * from[k];
    }
  }
}

void copy_rows(std::size_t components, std::size_t n, const double* from, std::size_t stride, double factor,
               std::vector<double>& to) {
  for (std::size_t i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < n; ++k) to[i * n + k] = factor * from[i * stride + k];
  }
}

void spans(const ChainLinks& links, std::size_t components, const double* x, std::vector<double>& to) {
  const std::size_t n = links.count();
  for (std::size_t i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const int parent = links.parent[k];
      to[i * n + k] = x[i * n + k] - (parent < 0 ? 0.0 : x[i * n + static_cast<std::size_t>(parent)]);
    }
  }
}

// Rows u and w = factor times the row behind it, or x and v.
void show(const ChainUnit& unit, const double* first, const double* second, std::size_t stride, double factor,
          ChainMotion& motion) {
  const std::size_t components = unit.components(), n = unit.links();
  if (unit.elastic()) {
    if (motion.needs_center) copy_rows(components, n, first, n, 1.0, motion.center);
    if (motion.needs_center_velocity) copy_rows(components, n, second, n, 1.0, motion.center_velocity);
    if (!motion.needs_link) return;
    spans(unit.parameters(), components, first, motion.link);
    spans(unit.parameters(), components, second, motion.link_rate);
    return;
  }
  sum_along(unit, first, stride, 1.0, motion.needs_center, motion.center);
  sum_along(unit, second, stride, factor, motion.needs_center_velocity, motion.center_velocity);
  if (!motion.needs_link) return;
  copy_rows(components, n, first, stride, 1.0, motion.link);
  copy_rows(components, n, second, stride, factor, motion.link_rate);
}

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Sum of the rate lanes with the momentum's weights.
Vec3 weighed(const ChainUnit& unit, const double* rates, std::size_t stride, double factor) {
  Vec3 sum{};
  for (std::size_t i = 0; i < unit.components(); ++i) {
    for (std::size_t k = 0; k < unit.links(); ++k) sum[i] += unit.momentum_weights[k] * rates[i * stride + k];
    sum[i] *= factor;
  }
  return sum;
}

}  // namespace

void World::show_motion(const double* x) {
  if (mechanism_) motion_.bodies = x + mechanism_offset_, motion_.stride = mechanism_->bodies();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const ChainUnit& unit = chains_[c];
    if (unit.bodies() != nullptr) continue;  // laws see its bodies
    const double* rows = unit.vectors(x + unit.offset, room_.data());
    show(unit, rows, rows + unit.components() * unit.links(), unit.links(), 1.0, motion_.chains[c]);
  }
}

void World::show_motion(int order, const double* c) {
  if (mechanism_)
    motion_.bodies = mechanism_->rows(order).at, motion_.stride = mechanism_->rows(order).stride;
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const ChainUnit& unit = chains_[i];
    const auto of = [&](const auto& chain) {
      if constexpr (std::decay_t<decltype(chain)>::kElastic) {
        const double* row = c + static_cast<std::size_t>(order) * dimension_ + unit.offset;
        show(unit, row, row + unit.dimension() / 2, unit.links(), 1.0, motion_.chains[i]);
      } else if constexpr (requires(std::size_t & n) { chain.directions(order, n); }) {
        std::size_t stride = 0;
        const double* now = chain.directions(order, stride);
        const double* next = chain.directions(order + 1, stride);
        show(unit, now, next, stride, order + 1.0, motion_.chains[i]);
      }
    };
    std::visit(of, unit.chain);
  }
}

BodyLoads World::body_loads() const {
  if (!loaded_) return {};
  const double* torques = acting_.bodies.data() + acting_.bodies.size() / 2;
  return {acting_.bodies.data(), twists_bodies_ ? torques : nullptr};
}

void World::refresh(double t, const double* x) {
  if (!loaded_) return;
  show_motion(x);
  acting_.clear();
  for (LawGroup& group : forces_.groups()) group.evaluate(t, motion_, acting_);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    pivots_[c] = unit.pivot_at(t, x + unit.offset);
    gravities_[c] = minus(unit.to_own(unit.gravity), unit.to_own(pivots_[c].acceleration));
  }
}

template <int D>
ChainLoads<D> World::loads(std::size_t chain) const {
  ChainLoads<D> out{acting_.chains[chain].end.data(), {}};
  for (int i = 0; i < D; ++i) out.gravity[i] = gravities_[chain][i];
  return out;
}

// What the pivot does to keep the chain on its way, in the chain's own space: the change of momentum less all
// other forces.
Vec3 World::pivot_force(std::size_t chain, const Vec3& momentum_rate) const {
  const ChainUnit& unit = chains_[chain];
  const ChainForces& acting = acting_.chains[chain];
  Vec3 force = momentum_rate;
  for (std::size_t i = 0; i < unit.components(); ++i) {
    force[i] -= unit.mass * gravities_[chain][i] + acting.pivot[i];
    for (std::size_t k = 0; k < acting.links; ++k) force[i] -= acting.end[i * acting.links + k];
  }
  return force;
}

// ---- motion -----------------------------------------------------------------------------------------------

void World::rhs(double t, const double* x, double* dx) {
  if (lagrangian_) return lagrangian_->rhs(t, x, dx, account_lane());
  refresh(t, x);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    const auto evaluate = [&](auto& chain) {
      const auto acting = loads<std::decay_t<decltype(chain)>::kDimension>(c);
      if constexpr (requires { chain.rhs(x, dx, &acting); })
        chain.rhs(x + unit.offset, dx + unit.offset, loaded_ ? &acting : nullptr);
    };
    std::visit(evaluate, unit.chain);
  }
  if (mechanism_) mechanism_->rhs(t, x + mechanism_offset_, dx + mechanism_offset_, body_loads());
  if (!accounts_) return;
  double work = acting_.work + (mechanism_ ? mechanism_->work(0) : 0.0);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const ChainUnit& unit = chains_[c];
    if (!unit.pivot_motion) continue;
    const double* rates = unit.accelerations(x + unit.offset, dx + unit.offset, room_.data());
    work += dot(pivot_force(c, weighed(unit, rates, unit.links(), 1.0)), unit.to_own(pivots_[c].velocity));
  }
  dx[dimension_ - 2] = acting_.dissipated + (mechanism_ ? mechanism_->loss(0) : 0.0);
  dx[dimension_ - 1] = work;
}

void World::taylor(double t, const double* x, int order, double* c) {
  if (lagrangian_) return lagrangian_->taylor(t, x, order, c, dimension_, account_lane());
  if (order > reserved_) reserve(order);
  last_order_ = order;
  if (loaded_) return taylor_under_forces(t, x, order, c);
  if (mechanism_) mechanism_taylor(t, x, order, c);
  const auto expand = [&](ChainUnit& unit, const double* from, double* to) {
    const auto own = [&](auto& chain) {
      if constexpr (requires { chain.taylor(from, order, to); }) chain.taylor(from, order, to);
    };
    std::visit(own, unit.chain);
  };
  if (chains_.size() == 1 && !mechanism_) return expand(chains_[0], x, c);
  for (ChainUnit& unit : chains_) {
    const std::size_t own = unit.dimension();
    expand(unit, x + unit.offset, series_.data());
    for (int k = 0; k <= order; ++k) {
      std::copy_n(series_.data() + k * own, own, c + k * dimension_ + unit.offset);
    }
  }
}

// The bodies' lanes and, where something moves energy, the accounts of what their joints do.
void World::mechanism_taylor(double t, const double* x, int order, double* c) {
  mechanism_->begin(t, x + mechanism_offset_);
  if (accounts_) std::copy(x + motion_lanes(), x + dimension_, c + motion_lanes());
  for (int n = 0;; ++n) {
    double* row = c + static_cast<std::size_t>(n) * dimension_;
    mechanism_->write(n, row + mechanism_offset_);
    if (n == order) break;
    mechanism_->advance(n);
    if (!accounts_) continue;
    double* next = row + dimension_ + motion_lanes();
    next[0] = mechanism_->loss(n) / (n + 1);
    next[1] = mechanism_->work(n) / (n + 1);
  }
}

void World::taylor_under_forces(double t, const double* x, int order, double* c) {
  for (ChainUnit& unit : chains_) {
    const auto begin = [&](auto& chain) {
      if constexpr (requires { chain.begin(x, c, dimension_); })
        chain.begin(x + unit.offset, c + unit.offset, dimension_);
    };
    std::visit(begin, unit.chain);
    if (unit.pivot_motion) unit.pivot_motion->expand(t, order + 2);
  }
  if (mechanism_) {
    mechanism_->begin(t, x + mechanism_offset_);
    mechanism_->write(0, c + mechanism_offset_);
  }
  std::copy(x + motion_lanes(), x + dimension_, c + motion_lanes());
  for (int n = 0; n < order; ++n) {
    show_motion(n, c);
    acting_.clear();
    for (LawGroup& group : forces_.groups()) group.advance(n, t, motion_, acting_);
    if (mechanism_) {
      mechanism_->advance(n, body_loads());
      mechanism_->write(n + 1, c + static_cast<std::size_t>(n + 1) * dimension_ + mechanism_offset_);
    }
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      ChainUnit& unit = chains_[i];
      gravities_[i] = n == 0 ? unit.to_own(unit.gravity) : Vec3{};
      if (unit.pivot_motion) {
        Vec3 acceleration = unit.to_own(unit.pivot_motion->coefficient(n + 2));
        for (double& component : acceleration) component *= (n + 2.0) * (n + 1.0);
        gravities_[i] = minus(gravities_[i], acceleration);
      }
      const auto advance = [&](auto& chain) {
        const auto acting = loads<std::decay_t<decltype(chain)>::kDimension>(i);
        if constexpr (requires { chain.advance(n, acting); }) chain.advance(n, acting);
      };
      std::visit(advance, unit.chain);
    }
    if (accounts_) account(n, c);
  }
  for (ChainUnit& unit : chains_) {
    const auto finish = [&](auto& chain) {
      if constexpr (requires { chain.finish(order); }) chain.finish(order);
    };
    std::visit(finish, unit.chain);
  }
}

// Order n + 1 of the accounts.
void World::account(int n, double* c) {
  double work = acting_.work + (mechanism_ ? mechanism_->work(n) : 0.0);
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const ChainUnit& unit = chains_[i];
    if (!unit.pivot_motion) continue;
    Vec3 velocity = unit.to_own(unit.pivot_motion->coefficient(n + 1));
    for (double& component : velocity) component *= n + 1.0;
    pivot_velocities_[i][static_cast<std::size_t>(n)] = velocity;
    const auto rate = [&](const auto& chain) {
      if constexpr (std::decay_t<decltype(chain)>::kElastic) {
        const double* row = c + static_cast<std::size_t>(n + 1) * dimension_ + unit.offset;
        return weighed(unit, row + unit.dimension() / 2, unit.links(), n + 1.0);
      } else if constexpr (requires(std::size_t & s) { chain.directions(n, s); }) {
        std::size_t stride = 0;
        const double* row = chain.directions(n + 2, stride);
        return weighed(unit, row, stride, (n + 2.0) * (n + 1.0));
      } else {
        return Vec3{};  // its pivot does not move by itself
      }
    };
    pivot_forces_[i][static_cast<std::size_t>(n)] = pivot_force(i, std::visit(rate, unit.chain));
    for (int j = 0; j <= n; ++j) {
      work += dot(pivot_forces_[i][static_cast<std::size_t>(j)],
                  pivot_velocities_[i][static_cast<std::size_t>(n - j)]);
    }
  }
  double* next = c + static_cast<std::size_t>(n + 1) * dimension_ + motion_lanes();
  next[0] = (acting_.dissipated + (mechanism_ ? mechanism_->loss(n) : 0.0)) / (n + 1);
  next[1] = work / (n + 1);
}

void World::reserve(int order) {
  if (lagrangian_) lagrangian_->reserve(order);
  std::size_t largest = 0;
  for (ChainUnit& unit : chains_) {
    const auto make_room = [&](auto& c) {
      if constexpr (requires { c.reserve(order); }) c.reserve(order);
    };
    std::visit(make_room, unit.chain);
    if (unit.pivot_motion) unit.pivot_motion->reserve(order + 2);
    largest = std::max(largest, unit.dimension());
  }
  for (LawGroup& group : forces_.groups()) group.reserve(order);
  for (auto* rows : {&pivot_forces_, &pivot_velocities_}) {
    for (std::vector<Vec3>& row : *rows) row.resize(static_cast<std::size_t>(order) + 1);
  }
  if (mechanism_) mechanism_->reserve(order);
  if (chains_.size() > 1 || mechanism_)
    series_.resize(std::max(series_.size(), (static_cast<std::size_t>(order) + 1) * largest));
  reserved_ = order;
}

double World::smooth_until(double length) const {
  double until = mechanism_ ? mechanism_->smooth_until(last_order_, length) : length;
  if (lagrangian_) until = lagrangian_->smooth_until(until);
  for (const LawGroup& group : forces_.groups()) until = group.smooth_until(last_order_ - 1, until);
  for (const ChainUnit& unit : chains_) {
    if (unit.pivot_motion) until = unit.pivot_motion->smooth_until(last_order_, until);
    const auto taut = [&](const auto& chain) {
      if constexpr (std::decay_t<decltype(chain)>::kElastic) until = chain.smooth_until(last_order_, until);
    };
    std::visit(taut, unit.chain);
  }
  return until;
}

bool World::has_kinks() const {
  const auto is_slack = [](const ChainUnit& unit) { return unit.parameters().slack; };
  return loaded_ || (mechanism_ && mechanism_->has_kinks()) || (lagrangian_ && lagrangian_->has_kinks()) ||
         std::any_of(chains_.begin(), chains_.end(), is_slack);
}

bool World::has_constraints() const {
  const auto is_free = [](const ChainUnit& unit) { return unit.elastic() || unit.has_angles(); };
  return mechanism_ || (lagrangian_ && lagrangian_->constraints() > 0) ||
         !std::all_of(chains_.begin(), chains_.end(), is_free);
}

void World::project(double t, const double* hi, double* lo) {
  if (lagrangian_) lagrangian_->project(t, hi, lo);
  if (mechanism_) mechanism_->project(t, hi + mechanism_offset_, lo + mechanism_offset_);
  for (const ChainUnit& unit : chains_) {
    const auto project_one = [&](const auto& c) {
      if constexpr (requires { c.project(hi, lo); }) c.project(hi + unit.offset, lo + unit.offset);
    };
    std::visit(project_one, unit.chain);
  }
}

double World::constraint_error(double t, const double* hi, const double* lo) const {
  double largest = 0.0;
  if (lagrangian_) return lagrangian_->constraint_error(t, hi, lo);
  if (mechanism_) largest = mechanism_->constraint_error(t, hi + mechanism_offset_, lo + mechanism_offset_);
  for (const ChainUnit& unit : chains_) {
    const auto error = [&](const auto& c) {
      if constexpr (requires { c.constraint_error(hi, lo); }) {
        return c.constraint_error(hi + unit.offset, lo + unit.offset);
      } else {
        return 0.0;
      }
    };
    largest = std::max(largest, std::visit(error, unit.chain));
  }
  return largest;
}

// ---- implicit methods -------------------------------------------------------------------------------------

bool World::has_linear_solver() const {
  const auto is_elastic = [](const ChainUnit& unit) { return unit.elastic(); };
  return !mechanism_ && !lagrangian_ && std::all_of(chains_.begin(), chains_.end(), is_elastic);
}

void World::linearise(double t, const double* x) {
  std::vector<ImplicitSprings::Part>& parts = elastic_parts_;
  parts.clear();
  for (ChainUnit& unit : chains_) {
    ImplicitSprings::Part part{.links = &unit.parameters(), .offset = unit.offset};
    if (auto* planar = std::get_if<ElasticChain<2>>(&unit.chain)) part.planar = &planar->blocks();
    if (auto* spatial = std::get_if<ElasticChain<3>>(&unit.chain)) part.spatial = &spatial->blocks();
    parts.push_back(part);
  }
  slopes_.clear();
  if (!forces_.groups().empty()) show_motion(x);
  for (LawGroup& group : forces_.groups()) {
    if (!group.in_links) group.slopes(t, motion_, slopes_);
  }
  implicit_.linearise(parts, slopes_, x);
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

// ---- energy and reactions ---------------------------------------------------------------------------------

Energies World::energy(double t, const double* hi, const double* lo) {
  if (lagrangian_) return lagrangian_->energy(t, hi, lo);
  Energies sum{{}, pivot_potential_, {}};
  for (ChainUnit& unit : chains_) {
    const auto part = [&](const auto& c) {
      if constexpr (requires { c.energy(hi, lo); }) {
        return c.energy(hi + unit.offset, lo + unit.offset);
      } else {
        return Energies{};
      }
    };
    const Energies own = std::visit(part, unit.chain);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
    sum.elastic += own.elastic;
    if (!unit.pivot_motion) continue;
    // Seen from the moving pivot: T = T' + V . P' + M V^2/2.
    const PivotMotion::Instant pivot = unit.pivot_at(t, hi + unit.offset);
    const double* rows = unit.vectors(hi + unit.offset, room_.data());
    const Vec3 momentum = weighed(unit, rows + unit.components() * unit.links(), unit.links(), 1.0);
    const Vec3 shift = minus(pivot.position, unit.pivot);
    sum.kinetic += dot(unit.to_own(pivot.velocity), momentum);
    sum.kinetic += 0.5 * unit.mass * dot(pivot.velocity, pivot.velocity);
    sum.potential -= DoubleDouble(unit.mass * dot(unit.gravity, shift));
  }
  if (mechanism_) {
    const Energies own = mechanism_->energy(t, hi + mechanism_offset_, lo + mechanism_offset_);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
    sum.elastic += own.elastic;
  }
  if (forces_.groups().empty()) return sum;
  show_motion(hi);
  for (LawGroup& group : forces_.groups()) {
    const LawGroup::Energies part = group.energy(t, motion_);
    sum.potential += part.potential;
    sum.elastic += part.elastic;
  }
  return sum;
}

DoubleDouble World::dissipated(const double* hi, const double* lo) const {
  return accounts_ ? DoubleDouble(hi[dimension_ - 2], lo[dimension_ - 2]) : DoubleDouble(0.0);
}

DoubleDouble World::work(const double* hi, const double* lo) const {
  return accounts_ ? DoubleDouble(hi[dimension_ - 1], lo[dimension_ - 1]) : DoubleDouble(0.0);
}

void World::react(double t, const double* x) {
  refresh(t, x);
  if (mechanism_) joint_reactions_ = mechanism_->reactions(t, x + mechanism_offset_, body_loads());
}

// What the joints between its bodies do: their pull along the links, and that of the pivot.
Vec3 World::body_chain_reactions(std::size_t chain, const double* x, double* tension) const {
  const ChainUnit& unit = chains_[chain];
  const BodyLinks& links = *unit.bodies();
  Vec3 pivot{};
  for (std::size_t k = 0; k < unit.links(); ++k) {
    const Vec3& force = joint_reactions_[links.first_joint() + k].force;
    const Vec3 along =
        minus(links.end(k, x + unit.offset).position, links.upper(k, x + unit.offset).position);
    tension[k] = -dot(force, along) / std::hypot(along[0], along[1], along[2]);
    if (unit.parameters().parent[k] >= 0) continue;
    for (std::size_t i = 0; i < 3; ++i) pivot[i] += force[i];
  }
  return unit.to_own(minus(pivot, acting_.chains[chain].pivot));
}

Vec3 World::reactions(std::size_t chain, const double* x, double* tension) {
  ChainUnit& unit = chains_[chain];
  const auto solve = [&](auto& c) {
    if constexpr (requires { c.bodies(); }) {
      return body_chain_reactions(chain, x, tension);
    } else {
      constexpr int kComponents = std::decay_t<decltype(c)>::kDimension;
      const auto acting = loads<kComponents>(chain);
      const auto pivot = c.reactions(x + unit.offset, tension, loaded_ ? &acting : nullptr);
      Vec3 force{};
      for (int i = 0; i < kComponents; ++i) force[i] = pivot[i] - acting_.chains[chain].pivot[i];
      return force;
    }
  };
  return std::visit(solve, unit.chain);
}

double World::weight_scale() const {
  double sum = mechanism_ ? mechanism_->weight_scale() : 0.0;
  for (const ChainUnit& unit : chains_) {
    if (unit.bodies() != nullptr) continue;
    const double g = std::hypot(unit.gravity[0], unit.gravity[1], unit.gravity[2]);
    for (std::size_t k = 0; k < unit.links(); ++k) {
      sum += unit.parameters().mass[k] * g * unit.parameters().length[k];
    }
  }
  return sum;
}

}  // namespace catena
