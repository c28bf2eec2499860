// How a motion changes with numbers of its scene. What is computed once (the numbers that a world is made of,
// starts, rows) is differentiated by stencils of ten points, to nearly all digits; what is integrated, by
// tangents that go through the same equations.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/math/gauss_rule.h"

namespace catena {

class Variation {
 public:
  // Throws InputError where derivatives cannot be had.
  Variation(Lab& lab, std::vector<Direction> directions);
  ~Variation();

  std::size_t count() const;
  const std::vector<Direction>& directions() const;
  // Steps that were made shorter for the sake of rates.
  std::int64_t shortened() const;

  // The series of the rates from where a step begins; how long the step may be for them, infinite where the
  // motion itself asks for one as short.
  double expand(const State& from, int order);
  // Over the step, from where they were expanded to `to`; false: they are none there.
  bool take(const State& to);
  // Over the kink of a prescribed motion that a step has ended at: the state jumps, and so do its rates. What
  // hinders, in words; "": nothing.
  std::string pass_kink(State& state);
  // In lanes, where the lab takes its steps so: rates go along with the steps themselves. Why they cannot, in
  // words for a user; "" if they can.
  std::string lanes_refusal() const;
  void use_lanes();
  // Whether all directions are changes of the state: those of a motion that begins anew are others.
  bool is_of_states() const;
  // In lanes: as Lab::squares_along_step.
  GaussValues squares_along_step(std::size_t direction, double end);

  // The state's rates at time t of the last step, [direction][lane]; of its end if `at_end`.
  const std::vector<double>& at(double t, bool at_end);
  // The rates of a row, [direction][column], from those of its state.
  void rows(double t, bool at_end, const Columns& columns, double* out);

  // At a root of a formula of the columns `read`, found at time t: how that time and the columns recorded at
  // it change, [column of recorded][direction], the time first.
  void root(double t, bool at_end, const Columns& read,
            const std::function<double(const std::vector<double>&)>& formula, const Columns& recorded,
            double* out);

  // The row of any state in the world of `other`, which may be that of the lab itself: with the turns that
  // the lab's angles have at the row it has looked at last.
  static void row_beside(Lab& lab, Lab& other, const State& state, const Columns& columns, double* out);

  // The state's rates at the end of the last step; others from there on, as far as the constraints allow
  // them.
  const std::vector<double>& at_end() const;
  void set(const State& here, const std::vector<double>& rates);

  // All that is needed to go on from the start of the last step.
  const std::vector<double>& start_rates() const;
  void restore(std::vector<double> rates, std::int64_t shortened);
  // The same of the motion by other equations, where that is followed; "": it is not.
  const std::string& notes() const;
  void set_notes(std::string notes);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The scene with its chains in the formulations whose states have derivatives: those in unit vectors. The
// motion is the same one.
Scene in_unit_vectors(Scene scene);

// As Lab::allowed_directions.
std::vector<std::vector<double>> allowed_directions(Lab& lab);

}  // namespace catena
