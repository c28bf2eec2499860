// What WorldOver does, for the files that make it over a number.
#pragma once

#include <limits>

#include "catena/dynamics/world/world_motion_definitions.h"
#include "catena/dynamics/world/world_over.h"
#include "catena/math/number_tape.h"

namespace catena {

template <class S>
typename PartsOver<S>::Laws WorldOver<S>::laws_of(const World& world, NumberTape* tape) {
  typename PartsOver<S>::Laws out;
  for (const LawGroup& group : world.forces().groups())
    out.all.emplace_back(static_cast<const LawSeries<double>&>(group), tape);
  return out;
}

template <class S>
WorldOver<S>::WorldOver(const World& world, NumberTape* tape)
    : WorldMotion<S>(laws_of(world, tape)), has_kinks_(world.has_kinks()) {
  for (const ChainUnit& unit : world.chains()) this->chains_.emplace_back(unit, tape);
  if (world.mechanism() != nullptr) this->mechanism_.emplace(*world.mechanism(), world.mobility().rank, tape);
  if (const LagrangianSystem* system = world.lagrangian()) this->lagrangian_.emplace(*system, tape);
  if (const EquationsSystem* system = world.equations())
    this->equations_.emplace(system->formulas().graph, system->formulas().rates, tape);
  this->mechanism_offset_ = world.mechanism_offset();
  this->dimension_ = world.dimension();
  this->loaded_ = world.loaded();
  this->accounts_ = world.accounts();
  this->twists_bodies_ = world.forces().twists_bodies();
  this->make_room();
  if (tape == nullptr) return;
  for (const std::size_t word :
       {this->dimension_, std::size_t{this->loaded_}, std::size_t{this->accounts_}, this->chains_.size()})
    tape->shape(word);
}

template <class S>
void WorldOver<S>::project(const S& t, S* x) {
  this->each_part(*this, [&](auto& part, std::size_t offset) { part.project(t, x + offset); });
}

template <class S>
typename WorldOver<S>::Prescribed WorldOver<S>::prescribed(const S& t, const S* x) requires has_digits<S> {
  Prescribed out;
  for (auto& unit : this->chains_) out.velocities.push_back(unit.pivot_rates(t, x + unit.offset).velocity);
  if (this->mechanism_) out.rates = this->mechanism_->prescribed_rates(t, x + this->mechanism_offset_);
  if (this->lagrangian_) out.rates = this->lagrangian_->drifts(t, x);
  return out;
}

template <class S>
void WorldOver<S>::strike(const S& t, S* x, const Prescribed& before) requires has_digits<S> {
  if constexpr (has_digits<S>) {  // clang 14 looks at bodies of what is not there, too
    const Prescribed now = prescribed(t, x);
    S work(0.0);
    for (std::size_t c = 0; c < this->chains_.size(); ++c) {
      auto& unit = this->chains_[c];
      if (unit.pivot_series() == nullptr) continue;
      const Vec3Of<S> jump = now.velocities[c] - before.velocities[c];
      const RateLanes& rates = rate_lanes(unit);
      std::vector<S> change(unit.dimension());
      const Vec3Of<S> impulse = WorldMotion<S>::strike(c, jump, x + unit.offset, change.data());
      for (std::size_t i = rates.first; i < rates.end; ++i) x[unit.offset + i] += change[i];
      work += dot(impulse, S(0.5) * (now.velocities[c] + before.velocities[c]));
    }
    if (this->mechanism_) work += this->mechanism_->strike(t, x + this->mechanism_offset_, before.rates);
    if (this->lagrangian_) work += this->lagrangian_->strike(t, x, before.rates);
    if (this->accounts_) x[this->dimension_ - 1] += work;
    project(t, x);
  }
}

template <class S>
void WorldOver<S>::seat(int lane, World* world) {
  if (this->mechanism_) this->mechanism_->seat(lane, world == nullptr ? nullptr : world->mechanism());
}

template <class S>
void WorldOver<S>::project_lane(int lane, World& world, double t, const double* hi, double* lo) {
  world.project(t, hi, lo, [&](const double* bodies_hi, double* bodies_lo) {
    this->mechanism_->project_lane(lane, t, bodies_hi, bodies_lo);
  });
}

template <class S>
S WorldOver<S>::margin(const S& t, const S* x) {
  if (!this->mechanism_) return S(std::numeric_limits<double>::infinity());
  return this->mechanism_->margin(t, x + this->mechanism_offset_);
}

template <class S>
template <int D>
TensionSolver<D, S>* WorldOver<S>::only_tensions() {
  if (this->loaded_ || this->accounts_ || this->mechanism_ || this->lagrangian_ || this->equations_ ||
      this->chains_.size() != 1)
    return nullptr;
  auto* links = std::get_if<RigidLinks<D, S>>(&this->chains_[0].chain);
  return links == nullptr ? nullptr : links->tension();
}

}  // namespace catena
