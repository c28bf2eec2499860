// Force laws in lanes.
#include "catena/math/lanes.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

#define CATENA_OF_WIDTH(W)                   \
  template struct LawForcesOver<LanesOf<W>>; \
  template class LawSeries<LanesOf<W>>;      \
  template LawSeries<LanesOf<W>>::LawSeries(const LawSeries<double>&, NumberTape*);
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
