#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/lab.h"
#include "commands/command.h"
#include "scenes.h"

namespace catena::cli {
namespace {

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string scene_names() {
  std::vector<std::string> names;
  for (const ShippedScene& scene : shipped_scenes()) names.emplace_back(scene.name);
  return joined(names);
}

std::string quantity_names() {
  std::vector<std::string> names = {"all"};
  for (const QuantityInfo& quantity : quantities()) {
    for (const std::string& name : {quantity.group, quantity.stem}) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return joined(names);
}

std::vector<Option> options_after(const Command& command) {
  std::vector<Option> options = options_of(command).all();
  std::erase_if(options, [](const Option& option) { return option.is_argument(); });
  return options;
}

// A summary as it may stand between single quotes, and in zsh's brackets.
std::string harmless(std::string text) {
  std::erase_if(text, [](char c) { return std::string_view("'[]:`").find(c) != std::string_view::npos; });
  return text;
}

std::string command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return joined(names);
}

std::string words_of(const Operand& operand) {
  return joined(operand.words) + (operand.scene ? scene_names() : "");
}

std::string bash_script() {
  std::string cases;
  for (const Command& command : commands()) {
    std::vector<std::string> options;
    for (const Option& option : options_after(command))
      options.insert(options.end(), option.names.begin(), option.names.end());
    const std::string words = words_of(command.operand);
    cases += fmt::format("    {}) options='{}' words='{}' files={} ;;\n", command.name, joined(options),
                         words, command.operand.file ? "yes" : "");
  }
  return fmt::format(R"(# bash completion for catena; load it with: source <(catena completion bash)
_catena() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' words='' files=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case $before in
    --method) COMPREPLY=($(compgen -W '{}' -- "$word")); return ;;
    --quantities)
      local list=''
      [[ $word == *,* ]] && list=${{word%,*}},
      COMPREPLY=($(compgen -P "$list" -W '{}' -- "${{word##*,}}"))
      return ;;
    -o | --output | --resume) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --times | --duration | --sample | --tolerance | --step | --order | --set) return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ -z $files ]] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _catena catena
)",
                     command_names(), joined(method_names()), quantity_names(), cases);
}

// How zsh completes the value of an option.
std::string zsh_value(const Option& option) {
  if (!option.takes_value()) return "";
  const std::string& name = option.names.back();
  if (name == "--method") return fmt::format(":method:({})", joined(method_names()));
  if (name == "--quantities") return fmt::format(":quantities:_values -s , quantity {}", quantity_names());
  if (name == "--output" || name == "--resume") return ":file:_files";
  return fmt::format(":{}: ", name.substr(2));
}

std::string zsh_script() {
  std::string cases;
  for (const Command& command : commands()) {
    std::string arguments;
    for (const Option& option : options_after(command)) {
      for (const std::string& name : option.names) {
        arguments +=
            fmt::format(" \\\n        '*{}[{}]{}'", name, harmless(option.summary), zsh_value(option));
      }
    }
    const std::string words = words_of(command.operand);
    if (command.operand.scene) {
      arguments += fmt::format(" \\\n        '1:scene:{{compadd {}; _files}}'", words);
    } else if (command.operand.file) {
      arguments += " \\\n        '1:file:_files'";
    } else if (!words.empty()) {
      arguments += fmt::format(" \\\n        '1:{}:({})'", command.name, words);
    }
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command.name, arguments);
  }
  std::string names;
  for (const Command& command : commands())
    names += fmt::format(" '{}:{}'", command.name, harmless(command.summary));
  return fmt::format(R"(#compdef catena
# zsh completion for catena; load it with: source <(catena completion zsh)
_catena() {{
  if ((CURRENT == 2)); then
    local -a names=({} )
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  ((CURRENT--))
  case $name in
{}  esac
}}
compdef _catena catena
)",
                     names, cases);
}

std::string fish_option(const Command& command, const Option& option) {
  std::string line = fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value()) line += " -r";
  const std::string& name = option.names.back();
  if (name == "--method") line += fmt::format(" -f -a '{}'", joined(method_names()));
  if (name == "--quantities") line += fmt::format(" -f -a '{}'", quantity_names());
  if (name == "--output" || name == "--resume") line += " -F";
  return line + fmt::format(" -d '{}'\n", harmless(option.summary));
}

std::string fish_script() {
  std::string out =
      "# fish completion for catena; load it with: catena completion fish | source\ncomplete -c catena -f\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c catena -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       harmless(command.summary));
    const std::string words = words_of(command.operand);
    if (!words.empty() || command.operand.file) {
      out += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' {}", command.name,
                         command.operand.file ? "-F" : "-f");
      out += words.empty() ? "\n" : fmt::format(" -a '{}'\n", words);
    }
    for (const Option& option : options_after(command)) out += fish_option(command, option);
  }
  return out;
}

int perform(const std::string& shell) {
  if (shell.empty()) throw InputError({}, "`catena completion` needs a shell: " + alternatives(kShells));
  if (shell == "bash") fmt::print("{}", bash_script());
  if (shell == "zsh") fmt::print("{}", zsh_script());
  if (shell == "fish") fmt::print("{}", fish_script());
  if (std::find(kShells.begin(), kShells.end(), shell) != kShells.end()) return kDone;
  const std::string near = did_you_mean(shell, kShells);
  throw InputError({}, fmt::format("there is no completion for '{}'{}", shell,
                                   near.empty() ? ", only for bash, zsh and fish" : near));
}

}  // namespace

Command completion_command() {
  const auto shell = std::make_shared<std::string>();
  return {
      .name = "completion",
      .summary = "print a completion script for a shell",
      .usage = "catena completion bash|zsh|fish",
      .examples = {{"source <(catena completion bash)", "try it, in bash"},
                   {"catena completion bash >> ~/.bashrc", "keep it"},
                   {"catena completion fish | source", "in fish"}},
      .operand = {.words = kShells},
      .declare = [shell](Options& options) { options.argument("SHELL", shell.get(), "bash, zsh or fish"); },
      .perform = [shell] { return perform(*shell); },
  };
}

}  // namespace catena::cli
