#include "catena/lab/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/shifted_solver.h"
#include "catena/integrate/step_control.h"
#include "catena/lab/bytes.h"
#include "catena/lab/diagnosis.h"
#include "catena/lab/extended.h"

namespace catena {
namespace {

constexpr std::string_view kCheckpointMark = "catena checkpoint 4";

std::optional<Method> own_method_of(const Simulation& simulation) {
  if (!simulation.function) return std::nullopt;
  return function_method(simulation.function->name, simulation.function->order);
}

const Method& method_for(const Scene& scene) {
  const std::string& name = scene.simulation.method;
  if (const Method* method = find_method(name)) return *method;
  throw InputError({scene.name},
                   fmt::format("unknown method '{}'{}", name, did_you_mean(name, method_names())));
}

std::shared_ptr<const Tableau> tableau_of(const RungeKuttaTable& table) {
  Tableau tableau{.order = table.order,
                  .stages = static_cast<int>(table.b.size()),
                  .c = table.c,
                  .a = table.a,
                  .b = table.b};
  if (!table.b_hat.empty()) {
    tableau.error.push_back(table.b);
    for (std::size_t i = 0; i < table.b.size(); ++i) tableau.error[0][i] -= table.b_hat[i];
    tableau.error_order = std::min(table.order, table.hat_order);
  }
  return std::make_shared<const Tableau>(std::move(tableau));
}

StepOptions options_for(const Simulation& simulation, const Method& method) {
  const bool extended = simulation.precision != "double";
  const double usual = extended ? default_tolerance(simulation.precision) : method.tolerance;
  StepOptions options{simulation.tolerance.value_or(usual), simulation.step, simulation.order};
  options.max_velocity_error = simulation.max_velocity_error;
  options.max_momentum_error = simulation.max_momentum_error;
  options.max_step = simulation.max_step;
  const auto limited = [](const std::optional<double>& limit) { return limit.value_or(1.0); };
  if ((options.max_velocity_error || options.max_momentum_error) && !simulation.tolerance) {
    options.by_tolerance = false;
    options.tolerance = std::clamp(
        std::min(limited(options.max_velocity_error), limited(options.max_momentum_error)), 1e-15, 1e-3);
  }
  if (simulation.function) {
    options.take = simulation.function->take;
    options.order = simulation.function->order;
  }
  if (method.name == "custom" && simulation.custom) options.tableau = tableau_of(*simulation.custom);
  return options;
}

// Positions and velocities of elastic chains, whose accelerations depend on positions alone; none where a
// chain is rigid or a force depends on velocities.
std::vector<LanePairing> separable_lanes(const World& world) {
  if (const LagrangianSystem* system = world.lagrangian()) {
    const std::size_t n = system->coordinates();
    return system->separable() ? std::vector<LanePairing>{{0, n, n}} : std::vector<LanePairing>{};
  }
  std::vector<LanePairing> pairs;
  if (world.depends_on_velocity() || world.mechanism() != nullptr) return {};
  for (const ChainUnit& unit : world.chains()) {
    if (!unit.elastic()) return {};
    const std::size_t half = unit.dimension() / 2;
    pairs.push_back({unit.offset, unit.offset + half, half});
  }
  return pairs;
}

// The world's own solver for implicit methods. Lanes behind its chains are integrals, which nothing depends
// on: for the iteration their rows of the Jacobian may be zero.
class WorldSolver final : public ShiftedSolver {
 public:
  WorldSolver(World& world, std::size_t dimension) : world_(world), dimension_(dimension) {
    for (const ChainUnit& unit : world.chains()) chain_lanes_ = unit.offset + unit.dimension();
  }
  int linearise(double t, const double* x, const double*) override {
    world_.linearise(t, x);
    return 0;
  }
  bool factor(double real_shift, double shift_re, double shift_im) override {
    real_ = real_shift;
    complex_ = {shift_re, shift_im};
    return world_.linear_solver().factor(real_shift, complex_);
  }
  void solve_real(double* b) override {
    world_.linear_solver().solve_real(b);
    for (std::size_t i = chain_lanes_; i < dimension_; ++i) b[i] /= real_;
  }
  void solve_complex(double* re, double* im) override {
    world_.linear_solver().solve_complex(re, im);
    for (std::size_t i = chain_lanes_; i < dimension_; ++i) {
      const std::complex<double> solution = std::complex<double>(re[i], im[i]) / complex_;
      re[i] = solution.real();
      im[i] = solution.imag();
    }
  }

 private:
  World& world_;
  std::size_t dimension_;
  std::size_t chain_lanes_ = 0;
  double real_ = 1.0;
  std::complex<double> complex_ = 1.0;
};

std::unique_ptr<Stepper> made_stepper(const Simulation& simulation, const Method& method, const World& world,
                                      const System& system, const StepOptions& options) {
  std::unique_ptr<Stepper> stepper = simulation.precision == "double"
                                         ? method.make(system, options)
                                         : make_extended(world, method.name, simulation.precision, options);
  if (options.max_step) stepper->limit(*options.max_step);
  return stepper;
}

}  // namespace

std::string settings_refusal(const Simulation& simulation) {
  constexpr double kMostSteps = 1e12;
  const Method* method = find_method(simulation.method);
  if (method == nullptr) return "";
  const StepOptions options = options_for(simulation, *method);
  const double steps =
      options.step && !is_adaptive(*method, options) ? simulation.duration / *options.step : 0.0;
  if (steps > kMostSteps) {
    return fmt::format(
        "{} s in steps of {} s would be {:.1g} steps: choose a larger step or a shorter duration",
        number_text(simulation.duration), number_text(*options.step), steps);
  }
  return refusal(*method, options);
}

double EnergyRecord::scale(double weight_scale) const {
  const double moved = largest_kinetic + largest_potential_change;
  const double roundoff = 16 * std::numeric_limits<double>::epsilon() * weight_scale;  // what rest looks like
  return moved > roundoff ? moved : weight_scale;
}

Lab::Lab(const Scene& scene)
    : scene_(scene),
      world_(scene),
      own_method_(own_method_of(scene.simulation)),
      method_(own_method_ ? &*own_method_ : &method_for(scene)),
      options_(options_for(scene.simulation, *method_)) {
  system_.dimension = world_.dimension();
  system_.controlled = world_.motion_lanes();
  system_.rhs = [this](double t, const double* x, double* dx) { world_.rhs(t, x, dx); };
  system_.taylor = [this](double t, const double* x, int order, double* c) { world_.taylor(t, x, order, c); };
  world_.look_inside(std::max(options_.tolerance, std::numeric_limits<double>::epsilon()));
  if (world_.has_kinks() || world_.looks_inside()) {
    system_.smooth_until = [this](double length) { return world_.smooth_until(length); };
  }
  if (world_.looks_inside()) {
    system_.misses = [this](double t, double length, std::span<const double* const> states) {
      return world_.misses(t, length, states);
    };
  }
  system_.reserve = [this](int order) { world_.reserve(order); };
  if (world_.has_constraints()) {
    system_.project = [this](double t, const double* hi, double* lo) { world_.project(t, hi, lo); };
  }
  if (world_.may_be_singular()) {
    system_.margin = [this](double t, const double* x) { return world_.margin(t, x); };
  }
  system_.series_overhead = world_.series_overhead();
  system_.step_overhead = world_.step_overhead();
  system_.separable = separable_lanes(world_);
  if (world_.has_linear_solver()) {
    system_.shifted = std::make_shared<WorldSolver>(world_, system_.dimension);
  }
  rigid_.offer(world_, system_);
  if (const std::string reason = refusal(*method_, system_, options_); !reason.empty()) {
    throw InputError({scene.name}, reason);
  }
  if (scene.simulation.precision != "double") {
    const std::string reason = precision_refusal(world_, method_->name, scene.simulation.precision, options_);
    if (!reason.empty()) throw InputError({scene.name}, reason);
  }
  stepper_ = made_stepper(scene_.simulation, *method_, world_, system_, options_);
  world_.start(state_.hi, state_.lo);
  for (const ChainUnit& unit : world_.chains()) {
    angles_.push_back(start_memory(unit, state_.hi.data() + unit.offset));
    frames_.emplace_back(unit);
  }
  if (Multibody* mechanism = world_.mechanism()) {
    const std::size_t at = world_.mechanism_offset();
    angles_.push_back(start_memory(*mechanism, state_.hi.data() + at, state_.lo.data() + at));
    mechanism->set_turns(angles_.back().turns);
    body_frame_.emplace(*mechanism);
  }
  if (const LagrangianSystem* system = world_.lagrangian()) {
    const std::size_t n = system->coordinates();
    const std::vector<double> zeros(n);
    lagrangian_frame_ = {zeros, zeros, zeros, zeros, std::vector<double>(system->constraints())};
  }
  start_ = state_;
  start_angles_ = row_angles_ = angles_;
  start_memory_ = stepper_->memory();
  sample_hi_.resize(system_.dimension);
  sample_lo_.resize(system_.dimension);
  begin_energies();
  for (const Warning& warning : scene_.warnings) warn(warning);
  for (const Warning& warning : world_.warnings()) warn(warning);
}

void Lab::warn(Warning warning) {
  const auto is_known = [&](const Warning& known) { return text(known) == text(warning); };
  if (std::none_of(warnings_.begin(), warnings_.end(), is_known)) warnings_.push_back(std::move(warning));
}

void Lab::begin_energies() {
  momenta_ = {};
  const Energies energy = world_.energy(state_.t, state_.hi.data(), state_.lo.data());
  energies_ = {};
  const DoubleDouble start = balance(energy, state_.hi.data(), state_.lo.data());
  energies_.start_energy = start;
  energies_.start_potential = energy.potential;
  record_energy(energy, start);
}

void Lab::record_energy(const Energies& energy, const DoubleDouble& balance) {
  const double error = abs(balance - energies_.start_energy);
  const double change = abs(energy.potential - energies_.start_potential);
  energies_.largest_kinetic = std::max(energies_.largest_kinetic, static_cast<double>(energy.kinetic));
  energies_.largest_potential_change = std::max(energies_.largest_potential_change, change);
  energies_.largest_error = std::max(energies_.largest_error, error);
  energies_.last_energy = static_cast<double>(energy.total());
}

// A step that may have missed what a formula did is taken back and tried with half its length.
StepStatus Lab::step_and_look() {
  StepStatus status = stepper_->step(state_, scene_.simulation.duration);
  if (!system_.misses || stepper_->looks_inside()) return status;
  const bool may_shorten = adaptive() && !method_->library;
  while (status == StepStatus::done && step_misses()) {
    if (!may_shorten) {
      ++blind_steps_;
      break;
    }
    const double length = 0.5 * stepper_->last_step();
    if (!(length > shortest_step(start_.t))) return StepStatus::step_too_small;
    StepCounts counts = stepper_->counts();
    --counts.steps;
    ++counts.rejected;
    state_ = start_;
    stepper_->restore(start_memory_);
    stepper_->set_counts(counts);
    stepper_->limit(length);
    status = stepper_->step(state_, scene_.simulation.duration);
  }
  stepper_->limit(options_.max_step.value_or(std::numeric_limits<double>::infinity()));
  return status;
}

bool Lab::step_misses() {
  const double t = start_.t, length = state_.t - start_.t;
  std::array<const double*, kStepSamples> states{start_.hi.data()};
  if (inside_.empty()) inside_.assign(kStepSamples - 2, std::vector<double>(system_.dimension));
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    const double at = t + length * static_cast<double>(i + 1) / (kStepSamples - 1);
    if (adaptive()) {
      evaluate_step(*stepper_, at, inside_[i].data(), sample_lo_.data());
    } else {  // only to say so: straight from start to end will do
      const double part = (at - t) / length;
      for (std::size_t k = 0; k < system_.dimension; ++k) {
        inside_[i][k] = start_.hi[k] + part * (state_.hi[k] - start_.hi[k]);
      }
    }
    states[i + 1] = inside_[i].data();
  }
  states.back() = state_.hi.data();
  return system_.misses(t, length, states);
}

std::string Lab::advice() const {
  std::string said = stepper_->advice();
  if (blind_steps_ == 0) return said;
  if (!said.empty()) said += "; ";
  return said + fmt::format(
                    "something acts for a shorter time than a step of {}, or within a shorter way: in {} of "
                    "{} steps a "
                    "formula could do what the step does not see; {}",
                    method_->name, blind_steps_, stepper_->counts().steps,
                    adaptive() ? "limit the step by max_step, or take taylor, which bounds every formula"
                               : "take a smaller step, or a method that chooses its own");
}

StepStatus Lab::advance() {
  // Between steps, not at their ends: until now the last step's dense output was in the old coordinates. What
  // the method remembers besides its memory is of those, too.
  if (world_.settle(state_.hi.data(), state_.lo.data())) stepper_->restore(stepper_->memory());
  if (world_.has_pieces() && !pass_kink()) return StepStatus::not_closed;
  start_ = state_;
  start_angles_ = angles_;
  start_memory_ = stepper_->memory();
  start_counts_ = stepper_->counts();
  const StepStatus status = step_and_look();
  stepped_ = status == StepStatus::done;
  if (!stepped_) return stuck(status);
  if (world_.has_pieces()) cut_at_kink();
  const Energies energy = world_.energy(state_.t, state_.hi.data(), state_.lo.data());
  if (!std::isfinite(static_cast<double>(energy.total()))) {  // numbers whose squares are none: an explosion
    state_ = start_;
    stepped_ = false;
    return stuck(StepStatus::not_finite);
  }
  // Far above what projection leaves, whatever the method.
  const double apart = std::max(1e-8, 100.0 * scene_.lagrangian.newton_tolerance);
  if (world_.may_come_apart() &&
      !(world_.constraint_error(state_.t, state_.hi.data(), state_.lo.data()) < apart)) {
    state_ = start_;
    stepped_ = false;
    return StepStatus::not_closed;
  }
  for (std::size_t i = 0; i < world_.chains().size(); ++i) {
    const ChainUnit& unit = world_.chains()[i];
    follow_turns(unit, start_.hi.data() + unit.offset, state_.hi.data() + unit.offset, state_.t - start_.t,
                 angles_[i]);
  }
  if (Multibody* mechanism = world_.mechanism()) {
    const std::size_t at = world_.mechanism_offset();
    follow_turns(*mechanism, state_.t, {start_.hi.data() + at, start_.lo.data() + at},
                 {state_.hi.data() + at, state_.lo.data() + at}, state_.t - start_.t, angles_.back());
  }
  record_energy(energy, balance(energy, state_.hi.data(), state_.lo.data()));
  return is_creeping() ? stuck(StepStatus::step_too_small) : status;
}

StepStatus Lab::stuck(StepStatus status) {
  if (world_.has_pieces()) obstacle_ = world_.kink_ahead(state_.t, state_.hi.data(), state_.lo.data());
  if (obstacle_.empty()) obstacle_ = formula_at_fault(*this);
  if (obstacle_.empty() && world_.extended()) obstacle_ = vanishing_length();
  return status;
}

// Steps in double end where the norm of a velocity vanishes, as drag has a kink there; those with more digits
// do not.
std::string Lab::vanishing_length() const {
  const auto touches = [](const expr::Switch& one) { return one.kind == expr::SwitchKind::touches_zero; };
  for (const LawGroup& group : world_.forces().groups()) {
    const auto& switches = group.series().switches();
    if (std::none_of(switches.begin(), switches.end(), touches)) continue;
    return fmt::format(
        "a speed or a distance vanishes at t = {} s, and a law that is made of it (drag, norm) has a kink "
        "there, "
        "which precision '{}' cannot pass; take precision = \"double\"",
        number_text(state_.t), scene_.simulation.precision);
  }
  return "";
}

// Nobody waits for 2e12 steps: a motion that gets on by less than a 1e-8 of what is left in twenty thousand
// steps does not get on at all.
bool Lab::is_creeping() {
  constexpr std::int64_t kSteps = 20'000;
  constexpr double kOnward = 1e-8;
  if (!adaptive() || stepper_->counts().steps - paced_.steps < kSteps) return false;
  const bool creeps = state_.t - paced_.from < kOnward * (scene_.simulation.duration - paced_.from);
  paced_ = {stepper_->counts().steps, state_.t};
  return creeps;
}

// Likewise between steps: until now the last step's rows were on the piece before.
bool Lab::pass_kink() {
  constexpr double kClose = 1e-6;
  constexpr int kMostClose = 200;
  while (world_.is_piece_over(state_.t)) {
    close_kinks_ = state_.t - last_kink_ < kClose * (1.0 + state_.t) ? close_kinks_ + 1 : 0;
    last_kink_ = state_.t;
    obstacle_ = close_kinks_ > kMostClose ? world_.crowded_kinks(state_.t)
                                          : world_.pass_kink(state_.t, state_.hi.data(), state_.lo.data());
    if (!obstacle_.empty()) return false;
    stepper_->restore(stepper_->memory());
    stepped_ = false;
  }
  return true;
}

void Lab::cut_at_kink() {
  const double kink = world_.next_kink(start_.t, state_.t);
  if (!(kink < state_.t)) return;
  State cut{kink, 0.0, std::vector<double>(system_.dimension), std::vector<double>(system_.dimension)};
  evaluate_step(*stepper_, kink, cut.hi.data(), cut.lo.data());
  world_.project(kink, cut.hi.data(), cut.lo.data());
  state_ = std::move(cut);
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
    evaluate_step(*stepper_, t, sample_hi_.data(), sample_lo_.data());
    world_.project(t, sample_hi_.data(), sample_lo_.data());
  }
  world_.settle(sample_hi_.data(), sample_lo_.data());
}

State Lab::state_at(double t) {
  evaluate(t);
  return {t, 0.0, sample_hi_, sample_lo_};
}

Energies Lab::energies_of(double t, const std::vector<double>& x) {
  return world_.energy(t, x.data(), std::vector<double>(x.size(), 0.0).data());
}

Vec3 Lab::pivot_at(std::size_t chain, double t) {
  ChainUnit& unit = world_.chains()[chain];
  evaluate(t);
  return unit.pivot_at(t, sample_hi_.data() + unit.offset).position;
}

void Lab::place(State state, std::vector<AngleMemory> angles) {
  state_ = std::move(state);
  if (world_.has_pieces()) world_.take_piece(state_.t);
  world_.project(state_.t, state_.hi.data(), state_.lo.data());
  start_ = state_;
  angles_ = start_angles_ = row_angles_ = std::move(angles);
  if (Multibody* mechanism = world_.mechanism()) mechanism->set_turns(angles_.back().turns);
  // Remembers nothing of the motion before.
  stepper_ = made_stepper(scene_.simulation, *method_, world_, system_, options_);
  start_memory_ = stepper_->memory();
  start_counts_ = {};
  stepped_ = false;
  begin_energies();
}

void Lab::show_bodies(double t, bool with_reactions) {
  Multibody& mechanism = *world_.mechanism();
  const std::size_t at = world_.mechanism_offset();
  const double *hi = sample_hi_.data() + at, *lo = sample_lo_.data() + at;
  row_angles_.back().turns = start_angles_.back().turns;
  follow_turns(mechanism, t, {start_.hi.data() + at, start_.lo.data() + at}, {hi, lo}, t - start_.t,
               row_angles_.back());
  body_frame_->update(mechanism, t, hi, lo, row_angles_.back());
  if (with_reactions) body_frame_->react(world_.joint_reactions());
}

void Lab::show_coordinates(double t, bool with_reactions) {
  LagrangianSystem& system = *world_.lagrangian();
  LagrangianFrame& frame = *lagrangian_frame_;
  const std::size_t n = system.coordinates();
  std::copy_n(sample_hi_.data(), n, frame.coordinates.data());
  std::copy_n(sample_hi_.data() + n, n, frame.rates.data());
  std::copy_n(sample_lo_.data(), n, frame.coordinates_lo.data());
  std::copy_n(sample_lo_.data() + n, n, frame.rates_lo.data());
  if (with_reactions) system.multipliers(t, sample_hi_.data(), frame.multipliers.data());
}

void Lab::sample(double t, const Columns& columns, double* row) {
  const Looked looked = look(t, columns, row);
  energies_.constraint_error = std::max(energies_.constraint_error, looked.constraint_error);
  record_energy(looked.energy, looked.balance);
  momenta_.take(world_, t, sample_hi_.data(), frames_, body_frame_ ? &*body_frame_ : nullptr);
}

void Lab::observe(double t, const Columns& columns, double* row) {
  const std::vector<AngleMemory> before = row_angles_;
  look(t, columns, row);
  row_angles_ = before;
}

void Lab::rates(double t, const Columns& columns, double* row) {
  const std::vector<AngleMemory> before = row_angles_;
  evaluate(t);
  const std::vector<double> x = sample_hi_;
  std::vector<double> slope(x.size());
  system_.rhs(t, x.data(), slope.data());
  double size = 1.0, fastest = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    size = std::max(size, std::fabs(x[i]));
    fastest = std::max(fastest, std::fabs(slope[i]));
  }
  // The cube root of roundoff balances it against the error of the difference.
  const double span = 6e-6 * size / fastest;
  const auto show_at = [&](double shift) {
    for (std::size_t i = 0; i < x.size(); ++i) sample_hi_[i] = x[i] + shift * slope[i];
    std::vector<double> out(columns.width());
    show(t + shift, columns, out.data());
    return out;
  };
  const std::vector<double> later = show_at(span), earlier = show_at(-span);
  for (std::size_t i = 0; i < columns.width(); ++i) row[i] = (later[i] - earlier[i]) / (2 * span);
  sample_hi_ = x;
  row_angles_ = before;
}

Lab::Looked Lab::look(double t, const Columns& columns, double* row) {
  evaluate(t);
  return show(t, columns, row);
}

Lab::Looked Lab::show(double t, const Columns& columns, double* row) {
  if (columns.needs_reactions()) world_.react(t, sample_hi_.data());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    ChainUnit& unit = world_.chains()[i];
    const double* lanes = sample_hi_.data() + unit.offset;
    row_angles_[i].turns = start_angles_[i].turns;
    follow_turns(unit, start_.hi.data() + unit.offset, lanes, t - start_.t, row_angles_[i]);
    frames_[i].update(unit, t, lanes, row_angles_[i]);
    if (columns.needs_digits())
      frames_[i].refine(unit, t, lanes, sample_lo_.data() + unit.offset, row_angles_[i]);
    if (columns.needs_reactions()) frames_[i].react(world_, i, sample_hi_.data());
  }
  if (body_frame_) show_bodies(t, columns.needs_reactions());
  if (body_frame_ && columns.needs_digits()) {
    const std::size_t at = world_.mechanism_offset();
    body_frame_->refine(*world_.mechanism(), sample_hi_.data() + at, sample_lo_.data() + at,
                        row_angles_.back());
  }
  if (lagrangian_frame_) show_coordinates(t, columns.needs_reactions());
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
  totals.step_size = stepped_ ? stepper_->last_step() : 0.0;  // not that of a motion left behind
  totals.constraint_error = world_.constraint_error(t, sample_hi_.data(), sample_lo_.data());
  if (body_frame_) body_frame_->rank = static_cast<double>(world_.mechanism()->last_rank());
  columns.write(t,
                {frames_, body_frame_ ? &*body_frame_ : nullptr,
                 lagrangian_frame_ ? &*lagrangian_frame_ : nullptr, totals},
                row);
  return {energy, total, totals.constraint_error};
}

std::string Lab::settings() const {
  const std::string& precision = scene_.simulation.precision;
  const std::string digits = precision == "double" ? "" : ", " + precision;
  if (!adaptive()) return fmt::format("{}, step {}", method_->name, number_text(options_.step.value_or(0.0)));
  std::string out = method_->name + digits;
  if (options_.by_tolerance) out += ", tolerance " + number_text(options_.tolerance);
  if (options_.max_velocity_error) out += ", max_velocity_error " + number_text(*options_.max_velocity_error);
  if (options_.max_momentum_error) out += ", max_momentum_error " + number_text(*options_.max_momentum_error);
  if (options_.max_step) out += ", max_step " + number_text(*options_.max_step);
  return method_->order == "variable" ? out : fmt::format("{}, order {}", out, stepper_->order());
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
  out.put(momenta_);
  for (std::size_t i = 0; i < start_angles_.size(); ++i) {
    out.put(start_angles_[i].turns);
    out.put(row_angles_[i].phi);
  }
  out.put(std::string_view(notes_));
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
  if (mark != kCheckpointMark || !in.finished()) {
    throw InputError(
        {scene_.name},
        "the recorded run does not fit this scene: its chains, bodies or coordinates are others");
  }
  notes_ = std::move(notes);
  state_ = start_ = state;
  angles_ = start_angles_ = angles;
  if (Multibody* mechanism = world_.mechanism()) mechanism->set_turns(angles_.back().turns);
  row_angles_ = rows;
  if (world_.has_pieces()) world_.take_piece(state_.t);
  energies_ = energies;
  momenta_ = momenta;
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
