#include "catena/lab/stepping_digits.h"

#include <fmt/format.h>

#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/stepper_digits.h"

namespace catena {
namespace {

constexpr const char* kQuad = "quad";

template <class S>
SystemDigits<S> system_of(const World& world) {
  const auto moving = std::make_shared<WorldOver<S>>(world);
  SystemDigits<S> system;
  system.dimension = moving->dimension();
  system.controlled = moving->motion_lanes();
  system.rhs = [moving](const S& t, const S* x, S* dx) { moving->rhs(t, x, dx); };
  system.taylor = [moving](const S& t, const S* x, int order, S* c) { moving->taylor(t, x, order, c); };
  system.reserve = [moving](int order) { moving->reserve(order); };
  if (world.may_be_singular()) {
    // How far from singular, doubles can tell.
    const auto doubles = std::make_shared<World>(world);
    system.margin = [doubles, rounded = std::vector<double>(world.dimension())](double t,
                                                                                const S* x) mutable {
      for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] = static_cast<double>(x[i]);
      return doubles->margin(t, rounded.data());
    };
  }
  if (moving->has_kinks())
    system.smooth_until = [moving](const S& length) { return moving->smooth_until(length); };
  system.project = [moving](const S& t, S* x) { moving->project(t, x); };
  return system;
}

template <class S>
std::unique_ptr<Stepper> made(const World& world, const std::string& method, const StepOptions& options) {
  if (method == "taylor") return make_taylor_digits(system_of<S>(world), options);
  return make_bulirsch_stoer_digits(system_of<S>(world), options);
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
  if (method == "bulirsch-stoer" && world.has_switches()) {
    return fmt::format(
        "precision '{}' passes kinks of laws, limits and slack links with taylor alone: extrapolation "
        "wants smooth motions",
        precision);
  }
  const std::string reason = digits_refusal(world);
  return reason.empty() ? "" : fmt::format("precision '{}' {}", precision, reason);
}

double default_tolerance(const std::string& precision) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return finest_tolerance<Quad>();
#endif
  return finest_tolerance<DoubleDouble>();
}

std::unique_ptr<Stepper> make_stepper_digits(const World& world, const std::string& method,
                                             const std::string& precision, const StepOptions& options) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return made<Quad>(world, method, options);
#endif
  return made<DoubleDouble>(world, method, options);
}

void project_in_full(Stepper& stepper, State& state) {
  if (auto* more_digits = dynamic_cast<StepperDigits*>(&stepper)) more_digits->project(state);
}

void evaluate_step(Stepper& stepper, double time, double* hi, double* lo) {
  if (auto* more_digits = dynamic_cast<StepperDigits*>(&stepper)) return more_digits->evaluate(time, hi, lo);
  stepper.dense().evaluate(time, hi, lo);
}

}  // namespace catena
