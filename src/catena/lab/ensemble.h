// Labs side by side: each has its own scene, time and step, and their steps are computed together, in the
// lanes of vector registers. A lab has the same bits beside any others, and alone (Lab::use_lanes). What is
// rare, a kink of a law or a step that misses something, a lab finishes by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

class Ensemble {
 public:
  // `width`: 1, 4 or 8 labs. A register has room for four: eight go in two fours.
  explicit Ensemble(int width = 4);
  ~Ensemble();
  Ensemble(const Ensemble&) = delete;
  Ensemble& operator=(const Ensemble&) = delete;

  std::size_t width() const;
  // Takes a lab in, which must stay where it is until it leaves. Lab::use_lanes has been called. False: its
  // world has another shape than those that are here, or another tolerance or order; it goes by itself.
  bool seat(std::size_t place, Lab& lab);
  void leave(std::size_t place);
  // The lab there; null: the place is free.
  Lab* at(std::size_t place) const;

  // Lab::advance of all labs that are here.
  void advance();
  // How it ended, place by place.
  StepStatus status(std::size_t place) const;

 private:
  struct Machine;
  template <int W>
  struct MachineOf;
  Machine& machine_of(std::size_t place) const;
  std::size_t width_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace catena
