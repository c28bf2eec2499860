// What a kind of joint says of itself, once. Reading, messages, schema, equations, columns, pictures and
// lists derive from it; the kinds themselves are rows of joint_kinds.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "catena/expr/vector.h"
#include "catena/model/mechanism.h"

namespace catena {

// A joint's frame in world coordinates, as expressions of its body's position and orientation; and the body's
// own quaternion.
struct FrameExpressions {
  expr::Vector point, x, y, z;
  expr::Quaternion body{};
};

// What an equation may use: t, the frames of one or two pairs of bodies, the whole turns that each pair has
// made (in radians), and the joint's numbers.
struct JointSymbols {
  std::vector<FrameExpressions> sides;  // a, b; then those of the second joint that a gear ties
  expr::Expression t;
  std::vector<expr::Expression> turns;  // one per pair
  std::vector<expr::Expression> numbers;
  expr::Vector curve{};  // of kinds with a curve: where on it the joint is, world

  const expr::Expression& value() const { return numbers[0]; }
};

using JointEquations = std::vector<expr::Expression>;

// What says where a joint is.
enum class JointPlace {
  point,  // one point of both bodies
  ends,   // a point of each
  curve,  // a point of the second, and a curve in the first
  ties,   // none: it ties the coordinates of two joints
};

enum class JointAxes {
  none,         // it has no axis
  orientation,  // one axis changes nothing; one in each body says how they are turned against one another
  one,
  two,  // one in each body
  one_or_two,
};

// Which of the bodies may be points, which have no orientation.
enum class JointPoints { none, second, both };

// Whether its bodies keep to planes across some direction.
enum class JointPlane { leaves, keeps, keeps_if_axis_across, keeps_if_axis_inside };

// How pictures show it.
enum class JointDrawing {
  nothing,
  arms,   // what it holds reaches there
  pin,    // the same with a pin
  rod,    // a rod between its ends
  rail,   // its bodies slide along one another
  curve,  // its curve, and a pin on it
};

// The number that a joint needs, and the key by which scenes give it.
struct JointValue {
  const char* key = nullptr;
  const char* unit = "";
  const char* summary = "";
  bool positive = false;
};

// The key by which scenes give a curve: three formulas of s.
struct JointCurve {
  const char* key = nullptr;
  const char* summary = "";
};

struct JointInfo {
  JointKind kind{};
  const char* name = nullptr;
  const char* summary = nullptr;
  int equations = 0;  // how many of two bodies' relative motions it takes away
  // All must be zero. In metres and (about) radians.
  JointEquations (*gaps)(const JointSymbols&) = nullptr;
  // What the equations need besides Joint::value.
  std::vector<double> (*more_numbers)(const Joint&) = nullptr;

  JointPlace place = JointPlace::point;
  JointAxes axes = JointAxes::one;
  JointPoints points = JointPoints::none;
  JointValue value = {};
  JointCurve curve = {};
  Coordinate coordinate = Coordinate::none;  // along which springs, motors and the like act
  bool shows_angle = false;                  // as a column, besides `coordinate`
  bool shows_travel = false;
  int turning_pairs =
      0;  // whose turns its last equation counts: of the first `value` times, then of the second
  // Of a tie: what its second joint must have; the first has an angle.
  Coordinate tied = Coordinate::none;
  bool holds = true;  // a body that hangs on it belongs to what it hangs from
  JointPlane plane = JointPlane::leaves;
  JointDrawing drawing = JointDrawing::pin;

  bool is_tie() const { return place == JointPlace::ties; }
  bool has_axis() const { return axes != JointAxes::none && axes != JointAxes::orientation; }
  bool shows(Coordinate which) const {
    return coordinate == which || (which == Coordinate::angle ? shows_angle : shows_travel);
  }
};

// As lists for other programs say it.
const char* word_of(JointPlace place);
const char* word_of(JointAxes axes);
const char* word_of(JointPoints points);
const char* word_of(JointDrawing drawing);

std::span<const JointInfo> joint_infos();
const JointInfo& joint_info(JointKind kind);

// "revolute, prismatic and screw": all kinds of which something is true, with the word before the last one.
std::string joints_that(bool (*is)(const JointInfo&), const char* last = "and");

// Of the second frame against the first about the first one's z, in (-pi, pi].
expr::Expression angle_of(const FrameExpressions& a, const FrameExpressions& b);

// Along the first one's z.
expr::Expression travel_of(const FrameExpressions& a, const FrameExpressions& b);

expr::Expression distance_of(const FrameExpressions& a, const FrameExpressions& b);

// The numbers that a joint's equations use: its value, and what its kind adds.
std::vector<double> joint_numbers(const Joint& joint);

// What must be zero. Of kinds with a curve the last of the sides is the slider, whose x is s and which keeps
// to the world's x axis.
JointEquations joint_equations(const Joint& joint, const JointSymbols& symbols);

}  // namespace catena
