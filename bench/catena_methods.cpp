#include <cmath>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/integrate/catalog.h"
#include "catena/lab/lab.h"
#include "catena/lab/wiring.h"
#include "double_pendulum.h"
#include "methods.h"

namespace bench {
namespace {

using catena::Lab;
using catena::Scene;
using catena::StepStatus;

// The integrator alone on the double pendulum, as the peers run: nothing but steps.
class DoublePendulum {
 public:
  DoublePendulum()
      : chain_(links(), {0.0, -double_pendulum::kGravity}, catena::ChainSolver::tension),
        system_(catena::wired_chain(chain_)) {}

  struct Run {
    double seconds = 0.0;
    double energy_error = 1e300;
    double end_error = 1e300;  // of the links' directions
    long steps = 0;
    long evaluations = 0;
  };

  Run run(const std::string& method, double tolerance, double duration) {
    Run out;
    catena::State state = start();
    const auto stepper = catena::find_method(method)->make(system_, {.tolerance = tolerance});
    const double begin = now_seconds();
    while (state.t < duration && stepper->step(state, duration) == StepStatus::done) {
    }
    out.seconds = now_seconds() - begin;
    out.steps = static_cast<long>(stepper->counts().steps);
    out.evaluations = static_cast<long>(stepper->counts().evaluations);
    std::vector<double> hi(8), lo(8);
    stepper->dense().evaluate(duration, hi.data(), lo.data());
    out.end_error = 0.0;
    for (int i = 0; i < 4; ++i) {
      out.end_error = std::max(out.end_error, std::fabs(hi[i] - double_pendulum::kDirectionsAtFive[i]));
    }
    return out;
  }

  double energy_error(const std::string& method, double tolerance, double duration) {
    catena::State state = start();
    const auto stepper = catena::find_method(method)->make(system_, {.tolerance = tolerance});
    const auto energy = [&] { return chain_.energy(state.hi.data(), state.lo.data()); };
    const catena::Energies first = energy();
    double off = 0.0, most_kinetic = 0.0, most_potential = 0.0;
    while (state.t < duration && stepper->step(state, duration) == StepStatus::done) {
      const catena::Energies now = energy();
      off = std::max(off, abs(now.total() - first.total()));
      most_kinetic = std::max(most_kinetic, static_cast<double>(now.kinetic));
      most_potential = std::max(most_potential, abs(now.potential - first.potential));
    }
    return off / (most_kinetic + most_potential);
  }

 private:
  static catena::ChainLinks links() {
    return {.length = {1, 1}, .mass = {1, 1}, .center_of_mass = {1, 1}, .inertia = {0, 0}, .parent = {-1, 0}};
  }
  static catena::State start() {
    catena::State state;
    state.hi = {1, 1, 0, 0, 0, 0, 0, 0};
    state.lo.assign(8, 0.0);
    return state;
  }

  catena::RigidChain<2> chain_;
  catena::System system_;
};

const std::vector<std::string> kCompared{"dop853", "vern9", "rkf78", "bulirsch-stoer", "tsit5", "dopri5"};

// For each goal the tolerance at which the method is fastest among those that keep the energy that well.
void measure_energy_goals(const Options& options) {
  if (!options.wants("double-pendulum-1000s")) return;
  DoublePendulum pendulum;
  for (const std::string& method : kCompared) {
    std::vector<DoublePendulum::Run> runs;
    for (const double tolerance : double_pendulum::kTolerances) {
      runs.push_back(pendulum.run(method, tolerance, double_pendulum::kDuration));
      runs.back().energy_error = pendulum.energy_error(method, tolerance, double_pendulum::kDuration);
    }
    for (const double goal : {1e-10, 1e-12}) {
      int best = -1;
      for (int i = 0; i < static_cast<int>(runs.size()); ++i) {
        if (runs[i].energy_error <= goal && (best < 0 || runs[i].seconds < runs[best].seconds)) best = i;
      }
      if (best < 0) continue;
      const double tolerance = double_pendulum::kTolerances[best];
      for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
        runs[best].seconds =
            std::min(runs[best].seconds, pendulum.run(method, tolerance, double_pendulum::kDuration).seconds);
      }
      char label[32], note[32];
      std::snprintf(label, sizeof label, " to %.0e", goal);
      std::snprintf(note, sizeof note, "tolerance %.0e", tolerance);
      print_double_pendulum("catena " + method + label, runs[best].seconds, runs[best].energy_error,
                            runs[best].steps, note);
    }
  }
}

// The error of the path itself, which 5 s do not yet stretch beyond measure.
void measure_path_goals(const Options& options) {
  if (!options.wants("double-pendulum-5s")) return;
  DoublePendulum pendulum;
  for (const std::string& method : kCompared) {
    const auto timed = [&](double tolerance) {
      DoublePendulum::Run run = pendulum.run(method, tolerance, double_pendulum::kPathDuration);
      for (int i = 0; i < (options.quick ? 5 : 50); ++i) {
        run.seconds =
            std::min(run.seconds, pendulum.run(method, tolerance, double_pendulum::kPathDuration).seconds);
      }
      return double_pendulum::PathRun{tolerance, run.seconds, run.end_error, run.steps, run.evaluations};
    };
    double_pendulum::print_path_goals("catena " + method, timed);
  }
}

Scene chain_of(int n, bool elastic, double stiffness) {
  Scene scene;
  scene.name = "bench";
  scene.simulation.duration = 1e9;
  catena::Chain chain;
  chain.kind = elastic ? catena::ChainKind::elastic : catena::ChainKind::rigid;
  for (int k = 0; k < n; ++k) {
    catena::Link link;
    link.length = link.mass = 1.0;
    link.theta_dot = 0.01;
    link.parent = k - 1;
    link.stiffness = elastic ? stiffness : 0.0;
    link.stretch = elastic ? (n - k) * double_pendulum::kGravity / stiffness : 0.0;
    chain.links.push_back(link);
  }
  scene.chains.push_back(std::move(chain));
  return scene;
}

// Seconds of one step per link, on chains that hang in their static stretch and swing gently. False: the
// method is not for such a chain.
bool measure_step(const Options& options, const char* problem, const std::string& method, bool elastic,
                  int n) {
  Scene scene = chain_of(n, elastic, 1e4);
  scene.simulation.method = method;
  const bool adaptive = catena::find_method(method)->adaptive;
  if (adaptive) scene.simulation.tolerance = 1e-8;
  scene.simulation.step = 1e-3;
  try {
    Lab lab(scene);
    for (int i = 0; i < 30; ++i) lab.advance();
    const long before = static_cast<long>(lab.counts().evaluations);
    long steps = 0;
    const double seconds = best_seconds([&] { lab.advance(), ++steps; }, options) / n;
    const double evaluations =
        static_cast<double>(lab.counts().evaluations - before) / static_cast<double>(steps);
    std::printf(
        "{\"peer\": \"catena %s, %s\", \"problem\": \"%s\", \"n\": %d, \"seconds\": %.6e, "
        "\"evaluations_per_step\": %.1f}\n",
        method.c_str(), elastic ? "elastic" : "rigid", problem, n, seconds, evaluations);
  } catch (const catena::InputError&) {
    return false;
  }
  return true;
}

// How the cost grows with the chain, where that depends on how equations are solved.
void measure_method_cost(const Options& options) {
  if (!options.wants("method-cost-per-link")) return;
  struct Case {
    const char* method;
    bool elastic;
  };
  for (const Case& one :
       {Case{"gauss8", false}, {"gauss8", true}, {"radau5", true}, {"bulirsch-stoer", false}}) {
    for (const int n : {10, 100, 1000})
      measure_step(options, "method-cost-per-link", one.method, one.elastic, n);
  }
}

// Every method on a chain of ten rigid links, or where it is not for those, of ten springs.
void measure_every_method(const Options& options) {
  if (!options.wants("every-method")) return;
  for (const std::string& method : catena::method_names()) {
    if (!measure_step(options, "every-method", method, false, 10))
      measure_step(options, "every-method", method, true, 10);
  }
}

// 100 links of 1e8 N/m in their static stretch, 2 s at tolerance 1e-8.
void measure_stiff_chain(const Options& options) {
  if (!options.wants("stiff-chain-100")) return;
  for (const char* method : {"radau5", "dop853", "dopri5"}) {
    Scene scene = chain_of(100, true, 1e8);
    scene.simulation.method = method;
    scene.simulation.tolerance = 1e-8;
    double best = 1e300;
    long steps = 0, evaluations = 0;
    for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
      const double begin = now_seconds();
      Lab lab(scene);
      while (lab.time() < 2.0 && lab.advance() == StepStatus::done) {
      }
      best = std::min(best, now_seconds() - begin);
      steps = static_cast<long>(lab.counts().steps);
      evaluations = static_cast<long>(lab.counts().evaluations);
    }
    std::printf(
        "{\"peer\": \"catena %s\", \"problem\": \"stiff-chain-100\", \"seconds\": %.6e, \"steps\": %ld, "
        "\"evaluations\": %ld}\n",
        method, best, steps, evaluations);
  }
}

// One step of the double pendulum in double and in double-double, at equal order and tolerance.
void measure_double_double(const Options& options) {
  if (!options.wants("double-double-cost")) return;
  const auto seconds_per_step = [&](const char* method, const char* precision) {
    Scene scene = chain_of(2, false, 0.0);
    for (catena::Link& link : scene.chains[0].links) link.theta = catena::Angle::from_degrees(90);
    scene.simulation.method = method;
    scene.simulation.precision = precision;
    scene.simulation.tolerance = 1e-15;
    if (method == std::string("taylor")) scene.simulation.order = 30;
    double best = 1.0;
    for (int i = 0; i < (options.quick ? 2 : 10); ++i) {
      Lab lab(scene);
      const double begin = now_seconds();
      while (lab.time() < 20.0 && lab.advance() == StepStatus::done) {
      }
      const auto steps = static_cast<double>(lab.counts().steps);
      best = std::min(best, (now_seconds() - begin) / steps);
    }
    return best;
  };
  for (const char* method : {"taylor", "bulirsch-stoer"}) {
    const double plain = seconds_per_step(method, "double"), wide = seconds_per_step(method, "double-double");
    std::printf(
        "{\"peer\": \"catena %s\", \"problem\": \"double-double-cost\", \"seconds\": %.6e, "
        "\"double_seconds\": %.6e, \"ratio\": %.1f}\n",
        method, wide, plain, wide / plain);
  }
}

}  // namespace

void measure_methods(const Options& options) {
  measure_double_double(options);
  measure_energy_goals(options);
  measure_path_goals(options);
  measure_method_cost(options);
  measure_every_method(options);
  measure_stiff_chain(options);
}

}  // namespace bench
