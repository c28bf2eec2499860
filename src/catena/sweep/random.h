// Random numbers as functions of a seed, an index and a dimension: no state, so that any case can be drawn
// anywhere, in any order.
#pragma once

#include <array>
#include <cstdint>

namespace catena {

// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC11 (2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// 64 random bits of a dimension of a draw.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index, std::uint32_t dimension);

// The middle of one of 2^52 equal parts of (0, 1).
double unit_number(std::uint64_t bits);

// Sobol's sequence with the direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with
// better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635, file new-joe-kuo-6; shifted
// digitally by the seed, so that no point is a corner.
constexpr std::uint32_t kMostSobol = 21;  // dimensions
constexpr std::uint64_t kMostSobolPoints = std::uint64_t{1} << 32;
std::uint32_t sobol_bits(std::uint64_t index, std::uint32_t dimension);
double sobol_number(std::uint64_t seed, std::uint64_t index, std::uint32_t dimension);

// A Latin hypercube of `count` points: in every dimension one point in each of as many equal parts, in an
// order that is a permutation keyed by seed and dimension (a Feistel network of four rounds, walked until it
// falls below `count`).
std::uint64_t permuted(std::uint64_t seed, std::uint64_t index, std::uint64_t count, std::uint32_t dimension);
double latin_number(std::uint64_t seed, std::uint64_t index, std::uint64_t count, std::uint32_t dimension);

// The number below which a standard normal variable falls with probability p in (0, 1), to 1e-15 or so:
// M. J. Wichura, "Algorithm AS 241", Applied Statistics 37 (1988) 477.
double normal_quantile(double p);

}  // namespace catena
