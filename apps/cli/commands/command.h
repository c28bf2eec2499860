// What a command of the program is. Help, dispatch and completion derive from these records.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terminal/options.h"

namespace catena::cli {

struct Example {
  std::string line;
  std::string meaning;
};

// What may follow a command besides options.
struct Operand {
  std::vector<std::string> words = {};
  bool scene = false;  // the name of a shipped scene
  bool file = false;
};

struct Command {
  std::string name;
  std::string summary;  // one line
  std::string usage;    // "catena run SCENE [-o FILE]... [options]"
  std::vector<Example> examples;
  Operand operand = {};                   // for completion
  std::function<void(Options&)> declare;  // its arguments and options
  std::function<int()> perform;           // returns the exit status
  // Of a command that does several things: these, by the word that follows it, in place of what it declares
  // and performs itself. Their names are those words.
  std::vector<Command> kinds = {};
};

// Exit statuses, as the formats page promises.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kMistake = 2;
constexpr int kInterrupted = 130;

const std::vector<Command>& commands();
const Command* find_command(const std::string& name);

// Does what was typed behind `catena`: a command's name and its words. Returns the exit status, or throws
// InputError.
int perform_words(std::vector<std::string> words);

// What a command has, the option that asks for help included; with kinds, what any of them has.
Options options_of(const Command& command);

}  // namespace catena::cli
