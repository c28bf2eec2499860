// Force laws with more digits than a double.
#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

template struct LawForcesOver<DoubleDouble>;
template class LawSeries<DoubleDouble>;
template LawSeries<DoubleDouble>::LawSeries(const LawSeries<double>&, NumberTape*);
#if CATENA_HAS_QUAD
template struct LawForcesOver<Quad>;
template class LawSeries<Quad>;
template LawSeries<Quad>::LawSeries(const LawSeries<double>&, NumberTape*);
#endif

}  // namespace catena
