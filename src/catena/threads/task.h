// What all threads of a sweep are told: which measures they take, and how exact they are to be. One text for
// C++ compilers and those of GPUs (catena/threads/frame.h).
#pragma once

#include "catena/math/band.h"
#include "catena/math/elementary_definitions.h"

#if defined(__CUDACC_RTC__)
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

}  // namespace threads
}  // namespace catena
