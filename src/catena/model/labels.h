// What the columns of one stem are called behind it: numbers from 1 on, as links have them, or names. Numbers
// are not written out: of long chains they would be most of what a recording needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena {

class Labels {
 public:
  Labels() = default;
  Labels(std::initializer_list<std::string> labels) : Labels(std::vector<std::string>(labels)) {}
  Labels(const std::vector<std::string>& labels) {
    for (const std::string& label : labels) push_back(label);
  }
  static Labels numbers(std::size_t count) {
    Labels out;
    out.count_ = count;
    return out;
  }

  std::size_t size() const { return count_ + names_.size(); }
  bool empty() const { return size() == 0; }
  std::string operator[](std::size_t i) const {
    return i < count_ ? std::to_string(i + 1) : names_[i - count_];
  }
  std::string back() const { return (*this)[size() - 1]; }
  bool contains(std::string_view label) const { return std::find(begin(), end(), label) != end(); }
  void push_back(std::string label) {
    if (names_.empty() && label == std::to_string(count_ + 1)) {
      ++count_;
    } else {
      names_.push_back(std::move(label));
    }
  }
  void append(const Labels& other) {
    for (const std::string& label : other) push_back(label);
  }
  operator std::vector<std::string>() const { return {begin(), end()}; }
  bool operator==(const Labels&) const = default;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string*;
    using reference = std::string;

    Iterator(const Labels* of, std::size_t at) : of_(of), at_(at) {}
    std::string operator*() const { return (*of_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {of_, at_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const Labels* of_;
    std::size_t at_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  std::size_t count_ = 0;           // 1, 2, .., as many of them
  std::vector<std::string> names_;  // and these behind them
};

}  // namespace catena
