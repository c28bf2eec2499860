// A driver and a compiler of kernels that are none: a kernel is compiled by the C++ compiler and run by this
// processor, so that all that the program does with a GPU is tried where there is none. What it is like:
//     FAKE_GPU_VERSION   12040: of CUDA, as its driver tells it
//     FAKE_GPU_COUNT     devices, 1
//     FAKE_GPU_MEMORY    bytes; FAKE_GPU_TELLS: what did not fit
//     FAKE_GPU_SLEEP     seconds that compiling takes besides
//     FAKE_GPU_TROUBLE   anything: kernels do not compile
//     FAKE_GPU_FLAGS     of the C++ compiler
// Its "cubin" is the path of a library in CATENA_CACHE.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr int kFine = 0, kOutOfMemory = 2, kTrouble = 6;

std::string setting(const char* name, const char* usual) {
  const char* given = std::getenv(name);
  return given == nullptr ? usual : given;
}

std::mutex mutex;
std::map<std::uint64_t, std::size_t> sizes;
std::size_t used = 0;

struct Source {
  std::string text, log, cubin;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- the driver -------------------------------------------------------------------------------------------

int cuInit(unsigned) { return kFine; }
int cuDriverGetVersion(int* out) { return *out = std::stoi(setting("FAKE_GPU_VERSION", "12040")), kFine; }
int cuDeviceGetCount(int* out) { return *out = std::stoi(setting("FAKE_GPU_COUNT", "1")), kFine; }
int cuDeviceGet(int* out, int) { return *out = 0, kFine; }
int cuDeviceGetName(char* to, int size, int) { return std::strncpy(to, "no GPU at all", size), kFine; }
int cuDeviceGetAttribute(int* out, int which, int) {
  return *out = which == 75 ? 9 : which == 16 ? 1 : 0, kFine;
}
int cuDevicePrimaryCtxRetain(void** out, int) { return *out = nullptr, kFine; }
int cuCtxSetCurrent(void*) { return kFine; }
int cuStreamSynchronize_ptsz(void*) { return kFine; }
int cuMemAlloc_v2(std::uint64_t* out, std::size_t size) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (used + size > std::stoull(setting("FAKE_GPU_MEMORY", "100000000000"))) {
    if (std::getenv("FAKE_GPU_TELLS") != nullptr)
      std::fprintf(stderr, "%zu bytes, %zu are used\n", size, used);
    return kOutOfMemory;
  }
  used += size;
  *out = reinterpret_cast<std::uint64_t>(std::aligned_alloc(64, (size + 63) / 64 * 64));
  sizes[*out] = size;
  return kFine;
}
int cuMemFree_v2(std::uint64_t at) {
  const std::lock_guard<std::mutex> lock(mutex);
  used -= sizes[at];
  sizes.erase(at);
  std::free(reinterpret_cast<void*>(at));
  return kFine;
}
int cuMemcpyHtoD_v2_ptds(std::uint64_t to, const void* from, std::size_t size) {
  return std::memcpy(reinterpret_cast<void*>(to), from, size), kFine;
}
int cuMemcpyDtoH_v2_ptds(void* to, std::uint64_t from, std::size_t size) {
  return std::memcpy(to, reinterpret_cast<const void*>(from), size), kFine;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return *free = *total = 1u << 30, kFine; }
int cuModuleLoadData(void** out, const void* image) {
  *out = dlopen(static_cast<const char*>(image), RTLD_NOW);
  return *out == nullptr ? kTrouble : kFine;
}
int cuModuleUnload(void*) { return kFine; }
int cuModuleGetFunction(void** out, void* module, const char* name) {
  *out = dlsym(module, name);
  return *out == nullptr ? kTrouble : kFine;
}
int cuFuncGetAttribute(int* out, int, void*) { return *out = 128, kFine; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, void*, int, std::size_t) { return *out = 2, kFine; }
int cuLaunchKernel_ptsz(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        void*, void** parameters, void**) {
  reinterpret_cast<void (*)(const void*, const void*)>(function)(parameters[0], parameters[1]);
  return kFine;
}
int cuGetErrorString(int error, const char** out) {
  return *out = error == kOutOfMemory ? "out of memory" : "trouble", kFine;
}

// ---- the compiler -----------------------------------------------------------------------------------------

int nvrtcVersion(int* major, int* minor) { return *major = 12, *minor = 4, kFine; }
int nvrtcCreateProgram(void** out, const char* text, const char*, int, const char* const*,
                       const char* const*) {
  return *out = new Source{text, "", ""}, kFine;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  static std::atomic<int> made = 0;
  Source& of = *static_cast<Source*>(program);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(setting("FAKE_GPU_SLEEP", "0"))));
  of.log = "no registers at all";
  if (std::getenv("FAKE_GPU_TROUBLE") != nullptr) return kTrouble;
  const std::string name =
      setting("CATENA_CACHE", "/tmp") + "/fake-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  std::filesystem::create_directories(setting("CATENA_CACHE", "/tmp"));
  std::ofstream(name + ".cpp") << of.text;
  const std::string command =
      "c++ -std=c++20 -O1 -ffp-contract=off " + setting("FAKE_GPU_FLAGS", "-mavx2 -mfma") +
      " -fPIC -shared -I " CATENA_SOURCE_DIR "/src -o '" + name + ".so' '" + name + ".cpp'";
  if (std::system(command.c_str()) != 0) return kTrouble;
  of.cubin = name + ".so";
  of.cubin += '\0';
  return kFine;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* out) {
  return *out = static_cast<Source*>(program)->log.size() + 1, kFine;
}
int nvrtcGetProgramLog(void* program, char* to) {
  return std::strcpy(to, static_cast<Source*>(program)->log.c_str()), kFine;
}
int nvrtcGetCUBINSize(void* program, std::size_t* out) {
  return *out = static_cast<Source*>(program)->cubin.size(), kFine;
}
int nvrtcGetCUBIN(void* program, char* to) {
  const std::string& from = static_cast<Source*>(program)->cubin;
  return std::copy(from.begin(), from.end(), to), kFine;
}
int nvrtcDestroyProgram(void** program) { return delete static_cast<Source*>(*program), kFine; }
const char* nvrtcGetErrorString(int) { return "it does not compile"; }
}
#pragma GCC visibility pop
