// Everything that a row can show of a world, at one instant: its chains, its bodies and joints, or its
// coordinates; and what their angles remember.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/facts/step.h"
#include "catena/observe/momenta.h"
#include "catena/observe/quantities.h"

namespace catena {

// Of each chain, and behind them of the mechanism's joints.
using Angles = std::vector<AngleMemory>;

Angles start_angles(World& world, const State& state);
// Follows all angles from one state to another, as follow_turns of a chain and of joints does.
void follow_turns(World& world, const State& from, const State& to, Angles& angles);
// The motion is taken up where its angles are these: springs and limits of joints count their turns.
void take_up_turns(World& world, const Angles& angles);

// The words for the columns that are shown of a world when nothing is asked for: its coordinates or angles.
std::vector<std::string> usual_columns(const World& world);

class WorldFrame {
 public:
  explicit WorldFrame(World& world);

  // The world in a state. `angles`: those of a state shortly before, `from`; they are followed to this one,
  // but for links at a pole, which remember the last row.
  void update(World& world, const State& state, const State& from, const Angles& angles,
              const Columns& columns);
  // What the angles of the last update remember.
  const Angles& angles() const { return angles_; }
  void set_angles(const Angles& angles) { angles_ = angles; }

  // The row of the state shown. `totals` are of the same state.
  void write(double t, const World& world, const Columns& columns, const RowTotals& totals, double* row);
  // Notes what the state shown says of the momenta that a motion keeps.
  void record(World& world, const State& state, MomentumRecord& momenta) const;

 private:
  void show_bodies(World& world, const State& state, const State& from, bool with_digits);
  void show_coordinates(World& world, const State& state, bool with_reactions);
  void show_states(World& world, const State& state);
  const BodyFrame* bodies() const { return bodies_ ? &*bodies_ : nullptr; }

  Angles angles_;
  std::vector<ChainFrame> chains_;
  std::optional<BodyFrame> bodies_;
  std::optional<FormulaFrame> formulas_;
  std::vector<DoubleDouble> start_invariants_;  // of the equations
};

}  // namespace catena
