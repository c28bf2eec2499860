#include "catena/io/scene/turning_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"
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

bool is_whole(double number) { return std::floor(number) == number; }

// A power is followed where its base is not zero. At a zero it has a pole, or a rate or an acceleration that
// is none, up to an exponent of 2; beyond, forces are finite and methods without series pass.
bool is_smooth_power(const Range& base, const Range& exponent) {
  constexpr double kNothing = 1e-300;  // max(0, ..) while it is zero, with ends that are widened
  if (exponent.low == exponent.high) {
    if (exponent.low > 2.0 || (exponent.low >= 0.0 && is_whole(exponent.low))) return true;
    if (exponent.low < 0.0 && is_whole(exponent.low)) return !base.has_zero();
    if (exponent.low > 0.0 && base.magnitude() <= kNothing) return true;
  }
  return base.low > 0.0;
}

// Whether the function is smooth for all operands in these ranges.
bool is_smooth(Op op, const std::vector<Range>& operands) {
  constexpr double kHalf = 0.5;
  switch (op) {
    case Op::asin:
    case Op::acos:
      return operands[0].magnitude() < 1.0;
    case Op::atan2:
      return !operands[0].has_zero() || operands[1].low > 0.0;
    case Op::sqrt:
      return is_smooth_power(operands[0], {kHalf, kHalf});
    case Op::power:
      return is_smooth_power(operands[0], operands[1]);
    case Op::divide:
      return !operands[1].has_zero();
    case Op::log:
      return operands[0].low > 0.0;
    case Op::tan:
      return !cosine_of(operands[0]).has_zero();
    default:  // norm
      return std::any_of(operands.begin(), operands.end(), [](const Range& one) { return !one.has_zero(); });
  }
}

// What functions do where they are not smooth; nullptr: they are.
const char* fault_of(Op op) {
  switch (op) {
    case Op::asin:
    case Op::acos:
      return "asin or acos comes to its end, where its rate jumps or is infinite,";
    case Op::atan2:
      return "atan2 jumps by a turn, or has no angle,";
    case Op::norm:
      return "norm vanishes and has a kink";
    case Op::sqrt:
      return "what stands under a root vanishes, where its rate jumps or is infinite,";
    case Op::power:
      return "the base of a power that is not whole, or negative, vanishes, where its rate or the change of "
             "it "
             "is infinite,";
    case Op::divide:
      return "it divides by zero";
    case Op::log:
    case Op::tan:
      return "log or tan is infinite";
    default:
      return nullptr;
  }
}

std::vector<NodeId> operands_of(const expr::Graph& graph, NodeId id) {
  std::vector<NodeId> out;
  for (const NodeId operand : graph[id].operands) {
    if (operand != expr::kNone) out.push_back(operand);
  }
  return out;
}

// A prescribed motion as a formula of time.
struct Prescribed {
  expr::Graph graph;
  NodeId node = expr::kNone;
  std::uint32_t t = 0;
};

bool depends_on_time_alone(const expr::Graph& graph, NodeId node, std::uint32_t t);

// Whether, in a short span, the formula as it is decided there has such a function that is not smooth: what
// choose leaves out does nothing.
bool is_met(const Prescribed& formula, const Range& span) {
  for (const double moment : {span.low, span.high}) {
    expr::Graph graph = formula.graph;
    const NodeId piece = expr::piece_at(graph, formula.node, formula.t, moment);
    const std::vector<char> reached = expr::reachable(graph, {piece});
    for (NodeId id = 0; id < reached.size(); ++id) {
      const Op op = graph[id].op;
      if (!reached[id] || fault_of(op) == nullptr || !depends_on_time_alone(graph, id, formula.t)) continue;
      if (!is_smooth(op, Ranges(graph, operands_of(graph, id), formula.t).over(span))) return true;
    }
  }
  return false;
}

// Where in [0, duration] a node may not be smooth: pieces that cannot be told are halved, the first of them
// first.
std::optional<double> turning_point(const Prescribed& formula, NodeId node, double duration) {
  constexpr int kMostPieces = 20'000;
  constexpr double kShortest = 1e-9;
  const Op op = formula.graph[node].op;
  const Ranges ranges(formula.graph, operands_of(formula.graph, node), formula.t);
  std::vector<Range> open{{0.0, duration}};
  for (int count = 0; !open.empty() && count <= kMostPieces; ++count) {
    const Range piece = open.back();
    open.pop_back();
    if (is_smooth(op, ranges.over(piece))) continue;
    if (piece.width() > kShortest * duration) {
      open.push_back({piece.middle(), piece.high});
      open.push_back({piece.low, piece.middle()});
    } else if (is_met(formula, piece)) {
      return piece.low > 0.0 ? piece.middle() : 0.0;
    }
  }
  if (open.empty()) return std::nullopt;
  // Too many to look at one by one: roots and quotients are left to the run, which names them where they are.
  const bool decides = op == Op::asin || op == Op::acos || op == Op::atan2 || op == Op::norm;
  return decides ? std::optional(open.back().middle()) : std::nullopt;
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
  Prescribed motion{{}, expr::kNone, static_cast<std::uint32_t>(time - formula.variables.begin())};
  const expr::Parsed parsed =
      expr::parse(motion.graph, formula.text, {formula.variables, formula.parameters});
  motion.node = parsed.node;
  const std::vector<char> reached = expr::reachable(motion.graph, {parsed.node});
  for (NodeId id = 0; id < reached.size(); ++id) {
    const char* why = fault_of(motion.graph[id].op);
    if (!reached[id] || why == nullptr || !depends_on_time_alone(motion.graph, id, motion.t)) continue;
    const Range at_start = Ranges(motion.graph, {id}, motion.t).over({0.0, 0.0})[0];
    if (!std::isfinite(at_start.width())) return;  // it is no number there, which is told elsewhere
    const auto at = turning_point(motion, id, duration);
    if (!at) continue;
    const SharedPlace spot{std::make_shared<const std::string>(formula.place.source), formula.place.line,
                           formula.place.column};
    mistakes.add(
        spot,
        fmt::format("{}: {}: {} at about t = {} s, which a prescribed motion cannot follow; write it with "
                    "abs, min, max or choose, whose kinks are passed exactly, or let the run end before",
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
