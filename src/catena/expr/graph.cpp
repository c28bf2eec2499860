#include "catena/expr/graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "catena/expr/function_rows.h"
#include "catena/expr/values.h"
#include "catena/math/decimal.h"

namespace catena::expr {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Is the decimal of `result` what the operation gives for the decimals of its operands, to all digits that
// two doubles have?
bool is_decimal_result(Op op, double a, double b, double result) {
  if (op == Op::abs || op == Op::min || op == Op::max || op == Op::sign) return true;
  constexpr double kDigits = 1e-30;
  const DoubleDouble left = decimal(a), right = decimal(b), found = decimal(result);
  const auto is_small = [&](const DoubleDouble& rest, double size) {
    return abs(rest) <= kDigits * std::fabs(size);
  };
  switch (op) {
    case Op::add:
      return is_small(left + right - found, std::fabs(a) + std::fabs(b));
    case Op::subtract:
      return is_small(left - right - found, std::fabs(a) + std::fabs(b));
    case Op::multiply:
      return is_small(left * right - found, result);
    case Op::divide:
      return is_small(left - right * found, a);
    case Op::sqrt:
      return is_small(left - found * found, a);
    case Op::power: {
      if (b != std::floor(b) || b < 0.0 || b > kLargestProductPower) return false;
      DoubleDouble product(1.0);
      for (int i = 0; i < static_cast<int>(b); ++i) product = product * left;
      return is_small(product - found, result);
    }
    default:  // sin(0), exp(0), ..
      return a == 0.0 && b == 0.0 && (result == 0.0 || result == 1.0);
  }
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isfinite(value) && std::fabs(std::frexp(value, &exponent)) == 0.5;
}

Symmetry symmetry_of(Op op) {
  const FunctionRow* row = function_row(op);
  return row == nullptr ? Symmetry::none : row->symmetry;
}

bool commutes(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::min || op == Op::max || op == Op::norm;
}

}  // namespace

GraphTooLarge::GraphTooLarge()
    : std::length_error("the expressions are too large: more than " + std::to_string(kMostNodes) +
                        " operations; split the formula or write it more shortly") {}

bool Graph::Key::operator==(const Key& other) const {
  return op == other.op && operands == other.operands && index == other.index && bits == other.bits;
}

std::size_t Graph::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.op) + 1;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const NodeId operand : key.operands) mix(operand);
  mix(key.index);
  mix(key.bits);
  return static_cast<std::size_t>(hash);
}

NodeId Graph::intern(const Node& node) {
  Key key{node.op, node.operands, node.index, bits_of(node.value)};
  if (commutes(node.op)) std::sort(key.operands.begin(), key.operands.end());
  constexpr std::size_t kUsual = 512;  // making room again and again takes longer than this much
  if (nodes_.empty()) known_.reserve(kUsual);
  const NodeId id = static_cast<NodeId>(nodes_.size());
  const auto [place, is_new] = known_.try_emplace(key, id);
  if (!is_new) return place->second;
  if (nodes_.size() >= kMostNodes) {
    known_.erase(place);
    throw GraphTooLarge();
  }
  nodes_.push_back(node);
  powers_.push_back({id, 1});
  return id;
}

NodeId Graph::node(Op op, NodeId a, NodeId b, NodeId c) {
  return intern({.op = op, .operands = {a, b, c}, .index = 0, .value = 0.0});
}

NodeId Graph::constant(double value) {
  if (value == 0.0) value = 0.0;  // -0 is 0
  return intern({.op = Op::constant, .operands = {kNone, kNone, kNone}, .index = 0, .value = value});
}

NodeId Graph::variable(std::uint32_t index) {
  return intern({.op = Op::variable, .operands = {kNone, kNone, kNone}, .index = index, .value = 0.0});
}

NodeId Graph::parameter(std::string_view name, double value) {
  const auto next = static_cast<std::uint32_t>(parameter_names_.size());
  const auto [place, is_new] = parameter_index_.emplace(std::string(name), next);
  if (is_new) parameter_names_.emplace_back(name);
  return intern(
      {.op = Op::parameter, .operands = {kNone, kNone, kNone}, .index = place->second, .value = value});
}

double Graph::folded(Op op, NodeId a, NodeId b, NodeId c) const {
  double value[3] = {0.0, 0.0, 0.0};
  int i = 0;
  for (const NodeId operand : {a, b, c}) {
    if (operand != kNone) {
      if (!is_constant(operand)) return kNan;
      value[i] = nodes_[operand].value;
    }
    ++i;
  }
  const double result = value_of(op, value[0], value[1], value[2]);
  if (!std::isfinite(result)) return kNan;
  if (!decimals_) return result;
  return value[2] == 0.0 && is_decimal_result(op, value[0], value[1], result) ? result : kNan;
}

bool Graph::may_merge(Op op, double a, double b, double result) const {
  return std::isnormal(result) && (!decimals_ || is_decimal_result(op, a, b, result));
}

double Graph::factor(NodeId id) const {
  const Node& n = nodes_[id];
  return n.op == Op::multiply && is_constant(n.operands[0]) && !is_constant(n.operands[1])
             ? nodes_[n.operands[0]].value
             : 1.0;
}

NodeId Graph::without_factor(NodeId id) const { return factor(id) == 1.0 ? id : nodes_[id].operands[1]; }

bool Graph::is_negative(NodeId id) const {
  const Node& n = nodes_[id];
  if (n.op == Op::negate) return true;
  if (n.op == Op::constant) return n.value < 0.0;
  const bool leading = n.op == Op::multiply || n.op == Op::divide;
  return leading && is_constant(n.operands[0]) && nodes_[n.operands[0]].value < 0.0;
}

NodeId Graph::negate(NodeId a) {
  const Node n = nodes_[a];
  if (n.op == Op::constant) return constant(-n.value);
  if (n.op == Op::negate) return n.operands[0];
  if (n.op == Op::subtract) return subtract(n.operands[1], n.operands[0]);
  if (factor(a) != 1.0) return scaled(-factor(a), without_factor(a));
  if (n.op == Op::divide && is_constant(n.operands[0]))
    return node(Op::divide, constant(-nodes_[n.operands[0]].value), n.operands[1]);
  if (n.op == Op::multiply && is_constant(n.operands[0]))
    return node(Op::multiply, constant(-nodes_[n.operands[0]].value), n.operands[1]);
  return node(Op::negate, a);
}

NodeId Graph::add(NodeId a, NodeId b) {
  const double value = folded(Op::add, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_constant(a, 0.0)) return b;
  if (is_constant(b, 0.0)) return a;
  if (is_negative(b)) return is_negative(a) ? negate(add(negate(a), negate(b))) : subtract(a, negate(b));
  if (is_negative(a)) return subtract(b, negate(a));
  const double sum = factor(a) + factor(b);
  if (without_factor(a) == without_factor(b) && !is_constant(a) &&
      may_merge(Op::add, factor(a), factor(b), sum))
    return scaled(sum, without_factor(a));
  return node(Op::add, a, b);
}

NodeId Graph::subtract(NodeId a, NodeId b) {
  const double value = folded(Op::subtract, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  if (a == b) return constant(0.0);
  if (is_constant(b, 0.0)) return a;
  if (is_constant(a, 0.0)) return negate(b);
  if (is_negative(b)) return add(a, negate(b));
  if (is_negative(a)) return negate(add(negate(a), b));
  const double difference = factor(a) - factor(b);
  if (without_factor(a) == without_factor(b) && !is_constant(a) &&
      may_merge(Op::subtract, factor(a), factor(b), difference))
    return scaled(difference, without_factor(a));
  return node(Op::subtract, a, b);
}

// factor * a, with the constants in front of a merged into one.
NodeId Graph::scaled(double scale, NodeId a) {
  if (scale == 0.0) return constant(0.0);
  if (scale == 1.0) return a;
  const Node n = nodes_[a];
  if (n.op == Op::negate) return scaled(-scale, n.operands[0]);
  const double merged = scale * factor(a);
  if (factor(a) != 1.0 && may_merge(Op::multiply, scale, factor(a), merged))
    return scaled(merged, without_factor(a));
  if (n.op == Op::divide && is_constant(n.operands[0])) {
    const double above = nodes_[n.operands[0]].value, numerator = scale * above;
    if (may_merge(Op::multiply, scale, above, numerator))
      return node(Op::divide, constant(numerator), n.operands[1]);
  }
  if (scale == -1.0) return negate(a);
  return node(Op::multiply, constant(scale), a);
}

NodeId Graph::multiply(NodeId a, NodeId b) {
  const double value = folded(Op::multiply, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_constant(a)) return scaled(nodes_[a].value, b);
  if (is_constant(b)) return scaled(nodes_[b].value, a);
  if (is_negative(a)) return negate(multiply(negate(a), b));
  if (is_negative(b)) return negate(multiply(a, negate(b)));
  const double scale = factor(a) * factor(b);
  if ((factor(a) != 1.0 || factor(b) != 1.0) && may_merge(Op::multiply, factor(a), factor(b), scale))
    return scaled(scale, multiply(without_factor(a), without_factor(b)));
  if (nodes_[a].op == Op::ratio) std::swap(a, b);
  if (nodes_[b].op == Op::ratio) {
    // r^n ratio(u, r) = r^(n-1) u: what makes the derivative of |v|^3 have a series at rest.
    const auto [u, r] = std::pair(nodes_[b].operands[0], nodes_[b].operands[1]);
    const WholePower left = powers_[a];
    if (left.base == r) return multiply(product_power(r, left.exponent - 1), u);
  }
  const WholePower left = powers_[a], right = powers_[b];
  const int exponent = left.exponent + right.exponent;
  if (left.base == right.base && exponent <= kLargestProductPower) return product_power(left.base, exponent);
  return node(Op::multiply, a, b);
}

// x of 1 + exp(x), or kNone.
NodeId Graph::grown_above_one(NodeId id) const {
  const Node& n = nodes_[id];
  if (n.op != Op::add) return kNone;
  const auto [left, right, none] = n.operands;
  if (is_constant(left, 1.0) && nodes_[right].op == Op::exp) return nodes_[right].operands[0];
  if (is_constant(right, 1.0) && nodes_[left].op == Op::exp) return nodes_[left].operands[0];
  return kNone;
}

// 1 over a power of cosh(x), 2^n exp(n (x - softplus(2 x))), or kNone: cosh overflows, this does not.
NodeId Graph::over_cosh(NodeId id) {
  const WholePower divisor = powers_[id];
  if (nodes_[divisor.base].op != Op::cosh) return kNone;
  const NodeId x = nodes_[divisor.base].operands[0];
  const NodeId less = subtract(x, unary(Op::softplus, scaled(2.0, x)));
  return scaled(std::ldexp(1.0, divisor.exponent), unary(Op::exp, scaled(divisor.exponent, less)));
}

// a / (1 + exp(x))^n, and exp(x) / (1 + exp(x))^n.
NodeId Graph::over_grown(NodeId a, NodeId x, int exponent) {
  const NodeId falling = unary(Op::logistic, negate(x));
  const Node& above = nodes_[without_factor(a)];
  if (above.op == Op::exp && above.operands[0] == x) {
    const double scale = factor(a);
    return scaled(scale, multiply(unary(Op::logistic, x), product_power(falling, exponent - 1)));
  }
  return times(a, product_power(falling, exponent));
}

NodeId Graph::divide(NodeId a, NodeId b) {
  const double value = folded(Op::divide, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  // cosh and exp overflow, what is made of them does not
  if (const NodeId fallen = over_cosh(without_factor(b)); fallen != kNone)
    return divide(times(a, fallen), constant(factor(b)));
  if (const NodeId x = grown_above_one(powers_[without_factor(b)].base); x != kNone)
    return divide(over_grown(a, x, powers_[without_factor(b)].exponent), constant(factor(b)));
  if (is_constant(b, 1.0)) return a;
  if (is_constant(a, 0.0) && !is_constant(b)) return a;
  if (is_negative(b)) return negate(divide(a, negate(b)));
  if (is_constant(a)) return node(Op::divide, a, b);
  if (is_negative(a)) return negate(divide(negate(a), b));
  if (is_constant(b) && is_power_of_two(nodes_[b].value) &&
      may_merge(Op::divide, 1.0, nodes_[b].value, 1.0 / nodes_[b].value))
    return scaled(1.0 / nodes_[b].value, a);
  if (factor(a) != 1.0) return scaled(factor(a), divide(without_factor(a), b));
  const WholePower divisor = powers_[b];
  if (nodes_[a].op == Op::ratio && nodes_[a].operands[1] == divisor.base)  // (u/r) / r^n = u / r^(n+1)
    return divide(nodes_[a].operands[0], product_power(divisor.base, divisor.exponent + 1));
  return node(Op::divide, a, b);
}

Graph::WholePower Graph::whole_power(NodeId id) const { return powers_[id]; }

// By repeated squaring, so that even powers are squares; exponent >= 0.
NodeId Graph::product_power(NodeId base, int exponent) {
  if (exponent == 0) return constant(1.0);
  if (exponent == 1) return base;
  const double value = folded(Op::power, base, constant(exponent), kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_negative(base)) {
    const NodeId positive = product_power(negate(base), exponent);
    return exponent % 2 == 0 ? positive : negate(positive);
  }
  const double scale = std::pow(factor(base), exponent);
  if (scale != 1.0 && may_merge(Op::power, factor(base), exponent, scale))
    return scaled(scale, product_power(without_factor(base), exponent));
  const WholePower root = powers_[base];
  const int total = root.exponent * exponent;
  if (total > kLargestProductPower) return node(Op::power, root.base, constant(total));
  NodeId product = root.base;
  int reached = 1;
  for (int bit = 1 << (31 - __builtin_clz(static_cast<unsigned>(total))) >> 1; bit > 0; bit >>= 1) {
    product = node(Op::multiply, product, product);
    powers_[product] = {root.base, reached *= 2};
    if ((total & bit) == 0) continue;
    product = node(Op::multiply, product, root.base);
    powers_[product] = {root.base, ++reached};
  }
  return product;
}

NodeId Graph::power(NodeId base, NodeId exponent) {
  const double value = folded(Op::power, base, exponent, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_constant(base, 1.0)) return base;
  if (!is_constant(exponent)) return node(Op::power, base, exponent);
  const double e = nodes_[exponent].value;
  if (e == 0.0) return constant(1.0);
  if (e < 0.0 && 2.0 * e == std::floor(2.0 * e) && e >= -kLargestProductPower)
    return divide(constant(1.0), power(base, constant(-e)));
  if (e == std::floor(e) && e > 0.0 && e <= kLargestProductPower)
    return product_power(base, static_cast<int>(e));
  if (e == 0.5) return sqrt(base);
  if (2.0 * e == std::floor(2.0 * e) && e > 0.0 && 2.0 * e <= kLargestProductPower) {
    const NodeId length = length_of_squares(base);
    if (length != kNone) return product_power(length, static_cast<int>(2.0 * e));
  }
  return node(Op::power, base, exponent);
}

NodeId Graph::root(double value) {
  const double rounded = std::sqrt(value);
  if (!decimals_ || is_decimal_result(Op::sqrt, value, 0.0, rounded)) return constant(rounded);
  return node(Op::sqrt, constant(value));
}

NodeId Graph::times(NodeId factor, NodeId a) {
  return is_constant(factor) ? scaled(nodes_[factor].value, a) : multiply(factor, a);
}

NodeId Graph::square_root(NodeId a) {
  const double scale = factor(a);
  if (!(scale > 0.0)) return kNone;
  const Node n = nodes_[without_factor(a)];
  if (n.op == Op::multiply && n.operands[0] == n.operands[1]) return times(root(scale), n.operands[0]);
  if (n.op != Op::divide || !is_constant(n.operands[1])) return kNone;
  const Node square = nodes_[n.operands[0]];
  const double divisor = nodes_[n.operands[1]].value;
  if (!(divisor > 0.0) || square.op != Op::multiply || square.operands[0] != square.operands[1]) return kNone;
  return times(root(scale), divide(square.operands[0], root(divisor)));
}

// sqrt of a sum of one to three squares, as abs or norm: these have series where they vanish, sqrt has not.
NodeId Graph::length_of_squares(NodeId sum) {
  if (const NodeId root = square_root(sum); root != kNone) return abs(root);
  const double scale = factor(sum);
  if (!(scale > 0.0)) return kNone;
  const Node n = nodes_[without_factor(sum)];
  if (n.op != Op::add) return kNone;
  const auto [left, right] = std::pair(n.operands[0], n.operands[1]);
  const NodeId inner = nodes_[right].op == Op::add ? right : left;
  const NodeId outer = inner == right ? left : right;
  const NodeId a = square_root(outer);
  if (a == kNone) return kNone;
  if (const NodeId b = square_root(inner); b != kNone)
    return times(root(scale), inner == left ? norm(b, a) : norm(a, b));
  const Node pair = nodes_[inner];
  if (pair.op != Op::add) return kNone;
  const NodeId b = square_root(pair.operands[0]), c = square_root(pair.operands[1]);
  if (b == kNone || c == kNone) return kNone;
  const NodeId length = inner == left ? norm(b, c, a) : norm(a, b, c);
  return times(root(scale), length);
}

NodeId Graph::sqrt(NodeId a) {
  const double value = folded(Op::sqrt, a, kNone, kNone);
  if (!std::isnan(value)) return constant(value);
  const NodeId length = length_of_squares(a);
  return length != kNone ? length : node(Op::sqrt, a);
}

NodeId Graph::abs(NodeId a) {
  const double value = folded(Op::abs, a, kNone, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_negative(a)) return abs(negate(a));
  if (factor(a) != 1.0) return scaled(factor(a), abs(without_factor(a)));
  const Node& n = nodes_[a];
  const bool is_square = n.op == Op::multiply && n.operands[0] == n.operands[1];
  const bool never_negative = n.op == Op::abs || n.op == Op::sqrt || n.op == Op::exp || n.op == Op::cosh ||
                              n.op == Op::norm || n.op == Op::step;
  return is_square || never_negative ? a : node(Op::abs, a);
}

NodeId Graph::norm(NodeId a, NodeId b, NodeId c) {
  std::array<NodeId, 3> parts{kNone, kNone, kNone};
  std::size_t count = 0;
  for (const NodeId part : {a, b, c}) {
    if (part == kNone || is_constant(part, 0.0)) continue;
    parts[count++] = is_negative(part) ? negate(part) : part;
  }
  if (count == 0) return constant(0.0);
  if (count == 1) return abs(parts[0]);
  // Multiples of one x: |x| times the length of their factors, and so with the kink of abs.
  double square = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool multiple = !is_constant(parts[i]) && without_factor(parts[i]) == without_factor(parts[0]);
    square += multiple ? factor(parts[i]) * factor(parts[i]) : kNan;
  }
  if (!decimals_ && std::isnormal(square)) return scaled(std::sqrt(square), abs(without_factor(parts[0])));
  const double value = folded(Op::norm, parts[0], parts[1], parts[2]);
  return std::isnan(value) ? node(Op::norm, parts[0], parts[1], parts[2]) : constant(value);
}

NodeId Graph::ratio(NodeId a, NodeId b) {
  const double value = folded(Op::ratio, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_constant(a, 0.0)) return a;
  if (is_constant(b) && nodes_[b].value != 0.0) return divide(a, b);
  if (is_negative(a)) return negate(ratio(negate(a), b));
  if (is_negative(b)) return negate(ratio(a, negate(b)));
  if (factor(a) != 1.0) return scaled(factor(a), ratio(without_factor(a), b));
  return node(Op::ratio, a, b);
}

NodeId Graph::choose(NodeId condition, NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_constant(condition) && !std::isnan(nodes_[condition].value))
    return nodes_[condition].value >= 0.0 ? a : b;
  return node(Op::choose, condition, a, b);
}

NodeId Graph::extreme(Op op, NodeId a, NodeId b) {
  const double value = folded(op, a, b, kNone);
  if (!std::isnan(value)) return constant(value);
  return a == b ? a : node(op, a, b);
}

NodeId Graph::unary(Op op, NodeId a) {
  const double value = folded(op, a, kNone, kNone);
  if (!std::isnan(value)) return constant(value);
  if (is_negative(a) && symmetry_of(op) == Symmetry::odd) return negate(unary(op, negate(a)));
  if (is_negative(a) && symmetry_of(op) == Symmetry::even) return unary(op, negate(a));
  if (op == Op::log) {
    if (const NodeId x = grown_above_one(a); x != kNone) return unary(Op::softplus, x);
  }
  return node(op, a);
}

NodeId Graph::apply(Op op, NodeId a, NodeId b, NodeId c) {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::subtract:
      return subtract(a, b);
    case Op::multiply:
      return multiply(a, b);
    case Op::divide:
      return divide(a, b);
    case Op::negate:
      return negate(a);
    case Op::power:
      return power(a, b);
    case Op::sqrt:
      return sqrt(a);
    case Op::abs:
      return abs(a);
    case Op::norm:
      return norm(a, b, c);
    case Op::ratio:
      return ratio(a, b);
    case Op::choose:
      return choose(a, b, c);
    case Op::min:
    case Op::max:
      return extreme(op, a, b);
    case Op::atan2: {
      const double value = folded(op, a, b, kNone);
      return std::isnan(value) ? node(op, a, b) : constant(value);
    }
    default:
      return unary(op, a);
  }
}

std::vector<char> reachable(const Graph& graph, const std::vector<NodeId>& outputs) {
  std::vector<char> wanted(graph.size(), 0);
  for (const NodeId output : outputs) wanted[output] = 1;
  for (std::size_t id = graph.size(); id-- > 0;) {
    if (!wanted[id]) continue;
    for (const NodeId operand : graph[static_cast<NodeId>(id)].operands) {
      if (operand != kNone) wanted[operand] = 1;
    }
  }
  return wanted;
}

}  // namespace catena::expr
