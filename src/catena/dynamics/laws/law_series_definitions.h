// What LawSeries does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "catena/dynamics/laws/law_series.h"
#include "catena/expr/kinks.h"
#include "catena/math/number_tape.h"

namespace catena {

// Speeds below this (m/s) count as rest where a law has the norm of a velocity: its kink is there, and what
// the norm is multiplied with is as small. With more digits tolerances may be coarser than the digits, and a
// step ends no nearer to rest than they say.
template <class S>
constexpr double law_rest() {
  return std::is_same_v<S, double> || takes_tape<S> ? 1e-10 : 1e-17;
}

template <class S>
void LawForcesOver<S>::clear() {
  for (ChainForcesOver<S>& chain : chains) {
    std::fill(chain.end.begin(), chain.end.end(), S(0.0));
    std::fill(chain.upper.begin(), chain.upper.end(), S(0.0));
    chain.pivot = {};
  }
  std::fill(bodies.begin(), bodies.end(), S(0.0));
  dissipated = work = S(0.0);
}

template <class S>
const std::vector<S>& lanes_of(const ChainMotionOver<S>& motion, LawInput::Source source) {
  switch (source) {
    case LawInput::Source::center:
      return motion.center;
    case LawInput::Source::center_velocity:
      return motion.center_velocity;
    case LawInput::Source::link:
      return motion.link;
    default:
      return motion.link_rate;
  }
}

template <class S>
LawSeries<S>::LawSeries(const expr::Graph& graph, const expr::Hoisted& laws,
                        const std::vector<expr::NodeId>& nodes, std::vector<LawInput> inputs,
                        std::vector<LawOutput> rates, std::size_t lanes)
    : lanes_(lanes),
      inputs_(std::move(inputs)),
      rates_(std::move(rates)),
      series_(laws.rest, nodes, static_cast<int>(inputs_.size())),
      shared_series_(graph, laws.shared, static_cast<int>(inputs_.size())),
      shared_(laws.shared.size()) {
  series_.treat_as_zero_below(law_rest<S>());
}

template <class S>
template <class Other>
LawSeries<S>::LawSeries(const LawSeries<Other>& laws, NumberTape* tape)
    : lanes_(laws.lanes()),
      inputs_(laws.inputs()),
      rates_(laws.rates()),
      series_(laws.series().lowered(), tape),
      shared_series_(laws.shared_series().lowered(), tape),
      shared_(laws.shared_series().lowered().outputs.size()) {
  series_.treat_as_zero_below(law_rest<S>());
  take_numbers(tape);
}

template <class S>
void LawSeries<S>::reserve(int order) {
  series_.reserve(lanes_, order);
  if (!shared_.empty()) shared_series_.reserve(1, order);
}

template <class S>
void LawSeries<S>::take_numbers(NumberTape* tape) {
  if constexpr (!std::is_same_v<S, double>) {
    const auto taken = [&](const std::vector<double>& numbers) {
      std::vector<S> out;
      for (const double number : numbers) out.push_back(number_as<S>(number, tape));
      return out;
    };
    for (const LawInput& input : inputs_) given_.push_back(taken(input.values));
    for (const LawOutput& output : rates_) {
      shares_.push_back(taken(output.weights));
      if (output.upper_of.empty()) continue;
      shares_.back().resize(lanes_, S(1.0));
      for (S& share : shares_.back()) share = S(1.0) - share;
    }
  }
}

template <class S>
S LawSeries<S>::given(std::size_t input, std::size_t lane) const {
  if constexpr (std::is_same_v<S, double>) {
    return inputs_[input].values[lane];
  } else {
    return given_[input][lane];
  }
}

template <class S>
S LawSeries<S>::share(std::size_t output, std::size_t lane) const {
  if constexpr (std::is_same_v<S, double>) {
    return rates_[output].share(lane, [](double number) { return number; });
  } else {
    return shares_[output].empty() ? S(1.0) : shares_[output][lane];
  }
}

template <class S>
void LawSeries<S>::fill(std::size_t index, int order, const S& t, const LawMotionOver<S>& motion,
                        S* row) const {
  const LawInput& input = inputs_[index];
  using Source = LawInput::Source;
  if (input.source == Source::time) {
    std::fill_n(row, lanes_, order == 0 ? t : S(order == 1 ? 1.0 : 0.0));
    return;
  }
  if (input.source == Source::shared) {
    std::fill_n(row, lanes_, shared_[static_cast<std::size_t>(input.component)]);
    return;
  }
  if (input.source == Source::constant) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) row[lane] = order == 0 ? given(index, lane) : S(0.0);
    return;
  }
  const auto component = static_cast<std::size_t>(input.component);
  const S* from = nullptr;
  if (input.source == Source::body) {
    from = motion.bodies + component * motion.stride;
  } else {
    const ChainMotionOver<S>& chain = motion.chains[static_cast<std::size_t>(input.chain)];
    from = lanes_of(chain, input.source).data() + component * chain.links;
  }
  if (input.whole) {
    std::copy_n(from, lanes_, row);
    return;
  }
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const int link = input.links[lane];
    const bool has_other = order == 0 && !input.values.empty();
    row[lane] = link >= 0 ? from[link] : has_other ? given(index, lane) : S(0.0);
  }
}

template <class S>
void LawSeries<S>::load_bodies(const LawOutput& output, const S* row, LawForcesOver<S>& forces) const {
  const auto component = static_cast<std::size_t>(output.component);
  S* to = forces.bodies.data() + component * (forces.bodies.size() / 6);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const int body = output.links[lane];
    if (body >= 0) to[body] += row[lane];
    if (body == -1) forces.chains[static_cast<std::size_t>(output.chain)].pivot[component] += row[lane];
  }
}

// Of forces on centres of solid links: shares for both ends. Apart, for it is rare and `give` is not.
template <class S, class Share>
[[gnu::noinline]] void give_both_ends(const LawOutput& output, std::size_t lanes, const S* row,
                                      const Share& share, ChainForcesOver<S>& acting) {
  const auto component = static_cast<std::size_t>(output.component);
  S* end = acting.end.data() + component * acting.links;
  const bool asked = !acting.upper.empty();
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const S force = share(lane) * row[lane];
    const int link = output.links[lane];
    if (link < -1) continue;
    (link < 0 ? acting.pivot[component] : end[link]) += force;
    if (asked)
      acting.upper[component * acting.links + static_cast<std::size_t>(output.upper_of[lane])] += force;
  }
}

template <class S>
void LawSeries<S>::give(std::size_t index, const S* row, LawForcesOver<S>& forces) const {
  const LawOutput& output = rates_[index];
  using Target = LawOutput::Target;
  if (output.target == Target::dissipated || output.target == Target::work) {
    S& sum = output.target == Target::work ? forces.work : forces.dissipated;
    for (std::size_t lane = 0; lane < lanes_; ++lane) sum += row[lane];
    return;
  }
  if (output.target == Target::body) return load_bodies(output, row, forces);
  ChainForcesOver<S>& acting = forces.chains[static_cast<std::size_t>(output.chain)];
  const auto component = static_cast<std::size_t>(output.component);
  S* end = acting.end.data() + component * acting.links;
  if (output.whole && output.weights.empty()) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) end[lane] += row[lane];
    return;
  }
  S& pivot = acting.pivot[component];
  if (output.upper_of.empty()) {  // the usual: nothing is looked up for a lane that is the same for all
    const int* const links = output.links.data();
    const std::vector<S>& factors = [&]() -> const std::vector<S>& {
      if constexpr (std::is_same_v<S, double>) {
        return output.weights;
      } else {
        return shares_[index];
      }
    }();
    const S* const weights = factors.empty() ? nullptr : factors.data();  // all 1
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const int link = links[lane];
      if (link < -1) continue;
      (link < 0 ? pivot : end[link]) += weights == nullptr ? row[lane] : weights[lane] * row[lane];
    }
    return;
  }
  const auto share_of = [&](std::size_t lane) { return share(index, lane); };
  give_both_ends(output, lanes_, row, share_of, acting);
}

template <class S>
void LawSeries<S>::advance(int n, const S& t, const LawMotionOver<S>& motion, LawForcesOver<S>& forces) {
  if (!shared_.empty()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_time = inputs_[i].source == LawInput::Source::time && n < 2;
      *shared_series_.input(n, static_cast<int>(i)) = is_time ? (n == 0 ? t : S(1.0)) : S(0.0);
    }
    shared_series_.advance(n);
    for (std::size_t i = 0; i < shared_.size(); ++i)
      shared_[i] = *shared_series_.output(n, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    fill(i, n, t, motion, series_.input(n, static_cast<int>(i)));
  series_.advance(n);
  for (std::size_t i = 0; i < rates_.size(); ++i) give(i, series_.output(n, static_cast<int>(i)), forces);
}

template <class S>
S LawSeries<S>::smooth_until(int order, const S& length, double allowed) const {
  S until = length;
  if (!shared_.empty()) until = first_break(shared_series_, order, until, allowed);
  return first_break(series_, order, until, allowed);
}

template <class S>
bool LawSeries<S>::has_jumps() const {
  const auto jumps = [](const expr::Series<S>& series) {
    const auto& switches = series.switches();
    return std::any_of(switches.begin(), switches.end(),
                       [](const expr::Switch& one) { return one.kind != expr::SwitchKind::touches_zero; });
  };
  return jumps(series_) || jumps(shared_series_);
}

}  // namespace catena
