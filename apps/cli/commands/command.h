// What a command of the program is. Help, dispatch and completion derive from these records.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace catena::cli {

struct Example {
  std::string line;
  std::string meaning;
};

struct Command {
  std::string name;
  std::string summary;  // one line
  std::string usage;    // "catena run SCENE [-o FILE]... [options]"
  std::vector<Example> examples;
  std::function<void(CLI::App&)> declare;  // its arguments and options
  std::function<int()> perform;            // returns the exit status
};

// Exit statuses, as the formats page promises.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kMistake = 2;
constexpr int kInterrupted = 130;

Command run_command();
Command plot_command();
Command video_command();
Command compare_command();
Command check_command();
Command convert_command();
Command equations_command();
Command lab_command();
Command list_command();
Command new_command();
Command schema_command();
Command completion_command();

// What `catena list` can list.
std::vector<std::string> list_topics();

const std::vector<Command>& commands();
const Command* find_command(const std::string& name);

// The parser of one command, with its arguments declared.
std::unique_ptr<CLI::App> parser_of(const Command& command);

}  // namespace catena::cli
