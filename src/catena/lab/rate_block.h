// Directions that go through the equations together, in the rates of one kind of number. For the files that
// follow derivatives.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/taylor_step.h"
#include "catena/math/tangent.h"

namespace catena {

// Which terms of a series of rates are looked at, and how large they may be beside the first ones. As of a
// motion, tol^(k/p); rates of a series have terms k times as large.
struct RateLimits {
  int order = 0;
  std::vector<double> of_last;

  RateLimits() = default;
  RateLimits(int to, double tolerance) : order(to) {
    constexpr double kLenient = 64.0;
    for (int k = first_looked_at(); k <= order; ++k)
      of_last.push_back(kLenient * std::pow(tolerance, static_cast<double>(k) / order));
  }
  // Terms fall from the first few on: the largest is among a quarter of them.
  bool is_first(int k) const { return 4 * k <= order; }
  int first_looked_at() const { return std::max(1, order - kTaylorWindow + 1); }
};

// Lane by lane; compilers make two instructions of the comparison. By value: rates lie anywhere in memory.
template <class Lanes>
Lanes larger(Lanes a, Lanes b) {
#if defined(__AVX__)
  return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}
template <class Lanes>
Lanes size_of(Lanes a) {
#if defined(__AVX__)
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
#else
  return a < 0.0 ? -a : a;
#endif
}

template <class S>
struct RateBlock {
  std::vector<std::size_t> members;  // directions
  std::unique_ptr<WorldOver<S>> moving;
  std::vector<S> c, x;       // the series [order][lane], and a state
  std::vector<double> none;  // rates of directions that are not there
  std::vector<S> sizes;      // of the series, each direction's largest rate; [order]
  // Where a kink has no slope: the series from a start that moves as the kink does, and how far that is.
  std::vector<S> from_moved;
  S to_kink = S(0.0);
  bool moves_with_kink = false;

  std::size_t lanes() const { return x.size(); }
  void reserve(int order) {
    c.resize((static_cast<std::size_t>(order) + 1) * lanes());
    sizes.resize(static_cast<std::size_t>(order) + 1);
  }

  // A state and its rates [direction][lane] of all directions there are.
  void set(const double* state, const double* rates) {
    none.resize(lanes());
    for (int q = 0; q < S::kPacks; ++q) {
      std::array<const double*, S::kWidth> from;
      for (std::size_t j = 0; j < from.size(); ++j) {
        const std::size_t m = static_cast<std::size_t>(q) * from.size() + j;
        from[j] = m < members.size() ? rates + members[m] * lanes() : none.data();
      }
      for (std::size_t i = 0; i < lanes(); ++i)
        x[i].rates(q) = typename S::Lanes{from[0][i], from[1][i], from[2][i], from[3][i]};
    }
    for (std::size_t i = 0; i < lanes(); ++i) x[i].set_value(state[i]);
  }
  // The rates of some numbers, one a lane.
  void give_rates(const S* numbers, double* rates) const {
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t i = 0; i < lanes(); ++i)
        rates[members[m] * lanes() + i] = numbers[i].rate(static_cast<int>(m));
    }
  }
  // The rates in x, of a state, onto the constraints and from there.
  void put(const double* state, std::vector<double>& to, double t) {
    for (std::size_t i = 0; i < lanes(); ++i) x[i].set_part(0, state[i]);
    moving->project(S(t), x.data());
    give_rates(x.data(), to.data());
  }

  // The state's rates at h into x, not yet on the constraints.
  void evaluate(const S& h, int orders) {
    const auto last = static_cast<std::size_t>(orders);
    const std::size_t n = lanes();
    if (h == S(h.value())) return evaluate_at(h.value(), last);
    for (std::size_t i = 0; i < n; ++i) {  // the instant itself has rates
      const S* at = c.data() + i;
      S sum = at[last * n];
      for (std::size_t k = last; k-- > 0;) sum = multiply_add(sum, h, at[k * n]);
      x[i] = sum;
    }
  }

  // Before a kink without a slope, as the profile of a wind has at its ground, rates at a given time go to
  // infinity like a root of what is left of the way, and no step towards it is short enough for their series.
  // From a start that is moved in time as the kink moves, all is as far before the kink as it was: rates are
  // as smooth there as the motion. Whether they can be followed so all the way, where it is not much longer
  // than h.
  bool follow_kink(const State& from, const double* rates, double h, const RateLimits& limits,
                   std::size_t lanes_of_motion) {
    constexpr double kNear = 8.0;
    to_kink = moving->smooth_until(S(kNear * h));
    const double way = to_kink.value();
    if (!(way < kNear * h)) return false;
    for (int j = 0; j < S::kDirections; ++j) {
      if (!std::isfinite(to_kink.rate(j))) return false;
    }
    set(from.hi.data(), rates);
    S start(from.t);
    for (int j = 0; j < S::kDirections; ++j) {
      start.set_rate(j, to_kink.rate(j));
      for (std::size_t i = 0; i < lanes(); ++i)
        x[i].set_rate(j, x[i].rate(j) + c[lanes() + i].value() * to_kink.rate(j));
    }
    from_moved.resize(c.size());
    moving->taylor(start, x.data(), limits.order, from_moved.data());
    c.swap(from_moved);
    moves_with_kink = allowed(way, 1, limits, lanes_of_motion) >= way;
    c.swap(from_moved);
    return moves_with_kink;
  }

  // At time s of such a step, where the motion is at `to`: into x, not yet on the constraints.
  void evaluate_moved(double s, const double* to, double t, int orders) {
    c.swap(from_moved);
    evaluate_at(s, static_cast<std::size_t>(orders));
    c.swap(from_moved);
    move_back(to, t, to_kink);
  }

  // Over a step of length h that ends at a state, and perhaps at a kink: x has the rates there, not yet on
  // the constraints. `ticks`: how exactly the end of the step is known.
  void step(double h, const double* to, double t, int orders, bool has_kinks, double ticks) {
    if (moves_with_kink) return evaluate_moved(h, to, t, orders);
    constexpr double kBeyond = 1e-6;  // a kink that the step has ended at lies within it
    const S kink =
        has_kinks ? moving->smooth_until(S(h * (1.0 + kBeyond))) : S(std::numeric_limits<double>::infinity());
    S length(h);
    const bool at_kink = std::fabs(kink.value() - h) <= 1e-9 * h + ticks;
    for (int j = 0; at_kink && j < S::kDirections; ++j) length.set_rate(j, kink.rate(j));
    evaluate(length, orders);
    if (at_kink) move_back(to, t, length);
  }

  // How long a step may be for the rates of all directions, each by its own size; h: as long as that is
  // enough. `lanes_of_motion`: the leading ones, which step control looks at.
  double allowed(double h, int passes, const RateLimits& limits, std::size_t lanes_of_motion) {
    for (int k = 0; k <= limits.order; ++k) {
      if (limits.is_first(k) || k >= limits.first_looked_at())
        note_sizes(k, lanes_of_motion, sizes[static_cast<std::size_t>(k)]);
    }
    for (int pass = 0; pass < passes; ++pass) {
      const double shrink = shrinking(h, limits);
      if (shrink == 1.0) break;
      h *= shrink;
    }
    return h;
  }

 private:
  // The instant has moved: what is there, or lies beyond it, has moved on by so much less.
  void move_back(const double* to, double t, const S& instant) {
    std::vector<S> end = x, slope(lanes());
    for (std::size_t i = 0; i < lanes(); ++i) end[i].set_part(0, to[i]);
    moving->rhs(S(t), end.data(), slope.data());
    for (std::size_t i = 0; i < lanes(); ++i) {
      for (int j = 0; j < S::kDirections; ++j)
        x[i].set_rate(j, x[i].rate(j) - slope[i].value() * instant.rate(j));
    }
  }

  // A few lanes at once: their sums need not wait for one another.
  void evaluate_at(double h, std::size_t last) {
    constexpr std::size_t kAtOnce = 4;
    const std::size_t n = lanes();
    const auto some = [&](std::size_t first, auto count) {
      for (int q = 0; q < S::kPacks; ++q) {
        typename S::Lanes sum[kAtOnce];
        for (std::size_t i = 0; i < count; ++i) sum[i] = c[last * n + first + i].rates(q);
        for (std::size_t k = last; k-- > 0;) {
          for (std::size_t i = 0; i < count; ++i) sum[i] = sum[i] * h + c[k * n + first + i].rates(q);
        }
        for (std::size_t i = 0; i < count; ++i) x[first + i].rates(q) = sum[i];
      }
    };
    std::size_t i = 0;
    for (; i + kAtOnce <= n; i += kAtOnce) some(i, std::integral_constant<std::size_t, kAtOnce>{});
    for (; i < n; ++i) some(i, std::integral_constant<std::size_t, 1>{});
  }

  // The largest rate of each direction, at order k.
  void note_sizes(int k, std::size_t lanes_of_motion, S& out) const {
    const S* row = c.data() + static_cast<std::size_t>(k) * lanes();
    for (int q = 0; q < S::kPacks; ++q) {
      constexpr std::size_t kAtOnce = 4;
      typename S::Lanes most = {};
      std::size_t i = 0;
      for (; i + kAtOnce <= lanes_of_motion; i += kAtOnce) {
#pragma GCC unroll 4
        for (std::size_t j = 0; j < kAtOnce; ++j)
          most = larger<typename S::Lanes>(size_of<typename S::Lanes>(row[i + j].rates(q)), most);
      }
      for (; i < lanes_of_motion; ++i)
        most = larger<typename S::Lanes>(size_of<typename S::Lanes>(row[i].rates(q)), most);
      out.rates(q) = most;
    }
  }

  double shrinking(double h, const RateLimits& limits) const {
    S whole(0.0);
    double power = 1.0, shrink = 1.0;
    for (int k = 0; k <= limits.order && limits.is_first(k); ++k, power *= h) {
      for (int q = 0; q < S::kPacks; ++q) {
        const typename S::Lanes term = sizes[static_cast<std::size_t>(k)].rates(q) * power;
        whole.rates(q) = larger(term, whole.rates(q));
      }
    }
    power = 1.0;
    int k = 0;
    for (; k < limits.first_looked_at(); ++k) power *= h;
    for (; k <= limits.order; ++k, power *= h) {
      const S& size = sizes[static_cast<std::size_t>(k)];
      const double limit = limits.of_last[static_cast<std::size_t>(k - limits.first_looked_at())];
      for (int q = 0; q < S::kPacks; ++q) {
        const typename S::Lanes term = size.rates(q) * power, most = limit * whole.rates(q);
        const auto beyond = (term > most) & (most > 0.0);
        if ((beyond[0] | beyond[1] | beyond[2] | beyond[3]) == 0) continue;
        for (int i = 0; i < S::kWidth; ++i) {
          if (beyond[i] != 0) shrink = std::min(shrink, std::pow(most[i] / term[i], 1.0 / k));
        }
      }
    }
    return shrink;
  }
};

}  // namespace catena
