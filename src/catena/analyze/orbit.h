// Periodic motions: the one near a scene's start, its Floquet multipliers and its stability.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/closing.h"

namespace catena {

struct OrbitOptions {
  std::optional<double> period;  // of the drive; of a motion that is not driven: about so long
  int multiple = 1;              // of a driven motion: it repeats after so many periods of the drive
  bool symmetric = false;        // half a period must lead to the mirror image
  std::string column;  // that stands for the motion in branch diagrams; empty: the first angle or state
  // The number along which the motion is followed; none: it is not.
  std::string path;
  std::function<Scene(double)> scene;
  double from = 0.0, to = 0.0;
  std::size_t most_branches = 12, most_points = 400;
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> pulse = {};  // many times a second
  std::function<void(double share)> progress = {};
};

struct Orbit {
  ClosedMotion motion;
  Multipliers multipliers;
  bool stable = false;  // no multiplier is larger than 1
  bool driven = false, conservative = false;
  std::optional<bool> symmetric;     // none: the equations have no mirror
  double gap = 0.0;                  // |x(T) - x(0)|
  std::optional<double> flow_error;  // |M f - f| / |f|; none: driven
  std::vector<std::string> conserved;
  int multiple = 1;
  Closing::Course course;  // columns over one period
  std::vector<std::string> warnings;
};

// A shooting for the scene and the motion near its start. Throws InputError where none is found.
struct FoundOrbit {
  Closing shooting;
  ClosingLook look;
  Orbit orbit;
  std::vector<double> mirror;  // signs of lanes under which the equations are the same; empty: none
};
FoundOrbit find_orbit(const Scene& scene, const OrbitOptions& options);

// What a closed motion is like.
bool is_stable(const Multipliers& multipliers, bool conservative);
// How far half a period, and the mirror, lead from the start; of the size of the motion.
double half_way_gap(Closing& shooting, const ClosedMotion& motion, const std::vector<double>& mirror);

}  // namespace catena
