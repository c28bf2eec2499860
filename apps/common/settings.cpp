#include "settings.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/scene.h"

namespace catena {
namespace {

constexpr double kMostRows = 1e12;

// Numbers as people type them (".5") are not all numbers to TOML.
std::string toml_value(const std::string& typed) {
  const auto number = leading_number(trimmed(typed));
  return number && number->rest.empty() ? number_text(number->value) : typed;
}

std::string toml_string(const std::string& typed) {
  std::string out = "\"";
  for (const char c : typed) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<Mistake> as_typed(std::vector<Mistake> mistakes, const std::vector<Override>& overrides) {
  for (Mistake& mistake : mistakes) {
    for (const Override& one : overrides) {
      if (mistake.place.source == "--set " + one.assignment) mistake.place.source = one.typed;
    }
  }
  return mistakes;
}

std::vector<Override> overrides_of(const Settings& settings, const char* form) {
  std::vector<Override> out;
  const auto typed_as = [&](const char* name, const std::string& value) {
    return fmt::format(fmt::runtime(form), name, value);
  };
  for (const std::string& assignment : settings.set) out.push_back({assignment, typed_as("set", assignment)});
  const auto add = [&](const char* field, const std::optional<std::string>& typed) {
    if (typed)
      out.push_back({fmt::format("simulation.{}={}", field, toml_value(*typed)), typed_as(field, *typed)});
  };
  add("duration", settings.duration);
  add("sample", settings.sample);
  add("tolerance", settings.tolerance);
  add("step", settings.step);
  if (settings.max_step) {
    out.push_back(
        {"simulation.max_step=" + toml_value(*settings.max_step), typed_as("max-step", *settings.max_step)});
  }
  add("order", settings.order);
  if (settings.method) {
    const std::string typed = typed_as("method", *settings.method);
    out.push_back({"simulation.method=" + toml_string(*settings.method), typed});
    // An order was meant for the method it stood beside.
    if (!settings.order) out.push_back({"simulation.order=default", typed});
  }
  return out;
}

Scene scene_with(const SceneText& text, const std::vector<Override>& overrides,
                 const std::vector<std::string>& events) {
  SceneOptions options;
  options.source = text.source;
  options.name = text.name;
  options.methods = method_names();
  options.refusal = settings_refusal;
  options.events = events;
  options.overrides = text.set;
  for (const Override& one : overrides) options.overrides.push_back(one.assignment);
  try {
    Scene scene = read_scene(text.text, options);
    scene.warnings = as_typed(std::move(scene.warnings), overrides);
    if (!text.note.empty()) scene.warnings.insert(scene.warnings.begin(), {{}, text.note});
    return scene;
  } catch (const InputError& error) {
    throw InputError(as_typed(error.mistakes(), overrides));
  }
}

double peak_memory_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

Schedule schedule_of(const Scene& scene) {
  const double rows = scene.simulation.duration / scene.simulation.sample;
  if (!(rows < kMostRows)) {
    throw InputError(
        {scene.name},
        fmt::format("{} s recorded every {} s would be {:.1g} rows: choose a larger "
                    "sample or a shorter duration",
                    number_text(scene.simulation.duration), number_text(scene.simulation.sample), rows));
  }
  return Schedule::grid(scene.simulation.sample, scene.simulation.duration);
}

}  // namespace catena
