// Catena on the problems its peers are measured on, and on those of its own promises.
#include <sys/resource.h>

#include "catena/dynamics/chain/conversion.h"
#include "catena/dynamics/chain/elastic_chain.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"
#include "catena/lab/lab.h"
#include "catena/lab/wiring.h"
#include "chain_problem.h"
#include "derivatives.h"
#include "ladder_problem.h"
#include "lanes.h"
#include "measure.h"
#include "mechanisms.h"
#include "methods.h"
#include "spectrum.h"

namespace bench {
namespace {

using catena::ChainLinks;
using catena::ChainSolver;
using catena::RigidChain;

ChainLinks unit_links(std::size_t n) {
  ChainLinks links;
  links.length.assign(n, 1.0);
  links.mass.assign(n, 1.0);
  links.center_of_mass.assign(n, 1.0);
  links.inertia.assign(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) links.parent.push_back(static_cast<int>(k) - 1);
  return links;
}

std::vector<double> lanes_of(const ChainState& state) {
  const std::size_t n = state.u.size();
  std::vector<double> x(6 * n);
  for (std::size_t k = 0; k < n; ++k) {
    for (int i = 0; i < 3; ++i) {
      x[i * n + k] = state.u[k][i];
      x[(3 + i) * n + k] = state.w[k][i];
    }
  }
  return x;
}

// The engine that measure_forward_dynamics asks for: built once per N, then evaluated.
template <ChainSolver solver>
class Forward {
 public:
  explicit Forward(const ChainState& state)
      : n_(state.u.size()),
        chain_(unit_links(n_), {0.0, 0.0, -kGravity}, solver),
        x_(lanes_of(state)),
        dx_(x_.size()) {}

  void evaluate() { chain_.rhs(x_.data(), dx_.data()); }

  Vectors accelerations() const {
    Vectors out;
    Vector3d sum = Vector3d::Zero();
    for (std::size_t k = 0; k < n_; ++k) {
      sum += Vector3d(dx_[3 * n_ + k], dx_[4 * n_ + k], dx_[5 * n_ + k]);
      out.push_back(sum);
    }
    return out;
  }

 private:
  std::size_t n_;
  RigidChain<3> chain_;
  std::vector<double> x_, dx_;
};

// Cost of one more link, from chains that fit into the nearest cache to those that fill the last one.
void measure_cost_per_link(const Options& options) {
  if (!options.wants("rhs-cost-per-link")) return;
  for (const int n : {100, 1000, 10000, 100000}) {
    Forward<ChainSolver::tension> tension(chain_state(n));
    Forward<ChainSolver::articulated> articulated(chain_state(n));
    const double a = best_seconds([&] { tension.evaluate(); }, options) / n;
    const double b = best_seconds([&] { articulated.evaluate(); }, options) / n;
    std::printf(
        "{\"peer\": \"catena\", \"problem\": \"rhs-cost-per-link\", \"n\": %d, \"seconds\": %.6e, "
        "\"articulated_seconds\": %.6e}\n",
        n, a, b);
  }
}

// The same chains on springs, stretched by a twentieth.
void measure_elastic_cost_per_link(const Options& options) {
  if (!options.wants("elastic-rhs-cost-per-link")) return;
  for (const int n : {100, 1000, 10000, 100000}) {
    ChainLinks links = unit_links(n);
    links.stiffness.assign(n, 100.0);
    const std::vector<double> directions = lanes_of(chain_state(n));
    const std::vector<double> extent(n, 1.05), still(n, 0.0), none(directions.size(), 0.0);
    const catena::LanePair state = catena::ends_of<3>(links, {directions, none}, extent, still);
    catena::ElasticChain<3> chain(links, {0.0, 0.0, -kGravity});
    std::vector<double> dx(state.hi.size());
    const double seconds = best_seconds([&] { chain.rhs(state.hi.data(), dx.data()); }, options) / n;
    std::printf(
        "{\"peer\": \"catena\", \"problem\": \"elastic-rhs-cost-per-link\", \"n\": %d, \"seconds\": %.6e}\n",
        n, seconds);
  }
}

catena::Scene chain_scene(int n, double duration, double phi_step) {
  catena::Scene scene;
  scene.name = "bench";
  scene.simulation.duration = duration;
  catena::Chain chain;
  for (int k = 0; k < n; ++k) {
    catena::Link link;
    link.length = link.mass = 1.0;
    link.theta = catena::Angle::from_degrees(90);
    link.phi = catena::Angle::from_radians(phi_step * (k + 1));
    link.parent = k - 1;
    chain.links.push_back(link);
  }
  scene.chains.push_back(std::move(chain));
  return scene;
}

// What force laws add to the right-hand side of 1000 links in space, and what a formula costs beside the same
// law built in.
void measure_forces(const Options& options) {
  if (!options.wants("forces")) return;
  const int n = 1000;
  const auto force = [](const char* kind) {
    catena::ForceEntry entry;
    entry.kind = kind;
    return entry;
  };
  catena::Scene plain = chain_scene(n, 1.0, 0.3);
  for (catena::Link& link : plain.chains[0].links) {
    link.charge = 0.1;
    link.drag_area = 0.01;
    link.theta_dot = 0.3;
  }
  catena::Scene loaded = plain;
  loaded.forces = {force("drag"), force("wind"), force("magnetic"), force("electric")};
  loaded.forces[0].linear = 0.1;
  loaded.forces[1].velocity = {"3 + sin(t)", "0", "0.1*x"};
  loaded.forces[2].field = {"0", "0", "1"};
  loaded.forces[3].field = {"1", "0", "0"};
  const auto rhs_seconds = [&](const catena::Scene& scene) {
    catena::World world(scene);
    std::vector<double> x, lo, dx(world.dimension());
    world.start(x, lo);
    return best_seconds([&] { world.rhs(0.5, x.data(), dx.data()); }, options) / n;
  };
  const double without = rhs_seconds(plain), with = rhs_seconds(loaded);
  std::printf(
      "{\"peer\": \"catena\", \"problem\": \"forces\", \"n\": %d, \"seconds\": %.6e, \"plain_seconds\": "
      "%.6e, "
      "\"ratio\": %.3f}\n",
      n, with, without, with / without);
  catena::Scene built_in = plain, written = plain;
  built_in.forces = {force("drag")};
  built_in.forces[0].linear = 0.1;
  written.forces = {force("formula")};
  written.forces[0].force = {"-(0.1 + 0.0028787500000000003*speed)*vx",
                             "-(0.1 + 0.0028787500000000003*speed)*vy",
                             "-(0.1 + 0.0028787500000000003*speed)*vz"};
  const auto series_seconds = [&](const catena::Scene& scene) {
    catena::World world(scene);
    std::vector<double> x, lo, c(27 * world.dimension());
    world.start(x, lo);
    world.reserve(26);
    return best_seconds([&] { world.taylor(0.5, x.data(), 26, c.data()); }, options) / n;
  };
  const double law = series_seconds(built_in), formula = series_seconds(written);
  std::printf(
      "{\"peer\": \"catena taylor\", \"problem\": \"formula\", \"n\": %d, \"seconds\": %.6e, "
      "\"built_in_seconds\": %.6e, \"ratio\": %.3f}\n",
      n, formula, law, formula / law);
}

// One run from start to end through the facade, as every program does it, energy watched at each step.
struct WholeRun {
  double seconds = 0.0;
  double energy_error = 0.0;
  long steps = 0;
  int order = 0;
};

WholeRun whole_run(const catena::Scene& scene) {
  const double start = now_seconds();
  catena::Lab lab(scene);
  while (lab.time() < scene.simulation.duration && lab.advance() == catena::StepStatus::done) {
  }
  const double seconds = now_seconds() - start;
  const catena::EnergyRecord& energies = lab.energies();
  return {seconds, energies.largest_error / energies.scale(lab.weight_scale()), lab.counts().steps,
          lab.order()};
}

WholeRun best_run(const catena::Scene& scene, const Options& options) {
  WholeRun best = whole_run(scene);
  for (int i = 0; i < (options.quick ? 1 : 8); ++i) {
    const WholeRun next = whole_run(scene);
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

// The integrator alone, as the peers run: nothing but steps to 1000 s.
double stepping_seconds() {
  RigidChain<2> chain(unit_links(2), {0.0, -kGravity}, ChainSolver::tension);
  const catena::System system = catena::wired_chain(chain);
  const catena::Method& taylor = *catena::find_method("taylor");
  const auto stepper = taylor.make(system, {.tolerance = taylor.tolerance});
  catena::State state{.hi = {1, 1, 0, 0, 0, 0, 0, 0}, .lo = std::vector<double>(8, 0.0)};
  const double start = now_seconds();
  while (state.t < 1000.0) stepper->step(state, 1000.0);
  return now_seconds() - start;
}

void measure_double_pendulum(const Options& options) {
  if (!options.wants("double-pendulum-1000s")) return;
  catena::Scene scene = chain_scene(2, 1000.0, 0.0);
  const WholeRun run = best_run(scene, options);
  const std::string settings = "default tolerance 1e-15, order " + std::to_string(run.order);
  double seconds = stepping_seconds();
  for (int i = 0; i < (options.quick ? 2 : 20); ++i) seconds = std::min(seconds, stepping_seconds());
  print_double_pendulum("catena taylor", seconds, run.energy_error, run.steps, settings);
  print_double_pendulum("catena taylor, watching energy", run.seconds, run.energy_error, run.steps,
                        settings + ", through the facade");
}

void measure_long_chain(const Options& options) {
  if (!options.wants("chain-100-20s")) return;
  const WholeRun run = best_run(chain_scene(100, 20.0, 0.3), options);
  std::printf(
      "{\"peer\": \"catena taylor\", \"problem\": \"chain-100-20s\", \"seconds\": %.6e, \"times_real_time\": "
      "%.1f, "
      "\"energy_error\": %.3e, \"steps\": %ld}\n",
      run.seconds, 20.0 / run.seconds, run.energy_error, run.steps);
}

// A step of the methods that keep links at their lengths, on a chain released horizontally: linear in N.
void measure_geometric_steps(const Options& options) {
  if (!options.wants("geometric-step")) return;
  for (const char* method : {"rkmk54", "rkmk4", "cf4", "rattle", "variational"}) {
    for (const int n : {10, 100, 1000}) {
      catena::Scene scene = chain_scene(n, 100.0, 0.0);
      for (catena::Link& link : scene.chains[0].links) link.length = 5.0 / n;
      scene.simulation.method = method;
      scene.simulation.step = 1e-3 / n;
      if (method == std::string("rkmk54")) scene.simulation.tolerance = 1e-6;
      catena::Lab lab(scene);
      // Rejected steps are steps too. The longer the run, the longer the steps of rkmk54 and the iterations
      // of the implicit ones; both settle soon.
      for (int i = 0; i < 20; ++i) lab.advance();
      const auto taken = [&] { return static_cast<double>(lab.counts().steps + lab.counts().rejected); };
      double best = 1.0;
      for (int round = 0; round < (options.quick ? 3 : 20); ++round) {
        const double before = taken(), start = now_seconds();
        for (int i = 0; i < 20; ++i) lab.advance();
        best = std::min(best, (now_seconds() - start) / (taken() - before));
      }
      std::printf(
          "{\"peer\": \"catena %s\", \"problem\": \"geometric-step\", \"n\": %d, \"seconds\": %.6e, "
          "\"nanoseconds_per_link\": %.1f}\n",
          method, n, best, 1e9 * best / n);
    }
  }
}

// The most memory this process has needed so far: measured first, so it is this chain's.
void measure_memory(const Options& options) {
  if (!options.wants("memory-100000-links")) return;
  const double start = now_seconds();
  catena::Lab lab(chain_scene(100000, 1.0, 0.3));
  const catena::Columns columns = lab.columns({});
  std::vector<double> row(columns.width());
  for (int i = 0; i < 3; ++i) {
    lab.advance();
    lab.sample(lab.time(), columns, row.data());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"peer\": \"catena taylor\", \"problem\": \"memory-100000-links\", \"seconds\": %.6e, \"megabytes\": "
      "%.1f}\n",
      now_seconds() - start, static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::measure_memory(options);
  bench::measure_forward_dynamics<bench::Forward<catena::ChainSolver::tension>>("catena", "", options);
  bench::measure_cost_per_link(options);
  bench::measure_elastic_cost_per_link(options);
  bench::measure_forces(options);
  bench::measure_double_pendulum(options);
  bench::measure_long_chain(options);
  bench::measure_methods(options);
  bench::measure_geometric_steps(options);
  bench::measure_mechanisms(options);
  bench::measure_ladders(options);
  bench::measure_lanes(options);
  bench::measure_derivatives(options);
  bench::measure_spectra(options);
}
