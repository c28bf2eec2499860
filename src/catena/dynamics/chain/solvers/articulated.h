// The articulated-mass recursion for chains and trees of links with mass along them, O(N).
//
// In joint positions the mass matrix is constant: 2 T = a |v_p|^2 + 2 b v_p . v_k + c |v_k|^2 per link, with
// v_p at its upper joint, a = m (1-f)^2 + I/L^2, b = m f (1-f) - I/L^2, c = m f^2 + I/L^2. From the tips on,
// what hangs from a joint answers an acceleration with the force A a - p; a link adds itself
// (docs/theory/chain.md):
//   B = A_k + c,   beta = 1 / (u . B^-1 u),   g = u + b B^-1 u
//   A_p += a - b^2 B^-1 + beta g g^T
// A hinge adds a second direction in which end and upper joint must not part, its axis: u, g and beta become
// pairs and a 2 x 2 matrix.
// Only order 0 factors B; every order of the series reuses it. Accelerations are taken relative to free fall.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/chain/solvers/chain_series.h"

namespace catena {

struct ChainLinks;
template <int D, class S>
struct ChainLoads;

template <int D, class S>
class ArticulatedSolver {
 public:
  ArticulatedSolver(const ChainLinks& links, const double* gravity);

  using Loads = ChainLoads<D, S>;

  // As in TensionSolver.
  void rhs(const S* x, S* dx, const Loads* loads = nullptr);
  void taylor(const S* x, int order, S* c);
  void reserve(int order) { series_.reserve(order); }
  void begin(const S* x) { series_.start(x); }
  void advance(int n, const Loads& loads);
  ChainSeries<D, S>& series() { return series_; }

  // Pull along each link at its upper joint, and the total force of the pivot on the chain.
  void reactions(const S* x, S* tension, S* pivot, const Loads* loads = nullptr);

  // Impulses along the links u end their lengthening at the rates `lengthening`[link]. Into `change` the
  // change of all ends' velocities relative to their upper joints, [component][link]: the smallest one in the
  // mass metric.
  void stop_lengthening(const S* u, const S* lengthening, S* change);

 private:
  using Vector = std::array<S, D>;

  // B = L D L^T of one link, and what follows from it.
  struct Factor {
    Vector inverse_diagonal{};
    std::array<S, D*(D - 1) / 2> lower{};
    Vector solved_u{};  // B^-1 u
    Vector g{};
    S along{};  // u . B^-1 u = 1/beta; divided by, since near 1 its reciprocal would err to one side
    // Hinges: the same for the axis, freed of what the link's own pull does.
    bool hinged = false;
    Vector axis{}, solved_axis{}, g_axis{};
    S mixed{}, along_axis{};  // u . B^-1 axis / along, and the rest of axis . B^-1 axis
  };
  struct Pulls {
    S along, axis;
  };
  // What along u and the axis meets the demands `pull` on u . and axis . (end - upper joint).
  static Pulls balanced(const Factor& factor, S along, S axis);

  // B^-1 of a vector, and the ways down and up of it.
  static Vector solve(const Factor& factor, const Vector& given);
  static Vector lowered(const Factor& factor, Vector v);
  static Vector raised(const Factor& factor, Vector v);
  static void decompose(const std::array<S, D*(D + 1) / 2>& matrix, Factor& factor);
  void factor(const S* u, std::size_t stride, std::size_t k);
  void take(const Loads& loads);
  template <class Known, class Curve>
  void ask(const S* u, std::size_t stride, std::size_t k, const Known& known, const Curve& curve);
  void answer(const Loads& loads);
  // One order: `known(i, k)` is the known part of (T u)_n, curve(k) = u . u''_n. Leaves tension_ and
  // acceleration_.
  template <class Known, class Curve>
  void solve_order(const S* u, std::size_t stride, Known known, Curve curve, const Loads& loads);
  // Order 0, with the factors of all links.
  template <class Curve>
  void solve_first(const S* u, std::size_t stride, Curve curve, const Loads& loads);
  void solve_order_zero(const S* u, const S* w, std::size_t stride, const Loads& loads);
  Loads own_gravity() const { return {nullptr, gravity_}; }

  std::size_t n_;
  ChainSeries<D, S> series_;
  Vector gravity_;
  std::vector<int> parent_;
  std::vector<S> length_, a_, b_, c_;
  std::vector<Factor> factors_;
  std::vector<std::array<S, D*(D + 1) / 2>> articulated_;  // A at each joint, packed lower triangle
  std::vector<Vector> load_;          // p at each joint and forces on the link's end, then B^-1 of both
  std::vector<Vector> acceleration_;  // of each link's end, relative to free fall
  std::vector<Vector> relative_;      // end minus upper joint
  std::vector<S> tension_, tension_free_, axis_pull_, axis_pull_free_;
};

}  // namespace catena
