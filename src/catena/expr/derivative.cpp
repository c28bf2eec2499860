#include "catena/expr/derivative.h"

#include <algorithm>

#include "catena/expr/function_rows.h"

namespace catena::expr {
namespace {

// (a^b)' = b a^(b-1) a' + a^b log(a) b'
NodeId power_rate(Graph& g, NodeId y, NodeId a, NodeId b, NodeId da, NodeId db) {
  const NodeId zero = g.constant(0.0);
  NodeId rate = zero;
  if (da != zero) {
    const NodeId lower = g.power(a, g.subtract(b, g.constant(1.0)));
    rate = g.multiply(g.multiply(b, lower), da);
  }
  if (db != zero) rate = g.add(rate, g.multiply(g.multiply(y, g.apply(Op::log, a)), db));
  return rate;
}

NodeId norm_rate(Graph& g, NodeId y, const Node& n, const std::vector<NodeId>& rate) {
  NodeId sum = g.constant(0.0);
  for (const NodeId part : n.operands) {
    if (part != kNone) sum = g.add(sum, g.multiply(part, rate[part]));
  }
  return g.ratio(sum, y);
}

NodeId atan2_rate(Graph& g, NodeId y, NodeId x, NodeId dy, NodeId dx) {
  const NodeId square = g.add(g.power(x, 2.0), g.power(y, 2.0));
  return g.divide(g.subtract(g.multiply(x, dy), g.multiply(y, dx)), square);
}

// (a/b)' = (a' - (a/b) b') / b;  (c/x^n)' = -n c x' / x^(n+1)
NodeId quotient_rate(Graph& g, NodeId y, const std::vector<NodeId>& rate) {
  const auto [a, b, none] = g[y].operands;
  const NodeId da = rate[a], db = rate[b];
  const Graph::WholePower divisor = g.whole_power(b);
  if (g.is_constant(a)) {
    const NodeId numerator = g.multiply(g.multiply(g.constant(-divisor.exponent), a), rate[divisor.base]);
    return g.divide(numerator, g.power(divisor.base, divisor.exponent + 1.0));
  }
  return g.divide(g.subtract(da, g.multiply(y, db)), b);
}

// The rate of node `id`, from those of its operands.
NodeId rate_of(Graph& g, NodeId id, const std::vector<NodeId>& rate) {
  const Node n = g[id];
  const NodeId zero = g.constant(0.0);
  const auto [a, b, c] = n.operands;
  const NodeId da = a == kNone ? zero : rate[a];
  const NodeId db = b == kNone ? zero : rate[b];
  const NodeId dc = c == kNone ? zero : rate[c];
  if (da == zero && db == zero && dc == zero) return zero;
  const Graph::WholePower whole = g.whole_power(id);
  if (whole.exponent > 1) {
    const NodeId lower = g.power(whole.base, whole.exponent - 1.0);
    return g.multiply(g.multiply(g.constant(whole.exponent), lower), rate[whole.base]);
  }
  switch (n.op) {
    case Op::add:
      return g.add(da, db);
    case Op::subtract:
      return g.subtract(da, db);
    case Op::multiply:
      return g.add(g.multiply(da, b), g.multiply(a, db));
    case Op::divide:
      return quotient_rate(g, id, rate);
    case Op::negate:
      return g.negate(da);
    case Op::power:
      return power_rate(g, id, a, b, da, db);
    case Op::atan2:
      return atan2_rate(g, a, b, da, db);
    case Op::min:
      return g.choose(g.subtract(b, a), da, db);
    case Op::max:
      return g.choose(g.subtract(a, b), da, db);
    case Op::norm:
      return norm_rate(g, id, n, rate);
    case Op::ratio:
      return g.ratio(g.subtract(da, g.multiply(id, db)), b);
    case Op::choose:
      return g.choose(a, db, dc);
    default:
      return g.multiply(function_row(n.op)->derivative(g, a, id), da);
  }
}

}  // namespace

std::vector<NodeId> directional_derivatives(Graph& graph, const std::vector<NodeId>& nodes,
                                            const std::vector<NodeId>& seeds) {
  const NodeId zero = graph.constant(0.0);
  const std::vector<char> wanted = reachable(graph, nodes);
  std::vector<NodeId> rate(wanted.size(), zero);
  for (NodeId id = 0; id < wanted.size(); ++id) {
    if (!wanted[id]) continue;
    const Node& n = graph[id];
    if (n.op == Op::variable) {
      if (n.index < seeds.size() && seeds[n.index] != kNone) rate[id] = seeds[n.index];
    } else {
      rate[id] = rate_of(graph, id, rate);
    }
  }
  std::vector<NodeId> out;
  out.reserve(nodes.size());
  for (const NodeId node : nodes) out.push_back(rate[node]);
  return out;
}

std::vector<NodeId> derivatives(Graph& graph, const std::vector<NodeId>& nodes, std::uint32_t variable) {
  std::vector<NodeId> seeds(variable + std::size_t{1}, kNone);
  seeds[variable] = graph.constant(1.0);
  return directional_derivatives(graph, nodes, seeds);
}

NodeId derivative(Graph& graph, NodeId node, std::uint32_t variable) {
  return derivatives(graph, {node}, variable).front();
}

}  // namespace catena::expr
