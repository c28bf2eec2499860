#include "catena/threads/compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "catena/sweep/sha256.h"
#include "catena/threads/texts.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// Of nvrtc.h, declared by hand: nothing of CUDA is needed to build this.
using Program = struct ProgramOfNvrtc*;
struct Nvrtc {
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  const char* (*error)(int) = nullptr;
  int major = 0, minor = 0;
  std::string refusal;
};

// Folders in which an installation of CUDA or of Python's package has it.
std::vector<fs::path> folders() {
  std::vector<fs::path> out;
  const auto add_packages = [&](const fs::path& prefix) {
    std::error_code ignored;
    for (const char* lib : {"lib", "lib64"}) {
      for (const auto& entry : fs::directory_iterator(prefix / lib, ignored)) {
        if (!entry.path().filename().string().starts_with("python")) continue;
        for (const char* packages : {"site-packages", "dist-packages"}) {
          for (const char* one : {"cuda_nvrtc/lib", "cu13/lib", "cu12/lib"})
            out.push_back(entry.path() / packages / "nvidia" / one);
        }
      }
    }
  };
  if (const char* given = std::getenv("CATENA_NVRTC")) out.emplace_back(given);
  if (const char* venv = std::getenv("VIRTUAL_ENV")) add_packages(venv);
  if (const char* conda = std::getenv("CONDA_PREFIX")) out.push_back(fs::path(conda) / "lib");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) out.push_back(fs::path(home) / "lib64");
  }
  std::error_code ignored;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", ignored); !self.empty())
    out.push_back(self.parent_path());
  if (const char* home = std::getenv("HOME")) add_packages(fs::path(home) / ".local");
  add_packages("/usr/local");
  add_packages("/usr");
  std::vector<fs::path> versions;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda")) versions.push_back(entry.path() / "lib64");
  }
  std::sort(versions.rbegin(), versions.rend());
  out.insert(out.end(), versions.begin(), versions.end());
  return out;
}

// The libraries of a folder whose names begin so, the newest first.
std::vector<std::string> libraries(const fs::path& folder, const std::string& beginning) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning)) out.push_back(entry.path().string());
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

void* opened() {
  for (const fs::path& folder : folders()) {
    for (const std::string& library : libraries(folder, "libnvrtc.so")) {
      // It looks for these by name alone.
      for (const std::string& builtins : libraries(folder, "libnvrtc-builtins.so"))
        dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (void* found = dlopen(library.c_str(), RTLD_NOW)) return found;
    }
  }
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    if (void* found = dlopen(name, RTLD_NOW)) return found;
  }
  return nullptr;
}

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

Nvrtc loaded() {
  Nvrtc out;
  void* library = opened();
  if (library == nullptr) {
    out.refusal =
        "there is no NVRTC, NVIDIA's compiler of kernels: `pip install nvidia-cuda-nvrtc-cu12` has it, or a "
        "CUDA installation; CATENA_NVRTC=FOLDER says where libnvrtc.so is";
    return out;
  }
  const bool has_all =
      find(library, "nvrtcVersion", out.version) && find(library, "nvrtcCreateProgram", out.create) &&
      find(library, "nvrtcCompileProgram", out.compile) &&
      find(library, "nvrtcGetProgramLogSize", out.log_size) && find(library, "nvrtcGetProgramLog", out.log) &&
      find(library, "nvrtcGetCUBINSize", out.cubin_size) && find(library, "nvrtcGetCUBIN", out.cubin) &&
      find(library, "nvrtcDestroyProgram", out.destroy) && find(library, "nvrtcGetErrorString", out.error);
  if (!has_all || out.version(&out.major, &out.minor) != 0)
    out.refusal = "the NVRTC that was found is too old: 12.0 or newer is needed";
  return out;
}

const Nvrtc& nvrtc() {
  static const Nvrtc the = loaded();
  return the;
}

// What the standard library would have.
constexpr const char* kIntegers =
    "#pragma once\nnamespace std {\nusing uint64_t = unsigned long long;\nusing int64_t = long long;\n"
    "using uint32_t = unsigned int;\nusing int32_t = int;\nusing size_t = unsigned long;\n}\n";
constexpr const char* kMemory =
    "#pragma once\nnamespace std {\n__device__ inline void* memcpy(void* to, const void* from, unsigned long "
    "n) "
    "{ return ::memcpy(to, from, n); }\n}\n";

// Those of CATENA_KERNEL_OPTIONS are for measurements: -DCATENA_TOGETHER=4, -DCATENA_BLOCKS=3.
const std::vector<std::string>& options() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out{"--std=c++17",        "--fmad=false",      "-default-device",
                                 "--prec-div=true",    "--prec-sqrt=true",  "--ftz=false",
                                 "--ptxas-options=-v", "-diag-suppress=177"};
    const char* given = std::getenv("CATENA_KERNEL_OPTIONS");
    std::istringstream words(given == nullptr ? "" : given);
    for (std::string word; words >> word;) out.push_back(word);
    return out;
  }();
  return all;
}

std::string name_of(const std::string& source, const std::string& architecture) {
  Sha256 hash;
  const auto add = [&](const std::string& text) { hash.add(text.c_str(), text.size() + 1); };
  add(source);
  for (const HeaderText& header : kernel_headers()) add(header.text);
  for (const std::string& option : options()) add(option);
  add(architecture);
  return hash.hex();
}

}  // namespace

std::string compiler_refusal() { return nvrtc().refusal; }
std::string compiler_name() { return fmt::format("NVRTC {}.{}", nvrtc().major, nvrtc().minor); }

std::string kernel_cache() {
  if (const char* given = std::getenv("CATENA_CACHE")) return given;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::string(cache) + "/catena/kernels";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/catena/kernels";
  return "";
}

bool has_kernel(const std::string& source, const std::string& architecture) {
  std::error_code ignored;
  const std::string cache = kernel_cache();
  return !cache.empty() &&
         fs::is_regular_file(fs::path(cache) / (name_of(source, architecture) + ".cubin"), ignored);
}

Kernel compiled(const std::string& source, const std::string& architecture) {
  Kernel out;
  const std::string cache = kernel_cache();
  const fs::path kept = fs::path(cache) / (name_of(source, architecture) + ".cubin");
  std::error_code ignored;
  if (!cache.empty() && fs::is_regular_file(kept, ignored)) {
    std::ifstream file(kept, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    out.cubin = std::move(text).str();
    if (!out.cubin.empty()) return out;
  }
  // What every compiler makes of it has the same bits: only who has no kernel yet needs one.
  if (!nvrtc().refusal.empty()) throw std::runtime_error(nvrtc().refusal);
  const auto start = std::chrono::steady_clock::now();
  std::vector<const char*> names{"cstdint", "cstring", "cmath"}, texts{kIntegers, kMemory, "#pragma once\n"};
  for (const HeaderText& header : kernel_headers()) {
    const bool is_registers = std::string_view(header.name) == "catena/threads/device_registers.h";
    names.push_back(is_registers ? "catena/math/registers.h" : header.name);
    texts.push_back(header.text);
  }
  Program program = nullptr;
  const auto check = [&](int error, const char* doing) {
    if (error != 0) throw std::runtime_error(fmt::format("NVRTC: {}: {}", doing, nvrtc().error(error)));
  };
  check(nvrtc().create(&program, source.c_str(), "catena_sweep.cu", static_cast<int>(names.size()),
                       texts.data(), names.data()),
        "a program");
  std::vector<std::string> all = options();
  all.push_back("--gpu-architecture=" + architecture);
  std::vector<const char*> given;
  for (const std::string& option : all) given.push_back(option.c_str());
  const int error = nvrtc().compile(program, static_cast<int>(given.size()), given.data());
  std::size_t size = 0;
  if (nvrtc().log_size(program, &size) == 0 && size > 1) {
    out.log.resize(size);
    nvrtc().log(program, out.log.data());
    out.log.resize(size - 1);
  }
  if (error != 0) {
    nvrtc().destroy(&program);
    throw std::runtime_error(fmt::format("the kernel does not compile for {}: {}\n{}", architecture,
                                         nvrtc().error(error), out.log));
  }
  check(nvrtc().cubin_size(program, &size), "a cubin");
  out.cubin.resize(size);
  check(nvrtc().cubin(program, out.cubin.data()), "a cubin");
  nvrtc().destroy(&program);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (cache.empty()) return out;
  // Whole or not at all: others may look for it at this moment.
  fs::create_directories(cache, ignored);
  const fs::path part = kept.string() + fmt::format(".{}", ::getpid());
  std::ofstream(part, std::ios::binary).write(out.cubin.data(), static_cast<std::streamsize>(size));
  fs::rename(part, kept, ignored);
  return out;
}

}  // namespace catena
