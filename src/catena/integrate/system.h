// What an integrator sees of a physical system: a flat state and a few optional capabilities. Integrators
// know no physics; what a method needs and a system lacks is refused by the capability's name.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "catena/facts/step.h"

namespace catena {

class ShiftedSolver;

// States along a step, both ends among them, by which methods without series are judged, at most.
constexpr int kStepSamples = 5;

// Lanes x[position + i] that move with the velocity x[velocity + i], i = 0..count-1.
struct LanePairing {
  std::size_t position;
  std::size_t velocity;
  std::size_t count;
};

// A time as a sum of two doubles: of hours, one tells picoseconds only.
struct Time {
  double hi = 0.0;
  double lo = 0.0;

  Time(double t) : hi(t) {}
  Time(double t, double rest) : hi(t), lo(rest) {}
  operator double() const { return hi; }
};

// t + h, the whole of it.
inline Time later(double t, double h) {
  const double hi = t + h, part = hi - t;
  return {hi, (t - (hi - part)) + (h - part)};
}

// A Lie group that acts on the states: x' is what f(t, x) in its algebra makes of x. Elements of the algebra
// are flat vectors, too.
struct LieAction {
  std::size_t dimension =
      0;  // of the algebra; lanes of the state that step control leaves out come last in it
  std::function<void(Time t, const double* x, double* f)> field;
  // change = exp(sigma) . x - x, exact where sigma is small.
  std::function<void(const double* sigma, const double* x, double* change)> act;
  std::function<void(const double* sigma, const double* v, double* out)> dexp_inverse;
  std::function<void(const double* a, const double* b, double* out)> bracket;
  // Whether the action keeps to the allowed states; if not, steps end with `project`.
  bool keeps_allowed = true;
};

// Unit vectors u in lanes x[position + i * count + k], component i < space, vector k < count, with their
// rates w in the same order from `velocity` on.
struct UnitVectors {
  std::size_t position;
  std::size_t velocity;
  std::size_t count;
  std::size_t space;
};

// Constraints |u| = 1 of all unit vectors, each with a multiplier whose pull enters w' linearly, w' = a(t, u)
// + P(u) lambda, with an `a` that depends on no rate. Lanes that are no unit vectors are integrals along the
// motion.
struct Constraints {
  // a += P(u) lambda in the lanes of w
  std::function<void(const double* x, const double* lambda, double* a)> pull;
  // lambda from  u_k(to) . (P(u(from)) lambda)_k = right_k,  in place
  std::function<void(const double* from, const double* to, double* right)> solve;
};

// Rigid bodies that constraints C(t, x) = 0 hold together, seen by their momenta, which the forces change by
// f(t, x), whatever the velocities. J is the derivative of C by the bodies' motions, and c is -dC/dt at rest.
struct BodyMechanics {
  std::size_t momenta = 0;  // how many numbers; 0: the system is none of bodies
  std::size_t rows = 0;     // of C
  std::function<void(const double* x, double* p)> momenta_of;
  // The velocities that momenta make, into the lanes of x.
  std::function<void(const double* p, double* x)> set_momenta;
  std::function<void(double t, const double* x, double* f)> forces;
  // Free flight for h: changes of places into `change`, momenta at the start replaced by those at the end.
  // False: the step is longer than a rotation can be followed.
  std::function<bool(double h, const double* x, double* p, double* change)> fly;
  // C, or its rate J v - c.
  std::function<void(double t, const double* hi, const double* lo, bool rates, double* rows)> gaps;
  // From here on J is that at (t, x).
  std::function<void(double t, const double* x)> hold;
  std::function<void(const double* lambda, double* p)> pull;  // p += J^T lambda
  std::function<void(double* rows)> solve;                    // J M^-1 J^T lambda = rows, in place
};

struct System {
  std::size_t dimension = 0;
  // How many leading lanes step control looks at; the others are integrals along the motion, such as
  // dissipated energy. 0: all.
  std::size_t controlled = 0;
  // The size, J, that errors of those integrals count from, where the motion does not show them: potentials
  // that change with time do work that nothing may feel. 0: nobody looks at them.
  double account_scale = 0.0;
  // dx/dt at (t, x).
  std::function<void(Time t, const double* x, double* dx)> rhs;
  // Taylor coefficients c[k * dimension + lane], k = 0..order, of the motion through x at t.
  std::function<void(double t, const double* x, int order, double* c)> taylor;
  // Makes room for series up to this order, so that taylor does not allocate.
  std::function<void(int order)> reserve;
  // Back onto the manifold of allowed states, by correcting lo only. None: every state is allowed.
  std::function<void(double t, const double* hi, double* lo)> project;
  // Up to where the last series hold, at most `length`; none: as far as they converge.
  std::function<double(double length)> smooth_until;
  // For methods without series: whether, over a step from t on, something could have acted between these
  // states, equally apart along the step, that none of them shows. None: nothing acts but what every state
  // shows.
  std::function<bool(double t, double length, std::span<const double* const> states)> misses;
  // Cheaply, before that question: whether the answer can be yes at all, by the states and rates at both ends
  // of the step. None: it can.
  std::function<bool(double length, const double* from, const double* leaving, const double* to,
                     const double* arriving)>
      may_miss;
  // Whether one of those that may act unseen reads the time: its steps end where the clock can tell.
  bool reads_time = false;
  // How far the state is from a singular position of the system's constraints: positive, and zero there. The
  // motion is smooth across, but a series must not start close by. None: there are no such positions.
  std::function<double(double t, const double* x)> margin;
  // Positions and velocities, when no acceleration depends on a velocity. Lanes in no pair are integrals
  // along the motion whose rates depend on velocities linearly. Empty: the system is not of that kind.
  std::vector<LanePairing> separable;
  // Linear equations of implicit methods, solved with the structure that the system knows of itself. None: by
  // dense matrices.
  std::shared_ptr<ShiftedSolver> shifted;
  // None: its field is empty.
  LieAction lie;
  // Unit vectors with their rates, each perpendicular to its own. Empty: there are none.
  std::vector<UnitVectors> unit_vectors;
  // None: its pull is empty.
  Constraints constraints;
  // None: momenta is 0.
  BodyMechanics bodies;
  // The largest error of a velocity, m/s, and of a part's momentum, kg m/s, that a difference of states
  // means; homogeneous of degree 1. None: the state does not tell.
  std::function<double(const double* change)> velocity_error;
  std::function<double(const double* change)> momentum_error;
  // A step with the series of order p costs about p (p + series_overhead) + step_overhead.
  double series_overhead = 20.0;
  double step_overhead = 0.0;
};

inline std::size_t controlled_lanes(const System& system) {
  return system.controlled == 0 ? system.dimension : system.controlled;
}

}  // namespace catena
