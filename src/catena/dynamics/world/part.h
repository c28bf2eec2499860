// What every part of a world offers: chains, bodies with their joints, a Lagrangian, equations. It is checked
// where the world goes through its parts; one that lacks a function, or has it with other arguments, does not
// compile, and the message says which. A part that has nothing to do there says so in one line.
#pragma once

#include <concepts>
#include <cstddef>

#include "catena/dynamics/state/energies.h"

namespace catena {

template <class P>
struct CheckedPart {
  static_assert(std::copy_constructible<P>, "a part can be copied: each thread moves one of its own");
  static_assert(
      requires(const P& p) {
        { p.dimension() } -> std::same_as<std::size_t>;
        { p.series_overhead() } -> std::same_as<double>;
        { p.step_overhead() } -> std::same_as<double>;
        { p.weight_scale() } -> std::same_as<double>;
        { p.moves_energy() } -> std::same_as<bool>;
      },
      "a part needs dimension, series_overhead, step_overhead, weight_scale and moves_energy, all const");

  // Series: room for them, and up to where those of this order hold.
  static_assert(
      requires(P & p, int order) {
        { p.reserve(order) } -> std::same_as<void>;
      },
      "a part needs void reserve(int order)");
  static_assert(
      requires(const P& p, int order, double length) {
        { p.has_kinks() } -> std::same_as<bool>;
        { p.smooth_until(order, length) } -> std::same_as<double>;
      },
      "a part needs bool has_kinks() const and double smooth_until(int order, double length) const");

  // Formulas that act, looked at over the whole of a step.
  static_assert(
      requires(P & p, double allowed) {
        { p.look_inside(allowed) } -> std::same_as<void>;
      },
      "a part needs void look_inside(double allowed)");
  static_assert(
      requires(const P& p) {
        { p.looks_inside() } -> std::same_as<bool>;
        { p.reads_time() } -> std::same_as<bool>;
      },
      "a part needs bool looks_inside() const and bool reads_time() const");
  static_assert(
      requires(P & p, int which, double t, const double* x, double length) {
        { p.sample(which, t, x) } -> std::same_as<void>;
        { p.misses(t, length) } -> std::same_as<bool>;
        { p.set_low_time(t) } -> std::same_as<void>;
      },
      "a part needs void sample(int which, double t, const double* x), bool misses(double t, double length) "
      "and void set_low_time(double low)");

  // States.
  static_assert(
      requires(const P& p) {
        { p.has_constraints() } -> std::same_as<bool>;
        { p.may_be_singular() } -> std::same_as<bool>;
      },
      "a part needs bool has_constraints() const and bool may_be_singular() const");
  static_assert(
      requires(P & p, double t, const double* hi, double* lo) {
        { p.project(t, hi, lo) } -> std::same_as<void>;
      },
      "a part needs void project(double t, const double* hi, double* lo)");
  static_assert(
      requires(P & p, double t, const double* hi, const double* lo) {
        { p.constraint_error(t, hi, lo) } -> std::same_as<double>;
        { p.energy(t, hi, lo) } -> std::same_as<Energies>;
        { p.margin(t, hi) } -> std::same_as<double>;
      },
      "a part needs double constraint_error(double t, const double* hi, const double* lo), Energies "
      "energy(..) "
      "and double margin(double t, const double* x)");
  static_assert(
      requires(P & p, double* hi, double* lo) {
        { p.settle(hi, lo) } -> std::same_as<bool>;
      },
      "a part needs bool settle(double* hi, double* lo)");

  static constexpr bool kPassed = true;
};

}  // namespace catena
