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

}  // namespace

struct Ensemble::Machine {
  std::vector<Lab*> labs;
  std::vector<StepStatus> status;
  explicit Machine(std::size_t width) : labs(width, nullptr), status(width, StepStatus::done) {}
  virtual ~Machine() = default;
  virtual void changed() = 0;
  virtual void step() = 0;
};

template <int W>
struct Ensemble::MachineOf : Machine {
  std::optional<World> world;      // of what lanes that are free have
  std::vector<double> numbers[W];  // of what the machine was made for
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
    bool same = lanes != nullptr && shape == first->numbers().shape();
    std::vector<const NumberTape*> tapes;
    for (int l = 0; l < W; ++l) {
      Lab* lab = labs[static_cast<std::size_t>(l)];
      LaneStepper* stepper = lab == nullptr ? nullptr : stepper_of(*lab);
      fits[l] = stepper != nullptr && same_shape(*stepper, *first);
      if (stepper != nullptr) piece[l] = stepper->piece();
      tapes.push_back(fits[l] ? &stepper->numbers() : &first->numbers());
      if (fits[l] && tapes.back()->values() != numbers[l]) same = false;
    }
    if (same) return;
    for (int l = 0; l < W; ++l) numbers[l] = tapes[static_cast<std::size_t>(l)]->values();
    shape = first->numbers().shape();
    lanes.reset();
    world.emplace(first->world());
    LaneWorlds<W> worlds = lane_worlds<W>(*world, tapes);
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

Ensemble::Ensemble(int width) {
  if (width == 8) {
    machine_ = std::make_unique<MachineOf<8>>();
  } else if (width == 4) {
    machine_ = std::make_unique<MachineOf<4>>();
  } else {
    machine_ = std::make_unique<MachineOf<1>>();
  }
}

Ensemble::~Ensemble() = default;

std::size_t Ensemble::width() const { return machine_->labs.size(); }
Lab* Ensemble::at(std::size_t place) const { return machine_->labs[place]; }
StepStatus Ensemble::status(std::size_t place) const { return machine_->status[place]; }
void Ensemble::leave(std::size_t place) { machine_->labs[place] = nullptr; }

bool Ensemble::seat(std::size_t place, Lab& lab) {
  LaneStepper* stepper = stepper_of(lab);
  if (stepper == nullptr) return false;
  for (Lab* other : machine_->labs) {
    if (other == nullptr || other == machine_->labs[place]) continue;
    LaneStepper& beside = *stepper_of(*other);
    if (!same_rule(*stepper, beside)) return false;
    // Shapes change from piece to piece.
    const bool may_change = stepper->world().has_pieces() && beside.world().has_pieces();
    if (!may_change && !same_shape(*stepper, beside)) return false;
  }
  machine_->labs[place] = &lab;
  machine_->changed();
  return true;
}

void Ensemble::advance() {
  if (std::all_of(machine_->labs.begin(), machine_->labs.end(), [](Lab* lab) { return lab == nullptr; }))
    return;
  machine_->step();
  for (std::size_t place = 0; place < width(); ++place) {
    if (Lab* lab = machine_->labs[place]) machine_->status[place] = lab->advance();
  }
}

}  // namespace catena
