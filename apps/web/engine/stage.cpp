#include "stage.h"

#include "catena/base/mistake.h"
#include "catena/expr/evaluate.h"
#include "catena/lab/equations/equations.h"
#include "catena/model/force_laws.h"

namespace catena::web {
namespace {

using Json = nlohmann::ordered_json;

struct Surroundings {
  const char* name;
  const char* unit;
  expr::Vector field;
};

// Sources of all entries together, as masses feel them.
MassLaw surroundings_law(const Scene& scene, expr::Graph& graph) {
  MassLaw law(graph, scene.simulation.gravity);
  for (const ForceEntry& entry : scene.forces) {
    const ForceLaw* kind = find_force_law(entry.kind);
    if (kind != nullptr && kind->surround != nullptr) kind->surround(entry, law);
  }
  law.electric = law.electric - law.gradient(law.electric_potential, kLawPosition);
  return law;
}

Json vectors_at(const expr::Graph& graph, const expr::Vector& field, double t,
                const std::vector<Vec3>& places) {
  const std::size_t lanes = places.size();
  std::vector<double> in(kLawVariables * lanes), out(3 * lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    in[kLawTime * lanes + k] = t;
    for (std::size_t i = 0; i < 3; ++i) in[(kLawPosition + i) * lanes + k] = places[k][i];
  }
  expr::Program program(graph, {field.x.node, field.y.node, field.z.node}, kLawVariables);
  program.evaluate(in.data(), lanes, out.data());
  Json list = Json::array();
  for (std::size_t k = 0; k < lanes; ++k) list.push_back({out[k], out[lanes + k], out[2 * lanes + k]});
  return list;
}

}  // namespace

Json sight_json(Experiment& experiment, const std::vector<std::string>& quantities) {
  const Sight sight = experiment.sight(quantities);
  Json names = Json::array();
  for (const Stem& stem : sight.stems) {
    if (stem.labels.empty()) names.push_back(stem.name);
    for (const std::string& label : stem.labels) names.push_back(stem.name + "_" + label);
  }
  return {{"names", names}, {"values", sight.values}, {"rates", sight.rates}};
}

Json fields_json(const Scene& scene, double t, const std::vector<Vec3>& places) {
  expr::Graph graph;
  const MassLaw law = surroundings_law(scene, graph);
  Json out = Json::array();
  for (const auto& [name, unit, field] :
       {Surroundings{"wind", "m/s", law.wind}, Surroundings{"electric", "V/m", law.electric},
        Surroundings{"magnetic", "T", law.magnetic}}) {
    const Json vectors = vectors_at(graph, field, t, places);
    const bool is_there = std::any_of(vectors.begin(), vectors.end(), [](const Json& v) {
      return v != Json{0.0, 0.0, 0.0};
    });
    if (is_there) out.push_back({{"name", name}, {"unit", unit}, {"vectors", vectors}});
  }
  return {{"fields", out}};
}

Json equations_json(const Scene& scene) {
  try {
    const EquationSheet sheet = equations_of(scene, false);
    Json sections = Json::array();
    for (const EquationSection& section : sheet.sections) {
      Json lines = Json::array();
      for (const EquationLine& line : section.lines) lines.push_back({line.left, line.right});
      sections.push_back({{"title", section.title}, {"note", section.note}, {"lines", lines}});
    }
    return {{"sections", sections}};
  } catch (const InputError& error) {
    return {{"sections", Json::array()}, {"reason", error.mistakes().front().message}};
  }
}

}  // namespace catena::web
