#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/sweep_file.h"
#include "commands/command.h"
#include "commands/report.h"
#include "sweeps.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::optional<std::string> output;
  bool json = false, quiet = false;
};

// Seconds of all parts together, and their device.
SweepTiming timing_of(const std::vector<std::pair<std::string, SweepFile>>& parts) {
  SweepTiming out;
  for (const auto& [path, part] : parts) {
    const auto summary = nlohmann::json::parse(part.info.summary_json, nullptr, false);
    if (!summary.is_object()) continue;
    out.seconds += summary.value("seconds", 0.0);
    out.device = summary.value("device", out.device);
    out.threads = std::max(out.threads, summary.value("threads", 1u));
  }
  return out;
}

int perform(const MergeArguments& arguments) {
  if (arguments.files.empty() || !arguments.output)
    throw InputError(
        {}, "`catena merge` needs shards and a file for all of them: catena merge map.*-of-4.h5 -o map.h5");
  if (!is_sweep_format(*arguments.output))
    throw InputError(
        {"-o " + *arguments.output},
        fmt::format("cannot tell the format: the name must end in {}", alternatives(sweep_endings())));
  std::vector<Mistake> mistakes;
  std::vector<std::pair<std::string, SweepFile>> parts;
  for (const std::string& path : arguments.files) {
    try {
      if (!std::filesystem::exists(path)) throw InputError({path}, "is not there");
      parts.emplace_back(path, read_sweep_file(path));
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  SweepFile all = merged(parts);
  all.info.summary_json = sweep_summary(all, timing_of(parts));
  write_sweep_file(all, *arguments.output);
  if (arguments.json) fmt::print("{}\n", pretty_json(all.info.summary_json));
  if (!arguments.json && !arguments.quiet) {
    const auto summary = nlohmann::json::parse(all.info.summary_json);
    fmt::print("{} from {}, {} failed\nhash {}\nwrote {}\n", counted(all.results.count, "case"),
               counted(parts.size(), "file"), summary["failed"].get<std::uint64_t>(),
               summary["hash"].get<std::string>(), *arguments.output);
  }
  return kDone;
}

}  // namespace

Command merge_command() {
  const auto arguments = std::make_shared<MergeArguments>();
  return {
      .name = "merge",
      .summary = "join the shards of a sweep",
      .usage = "catena merge FILE.. -o FILE [--json]",
      .examples = {{"catena merge map.*-of-4.h5 -o map.h5", "four shards into one file"}},
      .operand = {.file = true},
      .declare =
          [arguments](Options& options) {
            options.argument("FILE", &arguments->files,
                             "files of one sweep that together have all its cases");
            options.value("-o,--output", &arguments->output, "FILE", "the file for all of them");
            options.flag("--json", arguments->json, "the summary as JSON");
            options.flag("-q,--quiet", arguments->quiet, "say nothing unless something is wrong");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
