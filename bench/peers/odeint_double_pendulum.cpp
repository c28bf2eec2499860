// Boost.odeint on problem "double-pendulum-1000s". For each goal, a method runs at the tolerance that makes
// it fastest among those that keep the energy that well; a goal that no tolerance reaches is left out.
#include <boost/numeric/odeint.hpp>
#include <boost/version.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "../double_pendulum.h"
#include "../measure.h"

namespace {

namespace odeint = boost::numeric::odeint;
using bench::double_pendulum::EnergyWatch;
using bench::double_pendulum::kDirectionsAtFive;
using bench::double_pendulum::kDuration;
using bench::double_pendulum::kPathDuration;
using bench::double_pendulum::kStart;
using bench::double_pendulum::kTolerances;
using bench::double_pendulum::PathRun;
using bench::double_pendulum::right_hand_side;
using bench::double_pendulum::State;

constexpr double kGoals[] = {1e-10, 1e-12};
constexpr double kFirstStep = 1e-3;

struct Run {
  double tolerance = 0, seconds = 0, energy_error = 1e300;
  long steps = 0;
};

// The energy is watched in a run of its own, which is not timed.
template <class MakeStepper>
Run measured_run(MakeStepper&& make_stepper, double tolerance) {
  Run run;
  run.tolerance = tolerance;
  State state = kStart;
  const double start = bench::now_seconds();
  odeint::integrate_adaptive(make_stepper(tolerance), right_hand_side, state, 0.0, kDuration, kFirstStep);
  run.seconds = bench::now_seconds() - start;

  EnergyWatch watch;
  state = kStart;
  odeint::integrate_adaptive(make_stepper(tolerance), right_hand_side, state, 0.0, kDuration, kFirstStep,
                             [&](const State& x, double) { watch.observe(x); });
  run.energy_error = watch.relative_error();
  run.steps = watch.steps();
  return run;
}

template <class MakeStepper>
void measure_path(const std::string& method, MakeStepper&& make_stepper, const bench::Options& options) {
  const auto timed = [&](double tolerance) {
    PathRun run{tolerance, 1e300, 0.0, 0, 0};
    State state;
    for (int i = 0; i < (options.quick ? 5 : 50); ++i) {
      state = kStart;
      const double start = bench::now_seconds();
      run.steps = static_cast<long>(odeint::integrate_adaptive(make_stepper(tolerance), right_hand_side,
                                                               state, 0.0, kPathDuration, kFirstStep));
      run.seconds = std::min(run.seconds, bench::now_seconds() - start);
    }
    const double directions[] = {std::sin(state[0]), std::sin(state[1]), -std::cos(state[0]),
                                 -std::cos(state[1])};
    for (int i = 0; i < 4; ++i)
      run.error = std::max(run.error, std::fabs(directions[i] - kDirectionsAtFive[i]));
    return run;
  };
  bench::double_pendulum::print_path_goals("odeint " + method, timed);
}

template <class MakeStepper>
void measure(const std::string& method, MakeStepper&& make_stepper, const bench::Options& options) {
  if (options.wants("double-pendulum-5s")) measure_path(method, make_stepper, options);
  if (!options.wants("double-pendulum-1000s")) return;
  std::vector<Run> runs;
  for (const double tolerance : kTolerances) runs.push_back(measured_run(make_stepper, tolerance));

  std::string version = BOOST_LIB_VERSION;
  std::replace(version.begin(), version.end(), '_', '.');
  for (const double goal : kGoals) {
    Run best;
    for (const Run& run : runs)
      if (run.energy_error <= goal && (best.steps == 0 || run.seconds < best.seconds)) best = run;
    if (best.steps == 0) continue;
    for (int repetition = 0; repetition < (options.quick ? 1 : 5); ++repetition)
      best.seconds = std::min(best.seconds, measured_run(make_stepper, best.tolerance).seconds);
    char label[32], note[32];
    std::snprintf(label, sizeof label, " to %.0e", goal);
    std::snprintf(note, sizeof note, "tolerance %.0e", best.tolerance);
    bench::print_double_pendulum("odeint " + version + " " + method + label, best.seconds, best.energy_error,
                                 best.steps, note);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  if (!options.wants("double-pendulum-1000s") && !options.wants("double-pendulum-5s")) return 0;
  measure(
      "fehlberg78",
      [](double tolerance) {
        return odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(tolerance, tolerance);
      },
      options);
  measure(
      "bulirsch_stoer", [](double tolerance) { return odeint::bulirsch_stoer<State>(tolerance, tolerance); },
      options);
  measure(
      "dopri5",
      [](double tolerance) {
        return odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(tolerance, tolerance);
      },
      options);
}
