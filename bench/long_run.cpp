// The long-run proof: regular orbits of planar pendulums and mechanisms, millions of steps of taylor with its
// truncation below roundoff. What is left of the energy error must be a random walk, whose size grows like
// the square root of the time (D. Brouwer, Astron. J. 46, 1937), and no drift.
//
// usage: bench_long_run [--links N | --bodies rod|double-rod|four-bar] [--orbits K] [--steps M] [--tolerance
// X]
//                       [--threads T] [-o FILE]
//
// Writes the energy error of every orbit over its scale at steps 1000 * 2^(i/2) as CSV, and prints the fitted
// power of the root mean square over all orbits. The file is written anew whenever all orbits have got to a
// sample.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catena/dynamics/bodies/assembly.h"
#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/integrate/taylor.h"
#include "catena/lab/wiring.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"

namespace {

struct Settings {
  int links = 2;
  std::string bodies;  // empty: links
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
    if (name == "--bodies") out.bodies = value;
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

std::string name_of(const Settings& settings) {
  return settings.bodies.empty() ? std::to_string(settings.links) + " links" : settings.bodies;
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

// One orbit at a time of something that moves.
class Mover {
 public:
  virtual ~Mover() = default;
  virtual catena::System system() = 0;
  // Where orbit `index` starts.
  virtual catena::State start(int index) = 0;
  virtual catena::Energies energy(const catena::State& state) = 0;
};

// Swings of up to 20 degrees, where the motion is regular.
double swing(int index, std::size_t which) {
  return 0.35 * (2 * uniform(100 * static_cast<std::uint64_t>(index) + which) - 1);
}

// The same of 10 degrees and more: the energy of one that hardly moves is all roundoff, and would be most of
// the mean.
double large_swing(int index, std::size_t which) {
  const double angle = swing(index, which);
  return 0.5 * (angle + std::copysign(0.35, angle));
}

class Links final : public Mover {
 public:
  explicit Links(int count)
      : chain_(links(count), {0.0, -9.81}, catena::ChainSolver::tension),
        count_(static_cast<std::size_t>(count)) {}
  catena::System system() override { return catena::wired_chain(chain_); }
  catena::State start(int index) override {
    catena::State state;
    state.hi.assign(chain_.dimension(), 0.0);
    state.lo = state.hi;
    for (std::size_t k = 0; k < count_; ++k) {
      const double theta = swing(index, k);
      state.hi[k] = std::sin(theta);
      state.hi[count_ + k] = -std::cos(theta);
    }
    chain_.project(state.hi.data(), state.lo.data());
    return state;
  }
  catena::Energies energy(const catena::State& state) override {
    return chain_.energy(state.hi.data(), state.lo.data());
  }

 private:
  catena::RigidChain<2> chain_;
  std::size_t count_;
};

struct Point {
  double x, z;
};

int add_rod(catena::Mechanism& out, const Point& from, const Point& to, double mass) {
  const double length = std::hypot(to.x - from.x, to.z - from.z), moment = mass * length * length / 12;
  catena::Body body;
  body.name = "rod";
  body.mass = mass;
  body.inertia[0][0] = 1e-3 * moment;
  body.inertia[1][1] = body.inertia[2][2] = moment;
  body.position = {0.5 * (from.x + to.x), 0.0, 0.5 * (from.z + to.z)};
  const double half = 0.5 * std::atan2(from.z - to.z, to.x - from.x);
  body.orientation = {std::cos(half), 0.0, std::sin(half), 0.0};
  out.bodies.push_back(body);
  return static_cast<int>(out.bodies.size()) - 1;
}

void add_hinge(catena::Mechanism& out, int a, int b, const Point& at) {
  out.joints.push_back(joint_at(out, catena::JointKind::revolute, a, b, {at.x, 0.0, at.z}, {0, 1, 0}));
  out.joints.back().name = "hinge" + std::to_string(out.joints.size());
}

// Where circles about a and b meet, the lower point.
Point below(const Point& a, double from_a, const Point& b, double from_b) {
  const double dx = b.x - a.x, dz = b.z - a.z, square = dx * dx + dz * dz;
  const double along = 0.5 + 0.5 * (from_a * from_a - from_b * from_b) / square;
  const double across = std::sqrt(from_a * from_a / square - along * along);
  return {a.x + along * dx + across * dz, a.z + along * dz - across * dx};
}

// Rods on hinges; lengths and masses of no power of two.
catena::Mechanism mechanism_of(const std::string& name, int index) {
  catena::Mechanism out;
  const Point origin{0.0, 0.0};
  if (name == "rod") {
    const double angle = large_swing(index, 0);
    const Point end{0.9 * std::sin(angle), -0.9 * std::cos(angle)};
    add_hinge(out, catena::kGround, add_rod(out, origin, end, 0.7), origin);
    return out;
  }
  if (name == "double-rod") {
    const double first = large_swing(index, 0), second = large_swing(index, 1);
    const Point a{0.9 * std::sin(first), -0.9 * std::cos(first)};
    const Point b{a.x + 0.37 * std::sin(second), a.z - 0.37 * std::cos(second)};
    const int upper = add_rod(out, origin, a, 0.7), lower = add_rod(out, a, b, 0.3);
    add_hinge(out, catena::kGround, upper, origin);
    add_hinge(out, upper, lower, a);
    return out;
  }
  // A four-bar that hangs and swings.
  const Point pivot{0.93, 0.0};
  const double angle = large_swing(index, 0);
  const Point a{0.37 * std::sin(angle), -0.37 * std::cos(angle)};
  const Point b = below(a, 1.03, pivot, 0.81);
  const int crank = add_rod(out, origin, a, 0.3), coupler = add_rod(out, a, b, 1.1);
  const int rocker = add_rod(out, pivot, b, 0.7);
  add_hinge(out, catena::kGround, crank, origin);
  add_hinge(out, crank, coupler, a);
  add_hinge(out, coupler, rocker, b);
  add_hinge(out, catena::kGround, rocker, pivot);
  return out;
}

class Bodies final : public Mover {
 public:
  Bodies(std::string name, int index)
      : name_(std::move(name)), bodies_(mechanism_of(name_, index), {0.0, 0.0, -9.81}) {}
  catena::System system() override { return catena::wired(bodies_); }
  catena::State start(int index) override {
    catena::LanePair pair = assemble(mechanism_of(name_, index)).state;
    bodies_.expect_rank(bodies_.mobility(0.0, pair.hi.data()).rank);
    return {0.0, 0.0, std::move(pair.hi), std::move(pair.lo)};
  }
  catena::Energies energy(const catena::State& state) override {
    return bodies_.energy(state.t, state.hi.data(), state.lo.data());
  }

 private:
  std::string name_;
  catena::Multibody bodies_;
};

// An orbit that is gone along from sample to sample.
class Orbit {
 public:
  Orbit(const Settings& settings, int index) {
    if (settings.bodies.empty()) {
      mover_ = std::make_unique<Links>(settings.links);
    } else {
      mover_ = std::make_unique<Bodies>(settings.bodies, index);
    }
    state_ = mover_->start(index);
    system_ = mover_->system();
    stepper_ = catena::make_taylor(system_, {.tolerance = settings.tolerance});
    first_ = mover_->energy(state_);
  }

  // To the step where the next sample is due.
  void go_on() {
    for (; step_ < std::round(next_); step_ += 1.0) {
      if (stepper_->step(state_, 1e300) != catena::StepStatus::done) std::exit(1);
      if (step_ + 1.0 >= 1000.0) continue;
      kinetic_ = std::max(kinetic_, static_cast<double>(mover_->energy(state_).kinetic));
    }
    next_ *= std::sqrt(2.0);
    const catena::Energies now = mover_->energy(state_);
    samples_.push_back({step_, state_.t, static_cast<double>(now.total() - first_.total()) / (2 * kinetic_)});
  }

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::unique_ptr<Mover> mover_;
  catena::State state_;
  catena::System system_;
  std::unique_ptr<catena::Stepper> stepper_;
  catena::Energies first_;
  double step_ = 0.0, next_ = 1000.0, kinetic_ = 0.0;
  std::vector<Sample> samples_;
};

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
  std::fprintf(file, "# %s, tolerance %g: energy error over twice the largest kinetic energy\n",
               name_of(settings).c_str(), settings.tolerance);
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
  std::vector<std::unique_ptr<Orbit>> orbits;
  for (int i = 0; i < settings.orbits; ++i) orbits.push_back(std::make_unique<Orbit>(settings, i));
  std::vector<std::vector<Sample>> samples(orbits.size());
  for (double next = 1000.0; next <= settings.steps; next *= std::sqrt(2.0)) {
    std::atomic<std::size_t> at{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < settings.threads; ++t) {
      threads.emplace_back([&] {
        for (std::size_t i = at++; i < orbits.size(); i = at++) orbits[i]->go_on();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < orbits.size(); ++i) samples[i] = orbits[i]->samples();
    if (!settings.file.empty()) write(settings, samples);
  }
  const double power = fitted_power(samples, 1000.0, true);
  std::printf("%s, %d orbits, %.3g steps: rms energy error grows like t^%.3f\n", name_of(settings).c_str(),
              settings.orbits, settings.steps, power);
}
