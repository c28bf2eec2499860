// What a thread measures along its trajectory: angles that count turns, events, extremes, means, columns
// (catena/threads/frame.h).
#pragma once

#include "catena/threads/stepping.h"

namespace catena {
namespace threads {

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
CATENA_INLINE bool take_angles(P& p, const Moment<P>& before, Moment<P>& now) {
  if (!p.angles_of(now.in, now.wrapped)) return false;
  count_turns(p, before, now);
  return true;
}

// At `tau` behind the start of the step; h: its end.
template <class P>
CATENA_INLINE bool look_at(P& p, const Motion<P>& m, double tau, const Moment<P>& before, Moment<P>& now) {
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
CATENA_RARE bool look_at_rarely(P& p, const Motion<P>& m, double tau, const Moment<P>& before,
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
CATENA_RARE bool event_value(P& p, int event, const Motion<P>& m, double tau, const Turns<P>& before,
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
CATENA_RARE bool refine(P& p, int event, const Motion<P>& m, const Turns<P>& before, double low, double high,
                        double at_low, double at_high, double& best) {
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
CATENA_RARE bool find_roots(P& p, const Task& task, int event, const Motion<P>& m, double to,
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
CATENA_INLINE bool has_no_event(P& p, const Task& task, const Motion<P>& m, double to,
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
CATENA_RARE bool find_events(P& p, const Task& task, const Motion<P>& m, Track<P>& track) {
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
CATENA_RARE bool largest_between(P& p, int column, double sign, const Motion<P>& m, const Moment<P>& before,
                                 double low, double middle, double high, double& best_of_all,
                                 double at_middle) {
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
CATENA_RARE bool look_along(P& p, const Task& task, int index, const Motion<P>& m, double to,
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
CATENA_RARE bool begin(P& p, const Task& task, Track<P>& track) {
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
CATENA_INLINE Ended look(P& p, const Task& task, const Motion<P>& m, Track<P>& track) {
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

}  // namespace threads
}  // namespace catena
