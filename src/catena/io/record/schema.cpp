// JSON Schema of recorded runs: docs/exchange.md in the form that programs check.
#include <nlohmann/json.hpp>
#include <string>

#include "catena/io/record/record.h"
#include "catena/io/scene/scene.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

Json text() { return {{"type", "string"}}; }
Json number() { return {{"type", "number"}}; }
Json flag() { return {{"type", "boolean"}}; }
Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }
Json list_of(const Json& item, int count) {
  return {{"type", "array"}, {"items", item}, {"minItems", count}, {"maxItems", count}};
}
Json vector() { return list_of(number(), 3); }
Json quaternion() { return list_of(number(), 4); }
Json or_null(const Json& schema) { return {{"anyOf", {schema, {{"type", "null"}}}}}; }

Json object(const Json& properties, const Json& required) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

Json shape_schema() {
  return object({{"shape", text()},
                 {"size", vector()},
                 {"vertices", list_of(vector())},
                 {"triangles", list_of(list_of({{"type", "integer"}, {"minimum", 0}}, 3))},
                 {"position", vector()},
                 {"orientation", quaternion()}},
                {"shape", "position", "orientation"});
}

Json drawing_schema() {
  const Json link = object({{"label", text()},
                            {"parent", {{"type", "integer"}, {"minimum", 0}}},
                            {"length", number()},
                            {"mass", number()}},
                           {"label", "parent", "length", "mass"});
  const Json chain = object({{"name", text()},
                             {"kind", {{"enum", {"rigid", "elastic"}}}},
                             {"pivot", vector()},
                             {"pivot_moves", flag()},
                             {"links", list_of(link)}},
                            {"name", "kind", "pivot", "pivot_moves", "links"});
  const Json body =
      object({{"name", text()},
              {"label", text()},
              {"fixed", flag()},
              {"point", flag()},
              {"mass", number()},
              {"inertia", list_of(vector(), 3)},
              {"shapes", list_of(shape_schema())},
              {"position", vector()},
              {"orientation", quaternion()}},
             {"name", "label", "fixed", "point", "mass", "inertia", "shapes", "position", "orientation"});
  const Json joint = object({{"name", text()},
                             {"kind", text()},
                             {"bodies", list_of(text(), 2)},
                             {"joints", list_of(text(), 2)},
                             {"anchors", list_of(vector(), 2)},
                             {"axes", list_of(vector(), 2)},
                             {"slides", flag()},
                             {"curve", list_of(vector())}},
                            {"name", "kind"});
  const Json spring =
      object({{"name", text()}, {"bodies", list_of(text(), 2)}, {"anchors", list_of(vector(), 2)}},
             {"name", "bodies", "anchors"});
  return object({{"chains", list_of(chain)},
                 {"bodies", list_of(body)},
                 {"joints", list_of(joint)},
                 {"springs", list_of(spring)}},
                {"chains", "bodies", "joints", "springs"});
}

}  // namespace

std::string run_schema() {
  Json scene = Json::parse(scene_schema());
  scene.erase("$schema");
  const Json value = {{"anyOf", {number(), {{"type", "null"}}, {{"enum", {"inf", "-inf"}}}}}};
  const Json stem = {{"type", "array"}, {"items", text()}, {"minItems", 1}};
  Json schema = object({{"catena", {{"type", "string"}, {"description", "version of the program"}}},
                        {"format", {{"const", kRunFormat}, {"description", "of this file"}}},
                        {"scene", or_null({{"$ref", "#/$defs/scene"}})},
                        {"summary", or_null({{"type", "object"}})},
                        {"drawing", or_null({{"$ref", "#/$defs/drawing"}})},
                        {"stems", list_of(stem)},
                        {"checkpoint", text()},
                        {"columns",
                         {{"type", "object"},
                          {"properties", {{"t", list_of(number())}}},
                          {"required", {"t"}},
                          {"additionalProperties", list_of(value)}}}},
                       {"catena", "columns"});
  schema["$defs"] = {{"scene", scene}, {"drawing", drawing_schema()}};
  Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Catena recorded run"}};
  whole.update(schema);
  return whole.dump(2) + "\n";
}

}  // namespace catena
