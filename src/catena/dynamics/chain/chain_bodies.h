// Chains that are solved as bodies and joints: formulation = "multibody", both ends held, or hung on a body.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

// Where the parts of such a chain are: each on a body of the mechanism (`Attachment::body` and its point), or
// at rest.
struct ChainBodies {
  Attachment pivot;
  std::vector<Attachment> end, upper, center;  // of each link; upper: where it hangs
  bool end_held = false;
  std::size_t first_joint = 0;  // link k hangs by joint first_joint + k of the mechanism
};

// The mechanism of a scene together with all such chains, and where these are in it; none: a chain solved by
// itself.
struct Union {
  Mechanism mechanism;
  std::vector<std::optional<ChainBodies>> chains;
};

Union united(const Scene& scene);

// The same with every chain that is held at both ends drawn as an arc between them: from there Newton-Raphson
// finds the way where it does not from the drawing, as from a straight line that is too long.
Scene sagging(Scene scene);

}  // namespace catena
