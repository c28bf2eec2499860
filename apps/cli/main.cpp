// catena: one program, many commands.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <new>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "commands/command.h"
#include "commands/help.h"
#include "terminal/messages.h"

namespace catena::cli {

// A command is its own file with this function, and its place here.
using MakeCommand = Command();
MakeCommand run_command, plot_command, video_command, compare_command, check_command, convert_command,
    equations_command, lab_command, list_command, new_command, schema_command, completion_command;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      run_command(),   plot_command(),    video_command(),     compare_command(),
      check_command(), convert_command(), equations_command(), lab_command(),
      list_command(),  new_command(),     schema_command(),    completion_command(),
  };
  return all;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::unique_ptr<CLI::App> parser_of(const Command& command) {
  auto parser = std::make_unique<CLI::App>(command.summary, "catena " + command.name);
  parser->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command.declare(*parser);
  parser->set_help_flag("-h,--help", "this text");
  parser->allow_extras();
  return parser;
}

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

[[noreturn]] void refuse_leftovers(const CLI::App& parser, const std::vector<std::string>& leftovers) {
  std::string first = leftovers.front();
  for (const std::string& word : leftovers) {
    if (is_option(word) && !is_option(first)) first = word;
  }
  if (!is_option(first)) {
    throw InputError({}, fmt::format("'{}' is one argument too many for `{}`", first, parser.get_name()));
  }
  first = first.substr(0, first.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string near = did_you_mean(first, known);
  const std::string remedy = near.empty() ? fmt::format("; `{} --help` has all", parser.get_name()) : near;
  throw InputError({}, fmt::format("`{}` has no option '{}'{}", parser.get_name(), first, remedy));
}

// CLI11 words it "--duration: 1 required TEXT missing".
std::string parse_error_text(const CLI::ParseError& error) {
  std::string text = error.what();
  const bool is_missing_value = text.find(" required ") != std::string::npos && text.ends_with(" missing");
  if (!is_missing_value) return text;
  return text.substr(0, text.find(':')) + " needs a value after it";
}

int perform(const Command& command, std::vector<std::string> arguments) {
  const std::unique_ptr<CLI::App> parser = parser_of(command);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    parser->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", command_help(command));
    return kDone;
  } catch (const CLI::ParseError& error) {
    throw InputError({}, parse_error_text(error));
  }
  if (const std::vector<std::string> leftovers = parser->remaining(); !leftovers.empty()) {
    refuse_leftovers(*parser, leftovers);
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

int dispatch(std::vector<std::string> arguments) {
  const bool asks_help = !arguments.empty() && arguments[0] == "help";
  if (asks_help) arguments.erase(arguments.begin());
  if (arguments.empty() || arguments[0] == "-h" || arguments[0] == "--help") {
    fmt::print("{}", program_help());
    return kDone;
  }
  if (arguments[0] == "--version") {
    fmt::print("catena {}\n", CATENA_VERSION);
    return kDone;
  }
  const Command* command = find_command(arguments[0]);
  if (command == nullptr) refuse_command(arguments[0]);
  arguments.erase(arguments.begin());
  if (asks_help) arguments = {"--help"};
  return perform(*command, std::move(arguments));
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
}  // namespace catena::cli

int main(int count, char** words) { return catena::cli::main_status({words + 1, words + count}); }
