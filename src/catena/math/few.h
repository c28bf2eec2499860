// A few numbers in a row that need no memory of their own: as a vector, but up to kHere of them live where it
// does. Series have some thirty orders; with more, it allocates.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

template <class T, std::size_t kHere = 64>
class Few {
 public:
  Few() = default;
  explicit Few(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return size_ <= kHere ? here_ : more_.data(); }
  const T* data() const { return size_ <= kHere ? here_ : more_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T& front() const { return *data(); }
  const T& back() const { return data()[size_ - 1]; }

  // Values beyond the former size are whatever they are.
  void resize(std::size_t size) {
    if (size > kHere) {
      if (size_ <= kHere) more_.assign(here_, here_ + size_);
      more_.resize(size);
    }
    size_ = size;
  }
  void push_back(const T& value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }

 private:
  T here_[kHere];
  std::vector<T> more_;
  std::size_t size_ = 0;
};

}  // namespace catena
