#include <algorithm>
#include <cstdio>

#include "catena/dynamics/bodies/assembly.h"
#include "catena/integrate/catalog.h"
#include "catena/lab/wiring.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"
#include "chain_problem.h"
#include "hinge_problem.h"
#include "mechanism_problems.h"
#include "mechanisms.h"

namespace bench {
namespace {

using catena::Body;
using catena::kGround;
using catena::Mechanism;
using catena::Multibody;
using catena::Vec3;

catena::Matrix3 diagonal(double x, double y, double z) {
  catena::Matrix3 out{};
  out[0][0] = x;
  out[1][1] = y;
  out[2][2] = z;
  return out;
}

// The chain of problem "forward-dynamics" as bodies in maximal coordinates, the bobs with the inertia that
// the peers give them.
class BallChain {
 public:
  explicit BallChain(const ChainState& state)
      : n_(state.u.size()), bodies_(mechanism(state), {0.0, 0.0, -bench::kGravity}) {
    std::vector<double> lo;
    bodies_.start(x_, lo);
    dx_.resize(x_.size());
  }

  void evaluate() {
    // Another time: nothing of the last evaluation may serve again.
    t_ += 1.0;
    bodies_.rhs(t_, x_.data(), dx_.data());
  }

  Vectors accelerations() const {
    Vectors out;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* a = dx_.data() + catena::kVelocity * n_ + k;
      out.emplace_back(a[0], a[n_], a[2 * n_]);
    }
    return out;
  }

 private:
  static Mechanism mechanism(const ChainState& state) {
    Mechanism out;
    Vector3d at = Vector3d::Zero(), velocity = Vector3d::Zero();
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      const Vector3d joint = at;
      at += state.u[k];
      velocity += state.w[k];
      Body body;
      body.name = "bob";
      body.mass = 1.0;
      body.inertia = diagonal(kSphereInertia, kSphereInertia, kSphereInertia);
      body.position = {at[0], at[1], at[2]};
      body.velocity = {velocity[0], velocity[1], velocity[2]};
      const Vector3d omega = state.u[k].cross(state.w[k]);
      body.angular_velocity = {omega[0], omega[1], omega[2]};
      out.bodies.push_back(body);
      const int before = k == 0 ? kGround : static_cast<int>(k) - 1;
      out.joints.push_back(joint_at(out, catena::JointKind::ball, before, static_cast<int>(k),
                                    {joint[0], joint[1], joint[2]}, {0, 0, 1}));
    }
    return out;
  }

  std::size_t n_;
  Multibody bodies_;
  std::vector<double> x_, dx_;
  double t_ = 0.0;
};

Vec3 as_vec3(const Vector3d& v) { return {v[0], v[1], v[2]}; }

// Bodies on hinges in maximal coordinates.
class HingedBodies {
 public:
  explicit HingedBodies(const hinges::Tree& tree)
      : tree_(tree), at_(hinges::poses(tree)), bodies_(mechanism(), {0.0, 0.0, -hinges::kGravity}) {
    std::vector<double> lo;
    bodies_.start(x_, lo);
    dx_.resize(x_.size());
  }

  void evaluate() {
    t_ += 1.0;  // nothing of the last evaluation may serve again
    bodies_.rhs(t_, x_.data(), dx_.data());
  }

  // Angular accelerations along the hinges, less what the parent's turning puts in.
  Eigen::VectorXd accelerations() const {
    const std::size_t n = at_.size();
    const auto angular = [&](std::size_t k) {
      const double* a = dx_.data() + catena::kRotation * n + k;
      return Vector3d(at_[k].turn * Vector3d(a[0], a[n], a[2 * n]));
    };
    Eigen::VectorXd out(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < n; ++k) {
      const int p = tree_.parent[k];
      const Vector3d parent = p < 0 ? Vector3d::Zero() : angular(static_cast<std::size_t>(p));
      out[static_cast<Eigen::Index>(k)] = (angular(k) - parent).dot(at_[k].turn.col(1));
    }
    return out;
  }

 private:
  Mechanism mechanism() const {
    Mechanism out;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const hinges::Pose& at = at_[k];
      const Vector3d center = at.turn * hinges::kCenter;
      const Eigen::Quaterniond turn(at.turn);
      Body body;
      body.name = "body";
      body.mass = hinges::kMass;
      body.inertia = diagonal(hinges::kInertia[0], hinges::kInertia[1], hinges::kInertia[2]);
      body.position = as_vec3(at.hinge + center);
      body.orientation = {turn.w(), turn.x(), turn.y(), turn.z()};
      body.velocity = as_vec3(at.velocity + at.omega.cross(center));
      body.angular_velocity = as_vec3(at.omega);
      out.bodies.push_back(body);
      out.joints.push_back(joint_at(out, catena::JointKind::revolute, tree_.parent[k], static_cast<int>(k),
                                    as_vec3(at.hinge), as_vec3(at.turn.col(1))));
    }
    return out;
  }

  hinges::Tree tree_;
  std::vector<hinges::Pose> at_;
  Multibody bodies_;
  std::vector<double> x_, dx_;
  double t_ = 0.0;
};

int add_rod(Mechanism& out, const mechanisms::Point& from, const mechanisms::Point& to, double mass) {
  const double length = std::hypot(to.x - from.x, to.z - from.z);
  const double moment = mass * length * length / 12;
  Body body;
  body.name = "rod";
  body.mass = mass;
  body.inertia = diagonal(1e-3 * moment, moment, moment);
  body.position = {0.5 * (from.x + to.x), 0.0, 0.5 * (from.z + to.z)};
  const double half = 0.5 * std::atan2(from.z - to.z, to.x - from.x);
  body.orientation = {std::cos(half), 0.0, std::sin(half), 0.0};
  out.bodies.push_back(body);
  return static_cast<int>(out.bodies.size()) - 1;
}

void add_hinge(Mechanism& out, int a, int b, const mechanisms::Point& at) {
  out.joints.push_back(joint_at(out, catena::JointKind::revolute, a, b, {at.x, 0.0, at.z}, {0, 1, 0}));
  out.joints.back().name = "hinge" + std::to_string(out.joints.size());
}

Mechanism rod_pendulum() {
  using namespace mechanisms;
  Mechanism out;
  const Point o{0, 0}, a{std::sin(kFirstAngle), -std::cos(kFirstAngle)},
      b{a.x + std::sin(kSecondAngle), a.z - std::cos(kSecondAngle)};
  const int first = add_rod(out, o, a, kRodMass), second = add_rod(out, a, b, kRodMass);
  add_hinge(out, kGround, first, o);
  add_hinge(out, first, second, a);
  return out;
}

Mechanism four_bar() {
  using namespace mechanisms;
  Mechanism out;
  const Point o{0, 0};
  const int crank = add_rod(out, o, kCrankEnd, kCrankMass),
            coupler = add_rod(out, kCrankEnd, kRockerEnd, kCouplerMass);
  const int rocker = add_rod(out, kPivot, kRockerEnd, kRockerMass);
  add_hinge(out, kGround, crank, o);
  add_hinge(out, crank, coupler, kCrankEnd);
  add_hinge(out, coupler, rocker, kRockerEnd);
  add_hinge(out, kGround, rocker, kPivot);
  out.joints[0].start_rate = kCrankRate;
  return out;
}

// The end of a rod that is not at its centre: centre + half of its length along its own x.
mechanisms::Point end_of(const std::vector<double>& x, std::size_t n, std::size_t body, double half) {
  const double w = x[catena::kOrientation * n + body], y = x[(catena::kOrientation + 2) * n + body];
  return {x[body] + half * (w * w - y * y), x[2 * n + body] - half * 2 * w * y};
}

class Mover {
 public:
  explicit Mover(const Mechanism& mechanism)
      : bodies_(mechanism, {0, 0, -mechanisms::kGravity}), start_(assemble(mechanism).state) {
    bodies_.expect_rank(bodies_.mobility(0.0, start_.hi.data()).rank);
    system_ = catena::wired(bodies_);
  }

  mechanisms::Run run(double tolerance, std::size_t body, double half, const mechanisms::Point& exact) {
    catena::State state{0.0, 0.0, start_.hi, start_.lo};
    const auto stepper = catena::find_method("taylor")->make(system_, {.tolerance = tolerance});
    const double begin = now_seconds();
    while (state.t < mechanisms::kDuration &&
           stepper->step(state, mechanisms::kDuration) == catena::StepStatus::done) {
    }
    const double seconds = now_seconds() - begin;
    std::vector<double> hi(state.hi.size()), lo(hi);
    stepper->dense().evaluate(mechanisms::kDuration, hi.data(), lo.data());
    last_ = end_of(hi, bodies_.bodies(), body, half);
    return {seconds, error_of(last_, exact), static_cast<long>(stepper->counts().steps)};
  }
  const mechanisms::Point& last() const { return last_; }

 private:
  Multibody bodies_;
  catena::LanePair start_;
  catena::System system_;
  mechanisms::Point last_{};
};

void measure_motion(const char* problem, const Mechanism& mechanism, std::size_t body, double half,
                    const mechanisms::Point& exact, const Options& options) {
  if (!options.wants(problem)) return;
  Mover mover(mechanism);
  const std::vector<double> tolerances = mechanisms::settings_between(1e-4, 1e-15, options.quick ? 1 : 4);
  mechanisms::print_goals("catena taylor", problem, tolerances, [&](double tolerance) {
    return mechanisms::best_of(options.quick ? 2 : 5,
                               [&] { return mover.run(tolerance, body, half, exact); });
  });
  if (options.only == problem) {  // what the constants in mechanism_problems.h come from
    mover.run(1e-17, body, half, exact);
    std::fprintf(stderr, "%s: %.16g, %.16g\n", problem, mover.last().x, mover.last().z);
  }
}

// Seven bodies to 0.05 s is a goal without a peer: `catena run seven-body --duration 0.05 --tolerance 1e-10`.

}  // namespace

void measure_mechanisms(const Options& options) {
  measure_forward_dynamics<BallChain>("catena bodies", "maximal coordinates", options);
  hinges::measure<HingedBodies>("catena bodies", "maximal coordinates", options);
  measure_motion("rod-pendulum-5s", rod_pendulum(), 1, 0.5 * mechanisms::kRodLength, mechanisms::kPendulumEnd,
                 options);
  measure_motion("four-bar-5s", four_bar(), 0, 0.2, mechanisms::kFourBarEnd, options);
}

}  // namespace bench
