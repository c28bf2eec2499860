// Studies: which scene is computed by which methods, with which settings. A TOML file of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

struct StudyCase {
  std::string name;
  std::vector<std::string> overrides;  // "chain.links.1.repeat=4"
};

struct Study {
  std::string scene;
  std::optional<double> duration;
  std::vector<std::string> methods;
  std::vector<double> steps, tolerances;
  std::vector<int> orders;
  std::string as_many_steps_as;  // a method of it: those of fixed step take as many steps as that one did
  std::vector<StudyCase> cases;  // none: the scene as it is
};

// Throws InputError with all mistakes.
Study read_study(std::string_view text, const std::string& source);

}  // namespace catena
