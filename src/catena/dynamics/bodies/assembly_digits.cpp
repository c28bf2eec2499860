// The start of a mechanism with more digits than a double.
#include <cmath>

#include "catena/dynamics/bodies/assembly.h"
#include "catena/dynamics/bodies/assembly_stages.h"
#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

using Digits = DoubleDouble;
using StateDigits = std::vector<Digits>;

constexpr double kRoundoff = 1e-13;
// A given velocity's change falls by 1e-8 with each pass.
constexpr int kPasses = 5;

StateDigits state_digits(const LanePair& pair) {
  StateDigits out;
  for (std::size_t i = 0; i < pair.hi.size(); ++i) out.push_back(two_sum(pair.hi[i], pair.lo[i]));
  return out;
}

LanePair pair_of(const StateDigits& state) {
  LanePair out;
  for (const Digits& number : state) {
    const Digits clean = two_sum(number.hi, number.lo);
    out.hi.push_back(clean.hi);
    out.lo.push_back(clean.lo);
  }
  return out;
}

class StartInFull {
 public:
  StartInFull(const Mechanism& mechanism, const LanePair& assembled)
      : mechanism_(mechanism),
        assembled_(assembled),
        state_(state_digits(assembled)),
        count_(assembled.hi.size() / kBodyState) {}

  LanePair made() {
    take_what_was_written();
    const LanePair written = pair_of(state_);
    close_joints();
    if (is_another(kPosition, kVelocity)) return written;
    find_velocities();
    return is_another(kVelocity, kBodyState) ? written : pair_of(state_);
  }

 private:
  // function(body, its index among those that move)
  template <class Function>
  void each_moving(const Function& function) const {
    std::size_t b = 0;
    for (const Body& body : mechanism_.bodies) {
      if (!body.fixed) function(body, b++);
    }
  }
  Digits& lane(std::size_t component, std::size_t b) { return state_[component * count_ + b]; }

  Vec3Digits spin_of(const Body& body, std::size_t b) {
    const QuaternionDigits turn{lane(kOrientation, b), lane(kOrientation + 1, b), lane(kOrientation + 2, b),
                                lane(kOrientation + 3, b)};
    Vec3Digits spin = rotated_back(turn, all_digits(body.angular_velocity, body.angular_velocity_rest));
    if (body.link) spin[0] = Digits(0.0);
    return spin;
  }

  void take_what_was_written() {
    each_moving([&](const Body& body, std::size_t b) {
      const auto put = [&](std::size_t component, const Digits& value) {
        Digits& to = lane(component, b);
        if (abs(value - to) <= kRoundoff * (1.0 + std::fabs(to.hi))) to = value;
      };
      const Vec3Digits place = all_digits(body.position, body.position_rest),
                       velocity = all_digits(body.velocity, body.velocity_rest);
      const QuaternionDigits turn = all_digits(body.orientation, body.orientation_rest);
      for (std::size_t i = 0; i < 3; ++i) {
        put(kPosition + i, place[i]);
        put(kVelocity + i, velocity[i]);
      }
      if (body.point) return;
      for (std::size_t i = 0; i < 4; ++i) put(kOrientation + i, turn[i]);
      const Vec3Digits spin = spin_of(body, b);
      for (std::size_t i = 0; i < 3; ++i) put(kRotation + i, spin[i]);
    });
  }

  // Velocities as drawn, of all bodies or of those that are given.
  void take_velocities(bool all) {
    each_moving([&](const Body& body, std::size_t b) {
      const Vec3Digits velocity = all_digits(body.velocity, body.velocity_rest);
      for (std::size_t i = 0; i < 3 && (all || body.velocity_given); ++i)
        lane(kVelocity + i, b) = velocity[i];
      if (body.point || !(all || body.angular_velocity_given)) return;
      const Vec3Digits spin = spin_of(body, b);
      for (std::size_t i = 0; i < 3; ++i) lane(kRotation + i, b) = spin[i];
    });
  }

  BodiesOver<Digits> over(const Mechanism& mechanism) const {
    Multibody bodies(mechanism, {});
    bodies.count_all_digits();
    return {bodies, bodies.mobility(0.0, assembled_.hi.data()).rank};
  }

  void close_joints() { over(assembly::with_start_values(mechanism_)).project(Digits(0.0), state_.data()); }

  void find_velocities() {
    Multibody closed(assembly::with_start_values(mechanism_), {});
    const Mechanism with_rates = assembly::with_start_rates(mechanism_, closed, assembled_);
    take_velocities(true);
    if (assembly::has_givens(mechanism_)) {
      BodiesOver<Digits> heavy = over(assembly::with_heavy_givens(with_rates));
      for (int pass = 0; pass < kPasses; ++pass) {
        take_velocities(false);
        heavy.settle_velocities(Digits(0.0), state_.data());
      }
    }
    over(with_rates).settle_velocities(Digits(0.0), state_.data());
  }

  // Whether something is not what doubles found: then these count.
  bool is_another(std::size_t first, std::size_t end) const {
    double size = 1.0;
    for (std::size_t i = first * count_; i < end * count_; ++i)
      size = std::max(size, std::fabs(assembled_.hi[i]));
    for (std::size_t i = first * count_; i < end * count_; ++i) {
      if (!(abs(state_[i] - Digits(assembled_.hi[i])) <= 1e-10 * size)) return true;
    }
    return false;
  }

  const Mechanism& mechanism_;
  const LanePair& assembled_;
  StateDigits state_;
  std::size_t count_;
};

}  // namespace

LanePair start_in_full(const Mechanism& mechanism, const LanePair& assembled) {
  return StartInFull(mechanism, assembled).made();
}

}  // namespace catena
