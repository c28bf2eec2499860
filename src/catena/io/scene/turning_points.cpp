#include "catena/io/scene/turning_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/expr/range.h"

namespace catena {
namespace {

using expr::NodeId;
using expr::Op;
using expr::Range;

// The ranges of some nodes of a formula of time alone, over a span of time.
class Ranges {
 public:
  Ranges(const expr::Graph& graph, const std::vector<NodeId>& nodes, std::uint32_t t)
      : lowered_(expr::lower(graph, nodes, static_cast<int>(t) + 1, expr::Purpose::values)), t_(t) {}

  std::vector<Range> over(const Range& span) const {
    std::vector<Range> rows(static_cast<std::size_t>(lowered_.rows));
    rows[t_] = span;
    for (const auto& [row, value] : lowered_.constants) rows[static_cast<std::size_t>(row)] = {value, value};
    for (const expr::Instruction& in : lowered_.instructions) {
      const auto at = [&](int row) { return row < 0 ? Range{} : rows[static_cast<std::size_t>(row)]; };
      rows[static_cast<std::size_t>(in.out)] = result_of(in, at(in.a), at(in.b), at(in.c));
      if (in.second >= 0) {
        const bool turns = in.code == expr::Code::sin_cos;
        rows[static_cast<std::size_t>(in.second)] = turns ? cosine_of(at(in.a)) : Range::everything();
      }
    }
    std::vector<Range> out;
    for (const int row : lowered_.outputs) out.push_back(rows[static_cast<std::size_t>(row)]);
    return out;
  }

 private:
  expr::Lowered lowered_;
  std::size_t t_;
};

// Whether the function is smooth for all operands in these ranges.
bool is_smooth(Op op, const std::vector<Range>& operands) {
  if (op == Op::asin || op == Op::acos) return operands[0].magnitude() < 1.0;
  if (op == Op::atan2) return !operands[0].has_zero() || operands[1].low > 0.0;
  return std::any_of(operands.begin(), operands.end(), [](const Range& one) { return !one.has_zero(); });
}

// Where in [0, duration] it may not be: pieces that cannot be told are halved, the first of them first.
std::optional<double> turning_point(const Ranges& ranges, Op op, double duration) {
  constexpr int kMostPieces = 20'000;
  constexpr double kShortest = 1e-9;
  std::vector<Range> open{{0.0, duration}};
  for (int count = 0; !open.empty(); ++count) {
    const Range piece = open.back();
    open.pop_back();
    if (is_smooth(op, ranges.over(piece))) continue;
    if (piece.width() <= kShortest * duration || count > kMostPieces) return piece.middle();
    open.push_back({piece.middle(), piece.high});
    open.push_back({piece.low, piece.middle()});
  }
  return std::nullopt;
}

bool depends_on_time_alone(const expr::Graph& graph, NodeId node, std::uint32_t t) {
  const std::vector<char> reached = expr::reachable(graph, {node});
  bool moves = false;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!reached[id] || graph[id].op != Op::variable) continue;
    if (graph[id].index != t) return false;
    moves = true;
  }
  return moves;
}

void refuse_in(const WrittenFormula& formula, double duration, Mistakes& mistakes) {
  const auto time = std::find(formula.variables.begin(), formula.variables.end(), "t");
  if (time == formula.variables.end()) return;
  const auto t = static_cast<std::uint32_t>(time - formula.variables.begin());
  expr::Graph graph;
  const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
  const std::vector<char> reached = expr::reachable(graph, {parsed.node});
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Op op = graph[id].op;
    const bool turns = op == Op::asin || op == Op::acos || op == Op::atan2 || op == Op::norm;
    if (!reached[id] || !turns || !depends_on_time_alone(graph, id, t)) continue;
    std::vector<NodeId> operands;
    for (const NodeId operand : graph[id].operands) {
      if (operand != expr::kNone) operands.push_back(operand);
    }
    const auto at = turning_point(Ranges(graph, operands, t), op, duration);
    if (!at) continue;
    const char* why = op == Op::atan2 ? "atan2 jumps by a turn, or has no angle,"
                      : op == Op::norm
                          ? "norm vanishes and has a kink"
                          : "asin or acos comes to its end, where its rate jumps or is infinite,";
    const Spot spot{std::make_shared<const std::string>(formula.place.source), formula.place.line,
                    formula.place.column};
    mistakes.add(
        spot,
        fmt::format("{}: {}: {} at about t = {} s, which a prescribed motion cannot follow; write it with "
                    "abs, min, max or choose, whose kinks are passed exactly",
                    formula.owner, formula.key, why, fmt::format("{:.6g}", *at)));
    return;
  }
}

}  // namespace

void refuse_turning_points(const Scene& scene, Mistakes& mistakes) {
  for (const WrittenFormula& formula : scene.formulas) {
    const bool prescribes = formula.key == "pivot" || formula.key == "motor.angle" ||
                            formula.key == "motor.travel" || formula.key.rfind("constraint ", 0) == 0;
    if (prescribes) refuse_in(formula, scene.simulation.duration, mistakes);
  }
}

}  // namespace catena
