// The action of (R^3 x SO(3) x R^6)^N on the states of bodies: places and velocities add up, orientations are
// multiplied from the right, p -> p exp(b/2), so that b is in the body's frame as omega is. Lanes of the
// algebra: [place, turn, velocity, rotation][component][body], then one for each lane of the state behind.
#pragma once

#include <cstddef>

namespace catena {

class BodyAction {
 public:
  BodyAction(std::size_t bodies, std::size_t others) : bodies_(bodies), others_(others) {}

  std::size_t algebra() const { return 12 * bodies_ + others_; }
  void field(const double* x, const double* dx, double* f) const;
  void act(const double* sigma, const double* x, double* change) const;
  // Products from the right: dexp and brackets have the other sign of those of products from the left.
  void dexp_inverse(const double* sigma, const double* v, double* out) const;
  void bracket(const double* a, const double* b, double* out) const;

 private:
  std::size_t bodies_, others_;
};

}  // namespace catena
