#include "catena/dynamics/lagrangian/lagrangian_equations.h"

#include "catena/expr/derivative.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"
#include "catena/expr/substitute.h"

namespace catena {
namespace {

using expr::NodeId;

class Derivation {
 public:
  Derivation(const Lagrangian& given, bool decimals) : given_(given), n_(given.coordinates.size()) {
    out_.graph.keep_decimals(decimals);
    std::vector<std::string> names;
    for (const LagrangianCoordinate& coordinate : given.coordinates) names.push_back(coordinate.name);
    out_.coordinates = n_;
    out_.variables = lagrangian_variables(names);
  }

  LagrangianEquations take() {
    read();
    inertia();
    forces();
    constraints();
    energies();
    return std::move(out_);
  }

 private:
  expr::Graph& graph() { return out_.graph; }
  NodeId parsed(const std::string& text) {
    return expr::parse(graph(), text, {out_.variables, given_.parameters}).node;
  }
  NodeId sum_with_rates(const std::vector<NodeId>& nodes) {
    NodeId sum = graph().constant(0.0);
    for (std::size_t i = 0; i < n_; ++i) sum = graph().add(sum, graph().multiply(nodes[i], out_.rate(i)));
    return sum;
  }
  std::vector<NodeId> gradient(NodeId node, std::size_t first) {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < n_; ++i)
      out.push_back(expr::derivative(graph(), node, static_cast<std::uint32_t>(first + i)));
    return out;
  }
  // The nodes at rest: all rates zero.
  NodeId at_rest(NodeId node) {
    std::vector<NodeId> images;
    for (std::size_t i = 0; i < n_; ++i) images.push_back(out_.q(i));
    images.resize(2 * n_, graph().constant(0.0));
    images.push_back(graph().variable(out_.time()));
    const expr::Graph from = graph();
    return expr::substitute(from, {node}, graph(), images)[0];
  }

  void read() {
    if (!given_.lagrangian.text.empty()) {
      out_.lagrangian = parsed(given_.lagrangian.text);
      out_.potential = graph().negate(at_rest(out_.lagrangian));
    } else {
      out_.kinetic = parsed(given_.kinetic.text);
      out_.potential = given_.potential.text.empty() ? graph().constant(0.0) : parsed(given_.potential.text);
      out_.lagrangian = graph().subtract(out_.kinetic, out_.potential);
    }
    for (const LagrangianCoordinate& coordinate : given_.coordinates) {
      out_.applied.push_back(coordinate.force.text.empty() ? graph().constant(0.0)
                                                           : parsed(coordinate.force.text));
    }
    if (!given_.dissipation.text.empty()) out_.dissipation = parsed(given_.dissipation.text);
  }

  void inertia() {
    out_.momenta = gradient(out_.lagrangian, n_);
    out_.mass.resize(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i; j < n_; ++j) {
        const auto by = static_cast<std::uint32_t>(n_ + j);
        out_.mass[i * n_ + j] = out_.mass[j * n_ + i] = expr::derivative(graph(), out_.momenta[i], by);
      }
    }
  }

  // How fast things change when coordinates move with their rates, and rates stay.
  std::vector<NodeId> along_motion(const std::vector<NodeId>& nodes) {
    std::vector<NodeId> seeds(2 * n_ + 1, expr::kNone);
    for (std::size_t i = 0; i < n_; ++i) seeds[i] = out_.rate(i);
    seeds[2 * n_] = graph().constant(1.0);
    return expr::directional_derivatives(graph(), nodes, seeds);
  }

  void forces() {
    const std::vector<NodeId> slope = gradient(out_.lagrangian, 0);
    const std::vector<NodeId> carried = along_motion(out_.momenta);
    for (std::size_t i = 0; i < n_; ++i) {
      NodeId sum = graph().add(graph().subtract(slope[i], carried[i]), out_.applied[i]);
      if (out_.dissipation != expr::kNone) {
        const auto by = static_cast<std::uint32_t>(n_ + i);
        sum = graph().subtract(sum, expr::derivative(graph(), out_.dissipation, by));
      }
      out_.force.push_back(sum);
    }
  }

  void constraints() {
    for (const PlacedFormula& constraint : given_.constraints) {
      NodeId node = parsed(constraint.text);
      if (given_.piece) node = expr::piece_at(graph(), node, out_.time(), *given_.piece);
      out_.constraints.push_back(node);
      for (const NodeId slope : gradient(node, 0)) out_.jacobian.push_back(slope);
      out_.drift.push_back(expr::derivative(graph(), node, out_.time()));
    }
    out_.gap_rates = along_motion(out_.constraints);
  }

  void energies() {
    const auto first_rate = static_cast<std::uint32_t>(n_);
    const bool quadratic = !out_.depends(out_.mass, first_rate, out_.time() - 1);
    // q' dL/dq' - L
    const NodeId energy = graph().subtract(sum_with_rates(out_.momenta), out_.lagrangian);
    out_.excess = graph().constant(0.0);
    if (out_.kinetic == expr::kNone) {
      out_.kinetic = quadratic ? half_of_squares() : graph().subtract(energy, out_.potential);
    } else if (!quadratic || !is_homogeneous()) {
      out_.excess = graph().subtract(graph().add(out_.kinetic, out_.potential), energy);
    }
    out_.loss = out_.dissipation == expr::kNone ? graph().constant(0.0)
                                                : sum_with_rates(gradient(out_.dissipation, n_));
    out_.power = graph().subtract(sum_with_rates(out_.applied),
                                  expr::derivative(graph(), out_.lagrangian, out_.time()));
  }

  NodeId half_of_squares() {
    NodeId sum = graph().constant(0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i; j < n_; ++j) {
        const NodeId product =
            graph().multiply(out_.mass[i * n_ + j], graph().multiply(out_.rate(i), out_.rate(j)));
        sum = graph().add(sum, i == j ? graph().multiply(graph().constant(0.5), product) : product);
      }
    }
    return sum;
  }

  // Nothing of the kinetic energy, and nothing linear in the rates, is left at rest.
  bool is_homogeneous() {
    if (!out_.is_zero(at_rest(out_.kinetic))) return false;
    for (const NodeId momentum : out_.momenta) {
      if (!out_.is_zero(at_rest(momentum))) return false;
    }
    return true;
  }

  const Lagrangian& given_;
  std::size_t n_;
  LagrangianEquations out_;
};

}  // namespace

bool LagrangianEquations::depends(const std::vector<NodeId>& nodes, std::uint32_t first,
                                  std::uint32_t last) const {
  const std::vector<char> needed = expr::reachable(graph, nodes);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (needed[id] && graph[id].op == expr::Op::variable && graph[id].index >= first &&
        graph[id].index <= last)
      return true;
  }
  return false;
}

namespace {

// A mass that jumps makes velocities jump with it: no series passes that.
void refuse_jumping_masses(const Lagrangian& given, const LagrangianEquations& made) {
  const std::vector<char> reached = expr::reachable(made.graph, made.mass);
  for (expr::NodeId id = 0; id < made.graph.size(); ++id) {
    const expr::Op op = made.graph[id].op;
    if (!reached[id] || (op != expr::Op::sign && op != expr::Op::choose)) continue;
    const bool whole = given.kinetic.text.empty();
    throw InputError(whole ? given.lagrangian.place : given.kinetic.place,
                     std::string("lagrangian: ") + (whole ? "lagrangian" : "kinetic") +
                         " has masses with sign or choose, which may jump, and velocities would jump with "
                         "them; let them change "
                         "smoothly, by step, tanh or logistic");
  }
}

}  // namespace

LagrangianEquations derive(const Lagrangian& given, bool decimals) {
  try {
    LagrangianEquations made = Derivation(given, decimals).take();
    refuse_jumping_masses(given, made);
    return made;
  } catch (const expr::GraphTooLarge& error) {
    throw InputError(given.place, std::string("lagrangian: its equations are too large: ") + error.what());
  }
}

}  // namespace catena
