// The motion of a recorded run at any times: computed again from the scene inside the file, or, where that
// cannot be, interpolated between its rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/draw/film/film.h"
#include "recording/recording.h"

namespace catena::cli {

struct MotionTimes {
  double start = 0.0;
  double interval = 0.01;  // between samples
  std::size_t count = 1;
  std::size_t per_frame = 1;

  double time(std::size_t k) const { return start + interval * static_cast<double>(k); }
};

struct SampledMotion {
  draw::Motion motion;
  std::string note;  // why it is interpolated; empty: it is exact
};

// `progress` gets the time reached. Throws InputError when the run has no positions either. Interrupting
// leaves the motion empty.
SampledMotion sampled_motion(Recording& recording, const MotionTimes& times, bool interpolate,
                             const std::function<void(double)>& progress);

// The recorded rows as they are. Throws InputError when they have no positions.
draw::Motion recorded_motion(Recording& recording);

// Columns that a film of the scene needs, and rows of them as its motion.
std::vector<std::string> film_words(const Scene& scene);
draw::Motion motion_of_rows(const Scene& scene, const std::vector<Stem>& stems,
                            const std::vector<std::vector<double>>& rows);

// The time that the last row has.
double last_time(Recording& recording);

}  // namespace catena::cli
