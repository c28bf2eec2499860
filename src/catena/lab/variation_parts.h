// What follows derivatives is made of, for the files that it consists of.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/dynamics/world/chain_rates.h"
#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/lab/rate_block.h"
#include "catena/lab/variation.h"
#include "catena/math/many_rates.h"
#include "catena/math/number_tape.h"
#include "catena/math/stencil.h"
#include "catena/math/tangent.h"

namespace catena {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number and the worlds around it.
struct Neighbours {
  Stencil stencil = Stencil::central();
  double spacing = 0.0;
  std::vector<std::unique_ptr<Lab>> labs;  // at the stencil's nodes
  std::vector<NumberTape> tapes;
  std::vector<double> kinks;  // where the piece began that holds of their prescribed motions, s
};

// Which piece of its prescribed motions a world takes, and when: see variation_neighbours.cpp.
double take_pieces(World& world, int kinks, double until);
int kinks_until(const World& of, double t);
double latest_kink(double t);

bool same_shape(const NumberTape& a, const NumberTape& b);
NumberTape tape_of(Lab& lab);
Neighbours neighbours_at(const Lab& lab, const Direction& of, const Stencil& stencil, double spacing);

InputError refused(const Lab& lab, const Direction& of, const std::string& why);
InputError lanes_refused(const Lab& lab);

// The stem that a column of a chart's angles is of, and behind it "_" and the link; "": it is no such angle.
std::string angle_stem(const std::string& column, const std::string& link);

struct Variation::Parts {
  struct Followed {
    std::optional<Neighbours> near;       // none: a change of the state
    std::vector<Neighbours> closer = {};  // made where something is not smooth within the usual distance
    bool unchanged = false;               // the world, but not its start
    bool start_only = false;
    std::vector<Stem>
        columns;  // of these rows: what they owe to it beside the state; of starts the same always
    std::vector<double> rows;
  };

  Lab& lab;
  std::size_t n;
  std::vector<Direction> directions;
  std::vector<Followed> followed;
  // Blocks of many directions come first.
  std::vector<RateBlock<ManyRates>> many;
  std::vector<RateBlock<Rates>> few;
  template <class Do>
  void each_block(const Do& what) {
    for (RateBlock<ManyRates>& block : many) what(block);
    for (RateBlock<Rates>& block : few) what(block);
  }
  std::optional<NumberTape> own;                  // of the lab's world as it is
  std::vector<double> rates, start_rates, shown;  // [direction][lane]
  State from;
  RateLimits limits;
  bool has_kinks = false, leaps = false;
  double longest = kInfinity;  // that the step may be for the sake of rates
  std::int64_t shortened = 0;

  // A Runge-Kutta method: the same one takes the same steps with the rates behind the state.
  System together;
  std::optional<Tableau> tableau;
  std::unique_ptr<Stepper> companion;
  State both;
  void make_companion(const Tableau& of);
  bool step_together(const State& to, double h);

  // Blocks of a world that is one chain of point masses: all of them at once, behind the value's own series.
  std::unique_ptr<ChainRates> chain;
  const double* values = nullptr;  // the value's series
  std::size_t usual_blocks = 0;    // of the few, in the form that the lab's world has
  std::vector<const Rates*> chain_x;
  std::vector<Rates*> chain_c;
  void find_chain();
  void expand_chain(const State& at);

  // In lanes: the lab's stepper, with whose steps rates go along; null: they are in blocks.
  LaneStepper* in_lanes = nullptr;

  // Formulations that tangents do not have: the same motion by the chain's own one, which goes on as far as
  // rows and events ask. Derivatives of a flow do not depend on how it is written.
  std::unique_ptr<Lab> beside_lab;
  std::string beside_start;  // no later than the lab's last step
  void follow_beside();
  Lab& beside_at(double t, const Columns& columns);
  std::vector<std::string> links_about_x();
  void turn_charts(double t, const Columns& columns, double* out);
  InputError no_lanes() const { return lanes_refused(lab); }

  Parts(Lab& of, std::vector<Direction> given) : lab(of), n(of.dimension()), directions(std::move(given)) {}

  Neighbours neighbours(const Direction& of);
  std::unique_ptr<Lab> follow(std::size_t direction);
  std::unique_ptr<Lab> close_to(std::size_t direction) const;
  std::vector<double> start_of(std::size_t direction) const;
  template <class S>
  RateBlock<S> block_of(std::vector<std::size_t> members, Lab* near) const;
  void make_usual_blocks(const std::vector<std::size_t>& usual);
  // Prescribed motions with kinks: all worlds hold the piece that does at this time.
  void take_pieces_at(double t);
  void renew_blocks();
  std::string pass_kink(std::size_t direction, World& before, const State& at, const State& to, double* rate);
  std::vector<double> number_slopes(std::size_t direction) const;
  double usual_step(double t, const std::function<double(int)>& size, int* passes) const;
  std::vector<double> along(const Columns& columns, const double* rate, double in_time);
  const std::vector<double>& beside(std::size_t direction, const Columns& columns);
  std::vector<double> beside(const Neighbours& near, const Columns& columns, double* worst);
};

}  // namespace catena
