// Bodies and joints with all the digits that were written: numbers stand for their decimals (math/decimal.h),
// and what follows from them (turns, frames, inertias of shapes) is computed in pairs of doubles. The structs
// of mechanism.h keep the doubles and, beside them, the rest that a double cannot hold.
#pragma once

#include <array>

#include "catena/math/double_double.h"
#include "catena/model/body_entries.h"
#include "catena/model/shapes.h"

namespace catena {

using WideVec3 = std::array<DoubleDouble, 3>;
using WideQuaternion = std::array<DoubleDouble, 4>;

WideVec3 wide_decimals(const Vec3& written);
// value + rest.
WideVec3 wide_sum(const Vec3& value, const Vec3& rest);
WideQuaternion wide_sum(const Quaternion& value, const Quaternion& rest);
Vec3 rest_of(const WideVec3& whole, const Vec3& value);
Quaternion rest_of(const WideQuaternion& whole, const Quaternion& value);

DoubleDouble dot(const WideVec3& a, const WideVec3& b);
WideVec3 cross(const WideVec3& a, const WideVec3& b);
WideVec3 plus(const WideVec3& a, const WideVec3& b);
WideVec3 minus(const WideVec3& a, const WideVec3& b);
WideVec3 times(const DoubleDouble& factor, const WideVec3& a);
WideVec3 rotated(const WideQuaternion& p, const WideVec3& v);
WideVec3 rotated_back(const WideQuaternion& p, const WideVec3& v);
WideQuaternion product(const WideQuaternion& a, const WideQuaternion& b);
WideQuaternion normalised(const WideQuaternion& p);
// As turn_about; the angle with its rest.
WideQuaternion wide_turn(const Vec3& axis, const Angle& angle);

using WideMass = MassPropertiesOf<DoubleDouble>;

// Of unit density. `size`: its extents in double; `written`: the mesh before it is scaled.
WideMass wide_solid(const ShapeEntry& entry, const Vec3& size, const Mesh& written);

// Mass and inertia, after these are known as doubles.
void keep_digits(const WideMass& whole, Body& body);

// The frames of a joint and its number, after these are known as doubles.
void keep_digits(const JointEntry& entry, const Mechanism& mechanism, Joint& joint);

}  // namespace catena
