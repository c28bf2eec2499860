#include "catena/analyze/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catena/expr/parse.h"

namespace catena {
namespace {

// What formulas may name: columns, and behind them the parameters.
std::vector<std::string> known_names(const Columns& columns, const FitProblem& problem) {
  std::vector<std::string> names = names_of(columns);
  for (const FitPlan::Named& one : problem.parameters) names.push_back(one.name);
  return names;
}

template <class Words>
bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Columns Observation::columns_of(const Lab& lab, const FitProblem& problem) {
  const Columns all = lab.columns({});
  const std::vector<std::string> names = known_names(all, problem);
  std::vector<std::string> used{"t"};
  std::vector<Mistake> mistakes;
  for (const ObservedColumn& one : problem.observed) {
    if (one.formula.empty()) {
      used.push_back(one.name);
      continue;
    }
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, one.formula, {names, {}});
    for (const expr::FormulaMistake& mistake : parsed.mistakes) {
      Place place = one.place;
      if (place.line > 0) place.column += static_cast<int>(mistake.offset);
      mistakes.push_back({place, fmt::format("fit: observe.{}: {}", one.name, mistake.message)});
    }
    if (!parsed) continue;
    const std::vector<char> reached = expr::reachable(graph, {parsed.node});
    for (expr::NodeId id = 0; id < graph.size(); ++id) {
      if (reached[id] && graph[id].op == expr::Op::variable && graph[id].index < all.width())
        used.push_back(names[graph[id].index]);
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  return lab.columns(used);
}

Observation::Observation(const Lab& lab, const FitProblem& problem)
    : columns_(columns_of(lab, problem)), parameters_(problem.parameters.size()) {
  const std::vector<std::string> columns = names_of(columns_), names = known_names(columns_, problem);
  expr::Graph graph;
  std::vector<expr::NodeId> outputs;
  for (const ObservedColumn& one : problem.observed) {
    One made;
    if (one.formula.empty()) {
      const auto found = std::find(columns.begin(), columns.end(), one.name);
      made.column = static_cast<std::size_t>(found - columns.begin());
    } else {
      outputs.push_back(expr::parse(graph, one.formula, {names, {}}).node);
    }
    observed_.push_back(made);
  }
  if (!outputs.empty()) program_.emplace(graph, outputs, static_cast<int>(names.size()));
  static const std::array<std::string, 2> counting{"theta", "angle"};
  static const std::array<std::string, 5> sums{"dissipated", "work", "balance", "energy_error", "step_size"};
  std::size_t at = 0;
  for (const Stem& stem : columns_.stems()) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, stem.labels.size()); ++i, ++at) {
      if (has(counting, stem.name)) turning_.push_back(at);
      if (has(sums, stem.name)) summed_.push_back(columns[at]);
      if (stem.name != "phi") continue;
      for (One& one : observed_) one.wrapped = one.wrapped || one.column == at;
    }
  }
}

void Observation::values(const double* row, const double* parameters, double* out) {
  inputs_.assign(row, row + columns_.width());
  inputs_.insert(inputs_.end(), parameters, parameters + parameters_);
  if (program_) {
    outputs_.resize(static_cast<std::size_t>(program_->outputs()));
    program_->evaluate(inputs_.data(), 1, outputs_.data());
  }
  std::size_t formula = 0;
  for (std::size_t i = 0; i < observed_.size(); ++i)
    out[i] = observed_[i].column ? row[*observed_[i].column] : outputs_[formula++];
}

void Observation::rates(const double* row, const double* parameters, const double* column_rates,
                        const double* parameter_rates, std::size_t directions, double* out) {
  const std::size_t width = columns_.width(), inputs = width + parameters_;
  if (program_) {
    inputs_.resize(inputs * directions);
    input_rates_.resize(inputs * directions);
    for (std::size_t i = 0; i < inputs; ++i) {
      const double value = i < width ? row[i] : parameters[i - width];
      for (std::size_t j = 0; j < directions; ++j) {
        inputs_[i * directions + j] = value;
        input_rates_[i * directions + j] =
            i < width ? column_rates[j * width + i] : parameter_rates[j * parameters_ + i - width];
      }
    }
    const auto count = static_cast<std::size_t>(program_->outputs());
    outputs_.resize(count * directions);
    output_rates_.resize(count * directions);
    program_->tangent(inputs_.data(), input_rates_.data(), directions, outputs_.data(), output_rates_.data());
  }
  std::size_t formula = 0;
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    for (std::size_t j = 0; j < directions; ++j) {
      out[i * directions + j] = observed_[i].column ? column_rates[j * width + *observed_[i].column]
                                                    : output_rates_[formula * directions + j];
    }
    if (!observed_[i].column) ++formula;
  }
}

}  // namespace catena
