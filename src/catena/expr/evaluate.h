// Values and tangents of expressions for many lanes at once.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"
#include "catena/math/aligned.h"

namespace catena::expr {

// Rows of numbers, one for each input or output: [row][lane], lanes contiguous. Blocks of lanes go through
// all instructions while they are in the cache, one dispatch per instruction and block. Neither call
// allocates. A program has scratch memory: one thread at a time; copies are independent.
class Program {
 public:
  // Inputs are the variables 0 .. inputs - 1. Parameters' values are built in.
  // `time`: which of them is time, of which set_low then tells the rest; kNoRow: none is.
  Program(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int time = kNoRow);

  // Time is the input plus this.
  void set_low(double low);

  void evaluate(const double* inputs, std::size_t lanes, double* outputs);

  // Forward mode: also the outputs' rates of change when the inputs change at the rates given, with the
  // conventions of derivative.h where there is no derivative.
  void tangent(const double* inputs, const double* input_tangents, std::size_t lanes, double* outputs,
               double* output_tangents);

  int inputs() const { return lowered_.inputs; }
  int outputs() const { return static_cast<int>(lowered_.outputs.size()); }
  // Operations per lane, and rows of scratch memory (a row is used again once nothing needs it).
  std::size_t operations() const { return lowered_.instructions.size(); }
  std::size_t registers() const { return static_cast<std::size_t>(registers_); }

 private:
  void assign_registers();
  void gather(const double* from, std::size_t lanes, std::size_t first, std::size_t count,
              double* base) const;
  void scatter(const double* base, std::size_t lanes, std::size_t first, std::size_t count, double* to) const;

  Lowered lowered_;
  std::vector<char> used_inputs_;
  int registers_ = 0;
  AlignedVector<double> values_;
  AlignedVector<double> tangents_;
};

}  // namespace catena::expr
