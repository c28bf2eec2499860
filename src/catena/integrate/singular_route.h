// Singular positions of constraints. Seen from a distance d, noise across the branches of the motion makes
// coefficient k wrong by about roundoff / d^k: a step rule would creep into the singular position and lose
// all digits there. So land half a leap before it, and cross in one step of few orders, in which noise grows
// by 2^order only. How far it is, a margin says, which is zero there.
#pragma once

#include <algorithm>

namespace catena::singular {

inline constexpr double kNear = 0.3;      // of the usual margin: time to look where the nearest minimum is
inline constexpr double kSingular = 0.1;  // of the usual margin, at a minimum: a singular position
inline constexpr double kAstray = 1e3;    // a leap, of the state's size: no motion, and nothing to land on

// What a motion remembers.
struct Memory {
  double usual_margin = 0.0;  // of the motion so far, the largest
  double leap_length = 0.0;   // as of the last step from far away

  bool operator==(const Memory&) const = default;
};

struct Route {
  double length;
  bool leap;
};

inline bool is_near(const Memory& memory, double margin) { return !(margin >= kNear * memory.usual_margin); }

template <class Margin>
double refined_minimum(const Margin& margin_at, double low, double high) {
  constexpr int kPasses = 12;  // by thirds: 0.8 % of the first interval
  for (int i = 0; i < kPasses; ++i) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (margin_at(a) < margin_at(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return 0.5 * (low + high);
}

// Along the step's polynomial, as far as `reach`: the first minimum of the margin that is a singular
// position; 0: none. `margin_at`: so far from the step's start.
template <class Margin>
double distance_to_minimum(const Memory& memory, double here, const Margin& margin_at, double reach) {
  constexpr int kLooks = 16;
  double before = here, last = here;
  for (int i = 1; i <= kLooks; ++i) {
    const double now = margin_at(reach * i / kLooks);
    if (now > last && last <= before && i > 1) {
      const double at = refined_minimum(margin_at, reach * (i - 2) / kLooks, reach * i / kLooks);
      if (margin_at(at) < kSingular * memory.usual_margin) return at;
    }
    before = last;
    last = now;
  }
  return 0.0;
}

// How far to go from here with the step rule's h. The memory is that of this step already.
template <class Margin>
Route route(const Memory& memory, double here, double h, const Margin& margin_at) {
  const double shortest_leap = memory.leap_length > 0.0 ? memory.leap_length : h;
  if (!is_near(memory, margin_at(h)) && !is_near(memory, here)) return {h, false};
  const double to_singular = distance_to_minimum(memory, here, margin_at, std::max(2 * h, shortest_leap));
  if (to_singular <= 0.0) return {h, false};
  const double half = 0.5 * shortest_leap;
  if (to_singular <= 1.25 * half) return {to_singular + half, true};
  return {std::min(h, to_singular - half), false};
}

}  // namespace catena::singular
