// Vectors and rotations of expressions, so that joints read like their equations:  dot(a.z, b.point -
// a.point).
#pragma once

#include <array>

#include "catena/expr/expression.h"

namespace catena::expr {

struct Vector {
  Expression x, y, z;
};

inline Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(const Expression& s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Expression dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Expression square(const Expression& a) { return a * a; }

// w, x, y, z
struct Quaternion {
  Expression w, x, y, z;
};

// p v p*: the vector turned, for |p| = 1.
inline Vector rotated(const Quaternion& p, const Vector& v) {
  const Expression ww = square(p.w), xx = square(p.x), yy = square(p.y), zz = square(p.z);
  const Expression xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z;
  const Expression wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z;
  const Vector first{ww + xx - yy - zz, 2.0 * (xy + wz), 2.0 * (xz - wy)};
  const Vector second{2.0 * (xy - wz), ww - xx + yy - zz, 2.0 * (yz + wx)};
  const Vector third{2.0 * (xz + wy), 2.0 * (yz - wx), ww - xx - yy + zz};
  return v.x * first + v.y * second + v.z * third;
}

// p (0, w) / 2: the rate of p when the body turns at w, given in the body's own frame.
inline Quaternion rate(const Quaternion& p, const Vector& w) {
  return {-0.5 * (p.x * w.x + p.y * w.y + p.z * w.z), 0.5 * (p.w * w.x + p.y * w.z - p.z * w.y),
          0.5 * (p.w * w.y + p.z * w.x - p.x * w.z), 0.5 * (p.w * w.z + p.x * w.y - p.y * w.x)};
}

}  // namespace catena::expr
