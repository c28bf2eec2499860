// Problem "hinges": accelerations of bodies on hinges, an arm of 7 and a tree of 30, under gravity along -z.
// In its own frame each body has its hinge at the origin and its centre of mass at (0.05, 0.02, -0.4); its
// children hang at (0, 0.1, -0.8). At zero angles all frames are the world's, turned as `placement` says.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "measure.h"

namespace bench::hinges {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline constexpr double kGravity = 9.81;
inline constexpr double kMass = 1.3;
inline const Vector3d kCenter{0.05, 0.02, -0.4};
inline const Vector3d kChild{0.0, 0.1, -0.8};
inline const Vector3d kInertia{0.08, 0.09, 0.02};  // about the centre of mass, in the body's frame

struct Tree {
  const char* name;
  std::vector<int> parent;  // -1: the ground
  int size() const { return static_cast<int>(parent.size()); }
};

inline Tree arm() {
  Tree out{"arm of 7", {}};
  for (int k = 0; k < 7; ++k) out.parent.push_back(k - 1);
  return out;
}

// Five limbs on a trunk of five, each of five hinges.
inline Tree tree() {
  Tree out{"tree of 30", {-1, 0, 1, 2, 3}};
  for (int limb = 0; limb < 5; ++limb) {
    for (int k = 0; k < 5; ++k) out.parent.push_back(k == 0 ? limb : out.size() - 1);
  }
  return out;
}

// Of body k against its parent, at angle zero.
inline Matrix3d placement(int k) {
  return (Eigen::AngleAxisd(0.4 * k, Vector3d::UnitZ()) * Eigen::AngleAxisd(0.7, Vector3d::UnitX()))
      .toRotationMatrix();
}
// Hinges turn about their frames' y; the state is generic.
inline double angle(int k) { return 0.3 + 0.5 * std::sin(1.0 + k); }
inline double rate(int k) { return 0.8 * std::cos(2.0 + 3 * k); }

struct Pose {
  Matrix3d turn;          // body to world
  Vector3d hinge, omega;  // where the hinge is; angular velocity, world
  Vector3d velocity;      // of the hinge
};

inline std::vector<Pose> poses(const Tree& tree) {
  std::vector<Pose> out;
  for (int k = 0; k < tree.size(); ++k) {
    Pose from{Matrix3d::Identity(), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
    if (tree.parent[k] >= 0) {
      from = out[tree.parent[k]];
      const Vector3d arm = from.turn * kChild;
      from.hinge += arm;
      from.velocity += from.omega.cross(arm);
    }
    from.turn = from.turn * placement(k) * Eigen::AngleAxisd(angle(k), Vector3d::UnitY()).toRotationMatrix();
    from.omega += rate(k) * from.turn.col(1);
    out.push_back(from);
  }
  return out;
}

// Torques that given accelerations of the angles need: Newton and Euler, outwards and back.
inline Eigen::VectorXd torques(const Tree& tree, const std::vector<Pose>& at, const Eigen::VectorXd& second) {
  const int n = tree.size();
  std::vector<Vector3d> angular(n), linear(n), force(n, Vector3d::Zero()), moment(n, Vector3d::Zero());
  for (int k = 0; k < n; ++k) {
    const int p = tree.parent[k];
    const Vector3d axis = at[k].turn.col(1), below = p >= 0 ? at[p].omega : Vector3d::Zero();
    angular[k] = (p >= 0 ? angular[p] : Vector3d::Zero()) + second[k] * axis + below.cross(rate(k) * axis);
    linear[k] = Vector3d(0, 0, kGravity);
    if (p >= 0) {
      const Vector3d arm = at[p].turn * kChild;
      linear[k] = linear[p] + angular[p].cross(arm) + at[p].omega.cross(at[p].omega.cross(arm));
    }
  }
  Eigen::VectorXd out(n);
  for (int k = n; k-- > 0;) {
    const Vector3d center = at[k].turn * kCenter;
    const Matrix3d inertia = at[k].turn * kInertia.asDiagonal() * at[k].turn.transpose();
    const Vector3d pull =
        kMass * (linear[k] + angular[k].cross(center) + at[k].omega.cross(at[k].omega.cross(center)));
    force[k] += pull;
    moment[k] += inertia * angular[k] + at[k].omega.cross(inertia * at[k].omega) + center.cross(pull);
    out[k] = moment[k].dot(at[k].turn.col(1));
    if (const int p = tree.parent[k]; p >= 0) {
      force[p] += force[k];
      moment[p] += moment[k] + (at[p].turn * kChild).cross(force[k]);
    }
  }
  return out;
}

// Of the angles, by the dense mass matrix.
inline Eigen::VectorXd reference(const Tree& tree) {
  const int n = tree.size();
  const std::vector<Pose> at = poses(tree);
  const Eigen::VectorXd rest = torques(tree, at, Eigen::VectorXd::Zero(n));
  Eigen::MatrixXd mass(n, n);
  for (int k = 0; k < n; ++k) mass.col(k) = torques(tree, at, Eigen::VectorXd::Unit(n, k)) - rest;
  return mass.ldlt().solve(-rest);
}

// An engine is made from a tree, evaluates accelerations, and gives those of the angles.
template <class Engine>
void measure(const std::string& peer, const std::string& note, const Options& options) {
  if (!options.wants("hinges")) return;
  for (const Tree& of : {arm(), tree()}) {
    Engine engine(of);
    engine.evaluate();
    const Eigen::VectorXd right = reference(of);
    const double error = (engine.accelerations() - right).cwiseAbs().maxCoeff() / right.cwiseAbs().maxCoeff();
    const double seconds = best_seconds([&] { engine.evaluate(); }, options);
    std::printf(
        "{\"peer\": \"%s\", \"problem\": \"hinges\", \"n\": %d, \"seconds\": %.6e, \"error\": %.3e, "
        "\"mechanism\": "
        "\"%s\", \"note\": \"%s\"}\n",
        peer.c_str(), of.size(), seconds, error, of.name, note.c_str());
    std::fflush(stdout);
  }
}

}  // namespace bench::hinges
