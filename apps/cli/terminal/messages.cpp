#include "terminal/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "scenes.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

std::optional<std::string> line_of(std::istream& stream, int number) {
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(stream, line)) return std::nullopt;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

// The line that a mistake stands in, if it is short and printable.
std::optional<std::string> source_line(const Place& place) {
  std::optional<std::string> line;
  if (const ShippedScene* shipped = find_shipped_scene(place.source)) {
    std::istringstream stream{std::string(shipped->text)};
    line = line_of(stream, place.line);
  } else if (std::error_code ignored; std::filesystem::is_regular_file(place.source, ignored)) {
    std::ifstream stream(place.source, std::ios::binary);
    line = line_of(stream, place.line);
  }
  constexpr std::size_t kLongest = 120;
  if (!line || line->size() > kLongest) return std::nullopt;
  std::replace(line->begin(), line->end(), '\t', ' ');
  const bool has_control = std::any_of(
      line->begin(), line->end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control) return std::nullopt;
  return line;
}

// Where standard error cannot be written either (a file on a disk that is full), there is nobody left to
// tell.
template <class... Parts>
void print_error(fmt::format_string<Parts...> format, Parts&&... parts) {
  const std::string text = fmt::format(format, std::forward<Parts>(parts)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_quoted(const Place& place) {
  if (place.line == 0) return;
  const std::optional<std::string> line = source_line(place);
  if (!line) return;
  print_error("{:5} | {}\n", place.line, *line);
  if (place.column == 0) return;
  const std::string before(static_cast<std::size_t>(place.column) - 1, ' ');
  print_error("      | {}{}\n", before, emphasised("^", Emphasis::error, Stream::err));
}

}  // namespace

void complain(std::string_view message) {
  print_error("{} {}\n", emphasised("catena:", Emphasis::error, Stream::err), message);
}

void note(std::string_view message) { print_error("note: {}\n", message); }

void print_mistakes(const InputError& error) {
  for (const Mistake& mistake : error.mistakes()) {
    // With a line the message names the file as compilers do, which editors understand.
    if (mistake.place.line > 0) {
      print_error("{}\n", text(mistake));
    } else {
      complain(text(mistake));
    }
    print_quoted(mistake.place);
  }
}

void print_warnings(const std::vector<Warning>& warnings, std::size_t first) {
  for (std::size_t i = first; i < warnings.size(); ++i) {
    const Place& place = warnings[i].place;
    const std::string said = "warning: " + warnings[i].message;
    if (place.line > 0) {
      print_error("{}\n", text({place, said}));
    } else {
      complain(text({place, said}));
    }
    print_quoted(place);
  }
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace catena::cli
