// Forces, accelerations and Taylor series of point masses joined by springs, in a chain or a tree, O(N).
//
// Link k from its parent p to mass k: d = x_k - x_p, r = |d|, u = d/r, pull T u with T = c (r - L).
//   m_k a_k = m_k g + sum over children of T u - T_k u_k
// Series (docs/theory/elastic.md): r' = u . d' and r u = d give, with w = d',
//   n r_n = sum_{j<n} u_j . w_{n-1-j}         r_0 u_n = d_n - sum_{j<n} r_{n-j} u_j
// and the pulls are c (d - L u): two convolutions per component, and no solve.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/math/aligned.h"

namespace catena {

struct ChainLinks;
template <int D, class S>
struct ChainLoads;

// State in lanes [x, v][component][link], positions relative to the pivot.
template <int D, class S>
class SpringSolver {
 public:
  SpringSolver(const ChainLinks& links, const double* gravity);

  using Loads = ChainLoads<D, S>;

  // Without loads: only the chain's own gravity acts.
  void rhs(const S* x, S* dx, const Loads* loads = nullptr);
  void taylor(const S* x, int order, S* c);
  void reserve(int order);

  // The series order by order, under loads that follow from the orders so far: begin writes order 0 to c,
  // advance(n) from n = 0 on writes order n + 1, `row` behind the one before.
  void begin(const S* x, S* c, std::size_t row);
  void advance(int n, const Loads& loads);
  // Up to where the last series, of this order, hold: no link goes slack or taut before.
  S smooth_until(int order, const S& length) const;

 private:
  S* w(int order) { return rows_.data() + order * (2 * D + 1) * stride_; }  // [component][stride]
  S* u(int order) { return w(order) + D * stride_; }                        // [component][stride]
  S* r(int order) { return u(order) + D * stride_; }                        // [stride]
  const S* r(int order) const { return rows_.data() + (order * (2 * D + 1) + 2 * D) * stride_; }
  S* pull(int i) { return pull_.data() + i * pull_stride_; }  // zero behind the tip

  // x of each link's end minus x of its upper joint.
  void relative(const S* lanes, S* to) const;
  void start_pulls(const S* x);
  void next_pulls(int n);
  template <int Packs>
  void next_pulls_of(int n, std::size_t k);
  // What the pulls on each mass add up to, over the mass, in lanes [component][link].
  void accelerations(S* a);
  void add_loads(const Loads& loads, S* a) const;
  Loads own_gravity() const;

  std::size_t n_, stride_, pull_stride_;
  bool serial_, slack_;
  S gravity_[D];
  std::vector<int> parent_;
  AlignedVector<S> length_, stiffness_, mass_;  // padded to the stride
  AlignedVector<S> taut_;                       // the stiffness, or 0 of links that are slack
  AlignedVector<S> d_;                          // order 0: [component][stride]
  AlignedVector<S> pull_;                       // T u of the order at hand
  AlignedVector<S> rows_;
  S* out_ = nullptr;  // order 0 of the series that is being written
  std::size_t row_ = 0;
};

}  // namespace catena
