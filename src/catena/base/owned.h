// A value on the heap that belongs to one object: copied with it, and constant where it is.
#pragma once

#include <memory>
#include <utility>

namespace catena {

template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(std::unique_ptr<T> value) : value_(std::move(value)) {}
  Owned(const Owned& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(const Owned& other) { return *this = Owned(other); }
  Owned& operator=(Owned&&) noexcept = default;
  ~Owned() = default;

  explicit operator bool() const { return value_ != nullptr; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace catena
