// Ranges of cases on the GPU, each in one of its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "catena/sweep/sweep.h"
#include "catena/threads/device.h"

namespace catena {

struct ThreadProgram;

// `labs`: whoever does what threads cannot, which `redone` counts.
std::unique_ptr<ChunkRunner> gpu_runner(const Sweep& sweep, const ThreadProgram& program,
                                        const Device::Program& kernel, std::unique_ptr<ChunkRunner> labs,
                                        std::atomic<std::uint64_t>& redone);

}  // namespace catena
