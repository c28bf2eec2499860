#include "catena/lab/run.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/record/record.h"
#include "commands/command.h"
#include "commands/report.h"
#include "derivatives.h"
#include "recording/recorder.h"
#include "recording/resume.h"
#include "recording/scene_arguments.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RunArguments {
  SceneArguments scene;
  std::vector<std::string> outputs;
  std::optional<std::string> resume;
  std::vector<std::string> derivatives;
  bool json = false;
  bool quiet = false;
  bool progress = false;
  bool force = false;
};

// Everything that is needed for a run, known to be valid, before any file is touched.
struct PlannedRun {
  Scene scene;
  Outputs outputs;
  std::unique_ptr<Lab> lab;
  Schedule schedule;
  std::unique_ptr<Columns> columns;
  std::optional<Resumption> resumption;
  std::size_t told = 0;  // of the lab's warnings: those that were printed before the motion
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> asked_outputs(const RunArguments& arguments, const PlannedRun& plan) {
  const Scene& scene = plan.scene;
  if (!arguments.outputs.empty()) return arguments.outputs;
  if (arguments.resume) {
    std::vector<std::string> files{file_to_resume_into(*arguments.resume)};
    for (const std::string& other :
         seen_from_here(plan.resumption->recording->info().outputs, *arguments.resume))
      files.push_back(other);
    return files;
  }
  return {scene.output.empty() ? scene.name + ".h5" : scene.output};
}

void check_arguments(const RunArguments& arguments) {
  if (!arguments.derivatives.empty() && split_list(arguments.derivatives).empty())
    throw InputError({}, "--derivatives names no number: give paths, as chain.links.1.length");
  if (!arguments.scene.scene && !arguments.resume) {
    throw InputError({}, "`catena run` needs a scene: catena run double-pendulum");
  }
  const bool uses_stdout =
      std::find(arguments.outputs.begin(), arguments.outputs.end(), "-") != arguments.outputs.end();
  if (uses_stdout && arguments.json) {
    throw InputError({}, "-o - and --json would both write to standard output: choose one");
  }
}

// The numbers of the scene that derivatives are asked for, or that the recording has them of.
std::vector<std::string> asked_derivatives(const RunArguments& arguments, const PlannedRun& plan) {
  if (!arguments.derivatives.empty()) return split_list(arguments.derivatives);
  if (!plan.resumption) return {};
  const std::vector<Stem>& stems = plan.resumption->recording->info().stems;
  return stems.empty() ? std::vector<std::string>{} : stems.back().paths;
}

PlannedRun plan_of(const RunArguments& arguments) {
  check_arguments(arguments);
  PlannedRun plan;
  if (arguments.resume) plan.resumption = opened_recording(*arguments.resume);
  const SceneText text =
      arguments.scene.scene ? find_scene(*arguments.scene.scene) : plan.resumption->scene_text;
  plan.scene = scene_of(text, arguments.scene);
  if (plan.resumption) check_same_motion(*plan.resumption, plan.scene);
  if (plan.resumption && !arguments.scene.method) check_method_is_here(*plan.resumption);
  plan.outputs = checked_outputs(asked_outputs(arguments, plan), arguments.scene.scene.value_or(""));
  if (!plan.outputs.files.empty() && !arguments.force) {
    check_journal_is_free(plan.outputs.journal(), arguments.resume.value_or(""));
  }
  plan.schedule = planned_schedule(plan.scene, arguments.scene);
  const std::vector<std::string> derivatives = asked_derivatives(arguments, plan);
  plan.lab =
      derivatives.empty() ? std::make_unique<Lab>(plan.scene) : lab_with_derivatives(plan.scene, derivatives);
  const EventWatch events(*plan.lab, plan.scene.events);  // refuses names that are no columns
  std::vector<std::string> quantities = split_list(arguments.scene.quantities);
  if (plan.resumption && quantities.empty()) {
    quantities = recorded_quantities(plan.resumption->recording->info().stems, *plan.lab);
  }
  plan.columns = std::make_unique<Columns>(plan.lab->columns(quantities));
  if (plan.resumption) take_up(*plan.resumption, *plan.lab, plan.schedule, *plan.columns);
  return plan;
}

// Words for people: beside the data, never among them.
void say(const RunArguments& arguments, const Outputs& outputs, std::string_view text) {
  if (arguments.quiet || arguments.json) return;
  std::FILE* stream = outputs.to_stdout ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), stream);  // nobody listening is no failure of the run
}

std::string files_report(const Outputs& outputs, std::size_t rows, std::size_t columns) {
  std::string out;
  for (const std::string& file : outputs.files) {
    std::error_code ignored;
    const auto bytes = static_cast<double>(std::filesystem::file_size(file, ignored));
    out += fmt::format("wrote {} ({}, {}, {})\n", file, counted(rows, "row"), counted(columns, "column"),
                       size_text(bytes));
  }
  return out;
}

// The recording has everything already: it only goes to where it is asked for.
int hand_over(const RunArguments& arguments, const PlannedRun& plan) {
  watch_interrupts();
  const Resumption& resumption = *plan.resumption;
  Outputs elsewhere = plan.outputs;
  std::erase_if(elsewhere.files,
                [&](const std::string& file) { return is_same_file(file, resumption.path); });
  write_outputs(*resumption.recording, elsewhere);
  const bool is_own_journal =
      !plan.outputs.files.empty() && is_same_file(resumption.path, plan.outputs.journal());
  if (is_own_journal) std::filesystem::remove(resumption.path);
  say(arguments, plan.outputs,
      fmt::format("{} reaches t = {} s already: nothing to do\n", resumption.path,
                  time_text(plan.schedule.end())));
  say(arguments, plan.outputs, files_report(elsewhere, resumption.recording->rows(), plan.columns->width()));
  if (arguments.json) fmt::print("{}\n", pretty_json(resumption.recording->state().summary_json));
  return kDone;
}

RunSummary simulated(const RunArguments& arguments, PlannedRun& plan, Recorder& recorder,
                     double setup_seconds) {
  ProgressBar bar(!arguments.quiet && !arguments.progress);
  RunControl control;
  control.stop = &interrupted();
  ProgressLines lines(arguments.progress);
  control.progress = [&](double time, double end) { bar.update(time, end), lines.update(time, end); };
  const std::size_t first_row = plan.resumption ? plan.resumption->kept_rows : 0;
  RunSummary summary = run(*plan.lab, plan.schedule, *plan.columns, first_row, recorder, control);
  summary.setup_seconds = setup_seconds;
  summary.peak_memory_bytes = peak_memory_bytes();
  return summary;
}

int status_of(const RunSummary& summary, const PlannedRun& plan) {
  const std::string file = plan.outputs.files.empty() ? "" : plan.outputs.files.front();
  const std::string kept = file.empty() ? ""
                                        : fmt::format("; {} {} kept in {}", counted(summary.rows, "row"),
                                                      summary.rows == 1 ? "is" : "are", file);
  if (summary.outcome == Outcome::failed) {
    complain(summary.message + kept);
    return kFailed;
  }
  if (summary.outcome != Outcome::interrupted) return kDone;
  complain(
      fmt::format("interrupted at t = {} of {} s{}{}", time_text(summary.simulated_seconds),
                  time_text(plan.schedule.end()), kept,
                  file.empty() ? "" : fmt::format("; `catena run --resume {}` goes on", shell_word(file))));
  return kInterrupted;
}

// The disk failed, not the simulation: what was recorded is still in the journal.
int report_lost_file(const std::exception& error, const Outputs& outputs) {
  complain(error.what());
  if (!outputs.files.empty()) {
    complain(fmt::format(
        "what was computed is in {0}; `catena run --resume {1}` goes on from it, -o puts it elsewhere",
        outputs.journal(), shell_word(outputs.journal())));
  }
  return kFailed;
}

// With the rows of the run that goes on, if there is one.
std::unique_ptr<Recorder> begun_recorder(const PlannedRun& plan) {
  RunInfo info{std::string(this_version()),
               plan.scene.json,
               recorded_stems(*plan.lab, *plan.columns),
               plan.scene.name,
               {}};
  if (!plan.outputs.files.empty()) info.outputs = plan.outputs.others_beside_journal();
  try {
    auto recorder = std::make_unique<Recorder>(plan.outputs, info, plan.resumption.has_value());
    if (plan.resumption) recorder->take_over(*plan.resumption->recording, plan.resumption->kept_rows);
    return recorder;
  } catch (const NoRoom& error) {
    if (!plan.resumption) throw;
    throw NoRoom(fmt::format("{}; {} is as it was, and `catena run --resume {}` goes on once there is room",
                             error.what(), plan.resumption->path, shell_word(plan.resumption->path)));
  }
}

int record(const RunArguments& arguments, PlannedRun& plan, Clock::time_point begin) {
  watch_interrupts();
  const std::unique_ptr<Recorder> begun = begun_recorder(plan);
  Recorder& recorder = *begun;
  RunSummary summary;
  std::string json;
  try {
    summary = simulated(arguments, plan, recorder, seconds_since(begin));
    json = summary_json(summary);
    recorder.finish(json);
  } catch (const std::runtime_error& error) {
    return report_lost_file(error, plan.outputs);
  }
  if (recorder.is_abandoned()) return kInterrupted;
  print_warnings(plan.lab->warnings(), plan.told);
  const std::size_t kept_rows = plan.resumption ? plan.resumption->kept_rows : 0;
  const double first_time = kept_rows > 0 ? plan.schedule.time(kept_rows - 1) : 0.0;
  say(arguments, plan.outputs, run_report(*plan.lab, summary, first_time));
  say(arguments, plan.outputs, events_report(summary));
  say(arguments, plan.outputs,
      files_report(plan.outputs, summary.rows,
                   column_names(recorded_stems(*plan.lab, *plan.columns)).size()));
  if (arguments.json) fmt::print("{}\n", pretty_json(json));
  return status_of(summary, plan);
}

void announce(const RunArguments& arguments, PlannedRun& plan) {
  print_warnings(plan.lab->warnings());
  plan.told = plan.lab->warnings().size();
  if (arguments.quiet) return;
  const std::string warning = size_warning(plan.schedule, *plan.columns, *plan.lab);
  if (!warning.empty() && !plan.outputs.files.empty()) note(warning);
  const bool starts_again = plan.resumption && plan.resumption->recording->state().checkpoint.empty();
  if (starts_again) {
    note(fmt::format("{} was cut off before its first checkpoint: the run starts again", *arguments.resume));
  }
}

int perform(const RunArguments& arguments) {
  const Clock::time_point begin = Clock::now();
  PlannedRun plan = plan_of(arguments);
  if (plan.resumption && plan.resumption->nothing_to_do) return hand_over(arguments, plan);
  announce(arguments, plan);
  return record(arguments, plan, begin);
}

}  // namespace

Command run_command() {
  const auto arguments = std::make_shared<RunArguments>();
  return {
      .name = "run",
      .summary = "simulate a scene and record it",
      .usage = "catena run SCENE [-o FILE]... [options]",
      .examples = {{"catena run double-pendulum", "record into double-pendulum.h5"},
                   {"catena run swing.toml -o a.csv -o a.h5", "two files with the same numbers"},
                   {"catena run demo --times 1,3,10 -o -", "three rows of CSV on standard output"},
                   {"catena run --resume demo.h5 --duration 60", "go on from where a run ended"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            options.list(
                "-o,--output", arguments->outputs, "FILE",
                fmt::format("where to record: {}, or - for CSV on standard output; repeat it for several. "
                            "Default: <scene's name>.h5",
                            fmt::join(run_endings(), " ")));
            arguments->scene.declare(options);
            options.list("--derivatives", arguments->derivatives, "PATHS",
                         "record how every column changes with these numbers of the scene, as in "
                         "chain.links.1.length,\"chain.links.*.theta\"");
            options.value("--resume", &arguments->resume, "FILE",
                          "go on from a recorded run; --duration is the total. SCENE may be left out");
            options.flag("--json", arguments->json, "the run's summary as JSON on standard output");
            options.flag("-q,--quiet", arguments->quiet, "say nothing unless something is wrong");
            options.flag("--progress", arguments->progress,
                         "lines \"progress TIME END\" on standard error, for programs");
            options.flag("-f,--force", arguments->force, "overwrite what a run that was cut off left behind");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
