// Force laws with more digits than a double.
#include "catena/math/wide_packs.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/laws/law_series_definitions.h"

namespace catena {

template <class S>
template <class Other>
LawSeries<S>::LawSeries(const LawSeries<Other>& laws)
    : lanes_(laws.lanes()),
      inputs_(laws.inputs()),
      rates_(laws.rates()),
      series_(laws.series().lowered()),
      shared_series_(laws.shared_series().lowered()),
      shared_(laws.shared_series().lowered().outputs.size()) {
  series_.treat_as_zero_below(law_rest<S>());
}

template struct LawForcesOver<DoubleDouble>;
template class LawSeries<DoubleDouble>;
template LawSeries<DoubleDouble>::LawSeries(const LawSeries<double>&);
#if CATENA_HAS_QUAD
template struct LawForcesOver<Quad>;
template class LawSeries<Quad>;
template LawSeries<Quad>::LawSeries(const LawSeries<double>&);
#endif

}  // namespace catena
