#include "catena/lab/experiment/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {

void Trace::reset(std::size_t width) {
  blocks_.clear();
  width_ = width;
  bytes_ = 0;
  stride_ = 1;
}

bool Trace::is_looked_at(std::int64_t block) const {
  return looked_ && block >= block_of(looked_->first) && block <= block_of(looked_->last);
}

// Rows at multiples of the new stride stay.
void Trace::resize(Block& block, std::int64_t stride) {
  Block fresh;
  fresh.stride = stride;
  fresh.values.resize(static_cast<std::size_t>(kBlock / stride) * width_);
  for (std::int64_t i = 0; i < kBlock; i += std::max(stride, block.stride)) {
    if (block.values.empty() || !block.known[static_cast<std::size_t>(i)]) continue;
    const double* row = block.values.data() + static_cast<std::size_t>(i / block.stride) * width_;
    std::copy(row, row + width_, fresh.values.data() + static_cast<std::size_t>(i / stride) * width_);
    fresh.known.set(static_cast<std::size_t>(i));
  }
  bytes_ += (fresh.values.size() - block.values.size()) * sizeof(double);
  block = std::move(fresh);
}

void Trace::put(std::int64_t tick, const double* values) {
  if (width_ == 0 || tick < 0) return;
  const std::int64_t index = block_of(tick), within = tick % kBlock;
  Block& block = blocks_[index];
  if (block.values.empty()) {
    resize(block, is_looked_at(index) ? std::min(stride_, looked_->stride) : stride_);
    if (bytes_ > budget_) thin();
  }
  if (within % block.stride != 0) return;
  std::copy(values, values + width_,
            block.values.data() + static_cast<std::size_t>(within / block.stride) * width_);
  block.known.set(static_cast<std::size_t>(within));
}

// Every second row of the densest blocks goes, but for what is looked at, as long as that is enough.
void Trace::thin() {
  while (bytes_ > budget_ && stride_ < kBlock) {
    stride_ *= 2;
    for (auto& [index, block] : blocks_) {
      const std::int64_t wanted = is_looked_at(index) ? std::min(stride_, looked_->stride) : stride_;
      if (block.stride < wanted) resize(block, wanted);
    }
  }
}

void Trace::forget_from(std::int64_t tick) {
  const std::int64_t index = block_of(std::max<std::int64_t>(tick, 0));
  for (auto it = blocks_.upper_bound(index); it != blocks_.end(); it = blocks_.erase(it)) {
    bytes_ -= it->second.values.size() * sizeof(double);
  }
  const auto found = blocks_.find(index);
  if (found == blocks_.end()) return;
  for (std::int64_t i = tick % kBlock; i < kBlock; ++i)
    found->second.known.reset(static_cast<std::size_t>(i));
}

void Trace::look_at(const Stretch& stretch) {
  looked_ = stretch;
  const auto last = blocks_.upper_bound(block_of(stretch.last));
  for (auto it = blocks_.lower_bound(block_of(stretch.first)); it != last; ++it) {
    if (it->second.stride > stretch.stride) resize(it->second, std::min(stretch.stride, kBlock));
  }
  if (bytes_ > budget_) thin();
}

std::optional<std::int64_t> Trace::hole(const Stretch& stretch) const {
  for (std::int64_t tick = std::max<std::int64_t>(stretch.first, 0); tick <= stretch.last;) {
    const auto found = blocks_.find(block_of(tick));
    if (found == blocks_.end()) return tick;
    const Block& block = found->second;
    const std::int64_t end = std::min(stretch.last + 1, (block_of(tick) + 1) * kBlock);
    for (; tick < end; ++tick) {
      if (tick % block.stride == 0 && !block.known[static_cast<std::size_t>(tick % kBlock)]) return tick;
    }
  }
  return std::nullopt;
}

const double* Trace::row(std::int64_t tick) const {
  if (tick < 0) return nullptr;
  const auto found = blocks_.find(block_of(tick));
  if (found == blocks_.end() || !found->second.known[static_cast<std::size_t>(tick % kBlock)]) return nullptr;
  const auto at = static_cast<std::size_t>(tick % kBlock / found->second.stride);
  return found->second.values.data() + at * width_;
}

namespace {

// The lowest and highest value of each column among the known rows of [first, last], and when they were.
struct Extremes {
  explicit Extremes(std::size_t width)
      : low(width, std::numeric_limits<double>::quiet_NaN()), high(low), low_at(width), high_at(width) {}

  void take(std::int64_t tick, const double* row) {
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (std::isnan(row[i])) continue;
      if (!(row[i] >= low[i])) low[i] = row[i], low_at[i] = tick;
      if (!(row[i] <= high[i])) high[i] = row[i], high_at[i] = tick;
    }
    any = true;
  }

  std::vector<double> low, high;
  std::vector<std::int64_t> low_at, high_at;
  bool any = false;
};

void append(std::vector<double>& out, double tick, const double* values, std::size_t width) {
  out.push_back(tick);
  out.insert(out.end(), values, values + width);
}

void append(std::vector<double>& out, const Extremes& found, std::int64_t first, std::int64_t last) {
  std::vector<double> earlier = found.low, later = found.high;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (found.high_at[i] < found.low_at[i]) std::swap(earlier[i], later[i]);
  }
  const double step = static_cast<double>(last - first + 1) / 2;
  append(out, static_cast<double>(first), earlier.data(), earlier.size());
  append(out, static_cast<double>(first) + step, later.data(), later.size());
}

}  // namespace

std::vector<double> plotted(const Trace& trace, const Stretch& stretch, bool envelope) {
  std::vector<double> out;
  const std::int64_t stride = stretch.stride;
  const auto add = [&](std::int64_t tick) {
    if (const double* row = trace.row(tick)) append(out, static_cast<double>(tick), row, trace.width());
  };
  for (std::int64_t start = stretch.first - stretch.first % stride; start <= stretch.last; start += stride) {
    const std::int64_t first = std::max(start, stretch.first);
    const std::int64_t last = std::min(start + stride - 1, stretch.last);
    if (!envelope || stride == 1 ||
        last == stretch.last) {  // the end itself, and not what is highest near it
      if (start >= stretch.first) add(start);
      if (last == stretch.last && last != start) add(last);
      continue;
    }
    Extremes found(trace.width());
    for (std::int64_t tick = first; tick <= last; ++tick) {
      if (const double* row = trace.row(tick)) found.take(tick, row);
    }
    if (found.any) append(out, found, first, last);
  }
  return out;
}

}  // namespace catena
