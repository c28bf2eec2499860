// Numbers with more digits than a double keeps, in scenes that ask for more digits.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// The end of the number that begins at `at`: "1_000.5e-3".
std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == '_')) ++at;
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) ++digits;
  if (digits >= text.size() || !is_digit(text[digits])) return at;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  return digits;
}

// Digits that count and the power of ten behind them: equal for equal numbers.
std::pair<std::string, int> decimal_of(std::string_view number) {
  std::string digits;
  int exponent = 0;
  bool behind = false;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] == 'e' || number[i] == 'E') {
      exponent += std::atoi(std::string(number.substr(i + 1)).c_str());
      break;
    }
    if (number[i] == '.') behind = true;
    if (!is_digit(number[i])) continue;
    digits += number[i];
    exponent -= behind ? 1 : 0;
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back(), ++exponent;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return {digits, digits.empty() ? 0 : exponent};
}

bool loses_digits(std::string_view number) {
  constexpr std::size_t kSafe = 15;  // so many always come back
  std::string plain(number);
  std::erase(plain, '_');
  const auto written = decimal_of(plain);
  const auto value = leading_number(plain);
  return written.first.size() > kSafe && value && value->rest.empty() &&
         decimal_of(number_text(value->value)) != written;
}

}  // namespace

void warn_of_lost_digits(std::string_view text, const std::string& source, Mistakes& mistakes) {
  const auto name = std::make_shared<const std::string>(source);
  int line = 1, column = 1;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') quoted = !quoted;
    if (c == '#' && !quoted) {  // a comment
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const bool begins = is_digit(c) && (at == 0 || !is_word(text[at - 1]));
    const std::size_t end = begins ? end_of_number(text, at) : at + 1;
    if (begins && loses_digits(text.substr(at, end - at))) {
      const std::string number(text.substr(at, end - at));
      mistakes.warn({name, line, column},
                    fmt::format("{} has more digits than are kept: it counts as {}", one_line(number),
                                number_text(leading_number(number)->value)));
    }
    column += static_cast<int>(end - at);
    if (c == '\n') ++line, column = 1, quoted = false;
    at = end;
  }
}

}  // namespace catena
