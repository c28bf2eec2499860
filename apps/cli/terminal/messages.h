// Messages to the user on standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "catena/base/mistake.h"

namespace catena::cli {

// One line "catena: ...".
void complain(std::string_view message);

// A line that is no mistake: what was decided, what may help.
void note(std::string_view message);

// Every mistake on a line of its own; below it the line of the file it stands in, with a caret.
void print_mistakes(const InputError& error);

// Likewise what is no mistake and should be said all the same; from the `first` on.
void print_warnings(const std::vector<Warning>& warnings, std::size_t first = 0);

// "run.h5" as a word of a shell command, quoted where that is needed.
std::string shell_word(const std::string& word);

}  // namespace catena::cli
