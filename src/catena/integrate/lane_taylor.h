// Steps of Taylor series of W motions side by side. Each has its own time, step and state; what is computed
// at once are their series, sums and right-hand sides. The rule for a step is that of TaylorMethod, with
// logarithms and powers whose bits are pinned, and it looks at a lane's own numbers alone: a step has the
// same bits in every lane of every width.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "catena/facts/step.h"
#include "catena/integrate/singular_route.h"
#include "catena/integrate/step_polynomial.h"
#include "catena/integrate/stepper.h"
#include "catena/math/aligned.h"
#include "catena/math/gauss_rule.h"
#include "catena/math/lanes.h"

namespace catena {

// As System, of W motions.
template <int W>
struct LaneSystem {
  using S = LanesOf<W>;
  std::size_t dimension = 0;
  std::size_t controlled = 0;
  std::function<void(const S& t, const S* x, S* dx)> rhs;
  std::function<void(const S& t, const S* x, int order, S* c)> taylor;
  std::function<void(int order)> reserve;
  // By correcting lo only; none: every state is allowed. `lanes`: of those whose steps went well, at least.
  std::function<void(const S& t, const S* hi, S* lo, const bool* lanes)> project;
  // How far from a singular position; none: there are no such positions.
  std::function<S(const S& t, const S* x)> margin;
  // None: series hold as far as they converge.
  std::function<S(const S& length)> smooth_until;
  bool reads_time = false;
  // How the motion changes in some directions, which goes along with it; 0: in none. From rates at a state,
  // [direction][lane of the state], the series of order after order, and what constraints allow of them.
  std::size_t directions = 0;
  std::function<void(const S& t, const S* x, const S* rates, int order, S* c)> follow;
  std::function<void(const S& t, const S* x, S* rates)> project_rates;
};

// What a step is asked to be like, the same for all lanes.
struct LaneRule {
  double tolerance = 1e-15;
  int order = 26;
};

template <int W>
class LaneTaylor {
 public:
  using S = LanesOf<W>;
  LaneTaylor(LaneSystem<W> system, const LaneRule& rule);

  // From here the next step of a lane starts. `first`: its length, if positive; `longest`: it is no longer.
  void seat(int lane, const State& state, double first, double longest, const singular::Memory& memory = {});
  // The rates there, [direction][lane of the state].
  void seat_rates(int lane, const std::vector<double>& rates);
  // Where the last step ended, the next one starts.
  void go_on();
  void vacate(int lane) { status_[lane] = StepStatus::not_solved, seated_[lane] = false; }
  bool seated(int lane) const { return seated_[lane]; }

  // One accepted step of every lane that is seated, but for those that part.
  void step();
  // Close to a singular position a motion looks for where it is, and may leap over it: that it does alone, in
  // LanesOf<1>.
  bool parts(int lane) const { return parts_[lane]; }
  const singular::Memory& singular_memory(int lane) const { return singular_[lane]; }

  // Of a lane's last step.
  StepStatus status(int lane) const { return status_[lane]; }
  double length(int lane) const { return h_.lane(lane); }
  int rejected(int lane) const { return rejected_[lane]; }
  double time(int lane) const { return t_.lane(lane); }
  double end_time(int lane) const { return t_end_.hi.lane(lane); }
  // Of all lanes: coefficients of the step's series, where it ends, how long it is.
  const S& coefficient(int k, std::size_t i) const { return row(k)[i]; }
  const S& start(std::size_t i) const { return hi_[i]; }
  const S& start_time() const { return t_; }
  const S& start_time_lo() const { return t_lo_; }
  const S& end(std::size_t i) const { return hi_end_[i]; }
  const LanePairs<W>& end_time() const { return t_end_; }
  const S& length() const { return h_; }
  void read_start(int lane, State& state) const;
  void read_end(int lane, State& state) const;
  void read_polynomial(int lane, StepPolynomial& polynomial) const;
  // Of the rates: at the step's start and end, and their series [order][direction][lane of the state].
  std::size_t directions() const { return system_.directions; }
  void read_rates(int lane, std::vector<double>& start, std::vector<double>& end) const;
  void read_rate_series(int lane, std::vector<double>& series) const;
  // |rates|^2 of the first direction over the lanes of the motion, at a place of Gauss's rule.
  double square(std::size_t place, int lane) const { return squares_[place].lane(lane); }
  // Whether they asked for a shorter step than the motion did.
  bool shortened(int lane) const { return shortened_[lane]; }
  int order() const { return rule_.order; }

 private:
  using Mask = typename S::Mask;
  static constexpr double kBeforeKink = 1e-9;  // as TaylorMethod has them
  static constexpr double kIntegralsReach = 1.5;
  static constexpr int kLeapOrder = 14;
  static constexpr double kLeapNoise = 1e-11;

  const S* row(int k) const { return c_.data() + static_cast<std::size_t>(k) * n_; }
  S size(const S* x, std::size_t n) const;
  S size_of_order(int k) const { return size(row(k), controlled_); }
  S step_length(const S& scale);
  S without_cancellation(const S& h, const S& scale) const;
  double length_of_few_orders(int lane, double t, double scale) const;
  S integrals_length() const;
  S rates_length(const S& wanted, const Mask& far) const;
  void sum_rates();
  void note_squares();
  S on_the_clock(const S& h, const Mask& not_before) const;
  S just_before(const S& h) const;
  void sum(const S& h);
  S excess(const S& h, const S& scale);
  // Shortens steps until all are accepted.
  void settle(const Mask& at_kink, const S& scale);
  void land();
  S leap_length(const S& scale) const;
  S margin_at(const S& h);
  bool around_singular(const S& scale, Mask& at_kink);
  bool leaps(double length, double scale);
  S leap_sum(const S* series, const S& h, std::size_t i) const;

  LaneSystem<W> system_;
  LaneRule rule_;
  S log_tolerance_per_order_;
  std::size_t n_, controlled_;
  bool seated_[W] = {}, parts_[W] = {}, shortened_[W] = {};
  singular::Memory singular_[W];
  StepStatus status_[W] = {};
  int rejected_[W] = {};
  S t_, t_lo_, first_, longest_, h_;
  LanePairs<W> t_end_;
  AlignedVector<S> hi_, lo_, hi_end_, lo_end_, c_, increment_, kept_, slope_, end_, rate_;
  AlignedVector<S> middle_, back_;  // of a leap
  // Of rates: at both ends of the step, their series, what their last looked-at orders may be of the first.
  AlignedVector<S> rates_, rates_end_, rate_series_;
  std::vector<double> rate_limits_;
  S squares_[kGaussPlaces.size()];
};

}  // namespace catena
