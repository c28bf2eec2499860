// Rigid bodies and joints, in trees and loops: Lagrange's equations of the first kind,
//
//     M v' = f + J^T lambda        J v = c(x, p, t)        f includes -omega x (I omega)
//
// by power series. J v = c is itself an identity of series, so order k + 1 of the velocities and order k of
// the multipliers follow together from  J_0 v_{k+1} = c_{k+1} - sum_{j>=1} J_j v_{k+1-j}, with one
// factorisation for all orders. docs/theory/mechanisms.md derives what is computed here.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "catena/dynamics/bodies/body_lanes.h"
#include "catena/dynamics/bodies/constraint_factor.h"
#include "catena/dynamics/bodies/massless.h"
#include "catena/dynamics/bodies/tree_recursion.h"
#include "catena/dynamics/joints/constraint_lanes.h"
#include "catena/dynamics/joints/force_lanes.h"
#include "catena/model/mechanism.h"

namespace catena {

// What the joints take away, and which of them do not count.
struct Mobility {
  std::size_t degrees_of_freedom = 0;
  std::size_t rank = 0;
  std::size_t equations = 0;
  std::vector<std::size_t> redundant;  // how many equations of each joint follow from the others
  std::vector<char> unique;            // whether the joint's reaction is
};

// What acts on the bodies from outside, at one order of their series: lanes [component][body] in the world,
// forces at the centres of mass. Torques are given at all orders or at none.
template <class S>
struct BodyLoadsOver {
  const S* forces = nullptr;
  const S* torques = nullptr;
};
using BodyLoads = BodyLoadsOver<double>;

// What is left of a joint's equations, m or rad (per s).
struct JointGap {
  std::size_t joint;
  double gap;
};

class Multibody {
 public:
  Multibody(const Mechanism& mechanism, const Vec3& gravity, FactorWay way = FactorWay::fewest);
  // Long where they are made anew, so they are defined once.
  Multibody(const Multibody& other);
  Multibody(Multibody&& other) noexcept;
  Multibody& operator=(const Multibody& other);
  Multibody& operator=(Multibody&& other) noexcept;
  ~Multibody();

  const Mechanism& mechanism() const { return mechanism_; }
  const Vec3& gravity() const { return gravity_; }
  std::size_t bodies() const { return bodies_.count(); }  // that move
  const BodyLanes& lanes() const { return bodies_; }
  // Index in the mechanism -> among those that move, or kGround.
  int moving_index(std::size_t body) const { return moving_index_[body]; }
  // The sides and numbers of a joint.
  JointLane lane_of(std::size_t joint) const;
  // Whether the rows of a joint are independent wherever its bodies are.
  bool may_be_tree(std::size_t joint) const;
  // For its motion over other numbers: constraints of joints and then of motors, and forces in joints, in
  // groups of lanes that share their equations.
  const std::vector<ConstraintLanes>& constraints() const { return groups_; }
  EquationMaker equations_of(std::size_t group) const;
  const std::vector<ForceLanes>& joint_forces() const { return forces_; }
  // Which force of the mechanism each lane of a group is.
  const std::vector<std::size_t>& forces_in(std::size_t group) const { return force_indices_[group]; }
  // The equations of all orders at a state, factored, and turns followed to it; then of one order: `six`, the
  // forces in, v' out, six numbers a body; r and the multipliers, one a row.
  void begin_orders(double t, const double* x);
  void solve_order(const double* r, double* six, double* multipliers);
  // Turns that forces count, followed to a state within a step.
  bool counts_turns() const;
  void follow_force_turns(double t, const double* x);
  // Whole turns, followed to a state: that of a step's end, or one within a step.
  void follow_all_turns(double t, const double* hi, const double* lo, bool is_end);

  // How many equations do no more than say where sliders are: three for each. Ranks are given without them.
  std::size_t slider_rows() const { return slider_rows_; }
  std::size_t dimension() const { return kBodyState * bodies(); }
  bool has_loops() const { return factor_.has_loops(); }
  const ConstraintFactor& factor() const { return factor_; }
  bool may_be_singular() const { return has_loops(); }
  bool has_constraints() const { return true; }  // orientations are unit quaternions, if nothing else
  bool settle(double*, double*) const { return false; }
  // In units of a term of a convolution, measured: few bodies leave most lanes of registers empty.
  double series_overhead() const { return 60.0; }
  double step_overhead() const { return 4000.0 / (2.0 + static_cast<double>(bodies())); }

  // The state as the mechanism gives it, joints as they are.
  void start(std::vector<double>& hi, std::vector<double>& lo) const;

  void reserve(int order);
  // Series, order by order: begin, then advance(0), advance(1), ..; after advance(n) order n + 1 is there.
  void begin(double t, const double* x);
  void advance(int n, const BodyLoads& loads = {});
  // Order n of the bodies' states.
  BodyRows rows(int n) const { return {order(n), bodies_.stride()}; }
  void write(int order, double* c) const;

  // Up to where the series of this order hold, at most `length`: limits and formulas with kinks end them.
  double smooth_until(int order, double length) const;
  // From now on series end where formulas of motors and drives could do, unseen, what turns or moves a body
  // by more than this.
  void look_inside(double allowed);
  double smallest_inertia() const { return bodies_.smallest_inertia(); }
  bool looks_inside() const;
  // Whether they could have done so between samples of the motion, in order from 0, over a step from t on.
  void sample(int which, double t, const double* x);
  bool misses(double t, double length);
  bool reads_time() const;
  // Rates that follow are those at t plus this.
  void set_low_time(double low);
  bool has_kinks() const;

  void rhs(double t, const double* x, double* dx, const BodyLoads& loads = {});
  void taylor(double t, const double* x, int order, double* c);

  // Onto the constraints, first positions, then velocities, by Newton-Raphson in the mass metric, correcting
  // lo.
  void project(double t, const double* hi, double* lo);
  // By another factorisation at this state: it gives y, in the mass metric, of what closes gaps r (a row
  // each).
  using Closing = std::function<void(const double* r, double* y)>;
  void project(double t, const double* hi, double* lo, const Closing& closing);
  // Largest gap (m, rad), rate of a gap, or |p|^2 - 1.
  double constraint_error(double t, const double* hi, const double* lo);
  Energies energy(double t, const double* hi, const double* lo);
  // From now on energies are those of the numbers as they were written, to all digits: of runs that have
  // them.
  void count_all_digits() { all_digits_ = true; }
  double weight_scale() const;  // sum of m g times a metre, in J
  bool moves_energy() const;    // joints dissipate it, or drives put it in
  // Order n, after advance(n): power that joints dissipate, and power that drives put in.
  double loss(int n) const;
  double work(int n) const;

  // A joint's coordinate and its rate; angles in (-pi, pi] unless the joint counts turns.
  struct JointCoordinate {
    double value = 0.0;
    double rate = 0.0;
  };
  // Whole turns of the joints, in radians, when a motion is taken up again: springs and limits count them.
  void set_turns(const std::vector<double>& of_joints);
  JointCoordinate coordinate(std::size_t joint, double t, const double* hi, const double* lo);

  // For assembly, at t = 0. Newton-Raphson from far away, positions only; gives the largest gap that is left.
  double close(LanePair& state);
  // From a state that is closed to the one that is as close to `drawn` as may be, in the mass metric; where
  // that is not found, the state stays as it is.
  void approach(const LanePair& drawn, LanePair& state);
  // Joints whose gaps (or their rates) are larger than this.
  std::vector<JointGap> gaps(const LanePair& state, bool rates, double larger_than);
  // Moves the bodies a little, no further than `size`, in some direction that the joints allow.
  void wander(LanePair& state, double size);

  // Motors with kinks: from now on the piece of their motions holds that does at this time.
  void take_piece(double moment);
  // What the constraints prescribe: J v of all rows, 0 but for motors.
  std::vector<double> prescribed_rates(double t, const double* hi, const double* lo);
  // At a kink the prescribed rates jump, and with them the velocities: M dv = J^T Lambda, J dv = the jump.
  // Corrects lo; gives the work done, Lambda . (rates before + rates now) / 2.
  double strike(double t, const double* hi, double* lo, const std::vector<double>& rates_before);
  // The joint whose constraints are furthest from met at time t.
  JointGap largest_gap(double t, const double* hi, const double* lo);

  // The rank that the constraints have all along the motion.
  void expect_rank(std::size_t rank);

  // The largest rate of a constraint or of a coordinate along which a force acts, if all bodies moved as one,
  // with velocity v at the point and angular velocity omega, world. Where it is zero, that motion's momentum
  // is changed by gravity alone.
  double resistance(double t, const double* hi, const Vec3& v, const Vec3& omega, const Vec3& point);

  // Momenta, six numbers per body: m v in the world, I omega in the body's frame. For methods that step them;
  // what these need of the constraints is at the state held last.
  bool depends_on_velocity() const;
  std::size_t rows() const { return factor_.rows(); }
  void momenta_of(const double* x, double* p) const;
  void set_momenta(const double* p, double* x) const;
  void forces(double t, const double* x, double* f);
  bool fly(double h, const double* x, double* p, double* change) const;
  void gaps(double t, const double* hi, const double* lo, bool rates, double* rows);
  void hold(double t, const double* x) { factor_at(t, x); }
  void pull(const double* lambda, double* p) const;
  void solve_multipliers(double* rows);

  // What a joint does to its second body: force, and moment about the joint's point there, world. Where
  // redundant constraints leave it open, the least one.
  struct Reaction {
    Vec3 force{};
    Vec3 moment{};
    bool unique = true;
  };
  std::vector<Reaction> reactions(double t, const double* x, const BodyLoads& loads = {});

  Mobility mobility(double t, const double* x);
  // Motions without inertia that nothing determines; empty: all is well.
  std::vector<UndeterminedMotion> undetermined(double t, const double* x);
  bool has_massless() const { return !massless_.empty(); }
  // The smallest pivot of those that close loops: 0 where the mechanism is in a singular position. 1: no
  // loops.
  double margin(double t, const double* x);
  // Of the state looked at last: rank of the constraints.
  std::size_t last_rank() const { return factor_.rank() - slider_rows_; }

 private:
  Energies energy_in_full(const double* hi, const double* lo) const;
  void add_side(JointLane& lane, int body, const JointFrame& frame) const;
  void add_sides(JointLane& lane, const Joint& joint) const;
  void group_joints();
  void group_forces();
  void make_coordinates();
  void add_motors();
  ConstraintLanes motor_group(const JointMotor& motor, JointLane lane) const;
  void place_rows(std::size_t group);
  void make_recursion();
  void push(int k, double t, const BodyLoads& loads);
  void add_loads(int k, const BodyLoads& loads);
  std::vector<ConstraintBlock> blocks();
  void factor_at(double t, const double* x);
  bool factored_near(double t, const double* x) const;
  void load_gradients();
  void note_turning(int k);
  void advance_constraints(int k);
  // C of all rows into right_ and dC/dt into rates_, negated; the largest of each.
  struct Largest {
    double gap, rate;
  };
  Largest measure(double t, const double* hi, const double* lo);
  // C or dC/dt of all rows, negated, into right_; the largest.
  double left_over(double t, const double* hi, const double* lo, bool rates);
  std::array<double, 2> turn_weights(std::size_t group, std::size_t lane) const;
  void follow_turns(double t, const double* hi, const double* lo);
  void move_places(const double* hi, double* lo);
  void displace(LanePair& state, double factor);
  double largest_move(double length) const;
  void move_velocities(double* lo);
  const double* order(int k) const {
    return series_.data() + static_cast<std::size_t>(k) * bodies_.order_stride();
  }
  double* order(int k) { return series_.data() + static_cast<std::size_t>(k) * bodies_.order_stride(); }

  Mechanism mechanism_;
  Vec3 gravity_;
  std::size_t slider_rows_ = 0;
  std::vector<int> moving_index_;
  bool all_digits_ = false;
  BodyLanes bodies_;
  std::vector<ConstraintLanes> groups_;
  std::vector<std::size_t> first_block_;              // of each group; its lanes' blocks follow one another
  std::vector<std::size_t> motors_;                   // the groups that are motors
  std::vector<expr::SampledFormulas> motions_;        // of the motors
  std::vector<std::size_t> drives_;                   // the forces that formulas drive
  std::vector<std::vector<std::size_t>> block_side_;  // block -> where its sides' bodies are in it
  ConstraintFactor factor_;
  MasslessMotions massless_;
  TreeRecursion recursion_;  // of rates, where the joints form a tree
  std::vector<ForceLanes> forces_;
  std::vector<std::vector<std::size_t>> force_indices_;  // of each group
  std::vector<expr::SeriesProgram>
      torques_;  // from the world's to the bodies' frames; made when first needed
  std::size_t usual_rank_ = 0;

  std::vector<ConstraintLanes> coordinates_;
  std::vector<int> coordinate_of_joint_;  // which of coordinates_, or -1
  std::vector<std::size_t> coordinate_lane_;

  double size_ = 1.0;    // of the smallest body, m, at most 1
  double extent_ = 0.0;  // of the largest, m
  double t_ = 0.0;
  // Of the order made last: components that some body has other than zero.
  unsigned some_places_ = 0, some_velocities_ = 0;
  unsigned turning_ = 0;  // bit i: some body has turned about its axis i
  int axis_ = -1;         // the only one; -1: there are several
  int spun_ = 0;          // orders of momentum_ that are there
  int reserved_ = 0;
  AlignedVector<double> series_;    // [order][component][body]
  AlignedVector<double> momentum_;  // I omega, [order][component][body]
  AlignedVector<double> force_;     // [6][body]
  std::vector<double> zeros_;
  std::vector<double> y_, right_, rates_, multipliers_;
  std::vector<double> factored_places_;  // of the state factored last, at t_; empty: none
  std::vector<double> moved_;            // a state
};

}  // namespace catena
