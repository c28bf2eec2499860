// A pivot that moves as formulas of time say.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "catena/dynamics/state/plane.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"
#include "catena/expr/taylor.h"
#include "catena/model/scene.h"

namespace catena {

class PivotMotion {
 public:
  // `piece`: given, only the piece that holds at this time.
  explicit PivotMotion(const Formulas& formulas, std::optional<double> piece = {}, bool decimals = false);

  struct Instant {
    Vec3 position{}, velocity{}, acceleration{};
  };
  Instant at(double t);

  // The places' formulas; time is the one input.
  const expr::SeriesProgram& series() const { return series_; }

  void reserve(int order) { series_.reserve(1, order); }
  // The series at t, up to this order.
  void expand(double t, int order);
  Vec3 coefficient(int order) const;
  double smooth_until(int order, double length) const;
  // From now on series end where the formulas could do, unseen, what moves the pivot by more than this, m.
  void look_inside(double allowed) { allowed_ = allowed; }
  // Whether they could have done so in a step from t to t + length, for methods without series.
  bool misses(double t, double length);
  // Instants that follow are those at t plus this.
  void set_low_time(double low) { values_.set_low(low); }

  // Whether its formulas keep it in a vertical plane.
  bool stays_in(const Plane& plane) const;

 private:
  expr::Graph graph_;
  std::vector<expr::NodeId> places_;
  expr::Program values_;
  expr::SeriesProgram series_;
  expr::SampledFormulas sampled_;
  double allowed_ = 0.0;
};

}  // namespace catena
