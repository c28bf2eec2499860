// A chain of a world with more digits than a double: what ChainUnit is in doubles.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "catena/dynamics/chain/chain_unit.h"
#include "catena/dynamics/chain/pivot.h"
#include "catena/dynamics/chain/rate_lanes.h"
#include "catena/dynamics/chain/solvers/coordinate_links.h"
#include "catena/dynamics/chain/solvers/lie_links.h"
#include "catena/dynamics/chain/solvers/links_motion.h"
#include "catena/math/quad.h"
#include "catena/math/vec3.h"

namespace catena {

// Every formulation with more digits than a double; with derivatives and in lanes angles and Lie groups are
// left out: the same motion is computed by the chain's own equations (decision 103).
template <class S, class... More>
using SomeLinks = std::variant<RigidLinks<2, S>, RigidLinks<3, S>, ElasticLinks<2, S>, ElasticLinks<3, S>,
                               LinksOfBodies<2, S>, LinksOfBodies<3, S>, More...>;
template <class S>
using AnyLinks = std::conditional_t<
    has_digits<S>, SomeLinks<S, CoordinateLinks<2, S>, CoordinateLinks<3, S>, LieLinks<2, S>, LieLinks<3, S>>,
    SomeLinks<S>>;

template <class S>
class ChainOver {
 public:
  // `tape`: where its numbers come from, of kinds that have rates.
  explicit ChainOver(const ChainUnit& unit, NumberTape* tape = nullptr);

  std::size_t offset = 0;
  AnyLinks<S> chain;
  std::vector<S> momentum_weights;  // as ChainUnit has them
  S mass{};                         // of all links
  bool simple = false;              // point masses, each below the one before

  std::size_t links() const { return lengths_.size(); }
  std::size_t components() const { return components_; }
  std::size_t dimension() const { return dimension_; }
  bool elastic() const { return elastic_; }
  const std::vector<int>& parents() const { return links_.parent; }
  const std::vector<S>& lengths() const { return lengths_; }
  const std::vector<S>& centers() const { return centers_; }  // of mass, as parts of the lengths
  // Which of its lanes are rates of the others.
  const RateLanes& which_are_rates() const { return rate_lanes_; }
  const Vec3Of<S>& own_gravity() const { return gravity_; }
  PivotSeries<S>* pivot_series() { return pivot_ ? &*pivot_ : nullptr; }
  PivotRates<S> pivot_rates(const S& t, const S* x);
  // Directions and their rates, or ends and their velocities; how fast the second half of these changes.
  const S* vectors(const S* x);
  const S* accelerations(const S* x, const S* dx);
  Vec3Of<S> weighed(const S* rates, std::size_t stride, double factor) const {
    return weighed_rates(momentum_weights, components_, rates, stride, factor);
  }

  void reserve(int order);
  S smooth_until(int order, const S& length) const;
  // Back to |u| = 1, u . w = 0, and hinged links to the planes that they turn in.
  void project(const S& t, S* x) const;

 private:
  ChainLinks links_;
  std::size_t components_;
  std::size_t dimension_;
  RateLanes rate_lanes_;
  bool elastic_;
  std::vector<S> lengths_, centers_;
  std::vector<Vec3Of<S>> hinges_;  // empty: none
  Vec3Of<S> gravity_;
  std::optional<PivotSeries<S>> pivot_;
  std::vector<S> room_;  // vectors of formulations whose state has none
};

template <class S>
const RateLanes& rate_lanes(const ChainOver<S>& unit) {
  return unit.which_are_rates();
}

}  // namespace catena
