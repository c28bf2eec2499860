// RBDL on problem "forward-dynamics": the articulated-body algorithm on spherical joints.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_config.h>

#include <string>

#include "../chain_problem.h"

namespace {

namespace rbd = RigidBodyDynamics;

class Engine {
 public:
  explicit Engine(const bench::ChainState& state) : state_(state) {
    const std::size_t n = state.u.size();
    model_.gravity = Eigen::Vector3d(0, 0, -bench::kGravity);
    const Eigen::Vector3d link(0, 0, -1);
    const Eigen::Matrix3d inertia = bench::kSphereInertia * Eigen::Matrix3d::Identity();
    const rbd::Body bob(1.0, rbd::Math::Vector3d(link), rbd::Math::Matrix3d(inertia));
    unsigned parent = 0;
    std::vector<unsigned> bodies;
    for (std::size_t k = 0; k < n; ++k) {
      const rbd::Math::SpatialTransform place(Eigen::Matrix3d::Identity(),
                                              k == 0 ? Eigen::Vector3d(0, 0, 0) : link);
      parent = model_.AddBody(parent, place, rbd::Joint(rbd::JointTypeSpherical), bob);
      bodies.push_back(parent);
    }
    q_ = rbd::Math::VectorNd::Zero(model_.q_size);
    v_ = torque_ = second_ = rbd::Math::VectorNd::Zero(model_.qdot_size);
    const bench::BallJoints joints = bench::ball_joints(state);
    for (std::size_t k = 0; k < n; ++k) {
      const Eigen::Quaterniond& turn = joints.parent_from_body[k];
      model_.SetQuaternion(bodies[k], rbd::Math::Quaternion(turn.x(), turn.y(), turn.z(), turn.w()), q_);
      places_.push_back(model_.mJoints[bodies[k]].q_index);
      v_.segment<3>(places_[k]) = joints.omega_body[k];
    }
  }

  void evaluate() { rbd::ForwardDynamics(model_, q_, v_, torque_, second_); }

  bench::Vectors accelerations() const {
    bench::Vectors joint_acceleration;
    for (const Eigen::Index at : places_) joint_acceleration.push_back(second_.segment<3>(at));
    return bench::bob_accelerations(state_, joint_acceleration);
  }

 private:
  bench::ChainState state_;
  rbd::Model model_;
  rbd::Math::VectorNd q_, v_, torque_, second_;
  std::vector<Eigen::Index> places_;
};

std::string named() {
  const int version = RBDL_API_VERSION;
  return "RBDL " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." +
         std::to_string(version & 255);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::measure_forward_dynamics<Engine>(named(), bench::kSphereNote, options);
}
