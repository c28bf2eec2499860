// Pivots, motors and constraints whose formulas of time have kinks. A kink of a prescribed motion is an
// impulse:
//
//     M dv = J^T Lambda        J dv = jump of the prescribed rate        W = Lambda . (rate before + rate
//     after) / 2
//
// In the frame of a pivot whose velocity jumps by dV the masses of a rigid chain are struck as a uniform
// acceleration -dV would pull them for a unit of time; those of an elastic one keep their velocities, since
// springs pass no impulse. docs/theory/kinks.md has the reasons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/base/words.h"
#include "catena/dynamics/chain/rate_lanes.h"
#include "catena/dynamics/world/world_pieces.h"
#include "catena/expr/parse.h"
#include "catena/math/double_double.h"

namespace catena {

namespace {

constexpr double kJump = 1e-9;  // of a place, m or rad: far above roundoff
constexpr double kMet = 1e-8;   // of places and rates: far above what projection leaves

std::string pivot_name(const Chain& chain) {
  return chain.name.empty() ? "the pivot" : fmt::format("the pivot of '{}'", chain.name);
}

expr::TimeKinks kinks_of(const Scene& scene) {
  expr::TimeKinks kinks(scene.simulation.precision != "double");
  const auto add = [&](const std::string& formula, const expr::Names& names, std::uint32_t t,
                       const std::string& name) {
    expr::Graph graph;
    graph.keep_decimals(kinks.keeps_decimals());
    const expr::Parsed parsed = expr::parse(graph, formula, names);
    kinks.add(graph, parsed.node, t, name);
  };
  for (const Chain& chain : scene.chains) {
    if (!given(chain.pivot_motion)) continue;
    for (const std::string& formula : chain.pivot_motion) add(formula, {{"t"}, {}}, 0, pivot_name(chain));
  }
  for (const JointMotor& motor : scene.mechanism.motors) {
    const Joint& joint = scene.mechanism.joints[static_cast<std::size_t>(motor.joint)];
    add(motor.motion, {{"t"}, motor.parameters}, 0, fmt::format("the motor of joint '{}'", joint.name));
  }
  std::vector<std::string> coordinates;
  for (const LagrangianCoordinate& one : scene.lagrangian.coordinates) coordinates.push_back(one.name);
  const std::vector<std::string> variables = lagrangian_variables(coordinates);
  for (std::size_t j = 0; j < scene.lagrangian.constraints.size(); ++j) {
    add(scene.lagrangian.constraints[j].text, {variables, scene.lagrangian.parameters},
        static_cast<std::uint32_t>(variables.size() - 1), fmt::format("constraint {}", j + 1));
  }
  return kinks;
}

void set_piece(Scene& scene, Mechanism& united, double moment) {
  for (Chain& chain : scene.chains) chain.pivot_piece = moment;
  for (Mechanism* mechanism : {&scene.mechanism, &united}) {
    for (JointMotor& motor : mechanism->motors) motor.piece = moment;
  }
  scene.lagrangian.piece = moment;
}

// To the digits in which kinks are known.
std::string moment_text(double t) { return fmt::format("at t = {:.12g} s", t); }

bool is_finite(const Vec3& v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }

double distance(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// The largest of all rates that are prescribed; infinite where one is no number.
template <class Prescribed>
double largest_rate(const Prescribed& of) {
  double largest = 0.0;
  const auto take = [&largest](double rate) {
    largest =
        std::max(largest, std::isfinite(rate) ? std::fabs(rate) : std::numeric_limits<double>::infinity());
  };
  for (const double rate : of.rates) take(rate);
  for (const PivotMotion::Instant& pivot : of.pivots) {
    for (const double rate : pivot.velocity) take(rate);
  }
  return largest;
}

// What has no finite value where a piece ends: the rate itself, which grows on the way there, or its change.
// `rate_at`: the largest of what is prescribed.
template <class RateAt>
const char* what_is_infinite(const RateAt& rate_at, double t) {
  constexpr double kBefore = 1e-6, kJustBefore = 1e-10, kGrowth = 1.5;
  const double before = rate_at(t - kBefore * (1.0 + t)), just_before = rate_at(t - kJustBefore * (1.0 + t));
  return just_before <= kGrowth * before ? "a derivative of the rate" : "the rate";
}

void add_to(double& hi, double& lo, double increment) {
  const DoubleDouble sum = two_sum(hi, lo) + increment;
  hi = sum.hi;
  lo = sum.lo;
}

}  // namespace

Owned<World::Pieces> World::pieces_of(const Scene& scene) {
  expr::TimeKinks kinks = kinks_of(scene);
  if (kinks.empty()) return {};
  Owned<Pieces> out(std::make_unique<Pieces>(Pieces{scene, planes_of(scene), {}, std::move(kinks), 0.0}));
  out->moment = out->kinks.enter(0.0);
  set_piece(out->scene, out->bodies.mechanism, out->moment);
  out->bodies = united(out->scene);
  return out;
}

World::World(const Scene& scene, Owned<Pieces> pieces)
    : World(pieces ? pieces->scene : scene, pieces ? pieces->planes : planes_of(scene),
            pieces ? pieces->bodies : united(scene)) {
  pieces_ = std::move(pieces);
}

double World::next_kink(double after, double until) { return pieces_->kinks.next(after, until); }

DoubleDouble World::kink_in_full(double kink) const { return pieces_->kinks.refined(kink); }

bool World::is_piece_over(double t) { return pieces_->kinks.is_over(t); }

void World::take_piece(double t, bool arriving) { hold_piece(pieces_->kinks.enter(t, arriving)); }

double World::piece_moment() const { return pieces_->moment; }

// Everything that was made from the formulas is made again.
void World::hold_piece(double moment) {
  pieces_->moment = moment;
  set_piece(pieces_->scene, pieces_->bodies.mechanism, moment);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    if (chains_[c].pivot_motion)
      chains_[c].pivot_motion.emplace(pieces_->scene.chains[c].pivot_motion, pieces_->planes[c], moment);
  }
  if (!forces_.groups().empty()) forces_ = Forces(pieces_->scene, pieces_->planes, pieces_->bodies);
  if (mechanism_) mechanism_->take_piece(moment);
  if (lagrangian_) lagrangian_->take_piece(moment);
  if (looked_ > 0.0) look_inside(looked_);
  if (reserved_ >= 0) reserve(reserved_);
}

std::string World::crowded_kinks(double t) const {
  return fmt::format(
      "{} has one kink after the other {}: they cannot all be passed; keep its kinks apart, or let "
      "the "
      "run end before",
      pieces_->kinks.name(), moment_text(t));
}

World::Prescribed World::prescribed(double t, const double* hi, const double* lo) {
  Prescribed out;
  for (ChainUnit& unit : chains_) out.pivots.push_back(unit.pivot_at(t, hi + unit.offset));
  if (mechanism_) out.rates = mechanism_->prescribed_rates(t, hi + mechanism_offset_, lo + mechanism_offset_);
  if (lagrangian_) out.rates = lagrangian_->drifts(t, hi, lo);
  return out;
}

// Places that jump, and rates that are no numbers.
std::string World::unpassable(double t, const double* hi, const double* lo, const Prescribed& before,
                              const Prescribed& now) {
  const std::string at = moment_text(t);
  const auto jumps = [&](const std::string& name, double gap) {
    return fmt::format(
        "{} jumps by {:.3g} {}: what is prescribed may change its rate at once, not its place; let it go "
        "there "
        "in some time",
        name, gap, at);
  };
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    if (!chains_[c].pivot_motion) continue;
    const PivotMotion::Instant &from = before.pivots[c], &to = now.pivots[c];
    const std::string name = pivot_name(pieces_->scene.chains[c]);
    if (!is_finite(from.velocity) || !is_finite(to.velocity))
      return fmt::format("the rate of {} is not finite {}", name, at);
    const double size = std::hypot(to.position[0], to.position[1], to.position[2]);
    const double gap = distance(from.position, to.position);
    if (!(gap <= kJump * (1.0 + size))) return jumps(name, gap);
  }
  for (const double rate : now.rates) {
    if (!std::isfinite(rate))
      return fmt::format("the rate of {} is not finite {}", pieces_->kinks.name(), at);
  }
  if (mechanism_) {
    const JointGap gap = mechanism_->largest_gap(t, hi + mechanism_offset_, lo + mechanism_offset_);
    if (!(gap.gap <= kJump))
      return jumps(fmt::format("the motor of joint '{}'", mechanism_->mechanism().joints[gap.joint].name),
                   gap.gap);
  }
  if (lagrangian_) {
    const LagrangianSystem::Gap gap = lagrangian_->largest_gap(t, hi, lo);
    if (!(gap.size <= kJump)) return jumps(fmt::format("constraint {}", gap.constraint + 1), gap.size);
  }
  return "";
}

std::string World::kink_ahead(double t, const double* hi, const double* lo) {
  constexpr double kNear = 1e-6;
  const double kink = next_kink(t, t + kNear * (1.0 + std::fabs(t)));
  if (!std::isfinite(kink)) return "";
  const auto rate_at = [&](double moment) { return largest_rate(prescribed(moment, hi, lo)); };
  if (std::isfinite(rate_at(kink))) return "";
  return fmt::format(
      "{} of {} is not finite {}: what is prescribed may change its rate at once, not grow "
      "beyond all bounds",
      what_is_infinite(rate_at, kink), pieces_->kinks.name(), moment_text(kink));
}

std::string World::pass_kink(double t, double* hi, double* lo) {
  const Prescribed before = prescribed(t, hi, lo);
  const auto rate_at = [&](double moment) { return largest_rate(prescribed(moment, hi, lo)); };
  if (!std::isfinite(largest_rate(before))) {
    return fmt::format("{} of {} is not finite {}", what_is_infinite(rate_at, t), pieces_->kinks.name(),
                       moment_text(t));
  }
  take_piece(t);
  const Prescribed now = prescribed(t, hi, lo);
  if (std::string reason = unpassable(t, hi, lo, before, now); !reason.empty()) return reason;
  double work = 0.0;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    ChainUnit& unit = chains_[c];
    if (!unit.pivot_motion) continue;
    Vec3 jump{}, mean{};
    for (std::size_t i = 0; i < 3; ++i) {
      jump[i] = now.pivots[c].velocity[i] - before.pivots[c].velocity[i];
      mean[i] = 0.5 * (now.pivots[c].velocity[i] + before.pivots[c].velocity[i]);
    }
    const RateLanes rates = rate_lanes(unit);
    std::vector<double> change(unit.dimension());
    const Vec3 impulse = strike(c, unit.to_own(jump), hi + unit.offset, change.data()),
               along = unit.to_own(mean);
    for (std::size_t i = rates.first; i < rates.end; ++i)
      add_to(hi[unit.offset + i], lo[unit.offset + i], change[i]);
    for (std::size_t i = 0; i < 3; ++i) work += impulse[i] * along[i];
  }
  if (mechanism_) work += mechanism_->strike(t, hi + mechanism_offset_, lo + mechanism_offset_, before.rates);
  if (lagrangian_) work += lagrangian_->strike(t, hi, lo, before.rates);
  for (std::size_t i = 0; i < dimension_; ++i) add_to(hi[i], lo[i], 0.0);
  if (accounts_) add_to(hi[dimension_ - 1], lo[dimension_ - 1], work);
  project(t, hi, lo);
  if (constraint_error(t, hi, lo) <= kMet) return "";
  return fmt::format(
      "{} asks for another rate than the other joints, motors or constraints do {}: let them agree, "
      "or leave one out",
      pieces_->kinks.name(), moment_text(t));
}

}  // namespace catena
