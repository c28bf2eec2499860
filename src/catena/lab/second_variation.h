// Second derivatives along a motion: how its derivatives with respect to some numbers change along one more
// direction, any combination of numbers and of changes of the state. That is the matrix of second derivatives
// times a vector, by tangents of tangents that go through the same equations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

class SecondVariation {
 public:
  // What the derivatives are looked at along.
  struct Along {
    // The scene with the number of direction j moved by `by`, and all numbers by `along` times this
    // direction. Directions of states move nothing.
    std::function<Scene(std::size_t j, double by, double along)> scene = {};
    double scale = 1.0;              // along it, the size of the numbers: a sixteenth of it is a small change
    std::vector<double> start = {};  // how the state's lanes change beside, where following begins; none: not
  };

  // Follows the lab's motion from where it is. `from_scene`: that is the start of its scene, which depends on
  // the scene's numbers. Throws InputError where second derivatives cannot be had.
  SecondVariation(Lab& lab, std::vector<Direction> directions, Along along, bool from_scene);
  ~SecondVariation();

  // One step of the lab, with all derivatives.
  StepStatus advance();
  // Steps that were made shorter for the sake of derivatives.
  std::int64_t shortened() const;

  // At time t of the last step, of the state.
  struct OfState {
    std::vector<double> along;          // [lane]
    std::vector<double> first, second;  // [direction][lane]: the rates, and how they change along
  };
  OfState at(double t);
  // Second derivatives of a row at that time, [direction][column].
  std::vector<double> rows(double t, const Columns& columns);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
