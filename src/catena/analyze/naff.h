// Frequencies of a motion by J. Laskar's numerical analysis of fundamental frequencies (Icarus 88 (1990)
// 266): with Hann's window their errors fall like 1/T^4 in ordered motion.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

struct Frequency {
  double value = 0.0;      // rad/s
  double amplitude = 0.0;  // of a cos(w t + phase)
  double phase = 0.0;      // at the series' first sample
};

// The strongest ones, strongest first; each is taken off before the next is looked for.
std::vector<Frequency> frequencies_of(const std::vector<double>& series, double spacing, std::size_t count);

struct FrequencyDrift {
  double frequency = 0.0;  // rad/s, of the whole series
  double error = 0.0;      // how well it is known, from its halves
  double drift = 0.0;      // |difference of both halves| over the frequency
};
FrequencyDrift frequency_drift(const std::vector<double>& series, double spacing);

}  // namespace catena
