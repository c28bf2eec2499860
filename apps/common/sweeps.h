// Sweeps by name or file, joined with the scene they vary, as `catena sweep` and Python's `sweep` compute
// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "case_scenes.h"
#include "catena/analyze/map.h"
#include "catena/sweep/sweep.h"
#include "catena/threads/threads.h"
#include "settings.h"

namespace catena {

struct LoadedSweep {
  SceneText text;  // of the plan
  Scene scene;     // with the plan's `set` and the settings given beside it
  std::unique_ptr<Sweep> sweep;
  std::shared_ptr<SweepThreads> threads;  // that compute its cases, where they can
  SweepInfo info;                         // without a summary
};

// The plan that an argument names: a file, standard input, or one of those shipped. Throws InputError.
SceneText find_sweep(const std::string& argument);

// With settings as `catena run` has them, called in messages as they were typed. Throws InputError with all
// mistakes of the plan, of the scene, and of what one asks of the other.
// Settings of "sweep.vary.a.count" and the like are the plan's, the others the scene's.
LoadedSweep load_sweep(const SceneText& text, const std::vector<Override>& overrides);
// The same of a plan and a scene that are there as texts.
LoadedSweep load_sweep(SweepPlan plan, Scene scene);

// Part `shard` of `shards`, counted from 1.
CaseRange shard_range(std::uint64_t cases, std::uint64_t shard, std::uint64_t shards);

// Throws InputError where results of so many cases are more than this machine's memory, with the sizes.
void check_memory(const LoadedSweep& loaded, std::uint64_t cases);

struct SweepTiming {
  double seconds = 0.0;
  unsigned threads = 1;
  int lanes = 0;              // cases side by side on a thread; 0: not known
  std::string lanes_refusal;  // why there were none
  std::string device = "cpu";
  std::uint64_t redone = 0;      // cases that threads left to labs
  std::string outcome = "done";  // or interrupted
  std::string other_bits;        // how cases that were there differ from what is computed now
};

// Compact JSON: cases, done, failed, skipped, not_computed, steps, hash, seconds, device, ..
std::string sweep_summary(const SweepFile& sweep, const SweepTiming& timing);

// A map of two axes as a grid of numbers, and which of its cases were done.
GridMap map_of(const SweepFile& sweep, std::size_t measure);
std::vector<bool> done_cases(const SweepFile& sweep);

std::vector<EnergyContour> energy_contours(const SweepFile& sweep);

// The parts as one file. Throws InputError where they are of different sweeps, or one is missing.
SweepFile merged(const std::vector<std::pair<std::string, SweepFile>>& parts);

}  // namespace catena
