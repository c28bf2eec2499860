// Force laws with second derivatives.
#include "catena/math/bends.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

template struct LawForcesOver<Bends>;
template class LawSeries<Bends>;
template LawSeries<Bends>::LawSeries(const LawSeries<double>&, NumberTape*);

}  // namespace catena
