// A lab's steps in lanes: computed by itself in LanesOf<1>, or beforehand beside others
// (catena/lab/ensemble.h), with the same bits.
#pragma once

#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"
#include "catena/integrate/lane_taylor.h"
#include "catena/lab/lanes.h"
#include "catena/math/number_tape.h"

namespace catena {

// The order and the tolerance of steps in lanes: they follow from what is asked for alone.
LaneRule lane_rule(const World& world, const StepOptions& options);

// The numbers of a world, in the order in which lanes ask for them, and what it is like beside them.
NumberTape lane_numbers(const World& world);

// W worlds of one shape as one system: `numbers` of each, all like `world`, which must stay where it is. What
// is not done in lanes is done by the world whose motion goes there: `seat` says which, and it must stay
// where it is, too; null, and as long as nothing is said: `world`.
template <int W>
struct LaneWorlds {
  LaneSystem<W> system;
  std::function<void(int lane, World* world)> seat;
};
template <int W>
LaneWorlds<W> lane_worlds(World& world, const std::vector<const NumberTape*>& numbers);

class LaneStepper final : public Stepper {
 public:
  // The world must stay where it is.
  LaneStepper(World& world, const StepOptions& options);
  ~LaneStepper() override;

  StepStatus step(State& state, double horizon) override;
  const StepPolynomial& dense() override { return polynomial_; }
  int order() const override { return rule_.order; }
  StepMemory memory() const override { return {first_step_, singular_.usual_margin, singular_.leap_length}; }
  // The world may hold another piece of its prescribed motions from now on.
  void restore(const StepMemory& memory) override;
  // A motion of the same world begins anew.
  void begin();

  const LaneRule& rule() const { return rule_; }
  const NumberTape& numbers();
  World& world() { return world_; }
  // Another one once the world may have other numbers than before, or another shape.
  int piece() const { return piece_; }

  // The next step, if it starts from this state.
  template <int W>
  void seat(LaneTaylor<W>& machine, int lane, const State& state) const {
    machine.seat(lane, state, first_step_, longest_, singular_);
  }
  template <int W>
  void prepare(const LaneTaylor<W>& machine, int lane);

 private:
  template <int W>
  void take(const LaneTaylor<W>& machine, int lane);
  bool is_prepared(const State& state) const;

  World& world_;
  LaneRule rule_;
  double given_first_step_, first_step_;
  singular::Memory singular_;
  int crawling_ = 0, piece_ = 0;
  std::unique_ptr<NumberTape> numbers_;
  std::unique_ptr<LaneTaylor<1>> alone_;
  StepPolynomial polynomial_;
  // Of the last step that a machine took.
  State start_, end_;
  StepStatus status_ = StepStatus::done;
  double length_ = 0.0, asked_first_ = 0.0, asked_longest_ = 0.0;
  singular::Memory asked_singular_, next_singular_;
  int rejected_ = 0;
  bool prepared_ = false;
};

}  // namespace catena
