#include "modes_and_orbits.h"

#include <fmt/format.h>

#include <cmath>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/paths.h"

namespace catena {
namespace {

AnalysisJson number(double value) {
  return std::isfinite(value) ? AnalysisJson(value) : AnalysisJson(nullptr);
}

AnalysisJson complex(const std::complex<double>& value) {
  return AnalysisJson::array({number(value.real()), number(value.imag())});
}

AnalysisJson matrix(const Matrix& rows) {
  AnalysisJson out = AnalysisJson::array();
  for (const std::vector<double>& row : rows) {
    AnalysisJson& one = out.emplace_back(AnalysisJson::array());
    for (const double value : row) one.push_back(number(value));
  }
  return out;
}

AnalysisJson mode_json(const Mode& mode, const std::vector<std::string>& columns) {
  AnalysisJson out;
  const double swing = std::fabs(mode.eigenvalue.imag());
  out["frequency"] = mode.frequency();
  out["damping"] = mode.damping();
  out["eigenvalue"] = complex(mode.eigenvalue);
  out["period"] = swing > 0.0 ? AnalysisJson(2 * M_PI / swing) : AnalysisJson(nullptr);
  AnalysisJson real = AnalysisJson::object(), imaginary = AnalysisJson::object();
  bool out_of_step = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    real[columns[i]] = number(mode.columns[i].real());
    imaginary[columns[i]] = number(mode.columns[i].imag());
    out_of_step = out_of_step || std::fabs(mode.columns[i].imag()) > 1e-12;
  }
  out["shape"] = real;
  if (out_of_step) out["shape_imaginary"] = imaginary;
  return out;
}

AnalysisJson multipliers(const Multipliers& of) {
  AnalysisJson out = AnalysisJson::array();
  for (const std::complex<double>& value : of.values) out.push_back(complex(value));
  return out;
}

AnalysisJson branch_json(const Branch& branch) {
  AnalysisJson out;
  out["from_special"] = branch.origin ? AnalysisJson(*branch.origin) : AnalysisJson(nullptr);
  out["multiple"] = branch.multiple;
  out["end"] = branch.end;
  AnalysisJson& points = out["points"] = AnalysisJson::array();
  for (const BranchPoint& point : branch.points) {
    points.push_back({{"parameter", point.parameter},
                      {"period", point.period},
                      {"stable", point.stable},
                      {"multipliers", multipliers(point.multipliers)},
                      {"low", number(point.low)},
                      {"high", number(point.high)},
                      {"levels", point.levels}});
  }
  return out;
}

}  // namespace

AnalysisJson modes_json(const Modes& modes, const std::string& scene) {
  AnalysisJson out;
  out["scene"] = scene;
  AnalysisJson& rest = out["equilibrium"] = AnalysisJson::object();
  for (std::size_t i = 0; i < modes.columns.size(); ++i) rest[modes.columns[i]] = number(modes.row[i]);
  out["stable"] = modes.stability == Stability::undecided
                      ? AnalysisJson(nullptr)
                      : AnalysisJson(modes.stability != Stability::unstable);
  out["stability"] = stability_text(modes.stability);
  out["conservative"] = modes.conservative;
  for (const char* list : {"frequencies", "damping", "eigenvalues", "modes"})
    out[list] = AnalysisJson::array();
  for (const Mode& mode : modes.modes) {
    out["frequencies"].push_back(mode.frequency());
    out["damping"].push_back(mode.damping());
    out["eigenvalues"].push_back(complex(mode.eigenvalue));
    out["modes"].push_back(mode_json(mode, modes.columns));
  }
  AnalysisJson& families = out["families"] = AnalysisJson::array();
  for (const RestingFamily& family : modes.families)
    families.push_back({{"columns", family.columns}, {"equilibria", family.level}});
  out["states"] = modes.model.states;
  out["inputs"] = modes.model.inputs;
  out["outputs"] = modes.model.outputs;
  out["a"] = matrix(modes.model.a);
  out["b"] = matrix(modes.model.b);
  out["c"] = matrix(modes.model.c);
  out["d"] = matrix(modes.model.d);
  out["residual"] = modes.equilibrium.residual;
  out["newton_steps"] = modes.equilibrium.steps;
  out["warnings"] = modes.warnings;
  return out;
}

void add_branches(AnalysisJson& out, const Continuation& along) {
  out["along"] = along.path;
  out["column"] = along.column;
  out["branches"] = AnalysisJson::array();
  for (const Branch& branch : along.branches) out["branches"].push_back(branch_json(branch));
  AnalysisJson& special = out["special"] = AnalysisJson::array();
  for (const SpecialPoint& point : along.special) {
    special.push_back({{"kind", special_text(point.kind)},
                       {"parameter", point.parameter},
                       {"period", point.period},
                       {"branch", point.branch},
                       {"leads_to", point.leads_to ? AnalysisJson(*point.leads_to) : AnalysisJson(nullptr)},
                       {"mirrored", point.mirrored},
                       {"levels", point.levels}});
  }
  out["ratios"] = along.ratios;
  out["interrupted"] = along.interrupted;
}

AnalysisJson orbit_json(const Orbit& orbit, const Continuation* along, const std::string& scene) {
  AnalysisJson out;
  out["scene"] = scene;
  out["period"] = orbit.motion.period;
  out["multipliers"] = multipliers(orbit.multipliers);
  out["trivial"] = orbit.multipliers.trivial;
  out["stable"] = orbit.stable;
  out["driven"] = orbit.driven;
  out["multiple"] = orbit.multiple;
  out["conserved"] = orbit.conserved;
  out["symmetric"] = orbit.symmetric ? AnalysisJson(*orbit.symmetric) : AnalysisJson(nullptr);
  out["gap"] = orbit.gap;
  out["flow_error"] = orbit.flow_error ? AnalysisJson(*orbit.flow_error) : AnalysisJson(nullptr);
  out["start"] = orbit.motion.states[0];
  out["warnings"] = orbit.warnings;
  if (along != nullptr) add_branches(out, *along);
  return out;
}

AnalysisJson search_json(const OrbitSearchResult& result, const std::string& scene) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? number(*value) : AnalysisJson(nullptr);
  };
  AnalysisJson out;
  out["scene"] = scene;
  out["when"] = result.when;
  out["starts"] = result.starts;
  out["tries"] = result.tries;
  out["symmetries"] = result.symmetries;
  AnalysisJson& orbits = out["orbits"] = AnalysisJson::array();
  for (const SearchedOrbit& one : result.orbits) {
    AnalysisJson json = orbit_json(one.orbit, nullptr, scene);
    json.erase("scene");
    json["action"] = or_null(one.action);
    json["energy"] = or_null(one.energy);
    json["images"] = one.images;
    json["hits"] = one.hits;
    orbits.push_back(std::move(json));
  }
  out["notes"] = result.notes;
  out["interrupted"] = result.interrupted;
  return out;
}

std::vector<Direction> inputs_of(const Scene& scene, const std::vector<std::string>& paths) {
  std::vector<Direction> out;
  if (paths.empty()) return out;
  for (const SceneNumber& number : scene_numbers(scene, paths)) {
    out.push_back({number.path,
                   number.value,
                   [scene, path = number.path](double value) { return with_number(scene, path, value); },
                   {}});
  }
  return out;
}

void set_path(OrbitOptions& options, const Scene& scene, const std::string& path) {
  const std::vector<SceneNumber> numbers = scene_numbers(scene, {path});
  if (numbers.size() != 1)
    throw InputError({"--along " + path}, fmt::format("names {} numbers; it must name one", numbers.size()));
  options.path = numbers[0].path;
  options.scene = [scene, path = options.path](double value) { return with_number(scene, path, value); };
}

}  // namespace catena
