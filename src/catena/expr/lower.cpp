#include "catena/expr/lower.h"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "catena/expr/function_rows.h"

namespace catena::expr {
namespace {

// Whole powers up to this one are products in a series.
constexpr double kLargestSeriesProduct = 1024;

// The outputs and switches in a graph of their own, with parameters as constants.
struct Bound {
  Graph graph;
  std::vector<NodeId> outputs;
  std::vector<Switch> switches;
  std::vector<NodeId> switch_nodes;
  std::unordered_set<NodeId> watched;
  std::unordered_map<NodeId, NodeId> squares;  // of norms

  void watch(SwitchKind kind, Op op, NodeId node) {
    if (graph.is_constant(node) || !watched.insert(node).second) return;
    switches.push_back({kind, op});
    switch_nodes.push_back(node);
  }
};

NodeId clamped(Graph& g, NodeId a) {
  return g.apply(Op::min, g.apply(Op::max, a, g.constant(0.0)), g.constant(1.0));
}

// 3 s^2 - 2 s^3 with s the argument between 0 and 1.
NodeId written_out_step(Graph& g, NodeId a) {
  const NodeId s = clamped(g, a);
  const NodeId rest = g.subtract(g.constant(3.0), g.multiply(g.constant(2.0), s));
  return g.multiply(g.multiply(s, s), rest);
}

void watch_switches(Bound& bound, Op op, NodeId a, NodeId b) {
  Graph& g = bound.graph;
  if (op == Op::abs || op == Op::sign || op == Op::choose) bound.watch(SwitchKind::sign_change, op, a);
  if (op == Op::min || op == Op::max) bound.watch(SwitchKind::sign_change, op, g.subtract(a, b));
  if (op == Op::step) {
    bound.watch(SwitchKind::sign_change, op, a);
    bound.watch(SwitchKind::sign_change, op, g.subtract(a, g.constant(1.0)));
  }
}

// norm(a, b, c), whose square is watched, and also what its series is computed from.
NodeId watched_norm(Bound& bound, NodeId a, NodeId b, NodeId c) {
  Graph& g = bound.graph;
  NodeId square = g.add(g.power(a, 2.0), g.power(b, 2.0));
  if (c != kNone) square = g.add(square, g.power(c, 2.0));
  bound.watch(SwitchKind::touches_zero, Op::norm, square);
  const NodeId norm = g.norm(a, b, c);
  if (g[norm].op == Op::norm && !g.is_constant(square)) bound.squares.emplace(norm, square);
  return norm;
}

// Nodes a t + b, with constants a and b, and what they become with the rest of time: a t + b + a low.
class AffineInTime {
 public:
  AffineInTime(Graph& graph, int inputs, int time) : graph_(graph), inputs_(inputs), time_(time) {}

  // What the node made of these operands is, if it is affine.
  void note(Op op, NodeId made, NodeId a, NodeId b) {
    if (time_ == kNoRow) return;
    if (const std::optional<Affine> affine = affine_of(op, made, a, b)) known_.emplace(made, *affine);
  }
  bool keeps_affine(Op op, NodeId a, NodeId b) { return time_ != kNoRow && affine_of(op, kNone, a, b); }

  NodeId complete(NodeId id) {
    const auto found = known_.find(id);
    if (found == known_.end() || !found->second.shifted) return id;
    const NodeId low = graph_.variable(static_cast<std::uint32_t>(inputs_));
    return graph_.add(id, graph_.multiply(graph_.constant(found->second.slope), low));
  }

 private:
  struct Affine {
    double slope;
    bool shifted;  // b is not zero
  };

  std::optional<Affine> affine_of(Op op, NodeId made, NodeId a, NodeId b) const {
    if (op == Op::variable)
      return made != kNone && graph_[made].index == static_cast<std::uint32_t>(time_)
                 ? std::optional(Affine{1.0, false})
                 : std::nullopt;
    const auto is_affine = [&](NodeId id) { return id != kNone && known_.contains(id); };
    const auto value = [&](NodeId id) { return graph_[id].value; };
    if (op == Op::negate && is_affine(a)) return Affine{-known_.at(a).slope, known_.at(a).shifted};
    if (b == kNone) return std::nullopt;
    if (is_affine(a) && graph_.is_constant(b)) {
      const auto [slope, shifted] = known_.at(a);
      if (op == Op::add || op == Op::subtract) return Affine{slope, true};
      if (op == Op::multiply) return Affine{slope * value(b), shifted};
      if (op == Op::divide) return Affine{slope / value(b), shifted};
    }
    if (graph_.is_constant(a) && is_affine(b)) {
      const auto [slope, shifted] = known_.at(b);
      if (op == Op::add) return Affine{slope, true};
      if (op == Op::subtract) return Affine{-slope, true};
      if (op == Op::multiply) return Affine{slope * value(a), shifted};
    }
    return std::nullopt;
  }

  Graph& graph_;
  int inputs_, time_;
  std::unordered_map<NodeId, Affine> known_;
};

Bound bind_parameters(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, Purpose purpose,
                      int time) {
  Bound bound;
  bound.graph.keep_decimals(graph.keeps_decimals());
  AffineInTime affine(bound.graph, inputs, time);
  const std::vector<char> wanted = reachable(graph, outputs);
  std::vector<NodeId> image(graph.size(), kNone);
  const auto image_of = [&image](NodeId id) { return id == kNone ? kNone : image[id]; };
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!wanted[id]) continue;
    const Node& n = graph[id];
    NodeId a = image_of(n.operands[0]), b = image_of(n.operands[1]), c = image_of(n.operands[2]);
    const NodeId left = a, right = b;
    if (purpose == Purpose::series) watch_switches(bound, n.op, a, b);
    if (!affine.keeps_affine(n.op, a, b)) {
      for (NodeId* operand : {&a, &b, &c}) *operand = affine.complete(*operand);
    }
    if (n.op == Op::variable) {
      image[id] = bound.graph.variable(n.index);
    } else if (n.op == Op::constant || n.op == Op::parameter) {
      image[id] = bound.graph.constant(n.value);
    } else if (n.op == Op::step) {
      image[id] = written_out_step(bound.graph, a);
    } else if (n.op == Op::norm && purpose == Purpose::series) {
      image[id] = watched_norm(bound, a, b, c);
    } else {
      image[id] = bound.graph.apply(n.op, a, b, c);
    }
    affine.note(n.op, image[id], left, right);
  }
  for (const NodeId output : outputs) bound.outputs.push_back(affine.complete(image[output]));
  return bound;
}

Code code_of(Op op) {
  switch (op) {
    case Op::add:
      return Code::add;
    case Op::subtract:
      return Code::subtract;
    case Op::multiply:
      return Code::multiply;
    case Op::divide:
      return Code::divide;
    case Op::negate:
      return Code::negate;
    case Op::power:
      return Code::general_power;
    case Op::atan2:
      return Code::atan2;
    case Op::min:
      return Code::min;
    case Op::max:
      return Code::max;
    case Op::norm:
      return Code::norm;
    case Op::ratio:
      return Code::ratio;
    case Op::choose:
      return Code::choose;
    default:
      if (const FunctionRow* row = function_row(op)) return row->code;
      throw std::logic_error("no instruction for this operation");
  }
}

class Writer {
 public:
  Writer(const Bound& bound, int inputs, Purpose purpose, bool has_low)
      : graph_(bound.graph), squares_(bound.squares), purpose_(purpose), has_low_(has_low) {
    lowered_.inputs = inputs;
    lowered_.rows = inputs;
    rows_.assign(graph_.size(), kNoRow);
  }

  void write(NodeId id) {
    const Node& n = graph_[id];
    if (n.op == Op::constant) return;  // gets a row when something needs one
    if (n.op == Op::variable) {
      const auto inputs = static_cast<std::uint32_t>(lowered_.inputs);
      if (n.index == inputs && has_low_) return write_low(id);
      if (n.index >= inputs)
        throw std::out_of_range("variable " + std::to_string(n.index) + " is not among the inputs");
      rows_[id] = static_cast<int>(n.index);
    } else if (purpose_ == Purpose::series && is_paired(n.op)) {
      write_pair(id);
    } else if (purpose_ == Purpose::series && write_as_powers(id)) {
      return;
    } else if (!write_with_constant(id)) {
      write_plain(id);
    }
  }

  int row(NodeId id) {
    if (rows_[id] == kNoRow && graph_.is_constant(id)) {
      rows_[id] = new_row();
      lowered_.constants.emplace_back(rows_[id], graph_[id].value);
    }
    return rows_[id];
  }

  Lowered take() { return std::move(lowered_); }

 private:
  static bool is_paired(Op op) { return op == Op::sin || op == Op::cos || op == Op::sinh || op == Op::cosh; }

  int new_row() { return lowered_.rows++; }

  void write_low(NodeId id) {
    lowered_.low_row = rows_[id] = new_row();
    lowered_.constants.emplace_back(rows_[id], 0.0);
  }

  // sin and cos of the same argument come from one instruction: each needs the other's series.
  void write_pair(NodeId id) {
    const Node& n = graph_[id];
    const bool circular = n.op == Op::sin || n.op == Op::cos;
    const int a = row(n.operands[0]);
    auto [place, is_new] = pairs_.try_emplace({circular, a}, std::pair{kNoRow, kNoRow});
    if (is_new) {
      Instruction made{.code = circular ? Code::sin_cos : Code::sinh_cosh, .a = a};
      made.out = new_row();
      made.second = new_row();
      place->second = {made.out, made.second};
      lowered_.instructions.push_back(made);
    }
    rows_[id] = n.op == Op::sin || n.op == Op::sinh ? place->second.first : place->second.second;
  }

  // Powers whose series has a better way than the values have. 1/x^n: dividing by the product x^n loses
  // digits, its zero being n-fold, the power's own recurrence does not. x^20: products, since the recurrence
  // divides by x, which may be tiny.
  bool write_as_powers(NodeId id) {
    const Node& n = graph_[id];
    if (n.op == Op::power && graph_.is_constant(n.operands[1])) {
      const double exponent = graph_[n.operands[1]].value;
      const bool whole =
          exponent == std::floor(exponent) && exponent > 1.0 && exponent <= kLargestSeriesProduct;
      if (whole) rows_[id] = product_of(row(n.operands[0]), static_cast<int>(exponent));
      return whole;
    }
    if (n.op != Op::divide) return false;
    const Graph::WholePower divisor = graph_.whole_power(n.operands[1]);
    if (divisor.exponent < 2) return false;
    const NodeId a = n.operands[0];
    const auto [place, is_new] = inverse_powers_.try_emplace(n.operands[1], kNoRow);
    if (is_new) {
      const double exponent = -divisor.exponent;
      place->second = emit({.code = Code::power, .a = row(divisor.base), .value = exponent});
    }
    if (graph_.is_constant(a, 1.0)) {
      rows_[id] = place->second;
    } else if (graph_.is_constant(a)) {
      rows_[id] = emit({.code = Code::scale, .a = place->second, .value = graph_[a].value});
    } else {
      rows_[id] = emit({.code = Code::multiply, .a = row(a), .b = place->second});
    }
    return true;
  }

  int product_of(int base, int exponent) {
    int product = base;
    int bit = 1;
    while (2 * bit <= exponent) bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2) {
      product = emit({.code = Code::square, .a = product, .b = product});
      if (exponent & bit) product = emit({.code = Code::multiply, .a = product, .b = base});
    }
    return product;
  }

  int emit(Instruction made) {
    made.out = new_row();
    lowered_.instructions.push_back(made);
    return made.out;
  }

  bool write_with_constant(NodeId id) {
    const Node& n = graph_[id];
    const auto [a, b, c] = n.operands;
    const bool left = a != kNone && graph_.is_constant(a);
    const bool right = b != kNone && graph_.is_constant(b);
    if (left == right) return false;
    Instruction made;
    made.value = graph_[left ? a : b].value;
    switch (n.op) {
      case Op::add:
        made.code = Code::offset;
        break;
      case Op::subtract:
        made.code = left ? Code::from : Code::offset;
        break;
      case Op::multiply:
        made.code = Code::scale;
        break;
      case Op::divide:
        made.code = left ? Code::over : Code::divide_by;
        break;
      case Op::power:
        if (left) return false;
        made.code = Code::power;
        break;
      default:
        return false;
    }
    if (n.op == Op::subtract && right) made.value = -made.value;
    made.a = row(left ? b : a);
    finish(id, made);
    return true;
  }

  void write_plain(NodeId id) {
    const Node& n = graph_[id];
    Instruction made{.code = code_of(n.op), .op = n.op};
    made.a = row(n.operands[0]);
    if (n.operands[1] != kNone) made.b = row(n.operands[1]);
    if (n.operands[2] != kNone) made.c = row(n.operands[2]);
    if (n.op == Op::multiply && made.a == made.b) made.code = Code::square;
    if (purpose_ == Purpose::series) write_auxiliary(id, made);
    finish(id, made);
  }

  // Rows for the auxiliary series that some recurrences need.
  void write_auxiliary(NodeId id, Instruction& made) {
    switch (made.code) {
      case Code::tan:
      case Code::tanh:
      case Code::logistic:
      case Code::asin:
      case Code::acos:
      case Code::atan:
      case Code::atan2:
        made.second = new_row();
        break;
      case Code::norm:  // second holds the square
        if (const auto found = squares_.find(id); found != squares_.end()) made.second = row(found->second);
        break;
      case Code::function:
        made.b = derivative_row(made.op, made.a);
        break;
      case Code::general_power: {  // a^b = exp(b log a): second holds b log a
        const int log = emit({.code = Code::log, .a = made.a});
        made.second = emit({.code = Code::multiply, .a = log, .b = made.b});
        break;
      }
      default:
        break;
    }
  }

  // The instructions of a function's derivative at row `a`.
  int derivative_row(Op op, int a) {
    Graph own;
    own.keep_decimals(graph_.keeps_decimals());
    const NodeId derivative = function_row(op)->derivative(own, own.variable(0), kNone);
    const Lowered part = lower(own, {derivative}, 1, Purpose::series);
    const auto here = [&, first = lowered_.rows - 1](int row) {
      return row == kNoRow ? kNoRow : row == 0 ? a : first + row;
    };
    for (const auto& [row, value] : part.constants) lowered_.constants.emplace_back(here(row), value);
    for (Instruction in : part.instructions) {
      for (int* row : {&in.out, &in.second, &in.a, &in.b, &in.c}) *row = here(*row);
      lowered_.instructions.push_back(in);
    }
    const int out = here(part.outputs[0]);
    lowered_.rows += part.rows - 1;
    return out;
  }

  void finish(NodeId id, const Instruction& made) { rows_[id] = emit(made); }

  const Graph& graph_;
  const std::unordered_map<NodeId, NodeId>& squares_;
  Purpose purpose_;
  bool has_low_;
  Lowered lowered_;
  std::vector<int> rows_;
  std::map<std::pair<bool, int>, std::pair<int, int>> pairs_;
  std::map<NodeId, int> inverse_powers_;
};

// Drops instructions whose results nothing uses, and their rows.
void drop_unused(Lowered& lowered) {
  std::vector<char> used(static_cast<std::size_t>(lowered.rows), 0);
  for (int row = 0; row < lowered.inputs; ++row) used[row] = 1;
  for (const int row : lowered.outputs) used[row] = 1;
  for (const int row : lowered.switch_rows) used[row] = 1;
  const auto rows_of = [](Instruction& in) { return std::array{&in.a, &in.b, &in.c, &in.out, &in.second}; };
  const auto is_unused = [&](const Instruction& in) {
    const bool pair = in.code == Code::sin_cos || in.code == Code::sinh_cosh;
    return !used[in.out] && !(pair && used[in.second]);
  };
  std::vector<Instruction> kept;
  for (std::size_t i = lowered.instructions.size(); i-- > 0;) {
    Instruction& in = lowered.instructions[i];
    if (is_unused(in)) continue;
    for (const int* row : rows_of(in)) {
      if (*row != kNoRow) used[*row] = 1;
    }
    kept.push_back(in);
  }
  std::vector<int> place(used.size(), kNoRow);
  lowered.rows = 0;
  for (std::size_t row = 0; row < used.size(); ++row) {
    if (used[row]) place[row] = lowered.rows++;
  }
  const auto move = [&place](int& row) {
    if (row != kNoRow) row = place[row];
  };
  lowered.instructions.assign(kept.rbegin(), kept.rend());
  for (Instruction& in : lowered.instructions) {
    for (int* row : rows_of(in)) move(*row);
  }
  std::vector<std::pair<int, double>> constants;
  for (const auto& [row, value] : lowered.constants) {
    if (used[row]) constants.emplace_back(place[row], value);
  }
  lowered.constants = std::move(constants);
  for (int& row : lowered.outputs) move(row);
  for (int& row : lowered.switch_rows) move(row);
  move(lowered.low_row);
}

// x^n is found among products by the number of its factors: 2 of x y, 8 of ((x^2)^2)^2.
void count_factors(Lowered& lowered) {
  std::vector<double> factors(static_cast<std::size_t>(lowered.rows), 1.0);
  for (Instruction& in : lowered.instructions) {
    if (in.code == Code::square) in.value = 2 * factors[in.a];
    if (in.code == Code::multiply) in.value = factors[in.a] + factors[in.b];
    if (in.code == Code::square || in.code == Code::multiply) factors[in.out] = in.value;
  }
}

}  // namespace

std::vector<char> steady_rows(const Lowered& lowered, int steady_inputs) {
  std::vector<char> out(static_cast<std::size_t>(lowered.rows), 0);
  const auto steady = [&](int row) { return row == kNoRow || out[static_cast<std::size_t>(row)] != 0; };
  for (int i = lowered.inputs - steady_inputs; i < lowered.inputs; ++i) out[i] = 1;
  for (const auto& [row, value] : lowered.constants) out[row] = 1;
  for (const Instruction& in : lowered.instructions) {
    if (!steady(in.a) || !steady(in.b) || !steady(in.c)) continue;
    out[in.out] = 1;
    if (in.second != kNoRow) out[in.second] = 1;
  }
  return out;
}

Lowered lower(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, Purpose purpose, int time) {
  Bound bound = bind_parameters(graph, outputs, inputs, purpose, time);
  std::vector<NodeId> roots = bound.outputs;
  roots.insert(roots.end(), bound.switch_nodes.begin(), bound.switch_nodes.end());
  const std::vector<char> wanted = reachable(bound.graph, roots);
  Writer writer(bound, inputs, purpose, time != kNoRow);
  for (NodeId id = 0; id < bound.graph.size(); ++id) {
    if (wanted[id]) writer.write(id);
  }
  std::vector<int> output_rows, switch_rows;
  for (const NodeId output : bound.outputs) output_rows.push_back(writer.row(output));
  for (const NodeId node : bound.switch_nodes) switch_rows.push_back(writer.row(node));
  Lowered lowered = writer.take();
  lowered.outputs = std::move(output_rows);
  lowered.switch_rows = std::move(switch_rows);
  lowered.switches = std::move(bound.switches);
  drop_unused(lowered);
  count_factors(lowered);
  return lowered;
}

}  // namespace catena::expr
