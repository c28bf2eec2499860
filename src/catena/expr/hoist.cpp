#include "catena/expr/hoist.h"

namespace catena::expr {
namespace {

bool is_leaf(const Node& node) {
  return node.op == Op::variable || node.op == Op::constant || node.op == Op::parameter;
}

// Which nodes depend on common variables alone.
std::vector<char> common_nodes(const Graph& graph, const std::vector<char>& common) {
  std::vector<char> out(graph.size(), 1);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    if (node.op == Op::variable) out[id] = node.index < common.size() ? common[node.index] : 0;
    for (const NodeId operand : node.operands) {
      if (operand != kNone && !out[operand]) out[id] = 0;
    }
  }
  return out;
}

}  // namespace

Hoisted hoist(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<char>& common,
              std::uint32_t first) {
  const std::vector<char> wanted = reachable(graph, nodes), is_common = common_nodes(graph, common);
  std::vector<char> part(graph.size(), 0);
  const auto mark = [&](NodeId id) {
    if (id != kNone && is_common[id] && !is_leaf(graph[id])) part[id] = 1;
  };
  for (const NodeId id : nodes) mark(id);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!wanted[id] || is_common[id]) continue;
    for (const NodeId operand : graph[id].operands) mark(operand);
  }
  Hoisted out;
  out.rest.keep_decimals(graph.keeps_decimals());
  std::vector<NodeId> image(graph.size(), kNone);
  const auto image_of = [&image](NodeId id) { return id == kNone ? kNone : image[id]; };
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    if (part[id]) {
      image[id] = out.rest.variable(first + static_cast<std::uint32_t>(out.shared.size()));
      out.shared.push_back(id);
    } else if (!wanted[id] || (is_common[id] && !is_leaf(node))) {
      continue;  // inside a part
    } else if (node.op == Op::variable) {
      image[id] = out.rest.variable(node.index);
    } else if (node.op == Op::constant) {
      image[id] = out.rest.constant(node.value);
    } else if (node.op == Op::parameter) {
      image[id] = out.rest.parameter(graph.parameter_name(id), node.value);
    } else {
      image[id] = out.rest.apply(node.op, image_of(node.operands[0]), image_of(node.operands[1]),
                                 image_of(node.operands[2]));
    }
  }
  for (const NodeId node : nodes) out.nodes.push_back(image[node]);
  return out;
}

}  // namespace catena::expr
