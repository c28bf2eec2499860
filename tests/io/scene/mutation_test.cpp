// Damaged scenes: whatever the bytes, reading returns a scene or throws InputError.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "io/scene/scene_bits.h"

namespace catena {
namespace {

// A scene that is read must also read back from its own JSON.
void expect_scene_or_input_error(const std::string& text) {
  std::string json;
  try {
    json = scene_from(text).json;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.mistakes().empty());
    return;
  }
  EXPECT_EQ(scene_from(json).json, json) << text;
}

TEST(DamagedScene, is_read_or_refused_when_cut_anywhere) {
  for (const auto& path : shipped_scenes()) {
    const std::string text = read_scene_text(path.string());
    for (std::size_t length = 0; length < text.size(); ++length)
      expect_scene_or_input_error(text.substr(0, length));
    const std::string json = scene_from(text).json;
    for (std::size_t length = 0; length < json.size(); ++length)
      expect_scene_or_input_error(json.substr(0, length));
  }
}

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t edits = 1 + below(4);
  for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.insert(at, 1, "[]{}\"'=.,#\n-0e"[below(14)]);
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      default:
        text.insert(below(text.size()), text.substr(at, 1 + below(24)));
        break;
    }
  }
  return text;
}

TEST(DamagedScene, is_read_or_refused_after_random_edits) {
  std::mt19937 random(20240229);
  for (const auto& path : shipped_scenes()) {
    const std::string text = read_scene_text(path.string());
    const std::string json = scene_from(text).json;
    for (int i = 0; i < 300; ++i) {
      expect_scene_or_input_error(damaged(text, random));
      expect_scene_or_input_error(damaged(json, random));
    }
  }
}

}  // namespace
}  // namespace catena
