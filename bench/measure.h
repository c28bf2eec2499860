// What every benchmark program shares: its options, how it times a call, and the JSON lines it prints.
// One line per measurement on standard output; `bench/run` collects them into tables.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace bench {

struct Options {
  bool quick = false;  // shorter repetitions, for a look rather than a claim
  std::string only;    // the one problem asked for; empty: all

  bool wants(std::string_view problem) const { return only.empty() || only == problem; }
};

inline Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--quick] [--only PROBLEM]\n", argv[0]);
      std::exit(2);
    }
  }
  return options;
}

// Processor time of the whole process, all threads together. On a quiet machine it is the time on the wall,
// since every program here works in one thread; on a busy one it leaves out the turns of others.
inline double now_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The shortest time of one call. Calls are timed in batches long enough for the clock, and the best batch
// counts: noise from the rest of the machine only ever adds.
template <class Call>
double best_seconds(Call&& call, const Options& options) {
  constexpr double kBatchSeconds = 1e-3;
  const double budget = options.quick ? 0.02 : 0.15;

  double start = now_seconds();
  call();
  const double first = std::max(now_seconds() - start, 1e-9);
  const long batch = std::clamp(static_cast<long>(kBatchSeconds / first), 1L, 1'000'000L);

  double best = std::numeric_limits<double>::infinity();
  const double end = now_seconds() + budget;
  int repetition = 0;
  do {
    start = now_seconds();
    for (long i = 0; i < batch; ++i) call();
    best = std::min(best, (now_seconds() - start) / static_cast<double>(batch));
    ++repetition;
  } while (repetition < 3 || now_seconds() < end);
  return best;
}

inline void print_forward_dynamics(std::string_view peer, int n, double seconds, double error,
                                   std::string_view note) {
  std::printf(
      "{\"peer\": \"%.*s\", \"problem\": \"forward-dynamics\", \"n\": %d, \"seconds\": %.6e, "
      "\"error\": %.3e, \"note\": \"%.*s\"}\n",
      static_cast<int>(peer.size()), peer.data(), n, seconds, error, static_cast<int>(note.size()),
      note.data());
  std::fflush(stdout);
}

inline void print_double_pendulum(std::string_view peer, double seconds, double energy_error, long steps,
                                  std::string_view note) {
  std::printf(
      "{\"peer\": \"%.*s\", \"problem\": \"double-pendulum-1000s\", \"seconds\": %.6e, "
      "\"energy_error\": %.3e, \"steps\": %ld, \"note\": \"%.*s\"}\n",
      static_cast<int>(peer.size()), peer.data(), seconds, energy_error, steps, static_cast<int>(note.size()),
      note.data());
  std::fflush(stdout);
}

}  // namespace bench
