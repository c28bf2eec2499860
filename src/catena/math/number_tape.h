// The numbers that a world is made of, in the order in which its sources ask for them. A world that is made
// once with each of some neighbouring scenes says so what its numbers are there; made once more, it gets them
// with their rates of change.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "catena/math/decimal.h"
#include "catena/math/lane_kinds.h"
#include "catena/math/tangent.h"

namespace catena {

class NumberTape {
 public:
  // Writes down what is asked for.
  NumberTape() = default;
  // Gives these numbers, with rates [direction][number], in place of what is asked for; in lanes, the numbers
  // of each, [lane][number]; of tangents in lanes, the numbers and their rates, [lane and part][number].
  NumberTape(std::vector<double> values, std::vector<std::vector<double>> rates)
      : values_(std::move(values)), rates_(std::move(rates)), gives_(true) {}

  template <class S>
  S number(double asked) {
    if (!gives_) {
      values_.push_back(asked);
      return S(asked);
    }
    if (next_ == values_.size()) throw std::logic_error("a world asks for more numbers than it has");
    if constexpr (requires { S::of_scene(0.0); }) return S::of_scene(values_[next_++]);
    S out(values_[next_]);
    for (std::size_t j = 0; j < rates_.size(); ++j) {
      if constexpr (is_lanes<S>) {
        out.set_lane(static_cast<int>(j), rates_[j][next_]);
      } else if constexpr (has_lane_rates<S>) {
        out.set_tape_part(static_cast<int>(j), rates_[j][next_]);
      } else {
        out.set_rate(static_cast<int>(j), rates_[j][next_]);
      }
    }
    ++next_;
    return out;
  }
  // What a world is like beside its numbers: worlds with the same shape ask for the same ones.
  void shape(std::size_t word) {
    if (!gives_) shape_.push_back(word);
  }

  // Somewhere a formula decides by its numbers how it goes on: where a root or a norm is zero, which of two
  // is larger.
  void note_choice() { chooses_ = true; }
  bool chooses() const { return chooses_; }

  const std::vector<double>& values() const { return values_; }
  const std::vector<std::size_t>& shape() const { return shape_; }

 private:
  std::vector<double> values_;
  std::vector<std::vector<double>> rates_;
  std::vector<std::size_t> shape_;
  bool gives_ = false, chooses_ = false;
  std::size_t next_ = 0;
};

// Kinds of numbers that come from a tape.
template <class S>
inline constexpr bool takes_tape = is_tangent<S> || is_lanes<S>;

// A number of a scene as one of kind S: with the digits of its decimal, with its rates, or those of all
// lanes.
template <class S>
S number_as(double value, NumberTape* tape) {
  if constexpr (takes_tape<S>) {
    return tape == nullptr ? S(value) : tape->number<S>(value);
  } else {
    return decimal_as<S>(value);
  }
}

}  // namespace catena
