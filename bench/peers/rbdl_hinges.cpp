// RBDL on problem "hinges": the articulated-body algorithm on revolute joints.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_config.h>

#include <string>

#include "../hinge_problem.h"

namespace {

using namespace bench::hinges;
namespace rbd = RigidBodyDynamics;

class Engine {
 public:
  explicit Engine(const Tree& tree) {
    model_.gravity = Vector3d(0, 0, -kGravity);
    const rbd::Body body(kMass, rbd::Math::Vector3d(kCenter),
                         rbd::Math::Matrix3d(Matrix3d(kInertia.asDiagonal())));
    const rbd::Joint hinge(rbd::JointTypeRevoluteY);
    std::vector<unsigned> bodies;
    const int n = tree.size();
    q_.resize(n);
    v_.resize(n);
    torque_ = rbd::Math::VectorNd::Zero(n);
    second_ = rbd::Math::VectorNd::Zero(n);
    for (int k = 0; k < n; ++k) {
      const int p = tree.parent[static_cast<std::size_t>(k)];
      const rbd::Math::SpatialTransform place(Matrix3d(placement(k).transpose()),
                                              p < 0 ? Vector3d(Vector3d::Zero()) : kChild);
      bodies.push_back(model_.AddBody(p < 0 ? 0 : bodies[static_cast<std::size_t>(p)], place, hinge, body));
      places_.push_back(model_.mJoints[bodies.back()].q_index);
    }
    for (int k = 0; k < n; ++k) {
      q_[places_[static_cast<std::size_t>(k)]] = angle(k);
      v_[places_[static_cast<std::size_t>(k)]] = rate(k);
    }
  }

  void evaluate() { rbd::ForwardDynamics(model_, q_, v_, torque_, second_); }

  Eigen::VectorXd accelerations() const {
    Eigen::VectorXd out(q_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) out[static_cast<Eigen::Index>(k)] = second_[places_[k]];
    return out;
  }

 private:
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
  measure<Engine>(named(), "joint coordinates", options);
}
