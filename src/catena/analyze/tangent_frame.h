// Neighbouring motions, as directions that are carried along a motion and kept apart: a frame of tangents.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

// X(t) = Q(t) R(t): directions that were an orthonormal frame when the frame was last renewed. All of them
// turn towards the fastest; the frame is renewed, X = Q, before they can no longer be told apart.
class TangentFrame {
 public:
  // Random directions of those that constraints allow. Throws InputError where tangents cannot be had, or
  // there are fewer.
  TangentFrame(Lab& lab, std::size_t count, std::uint64_t seed);

  // One step of the motion.
  StepStatus advance();
  // The same where somebody else moves the lab: before its step, and after it. What is looked at ends at
  // `until`, where that lies within the step; it is the last then.
  void prepare();
  StepStatus look(double until = std::numeric_limits<double>::infinity());

  std::size_t count() const { return count_; }
  // How many directions there are in all.
  std::size_t dimension() const { return dimension_; }
  // log R_kk since the last step: by how much volumes of 1, 2, .. directions have grown, one less the other.
  const std::vector<double>& growth() const { return growth_; }
  // R at the end of the last step, with a diagonal > 0, since the frame was renewed.
  const Eigen::MatrixXd& triangle() const { return triangle_; }
  // Whether the frame was renewed there.
  bool was_renewed() const { return renewed_; }
  // The directions at the end of the last step, made orthonormal: [lane][direction].
  const Eigen::MatrixXd& frame() const { return frame_; }
  // Renews after every step.
  void renew_always() { always_ = true; }

  // To go on from where the last step began with the same bits, beside the lab's own checkpoint.
  std::string memory() const;
  void restore(std::string_view memory);

 private:
  void factor(const std::vector<double>& rates);

  Lab& lab_;
  std::size_t count_, dimension_, lanes_;
  bool renewed_ = false, always_ = false;
  Eigen::MatrixXd frame_, triangle_;
  std::vector<double> rates_;
  std::vector<double> growth_, logs_, start_logs_;  // log R_kk now, and where the last step began
};

}  // namespace catena
