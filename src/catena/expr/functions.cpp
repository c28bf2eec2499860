#include "catena/expr/functions.h"

#include <algorithm>
#include <iterator>

#include "catena/expr/function_rows.h"
#include "catena/expr/table.h"

namespace catena::expr {

Arity arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::parameter:
    case Op::variable:
      return {0, 0};
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::ratio:
      return {2, 2};
    case Op::norm:
      return {2, 3};
    case Op::choose:
      return {3, 3};
    default:
      return {1, 1};
  }
}

namespace {

constexpr auto kOps = static_cast<std::size_t>(Op::count);
constexpr std::size_t kCodes = 256;

template <class Row>
constexpr FunctionRow row_of() {
  return {.text = Row::text,
          .code = Row::kCode,
          .symmetry = Row::kSymmetry,
          .value = Row::value,
          .values =
              [](std::size_t n, const double* x, double* y) {
                for (std::size_t i = 0; i < n; ++i) y[i] = Row::value(x[i]);
              },
          .slope = Row::slope,
          .derivative = Row::derivative,
          .range = Row::range,
          .unexpected = Row::unexpected,
          .steepest = Row::steepest,
          .log_size = Row::log_size};
}

template <class... Rows>
constexpr std::array<FunctionRow, sizeof...(Rows)> rows_of(std::tuple<Rows...>*) {
  return {row_of<Rows>()...};
}

constexpr auto kRows = rows_of(static_cast<function_rows::All*>(nullptr));
constexpr int kNoFunction = -1;

constexpr std::array<int, kOps> rows_by_op() {
  std::array<int, kOps> out{};
  for (int& row : out) row = kNoFunction;
  for (std::size_t i = 0; i < kRows.size(); ++i)
    out[static_cast<std::size_t>(kRows[i].text.op)] = static_cast<int>(i);
  return out;
}

// Codes of one function alone, pairs (sin and cos of one argument) among them: of these the first.
constexpr std::array<int, kCodes> rows_by_code() {
  std::array<int, kCodes> out{};
  for (int& row : out) row = kNoFunction;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const Code code = kRows[i].code;
    if (code != Code::function) out[static_cast<std::size_t>(code)] = static_cast<int>(i);
    if (code == Code::sin) out[static_cast<std::size_t>(Code::sin_cos)] = static_cast<int>(i);
    if (code == Code::sinh) out[static_cast<std::size_t>(Code::sinh_cosh)] = static_cast<int>(i);
  }
  return out;
}

constexpr auto kByOp = rows_by_op();
constexpr auto kByCode = rows_by_code();

// Functions of more arguments.
constexpr Function kOthers[] = {
    {"atan2", Op::atan2, "atan2(y, x)", "the angle in [-pi, pi] of the point (x, y), from the x axis",
     "all points; no derivative at the origin", "\\operatorname{atan2}"},
    {"choose", Op::choose, "choose(c, a, b)", "a where c >= 0, otherwise b", "all c",
     "\\operatorname{choose}"},
    {"max", Op::max, "max(a, b)", "the larger of two", "all a and b", "\\max"},
    {"min", Op::min, "min(a, b)", "the smaller of two", "all a and b", "\\min"},
    {"norm", Op::norm, "norm(a, b) or norm(a, b, c)", "length of a vector, sqrt(a^2 + b^2 + c^2)",
     "all vectors; its derivative at zero is taken as 0", ""},
    {"pow", Op::power, "pow(a, b)", "a to the power b, the same as a^b",
     "a > 0; any a for a whole constant b", ""},
    {"ratio", Op::ratio, "ratio(a, b)", "a / b, and 0 where both are 0", "b != 0, or a = b = 0", ""},
};

// Operations that formulas write with signs, and leaves.
constexpr Op kSigns[] = {Op::constant, Op::parameter, Op::variable, Op::add,
                         Op::subtract, Op::multiply,  Op::divide,   Op::negate};

// Every word of Op has one row, or is one of the signs.
constexpr bool every_word_has_its_row() {
  std::array<int, kOps> found{};
  for (const FunctionRow& row : kRows) ++found[static_cast<std::size_t>(row.text.op)];
  for (const Function& function : kOthers) ++found[static_cast<std::size_t>(function.op)];
  for (const Op op : kSigns) ++found[static_cast<std::size_t>(op)];
  for (const int rows : found) {
    if (rows != 1) return false;
  }
  return true;
}
static_assert(every_word_has_its_row(), "a word of Op has no row in function_rows.h, or two");

}  // namespace

const FunctionRow* function_row(Op op) {
  const int row = kByOp[static_cast<std::size_t>(op)];
  return row == kNoFunction ? nullptr : &kRows[static_cast<std::size_t>(row)];
}

const FunctionRow* function_row(const Instruction& in) {
  if (in.code == Code::function) return function_row(in.op);
  const int row = kByCode[static_cast<std::size_t>(in.code)];
  return row == kNoFunction ? nullptr : &kRows[static_cast<std::size_t>(row)];
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> out(std::begin(kOthers), std::end(kOthers));
    for (const FunctionRow& row : kRows) out.push_back(row.text);
    std::sort(out.begin(), out.end(), [](const Function& a, const Function& b) { return a.name < b.name; });
    return out;
  }();
  return all;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const Function* find_function(Op op) {
  for (const Function& function : functions()) {
    if (function.op == op) return &function;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions()) names.emplace_back(function.name);
  names.emplace_back(table_function().name);
  return names;
}

}  // namespace catena::expr
