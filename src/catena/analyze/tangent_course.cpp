#include "catena/analyze/tangent_course.h"

#include <algorithm>
#include <array>
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

// log |w_1| over the last step, by Gauss's rule on the dense output of the first direction.
double TangentCourse::integral_of_last_step(double end) const {
  const std::array<double, 5> squares = lab_.squares_along_step(0, end);
  double sum = 0.0;
  for (std::size_t i = 0; i < squares.size(); ++i)
    sum += kGaussWeights[i] * (before_log_ + 0.5 * std::log(squares[i]));
  return sum * (end - lab_.step_start());
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
double TangentCourse::next_megno(double t, double log) {
  const double y = 2.0 * (log - integral_ / t);
  sum_y_ += 0.5 * (y + before_y_) * (t - before_t_);
  before_y_ = y;
  before_t_ = t;
  return sum_y_ / t;
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
  integral_ += integral_of_last_step(end);
  megno_.push_back(next_megno(times_.back(), logs_.back()));
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
