// A scene's whole run from its start, with any quantities and its events: what `catena run -o -` writes.
#pragma once

#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena::web {

struct Recording {
  std::string csv;
  std::string summary;  // JSON
};

// `quantities`: columns, stems or groups; none: all. Throws InputError that names each unknown word.
Recording recording_of(const Scene& scene, const std::vector<std::string>& quantities);

}  // namespace catena::web
