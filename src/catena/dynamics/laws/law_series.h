// Force laws over any number: the series of one program for many lanes (masses, joints or pairs), with a list
// of what feeds each of its inputs and where each of its outputs goes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/expr/hoist.h"
#include "catena/expr/series.h"

namespace catena {

// What a chain shows to force laws, at one order of the series: lanes [component][link] in its own space,
// relative to its pivot. Only what the laws need is filled in.
template <class S>
struct ChainMotionOver {
  std::size_t links = 0;
  std::vector<S> center, center_velocity;  // of mass
  std::vector<S> link, link_rate;          // rigid: unit vectors and rates; elastic: from joint to end
  bool needs_center = false, needs_center_velocity = false, needs_link = false;
};
using ChainMotion = ChainMotionOver<double>;

// What force laws do to a chain, at one order: lanes [component][link] on the links' ends, and on the pivot.
template <class S>
struct ChainForcesOver {
  std::size_t links = 0;
  std::vector<S> end;
  std::array<S, 3> pivot{};
  // What of all this acts on the upper ends of solid links, and so is not carried by the joints above them;
  // likewise lanes. Empty: nobody asks.
  std::vector<S> upper = {};
};
using ChainForces = ChainForcesOver<double>;

// What laws see at one order: all chains, and the states of all moving bodies, lanes [component][body].
template <class S>
struct LawMotionOver {
  std::vector<ChainMotionOver<S>> chains;
  const S* bodies = nullptr;
  std::size_t stride = 0;  // of a component of the bodies
};
using LawMotion = LawMotionOver<double>;

// What laws do at one order: forces on chains and on bodies, and rates of energy.
template <class S>
struct LawForcesOver {
  std::vector<ChainForcesOver<S>> chains;
  std::vector<S> bodies;  // lanes [force at the centre of mass, torque; world][moving body]
  S dissipated{};
  S work{};

  void clear();
};
using LawForces = LawForcesOver<double>;

struct LawInput {
  // shared: what depends on time alone, computed once for all lanes.
  enum class Source { time, center, center_velocity, link, link_rate, body, constant, shared };
  Source source = Source::time;
  int chain = 0;
  int component = 0;                // of a body: of its state
  std::vector<int> links = {};      // of each lane, or moving bodies; -1: none
  std::vector<double> values = {};  // of a constant; else what lanes without a link have, if not zero
  bool whole = false;               // lanes are the links, in order
};

struct LawOutput {
  enum class Target { end, body, dissipated, work, potential, elastic };
  Target target = Target::end;
  int chain = 0;
  int component = 0;
  std::vector<int> links = {};       // of each lane, or bodies; -1: the chain's pivot, -2: nothing takes it
  std::vector<double> weights = {};  // of each lane; none: all 1
  bool whole = false;
  // The links whose upper ends take the rest, 1 - weight, of a force on their centres; none: no such rest.
  std::vector<int> upper_of = {};

  // The share of a lane's force that goes there, in numbers that are made by `number`.
  template <class Number>
  auto share(std::size_t lane, Number number) const {
    const auto weight = weights.empty() ? number(1.0) : number(weights[lane]);
    return upper_of.empty() ? weight : number(1.0) - weight;
  }
};

template <class S>
class LawSeries {
 public:
  // `laws.nodes[i]` is what rates[i] gets, from variables that inputs[i] feed; laws.shared are formulas of
  // time in `graph`.
  LawSeries(const expr::Graph& graph, const expr::Hoisted& laws, const std::vector<expr::NodeId>& nodes,
            std::vector<LawInput> inputs, std::vector<LawOutput> rates, std::size_t lanes);
  // The same laws over this number.
  template <class Other>
  explicit LawSeries(const LawSeries<Other>& laws, NumberTape* tape = nullptr);

  void reserve(int order);
  // Adds what the laws do at order n of the series, at time t; the lower orders are done.
  void advance(int n, const S& t, const LawMotionOver<S>& motion, LawForcesOver<S>& forces);
  // The same of a state, order 0 alone.
  void evaluate(const S& t, const LawMotionOver<S>& motion, LawForcesOver<S>& forces) {
    advance(0, t, motion, forces);
  }
  // Up to where the last series, of this order, hold: the first time in (0, length] at which a law has a
  // kink, or could do, unseen, what changes a force by more than `allowed`, N s; 0: nobody asks.
  S smooth_until(int order, const S& length, double allowed) const;
  S smooth_until(int order, const S& length) const { return smooth_until(order, length, 0.0); }
  bool has_jumps() const;

  const std::vector<LawInput>& inputs() const { return inputs_; }
  // What makes forces and rates of energy, and of what.
  const std::vector<LawOutput>& rates() const { return rates_; }
  const expr::Series<S>& series() const { return series_; }
  const expr::Series<S>& shared_series() const { return shared_series_; }
  std::size_t lanes() const { return lanes_; }

 protected:
  void fill(std::size_t input, int order, const S& t, const LawMotionOver<S>& motion, S* row) const;
  void give(std::size_t output, const S* row, LawForcesOver<S>& forces) const;
  void load_bodies(const LawOutput& output, const S* row, LawForcesOver<S>& forces) const;
  // Numbers of the laws' inputs and outputs, lane by lane, as numbers of kind S.
  void take_numbers(NumberTape* tape);
  S given(std::size_t input, std::size_t lane) const;
  S share(std::size_t output, std::size_t lane) const;

  std::size_t lanes_;
  std::vector<LawInput> inputs_;
  std::vector<LawOutput> rates_;
  expr::Series<S> series_;
  expr::Series<S> shared_series_;
  std::vector<S> shared_;  // at the order in work
  std::vector<std::vector<S>> given_,
      shares_;  // of inputs and outputs; in doubles these have them themselves
};

}  // namespace catena
