// Figures and films of a recorded run, for commands that make them along the way.
#pragma once

#include <string>

namespace catena::cli {

// What `catena plot RUN -o FOLDER` and `catena video RUN -o FILE` do, without a word.
void plot_into(const std::string& run, const std::string& folder);
void film_into(const std::string& run, const std::string& file);

}  // namespace catena::cli
