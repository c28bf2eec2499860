// A step of one trajectory in one thread: that of LaneTaylor<1> (catena/integrate/lane_taylor.h), bit by bit.
// What it computes with, series and right-hand sides, is the program P (catena/threads/frame.h).
#pragma once

#include "catena/threads/task.h"

namespace catena {
namespace threads {

// A step from (t + t_lo, hi + lo), and where it ends.
template <class P>
struct Motion {
  double t, t_lo, first, h, t_end, t_end_lo;
  double hi[P::kMostStates], lo[P::kMostStates], hi_end[P::kMostStates], lo_end[P::kMostStates];
  double c[P::kMostCoefficients];  // of the series, as the program has them
  double in[P::kMostInputs];
};

// As in LaneTaylor.
constexpr double kRoughLog2[] = {0x1.47f3ea46e8201p-19, 0x1.7144a261130e5p+0,  -0x1.6f439ee87b2b8p-1,
                                 0x1.d16aac97026bap-2,  -0x1.173e07caf7bc6p-2, 0x1.e1be41da5e110p-4,
                                 -0x1.9287e74f78021p-6};
CATENA_INLINE double rough_log2(double x) {
  const std::uint64_t words = words_of(x);
  const double exponent =
      same_bits<double>(std::uint64_t((words >> 52) | 0x4330000000000000)) - (0x1p52 + 1023.0);
  const double f = same_bits<double>(std::uint64_t((words & 0x000fffffffffffff) | 0x3ff0000000000000)) - 1.0;
  return exponent + polynomial(f, kRoughLog2);
}

// Largest of a row of coefficients, of states `from` to `to`.
template <class P>
CATENA_INLINE double size_of_row(const P& p, const Motion<P>& m, int k, int from, int to) {
  double out = 0.0;
  CATENA_UNROLL
  for (int i = from; i < to; ++i) out = larger_of(size_of_number(p.coefficient(m.c, k, i)), out);
  return out;
}
CATENA_INLINE double size_of_all(const double* x, int n) {
  double out = 0.0;
  CATENA_UNROLL
  for (int i = 0; i < n; ++i) out = larger_of(size_of_number(x[i]), out);
  return out;
}
CATENA_INLINE double smaller_of(double a, double b) { return b < a ? b : a; }

template <class P>
struct Steps {
  static constexpr int kN = P::kStates, kM = P::kControlled, kP = P::kOrder;
  static constexpr int kFirst = kP - 4 > 1 ? kP - 4 : 1;

  static CATENA_INLINE double size_of_order(const Motion<P>& m, int k) {
    return size_of_row(P{}, m, k, 0, kM);
  }

  static CATENA_INLINE double without_cancellation(const Motion<P>& m, double length, double scale) {
    constexpr int kLooks = kP >= 32 ? 6 : kP >= 16 ? 5 : kP >= 8 ? 4 : kP >= 4 ? 3 : kP >= 2 ? 2 : 1;
    double terms[kLooks];
    bool exceeds = false;
    double product = length;
    CATENA_UNROLL
    for (int i = 0; i < kLooks; ++i) {
      terms[i] = size_of_order(m, 1 << i);
      exceeds = exceeds || terms[i] * product > scale;
      product = product * product;
    }
    return exceeds ? shortened<kLooks>(terms, length, scale) : length;
  }
  template <int kLooks>
  static CATENA_RARE double shortened(const double* terms, double length, double scale) {
    double h = length, power = length;
    CATENA_LOOP
    for (int i = 0; i < kLooks; ++i) {
      if (terms[i] * power > scale) {
        power = scale / terms[i];
        h = elementary_kernels::pow<double>(power, 1.0 / (1 << i));
      }
      power = power * power;
    }
    return h;
  }

  static CATENA_INLINE double step_length(const Task& task, const Motion<P>& m, double scale) {
    double log_h = kInfinite;
    bool bad = false;
    const double log_scale = rough_log2(scale);
    CATENA_UNROLL
    for (int k = kFirst; k <= kP; ++k) {
      const double term = size_of_order(m, k);
      bad = bad || !(term < kInfinite);
      const double wanted = (log_scale - rough_log2(term)) * (1.0 / k);
      if (term > 0.0) log_h = smaller_of(log_h, wanted);
    }
    const double h = elementary_kernels::exp2<double>(log_h + task.log_tolerance_per_order);
    const double safe = h < kInfinite ? without_cancellation(m, h, scale) : h;
    return bad ? kNoNumber : safe;
  }

  static CATENA_RARE double length_of_few_orders(const Motion<P>& m, double scale) {
    double h = kInfinite;
    CATENA_LOOP
    for (int k = 1; k <= kP; ++k) {
      const double term = size_of_order(m, k);
      if (term > 0.0) {
        const double wanted = 0.9 * elementary_kernels::pow<double>(scale / term, 1.0 / k);
        h = wanted < h ? wanted : h;
      }
    }
    if (h < kInfinite) return h;
    const double t = size_of_number(m.t);
    return 1.0 < t ? t : 1.0;
  }

  static CATENA_INLINE double integrals_length(const Task& task, const Motion<P>& m) {
    if (kN == kM) return kInfinite;
    double log_h = kInfinite;
    CATENA_UNROLL
    for (int k = kFirst; k <= kP; ++k) {
      const double term = size_of_row(P{}, m, k, kM, kN);
      const double wanted = -rough_log2(term) * (1.0 / k);
      if (term > 0.0) log_h = smaller_of(log_h, wanted);
    }
    return 1.5 * elementary_kernels::exp2<double>(log_h + task.log_tolerance_per_order);
  }

  static CATENA_INLINE double on_the_clock(const Motion<P>& m, double h) {
    if (!P::kReadsTime) return h;
    const double end = m.t + (m.t_lo + h);
    const double length = (end - m.t) - m.t_lo;
    return length > 0.0 ? length : h;
  }

  // The step's sums, and its defect at the end over what is allowed.
  static CATENA_INLINE double excess(P& p, const Task& task, Motion<P>& m, double h, double scale,
                                     double* increment, bool& holds) {
    double slope[kN], rate[kN];
    CATENA_UNROLL
    for (int i = 0; i < kN; ++i) {
      double value = 0.0, change = 0.0;
      CATENA_UNROLL
      for (int k = kP; k >= 1; --k) {
        change = fused(change, h, value);
        value = fused(value, h, p.coefficient(m.c, k, i));
      }
      slope[i] = fused(change, h, value);
      increment[i] = value * h;
    }
    m.in[0] = m.t + h;
    CATENA_UNROLL
    for (int i = 0; i < kN; ++i) m.in[1 + i] = m.hi[i] + increment[i];
    holds = p.rhs(m.in, rate);
    double total = 0.0;
    CATENA_UNROLL
    for (int i = 0; i < kM; ++i) {
      rate[i] = rate[i] - slope[i];
      total = total + size_of_number(rate[i]);
    }
    const double defect = size_of_all(rate, kM), largest = size_of_all(m.in + 1, kN);
    const double over = defect * h / (kP + 1.0);
    const double finest = 8.0 * kRoundoff;
    const double allowed = 10.0 * (task.tolerance < finest ? finest : task.tolerance) * scale;
    return largest < 1e150 * scale && total < kInfinite ? over / allowed : kInfinite;
  }

  static CATENA_RARE double factor_of(double over) {
    const double part = 0.8 * elementary_kernels::pow<double>(1.0 / over, 1.0 / kP);
    return over < kInfinite ? (part < 0.1 ? 0.1 : smaller_of(part, 0.8)) : 0.1;
  }

  // One accepted step.
  static CATENA_INLINE Ended take(P& p, const Task& task, Motion<P>& m) {
    m.in[0] = m.t;
    CATENA_UNROLL
    for (int i = 0; i < kN; ++i) m.in[1 + i] = m.hi[i];
    if (!p.series(m.in, m.c)) return Ended::redo;
    const double largest = size_of_all(m.hi, kM), scale = 1.0 < largest ? largest : 1.0;
    double wanted = m.first > 0.0 ? m.first : step_length(task, m, scale);
    if (wanted == kInfinite) {
      const Motion<P> copy = m;
      wanted = length_of_few_orders(copy, scale);
    }
    if (!(wanted > 0.0)) return Ended::redo;
    wanted = smaller_of(smaller_of(wanted, task.longest), integrals_length(task, m));
    const double shortest = 4.0 * kRoundoff * larger_of(size_of_number(m.t), kRoundoff);
    m.h = on_the_clock(m, wanted);
    double increment[kN];
    CATENA_LOOP
    for (;;) {
      bool holds;
      const double over = excess(p, task, m, m.h, scale, increment, holds);
      if (!holds || m.h < shortest) return Ended::redo;
      if (over <= 1.0) break;
      m.h = on_the_clock(m, m.h * factor_of(over));
      if (!(m.h >= shortest)) return Ended::redo;
    }
    CATENA_UNROLL
    for (int i = 0; i < kN; ++i) {
      const Pair<double> sum = exact_sum(m.hi[i], increment[i]);
      const Pair<double> clean = exact_sum_of_ordered(sum.hi, m.lo[i] + sum.lo);
      m.hi_end[i] = clean.hi;
      m.lo_end[i] = clean.lo;
    }
    const Pair<double> time = exact_sum(m.t, m.h);
    const Pair<double> clock = exact_sum_of_ordered(time.hi, time.lo + m.t_lo);
    m.t_end = clock.hi;
    m.t_end_lo = clock.lo;
    if (P::kProjects) {
      double both[2 * kN], back[kN];
      CATENA_UNROLL
      for (int i = 0; i < kN; ++i) {
        both[i] = m.hi_end[i];
        both[kN + i] = m.lo_end[i];
      }
      if (!p.project(both, back)) return Ended::redo;
      CATENA_UNROLL
      for (int i = 0; i < kN; ++i) {
        const Pair<double> clean = exact_sum_of_ordered(m.hi_end[i], back[i]);
        m.hi_end[i] = clean.hi;
        m.lo_end[i] = clean.lo;
      }
    }
    return Ended::not_yet;
  }
};

// Where the last step ended, the next one starts.
template <class P>
CATENA_INLINE void go_on(const P& p, Motion<P>& m) {
  const int n = p.states();
  CATENA_UNROLL
  for (int i = 0; i < n; ++i) {
    m.hi[i] = m.hi_end[i];
    m.lo[i] = m.lo_end[i];
  }
  m.t = m.t_end;
  m.t_lo = m.t_end_lo;
  m.first = 0.0;
}

}  // namespace threads
}  // namespace catena
