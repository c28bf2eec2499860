#include "catena/expr/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "catena/base/words.h"

namespace catena::expr {
namespace {

bool is_between(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

// The two numbers of a row; what is wrong with it goes to `mistake`.
std::optional<std::array<double, 2>> row_of(std::string_view text, std::string& mistake) {
  std::array<double, 2> out{};
  std::size_t found = 0;
  for (std::string_view rest = text;;) {
    while (!rest.empty() && is_between(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) break;
    const std::optional<LeadingNumber> number = leading_number(rest);
    const bool ends = number && (number->rest.empty() || is_between(number->rest.front()));
    if (!ends) {
      mistake = fmt::format("'{}' is no number",
                            rest.substr(0, std::min<std::size_t>(rest.find_first_of(" \t,\r"), 40)));
      return std::nullopt;
    }
    if (found < out.size()) out[found] = number->value;
    ++found;
    rest = number->rest;
  }
  if (found == out.size()) return out;
  mistake = fmt::format("a row has two numbers, x and y, got {}", found);
  return std::nullopt;
}

// Slopes at the rows: the tridiagonal equations of a second derivative without jumps.
std::vector<double> slopes_through(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  const auto width = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto rise = [&](std::size_t i) { return (y[i + 1] - y[i]) / width(i); };
  if (n == 2) return {rise(0), rise(0)};
  if (n == 3) {
    const double bend = (rise(1) - rise(0)) / (x[2] - x[0]);
    return {rise(0) - bend * width(0), rise(0) + bend * width(0), rise(1) + bend * width(1)};
  }
  std::vector<double> diagonal(n), above(n), right(n), slope(n);
  const double first = x[2] - x[0], last = x[n - 1] - x[n - 3];
  diagonal[0] = width(1);
  above[0] = first;
  right[0] = ((width(0) + 2 * first) * width(1) * rise(0) + width(0) * width(0) * rise(1)) / first;
  // From the left to the right, and back. Pivots stay positive: each row but the first has twice what stands
  // beside.
  for (std::size_t i = 1; i < n; ++i) {
    const bool at_end = i + 1 == n;
    const double below = at_end ? last : width(i);
    const double own = at_end ? width(n - 3) : 2 * (width(i - 1) + width(i));
    const double sum = at_end ? (width(n - 2) * width(n - 2) * rise(n - 3) +
                                 (2 * last + width(n - 2)) * width(n - 3) * rise(n - 2)) /
                                    last
                              : 3 * (width(i) * rise(i - 1) + width(i - 1) * rise(i));
    above[i] = at_end ? 0.0 : width(i - 1);
    const double part = below / diagonal[i - 1];
    diagonal[i] = own - part * above[i - 1];
    right[i] = sum - part * right[i - 1];
  }
  slope[n - 1] = right[n - 1] / diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) slope[i] = (right[i] - above[i] * slope[i + 1]) / diagonal[i];
  return slope;
}

// One number of the piece that x lies in, found by halving.
class Picked {
 public:
  Picked(Graph& graph, const std::vector<double>& ends, NodeId x) {
    for (const double end : ends) beyond_.push_back(graph.subtract(x, graph.constant(end)));
  }

  template <class NumberOf>
  NodeId operator()(Graph& graph, std::size_t low, std::size_t high, const NumberOf& number_of) const {
    if (low == high) return graph.constant(number_of(low));
    const std::size_t middle = (low + high + 1) / 2;
    const NodeId right = (*this)(graph, middle, high, number_of);
    const NodeId left = (*this)(graph, low, middle - 1, number_of);
    return graph.choose(beyond_[middle], right, left);
  }

 private:
  std::vector<NodeId> beyond_;  // x minus the left end of each piece
};

}  // namespace

TableRows table_rows(std::string_view text) {
  TableRows out;
  const auto wrong = [&](std::string what) {
    out.mistake = std::move(what);
    return out;
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(";\n", at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    std::string mistake;
    const auto row = row_of(line, mistake);
    if (!row) return wrong(fmt::format("row {}: {}", out.x.size() + 1, mistake));
    if (!out.x.empty() && !((*row)[0] > out.x.back())) {
      return wrong(fmt::format("row {}: x must grow, {} comes behind {}", out.x.size() + 1,
                               number_text((*row)[0]), number_text(out.x.back())));
    }
    if (out.x.size() == kMostTableRows)
      return wrong(fmt::format("it has more than {} rows; take fewer", kMostTableRows));
    out.x.push_back((*row)[0]);
    out.y.push_back((*row)[1]);
  }
  if (out.x.size() < 2) return wrong(fmt::format("it needs two rows at least, got {}", out.x.size()));
  return out;
}

std::vector<SplinePiece> spline_through(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> slope = slopes_through(x, y);
  std::vector<SplinePiece> out;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double width = x[i + 1] - x[i], rise = (y[i + 1] - y[i]) / width;
    const double bend = (slope[i] + slope[i + 1] - 2 * rise) / width;
    out.push_back({y[i], slope[i], (rise - slope[i]) / width - bend, bend / width});
  }
  return out;
}

NodeId table_node(Graph& graph, const TableRows& rows, NodeId x) {
  const std::vector<SplinePiece> pieces = spline_through(rows.x, rows.y);
  const NodeId first = graph.constant(rows.x.front()), last = graph.constant(rows.x.back());
  const NodeId inside = graph.apply(Op::min, graph.apply(Op::max, x, first), last);
  const Picked picked(graph, rows.x, x);
  const std::size_t end = pieces.size() - 1;
  const auto number = [&](double SplinePiece::*which) {
    return picked(graph, 0, end, [&](std::size_t i) { return pieces[i].*which; });
  };
  const NodeId left = picked(graph, 0, end, [&](std::size_t i) { return rows.x[i]; });
  const NodeId s = graph.subtract(inside, left);
  NodeId sum = number(&SplinePiece::d);
  for (const auto which : {&SplinePiece::c, &SplinePiece::b, &SplinePiece::a})
    sum = graph.add(graph.multiply(sum, s), number(which));
  return sum;
}

const Function& table_function() {
  static constexpr Function kTable{"table",
                                   Op::count,
                                   "table(\"file.csv\", x)",
                                   "the cubic spline through the rows of a file, or of \"0 1; 0.5 2; 1 4\"",
                                   "all x; outside of its rows it keeps its first and its last value",
                                   ""};
  return kTable;
}

}  // namespace catena::expr
