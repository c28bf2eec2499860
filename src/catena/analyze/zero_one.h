// The 0-1 test for chaos in a series of numbers: G. A. Gottwald, I. Melbourne, SIAM J. Appl. Dyn. Syst. 8
// (2009) 129.
#pragma once

#include <vector>

namespace catena {

struct ZeroOne {
  double value = 0.0;  // K, the median over many frequencies: near 0 for order, near 1 for chaos
  double error = 0.0;  // standard error of the median
  std::vector<double> by_frequency;
};

// The series drives a walker, p += x cos(c n), q += x sin(c n). In order it stays near, in chaos it diffuses:
// K is the correlation of its mean square displacement, less what oscillates, with time. Samples that lie too
// close look like order: one for each correlation time or quarter of a turn is right.
ZeroOne zero_one_test(const std::vector<double>& series);

// Every so manieth sample of the series should be taken for the test: where its autocorrelation has fallen to
// 1/e, at least 1.
std::size_t decorrelation(const std::vector<double>& series);

}  // namespace catena
