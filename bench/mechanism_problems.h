// Problems "rod-pendulum-5s" and "four-bar-5s": mechanisms of uniform rods in the x-z plane with hinges about
// y, g = 9.81. What is judged is the largest error of a coordinate of one point after 5 s, at the fastest
// settings that reach a goal.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "measure.h"

namespace bench::mechanisms {

inline constexpr double kGravity = 9.81;
inline constexpr double kDuration = 5.0;
inline constexpr double kGoals[] = {1e-4, 1e-6, 1e-8, 1e-10};

struct Point {
  double x, z;
};

// Two rods of 1 m and 1 kg in a row, released at rest, the first one 120 degrees and the second one 90
// degrees from straight down. Judged: the free end.
inline constexpr double kRodLength = 1.0;
inline constexpr double kRodMass = 1.0;
inline constexpr double kFirstAngle = 2.0943951023931953;  // rad from straight down, towards +x
inline constexpr double kSecondAngle = 1.5707963267948966;
inline constexpr Point kPendulumEnd{0.2770188732365712, -0.4396131328111539};  // to about 1e-13

// Crank, coupler and rocker of 0.4, 1 and 0.8 m and 0.5, 1 and 0.8 kg; pivots at the origin and at 0.9 m.
// Starts with the crank straight up, turning at 6 rad/s from z to x. Judged: the end of the crank.
inline constexpr Point kPivot{0.9, 0.0};
inline constexpr Point kCrankEnd{0.0, 0.4};
inline constexpr Point kRockerEnd{0.916590204311951, 0.7998279597018898};
inline constexpr double kCrankMass = 0.5, kCouplerMass = 1.0, kRockerMass = 0.8;
inline constexpr double kCrankRate = 6.0;
inline constexpr Point kFourBarEnd{0.3384636116458556, 0.21317219235079288};  // to about 1e-13

inline double error_of(const Point& at, const Point& exact) {
  return std::fmax(std::fabs(at.x - exact.x), std::fabs(at.z - exact.z));
}

struct Run {
  double seconds;
  double error;
  long steps;
};

// So many to a decade: what a peer needs for a goal is then known to a few percent.
inline std::vector<double> settings_between(double first, double last, int per_decade) {
  std::vector<double> out;
  const int count = static_cast<int>(std::lround(per_decade * std::log10(first / last)));
  for (int i = 0; i <= count; ++i)
    out.push_back(first * std::pow(10.0, -static_cast<double>(i) / per_decade));
  return out;
}

// The best of several runs with the same result.
template <class Timed>
Run best_of(int runs, Timed&& timed) {
  Run best = timed();
  for (int i = 1; i < runs; ++i) best.seconds = std::fmin(best.seconds, timed().seconds);
  return best;
}

// For each goal the fastest run that reaches it; `timed(setting)` makes one. Settings go from coarse to fine:
// those beyond one that took this long would take longer, and are left out.
inline constexpr double kLongest = 1.5;  // s

template <class Timed>
void print_goals(const std::string& peer, const std::string& problem, const std::vector<double>& settings,
                 Timed&& timed) {
  std::vector<Run> runs;
  for (const double setting : settings) {
    runs.push_back(timed(setting));
    if (runs.back().seconds > kLongest) break;
  }
  for (const double goal : kGoals) {
    const Run* best = nullptr;
    std::size_t which = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].error > goal || (best != nullptr && runs[i].seconds >= best->seconds)) continue;
      best = &runs[i];
      which = i;
    }
    if (best == nullptr) continue;
    std::printf(
        "{\"peer\": \"%s to %.0e\", \"problem\": \"%s\", \"seconds\": %.6e, \"error\": %.2e, \"steps\": %ld, "
        "\"setting\": %.1e, \"goal\": %.0e}\n",
        peer.c_str(), goal, problem.c_str(), best->seconds, best->error, best->steps, settings[which], goal);
    std::fflush(stdout);
  }
}

}  // namespace bench::mechanisms
