// The two-point polynomial of one lane, over any number: hermite.h in doubles, bulirsch_stoer_digits.cpp with
// more digits.
#pragma once

namespace catena::two_point {

inline double binomial(int n, int k) {
  double out = 1.0;
  for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
  return out;
}

// A polynomial in powers of s - a as one in powers of s - a - by.
template <class S>
void shift(S* c, int degree, const S& by) {
  for (int low = 0; low < degree; ++low) {
    for (int k = degree - 1; k >= low; --k) c[k] += by * c[k + 1];
  }
}

// With the series at the start as rows 0..m, but for its value (so rows[0] = 0), the rest is s^(m+1) q(s).
// What the rows lack at s = 1 in value and derivatives, of which `wanted` gives the k-th, is q in powers of s
// - 1, since s^(m+1) = sum of binomial(m+1, k) (s - 1)^k. Leaves q in powers of s in `rest`; rows are
// scratch.
template <class S, class Wanted>
void match_end(int m, S* rows, const Wanted& wanted, S* rest) {
  shift(rows, m, S(1.0));
  for (int k = 0; k <= m; ++k) {
    rest[k] = wanted(k) - rows[k];
    for (int j = 0; j < k; ++j) rest[k] -= S(binomial(m + 1, k - j)) * rest[j];
  }
  shift(rest, m, S(-1.0));
}

}  // namespace catena::two_point
