#include "catena/io/scene/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/io/scene/document.h"
#include "catena/io/scene/values.h"

namespace catena {
namespace {

FieldInfo study_field(const char* name, Kind kind) {
  FieldInfo field;
  field.name = name;
  field.kind = kind;
  field.range = kSize;
  return field;
}

void read_numbers(const Node& study, const char* name, std::vector<double>& to, Mistakes& mistakes) {
  const Node* list = study.find(name);
  if (list == nullptr) return;
  const FieldInfo field = study_field(name, Kind::number);
  if (list->list() == nullptr) {
    mistakes.add(list->spot,
                 fmt::format("study: {} must be a list of numbers, got {}", name, described(*list)));
    return;
  }
  for (const Node& node : *list->list()) {
    double value = 0.0;
    read_value(FieldValue{node, field, "study", mistakes}, value);
    to.push_back(value);
  }
}

void read_names(const Node& study, const char* name, std::vector<std::string>& to, Mistakes& mistakes,
                const std::string& owner) {
  const Node* list = study.find(name);
  const FieldInfo field = study_field(name, Kind::names);
  if (list != nullptr) read_value(FieldValue{*list, field, owner, mistakes}, to);
}

void read_text(const Node& study, const char* name, std::string& to, Mistakes& mistakes,
               const std::string& owner) {
  const Node* node = study.find(name);
  const FieldInfo field = study_field(name, Kind::text);
  if (node != nullptr) read_value(FieldValue{*node, field, owner, mistakes}, to);
}

std::vector<StudyCase> read_cases(const Node& study, Mistakes& mistakes) {
  std::vector<StudyCase> cases;
  const Node* list = study.find("cases");
  if (list == nullptr) return cases;
  if (list->list() == nullptr) {
    mistakes.add(list->spot, "study: cases must be a list of tables; write [[cases]] with double brackets");
    return cases;
  }
  for (const Node& node : *list->list()) {
    const std::string owner = fmt::format("case {}", cases.size() + 1);
    if (!is_table(node, owner, mistakes)) continue;
    check_keys(*node.table(), owner, {"name", "set"}, mistakes);
    StudyCase& made = cases.emplace_back();
    made.name = std::to_string(cases.size());
    read_text(node, "name", made.name, mistakes, owner);
    read_names(node, "set", made.overrides, mistakes, owner);
  }
  return cases;
}

}  // namespace

Study read_study(std::string_view text, const std::string& source) {
  Mistakes mistakes;
  const Node document = document_from(text, source);
  const std::vector<std::string> known{"scene",      "duration", "methods", "steps",
                                       "tolerances", "orders",   "cases",   "as_many_steps_as"};
  check_keys(*document.table(), "study", known, mistakes);
  Study study;
  const std::string owner = "study";
  read_text(document, "scene", study.scene, mistakes, owner);
  if (const Node* node = document.find("duration")) {
    const FieldInfo field = study_field("duration", Kind::number);
    read_value(FieldValue{*node, field, owner, mistakes}, study.duration);
  }
  read_names(document, "methods", study.methods, mistakes, owner);
  read_numbers(document, "steps", study.steps, mistakes);
  read_numbers(document, "tolerances", study.tolerances, mistakes);
  std::vector<double> orders;
  read_numbers(document, "orders", orders, mistakes);
  for (const double order : orders) {
    if (order != std::floor(order))
      mistakes.add(document.find("orders")->spot, "study: orders are whole numbers");
    study.orders.push_back(static_cast<int>(order));
  }
  read_text(document, "as_many_steps_as", study.as_many_steps_as, mistakes, owner);
  study.cases = read_cases(document, mistakes);
  if (study.scene.empty())
    mistakes.add(document.spot, "study: scene is missing; it must be a scene's name or file");
  if (study.methods.empty())
    mistakes.add(document.spot, "study: methods is missing; it must be a list of names");
  const auto& methods = study.methods;
  if (!study.as_many_steps_as.empty() &&
      std::find(methods.begin(), methods.end(), study.as_many_steps_as) == methods.end()) {
    mistakes.add(document.find("as_many_steps_as")->spot,
                 "study: as_many_steps_as must be one of its methods");
  }
  mistakes.throw_if_any();
  return study;
}

}  // namespace catena
