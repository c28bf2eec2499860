// Periodic motions along a number of their scene, by arc length: where they turn back, double their period or
// branch, and the branches that begin there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/orbit.h"

namespace catena {

struct BranchPoint {
  double parameter = 0.0, period = 0.0;
  bool stable = false;
  Multipliers multipliers;
  double low = 0.0, high = 0.0;  // of the column that stands for the motion, over a period
  std::vector<double> levels;    // of it at every period of the drive; not driven: the highest
};

enum class SpecialKind { fold, doubling, branch, torus };
const char* special_text(SpecialKind kind);

struct SpecialPoint {
  SpecialKind kind = SpecialKind::fold;
  double parameter = 0.0, period = 0.0;
  std::size_t branch = 0;               // on which it lies
  std::optional<std::size_t> leads_to;  // the branch that begins there; none: nobody followed it
  std::vector<double> levels;
  bool mirrored = false;  // a second branch begins there, the mirror image of the first
};

struct Branch {
  std::optional<std::size_t>
      origin;        // the special point that it begins at; none: at the orbit that was found
  int multiple = 1;  // of a driven motion, so many periods of the drive
  std::vector<BranchPoint> points;
  std::string end;  // why it was not followed any further
};

struct Continuation {
  std::string path, column;
  std::vector<Branch> branches;
  std::vector<SpecialPoint> special;
  // Of doublings of doublings: each distance over the next one.
  std::vector<double> ratios;
  bool interrupted = false;
};

Continuation continued(FoundOrbit found, const OrbitOptions& options);

}  // namespace catena
