#include "catena/lab/progress.h"

#include <cmath>

namespace catena {
namespace {

constexpr std::int64_t kSteps = 5'000;   // between two looks
constexpr std::int64_t kFirst = 20'000;  // steps, whose doublings are compared
constexpr double kVeryMany = 1e7;        // steps: minutes
constexpr int kLooks = 64;               // steps in a row whose insides are looked at
// A motion that only passes through switches, however often, needs a dozen steps to come close to each, and
// as many to leave it.
constexpr int kSliding = kLooks / 2;

// So many more doublings of the number of steps it takes to gain `left`, where one gained `gain` and each
// gains `ratio` times as much as the one before: gain (ratio + ratio^2 + ..) = left.
double doublings(double left, double gain, double ratio) {
  if (std::fabs(ratio - 1.0) < 1e-9) return left / gain;
  const double power = 1.0 + left / gain * (ratio - 1.0) / ratio;
  return power > 0.0 ? std::log(power) / std::log(ratio) : INFINITY;
}

}  // namespace

bool Progress::gets_on(std::int64_t steps, double t, double end) {
  return gets_on_at_all(steps, t, end) && will_end(steps, t, end);
}

// A motion that would take 2e12 steps and more does not get on at all.
bool Progress::gets_on_at_all(std::int64_t steps, double t, double end) {
  constexpr double kOnward = kSteps / 2e12;
  if (steps - looked_ < kSteps) return true;
  const bool gets_on = t - from_ >= kOnward * (end - from_);
  if ((end - t) * static_cast<double>(steps - looked_) > kVeryMany * (t - from_)) looks_left_ = kLooks;
  jumps_ = 0;
  looked_ = steps;
  from_ = t;
  return gets_on;
}

void Progress::note(bool jumps) {
  --looks_left_;
  if (jumps) ++jumps_;
  slides_ = jumps_ >= kSliding;
}

// Twice as many steps lead twice as far where the pace is steady. Where steps become shorter in proportion to
// their number, as under a force exp(20 t), they lead as far again as the last doubling did, or less: what is
// left then takes doublings, and not steps.
bool Progress::will_end(std::int64_t steps, double t, double end) {
  constexpr double kSlowing = 1.5;  // times what the doubling before had gained
  constexpr int kSure = 3;
  constexpr double kMost = 1e11;  // steps
  if (steps < (doubled_ > 0 ? 2 * doubled_ : kFirst)) return true;
  const double gain = t - doubled_at_, ratio = gain / gained_;
  const bool compared = gained_ > 0.0;
  doubled_ = steps;
  doubled_at_ = t;
  gained_ = gain;
  slowing_ = compared && ratio < kSlowing ? slowing_ + 1 : 0;
  if (slowing_ < kSure || !(t < end)) return true;
  return static_cast<double>(steps) * std::exp2(doublings(end - t, gain, ratio)) < kMost;
}

}  // namespace catena
