#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/record/sweep_file.h"
#include "catena/threads/device.h"
#include "commands/command.h"
#include "commands/report.h"
#include "commands/slurm.h"
#include "recording/scene_arguments.h"
#include "recording/sweeping.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct SweepArguments : Settings {
  std::optional<std::string> plan, output, shard, submit, time;
  std::string device = "auto";
  int threads = 0, lanes = kUsualLanes, shards = 0;
  bool resume = false, status = false, json = false, quiet = false;
};

std::string asked_file(const SweepArguments& arguments, const SceneText& text) {
  const std::string file = arguments.output.value_or(text.name + ".h5");
  if (!is_sweep_format(file))
    throw InputError({"-o " + file}, fmt::format("cannot tell the format: the name must end in {}",
                                                 alternatives(sweep_endings())));
  const fs::path folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InputError({"-o " + file},
                     fmt::format("there is no folder '{}': create it first", folder.string()));
  if (fs::is_directory(file, ignored)) throw InputError({"-o " + file}, "is a folder: choose another name");
  return file;
}

void check_arguments(const SweepArguments& arguments) {
  if (!arguments.plan) throw InputError({}, "`catena sweep` needs a plan: catena sweep flip-map");
  const std::vector<std::string> devices{"cpu", "gpu", "auto"};
  if (std::find(devices.begin(), devices.end(), arguments.device) == devices.end())
    throw InputError({"--device " + arguments.device},
                     fmt::format("there are cpu, gpu and auto{}", did_you_mean(arguments.device, devices)));
  if (arguments.lanes != 1 && arguments.lanes != 4 && arguments.lanes != 8)
    throw InputError({fmt::format("--lanes {}", arguments.lanes)}, "there are 1, 4 and 8");
  if (arguments.submit && *arguments.submit != "slurm")
    throw InputError({"--submit " + *arguments.submit},
                     "there is slurm; other systems start parts by --shard i/n");
  if (!arguments.submit && (arguments.shards > 0 || arguments.time))
    throw InputError({arguments.shards > 0 ? "--shards" : "--time"}, "is for --submit slurm");
  if (arguments.submit && arguments.shards == 0)
    throw InputError({"--submit slurm"}, "needs --shards N: how many jobs share the work");
  if (arguments.submit && arguments.shard)
    throw InputError({"--submit slurm"}, "and --shard exclude each other");
}

void say(const SweepArguments& arguments, const std::string& text) {
  if (!arguments.quiet && !arguments.json) fmt::print("{}", text);
}

std::string report(const SweepOutcome& outcome, const std::string& file) {
  const SweepResults& results = outcome.file.results;
  const auto summary = nlohmann::json::parse(outcome.file.info.summary_json);
  const double seconds = summary["seconds"];
  std::string out =
      fmt::format("{} of {} in {:.3g} s on {}, {} steps\n",
                  results.count - results.counted(CaseStatus::not_computed), counted(results.count, "case"),
                  seconds, counted(summary["threads"].get<std::size_t>(), "thread"), results.steps);
  if (summary["device"] != "cpu") out += fmt::format("on {}\n", summary["device"].get<std::string>());
  if (const auto redone = summary["redone"].get<std::size_t>(); redone > 0)
    out += fmt::format("{} redone by labs, one after the other\n", counted(redone, "case"));
  if (summary.contains("not_in_lanes"))
    out += fmt::format("one case after another, not side by side in lanes: {}\n",
                       summary["not_in_lanes"].get<std::string>());
  for (std::size_t m = 0; m < results.names.size(); ++m) {
    const auto& one = summary["measures"][results.names[m]];
    if (one["count"] == 0) {
      out += fmt::format("  {}: no number in any case\n", results.names[m]);
    } else {
      out += fmt::format("  {}: {:.6g} to {:.6g}, mean {:.6g}, in {}\n", results.names[m],
                         one["min"].get<double>(), one["max"].get<double>(), one["mean"].get<double>(),
                         counted(one["count"].get<std::size_t>(), "case"));
    }
  }
  out += fmt::format("hash {}\nwrote {}\n", summary["hash"].get<std::string>(), file);
  return out;
}

void tell_failures(const SweepResults& results) {
  const std::uint64_t failed = results.counted(CaseStatus::failed);
  if (failed == 0) return;
  complain(fmt::format("{} of {} failed; their measures are nan, `reasons` in the file has why", failed,
                       counted(results.count, "case")));
  int told = 0;
  for (const CaseReason& reason : results.reasons) {
    if (results.status[reason.index - results.first] != CaseStatus::failed || ++told > 3) continue;
    note(fmt::format("case {}: {}", reason.index, reason.text));
  }
}

void tell_warnings(const SweepResults& results) {
  constexpr std::size_t kMost = 5;
  const std::vector<WarnedCases> warned = results.warned();
  for (std::size_t i = 0; i < std::min(warned.size(), kMost); ++i) {
    complain(fmt::format("warning in {} of {}, first in case {}: {}", warned[i].count,
                         counted(results.count, "case"), warned[i].first, warned[i].text));
  }
  if (warned.size() > kMost)
    note(fmt::format("{} more, in `warnings` of the summary", counted(warned.size() - kMost, "kind")));
}

int computed(const SweepArguments& arguments, SweepJob job) {
  if (!job.shard.from.empty() && !arguments.quiet)
    note(fmt::format("shard {} of {} ({}): cases {} to {}, into {}", job.shard.number, job.shard.of,
                     job.shard.from, job.range.first, job.range.first + job.range.count - 1, job.file));
  const SweepOutcome outcome = swept(job);
  if (outcome.before > 0 && !arguments.quiet)
    note(fmt::format("{} of {} cases were there already", outcome.before, outcome.file.results.count));
  if (!outcome.other_bits.empty()) complain(fmt::format("{} {}", job.file, outcome.other_bits));
  say(arguments, report(outcome, job.file));
  if (arguments.json) fmt::print("{}\n", pretty_json(outcome.file.info.summary_json));
  tell_failures(outcome.file.results);
  tell_warnings(outcome.file.results);
  if (outcome.interrupted) {
    complain(fmt::format("interrupted: what was computed is in {}; the same command with --resume goes on",
                         job.file));
    return kInterrupted;
  }
  const SweepResults& results = outcome.file.results;
  return results.count > 0 && results.counted(CaseStatus::failed) == results.count ? kFailed : kDone;
}

// `auto` takes a GPU where there is one, and says why not where it is of no use.
void choose_device(const SweepArguments& arguments, SweepThreads& threads) {
  if (arguments.device == "gpu") return threads.use_gpu();
  if (arguments.device == "cpu" || !device_refusal().empty()) return;
  try {
    threads.use_gpu(true);
  } catch (const InputError& error) {
    if (!arguments.quiet) note(fmt::format("on the processor: {}", error.mistakes().front().message));
  }
}

int perform(const SweepArguments& arguments) {
  check_arguments(arguments);
  const SceneText text = find_sweep(*arguments.plan);
  SweepJob job;
  job.file = asked_file(arguments, text);
  job.loaded = load_sweep(text, overrides_of(arguments, "--{} {}"));
  std::vector<Warning> warnings = job.loaded.scene.warnings;
  for (const Warning& warning : job.loaded.sweep->warnings()) {
    const auto is_known = [&](const Warning& known) { return known.message == warning.message; };
    if (std::none_of(warnings.begin(), warnings.end(), is_known)) warnings.push_back(warning);
  }
  print_warnings(warnings);
  if (arguments.status) {
    fmt::print("{}{}", progress_report(job.loaded, job.file), slurm_report(job.file));
    return kDone;
  }
  if (arguments.submit) {
    return submit_to_slurm({*arguments.plan, job.file, overrides_of(arguments, "--{} {}"),
                            static_cast<std::uint64_t>(arguments.shards), arguments.time, arguments.threads,
                            job.loaded.sweep->cases().count()});
  }
  job.shard = arguments.shard ? shard_from(*arguments.shard) : shard_from_environment();
  const std::uint64_t cases = job.loaded.sweep->cases().count();
  if (job.shard.of > cases)
    throw InputError({job.shard.from},
                     fmt::format("there are only {} for so many shards", counted(cases, "case")));
  // Processes that share a command line share its -o, too.
  if (!arguments.shard && job.shard.is_part()) job.file = shard_file(job.file, job.shard);
  if (arguments.shard && job.shard.is_part() && !arguments.output) job.file = shard_file(job.file, job.shard);
  job.range = shard_range(cases, job.shard.number, job.shard.of);
  job.resumes = arguments.resume;
  job.threads = static_cast<unsigned>(arguments.threads);
  job.lanes = arguments.lanes;
  job.quiet = arguments.quiet || arguments.json;
  choose_device(arguments, *job.loaded.threads);
  return computed(arguments, std::move(job));
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> out;
  for (const ShippedScene& sweep : shipped_sweeps()) out.emplace_back(sweep.name);
  return out;
}

}  // namespace

Command sweep_command() {
  const auto arguments = std::make_shared<SweepArguments>();
  return {
      .name = "sweep",
      .summary = "compute many cases of a scene: maps, sweeps, random draws",
      .usage = "catena sweep PLAN [-o FILE] [options]",
      .examples = {{"catena sweep flip-map", "a map of when a double pendulum turns over, into flip-map.h5"},
                   {"catena sweep plan.toml -o map.h5 --resume", "go on where it was cut off"},
                   {"catena sweep plan.toml --shard 2/4 -o part2.h5",
                    "a quarter of the cases; `catena merge` joins"},
                   {"catena sweep plan.toml -o map.h5 --submit slurm --shards 64 --time 2:00",
                    "as an array of jobs"}},
      .operand = {.words = shipped_names(), .file = true},
      .declare =
          [arguments](Options& options) {
            options.argument(
                "PLAN", &arguments->plan,
                "a file with [sweep], - for standard input, or a name from `catena list sweeps`");
            options.value(
                "-o,--output", &arguments->output, "FILE",
                fmt::format("where the arrays go: {}. Default: <plan>.h5", alternatives(sweep_endings())));
            options.flag("--resume", arguments->resume,
                         "go on with what FILE and FILE.part have; else begin");
            options.value(
                "--shard", &arguments->shard, "I/N",
                "compute part I of N, from 1. Left out: as Slurm, OpenMPI or MPICH number their processes");
            options.value("--device", &arguments->device, "WHERE",
                          "cpu, gpu or auto, with the same results. Default: auto");
            options.number("--threads", arguments->threads, "N", 0, 65536,
                           "0, the default: one for each core");
            options.number("--lanes", arguments->lanes, "N", 1, 8,
                           "cases side by side on a thread: 1, 4 or 8, with the same results. Default: 4");
            options.value("--submit", &arguments->submit, "SYSTEM",
                          "slurm: an array of jobs, and one that merges");
            options.number("--shards", arguments->shards, "N", 1, 1000000, "of --submit: how many jobs");
            options.value("--time", &arguments->time, "H:MM", "of --submit: the limit of each job");
            options.flag("--status", arguments->status, "how far it is, its shards and jobs included");
            options.value("--duration", &arguments->duration, "S", "seconds to simulate");
            options.value("--method", &arguments->method, "NAME", "a name from `catena list methods`");
            options.value("--tolerance", &arguments->tolerance, "X",
                          "error allowed per step, for methods that choose their step");
            options.value("--step", &arguments->step, "S", "the step, for methods of fixed step");
            options.value("--max-step", &arguments->max_step, "S", "no step is longer");
            options.value("--order", &arguments->order, "N",
                          "order of taylor, instead of the automatic choice");
            options.list("--set", arguments->set, "PATH=VALUE",
                         "override anything in the scene or the plan, as in chain.links.1.mass=2, "
                         "sweep.vary.a.count=400");
            options.flag("--json", arguments->json, "the summary as JSON");
            options.flag("-q,--quiet", arguments->quiet, "say nothing unless something is wrong");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
