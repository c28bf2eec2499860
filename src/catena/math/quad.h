// Numbers of 113 bits, about 34 digits, in software: the compiler's own where there are any.
#pragma once

#include <cfloat>
#include <type_traits>

#include "catena/math/double_double.h"

namespace catena {

// Whether a number has more digits than a double, and nothing else beside.
template <class S>
inline constexpr bool has_digits = std::is_same_v<S, DoubleDouble>;

#if defined(__SIZEOF_FLOAT128__)
#define CATENA_HAS_QUAD 1
__extension__ typedef __float128 Quad;
#elif LDBL_MANT_DIG == 113
#define CATENA_HAS_QUAD 1
using Quad = long double;
#else
#define CATENA_HAS_QUAD 0
#endif

#if CATENA_HAS_QUAD
template <>
inline constexpr bool has_digits<Quad> = true;

// From 53 good bits a step of Newton's method makes 106, and another one all.
inline Quad square_root(Quad a) {
  const double first = std::sqrt(static_cast<double>(a));
  if (!(first > 0.0)) return static_cast<Quad>(first);
  Quad root = static_cast<Quad>(first);
  for (int i = 0; i < 2; ++i) root = (root + a / root) / 2;
  return root;
}
#endif

}  // namespace catena
