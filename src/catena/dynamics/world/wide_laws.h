// Force laws and moving pivots with more digits than a double: what World does with LawGroup and PivotMotion,
// from the same formulas.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/expr/wide_series.h"

namespace catena {

// What a chain shows to force laws at one order, lanes [component][link], as ChainMotion.
template <class S>
struct WideMotion {
  std::vector<S> center, center_velocity, link, link_rate;

  const std::vector<S>& lanes(LawInput::Source source) const;
};

// What acts on a chain at one order, as ChainForces.
template <class S>
struct WideForces {
  std::vector<S> end;
  std::array<S, 3> pivot{};
};

template <class S>
class WideLaws {
 public:
  explicit WideLaws(const World& world);

  void reserve(int order);

  // For the order at hand: to be filled in before `advance`, and what it leaves.
  std::vector<WideMotion<S>>& motion() { return motion_; }
  const WideForces<S>& forces(std::size_t chain) const { return forces_[chain]; }
  const S& dissipated() const { return dissipated_; }
  const S& work() const { return work_; }

  // Order n at time t; the lower orders are done.
  void advance(int n, const S& t);

 private:
  struct Group {
    std::size_t lanes;
    std::vector<LawInput> inputs;
    std::vector<LawOutput> rates;
    expr::WideSeries<S> series, shared;
  };
  void share(Group& group, int n, const S& t);
  void fill(const LawInput& input, int n, const S& t, std::size_t lanes, S* row) const;
  void give(const LawOutput& output, std::size_t lanes, const S* row);

  std::vector<Group> groups_;
  std::vector<S> shared_;           // of the group at hand, at the order at hand
  std::vector<std::size_t> links_;  // of each chain
  std::vector<WideMotion<S>> motion_;
  std::vector<WideForces<S>> forces_;
  S dissipated_{}, work_{};
};

// A moving pivot in its chain's own space.
template <class S>
class WidePivot {
 public:
  explicit WidePivot(const ChainUnit& unit);

  void reserve(int order) { series_.reserve(1, order); }
  void expand(const S& t, int order);
  std::array<S, 3> coefficient(int order) const;

 private:
  bool planar_;
  Plane plane_;
  expr::WideSeries<S> series_;
};

}  // namespace catena
