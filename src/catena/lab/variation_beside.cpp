// Derivatives in formulations that tangents do not have: those of the same motion by the usual equations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/base/words.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/variation_parts.h"

namespace catena {

namespace {

// The scene with every chain by the equations that tangents go through. A chain that is computed in space
// stays there.
Scene in_usual_formulation(Scene scene, const World& world) {
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    Chain& chain = scene.chains[c];
    if (chain.as_bodies() || in_unit_vectors(world.chains()[c])) continue;
    chain.formulation = Formulation::automatic;
    chain.plane_allowed = chain.plane_allowed && world.chains()[c].components() == 2;
  }
  return scene;
}

}  // namespace

void Variation::Parts::follow_beside() {
  const World& world = lab.inside().world;
  const bool any_state = std::any_of(directions.begin(), directions.end(),
                                     [](const Direction& direction) { return !direction.scene; });
  if (any_state || !lab.at_start_) throw no_lanes();
  std::vector<Direction> same = directions;
  for (Direction& direction : same) {
    direction.scene = [made = direction.scene, &world](double value) {
      return in_usual_formulation(made(value), world);
    };
  }
  beside_lab = std::make_unique<Lab>(in_usual_formulation(lab.scene(), world));
  beside_lab->follow(std::move(same));
  for (const Warning& warning : beside_lab->warnings()) lab.warn(warning);
  beside_start = beside_lab->checkpoint();
  start_rates = rates = shown = std::vector<double>(directions.size() * n, 0.0);
}

// The other lab with the row of time t looked at.
Lab& Variation::Parts::beside_at(double t, const Columns& columns) {
  Lab& other = *beside_lab;
  if (t < other.step_start()) other.restore(beside_start);
  while ((t - other.time()) - other.state().t_lo > 1e-15 * std::fabs(t)) {
    if (const StepStatus status = other.advance(); status != StepStatus::done)
      throw InputError({lab.scene().name}, fmt::format("derivatives cannot be followed beyond t = {} s",
                                                       number_text(other.time())));
  }
  std::vector<double> row(columns.width());
  other.observe(t, columns, row.data());
  return other;
}

std::string angle_stem(const std::string& column, const std::string& link) {
  // Columns of charts, by their stems: angles about the pole that the chart has.
  constexpr std::array kAnglesOfCharts{"theta_dot", "phi_dot", "theta", "phi"};
  for (const char* stem : kAnglesOfCharts) {
    if (column == stem + link) return stem;
  }
  return "";
}

namespace {

// One of the angles about x and their rates, u = (cos theta, sin theta cos phi, sin theta sin phi), of a
// direction and its angular velocity, with rates.
double angle_rate(const std::string& stem, const std::array<Rates, 6>& of) {
  const auto& [x, y, z, wx, wy, wz] = of;
  const Rates vx = wy * z - wz * y, vy = wz * x - wx * z, vz = wx * y - wy * x;
  const Rates square = y * y + z * z, radius = square_root(square);
  if (stem == "theta") return x.value() * radius.rate(0) - radius.value() * x.rate(0);
  if (stem == "phi") return (y.value() * z.rate(0) - z.value() * y.rate(0)) / square.value();
  return (stem == "theta_dot" ? -vx / radius : (y * vz - z * vy) / square).rate(0);
}

}  // namespace

// Endings of the columns of links whose chart has its pole along x at the lab's row.
std::vector<std::string> Variation::Parts::links_about_x() {
  std::vector<std::string> out;
  // Formulations that know no planes show angles of their own.
  const auto is_chart = [](const Chain& one) { return !formulation_info(one.formulation).knows_planes; };
  const std::vector<Chain>& chains = lab.scene().chains;
  if (std::none_of(chains.begin(), chains.end(), is_chart)) return out;
  const Columns poles = lab.columns({"pole"});
  std::vector<double> row(poles.width());
  const Angles angles = lab.inside().frame.angles();
  lab.show_row(poles, row.data());
  lab.inside().frame.set_angles(angles);
  const std::vector<std::string> names = names_of(poles);
  for (std::size_t q = 1; q < names.size(); ++q) {
    if (row[q] == 0.0) out.push_back(names[q].substr(std::string("pole").size()));
  }
  return out;
}

// The other motion shows angles about z; where the chart has them about x, those follow from directions.
void Variation::Parts::turn_charts(double t, const Columns& columns, double* out) {
  const std::vector<std::string> names = names_of(columns);
  for (const std::string& link : links_about_x()) {
    std::vector<std::string> asked;
    for (const char* stem : {"ux", "uy", "uz", "wx", "wy", "wz"}) asked.push_back(stem + link);
    const Columns of = beside_lab->columns(asked);
    const std::size_t width = of.width();
    std::vector<double> row(width), slopes_of(width * directions.size());
    beside_lab->observe(t, of, row.data());
    beside_lab->derivatives(of, slopes_of.data());
    const std::vector<std::string> found = names_of(of);
    for (std::size_t q = 0; q < names.size(); ++q) {
      const std::string stem = angle_stem(names[q], link);
      for (std::size_t j = 0; !stem.empty() && j < directions.size(); ++j) {
        std::array<Rates, 6> numbers;
        for (std::size_t i = 0; i < asked.size(); ++i) {
          const auto at =
              static_cast<std::size_t>(std::find(found.begin(), found.end(), asked[i]) - found.begin());
          numbers[i] = Rates(row.at(at));
          numbers[i].set_rate(0, slopes_of.at(j * width + at));
        }
        out[j * columns.width() + q] = angle_rate(stem, numbers);
      }
    }
  }
}

Scene in_unit_vectors(Scene scene) {
  constexpr std::array kThese{Formulation::tension, Formulation::articulated, Formulation::multibody};
  for (Chain& chain : scene.chains) {
    if (std::find(kThese.begin(), kThese.end(), chain.formulation) != kThese.end()) continue;
    chain.plane_allowed = chain.plane_allowed && formulation_info(chain.formulation).knows_planes;
    chain.formulation = Formulation::automatic;
  }
  return scene;
}

}  // namespace catena
