// Pictures of sweeps: maps over two axes, curves over one, histograms of draws, and a page to zoom into maps.
#pragma once

#include <string>
#include <vector>

#include "catena/draw/colour.h"
#include "catena/model/sweep.h"

namespace catena::draw {

struct SweepPicture {
  std::string name;  // of its files, without ending
  std::string title, caption;
};

// Draws every measure into `folder`, in each of the formats ("png", "svg", "pdf").
std::vector<SweepPicture> draw_sweep(const SweepFile& sweep, const Theme& theme, const std::string& folder,
                                     const std::vector<std::string>& formats);

// A page that needs nothing else, for looking at a map closely: wheel and drag, and the numbers under the
// pointer. "": the sweep has no two axes.
std::string zoom_page(const SweepFile& sweep);

}  // namespace catena::draw
