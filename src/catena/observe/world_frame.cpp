#include "catena/observe/world_frame.h"

#include <algorithm>
#include <utility>

namespace catena {
namespace {

TwoPart bodies_in(const World& world, const State& state) {
  const std::size_t at = world.mechanism_offset();
  return {state.hi.data() + at, state.lo.data() + at};
}

const double* chain_in(const ChainUnit& unit, const State& state) { return state.hi.data() + unit.offset; }

}  // namespace

Angles start_angles(World& world, const State& state) {
  Angles out;
  for (const ChainUnit& unit : world.chains()) out.push_back(start_memory(unit, chain_in(unit, state)));
  if (Multibody* mechanism = world.mechanism()) {
    const TwoPart start = bodies_in(world, state);
    out.push_back(start_memory(*mechanism, state.t, start.hi, start.lo));
  }
  return out;
}

void follow_turns(World& world, const State& from, const State& to, Angles& angles) {
  const double elapsed = to.t - from.t;
  for (std::size_t i = 0; i < world.chains().size(); ++i) {
    const ChainUnit& unit = world.chains()[i];
    follow_turns(unit, chain_in(unit, from), chain_in(unit, to), elapsed, angles[i]);
  }
  if (Multibody* mechanism = world.mechanism())
    follow_turns(*mechanism, to.t, bodies_in(world, from), bodies_in(world, to), elapsed, angles.back());
}

void take_up_turns(World& world, const Angles& angles) {
  if (Multibody* mechanism = world.mechanism()) mechanism->set_turns(angles.back().turns);
}

std::vector<std::string> usual_columns(const World& world) {
  if (world.lagrangian() != nullptr) return {"position", "velocity"};
  if (world.equations() != nullptr) return {"states"};
  const auto has_coordinate = [](const Joint& joint) {
    return joint_info(joint.kind).coordinate != Coordinate::none;
  };
  bool has_angles = !world.chains().empty();
  if (const Multibody* mechanism = world.mechanism()) {
    const std::vector<Joint>& joints = mechanism->mechanism().joints;
    has_angles = has_angles || std::any_of(joints.begin(), joints.end(), has_coordinate);
  }
  return {has_angles ? "angles" : "position"};  // free bodies have none
}

WorldFrame::WorldFrame(World& world) {
  for (const ChainUnit& unit : world.chains()) chains_.emplace_back(unit);
  if (const Multibody* mechanism = world.mechanism()) bodies_.emplace(*mechanism);
  if (const LagrangianSystem* system = world.lagrangian()) {
    const std::vector<double> zeros(system->coordinates());
    formulas_ = {zeros, zeros, zeros, zeros, std::vector<double>(system->constraints()), {}, {}};
  }
  if (EquationsSystem* system = world.equations()) {
    const std::vector<double> zeros(system->dimension());
    const LanePair& start = system->start();
    start_invariants_ = system->invariants(0.0, start.hi.data(), start.lo.data());
    const std::vector<double> none(start_invariants_.size());
    formulas_ = {zeros, {}, zeros, {}, {}, none, none};
  }
}

void WorldFrame::update(World& world, const State& state, const State& from, const Angles& angles,
                        const Columns& columns) {
  const WorldReactions* reactions =
      columns.needs_reactions() ? &world.reactions(state.t, state.hi.data()) : nullptr;
  for (std::size_t i = 0; i < angles.size(); ++i) angles_[i].turns = angles[i].turns;
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    ChainUnit& unit = world.chains()[i];
    const double* lanes = chain_in(unit, state);
    follow_turns(unit, chain_in(unit, from), lanes, state.t - from.t, angles_[i]);
    chains_[i].update(unit, state.t, lanes, angles_[i]);
    if (columns.needs_digits())
      chains_[i].refine(unit, state.t, lanes, state.lo.data() + unit.offset, angles_[i]);
    if (reactions != nullptr) chains_[i].react(unit, reactions->chains[i]);
  }
  if (bodies_) show_bodies(world, state, from, columns.needs_digits());
  if (bodies_ && reactions != nullptr) bodies_->react(reactions->joints);
  if (world.lagrangian() != nullptr) show_coordinates(world, state, reactions != nullptr);
  if (world.equations() != nullptr) show_states(world, state);
}

void WorldFrame::show_bodies(World& world, const State& state, const State& from, bool with_digits) {
  Multibody& mechanism = *world.mechanism();
  const TwoPart now = bodies_in(world, state);
  AngleMemory& angles = angles_.back();
  follow_turns(mechanism, state.t, bodies_in(world, from), now, state.t - from.t, angles);
  bodies_->update(mechanism, state.t, now.hi, now.lo, angles);
  if (with_digits) bodies_->refine(mechanism, now.hi, now.lo, angles);
}

void WorldFrame::show_coordinates(World& world, const State& state, bool with_reactions) {
  LagrangianSystem& system = *world.lagrangian();
  FormulaFrame& frame = *formulas_;
  const std::size_t n = system.coordinates();
  std::copy_n(state.hi.data(), n, frame.coordinates.data());
  std::copy_n(state.hi.data() + n, n, frame.rates.data());
  std::copy_n(state.lo.data(), n, frame.coordinates_lo.data());
  std::copy_n(state.lo.data() + n, n, frame.rates_lo.data());
  if (with_reactions) system.multipliers(state.t, state.hi.data(), frame.multipliers.data());
}

void WorldFrame::show_states(World& world, const State& state) {
  FormulaFrame& frame = *formulas_;
  std::copy_n(state.hi.data(), frame.coordinates.size(), frame.coordinates.data());
  std::copy_n(state.lo.data(), frame.coordinates_lo.size(), frame.coordinates_lo.data());
  const std::vector<DoubleDouble> now =
      world.equations()->invariants(state.t, state.hi.data(), state.lo.data());
  for (std::size_t i = 0; i < now.size(); ++i) {
    frame.invariants[i] = static_cast<double>(now[i]);
    frame.changes[i] = static_cast<double>(now[i] - start_invariants_[i]);
  }
}

void WorldFrame::write(double t, const World& world, const Columns& columns, const RowTotals& totals,
                       double* row) {
  if (bodies_) bodies_->rank = static_cast<double>(world.mechanism()->last_rank());
  columns.write(t, {chains_, bodies(), formulas_ ? &*formulas_ : nullptr, totals}, row);
}

void WorldFrame::record(World& world, const State& state, MomentumRecord& momenta) const {
  momenta.take(world, state.t, state.hi.data(), chains_, bodies());
}

}  // namespace catena
