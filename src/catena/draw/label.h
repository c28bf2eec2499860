// Text of a figure with a little mathematics: "$\dot θ_1$ (rad/s)", "10^{-12}" inside $ $.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::draw {

// A piece of a label in one style. Inside $ $ letters are italic, digits upright, `_` and `^` lower and raise
// the next character or {group}, \dot puts a dot above the next one, and "-" is a minus sign.
struct LabelRun {
  std::string text;
  bool italic = false;
  bool bold = false;
  bool dotted = false;  // a dot above: the rate of it
  double scale = 1.0;   // of the font size
  double rise = 0.0;    // of the baseline, in font sizes
};

std::vector<LabelRun> label_runs(std::string_view label);

// The text with nothing in it that label_runs would take for mathematics.
std::string plain_label(std::string_view text);

// A number inside $ $ as people write it: "2.5", "10^{-3}", "3\times10^{5}".
std::string number_label(double value, int digits);

// Characters of a UTF-8 text; bad bytes are taken as they are.
std::vector<char32_t> characters(std::string_view text);
std::string utf8(char32_t character);

}  // namespace catena::draw
