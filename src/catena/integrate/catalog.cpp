#include "catena/integrate/catalog.h"

#include <fmt/format.h>

#include <tuple>

#include "catena/integrate/bulirsch_stoer.h"
#include "catena/integrate/composition.h"
#include "catena/integrate/constrained.h"
#include "catena/integrate/function_stepper.h"
#include "catena/integrate/gauss.h"
#include "catena/integrate/lie_methods.h"
#include "catena/integrate/radau5.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/sundials.h"
#include "catena/integrate/taylor.h"

namespace catena {
namespace {

template <const Tableau& tableau>
std::unique_ptr<Stepper> from_tableau(const System& system, const StepOptions& options) {
  return make_runge_kutta(tableau, system, options);
}

std::unique_ptr<Stepper> make_custom(const System& system, const StepOptions& options) {
  return make_runge_kutta(*options.tableau, system, options);
}

template <const Composition& composition>
std::unique_ptr<Stepper> from_composition(const System& system, const StepOptions& options) {
  return make_composition(composition, system, options);
}

template <int stages>
std::unique_ptr<Stepper> from_gauss(const System& system, const StepOptions& options) {
  return make_gauss(stages, system, options);
}

template <const LieScheme& scheme>
std::unique_ptr<Stepper> from_lie(const System& system, const StepOptions& options) {
  return make_lie_method(scheme, system, options);
}

template <const Tableau&... tableaus>
const Tableau* one_of(const Method& method) {
  const Tableau* found = nullptr;
  (void)((method.make == from_tableau<tableaus> ? (found = &tableaus, true) : false) || ...);
  return found;
}

// What a system lacks, in words for a user.
std::string lack(const System& system, Capability capability) {
  switch (capability) {
    case Capability::rhs:
      return system.rhs ? "" : "the system's right-hand side";
    case Capability::taylor:
      return system.taylor ? "" : "the system's power series, which this system does not have";
    case Capability::separable:
      return system.separable.empty()
                 ? "accelerations that depend on positions alone, as elastic chains without damping and "
                   "Lagrangians with constant masses have them; here they depend on velocities too, or are "
                   "not known: [equations] do not say which states are positions"
                 : "";
    case Capability::lie:
      return system.lie.field ? ""
                              : "the Lie-group action on unit vectors or orientations, which rigid chains "
                                "have in the formulations tension, articulated and lie, and bodies without "
                                "chains beside them";
    case Capability::constraints:
      return !system.constraints.pull
                 ? "constraints of rods between point masses in one line, as rigid chains have them in the "
                   "formulation tension, and forces that do not depend on velocities; rattle serves bodies, "
                   "too"
                 : "";
    case Capability::constraints_or_bodies:
      return !system.constraints.pull && system.bodies.momenta == 0
                 ? "constraints of rods between point masses in one line, as rigid chains have them in the "
                   "formulation tension, or bodies with mass and joints and no chains beside them, or a "
                   "Lagrangian with constant masses, and forces that do not depend on velocities"
                 : "";
    case Capability::freedom:
      return system.project
                 ? "free coordinates, as elastic chains and the formulation angles have them: it would "
                   "not keep the constraints of this system"
                 : "";
  }
  return "";
}

// What a limit on velocities or momenta lacks.
std::string lack(const Method& method, const System& system, const StepOptions& options) {
  for (const auto& [limit, key, measure] :
       {std::tuple(options.max_velocity_error, "max_velocity_error", &system.velocity_error),
        std::tuple(options.max_momentum_error, "max_momentum_error", &system.momentum_error)}) {
    if (!limit || *measure) continue;
    return fmt::format(
        "`{}` needs a state of velocities, which bodies, elastic chains and rigid ones in the formulations "
        "tension and articulated have; give `tolerance` for method '{}'",
        key, method.name);
  }
  return "";
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
      {.name = "symplectic-euler",
       .order = "1",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "kicks velocities, then moves positions with the new ones; energy swings but does not grow",
       .source = "R. de Vogelaere (1956)",
       .make = from_composition<kSymplecticEuler>,
       .needs = Capability::separable},
      {.name = "heun",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the mean of the slopes at both ends of an Euler step",
       .source = "K. Heun, Z. Math. Phys. 45 (1900)",
       .make = from_tableau<kHeun>},
      {.name = "midpoint",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "follows the slope in the middle of the step",
       .source = "C. Runge, Math. Ann. 46 (1895)",
       .make = from_tableau<kMidpoint>},
      {.name = "rk4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the classic Runge-Kutta method, four slopes per step",
       .source = "W. Kutta, Z. Math. Phys. 46 (1901)",
       .make = from_tableau<kRk4>},
      {.name = "rk38",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the 3/8 rule: a little more exact than rk4 at the same cost",
       .source = "W. Kutta, Z. Math. Phys. 46 (1901)",
       .make = from_tableau<kRk38>},
      {.name = "dopri5",
       .order = "5(4)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "Dormand-Prince pair with step control; the workhorse for moderate accuracy",
       .source = "J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980)",
       .make = from_tableau<kDopri5>},
      {.name = "tsit5",
       .order = "5(4)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "pair with step control and a smaller error than dopri5 at the same cost",
       .source = "C. Tsitouras, Comput. Math. Appl. 62 (2011)",
       .make = from_tableau<kTsit5>},
      {.name = "vern7",
       .order = "7(6)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "efficient pair of Verner with step control; between dopri5 and dop853",
       .source = "J. H. Verner, Numer. Algorithms 53 (2010)",
       .make = from_tableau<kVern7>},
      {.name = "rkf78",
       .order = "8(7)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "the classic pair of Fehlberg with step control; to compare with other programs",
       .source = "E. Fehlberg, NASA TR R-287 (1968)",
       .make = from_tableau<kRkf78>},
      {.name = "dop853",
       .order = "8(5,3)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "Dormand-Prince of order 8 with step control; for high accuracy without series",
       .source = "E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I (1993)",
       .make = from_tableau<kDop853>},
      {.name = "vern9",
       .order = "9(8)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary =
           "efficient pair of Verner with step control; the fewest steps without series at 1e-10 and below",
       .source = "J. H. Verner, Numer. Algorithms 53 (2010)",
       .make = from_tableau<kVern9>},
      {.name = "bulirsch-stoer",
       .order = "variable",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "extrapolated midpoint rule, order up to 18 and step chosen from the tolerance",
       .source = "R. Bulirsch, J. Stoer, Numer. Math. 8 (1966)",
       .make = make_bulirsch_stoer},
      {.name = "custom",
       .order = "own",
       .adaptive = false,
       .tolerance = 1e-10,
       .summary = "an explicit Runge-Kutta method of one's own, from [method] in the scene",
       .source = "the scene",
       .make = make_custom},
      {.name = "taylor",
       .order = "any",
       .adaptive = true,
       .tolerance = 1e-15,
       .summary = "the motion's own power series, order and step chosen from the tolerance; exact to the "
                  "last digits",
       .source = "A. Jorba, M. Zou, Exp. Math. 14 (2005)",
       .make = make_taylor,
       .needs = Capability::taylor},
      {.name = "lie-euler",
       .order = "1",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "one exponential along the field at the start of the step; lengths are kept exactly",
       .source = "A. Iserles, H. Munthe-Kaas, S. P. Norsett, A. Zanna, Acta Numer. 9 (2000)",
       .make = from_lie<kLieEuler>,
       .needs = Capability::lie},
      {.name = "rkmk2",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "heun in the Lie algebra of SE(3)^N; lengths are kept without projection",
       .source = "H. Munthe-Kaas, Appl. Numer. Math. 29 (1999)",
       .make = from_lie<kRkmk2>,
       .needs = Capability::lie},
      {.name = "rkmk3",
       .order = "3",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "Kutta's method of order 3 in the Lie algebra of SE(3)^N",
       .source = "H. Munthe-Kaas, Appl. Numer. Math. 29 (1999)",
       .make = from_lie<kRkmk3>,
       .needs = Capability::lie},
      {.name = "rkmk4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "rk4 in the Lie algebra of SE(3)^N",
       .source = "H. Munthe-Kaas, Appl. Numer. Math. 29 (1999)",
       .make = from_lie<kRkmk4>,
       .needs = Capability::lie},
      {.name = "rkmk4-2c",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "rk4 in the Lie algebra with two brackets in place of the inverse of dexp",
       .source = "H. Munthe-Kaas, B. Owren, Phil. Trans. R. Soc. Lond. A 357 (1999)",
       .make = from_lie<kRkmk4TwoCommutators>,
       .needs = Capability::lie},
      {.name = "cf4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "commutator-free: two exponentials per step, no brackets",
       .source = "E. Celledoni, A. Marthinsen, B. Owren, Future Gener. Comput. Syst. 19 (2003)",
       .make = from_lie<kCf4>,
       .needs = Capability::lie},
      {.name = "rkmk5",
       .order = "5",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the Dormand-Prince method of order 5 in the Lie algebra, with a fixed step",
       .source = "E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, Int. J. Comput. Math. 99 (2022)",
       .make = from_lie<kRkmk5>,
       .needs = Capability::lie},
      {.name = "rkmk54",
       .order = "5(4)",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "the Dormand-Prince pair in the Lie algebra, with step control",
       .source = "E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, Int. J. Comput. Math. 99 (2022)",
       .make = from_lie<kRkmk54>,
       .needs = Capability::lie},
      {.name = "verlet",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "half a move, a kick, half a move; keeps energy bounded at one slope per step",
       .source = "L. Verlet, Phys. Rev. 159 (1967)",
       .make = from_composition<kVerlet>,
       .needs = Capability::separable},
      {.name = "yoshida4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "three steps of verlet, one of them backwards",
       .source = "H. Yoshida, Phys. Lett. A 150 (1990)",
       .make = from_composition<kYoshida4>,
       .needs = Capability::separable},
      {.name = "yoshida6",
       .order = "6",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "seven steps of verlet",
       .source = "H. Yoshida, Phys. Lett. A 150 (1990)",
       .make = from_composition<kYoshida6>,
       .needs = Capability::separable},
      {.name = "yoshida8",
       .order = "8",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "fifteen steps of verlet",
       .source = "H. Yoshida, Phys. Lett. A 150 (1990)",
       .make = from_composition<kYoshida8>,
       .needs = Capability::separable},
      {.name = "gauss4",
       .order = "4",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "implicit, two stages, symmetric and symplectic; energy does not drift",
       .source = "J. C. Butcher, Math. Comp. 18 (1964)",
       .make = from_gauss<2>},
      {.name = "gauss6",
       .order = "6",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "implicit, three stages, symmetric and symplectic; energy does not drift",
       .source = "J. C. Butcher, Math. Comp. 18 (1964)",
       .make = from_gauss<3>},
      {.name = "gauss8",
       .order = "8",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "implicit, four stages, symmetric and symplectic; energy does not drift",
       .source = "J. C. Butcher, Math. Comp. 18 (1964)",
       .make = from_gauss<4>},
      {.name = "rattle",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "verlet for rods and bodies: symplectic and symmetric, constraints by Newton's method; "
                  "energy does "
                  "not drift",
       .source = "H. C. Andersen, J. Comput. Phys. 52 (1983)",
       .make = make_rattle,
       .needs = Capability::constraints_or_bodies},
      {.name = "variational",
       .order = "2",
       .adaptive = false,
       .tolerance = 0.0,
       .summary = "the discrete Lagrangian's own equations on spheres, links rotate; energy does not drift",
       .source = "T. Lee, M. Leok, N. H. McClamroch, Int. J. Numer. Methods Eng. 79 (2009)",
       .make = make_variational,
       .needs = Capability::constraints},
      {.name = "radau5",
       .order = "5",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "implicit, for stiff chains: steps as long as the motion allows, however stiff the links",
       .source = "E. Hairer, G. Wanner, Solving ODEs II (1996)",
       .make = make_radau5},
      {.name = "cvode",
       .order = "variable",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary =
           "SUNDIALS' backward differentiation formulas, where they are installed; to compare with radau5",
       .source = "A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005)",
       .make = make_cvode,
       .library = true},
      {.name = "ida",
       .order = "variable",
       .adaptive = true,
       .tolerance = 1e-10,
       .summary = "the same for equations in implicit form, x' - f = 0; free coordinates only",
       .source = "A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005)",
       .make = make_ida,
       .needs = Capability::freedom,
       .library = true},
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

Method function_method(const std::string& name, int order) {
  return {.name = name,
          .order = std::to_string(order),
          .adaptive = false,
          .tolerance = 0.0,
          .summary = "a function of the caller's own",
          .source = "",
          .make = make_function_stepper};
}

const Tableau* tableau_of(const Method& method, const StepOptions& options) {
  if (method.make == make_custom) return options.tableau.get();
  return one_of<kEuler, kHeun, kMidpoint, kRk4, kRk38, kDopri5, kTsit5, kVern7, kRkf78, kDop853, kVern9>(
      method);
}

bool is_adaptive(const Method& method, const StepOptions& options) {
  return method.adaptive || (options.tableau && !options.tableau->error.empty());
}

std::string refusal(const Method& method, const StepOptions& options) {
  if (method.name == "custom" && !options.tableau) {
    return "method 'custom' needs its coefficients: give [method] with a and b, for example "
           "a = [[], [0.5]], b = [0, 1]";
  }
  if (method.library && !kHasSundials) {
    return fmt::format(
        "method '{}' is not in this build: install libsundials-dev, configure and build again; radau5 serves "
        "the same systems",
        method.name);
  }
  if (!is_adaptive(method, options) && !options.step) {
    return fmt::format("method '{}' takes steps of a fixed size: give `step`, for example step = 0.001",
                       method.name);
  }
  if (options.max_step && !is_adaptive(method, options)) {
    return fmt::format(
        "method '{}' takes steps of a fixed size, so `max_step` has nothing to limit: leave it out",
        method.name);
  }
  if (options.max_velocity_error || options.max_momentum_error) {
    const char* key = options.max_velocity_error ? "max_velocity_error" : "max_momentum_error";
    if (!is_adaptive(method, options)) {
      return fmt::format(
          "method '{}' takes steps of a fixed size, so `{}` has nothing to choose: leave it out", method.name,
          key);
    }
    if (method.library) {
      return fmt::format("method '{}' weighs errors by `tolerance` alone: leave `{}` out", method.name, key);
    }
  }
  if (options.order && method.order != "any" && !options.take) {
    return fmt::format("method '{}' has order {}: `order` can only be set for taylor", method.name,
                       method.order);
  }
  return "";
}

std::string refusal(const Method& method, const System& system, const StepOptions& options) {
  if (const std::string reason = refusal(method, options); !reason.empty()) return reason;
  for (const Capability needed : {Capability::rhs, method.needs}) {
    const std::string missing = lack(system, needed);
    if (!missing.empty()) return fmt::format("method '{}' needs {}", method.name, missing);
  }
  return lack(method, system, options);
}

}  // namespace catena
