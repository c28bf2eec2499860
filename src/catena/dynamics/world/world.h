// Everything a scene sets in motion, as one system with one flat state: its chains, one behind the other,
// then the bodies of its mechanism (or a system given by its Lagrangian or its equations), and behind them,
// where forces move energy, what they have dissipated and the work they have done.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/base/owned.h"
#include "catena/dynamics/bodies/assembly.h"
#include "catena/dynamics/world/implicit_springs.h"
#include "catena/dynamics/world/world_motion.h"
#include "catena/model/scene.h"

namespace catena {

// The planes that chains are computed in: where start, gravity, pivot and forces keep to one.
std::vector<std::optional<Plane>> planes_of(const Scene& scene);

// Pulls and forces of what holds things together, at one state.
struct WorldReactions {
  struct OfChain {
    std::vector<double> tension;  // along each link
    Vec3 pivot{};                 // force of the pivot on the chain, in its own space
    Vec3 end{};                   // of what holds the other end, in the world
  };
  std::vector<OfChain> chains;
  std::vector<Multibody::Reaction> joints;
};

// What is constant can be asked of a const World, by any number of threads at once. What moves needs scratch
// memory and is not const: each thread moves a copy of its own, for which no formula is read and nothing
// assembled again.
class World : public WorldMotion<double> {
 public:
  explicit World(const Scene& scene);
  ~World();
  World(const World& other);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // The scene asks for more digits than a double has.
  bool has_more_digits() const { return has_more_digits_; }
  const Forces& forces() const { return forces_; }
  const std::vector<ChainUnit>& chains() const { return chains_; }
  std::vector<ChainUnit>& chains() { return chains_; }
  // Bodies and joints; none: the scene has no bodies.
  Multibody* mechanism() { return mechanism_ ? &*mechanism_ : nullptr; }
  const Multibody* mechanism() const { return mechanism_ ? &*mechanism_ : nullptr; }
  std::size_t mechanism_offset() const { return mechanism_offset_; }
  // A system given by its Lagrangian; then there is nothing else.
  LagrangianSystem* lagrangian() { return lagrangian_ ? &*lagrangian_ : nullptr; }
  const LagrangianSystem* lagrangian() const { return lagrangian_ ? &*lagrangian_ : nullptr; }
  // A system given by equations; likewise.
  EquationsSystem* equations() { return equations_ ? &*equations_ : nullptr; }
  const EquationsSystem* equations() const { return equations_ ? &*equations_ : nullptr; }
  // Whether there are energies: systems of equations need not be of mechanics.
  bool has_energy() const { return !equations_; }
  const Mobility& mobility() const { return mobility_; }
  // How much assembly changed: m, rad, m/s.
  const Assembly& assembly() const { return assembly_; }
  // What building it found that should not pass in silence.
  const std::vector<Warning>& warnings() const { return warnings_; }
  std::size_t degrees_of_freedom() const;
  double series_overhead() const;
  double step_overhead() const;
  // Whether accelerations depend on positions and time alone.
  bool depends_on_velocity() const;

  void start(std::vector<double>& hi, std::vector<double>& lo);
  bool has_kinks() const;
  // Whether there are kinks other than those of a length, which are where it vanishes.
  bool has_switches() const;
  // From now on series end where formulas could do, unseen, what changes the state by more than `tolerance`.
  void look_inside(double tolerance);
  bool looks_inside() const;
  // The same question for methods without series: whether, over a step from t on, formulas could have done so
  // between these states, equally apart along it.
  bool misses(double t, double length, std::span<const double* const> states);
  // Before that question, cheaply, by both ends of a step and the rates there: whether the answer can be yes.
  // Only where laws with poles are all that is asked about, between things in one space (`bounds_steps`).
  bool bounds_steps() const;
  bool may_miss(double length, const double* from, const double* leaving, const double* to,
                const double* arriving);
  // Whether that question has an answer: there are such formulas, or laws with poles.
  bool watches_steps() const;
  // The size of energies, J, where a potential that changes with time does work that the motion need not
  // feel; 0: there is none.
  double account_scale();
  // Whether a formula that acts depends on time.
  bool reads_time() const;
  // The rates of change at t + t_lo: formulas with t - c see the whole sum.
  using WorldMotion<double>::rhs;
  void rhs(double t, double t_lo, const double* x, double* dx);
  // Whether there is anything to project: joints, or unit vectors.
  bool has_constraints() const;
  void project(double t, const double* hi, double* lo);
  // The same, with bodies by another way.
  using BodiesReturn = std::function<void(const double* hi, double* lo)>;
  void project(double t, const double* hi, double* lo, const BodiesReturn& bodies);
  double constraint_error(double t, const double* hi, const double* lo);
  // Whether motors, or constraints of a Lagrangian, prescribe what others prescribe, too: then gaps may open
  // that nothing closes.
  bool may_come_apart() const {
    if (lagrangian_) return !lagrangian_->redundant().empty();
    return mechanism_ && !mechanism_->mechanism().motors.empty() && mobility_.equations > mobility_.rank;
  }
  // How far the nearest part is from a singular position of its constraints; 1: it has none.
  bool may_be_singular() const;
  double margin(double t, const double* x);

  // Pivots, motors and constraints that move by formulas of time with kinks: at any time one piece of them
  // holds, which is smooth and goes on beyond its kink. Steps are cut there, and velocities jump.
  bool has_pieces() const { return static_cast<bool>(pieces_); }
  // The first kink in (after, until]; infinity: none.
  double next_kink(double after, double until);
  // That kink with all the digits that the numbers in its formula have.
  DoubleDouble kink_in_full(double kink) const;
  bool is_piece_over(double t);
  // The piece that holds from t on, when a motion is taken up there; where it is taken up again (`arriving`)
  // and a kink is just there, the piece before: the motion has not passed it.
  void take_piece(double t, bool arriving = false);
  // A moment at which the piece holds that was taken last: take_piece goes back to it there.
  double piece_moment() const;
  // Where a step failed: whether a kink right ahead is what no step can reach, in words, or "".
  std::string kink_ahead(double t, const double* hi, const double* lo);
  // That kinks follow one another without end here, in words.
  std::string crowded_kinks(double t) const;
  // The next piece, and the impulse that leads to it; what cannot be passed, in words, or "".
  std::string pass_kink(double t, double* hi, double* lo);

  // What a state needs between two steps to go on well: links near the pole of their chart go over to the
  // other one. The motion is the same, its coordinates are not; true if something changed.
  bool settle(double* hi, double* lo);

  // The potential energy of gravity is zero at z = 0.
  Energies energy(double t, const double* hi, const double* lo);
  // Of the state's own accounts, in hi + lo: what was dissipated, and the work done.
  DoubleDouble dissipated(const double* hi, const double* lo) const;
  DoubleDouble work(const double* hi, const double* lo) const;

  // Of all chains and joints at this time and state. Valid until the next call.
  const WorldReactions& reactions(double t, const double* x);

  // Linear equations of implicit methods, (shift I - J) y = b with the Jacobian J at x: for worlds of elastic
  // chains alone, whose J has a structure that makes them cheap.
  bool has_linear_solver() const;
  void linearise(double t, const double* x);
  ImplicitSprings& linear_solver() { return implicit_; }

  // Sum of m g L: the scale of energies when nothing moves.
  double weight_scale() const;

 private:
  struct Pieces;
  // Of motions with kinks; none: there are none.
  static Owned<Pieces> pieces_of(const Scene& scene);
  World(const Scene& scene, Owned<Pieces> pieces);
  World(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies);
  // What prescribed motions ask for.
  struct Prescribed {
    std::vector<PivotMotion::Instant> pivots;
    std::vector<double> rates;
  };
  Prescribed prescribed(double t, const double* hi, const double* lo);
  std::string unpassable(double t, const double* hi, const double* lo, const Prescribed& before,
                         const Prescribed& now);
  void hold_piece(double moment);
  void add_chain(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                 const Union& bodies);
  void add_mechanism(const Scene& scene, const Union& bodies);
  void flatten_chains(const Scene& scene, const Union& bodies);
  // A part that is all there is.
  template <class Part>
  void add_alone(const Part& part);
  void refuse_laws(const Scene& scene);
  // Pulls along a chain's links into `tension`, under the forces last refreshed; gives the pivot's force.
  Vec3 chain_reactions(std::size_t chain, const double* x, double* tension);
  Vec3 body_chain_reactions(std::size_t chain, const double* x, double* tension) const;

  Mobility mobility_;
  Assembly assembly_;
  std::vector<Warning> warnings_;
  bool has_more_digits_ = false;
  DoubleDouble pivot_potential_;  // of all mass, were it at the pivots' starts
  LanePair start_;
  WorldReactions reactions_;
  Owned<Pieces> pieces_;
  double looked_ = 0.0;  // the tolerance given to look_inside
  ImplicitSprings implicit_;
  std::vector<ImplicitSprings::Part> elastic_parts_;
  std::vector<LawSlope> slopes_;
};

}  // namespace catena
