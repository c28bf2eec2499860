// Values of the columns that plots watch, tick by tick. They are kept as densely as a budget of memory
// allows: where it does not, every second row of what is not looked at goes. Whoever looks closer than what
// is kept, or at what was never seen, learns which ticks are missing, and computes them again.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace catena {

// Ticks from first to last, both included; of each `stride` of them one is enough. A power of two.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t stride = 1;
};

class Trace {
 public:
  static constexpr std::int64_t kBlock = 256;  // ticks that are thinned together

  explicit Trace(std::size_t budget_bytes = std::size_t{64} << 20) : budget_(budget_bytes) {}

  // Forgets everything; rows have this many values from now on.
  void reset(std::size_t width);
  std::size_t width() const { return width_; }
  std::size_t bytes() const { return bytes_; }

  // The row of a tick; it replaces the one before.
  void put(std::int64_t tick, const double* values);
  // Forgets the rows of this tick and all after it.
  void forget_from(std::int64_t tick);

  // What is looked at: there as many rows are kept from now on, whatever the budget leaves of others.
  void look_at(const Stretch& stretch);
  // The first tick of a stretch that is to be computed (again); none: all is known.
  std::optional<std::int64_t> hole(const Stretch& stretch) const;
  // The row of a tick, or none that is known.
  const double* row(std::int64_t tick) const;

 private:
  struct Block {
    std::int64_t stride = 1;  // rows at multiples of it
    std::vector<double> values;
    std::bitset<kBlock> known;
  };
  static std::int64_t block_of(std::int64_t tick) { return tick / kBlock; }
  bool is_looked_at(std::int64_t block) const;
  void resize(Block& block, std::int64_t stride);
  void thin();

  std::size_t budget_;
  std::size_t width_ = 0;
  std::size_t bytes_ = 0;
  std::int64_t stride_ = 1;  // of blocks that nobody looks at closely
  std::optional<Stretch> looked_;
  std::map<std::int64_t, Block> blocks_;
};

// Rows of a stretch as a plot draws them, one behind the other: the tick, then the values. Where a stride is
// more than one tick, a stretch of it gives two rows with the lowest and highest value of each column, in the
// order in which they came (`envelope`), or its first row. Unknown rows are left out.
std::vector<double> plotted(const Trace& trace, const Stretch& stretch, bool envelope);

}  // namespace catena
