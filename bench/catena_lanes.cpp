// Problem "lanes-double-pendulum": 1000 s of double pendulums that start a thousandth of a radian apart, time
// of each; "lanes-chain": chains in space beside one run of their own; "elementary": functions beside libm.
#include <cmath>
#include <random>
#include <vector>

#include "catena/integrate/catalog.h"
#include "catena/lab/lab.h"
#include "catena/lab/lane_stepper.h"
#include "catena/lab/world_system.h"
#include "catena/math/elementary.h"
#include "lanes.h"

namespace bench {
namespace {

constexpr double kGravity = 9.81;
constexpr int kCases = 8;

catena::Scene chain_scene(int n, double duration, double phi_step, double angle) {
  catena::Scene scene;
  scene.name = "bench";
  scene.simulation.duration = duration;
  catena::Chain chain;
  for (int k = 0; k < n; ++k) {
    catena::Link link;
    link.length = link.mass = 1.0;
    link.theta = catena::Angle::from_radians(angle);
    link.phi = catena::Angle::from_radians(phi_step * (k + 1));
    link.parent = k - 1;
    chain.links.push_back(link);
  }
  scene.chains.push_back(std::move(chain));
  return scene;
}

struct LaneRun {
  double seconds = 0.0;  // of one trajectory
  double energy_error = 0.0;
  double steps = 0.0;
};

double energy_of(catena::World& world, const catena::State& state) {
  return static_cast<double>(world.energy(state.t, state.hi.data(), state.lo.data()).total());
}

// Lanes that end take the next trajectory.
template <int W>
LaneRun lane_run(int n, double duration, double phi_step, double tolerance, int order) {
  catena::World world(chain_scene(n, duration, phi_step, 1.5707963267948966));
  const catena::NumberTape numbers = catena::lane_numbers(world);
  catena::LaneTaylor<W> lanes(
      catena::lane_worlds<W>(world, std::vector<const catena::NumberTape*>(W, &numbers)).system,
      {tolerance, order});
  std::vector<catena::State> starts(kCases);
  for (int i = 0; i < kCases; ++i) {
    catena::World of_case(chain_scene(n, duration, phi_step, 1.5707963267948966 - 0.001 * i));
    of_case.start(starts[static_cast<std::size_t>(i)].hi, starts[static_cast<std::size_t>(i)].lo);
  }
  int next = 0, done = 0, of[W];
  for (int l = 0; l < W; ++l) of[l] = -1;
  LaneRun out;
  catena::State end = starts[0];
  const double begin = now_seconds();
  while (done < kCases) {
    for (int l = 0; l < W; ++l) {
      if (of[l] >= 0 && lanes.time(l) >= duration) {
        lanes.read_start(l, end);
        const double off = energy_of(world, end) - energy_of(world, starts[static_cast<std::size_t>(of[l])]);
        out.energy_error = std::max(out.energy_error, std::fabs(off) / (n * (n + 1.0) * kGravity));
        of[l] = -1;
        ++done;
        lanes.vacate(l);
      }
      if (of[l] < 0 && next < kCases) {
        of[l] = next;
        lanes.seat(l, starts[static_cast<std::size_t>(next++)], 0.0, INFINITY);
      }
      if (of[l] >= 0) out.steps += 1.0 / kCases;
    }
    lanes.step();
    lanes.go_on();
  }
  out.seconds = (now_seconds() - begin) / kCases;
  return out;
}

template <int W>
LaneRun best_lane_run(int n, double duration, double phi_step, double tolerance, int order, int times) {
  LaneRun best = lane_run<W>(n, duration, phi_step, tolerance, order);
  for (int i = 1; i < times; ++i) {
    const LaneRun next = lane_run<W>(n, duration, phi_step, tolerance, order);
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

// The same motion alone, with the fast kernels of doubles: steps and nothing else.
double seconds_alone(int n, double duration, double phi_step) {
  catena::World world(chain_scene(n, duration, phi_step, 1.5707963267948966));
  const catena::WorldSystem wired(world);
  const catena::Method& taylor = *catena::find_method("taylor");
  const auto stepper = taylor.make(wired.system(), {.tolerance = taylor.tolerance});
  catena::State state;
  world.start(state.hi, state.lo);
  const double begin = now_seconds();
  while (state.t < duration) stepper->step(state, duration);
  return now_seconds() - begin;
}

void print_run(const char* peer, const char* problem, int n, const LaneRun& run, const char* note,
               double alone) {
  std::printf(
      "{\"peer\": \"%s\", \"problem\": \"%s\", \"n\": %d, \"seconds\": %.6e, \"energy_error\": %.2e, "
      "\"steps\": %.0f, "
      "\"alone_over_lanes\": %.2f, \"note\": \"%s\"}\n",
      peer, problem, n, run.seconds, run.energy_error, run.steps, alone / run.seconds, note);
}

void measure_trajectories(const Options& options) {
  const int times = options.quick ? 2 : 10;
  const auto alone = [&](int n, double duration, double phi_step) {
    double best = seconds_alone(n, duration, phi_step);
    for (int i = 1; i < times; ++i) best = std::min(best, seconds_alone(n, duration, phi_step));
    return best;
  };
  if (options.wants("lanes-double-pendulum")) {
    const double single = alone(2, 1000.0, 0.0);
    const auto print = [&](const char* peer, const LaneRun& run, const char* note) {
      print_run(peer, "lanes-double-pendulum", 2, run, note, single);
    };
    print("catena, 4 lanes", best_lane_run<4>(2, 1000.0, 0.0, 1e-14, 28, times), "tolerance 1e-14, order 28");
    print("catena, 4 lanes, 2e-14", best_lane_run<4>(2, 1000.0, 0.0, 2e-14, 28, times),
          "tolerance 2e-14, order 28");
    print("catena, 4 lanes, 1e-15", best_lane_run<4>(2, 1000.0, 0.0, 1e-15, 28, times),
          "tolerance 1e-15, order 28");
  }
  if (options.wants("lanes-chain")) {
    for (const int n : {3, 5, 10}) {
      print_run("catena, 4 lanes", "lanes-chain", n, best_lane_run<4>(n, 20.0, 0.3, 1e-15, 26, times),
                "20 s in space, tolerance 1e-15, order 26", alone(n, 20.0, 0.3));
    }
  }
}

struct Function {
  const char* name;
  double (*one)(double);
  void (*four)(const catena::Pack<double, 4>&, catena::Pack<double, 4>&);
  double (*libm)(double);
  double low, high;
};
#define CATENA_ROW(name, low, high) \
  { #name, catena::elementary::name, catena::elementary::name, std::name, low, high }
const Function kFunctions[] = {
    CATENA_ROW(sin, -10, 10),      CATENA_ROW(cos, -10, 10),  CATENA_ROW(tan, -10, 10),
    CATENA_ROW(asin, -1, 1),       CATENA_ROW(acos, -1, 1),   CATENA_ROW(atan, -5, 5),
    CATENA_ROW(exp, -50, 50),      CATENA_ROW(exp2, -50, 50), CATENA_ROW(log, 0.01, 100),
    CATENA_ROW(log2, 0.01, 100.0), CATENA_ROW(sinh, -5, 5),   CATENA_ROW(cosh, -5, 5),
    CATENA_ROW(tanh, -3, 3)};
#undef CATENA_ROW

void measure_functions(const Options& options) {
  if (!options.wants("elementary")) return;
  constexpr std::size_t kCount = 4000;
  std::mt19937_64 random(1);
  volatile double kept = 0.0;
  for (const Function& f : kFunctions) {
    std::vector<double> x(kCount);
    for (double& value : x) value = std::uniform_real_distribution<double>(f.low, f.high)(random);
    const auto through = [&](double (*function)(double)) {
      return best_seconds(
                 [&] {
                   double sum = 0.0;
                   for (const double value : x) sum += function(value);
                   kept = sum;
                 },
                 options) /
             kCount;
    };
    const double four = best_seconds(
                            [&] {
                              catena::Pack<double, 4> sum{}, out;
                              for (std::size_t i = 0; i < kCount; i += 4) {
                                f.four(catena::load<4>(x.data() + i), out);
                                sum += out;
                              }
                              kept = sum[0];
                            },
                            options) /
                        kCount;
    const double one = through(f.one), libm = through(f.libm);
    std::printf(
        "{\"peer\": \"catena %s\", \"problem\": \"elementary\", \"seconds\": %.3e, \"four_over_libm\": %.2f, "
        "\"one_over_libm\": %.2f}\n",
        f.name, four, four / libm, one / libm);
  }
}

}  // namespace

void measure_lanes(const Options& options) {
  measure_trajectories(options);
  measure_functions(options);
}

}  // namespace bench
