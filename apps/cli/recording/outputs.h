// Where a recording goes: files named with -o, and standard output.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

struct Outputs {
  std::vector<std::string> files;
  bool to_stdout = false;

  // The journal while the run goes on.
  std::string journal() const { return files.front() + ".part"; }
};

// The outputs asked for, each one known to be writable. `scene_file` (may be empty) must not be among them.
// Throws InputError and touches nothing.
Outputs checked_outputs(const std::vector<std::string>& asked, const std::string& scene_file);

// Refuses a journal that an earlier run left behind, unless it is the one to be resumed.
void check_journal_is_free(const std::string& journal, const std::string& resumed);

// Whether both paths lead to the same place, whether or not it exists yet.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace catena::cli
