// A sweep as an array of jobs of Slurm, and a job behind it that merges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "settings.h"

namespace catena::cli {

struct SlurmJob {
  std::string plan;  // as it was typed
  std::string file;  // for all cases
  std::vector<Override> overrides;
  std::uint64_t shards = 1;
  std::optional<std::string> time;  // "2:00": hours and minutes
  int threads = 0;
  std::uint64_t cases = 0;
};

// Writes <file>.sbatch beside the file, hands it in and says what was done. Returns the exit status; throws
// InputError where there is no Slurm.
int submit_to_slurm(const SlurmJob& job);

// What Slurm says of the jobs that were handed in for this file; "": none were, or Slurm is not here.
std::string slurm_report(const std::string& file);

}  // namespace catena::cli
