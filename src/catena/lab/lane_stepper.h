// A lab's steps in lanes: computed by itself in LanesOf<1>, or beforehand beside others
// (catena/lab/ensemble.h), with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"
#include "catena/integrate/lane_taylor.h"
#include "catena/lab/lane_followers.h"
#include "catena/lab/lanes.h"
#include "catena/math/gauss_rule.h"
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
// `followed`: of each the numbers with their rates in the directions that go along; none: nothing does.
template <int W>
LaneWorlds<W> lane_worlds(World& world, const std::vector<const NumberTape*>& numbers,
                          const std::vector<const RateNumbers*>& followed = {});

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

  // From now on rates in these directions go along with the steps; null: none do.
  void follow(std::shared_ptr<const RateNumbers> numbers);
  const RateNumbers* followed() const { return followed_.get(); }
  // The rates where the next step starts, [direction][lane]; onto what constraints allow at a state.
  void set_rates(std::vector<double> rates) { rates_ = std::move(rates); }
  std::vector<double> projected_rates(const State& state, const std::vector<double>& rates);
  // Of the step taken last: at its end, and so long behind its start, not brought back to the constraints;
  // the square of one direction's over the leading lanes; whether they made it shorter.
  const std::vector<double>& rates_at_end() const { return rates_end_; }
  void rates_at(double after, std::vector<double>& rates);
  double square_of_rates(double after, std::size_t direction, std::size_t lanes);
  // Of the first direction, at the places of Gauss's rule.
  const GaussValues& squares() const { return squares_; }
  // Series of rates stay where they were computed until somebody asks, or another step is computed there:
  // before that, whoever prepared the last step says so.
  void keep_rates();
  // Nobody once it is gone.
  std::weak_ptr<LaneStepper*> watched() const { return itself_; }
  bool shortened() const { return shortened_; }

  // The next step, if it starts from this state.
  template <int W>
  void seat(LaneTaylor<W>& machine, int lane, const State& state) const {
    machine.seat(lane, state, first_step_, longest_, singular_);
    if (machine.directions() > 0) machine.seat_rates(lane, rates_);
  }
  template <int W>
  void prepare(LaneTaylor<W>& machine, int lane);

 private:
  template <int W>
  void take(LaneTaylor<W>& machine, int lane);
  bool is_prepared(const State& state) const;

  World& world_;
  std::shared_ptr<LaneStepper*> itself_ = std::make_shared<LaneStepper*>(this);
  LaneRule rule_;
  double given_first_step_, first_step_;
  singular::Memory singular_;
  int crawling_ = 0, piece_ = 0;
  std::unique_ptr<NumberTape> numbers_;
  std::unique_ptr<LaneTaylor<1>> alone_;
  std::shared_ptr<const RateNumbers> followed_;
  std::unique_ptr<LaneFollowers<1>> followers_;  // for what is asked for at single states
  std::vector<double> rates_;
  StepPolynomial polynomial_;
  // Of the last step that a machine took.
  State start_, end_;
  StepStatus status_ = StepStatus::done;
  double length_ = 0.0, asked_first_ = 0.0, asked_longest_ = 0.0;
  singular::Memory asked_singular_, next_singular_;
  int rejected_ = 0;
  bool prepared_ = false, shortened_ = false;
  std::vector<double> rates_start_, rates_end_, rate_series_;
  GaussValues squares_{};
  std::function<void(std::vector<double>&)> read_rate_series_;  // none: it is here
};

}  // namespace catena
