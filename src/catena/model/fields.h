// The parts of a scene describe themselves here, once: every section is a table of fields, each with its
// name, unit, range, choices and one-line summary, bound to the struct member it fills. Reading, "did you
// mean", help and the JSON schema are derived from these tables. A new field is one line in fields.cpp.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/model/body_entries.h"
#include "catena/model/entries.h"
#include "catena/model/fit.h"
#include "catena/model/scene.h"

namespace catena {

// How a field is written.
enum class Kind {
  number,
  whole,  // a whole number
  flag,   // true or false
  text,
  vector,         // three numbers
  gravity,        // a number g, meaning (0, 0, -g), or three numbers
  angle,          // radians, or text with a unit: "120 deg", "0.25 pi"
  angular_rate,   // likewise, per second
  angles,         // a list of angles
  angle_pair,     // classic config: [120, "d"]; units r, d, p
  inertia,        // a number or "rod"
  triple,         // a number, meaning three equal ones, or three numbers
  moment,         // a number along the link, or three numbers fixed in space
  pivot,          // three numbers or formulas of t, or a body's name
  hold,           // three numbers, or a body's name
  formula,        // a text, or a number
  formulas,       // three of them
  parameters,     // names and their numbers
  names,          // a list of texts
  ends,           // two, each a name or three numbers
  fraction,       // a number, or a quotient in text: "1/3"
  coefficients,   // a list of those
  rows,           // a list of such lists
  numbers,        // a list of numbers
  vectors,        // two lists of three numbers
  triples,        // a list of lists of three numbers
  orientation,    // a quaternion, { axis, angle } or { euler_xyz }
  tensor,         // three principal moments, or a 3x3 matrix
  starts,         // names and their start values: numbers, or angles with a unit
  start_rates,    // likewise, per second
  formula_list,   // a list of formulas
  formula_table,  // names and their formulas
  motor,          // { torque | force | angle | travel = formula }
};

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_included = true;
  bool high_included = true;

  bool contains(double value) const;
  // What a value outside should be: "must be positive", "must lie between 0 and 1", ...
  std::string demand(double value) const;
};

// What can be said about a field without knowing its struct.
struct FieldInfo {
  std::string name;
  Kind kind = Kind::number;
  std::string unit;
  std::string summary;
  bool required = false;
  Range range;
  std::vector<std::string> choices;         // of a text; empty: any
  std::string default_text;                 // as in TOML; empty: none
  std::vector<std::string> variables = {};  // that a formula may use
};

template <class Part>
using Member =
    std::variant<double Part::*, std::optional<double> Part::*, int Part::*, std::optional<int> Part::*,
                 bool Part::*, std::string Part::*, Vec3 Part::*, std::optional<Vec3> Part::*,
                 WrittenAngle Part::*, WrittenInertia Part::*, WrittenMoment Part::*, WrittenPivot Part::*,
                 std::optional<WrittenHold> Part::*, Formulas Part::*, Parameters Part::*,
                 std::vector<std::string> Part::*, WrittenEnds Part::*, std::optional<WrittenAngle> Part::*,
                 WrittenOrientation Part::*, std::optional<WrittenTensor> Part::*,
                 std::optional<VectorPair> Part::*, Numbers Part::*, WrittenMotor Part::*,
                 std::vector<std::vector<double>> Part::*, Triples Part::*, WrittenStarts Part::*,
                 WrittenFormulas Part::*>;

template <class Part>
struct Field : FieldInfo {
  Member<Part> member;

  // The words of a table's line: field("length", &LinkEntry::length, "m", "..").needed().within(kSize)
  Field&& needed() && {
    required = true;
    default_text.clear();
    return std::move(*this);
  }
  Field&& within(const Range& allowed) && {
    range = allowed;
    return std::move(*this);
  }
  Field&& one_of(std::vector<std::string> words) && {
    choices = std::move(words);
    return std::move(*this);
  }
  Field&& written_as(Kind form) && {
    kind = form;
    return std::move(*this);
  }
  Field&& using_names(std::vector<std::string> names) && {
    variables = std::move(names);
    return std::move(*this);
  }
};

// Sizes and times: products of a few of them must neither overflow nor vanish.
extern const Range kSize;
extern const Range kNotHuge;
extern const Range kNotNegative;
extern const Range kSusceptibilities;

const std::vector<Field<Simulation>>& simulation_fields();
const std::vector<Field<ChainEntry>>& chain_fields();
const std::vector<Field<LinkEntry>>& link_fields();
const std::vector<Field<Event>>& event_fields();
const std::vector<Field<ForceEntry>>& force_fields();  // of all kinds together
const std::vector<Field<MethodEntry>>& method_fields();
const std::vector<Field<BodyEntry>>& body_fields();
const std::vector<Field<PartEntry>>& part_fields();
const std::vector<Field<JointEntry>>& joint_fields();
const std::vector<Field<LagrangianEntry>>& lagrangian_fields();
const std::vector<Field<EquationsEntry>>& equations_fields();
const std::vector<Field<FitEntry>>& fit_fields();
const std::vector<Field<FreeEntry>>& free_fields();  // beside prior, a pair

// One section with all its fields, for help and schema.
struct SectionInfo {
  std::string path;  // "simulation", "chain", "chain.links"
  std::string summary;
  std::vector<FieldInfo> fields;
};

std::vector<SectionInfo> scene_sections();

// "a number in m", "a text", "three numbers", ...
std::string kind_text(const FieldInfo& field);

// How members of each type are written, and their values as TOML.
inline Kind kind_of(double) { return Kind::number; }
inline Kind kind_of(int) { return Kind::whole; }
inline Kind kind_of(bool) { return Kind::flag; }
inline Kind kind_of(const std::string&) { return Kind::text; }
inline Kind kind_of(const Vec3&) { return Kind::vector; }
inline Kind kind_of(const WrittenAngle&) { return Kind::angle; }
inline Kind kind_of(const WrittenInertia&) { return Kind::inertia; }
inline Kind kind_of(const WrittenMoment&) { return Kind::moment; }
inline Kind kind_of(const WrittenPivot&) { return Kind::pivot; }
inline Kind kind_of(const WrittenHold&) { return Kind::hold; }
inline Kind kind_of(const Formulas&) { return Kind::formulas; }
inline Kind kind_of(const Parameters&) { return Kind::parameters; }
inline Kind kind_of(const std::vector<std::string>&) { return Kind::names; }
inline Kind kind_of(const WrittenEnds&) { return Kind::ends; }
inline Kind kind_of(const Numbers&) { return Kind::numbers; }
inline Kind kind_of(const VectorPair&) { return Kind::vectors; }
inline Kind kind_of(const Triples&) { return Kind::triples; }
inline Kind kind_of(const WrittenOrientation&) { return Kind::orientation; }
inline Kind kind_of(const WrittenTensor&) { return Kind::tensor; }
inline Kind kind_of(const WrittenMotor&) { return Kind::motor; }
inline Kind kind_of(const std::vector<std::vector<double>>&) { return Kind::rows; }
inline Kind kind_of(const WrittenStarts&) { return Kind::starts; }
inline Kind kind_of(const WrittenFormulas&) { return Kind::formula_table; }
std::string toml_text(double value);
std::string toml_text(int value);
std::string toml_text(bool value);
std::string toml_text(const std::string& value);
std::string toml_text(const Vec3& value);
std::string toml_text(const WrittenAngle& value);
std::string toml_text(const WrittenInertia& value);
std::string toml_text(const WrittenMoment& value);
std::string toml_text(const WrittenPivot& value);
inline std::string toml_text(const WrittenHold&) { return ""; }
inline std::string toml_text(const Formulas&) { return ""; }
inline std::string toml_text(const Parameters&) { return ""; }
inline std::string toml_text(const std::vector<std::string>&) { return ""; }
inline std::string toml_text(const WrittenEnds&) { return ""; }
inline std::string toml_text(const Numbers&) { return ""; }
inline std::string toml_text(const VectorPair&) { return ""; }
inline std::string toml_text(const Triples&) { return ""; }
inline std::string toml_text(const WrittenOrientation&) { return "[1, 0, 0, 0]"; }
inline std::string toml_text(const WrittenTensor&) { return ""; }
inline std::string toml_text(const WrittenMotor&) { return ""; }
inline std::string toml_text(const std::vector<std::vector<double>>&) { return ""; }
inline std::string toml_text(const WrittenStarts&) { return ""; }
inline std::string toml_text(const WrittenFormulas&) { return ""; }
template <class T>
Kind kind_of(const std::optional<T>&) {
  return kind_of(T{});
}
template <class T>
std::string toml_text(const std::optional<T>& value) {
  return value ? toml_text(*value) : "";
}

// A line of a table. Kind and default come from the member itself.
template <class Part, class Value>
Field<Part> field(std::string name, Value Part::*member, std::string unit, std::string summary) {
  const Part defaults{};
  Field<Part> line;
  line.name = std::move(name);
  line.kind = kind_of(defaults.*member);
  line.unit = std::move(unit);
  line.summary = std::move(summary);
  line.default_text = toml_text(defaults.*member);
  line.member = member;
  return line;
}

}  // namespace catena
