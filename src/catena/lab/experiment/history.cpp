#include "catena/lab/experiment/history.h"

#include <iterator>
#include <utility>

namespace catena {

std::size_t Snapshot::bytes() const {
  std::size_t sum = sizeof(Snapshot) + motion.size();
  for (const std::string& ghost : ghost_motions) sum += ghost.size();
  return sum;
}

void History::put(std::int64_t tick, Entry entry) {
  Entry& place = entries_[tick];
  if (place.snapshot.scene) bytes_ -= place.snapshot.bytes();
  place = std::move(entry);
  bytes_ += place.snapshot.bytes();
  if (bytes_ > budget_) thin();
}

void History::keep(std::int64_t tick, Snapshot snapshot) {
  if (entries_.count(tick) == 0) put(tick, {std::move(snapshot), false});
}

void History::change(std::int64_t tick, Snapshot snapshot) {
  forget_after(tick);
  nearby_.erase(tick);
  put(tick, {std::move(snapshot), true});
}

void History::keep_nearby(std::int64_t tick, Snapshot snapshot) {
  if (nearby_.size() > 4 * static_cast<std::size_t>(kSpacing)) nearby_.clear();
  nearby_.insert_or_assign(tick, std::move(snapshot));
}

// Every second snapshot goes, but for the newest and for changes, which cannot be computed again.
void History::thin() {
  bool drop = false;
  for (auto it = entries_.begin(); it != entries_.end() && std::next(it) != entries_.end();) {
    drop = !drop && !it->second.changed;
    if (!drop) {
      ++it;
      continue;
    }
    bytes_ -= it->second.snapshot.bytes();
    it = entries_.erase(it);
  }
}

std::pair<std::int64_t, const Snapshot*> History::before(std::int64_t tick) const {
  std::pair<std::int64_t, const Snapshot*> best{0, nullptr};
  if (auto it = entries_.upper_bound(tick); it != entries_.begin()) {
    --it;
    best = {it->first, &it->second.snapshot};
  }
  if (auto it = nearby_.upper_bound(tick); it != nearby_.begin()) {
    --it;
    if (best.second == nullptr || it->first > best.first) best = {it->first, &it->second};
  }
  return best;
}

const Snapshot* History::change_at(std::int64_t tick) const {
  const auto found = entries_.find(tick);
  return found != entries_.end() && found->second.changed ? &found->second.snapshot : nullptr;
}

void History::forget_after(std::int64_t tick) {
  for (auto it = entries_.upper_bound(tick); it != entries_.end(); it = entries_.erase(it)) {
    bytes_ -= it->second.snapshot.bytes();
  }
  nearby_.erase(nearby_.upper_bound(tick), nearby_.end());
}

}  // namespace catena
