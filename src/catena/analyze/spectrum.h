// The power spectrum of a column, with the scatter of its estimates.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace catena {

// In place; the length must be a power of two.
void fourier_transform(std::vector<std::complex<double>>& values);

struct Spectrum {
  std::vector<double> frequencies;  // Hz
  std::vector<double> power;        // of one side: its sum times the spacing is the variance
  std::vector<double> errors;       // standard errors, from the segments
  std::size_t segments = 0;
  double lines = 0.0;        // share of the power in narrow lines
  double lines_error = 0.0;  // from halves of the series
};

// P. D. Welch (1967): segments that overlap by half, under Hann's window, averaged. `spacing`: s between
// samples.
Spectrum power_spectrum(const std::vector<double>& series, double spacing);

}  // namespace catena
