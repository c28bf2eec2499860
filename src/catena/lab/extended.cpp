#include "catena/lab/extended.h"

#include <fmt/format.h>

#include "catena/dynamics/world/extended_world.h"
#include "catena/integrate/extended.h"

namespace catena {
namespace {

constexpr const char* kQuad = "quad";

template <class S>
ExtendedSystem<S> system_of(const World& world) {
  const auto chains = std::make_shared<ExtendedWorld<S>>(world);
  ExtendedSystem<S> system;
  system.dimension = chains->dimension();
  system.rhs = [chains](const S& t, const S* x, S* dx) { chains->rhs(t, x, dx); };
  system.taylor = [chains](const S& t, const S* x, int order, S* c) { chains->taylor(t, x, order, c); };
  system.reserve = [chains](int order) { chains->reserve(order); };
  system.project = [chains](const S& t, S* x) { chains->project(t, x); };
  return system;
}

template <class S>
std::unique_ptr<Stepper> made(const World& world, const std::string& method, const StepOptions& options) {
  if (method == "taylor") return make_extended_taylor(system_of<S>(world), options);
  return make_extended_bulirsch_stoer(system_of<S>(world), options);
}

}  // namespace

std::string precision_refusal(const World& world, const std::string& method, const std::string& precision,
                              const StepOptions& options) {
  if (options.max_velocity_error || options.max_momentum_error) {
    return fmt::format("precision '{}' takes `tolerance`, not max_velocity_error or max_momentum_error",
                       precision);
  }
  if (method != "taylor" && method != "bulirsch-stoer") {
    return fmt::format(
        "precision '{}' is for taylor and bulirsch-stoer; the coefficients of method '{}' are doubles",
        precision, method);
  }
  if (precision == kQuad && !CATENA_HAS_QUAD) {
    return "precision 'quad' is not in this build: its compiler has no such numbers; 'double-double' has 32 "
           "digits";
  }
  const std::string reason = extended_refusal(world);
  return reason.empty() ? "" : fmt::format("precision '{}' {}", precision, reason);
}

double default_tolerance(const std::string& precision) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return finest_tolerance<Quad>();
#endif
  return finest_tolerance<DoubleDouble>();
}

std::unique_ptr<Stepper> make_extended(const World& world, const std::string& method,
                                       const std::string& precision, const StepOptions& options) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return made<Quad>(world, method, options);
#endif
  return made<DoubleDouble>(world, method, options);
}

void project_in_full(Stepper& stepper, State& state) {
  if (auto* extended = dynamic_cast<ExtendedStepper*>(&stepper)) extended->project(state);
}

void evaluate_step(Stepper& stepper, double time, double* hi, double* lo) {
  if (auto* extended = dynamic_cast<ExtendedStepper*>(&stepper)) return extended->evaluate(time, hi, lo);
  stepper.dense().evaluate(time, hi, lo);
}

}  // namespace catena
