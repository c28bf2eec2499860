#include "catena/dynamics/bodies/body_lanes.h"

#include <algorithm>
#include <cmath>

#include "catena/math/compensated.h"
#include "catena/math/pack.h"
#include "catena/math/symmetric_eigen.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace catena {
namespace {

using Lanes = Pack<double, kNativeWidth>;

Lanes at(const double* row) { return load<kNativeWidth>(row); }

bool has_some(const Lanes& numbers) {
#if defined(__AVX__)
  return _mm256_movemask_pd(_mm256_cmp_pd(numbers, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
#else
  const auto some = numbers != 0.0;
  auto all = some[0];
  for (int i = 1; i < kNativeWidth; ++i) all |= some[i];
  return all != 0;
#endif
}

// Lower triangular L with L L^T = m, for a positive definite m.
Matrix3 cholesky(const Matrix3& m) {
  Matrix3 l{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  return l;
}

// What stands in for the mass of bodies that have none: the mean of the others.
double mean_mass(const std::vector<Body>& bodies) {
  double sum = 0.0;
  int count = 0;
  for (const Body& body : bodies) {
    sum += body.mass;
    count += body.mass > 0.0 ? 1 : 0;
  }
  return count > 0 ? sum / count : 1.0;
}

// The axes about which nothing resists turning.
std::vector<Vec3> free_axes(const Matrix3& inertia) {
  constexpr double kNone = 1e-12;  // of the largest moment
  std::vector<double> rows;
  for (const Vec3& row : inertia) rows.insert(rows.end(), row.begin(), row.end());
  const SymmetricEigen of = symmetric_eigen(3, rows);
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (of.values[i] > kNone * of.values[2]) break;
    out.push_back({of.vectors[i][0], of.vectors[i][1], of.vectors[i][2]});
  }
  return out;
}

}  // namespace

BodyLanes::BodyLanes(const std::vector<Body>& moving, const std::vector<double>& reach)
    : stride_(rounded_up(moving.size(), kNativeWidth)) {
  inertia_lanes_.assign(9 * stride_, 0.0);
  const double usual_mass = mean_mass(moving);
  for (const Body& body : moving) {
    const std::size_t b = mass_.size();
    const double mass = body.mass > 0.0 ? body.mass : usual_mass;
    mass_.push_back(body.mass);
    over_root_mass_.push_back(1.0 / std::sqrt(mass));
    inertia_.push_back(body.point ? Matrix3{} : body.inertia);
    point_.push_back(body.point ? 1 : 0);
    for (std::size_t i = 0; i < 9; ++i) inertia_lanes_[i * stride_ + b] = inertia_.back()[i / 3][i % 3];
    for (std::size_t i = 0; i < 9; ++i) {
      if (i / 3 != i % 3 && inertia_.back()[i / 3][i % 3] != 0.0) principal_[i % 3] = false;
    }
    if (body.mass == 0.0) {
      for (std::size_t i = 0; i < 3; ++i) {
        massless_.push_back({b, {}});
        massless_.back().unit[i] = 1.0;
      }
    }
    root_.emplace_back();
    over_root_.emplace_back();  // points do not turn: zero
    if (!body.point) add_inertia(body, mass * reach[b] * reach[b]);
  }
}

// The root of a body's inertia, with a moment that stands in about the axes that have none.
void BodyLanes::add_inertia(const Body& body, double stand_in) {
  const std::vector<Vec3> axes = free_axes(body.inertia);
  const double largest = std::max({body.inertia[0][0], body.inertia[1][1], body.inertia[2][2]});
  const double moment = largest > 0.0 ? largest : stand_in;
  Matrix3 whole = body.inertia;
  for (const Vec3& axis : axes) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) whole[i][j] += moment * axis[i] * axis[j];
    }
  }
  const std::size_t b = root_.size() - 1;
  root_[b] = cholesky(whole);
  for (std::size_t i = 0; i < 3; ++i) over_root_[b][i] = 1.0 / root_[b][i][i];
  for (const Vec3& axis : axes) {
    MasslessMotion motion{b, {0, 0, 0, axis[0], axis[1], axis[2]}};
    for (std::size_t i = 3; i < 6; ++i) motion.unit[i] *= std::sqrt(moment);
    divide_by_root(b, motion.unit.data());
    massless_.push_back(motion);
  }
}

double BodyLanes::smallest_inertia() const {
  double least = 1.0;
  const auto take = [&](double value) {
    if (value > 0.0) least = std::min(least, value);
  };
  for (const double mass : mass_) take(mass);
  for (const Matrix3& inertia : inertia_) {
    for (std::size_t i = 0; i < 3; ++i) take(inertia[i][i]);
  }
  return least;
}

template <class V>
void BodyLanes::divide_by_root(std::size_t body, V* six) const {
  for (int i = 0; i < 3; ++i) six[i] *= over_root_mass_[body];
  V* w = six + 3;
  const Matrix3& l = root_[body];
  const Vec3& over = over_root_[body];
  w[0] *= over[0];
  w[1] = (w[1] - l[1][0] * w[0]) * over[1];
  w[2] = (w[2] - l[2][0] * w[0] - l[2][1] * w[1]) * over[2];
}

template <class V>
void BodyLanes::divide_by_transposed_root(std::size_t body, V* six) const {
  for (int i = 0; i < 3; ++i) six[i] *= over_root_mass_[body];
  V* w = six + 3;
  const Matrix3& l = root_[body];
  const Vec3& over = over_root_[body];
  w[2] *= over[2];
  w[1] = (w[1] - l[2][1] * w[2]) * over[1];
  w[0] = (w[0] - l[1][0] * w[1] - l[2][0] * w[2]) * over[0];
}

template void BodyLanes::divide_by_root(std::size_t, double*) const;
template void BodyLanes::divide_by_root(std::size_t, PackOfFour*) const;
template void BodyLanes::divide_by_transposed_root(std::size_t, double*) const;
template void BodyLanes::divide_by_transposed_root(std::size_t, PackOfFour*) const;

void BodyLanes::multiply_by_transposed_root(std::size_t body, double* six) const {
  for (int i = 0; i < 3; ++i) six[i] /= over_root_mass_[body];
  double* w = six + 3;
  const Matrix3& l = root_[body];
  w[0] = l[0][0] * w[0] + l[1][0] * w[1] + l[2][0] * w[2];
  w[1] = l[1][1] * w[1] + l[2][1] * w[2];
  w[2] = l[2][2] * w[2];
}

unsigned BodyLanes::some(const double* rows, std::size_t count) const {
  unsigned out = 0;
  for (std::size_t i = 0; i < count; ++i, rows += stride_) {
    // Where there is some, the first body has it, as a rule.
    bool any = stride_ > 0 && rows[0] != 0.0;
    for (std::size_t b = 0; b < stride_ && !any; b += kNativeWidth) any = has_some(at(rows + b));
    out |= static_cast<unsigned>(any) << i;
  }
  return out;
}

// x' = v, p' = p (0, omega) / 2
void BodyLanes::advance_places(int k, double* series, int axis) const {
  const std::size_t orders = order_stride(), s = stride_;
  const double next = k + 1;
  for (std::size_t b = 0; b < s; b += kNativeWidth) {
    double* out = series + (k + 1) * orders + b;
    const double* now = series + k * orders + b;
    for (std::size_t i = 0; i < 3; ++i)
      store<kNativeWidth>(out + i * s, at(now + (kVelocity + i) * s) / next);
    Lanes sums[4] = {};
    if (axis < 0) {
      turn(series + b, k, sums);
    } else {
      turn_about(series + b, static_cast<std::size_t>(axis), k, sums);
    }
    double* p = out + kOrientation * s;
    for (const Lanes& sum : sums) {
      store<kNativeWidth>(p, sum / (2.0 * next));
      p += s;
    }
  }
}

void BodyLanes::turn(const double* series, int k, Pack<double, kNativeWidth>* sums) const {
  const std::size_t orders = order_stride(), s = stride_;
  for (int j = 0; j <= k; ++j) {
    const double* p = series + j * orders + kOrientation * s;
    const double* o = series + (k - j) * orders + kRotation * s;
    const Lanes pw = at(p), px = at(p + s), py = at(p + 2 * s), pz = at(p + 3 * s);
    const Lanes ox = at(o), oy = at(o + s), oz = at(o + 2 * s);
    sums[0] -= px * ox + py * oy + pz * oz;
    sums[1] += pw * ox + py * oz - pz * oy;
    sums[2] += pw * oy + pz * ox - px * oz;
    sums[3] += pw * oz + px * oy - py * ox;
  }
}

void BodyLanes::turn_about(const double* series, std::size_t axis, int k,
                           Pack<double, kNativeWidth>* sums) const {
  const std::size_t orders = order_stride(), s = stride_;
  const double* p = series + kOrientation * s;
  const double* o = series + k * orders + (kRotation + axis) * s;
  Lanes along{}, about{};
  for (int j = 0; j <= k; ++j, p += orders, o -= orders) {
    along -= at(p + (1 + axis) * s) * at(o);
    about += at(p) * at(o);
  }
  sums[0] = along;
  sums[1 + axis] = about;
}

void BodyLanes::spin_momentum(const double* state, double* momentum) const {
  const std::size_t s = stride_;
  for (std::size_t b = 0; b < s; b += kNativeWidth) {
    for (std::size_t i = 0; i < 3; ++i) {
      Lanes sum{};
      for (std::size_t j = 0; j < 3; ++j) {
        sum += at(inertia_lanes_.data() + (3 * i + j) * s + b) * at(state + (kRotation + j) * s + b);
      }
      store<kNativeWidth>(momentum + i * s + b, sum);
    }
  }
}

void BodyLanes::subtract_gyroscopic(int k, const double* series, const double* momentum,
                                    double* torque) const {
  const std::size_t orders = order_stride(), s = stride_;
  for (std::size_t b = 0; b < s; b += kNativeWidth) {
    Lanes x{}, y{}, z{};
    for (int j = 0; j <= k; ++j) {
      const double* o = series + j * orders + kRotation * s + b;
      const double* h = momentum + (k - j) * 3 * s + b;
      const Lanes ox = at(o), oy = at(o + s), oz = at(o + 2 * s);
      const Lanes hx = at(h), hy = at(h + s), hz = at(h + 2 * s);
      x += oy * hz - oz * hy;
      y += oz * hx - ox * hz;
      z += ox * hy - oy * hx;
    }
    double* t = torque + b;
    for (const Lanes& sum : {x, y, z}) {
      store<kNativeWidth>(t, at(t) - sum);
      t += s;
    }
  }
}

void BodyLanes::normalise(const double* hi, double* lo) const {
  const std::size_t n = count();
  for (std::size_t b = 0; b < n; ++b) {
    CompensatedSum excess;
    excess.add(-1.0);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = (kOrientation + i) * n + b;
      excess.add_product(hi[at], lo[at], hi[at], lo[at]);
    }
    const double half = 0.5 * (excess.hi() + excess.lo());
    for (std::size_t i = 0; i < 4; ++i)
      lo[(kOrientation + i) * n + b] -= half * hi[(kOrientation + i) * n + b];
  }
}

Energies BodyLanes::energy(const Vec3& gravity, const double* hi, const double* lo) const {
  const std::size_t n = count();
  CompensatedSum kinetic, potential;
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t v = (kVelocity + i) * n + b, x = (kPosition + i) * n + b;
      kinetic.add_square(0.5 * mass_[b], {hi[v], lo[v]});
      if (gravity[i] != 0.0) {
        const DoubleDouble weight = two_product(-mass_[b], gravity[i]);
        potential.add_product(weight.hi, weight.lo, hi[x], lo[x]);
      }
      if (point_[b]) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t oi = (kRotation + i) * n + b, oj = (kRotation + j) * n + b;
        if (inertia_[b][i][j] == 0.0) continue;
        const DoubleDouble product = DoubleDouble(hi[oi], lo[oi]) * DoubleDouble(hi[oj], lo[oj]);
        kinetic.add_product(0.5 * inertia_[b][i][j], 0.0, product.hi, product.lo);
      }
    }
  }
  return {kinetic.value(), potential.value(), {}};
}

}  // namespace catena
