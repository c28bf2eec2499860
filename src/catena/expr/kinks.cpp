#include "catena/expr/kinks.h"

#include "catena/expr/kinks_definitions.h"
#include "catena/expr/surprise.h"

namespace catena {

double first_sign_change(const double* c, std::size_t stride, int order, double length, double noise) {
  return kinks::first_sign_change(c, stride, order, length, noise);
}

double first_touch(const double* c, std::size_t stride, int order, double length) {
  return kinks::first_touch(c, stride, order, length);
}

double first_kink(const expr::SeriesProgram& series, int order, double length) {
  return kinks::first_kink(series, order, length);
}

double first_break(const expr::SeriesProgram& series, int order, double length, double allowed) {
  if (allowed > 0.0) length = expr::known_until(series, order, length, allowed);
  return kinks::first_kink(series, order, length);
}

}  // namespace catena
