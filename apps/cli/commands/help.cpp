#include "commands/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "terminal/terminal.h"

namespace catena::cli {
namespace {

std::string heading(const std::string& text) { return emphasised(text, Emphasis::bold, Stream::out) + "\n"; }

std::string examples_text(const std::vector<Example>& examples) {
  std::vector<HelpRow> rows;
  rows.reserve(examples.size());
  for (const Example& example : examples) rows.push_back({example.line, example.meaning});
  return heading("Examples:") + two_columns(rows);
}

// "-o, --output FILE", or the bare name of an argument.
std::string option_text(const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.is_argument()) return names;
  return (names.starts_with("--") ? "    " : "") + names + (option.kind.empty() ? "" : " " + option.kind);
}

}  // namespace

std::string two_columns(const std::vector<HelpRow>& rows) {
  constexpr std::size_t kWidestLeft = 46;
  std::size_t left = 0;
  for (const HelpRow& row : rows) left = std::max(left, std::min(row.left.size(), kWidestLeft));
  const std::size_t right_start = 2 + left + 2;
  const std::size_t width = std::max<std::size_t>(static_cast<std::size_t>(line_width()), right_start + 30);
  std::string out;
  for (const HelpRow& row : rows) {
    std::string line = fmt::format("  {:<{}}", row.left, left);
    bool is_fresh = line.size() <= right_start - 2;
    if (!is_fresh && !row.right.empty()) {  // too wide: the right column starts below
      out += line + "\n";
      line = std::string(right_start - 2, ' ');
    }
    line += "  ";
    std::istringstream words(row.right);
    is_fresh = true;
    for (std::string word; words >> word; is_fresh = false) {
      if (!is_fresh && line.size() + 1 + word.size() > width) {
        out += line + "\n";
        line = std::string(right_start, ' ');
        is_fresh = true;
      }
      line += (is_fresh ? "" : " ") + word;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string program_help() {
  std::string out = examples_text({
      {"catena run double-pendulum", "simulate a shipped scene into double-pendulum.h5"},
      {"catena new swing", "write a scene of your own to start from"},
      {"catena run swing.toml -o swing.csv", "simulate it, and record it as text"},
      {"catena list scenes", "what is shipped"},
  });
  out += "\n" + heading("Usage: catena COMMAND [arguments]");
  out += "\nSimulates chains of pendulums in 3D, exactly and fast.\n\n";
  out += heading("Commands:");
  std::vector<HelpRow> rows;
  for (const Command& command : commands()) rows.push_back({command.name, command.summary});
  out += two_columns(rows) + "\n";
  out += heading("Options:");
  out += two_columns({{"-h, --help", "this text; `catena COMMAND --help` tells all about one command"},
                      {"    --version", "the version, and how it was built"}});
  return out;
}

std::string command_help(const Command& command) {
  std::vector<HelpRow> arguments, options;
  const Options given = options_of(command);
  for (const Option& option : given.all())
    (option.is_argument() ? arguments : options).push_back({option_text(option), option.summary});
  std::string summary = command.summary;
  summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
  std::string out = examples_text(command.examples);
  out += "\n" + heading("Usage: " + command.usage) + "\n" + summary + ".\n";
  if (!command.kinds.empty()) {
    std::vector<HelpRow> kinds;
    for (const Command& kind : command.kinds) kinds.push_back({kind.name, kind.summary});
    return out + "\n" + heading("Kinds:") + two_columns(kinds) + "\n" +
           fmt::format("`catena {} KIND --help` tells all about one.\n", command.name);
  }
  if (!arguments.empty()) out += "\n" + heading("Arguments:") + two_columns(arguments);
  return out + "\n" + heading("Options:") + two_columns(options);
}

}  // namespace catena::cli
