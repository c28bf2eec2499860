// Bodies and joints over numbers other than double: the series of multibody.h. With more digits the linear
// equations of each order are solved by the factorisation in double, and then again for what is left of them,
// computed with all digits, until nothing is. In lanes each motion has its own factorisation, made by the
// bodies of its own world, with the pivots and the rank that its own state asks for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/math/lane_kinds.h"

namespace catena {

class NumberTape;

// Whether a mechanism gains by lanes: one run has registers full of joints of one kind, and of many bodies
// takes less than a lane.
inline bool goes_in_lanes(const Multibody& bodies) {
  constexpr std::size_t kMostBodies = 8, kMostRows = 60;
  return bodies.bodies() <= kMostBodies && bodies.rows() <= kMostRows;
}

template <class S>
class BodiesOver {
 public:
  // `rank`: of the constraints, all along the motion.
  // `tape`: where its numbers come from, of kinds that have rates.
  BodiesOver(const Multibody& bodies, std::size_t rank, NumberTape* tape = nullptr);
  ~BodiesOver();
  BodiesOver(BodiesOver&&) noexcept;

  // As Multibody.
  std::size_t bodies() const;
  void reserve(int order);
  void begin(const S& t, const S* x);
  void advance(int n, const BodyLoadsOver<S>& loads);
  struct Rows {
    const S* at;
    std::size_t stride;
  };
  Rows rows(int n) const;
  void write(int n, S* c) const;
  void rhs(const S& t, const S* x, S* dx, const BodyLoadsOver<S>& loads);
  S loss(int n) const;
  S work(int n) const;
  S smooth_until(int order, const S& length) const;
  // Onto the constraints, first positions, then velocities.
  void project(const S& t, S* x);
  // What motors and rheonomic joints prescribe, c of all rows of J v = c. At a kink it jumps: M dv = J^T
  // Lambda, J dv = the jump; gives the work done, Lambda . (rates before + rates now) / 2.
  std::vector<S> prescribed_rates(const S& t, const S* x);
  S strike(const S& t, S* x, const std::vector<S>& rates_before);
  // Velocities alone, changed by the least kinetic energy, to all digits also along the motions that are
  // left.
  void settle_velocities(const S& t, S* x);

  // In lanes: the bodies whose motion goes there from now on, which stay where they are; null: those that
  // this was made from. Its turns are followed in them, and gaps measured; where there are many bodies,
  // equations are factored by them, too.
  void seat(int lane, Multibody* of);
  // Their state back onto the constraints, as Multibody::project.
  void project_lane(int lane, double t, const double* hi, double* lo);
  // As Multibody::margin.
  S margin(const S& t, const S* x);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
