// Simbody on problem "forward-dynamics": articulated-body recursion over ball mobilizers.
#include <Simbody.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "../chain_problem.h"

namespace {

#ifdef SIMBODY_CHECKED
constexpr const char* kBuild = "; library built with its run-time checks";
#else
constexpr const char* kBuild = "";
#endif

class Engine {
 public:
  explicit Engine(const bench::ChainState& state) : matter_(system_), forces_(system_) {
    SimTK::Force::UniformGravity(forces_, matter_, SimTK::Vec3(0, 0, -bench::kGravity));
    // The body's origin is the bob, so that the acceleration of the origin is the answer.
    const SimTK::Body::Rigid bob(
        SimTK::MassProperties(1.0, SimTK::Vec3(0), SimTK::Inertia(bench::kSphereInertia)));
    SimTK::MobilizedBodyIndex parent = matter_.getGround().getMobilizedBodyIndex();
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      parent = SimTK::MobilizedBody::Ball(matter_.updMobilizedBody(parent), SimTK::Transform(), bob,
                                          SimTK::Transform(SimTK::Vec3(0, 0, 1)))
                   .getMobilizedBodyIndex();
      bobs_.push_back(parent);
    }
    realized_ = system_.realizeTopology();
    system_.realizeModel(realized_);
    const bench::BallJoints joints = bench::ball_joints(state);
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      const Eigen::Quaterniond& q = joints.parent_from_body[k];
      const Eigen::Vector3d& omega = joints.omega_parent[k];
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bobs_[k]);
      body.setQFromVector(realized_, SimTK::Vector(SimTK::Vec4(q.w(), q.x(), q.y(), q.z())));
      body.setUFromVector(realized_, SimTK::Vector(SimTK::Vec3(omega[0], omega[1], omega[2])));
    }
  }

  void evaluate() {
    realized_.updQ();  // write access alone makes Simbody forget all that depends on the positions
    system_.realize(realized_, SimTK::Stage::Acceleration);
  }

  bench::Vectors accelerations() const {
    bench::Vectors result;
    for (const SimTK::MobilizedBodyIndex bob : bobs_) {
      const SimTK::Vec3 a = matter_.getMobilizedBody(bob).getBodyOriginAcceleration(realized_);
      result.emplace_back(a[0], a[1], a[2]);
    }
    return result;
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  std::vector<SimTK::MobilizedBodyIndex> bobs_;
  SimTK::State realized_;
};

std::string simbody_version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  try {
    bench::measure_forward_dynamics<Engine>("Simbody " + simbody_version(),
                                            std::string(bench::kSphereNote) + kBuild, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Simbody: %s\n", error.what());
    return 1;
  }
}
