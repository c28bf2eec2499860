// Colours that colour-blind people tell apart, on light and on dark paper.
#pragma once

#include <cstddef>
#include <cstdint>

namespace catena::draw {

struct Colour {
  double r = 0.0, g = 0.0, b = 0.0, a = 1.0;
};

constexpr Colour rgb(std::uint32_t hex) {
  return {static_cast<double>(hex >> 16 & 255u) / 255.0, static_cast<double>(hex >> 8 & 255u) / 255.0,
          static_cast<double>(hex & 255u) / 255.0, 1.0};
}

// `share` of the other colour in the first one.
Colour mixed(const Colour& colour, const Colour& other, double share);
Colour faded(const Colour& colour, double alpha);

struct Theme {
  bool dark = false;
  Colour paper, ink, muted, grid;
  Colour ground, ground_line, shadow, sky;  // of pictures in space
};

const Theme& light_theme();
const Theme& dark_theme();

// Colour i of `count`: distinct hues for a few, a sequence from first to last for many.
constexpr std::size_t kDistinctColours = 7;
Colour series_colour(const Theme& theme, std::size_t i, std::size_t count);

// A place in the sequence, 0 to 1.
Colour sequence_colour(const Theme& theme, double place);

// Red stretched (1), white at rest (0), blue compressed (-1).
Colour strain_colour(double strain);

}  // namespace catena::draw
