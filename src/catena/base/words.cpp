#include "catena/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <locale>
#include <sstream>

namespace catena {
namespace {

std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Edits (insert, delete, replace, swap neighbours) that turn a into b: optimal string alignment.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// How many characters from `at` on are decimal digits.
std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - at;
}

std::size_t sign_at(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? 1 : 0;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 64;  // longer input is no typing slip, and costs time
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::string typed = lowered(word);
  std::string best;
  int best_distance = std::max(1, static_cast<int>(typed.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    int distance = edit_distance(typed, lowered(candidate));
    const bool begins_with = typed.size() >= 3 && candidate.rfind(typed, 0) == 0;
    if (begins_with) distance = std::min(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string time_text(double seconds) {
  const auto rounded = leading_number(fmt::format("{:.12g}", seconds));
  return rounded ? number_text(rounded->value) : number_text(seconds);
}

std::string counted(std::size_t count, std::string_view one) {
  const bool is_body = one.size() >= 2 && one.substr(one.size() - 2) == "dy";
  if (count == 1) return fmt::format("1 {}", one);
  return is_body ? fmt::format("{} {}ies", count, one.substr(0, one.size() - 1))
                 : fmt::format("{} {}s", count, one);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<LeadingNumber> leading_number(std::string_view text) {
  std::size_t end = sign_at(text, 0);
  const std::size_t before_point = digits_at(text, end);
  end += before_point;
  std::size_t after_point = 0;
  if (end < text.size() && text[end] == '.') {
    after_point = digits_at(text, end + 1);
    end += 1 + after_point;
  }
  if (before_point + after_point == 0) return std::nullopt;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t exponent = end + 1 + sign_at(text, end + 1);
    const std::size_t digits = digits_at(text, exponent);
    if (digits > 0) end = exponent + digits;
  }
  // A stream in the classic locale, since from_chars for double is not everywhere and strtod heeds the
  // locale.
  std::istringstream stream{std::string(text.substr(0, end))};
  stream.imbue(std::locale::classic());
  double value = 0.0;
  stream >> value;
  if (!stream || !std::isfinite(value)) return std::nullopt;
  return LeadingNumber{value, text.substr(end)};
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 < words.size() || last.empty() ? ", " : " " + std::string(last) + " ";
    out += words[i];
  }
  return out;
}

std::string alternatives(const std::vector<std::string>& words) { return listed(words, "or"); }

}  // namespace catena
