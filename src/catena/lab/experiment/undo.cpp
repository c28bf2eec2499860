#include "catena/lab/experiment/undo.h"

#include <utility>

namespace catena {

bool Undo::continues(std::int64_t gesture) const {
  return gesture != 0 && at_ > 0 && at_ == steps_.size() && steps_.back().gesture == gesture;
}

void Undo::add(Memory before, std::int64_t gesture) {
  steps_.resize(at_);
  if (steps_.size() == kSteps) steps_.erase(steps_.begin());
  steps_.push_back({std::move(before), std::nullopt, gesture});
  at_ = steps_.size();
}

bool Undo::undo(Experiment& experiment) {
  if (!can_undo()) return false;
  Step& step = steps_[at_ - 1];
  step.after = experiment.memory();
  experiment.recall(step.before, step.before.tick);
  --at_;
  return true;
}

bool Undo::redo(Experiment& experiment) {
  if (!can_redo()) return false;
  Step& step = steps_[at_];
  experiment.recall(*step.after, step.before.tick);
  ++at_;
  return true;
}

}  // namespace catena
