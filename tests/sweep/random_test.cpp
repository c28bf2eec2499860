// Random numbers that depend on seed, index and dimension alone.
#include "catena/sweep/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "catena/sweep/sha256.h"

namespace catena {
namespace {

// Answers of Random123's own test, kat_vectors: philox4x32, 10 rounds.
TEST(Philox, GivesThePublishedAnswers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

// FIPS 180-4's example, and the empty text.
TEST(Sha256, GivesThePublishedAnswers) {
  Sha256 none, abc;
  abc.add("abc", 3);
  EXPECT_EQ(none.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// A (0, 1)-sequence in every dimension: of 2^k points one falls in each of as many equal parts.
TEST(Sobol, PutsOnePointIntoEachPartInEveryDimension) {
  for (std::uint32_t dimension = 0; dimension < kMostSobol; ++dimension) {
    for (const std::uint64_t count : {16u, 1024u}) {
      std::set<std::uint64_t> parts;
      for (std::uint64_t i = 0; i < count; ++i)
        parts.insert(static_cast<std::uint64_t>(sobol_number(7, i, dimension) * static_cast<double>(count)));
      EXPECT_EQ(parts.size(), count) << dimension;
    }
  }
}

// The first two dimensions are a (0, 2)-sequence: also every rectangle of area 2^-k has one point.
TEST(Sobol, PutsOnePointIntoEachRectangleOfTheFirstTwoDimensions) {
  for (unsigned across = 0; across <= 8; ++across) {
    std::set<std::pair<unsigned, unsigned>> cells;
    for (std::uint64_t i = 0; i < 256; ++i)
      cells.insert({static_cast<unsigned>(sobol_number(1, i, 0) * (1u << across)),
                    static_cast<unsigned>(sobol_number(1, i, 1) * (1u << (8 - across)))});
    EXPECT_EQ(cells.size(), 256u) << across;
  }
}

// Joe and Kuo's own program prints 0, 1/2, 3/4, 1/4 in dimension 1 and 0, 1/2, 1/4, 3/4 in dimension 2.
TEST(Sobol, BeginsAsPublished) {
  const std::uint32_t half = 1u << 31, quarter = 1u << 30;
  EXPECT_EQ(sobol_bits(1, 0), half);
  EXPECT_EQ(sobol_bits(2, 0), half + quarter);
  EXPECT_EQ(sobol_bits(3, 0), quarter);
  EXPECT_EQ(sobol_bits(2, 1), quarter);
  EXPECT_EQ(sobol_bits(3, 1), half + quarter);
}

TEST(Latin, PutsOnePointIntoEachPart) {
  for (const std::uint64_t count : {1u, 2u, 3u, 10u, 1000u}) {
    std::set<std::uint64_t> parts;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double at = latin_number(3, i, count, 2);
      EXPECT_EQ(static_cast<std::uint64_t>(at * static_cast<double>(count)), permuted(3, i, count, 2));
      parts.insert(permuted(3, i, count, 2));
    }
    EXPECT_EQ(parts.size(), count);
  }
}

TEST(Latin, IsInAnotherOrderForEachDimensionAndSeed) {
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    same += permuted(3, i, 1000, 0) == permuted(3, i, 1000, 1) ? 1 : 0;
    same += permuted(3, i, 1000, 0) == permuted(4, i, 1000, 0) ? 1 : 0;
  }
  EXPECT_LT(same, 20);  // two of 2000 are to be expected
}

// The distribution function itself, by erfc, to a few of its roundings.
TEST(NormalQuantile, InvertsTheDistribution) {
  for (const double p : {1e-300, 1e-20, 1e-6, 0.01, 0.07, 0.3, 0.5, 0.75, 0.93, 0.999}) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1.0, 1e-13 * (1.0 + x * x)) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
}

TEST(UnitNumber, IsNeitherZeroNorOne) {
  EXPECT_GT(unit_number(0), 0.0);
  EXPECT_LT(unit_number(~std::uint64_t{0}), 1.0);
}

// Mean 1/2 and variance 1/12 of a million draws, within five standard deviations of each.
TEST(RandomBits, AreEven) {
  double sum = 0.0, square = 0.0;
  constexpr int kCount = 1'000'000;
  for (int i = 0; i < kCount; ++i) {
    const double u = unit_number(random_bits(5, static_cast<std::uint64_t>(i), 1)) - 0.5;
    sum += u / kCount;
    square += u * u / kCount;
  }
  EXPECT_NEAR(sum, 0.0, 5.0 * std::sqrt(1.0 / 12.0 / kCount));
  EXPECT_NEAR(square, 1.0 / 12.0, 5.0 * std::sqrt(1.0 / 180.0 / kCount));
}

}  // namespace
}  // namespace catena
