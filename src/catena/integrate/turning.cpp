#include "catena/integrate/turning.h"

#include <array>

#include "catena/math/compensated.h"
#include "catena/math/vec3.h"

namespace catena {
namespace {

// Lanes of one vector: component i of u is at u + i * stride, and of its rate at w + i * stride.
struct Lanes {
  std::size_t u, w, stride, space;
};

template <class Call>
void for_each(const std::vector<UnitVectors>& vectors, Call&& call) {
  for (const UnitVectors& block : vectors) {
    for (std::size_t k = 0; k < block.count; ++k) {
      call(Lanes{block.position + k, block.velocity + k, block.count, block.space});
    }
  }
}

Vec3 read(const double* x, std::size_t first, const Lanes& lanes) {
  Vec3 out{};
  for (std::size_t i = 0; i < lanes.space; ++i) out[i] = x[first + i * lanes.stride];
  return out;
}

void write(const Vec3& value, double* x, std::size_t first, const Lanes& lanes) {
  for (std::size_t i = 0; i < lanes.space; ++i) x[first + i * lanes.stride] = value[i];
}

// omega x u
Vec3 rate(const Vec3& omega, const Vec3& u, std::size_t space) {
  if (space == 2) return {-omega[0] * u[1], omega[0] * u[0], 0.0};
  return cross(omega, u);
}

// u x a
Vec3 moment(const Vec3& u, const Vec3& a, std::size_t space) {
  if (space == 2) return {u[0] * a[1] - u[1] * a[0], 0.0, 0.0};
  return cross(u, a);
}

// u_i w_j - u_j w_i of pairs
DoubleDouble minor(const double* hi, const double* lo, const Lanes& lanes, std::size_t i, std::size_t j) {
  const std::size_t ui = lanes.u + i * lanes.stride, uj = lanes.u + j * lanes.stride;
  const std::size_t wi = lanes.w + i * lanes.stride, wj = lanes.w + j * lanes.stride;
  CompensatedSum sum;
  sum.add_product(hi[ui], lo[ui], hi[wj], lo[wj]);
  sum.add_product(-hi[uj], -lo[uj], hi[wi], lo[wi]);
  return sum.value();
}

}  // namespace

void Turning::to_turning(double* hi, double* lo) const {
  for_each(vectors_, [&](const Lanes& lanes) {
    std::array<DoubleDouble, 3> omega{};
    if (lanes.space == 2) {
      omega[0] = minor(hi, lo, lanes, 0, 1);
    } else {
      for (std::size_t i = 0; i < 3; ++i) omega[i] = minor(hi, lo, lanes, (i + 1) % 3, (i + 2) % 3);
    }
    for (std::size_t i = 0; i < lanes.space; ++i) {
      hi[lanes.w + i * lanes.stride] = omega[i].hi;
      lo[lanes.w + i * lanes.stride] = omega[i].lo;
    }
  });
}

void Turning::to_rates(double* x) const {
  for_each(vectors_, [&](const Lanes& lanes) {
    write(rate(read(x, lanes.w, lanes), read(x, lanes.u, lanes), lanes.space), x, lanes.w, lanes);
  });
}

void Turning::turn(const double* x, double* dx) const {
  for_each(vectors_, [&](const Lanes& lanes) {
    const Vec3 u = read(x, lanes.u, lanes);
    const double square = dot(u, u);
    Vec3 turned = moment(u, read(dx, lanes.w, lanes), lanes.space);
    for (double& value : turned) value /= square;
    write(turned, dx, lanes.w, lanes);
  });
}

void Turning::change_of_rates(const double* start, double* change) const {
  for_each(vectors_, [&](const Lanes& lanes) {
    const Vec3 u = read(start, lanes.u, lanes), du = read(change, lanes.u, lanes);
    const Vec3 end = u + du;
    const Vec3 by_spin = rate(read(change, lanes.w, lanes), end, lanes.space);
    const Vec3 by_turn = rate(read(start, lanes.w, lanes), du, lanes.space);
    write(by_spin + by_turn, change, lanes.w, lanes);
  });
}

}  // namespace catena
