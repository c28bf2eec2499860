// Nodes with operators, so that laws read like their equations:  -c * (v - wind) * norm(vx, vy, vz).
#pragma once

#include "catena/expr/graph.h"

namespace catena::expr {

// A node together with its graph. Both sides of an operator belong to the same graph.
struct Expression {
  Graph* graph = nullptr;
  NodeId node = kNone;

  Expression apply(Op op) const { return {graph, graph->apply(op, node)}; }
  Expression apply(Op op, const Expression& b) const { return {graph, graph->apply(op, node, b.node)}; }
  Expression number(double value) const { return {graph, graph->constant(value)}; }
};

inline Expression variable(Graph& graph, std::uint32_t index) { return {&graph, graph.variable(index)}; }
inline Expression constant(Graph& graph, double value) { return {&graph, graph.constant(value)}; }

inline Expression operator-(const Expression& a) { return a.apply(Op::negate); }
inline Expression operator+(const Expression& a, const Expression& b) { return a.apply(Op::add, b); }
inline Expression operator-(const Expression& a, const Expression& b) { return a.apply(Op::subtract, b); }
inline Expression operator*(const Expression& a, const Expression& b) { return a.apply(Op::multiply, b); }
inline Expression operator/(const Expression& a, const Expression& b) { return a.apply(Op::divide, b); }
inline Expression operator+(const Expression& a, double b) { return a + a.number(b); }
inline Expression operator-(const Expression& a, double b) { return a - a.number(b); }
inline Expression operator*(const Expression& a, double b) { return a * a.number(b); }
inline Expression operator/(const Expression& a, double b) { return a / a.number(b); }
inline Expression operator+(double a, const Expression& b) { return b.number(a) + b; }
inline Expression operator-(double a, const Expression& b) { return b.number(a) - b; }
inline Expression operator*(double a, const Expression& b) { return b.number(a) * b; }
inline Expression operator/(double a, const Expression& b) { return b.number(a) / b; }

inline Expression pow(const Expression& a, double exponent) {
  return {a.graph, a.graph->power(a.node, exponent)};
}
inline Expression pow(const Expression& a, const Expression& b) { return a.apply(Op::power, b); }
inline Expression sqrt(const Expression& a) { return a.apply(Op::sqrt); }
inline Expression exp(const Expression& a) { return a.apply(Op::exp); }
inline Expression log(const Expression& a) { return a.apply(Op::log); }
inline Expression sin(const Expression& a) { return a.apply(Op::sin); }
inline Expression cos(const Expression& a) { return a.apply(Op::cos); }
inline Expression tan(const Expression& a) { return a.apply(Op::tan); }
inline Expression asin(const Expression& a) { return a.apply(Op::asin); }
inline Expression acos(const Expression& a) { return a.apply(Op::acos); }
inline Expression atan(const Expression& a) { return a.apply(Op::atan); }
inline Expression atan2(const Expression& y, const Expression& x) { return y.apply(Op::atan2, x); }
inline Expression sinh(const Expression& a) { return a.apply(Op::sinh); }
inline Expression cosh(const Expression& a) { return a.apply(Op::cosh); }
inline Expression logistic(const Expression& a) { return a.apply(Op::logistic); }
inline Expression softplus(const Expression& a) { return a.apply(Op::softplus); }
inline Expression tanh(const Expression& a) { return a.apply(Op::tanh); }
inline Expression abs(const Expression& a) { return a.apply(Op::abs); }
inline Expression sign(const Expression& a) { return a.apply(Op::sign); }
inline Expression min(const Expression& a, const Expression& b) { return a.apply(Op::min, b); }
inline Expression max(const Expression& a, const Expression& b) { return a.apply(Op::max, b); }
inline Expression step(const Expression& a) { return a.apply(Op::step); }
inline Expression ratio(const Expression& a, const Expression& b) { return a.apply(Op::ratio, b); }
inline Expression norm(const Expression& a, const Expression& b) { return a.apply(Op::norm, b); }
inline Expression norm(const Expression& a, const Expression& b, const Expression& c) {
  return {a.graph, a.graph->norm(a.node, b.node, c.node)};
}
inline Expression choose(const Expression& c, const Expression& a, const Expression& b) {
  return {c.graph, c.graph->choose(c.node, a.node, b.node)};
}

}  // namespace catena::expr
