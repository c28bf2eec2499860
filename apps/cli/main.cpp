// catena: one program, many commands.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "command_line.h"
#include "commands/command.h"
#include "commands/help.h"
#include "terminal/messages.h"

namespace catena::cli {

// A command is its own file with this function, and its place here.
using MakeCommand = Command();
MakeCommand run_command, sweep_command, merge_command, plot_command, video_command, compare_command,
    fit_command, analyze_command, check_command, convert_command, equations_command, lab_command,
    list_command, new_command, schema_command, completion_command, demo_command;

namespace {

std::vector<Command> made_commands() {
  return {
      run_command(),        sweep_command(), merge_command(),   plot_command(),  video_command(),
      compare_command(),    fit_command(),   analyze_command(), check_command(), convert_command(),
      equations_command(),  lab_command(),   list_command(),    new_command(),   schema_command(),
      completion_command(), demo_command(),
  };
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = made_commands();
  return all;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Options options_of(const Command& command) {
  Options options;
  if (command.declare) command.declare(options);
  for (const Command& kind : command.kinds) {
    Options of_kind;
    kind.declare(of_kind);
    options.join(of_kind);
  }
  options.help();
  return options;
}

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> kind_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& kind : command.kinds) names.push_back(kind.name);
  return names;
}

int perform(const Command& command, std::vector<std::string> words);

// The kind that the first word names.
int perform_kind(const Command& command, std::vector<std::string> words) {
  if (words.empty())
    throw InputError({}, fmt::format("`catena {}` needs one of {}; `catena {} --help` tells of them",
                                     command.name, alternatives(kind_names(command)), command.name));
  if (words[0] == "-h" || words[0] == "--help") {
    fmt::print("{}", command_help(command));
    return kDone;
  }
  for (const Command& kind : command.kinds) {
    if (kind.name != words[0]) continue;
    Command whole = kind;
    whole.name = command.name + " " + kind.name;
    words.erase(words.begin());
    return perform(whole, std::move(words));
  }
  const std::string near = did_you_mean(words[0], kind_names(command));
  throw InputError({}, fmt::format("`catena {}` knows no '{}'{}", command.name, words[0],
                                   near.empty() ? ", only " + alternatives(kind_names(command)) : near));
}

int perform(const Command& command, std::vector<std::string> words) {
  if (!command.kinds.empty()) return perform_kind(command, std::move(words));
  if (!take_words("catena " + command.name, options_of(command), words)) {
    fmt::print("{}", command_help(command));
    return kDone;
  }
  return command.perform();
}

[[noreturn]] void refuse_command(const std::string& word) {
  std::vector<std::string> known;
  for (const Command& command : commands()) known.push_back(command.name);
  if (is_option(word))
    throw InputError({}, fmt::format("there is no option '{}'; `catena --help` has all", word));
  const std::string near = did_you_mean(word, known);
  const std::string remedy = near.empty() ? "; `catena --help` has them all" : near;
  throw InputError({}, fmt::format("there is no command '{}'{}", word, remedy));
}

}  // namespace

int perform_words(std::vector<std::string> words) {
  const std::string name = words.at(0);
  words.erase(words.begin());
  for (const Command& command : made_commands()) {  // anew: one that was performed keeps its arguments
    if (command.name == name) return perform(command, std::move(words));
  }
  refuse_command(name);
}

namespace {

int dispatch(std::vector<std::string> arguments) {
  const bool asks_help = !arguments.empty() && arguments[0] == "help";
  if (asks_help) arguments.erase(arguments.begin());
  if (arguments.empty() || arguments[0] == "-h" || arguments[0] == "--help") {
    fmt::print("{}", program_help());
    return kDone;
  }
  if (arguments[0] == "--version") {
    fmt::print("catena {}\n{}\n", this_version(), build_facts());
    return kDone;
  }
  if (asks_help) arguments = {arguments[0], "--help"};
  return perform_words(std::move(arguments));
}

int main_status(std::vector<std::string> arguments) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is an error that is told, also before anything runs
  try {
    const int status = dispatch(std::move(arguments));
    if (std::fflush(stdout) != 0 && errno != EPIPE) {
      complain("cannot write to standard output");
      return kFailed;
    }
    return status;
  } catch (const InputError& error) {
    print_mistakes(error);
    return kMistake;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
    return kFailed;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

}  // namespace

int command_line(int count, char** words) { return main_status({words + 1, words + count}); }

}  // namespace catena::cli
