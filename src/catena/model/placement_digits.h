// Bodies and joints with all the digits that were written: numbers stand for their decimals (math/decimal.h),
// and what follows from them (turns, frames, inertias of shapes) is computed in pairs of doubles. The structs
// of mechanism.h keep the doubles and, beside them, the rest that a double cannot hold.
#pragma once

#include <array>

#include "catena/math/double_double.h"
#include "catena/model/body_entries.h"
#include "catena/model/shapes.h"

namespace catena {

using Vec3Digits = std::array<DoubleDouble, 3>;
using QuaternionDigits = std::array<DoubleDouble, 4>;

Vec3Digits decimals_of(const Vec3& written);
// value + rest.
Vec3Digits all_digits(const Vec3& value, const Vec3& rest);
QuaternionDigits all_digits(const Quaternion& value, const Quaternion& rest);
Vec3 rest_of(const Vec3Digits& whole, const Vec3& value);
Quaternion rest_of(const QuaternionDigits& whole, const Quaternion& value);

DoubleDouble dot(const Vec3Digits& a, const Vec3Digits& b);
Vec3Digits cross(const Vec3Digits& a, const Vec3Digits& b);
Vec3Digits plus(const Vec3Digits& a, const Vec3Digits& b);
Vec3Digits minus(const Vec3Digits& a, const Vec3Digits& b);
Vec3Digits times(const DoubleDouble& factor, const Vec3Digits& a);
Vec3Digits rotated(const QuaternionDigits& p, const Vec3Digits& v);
Vec3Digits rotated_back(const QuaternionDigits& p, const Vec3Digits& v);
QuaternionDigits product(const QuaternionDigits& a, const QuaternionDigits& b);
QuaternionDigits normalised(const QuaternionDigits& p);
// As turn_about; the angle with its rest.
QuaternionDigits turn_digits(const Vec3& axis, const Angle& angle);

using MassDigits = MassPropertiesOf<DoubleDouble>;

// Of unit density. `size`: its extents in double; `written`: the mesh before it is scaled.
MassDigits solid_digits(const ShapeEntry& entry, const Vec3& size, const Mesh& written);

// Mass and inertia, after these are known as doubles.
void keep_digits(const MassDigits& whole, Body& body);

// The frames of a joint and its number, after these are known as doubles.
void keep_digits(const JointEntry& entry, const Mechanism& mechanism, Joint& joint);

}  // namespace catena
