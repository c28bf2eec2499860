// What [[forces]] says, as plain structs. Formulas are kept as text that has been checked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/expr/parameters.h"
#include "catena/model/constants.h"

namespace catena {

using Formula = std::string;  // empty: not given
using Formulas = std::array<std::string, 3>;
inline bool given(const Formulas& formulas) { return !formulas[0].empty(); }

// A bob of a chain, a point of a body, or a point that stays where it is.
struct Attachment {
  int chain = -1;
  int link = 0;
  int body = -1;                       // index in the mechanism; neither chain nor body: the point rests
  std::array<double, 3> point{};       // in the body's frame, or in the world
  std::array<double, 3> point_rest{};  // what these doubles cannot hold of it
};

struct LinkName {
  int chain = 0;
  int link = 0;
};

using Parameters = expr::Parameters;

// Ends of a spring as written: a bob's name ("chain.2"), a body's, or a point.
struct WrittenEnd {
  std::string name{};  // empty: the point
  std::array<double, 3> point{};
};
using WrittenEnds = std::array<WrittenEnd, 2>;
using EndPoints = std::array<std::array<double, 3>, 2>;

// One [[forces]] entry. Which fields count depends on the kind: model/force_laws.h.
struct ForceEntry {
  std::string kind;
  std::vector<std::string> names{};              // of what it acts on, as written; none: all it can act on
  std::vector<LinkName> on{};                    // the links behind the names
  std::vector<int> on_bodies{};                  // the bodies behind them
  std::optional<std::array<double, 3>> point{};  // of bodies, in their frames; none: the centre of mass
  Parameters parameters{};

  Formulas force{};     // N
  Formulas torque{};    // N m
  Formula potential{};  // J; per mass or per charge for gravity and electric
  Formulas field{};     // of the kind's own unit
  Formulas velocity{};  // m/s

  double rate = 0.0;                   // 1/s
  double linear = 0.0;                 // kg/s
  double coefficient = 0.47;           // of quadratic drag: a sphere
  double density = 1.225;              // kg/m^3: air
  std::optional<double> area{};        // m^2; none: the links' drag_area
  std::optional<double> volume{};      // m^3; none: the links' volume
  double height = 0.0;                 // m; 0: no profile
  double ground = 0.0;                 // m
  double exponent = 1.0 / 7.0;         // of the profile
  double strength = 0.0;               // m^3/s^2
  double charge = 0.0;                 // C
  double constant = kCoulombConstant;  // N m^2/C^2
  std::array<double, 3> position{};    // m
  std::array<double, 3> moment{};      // A m^2
  double stiffness = 0.0;              // N/m
  double damping = 0.0;                // N s/m
  std::optional<double> length{};      // m; none: the distance at the start
  WrittenEnds ends{};
  std::optional<EndPoints> end_points{};  // where bodies are the ends, in their frames
  std::array<Attachment, 2> between{};    // what the ends stand for
  Place place{};                          // of its formula, or of the entry, in the scene's text

  // Long where they are made anew, so they are defined once.
  ForceEntry();
  ForceEntry(const ForceEntry& other);
  ForceEntry(ForceEntry&& other) noexcept;
  ForceEntry& operator=(const ForceEntry& other);
  ForceEntry& operator=(ForceEntry&& other) noexcept;
  ~ForceEntry();
};

}  // namespace catena
