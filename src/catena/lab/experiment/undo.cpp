#include "catena/lab/experiment/undo.h"

#include <utility>

namespace catena {

bool Undo::continues(std::int64_t gesture) const {
  return gesture != 0 && at_ > 0 && at_ == steps_.size() && steps_.back().gesture == gesture;
}

void Undo::add(Memory before, std::int64_t gesture, std::string look) {
  steps_.resize(at_);
  if (steps_.size() == kSteps) steps_.erase(steps_.begin());
  steps_.push_back({{std::move(before), std::move(look)}, std::nullopt, gesture});
  at_ = steps_.size();
  ++version_;
}

std::optional<std::string> Undo::undo(Experiment& experiment, std::string look) {
  if (!can_undo()) return std::nullopt;
  Step& step = steps_[at_ - 1];
  step.after = {experiment.memory(), std::move(look)};
  experiment.recall(step.before.memory, step.before.memory.tick);
  --at_;
  ++version_;
  return step.before.look;
}

std::optional<std::string> Undo::redo(Experiment& experiment) {
  if (!can_redo()) return std::nullopt;
  const Step& step = steps_[at_];
  experiment.recall(step.after->memory, step.before.memory.tick);
  ++at_;
  ++version_;
  return step.after->look;
}

}  // namespace catena
