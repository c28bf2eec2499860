// The one place where what moves is wired to what methods see of it: a world, bodies with their joints, or a
// chain by itself.
#pragma once

#include "catena/dynamics/chain/chain_concept.h"
#include "catena/integrate/system.h"

namespace catena {

// A world, or bodies. It must stay where it is.
template <class Moving>
System wired(Moving& of) {
  System system;
  system.dimension = of.dimension();
  system.rhs = [&of](double t, const double* x, double* dx) { of.rhs(t, x, dx); };
  system.taylor = [&of](double t, const double* x, int order, double* c) { of.taylor(t, x, order, c); };
  system.reserve = [&of](int order) { of.reserve(order); };
  if (of.has_constraints())
    system.project = [&of](double t, const double* hi, double* lo) { of.project(t, hi, lo); };
  if (of.may_be_singular()) system.margin = [&of](double t, const double* x) { return of.margin(t, x); };
  system.series_overhead = of.series_overhead();
  system.step_overhead = of.step_overhead();
  return system;
}

// A chain of any formulation, whose own equations know no time.
template <class Chain>
requires(CheckedChain<Chain>::kPassed) System wired_chain(Chain& chain) {
  System system;
  system.dimension = chain.dimension();
  system.rhs = [&chain](double, const double* x, double* dx) { chain.rhs(x, dx, nullptr); };
  system.taylor = [&chain](double, const double* x, int order, double* c) { chain.taylor(x, order, c); };
  system.reserve = [&chain](int order) { chain.reserve(order); };
  system.project = [&chain](double, const double* hi, double* lo) { chain.project(hi, lo); };
  system.series_overhead = chain.series_overhead();
  return system;
}

}  // namespace catena
