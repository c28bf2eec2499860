// Steps back and forth through what was done to an experiment: changes, drags, ghosts, restarts, other
// scenes. A step remembers the whole experiment just before something was done, and, once it was undone, just
// before that: both ways lead to the same bits. With each it keeps a text of the caller's own: how it was
// looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  void add(Memory before, std::int64_t gesture, std::string look = {});

  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ < steps_.size(); }
  // How it was looked at where this leads; none: there is nothing to undo, to do again.
  std::optional<std::string> undo(Experiment& experiment, std::string look = {});
  std::optional<std::string> redo(Experiment& experiment);

  // ---- to keep all of it elsewhere

  struct Moment {
    Memory memory;
    std::string look;
  };
  struct Step {
    Moment before;
    std::optional<Moment> after;  // where it was undone
    std::int64_t gesture = 0;
  };
  Undo() = default;
  // Steps from `at` on were undone: each of them says what came after it.
  Undo(std::vector<Step> steps, std::size_t at) : steps_(std::move(steps)), at_(at) {}
  const std::vector<Step>& steps() const { return steps_; }
  std::size_t at() const { return at_; }
  // Another number whenever the steps are others.
  std::int64_t version() const { return version_; }

 private:
  std::vector<Step> steps_;
  std::size_t at_ = 0;  // steps before it are done
  std::int64_t version_ = 0;
};

}  // namespace catena
