// Symplectic methods for systems whose accelerations do not depend on velocities: drifts and kicks in turn.
#pragma once

#include <memory>
#include <vector>

#include "catena/integrate/stepper.h"

namespace catena {

// Positions move for `drift` of the step, then velocities change for `kick` of it.
struct DriftKick {
  double drift;
  double kick;
};

struct Composition {
  int order;
  std::vector<DriftKick> parts;
};

extern const Composition kSymplecticEuler;
extern const Composition kVerlet;
extern const Composition kYoshida4;
extern const Composition kYoshida6;
extern const Composition kYoshida8;

std::unique_ptr<Stepper> make_composition(const Composition& composition, const System& system,
                                          const StepOptions& options);

}  // namespace catena
