// Kinks along series with derivatives.
#include "catena/expr/kinks_definitions.h"
#include "catena/math/many_rates.h"

namespace catena {

template <>
Rates first_sign_change(const Rates* c, std::size_t stride, int order, const Rates& length, double noise) {
  return kinks::first_sign_change(c, stride, order, length, noise);
}

template <>
Rates first_break(const expr::SeriesOver<Rates>& series, int order, const Rates& length, double) {
  return kinks::first_kink(series, order, length);
}

template <>
ManyRates first_sign_change(const ManyRates* c, std::size_t stride, int order, const ManyRates& length,
                            double noise) {
  return kinks::first_sign_change(c, stride, order, length, noise);
}

template <>
ManyRates first_break(const expr::SeriesOver<ManyRates>& series, int order, const ManyRates& length, double) {
  return kinks::first_kink(series, order, length);
}

}  // namespace catena
