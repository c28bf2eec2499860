// A world over numbers other than double: the same parts and laws, from the same sources, with more digits or
// with derivatives.
#pragma once

#include <vector>

#include "catena/dynamics/world/world.h"

namespace catena {

// Whether the motion over numbers with derivatives has the state that a chain has itself: angles, charts and
// Lie groups have more digits, and no derivatives of their own (decision 103).
bool in_unit_vectors(const ChainUnit& unit);
bool in_unit_vectors(const World& world);

template <class S>
class WorldOver : public WorldMotion<S> {
 public:
  // `tape`: where its numbers come from, of kinds that have rates.
  explicit WorldOver(const World& world, NumberTape* tape = nullptr);

  bool has_kinks() const { return has_kinks_; }
  // Back to |u| = 1, u . w = 0, and onto constraints as they are at t.
  void project(const S& t, S* x);
  // What prescribed motions ask for: velocities of pivots, each in its chain's own space, and rates of
  // constraints.
  struct Prescribed {
    std::vector<Vec3Of<S>> velocities;
    std::vector<S> rates;
  };
  Prescribed prescribed(const S& t, const S* x) requires has_digits<S>;
  // At a kink these jump, and with them the velocities: M dv = J^T Lambda, J dv = the jump. Adds the work
  // done.
  void strike(const S& t, S* x, const Prescribed& before) requires has_digits<S>;
  // In lanes: the world whose motion goes there from now on; null: the one this was made from, as it was.
  void seat(int lane, World* world);
  // In lanes: the state of that world, back onto constraints.
  void project_lane(int lane, World& world, double t, const double* hi, double* lo);
  // How far from a singular position of joints; infinite: there are no joints.
  S margin(const S& t, const S* x);
  // What is all of this world and its motion: one chain of point masses, under nothing but gravity; null: it
  // is not.
  template <int D>
  TensionSolver<D, S>* only_tensions();

 private:
  static typename PartsOver<S>::Laws laws_of(const World& world, NumberTape* tape);
  bool has_kinks_;
};

}  // namespace catena
