// One chain of a scene, whatever its links are and however they are formulated, and its place in the world.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catena/dynamics/chain/body_chain.h"
#include "catena/dynamics/chain/chain_concept.h"
#include "catena/dynamics/chain/coordinate_chain.h"
#include "catena/dynamics/chain/elastic_chain.h"
#include "catena/dynamics/chain/lie_chain.h"
#include "catena/dynamics/chain/pivot.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/dynamics/state/plane.h"
#include "catena/model/scene.h"

namespace catena {

// Any of these formulations, each of them checked.
template <class... Chains>
requires(CheckedChain<Chains>::kPassed&&...) using OneOfChains = std::variant<Chains...>;

using AnyChain =
    OneOfChains<RigidChain<2>, RigidChain<3>, ElasticChain<2>, ElasticChain<3>, CoordinateChain<2>,
                CoordinateChain<3>, LieChain<2>, LieChain<3>, BodyChain<2>, BodyChain<3>>;

// Where links point, straight from a state: cheaper than directions, since lengths are left as they are.
struct LinkVectors {
  std::size_t links = 0;
  const int* parent = nullptr;        // null where the state itself consists of directions
  bool turning = false;               // planar: instead of the rates there is the rate of the angle
  const BodyLinks* bodies = nullptr;  // given: the state is of bodies
  Plane plane = {};                   // of those, where they keep to one

  // Component i of a positive multiple of link k's direction; behind them, of its rate.
  double operator()(const double* lanes, std::size_t i, std::size_t k) const {
    if (bodies != nullptr) return of_bodies(lanes, i, k);
    if (turning && i == 2) return -lanes[2 * links + k] * lanes[links + k];
    if (turning && i == 3) return lanes[2 * links + k] * lanes[k];
    const double* component = lanes + i * links;
    return parent == nullptr || parent[k] < 0 ? component[k] : component[k] - component[parent[k]];
  }
  double of_bodies(const double* lanes, std::size_t i, std::size_t k) const;
};

// Links that go slack or taut, as states along a step show them.
struct SlackWatch {
  double allowed = 0.0;  // m/s over a step, of the lighter mass at a link
  std::vector<double> stretch = {}, shortest = {}, longest = {};
};

struct ChainUnit {
  std::string name;  // empty for the one and only chain
  Vec3 pivot{};      // at the start
  Vec3 gravity{};
  Plane plane;  // planar chains only
  AnyChain chain;
  std::optional<PivotMotion> pivot_motion;
  std::size_t offset = 0;     // of its lanes in the state, or of the bodies' that its links are
  std::vector<double> theta;  // at the start, as the scene gives them (planar: signed, in the plane)
  std::vector<double> phi;
  // Momentum relative to the pivot: sum over links of this times the rate lanes of the state.
  std::vector<double> momentum_weights;
  double mass = 0.0;                              // of all links
  bool simple = false;                            // point masses, each below the one before
  std::vector<double> scratch = {};               // for directions and rates
  std::vector<DoubleDouble> digits_scratch = {};  // for energies
  std::vector<DoubleDouble> digits_vectors = {};
  SlackWatch slack = {};

  bool planar() const;
  bool elastic() const;
  // Given: its links are bodies of the mechanism.
  const BodyLinks* bodies() const;
  std::size_t links() const;
  std::size_t dimension() const;
  std::size_t components() const { return planar() ? 2 : 3; }
  const ChainLinks& parameters() const;

  // Lanes of vectors [component][link] in the chain's own space -> world components.
  void to_world(const double* lanes, double* x, double* y, double* z) const;
  Vec3 to_world(const Vec3& own) const;
  Vec3 to_own(const Vec3& world) const;  // planar: across, up, 0

  // Unit vectors along the links and their rates, [u, w][component][link] in the chain's own space: the state
  // itself where it consists of them, else computed into `room`.
  const double* directions(const double* lanes, double* room);
  // The same for rigid chains; ends and their velocities for elastic ones.
  const double* vectors(const double* lanes, double* room);
  // The same with all digits of a state in two parts, into scratch memory.
  const std::vector<DoubleDouble>& vectors_digits(const double* hi, const double* lo);
  // The state that has them.
  LanePair state_of(const LanePair& vectors) const;
  // Rates of change of the second half of these, [component][link], from that of the state.
  const double* accelerations(const double* lanes, const double* rates, double* room);

  // Sum of rate lanes, `stride` apart, with the momentum's weights, times a factor.
  Vec3 weighed(const double* rates, std::size_t stride, double factor) const;

  LinkVectors link_vectors() const;

  // Whether the state has angles of its own; then they go to `out` (planar: all but phi), and nobody needs to
  // count turns.
  bool has_angles() const;
  void angles(const double* lanes, const AngleLanes& out) const;

  // `lanes`: of the chain.
  PivotMotion::Instant pivot_at(double t, const double* lanes);

  // What its motion under laws needs (world/world_motion.h), as ChainOver has it of other numbers.
  const std::vector<int>& parents() const { return parameters().parent; }
  const std::vector<double>& lengths() const { return parameters().length; }
  const std::vector<double>& centers() const { return parameters().center_of_mass; }
  Vec3 own_gravity() const { return to_own(gravity); }
  PivotSeries<double>* pivot_series() { return pivot_motion ? &pivot_motion->series() : nullptr; }
  PivotRates<double> pivot_rates(double t, const double* lanes);
  const double* vectors(const double* lanes);
  const double* accelerations(const double* lanes, const double* rates);

  // As part of a world (world/part.h). Lanes are those of the chain. Laws, that look inside its steps by
  // themselves, are not among what is asked here; the motion of the pivot and slack links are.
  double series_overhead() const;
  double step_overhead() const { return 0.0; }
  double weight_scale() const;  // sum of m g L
  bool moves_energy() const { return pivot_motion.has_value(); }
  void reserve(int order);
  bool has_kinks() const { return parameters().slack; }
  double smooth_until(int order, double length) const;
  void look_inside(double allowed);
  bool looks_inside() const { return pivot_motion || !slack.stretch.empty(); }
  bool reads_time() const { return pivot_motion.has_value(); }
  void set_low_time(double low);
  void sample(int which, double t, const double* x);
  bool misses(double t, double length);
  bool has_constraints() const { return !elastic() && !has_angles(); }
  bool may_be_singular() const { return false; }
  double margin(double, const double*) const { return 1.0; }
  void project(double t, const double* hi, double* lo);
  double constraint_error(double t, const double* hi, const double* lo);
  bool settle(double* hi, double* lo);
  // The potential energy is zero for a pivot at z = 0 that rests there.
  Energies energy(double t, const double* hi, const double* lo);
};

// `plane`: the one it stays in; none: it moves in space. `bodies`: given where its links are bodies.
// `decimals`: the run has more digits than a double, and numbers stand for their decimals.
ChainUnit chain_unit(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                     const std::optional<BodyLinks>& bodies, bool decimals);

// Its state at the start; empty where its links are bodies.
LanePair start_of(const Chain& chain, const ChainUnit& unit);

}  // namespace catena
