#include "lists.h"

#include "catena/analyze/indicators.h"
#include "catena/expr/functions.h"
#include "catena/expr/table.h"
#include "catena/lab/lab.h"
#include "catena/model/fields.h"
#include "catena/model/force_laws.h"
#include "catena/model/joint_info.h"
#include "catena/model/shapes.h"

namespace catena {
namespace {

using Json = ListJson;

const char* scope_text(QuantityInfo::Scope scope) {
  switch (scope) {
    case QuantityInfo::Scope::link:
      return "link";
    case QuantityInfo::Scope::chain:
    case QuantityInfo::Scope::chain_end:
      return "chain";
    case QuantityInfo::Scope::body:
      return "body";
    case QuantityInfo::Scope::joint:
      return "joint";
    case QuantityInfo::Scope::coordinate:
      return "coordinate";
    case QuantityInfo::Scope::multiplier:
      return "constraint";
    case QuantityInfo::Scope::state:
      return "state";
    case QuantityInfo::Scope::invariant:
      return "invariant";
    case QuantityInfo::Scope::mechanism:
    case QuantityInfo::Scope::total:
      return "total";
  }
  return "";
}

std::string coordinate_text(Coordinate coordinate) {
  return coordinate == Coordinate::angle ? "angle" : coordinate == Coordinate::travel ? "travel" : "";
}

}  // namespace

ListJson methods_json() {
  Json out = Json::array();
  for (const Method& method : methods()) {
    out.push_back({{"name", method.name},
                   {"order", method.order},
                   {"adaptive", method.adaptive},
                   {"tolerance", method.adaptive ? Json(method.tolerance) : Json(nullptr)},
                   {"summary", method.summary},
                   {"source", method.source},
                   {"library", method.library}});
  }
  return out;
}

ListJson quantities_json() {
  Json out = Json::array();
  for (const QuantityInfo& quantity : quantities()) {
    out.push_back({{"stem", quantity.stem},
                   {"group", quantity.group},
                   {"scope", scope_text(quantity.scope)},
                   {"unit", quantity.unit},
                   {"summary", quantity.summary}});
  }
  return out;
}

ListJson forces_json() {
  Json out = Json::array();
  for (const ForceLaw& law : force_laws()) {
    Json fields = Json::array();
    for (const Field<ForceEntry>& field : force_fields()) {
      if (!law.has(field.name)) continue;
      fields.push_back({{"name", field.name},
                        {"unit", field.unit},
                        {"summary", field.summary},
                        {"required", law.needs(field.name)},
                        {"default", law.needs(field.name) ? "" : field.default_text}});
    }
    out.push_back(
        {{"kind", law.kind}, {"summary", law.summary}, {"equation", law.equation}, {"fields", fields}});
  }
  return out;
}

ListJson joints_json() {
  Json out = Json::array();
  for (const JointInfo& joint : joint_infos()) {
    Json shows = Json::array();
    for (const Coordinate which : {Coordinate::angle, Coordinate::travel}) {
      if (joint.shows(which)) shows.push_back(coordinate_text(which));
    }
    out.push_back({{"name", joint.name},
                   {"equations", joint.equations},
                   {"coordinate", coordinate_text(joint.coordinate)},
                   {"summary", joint.summary},
                   {"shows", shows},
                   {"place", word_of(joint.place)},
                   {"axes", word_of(joint.axes)},
                   {"points", word_of(joint.points)},
                   {"value", joint.value.key == nullptr ? "" : joint.value.key},
                   {"curve", joint.curve.key == nullptr ? "" : joint.curve.key},
                   {"drawing", word_of(joint.drawing)}});
  }
  return out;
}

ListJson keys_json() {
  Json out = Json::array();
  for (const SectionInfo& section : scene_sections()) {
    Json fields = Json::array();
    for (const FieldInfo& field : section.fields) {
      fields.push_back({{"name", field.name},
                        {"kind", kind_text(field)},
                        {"unit", field.unit},
                        {"required", field.required},
                        {"default", field.default_text},
                        {"choices", field.choices},
                        {"summary", field.summary}});
    }
    out.push_back({{"section", section.path}, {"summary", section.summary}, {"fields", fields}});
  }
  return out;
}

ListJson shapes_json() {
  Json out = Json::array();
  for (const ShapeInfo& shape : shape_infos())
    out.push_back({{"name", shape.name}, {"summary", shape.summary}});
  return out;
}

ListJson functions_json() {
  Json out = Json::array();
  const auto add = [&](const expr::Function& function) {
    out.push_back({{"name", function.name},
                   {"usage", function.usage},
                   {"summary", function.summary},
                   {"domain", function.domain}});
  };
  for (const expr::Function& function : expr::functions()) add(function);
  add(expr::table_function());
  return out;
}

ListJson indicators_json() {
  ListJson out = ListJson::array();
  for (const IndicatorInfo& info : indicator_infos())
    out.push_back({{"name", info.name}, {"summary", info.summary}, {"tangents", info.tangents}});
  return out;
}

ListJson constraints_json(const MechanismFacts& mechanism) {
  ListJson redundant = ListJson::object(), open = ListJson::array();
  for (const JointFacts& joint : mechanism.joints) {
    if (joint.redundant > 0) redundant[joint.name] = joint.redundant;
    if (!joint.unique) open.push_back(joint.name);
  }
  return {{"equations", mechanism.equations},
          {"rank", mechanism.rank},
          {"redundant", redundant},
          {"reactions_not_unique", open}};
}

}  // namespace catena
