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
#include "catena/dynamics/chain/directions.h"
#include "catena/dynamics/world/world_motion_definitions.h"

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

bool World::has_kinks() const {
  return loaded_ || any_part(*this, [](const auto& part, std::size_t) { return part.has_kinks(); });
}

bool World::has_switches() const {
  const auto jumps = [](const LawGroup& group) { return group.has_jumps(); };
  return any_part(*this, [](const auto& part, std::size_t) { return part.has_kinks(); }) ||
         std::any_of(forces_.groups().begin(), forces_.groups().end(), jumps);
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
    group.look_inside(kShare * tolerance * lightest);
  }
  each_part(*this, [&](auto& part, std::size_t) { part.look_inside(kShare * tolerance); });
}

bool World::looks_inside() const {
  const auto looks = [](const LawGroup& group) { return group.looks_inside(); };
  return any_part(*this, [](const auto& part, std::size_t) { return part.looks_inside(); }) ||
         std::any_of(forces_.groups().begin(), forces_.groups().end(), looks);
}

bool World::watches_steps() const {
  return looks_inside() || std::any_of(forces_.groups().begin(), forces_.groups().end(),
                                       [](const LawGroup& group) { return group.watches(); });
}

double World::account_scale() {
  const auto is_unfelt = [](const LawGroup& group) {
    return group.written && group.uses(LawInput::Source::time) && group.gives(LawOutput::Target::potential) &&
           group.gives(LawOutput::Target::work);
  };
  const std::vector<LawGroup>& groups = forces_.groups();
  const bool is_by_law = std::any_of(groups.begin(), groups.end(), is_unfelt);
  if (!is_by_law && !(lagrangian_ && accounts_ && lagrangian_->reads_time())) return 0.0;
  const double moving = static_cast<double>(energy(0.0, start_.hi.data(), start_.lo.data()).kinetic);
  const double scale = std::max(weight_scale(), moving);
  return scale > 0.0 ? scale : 1.0;
}

bool World::bounds_steps() const {
  const auto has_angles = [](const ChainUnit& unit) { return unit.has_angles(); };
  return watches_steps() && !looks_inside() && forces_.poles().has_all() &&
         std::none_of(chains_.begin(), chains_.end(), has_angles);
}

bool World::may_miss(double length, const double* from, const double* leaving, const double* to,
                     const double* arriving) {
  Poles& poles = forces_.poles();
  const auto note = [&](Poles::Shown what, const double* x) {
    show_motion(x);  // linear: rates are shown as states are
    poles.note(what, motion_);
  };
  note(Poles::kStart, from);
  note(Poles::kStartRates, leaving);
  note(Poles::kEnd, to);
  note(Poles::kEndRates, arriving);
  return !poles.stay(length);
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
    // Runs with more digits meet the joints to all of theirs; the frames here are rounded. What is left to do
    // is to count turns: energies and reactions are those of springs and limits so many turns away.
    if constexpr (std::is_same_v<decltype(part), Multibody&>) {
      if (has_more_digits_) return part.follow_all_turns(t, hi + offset, lo + offset, true);
    }
    part.project(t, hi + offset, lo + offset);
  });
}

void World::project(double t, const double* hi, double* lo, const BodiesReturn& bodies) {
  each_part(*this, [&](auto& part, std::size_t offset) {
    if constexpr (std::is_same_v<decltype(part), Multibody&>) {
      bodies(hi + offset, lo + offset);
    } else {
      part.project(t, hi + offset, lo + offset);
    }
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
    const BodyLinks* links = chains_[c].bodies();
    if (links != nullptr && links->end_held())
      of.end = reactions_.joints[links->first_joint() + chains_[c].links()].force;
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
  Vec3 acting = acting_.chains[chain].pivot;
  // On a pivot that formulas carry, laws act as on a body, which is none of those that are shown.
  const Mechanism& mechanism = mechanism_->mechanism();
  const int carrier = mechanism.joints[links.first_joint()].a;
  if (loaded_ && carrier >= static_cast<int>(mechanism.shown_bodies())) {
    const auto body = static_cast<std::size_t>(mechanism_->moving_index(static_cast<std::size_t>(carrier)));
    for (std::size_t i = 0; i < 3; ++i) acting[i] += acting_.bodies[i * mechanism_->bodies() + body];
  }
  return unit.to_own(pivot - acting);
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
    const double* directions = unit.vectors(x + unit.offset);
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

template class WorldMotion<double>;
template ChainLoads<2> WorldMotion<double>::loads<2>(std::size_t) const;
template ChainLoads<3> WorldMotion<double>::loads<3>(std::size_t) const;

}  // namespace catena
