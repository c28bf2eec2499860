// The rows of a recorded run at many more times, computed again from the scene inside the file: curves
// through them have no corners.
#pragma once

#include <string>
#include <vector>

#include "catena/draw/plot/run_figures.h"
#include "recording/recording.h"

namespace catena::cli {

struct FineRows {
  draw::RunRows rows;  // with the recording's own columns; none where `note` says why
  std::string note;    // empty also where the recorded rows are as fine as a picture can show
};

// `rows` holds what was computed, and may outlive the recording.
FineRows fine_rows(Recording& recording);

}  // namespace catena::cli
