// Whether a number is zero with all that it carries.
#pragma once

#include "catena/math/tangent.h"

namespace catena {

template <class S>
bool vanishes(const S& number) {
  return number == S(0.0);
}
// All rates at once.
template <int K>
bool vanishes(const Tangent<K>& number) {
  if (number.value() != 0.0) return false;
  auto some = number.rates(0) != 0.0;
  for (int q = 1; q < Tangent<K>::kPacks; ++q) some |= number.rates(q) != 0.0;
  return (some[0] | some[1] | some[2] | some[3]) == 0;
}

}  // namespace catena
