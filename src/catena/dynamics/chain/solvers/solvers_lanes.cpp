// The chains' solvers in lanes.
#include "catena/math/lanes.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

#define CATENA_OF_WIDTH(W)                         \
  template class TensionSolver<2, LanesOf<W>>;     \
  template class TensionSolver<3, LanesOf<W>>;     \
  template class ArticulatedSolver<2, LanesOf<W>>; \
  template class ArticulatedSolver<3, LanesOf<W>>; \
  template class SpringSolver<2, LanesOf<W>>;      \
  template class SpringSolver<3, LanesOf<W>>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
