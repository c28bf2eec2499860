// All commands, by the words that were typed.
#pragma once

namespace catena::cli {

// The status to leave with. words[0] is the program's name.
int command_line(int count, char** words);

}  // namespace catena::cli
