#include "catena/dynamics/equations/equations_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/base/words.h"
#include "catena/expr/kinks.h"
#include "catena/expr/parse.h"

namespace catena {

EquationFormulas::EquationFormulas(const Equations& given, bool decimals) {
  graph.keep_decimals(decimals);
  const expr::Names names{given.variables(), given.parameters};
  for (const EquationState& state : given.states)
    rates.push_back(expr::parse(graph, state.rate.text, names).node);
  for (const Invariant& one : given.invariants)
    invariants.push_back(expr::parse(graph, one.formula.text, names).node);
}

EquationsSystem::EquationsSystem(const Equations& given, bool decimals)
    : given_(given),
      formulas_(given, decimals),
      motion_(formulas_.graph, formulas_.rates),
      rates_(formulas_.graph, formulas_.rates, formulas_.inputs(), formulas_.time()),
      sampled_(formulas_.graph, formulas_.rates, formulas_.inputs(), 1, formulas_.time()),
      invariants_(formulas_.graph, formulas_.invariants, formulas_.inputs(), decimals),
      inputs_(static_cast<std::size_t>(formulas_.inputs())),
      exact_inputs_(inputs_.size()) {
  for (const EquationState& state : given_.states) {
    start_.hi.push_back(state.start);
    start_.lo.push_back(decimals ? state.start_rest : 0.0);
  }
  refuse_start();
}

void EquationsSystem::refuse_start() const {
  std::vector<Mistake> mistakes;
  std::vector<double> inputs = start_.hi;
  inputs.push_back(0.0);
  const auto check = [&](expr::NodeId node, const Place& place, const std::string& what) {
    double value = 0.0;
    expr::Program(formulas_.graph, {node}, formulas_.inputs()).evaluate(inputs.data(), 1, &value);
    if (std::isfinite(value)) return;
    mistakes.push_back(
        {place, fmt::format("equations: {} has no finite value at the start ({}): a division by "
                            "zero, or a function outside its domain",
                            what, std::isnan(value) ? "nan" : number_text(value))});
  };
  for (std::size_t i = 0; i < given_.states.size(); ++i)
    check(formulas_.rates[i], given_.states[i].rate.place, fmt::format("dot.{}", given_.states[i].name));
  for (std::size_t i = 0; i < given_.invariants.size(); ++i) {
    check(formulas_.invariants[i], given_.invariants[i].formula.place,
          fmt::format("invariants.{}", given_.invariants[i].name));
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

void EquationsSystem::show(double t, const double* x) {
  std::copy_n(x, dimension(), inputs_.data());
  inputs_.back() = t;
}

void EquationsSystem::rhs(double t, const double* x, double* dx) {
  show(t, x);
  rates_.evaluate(inputs_.data(), 1, dx);
}

double EquationsSystem::smooth_until(int order, double length) const {
  return first_break(motion_.series(), order - 1, length, allowed_);
}

void EquationsSystem::sample(int which, double t, const double* x) {
  if (!looks_inside()) return;
  show(t, x);
  sampled_.note(which, inputs_.data(), 1);
}

bool EquationsSystem::misses(double, double length) {
  return looks_inside() && sampled_.unseen() * length > allowed_;
}

std::vector<DoubleDouble> EquationsSystem::invariants(double t, const double* hi, const double* lo) {
  for (std::size_t i = 0; i < dimension(); ++i) exact_inputs_[i] = two_sum(hi[i], lo[i]);
  exact_inputs_.back() = t;
  std::vector<DoubleDouble> out(given_.invariants.size());
  if (!out.empty()) invariants_.evaluate(exact_inputs_.data(), out.data());
  return out;
}

}  // namespace catena
