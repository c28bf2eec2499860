// Force laws at work: one program for many lanes (masses, joints or pairs), with a list of what feeds each of
// its inputs and where each of its outputs goes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/expr/evaluate.h"
#include "catena/expr/hoist.h"
#include "catena/expr/surprise.h"
#include "catena/expr/taylor.h"

namespace catena {

// What a chain shows to force laws, at one order of the series: lanes [component][link] in its own space,
// relative to its pivot. Only what the laws need is filled in.
struct ChainMotion {
  std::size_t links = 0;
  std::vector<double> center, center_velocity;  // of mass
  std::vector<double> link, link_rate;          // rigid: unit vectors and rates; elastic: from joint to end
  bool needs_center = false, needs_center_velocity = false, needs_link = false;
};

// What force laws do to a chain, at one order: lanes [component][link] on the links' ends, and on the pivot.
struct ChainForces {
  std::size_t links = 0;
  std::vector<double> end;
  std::array<double, 3> pivot{};
  // What of all this acts on the upper ends of solid links, and so is not carried by the joints above them;
  // likewise lanes. Empty: nobody asks.
  std::vector<double> upper = {};
};

// What laws see at one order: all chains, and the states of all moving bodies, lanes [component][body].
struct LawMotion {
  std::vector<ChainMotion> chains;
  const double* bodies = nullptr;
  std::size_t stride = 0;  // of a component of the bodies
};

// What laws do at one order: forces on chains and on bodies, and rates of energy.
struct LawForces {
  std::vector<ChainForces> chains;
  std::vector<double> bodies;  // lanes [force at the centre of mass, torque; world][moving body]
  double dissipated = 0.0;
  double work = 0.0;

  void clear();
};

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

// How a component of the force on a link's end changes with one of what the laws see.
struct LawSlope {
  int chain = 0, link = 0, component = 0;
  LawInput::Source source = LawInput::Source::center;
  int source_chain = 0, source_link = 0, source_component = 0;
  double value = 0.0;

  bool by_rate() const {
    return source == LawInput::Source::center_velocity || source == LawInput::Source::link_rate;
  }
};

class LawGroup {
 public:
  // nodes[i] is what outputs[i] gets; variable i of the graph is fed by inputs[i].
  LawGroup(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes, std::vector<LawInput> inputs,
           std::vector<LawOutput> outputs, std::size_t lanes);

  void reserve(int order) {
    series_.reserve(lanes_, order);
    if (!shared_.empty()) shared_series_.reserve(1, order);
  }

  // Adds what the laws do at time t.
  void evaluate(double t, const LawMotion& motion, LawForces& forces);
  // The same for order n of the series; the lower orders are done.
  void advance(int n, double t, const LawMotion& motion, LawForces& forces);

  // Adds how the forces change with the motion.
  void slopes(double t, const LawMotion& motion, std::vector<LawSlope>& out);
  // The chain's own linear equations have these laws already.
  bool in_links = false;
  // A user wrote them, as formulas.
  bool written = false;
  // From now on series end where formulas could do, unseen, what changes a force by more than this, N s.
  void look_inside(double allowed);
  bool looks_inside() const { return !sampled_.empty(); }
  // Whether, over a step of that length, formulas could have done so between samples of the motion; in order
  // from 0.
  void sample(int which, double t, const LawMotion& motion);
  bool misses(double length);
  // Forces that follow are those at t plus this.
  void set_low_time(double low);

  struct Energies {
    double potential = 0.0;
    double elastic = 0.0;
  };
  Energies energy(double t, const LawMotion& motion);

  const std::vector<LawInput>& inputs() const { return inputs_; }
  // What makes forces and rates of energy, and of what.
  const std::vector<LawOutput>& rates() const { return rates_; }
  const expr::SeriesProgram& series() const { return series_; }
  const expr::SeriesProgram& shared_series() const { return shared_series_; }
  std::size_t lanes() const { return lanes_; }
  bool gives(LawOutput::Target target) const;
  bool twists_bodies() const;
  bool uses(LawInput::Source source) const;
  bool depends_on_velocity() const { return depends_on_velocity_; }  // do its forces?

  // Up to where the last series, of this order, hold: the first time in (0, length] at which a law has a
  // kink.
  double smooth_until(int order, double length) const;
  // Kinks other than those of a vector's length, which are where it vanishes.
  bool has_jumps() const;

 private:
  // The laws with what all lanes share taken out.
  struct Split {
    expr::Hoisted parts;
    std::vector<LawInput> inputs;
  };
  static Split split(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes,
                     const std::vector<LawInput>& inputs, std::size_t lanes);
  LawGroup(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes, Split split,
           std::vector<LawOutput> outputs, std::size_t lanes);
  void evaluate_shared(double t);
  void fill(const LawInput& input, int order, double t, const LawMotion& motion, double* row) const;
  void give(const LawOutput& output, const double* row, LawForces& forces) const;
  void load_bodies(const LawOutput& output, const double* row, LawForces& forces) const;

  std::size_t lanes_;
  double allowed_ = 0.0;  // 0: nobody looks inside
  bool depends_on_velocity_ = false;
  std::vector<LawInput> inputs_;
  std::vector<LawOutput> rates_, energies_;  // what the programs give
  expr::Program rate_program_, energy_program_;
  expr::SeriesProgram series_;  // as rate_program_
  // The formulas of both programs, until look_inside says whether they are looked at.
  std::vector<expr::SampledFormulas> sampled_;
  expr::Program shared_program_;
  expr::SeriesProgram shared_series_;
  std::vector<double> shared_, shared_in_;  // at the order in work
  std::vector<double> in_, out_;
  std::vector<double> in_rates_, out_rates_;  // for slopes
};

}  // namespace catena
