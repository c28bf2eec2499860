// What WorldMotion does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <utility>

#include "catena/dynamics/world/world_motion.h"

namespace catena {

// ---- what forces see, and what they do --------------------------------------------------------------------

namespace world_parts {

// Point masses one below the other: all components in one pass, since each sum waits for its own last term.
template <std::size_t C, class S>
void sum_down(std::size_t n, const S* length, const S* u, std::size_t stride, const S& factor, S* center) {
  S end[C] = {};
  for (std::size_t k = 0; k < n; ++k) {
    const S scaled = factor * length[k];
    for (std::size_t i = 0; i < C; ++i) center[i * n + k] = end[i] += scaled * u[i * stride + k];
  }
}

// Rigid links: ends and centres of mass are sums along the chain of rows `factor` u.
template <class S, class Chain>
void sum_along(const Chain& unit, const S* u, std::size_t stride, const S& factor, bool wanted,
               std::vector<S>& center) {
  if (!wanted) return;
  const std::vector<S>& lengths = unit.lengths();
  const std::size_t n = unit.links(), components = unit.components();
  if (unit.simple) {
    (components == 2 ? sum_down<2, S> : sum_down<3, S>)(n, lengths.data(), u, stride, factor, center.data());
    return;
  }
  const std::vector<int>& parents = unit.parents();
  for (std::size_t i = 0; i < components; ++i) {
    const S* from = u + i * stride;
    S* to = center.data() + i * n;
    for (std::size_t k = 0; k < n; ++k) {
      to[k] = factor * lengths[k] * from[k] + (parents[k] < 0 ? S(0.0) : to[parents[k]]);
    }
    for (std::size_t k = 0; k < n; ++k) {  // from the ends back to the centres
      to[k] -= (S(1.0) - unit.centers()[k]) * factor * lengths[k] * from[k];
    }
  }
}

template <class S>
void copy_rows(std::size_t components, std::size_t n, const S* from, std::size_t stride, const S& factor,
               std::vector<S>& to) {
  for (std::size_t i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < n; ++k) to[i * n + k] = factor * from[i * stride + k];
  }
}

// From each link's upper joint to its end.
template <class S, class Chain>
void spans(const Chain& unit, const S* x, std::vector<S>& to) {
  const std::size_t n = unit.links();
  const std::vector<int>& parents = unit.parents();
  for (std::size_t i = 0; i < unit.components(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const int parent = parents[k];
      to[i * n + k] = x[i * n + k] - (parent < 0 ? S(0.0) : x[i * n + static_cast<std::size_t>(parent)]);
    }
  }
}

// Rows u and w = factor times the row behind it, or x and v.
template <class S, class Chain>
void show(const Chain& unit, const S* first, const S* second, std::size_t stride, const S& factor,
          ChainMotionOver<S>& motion) {
  const std::size_t components = unit.components(), n = unit.links();
  const S one(1.0);
  if (unit.elastic()) {
    if (motion.needs_center) copy_rows(components, n, first, n, one, motion.center);
    if (motion.needs_center_velocity) copy_rows(components, n, second, n, one, motion.center_velocity);
    if (!motion.needs_link) return;
    spans(unit, first, motion.link);
    spans(unit, second, motion.link_rate);
    return;
  }
  sum_along(unit, first, stride, one, motion.needs_center, motion.center);
  sum_along(unit, second, stride, factor, motion.needs_center_velocity, motion.center_velocity);
  if (!motion.needs_link) return;
  copy_rows(components, n, first, stride, one, motion.link);
  copy_rows(components, n, second, stride, factor, motion.link_rate);
}

}  // namespace world_parts

template <class S>
void WorldMotion<S>::make_room() {
  for (const Unit& unit : chains_) {
    const std::size_t lanes = unit.components() * unit.links();
    const int index = static_cast<int>(motion_.chains.size());
    const auto used = [&](LawInput::Source source) {
      return std::any_of(forces_.groups().begin(), forces_.groups().end(), [&](const auto& group) {
        return std::any_of(group.inputs().begin(), group.inputs().end(), [&](const LawInput& input) {
          return input.chain == index && input.source == source;
        });
      });
    };
    ChainMotionOver<S> motion;
    motion.links = unit.links();
    motion.needs_center = used(LawInput::Source::center);
    motion.needs_center_velocity = used(LawInput::Source::center_velocity);
    motion.needs_link = used(LawInput::Source::link) || used(LawInput::Source::link_rate);
    if (motion.needs_center) motion.center.resize(lanes);
    if (motion.needs_center_velocity) motion.center_velocity.resize(lanes);
    if (motion.needs_link) {
      motion.link.resize(lanes);
      motion.link_rate.resize(lanes);
    }
    motion_.chains.push_back(std::move(motion));
    acting_.chains.push_back({unit.links(), std::vector<S>(lanes), {}});
    gravities_.push_back(unit.own_gravity());
  }
  if (mechanism_) acting_.bodies.resize(6 * mechanism_->bodies());
  pivots_.resize(chains_.size());
  pivot_forces_.resize(chains_.size());
  pivot_velocities_.resize(chains_.size());
}

template <class S>
void WorldMotion<S>::show_motion(const S* x) {
  if (mechanism_) motion_.bodies = x + mechanism_offset_, motion_.stride = mechanism_->bodies();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    Unit& unit = chains_[c];
    if (unit.dimension() == 0) continue;  // laws see its bodies
    const S* rows = unit.vectors(x + unit.offset);
    world_parts::show(unit, rows, rows + unit.components() * unit.links(), unit.links(), S(1.0),
                      motion_.chains[c]);
  }
}

template <class S>
void WorldMotion<S>::show_motion(int order, const S* c) {
  if (mechanism_) {
    const auto rows = mechanism_->rows(order);
    motion_.bodies = rows.at;
    motion_.stride = rows.stride;
  }
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    Unit& unit = chains_[i];
    const S* row = c + static_cast<std::size_t>(order) * dimension_ + unit.offset;
    const ShownRowsOver<S> rows =
        std::visit([&](auto& chain) { return chain.shown(order, row); }, unit.chain);
    if (rows.vectors != nullptr)
      world_parts::show(unit, rows.vectors, rows.rates, rows.stride, S(rows.factor), motion_.chains[i]);
  }
}

template <class S>
BodyLoadsOver<S> WorldMotion<S>::body_loads() const {
  if (!loaded_) return {};
  const S* torques = acting_.bodies.data() + acting_.bodies.size() / 2;
  return {acting_.bodies.data(), twists_bodies_ ? torques : nullptr};
}

template <class S>
void WorldMotion<S>::refresh(const S& t, const S* x) {
  if (!loaded_) return;
  show_motion(x);
  acting_.clear();
  for (auto& group : forces_.groups()) group.evaluate(t, motion_, acting_);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    pivots_[c] = chains_[c].pivot_rates(t, x + chains_[c].offset);
    gravities_[c] = chains_[c].own_gravity() - pivots_[c].acceleration;
  }
}

template <class S>
template <int D>
ChainLoads<D, S> WorldMotion<S>::loads(std::size_t chain) const {
  ChainLoads<D, S> out{acting_.chains[chain].end.data(), {}};
  for (std::size_t i = 0; i < D; ++i) out.gravity[i] = gravities_[chain][i];
  return out;
}

template <class S>
Vec3Of<S> WorldMotion<S>::pivot_force(std::size_t chain, const Vec3Of<S>& momentum_rate) const {
  const Unit& unit = chains_[chain];
  const ChainForcesOver<S>& acting = acting_.chains[chain];
  Vec3Of<S> force = momentum_rate;
  for (std::size_t i = 0; i < unit.components(); ++i) {
    force[i] -= unit.mass * gravities_[chain][i] + acting.pivot[i];
    for (std::size_t k = 0; k < acting.links; ++k) force[i] -= acting.end[i * acting.links + k];
  }
  return force;
}

// Relative to the pivot: rigid chains at rest, pulled by -jump; elastic ones stay as they are in the world,
// since springs pass no impulse.
template <class S>
Vec3Of<S> WorldMotion<S>::strike(std::size_t chain, const Vec3Of<S>& jump, const S* x, S* change) {
  Unit& unit = chains_[chain];
  const std::size_t lanes = unit.dimension(), n = unit.links();
  const auto [first, end] = rate_lanes(unit);
  if (unit.elastic()) {
    for (std::size_t i = first; i < end; ++i) change[i] = -jump[(i - first) / n];
    return {};
  }
  std::vector<S> resting(x, x + lanes), rates(lanes);
  for (std::size_t i = first; i < end; ++i) resting[i] = S(0.0);
  acting_.clear();
  for (std::size_t i = 0; i < 3; ++i) gravities_[chain][i] = -jump[i];
  const auto evaluate = [&](auto& of) {
    const auto pull = loads<std::decay_t<decltype(of)>::kDimension>(chain);
    of.rhs(resting.data(), rates.data(), &pull);
  };
  std::visit(evaluate, unit.chain);
  std::copy(rates.data() + first, rates.data() + end, change + first);
  const S* accelerations = unit.accelerations(resting.data(), rates.data());
  return pivot_force(chain, unit.weighed(accelerations, n, 1.0));
}

// ---- motion -----------------------------------------------------------------------------------------------

template <class S>
void WorldMotion<S>::rhs(const S& t, const S* x, S* dx) {
  if (lagrangian_) return lagrangian_->rhs(t, x, dx, account_lane());
  if (equations_) return equations_->rhs(t, x, dx);
  // Chains on which nothing acts but their weight: methods without series ask for little else.
  if (!loaded_ && !mechanism_ && !accounts_) {
    for (Unit& unit : chains_)
      std::visit([&](auto& chain) { chain.rhs(x + unit.offset, dx + unit.offset, nullptr); }, unit.chain);
    return;
  }
  refresh(t, x);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    Unit& unit = chains_[c];
    const auto evaluate = [&](auto& chain) {
      const auto acting = loads<std::decay_t<decltype(chain)>::kDimension>(c);
      chain.rhs(x + unit.offset, dx + unit.offset, loaded_ ? &acting : nullptr);
    };
    std::visit(evaluate, unit.chain);
  }
  if (mechanism_) mechanism_->rhs(t, x + mechanism_offset_, dx + mechanism_offset_, body_loads());
  if (!accounts_) return;
  S work = acting_.work + (mechanism_ ? mechanism_->work(0) : S(0.0));
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    Unit& unit = chains_[c];
    if (unit.pivot_series() == nullptr) continue;
    const S* rates = unit.accelerations(x + unit.offset, dx + unit.offset);
    work += dot(pivot_force(c, unit.weighed(rates, unit.links(), 1.0)), pivots_[c].velocity);
  }
  dx[dimension_ - 2] = acting_.dissipated + (mechanism_ ? mechanism_->loss(0) : S(0.0));
  dx[dimension_ - 1] = work;
}

template <class S>
void WorldMotion<S>::taylor(const S& t, const S* x, int order, S* c) {
  if (order > reserved_) reserve(order);
  last_order_ = order;
  if (lagrangian_) return lagrangian_->taylor(t, x, order, c, dimension_, account_lane());
  if (equations_) return equations_->taylor(t, x, order, c, dimension_);
  if (loaded_) return taylor_under_forces(t, x, order, c);
  if (mechanism_) bodies_taylor(t, x, order, c);
  const auto expand = [&](Unit& unit, const S* from, S* to) {
    std::visit([&](auto& chain) { chain.taylor(from, order, to); }, unit.chain);
  };
  if (chains_.size() == 1 && !mechanism_) return expand(chains_[0], x, c);
  for (Unit& unit : chains_) {
    const std::size_t own = unit.dimension();
    expand(unit, x + unit.offset, series_.data());
    for (int k = 0; k <= order; ++k) {
      std::copy_n(series_.data() + k * own, own, c + k * dimension_ + unit.offset);
    }
  }
}

// The bodies' lanes and, where something moves energy, the accounts of what their joints do.
template <class S>
void WorldMotion<S>::bodies_taylor(const S& t, const S* x, int order, S* c) {
  mechanism_->begin(t, x + mechanism_offset_);
  if (accounts_) std::copy(x + motion_lanes(), x + dimension_, c + motion_lanes());
  for (int n = 0;; ++n) {
    S* row = c + static_cast<std::size_t>(n) * dimension_;
    mechanism_->write(n, row + mechanism_offset_);
    if (n == order) break;
    mechanism_->advance(n, {});
    if (!accounts_) continue;
    S* next = row + dimension_ + motion_lanes();
    next[0] = mechanism_->loss(n) / S(n + 1.0);
    next[1] = mechanism_->work(n) / S(n + 1.0);
  }
}

template <class S>
void WorldMotion<S>::taylor_under_forces(const S& t, const S* x, int order, S* c) {
  for (Unit& unit : chains_) {
    std::visit([&](auto& chain) { chain.begin(x + unit.offset, c + unit.offset, dimension_); }, unit.chain);
    if (auto* pivot = unit.pivot_series()) pivot->expand(t, order + 2);
  }
  if (mechanism_) {
    mechanism_->begin(t, x + mechanism_offset_);
    mechanism_->write(0, c + mechanism_offset_);
  }
  std::copy(x + motion_lanes(), x + dimension_, c + motion_lanes());
  for (int n = 0; n < order; ++n) {
    show_motion(n, c);
    acting_.clear();
    for (auto& group : forces_.groups()) group.advance(n, t, motion_, acting_);
    if (mechanism_) {
      mechanism_->advance(n, body_loads());
      mechanism_->write(n + 1, c + static_cast<std::size_t>(n + 1) * dimension_ + mechanism_offset_);
    }
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      Unit& unit = chains_[i];
      gravities_[i] = n == 0 ? unit.own_gravity() : Vec3Of<S>{};
      if (auto* pivot = unit.pivot_series()) {
        gravities_[i] = gravities_[i] - S((n + 2.0) * (n + 1.0)) * pivot->coefficient(n + 2);
      }
      const auto advance = [&](auto& chain) {
        chain.advance(n, loads<std::decay_t<decltype(chain)>::kDimension>(i));
      };
      std::visit(advance, unit.chain);
    }
    if (accounts_) account(n, c);
  }
  for (Unit& unit : chains_) {
    std::visit([&](auto& chain) { chain.finish(order); }, unit.chain);
  }
}

// Order n + 1 of the accounts.
template <class S>
void WorldMotion<S>::account(int n, S* c) {
  S work = acting_.work + (mechanism_ ? mechanism_->work(n) : S(0.0));
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    Unit& unit = chains_[i];
    auto* pivot = unit.pivot_series();
    if (pivot == nullptr) continue;
    pivot_velocities_[i][static_cast<std::size_t>(n)] = S(n + 1.0) * pivot->coefficient(n + 1);
    const S* next = c + static_cast<std::size_t>(n + 1) * dimension_ + unit.offset;
    const RateRowsOver<S> rows = std::visit([&](auto& chain) { return chain.changes(n, next); }, unit.chain);
    const Vec3Of<S> rate =
        rows.rates == nullptr ? Vec3Of<S>{} : unit.weighed(rows.rates, rows.stride, rows.factor);
    pivot_forces_[i][static_cast<std::size_t>(n)] = pivot_force(i, rate);
    for (int j = 0; j <= n; ++j) {
      work += dot(pivot_forces_[i][static_cast<std::size_t>(j)],
                  pivot_velocities_[i][static_cast<std::size_t>(n - j)]);
    }
  }
  S* next = c + static_cast<std::size_t>(n + 1) * dimension_ + motion_lanes();
  next[0] = (acting_.dissipated + (mechanism_ ? mechanism_->loss(n) : S(0.0))) / S(n + 1.0);
  next[1] = work / S(n + 1.0);
}

template <class S>
void WorldMotion<S>::reserve(int order) {
  std::size_t largest = 0;
  each_part(*this, [&](auto& part, std::size_t) { part.reserve(order); });
  for (const Unit& unit : chains_) largest = std::max(largest, unit.dimension());
  for (auto& group : forces_.groups()) group.reserve(order);
  for (auto* rows : {&pivot_forces_, &pivot_velocities_}) {
    for (std::vector<Vec3Of<S>>& row : *rows) row.resize(static_cast<std::size_t>(order) + 1);
  }
  if (chains_.size() > 1 || mechanism_)
    series_.resize(std::max(series_.size(), (static_cast<std::size_t>(order) + 1) * largest));
  reserved_ = order;
}

template <class S>
S WorldMotion<S>::smooth_until(const S& length) const {
  S until = length;
  for (const auto& group : forces_.groups()) until = group.smooth_until(last_order_ - 1, until);
  each_part(*this, [&](const auto& part, std::size_t) { until = part.smooth_until(last_order_, until); });
  return until;
}

}  // namespace catena
