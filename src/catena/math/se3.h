// The Lie algebra se(3) of rigid motions: pairs (xi, eta) of a turning and a shift, their exponential,
// bracket and the inverse of the exponential's derivative. All formulas keep their digits at all angles below
// a turn, small ones included: no difference of nearly equal numbers is left, and there is no switch below
// which terms are dropped.
#pragma once

#include "catena/math/vec3.h"

namespace catena {

struct Twist {
  Vec3 xi;
  Vec3 eta;
};

inline Twist operator+(const Twist& a, const Twist& b) { return {a.xi + b.xi, a.eta + b.eta}; }
inline Twist operator*(double s, const Twist& a) { return {s * a.xi, s * a.eta}; }

// [(xi, eta), (a, b)] = (xi x a, xi x b + eta x a)
inline Twist bracket(const Twist& s, const Twist& v) {
  return {cross(s.xi, v.xi), cross(s.xi, v.eta) + cross(s.eta, v.xi)};
}

// Functions of the square of an angle that the formulas of rotations consist of.
double sine_ratio(double square);      // sin a / a
double cosine_ratio(double square);    // (1 - cos a) / a^2
double sine_gap_ratio(double square);  // (a - sin a) / a^3
struct InverseRatios {
  double value;  // c(a) = (1 - (a/2) cot(a/2)) / a^2
  double slope;  // c'(a) / a
};
InverseRatios inverse_ratios(double square);

// exp(xi, eta) = (R, r):  R = I + A xi^ + B xi^^2,  r = (I + B xi^ + C xi^^2) eta.
struct RigidMotion {
  explicit RigidMotion(const Twist& twist);

  // R v - v, exact where R is close to the identity.
  Vec3 change(const Vec3& v) const {
    const Vec3 turned = cross(xi, v);
    return a * turned + b * cross(xi, turned);
  }

  Vec3 shift;  // r

 private:
  Vec3 xi;
  double a, b;
};

// dexp^-1_s v = ad / (exp(ad) - 1) v with ad = [s, .]
Twist dexp_inverse(const Twist& s, const Twist& v);

}  // namespace catena
