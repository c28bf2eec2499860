// Bodies over numbers that they are not computed with: there are none, and worlds with bodies are refused.
#pragma once

#include <vector>

#include "catena/dynamics/bodies/bodies_over.h"

namespace catena {

template <class S>
class NoBodies {
 public:
  NoBodies(const Multibody&, std::size_t, NumberTape* = nullptr) {}
  std::size_t bodies() const { return 0; }
  void reserve(int) {}
  void begin(const S&, const S*) {}
  void advance(int, const BodyLoadsOver<S>&) {}
  struct Rows {
    const S* at;
    std::size_t stride;
  };
  Rows rows(int) const { return {nullptr, 0}; }
  void write(int, S*) const {}
  void rhs(const S&, const S*, S*, const BodyLoadsOver<S>&) {}
  S loss(int) const { return S(0.0); }
  S work(int) const { return S(0.0); }
  S smooth_until(int, const S& length) const { return length; }
  void project(const S&, S*) {}
  void seat(int, Multibody*) {}
  S margin(const S&, const S*) { return S(0.0); }
  std::vector<S> prescribed_rates(const S&, const S*) { return {}; }
  void project_lane(int, double, const double*, double*) {}
};

}  // namespace catena
