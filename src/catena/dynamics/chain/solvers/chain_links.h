// What the chains of all kinds share: their links, the gravity they hang in and the parts of their energy.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/dynamics/state/energies.h"
#include "catena/math/number_tape.h"

namespace catena {

// Constant description of a chain's links. parent[k] < k, or -1 for the pivot.
struct ChainLinks {
  std::vector<double> length;  // elastic: at rest
  std::vector<double> mass;
  std::vector<double> center_of_mass;  // fraction of the length, from the upper joint
  std::vector<double> inertia;         // transverse, about the centre of mass
  std::vector<int> parent;
  std::vector<double> stiffness = {};             // N/m; elastic only
  std::vector<double> axial_damping = {};         // N s/m; elastic only; empty: none
  std::vector<std::array<double, 3>> hinge = {};  // rigid, in space: unit axes; empty, or zero: turns freely
  std::vector<std::array<double, 3>> hinge_rest = {};  // what doubles cannot hold of them; empty: nothing
  bool slack = false;                                  // elastic only: links do not push
  std::vector<char> rod = {};                          // 1: the inertia is that of a rod; empty: none is
  bool decimals = false;       // runs with more digits: the numbers stand for their decimals (math/decimal.h)
  NumberTape* tape = nullptr;  // runs with derivatives: where its numbers come from

  std::size_t count() const { return length.size(); }
  bool hinged(std::size_t k) const { return !hinge.empty() && hinge[k] != std::array<double, 3>{}; }
  // One of the numbers above, or of the chain's start, as a number of kind S.
  template <class S>
  S number(double value) const {
    if constexpr (takes_tape<S>) {
      return number_as<S>(value, tape);
    } else if constexpr (!std::is_same_v<S, double>) {
      if (decimals) return decimal_as<S>(value);
    }
    return S(value);
  }
  template <class S>
  S axis_as(std::size_t k, std::size_t i) const {
    if constexpr (takes_tape<S>) return number<S>(hinge[k][i]);
    const S axis(hinge[k][i]);
    return hinge_rest.empty() ? axis : axis + S(hinge_rest[k][i]);
  }
  template <class S>
  S inertia_as(std::size_t k) const {
    if constexpr (!std::is_same_v<S, double> && !takes_tape<S>) {
      const S own = number<S>(length[k]);
      if (decimals && !rod.empty() && rod[k]) return number<S>(mass[k]) * own * own / S(12.0);
    }
    return number<S>(inertia[k]);
  }
  bool serial() const;        // every link hangs from the one before
  bool point_masses() const;  // all mass at the links' ends
  // Elastic links pull with T = c e + b e', e the stretch. Those that go slack pull only while e > 0 and T >
  // 0: their damping acts while they are taut, and never makes them push.
  double pull(std::size_t k, double stretch, double rate) const;
};

// What acts on a chain from outside, at one order of its series (order 0: now).
template <int D, class S = double>
struct ChainLoads {
  const S* force = nullptr;    // [component][link] on the links' ends
  std::array<S, D> gravity{};  // uniform acceleration, seen from the pivot: where it moves, less its own
};

// Where the angles of a chain go, one lane per link.
struct AngleLanes {
  double* theta;
  double* phi;
  double* theta_dot;
  double* phi_dot;
  double* pole;
};

class BodyLinks;

// Order n of what laws see of a chain: vectors in lanes [component][link], `stride` between components, and
// `factor` times rows of their rates. No rows: laws see its bodies.
template <class S>
struct ShownRowsOver {
  const S* vectors = nullptr;
  const S* rates = nullptr;
  std::size_t stride = 0;
  double factor = 1.0;
};
using ShownRows = ShownRowsOver<double>;

// Order n of how fast the rates change, likewise.
template <class S>
struct RateRowsOver {
  const S* rates = nullptr;
  std::size_t stride = 0;
  double factor = 1.0;
};
using RateRows = RateRowsOver<double>;

template <int D>
class ChainDescription {
 public:
  using Vector = std::array<double, D>;
  static constexpr int kDimension = D;

  ChainDescription(ChainLinks links, const Vector& gravity) : links_(std::move(links)), gravity_(gravity) {
    assert(links_.count() > 0);
  }

  std::size_t links() const { return links_.count(); }
  std::size_t dimension() const { return 2 * D * links(); }
  const ChainLinks& parameters() const { return links_; }
  const Vector& gravity() const { return gravity_; }

 private:
  ChainLinks links_;
  Vector gravity_;
};

}  // namespace catena
