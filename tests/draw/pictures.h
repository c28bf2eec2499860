// What tests of pictures share: folders, decoding, and looking for texts that cover each other.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "catena/draw/plot/figure.h"

namespace catena::draw::testing {

class Pictures : public ::testing::Test {
 protected:
  Pictures() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catena-draw-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Pictures() override {
    std::error_code ignored;
    // CATENA_KEEP_PICTURES names a folder where they can be looked at.
    if (const char* keep = std::getenv("CATENA_KEEP_PICTURES")) {
      std::filesystem::create_directories(keep, ignored);
      std::filesystem::copy(
          folder_, keep,
          std::filesystem::copy_options::overwrite_existing | std::filesystem::copy_options::recursive,
          ignored);
    }
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

// Decodes a PNG, SVG or PDF by means of its own and prints "WIDTH HEIGHT"; "" when it is damaged.
inline std::string decoded(const std::string& file) {
  const std::string command =
      "/usr/bin/python3 '" CATENA_SOURCE_DIR "/tests/draw/decode.py' '" + file + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  return ::pclose(pipe) == 0 ? out : "damaged: " + out;
}

inline void expect_no_overlap(const Drawn& drawn) {
  constexpr double kTouch = 0.75;  // boxes are a little taller than what is written
  const auto shrunk = [](Rect r) {
    return Rect{r.x + kTouch, r.y + kTouch, r.width - 2 * kTouch, r.height - 2 * kTouch};
  };
  for (std::size_t i = 0; i < drawn.texts.size(); ++i) {
    const TextBox& a = drawn.texts[i];
    EXPECT_GE(a.box.x, -0.5) << a.text;
    EXPECT_GE(a.box.y, -0.5) << a.text;
    EXPECT_LE(a.box.right(), drawn.width + 0.5) << a.text;
    EXPECT_LE(a.box.bottom(), drawn.height + 0.5) << a.text;
    for (std::size_t j = 0; j < i; ++j) {
      const TextBox& b = drawn.texts[j];
      EXPECT_FALSE(shrunk(a.box).overlaps(shrunk(b.box))) << "'" << a.text << "' covers '" << b.text << "'";
    }
  }
  for (const TextBox& text : drawn.texts) {
    for (const Frame& frame : drawn.frames) {
      EXPECT_FALSE(shrunk(text.box).overlaps(shrunk(frame.rect)) && !text.text.starts_with("bar:"))
          << "'" << text.text << "' covers curves";
    }
  }
}

// How near a pixel comes to a colour, in a neighbourhood of one pixel: 0 is equal.
inline double distance_to(const Image& image, double x, double y, const Colour& colour) {
  double best = 1e9;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int px = static_cast<int>(x) + dx, py = static_cast<int>(y) + dy;
      if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
      const std::uint32_t pixel = image.at(px, py);
      const double r = (pixel >> 16 & 255u) / 255.0, g = (pixel >> 8 & 255u) / 255.0,
                   b = (pixel & 255u) / 255.0;
      best = std::min(best, std::hypot(r - colour.r, g - colour.g, b - colour.b));
    }
  }
  return best;
}

}  // namespace catena::draw::testing
