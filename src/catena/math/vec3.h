// Vectors in space: three numbers, in the order x, y, z.
#pragma once

#include <array>

namespace catena {

using Vec3 = std::array<double, 3>;

// Inlined wherever they stand: some sources round a * b + c as it is written and others fuse it, and no
// source may get the other's copy.
#define CATENA_INLINE [[gnu::always_inline]] inline

CATENA_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
CATENA_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
CATENA_INLINE Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
CATENA_INLINE double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
CATENA_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

#undef CATENA_INLINE

}  // namespace catena
