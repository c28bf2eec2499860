// What a sweep is: which numbers of a scene are varied, and what is measured of each case; and the arrays
// that come out. Plain structs: io reads and writes them, sweep computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"

namespace catena {

// [[sweep.vary]]: numbers of the scene that get the same value.
struct SweepAxis {
  enum class Kind {
    grid,     // from, to, count, evenly or in equal ratios
    values,   // a list
    file,     // a column of a CSV file
    uniform,  // drawn between two numbers
    normal,   // drawn from a bell curve
    sphere,   // a direction, drawn evenly from the sphere: three numbers
  };
  std::string name;
  std::vector<std::string> keys;
  Kind kind = Kind::grid;
  std::vector<double> values;  // of a grid, a list or a file
  bool logarithmic = false;
  double first = 0.0, second = 0.0;  // of a draw: low and high, or mean and standard deviation
  std::string file, column;
  Place place;

  bool is_drawn() const { return kind >= Kind::uniform; }
  std::size_t width() const { return kind == Kind::sphere ? 3 : 1; }  // numbers of one case
};

// [[sweep.measures]]: one number of each case.
struct SweepMeasure {
  enum class Kind { column, event, nearest, derivative, summary, indicator };
  std::string name;
  Kind kind = Kind::column;
  std::string of;            // the column, the event's formula, the word of the summary, the indicator
  std::string what;          // column: last, min, max, mean, range; event: time, count, or a column there
  std::optional<double> at;  // s: a column at that time
  std::string direction = "any";
  bool stop = false;
  std::vector<std::string> columns;         // of `nearest`
  std::vector<std::vector<double>> points;  // likewise
  std::string path;                         // of `derivative`
  Place place;
};

enum class Sampler { random, sobol, latin };

struct SweepPlan {
  std::string name;   // names the default output
  std::string scene;  // a path or a shipped scene; empty: the scene around it
  std::vector<std::string> set;
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  Sampler sampler = Sampler::random;
  std::optional<double> energy;  // J: starts have this energy,
  std::string solve;             // and this number is solved for
  std::string skip;              // formula of the axes' names
  Place skip_place, solve_place;
  std::vector<SweepAxis> axes;
  std::vector<SweepMeasure> measures;
  std::string json;  // [sweep] as it was understood, with the contents of its files: what identifies it
};

// One extent of the arrays, and the axes that run along it.
struct SweepExtent {
  std::string name;  // "sample" for draws, the file's name for cases from a file, else the axis's
  std::size_t count = 0;
  std::vector<std::size_t> axes;  // indices in the plan
};

// The last axis runs fastest. Axes from one file share an extent, and so do all draws.
std::vector<SweepExtent> extents_of(const SweepPlan& plan);

enum class CaseStatus : unsigned char { done = 0, failed = 1, skipped = 2, not_computed = 3 };

struct CaseReason {
  std::uint64_t index = 0;  // of the case
  std::string text;

  bool operator==(const CaseReason&) const = default;
};

// Cases [first, first + count) with their measures, [case][measure].
struct SweepChunk {
  std::uint64_t first = 0, count = 0;
  std::vector<double> measures;
  std::vector<CaseStatus> status;
  std::vector<CaseReason> reasons;  // of those that failed, and what those were warned of that are done
  std::uint64_t steps = 0;

  bool operator==(const SweepChunk&) const = default;
};

// Measures of a whole sweep, or of the part [first, first + count) of it that a shard has.
// Warnings that differ in their numbers alone.
struct WarnedCases {
  std::uint64_t first = 0, count = 0;  // cases
  std::string text;                    // of the first
};

struct SweepResults {
  std::vector<std::size_t> shape;
  std::uint64_t cases = 0;  // of the whole sweep
  std::uint64_t first = 0, count = 0;
  std::vector<std::string> names;             // of the measures
  std::vector<std::vector<double>> measures;  // each with `count` numbers; nan where there is none
  std::vector<CaseStatus> status;
  std::vector<CaseReason> reasons;  // by index
  std::uint64_t steps = 0;

  SweepResults() = default;
  // Nothing computed yet.
  SweepResults(const SweepPlan& plan, std::uint64_t first_case, std::uint64_t case_count);

  bool is_whole() const { return first == 0 && count == cases; }
  std::uint64_t counted(CaseStatus which) const;
  // What cases were warned of that are done, each kind once, the most frequent first.
  std::vector<WarnedCases> warned() const;
  // Takes the chunk's cases over, as far as they belong here.
  void take(const SweepChunk& chunk);
};

// Axes with the values of every place along them, as files have them.
struct SweepAxisValues {
  std::string name;
  std::vector<std::string> keys;
  std::string unit;            // "rad" where the scene's keys are angles; may be empty
  std::size_t extent = 0;      // which one it runs along
  std::size_t width = 1;       // numbers of each place: 3 for directions
  std::vector<double> values;  // [place][number]
  bool logarithmic = false;
};

// What stands in a file beside the arrays.
struct SweepInfo {
  std::string version;     // of catena
  std::string plan_json;   // what was asked: SweepPlan::json
  std::string scene_json;  // the scene with the plan's `set`
  std::string scene_name;
  std::string summary_json;
  std::vector<SweepExtent> extents;
  std::vector<SweepAxisValues> axes;
  std::string units_json = "{}";  // of the measures, by name

  // Whether the numbers of both are those of one sweep.
  bool is_same_sweep(const SweepInfo& other) const {
    return version == other.version && plan_json == other.plan_json && scene_json == other.scene_json;
  }
};

struct SweepFile {
  SweepInfo info;
  SweepResults results;
};

}  // namespace catena
