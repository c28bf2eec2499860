#include "catena/dynamics/world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/dynamics/chain/conversion.h"
#include "catena/dynamics/chain/directions.h"

namespace catena {
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
  if (equations_) return equations_->degrees_of_freedom();
  std::size_t sum = mechanism_ ? mobility_.degrees_of_freedom : 0;
  for (const ChainUnit& unit : chains_) {
    sum -= unused_freedoms(unit);
    sum += std::visit([](const auto& c) { return c.degrees_of_freedom(); }, unit.chain);
  }
  return sum;
}

double World::series_overhead() const {
  double largest = 0.0;
  each_part(*this,
            [&](const auto& part, std::size_t) { largest = std::max(largest, part.series_overhead()); });
  return largest;
}

double World::step_overhead() const {
  double largest = 0.0;
  each_part(*this, [&](const auto& part, std::size_t) { largest = std::max(largest, part.step_overhead()); });
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

}  // namespace

void World::show_motion(const double* x) {
  if (mechanism_) motion_.bodies = x + mechanism_offset_, motion_.stride = mechanism_->bodies();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    if (unit.bodies() != nullptr) continue;  // laws see its bodies
    const double* rows = unit.vectors(x + unit.offset, room_.data());
    show(unit, rows, rows + unit.components() * unit.links(), unit.links(), 1.0, motion_.chains[c]);
  }
}

void World::show_motion(int order, const double* c) {
  if (mechanism_)
    motion_.bodies = mechanism_->rows(order).at, motion_.stride = mechanism_->rows(order).stride;
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    ChainUnit& unit = chains_[i];
    const double* row = c + static_cast<std::size_t>(order) * dimension_ + unit.offset;
    const ShownRows rows = std::visit([&](auto& chain) { return chain.shown(order, row); }, unit.chain);
    if (rows.vectors != nullptr)
      show(unit, rows.vectors, rows.rates, rows.stride, rows.factor, motion_.chains[i]);
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
    gravities_[c] = unit.to_own(unit.gravity) - unit.to_own(pivots_[c].acceleration);
  }
}

template <int D>
ChainLoads<D> World::loads(std::size_t chain) const {
  ChainLoads<D> out{acting_.chains[chain].end.data(), {}};
  for (int i = 0; i < D; ++i) out.gravity[i] = gravities_[chain][i];
  return out;
}

template ChainLoads<2> World::loads<2>(std::size_t) const;
template ChainLoads<3> World::loads<3>(std::size_t) const;

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
  if (equations_) return equations_->rhs(t, x, dx);
  refresh(t, x);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    const auto evaluate = [&](auto& chain) {
      const auto acting = loads<std::decay_t<decltype(chain)>::kDimension>(c);
      chain.rhs(x + unit.offset, dx + unit.offset, loaded_ ? &acting : nullptr);
    };
    std::visit(evaluate, unit.chain);
  }
  if (mechanism_) mechanism_->rhs(t, x + mechanism_offset_, dx + mechanism_offset_, body_loads());
  if (!accounts_) return;
  double work = acting_.work + (mechanism_ ? mechanism_->work(0) : 0.0);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    if (!unit.pivot_motion) continue;
    const double* rates = unit.accelerations(x + unit.offset, dx + unit.offset, room_.data());
    work += dot(pivot_force(c, unit.weighed(rates, unit.links(), 1.0)), unit.to_own(pivots_[c].velocity));
  }
  dx[dimension_ - 2] = acting_.dissipated + (mechanism_ ? mechanism_->loss(0) : 0.0);
  dx[dimension_ - 1] = work;
}

void World::taylor(double t, const double* x, int order, double* c) {
  if (order > reserved_) reserve(order);
  last_order_ = order;
  if (lagrangian_) return lagrangian_->taylor(t, x, order, c, dimension_, account_lane());
  if (equations_) return equations_->taylor(t, x, order, c, dimension_);
  if (loaded_) return taylor_under_forces(t, x, order, c);
  if (mechanism_) mechanism_taylor(t, x, order, c);
  const auto expand = [&](ChainUnit& unit, const double* from, double* to) {
    std::visit([&](auto& chain) { chain.taylor(from, order, to); }, unit.chain);
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
    std::visit([&](auto& chain) { chain.begin(x + unit.offset, c + unit.offset, dimension_); }, unit.chain);
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
        gravities_[i] = gravities_[i] - acceleration;
      }
      const auto advance = [&](auto& chain) {
        chain.advance(n, loads<std::decay_t<decltype(chain)>::kDimension>(i));
      };
      std::visit(advance, unit.chain);
    }
    if (accounts_) account(n, c);
  }
  for (ChainUnit& unit : chains_) {
    std::visit([&](auto& chain) { chain.finish(order); }, unit.chain);
  }
}

// Order n + 1 of the accounts.
void World::account(int n, double* c) {
  double work = acting_.work + (mechanism_ ? mechanism_->work(n) : 0.0);
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    ChainUnit& unit = chains_[i];
    if (!unit.pivot_motion) continue;
    Vec3 velocity = unit.to_own(unit.pivot_motion->coefficient(n + 1));
    for (double& component : velocity) component *= n + 1.0;
    pivot_velocities_[i][static_cast<std::size_t>(n)] = velocity;
    const double* next = c + static_cast<std::size_t>(n + 1) * dimension_ + unit.offset;
    const RateRows rows = std::visit([&](auto& chain) { return chain.changes(n, next); }, unit.chain);
    const Vec3 rate = rows.rates == nullptr ? Vec3{} : unit.weighed(rows.rates, rows.stride, rows.factor);
    pivot_forces_[i][static_cast<std::size_t>(n)] = pivot_force(i, rate);
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
  std::size_t largest = 0;
  each_part(*this, [&](auto& part, std::size_t) { part.reserve(order); });
  for (const ChainUnit& unit : chains_) largest = std::max(largest, unit.dimension());
  for (LawGroup& group : forces_.groups()) group.reserve(order);
  for (auto* rows : {&pivot_forces_, &pivot_velocities_}) {
    for (std::vector<Vec3>& row : *rows) row.resize(static_cast<std::size_t>(order) + 1);
  }
  if (chains_.size() > 1 || mechanism_)
    series_.resize(std::max(series_.size(), (static_cast<std::size_t>(order) + 1) * largest));
  reserved_ = order;
}

double World::smooth_until(double length) const {
  for (const LawGroup& group : forces_.groups()) length = group.smooth_until(last_order_ - 1, length);
  each_part(*this, [&](const auto& part, std::size_t) { length = part.smooth_until(last_order_, length); });
  return length;
}

bool World::has_kinks() const {
  return loaded_ || any_part(*this, [](const auto& part, std::size_t) { return part.has_kinks(); });
}

void World::look_inside(double tolerance) {
  looked_ = tolerance;
  constexpr double kShare = 0.1;  // of an error per step
  double lightest = mechanism_ ? mechanism_->smallest_inertia() : 1.0;
  for (const ChainUnit& unit : chains_) {
    for (std::size_t k = 0; k < unit.links(); ++k) {
      const double mass = unit.parameters().mass[k];
      if (mass > 0.0) lightest = std::min(lightest, mass * std::min(1.0, unit.parameters().length[k]));
    }
  }
  for (LawGroup& group : forces_.groups()) {
    group.look_inside(group.written ? kShare * tolerance * lightest : 0.0);
  }
  each_part(*this, [&](auto& part, std::size_t) { part.look_inside(kShare * tolerance); });
}

bool World::looks_inside() const {
  const auto looks = [](const LawGroup& group) { return group.looks_inside(); };
  return any_part(*this, [](const auto& part, std::size_t) { return part.looks_inside(); }) ||
         std::any_of(forces_.groups().begin(), forces_.groups().end(), looks);
}

bool World::reads_time() const {
  const auto reads = [](const LawGroup& group) { return group.uses(LawInput::Source::time); };
  return any_part(*this, [](const auto& part, std::size_t) { return part.reads_time(); }) ||
         std::any_of(forces_.groups().begin(), forces_.groups().end(), reads);
}

void World::rhs(double t, double t_lo, const double* x, double* dx) {
  if (t_lo == 0.0) return rhs(t, x, dx);
  const auto set_low_time = [this](double low) {
    each_part(*this, [&](auto& part, std::size_t) { part.set_low_time(low); });
    for (LawGroup& group : forces_.groups()) group.set_low_time(low);
  };
  set_low_time(t_lo);
  rhs(t, x, dx);
  set_low_time(0.0);
}

bool World::misses(double t, double length, std::span<const double* const> states) {
  const int count = static_cast<int>(states.size());
  for (int i = 0; i < count; ++i) {
    const double now = t + length * i / (count - 1);
    const double* x = states[static_cast<std::size_t>(i)];
    each_part(*this, [&](auto& part, std::size_t offset) { part.sample(i, now, x + offset); });
    if (!forces_.groups().empty()) show_motion(x);
    for (LawGroup& group : forces_.groups()) group.sample(i, now, motion_);
  }
  return any_part(*this, [&](auto& part, std::size_t) { return part.misses(t, length); }) ||
         std::any_of(forces_.groups().begin(), forces_.groups().end(),
                     [&](LawGroup& group) { return group.misses(length); });
}

bool World::has_constraints() const {
  return any_part(*this, [](const auto& part, std::size_t) { return part.has_constraints(); });
}

bool World::may_be_singular() const {
  return any_part(*this, [](const auto& part, std::size_t) { return part.may_be_singular(); });
}

double World::margin(double t, const double* x) {
  double smallest = std::numeric_limits<double>::infinity();
  each_part(*this, [&](auto& part, std::size_t offset) {
    if (part.may_be_singular()) smallest = std::min(smallest, part.margin(t, x + offset));
  });
  return smallest;
}

void World::project(double t, const double* hi, double* lo) {
  each_part(*this, [&](auto& part, std::size_t offset) {
    // Runs with more digits meet the joints to all of theirs; the frames here are rounded.
    if (extended_ && std::is_same_v<decltype(part), Multibody&>) return;
    part.project(t, hi + offset, lo + offset);
  });
}

double World::constraint_error(double t, const double* hi, const double* lo) {
  double largest = 0.0;
  each_part(*this, [&](auto& part, std::size_t offset) {
    largest = std::max(largest, part.constraint_error(t, hi + offset, lo + offset));
  });
  return largest;
}

// ---- implicit methods -------------------------------------------------------------------------------------

bool World::has_linear_solver() const {
  const auto is_elastic = [](const ChainUnit& unit) { return unit.elastic(); };
  return !chains_.empty() && !mechanism_ && std::all_of(chains_.begin(), chains_.end(), is_elastic);
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

bool World::settle(double* hi, double* lo) {
  bool changed = false;
  each_part(*this, [&](auto& part, std::size_t offset) { changed |= part.settle(hi + offset, lo + offset); });
  return changed;
}

// ---- energy and reactions ---------------------------------------------------------------------------------

Energies World::energy(double t, const double* hi, const double* lo) {
  Energies sum{{}, pivot_potential_, {}};
  each_part(*this, [&](auto& part, std::size_t offset) {
    const Energies own = part.energy(t, hi + offset, lo + offset);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
    sum.elastic += own.elastic;
  });
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

const WorldReactions& World::reactions(double t, const double* x) {
  for (ChainForces& acting : acting_.chains) acting.upper.resize(acting.end.size());
  refresh(t, x);
  if (mechanism_) reactions_.joints = mechanism_->reactions(t, x + mechanism_offset_, body_loads());
  reactions_.chains.resize(chains_.size());
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    WorldReactions::OfChain& of = reactions_.chains[c];
    of.tension.resize(chains_[c].links());
    of.pivot = chain_reactions(c, x, of.tension.data());
  }
  return reactions_;
}

// What the joints between its bodies do: their pull along the links, and that of the pivot.
Vec3 World::body_chain_reactions(std::size_t chain, const double* x, double* tension) const {
  const ChainUnit& unit = chains_[chain];
  const BodyLinks& links = *unit.bodies();
  Vec3 pivot{};
  for (std::size_t k = 0; k < unit.links(); ++k) {
    const Vec3& force = reactions_.joints[links.first_joint() + k].force;
    const Vec3 along = links.end(k, x + unit.offset).position - links.upper(k, x + unit.offset).position;
    tension[k] = -dot(force, along) / std::hypot(along[0], along[1], along[2]);
    if (unit.parameters().parent[k] >= 0) continue;
    for (std::size_t i = 0; i < 3; ++i) pivot[i] += force[i];
  }
  return unit.to_own(pivot - acting_.chains[chain].pivot);
}

Vec3 World::chain_reactions(std::size_t chain, const double* x, double* tension) {
  ChainUnit& unit = chains_[chain];
  if (unit.bodies() != nullptr) return body_chain_reactions(chain, x, tension);
  const auto solve = [&](auto& c) {
    constexpr int kComponents = std::decay_t<decltype(c)>::kDimension;
    const auto acting = loads<kComponents>(chain);
    const auto pivot = c.reactions(x + unit.offset, tension, loaded_ ? &acting : nullptr);
    // What pulls at the upper end of a solid link, the solver has at the end of the link above.
    const ChainForces& forces = acting_.chains[chain];
    const double* directions = unit.vectors(x + unit.offset, room_.data());
    Vec3 force{};
    for (int i = 0; i < kComponents; ++i) {
      force[i] = pivot[i] - forces.pivot[i];
      for (std::size_t k = 0; k < (unit.elastic() ? 0 : unit.links()); ++k)
        tension[k] += forces.upper[i * forces.links + k] * directions[i * forces.links + k];
    }
    return force;
  };
  return std::visit(solve, unit.chain);
}

double World::weight_scale() const {
  double sum = 0.0;
  each_part(*this, [&](const auto& part, std::size_t) { sum += part.weight_scale(); });
  return sum;
}

}  // namespace catena
