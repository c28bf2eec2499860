// DigitsProgram for a register of lanes at once, with the same bits in each.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"
#include "catena/expr/plan.h"
#include "catena/math/aligned.h"
#include "catena/math/pack.h"

namespace catena::expr {

class DigitsLanes {
 public:
  static constexpr std::size_t kLanes = kNativeWidth;

  // Inputs are the variables 0 .. inputs - 1. Those that have always been zero in all lanes are taken for
  // zero; when one leaves zero for the first time, evaluate() allocates.
  DigitsLanes(const Graph& graph, const std::vector<NodeId>& outputs, int inputs);

  // Inputs that some output depends on.
  bool reads(std::size_t input) const { return read_[input] != 0; }
  // Of an input: a number hi + lo for each lane, side by side.
  double* hi(std::size_t input) { return rows_.data() + 2 * kLanes * input; }
  double* lo(std::size_t input) { return hi(input) + kLanes; }

  // Lanes from `used` on are filled up with the last one before. Does not allocate. One thread at a time.
  void evaluate(std::size_t used);

  double output_hi(std::size_t output, std::size_t lane) const { return at(output)[lane]; }
  double output_lo(std::size_t output, std::size_t lane) const { return at(output)[kLanes + lane]; }
  std::size_t outputs() const { return lowered_.outputs.size(); }

 private:
  const double* at(std::size_t output) const {
    const int row = plan_.row[static_cast<std::size_t>(lowered_.outputs[output])];
    return rows_.data() + 2 * kLanes * static_cast<std::size_t>(row);
  }
  void follow_inputs();

  Lowered lowered_;
  std::vector<char> live_, read_;     // of each input: not taken for zero; some output depends on it
  std::vector<std::size_t> waiting_;  // those that are read, and were zero so far
  Plan plan_;
  AlignedVector<double> rows_;  // [row][hi or lo][lane]
};

}  // namespace catena::expr
