#include "recording/sweeping.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <thread>

#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/record/sweep_file.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::optional<std::uint64_t> whole_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::uint64_t out = 0;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c < '0' || *c > '9') return std::nullopt;
    out = 10 * out + static_cast<std::uint64_t>(*c - '0');
  }
  return out;
}

// A number that counts from `base` on, and how many there are.
std::optional<Shard> ranked(const char* number, const char* count, std::uint64_t base) {
  const auto at = whole_in(number), of = whole_in(count);
  if (!at || !of || *at < base || *at - base >= *of) return std::nullopt;
  return Shard{*at - base + 1, *of, number};
}

}  // namespace

Shard shard_from(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto number = leading_number(text),
             of = leading_number(slash == std::string::npos ? "" : text.substr(slash + 1));
  const bool reads =
      number && of && number->rest.substr(0, 1) == "/" && of->rest.empty() &&
      number->value == static_cast<double>(static_cast<std::uint64_t>(std::max(0.0, number->value))) &&
      of->value >= 1.0 && of->value <= 1e9 && number->value >= 1.0 && number->value <= of->value &&
      of->value == static_cast<double>(static_cast<std::uint64_t>(of->value));
  if (!reads)
    throw InputError({"--shard " + text}, "must be i/n, part i of n counted from 1, as in --shard 2/4");
  return {static_cast<std::uint64_t>(number->value), static_cast<std::uint64_t>(of->value),
          "--shard " + text};
}

Shard shard_from_environment() {
  // An array whose numbers begin anywhere; inside a task of it there may be several processes.
  const std::uint64_t base = whole_in("SLURM_ARRAY_TASK_MIN").value_or(1);
  if (const auto shard = ranked("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", base)) return *shard;
  if (const auto shard = ranked("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0)) return *shard;
  if (const auto shard = ranked("PMI_RANK", "PMI_SIZE", 0)) return *shard;
  if (const auto shard = ranked("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 0)) return *shard;
  return {};
}

std::string shard_file(const std::string& file, const Shard& shard) {
  const std::size_t dot = file.rfind('.');
  return fmt::format("{}.{}-of-{}{}", file.substr(0, dot), shard.number, shard.of, file.substr(dot));
}

namespace {

// What an earlier computation left in the file.
void take_file(const SweepJob& job, SweepResults& results) {
  if (!fs::exists(job.file)) return;
  if (!is_sweep_file(job.file))
    throw InputError({job.file}, "is no file of a sweep, so it cannot be gone on with; choose another by -o");
  const SweepFile there = read_sweep_file(job.file);
  if (!there.info.is_same_sweep(job.loaded.info)) {
    throw InputError(
        {job.file}, there.info.version != job.loaded.info.version
                        ? fmt::format("was computed by version {} of catena, and this is {}: its numbers may "
                                      "differ; leave --resume out to compute it anew",
                                      there.info.version, job.loaded.info.version)
                        : std::string("is of another plan or scene: choose another file by -o, or leave "
                                      "--resume out to replace it"));
  }
  if (there.results.first != results.first || there.results.count != results.count)
    throw InputError({job.file},
                     fmt::format("has cases {} to {}, another part of the sweep", there.results.first,
                                 there.results.first + there.results.count - 1));
  results = there.results;
}

// One part of a sweep is not written over another.
void keep_other_parts(const SweepJob& job, const SweepResults& results) {
  if (!job.shard.is_part() || !fs::exists(job.file) || !is_sweep_file(job.file)) return;
  const SweepFile there = read_sweep_file(job.file);
  if (!there.info.is_same_sweep(job.loaded.info) || there.results.first == results.first) return;
  throw InputError(
      {job.file}, fmt::format("has another part of this sweep, cases {} to {}: give each shard a file of its "
                              "own, or leave -o out",
                              there.results.first, there.results.first + there.results.count - 1));
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// How a case that was there differs from what this program computes; "": in nothing.
std::string difference(const SweepJob& job, const SweepResults& results, std::uint64_t place) {
  const std::uint64_t index = results.first + place;
  const SweepChunk now = job.loaded.sweep->runner(job.lanes)->run(index, 1, &interrupted());
  if (now.count == 0) return "";  // interrupted
  if (now.status[0] != results.status[place])
    return fmt::format("case {} {} then and {} now", index,
                       results.status[place] == CaseStatus::done ? "was done" : "was not",
                       now.status[0] == CaseStatus::done ? "is" : "is not");
  for (std::size_t m = 0; m < results.names.size(); ++m) {
    const double was = results.measures[m][place], is = now.measures[m];
    if (!is_same(was, is))
      return fmt::format("{} of case {} was {} and is {} now", results.names[m], index, was, is);
  }
  return "";
}

// A sweep that goes on has the numbers of one that was never cut off only if whoever began it computes the
// same bits: another build of the same version may not. The first and the last case that are there are
// computed again. Bits are promised where cases go in lanes; elsewhere they are those of a machine, and what
// is different is told.
std::string compare_with_before(const SweepJob& job, const SweepResults& results) {
  const auto is_there = [](CaseStatus one) { return one != CaseStatus::not_computed; };
  const auto first = std::find_if(results.status.begin(), results.status.end(), is_there);
  const auto last = std::find_if(results.status.rbegin(), results.status.rend(), is_there);
  if (first == results.status.end()) return "";
  std::string found = difference(job, results, static_cast<std::uint64_t>(first - results.status.begin()));
  if (found.empty())
    found = difference(job, results, static_cast<std::uint64_t>(results.status.rend() - last) - 1);
  if (found.empty()) return "";
  return fmt::format(
      "was begun by another build of catena, or on another machine, whose numbers differ: {}; "
      "this is {}, a {}",
      found, this_version(), build_facts());
}

}  // namespace

SweepOutcome swept(const SweepJob& job) {
  check_memory(job.loaded, job.range.count);
  SweepOutcome out;
  out.file.info = job.loaded.info;
  SweepResults& results = out.file.results;
  results = SweepResults(job.loaded.sweep->plan(), job.range.first, job.range.count);
  if (job.resumes) {
    take_file(job, results);
  } else {
    keep_other_parts(job, results);
  }
  watch_interrupts();
  const auto journal =
      SweepJournal::open(job.file + ".part", job.loaded.info, job.range.first, job.range.count, job.resumes);
  for (const SweepChunk& chunk : journal->earlier()) results.take(chunk);
  const std::vector<CaseRange> left = not_computed(results);
  out.before = results.count - results.counted(CaseStatus::not_computed);
  if (!left.empty()) {
    out.other_bits = compare_with_before(job, results);
    if (!out.other_bits.empty() && job.loaded.sweep->lanes_refusal().empty()) {
      if (journal->earlier().empty()) journal->remove();
      throw InputError({job.file},
                       out.other_bits + "; complete it with the build that began it, or remove it");
    }
  }

  ProgressBar bar(!job.quiet);
  std::uint64_t computed = out.before;
  SweepControl control;
  control.threads = job.threads;
  control.lanes = job.lanes;
  control.stop = &interrupted();
  const bool on_gpu = job.loaded.threads->on_gpu();
  if (on_gpu) {  // many cases at once; while some are computed, others are made ready and read
    control.threads = 2;
    control.least_cases = 1 << 16;
    control.most_cases = 1 << 20;
  }
  control.take = [&](const SweepChunk& chunk) {
    journal->append(chunk);
    results.take(chunk);
    computed += chunk.count;
    bar.update(static_cast<double>(computed), static_cast<double>(results.count));
  };
  const Clock::time_point start = Clock::now();
  compute(*job.loaded.sweep, left, control);
  bar.clear();
  SweepTiming timing;
  timing.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  timing.threads = job.threads > 0 ? job.threads : std::max(1u, std::thread::hardware_concurrency());
  timing.device = job.loaded.threads->device();
  timing.redone = job.loaded.threads->redone();
  timing.lanes = job.lanes;
  timing.lanes_refusal = job.loaded.sweep->lanes_refusal();
  out.interrupted = results.counted(CaseStatus::not_computed) > 0;
  if (out.interrupted) timing.outcome = "interrupted";
  timing.other_bits = out.other_bits;
  out.file.info.summary_json = sweep_summary(out.file, timing);
  write_sweep_file(out.file, job.file);
  journal->remove();
  return out;
}

namespace {

struct Progress {
  std::uint64_t computed = 0, failed = 0, of = 0;
  bool is_written = false;
};

Progress progress_of(const LoadedSweep& loaded, const std::string& file) {
  Progress out;
  const auto check = [&](const std::string& path, const SweepInfo& info) {
    if (!info.is_same_sweep(loaded.info)) throw InputError({path}, "is of another plan, scene or version");
  };
  if (is_sweep_file(file)) {
    const SweepFile there = read_sweep_file(file);
    check(file, there.info);
    out.of = there.results.count;
    out.computed = there.results.count - there.results.counted(CaseStatus::not_computed);
    out.failed = there.results.counted(CaseStatus::failed);
    out.is_written = true;
  }
  if (fs::exists(file + ".part")) {
    const JournalledCases there = look_into_journal(file + ".part");
    check(file + ".part", there.info);
    out.of = there.count;
    out.computed = std::min(there.count, out.computed + there.computed);
    out.failed += there.failed;
    out.is_written = false;
  }
  return out;
}

// Shards of the file, by how many there are of them.
std::map<std::uint64_t, std::map<std::uint64_t, std::string>> shards_beside(const std::string& file) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>> out;
  const fs::path path = file;
  const std::string stem = path.stem().string(), ending = path.extension().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".part")) name.resize(name.size() - 5);
    if (!name.starts_with(stem + ".") || !name.ends_with(ending)) continue;
    const std::string middle = name.substr(stem.size() + 1, name.size() - stem.size() - 1 - ending.size());
    std::smatch found;
    static const std::regex kShard("([0-9]{1,9})-of-([0-9]{1,9})");
    if (!std::regex_match(middle, found, kShard)) continue;
    out[std::stoull(found[2])][std::stoull(found[1])] = (path.parent_path() / name).string();
  }
  return out;
}

}  // namespace

std::string progress_report(const LoadedSweep& loaded, const std::string& file) {
  const std::uint64_t cases = loaded.sweep->cases().count();
  const auto line = [](const std::string& what, const Progress& p) {
    const double part = p.of == 0 ? 0.0 : 100.0 * static_cast<double>(p.computed) / static_cast<double>(p.of);
    return fmt::format("{}: {} of {} cases ({:.1f} %){}{}\n", what, p.computed, p.of, part,
                       p.failed > 0 ? fmt::format(", {} failed", p.failed) : "",
                       p.is_written && p.computed == p.of ? ", complete" : "");
  };
  std::string out;
  const bool is_there = fs::exists(file) || fs::exists(file + ".part");
  if (is_there) {
    const Progress own = progress_of(loaded, file);
    out += line(own.of == cases ? file : fmt::format("{}, a part of {} cases", file, cases), own);
  }
  for (const auto& [of, parts] : shards_beside(file)) {
    Progress all;
    all.of = cases;
    std::string lines;
    for (std::uint64_t i = 1; i <= of; ++i) {
      const auto found = parts.find(i);
      Progress one;
      one.of = shard_range(cases, i, of).count;
      if (found != parts.end()) one = progress_of(loaded, found->second);
      if (one.computed < one.of || !one.is_written) {
        lines += found == parts.end() ? fmt::format("  shard {}: not begun\n", i)
                                      : "  " + line(fmt::format("shard {}", i), one);
      }
      all.computed += one.computed;
      all.failed += one.failed;
    }
    out += line(fmt::format("{} in {} shards", file, of), all) + lines;
  }
  return out.empty() ? fmt::format("{}: nothing computed yet, of {} cases\n", file, cases) : out;
}

}  // namespace catena::cli
