// Rates of a world that is one chain of point masses, in all directions at once: several worlds with
// derivatives meet one value (catena/dynamics/chain/solvers/tension_rates.h).
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "catena/dynamics/chain/solvers/tension_rates.h"
#include "catena/dynamics/world/world_over.h"

namespace catena {

class ChainRates {
 public:
  // Whether a world is one chain of point masses, under nothing but gravity.
  static bool may_be_of(World& world);
  // Null: the world is something else.
  static std::unique_ptr<ChainRates> of(World& world, const std::vector<WorldOver<Rates>*>& blocks);

  // After the world itself has made its series of this order: the rates that WorldOver::taylor gives, of
  // every block; values are left alone.
  void taylor(int order, const std::vector<const Rates*>& x, const std::vector<Rates*>& c);

 private:
  template <int D>
  struct Of {
    std::size_t links;
    TensionSolver<D, double>* solver;
    TensionValues<D> values;
    std::vector<TensionRates<D, 2>> pairs;  // of blocks; what is left:
    std::vector<TensionRates<D, 1>> single;
    void taylor(int order, const std::vector<const Rates*>& x, const std::vector<Rates*>& c);
  };
  template <int D>
  static std::unique_ptr<ChainRates> of_dimension(World& world, const std::vector<WorldOver<Rates>*>& blocks);
  explicit ChainRates(std::variant<Of<2>, Of<3>> of) : of_(std::move(of)) {}

  std::variant<Of<2>, Of<3>> of_;
};

}  // namespace catena
