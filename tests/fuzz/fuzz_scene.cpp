// Reading a scene from any bytes: a scene or InputError, and a scene's JSON reads back to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  catena::SceneOptions options;
  std::string text(reinterpret_cast<const char*>(bytes), size);
  // A last line "set=..." is an override, so that these are fuzzed too.
  const std::size_t last_line = text.rfind("\nset=");
  if (last_line != std::string::npos) {
    options.overrides = {text.substr(last_line + 5)};
    text.resize(last_line + 1);
  }
  std::string json;
  try {
    json = catena::read_scene(text, options).json;
  } catch (const catena::InputError&) {
    return 0;
  }
  options.overrides.clear();
  if (catena::read_scene(json, options).json != json) std::abort();
  return 0;
}
