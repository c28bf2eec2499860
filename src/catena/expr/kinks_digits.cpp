// Kinks along series with more digits than a double.
#include "catena/expr/kinks_definitions.h"

namespace catena {

template <class S>
S first_sign_change(const S* c, std::size_t stride, int order, const S& length, double noise) {
  return kinks::first_sign_change(c, stride, order, length, noise);
}

template <class S>
S first_break(const expr::SeriesOver<S>& series, int order, const S& length, double) {
  return kinks::first_kink(series, order, length);
}

template DoubleDouble first_sign_change(const DoubleDouble*, std::size_t, int, const DoubleDouble&, double);
template DoubleDouble first_break(const expr::SeriesOver<DoubleDouble>&, int, const DoubleDouble&, double);
#if CATENA_HAS_QUAD
template Quad first_sign_change(const Quad*, std::size_t, int, const Quad&, double);
template Quad first_break(const expr::SeriesOver<Quad>&, int, const Quad&, double);
#endif

}  // namespace catena
