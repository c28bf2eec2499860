// Settings given beside a scene, and what they change in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/lab/run.h"
#include "catena/model/scene.h"
#include "scenes.h"

namespace catena {

// All as text, as people type them.
struct Settings {
  std::optional<std::string> duration, sample, method, tolerance, step, order;
  std::vector<std::string> set;     // "chain.links.1.mass=2"
  std::vector<std::string> events;  // formulas, or tables { when = .. }
  std::optional<std::string> max_step;
};

struct Override {
  std::string assignment;  // "simulation.duration=5"
  std::string typed;       // "--duration 5": what messages call it
};

// `form` says how a setting was typed: "--{} {}", "{}={}".
std::vector<Override> overrides_of(const Settings& settings, const char* form);

// Mistakes in overrides, named as these were typed.
std::vector<Mistake> as_typed(std::vector<Mistake> mistakes, const std::vector<Override>& overrides);

// The scene with the overrides applied. Mistakes in these name them as they were typed.
Scene scene_with(const SceneText& text, const std::vector<Override>& overrides,
                 const std::vector<std::string>& events);

// The largest this process has been.
double peak_memory_bytes();

// When rows are recorded. Throws InputError when there would be more rows than any disk holds.
Schedule schedule_of(const Scene& scene);

}  // namespace catena
