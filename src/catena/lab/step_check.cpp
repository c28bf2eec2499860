#include "catena/lab/step_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/base/words.h"
#include "catena/lab/inside.h"
#include "catena/lab/lab.h"

namespace catena {
namespace {

constexpr int kOrder = 20;
constexpr int kMostPieces =
    400;  // a step that takes more is one of an implicit method over what has died out
constexpr double kExact = 1e-14;      // of a state's own size: what a piece leaves out
constexpr double kFarSmaller = 1e-4;  // than the largest: others have their digits by the tolerance
constexpr double kLost = 1e2;  // tolerances of its own size, by one step, are far more than was asked for,
constexpr double kRoundoff = 1e-12;  // and this is no roundoff
constexpr double kNoise = 1e-13;     // of the largest: a state that started at zero and stays so is roundoff

// A component of a link's direction, or of a body's quaternion.
bool is_direction(const std::string& lane) {
  return (lane[0] == 'u' || lane[0] == 'q') && lane.find('_') == 2;
}

}  // namespace

StepCheck::StepCheck(const Lab& lab) {
  const Scene& scene = lab.scene();
  const bool by_formulas = !scene.equations.states.empty() || !scene.lagrangian.coordinates.empty();
  if (!lab.adaptive() || !(lab.tolerance() > 0.0) || scene.simulation.precision != "double" ||
      !scene.lagrangian.constraints.empty() || lab.inside().world.has_pieces())
    return;
  const WorldFacts facts = lab.facts();
  if (std::any_of(facts.chains.begin(), facts.chains.end(), [](const auto& one) { return one.of_bodies; }))
    return;
  for (std::size_t lane = 0; lane < lab.motion_lanes(); ++lane) {
    const std::string& name = facts.lanes[lane];
    const double start = lab.state().hi[lane];
    if (by_formulas) judged_.push_back({lane, name, start, std::fabs(start), false, false});
    if (!by_formulas && is_direction(name)) judged_.push_back({lane, name, start, 1.0, true, false});
  }
}

void StepCheck::before(const Lab& lab) {
  if (judged_.empty()) return;
  t_ = lab.time();
  x_ = lab.state().hi;
}

void StepCheck::after(Lab& lab) {
  if (judged_.empty()) return;
  for (Judged& one : judged_) {
    if (!one.natural) one.size = std::max(one.size, std::fabs(lab.state().hi[one.lane]));
  }
  const bool is_due = ++steps_ >= next_ || lab.last_step() > 2 * longest_;
  if (!is_due || lab.step_start() != t_) return;
  if (steps_ >= next_) next_ = 2 * steps_;
  longest_ = std::max(longest_, lab.last_step());
  double largest = 1.0;
  for (std::size_t i = 0; i < lab.motion_lanes(); ++i)
    largest = std::max(largest, std::fabs(lab.state().hi[i]));
  bool has_small = false;
  for (Judged& one : judged_) {
    one.is_noise = one.size == 0.0 || (one.start == 0.0 && one.size < kNoise * largest);
    has_small = has_small || (!one.is_noise && one.size < kFarSmaller * largest);
  }
  if (has_small && follow(lab, lab.time())) compare(lab, largest);
}

// As short as leaves every state its own digits, by its last two coefficients.
double StepCheck::piece(double rest) const {
  const std::size_t n = x_.size();
  const auto is_exact = [&](double h) {
    for (const Judged& one : judged_) {
      if (one.is_noise) continue;
      double size = 0.0, last = 0.0, power = 1.0;
      for (int k = 0; k <= kOrder; ++k, power *= h) {
        const double term = std::fabs(c_[static_cast<std::size_t>(k) * n + one.lane]) * power;
        if (!std::isfinite(term)) return false;
        if (k < kOrder / 2) size = std::max(size, term);
        if (k >= kOrder - 1) last = std::max(last, term);
      }
      if (last > kExact * size) return false;
    }
    return true;
  };
  double h = rest;
  while (!is_exact(h) && h > 1e-3 * rest / kMostPieces) h *= 0.7;
  return h;
}

bool StepCheck::follow(Lab& lab, double end) {
  const std::size_t n = x_.size();
  c_.resize((kOrder + 1) * n);
  double t = t_;
  for (int pieces = 0; pieces < kMostPieces; ++pieces) {
    lab.taylor(t, x_, kOrder, c_.data());
    const double rest = end - t, h = piece(rest);
    const auto& smooth_until = lab.inside().system().smooth_until;
    if (smooth_until && smooth_until(h) < h) return false;
    for (std::size_t i = 0; i < n; ++i) {
      double value = 0.0;
      for (int k = kOrder; k >= 1; --k) value = (value + c_[static_cast<std::size_t>(k) * n + i]) * h;
      x_[i] += value;
    }
    if (h == rest) return true;
    t += h;
  }
  return false;
}

void StepCheck::compare(const Lab& lab, double largest) {
  for (const Judged& one : judged_) {
    if (one.is_noise || one.size >= kFarSmaller * largest) continue;
    const double off = std::fabs(lab.state().hi[one.lane] - x_[one.lane]) / one.size;
    if (off > std::max(kLost * lab.tolerance(), kRoundoff) && off > found_.off)
      found_ = {one.name, off, one.size, largest};
  }
}

void StepCheck::tell(Lab& lab) const {
  if (found_.name.empty()) return;
  lab.warn(
      {{lab.scene().name},
       fmt::format("a step is wrong by {:.1e} of '{}', which is of size {:.2g}: the tolerance of {} counts "
                   "from max(1, |state|), here {:.2g}; take units in which states are of like size and not "
                   "far below 1, a smaller tolerance, or max_step",
                   found_.off, found_.name, found_.size, number_text(lab.tolerance()), found_.largest)});
}

}  // namespace catena
