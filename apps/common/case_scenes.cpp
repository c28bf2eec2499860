#include "case_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "catena/analyze/energy_limit.h"
#include "catena/base/mistake.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/variants.h"
#include "catena/sweep/measures.h"
#include "derivatives.h"

namespace catena {

std::vector<std::vector<std::string>> keys_of(const SweepPlan& plan) {
  std::vector<std::vector<std::string>> out;
  for (const SweepAxis& axis : plan.axes) out.push_back(axis.keys);
  if (!plan.solve.empty()) out.push_back({plan.solve});
  return out;
}

namespace {

class VariantScenes : public CaseScenes {
 public:
  VariantScenes(const SceneVariants& variants, double unsolved, std::vector<std::string> paths)
      : variants_(variants), unsolved_(unsolved), paths_(std::move(paths)) {}

  const Scene& with(const double* values) override { return variants_.with(values); }
  bool starts_only() const override { return variants_.starts_only(); }
  double unsolved() const override { return unsolved_; }
  std::unique_ptr<Lab> lab_with_derivatives(const double* values) override {
    Scene scene = variants_.complete(values);
    return catena::lab_with_derivatives(scene, paths_);
  }

 private:
  SceneVariants variants_;
  double unsolved_;
  std::vector<std::string> paths_;
};

// Mistakes in paths, each at the place of the axis that names them.
void check_keys(const SweepPlan& plan, const Scene& scene) {
  std::vector<Mistake> mistakes;
  const auto look = [&](const std::vector<std::string>& keys, const std::string& owner, const Place& place,
                        std::size_t width) {
    try {
      const std::size_t numbers = SceneVariants(scene, {keys}).width();
      if (numbers == width) return;
      mistakes.push_back(
          {place, fmt::format("{}: '{}' is {}", owner, keys.front(),
                              numbers == 3 ? "a list of three numbers: name one of them, or draw "
                                             "directions by sphere = true"
                                           : "one number, and a direction has three")});
    } catch (const InputError& error) {
      for (const Mistake& one : error.mistakes())
        mistakes.push_back({place, fmt::format("{}: {}: {}", owner, one.place.source, one.message)});
    }
  };
  for (const SweepAxis& axis : plan.axes)
    look(axis.keys, fmt::format("axis '{}'", axis.name), axis.place, axis.width());
  if (!plan.solve.empty()) look({plan.solve}, "sweep: solve", plan.solve_place, 1);
  for (const SweepMeasure& measure : plan.measures) {
    if (!measure.path.empty())
      look({measure.path}, fmt::format("measure '{}'", measure.name), measure.place, 1);
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

}  // namespace

std::unique_ptr<Sweep> sweep_over(SweepPlan plan, const Scene& scene) {
  check_keys(plan, scene);
  const auto variants = std::make_shared<const SceneVariants>(scene, keys_of(plan));
  const double unsolved = plan.solve.empty() ? 0.0 : scene_numbers(scene, {plan.solve}).front().value;
  const std::vector<std::string> paths = derivative_paths(plan);
  return std::make_unique<Sweep>(std::move(plan),
                                 [=] { return std::make_unique<VariantScenes>(*variants, unsolved, paths); });
}

namespace {

// Energies of all starts; nan where a case has none. Empty: they are not starts of one world.
std::vector<double> start_energies(const Scene& scene, const SweepPlan& plan) {
  SceneVariants variants(scene, keys_of(plan));
  if (!variants.starts_only()) return {};
  const SweepCases cases(plan);
  std::vector<double> values(cases.width() + 1, 0.0), out;
  std::unique_ptr<Lab> lab;
  for (std::uint64_t index = 0; index < cases.count(); ++index) {
    cases.values(index, values.data());
    try {
      const Scene& one = variants.with(values.data());
      if (!lab || !lab->restart(one)) lab = std::make_unique<Lab>(one);
      out.push_back(static_cast<double>(lab->energies().start_energy));
    } catch (const InputError&) {
      lab.reset();
      out.push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return out;
}

}  // namespace

std::vector<EnergyContour> energy_contours(const SweepPlan& plan, const Scene& scene) {
  std::vector<EnergyContour> out;
  const std::vector<SweepExtent> extents = extents_of(plan);
  if (extents.size() != 2 || plan.axes.size() != 2) return out;
  const auto is_event = [](const SweepMeasure& one) { return one.kind == SweepMeasure::Kind::event; };
  if (plan.energy || std::none_of(plan.measures.begin(), plan.measures.end(), is_event)) return out;
  const std::vector<double> energies = start_energies(scene, plan);
  if (energies.empty()) return out;
  for (const SweepMeasure& measure : plan.measures) {
    if (!is_event(measure)) continue;
    const std::optional<double> least = least_energy(scene, measure.of);
    if (!least) continue;
    const GridMap map{extents[0].count, extents[1].count, energies};
    out.push_back({measure.name, *least, contour(map, *least)});
  }
  return out;
}

}  // namespace catena
