#include "catena/analyze/orbit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catena/analyze/equilibrium.h"
#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/orbit_finder.h"
#include "catena/analyze/shown.h"
#include "catena/analyze/warned.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/tangent_field.h"

namespace catena {

using Eigen::VectorXd;

bool is_stable(const Multipliers& multipliers, bool conservative) {
  // Multipliers on the circle that have just met, or are about to, are known to half the digits.
  return multipliers.largest() <= (conservative ? 1.0 + 1e-5 : 1.0 + 1e-9);
}

double half_way_gap(Closing& shooting, const ClosedMotion& motion, const std::vector<double>& mirror) {
  const Closing::Course half = shooting.course(motion, {}, 0.5 * motion.period, 33);
  if (!half.done) return std::numeric_limits<double>::infinity();
  std::vector<double> there = half.states.back();
  for (std::size_t i = 0; i < there.size() && !mirror.empty(); ++i) there[i] *= mirror[i];
  const double gap = shooting.distance(there, half.states.front());
  double size = 0.0;
  for (const std::vector<double>& x : half.states)
    size = std::max(size, shooting.distance(x, half.states.front()));
  return gap / std::max(size, 1e-300);
}

std::vector<std::vector<double>> sign_symmetries(Lab& lab, const std::vector<std::vector<double>>& states,
                                                 double later, bool reversing) {
  const std::size_t lanes = lab.motion_lanes(), n = lab.dimension();
  constexpr std::size_t kMostLanes = 12;
  const auto keeps = [&](const std::vector<double>& signs) {
    for (std::size_t k = 0; k < states.size(); k += std::max<std::size_t>(1, states.size() / 3)) {
      const double t = 0.37 * later * static_cast<double>(k + 1) / static_cast<double>(states.size());
      const VectorXd x = vector_of(states[k]), sign = vector_of(signs);
      const VectorXd f = vector_of(lab.rhs(t, states[k]));
      const VectorXd there = vector_of(lab.rhs(t + later, list_of(sign.cwiseProduct(x))));
      const VectorXd image = (reversing ? -1.0 : 1.0) * sign.cwiseProduct(f);
      const VectorXd apart = (there - image).head(static_cast<Eigen::Index>(lanes));
      if (!(apart.norm() <= 1e-9 * (f.norm() + 1e-12))) return false;
    }
    return true;
  };
  const std::size_t all = lanes <= kMostLanes ? std::size_t{1} << lanes : 2;
  std::vector<std::vector<double>> out;
  for (std::size_t word = 1; word < all; ++word) {
    std::vector<double> signs(n, 1.0);
    for (std::size_t i = 0; i < lanes; ++i) {
      const bool turned = lanes > kMostLanes || ((word >> i) & 1U) != 0;
      if (turned) signs[i] = -1.0;
    }
    if (keeps(signs)) out.push_back(std::move(signs));
  }
  return out;
}

namespace {

// The one with the most signs: a mirror of the whole motion before one of a part of it.
std::vector<double> mirror_of(Lab& lab, const std::vector<std::vector<double>>& states, double later) {
  std::vector<double> best;
  std::ptrdiff_t most = 0;
  for (std::vector<double>& signs : sign_symmetries(lab, states, later, false)) {
    const std::ptrdiff_t count = std::count(signs.begin(), signs.end(), -1.0);
    if (count > most) best = std::move(signs), most = count;
  }
  return best;
}

// What the motion keeps: the energy, or invariants of a system of equations.
std::vector<std::string> kept_columns(Closing& shooting, const ClosedMotion& start, double length) {
  Lab& lab = shooting.lab(start.parameter);
  std::vector<std::string> candidates;
  for (const Invariant& one : lab.scene().equations.invariants) candidates.push_back(one.name);
  if (lab.scene().equations.states.empty()) candidates.emplace_back("energy");
  if (candidates.empty()) return {};
  const Closing::Course course = shooting.course(start, candidates, length, 101);
  const double weight = lab.weight_scale();
  std::vector<std::string> out;
  for (std::size_t c = 0; c < course.names.size(); ++c) {
    double low = course.rows[0][c], high = low;
    for (const std::vector<double>& row : course.rows) {
      low = std::min(low, row[c]);
      high = std::max(high, row[c]);
    }
    if (high - low <= 1e-10 * std::max({std::fabs(low), std::fabs(high), weight}))
      out.push_back(course.names[c]);
  }
  return out;
}

struct Guess {
  ClosedMotion motion;
  double distance = 0.0;
};

// Where a motion comes back to one of its states, nearly: by distance, those that are near first by time.
std::vector<Guess> returns(const Closing& shooting, const Closing::Course& course, std::size_t base,
                           double parameter) {
  const std::size_t count = course.states.size();
  std::vector<double> apart(count, 0.0);
  double size = 0.0;
  for (std::size_t k = base; k < count; ++k) {
    apart[k] = shooting.distance(course.states[k], course.states[base]);
    size = std::max(size, apart[k]);
  }
  std::vector<Guess> near, far;
  bool left = false;
  for (std::size_t k = base + 1; k + 1 < count; ++k) {
    left = left || apart[k] > 0.3 * size;
    if (!left || apart[k] > apart[k - 1] || apart[k] > apart[k + 1] || apart[k] > 0.5 * size) continue;
    Guess guess{{parameter, course.times[k] - course.times[base], {course.states[base]}}, apart[k] / size};
    (guess.distance < 0.1 ? near : far).push_back(std::move(guess));
  }
  std::sort(far.begin(), far.end(), [](const Guess& a, const Guess& b) { return a.distance < b.distance; });
  if (near.size() > 4) near.resize(4);
  if (far.size() > 4) far.resize(4);
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

}  // namespace

OrbitFinder::OrbitFinder(const Scene& scene, const OrbitOptions& options)
    : options_(options),
      shooting_(problem(scene, options)),
      parameter_(options.path.empty() ? 0.0 : options.from) {}

void OrbitFinder::prepare() {
  Lab& lab = shooting_.lab(parameter_);
  const TangentField field(lab);
  if (!(field.margin(0.0, lab.state().hi) > 1e-7))
    throw InputError({lab.scene().name},
                     "the start is a singular position of the joints: start from a position beside it");
  duration_ = shooting_.problem().scene(parameter_).simulation.duration;
  start_ = {parameter_, 0.0, {lab.state().hi}};
  shooting_.problem().driven = field.reads_time();
  if (!options_.column.empty()) lab.columns({options_.column});
}

FoundOrbit OrbitFinder::found() {
  prepare();
  ClosingLook look = shortest(shooting_.problem().driven ? driven() : free());
  Orbit orbit = described(look);
  return {std::move(shooting_), std::move(look), std::move(orbit), mirror_};
}

ClosingProblem OrbitFinder::problem(const Scene& scene, const OrbitOptions& options) {
  ClosingProblem out;
  out.path = options.path;
  out.scene = options.path.empty() ? [scene](double) { return scene; } : options.scene;
  out.parameter_scale = options.path.empty() ? 1.0 : std::fabs(options.to - options.from);
  out.multiple = options.multiple;
  out.stop = options.stop;
  out.pulse = options.pulse;
  return out;
}

void OrbitFinder::refuse(const std::string& why) {
  const std::string& name = shooting_.lab(parameter_).scene().name;
  if (options_.stop != nullptr && options_.stop->load())
    throw InputError({name}, "interrupted before a periodic orbit was found");
  throw InputError({name},
                   fmt::format("no periodic orbit was found near the start{}{}; start nearer to it, "
                               "follow the motion longer by --duration, or say about how long it takes "
                               "by --period",
                               why.empty() ? "" : ": the nearest try says that ", why));
}

void OrbitFinder::take_mirror(const Closing::Course& course, double later) {
  mirror_ = mirror_of(shooting_.lab(parameter_), course.states, later);
  if (!options_.symmetric) return;
  if (mirror_.empty())
    throw InputError({shooting_.lab(parameter_).scene().name},
                     "--symmetric: no change of signs leaves the equations as they are, so there are no "
                     "symmetric orbits; leave it out");
  shooting_.problem().mirror = mirror_;
}

bool OrbitFinder::close(const ClosedMotion& guess) {
  ClosingLook look = shooting_.closed(guess, nullptr);
  if (!look.good) {
    if (why_.empty()) why_ = look.why;
    return false;
  }
  const double way = look.flow.norm() * look.motion.period;
  if (!shooting_.problem().driven && way < 1e-6 * (1.0 + vector_of(look.motion.states[0]).norm())) {
    if (why_.empty()) why_ = "it shrinks to an equilibrium";
    return false;
  }
  best_ = std::move(look);
  return true;
}

ClosingLook OrbitFinder::driven() {
  if (options_.period) shooting_.problem().drive_period = *options_.period;
  const double drive = shooting_.drive_period(parameter_);
  if (options_.period) check_given(drive);
  const double period = drive * options_.multiple;
  const double settle = std::max(duration_, 2 * period);
  const auto periods = static_cast<std::size_t>(settle / drive);
  const Closing::Course course =
      shooting_.course(start_, {}, drive * static_cast<double>(periods), periods * 8 + 1);
  if (!course.done) refuse("the motion could not be followed over " + number_text(settle) + " s");
  take_mirror(course, 0.5 * drive);
  for (std::size_t k = 0; k <= periods; k = k == 0 ? 1 : 2 * k) {
    if (close({parameter_, period, {course.states[8 * k]}})) return std::move(best_);
  }
  if (close({parameter_, period, {course.states[8 * periods]}})) return std::move(best_);
  refuse(why_);
}

void OrbitFinder::check_given(double drive) {
  const std::optional<double> near =
      period_of_drive(shooting_.lab(parameter_), std::max(duration_, 4 * drive), drive);
  if (near && std::fabs(*near - drive) <= 1e-9 * drive) return;
  throw InputError({fmt::format("--period {}", number_text(drive))},
                   near ? fmt::format("the drive repeats after {} s", number_text(*near))
                        : "the drive does not repeat after this time");
}

ClosingLook OrbitFinder::free() {
  Lab& lab = shooting_.lab(parameter_);
  const double speed =
      vector_of(lab.rhs(0.0, start_.states[0])).head(static_cast<Eigen::Index>(lab.motion_lanes())).norm();
  if (!(speed > 0.0))
    throw InputError(
        {lab.scene().name},
        "the start is an equilibrium: nothing moves; start beside it, or see `catena analyze modes`");
  constexpr std::size_t kCount = 6001;
  const Closing::Course course = shooting_.course(start_, {}, duration_, kCount);
  if (!course.done) refuse("the motion could not be followed over " + number_text(duration_) + " s");
  take_mirror(course, 0.0);
  find_kept();
  for (const std::size_t base : {std::size_t{0}, kCount / 2, kCount * 4 / 5}) {
    keep(course.states[base]);
    std::vector<Guess> guesses = returns(shooting_, course, base, parameter_);
    if (options_.period) {
      guesses.insert(guesses.begin(), {{parameter_, *options_.period, {course.states[base]}}, 0.0});
    }
    for (const Guess& guess : guesses) {
      if (close(guess.motion) || close(split(guess.motion, 6))) return std::move(best_);
      if (options_.stop != nullptr && options_.stop->load()) refuse("");
    }
  }
  refuse(why_);
}

ClosedMotion OrbitFinder::split(const ClosedMotion& whole, std::size_t parts) {
  const double length = whole.period * (shooting_.problem().mirror.empty() ? 1.0 : 0.5);
  const Closing::Course course = shooting_.course(whole, {}, length, parts + 1);
  ClosedMotion out = whole;
  if (!course.done) return out;
  out.states.assign(course.states.begin(), course.states.end() - 1);
  return out;
}

void OrbitFinder::find_kept() { shooting_.problem().conserved = kept_columns(shooting_, start_, duration_); }

void OrbitFinder::keep(const std::vector<double>& x) {
  ClosingProblem& problem = shooting_.problem();
  if (problem.conserved.empty()) return;
  problem.kept = shooting_.course({parameter_, 0.0, {x}}, problem.conserved, 1e-9, 2).rows[0];
}

ClosingLook OrbitFinder::shortest(ClosingLook look) {
  constexpr std::size_t kParts = 60;
  for (const int rounds : {5, 3, 2, 2}) {
    ClosingProblem& problem = shooting_.problem();
    if (!problem.mirror.empty() || (problem.driven && problem.multiple % rounds != 0)) continue;
    const Closing::Course course = shooting_.course(look.motion, {}, look.motion.period, kParts + 1);
    if (!course.done) return look;
    double size = 0.0;
    for (const std::vector<double>& x : course.states)
      size = std::max(size, shooting_.distance(x, course.states[0]));
    const double apart =
        shooting_.distance(course.states[kParts / static_cast<std::size_t>(rounds)], course.states[0]);
    if (!(apart < 1e-5 * size)) continue;
    ClosedMotion shorter{look.motion.parameter, look.motion.period / rounds, {look.motion.states[0]}};
    if (problem.driven) problem.multiple /= rounds;
    ClosingLook once = shooting_.closed(shorter, nullptr);
    if (once.good) {
      look = std::move(once);
    } else if (problem.driven) {
      problem.multiple *= rounds;
    }
  }
  return look;
}

Orbit OrbitFinder::described(const ClosingLook& look) {
  Orbit orbit;
  const ClosingProblem& problem = shooting_.problem();
  orbit.driven = problem.driven;
  orbit.conserved = problem.conserved;
  orbit.conservative = !problem.conserved.empty();
  orbit.multiple = problem.multiple;
  const Simulation asked = problem.scene(parameter_).simulation;
  if (asked.method != "taylor" || asked.precision != "double") {
    orbit.warnings.push_back(fmt::format("{}{} is left aside: orbits are computed by taylor in double",
                                         asked.method,
                                         asked.precision == "double" ? "" : " in " + asked.precision));
  }
  note_warnings(shooting_.lab(parameter_), orbit.warnings);
  orbit.motion = look.motion;
  orbit.gap = look.gap();
  orbit.multipliers = multipliers_of(look, problem.driven);
  orbit.stable = is_stable(orbit.multipliers, orbit.conservative);
  if (!problem.driven) orbit.flow_error = flow_error(look);
  if (!mirror_.empty() && problem.multiple % 2 == 1)
    orbit.symmetric = half_way_gap(shooting_, look.motion, mirror_) < 1e-7;
  shooting_.problem().mirror.clear();  // followed on as a whole: what breaks the symmetry shows
  const std::vector<std::string> words =
      known_words(shooting_.lab(parameter_), {"angles", "position", "velocity", "states"});
  orbit.course = shooting_.course(look.motion, words, look.motion.period, 401);
  return orbit;
}

FoundOrbit find_orbit(const Scene& scene, const OrbitOptions& options) {
  return OrbitFinder(scene, options).found();
}

}  // namespace catena
