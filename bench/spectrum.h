// Problem "double-pendulum-spectrum": all four Lyapunov exponents of the pendulum of double_pendulum.h along
// 200 s of its motion, at an error of 1e-12 per step. Problem "spatial-chain-spectrum": all 40 of ten equal
// links in space, 10 s.
#pragma once

#include "measure.h"

namespace bench {

void measure_spectra(const Options& options);

}  // namespace bench
