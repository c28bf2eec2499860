#include "catena/dynamics/world/rods.h"

#include <algorithm>
#include <variant>

#include "catena/dynamics/world/world.h"

namespace catena {
namespace {

template <int D>
bool has_rods(const RigidChain<D>& chain) {
  return chain.solver() == ChainSolver::tension;
}
template <class Other>
bool has_rods(const Other&) {
  return false;
}

}  // namespace

std::optional<Rods> Rods::of(const World& world) {
  if (world.mechanism() != nullptr) return std::nullopt;
  Rods rods;
  std::size_t count = 0, longest = 0;
  for (const ChainUnit& unit : world.chains()) {
    if (!std::visit([](const auto& chain) { return has_rods(chain); }, unit.chain)) return std::nullopt;
    const ChainLinks& links = unit.parameters();
    Block block{unit.offset, unit.links(), unit.planar() ? 2 : 3, count, {}, {}, {}};
    for (std::size_t k = 0; k < block.links; ++k) {
      block.below.push_back(1.0 / (links.mass[k] * links.length[k]));
      block.above.push_back(k == 0 ? 0.0 : 1.0 / (links.mass[k - 1] * links.length[k]));
      block.middle.push_back(block.below[k] + block.above[k]);
    }
    count += block.links;
    longest = std::max(longest, block.links);
    rods.blocks_.push_back(std::move(block));
  }
  rods.diagonal_.resize(longest);
  rods.upper_.resize(longest);
  return rods;
}

void Rods::pull(const double* x, const double* lambda, double* a) const {
  for (const Block& block : blocks_) {
    const std::size_t n = block.links;
    const double* pulls = lambda + block.first;
    for (int i = 0; i < block.space; ++i) {
      const double* u = x + block.offset + i * n;
      double* out = a + block.offset + (block.space + i) * n;
      for (std::size_t k = 0; k < n; ++k) {
        double sum = -block.middle[k] * (pulls[k] * u[k]);
        if (k + 1 < n) sum += block.below[k] * (pulls[k + 1] * u[k + 1]);
        if (k > 0) sum += block.above[k] * (pulls[k - 1] * u[k - 1]);
        out[k] += sum;
      }
    }
  }
}

// Tip to root. Digits that elimination loses on long chains cost an iteration of the caller's, no more.
void Rods::solve(const double* from, const double* to, double* right) {
  for (const Block& block : blocks_) {
    const std::size_t n = block.links;
    double* b = right + block.first;
    const auto product = [&](std::size_t k, std::size_t j) {
      double sum = 0.0;
      for (int i = 0; i < block.space; ++i) {
        sum += to[block.offset + i * n + k] * from[block.offset + i * n + j];
      }
      return sum;
    };
    for (std::size_t k = n; k-- > 0;) {
      diagonal_[k] = -block.middle[k] * product(k, k);
      if (k > 0) upper_[k] = block.above[k] * product(k, k - 1);
      if (k + 1 == n) continue;
      const double factor = block.below[k] * product(k, k + 1) / diagonal_[k + 1];
      diagonal_[k] -= factor * upper_[k + 1];
      b[k] -= factor * b[k + 1];
    }
    b[0] /= diagonal_[0];
    for (std::size_t k = 1; k < n; ++k) b[k] = (b[k] - upper_[k] * b[k - 1]) / diagonal_[k];
  }
}

}  // namespace catena
