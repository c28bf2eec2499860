// Pictures of sweeps: maps over two axes, curves over one, histograms of draws, and a page to zoom into maps.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "catena/draw/canvas.h"
#include "catena/draw/colour.h"
#include "catena/model/sweep.h"

namespace catena::draw {

struct SweepPicture {
  std::string name;  // of its files, without ending
  std::string title, caption;
};

// Lines and dots over maps, in values of the two axes.
struct MapOverlay {
  std::string measure;  // over which; empty: over all
  std::vector<std::array<Point, 2>> lines;
  std::vector<Point> dots;
  std::string words;         // what they are, for the caption
  std::string picture = {};  // a picture of its own beside the map, by this name; empty: over the map
};

// Draws every measure into `folder`, in each of the formats ("png", "svg", "pdf"). Overlays are for sweeps of
// two axes alone.
std::vector<SweepPicture> draw_sweep(const SweepFile& sweep, const Theme& theme, const std::string& folder,
                                     const std::vector<std::string>& formats,
                                     const std::vector<MapOverlay>& overlays = {});

// A page that needs nothing else, for looking at a map closely: wheel and drag, and the numbers under the
// pointer. "": the sweep has no two axes.
std::string zoom_page(const SweepFile& sweep);

}  // namespace catena::draw
