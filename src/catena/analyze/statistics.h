// Means of what fluctuates along a motion, and how well they are known: batches of many correlation times
// and Student's t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace catena {

// Integrated autocorrelation time of a series, in samples: by so much fewer of them are independent. Its mean
// is taken off; the sum over lags is cut by Sokal's rule, at six times itself. 1 for noise without memory.
double correlation_length(const std::vector<double>& series);

// What grows along a motion: by `growth` in stretches of time `time`.
struct Stretches {
  std::vector<double> growth, time;
};

// A mean rate with its standard error.
struct MeanRate {
  double value = 0.0;
  double error = 0.0;             // standard error
  double interval = 0.0;          // half of the 95 % interval
  double correlation_time = 0.0;  // s
  std::size_t batches = 0;
  bool is_settled = false;  // there are enough batches of many correlation times each
};

// Of one or several motions: the sum of all growth over all time, with batches that are at least twenty
// correlation times long, or what there is if that leaves too few. Motions that are not independent are worth
// one of them.
MeanRate mean_rate(const std::vector<Stretches>& motions, bool are_independent = true);

// a + b x by least squares, with the standard error of b from the residuals.
struct Line {
  double offset = 0.0, slope = 0.0, slope_error = 0.0;
  double misfit = 0.0;  // root mean square of the residuals
};
Line fitted_line(const std::vector<double>& x, const std::vector<double>& y);

// Random numbers that are the same everywhere: counted, not remembered.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double uniform();  // (0, 1)
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace catena
