#include "commands/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "commands/command.h"
#include "recording/recording.h"
#include "recording/sweeping.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// What a command prints, and its exit status.
struct Said {
  int status = -1;
  std::string text;
};

Said output_of(const std::string& command) {
  Said out;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe))
    out.text.append(block.data(), got);
  out.status = ::pclose(pipe);
  while (!out.text.empty() && std::isspace(static_cast<unsigned char>(out.text.back())) != 0)
    out.text.pop_back();
  return out;
}

std::string this_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "catena" : path.string();
}

// Hours and minutes, as --time has them, in Slurm's words.
std::string time_limit(const std::string& time) {
  static const std::regex kTime("([0-9]{1,4}):([0-5][0-9])");
  std::smatch found;
  if (!std::regex_match(time, found, kTime))
    throw InputError({"--time " + time}, "must be hours and minutes, as in 2:30");
  return fmt::format("{}:{}:00", found[1].str(), found[2].str());
}

std::string record_of(const std::string& file) { return file + ".slurm"; }

std::string sweep_line(const SlurmJob& job) {
  std::error_code ignored;
  const bool is_file = fs::is_regular_file(job.plan, ignored);
  std::string line = fmt::format("{} sweep {} -o {} --resume", shell_word(this_program()),
                                 shell_word(is_file ? fs::absolute(job.plan).string() : job.plan),
                                 shell_word(fs::absolute(job.file).string()));
  for (const Override& one : job.overrides) line += " --set " + shell_word(one.assignment);
  if (job.threads > 0) line += fmt::format(" --threads {}", job.threads);
  return line;
}

// Each task is a shard by its number in the array; a task that is started again goes on where it was.
std::string array_script(const SlurmJob& job) {
  const std::string name = fs::path(job.file).stem().string();
  std::string out = "#!/bin/sh\n";
  out += fmt::format(
      "#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --requeue\n#SBATCH --open-mode=append\n", name,
      job.shards);
  out += fmt::format("#SBATCH --output={}.%a.log\n", fs::absolute(job.file).string());
  if (job.threads > 0) out += fmt::format("#SBATCH --cpus-per-task={}\n", job.threads);
  if (job.time) out += fmt::format("#SBATCH --time={}\n", time_limit(*job.time));
  return out + "exec " + sweep_line(job) + "\n";
}

std::string merge_script(const SlurmJob& job) {
  const std::string all = fs::absolute(job.file).string();
  std::string out = "#!/bin/sh\n";
  out += fmt::format("#SBATCH --job-name={}-merge\n#SBATCH --output={}.merge.log\n",
                     fs::path(job.file).stem().string(), all);
  out += fmt::format("exec {} merge", shell_word(this_program()));
  for (std::uint64_t i = 1; i <= job.shards; ++i)
    out += " \\\n  " + shell_word(shard_file(all, {i, job.shards, ""}));
  return out + fmt::format(" \\\n  -o {}\n", shell_word(all));
}

// Its number.
std::string handed_in(const std::string& command) {
  const Said said = output_of(command);
  const std::string id = said.text.substr(0, said.text.find(';'));  // a cluster's name may follow
  const bool is_number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
  if (said.status == 0 && is_number) return id;
  throw std::runtime_error(fmt::format("sbatch did not take the job: {}", said.text));
}

}  // namespace

int submit_to_slurm(const SlurmJob& job) {
  if (job.plan == "-")
    throw InputError({"--submit slurm"}, "needs a plan that jobs can read: a file, not standard input");
  if (job.shards > job.cases)
    throw InputError({"--shards"}, fmt::format("there are only {}", counted(job.cases, "case")));
  const std::string array = array_script(job), merge = merge_script(job);
  if (!is_on_path("sbatch"))
    throw InputError(
        {"--submit slurm"},
        "there is no sbatch here: this is for a machine of a Slurm cluster; elsewhere start parts by "
        "--shard i/n and join them by `catena merge`");
  const std::string array_file = job.file + ".sbatch", merge_file = job.file + ".merge.sbatch";
  write_whole(array_file, array);
  write_whole(merge_file, merge);
  const std::string first = handed_in("sbatch --parsable " + shell_word(array_file));
  const std::string second =
      handed_in(fmt::format("sbatch --parsable --dependency=afterok:{} {}", first, shell_word(merge_file)));
  write_whole(record_of(job.file), fmt::format("{} {}\n", first, second));
  fmt::print("job {}: {} of {}; job {} merges them into {}\nscripts: {}, {}\n", first,
             counted(job.shards, "shard"), counted(job.cases, "case"), second, job.file, array_file,
             merge_file);
  fmt::print("`catena sweep {} -o {} --status` tells how far it is\n", shell_word(job.plan),
             shell_word(job.file));
  return kDone;
}

std::string slurm_report(const std::string& file) {
  std::ifstream in(record_of(file));
  std::string array, merge;
  if (!(in >> array >> merge) || !is_on_path("squeue")) return "";
  const auto is_number = [](const std::string& id) {
    return id.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!is_number(array) || !is_number(merge)) return "";
  const Said said =
      output_of(fmt::format("squeue --noheader --array --format='%i %T %r' --jobs={},{}", array, merge));
  if (said.status != 0 || said.text.empty())
    return fmt::format("jobs {} and {}: none is waiting or running\n", array, merge);
  std::string out;
  std::istringstream lines(said.text);
  for (std::string line; std::getline(lines, line);) out += fmt::format("  job {}\n", trimmed(line));
  return out;
}

}  // namespace catena::cli
