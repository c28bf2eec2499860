// The rods of serial chains of point masses as constraints |u_k| = 1: what their pulls do to the unit
// vectors,
//   (P(u) lambda)_k = (lambda_{k+1} u_{k+1} - lambda_k u_k)/(m_k L_k) - (lambda_k u_k - lambda_{k-1}
//   u_{k-1})/(m_{k-1} L_k)
// and the tridiagonal systems that find the pulls. The first is the second derivative of u under the tensions
// lambda alone (docs/theory/chain.md, equations 1 and 2).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace catena {

class World;

class Rods {
 public:
  // None where a chain is not of that kind.
  static std::optional<Rods> of(const World& world);

  // a += P(u) lambda, in the lanes of w.
  void pull(const double* x, const double* lambda, double* a) const;

  // lambda from  u_k(to) . (P(u(from)) lambda)_k = right_k,  in place, in O(N).
  void solve(const double* from, const double* to, double* right);

 private:
  struct Block {
    std::size_t offset;  // of its lanes in the state, [u, w][component][link]
    std::size_t links;
    int space;
    std::size_t first;                         // of its pulls
    std::vector<double> below, middle, above;  // 1/(m_k L_k), below + above, 1/(m_{k-1} L_k)
  };

  std::vector<Block> blocks_;
  std::vector<double> diagonal_, upper_;  // of the system being solved
};

}  // namespace catena
