#include "catena/model/joint_info.h"

#include "catena/base/words.h"
#include "catena/model/curves.h"
#include "catena/model/joint_kinds.h"

namespace catena {

using expr::dot;
using expr::Expression;
using expr::Vector;

namespace {

// The word at the place that an enumerator has.
template <std::size_t N, class E>
const char* word_at(const char* const (&words)[N], E which) {
  return words[static_cast<std::size_t>(which)];
}

}  // namespace

const char* word_of(JointPlace place) { return word_at({"point", "ends", "curve", "ties"}, place); }
const char* word_of(JointAxes axes) {
  return word_at({"none", "orientation", "one", "two", "one-or-two"}, axes);
}
const char* word_of(JointPoints points) { return word_at({"none", "second", "both"}, points); }
const char* word_of(JointDrawing drawing) {
  return word_at({"nothing", "arms", "pin", "rod", "rail", "curve"}, drawing);
}

std::span<const JointInfo> joint_infos() { return kJointKinds; }

const JointInfo& joint_info(JointKind kind) { return kJointKinds[static_cast<std::size_t>(kind)]; }

std::string joints_that(bool (*is)(const JointInfo&), const char* last) {
  std::vector<std::string> names;
  for (const JointInfo& info : joint_infos()) {
    if (is(info)) names.emplace_back(info.name);
  }
  return listed(names, last);
}

Expression angle_of(const FrameExpressions& a, const FrameExpressions& b) {
  return expr::atan2(dot(a.y, b.x), dot(a.x, b.x));
}

Expression travel_of(const FrameExpressions& a, const FrameExpressions& b) {
  return dot(a.z, b.point - a.point);
}

Expression distance_of(const FrameExpressions& a, const FrameExpressions& b) {
  const Vector gap = b.point - a.point;
  return expr::norm(gap.x, gap.y, gap.z);
}

std::vector<double> joint_numbers(const Joint& joint) {
  std::vector<double> numbers{joint.value};
  if (const auto more = joint_info(joint.kind).more_numbers) {
    const std::vector<double> added = more(joint);
    numbers.insert(numbers.end(), added.begin(), added.end());
  }
  return numbers;
}

JointEquations joint_equations(const Joint& joint, const JointSymbols& symbols) {
  const JointInfo& info = joint_info(joint.kind);
  if (info.place != JointPlace::curve) return info.gaps(symbols);
  JointSymbols with_curve = symbols;
  const Vector slider = symbols.sides.back().point;
  with_curve.sides.pop_back();
  const FrameExpressions& a = with_curve.sides[0];
  const Vector own = curve_at(joint.curve, slider.x);
  with_curve.curve = a.point + own.x * a.x + own.y * a.y + own.z * a.z;
  JointEquations out = info.gaps(with_curve);
  out.push_back(slider.y);
  out.push_back(slider.z);
  return out;
}

}  // namespace catena
