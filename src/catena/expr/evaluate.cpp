#include "catena/expr/evaluate.h"

#include <algorithm>
#include <array>

#include "catena/expr/kernels.h"
#include "catena/expr/lanes.h"

namespace catena::expr {
namespace {

// Lanes per block: a few dozen rows of it fit the first-level cache.
constexpr std::size_t kBlock = 64;

Operands rows_of(const Instruction& in, double* base) {
  const auto row = [base](int r) {
    return r == kNoRow ? nullptr : base + static_cast<std::size_t>(r) * kBlock;
  };
  return {row(in.a), row(in.b), row(in.c), row(in.out)};
}

}  // namespace

Program::Program(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int time)
    : lowered_(lower(graph, outputs, inputs, Purpose::values, time)) {
  assign_registers();
  const std::size_t size = static_cast<std::size_t>(registers_) * kBlock;
  values_.assign(size, 0.0);
  tangents_.assign(size, 0.0);
  for (const auto& [row, value] : lowered_.constants)
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(row * kBlock), kBlock, value);
}

void Program::set_low(double low) {
  if (lowered_.low_row == kNoRow) return;
  std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(lowered_.low_row * kBlock), kBlock, low);
}

// Rows become registers. Inputs, constants and outputs keep theirs; others give it back after their last use.
void Program::assign_registers() {
  const std::size_t rows = static_cast<std::size_t>(lowered_.rows);
  const int end = static_cast<int>(lowered_.instructions.size());
  std::vector<int> last_use(rows, -1), place(rows, kNoRow);
  std::vector<int> unused;
  used_inputs_.assign(static_cast<std::size_t>(lowered_.inputs), 0);
  const auto operands = [](Instruction& in) { return std::array<int*, 3>{&in.a, &in.b, &in.c}; };
  for (int i = 0; i < end; ++i) {
    for (const int* row : operands(lowered_.instructions[i])) {
      if (*row != kNoRow) last_use[*row] = i;
    }
  }
  for (const int row : lowered_.outputs) last_use[row] = end;
  for (int row = 0; row < lowered_.inputs; ++row) {
    used_inputs_[row] = last_use[row] >= 0;
    if (used_inputs_[row]) place[row] = registers_++;
    last_use[row] = end;
  }
  for (auto& [row, value] : lowered_.constants) {
    place[row] = registers_++;
    last_use[row] = end;
  }
  for (int i = 0; i < end; ++i) {
    Instruction& in = lowered_.instructions[i];
    const int result = in.out;
    if (unused.empty()) unused.push_back(registers_++);
    place[result] = unused.back();
    unused.pop_back();
    std::array<int, 3> done{kNoRow, kNoRow, kNoRow};
    int count = 0;
    for (int* row : operands(in)) {
      if (*row == kNoRow) continue;
      const bool is_last = last_use[*row] == i;
      const int at = place[*row];
      if (is_last && std::find(done.begin(), done.end(), at) == done.end()) done[count++] = at;
      *row = at;
    }
    in.out = place[result];
    for (int k = 0; k < count; ++k) unused.push_back(done[k]);
  }
  for (int& row : lowered_.outputs) row = place[row];
  for (auto& [row, value] : lowered_.constants) row = place[row];
  if (lowered_.low_row != kNoRow) lowered_.low_row = place[lowered_.low_row];
}

// Lanes first .. first + count of the used inputs into their rows; the last lane fills up the last register.
void Program::gather(const double* from, std::size_t lanes, std::size_t first, std::size_t count,
                     double* base) const {
  const std::size_t padded = rounded_up(count, kWidth);
  std::size_t at = 0;
  for (std::size_t i = 0; i < used_inputs_.size(); ++i) {
    if (!used_inputs_[i]) continue;
    double* row = base + kBlock * at++;
    std::copy_n(from + i * lanes + first, count, row);
    std::fill(row + count, row + padded, row[count - 1]);
  }
}

void Program::scatter(const double* base, std::size_t lanes, std::size_t first, std::size_t count,
                      double* to) const {
  for (std::size_t i = 0; i < lowered_.outputs.size(); ++i) {
    const double* row = base + kBlock * static_cast<std::size_t>(lowered_.outputs[i]);
    std::copy_n(row, count, to + i * lanes + first);
  }
}

void Program::evaluate(const double* inputs, std::size_t lanes, double* outputs) {
  for (std::size_t first = 0; first < lanes; first += kBlock) {
    const std::size_t count = std::min(kBlock, lanes - first);
    const std::size_t padded = rounded_up(count, kWidth);
    gather(inputs, lanes, first, count, values_.data());
    for (const Instruction& in : lowered_.instructions) execute(in, padded, rows_of(in, values_.data()));
    scatter(values_.data(), lanes, first, count, outputs);
  }
}

void Program::tangent(const double* inputs, const double* input_tangents, std::size_t lanes, double* outputs,
                      double* output_tangents) {
  for (std::size_t first = 0; first < lanes; first += kBlock) {
    const std::size_t count = std::min(kBlock, lanes - first);
    const std::size_t padded = rounded_up(count, kWidth);
    gather(inputs, lanes, first, count, values_.data());
    gather(input_tangents, lanes, first, count, tangents_.data());
    for (const Instruction& in : lowered_.instructions) {
      const Operands value = rows_of(in, values_.data());
      execute(in, padded, value);
      propagate(in, padded, value, rows_of(in, tangents_.data()));
    }
    scatter(values_.data(), lanes, first, count, outputs);
    scatter(tangents_.data(), lanes, first, count, output_tangents);
  }
}

}  // namespace catena::expr
