// Force laws with tangents in lanes.
#include "catena/math/lane_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

template struct LawForcesOver<LaneRates>;
template class LawSeries<LaneRates>;
template LawSeries<LaneRates>::LawSeries(const LawSeries<double>&, NumberTape*);

}  // namespace catena
