// Explicit Runge-Kutta methods from tableaus: a method is data.
#pragma once

#include <memory>
#include <vector>

#include "catena/integrate/stepper.h"

namespace catena {

struct Tableau {
  int order;
  int stages;  // that the step itself needs; further rows of `a` and `c` serve the dense output only
  std::vector<double> c;
  std::vector<std::vector<double>> a;  // row i has at most i entries; row 0 is empty
  std::vector<double> b;
  // Weights of the error estimate, over the stages and the slope at the end. Two rows: E. Hairer's
  // combination of orders 5 and 3. None: fixed step.
  std::vector<std::vector<double>> error = {};
  // Weights of a second estimate, where the first is blind to what depends on time alone: it counts where
  // formulas act.
  std::vector<double> error_in_time = {};
  int error_order = 0;  // of the estimate: the step follows error^(-1/(error_order + 1))
  double beta = 0.0;    // weight of the last step's error in the PI controller
  // Rows for the terms of the continuous extension beyond the cubic one, over all stages (the slope at the
  // end is stage number `stages`). None: two-point Hermite from the series at both ends.
  std::vector<std::vector<double>> dense = {};
};

extern const Tableau kEuler;
extern const Tableau kHeun;
extern const Tableau kMidpoint;
extern const Tableau kRk4;
extern const Tableau kRk38;
extern const Tableau kDopri5;
extern const Tableau kTsit5;
extern const Tableau kVern7;
extern const Tableau kRkf78;
extern const Tableau kDop853;
extern const Tableau kVern9;

std::unique_ptr<Stepper> make_runge_kutta(const Tableau& tableau, const System& system,
                                          const StepOptions& options);

}  // namespace catena
