// Whether the tolerance, which is one of the whole state's size, leaves each state its digits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/facts/step.h"

namespace catena {

class Lab;

// Steps may be wrong by tolerance * max(1, |state|), where |state| is that of the largest state. A state that
// is far smaller, or all of them where all are far below 1, can be lost in that, and nothing else shows it.
// So the first step, the second, the fourth, .., and each that is twice as long as any of these, is taken
// once more, in pieces so short that every state keeps its own digits, and compared state by state. Looks at
// equations, Lagrangians, directions of chains and turns of bodies.
class StepCheck {
 public:
  explicit StepCheck(const Lab& lab);

  // Before and after each step of the lab.
  void before(const Lab& lab);
  void after(Lab& lab);
  // What was found, as a warning of the lab.
  void tell(Lab& lab) const;

 private:
  // The state at `end` from the one before the step, into x_; false: not without a kink or in so many pieces.
  bool follow(Lab& lab, double end);
  double piece(double rest) const;
  void compare(const Lab& lab, double largest);

  struct Judged {
    std::size_t lane;
    std::string name;
    double start;
    double size;    // largest so far; of directions, 1
    bool natural;   // its size is known beforehand
    bool is_noise;  // all of it
  };
  struct Found {
    std::string name;
    double off = 0.0, size = 0.0, largest = 0.0;
  };

  std::vector<Judged> judged_;
  std::size_t steps_ = 0, next_ = 1;
  double t_ = 0.0, longest_ = 0.0;
  std::vector<double> x_, c_;
  Found found_;
};

}  // namespace catena
