// Where laws grow without bound: pairs of masses, and masses and sources. Bounds how much nearer any pair can
// have come within a step, so that nobody looks inside where all stay about as far apart as they are.
#pragma once

#include <array>
#include <vector>

#include "catena/dynamics/laws/law_series.h"
#include "catena/math/vec3.h"

namespace catena {

struct Actors;

class Poles {
 public:
  Poles() = default;
  explicit Poles(const Actors& actors);

  // Whether it has them all. Pairs whose places are in spaces of their own, a chain and a body, it leaves
  // out.
  bool has_all() const { return has_all_; }

  // What a step shows of the pairs.
  enum Shown { kStart, kStartRates, kEnd, kEndRates };
  void note(Shown what, const LawMotion& motion);
  // Whether over a step of that length the distances of all change by a factor at most that leaves the laws
  // tame. The way of each is the cubic through both ends with their rates, and lies within its control
  // points.
  bool stay(double length) const;

 private:
  // A link of a chain, or a body; -1: what rests.
  struct End {
    int chain = -1;
    int index = -1;
  };
  struct Pair {
    End one, other;
    Vec3 rests{};        // where that is which rests, in the space of the chain, if it is one
    double reach = 0.0;  // m: how far from the bodies' centres the points are
  };

  End end_of(const Actors& actors, int chain, int link, int body) const;
  void add(const Actors& actors, const struct Attachment& one, const struct Attachment& other);

  bool has_all_ = true;
  std::vector<Pair> pairs_;
  std::vector<std::array<Vec3, 4>> shown_;  // of each pair
};

}  // namespace catena
