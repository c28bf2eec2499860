// Messages to the user on standard error.
#pragma once

#include <string>
#include <string_view>

#include "catena/base/mistake.h"

namespace catena::cli {

// One line "catena: ...".
void complain(std::string_view message);

// A line that is no mistake: what was decided, what may help.
void note(std::string_view message);

// Every mistake on a line of its own; below it the line of the file it stands in, with a caret.
void print_mistakes(const InputError& error);

// "run.h5" as a word of a shell command, quoted where that is needed.
std::string shell_word(const std::string& word);

}  // namespace catena::cli
