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
  // Since it began: of every step, in long runs of every second, fourth, .. one, and of the last.
  static constexpr std::size_t kMostTimes = 16384;
  const std::vector<double>& times() const { return times_; }
  // log |w_1|, MEGNO, which is the mean of Y = (2/t) int s d log|w|, and log GALI_k for k = 2 .. count, at
  // each of the times.
  const std::vector<double>& logs() const { return logs_; }
  const std::vector<double>& megno() const { return megno_; }
  const std::vector<double>& log_gali(std::size_t k) const { return gali_[k - 2]; }
  const GrowthRecord& record() const { return record_; }
  // log of the largest stretching of any of the directions together, since the start: the largest singular
  // value of X.
  double log_stretch() const;

 private:
  struct Integrals {
    double log = 0.0;   // of log |w_1|
    double mean = 0.0;  // of its mean since the beginning
  };
  Integrals integrals_of_last_step(double end) const;
  double next_megno(double end);
  void make_room();

  Lab& lab_;
  double begin_;  // s
  TangentFrame frame_;
  GrowthRecord record_;
  Eigen::MatrixXd coordinates_;  // c_i, of length 1, at the last renewal
  Eigen::MatrixXd now_;          // c_i at the end of the last step
  std::vector<double> lengths_;  // log of what was taken off them
  Eigen::MatrixXd stretch_;      // R since the start, at the last renewal, over e^stretch_log_
  double stretch_log_ = 0.0;
  std::vector<double> volumes_;    // sums of log R_kk for k = 1, 1..2, ..
  double renewed_log_ = 0.0;       // log |w_1| at the last renewal
  double before_log_ = 0.0;        // the same where the last step's series began to count
  double integral_ = 0.0;          // of log |w_1| over time
  double integral_of_mean_ = 0.0;  // of its mean since the beginning
  std::vector<double> times_, logs_, megno_;
  std::vector<std::vector<double>> gali_;
  std::size_t stride_ = 1, behind_ = 0;  // steps between times that are kept, and behind the last such one
};

}  // namespace catena
