// A chain whose links are bodies of a mechanism, seen as a chain: it has no state of its own, and what it
// shows comes from the bodies'. The mechanism moves it.
#pragma once

#include <string>
#include <vector>

#include "catena/dynamics/chain/chain_bodies.h"
#include "catena/dynamics/chain/pivot.h"
#include "catena/dynamics/chain/solvers/links_motion.h"
#include "catena/dynamics/state/plane.h"
#include "catena/model/placement_digits.h"

namespace catena {

class BodyLinks {
 public:
  BodyLinks(const ChainBodies& bodies, const Mechanism& mechanism);

  // Place and velocity in a state of the bodies' lanes.
  PivotMotion::Instant pivot(const double* lanes) const { return at(pivot_, lanes); }
  PivotMotion::Instant end(std::size_t k, const double* lanes) const { return at(end_[k], lanes); }
  PivotMotion::Instant upper(std::size_t k, const double* lanes) const { return at(upper_[k], lanes); }
  // The same with all digits of lanes hi + lo.
  struct InstantDigits {
    Vec3Digits position{}, velocity{};
  };
  InstantDigits end_digits(std::size_t k, const double* hi, const double* lo) const {
    return at_digits(end_[k], hi, lo);
  }
  InstantDigits upper_digits(std::size_t k, const double* hi, const double* lo) const {
    return at_digits(upper_[k], hi, lo);
  }
  std::size_t first_joint() const { return first_joint_; }
  bool end_held() const { return end_held_; }

 private:
  struct BodyPoint {
    int body;    // among those that move, or kGround
    Vec3 point;  // in its frame, or in the world
    Vec3Digits point_digits;
  };
  PivotMotion::Instant at(const BodyPoint& point, const double* lanes) const;
  InstantDigits at_digits(const BodyPoint& point, const double* hi, const double* lo) const;

  std::size_t bodies_ = 0;  // that move
  BodyPoint pivot_{};
  std::vector<BodyPoint> end_, upper_;
  std::size_t first_joint_;
  bool end_held_;
};

template <int D>
class BodyChain : public ChainDescription<D>, public LinksOfBodies<D, double> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using Loads = ChainLoads<D>;
  using ChainDescription<D>::kDimension;
  static constexpr bool kElastic = false;
  static constexpr bool kHasAngles = false;

  BodyChain(ChainLinks links, const std::array<double, D>& gravity, BodyLinks bodies, const Plane& plane)
      : ChainDescription<D>(std::move(links), gravity), bodies_(std::move(bodies)), plane_(plane) {}

  const BodyLinks* bodies() const { return &bodies_; }
  std::size_t dimension() const { return 0; }
  static std::vector<std::string> lane_names() { return {}; }
  std::size_t degrees_of_freedom() const { return 0; }  // the mechanism counts them
  double series_overhead() const { return 0.0; }

  // The mechanism moves it, keeps it together, and has its energy and the pulls of its joints; laws see the
  // bodies.
  void project(const double*, double*) const {}
  double constraint_error(const double*, const double*) const { return 0.0; }
  Energies energy(const double*, const double*) const { return {}; }
  Vector reactions(const double*, double*, const Loads*) const { return {}; }
  bool settle(double*, double*) const { return false; }
  void angles(const double*, const AngleLanes&) const {}

  // From the bodies' lanes: unit vectors along the links and their rates, [u, w][component][link].
  const double* directions(const double* lanes, double* room) const;
  const double* accelerations(const double*, const double* dx, double*) const { return dx; }
  void vectors_digits(const double*, const double*, DoubleDouble*) const {}
  LanePair state_of(const LanePair&) const { return {}; }

 private:
  BodyLinks bodies_;
  Plane plane_;
};

extern template class BodyChain<2>;
extern template class BodyChain<3>;

}  // namespace catena
