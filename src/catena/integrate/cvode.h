// CVODE of SUNDIALS, where it was installed when Catena was built.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

#if defined(CATENA_CVODE)
constexpr bool kHasCvode = true;
std::unique_ptr<Stepper> make_cvode(const System& system, const StepOptions& options);
#else
constexpr bool kHasCvode = false;
inline std::unique_ptr<Stepper> make_cvode(const System&, const StepOptions&) { return nullptr; }
#endif

}  // namespace catena
