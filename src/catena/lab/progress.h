// Whether a run gets on. Nobody waits for 1e12 steps: a motion that would take so many does not end, and is
// told from one that only takes long by how its progress goes on.
#pragma once

#include <cstdint>

namespace catena {

class Progress {
 public:
  // After a step: false where, at the pace of the last steps, the motion never gets from t to `end`.
  bool gets_on(std::int64_t steps, double t, double end);

  // A motion that slides along a switch of a law gets on steadily, by steps as short as the tolerance, each
  // of which goes over the switch and back. Where very many steps are left, some are looked at: whether the
  // rates of the motion jump inside.
  bool looks() const { return looks_left_ > 0; }
  void note(bool jumps);
  bool slides() const { return slides_; }

 private:
  bool gets_on_at_all(std::int64_t steps, double t, double end);
  bool will_end(std::int64_t steps, double t, double end);

  std::int64_t looked_ = 0;  // steps at the last look, and where it was
  double from_ = 0.0;
  // Each time the number of steps has doubled: where it was, and how much further than at the time before.
  std::int64_t doubled_ = 0;
  double doubled_at_ = 0.0, gained_ = 0.0;
  int slowing_ = 0;  // so many doublings in a row gained hardly more than the one before
  int looks_left_ = 0, jumps_ = 0;
  bool slides_ = false;
};

}  // namespace catena
