#include "catena/math/elementary.h"

#include "catena/math/elementary_definitions.h"

namespace catena::elementary {

#define CATENA_DEFINE(name)                                             \
  double name(double x) { return elementary_kernels::name<double>(x); } \
  void name(const Four& x, Four& out) { out = elementary_kernels::name<Four>(x); }
CATENA_ELEMENTARY(CATENA_DEFINE)
#undef CATENA_DEFINE

double atan2(double y, double x) { return elementary_kernels::atan2<double>(y, x); }
void atan2(const Four& y, const Four& x, Four& out) { out = elementary_kernels::atan2<Four>(y, x); }
double pow(double x, double y) { return elementary_kernels::pow<double>(x, y); }
void pow(const Four& x, const Four& y, Four& out) { out = elementary_kernels::pow<Four>(x, y); }

}  // namespace catena::elementary
