// Mechanisms and motions that several tests need.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "catena/dynamics/bodies/assembly.h"
#include "catena/integrate/catalog.h"
#include "catena/lab/wiring.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"

namespace catena::test {

inline constexpr Vec3 kDown{0, 0, -9.81}, kNoGravity{0, 0, 0}, kAcross{0, 1, 0};

inline Matrix3 diagonal(double x, double y, double z) {
  Matrix3 out{};
  out[0][0] = x;
  out[1][1] = y;
  out[2][2] = z;
  return out;
}

inline int add_body(Mechanism& mechanism, double mass, const Matrix3& inertia, const Vec3& position,
                    const Quaternion& orientation = {1, 0, 0, 0}) {
  Body body;
  body.name = "body" + std::to_string(mechanism.bodies.size() + 1);
  body.mass = mass;
  body.inertia = inertia;
  body.position = position;
  body.orientation = orientation;
  mechanism.bodies.push_back(body);
  return static_cast<int>(mechanism.bodies.size()) - 1;
}

inline int add_point(Mechanism& mechanism, double mass, const Vec3& position, const Vec3& velocity = {}) {
  const int index = add_body(mechanism, mass, {}, position);
  mechanism.bodies.back().point = true;
  mechanism.bodies.back().velocity = velocity;
  return index;
}

inline void add_joint(Mechanism& mechanism, JointKind kind, int a, int b, const Vec3& point,
                      const Vec3& axis = {0, 0, 1}) {
  mechanism.joints.push_back(joint_at(mechanism, kind, a, b, point, axis));
  mechanism.joints.back().name = std::string(joint_info(kind).name) + std::to_string(mechanism.joints.size());
}

// One mechanism in motion.
class Motion {
 public:
  Motion(const Mechanism& mechanism, const Vec3& gravity, const std::string& method = "taylor",
         const StepOptions& options = {.tolerance = 1e-16})
      : multibody_(mechanism, gravity) {
    system_ = wired(multibody_);
    system_.taylor = [this](double t, const double* x, int order, double* c) {
      last_order_ = order;
      multibody_.taylor(t, x, order, c);
    };
    const Assembly assembled = assemble(mechanism);
    EXPECT_TRUE(assembled.open.empty());
    multibody_.expect_rank(multibody_.mobility(0.0, assembled.state.hi.data()).rank);
    if (multibody_.has_kinks()) {
      system_.smooth_until = [this](double length) { return multibody_.smooth_until(last_order_, length); };
    }
    state_.hi = assembled.state.hi;
    state_.lo = assembled.state.lo;
    stepper_ = find_method(method)->make(system_, options);
    start_energy_ = energy();
    at_ = state_;
  }
  Motion(const Motion&) = delete;

  // Steps past t and interpolates there.
  StepStatus go_to(double t) {
    while (state_.t < t) {
      const StepStatus status = stepper_->step(state_, t);
      if (status != StepStatus::done) return status;
      worst_energy_ = std::max(worst_energy_, abs(energy() - start_energy_));
      worst_gap_ =
          std::max(worst_gap_, multibody_.constraint_error(state_.t, state_.hi.data(), state_.lo.data()));
    }
    at_ = state_;
    if (stepper_->counts().steps > 0) stepper_->dense().evaluate(t, at_.hi.data(), at_.lo.data());
    return StepStatus::done;
  }

  // Of the state that go_to interpolated: component c of body b.
  double value(std::size_t c, std::size_t b) const {
    const std::size_t i = c * multibody_.bodies() + b;
    return at_.hi[i] + at_.lo[i];
  }
  Vec3 position(std::size_t b) const { return {value(0, b), value(1, b), value(2, b)}; }
  Vec3 velocity(std::size_t b) const { return {value(7, b), value(8, b), value(9, b)}; }
  Vec3 spin(std::size_t b) const { return {value(10, b), value(11, b), value(12, b)}; }
  Quaternion orientation(std::size_t b) const { return {value(3, b), value(4, b), value(5, b), value(6, b)}; }

  DoubleDouble energy() { return multibody_.energy(state_.t, state_.hi.data(), state_.lo.data()).total(); }
  double worst_energy() const { return worst_energy_; }
  double worst_gap() const { return worst_gap_; }
  Multibody& multibody() { return multibody_; }
  const State& state() const { return state_; }
  const Stepper& stepper() const { return *stepper_; }

 private:
  Multibody multibody_;
  int last_order_ = 0;
  System system_;
  State state_, at_;
  std::unique_ptr<Stepper> stepper_;
  DoubleDouble start_energy_;
  double worst_energy_ = 0.0;
  double worst_gap_ = 0.0;
};

}  // namespace catena::test
