// Force laws with derivatives.
#include "catena/math/many_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

template struct LawForcesOver<Rates>;
template class LawSeries<Rates>;
template LawSeries<Rates>::LawSeries(const LawSeries<double>&, NumberTape*);
template struct LawForcesOver<ManyRates>;
template class LawSeries<ManyRates>;
template LawSeries<ManyRates>::LawSeries(const LawSeries<double>&, NumberTape*);

}  // namespace catena
