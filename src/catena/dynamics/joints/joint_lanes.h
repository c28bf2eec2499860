// Joints of one kind, many at once: lanes of the same expressions between different bodies, and which
// variable of those expressions is what.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "catena/expr/vector.h"
#include "catena/math/double_double.h"
#include "catena/model/joint_info.h"

namespace catena {

constexpr std::size_t kPlace = 7;   // x, p
constexpr std::size_t kMotion = 6;  // v of the centre of mass in the world, omega in the body's frame

struct JointLane {
  int joint = -1;                                   // index in the mechanism
  std::vector<int> body;                            // of each side, among the moving ones, or kGround
  std::vector<std::array<double, kPlace>> resting;  // where the others are
  std::vector<JointFrame> frame;
  std::array<double, 2> turns{};  // whole turns, in radians
  std::vector<double> numbers;    // what the equations need besides
};

std::vector<bool> moving_sides(const JointLane& lane);

// Turns, in radians, and some more: rounded once, however many there are.
double add_turns(double turns, double more);

// Rows of bodies: component c of body b at [c * stride + b].
struct BodyRows {
  const double* at;
  std::size_t stride;
  unsigned some = ~0U;  // bit c: component c may be other than zero
  bool has(std::size_t component) const { return (some >> component & 1U) != 0; }
  double operator()(std::size_t component, int body) const {
    return at[component * stride + static_cast<std::size_t>(body)];
  }
};

// Variables, in this order: places of the sides that move, t, motions of the sides that move (if asked for),
// then what is steady: places of the sides that rest, frames of all sides (moving ones first), turns,
// numbers.
class JointVariables {
 public:
  JointVariables(const std::vector<bool>& moves, std::size_t numbers, bool with_motions);

  std::size_t moving() const { return moving_; }
  const std::vector<int>& sides() const { return sides_; }  // moving ones first
  std::size_t count() const { return first_steady() + steady(); }
  std::size_t steady() const;
  std::size_t time() const { return kPlace * moving_; }
  std::size_t place(std::size_t rank) const;
  std::size_t motion(std::size_t rank) const { return time() + 1 + kMotion * rank; }

  JointSymbols symbols(expr::Graph& graph) const;
  // Seeds of derivatives: the place of a moving side when it moves with v and omega.
  void seed_place(expr::Graph& graph, std::size_t rank, const expr::Vector& v, const expr::Vector& omega,
                  std::vector<expr::NodeId>& seeds) const;
  // The same for component c of its motion, at unit rate.
  std::vector<expr::NodeId> unit_motion(expr::Graph& graph, std::size_t rank, std::size_t c) const;
  // All sides moving as their motions say, and t passing.
  std::vector<expr::NodeId> whole_motion(expr::Graph& graph) const;

  // Those that have one value for good in all lanes, and that value.
  std::vector<std::optional<double>> shared(const std::vector<JointLane>& lanes) const;
  // The steady variables of a lane, `stride` apart.
  void write_steady(const JointLane& lane, double* to, std::size_t stride) const;
  // The same with all their digits.
  void write_steady_exact(const JointLane& lane, DoubleDouble* to) const;
  // The variables of a lane at one instant, for an exact program.
  void write_exact(const JointLane& lane, double t, std::size_t bodies, const double* hi, const double* lo,
                   std::vector<DoubleDouble>& inputs) const;

 private:
  std::size_t first_steady() const { return time() + 1 + (with_motions_ ? kMotion * moving_ : 0); }
  std::size_t frame(std::size_t rank) const;

  std::vector<int> sides_;
  std::size_t moving_ = 0;
  std::size_t numbers_;
  bool with_motions_;
};

}  // namespace catena
