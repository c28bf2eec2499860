// The motion of a world over any number: its parts, one behind the other in one flat state, under laws that
// act on them, and behind them, where forces move energy, what they have dissipated and the work they have
// done. In doubles parts have fast ways of their own; the others follow from the same sources.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/chain/chain_unit.h"
#include "catena/dynamics/chain/rate_lanes.h"
#include "catena/dynamics/equations/equations_system.h"
#include "catena/dynamics/lagrangian/lagrangian_return.h"
#include "catena/dynamics/laws/forces.h"
#include "catena/dynamics/world/chain_over.h"
#include "catena/dynamics/world/part.h"

namespace catena {

// What the parts of a world are, over the number S.
template <class S>
struct PartsOver {
  struct Laws {
    std::vector<LawSeries<S>> all;
    std::vector<LawSeries<S>>& groups() { return all; }
    const std::vector<LawSeries<S>>& groups() const { return all; }
  };
  using Unit = ChainOver<S>;
  using Bodies = BodiesOver<S>;
  using LagrangianPart = LagrangianOver<S>;
  using EquationsPart = EquationsMotion<S>;
};

template <>
struct PartsOver<double> {
  using Laws = Forces;
  using Unit = ChainUnit;
  using Bodies = Multibody;
  using LagrangianPart = LagrangianSystem;
  using EquationsPart = EquationsSystem;
};

template <class S>
class WorldMotion {
 public:
  std::size_t dimension() const { return dimension_; }
  // Lanes in front that describe the motion; behind them come dissipated energy and work.
  std::size_t motion_lanes() const { return dimension_ - (accounts_ ? 2 : 0); }
  bool accounts() const { return accounts_; }
  // Something acts beside links, joints and uniform gravity.
  bool loaded() const { return loaded_; }

  // The rates of change at (t, x).
  void rhs(const S& t, const S* x, S* dx);
  // Taylor coefficients c[k * dimension + lane], k = 0..order, of the motion through x at t.
  void taylor(const S& t, const S* x, int order, S* c);
  void reserve(int order);
  // Up to where the last series hold, at most `length`: laws with kinks and slack links end them.
  S smooth_until(const S& length) const;

 protected:
  using Parts = PartsOver<S>;
  using Unit = typename Parts::Unit;

  explicit WorldMotion(typename Parts::Laws forces) : forces_(std::move(forces)) {}

  // All parts, one after the other, each with the place of its lanes in the state.
  template <class Self, class Visit>
  static void each_part(Self& self, const Visit& visit) {
    for (auto& unit : self.chains_) visit_part(unit, unit.offset, visit);
    if (self.mechanism_) visit_part(*self.mechanism_, self.mechanism_offset_, visit);
    if (self.lagrangian_) visit_part(*self.lagrangian_, 0, visit);
    if (self.equations_) visit_part(*self.equations_, 0, visit);
  }
  // Whether one of them says yes.
  template <class Self, class Question>
  static bool any_part(Self& self, const Question& question) {
    bool any = false;
    each_part(self, [&](auto& part, std::size_t offset) { any = any || question(part, offset); });
    return any;
  }

  // Room for what laws see and do, once chains and bodies are there.
  void make_room();
  // What the laws see of a state, or of order n of the series.
  void show_motion(const S* x);
  void show_motion(int order, const S* c);
  void refresh(const S& t, const S* x);  // forces at this time and state
  BodyLoadsOver<S> body_loads() const;
  template <int D>
  ChainLoads<D, S> loads(std::size_t chain) const;
  // What a chain's pivot does to keep it on its way, in its own space: the change of momentum less all other
  // forces.
  Vec3Of<S> pivot_force(std::size_t chain, const Vec3Of<S>& momentum_rate) const;
  // What a jump of its pivot's velocity, in the chain's own space, adds to the rates of a chain at x, into
  // those lanes of `change`; gives the pivot's impulse. docs/theory/kinks.md has the reasons.
  Vec3Of<S> strike(std::size_t chain, const Vec3Of<S>& jump, const S* x, S* change);
  // Where the accounts of energy are in the state of a part that is alone.
  std::size_t account_lane() const { return accounts_ ? motion_lanes() : static_cast<std::size_t>(-1); }

  std::vector<Unit> chains_;
  std::optional<typename Parts::Bodies> mechanism_;
  std::optional<typename Parts::LagrangianPart> lagrangian_;  // then there is nothing else
  std::optional<typename Parts::EquationsPart> equations_;    // likewise
  std::size_t mechanism_offset_ = 0;
  typename Parts::Laws forces_;
  bool loaded_ = false;    // something acts beside links and uniform gravity
  bool accounts_ = false;  // something moves energy
  bool twists_bodies_ = false;
  std::size_t dimension_ = 0;
  int reserved_ = -1, last_order_ = 0;
  LawMotionOver<S> motion_;
  LawForcesOver<S> acting_;
  std::vector<Vec3Of<S>> gravities_;  // in each chain's own space, less its pivot's acceleration
  std::vector<PivotRates<S>> pivots_;

 private:
  template <class Part, class Visit>
  static void visit_part(Part& part, std::size_t offset, const Visit& visit) {
    static_assert(CheckedPart<std::remove_const_t<Part>, S>::kPassed);
    visit(part, offset);
  }
  void bodies_taylor(const S& t, const S* x, int order, S* c);
  void taylor_under_forces(const S& t, const S* x, int order, S* c);
  void account(int n, S* c);

  std::vector<S> series_;  // of one chain, when there are several
  std::vector<std::vector<Vec3Of<S>>> pivot_forces_, pivot_velocities_;  // series, in each chain's own space
};

}  // namespace catena
