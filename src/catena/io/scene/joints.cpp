// [[joints]]: frames in both bodies, and what acts in the joint.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"
#include "catena/model/curves.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

// Whether one of the kinds has this key for its number or its curve.
bool has_key(const JointInfo& info, const std::string& key) {
  return (info.value.key != nullptr && key == info.value.key) ||
         (info.curve.key != nullptr && key == info.curve.key);
}

// "gear and rack"
std::string kinds_with(const std::string& key) {
  std::vector<std::string> names;
  for (const JointInfo& info : joint_infos()) {
    if (has_key(info, key)) names.emplace_back(info.name);
  }
  return listed(names, "and");
}

// One entry on its way to a joint.
class JointReader {
 public:
  JointReader(const Node& node, std::string owner, Mechanism& mechanism, Mistakes& mistakes)
      : node_(node), owner_(std::move(owner)), mechanism_(mechanism), mistakes_(mistakes) {}

  void read(std::set<std::string>& names) {
    const std::size_t before = mistakes_.count();
    read_fields(node_, owner_, joint_fields(), {}, entry_, mistakes_);
    if (const Node* name = node_.find("name"); name != nullptr && name->text() != nullptr) {
      check_new_name(*name, owner_, "joints", names, mistakes_);
    }
    if (mistakes_.count() > before) return add_placeholder();
    joint_.place = place_of(node_.spot);
    find_kind(names);
    info().is_tie() ? tie() : join();
    set_values();
    if (mistakes_.count() > before) return add_placeholder();
    warn_of_idle_keys();
    keep_digits(entry_, mechanism_, joint_);
    if (is_spring()) return add_spring();
    mechanism_.joints.push_back(joint_);
    act();
  }

  // Formulas may name joints that come later, so they are checked at the end.
  void check_motor() const {
    if (entry_.motor.drives.empty()) return;
    const Node* motor = node_.find("motor");
    const Node* formula = motor->find(entry_.motor.drives);
    FieldInfo field;
    field.name = "motor." + entry_.motor.drives;
    const bool moves = entry_.motor.drives == "angle" || entry_.motor.drives == "travel";
    field.variables = moves ? std::vector<std::string>{"t"} : drive_names(mechanism_);
    if (const Node* parameters = motor->find("parameters")) {
      check_parameters(*parameters, owner_, field.variables, mistakes_);
      warn_of_unused(*parameters, owner_, {entry_.motor.formula}, mistakes_);
    }
    check_formula({*formula, field, owner_, mistakes_}, entry_.motor.parameters);
  }

 private:
  // Keys of where a joint is that its kind does not look at.
  void warn_of_idle_keys() const {
    std::vector<const char*> idle;
    if (info().place == JointPlace::ends) idle = {"point"};
    if (!info().is_tie() && info().axes == JointAxes::none) idle.insert(idle.end(), {"axis", "axes"});
    if (info().place == JointPlace::ends) idle.push_back("axis2");
    if (info().axes == JointAxes::orientation) idle = {"axis"};
    for (const char* key : idle) {
      const Node* value = node_.find(key);
      if (value == nullptr) continue;
      mistakes_.warn(value->spot, fmt::format("{}: {} does nothing in a joint of kind {}; leave it out",
                                              owner_, key, entry_.kind));
    }
    warn_of_lonely_keys(node_, owner_, {{"friction_rate", "friction"}, {"rest", "stiffness"}}, mistakes_);
  }

  void complain(const char* key, const std::string& what) const {
    mistakes_.add(spot_of(node_, key), fmt::format("{}: {} {}", owner_, key, what));
  }

  void add_placeholder() {  // keeps count, so that other joints' names are right
    joint_.name = entry_.name.empty() ? fmt::format("joint{}", mechanism_.joints.size() + 1) : entry_.name;
    mechanism_.joints.push_back(joint_);
  }

  // A distance that gives way: a spring or a damper between two points in place of the rod.
  bool is_spring() const {
    return info().place == JointPlace::ends && (entry_.stiffness != 0.0 || entry_.damping != 0.0);
  }

  void add_spring() {
    JointForce spring;
    spring.name = joint_.name;
    spring.along = JointForce::Along::distance;
    spring.a = joint_.a;
    spring.b = joint_.b;
    spring.in_a = joint_.in_a;
    spring.in_b = joint_.in_b;
    spring.stiffness = entry_.stiffness;
    spring.damping = entry_.damping;
    spring.rest = joint_.value;
    spring.rest_rest = joint_.value_rest;
    mechanism_.forces.push_back(spring);
  }

  const JointInfo& info() const { return joint_info(joint_.kind); }

  // Keys that say a number or a curve which other kinds have.
  void refuse_keys_of_others() const {
    for (const Field<JointEntry>& field : joint_fields()) {
      const std::string kinds = kinds_with(field.name);
      if (!kinds.empty() && !has_key(info(), field.name) && node_.find(field.name) != nullptr)
        complain(field.name.c_str(), "is for " + kinds);
    }
    if (entry_.points && info().place != JointPlace::ends)
      complain("points", fmt::format("is for {}; give point", joints_that([](const JointInfo& one) {
                                       return one.place == JointPlace::ends;
                                     })));
    if (!info().is_tie() && node_.find("joints") != nullptr)
      complain("joints", "is for " + joints_that([](const JointInfo& one) { return one.is_tie(); }));
  }

  // The number that its kind needs.
  void read_needed_value() {
    const JointValue& value = info().value;
    if (!entry_.value) {
      const std::string unit = *value.unit == '\0' ? "" : std::string(" in ") + value.unit;
      return complain(value.key, "is missing; it must be a number" + unit);
    }
    if (info().is_tie() && *entry_.value == 0.0) return complain(value.key, "must not be zero");
    joint_.value = *entry_.value;
  }

  void find_kind(std::set<std::string>& names) {
    int count = 1;
    for (const JointInfo& info : joint_infos()) {
      if (info.name == entry_.kind) joint_.kind = info.kind;
    }
    for (const Joint& joint : mechanism_.joints) count += joint.kind == joint_.kind ? 1 : 0;
    joint_.name = entry_.name;
    while (joint_.name.empty() || (entry_.name.empty() && !names.insert(joint_.name).second)) {
      joint_.name = entry_.kind + std::to_string(count++);
    }
  }

  int body_named(std::size_t side) const {
    const std::string& name = entry_.bodies[side];
    if (name == "ground") return kGround;
    std::vector<std::string> known{"ground"};
    for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) {
      if (mechanism_.bodies[i].name == name) return static_cast<int>(i);
      known.push_back(mechanism_.bodies[i].name);
    }
    const std::string guess = did_you_mean(name, known);
    mistakes_.add((*node_.find("bodies")->list())[side].spot,
                  fmt::format("{}: there is no body {}{}", owner_, in_quotes(name),
                              guess.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : guess));
    return kGround;
  }

  void join() {
    if (entry_.bodies.size() != 2) {
      return complain("bodies", "must name two bodies, such as [\"ground\", \"crank\"]");
    }
    joint_.a = body_named(0);
    joint_.b = body_named(1);
    if (entry_.bodies[0] == entry_.bodies[1]) {
      return complain("bodies", fmt::format("names {} twice; a joint is between two bodies",
                                            in_quotes(entry_.bodies[0])));
    }
    check_point_bodies();
    if (info().place == JointPlace::ends) return place_ends();
    info().place == JointPlace::curve ? place_on_curve() : place_frames();
  }

  void check_point_bodies() const {
    const auto is_point = [&](int body) {
      return body != kGround && mechanism_.bodies[static_cast<std::size_t>(body)].point;
    };
    const JointPoints takes = info().points;
    const bool bad = (is_point(joint_.a) && takes != JointPoints::both) ||
                     (is_point(joint_.b) && takes == JointPoints::none);
    if (bad) {
      const std::string both =
          joints_that([](const JointInfo& one) { return one.points == JointPoints::both; }, "");
      complain("kind",
               fmt::format(
                   "{} needs an orientation, which a point has not; points take {}, and as the second body "
                   "{}",
                   in_quotes(entry_.kind), both,
                   joints_that([](const JointInfo& one) { return one.points == JointPoints::second; })));
    }
    for (const std::size_t side : {0UL, 1UL}) {
      if (is_point(side == 0 ? joint_.a : joint_.b)) check_point_end(side);
    }
  }

  // A point has no place but its own: an end elsewhere would have to be moved there in silence.
  void check_point_end(std::size_t side) const {
    const Vec3& mass = mechanism_.bodies[static_cast<std::size_t>(side == 0 ? joint_.a : joint_.b)].position;
    const auto refuse = [&](const char* key, const Vec3& given, const Vec3& right) {
      const double apart = length(given - right);
      const double size = 1.0 + length(right);
      if (apart <= 1e-9 * size) return;
      mistakes_.add(
          (*node_.find(key)->list())[side].spot,
          fmt::format("{}: {} must be [{}] on {}, a point, which has no place but its own; or give it a "
                      "shape, or another mass at that end",
                      owner_, key, fmt::join(right, ", "), in_quotes(entry_.bodies[side])));
    };
    if (entry_.points) refuse("points", (*entry_.points)[side], mass);
    if (entry_.anchors) refuse("anchors", (*entry_.anchors)[side], {});
  }

  // A place in a body's frame, in the world.
  Vec3 world_point(int body, const Vec3& own) const {
    if (body == kGround) return own;
    const Body& of = mechanism_.bodies[static_cast<std::size_t>(body)];
    return of.position + rotated(of.orientation, own);
  }
  Vec3 world_vector(int body, const Vec3& own) const {
    return body == kGround ? own
                           : rotated(mechanism_.bodies[static_cast<std::size_t>(body)].orientation, own);
  }

  // Points have no place but their own.
  JointFrame own_frame(int body, const JointFrame& world) const {
    JointFrame frame = seen_by(mechanism_, body, world);
    if (body != kGround && mechanism_.bodies[static_cast<std::size_t>(body)].point) frame.point = {};
    return frame;
  }

  void place_ends() {
    if (entry_.points && entry_.anchors) return complain("anchors", "says the same as points; give one");
    if (!entry_.points && !entry_.anchors) {
      return complain("points", "is missing; it must be two lists of three numbers in m (or give anchors)");
    }
    const VectorPair ends = entry_.points ? *entry_.points
                                          : VectorPair{world_point(joint_.a, (*entry_.anchors)[0]),
                                                       world_point(joint_.b, (*entry_.anchors)[1])};
    joint_.in_a = own_frame(joint_.a, frame_along(ends[0], {0, 0, 1}));
    joint_.in_b = own_frame(joint_.b, frame_along(ends[1], {0, 0, 1}));
    const Vec3 from = world_point(joint_.a, joint_.in_a.point), to = world_point(joint_.b, joint_.in_b.point);
    const double apart = length(to - from);
    joint_.value = entry_.value.value_or(apart);
    if (!(joint_.value > 0.0)) {
      complain("length", "must be positive: the two ends coincide; join them with a ball");
    } else if (apart == 0.0 && is_spring()) {
      complain(entry_.points ? "points" : "anchors",
               "of a spring must be apart at the start: it pulls along the line between them");
    }
  }

  // The curve stands in the first body's own frame, moved to its anchor where there is one; the point is the
  // second body's centre of mass unless it is said.
  void place_on_curve() {
    if (entry_.point && entry_.anchors) return complain("anchors", "says the same as point; give one");
    const char* key = info().curve.key;
    if (!given(entry_.curve)) return complain(key, "is missing; it must be three formulas of s");
    if (!check_curve(key)) return;
    joint_.curve = entry_.curve;
    if (entry_.anchors) joint_.in_a.point = (*entry_.anchors)[0];
    const Vec3 center = world_point(joint_.b, {});
    const Vec3 at_b =
        entry_.anchors ? world_point(joint_.b, (*entry_.anchors)[1]) : entry_.point.value_or(center);
    joint_.in_b.point = own_frame(joint_.b, frame_along(at_b, {0, 0, 1})).point;
    Vec3 seen =
        seen_by(mechanism_, joint_.a, frame_along(world_point(joint_.b, joint_.in_b.point), {0, 0, 1})).point;
    for (std::size_t i = 0; i < 3; ++i) seen[i] -= joint_.in_a.point[i];
    Curve curve(joint_.curve);
    joint_.curve_start = curve.nearest(seen);
    const Vec3 place = curve.at(joint_.curve_start).place;
    if (!std::isfinite(place[0] + place[1] + place[2]))
      complain(key, "has no point for any s between -100 and 100: its formulas are not numbers there");
  }

  // Whether the formulas are right, and the curve is one to slide along.
  bool check_curve(const char* key) const {
    const std::size_t before = mistakes_.count();
    FieldInfo field;
    field.name = key;
    field.variables = {kCurveParameter};
    for (const Node& formula : *node_.find(key)->list())
      check_formula({formula, field, owner_, mistakes_}, {});
    if (mistakes_.count() > before) return false;
    const std::string complaint = curve_complaint(entry_.curve);
    if (!complaint.empty()) complain(key, complaint);
    return complaint.empty();
  }

  bool is_zero(const char* key, const std::optional<Vec3>& vector) const {
    if (!vector || *vector != Vec3{}) return false;
    complain(key, "must not be zero");
    return true;
  }

  void place_frames() {
    if (entry_.point && entry_.anchors) return complain("anchors", "says the same as point; give one");
    if (!entry_.point && !entry_.anchors) {
      return complain("point", "is missing; it must be three numbers in m (or give anchors)");
    }
    if (entry_.axis && entry_.axes) return complain("axes", "says the same as axis; give one");
    if (entry_.axis2 && entry_.axes) return complain("axes", "says the same as axis2; give one");
    const bool needs_axis = info().has_axis();
    if (needs_axis && !entry_.axis && !entry_.axes) {
      return complain("axis", "is missing; it must be three numbers (or give axes)");
    }
    if (is_zero("axis", entry_.axis) || is_zero("axis2", entry_.axis2)) return;
    if (entry_.axes && ((*entry_.axes)[0] == Vec3{} || (*entry_.axes)[1] == Vec3{})) {
      return complain("axes", "must not be zero");
    }
    const Vec3 first =
        entry_.axes ? world_vector(joint_.a, (*entry_.axes)[0]) : entry_.axis.value_or(Vec3{0, 0, 1});
    Vec3 second = entry_.axes ? world_vector(joint_.b, (*entry_.axes)[1]) : first;
    const auto takes_two = [](const JointInfo& one) {
      return one.axes == JointAxes::two || one.axes == JointAxes::one_or_two;
    };
    if (takes_two(info())) {
      if (entry_.axis2) second = *entry_.axis2;
      if (info().axes == JointAxes::two && !entry_.axis2 && !entry_.axes) {
        return complain("axis2",
                        fmt::format("is missing; a {} joint has one axis in each body", info().name));
      }
    } else if (entry_.axis2) {
      return complain("axis2", "is for " + joints_that(takes_two));
    }
    const Vec3 at_a = entry_.anchors ? world_point(joint_.a, (*entry_.anchors)[0]) : *entry_.point;
    const Vec3 at_b = entry_.anchors ? world_point(joint_.b, (*entry_.anchors)[1]) : *entry_.point;
    // The common perpendicular, where the axes differ, is the direction in which both frames agree.
    const JointFrame in_world = frame_along(at_a, first, cross(first, second));
    const JointFrame other = frame_along(at_b, second, in_world.x);
    joint_.in_a = own_frame(joint_.a, in_world);
    joint_.in_b = own_frame(joint_.b, other);
    if (info().axes != JointAxes::two) return;
    joint_.value = in_world.z[0] * other.z[0] + in_world.z[1] * other.z[1] + in_world.z[2] * other.z[2];
    if (std::fabs(joint_.value) > 1 - 1e-9) complain("axis2", "must not be parallel to axis");
  }

  int joint_named(std::size_t i) const {
    std::vector<std::string> known;
    for (std::size_t j = 0; j < mechanism_.joints.size(); ++j) {
      if (mechanism_.joints[j].name == entry_.joints[i]) return static_cast<int>(j);
      known.push_back(mechanism_.joints[j].name);
    }
    const std::string guess = did_you_mean(entry_.joints[i], known);
    mistakes_.add(
        (*node_.find("joints")->list())[i].spot,
        fmt::format("{}: there is no joint {} before it{}", owner_, in_quotes(entry_.joints[i]), guess));
    return -1;
  }

  void tie() {
    for (const char* key : {"bodies", "point", "axis", "axis2", "anchors", "axes"}) {
      if (node_.find(key) != nullptr)
        complain(key, fmt::format("is for joints between bodies; a {} ties joints",
                                  joints_that([](const JointInfo& one) { return one.is_tie(); }, "or")));
    }
    if (entry_.joints.size() != 2)
      return complain("joints", "must name two joints that stand before, such as [\"a\", \"b\"]");
    joint_.first = joint_named(0);
    joint_.second = joint_named(1);
    if (joint_.first < 0 || joint_.second < 0) return;
    if (joint_.first == joint_.second) return complain("joints", "names the same joint twice");
    const auto coordinate = [&](int joint) {
      return joint_info(mechanism_.joints[static_cast<std::size_t>(joint)].kind).coordinate;
    };
    const auto with_angle = [](const JointInfo& one) { return one.coordinate == Coordinate::angle; };
    const auto with_travel = [](const JointInfo& one) { return one.coordinate == Coordinate::travel; };
    if (coordinate(joint_.first) != Coordinate::angle || coordinate(joint_.second) != info().tied) {
      const std::string angles = joints_that(with_angle, "or");
      return complain("joints", info().tied == Coordinate::angle
                                    ? fmt::format("of a {} must both have an angle: {}", info().name, angles)
                                    : fmt::format("of a {} must have an angle ({}) and a travel ({})",
                                                  info().name, angles, joints_that(with_travel, "or")));
    }
    read_needed_value();
  }

  void set_values() {
    refuse_keys_of_others();
    if (info().value.key != nullptr && !info().is_tie() && info().place != JointPlace::ends)
      read_needed_value();
    const Coordinate coordinate = info().coordinate;
    if (entry_.angle && coordinate != Coordinate::angle)
      complain("angle", "is for joints that turn: " + joints_that([](const JointInfo& one) {
                          return one.coordinate == Coordinate::angle;
                        }));
    if (entry_.travel && coordinate != Coordinate::travel)
      complain("travel", "is for joints that slide: " + joints_that([](const JointInfo& one) {
                           return one.coordinate == Coordinate::travel;
                         }));
    if (entry_.angle) joint_.start = angle_of(*entry_.angle).radians;
    if (entry_.travel) joint_.start = entry_.travel;
    joint_.start_rate = entry_.rate;
    if (joint_.start) joint_.start_rest = digits_beyond(*node_.find(entry_.angle ? "angle" : "travel"));
    if (joint_.start_rate) joint_.start_rate_rest = digits_beyond(*node_.find("rate"), Kind::angular_rate);
    check_half_turns();
    if (coordinate == Coordinate::travel) {
      for (const char* key : {"rate", "rest", "limits"}) refuse_angles(key);
    }
    if (coordinate != Coordinate::none) return;
    for (const char* key : {"rate", "damping", "friction", "friction_rate", "stiffness", "rest", "limits",
                            "limit_stiffness", "limit_damping", "motor"}) {
      const bool spring = info().place == JointPlace::ends &&
                          (key == std::string("damping") || key == std::string("stiffness"));
      if (node_.find(key) != nullptr && !spring) {
        const auto has_one = [](const JointInfo& one) { return one.coordinate != Coordinate::none; };
        complain(key,
                 fmt::format("needs a joint with one coordinate: {}; for more put several in a row, with "
                             "massless bodies between",
                             joints_that(has_one, "or")));
      }
    }
  }

  // Screws, gears and racks count turns from the drawing on.
  void check_half_turns() const {
    const auto is_far = [](const Joint& joint) {
      return joint.start && std::fabs(*joint.start) > std::numbers::pi;
    };
    if (!info().is_tie() && info().turning_pairs > 0 && is_far(joint_))
      complain("angle",
               fmt::format("of a {} must be within half a turn of the drawing; draw it closer", info().name));
    if (!info().is_tie() || joint_.first < 0 || joint_.second < 0) return;
    for (const int tied : {joint_.first, joint_.second}) {
      const Joint& joint = mechanism_.joints[static_cast<std::size_t>(tied)];
      if (joint_info(joint.kind).coordinate != Coordinate::angle || !is_far(joint)) continue;
      complain("joints",
               fmt::format("tie {}, whose angle at the start must then be within half a turn of the "
                           "drawing; draw it closer",
                           in_quotes(joint.name)));
    }
  }

  // Of a joint that slides, numbers are metres.
  void refuse_angles(const char* key) const {
    const Node* value = node_.find(key);
    if (value == nullptr) return;
    const auto is_text = [](const Node& one) { return one.text() != nullptr; };
    const Node::List* list = value->list();
    if (is_text(*value) || (list != nullptr && std::any_of(list->begin(), list->end(), is_text)))
      complain(key, "of a joint that slides is in m (or m/s), a plain number");
  }

  // What a double cannot hold of a coordinate that was read.
  double digits_beyond(const Node& value, Kind kind = Kind::angle) const {
    FieldInfo field;
    field.kind = kind;
    WrittenAngle written;
    read_value(FieldValue{value, field, owner_, mistakes_}, written);
    return angle_of(written).rest;
  }

  // What acts in the joint.
  void act() {
    const Coordinate coordinate = info().coordinate;
    if (coordinate == Coordinate::none) return;
    JointForce force;
    force.name = joint_.name;
    force.along = coordinate == Coordinate::angle ? JointForce::Along::angle : JointForce::Along::travel;
    force.joint = static_cast<int>(mechanism_.joints.size()) - 1;
    force.a = joint_.a;
    force.b = joint_.b;
    force.in_a = joint_.in_a;
    force.in_b = joint_.in_b;
    force.stiffness = entry_.stiffness;
    force.rest = entry_.rest;
    if (const Node* rest = node_.find("rest")) force.rest_rest = digits_beyond(*rest);
    force.damping = entry_.damping;
    force.friction = entry_.friction;
    force.friction_rate = entry_.friction_rate;
    set_limits(force);
    set_motor(force, coordinate);
    const bool acts = force.stiffness != 0.0 || force.damping != 0.0 || force.friction != 0.0 ||
                      force.limits || !force.drive.empty();
    if (acts) mechanism_.forces.push_back(force);
  }

  void set_limits(JointForce& force) const {
    if (node_.find("limits") == nullptr) {
      for (const char* key : {"limit_stiffness", "limit_damping"}) {
        if (node_.find(key) != nullptr) complain(key, "needs limits = [lowest, highest]");
      }
      return;
    }
    if (entry_.limits.size() != 2 || !(entry_.limits[0] < entry_.limits[1])) {
      return complain("limits", "must be two numbers, the lower one first");
    }
    force.limits = std::array<double, 2>{entry_.limits[0], entry_.limits[1]};
    const Node::List& limits = *node_.find("limits")->list();
    force.limits_rest = {digits_beyond(limits[0]), digits_beyond(limits[1])};
    force.limit_stiffness = entry_.limit_stiffness;
    force.limit_damping = entry_.limit_damping;
  }

  void set_motor(JointForce& force, Coordinate coordinate) {
    const std::string& drives = entry_.motor.drives;
    if (drives.empty()) return;
    const bool for_angle = drives == "torque" || drives == "angle";
    if (for_angle != (coordinate == Coordinate::angle)) {
      return complain(
          "motor", fmt::format("{} is for joints that {}; here give {}", drives, for_angle ? "turn" : "slide",
                               for_angle ? "force or travel" : "torque or angle"));
    }
    if (drives == "torque" || drives == "force") {
      force.drive = entry_.motor.formula;
      force.parameters = entry_.motor.parameters;
      return;
    }
    if (joint_.start || joint_.start_rate) {
      complain("motor", "prescribes the motion, its start included; leave angle, travel and rate out");
    }
    mechanism_.motors.push_back(
        {static_cast<int>(mechanism_.joints.size()) - 1, entry_.motor.formula, entry_.motor.parameters});
  }

  const Node& node_;
  std::string owner_;
  Mechanism& mechanism_;
  Mistakes& mistakes_;
  JointEntry entry_;
  Joint joint_;
};

}  // namespace

void read_joints(const Node& scene, Mechanism& mechanism, Mistakes& mistakes) {
  const Node* list = scene.find("joints");
  if (list == nullptr) return;
  if (list->list() == nullptr) {
    mistakes.add(list->spot,
                 fmt::format("joints must be a list of tables, got {}; write [[joints]] with double "
                             "brackets",
                             described(*list)));
    return;
  }
  if (mechanism.bodies.empty()) {
    mistakes.add(list->spot, "there are joints but no bodies; a joint needs [[bodies]]");
    return;
  }
  std::set<std::string> names;
  std::vector<JointReader> readers;
  readers.reserve(list->list()->size());
  for (const Node& node : *list->list()) {
    if (mistakes.full()) return;
    const Node* name = node.find("name");
    const bool named = name != nullptr && name->text() != nullptr && is_name(*name->text());
    readers.emplace_back(
        node, named ? fmt::format("joint '{}'", *name->text()) : fmt::format("joint {}", readers.size() + 1),
        mechanism, mistakes);
    readers.back().read(names);
  }
  for (const JointReader& reader : readers) reader.check_motor();
}

}  // namespace catena
