#include "catena/analyze/warned.h"

#include <algorithm>

#include "catena/lab/run.h"

namespace catena {

void note_warnings(const Lab& lab, std::vector<std::string>& notes) {
  const auto beginning = [](const std::string& text) {
    return text.substr(0, text.find_first_of("0123456789"));
  };
  const auto add = [&](const Warning& warning) {
    const std::string said = text(Warning{warning.place, "warning: " + warning.message});
    const auto is_known = [&](const std::string& note) {
      const std::size_t at = note.find("warning: ");
      return at != std::string::npos &&
             beginning(note.substr(at)) == beginning("warning: " + warning.message);
    };
    if (std::none_of(notes.begin(), notes.end(), is_known)) notes.push_back(said);
  };
  for (const Warning& warning : lab.warnings()) add(warning);
  if (const std::optional<Warning> energy = energy_warning(lab)) add(*energy);
}

}  // namespace catena
