// A scene in motion: the one facade that every program uses. Physics and time stepping meet behind it; it
// answers questions, and hands out neither.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/facts/angles.h"
#include "catena/facts/columns.h"
#include "catena/facts/methods.h"
#include "catena/facts/step.h"
#include "catena/facts/world_facts.h"
#include "catena/lab/progress.h"
#include "catena/math/double_double.h"
#include "catena/math/gauss_rule.h"
#include "catena/model/scene.h"

namespace catena {

// Extremes of the run so far, at step ends and at sampled rows.
struct EnergyRecord {
  DoubleDouble start_energy;
  DoubleDouble start_potential;
  double largest_kinetic = 0.0;
  double largest_potential_change = 0.0;
  double largest_error = 0.0;  // of the balance
  double last_energy = 0.0;
  double constraint_error = 0.0;

  // What errors are measured against: the largest kinetic energy plus the largest change of potential energy.
  double scale(double weight_scale) const;
};

// What the scene's method cannot do with its settings, in words for a user; "" if all is well.
std::string settings_refusal(const Simulation& simulation);

// What there is in a scene that nobody sets in motion. Throws InputError, as Lab does.
WorldFacts facts_of(const Scene& scene);

// A change of settings when a run was taken up again.
struct MethodChange {
  double time;
  std::string from;  // "taylor, tolerance 1e-15, order 26"
  std::string to;
};

// Of a state, J.
struct StateEnergies {
  double kinetic = 0.0;
  double potential = 0.0;  // in gravity
  double elastic = 0.0;
};

// R(q) omega' = r(q, omega) of a spatial chain with formulation = "lie": R as columns of [component][link].
struct LieEquations {
  std::vector<double> matrix, right;
};

// What derivatives are taken with respect to: a number of a scene, or a change of the state itself.
struct Direction {
  std::string path = {};                          // "chain.links.1.length"; of a state: any name
  double value = 0.0;                             // what it is, in SI units
  std::function<Scene(double value)> scene = {};  // the scene with another number in its place; none: a state
  std::vector<double> start = {};                 // of a state: how its lanes change, where following begins
};

class Variation;

class Lab {
 public:
  // Throws InputError when the method cannot do the scene justice.
  explicit Lab(Scene scene);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const Scene& scene() const { return scene_; }
  // What the scene's world consists of. Made anew by each call.
  WorldFacts facts() const;
  std::size_t degrees_of_freedom() const;
  double weight_scale() const;
  // How many numbers a state has.
  std::size_t dimension() const;
  bool is_planar(std::size_t chain) const;

  const Method& method() const;
  bool adaptive() const;
  // 0: the step is chosen by velocities or momenta alone.
  double tolerance() const;
  int order() const;
  const StepCounts& counts() const;
  double last_step() const;
  const EnergyRecord& energies() const { return energies_; }
  // Method and what drives it, in words: "taylor, tolerance 1e-15, order 26", "rk4, step 0.001".
  std::string settings() const;
  const std::vector<MethodChange>& changes() const { return changes_; }
  // Of the scene, of what was built from it, and of the motion so far; each is there once.
  const std::vector<Warning>& warnings() const { return warnings_; }
  void warn(Warning warning);

  // What would serve better, in words for a user; "" when there is nothing to say.
  std::string advice() const;

  // Columns by words, as Columns says.
  Columns columns(const std::vector<std::string>& asked) const;

  // One accepted step. On failure the state stays as it was.
  StepStatus advance();
  // Why a prescribed motion could not be followed any further, or which formula left the range of numbers,
  // after a failure; "" where neither is known.
  const std::string& obstacle() const { return obstacle_; }

  // The time reached, and where the last step began: rows can be sampled in between.
  double time() const { return state_.t; }
  double step_start() const { return start_.t; }
  const State& state() const { return state_; }

  // The row of `columns` at time t in [step_start(), time()].
  void sample(double t, const Columns& columns, double* row);
  // The state of the row sampled last.
  const std::vector<double>& sampled_state() const { return sample_.hi; }
  // The same for looking on: extremes and angles remember nothing of it.
  void observe(double t, const Columns& columns, double* row);
  // How fast the columns change along the motion at time t, for looking on as well: of velocities, the
  // accelerations. By central differences along x' = f(t, x), to about ten digits.
  void rates(double t, const Columns& columns, double* row);
  // What the angles of the row sampled last remember.
  const std::vector<AngleMemory>& row_angles() const;

  // The state at time t in [step_start(), time()].
  State state_at(double t);
  // Its numbers alone, until somebody looks elsewhere.
  const std::vector<double>& numbers_at(double t);
  // Where a chain hangs at time t.
  Vec3 pivot_at(std::size_t chain, double t);
  // The motion goes on from another state, at its time; energies are counted from there.
  void place(State state, std::vector<AngleMemory> angles);
  // The same where nobody knows how often its angles have turned: within half a turn of the scene's start.
  void place(State state);

  // The equations at any state, whatever the motion: dx/dt, coefficients [order][lane] of the series, the
  // nearest allowed state, energies.
  std::vector<double> rhs(double t, const std::vector<double>& x);
  void taylor(double t, const std::vector<double>& x, int order, double* c);
  std::vector<double> projected(double t, const std::vector<double>& x);
  StateEnergies energies_of(double t, const std::vector<double>& x);
  // Links of the one chain of the scene if it is spatial and has formulation = "lie"; else 0.
  std::size_t lie_links() const;
  // Of such a chain, from its q and omega: its matrices, and the field in the algebra of the group that acts,
  // [xi, eta][component][link].
  LieEquations lie_equations(const std::vector<double>& x) const;
  std::vector<double> lie_field(double t, std::vector<double> x);

  // From here on derivatives with respect to these numbers, and to changes of the state as it is here, are
  // followed along with the motion. The start of a scene depends on its numbers; a state in which the lab was
  // placed, or that it has moved to, does not. Throws InputError where they cannot be had.
  void follow(std::vector<Direction> directions);
  // What is followed; null: nothing.
  const Variation* variation() const { return variation_.get(); }
  // Of the row sampled last, [direction][column], and of its state, [direction][lane].
  void derivatives(const Columns& columns, double* rows);
  const std::vector<double>& state_derivatives();
  // |derivatives|^2 of the state in one direction, over its lanes that are the motion, at the places of
  // Gauss's rule (catena/math/gauss_rule.h) between step_start() and `end`, no later than time(). Where steps
  // are in lanes they are not brought back to the constraints.
  GaussValues squares_along_step(std::size_t direction, double end);
  // Of the state at time(), [direction][lane]; and others in their place, from which they are followed on.
  // Those are brought to what the constraints allow.
  const std::vector<double>& end_derivatives() const;
  void set_state_derivatives(const std::vector<double>& rates);
  // The changes of the state at time() that the constraints allow: an orthonormal basis, [direction][lane].
  // Integrals along the motion, behind its lanes, are none of it.
  std::vector<std::vector<double>> allowed_directions();
  // How many leading lanes of the state are the motion.
  std::size_t motion_lanes() const;
  // At a root of a formula of columns, at the time observed last: as Variation::root.
  void derivatives_at_root(const Columns& read,
                           const std::function<double(const std::vector<double>&)>& formula,
                           const Columns& recorded, double* out);

  // Why steps cannot be computed in lanes of vector registers, in words for a user; "" if they can.
  std::string lanes_refusal() const;
  // Likewise of derivatives that go along with them.
  std::string following_in_lanes_refusal() const;
  // From now on they are, with bits that are the same on every machine, alone and beside other labs
  // (Ensemble); of a lab that has not begun to move. Throws InputError where they cannot.
  void use_lanes();

  // Bytes of whoever runs the lab that travel with its checkpoints.
  const std::string& notes() const { return notes_; }
  void set_notes(std::string notes) { notes_ = std::move(notes); }

  // The motion of a scene that differs from this one in its start alone (angles and rates of links, states of
  // equations), from t = 0, with the same bits as a new lab of that scene has, and without building one.
  // False where that cannot be had: make a new lab.
  bool restart(const Scene& scene);

  // All that is needed to go on from the start of the last step with the same bits.
  std::string checkpoint() const;
  // Takes up a checkpoint of the same scene. With another method, tolerance or order the step size is chosen
  // anew. Throws InputError when it does not fit.
  void restore(std::string_view checkpoint);

  // The world, the method at work and what rows are made from (catena/lab/inside.h): for the rooms of lab
  // and for tests.
  struct Inside;
  Inside& inside() { return *inside_; }
  const Inside& inside() const { return *inside_; }

 private:
  friend class Variation;
  void make_stepper();
  // The rates' series from here, before a step.
  void expand_rates();
  StepStatus step_and_look();
  // Whether a formula could have acted unseen in the step just taken.
  bool step_misses();
  void begin_energies();
  // At the world's start.
  void begin();
  // After a step that failed: finds out what hindered it.
  StepStatus stuck(StepStatus status);
  bool is_creeping();
  // Over the kink of a prescribed motion that the last step ended at; false: there is an obstacle.
  bool pass_kink();
  // Where the step went beyond such a kink, it ends there.
  void cut_at_kink();
  // The state at time t in the last step, into sample_.
  void evaluate(double t);
  // The row at time t; what it says of the run as a whole is left to the caller.
  struct Looked;
  Looked look(double t, const Columns& columns, double* row);
  // The same of the state in sample_.
  Looked show(const Columns& columns, double* row);
  void show_row(const Columns& columns, double* row);
  void record_energy(const Looked& looked);

  Scene scene_;
  std::unique_ptr<Inside> inside_;
  State state_;   // where the motion is
  State start_;   // where the last step began
  State sample_;  // of the row looked at last
  StepCounts start_counts_;
  std::vector<AngleMemory> angles_, start_angles_;  // at state_, at start_
  std::vector<std::vector<double>> samples_;        // states inside a step that is looked at
  std::int64_t blind_steps_ = 0;                    // steps of fixed size that may have missed something
  EnergyRecord energies_;
  std::vector<MethodChange> changes_;
  std::vector<Warning> warnings_;
  std::string notes_;
  std::string obstacle_;
  bool at_kink_ = false;       // the piece that holds ends at the state
  double start_moment_ = 0.0;  // of the piece that held where the last step began
  double last_kink_ = -1.0;    // s
  int close_kinks_ = 0;        // so many in a row followed one another at once
  Progress progress_;
  bool in_lanes_ = false;
  bool stepped_ = false;       // there is a last step, so there is dense output
  bool at_start_ = true;       // where the scene starts
  bool sample_at_end_ = true;  // the row looked at last is that of state_
  std::unique_ptr<Variation> variation_;
};

}  // namespace catena
