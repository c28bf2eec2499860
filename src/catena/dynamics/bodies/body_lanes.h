// Masses and inertias of moving bodies in lanes, and the parts of their series that no joint has a say in.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/bodies/massless.h"
#include "catena/dynamics/state/body_state.h"
#include "catena/dynamics/state/energies.h"
#include "catena/math/aligned.h"
#include "catena/math/pack.h"
#include "catena/model/mechanism.h"

namespace catena {

class BodyLanes {
 public:
  // `reach`: how far joints are from each body's centre, the scale of what stands in for missing inertia.
  BodyLanes(const std::vector<Body>& moving, const std::vector<double>& reach);

  std::size_t count() const { return mass_.size(); }
  std::size_t stride() const { return stride_; }
  double mass(std::size_t body) const { return mass_[body]; }
  // The least of all masses and moments of inertia that are not zero; at most 1.
  double smallest_inertia() const;
  const Matrix3& inertia(std::size_t body) const { return inertia_[body]; }
  bool point(std::size_t body) const { return point_[body] != 0; }

  // M = L L^T of one body: six numbers, divided by L or by L^T. Points do not turn: zero. Motions without
  // inertia have some here; `massless` says which.
  // `V`: a double, or a few side by side.
  template <class V>
  void divide_by_root(std::size_t body, V* six) const;
  template <class V>
  void divide_by_transposed_root(std::size_t body, V* six) const;
  void multiply_by_transposed_root(std::size_t body, double* six) const;

  const std::vector<MasslessMotion>& massless() const { return massless_; }

  // Series in rows [order][component][body], `order_stride` apart. Order k + 1 of x and p from order k.
  // `axis`: the only one that the bodies have turned about in all orders so far; -1: there are several.
  void advance_places(int k, double* series, int axis = -1) const;
  // I omega, order k, into rows [component][body].
  void spin_momentum(const double* state, double* momentum) const;
  // Subtracts order k of omega x (I omega) from rows [component][body] of torques.
  void subtract_gyroscopic(int k, const double* series, const double* momentum, double* torque) const;

  // Bit i: row i of so many is not zero throughout.
  unsigned some(const double* rows, std::size_t count) const;
  // Whether an axis is a principal one of all bodies: turning about it makes no gyroscopic torque.
  bool is_principal(int axis) const { return principal_[static_cast<std::size_t>(axis)]; }

  std::size_t order_stride() const { return kBodyState * stride_; }

  // |p| = 1 by correcting lo.
  void normalise(const double* hi, double* lo) const;
  // Of a state in lanes [component][body] without fill.
  Energies energy(const Vec3& gravity, const double* hi, const double* lo) const;

 private:
  void add_inertia(const Body& body, double stand_in);
  // Order k of twice p' for the bodies of one register: w, x, y, z.
  void turn(const double* series, int k, Pack<double, kNativeWidth>* sums) const;
  void turn_about(const double* series, std::size_t axis, int k, Pack<double, kNativeWidth>* sums) const;

  std::vector<double> mass_, over_root_mass_;
  std::vector<Matrix3> inertia_, root_;  // root_: lower triangular
  std::vector<Vec3> over_root_;          // over its diagonal
  std::vector<MasslessMotion> massless_;
  std::vector<char> point_;
  std::size_t stride_;
  std::array<bool, 3> principal_{true, true, true};
  AlignedVector<double> inertia_lanes_;  // [9][body]
};

}  // namespace catena
