// Problem "double-pendulum-1000s": a planar double pendulum (two bobs of 1 kg, massless links of 1 m,
// g = 9.81), released at rest with both links horizontal, followed for 1000 s. The motion is chaotic, so what
// is judged is the energy: the largest |E - E0| at the ends of steps, over the largest kinetic energy plus
// the largest change of potential energy.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace bench::double_pendulum {

inline constexpr double kGravity = 9.81;
inline constexpr double kDuration = 1000;

// Problem "double-pendulum-5s": the same, followed for 5 s; what is judged is the largest error of a
// component of the links' directions at the end, against the series of the motion at tolerance 1e-20.
inline constexpr double kPathDuration = 5;
inline constexpr std::array<double, 4> kDirectionsAtFive = {
    -0.586869209816271, -0.963909259654171, -0.809681746471801,
    -0.266230988340853};  // x of both links, then z; to 3e-15

inline constexpr double kTolerances[] = {1e-9,  3e-10, 1e-10, 3e-11, 1e-11, 3e-12,
                                         1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 1e-15};

using State = std::array<double, 4>;  // angles from the downward vertical, then their rates

inline constexpr State kStart = {1.5707963267948966, 1.5707963267948966, 0, 0};

// The equations of motion in two angles, with two pairs of sines and cosines per evaluation:
//     2 q1'' + c q2'' = -2 g sin q1 - s w2^2,   c q1'' + q2'' = -g sin q2 + s w1^2,   c, s = cos, sin (q1 -
//     q2)
inline void right_hand_side(const State& x, State& rate, double /*time*/) {
  const double sin1 = std::sin(x[0]), cos1 = std::cos(x[0]);
  const double sin2 = std::sin(x[1]), cos2 = std::cos(x[1]);
  const double s = sin1 * cos2 - cos1 * sin2, c = cos1 * cos2 + sin1 * sin2;
  const double force1 = -2 * kGravity * sin1 - s * x[3] * x[3];
  const double force2 = -kGravity * sin2 + s * x[2] * x[2];
  const double inverse = 1 / (1 + s * s);
  rate[0] = x[2];
  rate[1] = x[3];
  rate[2] = (force1 - c * force2) * inverse;
  rate[3] = (2 * force2 - c * force1) * inverse;
}

// Follows the energy along a run.
class EnergyWatch {
 public:
  void observe(const State& x) {
    const double kinetic = x[2] * x[2] + 0.5 * x[3] * x[3] + x[2] * x[3] * std::cos(x[0] - x[1]);
    const double potential = -kGravity * (2 * std::cos(x[0]) + std::cos(x[1]));
    if (count_++ == 0) {
      start_energy_ = kinetic + potential;
      start_potential_ = potential;
    }
    deviation_ = std::max(deviation_, std::abs(kinetic + potential - start_energy_));
    most_kinetic_ = std::max(most_kinetic_, kinetic);
    most_potential_ = std::max(most_potential_, std::abs(potential - start_potential_));
  }

  double relative_error() const { return deviation_ / (most_kinetic_ + most_potential_); }
  long steps() const { return count_ - 1; }

 private:
  long count_ = 0;
  double start_energy_ = 0, start_potential_ = 0;
  double deviation_ = 0, most_kinetic_ = 0, most_potential_ = 0;
};

struct PathRun {
  double tolerance, seconds, error;
  long steps, evaluations;
};

// For each goal the fastest run that meets it; `timed` runs at a tolerance.
template <class Timed>
void print_path_goals(const std::string& peer, Timed&& timed) {
  std::vector<PathRun> runs;
  for (const double tolerance : {1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9}) runs.push_back(timed(tolerance));
  for (const double tolerance : kTolerances) runs.push_back(timed(tolerance));
  for (const double goal : {1e-6, 1e-8, 1e-10, 1e-11}) {
    const PathRun* best = nullptr;
    for (const PathRun& run : runs) {
      if (run.error <= goal && (best == nullptr || run.seconds < best->seconds)) best = &run;
    }
    if (best == nullptr) continue;
    std::printf(
        "{\"peer\": \"%s to %.0e\", \"problem\": \"double-pendulum-5s\", \"seconds\": %.6e, \"error\": %.2e, "
        "\"steps\": %ld, \"evaluations\": %ld, \"tolerance\": %.0e}\n",
        peer.c_str(), goal, best->seconds, best->error, best->steps, best->evaluations, best->tolerance);
  }
}

}  // namespace bench::double_pendulum
