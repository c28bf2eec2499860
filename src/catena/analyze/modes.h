// Small motions about an equilibrium: its stability, frequencies and shapes, and the linear model with motors
// as inputs and columns as outputs.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/analyze/equilibrium.h"

namespace catena {

// One eigenvalue s of the linearised flow, or a pair of conjugate ones: the motion exp(s t).
struct Mode {
  std::complex<double> eigenvalue;            // of a pair the one above the real axis
  std::vector<std::complex<double>> state;    // its shape, [lane]
  std::vector<std::complex<double>> columns;  // and in columns; the largest place among them is 1

  double frequency() const { return std::abs(eigenvalue); }  // rad/s
  // As a part of critical damping: 1 of what decays without a swing, -1 of what grows so.
  double damping() const;
};

using Matrix = std::vector<std::vector<double>>;  // rows

// x' = a x + b u, y = c x + d u: x, u and y are differences from the equilibrium.
struct LinearModel {
  std::vector<std::string> states, inputs, outputs;
  Matrix a, b, c, d;
};

enum class Stability {
  asymptotic,  // everything decays
  minimum,     // nothing decays, and the energy has a minimum there
  undecided,   // the linear equations do not tell
  unstable
};
const char* stability_text(Stability stability);

// Equilibria side by side: a mode of frequency zero along which everything stays at rest.
struct RestingFamily {
  std::vector<std::string> columns;  // what changes most along it
  bool level = true;  // it rests beside the equilibrium too; false: only the linear equations do not tell
};

struct Modes {
  Equilibrium equilibrium;
  std::vector<std::string> columns;  // of the shapes and of the row
  std::vector<double> row;           // at the equilibrium
  Stability stability = Stability::undecided;
  bool conservative = false;  // neither damped nor driven nor gyroscopic: frequencies by symmetric matrices
  std::vector<Mode> modes;    // by rising frequency
  std::vector<RestingFamily> families;
  LinearModel model;
  std::vector<std::string> warnings;
};

struct ModesOptions {
  std::vector<std::string> outputs;  // columns of the linear model; empty: those of the shapes
  std::vector<Direction> inputs;     // numbers of the scene that are inputs beside the motors
};

// Throws InputError for scenes that are driven, that have no equilibrium within reach, or where the equations
// have no derivative at it.
Modes find_modes(const Scene& scene, const ModesOptions& options);

// Columns along a mode, for films: `count` rows over one swing, from the equilibrium by `size` times the
// shape, kept to the constraints. What does not swing goes to one side and back. The first number of a row is
// time.
struct ModeRows {
  std::vector<Stem> stems;
  std::vector<std::vector<double>> rows;
};
ModeRows mode_rows(const Scene& scene, const Modes& modes, std::size_t mode, double size, std::size_t count,
                   const std::vector<std::string>& words);

}  // namespace catena
