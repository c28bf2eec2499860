// Periodic motions on a section: many starts, each closed by Newton's method, every motion once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/orbit.h"

namespace catena {

struct OrbitSearchOptions {
  std::string when = {},
              direction = "rising";   // the section; empty: where the first coordinate passes its mean
  std::optional<double> energy = {};  // J, of motions that keep theirs; none: that of the scene
  std::size_t starts = 100;
  int returns = 3;  // so many returns to the section, or periods of the drive, are closed at most
  std::optional<double> period = {};  // of the drive, where it is not found
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> pulse = {};
  std::function<void(double share)> progress = {};
};

struct SearchedOrbit {
  Orbit orbit;
  std::optional<double> action;  // J s: the integral of p dq over the period; none: momenta are not known
  std::optional<double> energy;  // of what is kept first; none: nothing is
  std::size_t images = 1;        // motions that changes of sign, and time run backwards, make of it
  std::size_t hits = 1;          // starts that led to it, or to an image
};

struct OrbitSearchResult {
  std::vector<SearchedOrbit> orbits;  // by period
  std::string when;                   // the section; empty: every period of the drive
  std::size_t starts = 0, tries = 0;  // starts, and motions that Newton's method began from
  std::size_t symmetries = 0;  // changes of sign that leave the equations as they are, without none at all
  std::vector<std::string> notes;
  bool interrupted = false;
};

// Throws InputError where the section is never met, or nothing moves.
OrbitSearchResult search_orbits(const Scene& scene, const OrbitSearchOptions& options);

}  // namespace catena
