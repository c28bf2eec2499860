// JSON Schema of scenes, derived from the tables of fields.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/io/scene/scene.h"
#include "catena/model/fields.h"
#include "catena/model/force_laws.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

Json number_schema(const Range& range) {
  Json schema = {{"type", "number"}};
  if (std::isfinite(range.low)) schema[range.low_included ? "minimum" : "exclusiveMinimum"] = range.low;
  if (std::isfinite(range.high)) schema[range.high_included ? "maximum" : "exclusiveMaximum"] = range.high;
  return schema;
}

Json vector_schema(const Range& range) {
  return {{"type", "array"}, {"items", number_schema(range)}, {"minItems", 3}, {"maxItems", 3}};
}

Json angle_schema(const FieldInfo& field) {
  const std::string per_second = field.kind == Kind::angular_rate ? "(/s)?" : "";
  const std::string pattern =
      "^\\s*([-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*"
      "(deg|degrees?|\u00b0|rad|radians?|pi|\u03c0)" +
      per_second + "|-?pi)\\s*$";
  return {{"anyOf", {number_schema(field.range), {{"type", "string"}, {"pattern", pattern}}}}};
}

Json formula_schema(const FieldInfo& field) {
  return {{"anyOf", {number_schema(field.range), {{"type", "string"}}}}};
}

Json formulas_schema(const FieldInfo& field) {
  return {{"type", "array"}, {"items", formula_schema(field)}, {"minItems", 3}, {"maxItems", 3}};
}

Json fraction_schema(const FieldInfo& field) {
  const std::string number = "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?";
  const std::string pattern = "^\\s*" + number + "\\s*(/\\s*" + number + "\\s*)?$";
  return {{"anyOf", {number_schema(field.range), {{"type", "string"}, {"pattern", pattern}}}}};
}

Json coefficients_schema(const FieldInfo& field) {
  return {{"type", "array"}, {"items", fraction_schema(field)}};
}

Json value_schema(const FieldInfo& field) {
  switch (field.kind) {
    case Kind::number:
      return number_schema(field.range);
    case Kind::whole: {
      Json schema = number_schema(field.range);
      schema["type"] = "integer";
      return schema;
    }
    case Kind::flag:
      return {{"type", "boolean"}};
    case Kind::text: {
      Json schema = {{"type", "string"}};
      if (!field.choices.empty()) schema["enum"] = field.choices;
      return schema;
    }
    case Kind::vector:
      return vector_schema(field.range);
    case Kind::gravity:
      return {{"anyOf", {number_schema(field.range), vector_schema(field.range)}}};
    case Kind::angle:
    case Kind::angular_rate:
      return angle_schema(field);
    case Kind::angle_pair:
      return {{"type", "array"}};
    case Kind::inertia:
      return {{"anyOf", {number_schema(field.range), {{"const", "rod"}}}}};
    case Kind::triple:
    case Kind::moment:
      return {{"anyOf", {number_schema(field.range), vector_schema(field.range)}}};
    case Kind::formula:
      return formula_schema(field);
    case Kind::pivot:
      return {{"anyOf", {formulas_schema(field), {{"type", "string"}}}}};
    case Kind::hold:
      return {{"anyOf", {vector_schema(field.range), {{"type", "string"}}}}};
    case Kind::formulas:
      return formulas_schema(field);
    case Kind::parameters:
      return {{"type", "object"},
              {"additionalProperties", {{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}}}};
    case Kind::fraction:
      return fraction_schema(field);
    case Kind::coefficients:
      return coefficients_schema(field);
    case Kind::rows:
      return {{"type", "array"}, {"items", coefficients_schema(field)}};
    case Kind::names:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Kind::numbers:
      return {{"type", "array"}, {"items", number_schema(field.range)}};
    case Kind::angles:
      return {{"type", "array"}, {"items", angle_schema(field)}};
    case Kind::vectors:
      return {{"type", "array"}, {"items", vector_schema(field.range)}, {"minItems", 2}, {"maxItems", 2}};
    case Kind::triples:
      return {{"type", "array"}, {"items", vector_schema(field.range)}};
    case Kind::orientation:
      return {{"anyOf",
               {{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 4}, {"maxItems", 4}},
                {{"type", "object"}}}}};
    case Kind::tensor:
      return {{"type", "array"}, {"minItems", 3}, {"maxItems", 3}};
    case Kind::starts:
    case Kind::start_rates: {
      FieldInfo one = field;
      one.kind = field.kind == Kind::starts ? Kind::angle : Kind::angular_rate;
      return {{"type", "object"}, {"additionalProperties", angle_schema(one)}};
    }
    case Kind::formula_list:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Kind::formula_table:
      return {{"type", "object"}, {"additionalProperties", formula_schema(field)}};
    case Kind::motor:
      return {{"type", "object"}};
    case Kind::ends:
      return {{"type", "array"},
              {"items", {{"anyOf", {{{"type", "string"}}, vector_schema(field.range)}}}},
              {"minItems", 2},
              {"maxItems", 2}};
  }
  return Json::object();
}

Json table_schema(const SectionInfo& section) {
  Json schema = {{"type", "object"}, {"description", section.summary}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const FieldInfo& field : section.fields) {
    Json value = value_schema(field);
    value["description"] = field.summary + (field.unit.empty() ? "" : " [" + field.unit + "]");
    if (!field.default_text.empty()) value["default"] = Json::parse(field.default_text);
    schema["properties"][field.name] = value;
    if (field.required) required.push_back(field.name);
  }
  schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

// One of the laws, each with its own fields.
Json force_schema(const SectionInfo& section) {
  Json laws = Json::array();
  for (const ForceLaw& law : force_laws()) {
    SectionInfo own{section.path, law.summary + ": " + law.equation, {}};
    for (const FieldInfo& field : section.fields) {
      if (!law.has(field.name)) continue;
      own.fields.push_back(field);
      own.fields.back().required = law.needs(field.name);
      if (field.name == "kind") own.fields.back().choices = {law.kind};
    }
    laws.push_back(table_schema(own));
  }
  return {{"description", section.summary}, {"oneOf", laws}};
}

// The links inside the chain, the chain twice: by itself and, with a name, in a list.
Json scene_properties() {
  Json properties;
  for (const SectionInfo& section : scene_sections()) {
    if (section.path == "chain.links") {
      Json& chain = properties["chain"];
      chain["properties"]["links"] = {{"type", "array"}, {"minItems", 1}, {"items", table_schema(section)}};
      chain["required"].push_back("links");
    } else if (section.path == "events") {
      properties["events"] = {{"type", "array"}, {"items", table_schema(section)}};
    } else if (section.path == "bodies" || section.path == "joints") {
      properties[section.path] = {{"type", "array"}, {"items", table_schema(section)}};
    } else if (section.path == "bodies.parts") {
      properties["bodies"]["items"]["properties"]["parts"] = {{"type", "array"},
                                                              {"items", table_schema(section)}};
    } else if (section.path == "fit.free") {
      properties["fit"]["properties"]["free"] = {{"type", "array"}, {"items", table_schema(section)}};
    } else if (section.path == "forces") {
      properties["forces"] = {{"type", "array"}, {"items", force_schema(section)}};
    } else {
      properties[section.path] = table_schema(section);
    }
  }
  Json item = properties["chain"];
  item["required"].push_back("name");
  item["properties"]["name"]["pattern"] = "^(?!(total|ground)$)[A-Za-z][A-Za-z0-9_-]*$";
  properties["chain"]["properties"].erase("name");
  properties["chains"] = {{"type", "array"}, {"minItems", 1}, {"items", item}};
  properties["format"] = {{"const", kSceneFormat}, {"description", "of the scene's language"}};
  properties["output"] = {{"type", "string"}, {"description", "file that a run is recorded in"}};
  properties["plot"] = {{"type", "object"}, {"description", "plot switches as in the classic config"}};
  return properties;
}

}  // namespace

std::string scene_schema() {
  const Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Catena scene"},
      {"type", "object"},
      {"properties", scene_properties()},
      {"required", {"simulation"}},
      {"anyOf",
       {{{"required", {"chain"}}},
        {{"required", {"chains"}}},
        {{"required", {"bodies"}}},
        {{"required", {"lagrangian"}}},
        {{"required", {"equations"}}}}},
      {"not", {{"required", {"chain", "chains"}}}},
      {"additionalProperties", false},
  };
  return schema.dump(2) + "\n";
}

}  // namespace catena
