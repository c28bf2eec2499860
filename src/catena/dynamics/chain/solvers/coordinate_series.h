// Taylor series of the sines, cosines and their products that a chain's directions consist of, in the charts
// of coordinate_chain.h: u and its derivatives by the angles, order by order. Order 0 alone gives their
// values. Rows of one number per link, of any kind.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "catena/math/functions_digits.h"

namespace catena {

constexpr double kPoleZ = 1.0;
constexpr double kPoleX = 0.0;

// Of an angle.
template <class S>
S sine_of(const S& angle) {
  if constexpr (std::is_same_v<S, double>) {
    return std::sin(angle);
  } else {
    return digits::sin<S>(angle);
  }
}
template <class S>
S cosine_of(const S& angle) {
  if constexpr (std::is_same_v<S, double>) {
    return std::cos(angle);
  } else {
    return digits::cos<S>(angle);
  }
}

template <int D, class S = double>
class CoordinateSeries {
 public:
  static constexpr int kAngles = D - 1;
  static constexpr int kCurvatures = kAngles * (kAngles + 1) / 2;
  using Vector = std::array<S, D>;

  explicit CoordinateSeries(std::size_t links) : n_(links), pole_(links, kPoleZ) { reserve(0); }

  void reserve(int order) {
    const std::size_t rows = static_cast<std::size_t>(order) + 1;
    if (angle_.size() < rows * kAngles * n_) angle_.resize(rows * kAngles * n_);
    if (item_.size() < rows * kItems * n_) item_.resize(rows * kItems * n_);
  }

  S* angle(int order, int a) { return angle_.data() + (order * kAngles + a) * n_; }

  // Order 0 from a state.
  void start(const S* x) {
    for (int a = 0; a < kAngles; ++a) {
      for (std::size_t k = 0; k < n_; ++k) {
        angle(0, a)[k] = x[a * n_ + k];
        item(0, 2 * a)[k] = sine_of(x[a * n_ + k]);
        item(0, 2 * a + 1)[k] = cosine_of(x[a * n_ + k]);
      }
    }
    if constexpr (D == 3) {
      for (std::size_t k = 0; k < n_; ++k) pole_[k] = static_cast<double>(x[4 * n_ + k]);
      multiply(0);
    }
  }

  // All items of order m from the angles up to that order.
  //   sin_m = 1/m sum_{j=1..m} j q_j cos_{m-j}        cos_m = -1/m sum_{j=1..m} j q_j sin_{m-j}
  void advance(int m) {
    for (int a = 0; a < kAngles; ++a) {
      S* sine = item(m, 2 * a);
      S* cosine = item(m, 2 * a + 1);
      for (std::size_t k = 0; k < n_; ++k) sine[k] = cosine[k] = S(0.0);
      for (int j = 1; j <= m; ++j) {
        const S factor(1.0 * j);
        const S* q = angle(j, a);
        const S* lower_sine = item(m - j, 2 * a);
        const S* lower_cosine = item(m - j, 2 * a + 1);
        for (std::size_t k = 0; k < n_; ++k) {
          sine[k] += factor * q[k] * lower_cosine[k];
          cosine[k] -= factor * q[k] * lower_sine[k];
        }
      }
      for (std::size_t k = 0; k < n_; ++k) {
        sine[k] = sine[k] / S(1.0 * m);
        cosine[k] = cosine[k] / S(1.0 * m);
      }
    }
    if constexpr (D == 3) multiply(m);
  }

  // Order m again, once its angles have changed by `change`[angle][link] from zero: only the products with
  // order 0 change.
  void correct(int m, const S* change) {
    const S* d_theta = change;
    const auto add = [&](int to, int by_theta, double sign_theta, int by_phi, double sign_phi) {
      for (std::size_t k = 0; k < n_; ++k) {
        S sum = by_theta < 0 ? S(0.0) : S(sign_theta) * item(0, by_theta)[k] * d_theta[k];
        if (by_phi >= 0) sum += S(sign_phi) * item(0, by_phi)[k] * change[n_ + k];
        item(m, to)[k] += sum;
      }
    };
    add(kSinTheta, kCosTheta, 1, -1, 0);
    add(kCosTheta, kSinTheta, -1, -1, 0);
    if constexpr (D == 3) {
      add(kSinPhi, -1, 0, kCosPhi, 1);
      add(kCosPhi, -1, 0, kSinPhi, -1);
      add(kSinCos, kCosCos, 1, kSinSin, -1);
      add(kSinSin, kCosSin, 1, kSinCos, 1);
      add(kCosCos, kSinCos, -1, kCosSin, -1);
      add(kCosSin, kSinSin, -1, kCosCos, 1);
    }
    for (int a = 0; a < kAngles; ++a) {
      for (std::size_t k = 0; k < n_; ++k) angle(m, a)[k] += change[a * n_ + k];
    }
  }

  // u of order m
  Vector direction(int m, std::size_t k) const {
    if constexpr (D == 2)
      return {at(m, kSinTheta, k), -at(m, kCosTheta, k)};
    else
      return placed(k, at(m, kSinCos, k), at(m, kSinSin, k), at(m, kCosTheta, k));
  }

  // du/dtheta, du/dphi of order m
  Vector tangent(int m, int a, std::size_t k) const {
    if constexpr (D == 2) {
      return {at(m, kCosTheta, k), at(m, kSinTheta, k)};
    } else {
      if (a == 0) return placed(k, at(m, kCosCos, k), at(m, kCosSin, k), -at(m, kSinTheta, k));
      return placed(k, -at(m, kSinSin, k), at(m, kSinCos, k), S(0.0));
    }
  }

  // d2u by theta theta, theta phi, phi phi, of order 0
  Vector curvature(int c, std::size_t k) const {
    if (c == 0) {
      Vector out = direction(0, k);
      for (S& component : out) component = -component;
      return out;
    }
    if constexpr (D == 2)
      return {};
    else if (c == 1)
      return placed(k, -at(0, kCosSin, k), at(0, kCosCos, k), S(0.0));
    else
      return placed(k, -at(0, kSinCos, k), -at(0, kSinSin, k), S(0.0));
  }

 private:
  enum Item { kSinTheta, kCosTheta, kSinPhi, kCosPhi, kSinCos, kSinSin, kCosCos, kCosSin };
  static constexpr int kItems = D == 2 ? 2 : 8;

  S* item(int order, int i) { return item_.data() + (order * kItems + i) * n_; }
  S at(int order, int i, std::size_t k) const { return item_[(order * kItems + i) * n_ + k]; }

  // sin theta and cos theta times cos phi and sin phi
  void multiply(int m) {
    const auto product = [&](int to, int a, int b) {
      S* out = item(m, to);
      for (std::size_t k = 0; k < n_; ++k) out[k] = S(0.0);
      for (int j = 0; j <= m; ++j) {
        const S* left = item(j, a);
        const S* right = item(m - j, b);
        for (std::size_t k = 0; k < n_; ++k) out[k] += left[k] * right[k];
      }
    };
    product(kSinCos, kSinTheta, kCosPhi);
    product(kSinSin, kSinTheta, kSinPhi);
    product(kCosCos, kCosTheta, kCosPhi);
    product(kCosSin, kCosTheta, kSinPhi);
  }

  // From a chart's own axes (two across its pole, one along it) to the chain's space.
  //   pole z: u = (sin th cos ph, sin th sin ph, -cos th)      pole x: u = (cos th, sin th cos ph, sin th sin
  //   ph)
  Vector placed(std::size_t k, const S& first, const S& second, const S& along) const {
    if (pole_[k] == kPoleZ) return {first, second, -along};
    return {along, first, second};
  }

  std::size_t n_;
  std::vector<S> angle_;  // [order][angle][link]
  std::vector<S> item_;   // [order][item][link]
  std::vector<double> pole_;
};

}  // namespace catena
