#include "catena/lab/world_system.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <memory>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/shifted_solver.h"
#include "catena/lab/wiring.h"

namespace catena {
namespace {

// Positions and velocities of elastic chains, whose accelerations depend on positions alone; none where a
// chain is rigid or a force depends on velocities.
std::vector<LanePairing> separable_lanes(const World& world) {
  if (const LagrangianSystem* system = world.lagrangian()) {
    const std::size_t n = system->coordinates();
    return system->separable() ? std::vector<LanePairing>{{0, n, n}} : std::vector<LanePairing>{};
  }
  std::vector<LanePairing> pairs;
  if (world.depends_on_velocity() || world.mechanism() != nullptr) return {};
  for (const ChainUnit& unit : world.chains()) {
    if (!unit.elastic()) return {};
    const std::size_t half = unit.dimension() / 2;
    pairs.push_back({unit.offset, unit.offset + half, half});
  }
  return pairs;
}

// The world's own solver for implicit methods. Lanes behind its chains are integrals, which nothing depends
// on: for the iteration their rows of the Jacobian may be zero.
class WorldSolver final : public ShiftedSolver {
 public:
  WorldSolver(World& world, std::size_t dimension) : world_(world), dimension_(dimension) {
    for (const ChainUnit& unit : world.chains()) chain_lanes_ = unit.offset + unit.dimension();
  }
  int linearise(double t, const double* x, const double*) override {
    world_.linearise(t, x);
    return 0;
  }
  bool factor(double real_shift, double shift_re, double shift_im) override {
    real_ = real_shift;
    complex_ = {shift_re, shift_im};
    return world_.linear_solver().factor(real_shift, complex_);
  }
  void solve_real(double* b) override {
    world_.linear_solver().solve_real(b);
    for (std::size_t i = chain_lanes_; i < dimension_; ++i) b[i] /= real_;
  }
  void solve_complex(double* re, double* im) override {
    world_.linear_solver().solve_complex(re, im);
    for (std::size_t i = chain_lanes_; i < dimension_; ++i) {
      const std::complex<double> solution = std::complex<double>(re[i], im[i]) / complex_;
      re[i] = solution.real();
      im[i] = solution.imag();
    }
  }

 private:
  World& world_;
  std::size_t dimension_;
  std::size_t chain_lanes_ = 0;
  double real_ = 1.0;
  std::complex<double> complex_ = 1.0;
};

}  // namespace

WorldSystem::WorldSystem(World& world, std::optional<double> tolerance)
    : world_(world), system_(wired(world)) {
  system_.controlled = world.motion_lanes();
  if (tolerance) world.look_inside(std::max(*tolerance, std::numeric_limits<double>::epsilon()));
  if (world.has_kinks() || world.looks_inside()) {
    system_.smooth_until = [&world](double length) { return world.smooth_until(length); };
  }
  if (world.watches_steps()) {
    system_.misses = [&world](double t, double length, std::span<const double* const> states) {
      return world.misses(t, length, states);
    };
  }
  system_.account_scale = world.account_scale();
  if (world.bounds_steps()) {
    system_.may_miss = [&world](double length, const double* from, const double* leaving, const double* to,
                                const double* arriving) {
      return world.may_miss(length, from, leaving, to, arriving);
    };
  }
  if (world.looks_inside()) system_.reads_time = world.reads_time();
  if (system_.reads_time) {
    system_.rhs = [&world](Time t, const double* x, double* dx) { world.rhs(t.hi, t.lo, x, dx); };
  }
  system_.separable = separable_lanes(world);
  if (world.has_linear_solver()) {
    system_.shifted = std::make_shared<WorldSolver>(world, system_.dimension);
  }
  rigid_.offer(world, system_);
}

bool WorldSystem::Ahead::is_of(double time, const double* state, int orders) const {
  return is_there && time == t && orders == order && std::equal(x.begin(), x.end(), state);
}

const double* WorldSystem::expand_ahead(double t, const double* x, int order) {
  if (ahead_.x.empty()) {
    system_.taylor = [this](double time, const double* state, int orders, double* c) {
      if (!ahead_.is_of(time, state, orders)) return world_.taylor(time, state, orders, c);
      std::copy(ahead_.c.begin(), ahead_.c.end(), c);
      ahead_.is_there = false;
    };
  }
  ahead_.x.assign(x, x + system_.dimension);
  ahead_.c.resize((static_cast<std::size_t>(order) + 1) * system_.dimension);
  ahead_.t = t;
  ahead_.order = order;
  ahead_.is_there = true;
  world_.taylor(t, x, order, ahead_.c.data());
  return ahead_.c.data();
}

}  // namespace catena
