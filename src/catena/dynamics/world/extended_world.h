// The chains of a world, or its Lagrangian, with more digits than a double: the same equations, from the same
// solvers, in double-double or quad.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"

namespace catena {

// What of a world cannot be computed with more digits, in words for a user; "" if all can.
std::string extended_refusal(const World& world);

template <class S>
class ExtendedWorld {
 public:
  explicit ExtendedWorld(const World& world);
  ~ExtendedWorld();

  std::size_t dimension() const;
  void rhs(const S& t, const S* x, S* dx);
  // Taylor coefficients c[k * dimension + lane], k = 0..order, of the motion through x at t.
  void taylor(const S& t, const S* x, int order, S* c);
  void reserve(int order);
  // Back to |u| = 1, u . w = 0, and onto constraints as they are at t.
  void project(const S& t, S* x) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
