#include "catena/dynamics/laws/jumping_potentials.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "catena/base/words.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"

namespace catena {
namespace {

// Points that are the same in every run.
class Points {
 public:
  explicit Points(std::size_t variables) : variables_(variables) {}
  std::vector<double> next() {
    constexpr double kReaches[] = {0.3, 1.0, 3.0, 30.0};
    const double reach = kReaches[count_++ / 2 % 4];
    std::vector<double> out;
    for (std::size_t i = 0; i < variables_; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      out.push_back(reach * (static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0));
    }
    return out;
  }

 private:
  std::size_t variables_;
  std::size_t count_ = 0;
  std::uint64_t state_ = 1;
};

// Where the formula differs on both sides of a zero of what decides a switch; none: nowhere that was looked
// at.
std::optional<std::vector<double>> jump_of(const expr::Graph& graph, expr::NodeId decides, expr::NodeId whole,
                                           std::size_t variables) {
  constexpr int kLooks = 64, kHalvings = 80;
  constexpr double kJump = 1e-6;  // of its size: beyond anything continuous between neighbours
  expr::Program program(graph, {decides, whole}, static_cast<int>(variables));
  struct Value {
    double decides, whole;
  };
  const auto value = [&](const std::vector<double>& at) {
    double out[2];
    program.evaluate(at.data(), 1, out);
    return Value{out[0], out[1]};
  };
  Points points(variables);
  for (int look = 0; look < kLooks; ++look) {
    std::vector<double> one = points.next(), other = points.next(), middle = one;
    Value here = value(one), there = value(other);
    if (!((here.decides < 0.0) != (there.decides < 0.0))) continue;
    for (int i = 0; i < kHalvings; ++i) {
      for (std::size_t v = 0; v < variables; ++v) middle[v] = 0.5 * (one[v] + other[v]);
      const Value between = value(middle);
      const bool is_here = (between.decides < 0.0) == (here.decides < 0.0);
      (is_here ? one : other) = middle;
      (is_here ? here : there) = between;
    }
    const double apart = std::fabs(here.whole - there.whole);
    const bool is_pole = !(std::fabs(here.decides) + std::fabs(there.decides) < 1e-3);
    if (!is_pole && std::isfinite(apart) &&
        apart > kJump * (1.0 + std::fabs(here.whole) + std::fabs(there.whole)))
      return one;
  }
  return std::nullopt;
}

// Whether the node changes along a motion otherwise than with time alone: what switches with time switches
// forces.
bool depends_on_place(const expr::Graph& graph, expr::NodeId node, const WrittenFormula& formula) {
  const bool of_law = formula.owner.starts_with("force");
  const std::vector<char> reached = expr::reachable(graph, {node});
  for (expr::NodeId id = 0; id < reached.size(); ++id) {
    if (!reached[id] || graph[id].op != expr::Op::variable) continue;
    const std::string& name = formula.variables[graph[id].index];
    const bool is_constant = of_law && (name == "m" || name == "q" || name == "i");
    if (name != "t" && !is_constant) return true;
  }
  return false;
}

}  // namespace

std::vector<Warning> jumping_potentials(const std::vector<WrittenFormula>& formulas) {
  std::vector<Warning> out;
  for (const WrittenFormula& formula : formulas) {
    if (formula.key != "potential" && formula.key != "lagrangian" && formula.key != "kinetic") continue;
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty()) continue;
    const std::vector<char> reached = expr::reachable(graph, {parsed.node});
    std::vector<char> is_used(formula.variables.size(), 0);
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      if (reached[id] && graph[id].op == expr::Op::variable) is_used[graph[id].index] = 1;
    }
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      const bool is_switch = graph[id].op == expr::Op::choose || graph[id].op == expr::Op::sign;
      if (!reached[id] || !is_switch || !depends_on_place(graph, graph[id].operands[0], formula)) continue;
      const auto at = jump_of(graph, graph[id].operands[0], parsed.node, formula.variables.size());
      if (!at) continue;
      std::string where;
      for (std::size_t v = 0; v < formula.variables.size(); ++v) {
        if (is_used[v])
          where += fmt::format("{}{} = {:.3g}", where.empty() ? "" : ", ", formula.variables[v], (*at)[v]);
      }
      out.push_back(
          {formula.place,
           fmt::format("{}: '{}' jumps, as where {}: the force there is infinite, and the motion goes on "
                       "as if there were none; step((x - a)/b) rises over a width b",
                       formula.owner, formula.text, where)});
      break;
    }
  }
  return out;
}

}  // namespace catena
