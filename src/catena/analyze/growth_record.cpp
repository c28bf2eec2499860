#include "catena/analyze/growth_record.h"

namespace catena {

void GrowthRecord::add(const std::vector<double>& growth, double time) {
  for (std::size_t k = 0; k < count_; ++k) {
    part_[k] += growth[k];
    total_[k] += growth[k];
  }
  part_time_ += time;
  time_ += time;
  if (++filled_ < stride_) return;
  growth_.insert(growth_.end(), part_.begin(), part_.end());
  times_.push_back(part_time_);
  part_.assign(count_, 0.0);
  part_time_ = 0.0;
  filled_ = 0;
  if (times_.size() < kMost) return;
  for (std::size_t i = 0; i < kMost / 2; ++i) {
    times_[i] = times_[2 * i] + times_[2 * i + 1];
    for (std::size_t k = 0; k < count_; ++k)
      growth_[i * count_ + k] = growth_[2 * i * count_ + k] + growth_[(2 * i + 1) * count_ + k];
  }
  times_.resize(kMost / 2);
  growth_.resize(kMost / 2 * count_);
  stride_ *= 2;
}

Stretches GrowthRecord::stretches(std::size_t k, double from) const {
  Stretches out;
  double at = 0.0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (at >= from) {
      out.growth.push_back(growth_[i * count_ + k]);
      out.time.push_back(times_[i]);
    }
    at += times_[i];
  }
  if (part_time_ > 0.0 && at >= from) {
    out.growth.push_back(part_[k]);
    out.time.push_back(part_time_);
  }
  return out;
}

std::vector<double> GrowthRecord::ends() const {
  std::vector<double> out;
  double at = 0.0;
  for (const double time : times_) out.push_back(at += time);
  return out;
}

void GrowthRecord::write(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(stride_));
  out.put(static_cast<std::uint64_t>(filled_));
  out.put(static_cast<std::uint64_t>(times_.size()));
  out.put(part_);
  out.put(part_time_);
  out.put(growth_);
  out.put(times_);
  out.put(total_);
  out.put(time_);
}

void GrowthRecord::read(ByteReader& in) {
  std::uint64_t stride = 1, filled = 0, stretches = 0;
  in.get(stride);
  in.get(filled);
  in.get(stretches);
  if (!in.good() || stretches > kMost) return;
  stride_ = static_cast<std::size_t>(stride);
  filled_ = static_cast<std::size_t>(filled);
  times_.resize(static_cast<std::size_t>(stretches));
  growth_.resize(times_.size() * count_);
  in.get(part_);
  in.get(part_time_);
  in.get(growth_);
  in.get(times_);
  in.get(total_);
  in.get(time_);
}

}  // namespace catena
