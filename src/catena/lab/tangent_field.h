// The equations of a lab's world at single states, with their exact derivatives: what analyses ask that look
// for a state, not along a motion.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

class TangentField {
 public:
  // Throws InputError where derivatives cannot be had of the lab's world. The lab stays where it is.
  explicit TangentField(Lab& lab);
  ~TangentField();
  TangentField(const TangentField&) = delete;
  TangentField& operator=(const TangentField&) = delete;

  // How dx/dt changes along each of these changes of the state, [direction][lane] both.
  std::vector<double> along(double t, const std::vector<double>& x, const std::vector<double>& directions);

  // Which lanes are rates of others; none are of a system of equations.
  const std::vector<bool>& rate_lanes() const;
  // Lanes that mean nothing: the orientation of a mass without extent.
  const std::vector<bool>& idle_lanes() const;
  // Lanes of quaternions, w, x, y, z each: a quaternion and its opposite are the same orientation.
  const std::vector<std::array<std::size_t, 4>>& quaternions() const;
  // Whether a formula that acts depends on time.
  bool reads_time() const;
  // Whether laws, limits or slack links have kinks.
  bool has_kinks() const;
  // How far from a singular position of the constraints, beside the margin at the lab's start; 1: there are
  // none.
  double margin(double t, const std::vector<double>& x) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
