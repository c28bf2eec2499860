#include "catena/sweep/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/expr/parse.h"
#include "catena/sweep/random.h"

namespace catena {
namespace {

constexpr double kMostCases = 1e15;

}  // namespace

SweepCases::SweepCases(const SweepPlan& plan) : plan_(plan), extents_(extents_of(plan)) {
  double cases = 1.0;
  for (const SweepExtent& extent : extents_) {
    cases *= static_cast<double>(extent.count);
    count_ *= extent.count;
    for (const std::size_t a : extent.axes) {
      const SweepAxis& axis = plan_.axes[a];
      if (!axis.is_drawn() && axis.values.size() != extent.count)
        throw InputError(axis.place, fmt::format("axis '{}' has {} values where others of its file have {}",
                                                 axis.name, axis.values.size(), extent.count));
    }
  }
  if (cases > kMostCases)
    throw InputError({plan.name}, fmt::format("{:.3g} cases are more than can be counted", cases));
  std::uint32_t dimensions = 0;
  std::vector<std::string> names;
  for (const SweepAxis& axis : plan_.axes) {
    offset_.push_back(width_);
    width_ += axis.width();
    dimension_.push_back(dimensions);
    if (axis.is_drawn()) dimensions += axis.kind == SweepAxis::Kind::sphere ? 2 : 1;
    if (axis.width() == 1) names.push_back(axis.name);
  }
  if (plan_.sampler == Sampler::sobol && dimensions > kMostSobol)
    throw InputError({plan.name},
                     fmt::format("sampler \"sobol\" draws up to {} numbers, and {} are asked for; \"latin\" "
                                 "and \"random\" draw any",
                                 kMostSobol, dimensions));
  if (plan_.sampler == Sampler::sobol && plan_.samples > kMostSobolPoints)
    throw InputError({plan.name}, "sampler \"sobol\" has 2^32 points; \"random\" has more");
  if (!plan_.skip.empty()) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, plan_.skip, {names, {}});
    skip_ = std::make_unique<expr::Program>(graph, std::vector<expr::NodeId>{parsed.node},
                                            static_cast<int>(names.size()));
    skip_inputs_.resize(names.size());
  }
}

double SweepCases::drawn(std::uint64_t index, std::uint32_t dimension) const {
  switch (plan_.sampler) {
    case Sampler::sobol:
      return sobol_number(plan_.seed, index, dimension);
    case Sampler::latin:
      return latin_number(plan_.seed, index, plan_.samples, dimension);
    case Sampler::random:
      break;
  }
  return unit_number(random_bits(plan_.seed, index, dimension));
}

void SweepCases::draw(const SweepAxis& axis, std::uint64_t sample, std::uint32_t dimension,
                      double* out) const {
  const double u = drawn(sample, dimension);
  if (axis.kind == SweepAxis::Kind::uniform) {
    out[0] = axis.first + u * (axis.second - axis.first);
  } else if (axis.kind == SweepAxis::Kind::normal) {
    out[0] = axis.first + axis.second * normal_quantile(u);
  } else {  // Archimedes: the height of a point of the sphere is even
    const double up = 2.0 * u - 1.0, around = 2.0 * std::numbers::pi * drawn(sample, dimension + 1);
    const double across = std::sqrt((1.0 - up) * (1.0 + up));
    out[0] = across * std::cos(around);
    out[1] = across * std::sin(around);
    out[2] = up;
  }
}

void SweepCases::values(std::uint64_t index, double* out) const {
  for (std::size_t e = extents_.size(); e-- > 0;) {
    const SweepExtent& extent = extents_[e];
    const std::uint64_t place = index % extent.count;
    index /= extent.count;
    for (const std::size_t a : extent.axes) {
      const SweepAxis& axis = plan_.axes[a];
      if (axis.is_drawn()) {
        draw(axis, place, dimension_[a], out + offset_[a]);
      } else {
        out[offset_[a]] = axis.values[place];
      }
    }
  }
}

bool SweepCases::is_skipped(const double* values) {
  if (!skip_) return false;
  std::size_t next = 0;
  for (std::size_t a = 0; a < plan_.axes.size(); ++a) {
    if (plan_.axes[a].width() == 1) skip_inputs_[next++] = values[offset_[a]];
  }
  double out = 0.0;
  skip_->evaluate(skip_inputs_.data(), 1, &out);
  return out >= 0.0;
}

std::vector<double> SweepCases::along(std::size_t a) const {
  const SweepAxis& axis = plan_.axes[a];
  if (!axis.is_drawn()) return axis.values;
  std::vector<double> out(plan_.samples * axis.width());
  for (std::size_t i = 0; i < plan_.samples; ++i) draw(axis, i, dimension_[a], out.data() + i * axis.width());
  return out;
}

}  // namespace catena
