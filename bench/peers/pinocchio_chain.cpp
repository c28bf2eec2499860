// Pinocchio on problem "forward-dynamics": the articulated-body algorithm on spherical joints. Compiled from
// its headers alone, so that it gets this machine's instructions, as a user who cares for speed would have
// it.
#include <pinocchio/algorithm/aba.hpp>
#include <string>

#include "../chain_problem.h"

namespace {

// Bodies with inertia about the link alone: a link that does not spin never feels it, so the answers are
// those of point masses. Roundoff in this algorithm grows exponentially along the chain, and this choice
// delays it: N = 50 comes out right, with small spheres it does not.
constexpr const char* kNote = "bobs have inertia 1 kg m2 about the link only";
const Eigen::Matrix3d kBobInertia = Eigen::Vector3d(0, 0, 1).asDiagonal();

class Engine {
 public:
  explicit Engine(const bench::ChainState& state)
      : state_(state), model_(chain(state.u.size())), data_(model_) {
    const bench::BallJoints joints = bench::ball_joints(state);
    q_.resize(model_.nq);
    v_.resize(model_.nv);
    torque_ = Eigen::VectorXd::Zero(model_.nv);
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      q_.segment<4>(4 * k) = joints.parent_from_body[k].coeffs();
      v_.segment<3>(3 * k) = joints.omega_body[k];
    }
  }

  void evaluate() { pinocchio::aba(model_, data_, q_, v_, torque_); }

  bench::Vectors accelerations() const {
    bench::Vectors joint_acceleration;
    for (std::size_t k = 0; k < state_.u.size(); ++k)
      joint_acceleration.push_back(data_.ddq.segment<3>(3 * k));
    return bench::bob_accelerations(state_, joint_acceleration);
  }

 private:
  static pinocchio::Model chain(std::size_t n) {
    pinocchio::Model model;
    model.gravity.linear() = Eigen::Vector3d(0, 0, -bench::kGravity);
    const Eigen::Vector3d link(0, 0, -1);
    const pinocchio::Inertia bob(1.0, link, kBobInertia);
    pinocchio::JointIndex parent = 0;
    for (std::size_t k = 0; k < n; ++k) {
      pinocchio::SE3 placement = pinocchio::SE3::Identity();
      if (k > 0) placement.translation() = link;
      parent =
          model.addJoint(parent, pinocchio::JointModelSpherical(), placement, "joint" + std::to_string(k));
      model.appendBodyToJoint(parent, bob);
    }
    return model;
  }

  bench::ChainState state_;
  pinocchio::Model model_;
  pinocchio::Data data_;
  Eigen::VectorXd q_, v_, torque_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::measure_forward_dynamics<Engine>("Pinocchio " PINOCCHIO_VERSION, kNote, options);
}
