#include "catena/analyze/recurrence.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace catena {

std::vector<std::vector<double>> standardised(const std::vector<std::vector<double>>& states) {
  std::vector<std::vector<double>> out(states.size());
  if (states.empty()) return out;
  const auto n = static_cast<double>(states.size());
  std::vector<double> spreads;
  double widest = 0.0;
  std::vector<double> means;
  for (std::size_t k = 0; k < states[0].size(); ++k) {
    double sum = 0.0, squares = 0.0;
    for (const std::vector<double>& state : states) sum += state[k];
    for (const std::vector<double>& state : states) squares += (state[k] - sum / n) * (state[k] - sum / n);
    means.push_back(sum / n);
    spreads.push_back(std::sqrt(squares / n));
    widest = std::max(widest, spreads.back());
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (std::size_t k = 0; k < means.size(); ++k) {
      if (spreads[k] > 1e-9 * widest) out[i].push_back((states[i][k] - means[k]) / spreads[k]);
    }
  }
  return out;
}

namespace {

// Lengths of runs of ones.
using Lengths = std::map<std::size_t, double>;

template <class At>
void count_runs(std::size_t length, const At& at, Lengths& into) {
  std::size_t run = 0;
  for (std::size_t i = 0; i <= length; ++i) {
    if (i < length && at(i)) {
      ++run;
    } else if (run > 0) {
      into[run] += 1.0;
      run = 0;
    }
  }
}

struct Lines {
  double share = 0.0, mean = 0.0, longest = 0.0, entropy = 0.0;
};

Lines lines_of(const Lengths& lengths) {
  constexpr std::size_t kLeast = 2;
  double points = 0.0, on_lines = 0.0, lines = 0.0;
  Lines out;
  for (const auto& [length, count] : lengths) {
    points += static_cast<double>(length) * count;
    if (length < kLeast) continue;
    on_lines += static_cast<double>(length) * count;
    lines += count;
    out.longest = static_cast<double>(length);
  }
  if (!(lines > 0.0)) return out;
  out.share = on_lines / points;
  out.mean = on_lines / lines;
  for (const auto& [length, count] : lengths) {
    if (length >= kLeast) out.entropy -= count / lines * std::log(count / lines);
  }
  return out;
}

}  // namespace

Recurrence recurrence(const std::vector<std::vector<double>>& states, double spacing, std::size_t most) {
  constexpr double kRate = 0.05;
  Recurrence out;
  const std::size_t every = states.size() / most + 1;
  std::vector<std::vector<double>> taken;
  for (std::size_t i = 0; i < states.size(); i += every) taken.push_back(states[i]);
  taken = standardised(taken);
  const std::size_t n = taken.size();
  out.states = n;
  out.spacing = spacing * static_cast<double>(every);
  if (n < 20 || taken[0].empty()) return out;
  std::vector<float> distances(n * n, 0.0f);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double largest = 0.0;
      for (std::size_t k = 0; k < taken[i].size(); ++k)
        largest = std::max(largest, std::fabs(taken[i][k] - taken[j][k]));
      distances[i * n + j] = distances[j * n + i] = static_cast<float>(largest);
    }
  }
  std::vector<float> sorted;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) sorted.push_back(distances[i * n + j]);
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(kRate * static_cast<double>(sorted.size()));
  std::nth_element(sorted.begin(), place, sorted.end());
  out.threshold = *place;
  out.plot.assign(n * n, 0);
  double same = 0.0;
  for (std::size_t i = 0; i < n * n; ++i) {
    out.plot[i] = distances[i] <= out.threshold ? 1 : 0;
    same += out.plot[i];
  }
  out.rate = (same - static_cast<double>(n)) / static_cast<double>(n * (n - 1));
  Lengths diagonals, verticals;
  // Not the diagonal itself, nor what is still the same pass of the motion.
  std::size_t theiler = 1;
  while (theiler < n / 10 && out.plot[theiler] != 0) ++theiler;
  for (std::size_t lag = theiler; lag < n; ++lag)
    count_runs(
        n - lag, [&](std::size_t i) { return out.plot[i * n + i + lag] != 0; }, diagonals);
  for (std::size_t i = 0; i < n; ++i) {
    count_runs(
        n, [&](std::size_t j) { return (j > i ? j - i : i - j) >= theiler && out.plot[i * n + j] != 0; },
        verticals);
  }
  const Lines along = lines_of(diagonals), upright = lines_of(verticals);
  out.determinism = along.share;
  out.mean_diagonal = along.mean * out.spacing;
  out.longest_diagonal = along.longest * out.spacing;
  out.entropy = along.entropy;
  out.laminarity = upright.share;
  out.trapping_time = upright.mean * out.spacing;
  return out;
}

}  // namespace catena
