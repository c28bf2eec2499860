// Measured values in formulas: table("0 1; 0.5 2; 1 4", x) is the cubic spline through the rows (x, y), and
// keeps its first and its last value outside of them. It is made of operations that there are, so that
// whatever knows formulas knows tables: values, derivatives, series, more digits, lanes, kinks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

constexpr std::size_t kMostTableRows = 10'000;

struct TableRows {
  std::vector<double> x, y;
  std::string mistake;  // what is wrong with the text; "" if nothing is
};

// "0 1; 0.5 2; 1 4": rows with ';' or line breaks between, numbers with blanks or commas between; x must
// grow.
TableRows table_rows(std::string_view text);

// The pieces of the spline, y = a + b s + c s^2 + d s^3 with s = x - its left end. Its second derivative has
// no jumps, and its third none at the second row and at the last but one ("not a knot"); through three rows
// it is a parabola, through two a straight line. Where y is smooth its error is of order 4 in the distance of
// rows.
struct SplinePiece {
  double a, b, c, d;
};
std::vector<SplinePiece> spline_through(const std::vector<double>& x, const std::vector<double>& y);

// The node of table(rows, x).
NodeId table_node(Graph& graph, const TableRows& rows, NodeId x);

// What people read of it.
const Function& table_function();

}  // namespace catena::expr
