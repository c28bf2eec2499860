// What ChainOver does, for the files that make it over a number.
#pragma once

#include <type_traits>

#include "catena/dynamics/world/chain_over.h"

namespace catena {
namespace chain_parts {

// Where the state has no vectors in it: of such a chain, in motion over the number.
template <class Links>
inline constexpr bool has_vectors = true;
template <int D, class S>
inline constexpr bool has_vectors<CoordinateLinks<D, S>> = false;
template <int D, class S>
inline constexpr bool has_vectors<LieLinks<D, S>> = false;

template <class S>
auto motion_of(const ChainUnit& unit, NumberTape* tape) {
  using AnyMotion = decltype(ChainOver<S>::chain);
  const auto make = [tape](const auto& chain) -> AnyMotion {
    using Chain = std::decay_t<decltype(chain)>;
    constexpr int kD = Chain::kDimension;
    const double* gravity = chain.gravity().data();
    ChainLinks links = chain.parameters();
    links.tape = tape;
    if constexpr (Chain::kElastic) {
      return ElasticLinks<kD, S>(links, gravity);
    } else if constexpr (std::is_same_v<Chain, RigidChain<kD>>) {
      return RigidLinks<kD, S>(links, gravity, chain.solver());
    } else if constexpr (std::is_same_v<Chain, BodyChain<kD>>) {
      return LinksOfBodies<kD, S>();
    } else if constexpr (has_digits<S> && std::is_same_v<Chain, CoordinateChain<kD>>) {
      return CoordinateLinks<kD, S>(links, gravity);
    } else if constexpr (has_digits<S> && std::is_same_v<Chain, LieChain<kD>>) {
      return LieLinks<kD, S>(links, gravity);
    } else {
      return RigidLinks<kD, S>(links, gravity, ChainSolver::articulated);
    }
  };
  return std::visit(make, unit.chain);
}

}  // namespace chain_parts

template <class S>
ChainOver<S>::ChainOver(const ChainUnit& unit, NumberTape* tape)
    : offset(unit.offset),
      chain(chain_parts::motion_of<S>(unit, tape)),
      links_(unit.parameters()),
      components_(unit.components()),
      dimension_(unit.bodies() != nullptr ? 0 : 2 * components_ * unit.links()),
      rate_lanes_{dimension_ / 2, dimension_},
      elastic_(unit.elastic()) {
  simple = unit.simple;
  if constexpr (has_digits<S>) {
    dimension_ = unit.dimension();
    rate_lanes_ = catena::rate_lanes(unit);
  }
  links_.tape = tape;
  const std::size_t n = links_.count();
  std::vector<S> carried(n, S(0.0));
  momentum_weights.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    lengths_.push_back(links_.number<S>(links_.length[k]));
    centers_.push_back(links_.number<S>(links_.center_of_mass[k]));
  }
  for (std::size_t k = n; k-- > 0;) {
    const S own = links_.number<S>(links_.mass[k]);
    mass = mass + own;
    momentum_weights[k] = elastic_ ? own : (carried[k] + centers_[k] * own) * lengths_[k];
    if (links_.parent[k] < 0) continue;
    S& above = carried[static_cast<std::size_t>(links_.parent[k])];
    above = above + carried[k] + own;
  }
  const Vec3 gravity = unit.to_own(unit.gravity);
  for (std::size_t i = 0; i < 3; ++i) gravity_[i] = links_.number<S>(gravity[i]);
  for (std::size_t k = 0; k < links_.hinge.size() && components_ == 3; ++k) {
    hinges_.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) hinges_[k][i] = links_.axis_as<S>(k, i);
  }
  if (unit.pivot_motion) pivot_.emplace(unit.pivot_motion->series(), tape);
  links_.tape = nullptr;
}

template <class S>
PivotRates<S> ChainOver<S>::pivot_rates(const S& t, const S*) {
  if (!pivot_) return {};
  pivot_->expand(t, 2);
  return {pivot_->coefficient(1), S(2.0) * pivot_->coefficient(2)};
}

template <class S>
void ChainOver<S>::reserve(int order) {
  std::visit([&](auto& of) { of.reserve(order); }, chain);
  if (pivot_) pivot_->reserve(order + 2);
}

template <class S>
S ChainOver<S>::smooth_until(int order, const S& length) const {
  const S until = pivot_ ? pivot_->smooth_until(order, length, 0.0) : length;
  return std::visit([&](const auto& of) { return of.smooth_until(order, until); }, chain);
}

template <class S>
const S* ChainOver<S>::vectors(const S* x) {
  const auto of = [&](auto& links) -> const S* {
    if constexpr (chain_parts::has_vectors<std::decay_t<decltype(links)>>) {
      return x;
    } else {
      room_.resize(2 * components_ * this->links());
      return links.directions(x, room_.data());
    }
  };
  return std::visit(of, chain);
}

template <class S>
const S* ChainOver<S>::accelerations(const S* x, const S* dx) {
  const auto of = [&](auto& links) -> const S* {
    if constexpr (chain_parts::has_vectors<std::decay_t<decltype(links)>>) {
      return dx + dimension_ / 2;
    } else {
      room_.resize(2 * components_ * this->links());
      return links.accelerations(x, dx, room_.data());
    }
  };
  return std::visit(of, chain);
}

// Unit vectors first; behind them what is normal to them: their rates, or in space angular velocities.
template <class S>
void ChainOver<S>::project(const S&, S* x) const {
  if (elastic_ || dimension_ == 0) return;
  bool has_angles = false, has_rates = true;
  if constexpr (has_digits<S>) {
    has_angles = std::holds_alternative<CoordinateLinks<2, S>>(chain) ||
                 std::holds_alternative<CoordinateLinks<3, S>>(chain);
    has_rates = !std::holds_alternative<LieLinks<2, S>>(chain);
  }
  if (has_angles) return;
  const std::size_t n = links(), half = components_ * n;
  const auto dotted = [&](std::size_t k, std::size_t a, std::size_t b) {
    S sum(0.0);
    for (std::size_t i = k; i < half; i += n) sum = sum + x[a + i] * x[b + i];
    return sum;
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (!hinges_.empty() && links_.hinged(k)) {
      for (const std::size_t first : {std::size_t{0}, half}) {
        S along(0.0);
        for (std::size_t i = 0; i < 3; ++i) along = along + x[first + i * n + k] * hinges_[k][i];
        for (std::size_t i = 0; i < 3; ++i)
          x[first + i * n + k] = x[first + i * n + k] - along * hinges_[k][i];
      }
    }
    const S length = square_root(dotted(k, 0, 0));
    for (std::size_t i = k; i < half; i += n) x[i] = x[i] / length;
    if (!has_rates) continue;
    const S along = dotted(k, 0, half);
    for (std::size_t i = k; i < half; i += n) x[half + i] = x[half + i] - along * x[i];
  }
}

}  // namespace catena
