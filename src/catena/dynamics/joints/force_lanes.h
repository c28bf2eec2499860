// Forces along joint coordinates, in lanes. A law gives the force F that drives a coordinate q; on the bodies
// it acts as F dq/dv, derived by expr.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "catena/dynamics/joints/joint_lanes.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"
#include "catena/expr/taylor.h"
#include "catena/expr/values_digits.h"

namespace catena {

// The angle of another joint that a law names. It counts turns, too.
struct NamedAngle {
  int joint;         // index in the mechanism
  std::size_t pair;  // whose frames they are: 1 is the first after the driven joint's own
  expr::Expression angle;
};

// Where a law bends, as at a limit: how far the coordinate is beyond it, and how much more force that makes,
// each m or rad.
struct JointBend {
  expr::Expression beyond;
  expr::Expression steepness;
};

struct JointLaw {
  expr::Expression coordinate;  // q
  expr::Expression force;       // in the direction of growing q
  expr::Expression energy;      // stored, J
  expr::Expression loss;        // power that is dissipated, W
  expr::Expression work;        // power that a drive puts in, W
  bool given = false;           // by a user's formula
  std::vector<NamedAngle> others{};
  std::vector<JointBend> bends{};
};

// Whole turns, in radians, of the pairs of frames behind the first: the last of a lane's numbers.
expr::Expression turns_of_pair(const JointSymbols& symbols, std::size_t pair);

// Makes a law; `rate` gives the rate of change of an expression of the frames and t.
using LawMaker = std::function<JointLaw(
    const JointSymbols& symbols, const std::function<expr::Expression(const expr::Expression&)>& rate)>;

// What runs of a law: its loss and its work, and then what it does to the motions of the bodies.
struct ForceNodes {
  struct Push {
    std::size_t motion;  // rank of the side times six, plus component
    int output;
  };
  static constexpr int kLoss = 0, kWork = 1;
  std::vector<expr::NodeId> outputs;
  std::vector<Push> pushes;
};
ForceNodes force_nodes(const JointVariables& variables, const JointLaw& law, expr::Graph& graph);
// Makes the law in a graph of these variables.
JointLaw made_law(const JointVariables& variables, const LawMaker& law, expr::Graph& graph);
// The same lanes and one that differs from them in the turns of pairs behind the first: no program may take
// these for constants.
std::vector<JointLane> with_growing_turns(std::vector<JointLane> lanes);

class ForceLanes {
 public:
  ForceLanes(const std::vector<bool>& moves, bool turns, const LawMaker& law, std::vector<JointLane> lanes);

  std::size_t count() const { return lanes_.size(); }
  const std::vector<JointLane>& lanes() const { return lanes_; }
  const LawMaker& law() const { return law_; }
  void reserve(int order);
  // Whether the coordinate, or another that the law names, is an angle, which counts turns.
  bool turns() const { return !counted_.empty(); }
  void set_turns(const std::vector<double>& of_joints);
  // Keeps the angles continuous: follows them from the instant noted last by the rates at both.
  // `note`: this instant is the next one to follow from.
  void follow_turns(double t, std::size_t bodies, const double* hi, const double* lo, bool note);

  // Order k of all; then add them.
  void advance(int k, double t, const BodyRows& places, const BodyRows& velocities);
  void add_forces(int k, double* forces, std::size_t stride) const;
  double loss(int k) const { return sum_of(k, ForceNodes::kLoss); }
  double work(int k) const { return sum_of(k, ForceNodes::kWork); }

  // Up to where the series of this order hold, at most `length`.
  double smooth_until(int order, double length) const;
  // From now on series end where a drive's formula could do, unseen, what changes an output by more than this
  // in all.
  void look_inside(double allowed) { allowed_ = allowed; }
  bool looks_inside() const { return allowed_ > 0.0 && !sampled_.empty(); }
  // Whether it could have done so between samples of the motion over a step of that length.
  void sample(int which, double t, const BodyRows& places, const BodyRows& velocities);
  bool reads_time() const { return series_[0].reads(static_cast<int>(variables_.time())); }
  void set_low_time(double low) { series_[0].set_low(low); }
  bool misses(double length) { return looks_inside() && sampled_[0].unseen() * length > allowed_; }
  // The same for where laws bend, which no estimate of an error of high order can judge: a limit may be met
  // and left between both ends of a step. `allowed` N s or N m s.
  void look_at_bends(double allowed) { allowed_bend_ = allowed; }
  bool looks_at_bends() const { return allowed_bend_ > 0.0 && !bends_.empty(); }
  bool bends(double t, double length) const;
  bool has_kinks() const { return !series_[0].switches().empty(); }
  // The largest rate of change of a coordinate in a state.
  double largest_rate(double t, std::size_t bodies, const double* hi, const double* lo);

  DoubleDouble energy(double t, std::size_t bodies, const double* hi, const double* lo);

 private:
  double sum_of(int k, int output) const;
  void sample_bends(int which);
  int moving_body(std::size_t lane, std::size_t rank) const {
    return lanes_[lane].body[variables_.sides()[rank]];
  }
  void refresh_steady();

  LawMaker law_;
  std::vector<JointLane> lanes_;
  JointVariables variables_;
  std::vector<ForceNodes::Push> pushes_;
  double allowed_ = 0.0;
  // An angle that counts turns, and where the exact program has it; its rate follows.
  struct Counted {
    int joint;  // kOwn: the lane's
    std::size_t pair;
    std::size_t output;
  };
  static constexpr int kOwn = -1;
  double& turns_of(JointLane& lane, const Counted& of) const;
  std::vector<Counted> counted_;
  struct Instant {
    double t, angle, rate;
  };
  std::vector<Instant> noted_;  // [lane][counted]; empty: none yet
  std::vector<expr::SeriesProgram> series_;
  std::vector<expr::SampledFormulas> sampled_;  // of a drive that can surprise
  std::vector<double> rows_;                    // its inputs, [input][lane]
  double allowed_bend_ = 0.0;
  std::vector<expr::Program> bends_;  // how far beyond, and how steep, of each bend in turn
  std::vector<double> bend_rows_;     // what it gives, [output][lane]
  struct Reach {
    double low, high, last, steepest;
  };
  std::vector<Reach> reaches_;  // over the samples, [bend][lane]
  std::vector<expr::DigitsProgram> exact_;
  std::vector<DoubleDouble> inputs_, outputs_;  // of the exact program
};

}  // namespace catena
