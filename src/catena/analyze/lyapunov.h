// Lyapunov exponents with their standard errors, and what they must satisfy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/lab/run.h"

namespace catena {

struct LyapunovOptions {
  std::size_t exponents = 0;         // 0: all
  double duration = 0.0;             // s, of each start
  std::optional<double> error = {};  // wanted: the duration is doubled until all standard errors are smaller
  std::size_t starts = 2;
  std::uint64_t seed = 1;
  bool vectors = false;      // covariant vectors, too
  std::string resumed = {};  // LyapunovResult::memory of a shorter run of the same scene
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double time, double end)> progress = {};  // a few times a second
};

// Something that the exponents must satisfy.
struct LyapunovCheck {
  std::string name;     // "sum", "zeros", "pairs"
  std::string meaning;  // in words
  double value = 0.0;   // how far off it is, 1/s
  double allowed = 0.0;
  bool holds() const { return value <= allowed; }
};

// Angles between two covariant vectors: how often each degree from 0 to 90.
struct AngleHistogram {
  std::size_t first = 0, second = 0;  // from 0
  std::vector<double> counts;
};

struct LyapunovResult {
  std::size_t dimension = 0;                         // of the states that are allowed
  std::vector<double> exponents, errors;             // 1/s; standard errors
  std::vector<double> intervals;                     // half of the 95 % intervals
  std::vector<std::vector<double>> by_start;         // [start][exponent]
  std::vector<std::vector<double>> start_intervals;  // likewise, halves of the 95 % intervals of each alone
  double starts_want = 0.0;                          // s: so long starts would be independent; 0: they are
  double correlation_time = 0.0;                     // s, the longest
  std::size_t batches = 0;                           // the fewest
  bool is_settled = false;                           // batches are many correlation times long
  double sum = 0.0, sum_error = 0.0;
  std::optional<double> kaplan_yorke, kaplan_yorke_error;  // none: not all exponents that it needs are there
  double entropy = 0.0, entropy_error = 0.0;               // sum of positive ones, 1/s
  double duration = 0.0;                                   // s, of each start
  bool is_chaotic = false;                                 // the largest is beyond what order would show
  std::vector<double> times;                               // of the running values
  std::vector<std::vector<double>> running;                // [exponent][time], of the first start
  std::vector<std::pair<double, double>> looked_at;        // durations, and the largest error there
  std::vector<LyapunovCheck> checks;
  std::vector<AngleHistogram> angles;
  std::vector<double> vector_exponents;  // growth of the covariant vectors where angles were counted
  std::vector<std::string> notes;        // what should not pass in silence
  Outcome outcome = Outcome::done;
  std::string message;  // what failed, and what may help
  std::string memory;   // to go on with the same bits
};

// Throws InputError where tangents cannot be had, or more exponents are asked for than there are.
LyapunovResult lyapunov(const Scene& scene, const LyapunovOptions& options);

// The same step by step, for whoever watches it grow.
class LyapunovGrowth {
 public:
  // `duration` and `error` of the options say nothing here.
  LyapunovGrowth(const Scene& scene, const LyapunovOptions& options);
  ~LyapunovGrowth();

  // All starts to this time, unless `stop` is set on the way.
  Outcome grow(double to);
  // What all starts have reached, s.
  double time() const;
  // Of what there is so far.
  LyapunovResult result();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// j + (lambda_1 + .. + lambda_j)/|lambda_(j+1)|, j the last for which the sum is not negative; the number of
// exponents if it never is; none where more exponents are needed. J. L. Kaplan, J. A. Yorke (1979).
std::optional<double> kaplan_yorke_dimension(const std::vector<double>& exponents, std::size_t dimension);

}  // namespace catena
