// Numbers to bytes and back, for checkpoints.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace catena {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what ByteWriter wrote; good() turns false when the bytes do not fit.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (take(sizeof value)) std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
  }
  // Only as many values as the vector already has.
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    if (count != values.size()) good_ = false;
    const std::size_t size = values.size() * sizeof(T);
    if (good_ && size > 0 && take(size)) std::memcpy(values.data(), bytes_.data() + at_ - size, size);
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    const std::size_t start = at_;
    if (good_ && take(size)) text.assign(bytes_.substr(start, at_ - start));
  }
  bool good() const { return good_; }
  bool finished() const { return good_ && at_ == bytes_.size(); }

 private:
  bool take(std::uint64_t size) {  // as wide as written, also where std::size_t is not
    good_ = good_ && size <= bytes_.size() - at_;
    if (good_) at_ += static_cast<std::size_t>(size);
    return good_;
  }
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace catena
