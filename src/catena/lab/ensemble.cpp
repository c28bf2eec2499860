#include "catena/lab/ensemble.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"

namespace catena {
namespace {

LaneStepper* stepper_of(Lab& lab) { return dynamic_cast<LaneStepper*>(lab.inside().stepper.get()); }

bool same_rule(LaneStepper& a, LaneStepper& b) {
  return a.rule().order == b.rule().order && a.rule().tolerance == b.rule().tolerance;
}
bool same_shape(LaneStepper& a, LaneStepper& b) {
  return a.numbers().shape() == b.numbers().shape() &&
         a.numbers().values().size() == b.numbers().values().size();
}
// Rates go along in as many directions.
bool same_following(const LaneStepper& a, const LaneStepper& b) {
  const RateNumbers *one = a.followed(), *other = b.followed();
  if (one == nullptr || other == nullptr) return one == other;
  return one->rates.size() == other->rates.size() && one->values.size() == other->values.size();
}

}  // namespace

struct Ensemble::Machine {
  std::vector<Lab*> labs;
  std::vector<StepStatus> status;
  std::vector<std::weak_ptr<LaneStepper*>> steppers;  // labs may go before they leave
  explicit Machine(std::size_t width)
      : labs(width, nullptr), status(width, StepStatus::done), steppers(width) {}
  virtual ~Machine() = default;
  virtual void changed() = 0;
  // Another step is computed in its place, or none.
  void keep(std::size_t place) {
    if (const auto stepper = steppers[place].lock()) (*stepper)->keep_rates();
  }
  void keep() {
    for (std::size_t place = 0; place < labs.size(); ++place) keep(place);
  }
  virtual void step() = 0;
};

template <int W>
struct Ensemble::MachineOf : Machine {
  std::optional<World> world;      // of what lanes that are free have
  std::vector<double> numbers[W];  // of what the machine was made for
  RateNumbers followed[W];
  std::vector<std::size_t> shape;
  // Of each place: whether its world has this shape now, and its piece of prescribed motions.
  bool fits[W] = {};
  int piece[W] = {};
  std::unique_ptr<LaneTaylor<W>> lanes;
  std::function<void(int, World*)> seat;  // which world moves in a lane

  MachineOf() : Machine(W) {}

  // The shape that most of them have: the others step by themselves, until theirs is this one again.
  LaneStepper* usual() const {
    LaneStepper* best = nullptr;
    std::ptrdiff_t most = 0;
    for (Lab* lab : labs) {
      if (lab == nullptr) continue;
      const auto count = std::count_if(labs.begin(), labs.end(), [&](Lab* other) {
        return other != nullptr && same_shape(*stepper_of(*other), *stepper_of(*lab));
      });
      if (count > most) best = stepper_of(*lab), most = count;
    }
    return best;
  }

  // Made anew where a lab has numbers other than the place had.
  void changed() override {
    LaneStepper* first = usual();
    if (first == nullptr) return;
    bool same = lanes != nullptr && shape == first->numbers().shape() &&
                (first->followed() != nullptr) == (lanes->directions() > 0);
    std::vector<const NumberTape*> tapes;
    std::vector<const RateNumbers*> rates;
    for (int l = 0; l < W; ++l) {
      Lab* lab = labs[static_cast<std::size_t>(l)];
      LaneStepper* stepper = lab == nullptr ? nullptr : stepper_of(*lab);
      fits[l] = stepper != nullptr && same_shape(*stepper, *first) && same_following(*stepper, *first);
      if (stepper != nullptr) piece[l] = stepper->piece();
      tapes.push_back(fits[l] ? &stepper->numbers() : &first->numbers());
      if (fits[l] && tapes.back()->values() != numbers[l]) same = false;
      if (first->followed() == nullptr) continue;
      rates.push_back(fits[l] ? stepper->followed() : first->followed());
      if (fits[l] && *rates.back() != followed[l]) same = false;
    }
    if (same) return;
    for (int l = 0; l < W; ++l) {
      numbers[l] = tapes[static_cast<std::size_t>(l)]->values();
      followed[l] = rates.empty() ? RateNumbers{} : *rates[static_cast<std::size_t>(l)];
    }
    shape = first->numbers().shape();
    keep();
    lanes.reset();
    world.emplace(first->world());
    LaneWorlds<W> worlds = lane_worlds<W>(*world, tapes, rates);
    lanes = std::make_unique<LaneTaylor<W>>(std::move(worlds.system), first->rule());
    seat = std::move(worlds.seat);
  }

  bool is_past_kink() const {
    for (int l = 0; l < W; ++l) {
      Lab* lab = labs[static_cast<std::size_t>(l)];
      if (lab != nullptr && stepper_of(*lab)->piece() != piece[l]) return true;
    }
    return false;
  }

  void step() override {
    if (is_past_kink()) changed();
    Lab* any = nullptr;
    for (int l = 0; l < W; ++l) {
      fits[l] = fits[l] && labs[static_cast<std::size_t>(l)] != nullptr;
      if (fits[l] && any == nullptr) any = labs[static_cast<std::size_t>(l)];
    }
    if (any == nullptr) return;
    for (int l = 0; l < W; ++l) {
      Lab* lab = fits[l] ? labs[static_cast<std::size_t>(l)] : nullptr;
      seat(l, lab == nullptr ? nullptr : &stepper_of(*lab)->world());
      Lab& shown = lab == nullptr ? *any : *lab;  // a lane that is free holds numbers all the same
      stepper_of(shown)->seat(*lanes, l, shown.state());
      if (lab == nullptr) lanes->vacate(l);
    }
    lanes->step();
    for (int l = 0; l < W; ++l) {
      if (fits[l]) stepper_of(*labs[static_cast<std::size_t>(l)])->prepare(*lanes, l);
    }
  }
};

Ensemble::Ensemble(int width) : width_(static_cast<std::size_t>(width)) {
  if (width == 1) machines_.push_back(std::make_unique<MachineOf<1>>());
  for (int first = 0; width > 1 && first < width; first += 4)
    machines_.push_back(std::make_unique<MachineOf<4>>());
}

Ensemble::~Ensemble() {
  for (const auto& machine : machines_) machine->keep();
}

Ensemble::Machine& Ensemble::machine_of(std::size_t place) const { return *machines_[place / 4]; }
std::size_t Ensemble::width() const { return width_; }
Lab* Ensemble::at(std::size_t place) const { return machine_of(place).labs[place % 4]; }
StepStatus Ensemble::status(std::size_t place) const { return machine_of(place).status[place % 4]; }
void Ensemble::leave(std::size_t place) {
  Machine& machine = machine_of(place);
  machine.keep(place % 4);
  machine.labs[place % 4] = nullptr;
  machine.steppers[place % 4].reset();
}

bool Ensemble::seat(std::size_t place, Lab& lab) {
  LaneStepper* stepper = stepper_of(lab);
  if (stepper == nullptr) return false;
  Machine& machine = machine_of(place);
  for (Lab* other : machine.labs) {
    if (other == nullptr || other == machine.labs[place % 4]) continue;
    LaneStepper& beside = *stepper_of(*other);
    if (!same_rule(*stepper, beside) || !same_following(*stepper, beside)) return false;
    // Shapes change from piece to piece.
    const bool may_change = stepper->world().has_pieces() && beside.world().has_pieces();
    if (!may_change && !same_shape(*stepper, beside)) return false;
  }
  machine.labs[place % 4] = &lab;
  machine.steppers[place % 4] = stepper->watched();
  machine.changed();
  return true;
}

void Ensemble::advance() {
  for (const auto& machine : machines_) {
    const bool is_empty =
        std::all_of(machine->labs.begin(), machine->labs.end(), [](Lab* lab) { return lab == nullptr; });
    if (is_empty) continue;
    machine->step();
    for (std::size_t place = 0; place < machine->labs.size(); ++place) {
      if (Lab* lab = machine->labs[place]) machine->status[place] = lab->advance();
    }
  }
}

}  // namespace catena
