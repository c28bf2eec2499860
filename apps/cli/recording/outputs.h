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
  // What the journal says of the other files, so that they are made after a kill, too: as seen from its
  // folder unless they were given from the root.
  std::vector<std::string> others_beside_journal() const;
};

// The outputs asked for, each one known to be writable. `scene_file` (may be empty) must not be among them.
// Throws InputError and touches nothing.
Outputs checked_outputs(const std::vector<std::string>& asked, const std::string& scene_file);

// The other way round: files that a journal names.
std::vector<std::string> seen_from_here(const std::vector<std::string>& files, const std::string& journal);

// Refuses a journal that an earlier run left behind, unless it is the one to be resumed.
void check_journal_is_free(const std::string& journal, const std::string& resumed);

// Whether both paths lead to the same place, whether or not it exists yet.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace catena::cli
