// Whether the steps of an explicit method are as short as they are for stability alone.
#pragma once

#include <string>

namespace catena {

// A step that accuracy limits bends the motion by far more than the tolerance: its error is a high power of h
// times the motion's rate, the bend only the second. Where the bend is as small as the tolerance, a component
// that the motion does not show would blow up with longer steps.
class StiffnessWatch {
 public:
  static constexpr int kEvery = 64;  // steps between two looks

  // `bend`: h |change of the slope over the step|, in units of the error that is allowed. Where the tolerance
  // is too loose for the two to be told apart nothing is concluded.
  void observe(double h, double bend, double tolerance);
  std::string advice() const;

 private:
  int looks_ = 0;
  int limited_ = 0;
  double sum_of_steps_ = 0.0;  // where limited
};

}  // namespace catena
