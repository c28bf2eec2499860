// Where a motion has been: snapshots every so many ticks, from which everything between is computed again
// with the same bits. What a person changed on the way (a drag, a slider) is a snapshot of its own at its
// tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

// Another motion beside the one looked at: started with its first link turned, or with another method.
struct GhostSettings {
  double offset = 1e-3;     // rad
  std::string method = {};  // empty: as the scene; then tolerance, step and order are the scene's too
  std::optional<double> tolerance = {};
  std::optional<double> step = {};
  std::optional<int> order = {};
};

struct Snapshot {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const std::vector<GhostSettings>> ghosts;
  std::string motion;                      // Lab::checkpoint
  std::vector<std::string> ghost_motions;  // empty text: that ghost has failed

  std::size_t bytes() const;
};

class History {
 public:
  explicit History(std::size_t budget_bytes = std::size_t{64} << 20) : budget_(budget_bytes) {}

  // A snapshot of the motion at a tick where nothing happened; older ones are thinned out when they get many.
  void keep(std::int64_t tick, Snapshot snapshot);
  bool due(std::int64_t tick) const { return tick % kSpacing == 0; }
  // A snapshot of what was changed at a tick. Forgets what came after it. What was changed cannot be computed
  // again: where there is more of it than the budget allows, the oldest past is forgotten.
  void change(std::int64_t tick, Snapshot snapshot);
  // Snapshots of neighbouring ticks, so that going back tick by tick computes each stretch once.
  void keep_nearby(std::int64_t tick, Snapshot snapshot);

  // The latest snapshot at or before `tick`, with its own tick.
  std::pair<std::int64_t, const Snapshot*> before(std::int64_t tick) const;
  const Snapshot* change_at(std::int64_t tick) const;
  void forget_after(std::int64_t tick);
  std::size_t bytes() const { return bytes_; }
  // In the order of time: visit(tick, snapshot, changed).
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [tick, entry] : entries_) visit(tick, *entry.snapshot, entry.changed);
  }
  // The first tick that can be gone back to.
  std::int64_t first() const { return entries_.empty() ? 0 : entries_.begin()->first; }
  // The same past with fewer snapshots: what it can tell, in less memory. It shares them with this one.
  History thinned(std::size_t budget_bytes) const;

  static constexpr std::int64_t kSpacing = 60;

 private:
  struct Entry {
    std::shared_ptr<const Snapshot> snapshot;
    bool changed = false;
  };
  static std::size_t bytes_of(const Entry& entry);
  void put(std::int64_t tick, Entry entry);
  void keep_to_budget();
  bool thin();
  void forget_oldest();

  std::size_t budget_;
  std::size_t bytes_ = 0;
  std::map<std::int64_t, Entry> entries_;
  std::map<std::int64_t, Snapshot> nearby_;
};

}  // namespace catena
