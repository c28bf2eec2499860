// Bullet (double precision) on problem "forward-dynamics": btMultiBody, Mirtich's articulated bodies.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <string>
#include <vector>

#include "../chain_problem.h"

namespace {

class Engine {
 public:
  explicit Engine(const bench::ChainState& state)
      : state_(state),
        joints_(bench::ball_joints(state)),
        body_(static_cast<int>(state.u.size()), 0, btVector3(0, 0, 0), /*fixedBase=*/true,
              /*canSleep=*/false) {
    const btVector3 inertia(bench::kSphereInertia, bench::kSphereInertia, bench::kSphereInertia);
    const btVector3 link(0, 0, -1);
    for (int k = 0; k < body_.getNumLinks(); ++k)
      body_.setupSpherical(k, 1, inertia, k - 1, btQuaternion(0, 0, 0, 1), btVector3(0, 0, 0), link);
    body_.finalizeMultiDof();
    // A game's defaults: damping, and speeds cut off at 100.
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setMaxCoordinateVelocity(1e30);
    for (int k = 0; k < body_.getNumLinks(); ++k) {
      body_.setJointVelMultiDof(k, joints_.omega_body[k].data());
      body_.addLinkForce(k, btVector3(0, 0, -bench::kGravity));
    }
  }

  void evaluate() { advance_velocities(0); }

  // Bullet adds dt times the accelerations to the velocities; of length 1, the step shows them.
  bench::Vectors accelerations() {
    advance_velocities(1);
    bench::Vectors joint_acceleration;
    for (int k = 0; k < body_.getNumLinks(); ++k) {
      const btScalar* omega = body_.getJointVelMultiDof(k);
      joint_acceleration.push_back(Eigen::Vector3d(omega[0], omega[1], omega[2]) - joints_.omega_body[k]);
      body_.setJointVelMultiDof(k, joints_.omega_body[k].data());
    }
    return bench::bob_accelerations(state_, joint_acceleration);
  }

 private:
  void advance_velocities(double dt) {
    // Setting a joint's position is what computes its transform.
    for (int k = 0; k < body_.getNumLinks(); ++k)
      body_.setJointPosMultiDof(k, joints_.parent_from_body[k].coeffs().data());
    body_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, reals_, vectors_, matrices_,
                                                               /*isConstraintPass=*/false, false, false);
  }

  bench::ChainState state_;
  bench::BallJoints joints_;
  btMultiBody body_;
  btAlignedObjectArray<btScalar> reals_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  const int version = btGetVersion();
  const std::string peer = "Bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100);
  bench::measure_forward_dynamics<Engine>(peer, bench::kSphereNote, options);
}
