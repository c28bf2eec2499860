#include "catena/lab/equations/equation_sheet.h"

#include <fmt/format.h>

namespace catena {
namespace {

// Words in LaTeX's text mode.
std::string escaped(const std::string& words) {
  std::string out;
  for (const char c : words) {
    if (c == '_' || c == '%' || c == '&' || c == '#' || c == '$') out += '\\';
    out += c;
  }
  return out;
}

std::string plain_section(const EquationSection& section) {
  std::string out = "\n" + section.title + "\n";
  if (!section.note.empty()) out += "  " + section.note + "\n";
  for (const EquationLine& line : section.lines) out += fmt::format("  {} = {}\n", line.left, line.right);
  return out;
}

std::string latex_section(const EquationSection& section) {
  std::string out = fmt::format("\n\\paragraph{{{}}}\n", escaped(section.title));
  if (!section.note.empty()) out += escaped(section.note) + "\n";
  if (section.lines.empty()) return out;
  out += "\\begin{align*}\n";
  for (std::size_t i = 0; i < section.lines.size(); ++i) {
    out += fmt::format("  {} &= {}{}\n", section.lines[i].left, section.lines[i].right,
                       i + 1 < section.lines.size() ? " \\\\" : "");
  }
  return out + "\\end{align*}\n";
}

}  // namespace

std::string EquationSheet::written(const expr::Graph& graph, expr::NodeId node,
                                   const std::vector<std::string>& names) const {
  expr::PrintOptions options;
  options.variables = names;
  return latex ? expr::latex(graph, node, options) : expr::text(graph, node, options);
}

std::string EquationSheet::name(const std::string& plain) const {
  expr::Graph graph;
  return written(graph, graph.variable(0), {plain});
}

std::string EquationSheet::text() const {
  std::string out = latex ? fmt::format("% {}\n", title) : title + "\n";
  for (const EquationSection& section : sections)
    out += latex ? latex_section(section) : plain_section(section);
  return out;
}

}  // namespace catena
