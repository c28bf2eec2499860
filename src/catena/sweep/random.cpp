#include "catena/sweep/random.h"

#include <cmath>
#include <vector>

namespace catena {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index, std::uint32_t dimension) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const std::array<std::uint32_t, 4> four =
      philox({low(index), low(index >> 32), dimension, 0}, {low(seed), low(seed >> 32)});
  return std::uint64_t{four[1]} << 32 | four[0];
}

double unit_number(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

namespace {

// Degree of the primitive polynomial, its inner coefficients, and the first direction numbers; the first
// dimension has none.
struct SobolRow {
  int degree;
  unsigned inner;
  std::array<unsigned, 7> numbers;
};

constexpr std::array<SobolRow, kMostSobol - 1> kSobol = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Directions = std::array<std::uint32_t, 32>;

// v_k = a_1 v_{k-1} ^ .. ^ a_{s-1} v_{k-s+1} ^ v_{k-s} ^ (v_{k-s} >> s)
Directions directions(std::uint32_t dimension) {
  Directions out{};
  if (dimension == 0) {
    for (unsigned k = 0; k < 32; ++k) out[k] = std::uint32_t{1} << (31 - k);
    return out;
  }
  const SobolRow& row = kSobol[dimension - 1];
  const auto s = static_cast<unsigned>(row.degree);
  for (unsigned k = 0; k < s; ++k) out[k] = row.numbers[k] << (31 - k);
  for (unsigned k = s; k < 32; ++k) {
    out[k] = out[k - s] ^ (out[k - s] >> s);
    for (unsigned i = 1; i < s; ++i) {
      if ((row.inner >> (s - 1 - i) & 1u) != 0) out[k] ^= out[k - i];
    }
  }
  return out;
}

const std::vector<Directions>& all_directions() {
  static const std::vector<Directions> all = [] {
    std::vector<Directions> made;
    for (std::uint32_t d = 0; d < kMostSobol; ++d) made.push_back(directions(d));
    return made;
  }();
  return all;
}

}  // namespace

std::uint32_t sobol_bits(std::uint64_t index, std::uint32_t dimension) {
  const Directions& direction = all_directions()[dimension];
  std::uint32_t out = 0;
  const std::uint64_t gray = index ^ (index >> 1);
  for (unsigned k = 0; k < 32; ++k) {
    if ((gray >> k & 1u) != 0) out ^= direction[k];
  }
  return out;
}

double sobol_number(std::uint64_t seed, std::uint64_t index, std::uint32_t dimension) {
  const auto shift = static_cast<std::uint32_t>(random_bits(seed, 0, dimension) >> 32);
  return (static_cast<double>(sobol_bits(index, dimension) ^ shift) + 0.5) * 0x1p-32;
}

std::uint64_t permuted(std::uint64_t seed, std::uint64_t index, std::uint64_t count,
                       std::uint32_t dimension) {
  unsigned half = 1;
  while (half < 31 && (std::uint64_t{1} << (2 * half)) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const auto key = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  std::uint64_t x = index;
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const std::uint32_t mixed =
          philox({static_cast<std::uint32_t>(right), round, dimension, 1}, {key, high})[0];
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= count);
  return x;
}

double latin_number(std::uint64_t seed, std::uint64_t index, std::uint64_t count, std::uint32_t dimension) {
  const auto stratum = static_cast<double>(permuted(seed, index, count, dimension));
  return (stratum + unit_number(random_bits(seed, index, dimension))) / static_cast<double>(count);
}

namespace {

template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = 0.0;
  for (std::size_t k = N; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

using Eight = std::array<double, 8>;
constexpr Eight kA{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                   1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Eight kB{1.0,
                   4.2313330701600911252e+1,
                   6.8718700749205790830e+2,
                   5.3941960214247511077e+3,
                   2.1213794301586595867e+4,
                   3.9307895800092710610e+4,
                   2.8729085735721942674e+4,
                   5.2264952788528545610e+3};
constexpr Eight kC{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                   3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Eight kD{1.0,
                   2.05319162663775882187e0,
                   1.67638483018380384940e0,
                   6.89767334985100004550e-1,
                   1.48103976427480074590e-1,
                   1.51986665636164571966e-2,
                   5.47593808499534494600e-4,
                   1.05075007164441684324e-9};
constexpr Eight kE{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                   2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Eight kF{1.0,
                   5.99832206555887937690e-1,
                   1.36929880922735805310e-1,
                   1.48753612908506148525e-2,
                   7.86869131145613259100e-4,
                   1.84631831751005468180e-5,
                   1.42151175831644588870e-7,
                   2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double r = std::sqrt(-std::log(q < 0.0 ? p : 1.0 - p));
  const double size = r <= 5.0 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                               : polynomial(kE, r - 5.0) / polynomial(kF, r - 5.0);
  return q < 0.0 ? -size : size;
}

}  // namespace catena
