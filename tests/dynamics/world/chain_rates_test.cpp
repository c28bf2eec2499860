// The kernel for the rates of chains of point masses against the general source over tangents: the same
// numbers, rates of lengths, masses, gravity and states in all directions, any number of them.
#include "catena/dynamics/world/chain_rates.h"

#include <gtest/gtest.h>

#include <random>

#include "catena/math/number_tape.h"
#include "support/chains.h"

namespace catena {
namespace {

Scene chain_of(std::size_t links, bool planar) {
  std::mt19937 random(static_cast<unsigned>(links));
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::string text = "[simulation]\nduration = 1\n";
  for (std::size_t k = 0; k < links; ++k) {
    text += "[[chain.links]]\nlength = " + std::to_string(0.5 + unit(random)) +
            "\nmass = " + std::to_string(0.2 + 2.0 * unit(random)) +
            "\ntheta = " + std::to_string(3.0 * unit(random)) +
            "\ntheta_dot = " + std::to_string(unit(random)) + "\n";
    if (!planar) text += "phi = " + std::to_string(6.0 * unit(random)) + "\nphi_dot = 0.5\n";
  }
  return test::scene_of(text);
}

// Worlds of four directions each, with rates in all of their numbers, and states with rates.
struct Blocks {
  std::vector<std::unique_ptr<WorldOver<Rates>>> worlds;
  std::vector<std::vector<Rates>> x;

  Blocks(World& world, std::size_t count, const std::vector<double>& start) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    NumberTape own;
    const WorldOver<Rates> asked(world, &own);
    for (std::size_t b = 0; b < count; ++b) {
      std::vector<std::vector<double>> rates(4, std::vector<double>(own.values().size()));
      // What is asked for twice is one number: its rates follow from its value.
      for (std::size_t j = 0; j < 4; ++j) {
        for (std::size_t q = 0; q < rates[j].size(); ++q)
          rates[j][q] = std::sin((static_cast<double>(j) + 1.0) * own.values()[q] + static_cast<double>(b));
      }
      NumberTape tape(own.values(), rates);
      worlds.push_back(std::make_unique<WorldOver<Rates>>(world, &tape));
      x.emplace_back(start.begin(), start.end());
      for (Rates& lane : x.back()) {
        for (int j = 0; j < 4; ++j) lane.set_rate(j, normal(random));
      }
      worlds.back()->project(Rates(0.0), x.back().data());
    }
  }
};

void expect_agreement(std::size_t links, bool planar, std::size_t count) {
  const Scene scene = chain_of(links, planar);
  Lab lab(scene);
  World& world = lab.inside().world;
  const std::size_t n = lab.dimension();
  constexpr int kOrder = 20;
  Blocks blocks(world, count, lab.state().hi);
  std::vector<WorldOver<Rates>*> worlds;
  std::vector<const Rates*> x;
  std::vector<Rates*> c;
  std::vector<std::vector<Rates>> fast(count, std::vector<Rates>((kOrder + 1) * n)), general = fast;
  for (std::size_t b = 0; b < count; ++b) {
    worlds.push_back(blocks.worlds[b].get());
    x.push_back(blocks.x[b].data());
    c.push_back(fast[b].data());
    worlds[b]->taylor(Rates(0.0), x[b], kOrder, general[b].data());
  }
  const std::unique_ptr<ChainRates> kernel = ChainRates::of(world, worlds);
  ASSERT_NE(kernel, nullptr);
  std::vector<double> values((kOrder + 1) * n);
  world.taylor(0.0, lab.state().hi.data(), kOrder, values.data());
  kernel->taylor(kOrder, x, c);
  for (std::size_t b = 0; b < count; ++b) {
    for (int k = 0; k <= kOrder; ++k) {
      // Both round; coefficients of the same order are compared beside the largest of them.
      double largest = 0.0, apart = 0.0;
      for (std::size_t i = static_cast<std::size_t>(k) * n; i < (static_cast<std::size_t>(k) + 1) * n; ++i) {
        for (int j = 0; j < 4; ++j) {
          largest = std::max(largest, std::fabs(general[b][i].rate(j)));
          apart = std::max(apart, std::fabs(fast[b][i].rate(j) - general[b][i].rate(j)));
        }
      }
      EXPECT_GT(largest, 0.0);
      EXPECT_LE(apart, 1e-11 * largest) << links << " links, block " << b << ", order " << k;
    }
  }
}

TEST(ChainRates, AgreeWithTheGeneralSourceInAPlane) {
  for (const std::size_t links : {1, 2, 3, 5, 8, 9, 20}) {
    for (const std::size_t blocks : {1, 2, 5}) expect_agreement(links, true, blocks);
  }
}

TEST(ChainRates, AgreeWithTheGeneralSourceInSpace) {
  for (const std::size_t links : {1, 2, 5, 11}) {
    for (const std::size_t blocks : {1, 3}) expect_agreement(links, false, blocks);
  }
}

// Other worlds go through the general source.
TEST(ChainRates, AreOfChainsOfPointMassesAlone) {
  for (const char* name : {"four-bar", "rod-pendulum", "elastic-pendulum", "drag-and-wind", "lorenz"}) {
    Lab lab(test::shipped_scene(name));
    WorldOver<Rates> over(lab.inside().world);
    EXPECT_EQ(ChainRates::of(lab.inside().world, {&over}), nullptr) << name;
  }
}

}  // namespace
}  // namespace catena
