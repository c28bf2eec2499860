#include "catena/model/entries.h"

#include <algorithm>
#include <cmath>

#include "catena/math/decimal.h"
#include "catena/math/functions_digits.h"

namespace catena {
namespace {

// Scaled by a power of two to a largest component between 1/2 and 1, so that squares neither over- nor
// underflow and no digit is lost.
Vec3 scaled_to_one(const Vec3& v) {
  const double largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
  int exponent = 0;
  std::frexp(largest, &exponent);
  return {std::ldexp(v[0], -exponent), std::ldexp(v[1], -exponent), std::ldexp(v[2], -exponent)};
}

}  // namespace

void set_direction(Link& link, const Vec3& direction, const Vec3& rate) {
  const Vec3 d = scaled_to_one(direction);
  const double size = std::sqrt(dot(d, d));
  link.by_direction = true;
  link.written_direction = direction;
  link.written_rate = rate;
  link.direction = {d[0] / size, d[1] / size, d[2] / size};
  // Along d rather than the rounded unit vector: (1,1,0) then removes all of a rate (1,1,0). A second pass
  // takes what rounding left of a rate that is almost parallel.
  link.rate = rate;
  for (int pass = 0; pass < 2; ++pass) {
    const double along = dot(link.rate, d) / dot(d, d);
    for (int i = 0; i < 3; ++i) link.rate[i] -= along * d[i];
  }
}

namespace {

// What was written, in its own unit.
DoubleDouble meant(const WrittenAngle& written) {
  return written.is_summed ? two_sum(written.value, written.rest) : decimal(written.value);
}

DoubleDouble radians_in(const WrittenAngle& written) {
  switch (written.unit) {
    case AngleUnit::degrees:
      return meant(written) * digits::pi<DoubleDouble>() / DoubleDouble(180.0);
    case AngleUnit::half_turns:
      return meant(written) * digits::pi<DoubleDouble>();
    case AngleUnit::radians:
      break;
  }
  return meant(written);
}

Angle rounded_angle(const WrittenAngle& written) {
  switch (written.unit) {
    case AngleUnit::degrees:
      return Angle::from_degrees(written.value);
    case AngleUnit::half_turns:
      return Angle::from_half_turns(written.value);
    case AngleUnit::radians:
      break;
  }
  return Angle::from_radians(written.value);
}

WrittenAngle summed(double value, AngleUnit unit, const DoubleDouble& sum) {
  return {value, unit, static_cast<double>(sum - DoubleDouble(value)), true};
}

}  // namespace

Angle angle_of(const WrittenAngle& written) {
  Angle angle = rounded_angle(written);
  angle.rest = static_cast<double>(radians_in(written) - DoubleDouble(angle.radians));
  return angle;
}

WrittenAngle stepped(const WrittenAngle& start, int count, const WrittenAngle& step) {
  if (count == 0 || step.value == 0.0) return start;
  const double steps = count;
  const DoubleDouble turned = DoubleDouble(steps) * meant(step);
  if (start.unit == step.unit)
    return summed(std::fma(steps, step.value, start.value), start.unit, meant(start) + turned);
  if (start.value == 0.0) return summed(steps * step.value, step.unit, turned);
  return summed(std::fma(steps, angle_of(step).radians, angle_of(start).radians), AngleUnit::radians,
                radians_in(start) + DoubleDouble(steps) * radians_in(step));
}

Link link_of(const LinkEntry& entry, int index) {
  Link link;
  link.length = entry.length;
  link.mass = entry.mass;
  link.center_of_mass = entry.center_of_mass.value_or(entry.inertia.rod ? 0.5 : 1.0);
  link.rod = entry.inertia.rod;
  link.inertia = entry.inertia.rod ? entry.mass * entry.length * entry.length / 12.0 : entry.inertia.value;
  link.stiffness = entry.stiffness.value_or(0.0);
  link.stretch = entry.stretch;
  link.stretch_dot = entry.stretch_dot;
  link.axial_damping = entry.axial_damping;
  if (entry.hinge) {
    const Vec3 axis = scaled_to_one(*entry.hinge);
    link.written_hinge = *entry.hinge;
    const double size = std::sqrt(dot(axis, axis));
    link.hinge = {axis[0] / size, axis[1] / size, axis[2] / size};
  }
  link.damping = entry.damping;
  link.friction = entry.friction;
  link.friction_rate = entry.friction_rate;
  link.joint_stiffness = entry.joint_stiffness;
  link.linear_stiffness = entry.joint_stiffness_law == "linear";
  link.charge = entry.charge;
  link.moment = entry.moment.fixed;
  link.moment_along = entry.moment.along;
  link.susceptibility = entry.susceptibility;
  link.volume = entry.volume;
  link.drag_area = entry.drag_area;
  if (entry.direction) {
    set_direction(link, *entry.direction, entry.rate.value_or(Vec3{0.0, 0.0, 0.0}));
    return link;
  }
  link.theta = angle_of(stepped(entry.theta, index, entry.theta_step));
  link.phi = angle_of(stepped(entry.phi, index, entry.phi_step));
  const Angle theta_dot = angle_of(entry.theta_dot), phi_dot = angle_of(entry.phi_dot);
  link.theta_dot = theta_dot.radians;
  link.phi_dot = phi_dot.radians;
  link.theta_dot_rest = theta_dot.rest;
  link.phi_dot_rest = phi_dot.rest;
  return link;
}

}  // namespace catena
