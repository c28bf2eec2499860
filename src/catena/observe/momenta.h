// Momenta that a scene's symmetries keep, to be looked after as energy is.
#pragma once

#include <array>
#include <vector>

#include "catena/observe/body_frame.h"
#include "catena/observe/chain_frame.h"

namespace catena {

class World;

constexpr std::size_t kMomenta = 6;  // px py pz lx ly lz
constexpr std::array<const char*, kMomenta> kMomentumNames{"px", "py", "pz", "lx", "ly", "lz"};

// Which momenta nothing but uniform gravity changes at this instant. Angular ones are about the pivots of
// chains; of bodies, about the first joint to what is fixed, or about their common centre of mass.
std::array<bool, kMomenta> kept_momenta(World& world, double t, const double* x);

// Their values at this instant, without what gravity has given to linear ones since t = 0.
std::array<double, kMomenta> momenta(World& world, double t, const std::vector<ChainFrame>& chains,
                                     const BodyFrame* bodies);

// Extremes of the run so far, at recorded rows.
struct MomentumRecord {
  std::array<bool, kMomenta> kept{};
  std::array<double, kMomenta> start{};
  std::array<double, kMomenta> error{};
  double looks = 0.0;  // rows so far

  // Takes one more row. Whether momenta are kept is asked again at rows 1, 2, 4, 8, ..: a start may look more
  // symmetric than it is.
  void take(World& world, double t, const double* x, const std::vector<ChainFrame>& chains,
            const BodyFrame* bodies);
  bool keeps(std::size_t first) const { return kept[first] || kept[first + 1] || kept[first + 2]; }
  // The largest of the three components from `first` on that are kept.
  double largest(std::size_t first) const;
};

}  // namespace catena
