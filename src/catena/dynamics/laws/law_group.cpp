#include "catena/dynamics/laws/law_group.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/state/body_state.h"
#include "catena/expr/kinks.h"

namespace catena {
namespace {

using Target = LawOutput::Target;
using Source = LawInput::Source;

// Speeds below this (m/s) count as rest where a law has the norm of a velocity: its kink is there, and what
// the norm is multiplied with is as small.
constexpr double kRest = 1e-10;

bool is_energy(Target target) { return target == Target::potential || target == Target::elastic; }

// Those of `all` that belong to outputs that are, or are not, energies.
template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<LawOutput>& outputs, bool energies) {
  std::vector<T> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_energy(outputs[i].target) == energies) out.push_back(all[i]);
  }
  return out;
}

bool velocity_moves_forces(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes,
                           const std::vector<LawOutput>& outputs, const std::vector<LawInput>& inputs) {
  std::vector<expr::NodeId> forces;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (outputs[i].target == Target::end || outputs[i].target == Target::body) forces.push_back(nodes[i]);
  }
  const std::vector<char> reached = expr::reachable(graph, forces);
  for (expr::NodeId id = 0; id < graph.size(); ++id) {
    if (!reached[id] || graph[id].op != expr::Op::variable) continue;
    const LawInput& input = inputs[graph[id].index];
    if (input.source == Source::center_velocity || input.source == Source::link_rate) return true;
    if (input.source == Source::body && input.component >= static_cast<int>(kVelocity)) return true;
  }
  return false;
}

int time_input(const std::vector<LawInput>& inputs) {
  const auto is_time = [](const LawInput& input) { return input.source == Source::time; };
  const auto time = std::find_if(inputs.begin(), inputs.end(), is_time);
  return time == inputs.end() ? expr::kNoRow : static_cast<int>(time - inputs.begin());
}

const std::vector<double>& lanes_of(const ChainMotion& motion, Source source) {
  switch (source) {
    case Source::center:
      return motion.center;
    case Source::center_velocity:
      return motion.center_velocity;
    case Source::link:
      return motion.link;
    default:
      return motion.link_rate;
  }
}

}  // namespace

LawGroup::Split LawGroup::split(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes,
                                const std::vector<LawInput>& inputs, std::size_t lanes) {
  constexpr std::size_t kFewLanes = 4;  // fewer do not pay for another program
  std::vector<char> common;
  for (const LawInput& input : inputs) common.push_back(lanes >= kFewLanes && input.source == Source::time);
  Split out{expr::hoist(graph, nodes, common, static_cast<std::uint32_t>(inputs.size())), inputs};
  for (std::size_t i = 0; i < out.parts.shared.size(); ++i) {
    out.inputs.push_back({.source = Source::shared, .component = static_cast<int>(i)});
  }
  return out;
}

LawGroup::LawGroup(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes,
                   std::vector<LawInput> inputs, std::vector<LawOutput> outputs, std::size_t lanes)
    : LawGroup(graph, nodes, split(graph, nodes, inputs, lanes), std::move(outputs), lanes) {}

LawGroup::LawGroup(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes, Split split,
                   std::vector<LawOutput> outputs, std::size_t lanes)
    : lanes_(lanes),
      inputs_(std::move(split.inputs)),
      rates_(chosen(outputs, outputs, false)),
      energies_(chosen(outputs, outputs, true)),
      rate_program_(split.parts.rest, chosen(split.parts.nodes, outputs, false),
                    static_cast<int>(inputs_.size()), time_input(inputs_)),
      energy_program_(split.parts.rest, chosen(split.parts.nodes, outputs, true),
                      static_cast<int>(inputs_.size())),
      series_(split.parts.rest, chosen(split.parts.nodes, outputs, false), static_cast<int>(inputs_.size())),
      shared_program_(graph, split.parts.shared, static_cast<int>(inputs_.size()), time_input(inputs_)),
      shared_series_(graph, split.parts.shared, static_cast<int>(inputs_.size())),
      shared_(split.parts.shared.size()),
      shared_in_(inputs_.size()),
      in_(inputs_.size() * lanes),
      out_(std::max(rates_.size(), energies_.size()) * lanes) {
  series_.treat_as_zero_below(kRest);
  depends_on_velocity_ = velocity_moves_forces(graph, nodes, outputs, inputs_);
  const int time_at = time_input(inputs_);
  const int inputs = static_cast<int>(inputs_.size());
  sampled_.emplace_back(split.parts.rest, chosen(split.parts.nodes, outputs, false), inputs, lanes_, time_at);
  sampled_.emplace_back(graph, split.parts.shared, inputs, 1, time_at);
}

void LawGroup::look_inside(double allowed) {
  allowed_ = allowed;
  if (!written ||
      std::all_of(sampled_.begin(), sampled_.end(), [](const auto& one) { return one.empty(); })) {
    sampled_.clear();
  }
}

void LawGroup::set_low_time(double low) {
  rate_program_.set_low(low);
  shared_program_.set_low(low);
}

void LawGroup::sample(int which, double t, const LawMotion& motion) {
  if (sampled_.empty()) return;
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(inputs_[i], 0, t, motion, in_.data() + i * lanes_);
  sampled_[0].note(which, in_.data(), lanes_);
  if (!shared_.empty()) sampled_[1].note(which, shared_in_.data(), 1);
}

bool LawGroup::misses(double length) {
  return std::any_of(sampled_.begin(), sampled_.end(),
                     [&](expr::SampledFormulas& one) { return one.unseen() * length > allowed_; });
}

// What depends on time alone has no other inputs.
void LawGroup::evaluate_shared(double t) {
  if (shared_.empty()) return;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    shared_in_[i] = inputs_[i].source == Source::time ? t : 0.0;
  }
  shared_program_.evaluate(shared_in_.data(), 1, shared_.data());
}

bool LawGroup::gives(Target target) const {
  const auto is_target = [target](const LawOutput& output) { return output.target == target; };
  return std::any_of(rates_.begin(), rates_.end(), is_target) ||
         std::any_of(energies_.begin(), energies_.end(), is_target);
}

bool LawGroup::twists_bodies() const {
  return std::any_of(rates_.begin(), rates_.end(), [](const LawOutput& output) {
    return output.target == Target::body && output.component >= 3;
  });
}

bool LawGroup::uses(Source source) const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [source](const LawInput& input) { return input.source == source; });
}

bool LawGroup::has_jumps() const {
  const auto jumps = [](const expr::SeriesProgram& series) {
    const auto& switches = series.switches();
    return std::any_of(switches.begin(), switches.end(),
                       [](const expr::Switch& one) { return one.kind != expr::SwitchKind::touches_zero; });
  };
  return jumps(series_) || jumps(shared_series_);
}

void LawForces::clear() {
  for (ChainForces& chain : chains) {
    std::fill(chain.end.begin(), chain.end.end(), 0.0);
    std::fill(chain.upper.begin(), chain.upper.end(), 0.0);
    chain.pivot = {};
  }
  std::fill(bodies.begin(), bodies.end(), 0.0);
  dissipated = work = 0.0;
}

void LawGroup::fill(const LawInput& input, int order, double t, const LawMotion& motion, double* row) const {
  if (input.source == Source::time) {
    std::fill_n(row, lanes_, order == 0 ? t : order == 1 ? 1.0 : 0.0);
    return;
  }
  if (input.source == Source::shared) {
    std::fill_n(row, lanes_, shared_[static_cast<std::size_t>(input.component)]);
    return;
  }
  if (input.source == Source::constant) {
    if (order == 0) std::copy(input.values.begin(), input.values.end(), row);
    if (order > 0) std::fill_n(row, lanes_, 0.0);
    return;
  }
  const auto component = static_cast<std::size_t>(input.component);
  const double* from = nullptr;
  if (input.source == Source::body) {
    from = motion.bodies + component * motion.stride;
  } else {
    const ChainMotion& chain = motion.chains[static_cast<std::size_t>(input.chain)];
    from = lanes_of(chain, input.source).data() + component * chain.links;
  }
  if (input.whole) {
    std::copy_n(from, lanes_, row);
    return;
  }
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const int link = input.links[lane];
    const double otherwise = order == 0 && !input.values.empty() ? input.values[lane] : 0.0;
    row[lane] = link < 0 ? otherwise : from[link];
  }
}

void LawGroup::load_bodies(const LawOutput& output, const double* row, LawForces& forces) const {
  const auto component = static_cast<std::size_t>(output.component);
  double* to = forces.bodies.data() + component * (forces.bodies.size() / 6);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const int body = output.links[lane];
    if (body >= 0) to[body] += row[lane];
    if (body == -1) forces.chains[static_cast<std::size_t>(output.chain)].pivot[component] += row[lane];
  }
}

void LawGroup::give(const LawOutput& output, const double* row, LawForces& forces) const {
  if (output.target == Target::dissipated || output.target == Target::work) {
    double& sum = output.target == Target::work ? forces.work : forces.dissipated;
    for (std::size_t lane = 0; lane < lanes_; ++lane) sum += row[lane];
    return;
  }
  if (output.target == Target::body) return load_bodies(output, row, forces);
  ChainForces& acting = forces.chains[static_cast<std::size_t>(output.chain)];
  const auto component = static_cast<std::size_t>(output.component);
  double* end = acting.end.data() + component * acting.links;
  if (output.whole && output.weights.empty()) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) end[lane] += row[lane];
    return;
  }
  const bool asked = !output.upper_of.empty() && !acting.upper.empty();
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const double force = output.share(lane, [](double number) { return number; }) * row[lane];
    const int link = output.links[lane];
    if (link < -1) continue;
    (link < 0 ? acting.pivot[component] : end[link]) += force;
    if (asked)
      acting.upper[component * acting.links + static_cast<std::size_t>(output.upper_of[lane])] += force;
  }
}

void LawGroup::evaluate(double t, const LawMotion& motion, LawForces& forces) {
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(inputs_[i], 0, t, motion, in_.data() + i * lanes_);
  rate_program_.evaluate(in_.data(), lanes_, out_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) give(rates_[i], out_.data() + i * lanes_, forces);
}

void LawGroup::advance(int n, double t, const LawMotion& motion, LawForces& forces) {
  if (!shared_.empty()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_time = inputs_[i].source == Source::time && n < 2;
      *shared_series_.input(n, static_cast<int>(i)) = is_time ? (n == 0 ? t : 1.0) : 0.0;
    }
    shared_series_.advance(n);
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      shared_[i] = *shared_series_.output(n, static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    fill(inputs_[i], n, t, motion, series_.input(n, static_cast<int>(i)));
  }
  series_.advance(n);
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    give(rates_[i], series_.output(n, static_cast<int>(i)), forces);
  }
}

void LawGroup::slopes(double t, const LawMotion& motion, std::vector<LawSlope>& out) {
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(inputs_[i], 0, t, motion, in_.data() + i * lanes_);
  in_rates_.assign(in_.size(), 0.0);
  out_rates_.resize(out_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const LawInput& input = inputs_[i];
    if (input.source == Source::time || input.source == Source::constant || input.source == Source::shared)
      continue;
    std::fill_n(in_rates_.data() + i * lanes_, lanes_, 1.0);
    rate_program_.tangent(in_.data(), in_rates_.data(), lanes_, out_.data(), out_rates_.data());
    std::fill_n(in_rates_.data() + i * lanes_, lanes_, 0.0);
    for (std::size_t o = 0; o < rates_.size(); ++o) {
      const LawOutput& output = rates_[o];
      if (output.target != Target::end) continue;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const int from = input.links[lane], to = output.links[lane];
        const double weight = output.share(lane, [](double number) { return number; });
        const double value = weight * out_rates_[o * lanes_ + lane];
        if (from < 0 || to < 0 || value == 0.0) continue;
        out.push_back(
            {output.chain, to, output.component, input.source, input.chain, from, input.component, value});
      }
    }
  }
}

LawGroup::Energies LawGroup::energy(double t, const LawMotion& motion) {
  Energies sum;
  if (energies_.empty()) return sum;
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(inputs_[i], 0, t, motion, in_.data() + i * lanes_);
  energy_program_.evaluate(in_.data(), lanes_, out_.data());
  for (std::size_t i = 0; i < energies_.size(); ++i) {
    double& part = energies_[i].target == Target::elastic ? sum.elastic : sum.potential;
    for (std::size_t lane = 0; lane < lanes_; ++lane) part += out_[i * lanes_ + lane];
  }
  return sum;
}

double LawGroup::smooth_until(int order, double length) const {
  if (!shared_.empty()) length = first_break(shared_series_, order, length, allowed_);
  return first_break(series_, order, length, allowed_);
}

}  // namespace catena
