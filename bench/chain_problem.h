// Problem "forward-dynamics": the accelerations of a 3D chain of N bobs of 1 kg on massless rigid links of
// 1 m, in a generic state (nothing aligned, nothing at rest), under gravity along -z. Also the state in the
// coordinates of engines that use ball joints, and the reference that tells right answers from wrong ones.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "measure.h"

namespace bench {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Vectors = std::vector<Vector3d>;

inline constexpr double kGravity = 9.81;
inline constexpr int kChainSizes[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};

// Ball-joint engines need a body with inertia about every axis, a point mass has none. A sphere this small
// (kg m^2, mass and length being 1) shifts the answers by 0.9 times as much, relatively. Bullet would bear
// far smaller ones; Simbody's answers scatter by 1e-9 with this one already.
inline constexpr double kSphereInertia = 1e-7;
inline constexpr const char* kSphereNote = "bobs are spheres of inertia 1e-7 kg m2";

struct ChainState {
  Vectors u;  // unit vector along link k, away from the pivot
  Vectors w;  // its rate du/dt
};

inline ChainState chain_state(int n) {
  ChainState state;
  for (int k = 1; k <= n; ++k) {
    const double theta = 1.2 + 0.3 * std::sin(k), theta_rate = 0.2 * std::cos(k);
    const double phi = 0.3 * k, phi_rate = 0.1 * std::sin(2 * k);
    const Vector3d along_theta(std::cos(theta) * std::cos(phi), std::cos(theta) * std::sin(phi),
                               std::sin(theta));
    const Vector3d along_phi(-std::sin(phi), std::cos(phi), 0);
    state.u.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), -std::cos(theta));
    state.w.push_back(theta_rate * along_theta + phi_rate * std::sin(theta) * along_phi);
  }
  return state;
}

// The chain as bodies on ball joints. In its body's frame, link k points from the joint along -z; the bodies
// do not spin about their links.
struct BallJoints {
  std::vector<Quaterniond> world_from_body;
  std::vector<Quaterniond> parent_from_body;
  Vectors omega_world;   // angular velocity of body k
  Vectors omega_body;    // relative to its parent, in the frame of body k
  Vectors omega_parent;  // relative to its parent, in the frame of the parent
};

inline BallJoints ball_joints(const ChainState& state) {
  BallJoints joints;
  Quaterniond world_from_parent = Quaterniond::Identity();
  Vector3d parent_omega_world = Vector3d::Zero();
  for (std::size_t k = 0; k < state.u.size(); ++k) {
    const Quaterniond world_from_body = Quaterniond::FromTwoVectors(-Vector3d::UnitZ(), state.u[k]);
    const Vector3d omega_world = state.u[k].cross(state.w[k]);
    const Vector3d relative_world = omega_world - parent_omega_world;
    joints.world_from_body.push_back(world_from_body);
    joints.parent_from_body.push_back((world_from_parent.conjugate() * world_from_body).normalized());
    joints.omega_world.push_back(omega_world);
    joints.omega_body.push_back(world_from_body.conjugate() * relative_world);
    joints.omega_parent.push_back(world_from_parent.conjugate() * relative_world);
    world_from_parent = world_from_body;
    parent_omega_world = omega_world;
  }
  return joints;
}

// Accelerations of the bobs from those of the ball joints (derivatives of `omega_body`).
inline Vectors bob_accelerations(const ChainState& state, const Vectors& joint_acceleration_body) {
  const BallJoints joints = ball_joints(state);
  Vectors accelerations;
  Vector3d bob = Vector3d::Zero(), angular = Vector3d::Zero();
  for (std::size_t k = 0; k < state.u.size(); ++k) {
    const Quaterniond& world_from_body = joints.world_from_body[k];
    const Vector3d& omega = joints.omega_world[k];
    angular +=
        world_from_body * joint_acceleration_body[k] + omega.cross(world_from_body * joints.omega_body[k]);
    bob += angular.cross(state.u[k]) + omega.cross(omega.cross(state.u[k]));
    accelerations.push_back(bob);
  }
  return accelerations;
}

// The reference: Lagrange's equations of the first kind in the positions of the bobs, in long double,
//     a = g + J^T lambda,   J a = -J' v,   rows of J: u_k . (a_k - a_{k-1})
// (masses 1), solved for lambda by a general sparse factorisation of J J^T. It shares no recursion and no
// coordinates with what is measured.
inline Vectors reference_accelerations(const ChainState& state) {
  using Real = long double;
  using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Sparse = Eigen::SparseMatrix<Real>;

  const auto n = static_cast<Eigen::Index>(state.u.size());
  std::vector<Eigen::Triplet<Real, Eigen::Index>> entries;
  RealVector drift(n), gravity = RealVector::Zero(3 * n);  // drift: -J' v
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Matrix<Real, 3, 1> u = state.u[k].cast<Real>();
    for (int axis = 0; axis < 3; ++axis) {
      entries.emplace_back(k, 3 * k + axis, u[axis]);
      if (k > 0) entries.emplace_back(k, 3 * (k - 1) + axis, -u[axis]);
    }
    drift[k] = -state.w[k].cast<Real>().squaredNorm();
    gravity[3 * k + 2] = -kGravity;
  }
  Sparse jacobian(n, 3 * n);
  jacobian.setFromTriplets(entries.begin(), entries.end());

  const Sparse schur = jacobian * jacobian.transpose();
  const Eigen::SimplicialLDLT<Sparse> factor(schur);
  const RealVector lambda = factor.solve(RealVector(drift - jacobian * gravity));
  const RealVector a = gravity + jacobian.transpose() * lambda;

  Vectors accelerations;
  for (Eigen::Index k = 0; k < n; ++k) accelerations.push_back(a.segment<3>(3 * k).cast<double>());
  return accelerations;
}

// Largest deviation of any bob, over the largest acceleration. Not-a-number counts as infinitely wrong.
inline double relative_error(const Vectors& accelerations, const Vectors& reference) {
  double deviation = 0, scale = 0;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    const double here = (accelerations[k] - reference[k]).norm();
    if (!(here <= 1e300)) return 1e300;
    deviation = std::max(deviation, here);
    scale = std::max(scale, reference[k].norm());
  }
  return deviation / scale;
}

// Measures an engine over all sizes. An Engine is built from a ChainState; `evaluate()` goes from the given
// (q, v) to the joint accelerations, everything that depends on (q, v) included, and `accelerations()` tells
// those of the bobs. Stops before a size that would take longer than some seconds, supposing cubic growth.
template <class Engine>
void measure_forward_dynamics(const std::string& peer, const std::string& note, const Options& options) {
  if (!options.wants("forward-dynamics")) return;
  const double most_seconds = options.quick ? 0.5 : 2.0;
  double unit_cost = 0;  // seconds to build and evaluate once, over n^3
  for (const int n : kChainSizes) {
    const double cube = static_cast<double>(n) * n * n;
    if (unit_cost * cube > most_seconds) break;
    const ChainState state = chain_state(n);
    const double start = now_seconds();
    Engine engine(state);
    engine.evaluate();
    unit_cost = (now_seconds() - start) / cube;
    const double error = relative_error(engine.accelerations(), reference_accelerations(state));
    print_forward_dynamics(peer, n, best_seconds([&] { engine.evaluate(); }, options), error, note);
  }
}

}  // namespace bench
