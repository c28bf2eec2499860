// Kinks along series with second derivatives.
#include "catena/expr/kinks_definitions.h"
#include "catena/math/bends.h"

namespace catena {

template <>
Bends first_sign_change(const Bends* c, std::size_t stride, int order, const Bends& length, double noise) {
  return kinks::first_sign_change(c, stride, order, length, noise);
}

template <>
Bends first_break(const expr::SeriesOver<Bends>& series, int order, const Bends& length, double) {
  return kinks::first_kink(series, order, length);
}

}  // namespace catena
