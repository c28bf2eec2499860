// How neighbouring motions part along a motion, step by step: what MEGNO, SALI, GALI, FLI and finite-time
// exponents are made from.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/analyze/growth_record.h"
#include "catena/analyze/tangent_frame.h"

namespace catena {

// w_i = X c_i are directions that nobody keeps apart, in terms of a frame that is. Volumes come from the
// frame's triangles and lengths from c, so that GALI_k = |w_1 ^ .. ^ w_k|/(|w_1| .. |w_k|) has all its digits
// however small it becomes.
class TangentCourse {
 public:
  TangentCourse(Lab& lab, std::size_t count, std::uint64_t seed);

  StepStatus advance();
  // As TangentFrame has them.
  void prepare();
  StepStatus look(double until = std::numeric_limits<double>::infinity());

  std::size_t count() const { return frame_.count(); }
  std::size_t dimension() const { return frame_.dimension(); }
  // Since it began.
  const std::vector<double>& times() const { return times_; }
  // log |w_1|, its integral over time, and log GALI_k for k = 2 .. count, at each of the times.
  const std::vector<double>& logs() const { return logs_; }
  const std::vector<double>& integrals() const { return integrals_; }
  const std::vector<double>& log_gali(std::size_t k) const { return gali_[k - 2]; }
  const GrowthRecord& record() const { return record_; }
  // log of the largest stretching of any of the directions together, since the start: the largest singular
  // value of X.
  double log_stretch() const;
  // MEGNO at each of the times, the mean of Y = (2/t) int s d log|w|.
  std::vector<double> megno() const;

 private:
  double integral_of_last_step(double end) const;

  Lab& lab_;
  double begin_;  // s
  TangentFrame frame_;
  GrowthRecord record_;
  Eigen::MatrixXd coordinates_;  // c_i, of length 1, at the last renewal
  std::vector<double> lengths_;  // log of what was taken off them
  Eigen::MatrixXd stretch_;      // R since the start, at the last renewal, over e^stretch_log_
  double stretch_log_ = 0.0;
  std::vector<double> volumes_;  // sums of log R_kk for k = 1, 1..2, ..
  double renewed_log_ = 0.0;     // log |w_1| at the last renewal
  double before_log_ = 0.0;      // the same where the last step's series began to count
  std::vector<double> times_, logs_, integrals_;
  std::vector<std::vector<double>> gali_;
};

}  // namespace catena
