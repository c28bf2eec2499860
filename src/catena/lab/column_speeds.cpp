#include "catena/lab/column_speeds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <variant>

#include "catena/lab/column_formula.h"
#include "catena/lab/inside.h"

namespace catena {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Rows are brought onto the constraints before they are shown. A method that keeps a tolerance moves them by
// less than a hundredth of what the step does.
constexpr double kRoom = 1.01;
constexpr double kCoarse = 1e-4;  // tolerance from which on that is not so sure

bool keeps_close(const Lab& lab) {
  const Lab::Inside& in = lab.inside();
  return lab.adaptive() && in.options.by_tolerance && in.options.tolerance < kCoarse &&
         !in.world.has_more_digits() && !in.world.has_pieces();
}

// Chains whose states are the directions of their links and how they change.
bool has_directions(const ChainUnit& unit) {
  return std::holds_alternative<RigidChain<2>>(unit.chain) ||
         std::holds_alternative<RigidChain<3>>(unit.chain);
}

// The largest |x|, |dx/dt| and |d2x/dt2| of all lanes over the step, by the sizes of the polynomial's terms.
void bound(const StepPolynomial& step, std::vector<double>& sizes, std::vector<double>& slopes,
           std::vector<double>& bends) {
  const double s = std::fabs(step.length / step.unit), rate = 1.0 / std::fabs(step.unit);
  const std::size_t n = step.dimension;
  for (std::vector<double>* one : {&sizes, &slopes, &bends}) one->assign(n, 0.0);
  for (int k = step.degree; k >= 0; --k) {
    const double* c = step.row(k);
    for (std::size_t i = 0; i < n; ++i) {
      bends[i] = bends[i] * s + slopes[i];
      slopes[i] = slopes[i] * s + sizes[i];
      sizes[i] = sizes[i] * s + std::fabs(c[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    slopes[i] *= rate;
    bends[i] *= 2.0 * rate * rate;
  }
}

// The length of a vector over links.
double length(const std::vector<double>& lanes, std::size_t first, std::size_t apart, std::size_t count) {
  double square = 0.0;
  for (std::size_t i = 0; i < count; ++i) square += lanes[first + i * apart] * lanes[first + i * apart];
  return std::sqrt(square);
}

}  // namespace

ColumnSpeeds::ColumnSpeeds(const Lab& lab, const Columns& columns) {
  const World& world = lab.inside().world;
  std::map<std::string, Source> known{{"t", {Kind::time, 0, 0}}};
  for (std::size_t c = 0; c < world.chains().size(); ++c) {
    const ChainUnit& unit = world.chains()[c];
    if (!has_directions(unit)) continue;
    for (std::size_t k = 0; k < unit.links(); ++k) {
      const std::string label = (unit.name.empty() ? "_" : "_" + unit.name + "_") + std::to_string(k + 1);
      known["theta" + label] = {Kind::angle, c, k};
      if (unit.planar()) known["theta_dot" + label] = {Kind::rate, c, k};
      for (const char* axis : {"x", "y", "z"}) {
        if (!unit.pivot_motion) known[axis + label] = {Kind::end, c, k};
      }
    }
  }
  if (const LagrangianSystem* system = world.lagrangian()) {
    const std::size_t n = system->coordinates();
    for (std::size_t i = 0; i < n; ++i) {
      known[system->given().coordinates[i].name] = {Kind::lane, 0, i};
      known[system->given().coordinates[i].name + "_dot"] = {Kind::lane, 0, n + i};
    }
  }
  if (const EquationsSystem* system = world.equations()) {
    for (std::size_t i = 0; i < system->given().states.size(); ++i)
      known[system->given().states[i].name] = {Kind::lane, 0, i};
  }
  const bool may_know = keeps_close(lab);
  for (const std::string& name : names_of(columns)) {
    const auto found = known.find(name);
    sources_.push_back(may_know && found != known.end() ? found->second : Source{});
    are_known_ = are_known_ && sources_.back().kind != Kind::unknown;
  }
  bounds_.resize(sources_.size());
}

ColumnSpeeds::Bound ColumnSpeeds::bound_of(const Lab& lab, const Source& of) const {
  if (of.kind == Kind::time) return {1.0, 0.0};
  if (of.kind == Kind::lane) return {slopes_[of.at], bends_[of.at]};
  if (of.kind == Kind::unknown) return {kInfinity, kInfinity};
  const ChainUnit& unit = lab.inside().world.chains()[of.chain];
  const std::size_t links = unit.links(), count = unit.planar() ? 2 : 3;
  const auto u = [&](const std::vector<double>& of_lanes, std::size_t k) {
    return length(of_lanes, unit.offset + k, links, count);
  };
  const auto w = [&](const std::vector<double>& of_lanes, std::size_t k) {
    return length(of_lanes, unit.offset + count * links + k, links, count);
  };
  // In space the polar angle turns as sharply as may be where a link passes close to the pole.
  if (of.kind == Kind::angle) return {u(slopes_, of.at), unit.planar() ? u(bends_, of.at) : kInfinity};
  if (of.kind == Kind::rate) {
    const double turning = w(sizes_, of.at), change = w(slopes_, of.at);
    return {change + turning * turning,
            w(bends_, of.at) + 3.0 * turning * change + turning * turning * turning};
  }
  Bound sum;  // what turning does to the end of a link and to those above
  const ChainLinks& given = unit.parameters();
  for (int k = static_cast<int>(of.at); k >= 0; k = given.parent[static_cast<std::size_t>(k)]) {
    const auto at = static_cast<std::size_t>(k);
    sum.speed += given.length[at] * u(slopes_, at);
    sum.bend += given.length[at] * u(bends_, at);
  }
  return sum;
}

void ColumnSpeeds::look(Lab& lab) {
  bound(lab.inside().stepper->dense(), sizes_, slopes_, bends_);
  for (std::size_t i = 0; i < sources_.size(); ++i) bounds_[i] = bound_of(lab, sources_[i]);
  noise_ = 10.0 * lab.tolerance();
}

// Two lines of the largest slope meet above the middle, or so does a parabola between both values: by which
// of them it is less. And what rounding and projection may move it by.
double ColumnSpeeds::beyond(std::size_t i, double from, double to, double length) const {
  const double reach = kRoom * bounds_[i].speed * length, change = std::fabs(to - from);
  const double noise = 1e-9 * (1.0 + std::fabs(from)) + noise_ * (1.0 + reach);
  if (!(change <= reach + noise)) return kInfinity;
  const double bent = 0.125 * kRoom * bounds_[i].bend * length * length;
  return std::min(std::max(0.0, 0.5 * (reach - change)), bent) + noise;
}

}  // namespace catena
