// Help texts: examples first, then usage and options.
#pragma once

#include <string>
#include <vector>

#include "commands/command.h"

namespace catena::cli {

std::string program_help();
std::string command_help(const Command& command);

// Rows of two columns, the second one wrapped to the width of a line.
struct HelpRow {
  std::string left;
  std::string right;
};
std::string two_columns(const std::vector<HelpRow>& rows);

}  // namespace catena::cli
