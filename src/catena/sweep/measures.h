// What is measured of one case: columns at instants and over the motion, events, nearest points, derivatives,
// indicators of chaos.
#pragma once

#include <memory>
#include <vector>

#include "catena/analyze/indicators.h"
#include "catena/lab/events.h"
#include "catena/lab/lab.h"
#include "catena/model/sweep.h"

namespace catena {

// Looks on while a lab moves. Extremes and means are those of the motion, not of its steps: a column is taken
// at 17 places of each step (those of Clenshaw and Curtis, whose weights give the mean), and an extremum
// among them is refined in the step's dense output until the clock's roundoff bounds its time.
class Meter {
 public:
  // Of a lab at its start. Throws InputError with the place of everything that the scene does not have.
  Meter(Lab& lab, const SweepPlan& plan);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // The lab is at the start of another case of the same world.
  void restart();
  // After each step; whether the case ends there.
  bool look();
  // Where it ended: at its duration or at an event.
  double end() const { return end_; }
  // One number for each measure, once the case has ended.
  void finish(double* out);

 private:
  struct Instants;
  struct Extremes;
  struct Happening;
  void look_at_events();
  void look_at_instants();
  void watch_indicators();
  void look_at_indicators(bool is_over);

  Lab& lab_;
  const SweepPlan& plan_;
  double duration_;
  double end_;
  std::unique_ptr<Instants> instants_;
  std::vector<std::unique_ptr<Extremes>> extremes_;
  std::vector<std::unique_ptr<Happening>> happenings_;
  std::unique_ptr<EventWatch> own_events_;  // those of the scene that end a run
  std::unique_ptr<IndicatorWatch> indicators_;
};

// The numbers of the scene that a plan's measures are differentiated by.
std::vector<std::string> derivative_paths(const SweepPlan& plan);

// Whether a plan's measures follow neighbouring motions, in each case's own lab.
bool follows_tangents(const SweepPlan& plan);

}  // namespace catena
