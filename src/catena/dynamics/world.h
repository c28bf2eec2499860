// Everything a scene sets in motion, as one system with one flat state: its chains, one behind the other.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "catena/dynamics/coordinate_chain.h"
#include "catena/dynamics/elastic_chain.h"
#include "catena/dynamics/lie_chain.h"
#include "catena/dynamics/rigid_chain.h"
#include "catena/model/scene.h"

namespace catena {

// The vertical plane a planar chain moves in: world = pivot + h (cosine, sine, 0) + z (0, 0, 1).
struct Plane {
  double azimuth = 0.0;  // in [0, 2 pi)
  double cosine = 1.0;
  double sine = 0.0;
};

using AnyChain = std::variant<RigidChain<2>, RigidChain<3>, ElasticChain<2>, ElasticChain<3>,
                              CoordinateChain<2>, CoordinateChain<3>, LieChain<2>, LieChain<3>>;

// Where links point, straight from a state: cheaper than directions, since lengths are left as they are.
struct LinkVectors {
  std::size_t links = 0;
  const int* parent = nullptr;  // null where the state itself consists of directions
  bool turning = false;         // planar: instead of the rates there is the rate of the angle

  // Component i of a positive multiple of link k's direction; behind them, of its rate.
  double operator()(const double* lanes, std::size_t i, std::size_t k) const {
    if (turning && i >= 2)
      return i == 2 ? -lanes[2 * links + k] * lanes[links + k] : lanes[2 * links + k] * lanes[k];
    const double* component = lanes + i * links;
    return parent == nullptr || parent[k] < 0 ? component[k] : component[k] - component[parent[k]];
  }
};

struct ChainUnit {
  std::string name;  // empty for the one and only chain
  Vec3 pivot{};
  Vec3 gravity{};
  Plane plane;  // planar chains only
  AnyChain chain;
  std::size_t offset = 0;     // of its lanes in the state
  std::vector<double> theta;  // at the start, as the scene gives them (planar: signed, in the plane)
  std::vector<double> phi;

  bool planar() const;
  bool elastic() const;
  std::size_t links() const;
  std::size_t dimension() const;
  const ChainLinks& parameters() const;

  // Lanes of vectors [component][link] in the chain's own space -> world components.
  void to_world(const double* lanes, double* x, double* y, double* z) const;

  // Unit vectors along the links and their rates, [u, w][component][link] in the chain's own space: the state
  // itself where it consists of them, else computed into `room`.
  const double* directions(const double* lanes, double* room) const;

  LinkVectors link_vectors() const;

  // Whether the state has angles of its own; then they go to `out` (planar: all but phi), and nobody needs to
  // count turns.
  bool has_angles() const;
  void angles(const double* lanes, const AngleLanes& out) const;
};

class World {
 public:
  explicit World(const Scene& scene);

  std::size_t dimension() const { return dimension_; }
  const std::vector<ChainUnit>& chains() const { return chains_; }
  std::vector<ChainUnit>& chains() { return chains_; }
  std::size_t degrees_of_freedom() const;
  double series_overhead() const;

  void start(std::vector<double>& hi, std::vector<double>& lo) const;
  void rhs(const double* x, double* dx);
  void taylor(const double* x, int order, double* c);
  void reserve(int order);
  void project(const double* hi, double* lo) const;
  double constraint_error(const double* hi, const double* lo) const;

  // What a state needs between two steps to go on well: links near the pole of their chart go over to the
  // other one. The motion is the same, its coordinates are not; true if something changed.
  bool settle(double* hi, double* lo) const;

  // The potential energy is zero at z = 0.
  Energies energy(const double* hi, const double* lo) const;
  // Sum of m g L: the scale of energies when nothing moves.
  double weight_scale() const;

 private:
  std::vector<ChainUnit> chains_;
  std::size_t dimension_ = 0;
  DoubleDouble pivot_potential_;  // of all mass, were it at the pivots
  LanePair start_;
  std::vector<double> series_;  // of one chain, when there are several
};

}  // namespace catena
