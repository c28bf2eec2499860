#include <algorithm>

#include "catena/model/curves.h"
#include "catena/model/fields.h"
#include "catena/model/joint_info.h"
#include "catena/model/shapes.h"

namespace catena {
namespace {

template <class P>
std::vector<Field<P>> shape_fields() {
  return {
      field<P, std::string>("shape", &P::shape, "", "what it is; `catena list shapes`").one_of(shape_names()),
      field<P, Numbers>("size", &P::size, "m", "extents along its own x, y and z").within(kSize),
      field<P, std::optional<double>>("radius", &P::radius, "m", "of round shapes, instead of size")
          .within(kSize),
      field<P, std::optional<double>>("length", &P::length, "m",
                                      "of rod, cylinder, capsule and cone, instead of size")
          .within(kSize),
      field<P, std::string>("file", &P::file, "", "of a mesh: an .obj or .stl file, in metres"),
      field<P, Triples>("vertices", &P::vertices, "m", "of a mesh, instead of a file: its corners")
          .within(kNotHuge),
      field<P, Triples>("triangles", &P::triangles, "",
                        "of a mesh: the corners of each, counted from 0, counterclockwise seen from outside")
          .within(kNotNegative),
      field<P, double>("scale", &P::scale, "", "of a mesh: its lengths are multiplied by this").within(kSize),
      field<P, std::optional<double>>("mass", &P::mass, "kg", "its mass").within(kNotNegative),
      field<P, std::optional<double>>("density", &P::density, "kg/m^3", "instead of mass").within(kSize),
  };
}

}  // namespace

const std::vector<Field<PartEntry>>& part_fields() {
  using P = PartEntry;
  static const std::vector<Field<P>> fields = [] {
    std::vector<Field<P>> all = shape_fields<P>();
    all.push_back(
        field("position", &P::position, "m", "of its centre (a cone's base, a mesh's origin) in the body")
            .within(kNotHuge));
    all.push_back(field("orientation", &P::orientation, "", "part to body"));
    return all;
  }();
  return fields;
}

const std::vector<Field<BodyEntry>>& body_fields() {
  using B = BodyEntry;
  static const std::vector<Field<B>> fields = [] {
    std::vector<Field<B>> all{field("name", &B::name, "", "its name").needed()};
    for (Field<B>& one : shape_fields<B>()) all.push_back(std::move(one));
    all.push_back(field("inertia", &B::inertia, "kg m^2",
                        "about the centre of mass, in the body's frame, instead of the shape's own")
                      .within(kNotHuge));
    all.push_back(field("position", &B::position, "m", "of the centre of mass, world").within(kNotHuge));
    all.push_back(field("orientation", &B::orientation, "", "body to world"));
    all.push_back(field("velocity", &B::velocity, "m/s", "of the centre of mass, world").within(kNotHuge));
    all.push_back(
        field("angular_velocity", &B::angular_velocity, "rad/s", "in the world's frame").within(kNotHuge));
    all.push_back(field("fixed", &B::fixed, "", "stays where it is"));
    all.push_back(field("charge", &B::charge, "C", "electric charge").within(kNotHuge));
    all.push_back(
        field("moment", &B::moment, "A m^2", "magnetic moment, in the body's frame").within(kNotHuge));
    all.push_back(field("susceptibility", &B::susceptibility, "",
                        "magnetic susceptibility: positive is drawn into fields")
                      .within(kSusceptibilities));
    all.push_back(
        field("volume", &B::volume, "m^3",
              "for buoyancy and susceptibility; default: that of the shape or of the parts, 0 for points")
            .within(kNotNegative));
    all.push_back(field("drag_area", &B::drag_area, "m^2", "cross section, for drag").within(kNotNegative));
    return all;
  }();
  return fields;
}

namespace {

using JointFields = std::vector<Field<JointEntry>>;

// "gear: q_second = ratio q_first; rack: m of travel per rad"
template <class Summary>
std::string of_kinds(const char* key, Summary&& summary_in) {
  std::string out;
  for (const JointInfo& info : joint_infos()) {
    const auto [own_key, summary] = summary_in(info);
    if (own_key == nullptr || std::string(own_key) != key) continue;
    out += (out.empty() ? "" : "; ") + std::string(info.name) + ": " + summary;
  }
  return out;
}

bool has_field(const JointFields& fields, const char* key) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field<JointEntry>& one) { return one.name == key; });
}

// The keys of the numbers that kinds need which stand like this.
void add_values(JointPlace place, JointFields& fields) {
  for (const JointInfo& info : joint_infos()) {
    const JointValue& value = info.value;
    if (info.place != place || value.key == nullptr || has_field(fields, value.key)) continue;
    const auto summary = [](const JointInfo& one) { return std::pair(one.value.key, one.value.summary); };
    fields.push_back(field(value.key, &JointEntry::value, value.unit, of_kinds(value.key, summary))
                         .within(value.positive ? kSize : kNotHuge));
  }
}

void add_curves(JointFields& fields) {
  for (const JointInfo& info : joint_infos()) {
    const char* key = info.curve.key;
    if (key == nullptr || has_field(fields, key)) continue;
    const auto summary = [](const JointInfo& one) { return std::pair(one.curve.key, one.curve.summary); };
    fields.push_back(
        field(key, &JointEntry::curve, "m", of_kinds(key, summary)).using_names({kCurveParameter}));
  }
}

JointFields fields_of_joints() {
  using J = JointEntry;
  std::vector<std::string> kinds;
  for (const JointInfo& info : joint_infos()) kinds.emplace_back(info.name);
  JointFields fields = {
      field("name", &J::name, "", "its name; default: kind and count"),
      field("kind", &J::kind, "", "what it leaves free; `catena list joints`").needed().one_of(kinds),
      field("bodies", &J::bodies, "", "the two bodies it joins; \"ground\" is the fixed world"),
      field("point", &J::point, "m", "where it is at the start, world; from then on fixed in both bodies")
          .within(kNotHuge),
      field("axis", &J::axis, "", "its axis at the start, world; likewise").within(kNotHuge),
      field("axis2", &J::axis2, "", "universal: the axis in the second body").within(kNotHuge),
      field("anchors", &J::anchors, "m", "instead of point: its place in each body's own frame")
          .within(kNotHuge),
      field("axes", &J::axes, "", "instead of axis: its axis in each body's own frame").within(kNotHuge),
      field("points", &J::points, "m", "distance: the two ends at the start, world").within(kNotHuge),
  };
  add_values(JointPlace::ends, fields);
  fields.push_back(field("joints", &J::joints, "", "gear, rack: the two joints whose coordinates it ties"));
  for (const JointPlace place : {JointPlace::ties, JointPlace::point, JointPlace::curve})
    add_values(place, fields);
  add_curves(fields);
  const JointFields others = {
      field("angle", &J::angle, "rad", "its coordinate at the start, from the drawing").within(kNotHuge),
      field("travel", &J::travel, "m", "its coordinate at the start, from the drawing").within(kNotHuge),
      field("rate", &J::rate, "", "of its coordinate at the start, rad/s or m/s")
          .written_as(Kind::angular_rate)
          .within(kNotHuge),
      field("damping", &J::damping, "", "force per rate, N s/m or N m s").within(kNotNegative),
      field("friction", &J::friction, "", "of constant size against the motion, N or N m")
          .within(kNotNegative),
      field("friction_rate", &J::friction_rate, "",
            "the rate w that rounds friction off: friction w / sqrt(w^2 + friction_rate^2)")
          .within(kSize),
      field("stiffness", &J::stiffness, "",
            "of a spring at the joint, N/m or N m/rad; distance: a spring in place of the rod")
          .within(kNotNegative),
      field("rest", &J::rest, "", "coordinate at which the spring is at rest, m or rad")
          .written_as(Kind::angle)
          .within(kNotHuge),
      field("limits", &J::limits, "", "lowest and highest coordinate, m or rad; springs push back beyond")
          .written_as(Kind::angles)
          .within(kNotHuge),
      field("limit_stiffness", &J::limit_stiffness, "", "of those springs, N/m or N m/rad").within(kSize),
      field("limit_damping", &J::limit_damping, "", "beyond the limits: force per rate and depth")
          .within(kNotNegative),
      field("motor", &J::motor, "",
            "a force or a motion: { torque | force | angle | travel = formula of t }"),
  };
  fields.insert(fields.end(), others.begin(), others.end());
  return fields;
}

}  // namespace

const std::vector<Field<JointEntry>>& joint_fields() {
  static const JointFields fields = fields_of_joints();
  return fields;
}

}  // namespace catena
