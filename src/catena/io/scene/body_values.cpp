// Values that only bodies and joints have.
#include <fmt/format.h>

#include <cmath>

#include "catena/io/scene/values.h"
#include "catena/math/decimal.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

FieldInfo part_of(const FieldInfo& field, const std::string& name, Kind kind) {
  FieldInfo part = field;
  part.name = field.name + name;
  part.kind = kind;
  return part;
}

std::string index_text(std::size_t i) { return fmt::format("[{}]", i + 1); }

void read_quaternion(const FieldValue& value, const Node::List& list, WrittenOrientation& to) {
  Numbers numbers;
  const std::size_t before = value.mistakes.count();
  read_value(value, numbers);
  if (value.mistakes.count() > before) return;
  double square = 0.0;
  for (const double number : numbers) square += number * number;
  if (list.size() != 4) return value.complain_of_kind();
  if (!(square > 0.0)) return value.complain("must not be zero");
  to.quaternion = normalised(Quaternion{numbers[0], numbers[1], numbers[2], numbers[3]});
  const QuaternionDigits full{decimal(numbers[0]), decimal(numbers[1]), decimal(numbers[2]),
                              decimal(numbers[3])};
  to.rest = rest_of(normalised(full), to.quaternion);
}

// About x, then the new y, then the new z.
void read_euler(const FieldValue& value, const Node& node, WrittenOrientation& to) {
  const Node::List* list = node.list();
  if (list == nullptr || list->size() != 3) return value.complain_of_kind();
  to.quaternion = {1.0, 0.0, 0.0, 0.0};
  QuaternionDigits full = all_digits(to.quaternion, {});
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldInfo field = part_of(value.field, ".euler_xyz" + index_text(i), Kind::angle);
    WrittenAngle angle;
    read_value(FieldValue{(*list)[i], field, value.owner, value.mistakes}, angle);
    Vec3 axis{};
    axis[i] = 1.0;
    to.quaternion = product(to.quaternion, turn_about(axis, angle_of(angle)));
    full = product(full, turn_digits(axis, angle_of(angle)));
  }
  to.rest = rest_of(full, to.quaternion);
}

void read_axis_angle(const FieldValue& value, const Node& axis_node, const Node& angle_node,
                     WrittenOrientation& to) {
  Vec3 axis{};
  WrittenAngle angle;
  const std::size_t before = value.mistakes.count();
  const FieldInfo axis_field = part_of(value.field, ".axis", Kind::vector);
  const FieldInfo angle_field = part_of(value.field, ".angle", Kind::angle);
  read_value(FieldValue{axis_node, axis_field, value.owner, value.mistakes}, axis);
  read_value(FieldValue{angle_node, angle_field, value.owner, value.mistakes}, angle);
  if (value.mistakes.count() > before) return;
  if (axis == Vec3{}) return value.complain(".axis must not be zero");
  to.quaternion = turn_about(axis, angle_of(angle));
  to.rest = rest_of(turn_digits(axis, angle_of(angle)), to.quaternion);
}

}  // namespace

void read_value(const FieldValue& value, Numbers& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr) return value.complain_of_kind();
  to.assign(list->size(), 0.0);
  const Kind each = value.field.kind == Kind::coefficients ? Kind::fraction
                    : value.field.kind == Kind::angles     ? Kind::angle
                                                           : Kind::number;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const FieldInfo field = part_of(value.field, index_text(i), each);
    read_value(FieldValue{(*list)[i], field, value.owner, value.mistakes}, to[i]);
  }
}

void read_value(const FieldValue& value, VectorPair& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr || list->size() != 2) return value.complain_of_kind();
  for (std::size_t i = 0; i < 2; ++i) {
    const FieldInfo field = part_of(value.field, index_text(i), Kind::vector);
    read_value(FieldValue{(*list)[i], field, value.owner, value.mistakes}, to[i]);
  }
}

void read_value(const FieldValue& value, Triples& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr) return value.complain_of_kind();
  to.assign(list->size(), Vec3{});
  for (std::size_t i = 0; i < list->size() && !value.mistakes.full(); ++i) {
    const FieldInfo field = part_of(value.field, index_text(i), Kind::vector);
    read_value(FieldValue{(*list)[i], field, value.owner, value.mistakes}, to[i]);
  }
}

void read_value(const FieldValue& value, WrittenOrientation& to) {
  if (const Node::List* list = value.node.list()) return read_quaternion(value, *list, to);
  const Node *axis = value.node.find("axis"), *angle = value.node.find("angle"),
             *euler = value.node.find("euler_xyz");
  if (euler != nullptr && axis == nullptr && angle == nullptr) return read_euler(value, *euler, to);
  if (axis != nullptr && angle != nullptr && euler == nullptr) {
    return read_axis_angle(value, *axis, *angle, to);
  }
  value.complain_of_kind();
}

void read_value(const FieldValue& value, WrittenTensor& to) {
  const Node::List* list = value.node.list();
  if (list == nullptr || list->size() != 3) return value.complain_of_kind();
  for (std::size_t i = 0; i < 3; ++i) {
    const bool matrix = (*list)[i].list() != nullptr;
    const FieldInfo field = part_of(value.field, index_text(i), matrix ? Kind::vector : Kind::number);
    const FieldValue row{(*list)[i], field, value.owner, value.mistakes};
    matrix ? read_value(row, to.matrix[i]) : read_value(row, to.matrix[i][i]);
  }
}

void read_value(const FieldValue& value, WrittenMotor& to) {
  const Node::Table* table = value.node.table();
  if (table == nullptr) return value.complain_of_kind();
  check_keys(*table, value.owner + ": " + value.field.name,
             {"torque", "force", "angle", "travel", "parameters"}, value.mistakes);
  for (const Entry& entry : *table) {
    if (entry.key == "parameters") {
      const FieldInfo field = part_of(value.field, ".parameters", Kind::parameters);
      read_value(FieldValue{entry.value, field, value.owner, value.mistakes}, to.parameters);
      continue;
    }
    if (!to.drives.empty()) {
      value.mistakes.add(entry.spot, fmt::format("{}: motor drives either {} or {}, not both", value.owner,
                                                 to.drives, entry.key));
    }
    to.drives = entry.key;
    const FieldInfo field = part_of(value.field, "." + entry.key, Kind::formula);
    read_value(FieldValue{entry.value, field, value.owner, value.mistakes}, to.formula);
  }
  if (to.drives.empty()) value.complain_of_kind();
}

}  // namespace catena
