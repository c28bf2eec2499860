#include "catena/threads/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace catena {
namespace {

// Of cuda.h, declared by hand: nothing of CUDA is needed to build this. What is copied and computed is of the
// calling thread's own stream (_ptds, _ptsz), so that the device computes for one while another is read.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*set_current)(void*) = nullptr;
  int (*synchronize)(void*) = nullptr;
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  int (*release)(std::uint64_t) = nullptr;
  int (*copy_in)(std::uint64_t, const void*, std::size_t) = nullptr;
  int (*copy_out)(void*, std::uint64_t, std::size_t) = nullptr;
  int (*load)(void**, const void*) = nullptr;
  int (*unload)(void*) = nullptr;
  int (*function)(void**, void*, const char*) = nullptr;
  int (*function_attribute)(int*, int, void*) = nullptr;
  int (*occupancy)(int*, void*, int, std::size_t) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int version = 0, devices = 0;
  std::string refusal;
};

constexpr int kProcessors = 16, kMajor = 75, kMinor = 76;         // attributes of a device
constexpr int kMostThreads = 0, kLocalBytes = 3, kRegisters = 4;  // of a function
constexpr int kOutOfMemory = 2;
constexpr int kOldestDriver = 12000;

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

std::string text_of(const Driver& driver, int error) {
  const char* text = nullptr;
  if (driver.error_string != nullptr) driver.error_string(error, &text);
  return text == nullptr ? fmt::format("error {}", error) : fmt::format("{} ({})", text, error);
}

Driver loaded() {
  Driver out;
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    out.refusal = "there is no driver of an NVIDIA GPU here (libcuda.so.1)";
    return out;
  }
  const bool has_all =
      find(library, "cuInit", out.init) && find(library, "cuDriverGetVersion", out.driver_version) &&
      find(library, "cuDeviceGetCount", out.device_count) && find(library, "cuDeviceGet", out.device_get) &&
      find(library, "cuDeviceGetName", out.device_name) &&
      find(library, "cuDeviceGetAttribute", out.device_attribute) &&
      find(library, "cuDevicePrimaryCtxRetain", out.retain) &&
      find(library, "cuCtxSetCurrent", out.set_current) &&
      find(library, "cuStreamSynchronize_ptsz", out.synchronize) &&
      find(library, "cuMemAlloc_v2", out.allocate) && find(library, "cuMemFree_v2", out.release) &&
      find(library, "cuMemcpyHtoD_v2_ptds", out.copy_in) &&
      find(library, "cuMemcpyDtoH_v2_ptds", out.copy_out) && find(library, "cuModuleLoadData", out.load) &&
      find(library, "cuModuleUnload", out.unload) && find(library, "cuModuleGetFunction", out.function) &&
      find(library, "cuFuncGetAttribute", out.function_attribute) &&
      find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", out.occupancy) &&
      find(library, "cuLaunchKernel_ptsz", out.launch) && find(library, "cuGetErrorString", out.error_string);
  if (!has_all) {
    out.refusal = "the driver of the NVIDIA GPU is too old: CUDA 12.0 or newer is needed";
    return out;
  }
  if (const int error = out.init(0); error != 0) {
    out.refusal = "the driver of the NVIDIA GPU does not start: " + text_of(out, error);
    return out;
  }
  out.driver_version(&out.version);
  out.device_count(&out.devices);
  if (out.version < kOldestDriver)
    out.refusal = fmt::format("the driver of the NVIDIA GPU is of CUDA {}.{}: 12.0 or newer is needed",
                              out.version / 1000, out.version % 1000 / 10);
  if (out.devices == 0) out.refusal = "the driver is there, but no NVIDIA GPU";
  return out;
}

const Driver& loaded_driver() {
  static const Driver the = loaded();
  return the;
}

void check(int error, const char* doing) {
  if (error == 0) return;
  const std::string text = fmt::format("the GPU: {}: {}", doing, text_of(loaded_driver(), error));
  if (error == kOutOfMemory) throw OutOfDeviceMemory(text);
  throw DeviceError(text);
}

}  // namespace

std::string device_refusal() { return loaded_driver().refusal; }

Device& Device::the() {
  static Device the;
  return the;
}

Device::Device() {
  if (!loaded_driver().refusal.empty()) throw DeviceError(loaded_driver().refusal);
  int major = 0, minor = 0;
  check(loaded_driver().device_get(&device_, 0), "the first device");
  char name[256] = {};
  check(loaded_driver().device_name(name, sizeof name, device_), "its name");
  check(loaded_driver().device_attribute(&major, kMajor, device_), "its architecture");
  check(loaded_driver().device_attribute(&minor, kMinor, device_), "its architecture");
  check(loaded_driver().device_attribute(&processors_, kProcessors, device_), "its processors");
  name_ = name;
  architecture_ = fmt::format("sm_{}{}", major, minor);
  driver_ = loaded_driver().version;
}

void Device::use() {
  {
    const std::lock_guard<std::mutex> lock(making_);
    if (!is_made_) check(loaded_driver().retain(&context_, device_), "a context");
    is_made_ = true;
  }
  check(loaded_driver().set_current(context_), "its context");
}

Device::Memory::~Memory() {
  if (address_ != 0) loaded_driver().release(address_);
}

void Device::Memory::give_back() {
  if (address_ != 0) loaded_driver().release(address_);
  address_ = size_ = 0;
}

void Device::Memory::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  give_back();
  check(loaded_driver().allocate(&address_, bytes), "memory");
  size_ = bytes;
}

void Device::Memory::write(const void* from, std::size_t bytes) {
  if (bytes > 0) check(loaded_driver().copy_in(address_, from, bytes), "copying in");
}

void Device::Memory::read(void* to, std::size_t bytes) const {
  if (bytes > 0) check(loaded_driver().copy_out(to, address_, bytes), "copying out");
}

Device::Program::~Program() {
  if (module_ != nullptr) loaded_driver().unload(module_);
}

void Device::Program::load(const std::string& cubin, const char* function) {
  check(loaded_driver().load(&module_, cubin.data()), "loading a kernel");
  check(loaded_driver().function(&function_, module_, function), "a kernel");
}

int Device::Program::registers() const {
  int out = 0;
  check(loaded_driver().function_attribute(&out, kRegisters, function_), "registers");
  return out;
}

int Device::Program::local_bytes() const {
  int out = 0;
  check(loaded_driver().function_attribute(&out, kLocalBytes, function_), "local memory");
  return out;
}

void Device::Program::run(std::uint64_t wanted, void** parameters) const {
  int blocks = 1, block = 1;
  check(loaded_driver().function_attribute(&block, kMostThreads, function_), "threads");
  check(loaded_driver().occupancy(&blocks, function_, block, 0), "occupancy");
  const auto most =
      static_cast<std::uint64_t>(std::max(1, blocks)) * static_cast<std::uint64_t>(Device::the().processors_);
  const auto size = static_cast<unsigned>(block);
  const auto grid = static_cast<unsigned>(std::clamp<std::uint64_t>((wanted + size - 1) / size, 1, most));
  check(loaded_driver().launch(function_, grid, 1, 1, size, 1, 1, 0, nullptr, parameters, nullptr),
        "starting");
  check(loaded_driver().synchronize(nullptr), "computing");
}

}  // namespace catena
