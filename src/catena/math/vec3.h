// Vectors in space: three numbers, in the order x, y, z. The functions hold for numbers of any kind.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace catena {

template <class S>
using Vec3Of = std::array<S, 3>;
using Vec3 = Vec3Of<double>;

// Inlined wherever they stand: some sources round a * b + c as it is written and others fuse it, and no
// source may get the other's copy.
#define CATENA_INLINE [[gnu::always_inline]] inline

template <class S>
CATENA_INLINE Vec3Of<S> operator+(const Vec3Of<S>& a, const Vec3Of<S>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class S>
CATENA_INLINE Vec3Of<S> operator-(const Vec3Of<S>& a, const Vec3Of<S>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class S>
CATENA_INLINE Vec3Of<S> operator*(const std::type_identity_t<S>& s, const Vec3Of<S>& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <class S>
CATENA_INLINE Vec3Of<S>& operator+=(Vec3Of<S>& a, const Vec3Of<S>& b) {
  return a = a + b;
}
template <class S, std::size_t D>  // a plane has vectors too
CATENA_INLINE S dot(const std::array<S, D>& a, const std::array<S, D>& b) {
  if constexpr (D == 3)
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  else {
    static_assert(D == 2);
    return a[0] * b[0] + a[1] * b[1];
  }
}
template <class S>
CATENA_INLINE Vec3Of<S> cross(const Vec3Of<S>& a, const std::type_identity_t<Vec3Of<S>>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
CATENA_INLINE double length(const Vec3& a) { return std::hypot(a[0], a[1], a[2]); }

#undef CATENA_INLINE

}  // namespace catena
