// What every formulation of a chain offers. It is checked where formulations are listed (AnyChain): one that
// lacks a function, or has it with other arguments, does not compile, and the message says which. Where there
// is nothing to do, a formulation says so in one line.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/dynamics/chain/solvers/chain_links.h"

namespace catena {

template <class C>
struct CheckedChain {
  using Vector = typename C::Vector;
  using Loads = typename C::Loads;
  using Size = std::size_t;

  static_assert(C::kDimension == 2 || C::kDimension == 3, "a chain needs kDimension, 2 or 3");
  static_assert(std::same_as<decltype(C::kElastic), const bool>, "a chain needs bool kElastic");
  static_assert(std::same_as<decltype(C::kHasAngles), const bool>, "a chain needs bool kHasAngles");
  static_assert(std::copy_constructible<C>, "a chain can be copied: each thread moves one of its own");

  // The constant side.
  static_assert(
      requires(const C& c) {
        { c.links() } -> std::same_as<Size>;
        { c.dimension() } -> std::same_as<Size>;
        { c.degrees_of_freedom() } -> std::same_as<Size>;
        { c.parameters() } -> std::same_as<const ChainLinks&>;
      },
      "a chain needs links, dimension, degrees_of_freedom and parameters, all const");
  static_assert(
      requires(const C& c) {
        { c.series_overhead() } -> std::same_as<double>;
      },
      "a chain needs double series_overhead() const");
  static_assert(
      requires {
        { C::lane_names() } -> std::same_as<std::vector<std::string>>;
      },
      "a chain needs static std::vector<std::string> lane_names()");
  static_assert(
      requires(const C& c) {
        { c.bodies() } -> std::same_as<const BodyLinks*>;
      },
      "a chain needs const BodyLinks* bodies() const");
  static_assert(
      requires(const C& c, const LanePair& vectors) {
        { c.state_of(vectors) } -> std::same_as<LanePair>;
      },
      "a chain needs LanePair state_of(const LanePair& vectors) const");

  static_assert(
      requires(const C& c, const double* hi, const double* lo, DoubleDouble* vectors) {
        { c.vectors_digits(hi, lo, vectors) } -> std::same_as<void>;
      },
      "a chain needs void vectors_digits(const double* hi, const double* lo, DoubleDouble* vectors) const");

  // Motion.
  static_assert(
      requires(C & c, const double* x, double* dx, const Loads* loads) {
        { c.rhs(x, dx, loads) } -> std::same_as<void>;
      },
      "a chain needs void rhs(const double* x, double* dx, const Loads* loads)");
  static_assert(
      requires(C & c, const double* x, int order, double* out) {
        { c.taylor(x, order, out) } -> std::same_as<void>;
        { c.reserve(order) } -> std::same_as<void>;
      },
      "a chain needs void taylor(const double* x, int order, double* c) and void reserve(int order)");
  static_assert(
      requires(C & c, const double* x, double* out, Size row) {
        { c.begin(x, out, row) } -> std::same_as<void>;
      },
      "a chain needs void begin(const double* x, double* c, std::size_t row)");
  static_assert(
      requires(C & c, int n, const Loads& loads) {
        { c.advance(n, loads) } -> std::same_as<void>;
        { c.finish(n) } -> std::same_as<void>;
      },
      "a chain needs void advance(int n, const Loads& loads) and void finish(int order)");
  static_assert(
      requires(C & c, int n, const double* row) {
        { c.shown(n, row) } -> std::same_as<ShownRows>;
        { c.changes(n, row) } -> std::same_as<RateRows>;
      },
      "a chain needs ShownRows shown(int n, const double* row) and RateRows changes(int n, const double* "
      "row)");
  static_assert(
      requires(const C& c, int order, double length) {
        { c.smooth_until(order, length) } -> std::same_as<double>;
      },
      "a chain needs double smooth_until(int order, double length) const");

  // States.
  static_assert(
      requires(C & c, const double* hi, double* lo) {
        { c.project(hi, lo) } -> std::same_as<void>;
      },
      "a chain needs void project(const double* hi, double* lo)");
  static_assert(
      requires(C & c, const double* hi, const double* lo) {
        { c.constraint_error(hi, lo) } -> std::same_as<double>;
        { c.energy(hi, lo) } -> std::same_as<Energies>;
      },
      "a chain needs double constraint_error(const double* hi, const double* lo) and Energies energy(..)");
  static_assert(
      requires(C & c, double* hi, double* lo) {
        { c.settle(hi, lo) } -> std::same_as<bool>;
      },
      "a chain needs bool settle(double* hi, double* lo)");
  static_assert(
      requires(C & c, const double* x, double* tension, const Loads* loads) {
        { c.reactions(x, tension, loads) } -> std::same_as<Vector>;
      },
      "a chain needs Vector reactions(const double* x, double* tension, const Loads* loads)");
  static_assert(
      requires(C & c, const double* x, const double* dx, double* room) {
        { c.directions(x, room) } -> std::same_as<const double*>;
        { c.accelerations(x, dx, room) } -> std::same_as<const double*>;
      },
      "a chain needs const double* directions(const double* x, double* room) and accelerations(x, dx, room)");
  static_assert(
      requires(const C& c, const double* x, const AngleLanes& out) {
        { c.angles(x, out) } -> std::same_as<void>;
      },
      "a chain needs void angles(const double* x, const AngleLanes& out) const");

  static constexpr bool kPassed = true;
};

}  // namespace catena
