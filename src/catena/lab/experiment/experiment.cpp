#include "catena/lab/experiment/experiment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/lab/experiment/body_drag.h"
#include "catena/lab/experiment/carry.h"
#include "catena/lab/experiment/drag.h"
#include "catena/lab/experiment/known_columns.h"
#include "catena/lab/inside.h"

namespace catena {
namespace {

// A person looks on for as long as they like: no end that the method could jump to within any sitting.
constexpr double kHorizon = 1e7;  // s

bool same_shape(const Scene& a, const Scene& b) {
  if (a.chains.size() != b.chains.size() || a.mechanism.bodies.size() != b.mechanism.bodies.size() ||
      a.mechanism.joints.size() != b.mechanism.joints.size() ||
      a.lagrangian.coordinates.size() != b.lagrangian.coordinates.size() ||
      a.equations.states.size() != b.equations.states.size()) {
    return false;
  }
  for (std::size_t c = 0; c < a.chains.size(); ++c) {
    const std::vector<Link>&x = a.chains[c].links, &y = b.chains[c].links;
    if (x.size() != y.size() || a.chains[c].as_bodies() != b.chains[c].as_bodies()) return false;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k].parent != y[k].parent) return false;
    }
  }
  return true;
}

// `to`, a fresh lab, goes on from `state` of `from`, whose chains have as many links.
void hand_over(World& from, const State& state, const std::vector<AngleMemory>& angles, Lab& to) {
  State taken = to.state();
  taken.t = state.t;
  taken.t_lo = state.t_lo;
  std::vector<AngleMemory> memory = to.row_angles();
  for (std::size_t c = 0; c < to.inside().world.chains().size(); ++c) {
    ChainUnit& old = from.chains()[c];
    const ChainUnit& unit = to.inside().world.chains()[c];
    const LanePair lanes = unit.state_of(carried(old, lanes_of(old, state.hi, state.lo), unit));
    std::copy(lanes.hi.begin(), lanes.hi.end(), taken.hi.begin() + static_cast<std::ptrdiff_t>(unit.offset));
    std::copy(lanes.lo.begin(), lanes.lo.end(), taken.lo.begin() + static_cast<std::ptrdiff_t>(unit.offset));
    if (old.planar() && unit.planar()) memory[c] = angles[c];
  }
  if (from.mechanism() != nullptr) {  // as many bodies and joints, so as many lanes
    const std::size_t lanes = from.mechanism()->dimension();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      taken.hi[to.inside().world.mechanism_offset() + lane] = state.hi[from.mechanism_offset() + lane];
      taken.lo[to.inside().world.mechanism_offset() + lane] = state.lo[from.mechanism_offset() + lane];
    }
    memory.back() = angles.back();
  }
  if (from.lagrangian() != nullptr || from.equations() != nullptr) {  // all there is
    const auto lanes = static_cast<std::ptrdiff_t>(from.motion_lanes());
    std::copy(state.hi.begin(), state.hi.begin() + lanes, taken.hi.begin());
    std::copy(state.lo.begin(), state.lo.begin() + lanes, taken.lo.begin());
  }
  if (from.accounts() && to.inside().world.accounts()) {  // what was dissipated and done so far
    for (std::size_t lane = 0; lane < 2; ++lane) {
      taken.hi[to.inside().world.motion_lanes() + lane] = state.hi[from.motion_lanes() + lane];
      taken.lo[to.inside().world.motion_lanes() + lane] = state.lo[from.motion_lanes() + lane];
    }
  }
  to.place(std::move(taken), std::move(memory));
}

// Vectors of chain c replaced; planar angles follow over the top the short way.
void replace_chain(Lab& lab, State state, std::vector<AngleMemory> angles, std::size_t c,
                   const LanePair& vectors) {
  const ChainUnit& unit = lab.inside().world.chains()[c];
  const LanePair lanes = unit.state_of(vectors);
  const auto offset = static_cast<std::ptrdiff_t>(unit.offset);
  follow_turns(unit, state.hi.data() + offset, lanes.hi.data(), 0.0, angles[c]);
  std::copy(lanes.hi.begin(), lanes.hi.end(), state.hi.begin() + offset);
  std::copy(lanes.lo.begin(), lanes.lo.end(), state.lo.begin() + offset);
  lab.place(std::move(state), std::move(angles));
}

BodyStates bodies_of(const Lab& lab, const State& state) {
  const auto first = static_cast<std::ptrdiff_t>(lab.inside().world.mechanism_offset());
  const auto last = first + static_cast<std::ptrdiff_t>(lab.inside().world.mechanism()->dimension());
  return {{{state.hi.begin() + first, state.hi.begin() + last},
           {state.lo.begin() + first, state.lo.begin() + last}},
          lab.row_angles().back()};
}

void replace_bodies(Lab& lab, State state, BodyStates bodies) {
  const auto offset = static_cast<std::ptrdiff_t>(lab.inside().world.mechanism_offset());
  std::copy(bodies.lanes.hi.begin(), bodies.lanes.hi.end(), state.hi.begin() + offset);
  std::copy(bodies.lanes.lo.begin(), bodies.lanes.lo.end(), state.lo.begin() + offset);
  std::vector<AngleMemory> angles = lab.row_angles();
  angles.back() = std::move(bodies.angles);
  lab.place(std::move(state), std::move(angles));
}

// Moves the first state or coordinate, or the first independent one: the others follow by the constraints.
void shift_coordinate(Lab& lab, double offset) {
  const Lagrangian& given = lab.scene().lagrangian;
  std::size_t first = 0;
  while (given.picks_coordinates && !given.coordinates[first].independent) ++first;
  State beside = lab.state();
  beside.hi[first] += offset;
  lab.place(std::move(beside), lab.row_angles());
}

// Farther from the chain's plane than roundoff of the screen's coordinates explains.
bool leaves_plane(const ChainUnit& unit, const Vec3& from_pivot) {
  if (!unit.planar()) return false;
  double reach = 0.0;
  for (const double length : unit.parameters().length) reach += length;
  const double aside = from_pivot[1] * unit.plane.cosine - from_pivot[0] * unit.plane.sine;
  return std::fabs(aside) > 1e-6 * reach;
}

}  // namespace

Scene ghost_scene(const Scene& scene, const GhostSettings& settings) {
  Scene out = scene;
  if (settings.method.empty()) return out;
  out.simulation.method = settings.method;
  out.simulation.tolerance = settings.tolerance;
  out.simulation.step = settings.step;
  out.simulation.order = settings.order;
  return out;
}

Experiment::Experiment(Scene scene, ExperimentOptions options)
    : options_(std::move(options)), ghost_settings_(std::make_shared<std::vector<GhostSettings>>()) {
  auto shared = std::make_shared<const Scene>(std::move(scene));
  set_scene(shared, make_lab(*shared));
  begin_history();
}

Experiment::~Experiment() = default;
Experiment::Experiment(Experiment&&) noexcept = default;
Experiment& Experiment::operator=(Experiment&&) noexcept = default;

std::int64_t Experiment::next_line() {
  static std::atomic<std::int64_t> last = 0;
  return ++last;
}

std::unique_ptr<Lab> Experiment::make_lab(const Scene& scene) const {
  Scene endless = scene;
  endless.simulation.duration = kHorizon;
  return std::make_unique<Lab>(endless);
}

void Experiment::set_scene(std::shared_ptr<const Scene> scene, std::unique_ptr<Lab> lab) {
  scene_ = std::move(scene);
  lab_ = std::move(lab);
  trial_.reset();
  std::string shape = column_shape(lab_->inside().world);
  if (columns_ && shape == column_shape_) return;
  column_shape_ = std::move(shape);
  columns_ = known_columns(lab_->inside().world, options_.quantities);
  ghost_columns_ = known_columns(lab_->inside().world, options_.ghost_columns);
  find_watched();
}

void Experiment::begin_history() {
  begin_ = tick_ = end_ = 0;
  history_ = History();
  trace_.reset(watched_.names.size());
  line_ = next_line();
  start_ghosts();
  sample();
  remember_change();
}

void Experiment::remember_change() {
  end_ = tick_;
  trace_.forget_from(tick_ + 1);
  history_.change(tick_, snapshot());
  begin_ = std::max(begin_, history_.first());
}

Snapshot Experiment::snapshot() const {
  Snapshot out{scene_, ghost_settings_, lab_->checkpoint(), {}};
  for (const std::unique_ptr<Lab>& ghost : ghosts_) {
    out.ghost_motions.push_back(ghost ? ghost->checkpoint() : "");
  }
  return out;
}

void Experiment::load(const Snapshot& snapshot) {
  const bool other_scene = snapshot.scene != scene_;
  const bool other_ghosts = other_scene || snapshot.ghosts != ghost_settings_;
  if (other_scene) set_scene(snapshot.scene, make_lab(*snapshot.scene));
  lab_->restore(snapshot.motion);
  ghost_settings_ = snapshot.ghosts;
  if (other_ghosts) ghosts_.clear();
  ghosts_.resize(ghost_settings_->size());
  for (std::size_t i = 0; i < ghosts_.size(); ++i) {
    if (snapshot.ghost_motions[i].empty()) {
      ghosts_[i].reset();
      continue;
    }
    if (!ghosts_[i]) ghosts_[i] = make_lab(ghost_scene(*scene_, (*ghost_settings_)[i]));
    ghosts_[i]->restore(snapshot.ghost_motions[i]);
  }
  reach(tick_);
}

StepStatus Experiment::reach(std::int64_t tick) {
  const double t = time_of(tick);
  while (lab_->time() < t) {
    if (const StepStatus status = lab_->advance(); status != StepStatus::done) return status;
  }
  for (std::unique_ptr<Lab>& ghost : ghosts_) {
    while (ghost && ghost->time() < t) {
      if (ghost->advance() != StepStatus::done) ghost.reset();
    }
  }
  tick_ = tick;
  sample();
  return StepStatus::done;
}

void Experiment::sample() {
  const std::size_t width = columns_->width(), ghost_width = ghost_columns_->width();
  row_.assign(width + ghosts_.size() * ghost_width, std::numeric_limits<double>::quiet_NaN());
  lab_->sample(time(), *columns_, row_.data());
  for (std::size_t i = 0; i < ghosts_.size(); ++i) {
    if (ghosts_[i]) ghosts_[i]->sample(time(), *ghost_columns_, row_.data() + width + i * ghost_width);
  }
  trace_row();
}

Sight Experiment::sight(const std::vector<std::string>& quantities) {
  const std::unique_ptr<Columns> columns = known_columns(lab_->inside().world, quantities);
  Sight out{columns->stems(), std::vector<double>(columns->width()), std::vector<double>(columns->width())};
  lab_->rates(time(), *columns, out.rates.data());
  lab_->observe(time(), *columns, out.values.data());
  return out;
}

StepStatus Experiment::forward() {
  if (change_ahead()) {
    ++tick_;
    load(*history_.change_at(tick_));
    return StepStatus::done;
  }
  const StepStatus status = reach(tick_ + 1);
  if (status != StepStatus::done) return status;
  if (tick_ > end_) {
    end_ = tick_;
    if (history_.due(tick_)) history_.keep(tick_, snapshot());
    begin_ = std::max(begin_, history_.first());
  }
  return status;
}

void Experiment::load_before(std::int64_t tick) {
  const auto [start, found] = history_.before(tick);
  const Snapshot start_here = *found;
  tick_ = start;
  load(start_here);
}

void Experiment::go_to(std::int64_t tick) {
  tick = std::clamp(tick, begin_, end_);
  const bool backwards = tick < tick_;
  if (backwards || tick - tick_ > History::kSpacing) {
    if (backwards || history_.before(tick).first > tick_) load_before(tick);
  }
  while (tick_ < tick) {
    if (backwards) history_.keep_nearby(tick_, snapshot());
    if (forward() != StepStatus::done) return;
  }
}

Scene Experiment::in_present_space(Scene scene) const {
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    if (!lab_->inside().world.chains()[c].planar()) scene.chains[c].plane_allowed = false;
  }
  return scene;
}

EnergyChange Experiment::change(Scene scene) {
  const State state = lab_->state_at(time());
  const double before = lab_->energies().last_energy;  // of the row of this tick
  const bool same_links = same_shape(*scene_, scene);
  if (same_links) scene = in_present_space(std::move(scene));
  auto shared = std::make_shared<const Scene>(std::move(scene));
  std::unique_ptr<Lab> lab = make_lab(*shared);
  if (!same_links) {
    dragged_ = {};
    set_scene(std::move(shared), std::move(lab));
    begin_history();
    return {before, lab_->energies().last_energy, true};
  }
  hand_over(lab_->inside().world, state, lab_->row_angles(), *lab);
  std::vector<std::unique_ptr<Lab>> ghosts(ghosts_.size());
  for (std::size_t i = 0; i < ghosts_.size(); ++i) {
    if (!ghosts_[i]) continue;
    ghosts[i] = make_lab(ghost_scene(*shared, (*ghost_settings_)[i]));
    hand_over(ghosts_[i]->inside().world, ghosts_[i]->state_at(time()), ghosts_[i]->row_angles(), *ghosts[i]);
  }
  ghosts_ = std::move(ghosts);
  set_scene(std::move(shared), std::move(lab));
  sample();
  remember_change();
  return {before, lab_->energies().last_energy, false};
}

void Experiment::drag(std::size_t chain, std::size_t link, const Vec3& target, bool may_leave_plane) {
  if (chain >= scene_->chains.size() || link >= scene_->chains[chain].links.size()) return;
  const Vec3 pivot = lab_->pivot_at(chain, time());
  const Vec3 from_pivot = target - pivot;
  if (may_leave_plane && leaves_plane(lab_->inside().world.chains()[chain], from_pivot)) {
    Scene spatial = *scene_;
    spatial.chains[chain].plane_allowed = false;
    change(std::move(spatial));
  }
  ChainUnit& unit = lab_->inside().world.chains()[chain];
  if (unit.bodies() != nullptr) {  // the link's body is pulled, and all that it is joined to follows
    const Attachment end = united(*scene_).chains[chain]->end[link];
    const Vec3 within = unit.to_world(unit.to_own(from_pivot));
    pull_body(static_cast<std::size_t>(end.body), end.point, pivot + within);
    return;
  }
  State state = lab_->state_at(time());
  const LanePair lanes = dragged(unit, lanes_of(unit, state.hi, state.lo), link, from_pivot);
  replace_chain(*lab_, std::move(state), lab_->row_angles(), chain, lanes);
  remember_drag();
}

void Experiment::drag_body(std::size_t body, const Vec3& in_body, const Vec3& target) {
  if (body >= scene_->mechanism.bodies.size() || scene_->mechanism.bodies[body].fixed) return;
  pull_body(body, in_body, target);
}

void Experiment::pull_body(std::size_t body, const Vec3& in_body, const Vec3& target) {
  State state = lab_->state_at(time());
  BodyStates bodies =
      body_dragged(*trial().mechanism(), time(), bodies_of(*lab_, state), body, in_body, target);
  replace_bodies(*lab_, std::move(state), std::move(bodies));
  remember_drag();
}

void Experiment::remember_drag() {
  dragged_.scene = scene_;
  dragged_.state = lab_->state();
  start_ghosts();
  sample();
  dragged_.angles = lab_->row_angles();
  remember_change();
}

World& Experiment::trial() {
  if (!trial_) trial_ = std::make_unique<World>(lab_->inside().world);
  return *trial_;
}

std::unique_ptr<Lab> Experiment::fresh_ghost(std::size_t i, std::unique_ptr<Lab> made_before) {
  if (made_before) {
    made_before->restore(ghosts_made_.fresh[i]);
    return made_before;
  }
  std::unique_ptr<Lab> ghost = make_lab(ghost_scene(*scene_, (*ghost_settings_)[i]));
  ghosts_made_.fresh[i] = ghost->checkpoint();
  return ghost;
}

void Experiment::start_ghosts() {
  std::vector<std::unique_ptr<Lab>> before = std::exchange(ghosts_, {});
  if (ghosts_made_.scene != scene_ || ghosts_made_.settings != ghost_settings_) {
    before.clear();
    ghosts_made_ = {scene_, ghost_settings_, std::vector<std::string>(ghost_settings_->size())};
  }
  before.resize(ghost_settings_->size());
  const State state = lab_->state_at(time());
  for (std::size_t i = 0; i < ghost_settings_->size(); ++i) {
    const GhostSettings& settings = (*ghost_settings_)[i];
    std::unique_ptr<Lab> ghost = fresh_ghost(i, std::move(before[i]));
    hand_over(lab_->inside().world, state, lab_->row_angles(), *ghost);
    for (std::size_t c = 0; settings.offset != 0.0 && c < ghost->inside().world.chains().size(); ++c) {
      ChainUnit& unit = ghost->inside().world.chains()[c];
      if (unit.bodies() != nullptr) continue;
      State beside = ghost->state();
      const LanePair lanes = first_link_turned(unit, lanes_of(unit, beside.hi, beside.lo), settings.offset);
      replace_chain(*ghost, std::move(beside), ghost->row_angles(), c, lanes);
    }
    if (settings.offset != 0.0 &&
        (ghost->inside().world.lagrangian() != nullptr || ghost->inside().world.equations() != nullptr)) {
      shift_coordinate(*ghost, settings.offset);
    }
    if (settings.offset != 0.0 && ghost->inside().world.mechanism() != nullptr) {
      State beside = ghost->state();
      BodyStates bodies =
          first_body_turned(*trial().mechanism(), time(), bodies_of(*ghost, beside), settings.offset);
      replace_bodies(*ghost, std::move(beside), std::move(bodies));
    }
    ghosts_.push_back(std::move(ghost));
  }
}

void Experiment::set_ghosts(std::vector<GhostSettings> ghosts) {
  const auto before =
      std::exchange(ghost_settings_, std::make_shared<const std::vector<GhostSettings>>(std::move(ghosts)));
  try {
    start_ghosts();
  } catch (const InputError&) {  // a method that cannot do this scene
    ghost_settings_ = before;
    start_ghosts();
    throw;
  }
  sample();
  remember_change();
}

void Experiment::restart(bool as_dragged) {
  std::unique_ptr<Lab> lab = make_lab(*scene_);
  // Where motors have brought bodies by the time of a drag is not where they are at the start.
  const bool motors = !scene_->mechanism.motors.empty();
  if (as_dragged && !motors && dragged_.scene && same_shape(*dragged_.scene, *scene_)) {
    World world(*dragged_.scene);
    State state = dragged_.state;
    state.t = state.t_lo = 0.0;
    hand_over(world, state, dragged_.angles, *lab);
  } else {
    dragged_ = {};
  }
  set_scene(scene_, std::move(lab));
  begin_history();
}

void Experiment::take_up(const Bookmark& bookmark) {
  history_ = History();
  trace_.reset(watched_.names.size());
  line_ = next_line();
  begin_ = tick_ = end_ = bookmark.tick;
  load(bookmark.snapshot);
  remember_change();
}

}  // namespace catena
