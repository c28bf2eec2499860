#include "catena/expr/substitute.h"

#include <stdexcept>
#include <string>

namespace catena::expr {

std::vector<NodeId> substitute(const Graph& from, const std::vector<NodeId>& nodes, Graph& into,
                               const std::vector<NodeId>& images) {
  const std::vector<char> wanted = reachable(from, nodes);
  into.keep_decimals(from.keeps_decimals());
  std::vector<NodeId> image(from.size(), kNone);
  const auto image_of = [&image](NodeId id) { return id == kNone ? kNone : image[id]; };
  for (NodeId id = 0; id < from.size(); ++id) {
    if (!wanted[id]) continue;
    const Node& n = from[id];
    switch (n.op) {
      case Op::variable:
        if (n.index >= images.size() || images[n.index] == kNone)
          throw std::out_of_range("variable " + std::to_string(n.index) + " has no image");
        image[id] = images[n.index];
        break;
      case Op::constant:
        image[id] = into.constant(n.value);
        break;
      case Op::parameter:
        image[id] = into.parameter(from.parameter_name(id), n.value);
        break;
      default:
        image[id] =
            into.apply(n.op, image_of(n.operands[0]), image_of(n.operands[1]), image_of(n.operands[2]));
    }
  }
  std::vector<NodeId> out;
  out.reserve(nodes.size());
  for (const NodeId node : nodes) out.push_back(image[node]);
  return out;
}

}  // namespace catena::expr
