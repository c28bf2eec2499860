// Sweeps in threads: cases that differ in their starts alone, each from its start to its end in one thread of
// a GPU, or in a lane of this processor, with the same bits. What a thread cannot do, labs do.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "catena/sweep/sweep.h"

namespace catena {

struct ThreadProgram;

class SweepThreads {
 public:
  // The sweep must stay where it is.
  explicit SweepThreads(const Sweep& sweep);
  ~SweepThreads();

  // Why its cases are not computed in threads, in words for a user; "" if they are.
  const std::string& refusal() const { return refusal_; }
  const ThreadProgram& program() const { return *program_; }

  // From now on, on the GPU. Throws InputError where there is none, or none of its compiler. The
  // kernel is made ready beside the sweep, which lanes begin meanwhile; where that fails, and
  // `or_lanes` does not say that they are to go on, runners throw InputError. `waits`: until it is ready.
  void use_gpu(bool or_lanes = false, bool waits = false);
  bool on_gpu() const { return gpu_ != nullptr; }
  // "NVIDIA H200, driver 13.0, kernel compiled in 1.2 s, 216 registers"; of the GPU.
  std::string device() const;

  // Of ranges of cases; `labs`: whoever does what threads cannot.
  std::unique_ptr<ChunkRunner> runner(std::unique_ptr<ChunkRunner> labs);
  // Cases that labs have done so far.
  std::uint64_t redone() const { return redone_; }

 private:
  struct Gpu;
  class Meanwhile;

  const Sweep& sweep_;
  std::string refusal_;
  std::unique_ptr<ThreadProgram> program_;
  std::unique_ptr<Gpu> gpu_;
  std::atomic<std::uint64_t> redone_ = 0;
};

}  // namespace catena
