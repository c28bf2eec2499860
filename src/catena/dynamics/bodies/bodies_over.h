// Bodies and joints with more digits than a double: the series of multibody.h in double-double or quad. The
// linear equations of each order are solved by the factorisation in double, and then again for what is left
// of them, computed with all digits, until nothing is.
#pragma once

#include <cstddef>
#include <memory>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/math/lane_kinds.h"

namespace catena {

class NumberTape;

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
  // Velocities alone, changed by the least kinetic energy, to all digits also along the motions that are
  // left.
  void settle_velocities(const S& t, S* x);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Not in lanes yet: worlds with bodies are refused there.
template <int W>
class BodiesOver<LanesOf<W>> {
 public:
  using S = LanesOf<W>;
  BodiesOver(const Multibody&, std::size_t, NumberTape* = nullptr) {}
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
};

}  // namespace catena
