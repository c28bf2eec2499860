// A hand in a motion that goes on, and what was done undone.
#include <algorithm>
#include <utility>

#include "catena/lab/experiment/experiment.h"

namespace catena {
namespace {

// How much of the past a memory of it keeps ready, in bytes; the rest is computed again when it is asked for.
constexpr std::size_t kMemoryBudget = std::size_t{1} << 20;

bool can_hold(const Scene& scene, const Grip& grip) {
  if (grip.body >= 0) {
    const std::vector<Body>& bodies = scene.mechanism.bodies;
    return grip.body < static_cast<int>(bodies.size()) && !bodies[static_cast<std::size_t>(grip.body)].fixed;
  }
  if (grip.chain < 0 || grip.chain >= static_cast<int>(scene.chains.size())) return false;
  const Chain& chain = scene.chains[static_cast<std::size_t>(grip.chain)];
  if (grip.is_pivot()) return !given(chain.pivot_motion) && !chain.as_bodies();
  return grip.link < static_cast<int>(chain.links.size());
}

}  // namespace

bool Experiment::hold(const Grip& grip, const Vec3& target) {
  if (held()) let_go();
  if (!can_hold(*scene_, grip)) return false;
  grip_ = grip;
  free_scene_ = scene_;
  energy_before_hand_ = lab_->energies().last_energy;
  const bool pivot = grip.is_pivot();
  hand_path_.emplace(pivot ? lab_->pivot_at(static_cast<std::size_t>(grip.chain), time()) : target, time());
  pull(target);
  return true;
}

void Experiment::pull(const Vec3& target) {
  if (!held()) return;
  hand_path_->turn_to(target, time());
  change(with_hand(*free_scene_, *grip_, *hand_path_));
}

EnergyChange Experiment::let_go() {
  if (!held()) return {};
  const bool pivot = grip_->is_pivot();
  grip_.reset();
  if (!pivot) change(*free_scene_);
  free_scene_.reset();
  return {energy_before_hand_, lab_->energies().last_energy, false};
}

Memory Experiment::memory() const {
  return {options_.tick, begin_, tick_, end_, line_, snapshot(), history_.thinned(kMemoryBudget), dragged_};
}

void Experiment::recall(const Memory& memory, std::int64_t parted) {
  grip_.reset();
  const bool same_past = memory.line == line_ && memory.tick_seconds == options_.tick;
  options_.tick = memory.tick_seconds;
  history_ = memory.history;
  begin_ = std::max(memory.begin, history_.first());
  end_ = memory.end;
  line_ = memory.line != 0 ? memory.line : next_line();
  dragged_ = memory.dragged;
  if (same_past) {
    trace_.forget_from(parted);
  } else {
    trace_.reset(watched_.names.size());
  }
  tick_ = memory.tick;
  load(memory.present);
}

}  // namespace catena
