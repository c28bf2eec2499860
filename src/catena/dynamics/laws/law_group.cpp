#include "catena/dynamics/laws/law_group.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/laws/law_series_definitions.h"
#include "catena/dynamics/state/body_state.h"

namespace catena {
namespace {

using Target = LawOutput::Target;
using Source = LawInput::Source;

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
    : LawSeries<double>(graph, split.parts, chosen(split.parts.nodes, outputs, false),
                        std::move(split.inputs), chosen(outputs, outputs, false), lanes),
      energies_(chosen(outputs, outputs, true)),
      rate_program_(split.parts.rest, chosen(split.parts.nodes, outputs, false),
                    static_cast<int>(inputs_.size()), time_input(inputs_)),
      energy_program_(split.parts.rest, chosen(split.parts.nodes, outputs, true),
                      static_cast<int>(inputs_.size())),
      shared_program_(graph, split.parts.shared, static_cast<int>(inputs_.size()), time_input(inputs_)),
      shared_in_(inputs_.size()),
      in_(inputs_.size() * lanes),
      out_(std::max(rates_.size(), energies_.size()) * lanes) {
  depends_on_velocity_ = velocity_moves_forces(graph, nodes, outputs, inputs_);
  const int time_at = time_input(inputs_);
  const int inputs = static_cast<int>(inputs_.size());
  sampled_.emplace_back(split.parts.rest, chosen(split.parts.nodes, outputs, false), inputs, lanes_, time_at);
  sampled_.emplace_back(graph, split.parts.shared, inputs, 1, time_at);
}

void LawGroup::look_inside(double allowed) {
  allowed_ = written ? allowed : 0.0;
  allowed_between_ = allowed;
  if ((!written && !has_pole) ||
      std::all_of(sampled_.begin(), sampled_.end(), [](const auto& one) { return one.empty(); })) {
    sampled_.clear();
  }
}

void LawGroup::see_differences() {
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_place = inputs_[i].source == Source::center || inputs_[i].source == Source::body;
      if (is_place && inputs_[i].component == axis) places.push_back(i);
    }
    if (places.size() == 2) differences_.emplace_back(places[0], places[1]);
  }
}

void LawGroup::set_low_time(double low) {
  rate_program_.set_low(low);
  shared_program_.set_low(low);
}

void LawGroup::sample(int which, double t, const LawMotion& motion) {
  if (sampled_.empty()) return;
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(i, 0, t, motion, in_.data() + i * lanes_);
  for (const auto& [first, second] : differences_) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      in_[first * lanes_ + lane] -= in_[second * lanes_ + lane];
      in_[second * lanes_ + lane] = 0.0;
    }
  }
  sampled_[0].note(which, in_.data(), lanes_);
  if (!shared_.empty()) sampled_[1].note(which, shared_in_.data(), 1);
}

bool LawGroup::misses(double length) {
  return std::any_of(sampled_.begin(), sampled_.end(),
                     [&](expr::SampledFormulas& one) { return one.unseen() * length > allowed_between_; });
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

void LawGroup::evaluate(double t, const LawMotion& motion, LawForces& forces) {
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(i, 0, t, motion, in_.data() + i * lanes_);
  rate_program_.evaluate(in_.data(), lanes_, out_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) give(i, out_.data() + i * lanes_, forces);
}

void LawGroup::slopes(double t, const LawMotion& motion, std::vector<LawSlope>& out) {
  evaluate_shared(t);
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(i, 0, t, motion, in_.data() + i * lanes_);
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
  for (std::size_t i = 0; i < inputs_.size(); ++i) fill(i, 0, t, motion, in_.data() + i * lanes_);
  energy_program_.evaluate(in_.data(), lanes_, out_.data());
  for (std::size_t i = 0; i < energies_.size(); ++i) {
    double& part = energies_[i].target == Target::elastic ? sum.elastic : sum.potential;
    for (std::size_t lane = 0; lane < lanes_; ++lane) part += out_[i * lanes_ + lane];
  }
  return sum;
}

template struct LawForcesOver<double>;
template class LawSeries<double>;

}  // namespace catena
