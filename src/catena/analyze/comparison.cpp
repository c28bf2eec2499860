#include "catena/analyze/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Scene with(const Scene& scene, const Contender& contender) {
  Scene out = scene;
  out.events.clear();
  out.simulation.method = contender.custom ? "custom" : contender.method;
  if (contender.custom) out.simulation.custom = contender.custom;
  out.simulation.function = contender.function;
  out.simulation.step = contender.step;
  out.simulation.tolerance = contender.tolerance;
  out.simulation.order = contender.order;
  out.simulation.precision = "double";
  return out;
}

class Rows : public RowSink {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  void row(const double* values) override { rows.emplace_back(values, values + width_); }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

  std::vector<std::vector<double>> rows;

 private:
  std::size_t width_;
};

// Where in a row the columns of a name begin.
std::size_t place_of(const std::vector<Stem>& stems, const std::string& name, bool labelled) {
  std::size_t at = 0;
  for (const Stem& stem : stems) {
    if (stem.name == name && stem.labels.empty() != labelled) return at;
    at += std::max<std::size_t>(1, stem.labels.size());
  }
  return std::string::npos;
}

// Columns of positions: x, y and z of everything, or the coordinates or states of a system given by
// formulas.
struct Places {
  std::vector<std::array<std::size_t, 3>> points;
  std::vector<std::size_t> coordinates;

  Places(const std::vector<Stem>& stems, const std::vector<std::string>& names) {
    for (const std::string& name : names) coordinates.push_back(place_of(stems, name, false));
    for (const Stem& stem : stems) {
      const bool is_x = stem.name == "x" || stem.name.rfind("x_", 0) == 0;
      if (!is_x || stem.labels.empty()) continue;
      const std::string rest = stem.name.substr(1);
      for (std::size_t k = 0; k < stem.labels.size(); ++k) {
        points.push_back({place_of(stems, "x" + rest, true) + k, place_of(stems, "y" + rest, true) + k,
                          place_of(stems, "z" + rest, true) + k});
      }
    }
  }

  double distance(const std::vector<double>& a, const std::vector<double>& b) const {
    double largest = 0.0;
    for (const auto& [x, y, z] : points) {
      const double d = std::hypot(a[x] - b[x], a[y] - b[y], a[z] - b[z]);
      if (!(d <= largest)) largest = d;
    }
    for (const std::size_t at : coordinates) {
      const double d = std::fabs(a[at] - b[at]);
      if (!(d <= largest)) largest = d;
    }
    return largest;
  }
};

struct Run {
  RunSummary summary;
  std::vector<std::vector<double>> rows;
  std::vector<Stem> stems;
  std::size_t dimension = 0;
  std::string settings;
  std::vector<std::string> coordinates;  // of systems given by formulas
};

Run run_of(const Scene& scene, const ComparisonOptions& options) {
  Lab lab(scene);
  const Columns columns = lab.columns({});
  Rows rows(columns.width());
  RunControl control;
  control.stop = options.stop;
  control.progress = [&](double, double) {
    if (options.pulse) options.pulse();
  };
  const Schedule schedule = Schedule::grid(scene.simulation.sample, scene.simulation.duration);
  Run out;
  out.summary = run(lab, schedule, columns, 0, rows, control);
  out.rows = std::move(rows.rows);
  out.stems = columns.stems();
  out.dimension = lab.dimension();
  out.settings = lab.settings();
  out.coordinates = scene.coordinate_names();
  return out;
}

double largest_distance(const Run& run, const Run& reference, double& at_end) {
  const Places places(run.stems, run.coordinates);
  double largest = 0.0;
  at_end = kNan;
  for (std::size_t i = 0; i < std::min(run.rows.size(), reference.rows.size()); ++i) {
    const double distance = places.distance(run.rows[i], reference.rows[i]);
    if (!(distance <= largest)) largest = distance;
    if (i + 1 == reference.rows.size()) at_end = distance;
  }
  return run.rows.size() < reference.rows.size() ? kNan : largest;
}

// The vertical angular momentum about the pivots is kept where gravity is vertical and nothing else acts.
bool keeps_momentum(const Scene& scene) {
  const Vec3& g = scene.simulation.gravity;
  if (scene.chains.size() != 1 || !scene.forces.empty() || !scene.mechanism.bodies.empty()) return false;
  const Chain& chain = scene.chains[0];
  return g[0] == 0.0 && g[1] == 0.0 && !given(chain.pivot_motion) && !chain.end &&
         chain.velocity_damping == 0.0;
}

Score score_of(const Scene& scene, const Contender& contender, const Run& reference,
               const ComparisonOptions& options, std::vector<std::vector<double>>* kept) {
  Run run = run_of(with(scene, contender), options);
  // The shortest of a few runs: what else the machine does only adds.
  for (double spent = run.summary.step_seconds; spent < options.least_seconds;) {
    const Run again = run_of(with(scene, contender), options);
    spent += std::max(again.summary.step_seconds, 1e-4);
    run.summary.step_seconds = std::min(run.summary.step_seconds, again.summary.step_seconds);
  }
  Score score;
  score.contender = contender;
  score.summary = run.summary;
  const bool has_energy = scene.equations.states.empty();
  const std::size_t error = place_of(run.stems, "energy_error", false);
  const std::size_t size = place_of(run.stems, "step_size", false);
  const std::size_t momentum = place_of(run.stems, "lz_total", false);
  const bool keeps = keeps_momentum(scene);
  double sum = 0.0, drift = 0.0, largest = 0.0;
  for (const std::vector<double>& row : run.rows) {
    score.times.push_back(row[0]);
    score.energy_errors.push_back(has_energy ? row[error] : kNan);
    score.step_sizes.push_back(row[size]);
    if (has_energy) sum += std::fabs(row[error]), largest = std::max(largest, std::fabs(row[error]));
    if (keeps) drift = std::max(drift, std::fabs(row[momentum] - run.rows[0][momentum]));
  }
  const double rows = static_cast<double>(std::max<std::size_t>(1, run.rows.size()));
  score.mean_energy_error = has_energy ? sum / rows : kNan;
  score.largest_energy_error = has_energy ? largest : kNan;
  score.momentum_error = keeps ? drift : kNan;
  score.position_error = largest_distance(run, reference, score.final_error);
  if (contender.method == "taylor") {
    score.series_bytes = static_cast<double>(run.dimension) * (run.summary.order + 1) * sizeof(double);
  }
  if (kept != nullptr) *kept = std::move(run.rows);
  return score;
}

struct Reference {
  Run run;
  std::string words;
  double error = 0.0;
};

// The largest step of a row's positions that a double can tell.
double row_resolution(const Run& run) {
  const Places places(run.stems, run.coordinates);
  double largest = 0.0;
  for (const std::vector<double>& row : run.rows) {
    for (const auto& point : places.points) {
      for (const std::size_t at : point) largest = std::max(largest, std::fabs(row[at]));
    }
  }
  return std::numeric_limits<double>::epsilon() * largest;
}

// A scene in double-double would take about this many times as long as in double.
constexpr double kDoubleDoubleCost = 100.0;
constexpr double kMostReferenceSeconds = 60.0;

// Why the reference is to be computed in double, in words for a user; "" if it need not.
std::string double_reason(const Scene& precise, double double_seconds) {
  if (kDoubleDoubleCost * double_seconds > kMostReferenceSeconds) return "double-double would take minutes";
  try {
    const Lab lab(precise);
  } catch (const InputError& error) {
    return error.mistakes().front().message;
  }
  return "";
}

// The motion to more digits than those compared, and how far a solution of another order and tolerance is
// from it. Formulations are compared too: the reference has the one that knows most digits.
template <class Tell>
Reference reference_of(Scene scene, const ComparisonOptions& options, Tell tell_again) {
  for (Chain& chain : scene.chains) chain.formulation = Formulation::automatic;
  Reference out;
  out.run = run_of(with(scene, {"taylor", std::nullopt, 1e-18, std::nullopt}), options);
  Scene precise = with(scene, {"taylor", std::nullopt, 1e-28, std::nullopt});
  precise.simulation.precision = "double-double";
  const std::string reason = double_reason(precise, out.run.summary.step_seconds);
  double at_end = 0.0;
  if (!reason.empty()) {
    tell_again();
    out.words = fmt::format("{} (in double: {})", out.run.settings, reason);
    const Contender other{"taylor", std::nullopt, 1e-17, out.run.summary.order + 5};
    out.error = largest_distance(run_of(with(scene, other), options), out.run, at_end);
    return out;
  }
  out.run = run_of(precise, options);
  out.words = out.run.settings;
  tell_again();
  precise.simulation.tolerance = 1e-25;
  precise.simulation.order = out.run.summary.order + 5;
  // Rows are doubles: closer than that nobody sees.
  out.error = std::max(largest_distance(run_of(precise, options), out.run, at_end), row_resolution(out.run));
  return out;
}

// Those that apply; the others go into `left_out`. Throws all refusals at once where none applies.
std::vector<Contender> applicable(const Scene& scene, const std::vector<Contender>& contenders,
                                  std::vector<LeftOut>& left_out) {
  std::vector<Mistake> mistakes;
  std::vector<Contender> out;
  for (const Contender& contender : contenders) {
    try {
      const Lab lab(with(scene, contender));
      out.push_back(contender);
    } catch (const InputError& error) {
      left_out.push_back({contender, error.mistakes().front().message});
      for (const Mistake& mistake : error.mistakes()) {
        const bool known = std::any_of(mistakes.begin(), mistakes.end(), [&](const Mistake& other) {
          return other.message == mistake.message;
        });
        if (!known) mistakes.push_back(mistake);
      }
    }
  }
  if (out.empty() && !mistakes.empty()) throw InputError(std::move(mistakes));
  return out;
}

}  // namespace

std::string Contender::label() const {
  std::string out = method;
  if (step) out += fmt::format(", step {}", number_text(*step));
  if (tolerance) out += fmt::format(", tolerance {}", number_text(*tolerance));
  if (order) out += fmt::format(", order {}", *order);
  return out;
}

std::vector<Contender> contenders(const std::vector<std::string>& names, const std::vector<double>& steps,
                                  const std::vector<double>& tolerances, const std::vector<int>& orders) {
  std::vector<Contender> out;
  for (const std::string& name : names) {
    const Method* method = find_method(name);
    if (method != nullptr && !method->adaptive) {
      for (const double step : steps) out.push_back({name, step, std::nullopt, std::nullopt});
      continue;
    }
    std::vector<std::optional<double>> own(tolerances.begin(), tolerances.end());
    if (own.empty()) own.push_back(std::nullopt);
    for (const std::optional<double>& tolerance : own) {
      if (name != "taylor" || orders.empty()) out.push_back({name, std::nullopt, tolerance, std::nullopt});
      for (const int order : name == "taylor" ? orders : std::vector<int>{}) {
        out.push_back({name, std::nullopt, tolerance, order});
      }
    }
  }
  return out;
}

Comparison compare(const Scene& scene, const std::vector<Contender>& asked,
                   const ComparisonOptions& options) {
  Comparison out;
  const std::vector<Contender> contenders = applicable(scene, asked, out.left_out);
  const auto tell = [&](const std::string& what, std::size_t done) {
    if (options.progress) options.progress(what, done, contenders.size() + 2);
  };
  out.scene = scene.name;
  out.of_states = !scene.equations.states.empty();
  out.duration = scene.simulation.duration;
  tell("reference", 0);
  const Reference reference = reference_of(scene, options, [&] { tell("reference again", 1); });
  out.reference = reference.words;
  out.reference_error = reference.error;
  // Contenders run in double, and have no columns of further digits.
  const Scene plain = with(scene, contenders.empty() ? Contender{"taylor", {}, {}, {}} : contenders.front());
  out.stems = Lab(plain).columns({}).stems();
  for (const Contender& contender : contenders) {
    if (options.stop != nullptr && options.stop->load()) break;
    tell(contender.label(), out.scores.size() + 2);
    std::vector<std::vector<double>> rows;
    out.scores.push_back(
        score_of(scene, contender, reference.run, options, options.keep_rows ? &rows : nullptr));
    out.scores.back().rows = std::move(rows);
  }
  return out;
}

std::optional<double> fitted_order(const Comparison& comparison, const std::string& method,
                                   std::optional<int> order) {
  if (method == "taylor" && !order) return std::nullopt;  // another order at every tolerance
  // Between what roundoff leaves and what is no solution any more.
  const double floor = std::max(1e-12, 100 * comparison.reference_error);
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (const Score& score : comparison.scores) {
    if (score.contender.method != method || score.contender.order != order) continue;
    if (!(score.final_error > floor && score.final_error < 0.1) || score.summary.counts.steps == 0) continue;
    const double x = std::log(comparison.duration / static_cast<double>(score.summary.counts.steps));
    const double y = std::log(score.final_error);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2.0 || spread < 1e-6) return std::nullopt;
  return (n * sxy - sx * sy) / spread;
}

}  // namespace catena
