// Methods of order 2 for unit vectors u with rates w that are held by constraints |u| = 1, symplectic and
// symmetric. Both make the same step (docs/methods/rattle.md) and differ in how they solve for it:
//   u_1 = u_0 + h w_h,   w_h = w_0 + h/2 (a(u_0) + P(u_0) lambda),   |u_1| = 1
//   w_1 = w_h + h/2 (a(u_1) + P(u_1) mu),                            u_1 . w_1 = 0
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

// Every iterate obeys the equations of motion; Newton's method on the lengths.
std::unique_ptr<Stepper> make_rattle(const System& system, const StepOptions& options);

// Every iterate is a rotation of each vector; a fixed point of the equations of motion.
std::unique_ptr<Stepper> make_variational(const System& system, const StepOptions& options);

}  // namespace catena
