#include "catena/analyze/tangent_frame.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/statistics.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/bytes.h"

namespace catena {
namespace {

// Columns whose lengths differ by no more than this, once made orthogonal, lose no more than three digits.
constexpr double kApart = 1e3;

}  // namespace

TangentFrame::TangentFrame(Lab& lab, std::size_t count, std::uint64_t seed)
    : lab_(lab), count_(count), lanes_(lab.dimension()) {
  const std::vector<std::vector<double>> allowed = lab.allowed_directions();
  dimension_ = allowed.size();
  if (count_ == 0) count_ = dimension_;
  if (count_ > dimension_) {
    throw InputError(
        {lab.scene().name},
        fmt::format("{} directions are asked for, and states can change in {} only: ask for 1 to "
                    "{}, or for all",
                    count_, dimension_, dimension_));
  }
  Random random(seed);
  std::vector<Direction> directions;
  for (std::size_t k = 0; k < count_; ++k) {
    std::vector<double> start(lanes_, 0.0);
    for (const std::vector<double>& one : allowed) {
      const double part = random.normal();
      for (std::size_t i = 0; i < lanes_; ++i) start[i] += part * one[i];
    }
    directions.push_back({fmt::format("direction {}", k + 1), 0.0, {}, std::move(start)});
  }
  lab_.follow(std::move(directions));
  growth_.assign(count_, 0.0);
  factor(lab_.end_derivatives());
  renewed_ = true;
  prepare();
  logs_.assign(count_, 0.0);
  start_logs_ = logs_;
}

void TangentFrame::factor(const std::vector<double>& rates) {
  const std::size_t moving = lab_.motion_lanes();
  Eigen::MatrixXd x =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(lanes_), static_cast<Eigen::Index>(count_));
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t i = 0; i < moving; ++i) x(i, k) = rates[k * lanes_ + i];
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x);
  frame_ = qr.householderQ() * Eigen::MatrixXd::Identity(x.rows(), x.cols());
  triangle_ = qr.matrixQR().topRows(x.cols()).triangularView<Eigen::Upper>();
  for (Eigen::Index k = 0; k < x.cols(); ++k) {
    if (triangle_(k, k) >= 0.0) continue;
    triangle_.row(k) = -triangle_.row(k);
    frame_.col(k) = -frame_.col(k);
  }
}

StepStatus TangentFrame::advance() {
  // Not before: a checkpoint in between is where the last step began, with the directions that it began with.
  prepare();
  const StepStatus status = lab_.advance();
  return status == StepStatus::done ? look() : status;
}

void TangentFrame::prepare() {
  if (renewed_) {
    std::vector<double> rates(count_ * lanes_);
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < lanes_; ++i) rates[k * lanes_ + i] = frame_(i, k);
    }
    lab_.set_state_derivatives(rates);
  }
  start_logs_ = logs_;
  renewed_ = false;
}

StepStatus TangentFrame::look(double until) {
  if (until < lab_.time()) {
    lab_.state_at(until);
    factor(lab_.state_derivatives());
  } else {
    factor(lab_.end_derivatives());
  }
  double least = std::numeric_limits<double>::infinity();
  const double most = triangle_.cwiseAbs().maxCoeff();  // shear counts, too
  for (std::size_t k = 0; k < count_; ++k) {
    const double size = triangle_(k, k);
    if (!(size > 0.0) || !std::isfinite(size)) return StepStatus::not_finite;
    growth_[k] = std::log(size) - logs_[k];
    logs_[k] += growth_[k];
    least = std::min(least, size);
  }
  renewed_ = always_ || most > kApart * least || most > kApart || least < 1.0 / kApart;
  if (renewed_) logs_.assign(count_, 0.0);
  return StepStatus::done;
}

std::string TangentFrame::memory() const {
  ByteWriter out;
  out.put(start_logs_);
  return out.take();
}

void TangentFrame::restore(std::string_view memory) {
  ByteReader in(memory);
  in.get(start_logs_);
  if (!in.finished())
    throw InputError({lab_.scene().name}, "what was kept of the earlier analysis does not fit this scene");
  logs_ = start_logs_;
  renewed_ = false;
}

}  // namespace catena
