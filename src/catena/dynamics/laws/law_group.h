// Force laws at work: their series (LawSeries) in doubles, and what methods without series, energies and
// implicit methods need of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "catena/dynamics/laws/law_series.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"

namespace catena {

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

class LawGroup : public LawSeries<double> {
 public:
  // nodes[i] is what outputs[i] gets; variable i of the graph is fed by inputs[i].
  LawGroup(const expr::Graph& graph, const std::vector<expr::NodeId>& nodes, std::vector<LawInput> inputs,
           std::vector<LawOutput> outputs, std::size_t lanes);

  // Adds what the laws do at time t.
  void evaluate(double t, const LawMotion& motion, LawForces& forces);

  // Adds how the forces change with the motion.
  void slopes(double t, const LawMotion& motion, std::vector<LawSlope>& out);
  // The chain's own linear equations have these laws already.
  bool in_links = false;
  // A user wrote them, as formulas.
  bool written = false;
  // Some law grows without bound where two things meet. Series have it in their coefficients; between the
  // states of other methods it may act unseen.
  bool has_pole = false;
  // The forces depend on places of pairs by their differences alone: these are looked at between states, so
  // that what two things do together does not count.
  void see_differences();
  // From now on series end where formulas could do, unseen, what changes a force by more than this, N s.
  void look_inside(double allowed);
  bool looks_inside() const { return written && watches(); }
  bool watches() const { return !sampled_.empty(); }
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

  bool gives(LawOutput::Target target) const;
  bool twists_bodies() const;
  bool uses(LawInput::Source source) const;
  bool depends_on_velocity() const { return depends_on_velocity_; }  // do its forces?

  // Up to where the last series, of this order, hold.
  double smooth_until(int order, double length) const {
    return LawSeries<double>::smooth_until(order, length, allowed_);
  }

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
  double allowed_ = 0.0;  // 0: nobody looks inside series
  double allowed_between_ = 0.0;
  std::vector<std::pair<std::size_t, std::size_t>> differences_;  // of inputs
  bool depends_on_velocity_ = false;
  std::vector<LawOutput> energies_;
  expr::Program rate_program_, energy_program_;  // what gives rates_ and energies_
  // The formulas of both programs, until look_inside says whether they are looked at.
  std::vector<expr::SampledFormulas> sampled_;
  expr::Program shared_program_;
  std::vector<double> shared_in_;
  std::vector<double> in_, out_;
  std::vector<double> in_rates_, out_rates_;  // for slopes
};

}  // namespace catena
