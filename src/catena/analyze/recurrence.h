// Recurrence quantification: how a motion comes back near states in which it has been. N. Marwan et al.,
// Phys. Rep. 438 (2007) 237.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

struct Recurrence {
  double threshold = 0.0;      // states nearer than this count as the same, in units of their spread
  double rate = 0.0;           // share of pairs that do
  double determinism = 0.0;    // share of those on diagonals of two or more: the motion repeats for a while
  double mean_diagonal = 0.0;  // s
  double longest_diagonal = 0.0;  // s
  double entropy = 0.0;           // of the lengths of diagonals
  double laminarity = 0.0;        // share on verticals: the motion stays
  double trapping_time = 0.0;     // s
  double spacing = 0.0;           // s between the states compared
  std::size_t states = 0;
  std::vector<char> plot = {};  // [i][j], whether they are the same
};

// `states`: [state][number], equally spaced in time. Each number is measured in its own standard deviation.
// Of more than `most` states every second, third, .. is taken. The threshold makes one pair in twenty recur.
Recurrence recurrence(const std::vector<std::vector<double>>& states, double spacing,
                      std::size_t most = 1500);

// Numbers in units of their standard deviations; those that do not change are left out.
std::vector<std::vector<double>> standardised(const std::vector<std::vector<double>>& states);

}  // namespace catena
