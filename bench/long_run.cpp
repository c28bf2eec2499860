// The long-run proof: regular orbits of planar pendulums, millions of steps of taylor with its truncation
// below roundoff. What is left of the energy error must be a random walk, whose size grows like the square
// root of the time (D. Brouwer, Astron. J. 46, 1937), and no drift.
//
// usage: bench_long_run [--links N] [--orbits K] [--steps M] [--tolerance X] [--threads T] [-o FILE]
//
// Writes the energy error of every orbit over its scale at steps 1000 * 2^(i/2) as CSV, and prints the fitted
// power of the root mean square over all orbits.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/integrate/taylor.h"
#include "catena/lab/wiring.h"

namespace {

struct Settings {
  int links = 2;
  int orbits = 16;
  double steps = 1.16e7;  // the last sample is after 11 585 238
  double tolerance = 1e-18;
  int threads = 1;
  std::string file;
};

Settings parse(int argc, char** argv) {
  Settings out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--links") out.links = std::atoi(value);
    if (name == "--orbits") out.orbits = std::atoi(value);
    if (name == "--steps") out.steps = std::atof(value);
    if (name == "--tolerance") out.tolerance = std::atof(value);
    if (name == "--threads") out.threads = std::atoi(value);
    if (name == "-o") out.file = value;
  }
  return out;
}

// Numbers that no power of two divides: rounded constants then show.
catena::ChainLinks links(int count) {
  const double length[] = {0.9, 0.37, 0.61, 0.8}, mass[] = {0.7, 0.3, 1.1, 0.45};
  catena::ChainLinks out;
  for (int k = 0; k < count; ++k) {
    out.length.push_back(length[k % 4]);
    out.mass.push_back(mass[k % 4]);
    out.center_of_mass.push_back(1.0);
    out.inertia.push_back(0.0);
    out.parent.push_back(k - 1);
  }
  return out;
}

// In [0, 1), the same for everyone: splitmix64.
double uniform(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

struct Sample {
  double steps, time, error;
};

// Swings of up to 20 degrees, where the motion is regular.
std::vector<Sample> orbit(const Settings& settings, int index) {
  const auto n = static_cast<std::size_t>(settings.links);
  catena::RigidChain<2> chain(links(settings.links), {0.0, -9.81}, catena::ChainSolver::tension);
  const catena::System system = catena::wired_chain(chain);
  const auto stepper = catena::make_taylor(system, {.tolerance = settings.tolerance});
  catena::State state;
  state.hi.assign(system.dimension, 0.0);
  state.lo = state.hi;
  for (std::size_t k = 0; k < n; ++k) {
    const double theta = 0.35 * (2 * uniform(100 * static_cast<std::uint64_t>(index) + k) - 1);
    state.hi[k] = std::sin(theta);
    state.hi[n + k] = -std::cos(theta);
  }
  chain.project(state.hi.data(), state.lo.data());
  const catena::Energies first = chain.energy(state.hi.data(), state.lo.data());
  double next = 1000.0, kinetic = 0.0;
  std::vector<Sample> out;
  for (double step = 1.0; step <= settings.steps; step += 1.0) {
    if (stepper->step(state, 1e300) != catena::StepStatus::done) break;
    if (step < 1000.0) {
      const catena::Energies now = chain.energy(state.hi.data(), state.lo.data());
      kinetic = std::max(kinetic, static_cast<double>(now.kinetic));
    }
    if (step < std::round(next)) continue;
    next *= std::sqrt(2.0);
    const catena::Energies now = chain.energy(state.hi.data(), state.lo.data());
    out.push_back({step, state.t, static_cast<double>(now.total() - first.total()) / (2 * kinetic)});
  }
  return out;
}

// Slope of log(root mean square) over log(steps), of all samples from `from` on.
double fitted_power(const std::vector<std::vector<Sample>>& orbits, double from, bool print) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < orbits[0].size(); ++i) {
    double squares = 0.0, mean = 0.0;
    for (const auto& one : orbits) {
      squares += one[i].error * one[i].error;
      mean += one[i].error;
    }
    const double count = static_cast<double>(orbits.size());
    const double rms = std::sqrt(squares / count);
    if (print) std::printf("%12.0f steps  rms %.3e  mean %+.3e\n", orbits[0][i].steps, rms, mean / count);
    if (orbits[0][i].steps < from) continue;
    const double x = std::log(orbits[0][i].steps), y = std::log(rms);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void write(const Settings& settings, const std::vector<std::vector<Sample>>& orbits) {
  std::FILE* file = std::fopen(settings.file.c_str(), "w");
  if (file == nullptr) return std::perror(settings.file.c_str());
  std::fprintf(file, "# %d links, tolerance %g: energy error over twice the largest kinetic energy\n",
               settings.links, settings.tolerance);
  std::fprintf(file, "orbit,steps,t,energy_error\n");
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    for (const Sample& s : orbits[i]) {
      std::fprintf(file, "%zu,%.0f,%.17g,%.6e\n", i + 1, s.steps, s.time, s.error);
    }
  }
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  std::vector<std::vector<Sample>> orbits(static_cast<std::size_t>(settings.orbits));
  std::atomic<int> next{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < settings.threads; ++t) {
    threads.emplace_back([&] {
      for (int i = next++; i < settings.orbits; i = next++) {
        orbits[static_cast<std::size_t>(i)] = orbit(settings, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!settings.file.empty()) write(settings, orbits);
  const double power = fitted_power(orbits, 1000.0, true);
  std::printf("%d links, %d orbits, %.3g steps: rms energy error grows like t^%.3f\n", settings.links,
              settings.orbits, settings.steps, power);
}
