// Where joints sit in their bodies: from what is given in the world at the start.
#pragma once

#include "catena/model/mechanism.h"

namespace catena {

Vec3 rotated(const Quaternion& p, const Vec3& v);       // body to world
Vec3 rotated_back(const Quaternion& p, const Vec3& v);  // world to body
Quaternion product(const Quaternion& a, const Quaternion& b);
Quaternion normalised(const Quaternion& p);
// Right-handed turn by `angle` about `axis`, which need not have unit length.
Quaternion turn_about(const Vec3& axis, const Angle& angle);

// The turn that takes the axes x, y, z to those of a frame.
Quaternion turn_of(const JointFrame& frame);

// A frame at `point` with z along `axis`, both in the world; x is `reference` made perpendicular to z, or any
// perpendicular where that is zero.
JointFrame frame_along(const Vec3& point, const Vec3& axis, const Vec3& reference = {});

// The same frame as seen by a body where it is now; kGround: as it is.
JointFrame seen_by(const Mechanism& mechanism, int body, const JointFrame& world);

// A joint whose two frames coincide now, at `point` with z along `axis`.
Joint joint_at(const Mechanism& mechanism, JointKind kind, int a, int b, const Vec3& point,
               const Vec3& axis = {0, 0, 1});

// A rod of the length that the two points have now.
Joint rod_between(const Mechanism& mechanism, int a, int b, const Vec3& point_a, const Vec3& point_b);

}  // namespace catena
