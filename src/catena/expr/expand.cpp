#include "catena/expr/expand.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace catena::expr {
namespace {

using Factors = std::vector<std::pair<NodeId, int>>;  // with their exponents, by node

// Terms with their coefficients, in the order in which they came.
class Sum {
 public:
  void add(const Factors& factors, double coefficient) {
    const auto [found, is_new] = places_.emplace(factors, terms_.size());
    if (is_new) terms_.emplace_back(factors, 0.0);
    terms_[found->second].second += coefficient;
  }
  void add(const Sum& other, double factor) {
    for (const auto& [factors, coefficient] : other.terms_) add(factors, factor * coefficient);
  }
  std::size_t size() const { return terms_.size(); }
  const std::vector<std::pair<Factors, double>>& terms() const { return terms_; }

 private:
  std::vector<std::pair<Factors, double>> terms_;
  std::map<Factors, std::size_t> places_;
};

Factors product(const Factors& a, const Factors& b, int sign) {
  std::map<NodeId, int> sum(a.begin(), a.end());
  for (const auto& [node, exponent] : b) sum[node] += sign * exponent;
  std::erase_if(sum, [](const auto& factor) { return factor.second == 0; });
  return {sum.begin(), sum.end()};
}

class Expander {
 public:
  Expander(Graph& graph, NodeId node)
      : graph_(graph), needed_(reachable(graph, {node})), sums_(graph.size()), steady_(graph.size(), 1) {
    const std::size_t size = graph.size();
    for (NodeId id = 0; id < size; ++id) {
      if (needed_[id]) visit(id);
    }
  }

  // Parameters first, then variables, then functions; numbers lead.
  NodeId written(NodeId node) {
    NodeId out = kNone;
    const auto append = [&](const std::pair<Factors, double>& term) {
      if (term.second == 0.0) return;
      const NodeId product = product_of(term.first, std::fabs(term.second));
      if (out == kNone) {
        out = term.second < 0.0 ? graph_.negate(product) : product;
      } else {
        out = term.second < 0.0 ? graph_.subtract(out, product) : graph_.add(out, product);
      }
    };
    // A positive term leads where there is one.
    const auto& terms = sums_[node].terms();
    const auto first =
        std::find_if(terms.begin(), terms.end(), [](const auto& term) { return term.second > 0.0; });
    if (first != terms.end()) append(*first);
    for (auto term = terms.begin(); term != terms.end(); ++term) {
      if (term != first) append(*term);
    }
    return out == kNone ? graph_.constant(0.0) : out;
  }

 private:
  void visit(NodeId id) {
    const Node n = graph_[id];
    for (const NodeId operand : n.operands) {
      if (operand != kNone && !steady_[operand]) steady_[id] = 0;
    }
    if (n.op == Op::variable) steady_[id] = 0;
    const auto a = [&]() -> const Sum& { return sums_[n.operands[0]]; };
    const auto b = [&]() -> const Sum& { return sums_[n.operands[1]]; };
    Sum& out = sums_[id];
    switch (n.op) {
      case Op::constant:
        return out.add(Factors{}, n.value);
      case Op::negate:
        return out.add(a(), -1.0);
      case Op::add:
      case Op::subtract:
        if (steady_[id] || a().size() + b().size() > kMostTerms) return out.add({{id, 1}}, 1.0);
        out.add(a(), 1.0);
        return out.add(b(), n.op == Op::add ? 1.0 : -1.0);
      case Op::multiply:
        if (a().size() * b().size() > kMostTerms) return out.add({{id, 1}}, 1.0);
        for (const auto& [left, x] : a().terms()) {
          for (const auto& [right, y] : b().terms()) out.add(product(left, right, 1), x * y);
        }
        return;
      case Op::divide:
        return divide(a(), b(), n.operands[1], out);
      default:
        return out.add({{id, 1}}, 1.0);
    }
  }

  static void divide(const Sum& a, const Sum& b, NodeId below, Sum& out) {
    const bool single = b.size() == 1 && b.terms()[0].second != 0.0;
    const Factors divisor = single ? b.terms()[0].first : Factors{{below, 1}};
    const double number = single ? b.terms()[0].second : 1.0;
    for (const auto& [factors, x] : a.terms()) out.add(product(factors, divisor, -1), x / number);
  }

  int rank(NodeId id) const {
    if (steady_[id]) return 0;
    return graph_[id].op == Op::variable ? 1 : 2;
  }

  NodeId product_of(Factors factors, double coefficient) {
    std::stable_sort(factors.begin(), factors.end(),
                     [&](const auto& x, const auto& y) { return rank(x.first) < rank(y.first); });
    NodeId above = graph_.constant(coefficient), below = kNone;
    for (const auto& [node, exponent] : factors) {
      const NodeId power = graph_.power(node, static_cast<double>(std::abs(exponent)));
      if (exponent > 0) {
        above = graph_.multiply(above, power);
      } else {
        below = below == kNone ? power : graph_.multiply(below, power);
      }
    }
    return below == kNone ? above : graph_.divide(above, below);
  }

  Graph& graph_;
  std::vector<char> needed_;
  std::vector<Sum> sums_;
  std::vector<char> steady_;  // made of parameters and numbers alone
};

}  // namespace

NodeId expanded(Graph& graph, NodeId node) { return Expander(graph, node).written(node); }

}  // namespace catena::expr
