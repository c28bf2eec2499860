// Expressions as a graph: an append-only tape of nodes in topological order (operands stand before what uses
// them), in which equal expressions are one node. Everything that works on expressions is a loop along the
// tape; nothing recurses, so depth costs no stack.
//
// Nodes are simplified as they are made. The rules hold for real numbers; where the value would not be finite
// they take the finite side:  0 x = 0,  x - x = 0,  x^0 = 1  even where x is infinite or NaN.
// Constants are folded only when the result is finite: 1/0 stays a division.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catena/expr/functions.h"

namespace catena::expr {

using NodeId = std::uint32_t;
constexpr NodeId kNone = 0xffffffff;
constexpr std::size_t kMostNodes = 1'000'000;
// x^2 .. x^16 are products of x; higher powers are powers.
constexpr int kLargestProductPower = 16;

struct Node {
  Op op = Op::constant;
  std::array<NodeId, 3> operands{kNone, kNone, kNone};
  std::uint32_t index = 0;  // of a variable, or of a parameter's name
  double value = 0.0;       // of a constant or a parameter
};

// A graph would have more than kMostNodes nodes.
class GraphTooLarge : public std::length_error {
 public:
  GraphTooLarge();
};

class Graph {
 public:
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  bool is_constant(NodeId id) const { return nodes_[id].op == Op::constant; }
  bool is_constant(NodeId id, double value) const { return is_constant(id) && nodes_[id].value == value; }

  // For runs with more digits than a double has: constants stand for their decimals (math/decimal.h), so 1/3
  // and 0.1 + 0.2 are not folded into doubles, whose decimals they are not. What is made from this graph
  // keeps to it.
  void keep_decimals(bool keep = true) { decimals_ = decimals_ || keep; }
  bool keeps_decimals() const { return decimals_; }
  const std::string& parameter_name(NodeId id) const { return parameter_names_[nodes_[id].index]; }

  NodeId constant(double value);
  NodeId variable(std::uint32_t index);
  // A constant that keeps its name, for printing. The same name with another value is another node.
  NodeId parameter(std::string_view name, double value);

  NodeId add(NodeId a, NodeId b);
  NodeId subtract(NodeId a, NodeId b);
  NodeId multiply(NodeId a, NodeId b);
  NodeId divide(NodeId a, NodeId b);
  NodeId negate(NodeId a);
  NodeId power(NodeId base, NodeId exponent);
  NodeId power(NodeId base, double exponent) { return power(base, constant(exponent)); }
  NodeId sqrt(NodeId a);
  NodeId abs(NodeId a);
  NodeId norm(NodeId a, NodeId b, NodeId c = kNone);
  NodeId ratio(NodeId a, NodeId b);
  NodeId choose(NodeId condition, NodeId a, NodeId b);
  // Any operation; operands that it does not have are kNone. Leaves are not made here.
  NodeId apply(Op op, NodeId a, NodeId b = kNone, NodeId c = kNone);

  // x^n as the product it is made of: x itself is {x, 1}.
  struct WholePower {
    NodeId base;
    int exponent;
  };
  WholePower whole_power(NodeId id) const;

 private:
  struct Key {
    Op op;
    std::array<NodeId, 3> operands;
    std::uint32_t index;
    std::uint64_t bits;
    bool operator==(const Key& other) const;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  NodeId intern(const Node& node);
  NodeId node(Op op, NodeId a, NodeId b = kNone, NodeId c = kNone);
  // The constant's value if all operands are constants and the result is finite, else NaN. Likewise where
  // digits would be lost that count.
  double folded(Op op, NodeId a, NodeId b, NodeId c) const;
  // May constants be merged into this one? Not if digits or the value were lost.
  bool may_merge(Op op, double a, double b, double result) const;
  // The square root of a positive number.
  NodeId root(double value);
  NodeId times(NodeId constant, NodeId a);
  NodeId unary(Op op, NodeId a);
  NodeId extreme(Op op, NodeId a, NodeId b);
  NodeId product_power(NodeId base, int exponent);
  NodeId scaled(double factor, NodeId a);
  // The x >= 0 or <= 0 of which `a` is the square (times a constant), or kNone.
  NodeId square_root(NodeId a);
  NodeId length_of_squares(NodeId sum);
  NodeId grown_above_one(NodeId id) const;
  NodeId over_cosh(NodeId id);
  NodeId over_grown(NodeId a, NodeId x, int exponent);
  // Is it written with a leading minus: -x, -2, -2*x, -2/x?
  bool is_negative(NodeId id) const;
  // c of c*x, or 1.
  double factor(NodeId id) const;
  NodeId without_factor(NodeId id) const;

  bool decimals_ = false;
  std::vector<Node> nodes_;
  std::vector<WholePower> powers_;
  std::vector<std::string> parameter_names_;
  std::unordered_map<std::string, std::uint32_t> parameter_index_;
  std::unordered_map<Key, NodeId, KeyHash> known_;
};

// Which nodes of the tape the outputs need, themselves included.
std::vector<char> reachable(const Graph& graph, const std::vector<NodeId>& outputs);

}  // namespace catena::expr
