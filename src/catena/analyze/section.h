// Surfaces of section: where motions pass a surface that a formula gives, and starts that lie on one energy.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/column_formula.h"
#include "catena/lab/run.h"

namespace catena {

// The points of one formula along a motion. They are roots of the step's polynomial (lab/events.h), set right
// by less than a double of time resolves, so that the formula vanishes at the columns that are recorded.
class SectionWatch {
 public:
  SectionWatch(Lab& lab, const std::string& when, const std::string& direction,
               const std::vector<std::string>& axes);

  struct Passage {
    double time = 0.0;
    std::vector<double> axes;
    double residual = 0.0;  // of the formula
  };
  // Those in the step that the lab has just taken, up to `end`.
  std::vector<Passage> look(double end);
  // The largest that the formula has been at ends of steps.
  double scale() const { return scale_; }

 private:
  Lab& lab_;
  EventWatch watch_;
  ColumnFormula when_;
  std::vector<ColumnFormula> axes_;
  std::size_t seen_ = 0;
  double scale_ = 0.0;
  std::vector<double> row_;
};

struct SectionOptions {
  std::string when, direction = "rising";
  std::array<std::string, 2> axes;
  double duration = 0.0;
  std::size_t starts = 1;             // spread over the section, on one energy
  std::optional<double> energy = {};  // none: that of the scene
  std::vector<Scene> scenes = {};     // instead: starts of one's own
  std::string indicator = {};         // of each motion; none: nobody asks
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double time, double end)> progress = {};
};

struct SectionStart {
  std::vector<double> state;  // lanes
  double energy = 0.0;        // nan: the scene has none
  std::size_t points = 0;
  double mean_return = 0.0;  // s; nan: met less than twice
  double winding = 0.0;      // turns about the middle of its points per return; nan: it does not wind evenly
  double winding_error = 0.0;
  double indicator = 0.0;  // nan: none was asked for
};

struct SectionResult {
  std::array<std::string, 2> axes;
  std::vector<std::size_t> start_of;  // of each point, from 0
  std::vector<double> times;
  std::vector<std::array<double, 2>> points;
  std::vector<SectionStart> starts;
  double residual = 0.0, scale = 0.0;  // the largest residual of the formula, and its scale
  std::vector<std::string> notes;
  Outcome outcome = Outcome::done;
  std::string message;
};

// Throws InputError where a formula is wrong, the section is never met, or no start has the energy.
SectionResult section(const Scene& scene, const SectionOptions& options);

// Turns about the middle of the points from one to the next, by weighted Birkhoff means (S. Das et al., Eur.
// Phys. J. Spec. Top. 225 (2016) 3099), whose error falls faster than any power where points lie on one
// curve.
struct Winding {
  double value = 0.0, error = 0.0;
};
std::optional<Winding> winding_number(const std::vector<std::array<double, 2>>& points);

}  // namespace catena
