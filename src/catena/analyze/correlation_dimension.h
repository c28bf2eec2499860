// The correlation dimension of where a motion goes, with the range of scales in which it is one. P.
// Grassberger, I. Procaccia, Phys. Rev. Lett. 50 (1983) 346; J. Theiler, Phys. Rev. A 34 (1986) 2427.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

struct CorrelationDimension {
  double value = 0.0, error = 0.0;    // slope of log C against log r in the range
  double from = 0.0, to = 0.0;        // the scaling range, in units of the states' spread
  std::vector<double> scales, pairs;  // r, C(r): share of pairs nearer than r
  std::vector<double> slopes;         // local, between neighbouring scales
  bool is_found = false;              // there is a range of at least a factor of four in which slopes agree
};

// `states`: [state][number]; pairs closer in time than `apart` samples are left out.
CorrelationDimension correlation_dimension(const std::vector<std::vector<double>>& states, std::size_t apart,
                                           std::size_t most = 4000);

}  // namespace catena
