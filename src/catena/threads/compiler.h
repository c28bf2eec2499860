// Kernels from their texts: NVIDIA's compiler for run time, NVRTC, which is loaded where it is found and
// needed by nobody else. Compiling takes no GPU.
#pragma once

#include <string>

namespace catena {

struct Kernel {
  std::string cubin;
  std::string log;       // what the compiler says, with registers and spills
  double seconds = 0.0;  // that compiling took; 0: it was there
};

// Why there is no compiler, in words for a user; "" if there is one.
std::string compiler_refusal();
// "NVRTC 13.0"; the compiler must be there.
std::string compiler_name();
// For one architecture, "sm_90". Kernels that were compiled before are taken from the user's cache folder.
// Throws std::runtime_error with what the compiler says.
Kernel compiled(const std::string& source, const std::string& architecture);

// Whether it was compiled before, and is kept.
bool has_kernel(const std::string& source, const std::string& architecture);
// Where kernels are kept; empty: nowhere.
std::string kernel_cache();

}  // namespace catena
