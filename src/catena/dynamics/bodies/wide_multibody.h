// Bodies and joints with more digits than a double: the series of multibody.h in double-double or quad. The
// linear equations of each order are solved by the factorisation in double, and then again for what is left
// of them, computed with all digits, until nothing is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "catena/dynamics/bodies/multibody.h"

namespace catena {

// What of a mechanism cannot be computed with more digits, in words for a user; "" if all can.
std::string wide_refusal(const Mechanism& mechanism);

template <class S>
class WideMultibody {
 public:
  // `rank`: of the constraints, all along the motion.
  WideMultibody(const Multibody& bodies, std::size_t rank);
  ~WideMultibody();
  WideMultibody(WideMultibody&&) noexcept;

  void reserve(int order);
  void rhs(const S* x, S* dx);
  // Taylor coefficients c[k * stride + lane], k = 0..order, of the motion through x.
  void taylor(const S* x, int order, S* c, std::size_t stride);
  // Onto the constraints, first positions, then velocities.
  void project(S* x);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
