// Rigid and elastic links in motion, over any number: what a chain does with its solver.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "catena/dynamics/chain/solvers/articulated.h"
#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/dynamics/chain/solvers/springs.h"
#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/math/vec3.h"

namespace catena {

enum class ChainSolver {
  tension,      // tridiagonal in the tensions; serial chains of point masses
  articulated,  // D x D articulated-mass recursion; any links, any tree
};

// State per link: the unit vector u along it and its rate w = du/dt, in lanes [u, w][component][link].
template <int D, class S>
class RigidLinks {
 public:
  static constexpr int kDimension = D;
  using Loads = ChainLoads<D, S>;

  RigidLinks(const ChainLinks& links, const double* gravity, ChainSolver solver)
      : solver_(solver == ChainSolver::tension ? Solver(TensionSolver<D, S>(links, gravity))
                                               : Solver(ArticulatedSolver<D, S>(links, gravity))) {}

  // dx/dt at x. Without loads only gravity acts.
  void rhs(const S* x, S* dx, const Loads* loads) {
    std::visit([&](auto& solver) { solver.rhs(x, dx, loads); }, solver_);
  }
  void taylor(const S* x, int order, S* c) {
    std::visit([&](auto& solver) { solver.taylor(x, order, c); }, solver_);
  }
  void reserve(int order) {
    std::visit([&](auto& solver) { solver.reserve(order); }, solver_);
  }

  // The series order by order, under loads that follow from the orders so far: begin, advance(n) for
  // n = 0, 1, .. and finish, which leaves c as taylor does, its orders `row` apart.
  void begin(const S* x, S* c, std::size_t row) {
    out_ = c;
    row_ = row;
    std::visit([&](auto& solver) { solver.begin(x); }, solver_);
  }
  void advance(int n, const Loads& loads) {
    std::visit([&](auto& solver) { solver.advance(n, loads); }, solver_);
  }
  void finish(int order) {
    std::visit([&](auto& solver) { solver.series().write(order, out_, row_); }, solver_);
  }

  // Coefficients of u, [component][link] with a stride between components; known up to order n + 2 after
  // advance(n).
  const S* directions(int order, std::size_t& stride) {
    const auto rows = [&](auto& solver) -> const S* {
      stride = solver.series().stride();
      return solver.series().u(order);
    };
    return std::visit(rows, solver_);
  }
  // What laws see at order n, and, after advance(n), how fast the rates change at order n. `row`, `next`:
  // orders n and n + 1 of the series, for links that write these at once.
  ShownRowsOver<S> shown(int n, const S* /*row*/) {
    std::size_t stride = 0;
    const S* now = directions(n, stride);
    return {now, directions(n + 1, stride), stride, n + 1.0};
  }
  RateRowsOver<S> changes(int n, const S* /*next*/) {
    std::size_t stride = 0;
    const S* rows = directions(n + 2, stride);
    return {rows, stride, (n + 2.0) * (n + 1.0)};
  }
  S smooth_until(int, const S& length) const { return length; }

  TensionSolver<D, S>* tension() { return std::get_if<TensionSolver<D, S>>(&solver_); }
  ArticulatedSolver<D, S>* articulated() { return std::get_if<ArticulatedSolver<D, S>>(&solver_); }

 private:
  using Solver = std::variant<TensionSolver<D, S>, ArticulatedSolver<D, S>>;
  Solver solver_;
  S* out_ = nullptr;  // of the series that is being made
  std::size_t row_ = 0;
};

// State per mass: its place relative to the pivot and its velocity, in lanes [x, v][component][link].
template <int D, class S>
class ElasticLinks {
 public:
  static constexpr int kDimension = D;
  using Loads = ChainLoads<D, S>;

  ElasticLinks(const ChainLinks& links, const double* gravity)
      : links_(links.count()), solver_(links, gravity) {}

  // As RigidLinks.
  void rhs(const S* x, S* dx, const Loads* loads) { solver_.rhs(x, dx, loads); }
  void taylor(const S* x, int order, S* c) { solver_.taylor(x, order, c); }
  void reserve(int order) { solver_.reserve(order); }
  void begin(const S* x, S* c, std::size_t row) { solver_.begin(x, c, row); }
  void advance(int n, const Loads& loads) { solver_.advance(n, loads); }
  void finish(int) {}
  ShownRowsOver<S> shown(int, const S* row) const { return {row, row + D * links_, links_, 1.0}; }
  RateRowsOver<S> changes(int n, const S* next) const { return {next + D * links_, links_, n + 1.0}; }
  S smooth_until(int order, const S& length) const { return solver_.smooth_until(order, length); }

 private:
  std::size_t links_;
  SpringSolver<D, S> solver_;
};

// Links that are bodies: what moves them is the mechanism, and laws see the bodies.
template <int D, class S>
class LinksOfBodies {
 public:
  static constexpr int kDimension = D;
  using Loads = ChainLoads<D, S>;

  void rhs(const S*, S*, const Loads*) const {}
  void taylor(const S*, int, S*) const {}
  void reserve(int) const {}
  void begin(const S*, S*, std::size_t) const {}
  void advance(int, const Loads&) const {}
  void finish(int) const {}
  ShownRowsOver<S> shown(int, const S*) const { return {}; }
  RateRowsOver<S> changes(int, const S*) const { return {}; }
  S smooth_until(int, const S& length) const { return length; }
};

// The momentum of links relative to their pivot: rate lanes, `stride` apart, times a factor, with weights.
template <class S>
Vec3Of<S> weighed_rates(const std::vector<S>& weights, std::size_t components, const S* rates,
                        std::size_t stride, double factor) {
  Vec3Of<S> sum{};
  for (std::size_t i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < weights.size(); ++k) sum[i] += weights[k] * rates[i * stride + k];
    sum[i] = sum[i] * S(factor);
  }
  return sum;
}

}  // namespace catena
