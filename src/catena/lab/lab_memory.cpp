// A lab that goes on elsewhere: from a checkpoint, from a state that is given, from another start.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/dynamics/chain/chain_start.h"
#include "catena/lab/bytes.h"
#include "catena/lab/looked.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

constexpr std::string_view kCheckpointMark = "catena checkpoint 4";

}  // namespace

namespace {

bool is_same_plane(const std::optional<Plane>& plane, const ChainUnit& unit) {
  if (!plane || !unit.planar()) return !plane && !unit.planar();
  return plane->azimuth == unit.plane.azimuth && plane->cosine == unit.plane.cosine &&
         plane->sine == unit.plane.sine;
}

// Whether the world of the scene is this one, and only its state at the start another. Forces that leave a
// plane do so wherever a motion in it starts.
bool differs_in_start(const World& world, const Scene& scene) {
  const bool has_more = world.mechanism() != nullptr || world.lagrangian() != nullptr || world.has_pieces();
  if (world.has_more_digits() || has_more || !scene.equations.invariants.empty()) return false;
  for (std::size_t c = 0; c < world.chains().size(); ++c) {
    const ChainUnit& unit = world.chains()[c];
    if (unit.elastic() || unit.has_angles()) return false;
    if (!is_same_plane(common_plane(scene.chains[c], scene.simulation.gravity), unit)) return false;
  }
  return true;
}

// The state at the start, of such a scene.
void put_start(const Scene& scene, World& world, State& state) {
  std::fill(state.lo.begin(), state.lo.end(), 0.0);
  std::fill(state.hi.begin(), state.hi.end(), 0.0);
  for (std::size_t c = 0; c < world.chains().size(); ++c) {
    ChainUnit& unit = world.chains()[c];
    set_start_angles(scene.chains[c], unit);
    const LanePair start = start_of(scene.chains[c], unit);
    const auto at = static_cast<std::ptrdiff_t>(unit.offset);
    std::copy(start.hi.begin(), start.hi.end(), state.hi.begin() + at);
    std::copy(start.lo.begin(), start.lo.end(), state.lo.begin() + at);
  }
  for (std::size_t i = 0; i < scene.equations.states.size(); ++i)
    state.hi[i] = scene.equations.states[i].start;
  world.project(0.0, state.hi.data(), state.lo.data());
}

}  // namespace

bool Lab::restart(const Scene& scene) {
  World& world = inside_->world;
  if (inside_->method->library || !differs_in_start(world, scene)) return false;
  if (variation_ != nullptr && !variation_->is_of_states()) return false;
  variation_.reset();
  put_start(scene, world, state_);
  scene_.chains = scene.chains;
  scene_.equations = scene.equations;
  state_.t = state_.t_lo = 0.0;
  inside_->stepper->restore(inside_->fresh_memory);
  inside_->stepper->set_counts({});
  if (in_lanes_) make_stepper();
  inside_->frame = WorldFrame(world);
  start_counts_ = {};
  blind_steps_ = 0;
  changes_.clear();
  notes_.clear();
  obstacle_.clear();
  last_kink_ = -1.0;
  close_kinks_ = 0;
  progress_ = {};
  stepped_ = false;
  sample_at_end_ = true;
  begin();
  // Laws that have no value here: a new lab says so.
  if (!std::isfinite(static_cast<double>(energies_.start_energy))) return false;
  world.rhs(0.0, state_.hi.data(), sample_.hi.data());
  const bool is_finite =
      std::all_of(sample_.hi.begin(), sample_.hi.end(), [](double x) { return std::isfinite(x); });
  sample_ = state_;
  return is_finite;
}

void Lab::place(State state, std::vector<AngleMemory> angles) {
  at_start_ = at_kink_ = false;
  state_ = std::move(state);
  if (inside_->world.has_pieces()) inside_->world.take_piece(state_.t);
  inside_->world.project(state_.t, state_.hi.data(), state_.lo.data());
  start_ = state_;
  angles_ = start_angles_ = std::move(angles);
  inside_->frame.set_angles(angles_);
  take_up_turns(inside_->world, angles_);
  count_turns(inside_->world, state_);
  // Remembers nothing of the motion before.
  make_stepper();
  inside_->start_memory = inside_->stepper->memory();
  start_counts_ = {};
  stepped_ = false;
  begin_energies();
}

void Lab::place(State state) {
  if (inside_->world.has_pieces()) inside_->world.take_piece(state.t);
  // Into hi, which equations are evaluated at: what is left for lo is roundoff.
  constexpr int kMostTimes = 20;
  for (int i = 0; i < kMostTimes; ++i) {
    const std::vector<double> before = std::exchange(state.hi, projected(state.t, state.hi));
    double moved = 0.0, size = 1.0;
    for (std::size_t k = 0; k < before.size(); ++k) {
      moved = std::max(moved, std::fabs(state.hi[k] - before[k]));
      size = std::max(size, std::fabs(before[k]));
    }
    if (!(moved > 4 * std::numeric_limits<double>::epsilon() * size)) break;
  }
  std::vector<AngleMemory> angles = start_angles(inside_->world, state);
  place(std::move(state), std::move(angles));
}

std::string Lab::settings() const {
  const std::string& precision = scene_.simulation.precision;
  const std::string digits = precision == "double" ? "" : ", " + precision;
  if (!adaptive())
    return fmt::format("{}, step {}", inside_->method->name,
                       number_text(inside_->options.step.value_or(0.0)));
  std::string out = inside_->method->name + digits;
  if (inside_->options.by_tolerance) out += ", tolerance " + number_text(inside_->options.tolerance);
  if (inside_->options.max_velocity_error)
    out += ", max_velocity_error " + number_text(*inside_->options.max_velocity_error);
  if (inside_->options.max_momentum_error)
    out += ", max_momentum_error " + number_text(*inside_->options.max_momentum_error);
  if (inside_->options.max_step) out += ", max_step " + number_text(*inside_->options.max_step);
  if (in_lanes_) out += ", in lanes";
  return inside_->method->order == "variable" ? out
                                              : fmt::format("{}, order {}", out, inside_->stepper->order());
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
  out.put(inside_->start_memory);
  out.put(start_counts_);
  out.put(energies_);
  out.put(inside_->momenta);
  for (std::size_t i = 0; i < start_angles_.size(); ++i) {
    out.put(start_angles_[i].turns);
    out.put(row_angles()[i].phi);
  }
  out.put(std::string_view(notes_));
  if (inside_->digits != nullptr && inside_->world.has_pieces()) out.put(start_moment_);
  if (variation_ != nullptr) {
    out.put(variation_->start_rates());
    out.put(static_cast<std::uint64_t>(variation_->shortened()));
    if (!variation_->notes().empty()) out.put(std::string_view(variation_->notes()));
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
  MomentumRecord momenta;
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
  in.get(momenta);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    in.get(angles[i].turns);
    in.get(rows[i].phi);
  }
  std::string notes;
  in.get(notes);
  const bool knows_piece = inside_->digits != nullptr && inside_->world.has_pieces();
  double moment = 0.0;
  if (knows_piece) in.get(moment);
  std::vector<double> rates;
  std::string beside;
  std::uint64_t shortened = 0;
  if (variation_ != nullptr) {
    rates.resize(variation_->count() * dimension());
    in.get(rates);
    in.get(shortened);
    if (!variation_->notes().empty()) in.get(beside);
  }
  if (mark != kCheckpointMark || !in.finished()) {
    throw InputError(
        {scene_.name},
        "the recorded run does not fit this scene: its chains, bodies or coordinates are others");
  }
  notes_ = std::move(notes);
  state_ = start_ = state;
  angles_ = start_angles_ = angles;
  at_kink_ = false;
  if (knows_piece) {
    inside_->world.take_piece(moment);
  } else if (inside_->world.has_pieces()) {
    inside_->world.take_piece(state_.t, state_.t > 0.0);
    inside_->stepper->restore(inside_->stepper->memory());
  }
  take_up_turns(inside_->world, angles_);
  count_turns(inside_->world, state_);
  if (inside_->world.has_more_digits()) make_stepper();
  inside_->frame.set_angles(std::move(rows));
  energies_ = energies;
  inside_->momenta = momenta;
  start_counts_ = counts;
  inside_->stepper->set_counts(counts);
  changes_ = std::move(changes);
  if (settings_before == settings()) {
    inside_->stepper->restore(memory);
  } else {
    changes_.push_back({state_.t, settings_before, settings()});
  }
  inside_->start_memory = inside_->stepper->memory();
  stepped_ = false;
  if (variation_ == nullptr) return;
  variation_->restore(std::move(rates), static_cast<std::int64_t>(shortened));
  if (!beside.empty()) variation_->set_notes(std::move(beside));
}

}  // namespace catena
