#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/dynamics/world/facts_of.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/step_control.h"
#include "catena/lab/diagnosis.h"
#include "catena/lab/jumps.h"
#include "catena/lab/lanes.h"
#include "catena/lab/looked.h"
#include "catena/lab/stepping_digits.h"
#include "catena/lab/variation.h"
#include "catena/math/gauss_rule.h"

namespace catena {
namespace {

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
  const bool more_digits = simulation.precision != "double";
  const double usual = more_digits ? default_tolerance(simulation.precision) : method.tolerance;
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

}  // namespace

std::string settings_refusal(const Simulation& simulation) {
  constexpr double kMostSteps = 1e12;
  const Method* method = find_method(simulation.method);
  if (method == nullptr) return "";
  const StepOptions options = options_for(simulation, *method);
  const bool adaptive = is_adaptive(*method, options);
  const std::optional<double> longest = adaptive ? options.max_step : options.step;
  const double steps = longest ? simulation.duration / *longest : 0.0;
  if (steps > kMostSteps) {
    return fmt::format(
        "{} s in steps of {} s would be {:.1g} steps: choose a larger {} or a shorter duration",
        number_text(simulation.duration), number_text(*longest), steps, adaptive ? "max_step" : "step");
  }
  return refusal(*method, options);
}

double EnergyRecord::scale(double weight_scale) const {
  const double moved = largest_kinetic + largest_potential_change;
  const double at_rest = weight_scale > 0.0 ? weight_scale : static_cast<double>(abs(start_potential));
  const double roundoff = 16 * std::numeric_limits<double>::epsilon() * at_rest;  // what rest looks like
  return moved > roundoff ? moved : at_rest;
}

WorldFacts facts_of(const Scene& scene) { return facts_of(World(scene)); }

// ---- what it is made of -----------------------------------------------------------------------------------

Lab::Inside::Inside(const Scene& scene)
    : world(scene),
      own_method(own_method_of(scene.simulation)),
      method(own_method ? &*own_method : &method_for(scene)),
      options(options_for(scene.simulation, *method)),
      wired(world, options.tolerance),
      frame(world) {
  std::string reason = refusal(*method, system(), options);
  if (reason.empty() && scene.simulation.precision != "double")
    reason = precision_refusal(world, method->name, scene.simulation.precision, options);
  if (!reason.empty()) throw InputError({scene.name}, reason);
}

Lab::Lab(Scene scene) : scene_(std::move(scene)), inside_(std::make_unique<Inside>(scene_)) {
  make_stepper();
  inside_->world.start(state_.hi, state_.lo);
  begin();
  for (const Warning& warning : scene_.warnings) warn(warning);
  for (const Warning& warning : inside_->world.warnings()) warn(warning);
}

void count_turns(World& world, const State& state) {
  const std::size_t at = world.mechanism_offset();
  if (Multibody* mechanism = world.mechanism())
    mechanism->follow_all_turns(state.t, state.hi.data() + at, state.lo.data() + at, true);
}

void Lab::begin() {
  World& world = inside_->world;
  project_in_full(*inside_->stepper, state_);
  angles_ = start_angles_ = start_angles(world, state_);
  take_up_turns(world, angles_);
  count_turns(world, state_);
  if (world.has_more_digits()) make_stepper();  // its own copy of the world counts turns from here
  inside_->frame.set_angles(angles_);
  start_ = sample_ = state_;
  if (world.has_pieces()) start_moment_ = world.piece_moment();
  inside_->start_memory = inside_->fresh_memory = inside_->stepper->memory();
  begin_energies();
}

Lab::~Lab() = default;

void Lab::make_stepper() {
  Inside& in = *inside_;
  const std::string& precision = scene_.simulation.precision;
  if (in_lanes_) {
    if (in.stepper != nullptr && begin_in_lanes(*in.stepper)) {
      if (variation_ != nullptr) variation_->use_lanes();
      return;
    }
    in.stepper = stepper_in_lanes(in.world, in.options);
    if (in.options.max_step) in.stepper->limit(*in.options.max_step);
    return;
  }
  if (precision != "double") {
    in.digits = motion_in_digits(in.world, precision);
    in.stepper = in.digits->stepper(in.method->name, in.options);
  } else {
    in.stepper = in.method->make(in.system(), in.options);
  }
  if (in.options.max_step) in.stepper->limit(*in.options.max_step);
  progress_ = {};
}

std::string Lab::lanes_refusal() const {
  if (variation_ != nullptr) {
    if (const std::string reason = variation_->lanes_refusal(); !reason.empty()) return reason;
  }
  return catena::lanes_refusal(inside_->world, inside_->method->name, scene_.simulation.precision,
                               inside_->options);
}

std::string Lab::following_in_lanes_refusal() const {
  return catena::following_in_lanes_refusal(inside_->world);
}

void Lab::use_lanes() {
  if (const std::string reason = lanes_refusal(); !reason.empty()) throw InputError({scene_.name}, reason);
  in_lanes_ = true;
  make_stepper();
  if (variation_ != nullptr) variation_->use_lanes();
  inside_->start_memory = inside_->fresh_memory = inside_->stepper->memory();
}

// ---- questions --------------------------------------------------------------------------------------------

WorldFacts Lab::facts() const { return facts_of(inside_->world); }
std::size_t Lab::degrees_of_freedom() const { return inside_->world.degrees_of_freedom(); }
double Lab::weight_scale() const { return inside_->world.weight_scale(); }
std::size_t Lab::dimension() const { return inside_->world.dimension(); }
bool Lab::is_planar(std::size_t chain) const { return inside_->world.chains().at(chain).planar(); }
const Method& Lab::method() const { return *inside_->method; }
bool Lab::adaptive() const { return is_adaptive(*inside_->method, inside_->options); }
double Lab::tolerance() const { return inside_->options.by_tolerance ? inside_->options.tolerance : 0.0; }
int Lab::order() const { return inside_->stepper->order(); }
const StepCounts& Lab::counts() const { return inside_->stepper->counts(); }
double Lab::last_step() const { return inside_->stepper->last_step(); }
const std::vector<AngleMemory>& Lab::row_angles() const { return inside_->frame.angles(); }
Columns Lab::columns(const std::vector<std::string>& asked) const { return {inside_->world, asked}; }

std::vector<double> Lab::rhs(double t, const std::vector<double>& x) {
  std::vector<double> dx(x.size());
  inside_->world.rhs(t, x.data(), dx.data());
  return dx;
}

void Lab::taylor(double t, const std::vector<double>& x, int order, double* c) {
  inside_->world.reserve(order);
  inside_->world.taylor(t, x.data(), order, c);
}

std::vector<double> Lab::projected(double t, const std::vector<double>& x) {
  std::vector<double> out = x, lo(x.size(), 0.0);
  if (inside_->world.has_constraints()) inside_->world.project(t, out.data(), lo.data());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += lo[i];
  return out;
}

StateEnergies Lab::energies_of(double t, const std::vector<double>& x) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!inside_->world.has_energy()) return {kNone, kNone, kNone};
  const std::vector<double> lo(x.size(), 0.0);
  const Energies energy = inside_->world.energy(t, x.data(), lo.data());
  return {static_cast<double>(energy.kinetic), static_cast<double>(energy.potential),
          static_cast<double>(energy.elastic)};
}

namespace {

const LieChain<3>* lie_chain(const World& world) {
  return world.chains().size() == 1 ? std::get_if<LieChain<3>>(&world.chains()[0].chain) : nullptr;
}

}  // namespace

std::size_t Lab::lie_links() const {
  const LieChain<3>* chain = lie_chain(inside_->world);
  return chain == nullptr ? 0 : chain->links();
}

LieEquations Lab::lie_equations(const std::vector<double>& x) const {
  const std::size_t rows = 3 * lie_links();
  LieEquations out{std::vector<double>(rows * rows), std::vector<double>(rows)};
  lie_chain(inside_->world)->equations(x.data(), out.matrix.data(), out.right.data());
  return out;
}

std::vector<double> Lab::lie_field(double t, std::vector<double> x) {
  x.resize(dimension(), 0.0);  // what forces have dissipated, and their work
  std::vector<double> f(inside_->system().lie.dimension);
  inside_->system().lie.field(t, x.data(), f.data());
  f.resize(6 * lie_links());
  return f;
}

void Lab::warn(Warning warning) {
  const auto is_known = [&](const Warning& known) { return text(known) == text(warning); };
  if (std::none_of(warnings_.begin(), warnings_.end(), is_known)) warnings_.push_back(std::move(warning));
}

void Lab::begin_energies() {
  inside_->momenta = {};
  const Looked start(inside_->world, state_);
  energies_ = {};
  energies_.start_energy = start.balance;
  energies_.start_potential = start.energy.potential;
  record_energy(start);
}

void Lab::record_energy(const Looked& looked) {
  const Energies& energy = looked.energy;
  const double error = abs(looked.balance - energies_.start_energy);
  const double change = abs(energy.potential - energies_.start_potential);
  energies_.largest_kinetic = std::max(energies_.largest_kinetic, static_cast<double>(energy.kinetic));
  energies_.largest_potential_change = std::max(energies_.largest_potential_change, change);
  energies_.largest_error = std::max(energies_.largest_error, error);
  energies_.last_energy = static_cast<double>(energy.total());
}

// A step that may have missed what a formula did is taken back and tried with half its length.
StepStatus Lab::step_and_look() {
  StepStatus status = inside_->stepper->step(state_, scene_.simulation.duration);
  if (!inside_->system().misses || inside_->stepper->looks_inside()) return status;
  const bool may_shorten = adaptive() && !inside_->method->library;
  while (status == StepStatus::done && step_misses()) {
    if (!may_shorten) {
      ++blind_steps_;
      break;
    }
    const double length = 0.5 * inside_->stepper->last_step();
    if (!(length > shortest_step(start_.t))) return StepStatus::step_too_small;
    StepCounts counts = inside_->stepper->counts();
    --counts.steps;
    ++counts.rejected;
    state_ = start_;
    inside_->stepper->restore(inside_->start_memory);
    inside_->stepper->set_counts(counts);
    inside_->stepper->limit(length);
    status = inside_->stepper->step(state_, scene_.simulation.duration);
  }
  inside_->stepper->limit(inside_->options.max_step.value_or(std::numeric_limits<double>::infinity()));
  return status;
}

void Lab::follow(std::vector<Direction> directions) {
  variation_ = std::make_unique<Variation>(*this, std::move(directions));
}

// A step is as long as the series of rates allow, too.
void Lab::expand_rates() {
  const double usual = inside_->options.max_step.value_or(std::numeric_limits<double>::infinity());
  inside_->stepper->limit(std::min(usual, variation_->expand(start_, inside_->stepper->order())));
}

void Lab::derivatives(const Columns& columns, double* rows) {
  variation_->rows(sample_.t, sample_at_end_, columns, rows);
}

void Lab::derivatives_at_root(const Columns& read,
                              const std::function<double(const std::vector<double>&)>& formula,
                              const Columns& recorded, double* out) {
  variation_->root(sample_.t, sample_at_end_, read, formula, recorded, out);
}

const std::vector<double>& Lab::state_derivatives() { return variation_->at(sample_.t, sample_at_end_); }
GaussValues Lab::squares_along_step(std::size_t direction, double end) {
  if (in_lanes_) return variation_->squares_along_step(direction, end);
  GaussValues out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    evaluate(start_.t + kGaussPlaces[i] * (end - start_.t));
    const double* rates = state_derivatives().data() + direction * dimension();
    for (std::size_t lane = 0; lane < motion_lanes(); ++lane) out[i] += rates[lane] * rates[lane];
  }
  return out;
}
const std::vector<double>& Lab::end_derivatives() const { return variation_->at_end(); }
void Lab::set_state_derivatives(const std::vector<double>& rates) { variation_->set(state_, rates); }
std::vector<std::vector<double>> Lab::allowed_directions() { return catena::allowed_directions(*this); }
std::size_t Lab::motion_lanes() const { return inside_->world.motion_lanes(); }

bool Lab::step_misses() {
  const double t = start_.t, length = state_.t - start_.t;
  if (!adaptive()) {  // only to say so: what lies between start and end will do
    const std::array<const double*, 2> ends{start_.hi.data(), state_.hi.data()};
    return inside_->system().misses(t, length, ends);
  }
  std::array<const double*, kStepSamples> states{start_.hi.data()};
  if (samples_.empty()) samples_.assign(kStepSamples - 2, std::vector<double>(inside_->system().dimension));
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const double at = t + length * static_cast<double>(i + 1) / (kStepSamples - 1);
    evaluate_step(*inside_->stepper, at, samples_[i].data(), sample_.lo.data());
    states[i + 1] = samples_[i].data();
  }
  states.back() = state_.hi.data();
  return inside_->system().misses(t, length, states);
}

std::string Lab::advice() const {
  std::string said = inside_->stepper->advice();
  if (blind_steps_ == 0) return said;
  if (!said.empty()) said += "; ";
  return said + fmt::format(
                    "something acts for a shorter time than a step of {}, or within a shorter way: in {} of "
                    "{} steps a "
                    "formula or a slack link could do what the step does not see; {}",
                    inside_->method->name, blind_steps_, inside_->stepper->counts().steps,
                    adaptive() ? "limit the step by max_step, or take taylor, which bounds every formula"
                               : "take a smaller step, or a method that chooses its own");
}

StepStatus Lab::advance() {
  // Between steps, not at their ends: until now the last step's dense output was in the old coordinates. What
  // the method remembers besides its memory is of those, too.
  if (inside_->world.settle(state_.hi.data(), state_.lo.data()))
    inside_->stepper->restore(inside_->stepper->memory());
  if (inside_->world.has_pieces() && !pass_kink()) return StepStatus::not_closed;
  // Turns are followed from step to step: rows inside the last one have taken them back.
  if (stepped_ && sample_.t != state_.t) count_turns(inside_->world, state_);
  at_start_ = false;
  start_ = state_;
  if (inside_->world.has_pieces()) start_moment_ = inside_->world.piece_moment();
  start_angles_ = angles_;
  inside_->start_memory = inside_->stepper->memory();
  start_counts_ = inside_->stepper->counts();
  if (variation_ != nullptr) expand_rates();
  StepStatus status = step_and_look();
  if (inside_->world.has_pieces() && status == StepStatus::done) cut_at_kink();
  if (variation_ != nullptr && status == StepStatus::done && !variation_->take(state_))
    status = StepStatus::not_finite;
  stepped_ = status == StepStatus::done;
  if (!stepped_) return stuck(status);
  // Runs with more digits are moved by a world of their own: this one has not been there.
  if (inside_->world.has_more_digits()) count_turns(inside_->world, state_);
  const Looked reached(inside_->world, state_);
  const auto is_finite = [](double number) { return std::isfinite(number); };
  // Numbers that are none, or whose squares are none: an explosion.
  if (!is_finite(static_cast<double>(reached.energy.total())) ||
      (!inside_->world.has_energy() && !std::all_of(state_.hi.begin(), state_.hi.end(), is_finite))) {
    state_ = start_;
    stepped_ = false;
    return stuck(StepStatus::not_finite);
  }
  // Far above what projection leaves, whatever the method.
  const double apart = std::max(1e-8, 100.0 * scene_.lagrangian.newton_tolerance);
  if (inside_->world.may_come_apart() &&
      !(inside_->world.constraint_error(state_.t, state_.hi.data(), state_.lo.data()) < apart)) {
    state_ = start_;
    stepped_ = false;
    return StepStatus::not_closed;
  }
  follow_turns(inside_->world, start_, state_, angles_);
  record_energy(reached);
  if (!is_creeping()) return status;
  stuck(StepStatus::step_too_small);
  if (obstacle_.empty()) obstacle_ = what_slows(*this, progress_.slides());
  return StepStatus::step_too_small;
}

namespace {

// Close to a position in which constraints begin to depend on each other accelerations lose their digits, and
// no step is right to the last of them. taylor knows, and leaps.
std::string singular_position(World& world, const State& state) {
  constexpr double kClose = 0.1;  // of the margin at the start
  if (!world.may_be_singular()) return "";
  std::vector<double> hi, lo;
  world.start(hi, lo);
  const double usual = world.margin(0.0, hi.data()), here = world.margin(state.t, state.hi.data());
  if (!(here < kClose * usual)) return "";
  return fmt::format(
      "no step is small enough for the tolerance at t = {} s, close to a singular position of the {}; "
      "taylor leaps over such positions, and a larger tolerance may pass",
      number_text(state.t), world.mechanism() != nullptr ? "joints" : "constraints");
}

}  // namespace

StepStatus Lab::stuck(StepStatus status) {
  if (inside_->world.has_pieces())
    obstacle_ = inside_->world.kink_ahead(state_.t, state_.hi.data(), state_.lo.data());
  if (obstacle_.empty()) obstacle_ = formula_at_fault(*this);
  if (obstacle_.empty() && status == StepStatus::step_too_small)
    obstacle_ = singular_position(inside_->world, state_);
  return status;
}

bool Lab::is_creeping() {
  if (!adaptive()) return false;
  if (progress_.looks()) {
    double size = 1.0;
    for (std::size_t i = 0; i < motion_lanes(); ++i) size = std::max(size, std::fabs(state_.hi[i]));
    progress_.note(rates_jump(inside_->world, start_, state_, tolerance() * size));
  }
  return progress_.slides() ||
         !progress_.gets_on(inside_->stepper->counts().steps, state_.t, scene_.simulation.duration);
}

// Likewise between steps: until now the last step's rows were on the piece before.
bool Lab::pass_kink() {
  constexpr double kClose = 1e-6;
  constexpr int kMostClose = 200;
  while (at_kink_ || inside_->world.is_piece_over(state_.t)) {
    at_kink_ = false;
    close_kinks_ = state_.t - last_kink_ < kClose * (1.0 + state_.t) ? close_kinks_ + 1 : 0;
    last_kink_ = state_.t;
    obstacle_ = close_kinks_ > kMostClose ? inside_->world.crowded_kinks(state_.t)
                : variation_ != nullptr   ? variation_->pass_kink(state_)
                : inside_->digits != nullptr
                    ? inside_->digits->pass_kink(inside_->world, state_)
                    : inside_->world.pass_kink(state_.t, state_.hi.data(), state_.lo.data());
    if (!obstacle_.empty()) return false;
    inside_->stepper->restore(inside_->stepper->memory());
    stepped_ = false;
  }
  return true;
}

void Lab::cut_at_kink() {
  const bool in_digits = inside_->digits != nullptr;
  // With more digits a step begins right at a kink, which has been passed.
  const double kink =
      inside_->world.next_kink(in_digits ? std::max(start_.t, start_moment_) : start_.t, state_.t);
  if (!(kink < state_.t)) return;
  // In double a little beyond it, where the next piece is known to hold; with more digits right there.
  at_kink_ = in_digits;
  const DoubleDouble at = in_digits ? inside_->world.kink_in_full(kink) : kink;
  State cut{at.hi, at.lo, std::vector<double>(inside_->system().dimension),
            std::vector<double>(inside_->system().dimension)};
  evaluate_step(*inside_->stepper, at, cut.hi.data(), cut.lo.data());
  if (in_digits) {
    project_in_full(*inside_->stepper, cut);
  } else {
    inside_->world.project(kink, cut.hi.data(), cut.lo.data());
  }
  state_ = std::move(cut);
}

}  // namespace catena
