#include "catena/lab/column_formula.h"

#include <fmt/format.h>

#include "catena/base/mistake.h"
#include "catena/expr/parse.h"

namespace catena {

std::vector<std::string> names_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty()) names.push_back(stem.name);
    for (const std::string& label : stem.labels) names.push_back(stem.name + "_" + label);
  }
  return names;
}

ColumnFormula::Read ColumnFormula::read(const Lab& lab, const std::string& text, const Place& place,
                                        const std::string& what) {
  const std::vector<std::string> all = names_of(lab.columns({}));
  expr::Graph graph;
  const expr::Parsed parsed = expr::parse(graph, text, {all, {}});
  std::vector<Mistake> mistakes;
  for (const expr::FormulaMistake& mistake : parsed.mistakes) {
    Place at = place;
    if (at.line > 0) at.column += static_cast<int>(mistake.offset);
    mistakes.push_back({at, fmt::format("{}: {}", what, mistake.message)});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  std::vector<std::string> used{"t"};
  const std::vector<char> reached = expr::reachable(graph, {parsed.node});
  for (expr::NodeId id = 0; id < graph.size(); ++id) {
    if (reached[id] && graph[id].op == expr::Op::variable) used.push_back(all[graph[id].index]);
  }
  // Again, with the used columns alone: their order is that of the rows.
  Columns columns = lab.columns(used);
  expr::Graph small;
  const std::vector<std::string> names = names_of(columns);
  const expr::Parsed again = expr::parse(small, text, {names, {}});
  expr::Program program(small, {again.node}, static_cast<int>(names.size()));
  constexpr int kTime = 0;  // columns begin with it
  expr::SampledFormulas samples(small, {again.node}, static_cast<int>(names.size()), 1, kTime);
  return {std::move(columns), std::move(program), std::move(samples)};
}

ColumnFormula::ColumnFormula(const Lab& lab, const std::string& text, const Place& place,
                             const std::string& what)
    : ColumnFormula(read(lab, text, place, what)) {}

double ColumnFormula::value(const double* row) {
  double out = 0.0;
  program_.evaluate(row, 1, &out);
  return out;
}

double ColumnFormula::value(Lab& lab, double t, std::vector<double>& row) {
  row.resize(columns_.width());
  lab.observe(t, columns_, row.data());
  return value(row.data());
}

}  // namespace catena
