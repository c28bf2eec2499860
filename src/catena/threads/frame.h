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

#include "catena/threads/measuring.h"

#if defined(__CUDACC_RTC__)
#if !defined(CATENA_KEEPS_TOGETHER)
#define CATENA_KEEPS_TOGETHER 1
#endif
#if !defined(CATENA_TOGETHER)
#define CATENA_TOGETHER 16  // threads that wait until they begin a case, or look for events, together
#endif
#endif

namespace catena {
namespace threads {

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
  P p{};
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
        double numbers[2 * P::kStates + P::kMostAngles + P::kNumbers];
        read_start(cases, index, 2 * P::kStates + P::kAngles + P::kNumbers, numbers);
        bool is_taken = true;
        if constexpr (P::kNumbers > 0) is_taken = p.take(numbers + 2 * P::kStates + P::kAngles);
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
        is_idle = !is_taken || !begin(p, task, begun);
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
