// A world over numbers other than double: the same parts and laws, from the same sources, with more digits or
// with derivatives.
#pragma once

#include <string>

#include "catena/dynamics/world/world.h"

namespace catena {

// What of a world cannot be computed with more digits, in words for a user; "" if all can.
std::string digits_refusal(const World& world);

template <class S>
class WorldOver : public WorldMotion<S> {
 public:
  // `tape`: where its numbers come from, of kinds that have rates.
  explicit WorldOver(const World& world, NumberTape* tape = nullptr);

  bool has_kinks() const { return has_kinks_; }
  // Back to |u| = 1, u . w = 0, and onto constraints as they are at t.
  void project(const S& t, S* x);
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
