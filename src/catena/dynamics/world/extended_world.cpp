#include "catena/dynamics/world/extended_world.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "catena/dynamics/bodies/wide_multibody.h"
#include "catena/dynamics/chain/solvers/articulated.h"
#include "catena/dynamics/chain/solvers/springs.h"
#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/dynamics/lagrangian/lagrangian_return.h"
#include "catena/dynamics/world/wide_laws.h"
#include "catena/math/wide_packs.h"

namespace catena {
namespace {

// Whether a solver's series are of directions, and written to the state's when they are finished.
template <class Solver>
constexpr bool kOfDirections = true;
template <int D, class S>
constexpr bool kOfDirections<SpringSolver<D, S>> = false;

template <class S>
using AnySolver = std::variant<TensionSolver<2, S>, TensionSolver<3, S>, ArticulatedSolver<2, S>,
                               ArticulatedSolver<3, S>, SpringSolver<2, S>, SpringSolver<3, S>>;

template <class S>
using Three = std::array<S, 3>;

template <class S>
struct Unit {
  std::size_t offset, dimension, links, components;
  bool rigid;
  AnySolver<S> solver;
  ChainLinks parameters;
  Three<S> gravity;  // in its own space
  S mass;
  std::vector<S> momentum_weights;  // as ChainUnit has them
  std::optional<WidePivot<S>> pivot;
  // Of a series under forces: what the pivot does to the chain, and how it moves.
  std::vector<Three<S>> pivot_forces, pivot_velocities;
};

template <class S>
std::vector<S> momentum_weights(const ChainLinks& links, bool rigid) {
  std::vector<S> weights(links.count()), carried(links.count(), S(0.0));
  for (std::size_t k = links.count(); k-- > 0;) {
    const S mass = links.number<S>(links.mass[k]), share = links.number<S>(links.center_of_mass[k]);
    weights[k] = rigid ? (carried[k] + share * mass) * links.number<S>(links.length[k]) : mass;
    if (links.parent[k] < 0) continue;
    S& above = carried[static_cast<std::size_t>(links.parent[k])];
    above = above + carried[k] + mass;
  }
  return weights;
}

// Only for worlds that are not refused.
template <class S>
Unit<S> unit_of(const ChainUnit& unit) {
  const auto solver = [](const auto& chain) -> AnySolver<S> {
    using Chain = std::decay_t<decltype(chain)>;
    constexpr int kD = Chain::kDimension;
    const double* gravity = chain.gravity().data();
    if constexpr (std::is_same_v<Chain, RigidChain<kD>>) {
      if (chain.solver() == ChainSolver::tension) return TensionSolver<kD, S>(chain.parameters(), gravity);
    }
    if constexpr (Chain::kElastic) return SpringSolver<kD, S>(chain.parameters(), gravity);
    return ArticulatedSolver<kD, S>(chain.parameters(), gravity);
  };
  const Vec3 gravity = unit.to_own(unit.gravity);
  const ChainLinks& links = unit.parameters();
  const bool rigid = !unit.elastic();
  S mass(0.0);
  for (const double one : links.mass) mass = mass + links.number<S>(one);
  const auto number = [&](double value) { return links.number<S>(value); };
  Unit<S> out{unit.offset,
              unit.dimension(),
              unit.links(),
              unit.components(),
              rigid,
              std::visit(solver, unit.chain),
              links,
              {number(gravity[0]), number(gravity[1]), number(gravity[2])},
              mass,
              momentum_weights<S>(links, rigid),
              {},
              {},
              {}};
  if (unit.pivot_motion) out.pivot.emplace(unit);
  return out;
}

// Ends and centres of mass of rigid links, as sums along the chain of rows `factor` u.
template <class S>
void sum_along(const Unit<S>& unit, const S* u, std::size_t stride, const S& factor, std::vector<S>& center) {
  const ChainLinks& links = unit.parameters;
  const std::size_t n = unit.links;
  std::vector<S> end(n);
  for (std::size_t i = 0; i < unit.components; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const S upper = links.parent[k] < 0 ? S(0.0) : end[static_cast<std::size_t>(links.parent[k])];
      const S along = factor * links.number<S>(links.length[k]) * u[i * stride + k];
      end[k] = upper + along;
      center[i * n + k] =
          links.center_of_mass[k] == 1.0 ? end[k] : upper + links.number<S>(links.center_of_mass[k]) * along;
    }
  }
}

template <class S>
void copy_rows(const Unit<S>& unit, const S* from, std::size_t stride, const S& factor, std::vector<S>& to) {
  for (std::size_t i = 0; i < unit.components; ++i) {
    for (std::size_t k = 0; k < unit.links; ++k) to[i * unit.links + k] = factor * from[i * stride + k];
  }
}

// From each link's upper joint to its end.
template <class S>
void spans(const Unit<S>& unit, const S* x, std::vector<S>& to) {
  const std::size_t n = unit.links;
  for (std::size_t i = 0; i < unit.components; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const int parent = unit.parameters.parent[k];
      to[i * n + k] = parent < 0 ? x[i * n + k] : x[i * n + k] - x[i * n + static_cast<std::size_t>(parent)];
    }
  }
}

// Rows u and w = factor times the row behind it, or x and v.
template <class S>
void show(const Unit<S>& unit, const S* first, const S* second, std::size_t stride, const S& factor,
          WideMotion<S>& motion) {
  if (unit.rigid) {
    sum_along(unit, first, stride, S(1.0), motion.center);
    sum_along(unit, second, stride, factor, motion.center_velocity);
    copy_rows(unit, first, stride, S(1.0), motion.link);
    copy_rows(unit, second, stride, factor, motion.link_rate);
  } else {
    copy_rows(unit, first, stride, S(1.0), motion.center);
    copy_rows(unit, second, stride, factor, motion.center_velocity);
    spans(unit, first, motion.link);
    spans(unit, second, motion.link_rate);
  }
}

// Acceleration as order n of uniform gravity, seen from the pivot.
template <class S>
Three<S> seen_gravity(const Unit<S>& unit, int n) {
  Three<S> out = n == 0 ? unit.gravity : Three<S>{};
  if (!unit.pivot) return out;
  const Three<S> pivot = unit.pivot->coefficient(n + 2);
  for (std::size_t i = 0; i < 3; ++i) out[i] = out[i] - pivot[i] * S((n + 2.0) * (n + 1.0));
  return out;
}

template <int D, class S>
ChainLoads<D, S> loads_of(const Three<S>& gravity, const WideForces<S>& acting) {
  ChainLoads<D, S> out{acting.end.data(), {}};
  for (int i = 0; i < D; ++i) out.gravity[i] = gravity[i];
  return out;
}

// What the pivot does to the chain: the change of momentum, from rows `factor` rates, less all other forces.
template <class S>
Three<S> pivot_force(const Unit<S>& unit, const S* rates, std::size_t stride, const S& factor,
                     const Three<S>& gravity, const WideForces<S>& acting) {
  Three<S> force{};
  for (std::size_t i = 0; i < unit.components; ++i) {
    S sum = -(unit.mass * gravity[i] + acting.pivot[i]);
    for (std::size_t k = 0; k < unit.links; ++k) {
      sum = sum + unit.momentum_weights[k] * factor * rates[i * stride + k] - acting.end[i * unit.links + k];
    }
    force[i] = sum;
  }
  return force;
}

template <class S>
S dot(const Three<S>& a, const Three<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class S>
Three<S> pivot_velocity(const Unit<S>& unit, int n) {
  Three<S> out = unit.pivot->coefficient(n + 1);
  for (S& component : out) component = component * S(n + 1.0);
  return out;
}

template <class S>
void project_links(const Unit<S>& unit, S* x) {
  const std::size_t n = unit.links, half = unit.components * n;
  for (std::size_t k = 0; k < n; ++k) {
    S square(0.0), along(0.0);
    for (std::size_t i = k; i < half; i += n) square = square + x[i] * x[i];
    const S length = square_root(square);
    for (std::size_t i = k; i < half; i += n) {
      x[i] = x[i] / length;
      along = along + x[i] * x[half + i];
    }
    for (std::size_t i = k; i < half; i += n) x[half + i] = x[half + i] - along * x[i];
  }
}

}  // namespace

std::string extended_refusal(const World& world) {
  if (world.mechanism() != nullptr) {
    const std::string reason = wide_refusal(world.mechanism()->mechanism());
    if (!reason.empty()) return reason;
    if (world.loaded()) return "cannot do forces on bodies: they are evaluated in double alone";
  }
  if (const LagrangianSystem* system = world.lagrangian()) {
    return system->has_kinks() ? "cannot do Lagrangians whose formulas have kinks" : "";
  }
  if (const EquationsSystem* system = world.equations())
    return system->has_kinks() ? "cannot do equations whose formulas have kinks" : "";
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() != nullptr) continue;
    if (!unit.elastic() && !std::holds_alternative<RigidChain<2>>(unit.chain) &&
        !std::holds_alternative<RigidChain<3>>(unit.chain)) {
      return "is for the formulations tension and articulated; leave `formulation` out";
    }
    if (!unit.parameters().hinge.empty()) return "cannot do hinged links, whose axes are given in double";
    if (unit.parameters().slack) return "cannot do slack links";
  }
  const auto jumps = [](const LawGroup& group) { return group.has_jumps(); };
  const std::vector<LawGroup>& groups = world.forces().groups();
  if (std::any_of(groups.begin(), groups.end(), jumps)) {
    return "cannot do forces with kinks, by abs, min, max, sign or step: its steps would have to end there";
  }
  return world.has_pieces() ? "cannot do pivots whose motion has kinks" : "";
}

template <class S>
struct ExtendedWorld<S>::Parts {
  std::vector<Unit<S>> units;
  std::vector<S> series;  // of one chain, when there are several
  std::size_t dimension = 0;
  bool loaded = false, accounts = false;
  std::optional<WideLaws<S>> laws;                // when loaded
  std::optional<LagrangianMotion<S>> lagrangian;  // then there is nothing else
  std::optional<LagrangianReturn<S>> lagrangian_return;
  std::vector<S> restored;
  std::optional<EquationsMotion<S>> equations;  // likewise
  std::optional<WideMultibody<S>> bodies;
  std::size_t bodies_offset = 0;

  // Where the Lagrangian's coordinates follow from others: x with those restored.
  const S* lagrangian_start(const S& t, const S* x);
  std::size_t account_lane() const { return accounts ? dimension - 2 : LagrangianMotion<S>::kNoAccounts; }
  void show_state(const S* x);
  void show_order(int n, const S* c);
  void rhs(const S& t, const S* x, S* dx);
  void taylor(const S& t, const S* x, int order, S* c);
  void begin(const S& t, const S* x, int order, S* c);
  void account(int n, S* c);
};

template <class S>
ExtendedWorld<S>::ExtendedWorld(const World& world) : parts_(std::make_unique<Parts>()) {
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() == nullptr) parts_->units.push_back(unit_of<S>(unit));
  }
  if (world.mechanism() != nullptr) parts_->bodies.emplace(*world.mechanism(), world.mobility().rank);
  parts_->bodies_offset = world.mechanism_offset();
  parts_->dimension = world.dimension();
  parts_->loaded = world.loaded();
  parts_->accounts = world.accounts();
  if (parts_->loaded) parts_->laws.emplace(world);
  if (const LagrangianSystem* system = world.lagrangian()) {
    parts_->lagrangian.emplace(system->equations());
    parts_->lagrangian_return.emplace(*system);
  }
  if (const EquationsSystem* system = world.equations())
    parts_->equations.emplace(system->formulas().graph, system->formulas().rates);
}

template <class S>
const S* ExtendedWorld<S>::Parts::lagrangian_start(const S& t, const S* x) {
  if (!lagrangian_return->restores()) return x;
  restored.assign(x, x + dimension);
  lagrangian_return->project(t, restored.data());
  return restored.data();
}

template <class S>
void ExtendedWorld<S>::Parts::show_state(const S* x) {
  for (std::size_t c = 0; c < units.size(); ++c) {
    const Unit<S>& unit = units[c];
    const S* rows = x + unit.offset;
    show(unit, rows, rows + unit.dimension / 2, unit.links, S(1.0), laws->motion()[c]);
  }
}

template <class S>
void ExtendedWorld<S>::Parts::show_order(int n, const S* c) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    Unit<S>& unit = units[i];
    WideMotion<S>& motion = laws->motion()[i];
    const auto of = [&](auto& solver) {
      if constexpr (kOfDirections<std::decay_t<decltype(solver)>>) {
        auto& rows = solver.series();
        show(unit, rows.u(n), rows.u(n + 1), rows.stride(), S(n + 1.0), motion);
      } else {
        const S* row = c + static_cast<std::size_t>(n) * dimension + unit.offset;
        show(unit, row, row + unit.dimension / 2, unit.links, S(1.0), motion);
      }
    };
    std::visit(of, unit.solver);
  }
}

template <class S>
void ExtendedWorld<S>::Parts::rhs(const S& t, const S* x, S* dx) {
  show_state(x);
  laws->advance(0, t);
  S work = laws->work();
  for (std::size_t c = 0; c < units.size(); ++c) {
    Unit<S>& unit = units[c];
    const WideForces<S>& acting = laws->forces(c);
    if (unit.pivot) unit.pivot->expand(t, 2);
    const Three<S> gravity = seen_gravity(unit, 0);
    const auto evaluate = [&]<template <int, class> class Solver, int D>(Solver<D, S>& solver) {
      const auto loads = loads_of<D, S>(gravity, acting);
      solver.rhs(x + unit.offset, dx + unit.offset, &loads);
    };
    std::visit(evaluate, unit.solver);
    if (!unit.pivot) continue;
    const S* rates = dx + unit.offset + unit.dimension / 2;
    work = work + dot(pivot_force(unit, rates, unit.links, S(1.0), gravity, acting), pivot_velocity(unit, 0));
  }
  if (!accounts) return;
  dx[dimension - 2] = laws->dissipated();
  dx[dimension - 1] = work;
}

template <class S>
void ExtendedWorld<S>::Parts::begin(const S& t, const S* x, int order, S* c) {
  for (Unit<S>& unit : units) {
    const auto start = [&](auto& solver) {
      if constexpr (kOfDirections<std::decay_t<decltype(solver)>>) {
        solver.begin(x + unit.offset);
      } else {
        solver.begin(x + unit.offset, c + unit.offset, dimension);
      }
    };
    std::visit(start, unit.solver);
    if (unit.pivot) unit.pivot->expand(t, order + 2);
  }
  if (accounts) std::copy_n(x + dimension - 2, 2, c + dimension - 2);
}

template <class S>
void ExtendedWorld<S>::Parts::taylor(const S& t, const S* x, int order, S* c) {
  begin(t, x, order, c);
  for (int n = 0; n < order; ++n) {
    show_order(n, c);
    laws->advance(n, t);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Three<S> gravity = seen_gravity(units[i], n);
      const auto next = [&]<template <int, class> class Solver, int D>(Solver<D, S>& solver) {
        solver.advance(n, loads_of<D, S>(gravity, laws->forces(i)));
      };
      std::visit(next, units[i].solver);
    }
    if (accounts) account(n, c);
  }
  for (Unit<S>& unit : units) {
    const auto finish = [&](auto& solver) {
      if constexpr (kOfDirections<std::decay_t<decltype(solver)>>)
        solver.series().write(order, c + unit.offset, dimension);
    };
    std::visit(finish, unit.solver);
  }
}

// Order n + 1 of the accounts.
template <class S>
void ExtendedWorld<S>::Parts::account(int n, S* c) {
  S work = laws->work();
  for (std::size_t i = 0; i < units.size(); ++i) {
    Unit<S>& unit = units[i];
    if (!unit.pivot) continue;
    const Three<S> gravity = seen_gravity(unit, n);
    const auto force = [&](auto& solver) {
      if constexpr (kOfDirections<std::decay_t<decltype(solver)>>) {
        return pivot_force(unit, solver.series().u(n + 2), solver.series().stride(), S((n + 2.0) * (n + 1.0)),
                           gravity, laws->forces(i));
      } else {
        const S* row = c + static_cast<std::size_t>(n + 1) * dimension + unit.offset;
        return pivot_force(unit, row + unit.dimension / 2, unit.links, S(n + 1.0), gravity, laws->forces(i));
      }
    };
    unit.pivot_forces[static_cast<std::size_t>(n)] = std::visit(force, unit.solver);
    unit.pivot_velocities[static_cast<std::size_t>(n)] = pivot_velocity(unit, n);
    for (int j = 0; j <= n; ++j) {
      work = work + dot(unit.pivot_forces[static_cast<std::size_t>(j)],
                        unit.pivot_velocities[static_cast<std::size_t>(n - j)]);
    }
  }
  S* next = c + static_cast<std::size_t>(n + 1) * dimension + dimension - 2;
  next[0] = laws->dissipated() / S(n + 1.0);
  next[1] = work / S(n + 1.0);
}

template <class S>
ExtendedWorld<S>::~ExtendedWorld() = default;

template <class S>
std::size_t ExtendedWorld<S>::dimension() const {
  return parts_->dimension;
}

template <class S>
void ExtendedWorld<S>::rhs(const S& t, const S* x, S* dx) {
  if (parts_->lagrangian)
    return parts_->lagrangian->rhs(t, parts_->lagrangian_start(t, x), dx, parts_->account_lane());
  if (parts_->equations) return parts_->equations->rhs(t, x, dx);
  if (parts_->loaded) return parts_->rhs(t, x, dx);
  for (Unit<S>& unit : parts_->units) {
    std::visit([&](auto& solver) { solver.rhs(x + unit.offset, dx + unit.offset); }, unit.solver);
  }
  if (parts_->bodies) parts_->bodies->rhs(x + parts_->bodies_offset, dx + parts_->bodies_offset);
}

template <class S>
void ExtendedWorld<S>::taylor(const S& t, const S* x, int order, S* c) {
  if (parts_->lagrangian) {
    return parts_->lagrangian->taylor(t, parts_->lagrangian_start(t, x), order, c, parts_->dimension,
                                      parts_->account_lane());
  }
  if (parts_->equations) return parts_->equations->taylor(t, x, order, c, parts_->dimension);
  if (parts_->loaded) return parts_->taylor(t, x, order, c);
  const std::size_t at = parts_->bodies_offset;
  if (parts_->bodies) parts_->bodies->taylor(x + at, order, c + at, parts_->dimension);
  const bool alone = parts_->units.size() == 1 && !parts_->bodies;
  for (Unit<S>& unit : parts_->units) {
    const std::size_t own = unit.dimension;
    if (!alone) {
      parts_->series.resize(std::max(parts_->series.size(), (static_cast<std::size_t>(order) + 1) * own));
    }
    S* out = alone ? c : parts_->series.data();
    std::visit([&](auto& solver) { solver.taylor(x + unit.offset, order, out); }, unit.solver);
    for (int k = 0; !alone && k <= order; ++k) {
      std::copy_n(out + k * own, own, c + k * parts_->dimension + unit.offset);
    }
  }
}

template <class S>
void ExtendedWorld<S>::reserve(int order) {
  for (Unit<S>& unit : parts_->units) {
    std::visit([&](auto& solver) { solver.reserve(order); }, unit.solver);
    if (unit.pivot) unit.pivot->reserve(order + 2);
    unit.pivot_forces.resize(static_cast<std::size_t>(order) + 1);
    unit.pivot_velocities.resize(static_cast<std::size_t>(order) + 1);
  }
  if (parts_->laws) parts_->laws->reserve(order);
  if (parts_->lagrangian) parts_->lagrangian->reserve(order);
  if (parts_->equations) parts_->equations->reserve(order);
  if (parts_->bodies) parts_->bodies->reserve(order);
}

template <class S>
void ExtendedWorld<S>::project(const S& t, S* x) const {
  if (parts_->lagrangian_return) parts_->lagrangian_return->project(t, x);
  for (const Unit<S>& unit : parts_->units) {
    if (unit.rigid) project_links(unit, x + unit.offset);
  }
  if (parts_->bodies) parts_->bodies->project(x + parts_->bodies_offset);
}

template class ExtendedWorld<DoubleDouble>;
#if CATENA_HAS_QUAD
template class ExtendedWorld<Quad>;
#endif

}  // namespace catena
