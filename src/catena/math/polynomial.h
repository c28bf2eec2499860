// Real roots of polynomials on an interval, by Descartes' rule of signs in the Bernstein basis: roots are
// isolated before they are refined, so none is missed (but those that touch without crossing) and none is
// found twice.
#pragma once

#include <span>

#include "catena/math/few.h"

namespace catena {

// Value of sum of c[k] s^k.
double polynomial_value(std::span<const double> c, double s);

// All crossings of zero of sum of c[k] s^k with 0 < s <= 1, in order. Where the polynomial is nothing but
// roundoff, |p(s)| <= noise, no crossing is reported.
Few<double> crossings(std::span<const double> c, double noise = 0.0);

// The derivative's coefficients.
Few<double> derivative_of(std::span<const double> c);

}  // namespace catena
