// Equations as people read them: sections of lines "left = right", as text or LaTeX.
#pragma once

#include <string>
#include <vector>

#include "catena/expr/print.h"

namespace catena {

struct EquationLine {
  std::string left, right;
};

struct EquationSection {
  std::string title;
  std::vector<EquationLine> lines;
  std::string note;  // plain words below the title
};

struct EquationSheet {
  std::string title;
  bool latex = false;
  std::vector<EquationSection> sections;

  // A node in the sheet's manner.
  std::string written(const expr::Graph& graph, expr::NodeId node,
                      const std::vector<std::string>& names) const;
  // A name alone, as it stands in formulas.
  std::string name(const std::string& plain) const;

  std::string text() const;
};

}  // namespace catena
