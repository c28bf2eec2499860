// What may be typed after a command: arguments and options, with the places where their values go. Commands
// only say what they have; how words become values is in options.cpp, the one source that compiles CLI11.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace catena::cli {

struct Option {
  using Value = std::variant<std::monostate, bool*, int*, std::string*, std::optional<std::string>*,
                             std::vector<std::string>*>;  // monostate: asks for help

  std::vector<std::string> names;  // "-o", "--output"; an argument has one, without dashes: "SCENE"
  Value value;
  std::string kind;  // of the value, in the help: "FILE"
  std::string summary;
  int least = 0, most = 0;  // of whole numbers

  bool is_argument() const { return names.front()[0] != '-'; }
  bool takes_value() const { return value.index() > 1; }
};

class Options {
 public:
  // Of something typed twice the last counts, but for lists, which keep all. `names` has commas between.
  void argument(const std::string& name, Option::Value into, const std::string& summary);
  void flag(const std::string& names, bool& into, const std::string& summary);
  void value(const std::string& names, Option::Value into, const std::string& kind,
             const std::string& summary);
  void list(const std::string& names, std::vector<std::string>& into, const std::string& kind,
            const std::string& summary);
  void number(const std::string& names, int& into, const std::string& kind, int least, int most,
              const std::string& summary);

  void help();

  // Those of another that it does not have, by their names.
  void join(const Options& other);

  const std::vector<Option>& all() const { return all_; }

 private:
  std::vector<Option> all_;
};

// Puts what was typed where the options of `command` ("catena run") want it; false where help was asked for.
// Throws InputError.
bool take_words(const std::string& command, const Options& options, const std::vector<std::string>& words);

}  // namespace catena::cli
