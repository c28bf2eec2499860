// MuJoCo on problem "hinges": joint-space inertia matrix, then L^T D L along the tree.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <string>

#include "../hinge_problem.h"
#include "mujoco_model.h"

namespace {

using namespace bench::hinges;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, " %.17g", value);
  return text;
}

std::string body_xml(const Tree& tree, int k) {
  const Eigen::Quaterniond q(placement(k));
  const Vector3d at = tree.parent[k] < 0 ? Vector3d(Vector3d::Zero()) : kChild;
  const std::string name = std::to_string(k);
  std::string xml = "<body pos='" + number(at[0]) + number(at[1]) + number(at[2]) + "' quat='" +
                    number(q.w()) + number(q.x()) + number(q.y()) + number(q.z()) + "'><inertial pos='" +
                    number(kCenter[0]) + number(kCenter[1]) + number(kCenter[2]) + "' mass='" +
                    number(kMass) + "' diaginertia='" + number(kInertia[0]) + number(kInertia[1]) +
                    number(kInertia[2]) + "'/><joint type='hinge' axis='0 1 0' name='" + name + "'/>";
  for (int child = 0; child < tree.size(); ++child) {
    if (tree.parent[child] == k) xml += body_xml(tree, child);
  }
  return xml + "</body>";
}

class Engine {
 public:
  explicit Engine(const Tree& tree)
      : model_(load_model("<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>" +
                          body_xml(tree, 0) + "</worldbody></mujoco>")),
        data_(mj_makeData(model_)) {
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_ACTUATION;
    for (int k = 0; k < tree.size(); ++k) {
      const int joint = mj_name2id(model_, mjOBJ_JOINT, std::to_string(k).c_str());
      places_.push_back(model_->jnt_dofadr[joint]);
      data_->qpos[model_->jnt_qposadr[joint]] = angle(k);
      data_->qvel[places_.back()] = rate(k);
    }
  }
  ~Engine() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void evaluate() {
    mj_fwdPosition(model_, data_);
    mj_fwdVelocity(model_, data_);
    mj_fwdAcceleration(model_, data_);
  }

  Eigen::VectorXd accelerations() const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(places_.size()));
    for (std::size_t k = 0; k < places_.size(); ++k)
      out[static_cast<Eigen::Index>(k)] = data_->qacc_smooth[places_[k]];
    return out;
  }

 private:
  mjModel* model_;
  mjData* data_;
  std::vector<int> places_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  try {
    measure<Engine>("MuJoCo " + std::string(mj_versionString()), "joint coordinates", options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "MuJoCo: %s\n", error.what());
    return 1;
  }
}
