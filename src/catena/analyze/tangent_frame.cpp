#include "catena/analyze/tangent_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  std::vector<double> any(lanes_, 0.0);
  for (std::size_t k = 0; k < count_; ++k) {
    // Among all directions first, then onto those allowed: which basis these come with is up to roundoff.
    for (std::size_t i = 0; i < lab.motion_lanes(); ++i) any[i] = random.normal();
    std::vector<double> start(lanes_, 0.0);
    for (const std::vector<double>& one : allowed) {
      const double part = std::inner_product(one.begin(), one.end(), any.begin(), 0.0);
      for (std::size_t i = 0; i < lanes_; ++i) start[i] += part * one[i];
    }
    directions.push_back({fmt::format("direction {}", k + 1), 0.0, {}, std::move(start)});
  }
  lab_.follow(std::move(directions));
  growth_.assign(count_, 0.0);
  frame_.setZero(static_cast<Eigen::Index>(lanes_), static_cast<Eigen::Index>(count_));
  triangle_.setZero(static_cast<Eigen::Index>(count_), static_cast<Eigen::Index>(count_));
  factor(lab_.end_derivatives());
  renewed_ = true;
  prepare();
  logs_.assign(count_, 0.0);
  start_logs_ = logs_;
}

// By Gram and Schmidt, twice, which is enough for orthogonality to rounding (L. Giraud et al., Numer. Math.
// 101 (2005) 87), and for short columns cheaper than reflections.
void TangentFrame::factor(const std::vector<double>& rates) {
  const std::size_t moving = lab_.motion_lanes();
  double *const q = frame_.data(), *const r = triangle_.data();
  const auto product = [moving](const double* a, const double* b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < moving; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t k = 0; k < count_; ++k) {
    double *const own = q + k * lanes_, *const column = r + k * count_;
    std::copy_n(rates.data() + k * lanes_, moving, own);
    std::fill_n(column, count_, 0.0);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < k; ++j) {
        const double* other = q + j * lanes_;
        const double part = product(other, own);
        column[j] += part;
        for (std::size_t i = 0; i < moving; ++i) own[i] -= part * other[i];
      }
    }
    column[k] = std::sqrt(product(own, own));
    for (std::size_t i = 0; i < moving; ++i) own[i] /= column[k];
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
    rates_.assign(frame_.data(), frame_.data() + count_ * lanes_);  // column by column
    lab_.set_state_derivatives(rates_);
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
