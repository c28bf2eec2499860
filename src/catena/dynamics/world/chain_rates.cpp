#include "catena/dynamics/world/chain_rates.h"

#include <array>
#include <utility>

namespace catena {
namespace {

template <int D>
bool has_tensions(ChainUnit& unit) {
  auto* rigid = std::get_if<RigidChain<D>>(&unit.chain);
  return rigid != nullptr && rigid->tension() != nullptr;
}

}  // namespace

bool ChainRates::may_be_of(World& world) {
  return world.chains().size() == 1 && world.mechanism() == nullptr && !world.loaded() && !world.accounts() &&
         (has_tensions<2>(world.chains()[0]) || has_tensions<3>(world.chains()[0]));
}

template <int D>
std::unique_ptr<ChainRates> ChainRates::of_dimension(World& world,
                                                     const std::vector<WorldOver<Rates>*>& blocks) {
  auto* own = std::get_if<RigidChain<D>>(&world.chains()[0].chain);
  if (own == nullptr || own->tension() == nullptr) return nullptr;
  own->tension()->keep_series();
  std::vector<TensionSolver<D, Rates>*> solvers;
  for (WorldOver<Rates>* block : blocks) {
    solvers.push_back(block->only_tensions<D>());
    if (solvers.back() == nullptr) return nullptr;
  }
  Of<D> out{own->links(), own->tension(), {}, {}, {}};
  std::size_t at = 0;
  for (; at + 2 <= solvers.size(); at += 2)
    out.pairs.emplace_back(out.links, std::array{solvers[at], solvers[at + 1]});
  if (at < solvers.size()) out.single.emplace_back(out.links, std::array{solvers[at]});
  return std::unique_ptr<ChainRates>(new ChainRates(std::move(out)));
}

std::unique_ptr<ChainRates> ChainRates::of(World& world, const std::vector<WorldOver<Rates>*>& blocks) {
  if (world.chains().size() != 1 || blocks.empty()) return nullptr;
  std::unique_ptr<ChainRates> out = of_dimension<2>(world, blocks);
  return out != nullptr ? std::move(out) : of_dimension<3>(world, blocks);
}

template <int D>
void ChainRates::Of<D>::taylor(int order, const std::vector<const Rates*>& x, const std::vector<Rates*>& c) {
  values.take(*solver, links, order);
  std::size_t at = 0;
  for (TensionRates<D, 2>& two : pairs) {
    two.taylor(values, order, {x[at], x[at + 1]}, {c[at], c[at + 1]});
    at += 2;
  }
  for (TensionRates<D, 1>& one : single) one.taylor(values, order, {x[at]}, {c[at]});
}

void ChainRates::taylor(int order, const std::vector<const Rates*>& x, const std::vector<Rates*>& c) {
  std::visit([&](auto& of) { of.taylor(order, x, c); }, of_);
}

}  // namespace catena
