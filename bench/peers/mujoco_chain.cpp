// MuJoCo on problem "forward-dynamics": joint-space inertia matrix, dense along a chain, then L^T D L.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../chain_problem.h"
#include "mujoco_model.h"

namespace {

std::string chain_xml(std::size_t n) {
  std::string xml = "<mujoco><option gravity='0 0 -9.81'/><worldbody>";
  const std::string inertia = std::to_string(bench::kSphereInertia * 1e9) + "e-9";
  for (std::size_t k = 0; k < n; ++k) {
    xml += k == 0 ? "<body pos='0 0 0'>" : "<body pos='0 0 -1'>";
    xml += "<inertial pos='0 0 -1' mass='1' diaginertia='" + inertia + " " + inertia + " " + inertia + "'/>";
    xml += "<joint type='ball'/>";
  }
  for (std::size_t k = 0; k < n; ++k) xml += "</body>";
  return xml + "</worldbody></mujoco>";
}

class Engine {
 public:
  explicit Engine(const bench::ChainState& state)
      : state_(state), model_(load_model(chain_xml(state.u.size()))), data_(mj_makeData(model_)) {
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_ACTUATION;
    const bench::BallJoints joints = bench::ball_joints(state);
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      const Eigen::Quaterniond& q = joints.parent_from_body[k];
      const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
      mju_copy(data_->qpos + 4 * k, wxyz, 4);
      mju_copy(data_->qvel + 3 * k, joints.omega_body[k].data(), 3);
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

  // qacc_smooth: before the constraints, of which there are none.
  bench::Vectors accelerations() const {
    bench::Vectors joint_acceleration;
    for (std::size_t k = 0; k < state_.u.size(); ++k)
      joint_acceleration.emplace_back(Eigen::Map<const Eigen::Vector3d>(data_->qacc_smooth + 3 * k));
    return bench::bob_accelerations(state_, joint_acceleration);
  }

 private:
  bench::ChainState state_;
  mjModel* model_;
  mjData* data_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  try {
    bench::measure_forward_dynamics<Engine>("MuJoCo " + std::string(mj_versionString()), bench::kSphereNote,
                                            options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "MuJoCo: %s\n", error.what());
    return 1;
  }
}
