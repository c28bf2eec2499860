// A pivot that moves as formulas of time say.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "catena/dynamics/state/plane.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/kinks.h"
#include "catena/expr/series.h"
#include "catena/expr/surprise.h"
#include "catena/math/number_tape.h"
#include "catena/math/vec3.h"
#include "catena/model/scene.h"

namespace catena {

// Its series over any number, in its chain's own space: its plane, if it has one.
template <class S>
class PivotSeries {
 public:
  // `places`: of `graph`, whose one variable is time.
  PivotSeries(const expr::Graph& graph, const std::vector<expr::NodeId>& places,
              const std::optional<Plane>& plane)
      : plane_(plane), series_(graph, places, 1) {}
  // The same motion over this number.
  template <class Other>
  explicit PivotSeries(const PivotSeries<Other>& motion, NumberTape* tape = nullptr)
      : plane_(motion.plane()), series_(motion.series().lowered(), tape) {
    if constexpr (takes_tape<S>) {
      if (!plane_) return;
      cosine_ = number_as<S>(plane_->cosine, tape);
      sine_ = number_as<S>(plane_->sine, tape);
    }
  }

  void reserve(int order) { series_.reserve(1, order); }
  // The series at t, up to this order.
  void expand(const S& t, int order) {
    for (int k = 0; k <= order; ++k) {
      *series_.input(k, 0) = k == 0 ? t : S(k == 1 ? 1.0 : 0.0);
      series_.advance(k);
    }
  }
  Vec3Of<S> coefficient(int order) const {
    const Vec3Of<S> world{*series_.output(order, 0), *series_.output(order, 1), *series_.output(order, 2)};
    if (!plane_) return world;
    if constexpr (takes_tape<S>) return {world[0] * cosine_ + world[1] * sine_, world[2], S(0.0)};
    return plane_->template own<S>(world);
  }
  S smooth_until(int order, const S& length, double allowed) const {
    return first_break(series_, order, length, allowed);
  }

  const std::optional<Plane>& plane() const { return plane_; }
  const expr::Series<S>& series() const { return series_; }

 private:
  std::optional<Plane> plane_;
  [[no_unique_address]] std::conditional_t<takes_tape<S>, S, std::monostate> cosine_{},
      sine_{};  // the plane's
  expr::Series<S> series_;
};

// How it moves, in its chain's own space.
template <class S>
struct PivotRates {
  Vec3Of<S> velocity{}, acceleration{};
};

class PivotMotion {
 public:
  // `piece`: given, only the piece that holds at this time.
  // `plane`: the one its chain keeps to.
  explicit PivotMotion(const Formulas& formulas, const std::optional<Plane>& plane = {},
                       std::optional<double> piece = {}, bool decimals = false);

  struct Instant {
    Vec3 position{}, velocity{}, acceleration{};
  };
  Instant at(double t);

  PivotSeries<double>& series() { return series_; }
  const PivotSeries<double>& series() const { return series_; }
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
  PivotSeries<double> series_;
  expr::SampledFormulas sampled_;
  double allowed_ = 0.0;
};

}  // namespace catena
