#include "catena/threads/case_starts.h"

#include "catena/base/mistake.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"

namespace catena {

bool CaseStarts::write(std::uint64_t index, double* out) try {
  cases_.values(index, values_.data());
  values_.back() = scenes_->unsolved();
  const Scene& scene = scenes_->with(values_.data());
  // From the scene that was recorded: worlds of another kind are not begun.
  if (program_.numbers > 0) {
    Lab lab(scene);
    if (!lab.lanes_refusal().empty()) return false;
    const LaneRule rule = lane_rule(lab.inside().world, lab.inside().options);
    return rule.order == program_.rule.order && program_.write_start(lab, out);
  }
  if (!lab_) lab_ = std::make_unique<Lab>(*program_.scene);
  if (!lab_->restart(scene)) {
    lab_.reset();
    return false;
  }
  return program_.write_start(*lab_, out);
} catch (const InputError&) {
  lab_.reset();
  return false;
}

}  // namespace catena
