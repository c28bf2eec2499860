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

// Long scenes repeat themselves: they are cut in as many places as take the time of one of 4000 letters.
void cut(const std::string& text) {
  constexpr std::size_t kLetters = 4000;
  const std::size_t apart = 1 + text.size() * text.size() / (kLetters * kLetters);
  for (std::size_t length = 0; length < text.size(); length += apart)
    expect_scene_or_input_error(text.substr(0, length));
}

TEST(DamagedScene, is_read_or_refused_when_cut_anywhere) {
  for (const auto& path : shipped_scenes()) {
    const std::string text = read_scene_text(path.string());
    cut(text);
    cut(scene_from(text).json);
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
    const int edits = json.size() > 20'000 ? 10 : 300;
    for (int i = 0; i < edits; ++i) {
      expect_scene_or_input_error(damaged(text, random));
      expect_scene_or_input_error(damaged(json, random));
    }
  }
}

}  // namespace
}  // namespace catena
