// Constraints of one kind, many at once: lanes of the same equations between different bodies. From the
// equations C(x, p, t) = 0 follow, by expr, the Jacobian J of  dC/dt = J v - c  and its series, where v are the
// bodies' velocities: of the centre of mass in the world, and angular in the body's frame.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "catena/dynamics/joint_equations.h"
#include "catena/expr/exact.h"
#include "catena/expr/taylor.h"
#include "catena/math/aligned.h"
#include "catena/model/mechanism.h"

namespace catena {

constexpr int kMostSides = 4;  // a gear ties two joints
constexpr std::size_t kPlace = 7;    // x, p
constexpr std::size_t kMotion = 6;   // v, omega

using EquationMaker = std::function<std::vector<expr::Expression>(const JointSymbols&)>;

struct ConstraintLane {
  int joint = -1;  // index in the mechanism
  std::array<int, kMostSides> body{kGround, kGround, kGround, kGround};  // among the moving ones
  std::array<std::array<double, kPlace>, kMostSides> resting{};          // where the others are
  std::array<JointFrame, kMostSides> frame{};
  double value = 0.0;
  std::array<double, 2> turns{};  // whole turns, in radians
};

// Rows of bodies: component c of body b at [c * stride + b].
struct BodyRows {
  const double* at;
  std::size_t stride;
  double operator()(std::size_t component, int body) const {
    return at[component * stride + static_cast<std::size_t>(body)];
  }
};

class ConstraintLanes {
 public:
  // `moving` says for each of the sides whether its bodies move.
  ConstraintLanes(const std::vector<bool>& moving, const EquationMaker& equations,
                  std::vector<ConstraintLane> lanes);

  std::size_t count() const { return lanes_.size(); }
  int rows() const { return rows_; }
  const std::vector<ConstraintLane>& lanes() const { return lanes_; }
  std::vector<ConstraintLane>& lanes() { return lanes_; }
  const std::vector<int>& moving_sides() const { return moving_sides_; }

  void reserve(int order);

  // Series, order by order: places of order k, then J of order k.
  void advance(int k, double t, const BodyRows& places);
  // J of order 0: derivative of `row` by the motion of a moving side (counted among them), six numbers.
  void jacobian(std::size_t lane, int row, std::size_t side, double* six) const;
  // Order k of the velocities.
  void set_velocities(int k, const BodyRows& velocities);
  // Order k of  c - sum_{j>=1} J_j v_{k-j}  into rows[row * count() + lane].
  void rate_left(int k, double* rows) const;
  // Order k of the multipliers, as rows[row * count() + lane].
  void set_multipliers(int k, const double* rows);
  // Adds order k of  sum_{j>=1} J_j^T lambda_{k-j}  to the bodies' forces.
  void add_reactions(int k, double* forces, std::size_t stride);

  // C and dC/dt of one lane, from places [side][7] and motions [side][6] of the moving sides.
  void violation(std::size_t lane, double t, double t_lo, const DoubleDouble* places,
                 const DoubleDouble* motions, DoubleDouble* gaps, DoubleDouble* rates);

  // Call after changing turns.
  void refresh_steady();

 private:
  struct Entry {
    int row;
    std::size_t side;  // among the moving ones
    std::size_t component;
    int output;
    bool steady;
  };
  void write_steady(std::size_t lane, double* to, std::size_t stride) const;
  std::size_t moving() const { return moving_sides_.size(); }

  std::vector<ConstraintLane> lanes_;
  std::vector<int> moving_sides_, resting_sides_;
  int rows_ = 0;
  std::vector<Entry> entries_;
  std::vector<int> drive_;  // output with c of each row, or -1
  std::vector<expr::SeriesProgram> series_;  // one, made late
  std::vector<expr::ExactProgram> exact_;
  std::size_t stride_ = 0;              // lanes, filled up
  AlignedVector<double> velocities_;    // [order][side, component][lane]
  AlignedVector<double> multipliers_;   // [order][row][lane]
  mutable AlignedVector<double> sums_;  // [row] or [side, component], of lanes
  std::vector<DoubleDouble> inputs_, outputs_;
};

}  // namespace catena
