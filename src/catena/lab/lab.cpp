#include "catena/lab/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/bytes.h"

namespace catena {
namespace {

constexpr std::string_view kCheckpointMark = "catena checkpoint 2";

const Method& method_for(const Scene& scene) {
  const std::string& name = scene.simulation.method;
  if (const Method* method = find_method(name)) return *method;
  throw InputError({scene.name},
                   fmt::format("unknown method '{}'{}", name, did_you_mean(name, method_names())));
}

StepOptions options_for(const Simulation& simulation, const Method& method) {
  return {simulation.tolerance.value_or(method.tolerance), simulation.step, simulation.order};
}

// Positions and velocities of elastic chains, whose accelerations depend on positions alone; none where a
// chain is rigid or a force depends on velocities.
std::vector<LanePairing> separable_lanes(const World& world) {
  std::vector<LanePairing> pairs;
  if (world.depends_on_velocity()) return {};
  for (const ChainUnit& unit : world.chains()) {
    if (!unit.elastic()) return {};
    const std::size_t half = unit.dimension() / 2;
    pairs.push_back({unit.offset, unit.offset + half, half});
  }
  return pairs;
}

}  // namespace

std::string settings_refusal(const Simulation& simulation) {
  const Method* method = find_method(simulation.method);
  return method != nullptr ? refusal(*method, options_for(simulation, *method)) : "";
}

double EnergyRecord::scale(double weight_scale) const {
  const double moved = largest_kinetic + largest_potential_change;
  return moved > 0.0 ? moved : weight_scale;
}

Lab::Lab(const Scene& scene)
    : scene_(scene),
      world_(scene),
      method_(&method_for(scene)),
      options_(options_for(scene.simulation, *method_)) {
  system_.dimension = world_.dimension();
  system_.controlled = world_.motion_lanes();
  system_.rhs = [this](double t, const double* x, double* dx) { world_.rhs(t, x, dx); };
  system_.taylor = [this](double t, const double* x, int order, double* c) { world_.taylor(t, x, order, c); };
  if (world_.has_kinks()) {
    system_.smooth_until = [this](double length) { return world_.smooth_until(length); };
  }
  system_.reserve = [this](int order) { world_.reserve(order); };
  system_.project = [this](const double* hi, double* lo) { world_.project(hi, lo); };
  system_.series_overhead = world_.series_overhead();
  system_.separable = separable_lanes(world_);
  rigid_.offer(world_, system_);
  if (const std::string reason = refusal(*method_, system_, options_); !reason.empty()) {
    throw InputError({scene.name}, reason);
  }
  stepper_ = method_->make(system_, options_);
  world_.start(state_.hi, state_.lo);
  for (const ChainUnit& unit : world_.chains()) {
    angles_.push_back(start_memory(unit, state_.hi.data() + unit.offset));
    frames_.emplace_back(unit);
  }
  start_ = state_;
  start_angles_ = row_angles_ = angles_;
  start_memory_ = stepper_->memory();
  sample_hi_.resize(system_.dimension);
  sample_lo_.resize(system_.dimension);
  begin_energies();
}

void Lab::begin_energies() {
  const Energies energy = world_.energy(state_.t, state_.hi.data(), state_.lo.data());
  energies_ = {};
  energies_.start_energy = energy.total();
  energies_.start_potential = energy.potential;
  record_energy(energy, energy.total());
}

void Lab::record_energy(const Energies& energy, const DoubleDouble& balance) {
  const double error = abs(balance - energies_.start_energy);
  const double change = abs(energy.potential - energies_.start_potential);
  energies_.largest_kinetic = std::max(energies_.largest_kinetic, static_cast<double>(energy.kinetic));
  energies_.largest_potential_change = std::max(energies_.largest_potential_change, change);
  energies_.largest_error = std::max(energies_.largest_error, error);
  energies_.last_energy = static_cast<double>(energy.total());
}

StepStatus Lab::advance() {
  // Between steps, not at their ends: until now the last step's dense output was in the old coordinates. What
  // the method remembers besides its memory is of those, too.
  if (world_.settle(state_.hi.data(), state_.lo.data())) stepper_->restore(stepper_->memory());
  start_ = state_;
  start_angles_ = angles_;
  start_memory_ = stepper_->memory();
  start_counts_ = stepper_->counts();
  const StepStatus status = stepper_->step(state_, scene_.simulation.duration);
  stepped_ = status == StepStatus::done;
  if (!stepped_) return status;
  const Energies energy = world_.energy(state_.t, state_.hi.data(), state_.lo.data());
  if (!std::isfinite(static_cast<double>(energy.total()))) {  // numbers whose squares are none: an explosion
    state_ = start_;
    stepped_ = false;
    return StepStatus::not_finite;
  }
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const ChainUnit& unit = world_.chains()[i];
    follow_turns(unit, start_.hi.data() + unit.offset, state_.hi.data() + unit.offset, state_.t - start_.t,
                 angles_[i]);
  }
  record_energy(energy, balance(energy, state_.hi.data(), state_.lo.data()));
  return status;
}

double Lab::energy_of(const State& state) {
  return static_cast<double>(world_.energy(state.t, state.hi.data(), state.lo.data()).total());
}

DoubleDouble Lab::balance(const Energies& energy, const double* hi, const double* lo) const {
  return energy.total() + world_.dissipated(hi, lo) - world_.work(hi, lo);
}

void Lab::evaluate(double t) {
  const double roundoff = 4 * std::numeric_limits<double>::epsilon() * std::fabs(t);
  const bool at_end = !stepped_ || std::fabs((t - state_.t) - state_.t_lo) <= roundoff;
  if (at_end) {
    sample_hi_ = state_.hi;
    sample_lo_ = state_.lo;
  } else {
    stepper_->dense().evaluate(t, sample_hi_.data(), sample_lo_.data());
    world_.project(sample_hi_.data(), sample_lo_.data());
  }
  world_.settle(sample_hi_.data(), sample_lo_.data());
}

State Lab::state_at(double t) {
  evaluate(t);
  return {t, 0.0, sample_hi_, sample_lo_};
}

void Lab::place(State state, std::vector<AngleMemory> angles) {
  state_ = std::move(state);
  world_.project(state_.hi.data(), state_.lo.data());
  start_ = state_;
  angles_ = start_angles_ = row_angles_ = std::move(angles);
  stepper_ = method_->make(system_, options_);  // remembers nothing of the motion before
  start_memory_ = stepper_->memory();
  start_counts_ = {};
  stepped_ = false;
  begin_energies();
}

void Lab::sample(double t, const Columns& columns, double* row) {
  evaluate(t);
  if (columns.needs_reactions()) world_.refresh(t, sample_hi_.data());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    ChainUnit& unit = world_.chains()[i];
    const double* lanes = sample_hi_.data() + unit.offset;
    row_angles_[i].turns = start_angles_[i].turns;
    follow_turns(unit, start_.hi.data() + unit.offset, lanes, t - start_.t, row_angles_[i]);
    frames_[i].update(unit, t, lanes, row_angles_[i]);
    if (columns.needs_reactions()) frames_[i].react(world_, i, sample_hi_.data());
  }
  const Energies energy = world_.energy(t, sample_hi_.data(), sample_lo_.data());
  const DoubleDouble total = balance(energy, sample_hi_.data(), sample_lo_.data());
  RowTotals totals;
  totals.kinetic = static_cast<double>(energy.kinetic);
  totals.potential = static_cast<double>(energy.potential);
  totals.elastic = static_cast<double>(energy.elastic);
  totals.energy = static_cast<double>(energy.total());
  totals.dissipated = static_cast<double>(world_.dissipated(sample_hi_.data(), sample_lo_.data()));
  totals.work = static_cast<double>(world_.work(sample_hi_.data(), sample_lo_.data()));
  totals.balance = static_cast<double>(total);
  totals.energy_error = static_cast<double>(total - energies_.start_energy);
  totals.step_size = stepper_->last_step();
  totals.constraint_error = world_.constraint_error(sample_hi_.data(), sample_lo_.data());
  energies_.constraint_error = std::max(energies_.constraint_error, totals.constraint_error);
  record_energy(energy, total);
  columns.write(t, frames_, totals, row);
}

std::string Lab::settings() const {
  if (!method_->adaptive)
    return fmt::format("{}, step {}", method_->name, number_text(options_.step.value_or(0.0)));
  if (method_->order == "variable")
    return fmt::format("{}, tolerance {}", method_->name, number_text(options_.tolerance));
  return fmt::format("{}, tolerance {}, order {}", method_->name, number_text(options_.tolerance),
                     stepper_->order());
}

std::string Lab::checkpoint() const {
  ByteWriter out;
  out.put(kCheckpointMark);
  out.put(std::string_view(settings()));
  out.put(static_cast<std::uint64_t>(changes_.size()));
  for (const MethodChange& change : changes_) {
    out.put(change.time);
    out.put(std::string_view(change.from));
    out.put(std::string_view(change.to));
  }
  out.put(start_.t);
  out.put(start_.t_lo);
  out.put(start_.hi);
  out.put(start_.lo);
  out.put(start_memory_);
  out.put(start_counts_);
  out.put(energies_);
  for (std::size_t i = 0; i < start_angles_.size(); ++i) {
    out.put(start_angles_[i].turns);
    out.put(row_angles_[i].phi);
  }
  return out.take();
}

void Lab::restore(std::string_view checkpoint) {
  ByteReader in(checkpoint);
  std::string mark, settings_before;
  std::vector<MethodChange> changes;
  State state = state_;
  StepMemory memory{};
  StepCounts counts;
  EnergyRecord energies;
  std::vector<AngleMemory> angles = angles_, rows = angles_;
  in.get(mark);
  in.get(settings_before);
  std::uint64_t change_count = 0;
  in.get(change_count);
  for (std::uint64_t i = 0; i < change_count && in.good(); ++i) {
    MethodChange& change = changes.emplace_back();
    in.get(change.time);
    in.get(change.from);
    in.get(change.to);
  }
  in.get(state.t);
  in.get(state.t_lo);
  in.get(state.hi);
  in.get(state.lo);
  in.get(memory);
  in.get(counts);
  in.get(energies);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    in.get(angles[i].turns);
    in.get(rows[i].phi);
  }
  if (mark != kCheckpointMark || !in.finished()) {
    throw InputError({scene_.name}, "the recorded run does not fit this scene: its chains have other links");
  }
  state_ = start_ = state;
  angles_ = start_angles_ = angles;
  row_angles_ = rows;
  energies_ = energies;
  start_counts_ = counts;
  stepper_->set_counts(counts);
  changes_ = std::move(changes);
  if (settings_before == settings()) {
    stepper_->restore(memory);
  } else {
    changes_.push_back({state_.t, settings_before, settings()});
  }
  start_memory_ = stepper_->memory();
  stepped_ = false;
}

}  // namespace catena
