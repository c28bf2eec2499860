// Taylor series of expressions in lanes: one number after the other, four at once where no choice depends on
// them. What the machine's library would compute is computed by elementary functions of our own.
#include "catena/math/lanes.h"

// Numbers first: the definitions compute with them.
#include "catena/expr/pinned_functions.h"
#include "catena/expr/series_over_definitions.h"

namespace catena::expr {

using Number = catena::LanesOf<1>;
using Numbers = catena::LanesOf<4>;

template <>
struct Scalar<Number> : OneByOne<Number>, PinnedFunctions<Number> {
  using S = Number;
  struct AtOnce {
    using Lanes = Numbers;
  };
  template <class L>
  static L read(const S* from) {
    L out;
    std::memcpy(&out, from, sizeof out);
    return out;
  }
  template <class L>
  static L same(double value) {
    return L(value);
  }
  static void write(S* to, const Number& value) { *to = value; }
  static void write(S* to, const Numbers& value) {
    std::memcpy(static_cast<void*>(to), &value, sizeof value);
  }
  static Number multiply_add(const Number& a, const Number& b, const Number& c) { return fused(a, b, c); }
  static Numbers multiply_add(const Numbers& a, const Numbers& b, const Numbers& c) { return fused(a, b, c); }
  template <class Kernel>
  static void over_lanes(std::size_t lanes, const Kernel& kernel) {
    std::size_t lane = 0;
    for (; lane + 4 <= lanes; lane += 4) kernel(AtOnce{}, lane);
    for (; lane < lanes; ++lane) kernel(One{}, lane);
  }

  static double rounded(const S& x) { return x.lane(0); }
};

#define CATENA_OF_WIDTH(W) template class SeriesOver<catena::LanesOf<W>>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena::expr
