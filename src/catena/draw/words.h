// The words of figures, in English and Japanese, and the names of recorded quantities.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catena::draw {

enum class Language { english, japanese };

std::optional<Language> language_called(std::string_view code);  // "en", "ja"

// Japanese where a font has its characters, otherwise English.
Language writable(Language wanted);

// Texts of figures. What is not in the table is returned as it is.
std::string in_words(std::string_view english, Language language);

// How a recorded quantity is called in figures.
struct QuantityName {
  std::string stem;    // "theta_dot", without chain and link
  std::string figure;  // which figure shows it: "rates"
  std::string panel;   // quantities with the same panel share axes
  std::string symbol;  // in label's mathematics
  std::string words;   // English; in_words has the Japanese
  std::string unit;
  bool total = false;  // of everything, not of a link
  bool angle = false;
};

const std::vector<QuantityName>& quantity_names();
const QuantityName* find_quantity(std::string_view stem, bool total);

// Groups of `--quantities`: which stems belong to one.
std::vector<std::string> stems_of_group(std::string_view group);
std::vector<std::string> group_names();

// Titles of figures by their names ("rates").
std::string figure_title(std::string_view figure, Language language);

// What the figure shows, in a sentence or two.
std::string figure_caption(std::string_view figure, Language language);

}  // namespace catena::draw
