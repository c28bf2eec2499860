// The space that a chain is computed in: all of it, or a vertical plane.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <vector>

#include "catena/math/double_double.h"
#include "catena/math/vec3.h"
#include "catena/model/scene.h"

namespace catena {

// The vertical plane a planar chain moves in: world = pivot + h (cosine, sine, 0) + z (0, 0, 1).
struct Plane {
  double azimuth = 0.0;  // in [0, 2 pi)
  double cosine = 1.0;
  double sine = 0.0;
  // What these doubles cannot hold, for runs with more digits.
  double cosine_rest = 0.0;
  double sine_rest = 0.0;

  // A vector of the world in it: across, up, nothing. With the digits of the number; inlined wherever it
  // stands, since some sources fuse a * b + c and others must not.
  template <class S>
  [[gnu::always_inline]] Vec3Of<S> own(const Vec3Of<S>& world) const {
    if constexpr (std::is_same_v<S, double>) {
      return {world[0] * cosine + world[1] * sine, world[2], 0.0};
    } else {
      return {world[0] * (S(cosine) + S(cosine_rest)) + world[1] * (S(sine) + S(sine_rest)), world[2],
              S(0.0)};
    }
  }

  DoubleDouble cosine_digits() const { return two_sum(cosine, cosine_rest); }
  DoubleDouble sine_digits() const { return two_sum(sine, sine_rest); }
};

// Sine and cosine of what was written; those of quarter turns are exact.
struct AngleDigits {
  explicit AngleDigits(const Angle& angle);
  DoubleDouble sine, cosine;
};

// Where a link points at the start, and the rate of that, with all digits that were written. A rate that was
// given may have a part along the link, which does not count.
struct StartDigits {
  std::array<DoubleDouble, 3> direction, rate;
};
StartDigits start_digits(const Link& link);

// The vertical plane that start and gravity lie in; none if the motion is spatial.
std::optional<Plane> common_plane(const Chain& chain, const Vec3& gravity);

// +1 when the link's own azimuth is the plane's, -1 when it is opposite. A link that shows no azimuth,
// vertical and at rest, keeps the sign of its angle.
double side(const Link& link, const Plane& plane);

double within_turn(double angle);

// Bodies that keep to a vertical plane, as far as joints and start say: they turn about its normal alone.
// `offset`: of the plane from the origin, along the normal (-sine, cosine, 0).
struct BodiesInPlane {
  Plane plane;
  double offset = 0.0;
  std::vector<char> in;           // of each body that moves
  std::vector<Quaternion> start;  // their orientations
};

}  // namespace catena
