// Going on from a recorded run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/io/record/record.h"
#include "catena/lab/run.h"
#include "recording/scene_arguments.h"

namespace catena::cli {

// A recorded run that is to go on.
struct Resumption {
  std::string path;
  std::unique_ptr<RunReader> recording;
  SceneText scene_text;  // as recorded
  Scene scene;
  std::size_t kept_rows = 0;   // that the new run has too
  bool nothing_to_do = false;  // the recording has all that is asked for
};

// Throws InputError when there is no run with a scene at `path`.
Resumption opened_recording(const std::string& path);

// "demo.h5.part" -> "demo.h5", other files themselves.
std::string file_to_resume_into(const std::string& path);

// Refuses to go on with other chains or another gravity.
void check_same_motion(const Resumption& resumption, const Scene& asked);

// Refuses to go on in place of a function of Python's that made the run; who names another method may.
void check_method_is_here(const Resumption& resumption);

// Words for `Columns` that give the recorded ones again.
std::vector<std::string> recorded_quantities(const std::vector<Stem>& stems, const Lab& lab);

// Finds the rows that stay, brings the lab to where the recording ended, a change of method being noted by
// the lab.
void take_up(Resumption& resumption, Lab& lab, const Schedule& schedule, const Columns& columns);

}  // namespace catena::cli
