#include "recording/scene_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena::cli {
namespace {

std::vector<double> listed_times(const std::string& list) {
  std::vector<double> times;
  for (const std::string& word : split_list({list})) {
    const auto number = leading_number(word);
    if (!number || !number->rest.empty() || number->value < 0.0) {
      throw InputError({"--times " + list}, fmt::format("'{}' is no time: give numbers of seconds from 0 on, "
                                                        "with commas between, as in --times 1,3,10",
                                                        word));
    }
    times.push_back(number->value);
  }
  if (times.empty()) throw InputError({}, "--times needs at least one time, as in --times 1,3,10");
  const auto later = std::adjacent_find(times.begin(), times.end(), std::greater_equal<>());
  if (later != times.end()) {
    throw InputError(
        {"--times " + list},
        fmt::format("times must grow from one to the next, and {} stands before {}: rows are recorded "
                    "in the order of time, each once",
                    number_text(*later), number_text(*(later + 1))));
  }
  return times;
}

void check_times_alone(const SceneArguments& arguments) {
  if (!arguments.times) return;
  if (arguments.duration) {
    throw InputError({}, "--times and --duration exclude each other: the last of the times ends the run");
  }
  if (arguments.sample) {
    throw InputError({}, "--times and --sample exclude each other: only the times given are recorded");
  }
}

}  // namespace

void SceneArguments::declare(Options& options) {
  options.argument("SCENE", &scene, "a file, - for standard input, or a name from `catena list scenes`");
  options.value("--times", &times, "LIST", "record exactly these times and no others, as in 1,3,10");
  options.value("--duration", &duration, "S", "seconds to simulate");
  options.value("--sample", &sample, "S", "seconds between recorded rows");
  options.value("--method", &method, "NAME", "a name from `catena list methods`");
  options.value("--tolerance", &tolerance, "X", "error allowed per step, for methods that choose their step");
  options.value("--step", &step, "S", "the step, for methods of fixed step; otherwise the first one");
  options.value("--max-step", &max_step, "S", "no step is longer, for methods that choose their step");
  options.value("--order", &order, "N", "order of taylor, instead of the automatic choice");
  options.list("--set", set, "PATH=VALUE",
               "override anything in the scene, as in chain.links.1.mass=2 (items count from 1, * is all)");
  options.list("--event", events, "FORMULA",
               "a formula whose roots are events, as in theta_1; or { when = \"theta_1\", direction = "
               "\"rising\", stop = 3 }");
  options.list("--quantities", quantities, "LIST",
               "what to record: columns (energy), stems (theta) or groups (position), with commas between; "
               "`catena list quantities` has all. Default: all");
}

Scene scene_of(const SceneText& text, const SceneArguments& arguments) {
  check_times_alone(arguments);
  std::vector<Override> overrides = overrides_of(arguments, "--{} {}");
  if (arguments.times) {
    const double last = listed_times(*arguments.times).back();
    if (last > 0.0)
      overrides.push_back({"simulation.duration=" + number_text(last), "--times " + *arguments.times});
  }
  return scene_with(text, overrides, arguments.events);
}

Schedule planned_schedule(const Scene& scene, const SceneArguments& arguments) {
  return arguments.times ? Schedule::list(listed_times(*arguments.times)) : schedule_of(scene);
}

std::vector<std::string> split_list(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t end = std::min(list.find(',', start), list.size());
      const std::string_view word = trimmed(std::string_view(list).substr(start, end - start));
      if (!word.empty()) words.emplace_back(word);
      start = end + 1;
    }
  }
  return words;
}

}  // namespace catena::cli
