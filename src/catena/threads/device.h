// One GPU, by NVIDIA's driver, which is loaded where there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

namespace catena {

class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class OutOfDeviceMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// Why there is no GPU to compute on, in words for a user; "" if there is one.
std::string device_refusal();

class Device {
 public:
  // The first one. Throws DeviceError.
  static Device& the();

  const std::string& name() const { return name_; }
  const std::string& architecture() const { return architecture_; }  // "sm_90"
  int driver() const { return driver_; }                             // 12040: as CUDA 12.4 has it
  // For this thread, too. The first time takes the driver a fifth of a second: it makes a context.
  void use();

  class Memory {
   public:
    Memory() = default;
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    // Room for so many bytes; what was there is lost. Throws OutOfDeviceMemory.
    void reserve(std::size_t bytes);
    void give_back();
    void write(const void* from, std::size_t bytes);
    void read(void* to, std::size_t bytes) const;
    std::uint64_t address() const { return address_; }

   private:
    std::uint64_t address_ = 0;
    std::size_t size_ = 0;
  };

  class Program {
   public:
    Program() = default;
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    void load(const std::string& cubin, const char* function);
    int registers() const;
    int local_bytes() const;  // of one thread: arrays, and what registers do not hold
    // As many threads as the device holds at once, at most `wanted`; waits until all have ended.
    void run(std::uint64_t wanted, void** parameters) const;

   private:
    void *module_ = nullptr, *function_ = nullptr;
  };

 private:
  Device();
  std::string name_, architecture_;
  int device_ = 0, driver_ = 0, processors_ = 1;
  void* context_ = nullptr;
  bool is_made_ = false;
  std::mutex making_;
};

}  // namespace catena
