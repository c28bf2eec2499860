#include "catena/dynamics/world/wide_laws.h"

#include <algorithm>

#include "catena/math/decimal.h"
#include "catena/math/wide_packs.h"

namespace catena {
namespace {

using Source = LawInput::Source;
using Target = LawOutput::Target;

// Time as a series.
template <class S>
S time_at(int order, const S& t) {
  return order == 0 ? t : S(order == 1 ? 1.0 : 0.0);
}

}  // namespace

template <class S>
const std::vector<S>& WideMotion<S>::lanes(Source source) const {
  switch (source) {
    case Source::center:
      return center;
    case Source::center_velocity:
      return center_velocity;
    case Source::link:
      return link;
    default:
      return link_rate;
  }
}

template <class S>
WideLaws<S>::WideLaws(const World& world) {
  for (const LawGroup& law : world.forces().groups()) {
    groups_.push_back({law.lanes(), law.inputs(), law.rates(), expr::WideSeries<S>(law.series().lowered()),
                       expr::WideSeries<S>(law.shared_series().lowered())});
  }
  for (const ChainUnit& unit : world.chains()) {
    const std::size_t lanes = unit.components() * unit.links();
    const std::vector<S> zeros(lanes, S(0.0));
    links_.push_back(unit.links());
    motion_.push_back({zeros, zeros, zeros, zeros});
    forces_.push_back({zeros, {}});
  }
}

template <class S>
void WideLaws<S>::reserve(int order) {
  for (Group& group : groups_) {
    group.series.reserve(group.lanes, order);
    group.shared.reserve(1, order);
  }
}

template <class S>
void WideLaws<S>::share(Group& group, int n, const S& t) {
  shared_.resize(static_cast<std::size_t>(group.shared.outputs()));
  if (shared_.empty()) return;
  for (std::size_t i = 0; i < group.inputs.size(); ++i) {
    const bool is_time = group.inputs[i].source == Source::time;
    *group.shared.input(n, static_cast<int>(i)) = is_time ? time_at(n, t) : S(0.0);
  }
  group.shared.advance(n);
  for (std::size_t i = 0; i < shared_.size(); ++i) shared_[i] = *group.shared.output(n, static_cast<int>(i));
}

template <class S>
void WideLaws<S>::fill(const LawInput& input, int n, const S& t, std::size_t lanes, S* row) const {
  switch (input.source) {
    case Source::time:
      std::fill_n(row, lanes, time_at(n, t));
      return;
    case Source::shared:
      std::fill_n(row, lanes, shared_[static_cast<std::size_t>(input.component)]);
      return;
    case Source::constant:
      for (std::size_t lane = 0; lane < lanes; ++lane)
        row[lane] = decimal_as<S>(n == 0 ? input.values[lane] : 0.0);
      return;
    default:
      break;
  }
  const auto chain = static_cast<std::size_t>(input.chain);
  const S* from =
      motion_[chain].lanes(input.source).data() + static_cast<std::size_t>(input.component) * links_[chain];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const int link = input.whole ? static_cast<int>(lane) : input.links[lane];
    const double otherwise = n == 0 && !input.values.empty() ? input.values[lane] : 0.0;
    row[lane] = link < 0 ? decimal_as<S>(otherwise) : from[link];
  }
}

template <class S>
void WideLaws<S>::give(const LawOutput& output, std::size_t lanes, const S* row) {
  if (output.target == Target::dissipated || output.target == Target::work) {
    S& sum = output.target == Target::work ? work_ : dissipated_;
    for (std::size_t lane = 0; lane < lanes; ++lane) sum = sum + row[lane];
    return;
  }
  if (output.target != Target::end) return;
  const auto chain = static_cast<std::size_t>(output.chain),
             component = static_cast<std::size_t>(output.component);
  WideForces<S>& acting = forces_[chain];
  S* end = acting.end.data() + component * links_[chain];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const S force = output.share(lane, [](double number) { return decimal_as<S>(number); }) * row[lane];
    const int link = output.whole ? static_cast<int>(lane) : output.links[lane];
    if (link < -1) continue;
    S& sum = link < 0 ? acting.pivot[component] : end[link];
    sum = sum + force;
  }
}

template <class S>
void WideLaws<S>::advance(int n, const S& t) {
  for (WideForces<S>& acting : forces_) {
    std::fill(acting.end.begin(), acting.end.end(), S(0.0));
    acting.pivot = {};
  }
  dissipated_ = work_ = S(0.0);
  for (Group& group : groups_) {
    share(group, n, t);
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
      fill(group.inputs[i], n, t, group.lanes, group.series.input(n, static_cast<int>(i)));
    }
    group.series.advance(n);
    for (std::size_t i = 0; i < group.rates.size(); ++i) {
      give(group.rates[i], group.lanes, group.series.output(n, static_cast<int>(i)));
    }
  }
}

template <class S>
WidePivot<S>::WidePivot(const ChainUnit& unit)
    : planar_(unit.planar()), plane_(unit.plane), series_(unit.pivot_motion->series().lowered()) {}

template <class S>
void WidePivot<S>::expand(const S& t, int order) {
  for (int k = 0; k <= order; ++k) {
    *series_.input(k, 0) = time_at(k, t);
    series_.advance(k);
  }
}

template <class S>
std::array<S, 3> WidePivot<S>::coefficient(int order) const {
  const S x = *series_.output(order, 0), y = *series_.output(order, 1), z = *series_.output(order, 2);
  if (!planar_) return {x, y, z};
  const DoubleDouble cosine = plane_.wide_cosine(), sine = plane_.wide_sine();
  return {x * (S(cosine.hi) + S(cosine.lo)) + y * (S(sine.hi) + S(sine.lo)), z, S(0.0)};
}

template struct WideMotion<DoubleDouble>;
template class WideLaws<DoubleDouble>;
template class WidePivot<DoubleDouble>;
#if CATENA_HAS_QUAD
template struct WideMotion<Quad>;
template class WideLaws<Quad>;
template class WidePivot<Quad>;
#endif

}  // namespace catena
