// The elementary functions with pinned bits: written in fused operations, divisions and square roots, each
// rounded once, so that every compiler, register width and machine that has them gives the same doubles.
// Within 1 unit of the last place of the exact value (docs/theory/lanes.md has measured errors). One NaN.
// Of four numbers at once, each has the bits that it has alone.
#pragma once

#include "catena/math/pack.h"

namespace catena::elementary {

// F(name) for functions of one number.
#define CATENA_ELEMENTARY(F) \
  F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(exp) F(exp2) F(log) F(log2) F(sinh) F(cosh) F(tanh)

#define CATENA_DECLARE(name) \
  double name(double x);     \
  void name(const Pack<double, 4>& x, Pack<double, 4>& out);
CATENA_ELEMENTARY(CATENA_DECLARE)
#undef CATENA_DECLARE

double atan2(double y, double x);
void atan2(const Pack<double, 4>& y, const Pack<double, 4>& x, Pack<double, 4>& out);
double pow(double x, double y);
void pow(const Pack<double, 4>& x, const Pack<double, 4>& y, Pack<double, 4>& out);

}  // namespace catena::elementary
