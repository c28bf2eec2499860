#include "catena/integrate/catalog.h"

#include <fmt/format.h>

#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/taylor.h"

namespace catena {
namespace {

template <const Tableau& tableau>
std::unique_ptr<Stepper> from_tableau(const System& system, const StepOptions& options) {
  return make_runge_kutta(tableau, system, options);
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {.name = "euler",
       .order = "1",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "follows the slope at the start of the step; to teach why that is not enough",
       .source = "L. Euler, Institutionum calculi integralis (1768)",
       .make = from_tableau<kEuler>},
      {.name = "rk4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the classic Runge-Kutta method, four slopes per step",
       .source = "W. Kutta, Z. Math. Phys. 46 (1901)",
       .make = from_tableau<kRk4>},
      {.name = "dopri5",
       .order = "5(4)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "Dormand-Prince pair with step control; the workhorse for moderate accuracy",
       .source = "J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980)",
       .make = from_tableau<kDopri5>},
      {.name = "dop853",
       .order = "8(5,3)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "Dormand-Prince of order 8 with step control; for high accuracy without series",
       .source = "E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I (1993)",
       .make = from_tableau<kDop853>},
      {.name = "taylor",
       .order = "any",
       .adaptive = true,
       .tolerance = 1e-15,
       .summary = "the motion's own power series, order and step chosen from the tolerance; exact to the "
                  "last digits",
       .source = "A. Jorba, M. Zou, Exp. Math. 14 (2005)",
       .make = make_taylor},
  };
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  return names;
}

const Method* find_method(const std::string& name) {
  for (const Method& method : methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string refusal(const Method& method, const StepOptions& options) {
  if (!method.adaptive && !options.step) {
    return fmt::format("method '{}' takes steps of a fixed size: give `step`, for example step = 0.001",
                       method.name);
  }
  if (options.order && method.order != "any") {
    return fmt::format("method '{}' has order {}: `order` can only be set for taylor", method.name,
                       method.order);
  }
  return "";
}

std::string refusal(const Method& method, const System& system, const StepOptions& options) {
  if (const std::string reason = refusal(method, options); !reason.empty()) return reason;
  if (method.name == "taylor" && !system.taylor) {
    return "method 'taylor' needs the system's power series, which this system does not have";
  }
  if (!system.rhs) return fmt::format("method '{}' needs the system's right-hand side", method.name);
  return "";
}

}  // namespace catena
