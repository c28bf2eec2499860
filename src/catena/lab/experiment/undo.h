// Steps back and forth through what was done to an experiment: changes, drags, ghosts, restarts, other
// scenes. A step remembers the whole experiment just before something was done, and, once it was undone, just
// before that: both ways lead to the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/experiment/experiment.h"

namespace catena {

class Undo {
 public:
  static constexpr std::size_t kSteps = 60;

  // Whether something done by this gesture belongs to the last step: a slider that moves on, a hand that does
  // not let go. 0 is a gesture of its own each time.
  bool continues(std::int64_t gesture) const;
  // Something was done, and before it the experiment was so. Forgets what could have been done again.
  void add(Memory before, std::int64_t gesture);

  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ < steps_.size(); }
  // False: there is nothing to undo, to do again.
  bool undo(Experiment& experiment);
  bool redo(Experiment& experiment);

 private:
  struct Step {
    Memory before;
    std::optional<Memory> after;
    std::int64_t gesture = 0;
  };
  std::vector<Step> steps_;
  std::size_t at_ = 0;  // steps before it are done
};

}  // namespace catena
