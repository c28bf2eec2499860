// One trajectory in one thread, from its start to its end: steps of Taylor series, and what a sweep measures
// along them. C++ compilers and those of GPUs compile this very text, and both round as it is written. The
// step is that of LaneTaylor<1> (catena/integrate/lane_taylor.h), bit by bit; what it computes with, series,
// right-hand sides, columns and formulas, is the program P: recordings that were printed, or interpreted.
//
// On a GPU a step's series are to stay in registers. So what is usual is inlined, once each, and what is rare
// is called with a copy of the motion: one whose address nobody has taken needs no memory.
//
// A thread does what is usual. What is not, a formula that is decided otherwise than where it was recorded, a
// root that touches, a step that gets too short, it leaves to the labs of the host: `Ended::redo`.
#pragma once

#include "catena/math/band.h"
#include "catena/math/elementary_definitions.h"

#if defined(__CUDACC_RTC__)
#if !defined(CATENA_KEEPS_TOGETHER)
#define CATENA_KEEPS_TOGETHER 1
#endif
#if !defined(CATENA_TOGETHER)
#define CATENA_TOGETHER 16  // threads that wait until they begin a case, or look for events, together
#endif
#define CATENA_INLINE __forceinline__
#define CATENA_RARE __noinline__
#define CATENA_UNROLL _Pragma("unroll")
#define CATENA_LOOP _Pragma("unroll 1")
#else
#define CATENA_INLINE inline
#define CATENA_RARE inline
#define CATENA_UNROLL
#define CATENA_LOOP
#endif

namespace catena {
namespace threads {

constexpr double kInfinite = __builtin_inf();
constexpr double kNoNumber = __builtin_nan("");
constexpr double kTurn = 0x1.921fb54442d18p+2;
constexpr double kHalfTurn = 0x1.921fb54442d18p+1;
constexpr double kRoundoff = 0x1p-52;

enum class Ended : int { not_yet, done, redo };

// ---- what all threads are told ----------------------------------------------------------------------------

enum class Kind : int {
  last,
  at,
  smallest,
  largest,
  mean,
  range,
  event_time,
  event_count,
  event_column,
  nearest,
  steps,
  seconds,
};

struct Measure {
  Kind kind;
  int column;  // the first of its columns
  int event;
  int columns, points, first_point;  // of `nearest`
  double at;
};

struct Happening {
  int direction;  // 1 rising, -1 falling, 0 any
  int once;       // it is looked for until it has happened
  int stops;
};

constexpr int kMostMeasures = 12, kMostEvents = 12, kMostNumbers = 64;
constexpr int kNodes = 17;

struct Task {
  double tolerance, log_tolerance_per_order, first, longest, duration;
  double node[kNodes], weight[kNodes];  // of Clenshaw and Curtis on [-1, 1]
  int measures;
  int ends_with_events;  // nothing else is asked for: a case whose events have all happened is over
  Measure measure[kMostMeasures];
  Happening event[kMostEvents];
  double point[kMostNumbers];
};

// ---- the motion -------------------------------------------------------------------------------------------

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
  static CATENA_INLINE double excess(const P& p, const Task& task, Motion<P>& m, double h, double scale,
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
  static CATENA_INLINE Ended take(const P& p, const Task& task, Motion<P>& m) {
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

// ---- what is measured -------------------------------------------------------------------------------------

// What a moment inside a step shows: the state, and angles that count their turns.
template <class P>
struct Moment {
  double in[P::kMostInputs];  // t, the state, the angles
  double wrapped[P::kMostAngles], turns[P::kMostAngles];
};

template <class P>
struct Track {
  Moment<P> start;                                     // of the step at hand
  double when[P::kMostEvents], shown[P::kMostEvents];  // of the first one; infinite: not yet
  double count[P::kMostEvents];
  double result[P::kMostKept], other[P::kMostKept];  // smallest, largest, integrals, columns at times
  double end;
  double steps;
};

// Angles are the nearest to those before: between moments of a step nothing turns by half a turn.
template <class P>
CATENA_INLINE void count_turns(const P& p, const Moment<P>& before, Moment<P>& now) {
  const int n = p.states(), angles = p.angles();
  CATENA_UNROLL
  for (int a = 0; a < angles; ++a) {
    const double moved = now.wrapped[a] - before.wrapped[a];
    now.turns[a] = moved > kHalfTurn ? before.turns[a] - 1.0
                                     : (moved < -kHalfTurn ? before.turns[a] + 1.0 : before.turns[a]);
    now.in[1 + n + a] = now.wrapped[a] + kTurn * now.turns[a];
  }
}
template <class P>
CATENA_INLINE bool take_angles(const P& p, const Moment<P>& before, Moment<P>& now) {
  if (!p.angles_of(now.in, now.wrapped)) return false;
  count_turns(p, before, now);
  return true;
}

// At `tau` behind the start of the step; h: its end.
template <class P>
CATENA_INLINE bool look_at(const P& p, const Motion<P>& m, double tau, const Moment<P>& before,
                           Moment<P>& now) {
  const int n = p.states(), order = p.order();
  if (tau >= m.h) {
    now.in[0] = m.t_end;
    CATENA_UNROLL
    for (int i = 0; i < n; ++i) now.in[1 + i] = m.hi_end[i];
  } else {
    now.in[0] = m.t + (m.t_lo + tau);
    CATENA_UNROLL
    for (int i = 0; i < n; ++i) {
      double value = p.coefficient(m.c, order, i);
      CATENA_UNROLL
      for (int k = order - 1; k >= 1; --k) value = fused(value, tau, p.coefficient(m.c, k, i));
      now.in[1 + i] = m.hi[i] + fused(value, tau, m.lo[i]);
    }
  }
  return take_angles(p, before, now);
}

template <class P>
CATENA_RARE bool look_at_rarely(const P& p, const Motion<P>& m, double tau, const Moment<P>& before,
                                Moment<P>& now) {
  return look_at(p, m, tau, before, now);
}

// Signs of a function over a piece, from its values at -cos(pi j / 4).
struct Piece {
  bool has_no_root, is_monotone;
};
CATENA_INLINE Piece piece_of(const double* f) {
  const double r = 0x1.6a09e667f3bcdp-1, ends = 0.5 * (f[0] + f[4]), across = 0.5 * (f[4] - f[0]);
  const double pair = f[1] + f[3], apart = r * (f[3] - f[1]);
  const double c0 = 0.25 * (ends + pair + f[2]), c1 = 0.5 * (across + apart), c2 = 0.5 * (ends - f[2]),
               c3 = 0.5 * (across - apart), c4 = 0.25 * (ends - pair + f[2]);
  const double largest =
      larger_of(larger_of(size_of_number(f[0]), size_of_number(f[4])),
                larger_of(size_of_number(f[2]), larger_of(size_of_number(f[1]), size_of_number(f[3]))));
  const double unsure = 8.0 * (size_of_number(c3) + size_of_number(c4)) + 1e-15 * largest;
  const double rest = size_of_number(c1) + size_of_number(c2) + size_of_number(c3) + size_of_number(c4);
  const double d3 = 8.0 * c4, d2 = 6.0 * c3, d1 = d3 + 4.0 * c2, d0 = 0.5 * (d2 + 2.0 * c1);
  const double bend = size_of_number(d1) + size_of_number(d2) + size_of_number(d3);
  return {size_of_number(c0) > rest + unsure, size_of_number(d0) > bend + 16.0 * unsure};
}
CATENA_INLINE bool leaves_zero(const double* f) {
  bool out = f[0] == 0.0;
  for (int j = 1; j < 5; ++j)
    out = out && size_of_number(f[j]) > size_of_number(f[j - 1]) && (f[j] > 0.0) == (f[1] > 0.0);
  return out;
}
CATENA_INLINE double piece_node(int j) {  // of [0, 1]
  return j == 0 ? 0.0 : j == 1 ? 0x1.2bec333018866p-3 : j == 2 ? 0.5 : j == 3 ? 0x1.b504f333f9de6p-1 : 1.0;
}

// Of the moment before: what angles go on from.
template <class P>
struct Turns {
  double wrapped[P::kMostAngles], turns[P::kMostAngles];
};
template <class P>
CATENA_INLINE void copy_turns(const P& p, const double* wrapped, const double* turns, double* to_wrapped,
                              double* to_turns) {
  const int angles = p.angles();
  CATENA_UNROLL
  for (int a = 0; a < angles; ++a) {
    to_wrapped[a] = wrapped[a];
    to_turns[a] = turns[a];
  }
}

// The formula of one event of the step. States that it does not ask for are not computed.
template <class P>
CATENA_RARE bool event_value(const P& p, int event, const Motion<P>& m, double tau, const Turns<P>& before,
                             Turns<P>& now, double& value) {
  Moment<P> there, here;
  double all[P::kMostEvents];
  copy_turns(p, before.wrapped, before.turns, there.wrapped, there.turns);
  if (!look_at(p, m, tau, there, here) || !p.events_of(here.in, all)) return false;
  copy_turns(p, here.wrapped, here.turns, now.wrapped, now.turns);
  value = all[event];
  return value == value;
}

// The root between low and high, to the last digit of the clock: secants whose other end counts less when it
// stays twice (Anderson and Bjorck), and every eighth time a half.
template <class P>
CATENA_RARE bool refine(const P& p, int event, const Motion<P>& m, const Turns<P>& before, double low,
                        double high, double at_low, double at_high, double& best) {
  Turns<P> now;
  const double jump = size_of_number(at_high - at_low);
  const double tick = 0x1p-53 * (size_of_number(m.t) + high);
  double weighed_low = at_low, weighed_high = at_high, at_best = at_high;
  bool was_low = false;
  best = high;
  if (size_of_number(at_low) < size_of_number(at_high)) {
    best = low;
    at_best = at_low;
  }
  for (int i = 0; i < 200 && at_best != 0.0 && high - low > 2.0 * tick; ++i) {
    double next = 0.5 * (low + high);
    if (i % 8 != 7) {
      const double secant = low - weighed_low * ((high - low) / (weighed_high - weighed_low));
      // Not on an end: a tick beside it, so that the other end follows.
      if (secant == secant) next = larger_of(smaller_of(secant, high - tick), low + tick);
    }
    if (!(next > low && next < high)) break;
    double value;
    if (!event_value(p, event, m, next, before, now, value)) return false;
    if (size_of_number(value) <= size_of_number(at_best)) {
      best = next;
      at_best = value;
    }
    const bool is_low = (value > 0.0) == (at_low > 0.0) && value != 0.0;
    const double part = 1.0 - value / (is_low ? weighed_low : weighed_high);
    const double weight = is_low != was_low || i == 0 ? 1.0 : part > 0.0 ? part : 0.5;
    if (is_low) {
      weighed_high = weighed_high * weight;
      low = next;
      at_low = weighed_low = value;
    } else {
      weighed_low = weighed_low * weight;
      high = next;
      at_high = weighed_high = value;
    }
    was_low = is_low;
  }
  const double left = larger_of(size_of_number(at_low), size_of_number(at_high));
  return at_best == 0.0 || left <= 1e-3 * jump;  // else it jumps, or has a pole
}

// How far into a step a case that ends then goes.
template <class P>
CATENA_INLINE double until(const Motion<P>& m, double end) {
  return m.t_end >= end ? (end - m.t) - m.t_lo : m.h;
}

// Of margins that are positive where a formula has no root.
template <class P>
CATENA_INLINE bool are_clear(const P& p, const Task& task, const double* margin, const Track<P>& track) {
  bool out = true;
  const int events = p.events();
  CATENA_UNROLL
  for (int e = 0; e < events; ++e) {
    const bool is_over = task.event[e].once && track.when[e] < kInfinite;
    out = out && (is_over || margin[e] > 0.0);
  }
  return out;
}

// Roots of one event in (0, to], piece by piece.
template <class P>
CATENA_RARE bool find_roots(const P& p, const Task& task, int event, const Motion<P>& m, double to,
                            Track<P>& track) {
  const Happening& what = task.event[event];
  Turns<P> left, right, other;
  copy_turns(p, track.start.wrapped, track.start.turns, left.wrapped, left.turns);
  double at = 0.0, width = to, f[5], all[P::kMostEvents];
  if (!p.events_of(track.start.in, all)) return false;
  f[0] = all[event];
  if (!(f[0] == f[0])) return false;
  while (at < to) {
    const bool is_last = at + width >= to;
    const double end = is_last ? to : at + width;
    for (int j = 1; j <= 4; ++j) {
      const double tau = j == 4 ? end : fused(end - at, piece_node(j), at);
      if (!event_value(p, event, m, tau, j == 1 ? left : right, other, f[j])) return false;
      right = other;
    }
    Piece piece = piece_of(f);
    // A case that starts at a root, and at rest there, leaves it: that is none.
    if (at == 0.0 && leaves_zero(f)) piece.has_no_root = true;
    if (!piece.has_no_root && !piece.is_monotone) {
      width = 0.5 * (end - at);
      if (width < 1e-7 * to) return false;
      continue;
    }
    const bool crosses = !piece.has_no_root && f[0] != 0.0 && (f[4] == 0.0 || (f[0] > 0.0) != (f[4] > 0.0));
    const bool counts = what.direction == 0 || (what.direction > 0) == (f[0] < 0.0);
    if (crosses && counts) {
      double tau, low = at, high = end, at_low = f[0], at_high = f[4];
      for (int j = 1; j < 4; ++j) {
        const double between = fused(end - at, piece_node(j), at);
        if ((f[j] > 0.0) == (f[0] > 0.0)) {
          low = between;
          at_low = f[j];
        } else if (high == end) {
          high = between;
          at_high = f[j];
        }
      }
      if (!refine(p, event, m, left, low, high, at_low, at_high, tau)) return false;
      Moment<P> there, here;
      copy_turns(p, left.wrapped, left.turns, there.wrapped, there.turns);
      if (!look_at_rarely(p, m, tau, there, here)) return false;
      const double when = here.in[0];
      if (when <= task.duration) {
        track.count[event] += 1.0;
        if (track.when[event] == kInfinite) {
          track.when[event] = when;
          for (int i = 0; i < task.measures; ++i) {
            const Measure& measure = task.measure[i];
            if (p.kind(task, i) != Kind::event_column || measure.event != event) continue;
            double columns[P::kMostColumns];
            if (!p.columns_of(here.in, columns)) return false;
            track.shown[event] = columns[measure.column];
          }
          if (what.stops && when < track.end) track.end = when;
        }
        if (what.once) return true;
      }
    }
    left = right;
    f[0] = f[4];
    width = 2.0 * (end - at);
    at = end;
  }
  return true;
}

// Whether no event that is looked for happens in (0, to]: formulas of columns as polynomials along the step,
// with bounds for what they leave out (Bounded in catena/threads/program.cpp), are far from zero.
template <class P>
CATENA_INLINE bool has_no_event(const P& p, const Task& task, const Motion<P>& m, double to,
                                const Track<P>& track) {
  const int n = p.states(), order = p.order(), angles = p.angles(), events = p.events();
  if (events == 0) return true;
  double in[P::kMostNear], margin[P::kMostEvents];
  const double largest = size_of_all(m.hi, p.controlled());
  in[0] = m.t;
  in[1] = to;
  in[2] = 1.0 < largest ? largest : 1.0;
  CATENA_UNROLL
  for (int a = 0; a < angles; ++a) in[3 + a] = track.start.in[1 + n + a];
  CATENA_UNROLL
  for (int j = 0; j < P::kNearStates; ++j) {
    const int i = p.near_state(j);
    double* to_state = in + 3 + angles + j * (order + 1);
    to_state[0] = m.hi[i];
    CATENA_UNROLL
    for (int k = 1; k <= order; ++k) to_state[k] = p.coefficient(m.c, k, i);
  }
  if (!p.near_of(in, margin)) return false;
  return are_clear(p, task, margin, track);
}

// The same of all events, one after the other, by looking.
template <class P>
CATENA_RARE bool find_events(const P& p, const Task& task, const Motion<P>& m, Track<P>& track) {
  const int events = p.events();
  bool have_all = true;
  for (int e = 0; e < events; ++e) {
    const bool is_over = task.event[e].once && track.when[e] < kInfinite;
    // Events that end a case come first: behind them the others are not looked for.
    if (!is_over && !find_roots(p, task, e, m, until(m, track.end), track)) return false;
    have_all = have_all && track.when[e] < kInfinite;
  }
  if (task.ends_with_events && have_all) {
    track.end = 0.0;
    for (int e = 0; e < events; ++e) track.end = larger_of(track.when[e], track.end);
  }
  return true;
}

// The largest value of sign * column between low and high, where middle is no less than either.
template <class P>
CATENA_RARE bool largest_between(const P& p, int column, double sign, const Motion<P>& m,
                                 const Moment<P>& before, double low, double middle, double high,
                                 double& best_of_all, double at_middle) {
  constexpr double kGolden = 0.3819660112501051;
  Moment<P> now;
  double columns[P::kMostColumns], best = at_middle;
  for (int i = 0; i < 60 && high - low > 1e-11 * (1.0 + middle); ++i) {
    const bool right = high - middle > middle - low;
    const double other = right ? middle + kGolden * (high - middle) : middle - kGolden * (middle - low);
    if (!look_at_rarely(p, m, other, before, now) || !p.columns_of(now.in, columns)) return false;
    const double value = sign * columns[column];
    if (value > best) {
      if (right) {
        low = middle;
      } else {
        high = middle;
      }
      middle = other;
      best = value;
    } else if (right) {
      high = other;
    } else {
      low = other;
    }
  }
  best_of_all = larger_of(best, best_of_all);
  return true;
}

// Extremes and means of a column over (0, to].
template <class P>
CATENA_RARE bool look_along(const P& p, const Task& task, int index, const Motion<P>& m, double to,
                            const Moment<P>& end, Track<P>& track) {
  const Measure& measure = task.measure[index];
  double values[kNodes], taus[kNodes], columns[P::kMostColumns];
  const double half = 0.5 * to;
  Moment<P> now = track.start, next;
  double& integral = track.other[index];
  for (int j = 0; j < kNodes; ++j) {
    taus[j] = j == 0 ? 0.0 : j == kNodes - 1 ? to : fused(half, task.node[j], half);
    if (j > 0 && j < kNodes - 1) {
      if (!look_at_rarely(p, m, taus[j], now, next)) return false;
      now = next;
    }
    if (!p.columns_of(j == 0 ? track.start.in : j == kNodes - 1 ? end.in : now.in, columns)) return false;
    values[j] = columns[measure.column];
    if (!(values[j] == values[j])) return false;
    if (measure.kind == Kind::mean) integral = fused(half * task.weight[j], values[j], integral);
  }
  if (measure.kind == Kind::mean) return true;
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1.0 : -1.0;
    if (measure.kind == (side == 0 ? Kind::smallest : Kind::largest)) continue;
    double best = side == 0 ? track.result[index] : -track.other[index];
    for (int j = 0; j < kNodes; ++j) {
      const double here = sign * values[j];
      best = larger_of(here, best);
      if (j == 0 || j == kNodes - 1) continue;
      const double before = sign * values[j - 1], after = sign * values[j + 1];
      const bool is_peak = here >= before && here >= after;
      if (is_peak && here + (here - smaller_of(before, after)) > best) {
        // Angles go on from the start of the step.
        if (!largest_between(p, measure.column, sign, m, track.start, taus[j - 1], taus[j], taus[j + 1], best,
                             here))
          return false;
      }
    }
    if (side == 0) {
      track.result[index] = best;
    } else {
      track.other[index] = -best;
    }
  }
  return true;
}

// At the start of a case: `start` has time, state and turns.
template <class P>
CATENA_RARE bool begin(const P& p, const Task& task, Track<P>& track) {
  const int n = p.states(), angles = p.angles(), events = p.events();
  Moment<P>& start = track.start;
  if (!p.angles_of(start.in, start.wrapped)) return false;
  CATENA_UNROLL
  for (int a = 0; a < angles; ++a) start.in[1 + n + a] = start.wrapped[a] + kTurn * start.turns[a];
  for (int e = 0; e < events; ++e) {
    track.when[e] = kInfinite;
    track.shown[e] = kNoNumber;
    track.count[e] = 0.0;
  }
  CATENA_UNROLL
  for (int i = 0; i < p.measures(); ++i) {
    const Kind kind = p.kind(task, i);
    track.result[i] = kind == Kind::largest || kind == Kind::range ? -kInfinite : kNoNumber;
    track.other[i] = kind == Kind::smallest || kind == Kind::range ? kInfinite : 0.0;
  }
  track.end = task.duration;
  track.steps = 0.0;
  return true;
}

// After a step whose events are found. Ended::done: `track` has all measures of the case.
template <class P>
CATENA_INLINE Ended look(const P& p, const Task& task, const Motion<P>& m, Track<P>& track) {
  track.steps += 1.0;
  const double to = until(m, track.end);
  const bool is_over = m.t_end >= track.end;
  Moment<P> end;
  if (!look_at(p, m, to, track.start, end)) return Ended::redo;
  bool shows_end = false;
  CATENA_UNROLL
  for (int i = 0; i < p.measures(); ++i) {
    const Measure& measure = task.measure[i];
    switch (p.kind(task, i)) {
      case Kind::smallest:
      case Kind::largest:
      case Kind::mean:
      case Kind::range:
        if (p.looks_along() && to > 0.0) {
          const Motion<P> copy = m;
          const Moment<P> there = end;
          Track<P> changed = track;
          if (!look_along(p, task, i, copy, to, there, changed)) return Ended::redo;
          track.result[i] = changed.result[i];
          track.other[i] = changed.other[i];
        }
        break;
      case Kind::at: {
        const double tau = (measure.at - m.t) - m.t_lo;
        if (!p.looks_at_times() || measure.at > track.end || tau > to || !(track.other[i] == 0.0)) break;
        const Motion<P> copy = m;
        const Moment<P> start = track.start;
        Moment<P> now;
        double columns[P::kMostColumns];
        if (!look_at_rarely(p, copy, tau < 0.0 ? 0.0 : tau, start, now) || !p.columns_of(now.in, columns))
          return Ended::redo;
        track.result[i] = columns[measure.column];
        track.other[i] = 1.0;  // it is found
        break;
      }
      case Kind::last:
      case Kind::nearest:
        shows_end = true;
        break;
      default:
        break;
    }
  }
  track.start = end;
  if (!is_over) return Ended::not_yet;
  double columns[P::kMostColumns];
  if (shows_end && !p.columns_of(end.in, columns)) return Ended::redo;
  CATENA_UNROLL
  for (int i = 0; i < p.measures(); ++i) {
    const Measure& measure = task.measure[i];
    double& out = track.result[i];
    switch (p.kind(task, i)) {
      case Kind::last:
        out = columns[measure.column];
        break;
      case Kind::smallest:
        out = track.other[i];
        break;
      case Kind::mean:
        out = track.other[i] / track.end;
        break;
      case Kind::range:
        out = track.result[i] - track.other[i];
        break;
      case Kind::event_time:
        out = track.when[measure.event] <= track.end ? track.when[measure.event] : kNoNumber;
        break;
      case Kind::event_column:
        out = track.when[measure.event] <= track.end ? track.shown[measure.event] : kNoNumber;
        break;
      case Kind::event_count:
        out = track.count[measure.event];
        break;
      case Kind::nearest: {
        double least = kInfinite;
        out = kNoNumber;
        for (int q = 0; q < measure.points; ++q) {
          double square = 0.0;
          for (int d = 0; d < measure.columns; ++d) {
            const double apart =
                columns[measure.column + d] - task.point[measure.first_point + q * measure.columns + d];
            square = fused(apart, apart, square);
          }
          if (square < least) {
            least = square;
            out = q;
          }
        }
        break;
      }
      case Kind::steps:
        out = track.steps;
        break;
      case Kind::seconds:
        out = track.end;
        break;
      default:
        break;
    }
  }
  return Ended::done;
}

// ---- threads ----------------------------------------------------------------------------------------------

// Where a number of the start is found: data[offset + index / divisor % modulus].
struct StartEntry {
  std::uint64_t offset, divisor, modulus;
};

// The cases of a chunk: hi, lo and turns of each at its start, and where results go.
struct Cases {
  std::uint64_t count, first;  // the numbers of the cases are first + i, or first + which[i]
  const std::uint32_t* which;  // null: all
  const StartEntry* entries;   // hi, lo, turns
  const double* data;
  double* results;       // [case][measure]
  std::uint32_t* steps;  // [case]; 0: to be done by the host
  std::uint64_t* next;   // the next that nobody has begun
};

CATENA_INLINE std::uint64_t next_case(std::uint64_t* counter) {
#if defined(__CUDACC_RTC__)
  return atomicAdd(counter, std::uint64_t{1});
#else
  return (*counter)++;
#endif
}

// Of the threads that go together: whether so many wait for a case that it is worth while to begin some, and
// whether all have done.
CATENA_INLINE bool are_enough(bool is_idle) {
#if defined(__CUDACC_RTC__)
  return __popc(__ballot_sync(0xffffffffu, is_idle)) >= CATENA_TOGETHER;
#else
  return is_idle;
#endif
}
// Those of a block go through the text of a step side by side, so that each of its lines is fetched once: it
// is longer than what a processor keeps of it.
CATENA_INLINE void keep_together() {
#if defined(__CUDACC_RTC__) && CATENA_KEEPS_TOGETHER
  __syncthreads();
#endif
}
CATENA_INLINE bool are_all(bool is_out) {
#if defined(__CUDACC_RTC__)
  return __all_sync(0xffffffffu, is_out);
#else
  return is_out;
#endif
}

CATENA_INLINE std::uint64_t place_of(const StartEntry& entry, std::uint64_t index) {
  if (index < 0x100000000u && entry.divisor < 0x100000000u && entry.modulus < 0x100000000u) {
    const auto few = static_cast<std::uint32_t>(index);
    return entry.offset +
           few / static_cast<std::uint32_t>(entry.divisor) % static_cast<std::uint32_t>(entry.modulus);
  }
  return entry.offset + index / entry.divisor % entry.modulus;
}

CATENA_RARE void read_start(const Cases& cases, std::uint64_t index, int count, double* out) {
  CATENA_LOOP
  for (int i = 0; i < count; ++i) out[i] = cases.data[place_of(cases.entries[i], index)];
}

// One case after the other, until there are no more. Threads beside each other take their steps together,
// whichever case each is in. What is rare, a new case and a step in which events may happen, they do
// together, too: those that come to it wait until there are some.
template <class P>
CATENA_INLINE void work(const Task& task, const Cases& cases) {
  const P p{};
  Motion<P> m;
  Track<P> track;
  std::uint64_t at = 0;
  bool is_idle = true, is_out = false, waits = false;
  for (;;) {
    const bool is_time = are_enough(is_idle || waits);
    if (is_time && is_idle && !is_out) {
      at = next_case(cases.next);
      is_out = at >= cases.count;
      if (!is_out) {
        const std::uint64_t index = cases.first + (cases.which == nullptr ? at : cases.which[at]);
        Track<P> begun;
        begun.start.in[0] = 0.0;
        double numbers[2 * P::kStates + P::kMostAngles];
        read_start(cases, index, 2 * P::kStates + P::kAngles, numbers);
        CATENA_UNROLL
        for (int i = 0; i < P::kStates; ++i) {
          m.hi[i] = numbers[i];
          m.lo[i] = numbers[P::kStates + i];
          begun.start.in[1 + i] = m.hi[i];
        }
        CATENA_UNROLL
        for (int a = 0; a < P::kAngles; ++a) begun.start.turns[a] = numbers[2 * P::kStates + a];
        m.t = m.t_lo = 0.0;
        m.first = task.first;
        is_idle = !begin(p, task, begun);
        if (is_idle) cases.steps[at] = 0;
        track = begun;
      }
    }
    if (are_all(is_out)) return;
    keep_together();
    if (is_idle || (waits && !is_time)) continue;
    Ended ended = Ended::not_yet;
    if (!waits) {
      ended = Steps<P>::take(p, task, m);
      waits = ended == Ended::not_yet && !has_no_event(p, task, m, until(m, track.end), track);
      if (waits) continue;
    } else {
      const Motion<P> copy = m;
      Track<P> found = track;
      if (!find_events(p, task, copy, found)) ended = Ended::redo;
      track = found;
      waits = false;
    }
    if (ended == Ended::not_yet) ended = look(p, task, m, track);
    if (ended == Ended::not_yet && track.steps < 4e9) {
      go_on(p, m);
      continue;
    }
    cases.steps[at] = ended == Ended::done ? static_cast<std::uint32_t>(track.steps) : 0;
    CATENA_UNROLL
    for (int i = 0; i < p.measures(); ++i)
      cases.results[at * static_cast<std::uint64_t>(p.measures()) + static_cast<std::uint64_t>(i)] =
          track.result[i];
    is_idle = true;
  }
}

}  // namespace threads
}  // namespace catena
