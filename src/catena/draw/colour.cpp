#include "catena/draw/colour.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::draw {
namespace {

// M. Okabe and K. Ito, "Color universal design" (2008); blue, vermilion, green, purple, orange, sky, and a
// grey instead of their yellow, which is lost on white paper. The dark paper's are the same hues, lighter.
constexpr std::array<std::uint32_t, kDistinctColours> kOnLight = {0x0072b2, 0xd55e00, 0x009e73, 0xb65a94,
                                                                  0xe69f00, 0x56b4e9, 0x6b7078};
constexpr std::array<std::uint32_t, kDistinctColours> kOnDark = {0x4ba3e3, 0xff8a3d, 0x2fc79a, 0xe292c3,
                                                                 0xf5bd3d, 0x9ad4f7, 0x7c838e};

// Viridis (S. van der Walt and N. Smith, 2015), nine stops.
constexpr std::array<std::uint32_t, 9> kViridis = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                                   0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};

}  // namespace

Colour mixed(const Colour& colour, const Colour& other, double share) {
  const auto mix = [&](double a, double b) { return a + (b - a) * share; };
  return {mix(colour.r, other.r), mix(colour.g, other.g), mix(colour.b, other.b), mix(colour.a, other.a)};
}

Colour faded(const Colour& colour, double alpha) { return {colour.r, colour.g, colour.b, colour.a * alpha}; }

const Theme& light_theme() {
  static const Theme theme = {.dark = false,
                              .paper = rgb(0xffffff),
                              .ink = rgb(0x1d2126),
                              .muted = rgb(0x5f666e),
                              .grid = rgb(0xe6e8eb),
                              .ground = rgb(0xf0f0ec),
                              .ground_line = rgb(0xd6d7d2),
                              .shadow = {0.10, 0.11, 0.14, 0.30},
                              .sky = rgb(0xfbfbf9)};
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme = {.dark = true,
                              .paper = rgb(0x14171c),
                              .ink = rgb(0xe8ebef),
                              .muted = rgb(0x98a1ac),
                              .grid = rgb(0x2a2f37),
                              .ground = rgb(0x1d222a),
                              .ground_line = rgb(0x343b46),
                              .shadow = {0.0, 0.0, 0.0, 0.60},
                              .sky = rgb(0x0f1216)};
  return theme;
}

Colour sequence_colour(const Theme& theme, double place) {
  // The end that the paper would swallow is left out.
  const double low = theme.dark ? 0.30 : 0.0, high = theme.dark ? 1.0 : 0.80;
  const double at = (low + (high - low) * std::clamp(place, 0.0, 1.0)) * (kViridis.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  return mixed(rgb(kViridis[k]), rgb(kViridis[k + 1]), at - static_cast<double>(k));
}

Colour series_colour(const Theme& theme, std::size_t i, std::size_t count) {
  if (count <= kDistinctColours) return rgb((theme.dark ? kOnDark : kOnLight)[i % kDistinctColours]);
  return sequence_colour(theme, static_cast<double>(i) / static_cast<double>(count - 1));
}

Colour strain_colour(double strain) {
  const double size = std::sqrt(std::clamp(std::fabs(strain), 0.0, 1.0));  // small strains show already
  return mixed(rgb(0xffffff), strain > 0.0 ? rgb(0xd7191c) : rgb(0x2c5fb8), size);
}

}  // namespace catena::draw
