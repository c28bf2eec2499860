#include "catena/dynamics/extended_world.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "catena/dynamics/articulated.h"
#include "catena/dynamics/springs.h"
#include "catena/dynamics/tension.h"
#include "catena/math/wide_packs.h"

namespace catena {
namespace {

template <class S>
using AnySolver = std::variant<TensionSolver<2, S>, TensionSolver<3, S>, ArticulatedSolver<2, S>,
                               ArticulatedSolver<3, S>, SpringSolver<2, S>, SpringSolver<3, S>>;

template <class S>
struct Unit {
  std::size_t offset, dimension, links, components;
  bool rigid;
  AnySolver<S> solver;
};

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
  return {unit.offset,       unit.dimension(), unit.links(),
          unit.components(), !unit.elastic(),  std::visit(solver, unit.chain)};
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
    return "computes chains: bodies and joints are solved in double alone, and reach about 13 digits";
  }
  if (world.lagrangian() != nullptr)
    return "computes chains: a Lagrangian's formulas are evaluated in double";
  for (const ChainUnit& unit : world.chains()) {
    if (!unit.elastic() && !std::holds_alternative<RigidChain<2>>(unit.chain) &&
        !std::holds_alternative<RigidChain<3>>(unit.chain)) {
      return "is for the formulations tension and articulated; leave `formulation` out";
    }
    if (!unit.parameters().hinge.empty()) return "cannot do hinged links, whose axes are given in double";
    if (unit.parameters().slack) return "cannot do slack links";
  }
  if (world.has_kinks() || world.accounts()) {
    return "cannot do forces, damping and moving pivots: their formulas are evaluated in double alone";
  }
  return "";
}

template <class S>
struct ExtendedWorld<S>::Parts {
  std::vector<Unit<S>> units;
  std::vector<S> series;  // of one chain, when there are several
  std::size_t dimension = 0;
};

template <class S>
ExtendedWorld<S>::ExtendedWorld(const World& world) : parts_(std::make_unique<Parts>()) {
  for (const ChainUnit& unit : world.chains()) parts_->units.push_back(unit_of<S>(unit));
  parts_->dimension = world.dimension();
}

template <class S>
ExtendedWorld<S>::~ExtendedWorld() = default;

template <class S>
std::size_t ExtendedWorld<S>::dimension() const {
  return parts_->dimension;
}

template <class S>
void ExtendedWorld<S>::rhs(const S* x, S* dx) {
  for (Unit<S>& unit : parts_->units) {
    std::visit([&](auto& solver) { solver.rhs(x + unit.offset, dx + unit.offset); }, unit.solver);
  }
}

template <class S>
void ExtendedWorld<S>::taylor(const S* x, int order, S* c) {
  const bool alone = parts_->units.size() == 1;
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
  }
}

template <class S>
void ExtendedWorld<S>::project(S* x) const {
  for (const Unit<S>& unit : parts_->units) {
    if (unit.rigid) project_links(unit, x + unit.offset);
  }
}

template class ExtendedWorld<DoubleDouble>;
#if CATENA_HAS_QUAD
template class ExtendedWorld<Quad>;
#endif

}  // namespace catena
