#include "catena/lab/lane_stepper.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "catena/dynamics/chain/lane_directions.h"
#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/step_control.h"
#include "catena/integrate/taylor.h"
#include "catena/math/recorded.h"

namespace catena {
namespace {

// What a chain's unit vectors need, and where they are.
struct FreeDirections {
  std::size_t offset, links, components;
};

// Chains whose unit vectors are all that has to be brought back; none where others do the like.
std::vector<FreeDirections> free_directions(const World& world) {
  std::vector<FreeDirections> out;
  if (world.lagrangian() != nullptr || world.mechanism() != nullptr) return out;
  for (const ChainUnit& unit : world.chains()) {
    if (unit.elastic()) continue;
    for (std::size_t k = 0; k < unit.links(); ++k) {
      if (unit.parameters().hinged(k)) return {};
    }
    out.push_back({unit.offset, unit.links(), unit.components()});
  }
  return out;
}

// The world of each lane.
template <int W>
using Worlds = std::vector<World*>;

// Lane by lane, as in every run.
template <int W>
void project_one_by_one(const Worlds<W>& worlds, WorldOver<LanesOf<W>>& moving, const LanesOf<W>& t,
                        const LanesOf<W>* hi, LanesOf<W>* lo, const bool* lanes) {
  const std::size_t n = worlds.front()->dimension();
  std::vector<double> x(n), rest(n);
  for (int l = 0; l < LanesOf<W>::kWidth; ++l) {
    if (!lanes[l]) continue;
    for (std::size_t i = 0; i < n; ++i) x[i] = hi[i].lane(l), rest[i] = lo[i].lane(l);
    moving.project_lane(l, *worlds[static_cast<std::size_t>(l)], t.lane(l), x.data(), rest.data());
    for (std::size_t i = 0; i < n; ++i) lo[i].set_lane(l, rest[i]);
  }
}

template <int W>
auto projection(World& world, const std::shared_ptr<Worlds<W>>& worlds,
                const std::shared_ptr<WorldOver<LanesOf<W>>>& moving) -> decltype(LaneSystem<W>::project) {
  if (!world.has_constraints()) return nullptr;
  const std::vector<FreeDirections> free = free_directions(world);
  if (free.empty()) {
    return [worlds, moving](const LanesOf<W>& t, const LanesOf<W>* hi, LanesOf<W>* lo, const bool* lanes) {
      project_one_by_one<W>(*worlds, *moving, t, hi, lo, lanes);
    };
  }
  return [free](const LanesOf<W>&, const LanesOf<W>* hi, LanesOf<W>* lo, const bool*) {
    for (const FreeDirections& of : free) {
      (of.components == 2 ? project_directions<2, W> : project_directions<3, W>)(of.links, hi + of.offset,
                                                                                 lo + of.offset);
    }
  };
}

}  // namespace

std::string lanes_refusal(const World& world, const std::string& method, const std::string& precision,
                          const StepOptions& options) {
  if (method != "taylor") return "method '" + method + "' is not computed in lanes; taylor is";
  if (precision != "double") return "precision '" + precision + "' is not computed in lanes";
  if (!options.by_tolerance || options.max_velocity_error || options.max_momentum_error)
    return "max_velocity_error and max_momentum_error are not looked at in lanes; give a tolerance";
  if (world.mechanism() != nullptr && !goes_in_lanes(*world.mechanism()))
    return "mechanisms of more than 8 bodies, or of more than 60 equations of joints, take less one after "
           "the other";
  constexpr std::size_t kMostLookedAt = 2;  // measured: docs/theory/lanes.md
  if (world.mechanism() != nullptr && world.mechanism()->looks_inside() &&
      world.mechanism()->bodies() > kMostLookedAt)
    return "mechanisms of more than 2 bodies with motors or laws of joints by formula take less one after "
           "the "
           "other";
  if (world.may_be_singular() && world.mechanism() == nullptr)
    return "constraints with singular positions are not computed in lanes yet";
  if (world.lagrangian() != nullptr && world.lagrangian()->given().picks_coordinates)
    return "coordinates that follow from others are not computed in lanes yet";
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() == nullptr && !unit.elastic() && !std::holds_alternative<RigidChain<2>>(unit.chain) &&
        !std::holds_alternative<RigidChain<3>>(unit.chain))
      return "formulations other than tension and articulated are not computed in lanes; leave `formulation` "
             "out";
  }
  return "";
}

LaneRule lane_rule(const World& world, const StepOptions& options) {
  const int order = options.order.value_or(
      cheapest_order(options.tolerance, world.series_overhead(), world.step_overhead()));
  return {options.tolerance, order};
}

NumberTape lane_numbers(const World& world) {
  NumberTape tape;
  WorldOver<LanesOf<1>>(world, &tape);
  return tape;
}

namespace {

template <int W>
void add_followers(LaneSystem<W>& system, const World& world, const std::vector<const RateNumbers*>& of) {
  using S = LanesOf<W>;
  if constexpr (W >= 1) {
    if (of.empty() || of.front()->rates.empty()) return;
    const auto followers = std::make_shared<LaneFollowers<W>>(world, of);
    system.directions = followers->directions();
    system.follow = [followers](const S& t, const S* x, const S* rates, int order, S* c) {
      followers->follow(t, x, rates, order, c);
    };
    system.project_rates = [followers](const S& t, const S* x, S* rates) { followers->project(t, x, rates); };
    system.reserve = [reserve = system.reserve, followers](int order) {
      reserve(order);
      followers->reserve(order);
    };
  }
}

}  // namespace

template <int W>
LaneWorlds<W> lane_worlds(World& world, const std::vector<const NumberTape*>& numbers,
                          const std::vector<const RateNumbers*>& followed) {
  using S = LanesOf<W>;
  std::vector<std::vector<double>> of_lanes;
  for (const NumberTape* tape : numbers) of_lanes.push_back(tape->values());
  NumberTape all(of_lanes.front(), of_lanes);
  const auto moving = std::make_shared<WorldOver<S>>(world, &all);
  const auto worlds = std::make_shared<Worlds<W>>(static_cast<std::size_t>(S::kWidth), &world);
  LaneSystem<W> system;
  system.dimension = moving->dimension();
  system.controlled = moving->motion_lanes();
  system.rhs = [moving](const S& t, const S* x, S* dx) { moving->rhs(t, x, dx); };
  system.taylor = [moving](const S& t, const S* x, int order, S* c) { moving->taylor(t, x, order, c); };
  system.reserve = [moving](int order) { moving->reserve(order); };
  system.project = projection<W>(world, worlds, moving);
  if (world.may_be_singular())
    system.margin = [moving](const S& t, const S* x) { return moving->margin(t, x); };
  if (moving->has_kinks())
    system.smooth_until = [moving](const S& length) { return moving->smooth_until(length); };
  system.reads_time = world.looks_inside() && world.reads_time();
  add_followers<W>(system, world, followed);
  const auto seat = [moving, worlds, &world](int lane, World* of) {
    (*worlds)[static_cast<std::size_t>(lane)] = of == nullptr ? &world : of;
    moving->seat(lane, of);
  };
  return {std::move(system), seat};
}

LaneStepper::LaneStepper(World& world, const StepOptions& options)
    : world_(world),
      rule_(lane_rule(world, options)),
      given_first_step_(options.step.value_or(0.0)),
      first_step_(given_first_step_) {
  const std::size_t n = world.dimension();
  polynomial_.resize(rule_.order, n);
  for (State* state : {&start_, &end_}) state->hi.resize(n), state->lo.resize(n);
}

LaneStepper::~LaneStepper() = default;

void LaneStepper::begin() {
  first_step_ = given_first_step_;
  singular_ = {};
  crawling_ = 0;
  follow(nullptr);
  counts_ = {};
  last_step_ = 0.0;
}

void LaneStepper::restore(const StepMemory& memory) {
  first_step_ = memory[0];
  singular_ = {memory[1], memory[2]};
  if (!world_.has_pieces()) return;
  read_rate_series_ = nullptr;
  numbers_.reset();
  alone_.reset();
  prepared_ = false;
  ++piece_;
}

void LaneStepper::follow(std::shared_ptr<const RateNumbers> numbers) {
  const bool is_same = followed_ != nullptr && numbers != nullptr && *followed_ == *numbers;
  followed_ = std::move(numbers);
  prepared_ = false;
  if (is_same) return;
  read_rate_series_ = nullptr;
  followers_.reset();
  alone_.reset();
}

std::vector<double> LaneStepper::projected_rates(const State& state, const std::vector<double>& rates) {
  if (followers_ == nullptr)
    followers_ = std::make_unique<LaneFollowers<1>>(world_, std::vector<const RateNumbers*>{followed_.get()});
  AlignedVector<LanesOf<1>> x(state.hi.begin(), state.hi.end()), out(rates.begin(), rates.end());
  followers_->project(LanesOf<1>(state.t), x.data(), out.data());
  std::vector<double> projected;
  for (const LanesOf<1>& rate : out) projected.push_back(rate.lane(0));
  return projected;
}

namespace {

// Numbers that lie side by side, by Horner's rule: `rows` of them from `c` on, each `apart` from the next.
template <int W>
LanesOf<W> summed(const double* c, std::size_t rows, std::size_t apart, double at) {
  const auto row = [&](std::size_t k) {
    LanesOf<W> out;
    std::memcpy(&out, c + k * apart, sizeof out);
    return out;
  };
  LanesOf<W> value = row(rows - 1);
  for (std::size_t k = rows - 1; k-- > 0;) value = fused(value, LanesOf<W>(at), row(k));
  return value;
}

}  // namespace

void LaneStepper::keep_rates() {
  if (read_rate_series_ == nullptr) return;
  read_rate_series_(rate_series_);
  read_rate_series_ = nullptr;
}

void LaneStepper::rates_at(double after, std::vector<double>& rates) {
  keep_rates();
  const std::size_t row = rates_end_.size(), rows = rate_series_.size() / row;
  rates.resize(row);
  std::size_t i = 0;
  for (; i + 4 <= row; i += 4) {
    const LanesOf<4> four = summed<4>(rate_series_.data() + i, rows, row, after);
    std::memcpy(rates.data() + i, &four, sizeof four);
  }
  for (; i < row; ++i) rates[i] = summed<1>(rate_series_.data() + i, rows, row, after).lane(0);
}

double LaneStepper::square_of_rates(double after, std::size_t direction, std::size_t lanes) {
  keep_rates();
  const std::size_t row = rates_end_.size(), rows = rate_series_.size() / row;
  const double* c = rate_series_.data() + direction * world_.dimension();
  LanesOf<4> sum(0.0);
  LanesOf<1> rest(0.0);
  std::size_t i = 0;
  for (; i + 4 <= lanes; i += 4) {
    const LanesOf<4> four = summed<4>(c + i, rows, row, after);
    sum += four * four;
  }
  for (; i < lanes; ++i) {
    const LanesOf<1> one = summed<1>(c + i, rows, row, after);
    rest += one * one;
  }
  return ((sum.lane(0) + sum.lane(1)) + (sum.lane(2) + sum.lane(3))) + rest.lane(0);
}

const NumberTape& LaneStepper::numbers() {
  if (numbers_ == nullptr) numbers_ = std::make_unique<NumberTape>(lane_numbers(world_));
  return *numbers_;
}

template <int W>
void LaneStepper::take(LaneTaylor<W>& machine, int lane) {
  status_ = machine.status(lane);
  rejected_ = machine.rejected(lane);
  asked_first_ = first_step_;
  asked_longest_ = longest_;
  asked_singular_ = singular_;
  next_singular_ = machine.singular_memory(lane);
  machine.read_start(lane, start_);
  if (machine.directions() > 0) {
    machine.read_rates(lane, rates_start_, rates_end_);
    read_rate_series_ = [&machine, lane](std::vector<double>& series) {
      machine.read_rate_series(lane, series);
    };
    for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = machine.square(i, lane);
    shortened_ = machine.shortened(lane);
  }
  if (status_ != StepStatus::done) return;
  length_ = machine.length(lane);
  machine.read_end(lane, end_);
  machine.read_polynomial(lane, polynomial_);
}

template <int W>
void LaneStepper::prepare(LaneTaylor<W>& machine, int lane) {
  prepared_ = !machine.parts(lane);
  if (prepared_) take(machine, lane);
}

bool LaneStepper::is_prepared(const State& state) const {
  return prepared_ && asked_first_ == first_step_ && asked_longest_ == longest_ &&
         asked_singular_ == singular_ && state.t == start_.t && state.t_lo == start_.t_lo &&
         state.hi == start_.hi && state.lo == start_.lo && (followed_ == nullptr || rates_ == rates_start_);
}

StepStatus LaneStepper::step(State& state, double /*horizon*/) {
  constexpr int kMostCrawling = 100;  // steps in a row that may be too short for the clock
  if (!is_prepared(state)) {
    if (alone_ == nullptr) {
      std::vector<const RateNumbers*> along;
      if (followed_ != nullptr) along.push_back(followed_.get());
      LaneWorlds<1> worlds = lane_worlds<1>(world_, {&numbers()}, along);
      worlds.seat(0, &world_);
      alone_ = std::make_unique<LaneTaylor<1>>(std::move(worlds.system), rule_);
    }
    seat(*alone_, 0, state);
    alone_->step();
    take(*alone_, 0);
  }
  prepared_ = false;
  counts_.rejected += rejected_;
  counts_.evaluations += 2 + rejected_;
  singular_ = next_singular_;
  if (status_ != StepStatus::done) return status_;
  crawling_ = length_ < shortest_step(state.t) ? crawling_ + 1 : 0;
  if (crawling_ > kMostCrawling) return StepStatus::step_too_small;
  state = end_;
  first_step_ = 0.0;
  last_step_ = length_;
  ++counts_.steps;
  return StepStatus::done;
}

#define CATENA_OF_WIDTH(W)                                                             \
  template LaneWorlds<W> lane_worlds<W>(World&, const std::vector<const NumberTape*>&, \
                                        const std::vector<const RateNumbers*>&);       \
  template void LaneStepper::prepare<W>(LaneTaylor<W>&, int);
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH
template LaneWorlds<kRecorded> lane_worlds<kRecorded>(World&, const std::vector<const NumberTape*>&,
                                                      const std::vector<const RateNumbers*>&);

}  // namespace catena
