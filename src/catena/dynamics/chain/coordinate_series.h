// Taylor series of the sines, cosines and their products that a chain's directions consist of, in the charts
// of coordinate_chain.h: u and its derivatives by the angles, order by order. Order 0 alone gives their
// values. Rows of one number per link.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace catena {

constexpr double kPoleZ = 1.0;
constexpr double kPoleX = 0.0;

template <int D>
class CoordinateSeries {
 public:
  static constexpr int kAngles = D - 1;
  static constexpr int kCurvatures = kAngles * (kAngles + 1) / 2;
  using Vector = std::array<double, D>;

  explicit CoordinateSeries(std::size_t links) : n_(links), pole_(links, kPoleZ) { reserve(0); }

  void reserve(int order) {
    const std::size_t rows = static_cast<std::size_t>(order) + 1;
    if (angle_.size() < rows * kAngles * n_) angle_.resize(rows * kAngles * n_);
    if (item_.size() < rows * kItems * n_) item_.resize(rows * kItems * n_);
  }

  double* angle(int order, int a) { return angle_.data() + (order * kAngles + a) * n_; }

  // Order 0 from a state.
  void start(const double* x) {
    for (int a = 0; a < kAngles; ++a) {
      for (std::size_t k = 0; k < n_; ++k) {
        angle(0, a)[k] = x[a * n_ + k];
        item(0, 2 * a)[k] = std::sin(x[a * n_ + k]);
        item(0, 2 * a + 1)[k] = std::cos(x[a * n_ + k]);
      }
    }
    if constexpr (D == 3) {
      for (std::size_t k = 0; k < n_; ++k) pole_[k] = x[4 * n_ + k];
      multiply(0);
    }
  }

  // All items of order m from the angles up to that order.
  //   sin_m = 1/m sum_{j=1..m} j q_j cos_{m-j}        cos_m = -1/m sum_{j=1..m} j q_j sin_{m-j}
  void advance(int m) {
    for (int a = 0; a < kAngles; ++a) {
      double* sine = item(m, 2 * a);
      double* cosine = item(m, 2 * a + 1);
      for (std::size_t k = 0; k < n_; ++k) sine[k] = cosine[k] = 0.0;
      for (int j = 1; j <= m; ++j) {
        const double* q = angle(j, a);
        const double* lower_sine = item(m - j, 2 * a);
        const double* lower_cosine = item(m - j, 2 * a + 1);
        for (std::size_t k = 0; k < n_; ++k) {
          sine[k] += j * q[k] * lower_cosine[k];
          cosine[k] -= j * q[k] * lower_sine[k];
        }
      }
      for (std::size_t k = 0; k < n_; ++k) {
        sine[k] /= m;
        cosine[k] /= m;
      }
    }
    if constexpr (D == 3) multiply(m);
  }

  // Order m again, once its angles have changed by `change`[angle][link] from zero: only the products with
  // order 0 change.
  void correct(int m, const double* change) {
    const double* d_theta = change;
    const auto add = [&](int to, int by_theta, double sign_theta, int by_phi, double sign_phi) {
      for (std::size_t k = 0; k < n_; ++k) {
        double sum = by_theta < 0 ? 0.0 : sign_theta * item(0, by_theta)[k] * d_theta[k];
        if (by_phi >= 0) sum += sign_phi * item(0, by_phi)[k] * change[n_ + k];
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
      return placed(k, -at(m, kSinSin, k), at(m, kSinCos, k), 0.0);
    }
  }

  // d2u by theta theta, theta phi, phi phi, of order 0
  Vector curvature(int c, std::size_t k) const {
    if (c == 0) {
      Vector out = direction(0, k);
      for (double& component : out) component = -component;
      return out;
    }
    if constexpr (D == 2)
      return {};
    else if (c == 1)
      return placed(k, -at(0, kCosSin, k), at(0, kCosCos, k), 0.0);
    else
      return placed(k, -at(0, kSinCos, k), -at(0, kSinSin, k), 0.0);
  }

 private:
  enum Item { kSinTheta, kCosTheta, kSinPhi, kCosPhi, kSinCos, kSinSin, kCosCos, kCosSin };
  static constexpr int kItems = D == 2 ? 2 : 8;

  double* item(int order, int i) { return item_.data() + (order * kItems + i) * n_; }
  double at(int order, int i, std::size_t k) const { return item_[(order * kItems + i) * n_ + k]; }

  // sin theta and cos theta times cos phi and sin phi
  void multiply(int m) {
    const auto product = [&](int to, int a, int b) {
      double* out = item(m, to);
      for (std::size_t k = 0; k < n_; ++k) out[k] = 0.0;
      for (int j = 0; j <= m; ++j) {
        const double* left = item(j, a);
        const double* right = item(m - j, b);
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
  Vector placed(std::size_t k, double first, double second, double along) const {
    if (pole_[k] == kPoleZ) return {first, second, -along};
    return {along, first, second};
  }

  std::size_t n_;
  std::vector<double> angle_;  // [order][angle][link]
  std::vector<double> item_;   // [order][item][link]
  std::vector<double> pole_;
};

}  // namespace catena
