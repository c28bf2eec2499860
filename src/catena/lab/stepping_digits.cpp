#include "catena/lab/stepping_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/stepper_digits.h"
#include "catena/math/packs_digits.h"

namespace catena {
namespace {

constexpr const char* kQuad = "quad";

// What a method holds on to; the next piece of prescribed motions takes the place of the last.
template <class S>
struct Moving {
  std::unique_ptr<WorldOver<S>> world;
  std::unique_ptr<World> doubles;  // how far from singular, these can tell
  int order = -1;                  // there is room for series up to this
  std::vector<double> rounded;

  void take(const World& from) {
    world = std::make_unique<WorldOver<S>>(from);
    if (order >= 0) world->reserve(order);
    if (from.may_be_singular()) doubles = std::make_unique<World>(from);
    rounded.resize(from.dimension());
  }
};

template <class S>
SystemDigits<S> system_of(const std::shared_ptr<Moving<S>>& moving) {
  SystemDigits<S> system;
  system.dimension = moving->world->dimension();
  system.controlled = moving->world->motion_lanes();
  system.rhs = [moving](const S& t, const S* x, S* dx) { moving->world->rhs(t, x, dx); };
  system.taylor = [moving](const S& t, const S* x, int order, S* c) {
    moving->world->taylor(t, x, order, c);
  };
  system.reserve = [moving](int order) {
    moving->order = std::max(moving->order, order);
    moving->world->reserve(order);
  };
  if (moving->doubles != nullptr) {
    system.margin = [moving](double t, const S* x) {
      std::vector<double>& rounded = moving->rounded;
      for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] = static_cast<double>(x[i]);
      return moving->doubles->margin(t, rounded.data());
    };
  }
  if (moving->world->has_kinks())
    system.smooth_until = [moving](const S& length) { return moving->world->smooth_until(length); };
  system.project = [moving](const S& t, S* x) { moving->world->project(t, x); };
  return system;
}

template <class S>
class MotionOver final : public DigitsMotion {
 public:
  explicit MotionOver(const World& world) { moving_->take(world); }

  std::unique_ptr<Stepper> stepper(const std::string& method, const StepOptions& options) override {
    if (method == "taylor") return make_taylor_digits(system_of<S>(moving_), options);
    return make_bulirsch_stoer_digits(system_of<S>(moving_), options);
  }

  // What cannot be passed, doubles tell.
  std::string pass_kink(World& world, State& state) override {
    const S t = from_pair<S>(state.t, state.t_lo);
    std::vector<S> x(state.hi.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = from_pair<S>(state.hi[i], state.lo[i]);
    const typename WorldOver<S>::Prescribed before = moving_->world->prescribed(t, x.data());
    State rounded = state;
    std::string reason = world.pass_kink(state.t, rounded.hi.data(), rounded.lo.data());
    if (!reason.empty()) return reason;
    moving_->take(world);
    moving_->world->strike(t, x.data(), before);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const DoubleDouble pair = to_pair(x[i]);
      state.hi[i] = pair.hi;
      state.lo[i] = pair.lo;
    }
    return "";
  }

 private:
  std::shared_ptr<Moving<S>> moving_ = std::make_shared<Moving<S>>();
};

}  // namespace

std::string precision_refusal(const World& world, const std::string& method, const std::string& precision,
                              const StepOptions& options) {
  if (options.max_velocity_error || options.max_momentum_error) {
    return fmt::format("precision '{}' takes `tolerance`, not max_velocity_error or max_momentum_error",
                       precision);
  }
  if (method != "taylor" && method != "bulirsch-stoer") {
    return fmt::format(
        "precision '{}' is for taylor and bulirsch-stoer, whose order grows with the digits; "
        "the coefficients of '{}' are doubles, and every step would be off by their last digit",
        precision, method);
  }
  if (precision == kQuad && !CATENA_HAS_QUAD) {
    return "precision 'quad' is not in this build: its compiler has no such numbers; 'double-double' has 32 "
           "digits";
  }
  if (method == "bulirsch-stoer" && world.has_switches()) {
    return fmt::format(
        "precision '{}' passes kinks of laws, limits and slack links with taylor alone, which ends its steps "
        "there: the error of what bulirsch-stoer extrapolates is a series in powers of the step only where "
        "the motion is smooth; across a kink no order is left that would reach these digits",
        precision);
  }
  return "";
}

double default_tolerance(const std::string& precision) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return finest_tolerance<Quad>();
#endif
  return finest_tolerance<DoubleDouble>();
}

std::unique_ptr<DigitsMotion> motion_in_digits(const World& world, const std::string& precision) {
#if CATENA_HAS_QUAD
  if (precision == kQuad) return std::make_unique<MotionOver<Quad>>(world);
#endif
  return std::make_unique<MotionOver<DoubleDouble>>(world);
}

void project_in_full(Stepper& stepper, State& state) {
  if (auto* more_digits = dynamic_cast<StepperDigits*>(&stepper)) more_digits->project(state);
}

void evaluate_step(Stepper& stepper, const DoubleDouble& time, double* hi, double* lo) {
  if (auto* more_digits = dynamic_cast<StepperDigits*>(&stepper)) return more_digits->evaluate(time, hi, lo);
  stepper.dense().evaluate(time.hi, hi, lo);
}

}  // namespace catena
