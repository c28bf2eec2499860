#include "catena/dynamics/world/sphere_action.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "catena/dynamics/world/world.h"
#include "catena/math/se3.h"

namespace catena {
namespace {

template <int D>
Vec3 vector_at(const double* lanes, std::size_t n) {
  if constexpr (D == 2)
    return {lanes[0], 0.0, lanes[n]};
  else
    return {lanes[0], lanes[n], lanes[2 * n]};
}

template <int D>
void put_vector(const Vec3& v, double* lanes, std::size_t n) {
  lanes[0] = v[0];
  lanes[n] = D == 2 ? v[2] : v[1];
  if constexpr (D == 3) lanes[2 * n] = v[2];
}

// In a plane omega is the rate of the angle, which grows from down towards across: about -y.
template <int D>
Vec3 omega_at(const double* lanes, std::size_t n) {
  if constexpr (D == 2)
    return {0.0, -lanes[0], 0.0};
  else
    return vector_at<3>(lanes, n);
}

template <int D>
void put_omega(const Vec3& v, double* lanes, std::size_t n) {
  if constexpr (D == 2)
    lanes[0] = -v[1];
  else
    put_vector<3>(v, lanes, n);
}

Twist twist_at(const double* lanes, std::size_t n) {
  return {vector_at<3>(lanes, n), vector_at<3>(lanes + 3 * n, n)};
}

void put_twist(const Twist& twist, double* lanes, std::size_t n) {
  put_vector<3>(twist.xi, lanes, n);
  put_vector<3>(twist.eta, lanes + 3 * n, n);
}

template <class T>
struct SphereState {
  static constexpr bool kKnown = false, kTurning = false;
};
template <int D>
struct SphereState<RigidChain<D>> {
  static constexpr bool kKnown = true, kTurning = false;
};
template <int D>
struct SphereState<LieChain<D>> {
  static constexpr bool kKnown = true, kTurning = true;
};

}  // namespace

std::optional<SphereAction> SphereAction::of(const World& world) {
  if (world.mechanism() != nullptr) return std::nullopt;
  SphereAction action;
  for (const ChainUnit& unit : world.chains()) {
    const auto add = [&](const auto& chain) {
      using Type = std::decay_t<decltype(chain)>;
      // A hinge is a constraint of its own, which the action does not keep.
      if (!SphereState<Type>::kKnown || !chain.parameters().hinge.empty()) return false;
      action.blocks_.push_back(
          {unit.offset, unit.links(), Type::kDimension, SphereState<Type>::kTurning, action.algebra_});
      action.state_ += unit.dimension();
      action.algebra_ += 6 * unit.links();
      return true;
    };
    if (!std::visit(add, unit.chain)) return std::nullopt;
  }
  action.others_ = world.dimension() - action.state_;
  action.algebra_ += action.others_;
  return action;
}

template <class Call>
void SphereAction::dispatch(const Block& block, Call&& call) {
  if (block.space == 2) {
    block.turning ? call.template operator()<2, true>() : call.template operator()<2, false>();
  } else {
    block.turning ? call.template operator()<3, true>() : call.template operator()<3, false>();
  }
}

template <int D, bool kTurning>
void SphereAction::field_of(const Block& block, const double* x, const double* dx, double* f) {
  const std::size_t n = block.links;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 q = vector_at<D>(x + k, n);
    const double* second = x + D * n + k;
    const double* second_rate = dx + D * n + k;
    if constexpr (kTurning) {
      put_twist({omega_at<D>(second, n), cross(q, omega_at<D>(second_rate, n))}, f + k, n);
    } else {
      const Vec3 w_dot = vector_at<D>(second_rate, n);
      put_twist({cross(q, vector_at<D>(second, n)), dot(q, w_dot) * q - w_dot}, f + k, n);  // u x (u x w')
    }
  }
}

template <int D, bool kTurning>
void SphereAction::act_on(const Block& block, const double* sigma, const double* x, double* change) {
  const std::size_t n = block.links;
  for (std::size_t k = 0; k < n; ++k) {
    const RigidMotion motion(twist_at(sigma + k, n));
    const Vec3 q = vector_at<D>(x + k, n);
    const Vec3 moved = motion.change(q), to = q + moved;
    const double* second = x + D * n + k;
    put_vector<D>(moved, change + k, n);
    if constexpr (kTurning) {
      put_omega<D>(motion.change(omega_at<D>(second, n)) + cross(motion.shift, to), change + D * n + k, n);
    } else {
      const Vec3 turned = motion.change(vector_at<D>(second, n)) + cross(cross(motion.shift, to), to);
      put_vector<D>(turned, change + D * n + k, n);
    }
  }
}

void SphereAction::field(const double* x, const double* dx, double* f) const {
  for (const Block& block : blocks_) {
    dispatch(block, [&]<int D, bool kTurning>() {
      field_of<D, kTurning>(block, x + block.offset, dx + block.offset, f + block.start);
    });
  }
  std::copy_n(dx + state_, others_, f + algebra_ - others_);
}

void SphereAction::act(const double* sigma, const double* x, double* change) const {
  for (const Block& block : blocks_) {
    dispatch(block, [&]<int D, bool kTurning>() {
      act_on<D, kTurning>(block, sigma + block.start, x + block.offset, change + block.offset);
    });
  }
  std::copy_n(sigma + algebra_ - others_, others_, change + state_);
}

void SphereAction::dexp_inverse(const double* sigma, const double* v, double* out) const {
  for (const Block& block : blocks_) {
    for (std::size_t k = block.start; k < block.start + block.links; ++k) {
      put_twist(catena::dexp_inverse(twist_at(sigma + k, block.links), twist_at(v + k, block.links)), out + k,
                block.links);
    }
  }
  std::copy_n(v + algebra_ - others_, others_, out + algebra_ - others_);
}

void SphereAction::bracket(const double* a, const double* b, double* out) const {
  for (const Block& block : blocks_) {
    for (std::size_t k = block.start; k < block.start + block.links; ++k) {
      put_twist(catena::bracket(twist_at(a + k, block.links), twist_at(b + k, block.links)), out + k,
                block.links);
    }
  }
  std::fill_n(out + algebra_ - others_, others_, 0.0);
}

}  // namespace catena
