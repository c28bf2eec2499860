#include "catena/analyze/tangent_course.h"

#include <algorithm>
#include <cmath>

#include "catena/analyze/linear_algebra.h"
#include "catena/math/gauss_rule.h"

namespace catena {

TangentCourse::TangentCourse(Lab& lab, std::size_t count, std::uint64_t seed)
    : lab_(lab),
      begin_(lab.time()),
      frame_(lab, count, seed),
      record_(frame_.count()),
      coordinates_(Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(frame_.count()),
                                             static_cast<Eigen::Index>(frame_.count()))),
      lengths_(frame_.count(), 0.0),
      stretch_(coordinates_),
      volumes_(frame_.count(), 0.0),
      times_{0.0},
      logs_{0.0},
      megno_{0.0},
      gali_(frame_.count() < 2 ? 0 : frame_.count() - 1, std::vector<double>{0.0}) {}

// Over the last step, by Gauss's rule on the dense output of the first direction: the integral of
// L = log |w_1|, and that of (1/t) int L dt. The latter is I(a) log(b/a) + int L(s) log(b/s) ds from a to b
// by parts, so that no step is too long for it.
TangentCourse::Integrals TangentCourse::integrals_of_last_step(double end) const {
  const double start = lab_.step_start(), length = end - start;
  const GaussValues squares = lab_.squares_along_step(0, end);
  Integrals out;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double at = start + length * kGaussPlaces[i];
    const double part = length * kGaussWeights[i] * (before_log_ + 0.5 * std::log(squares[i]));
    out.log += part;
    out.mean += part * std::log((end - begin_) / (at - begin_));
  }
  if (start > begin_) out.mean += integral_ * std::log((end - begin_) / (start - begin_));
  return out;
}

StepStatus TangentCourse::advance() {
  prepare();
  const StepStatus status = lab_.advance();
  return status == StepStatus::done ? look() : status;
}

void TangentCourse::prepare() {
  before_log_ = renewed_log_;
  frame_.prepare();
}

double TangentCourse::log_stretch() const {
  const Eigen::MatrixXd whole = frame_.was_renewed() ? stretch_ : frame_.triangle() * stretch_;
  return stretch_log_ + std::log(largest_stretch(whole));
}

// P. M. Cincotta, C. Simo, Astron. Astrophys. Suppl. 147 (2000) 205.
// <Y> = (2/t) int (L - (1/s) int L) ds.
double TangentCourse::next_megno(double end) {
  const Integrals last = integrals_of_last_step(end);
  integral_ += last.log;
  integral_of_mean_ += last.mean;
  return 2.0 * (integral_ - integral_of_mean_) / (end - begin_);
}

// The last time stays only if it is one of those that are kept; of too many every second one goes.
void TangentCourse::make_room() {
  const auto each = [&](const auto& change) {
    for (std::vector<double>* course : {&times_, &logs_, &megno_}) change(*course);
    for (std::vector<double>& course : gali_) change(course);
  };
  if (behind_ > 0) each([](std::vector<double>& course) { course.pop_back(); });
  if (behind_ == 0 && times_.size() > kMostTimes) {
    each([](std::vector<double>& course) {
      for (std::size_t i = 1; 2 * i < course.size(); ++i) course[i] = course[2 * i];
      course.resize((course.size() + 1) / 2);
    });
    stride_ *= 2;
  }
  behind_ = (behind_ + 1) % stride_;
}

StepStatus TangentCourse::look(double until) {
  const StepStatus status = frame_.look(until);
  if (status != StepStatus::done) return status;
  const double end = std::min(until, lab_.time());
  record_.add(frame_.growth(), end - lab_.step_start());
  now_.noalias() = frame_.triangle() * coordinates_;
  make_room();
  times_.push_back(end - begin_);
  logs_.push_back(renewed_log_ + std::log(frame_.triangle()(0, 0)));
  megno_.push_back(next_megno(end));
  double volume = 0.0, lengths = 0.0;
  for (std::size_t k = 0; k < count(); ++k) {
    volumes_[k] += frame_.growth()[k];
    volume += volumes_[k];
    lengths += lengths_[k] + std::log(now_.col(static_cast<Eigen::Index>(k)).norm());
    if (k > 0) gali_[k - 1].push_back(volume - lengths);
  }
  if (!frame_.was_renewed()) return status;
  renewed_log_ = logs_.back();
  stretch_ = (frame_.triangle() * stretch_).eval();
  const double size = stretch_.norm();
  stretch_ /= size;
  stretch_log_ += std::log(size);
  for (std::size_t k = 0; k < count(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const double length = now_.col(column).norm();
    lengths_[k] += std::log(length);
    coordinates_.col(column) = now_.col(column) / length;
  }
  return status;
}

}  // namespace catena
