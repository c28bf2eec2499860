// Words and numbers as people type and read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

// The known word nearest to `word`, or "" when none is near enough to be what was meant.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// ", did you mean 'length'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// The shortest text that reads back as the same bits ("0.1", "1e-15", "nan").
std::string number_text(double value);

// The same with at most 12 digits, for times that people read: 32.8, not 32.800000000000004.
std::string time_text(double seconds);

// "1 row", "2 rows"
std::string counted(std::size_t count, std::string_view one);

// Without blanks at either end.
std::string_view trimmed(std::string_view text);

// The decimal number that `text` begins with, and what follows it. None: no number, or one too large.
struct LeadingNumber {
  double value;
  std::string_view rest;
};
std::optional<LeadingNumber> leading_number(std::string_view text);

// "a, b and c" with "and" as the last word between; "": commas alone.
std::string listed(const std::vector<std::string>& words, std::string_view last);
// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

}  // namespace catena
