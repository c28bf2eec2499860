// The action of SE(3)^N on chains of unit vectors and what moves them, link by link:
//   (R, r) . (q, omega) = (R q, R omega + r x R q)        f = (omega, q x omega')
// with q = u, omega = u x w. States of (u, w) and of (q, omega) both have it, in space and in a plane, whose
// vectors are taken as (across, 0, up). Lanes of the algebra are [xi, eta][component][link] for each chain.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace catena {

class World;

class SphereAction {
 public:
  // None where a chain's state has no unit vectors with their rates.
  static std::optional<SphereAction> of(const World& world);

  struct Block {
    std::size_t offset;  // of its lanes in the state
    std::size_t links;
    int space;          // 2 or 3 components
    bool turning;       // (q, omega) instead of (u, w)
    std::size_t start;  // of its lanes in the algebra
  };

  std::size_t algebra() const { return algebra_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  // f from a state and its rate of change.
  void field(const double* x, const double* dx, double* f) const;
  // exp(sigma) . x - x
  void act(const double* sigma, const double* x, double* change) const;
  void dexp_inverse(const double* sigma, const double* v, double* out) const;
  void bracket(const double* a, const double* b, double* out) const;

 private:
  template <int D, bool kTurning>
  static void field_of(const Block& block, const double* x, const double* dx, double* f);
  template <int D, bool kTurning>
  static void act_on(const Block& block, const double* sigma, const double* x, double* change);
  template <class Call>
  static void dispatch(const Block& block, Call&& call);

  std::vector<Block> blocks_;
  std::size_t state_ = 0;    // lanes of the chains
  std::size_t algebra_ = 0;  // with one lane for each lane of the state behind the chains: they just add up
  std::size_t others_ = 0;
};

}  // namespace catena
