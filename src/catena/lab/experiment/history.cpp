#include "catena/lab/experiment/history.h"

#include <iterator>
#include <utility>

namespace catena {

namespace {

// What a scene takes in memory: its text, and what was read from it.
std::size_t bytes_of(const Scene& scene) {
  std::size_t sum = sizeof(Scene) + scene.json.size() + scene.forces.size() * sizeof(ForceEntry);
  for (const Chain& chain : scene.chains) sum += sizeof(Chain) + chain.links.size() * sizeof(Link);
  return sum + scene.mechanism.bodies.size() * sizeof(Body) + scene.mechanism.joints.size() * sizeof(Joint);
}

}  // namespace

std::size_t Snapshot::bytes() const {
  std::size_t sum = sizeof(Snapshot) + motion.size();
  for (const std::string& ghost : ghost_motions) sum += ghost.size();
  return sum;
}

void History::put(std::int64_t tick, Entry entry) {
  Entry& place = entries_[tick];
  if (place.snapshot) bytes_ -= bytes_of(place);
  place = std::move(entry);
  bytes_ += bytes_of(place);
  keep_to_budget();
}

// A change brings a scene of its own; what is kept on the way shares one.
std::size_t History::bytes_of(const Entry& entry) {
  return entry.snapshot->bytes() + (entry.changed ? catena::bytes_of(*entry.snapshot->scene) : 0);
}

void History::keep_to_budget() {
  while (bytes_ > budget_ && thin()) {
  }
  if (bytes_ > budget_) forget_oldest();
}

void History::keep(std::int64_t tick, Snapshot snapshot) {
  if (entries_.count(tick) == 0) put(tick, {std::make_shared<const Snapshot>(std::move(snapshot)), false});
}

void History::change(std::int64_t tick, Snapshot snapshot) {
  forget_after(tick);
  nearby_.erase(tick);
  put(tick, {std::make_shared<const Snapshot>(std::move(snapshot)), true});
}

void History::keep_nearby(std::int64_t tick, Snapshot snapshot) {
  if (nearby_.size() > 4 * static_cast<std::size_t>(kSpacing)) nearby_.clear();
  nearby_.insert_or_assign(tick, std::move(snapshot));
}

// Every second snapshot goes, but for the first, the newest and for changes. False: there is none that could.
bool History::thin() {
  if (entries_.empty()) return false;
  bool drop = false, any = false;
  for (auto it = std::next(entries_.begin()); it != entries_.end() && std::next(it) != entries_.end();) {
    drop = !drop && !it->second.changed;
    if (!drop) {
      ++it;
      continue;
    }
    any = true;
    bytes_ -= bytes_of(it->second);
    it = entries_.erase(it);
  }
  return any;
}

void History::forget_oldest() {
  while (bytes_ > budget_ - budget_ / 4 && entries_.size() > 1) {
    bytes_ -= bytes_of(entries_.begin()->second);
    entries_.erase(entries_.begin());
  }
  nearby_.erase(nearby_.begin(), nearby_.lower_bound(first()));
}

History History::thinned(std::size_t budget_bytes) const {
  History out(budget_bytes);
  out.entries_ = entries_;
  out.bytes_ = bytes_;
  out.keep_to_budget();
  out.budget_ = budget_;
  return out;
}

std::pair<std::int64_t, const Snapshot*> History::before(std::int64_t tick) const {
  std::pair<std::int64_t, const Snapshot*> best{0, nullptr};
  if (auto it = entries_.upper_bound(tick); it != entries_.begin()) {
    --it;
    best = {it->first, it->second.snapshot.get()};
  }
  if (auto it = nearby_.upper_bound(tick); it != nearby_.begin()) {
    --it;
    if (best.second == nullptr || it->first > best.first) best = {it->first, &it->second};
  }
  return best;
}

const Snapshot* History::change_at(std::int64_t tick) const {
  const auto found = entries_.find(tick);
  return found != entries_.end() && found->second.changed ? found->second.snapshot.get() : nullptr;
}

void History::forget_after(std::int64_t tick) {
  for (auto it = entries_.upper_bound(tick); it != entries_.end(); it = entries_.erase(it)) {
    bytes_ -= bytes_of(it->second);
  }
  nearby_.erase(nearby_.upper_bound(tick), nearby_.end());
}

}  // namespace catena
