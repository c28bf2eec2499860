// Numbers along a step with what they may be off by, recorded: whether a formula can have a root there.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "catena/math/recorded.h"
#include "catena/threads/refusal.h"

namespace catena {
namespace threads {

// A number along a step: a polynomial of degree three in s, from 0 at its start to 1 at its end, and how far
// from it the number may be, at most. Sums and products of such are such again: roots are looked for only
// where a formula can have one.
class Bounded {
 public:
  Bounded(double value) : c_{Recorded(value)} {}  // NOLINT: as Recorded
  explicit Bounded(std::vector<Recorded> c) : c_(std::move(c)) {}
  Bounded(std::vector<Recorded> c, const Recorded& rest) : c_(std::move(c)), rest_(rest) {}

  // A state over a step of this length, of its series; where the step ends it is `off` from them, at most.
  static Bounded of_series(const Recorded* series, int order, const Recorded& length, const Recorded& off) {
    constexpr int kDegree = 3;
    Bounded out(std::vector<Recorded>{series[0]});
    Recorded power(1.0), rest(0.0);
    for (int k = 1; k <= std::min(order, kDegree); ++k) {
      power = k == 1 ? length : Recorded(power * length);
      out.c_.push_back(series[k] * power);
    }
    for (int k = order; k > kDegree; --k)
      rest = k == order ? size_of(series[k]) : Recorded(rest * length + size_of(series[k]));
    if (order > kDegree) rest = rest * Recorded(power * length);
    out.rest_ = off;
    if (order > kDegree) out.add_rest(rest);
    out.allow(kSlack);
    return out;
  }

  // Its integral from 0 to s.
  Bounded integral() const {
    Bounded out(0.0);
    out.rest_ = rest_;
    for (std::size_t k = 0; k < c_.size(); ++k)
      out.put(k + 1, c_[k] * Recorded(1.0 / static_cast<double>(k + 1)));
    return out;
  }
  // For roundings: that part of its size.
  static constexpr double kSlack = 0x1p-45;
  void allow(double part) { add_rest(size() * Recorded(part)); }

  // By how much it is away from zero, all along.
  Recorded margin() const {
    const auto c = [&](std::size_t k) { return k < c_.size() ? c_[k] : Recorded(0.0); };
    const Recorded third(1.0 / 3.0);
    std::vector<Recorded> at{c(0)};  // coefficients of Bernstein: it lies between them
    if (c_.size() > 1) {
      at.push_back(c(0) + c(1) * third);
      at.push_back(c(0) + (c(1) + c(1) + c(2)) * third);
      at.push_back(c(0) + (c(1) + c(2) + c(3)));
    }
    Recorded least = at[0], most = at[0];
    for (std::size_t i = 1; i < at.size(); ++i) {
      least = choose(at[i] < least, at[i], least);
      most = choose(most < at[i], at[i], most);
    }
    const Recorded away = choose(-most < least, least, -most);
    return rest_ ? Recorded(away - *rest_) : away;
  }

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    Bounded out = a;
    for (std::size_t k = 0; k < b.c_.size(); ++k) {
      if (k < out.c_.size()) {
        out.c_[k] += b.c_[k];
      } else {
        out.c_.push_back(b.c_[k]);
      }
    }
    if (b.rest_) out.add_rest(*b.rest_);
    return out;
  }
  friend Bounded operator-(const Bounded& a) {
    Bounded out = a;
    for (Recorded& one : out.c_) one = -one;
    return out;
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    Bounded out(std::vector<Recorded>{});
    for (std::size_t k = 0; k + 1 < a.c_.size() + b.c_.size(); ++k) {
      std::optional<Recorded> sum;
      for (std::size_t i = 0; i < a.c_.size(); ++i) {
        if (k < i || k - i >= b.c_.size()) continue;
        sum = sum ? Recorded(a.c_[i] * b.c_[k - i] + *sum) : Recorded(a.c_[i] * b.c_[k - i]);
      }
      out.put(k, *sum);
    }
    if (a.rest_) out.add_rest(*a.rest_ * b.size());
    if (b.rest_) out.add_rest(*b.rest_ * a.size());
    if (a.rest_ && b.rest_) out.add_rest(*a.rest_ * *b.rest_);
    return out;
  }
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    if (b.c_.size() > 1 || b.rest_) refuse("events divide by numbers alone");
    return a * Bounded(std::vector<Recorded>{Recorded(1.0) / b.c_[0]});
  }
  Bounded& operator+=(const Bounded& b) { return *this = *this + b; }

 private:
  static constexpr std::size_t kMost = 4;  // coefficients

  Recorded size() const {
    Recorded out = size_of(c_[0]);
    for (std::size_t k = 1; k < c_.size(); ++k) out += size_of(c_[k]);
    return out;
  }
  void add_rest(const Recorded& more) { rest_ = rest_ ? Recorded(*rest_ + more) : more; }
  void put(std::size_t k, const Recorded& value) {
    if (k >= kMost) return add_rest(size_of(value));
    if (k == c_.size()) c_.push_back(Recorded(0.0));
    c_[k] = value;
  }

  std::vector<Recorded> c_;
  std::optional<Recorded> rest_;  // none: nothing is left out
};

inline Recorded power_of(const Recorded& a, const Recorded& b, double) { return pow_of(a, b); }
inline Bounded power_of(const Bounded& a, const Bounded&, double exponent) {
  Bounded out(1.0);
  for (int i = 0; i < static_cast<int>(exponent); ++i) out = i == 0 ? a : out * a;
  return out;
}

}  // namespace threads
}  // namespace catena
