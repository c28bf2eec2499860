// A sweep on its way into a file: shards, journal, what was there already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps.h"

namespace catena::cli {

struct Shard {
  std::uint64_t number = 1, of = 1;
  std::string from;  // what said so: "--shard 2/4", "SLURM_ARRAY_TASK_ID"; empty: there is but one

  bool is_part() const { return of > 1; }
};

// "2/4". Throws InputError.
Shard shard_from(const std::string& text);
// From what Slurm, OpenMPI and MPICH tell their processes; all of it: none of them says anything.
Shard shard_from_environment();

// "map.h5" -> "map.2-of-4.h5"
std::string shard_file(const std::string& file, const Shard& shard);

struct SweepJob {
  LoadedSweep loaded;
  std::string file;  // that is written
  Shard shard;
  CaseRange range;
  bool resumes = false;
  unsigned threads = 0;
  int lanes = kUsualLanes;
  bool quiet = false;
};

struct SweepOutcome {
  SweepFile file;
  bool interrupted = false;
  std::uint64_t before = 0;  // cases that were there already
  std::string other_bits;    // how these differ from what this program computes; empty: in nothing
};

// Throws InputError before anything is touched where the file, its journal or the memory forbid it.
SweepOutcome swept(const SweepJob& job);

// How far a sweep is: of one file, its journal, and all its shards that lie beside it. Lines for people.
std::string progress_report(const LoadedSweep& loaded, const std::string& file);

}  // namespace catena::cli
