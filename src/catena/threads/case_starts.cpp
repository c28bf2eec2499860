#include "catena/threads/case_starts.h"

#include "catena/base/mistake.h"

namespace catena {

bool CaseStarts::write(std::uint64_t index, double* out) try {
  cases_.values(index, values_.data());
  values_.back() = scenes_->unsolved();
  const Scene& scene = scenes_->with(values_.data());
  // From the scene that was recorded: worlds of another kind are not begun.
  if (!lab_) lab_ = std::make_unique<Lab>(*program_.scene);
  if (!lab_->restart(scene)) {
    lab_.reset();
    return false;
  }
  program_.write_start(*lab_, out);
  return true;
} catch (const InputError&) {
  lab_.reset();
  return false;
}

}  // namespace catena
