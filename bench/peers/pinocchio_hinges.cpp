// Pinocchio on problem "hinges": the articulated-body algorithm on revolute joints, compiled from its
// headers.
#include <pinocchio/algorithm/aba.hpp>
#include <string>

#include "../hinge_problem.h"

namespace {

using namespace bench::hinges;

class Engine {
 public:
  explicit Engine(const Tree& tree) : model_(made(tree)), data_(model_) {
    const int n = tree.size();
    q_.resize(n);
    v_.resize(n);
    torque_ = Eigen::VectorXd::Zero(n);
    for (int k = 0; k < n; ++k) {
      const int at = model_.joints[model_.getJointId("joint" + std::to_string(k))].idx_v();
      places_.push_back(at);
      q_[at] = angle(k);
      v_[at] = rate(k);
    }
  }

  void evaluate() { pinocchio::aba(model_, data_, q_, v_, torque_); }

  Eigen::VectorXd accelerations() const {
    Eigen::VectorXd out(q_.size());
    for (std::size_t k = 0; k < places_.size(); ++k)
      out[static_cast<Eigen::Index>(k)] = data_.ddq[places_[k]];
    return out;
  }

 private:
  static pinocchio::Model made(const Tree& tree) {
    pinocchio::Model model;
    model.gravity.linear() = Vector3d(0, 0, -kGravity);
    const pinocchio::Inertia body(kMass, kCenter, Matrix3d(kInertia.asDiagonal()));
    std::vector<pinocchio::JointIndex> joints;
    for (int k = 0; k < tree.size(); ++k) {
      const int p = tree.parent[k];
      const pinocchio::SE3 place(placement(k), p < 0 ? Vector3d(Vector3d::Zero()) : kChild);
      joints.push_back(model.addJoint(p < 0 ? 0 : joints[static_cast<std::size_t>(p)],
                                      pinocchio::JointModelRY(), place, "joint" + std::to_string(k)));
      model.appendBodyToJoint(joints.back(), body);
    }
    return model;
  }

  pinocchio::Model model_;
  pinocchio::Data data_;
  Eigen::VectorXd q_, v_, torque_;
  std::vector<int> places_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  measure<Engine>("Pinocchio " PINOCCHIO_VERSION, "joint coordinates", options);
}
