// The recorded run that an argument means, and the scene inside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/draw/plot/run_figures.h"
#include "catena/io/record/record.h"
#include "catena/model/scene.h"

namespace catena::cli {

struct Recording {
  std::string path;
  std::unique_ptr<RunReader> reader;
  std::optional<Scene> scene;        // none: the file holds none that this program understands
  std::vector<PlotSwitch> switches;  // of the classic config
  std::string name;                  // of the scene, or of the file
};

// `argument`: a recorded run, or a scene, which stands for the run that `catena run` records of it. Throws
// InputError when there is none.
Recording find_recording(const std::string& argument);

// Whether the name is that of a recorded run, and the file is not a scene in JSON.
bool is_recording(const std::string& argument);

// Its rows, as figures want them. The recording must outlive them.
draw::RunRows rows_of(Recording& recording);

// "taylor of order 27, tolerance 1e-15" from the summary; "" without one.
std::string settings_of(const Recording& recording);

// Why its motion cannot be computed again; "" if it can.
std::string why_not_again(const Recording& recording);

// Writes the text through FILE.tmp and a rename. Throws std::runtime_error.
void write_whole(const std::string& path, const std::string& text);

}  // namespace catena::cli
