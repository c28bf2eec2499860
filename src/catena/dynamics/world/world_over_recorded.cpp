// A world in numbers that write down what is done with them: laws, chains, equations.
#include "catena/math/recorded.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/bodies/bodies_over_definitions.h"
#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"
#include "catena/dynamics/laws/law_series_definitions.h"
#include "catena/dynamics/world/chain_over_definitions.h"
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

// Kinks are not looked for in a recording: worlds that have them are not recorded.
template <>
Recorded first_sign_change(const Recorded*, std::size_t, int, const Recorded& length, double,
                           const Recorded&) {
  return length;
}
template <>
Recorded first_break(const expr::SeriesOver<Recorded>&, int, const Recorded& length, double) {
  return length;
}

template struct LawForcesOver<Recorded>;
template class LawSeries<Recorded>;
template LawSeries<Recorded>::LawSeries(const LawSeries<double>&, NumberTape*);
template class LagrangianMotion<Recorded>;
template class BodiesOver<Recorded>;
template class ChainOver<Recorded>;
template class WorldMotion<Recorded>;
template class WorldOver<Recorded>;

}  // namespace catena
