// Small systems with known answers, for testing integrators without any mechanics of the library.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "catena/integrate/catalog.h"

namespace catena::test {

// theta'' = -k sin(theta), in the angle: the coordinates in which a release at rest from 90 degrees makes
// every second coefficient vanish.
inline System angle_pendulum(double k) {
  System system;
  system.dimension = 2;
  system.separable = {{0, 1, 1}};
  system.rhs = [k](double, const double* x, double* dx) {
    dx[0] = x[1];
    dx[1] = -k * std::sin(x[0]);
  };
  system.taylor = [k](double, const double* x, int order, double* c) {
    std::vector<double> sine(order + 1), cosine(order + 1);
    c[0] = x[0], c[1] = x[1];
    sine[0] = std::sin(x[0]), cosine[0] = std::cos(x[0]);
    for (int n = 0; n < order; ++n) {
      if (n > 0) {
        for (int j = 1; j <= n; ++j) {
          sine[n] += j * c[2 * j] * cosine[n - j] / n;
          cosine[n] -= j * c[2 * j] * sine[n - j] / n;
        }
      }
      c[2 * (n + 1)] = c[2 * n + 1] / (n + 1);
      c[2 * (n + 1) + 1] = -k * sine[n] / (n + 1);
    }
  };
  return system;
}

// x'' = -x.
inline System oscillator() {
  System system;
  system.dimension = 2;
  system.separable = {{0, 1, 1}};
  system.rhs = [](double, const double* x, double* dx) {
    dx[0] = x[1];
    dx[1] = -x[0];
  };
  system.taylor = [](double, const double* x, int order, double* c) {
    c[0] = x[0], c[1] = x[1];
    for (int n = 0; n < order; ++n) {
      c[2 * (n + 1)] = c[2 * n + 1] / (n + 1);
      c[2 * (n + 1) + 1] = -c[2 * n] / (n + 1);
    }
  };
  return system;
}

// The methods that can do the system justice. Those of a library, where it is built in, are another's: they
// solve by their own norm and remember several steps.
inline std::vector<Method> methods_for(const System& system) {
  std::vector<Method> out;
  for (const Method& method : methods()) {
    if (method.library) continue;
    if (refusal(method, system, {.step = 0.1}).empty()) out.push_back(method);
  }
  return out;
}

inline State state_of(std::vector<double> x) {
  State state;
  state.lo.assign(x.size(), 0.0);
  state.hi = std::move(x);
  return state;
}

}  // namespace catena::test
