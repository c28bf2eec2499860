#include "terminal/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena::cli {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t end = std::min(names.find(',', start), names.size());
    out.push_back(names.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

void declare(const Option& option, CLI::App& parser) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ","));
  CLI::Option* declared = std::visit(
      [&](auto into) {
        if constexpr (std::is_same_v<decltype(into), std::monostate>)
          return parser.set_help_flag(names);
        else if constexpr (std::is_same_v<decltype(into), bool*>)
          return parser.add_flag(names, *into);
        else
          return parser.add_option(names, *into);
      },
      option.value);
  if (std::holds_alternative<std::vector<std::string>*>(option.value))
    declared->take_all()->allow_extra_args(false);
  if (std::holds_alternative<int*>(option.value)) declared->check(CLI::Range(option.least, option.most));
}

[[noreturn]] void refuse_leftovers(const std::string& command, const Options& options,
                                   const std::vector<std::string>& leftovers) {
  std::string first = leftovers.front();
  for (const std::string& word : leftovers) {
    if (is_option(word) && !is_option(first)) first = word;
  }
  if (!is_option(first))
    throw InputError({}, fmt::format("'{}' is one argument too many for `{}`", first, command));
  first = first.substr(0, first.find('='));
  std::vector<std::string> known;
  for (const Option& option : options.all()) {
    for (const std::string& name : option.names) {
      if (name.starts_with("--")) known.push_back(name);
    }
  }
  const std::string near = did_you_mean(first, known);
  const std::string remedy = near.empty() ? fmt::format("; `{} --help` has all", command) : near;
  throw InputError({}, fmt::format("`{}` has no option '{}'{}", command, first, remedy));
}

// CLI11 words it "--duration: 1 required TEXT missing".
std::string parse_error_text(const CLI::ParseError& error) {
  std::string text = error.what();
  const bool is_missing_value = text.find(" required ") != std::string::npos && text.ends_with(" missing");
  if (!is_missing_value) return text;
  return text.substr(0, text.find(':')) + " needs a value after it";
}

}  // namespace

void Options::argument(const std::string& name, Option::Value into, const std::string& summary) {
  all_.push_back({{name}, into, "", summary});
}

void Options::flag(const std::string& names, bool& into, const std::string& summary) {
  all_.push_back({split_names(names), &into, "", summary});
}

void Options::join(const Options& other) {
  for (const Option& option : other.all_) {
    const auto is_same = [&](const Option& known) { return known.names == option.names; };
    if (std::none_of(all_.begin(), all_.end(), is_same)) all_.push_back(option);
  }
}

void Options::help() { all_.push_back({{"-h", "--help"}, std::monostate(), "", "this text"}); }

void Options::value(const std::string& names, Option::Value into, const std::string& kind,
                    const std::string& summary) {
  all_.push_back({split_names(names), into, kind, summary});
}

void Options::list(const std::string& names, std::vector<std::string>& into, const std::string& kind,
                   const std::string& summary) {
  all_.push_back({split_names(names), &into, kind, summary});
}

void Options::number(const std::string& names, int& into, const std::string& kind, int least, int most,
                     const std::string& summary) {
  all_.push_back({split_names(names), &into, kind, summary, least, most});
}

bool take_words(const std::string& command, const Options& options, const std::vector<std::string>& words) {
  CLI::App parser("", command);
  parser.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  for (const Option& option : options.all()) declare(option, parser);
  parser.allow_extras();
  try {
    parser.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // backwards, as CLI11 wants them
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    throw InputError({}, parse_error_text(error));
  }
  if (const std::vector<std::string> leftovers = parser.remaining(); !leftovers.empty())
    refuse_leftovers(command, options, leftovers);
  return true;
}

}  // namespace catena::cli
