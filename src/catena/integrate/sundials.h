// CVODE and IDA of SUNDIALS, where they were installed when Catena was built.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

#if defined(CATENA_SUNDIALS)
constexpr bool kHasSundials = true;
std::unique_ptr<Stepper> make_cvode(const System& system, const StepOptions& options);
std::unique_ptr<Stepper> make_ida(const System& system, const StepOptions& options);
#else
constexpr bool kHasSundials = false;
inline std::unique_ptr<Stepper> make_cvode(const System&, const StepOptions&) { return nullptr; }
inline std::unique_ptr<Stepper> make_ida(const System&, const StepOptions&) { return nullptr; }
#endif

}  // namespace catena
