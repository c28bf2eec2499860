// Taylor series of expressions in numbers that write down what is done with them.
#include "catena/math/recorded.h"

// Numbers first: the definitions compute with them.
#include "catena/expr/pinned_functions.h"
#include "catena/expr/series_over_definitions.h"

namespace catena::expr {

template <>
struct Scalar<Recorded> : OneByOne<Recorded>, PinnedFunctions<Recorded> {
  using S = Recorded;
  static S multiply_add(const S& a, const S& b, const S& c) { return fused(a, b, c); }
  static double rounded(const S& x) { return x.decisive(); }
};

template class SeriesOver<Recorded>;

}  // namespace catena::expr
