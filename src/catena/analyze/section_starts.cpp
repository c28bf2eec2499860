#include "catena/analyze/section_starts.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "catena/analyze/statistics.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
// Named, since a class that the header names has them.
namespace on_section {

std::optional<std::string> energy_column(const Lab& lab) {
  const WorldFacts facts = lab.facts();
  if (!facts.equations) return "energy";
  if (facts.equations->invariants.size() == 1) return facts.equations->invariants[0];
  return std::nullopt;
}

// Solves for states: formula = 0, axes = what is wanted, energy = what is wanted, among the states that the
// constraints allow, by Newton's method with the smallest change.
class Solver {
 public:
  Solver(const Scene& scene, const SectionOptions& options, const std::optional<std::string>& energy)
      : lab_(scene), base_(lab_.state()), angles_(lab_.row_angles()), rising_(options.direction) {
    conditions_.emplace_back(lab_, options.when, Place{"--when"}, "section");
    if (energy) conditions_.emplace_back(lab_, *energy, Place{"--energy"}, "energy");
    for (const std::string& axis : options.axes) {
      if (!axis.empty()) conditions_.emplace_back(lab_, axis, Place{"--axes"}, "axis");
    }
  }

  Lab& lab() { return lab_; }

  // `count` of the conditions, in the order section, energy, axes.
  std::optional<std::vector<double>> solve(std::vector<double> x, const std::vector<double>& wanted) {
    constexpr int kPasses = 40;
    double last = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!put(x)) return std::nullopt;
      x = lab_.state().hi;
      const Eigen::VectorXd off = values(wanted);
      if (!off.allFinite()) return std::nullopt;
      const double worst = off.cwiseAbs().maxCoeff();
      if (worst < 1e-14 || (worst < 1e-11 && worst >= last)) return x;
      last = worst;
      const std::vector<std::vector<double>> basis = lab_.allowed_directions();
      Eigen::MatrixXd slopes(off.size(), static_cast<Eigen::Index>(basis.size()));
      const double h = 1e-6 * size_of(x);
      for (std::size_t k = 0; k < basis.size(); ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        if (!put(moved(x, basis[k], h))) return std::nullopt;
        slopes.col(column) = values(wanted);
        if (!put(moved(x, basis[k], -h))) return std::nullopt;
        slopes.col(column) = (slopes.col(column) - values(wanted)) / (2.0 * h);
      }
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor(slopes);
      factor.setThreshold(1e-9);
      Eigen::VectorXd step = -factor.solve(off);
      if (!step.allFinite()) return std::nullopt;
      const double limit = 0.5 * size_of(x);
      if (step.norm() > limit) step *= limit / step.norm();
      std::vector<double> next = x;
      for (std::size_t k = 0; k < basis.size(); ++k)
        next = moved(next, basis[k], step(static_cast<Eigen::Index>(k)));
      x = std::move(next);
    }
    return std::nullopt;
  }

  double value(const std::vector<double>& x, std::size_t condition) {
    if (!put(x)) return std::numeric_limits<double>::quiet_NaN();
    return conditions_[condition].value(lab_, base_.t, row_);
  }

  // Whether the motion passes the section the way that was asked for.
  bool passes(const std::vector<double>& x) {
    if (rising_ == "any") return true;
    const std::vector<double> rate = lab_.rhs(base_.t, x);
    double fastest = 1.0;
    for (const double one : rate) fastest = std::max(fastest, std::fabs(one));
    const double h = 1e-6 * size_of(x) / fastest;
    const double speed = value(moved(x, rate, h), 0) - value(moved(x, rate, -h), 0);
    return rising_ == "rising" ? speed > 0.0 : speed < 0.0;
  }

  // The same place with all rates reversed, where lanes are places and rates.
  std::vector<double> reversed(const std::vector<double>& x) {
    std::vector<double> out = x;
    const std::vector<std::string> names = lab_.facts().lanes;
    const bool halves = lab_.facts().lagrangian.has_value();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char first = names[i][0];
      const bool is_rate = halves ? i >= out.size() / 2
                                  : first == 'w' || first == 'v' || first == 'o' || first == 'p' ||
                                        names[i].find("_dot") != std::string::npos;
      if (is_rate) out[i] = -out[i];
    }
    return out;
  }

 private:
  static double size_of(const std::vector<double>& x) {
    double size = 1.0;
    for (const double one : x) size = std::max(size, std::fabs(one));
    return size;
  }
  static std::vector<double> moved(std::vector<double> x, const std::vector<double>& along, double by) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * along[i];
    return x;
  }
  bool put(const std::vector<double>& x) {
    if (!std::all_of(x.begin(), x.end(), [](double one) { return std::isfinite(one); })) return false;
    State state = base_;
    state.hi = x;
    std::fill(state.lo.begin(), state.lo.end(), 0.0);
    lab_.place(std::move(state), angles_);
    return true;
  }
  Eigen::VectorXd values(const std::vector<double>& wanted) {
    Eigen::VectorXd out(static_cast<Eigen::Index>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      out(static_cast<Eigen::Index>(i)) = conditions_[i].value(lab_, base_.t, row_) - wanted[i];
    return out;
  }

  Lab lab_;
  State base_;
  std::vector<AngleMemory> angles_;
  std::string rising_;
  std::vector<ColumnFormula> conditions_;
  std::vector<double> row_;
};

// Points that fill a square evenly: multiples of powers of the plastic number, M. Roberts (2018).
std::array<double, 2> spread_point(std::size_t i) {
  constexpr double kPlastic = 1.32471795724474602596;
  const auto fraction = [](double x) { return x - std::floor(x); };
  const auto n = static_cast<double>(i + 1);
  return {fraction(0.5 + n / kPlastic), fraction(0.5 + n / (kPlastic * kPlastic))};
}

struct Found {
  std::vector<double> state;
  std::array<double, 2> at;
};

// The way that a scene itself passes the section, where it does.
std::vector<std::vector<double>> own_passages(const Scene& scene, const SectionOptions& options,
                                              std::size_t enough = 12) {
  std::vector<std::vector<double>> out;
  Lab lab(scene);
  SectionWatch watch(lab, options.when, options.direction, {});
  while (lab.time() < options.duration && out.size() < enough && lab.advance() == StepStatus::done) {
    for (const SectionWatch::Passage& passage : watch.look(options.duration))
      out.push_back(lab.state_at(passage.time).hi);
  }
  return out;
}

}  // namespace on_section

using namespace on_section;

double energy_of(Lab& lab) {
  const std::optional<std::string> name = energy_column(lab);
  if (!name) return std::numeric_limits<double>::quiet_NaN();
  const Columns columns = lab.columns({*name});
  std::vector<double> row(columns.width());
  lab.observe(lab.time(), columns, row.data());
  return row[1];
}

std::vector<std::vector<double>> scattered_on_section(const Scene& scene, const SectionOptions& options,
                                                      bool on_energy) {
  Lab lab(scene);
  const std::optional<std::string> column = on_energy ? energy_column(lab) : std::nullopt;
  if (options.energy && !column)
    throw InputError({"--energy"}, "the motion keeps no energy on which starts could lie: leave it out");
  Solver solver(scene, options, column);
  const double own = column ? energy_of(lab) : 0.0, energy = options.energy.value_or(own);
  std::vector<double> wanted{0.0};
  if (column) wanted.push_back(energy);
  std::vector<std::vector<double>> out;
  const auto take = [&](const std::vector<double>& guess) {
    auto x = solver.solve(guess, wanted);
    if (x && !solver.passes(*x)) x = solver.solve(solver.reversed(*x), wanted);
    if (x && solver.passes(*x)) out.push_back(std::move(*x));
  };
  const std::size_t kept = column ? (options.starts + 1) / 2 : options.starts;
  const std::vector<std::vector<double>> passages = own_passages(scene, options, kept);
  for (const std::vector<double>& passage : passages) take(passage);
  // Around the middle of the motion, as far as its places and its rates go, whichever way.
  Random random(options.seed);
  const std::vector<double> start = lab.state().hi;
  std::vector<double> wide(lab.motion_lanes(), 0.0);
  for (const std::vector<double>& x : passages) {
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = std::max(wide[i], std::fabs(x[i]));
  }
  double widest = 0.0;
  for (std::size_t i = 0; i < wide.size(); ++i)
    widest = std::max(widest, std::max(wide[i], std::fabs(start[i])));
  for (std::size_t i = 0; column && i < 20 * options.starts && out.size() < options.starts; ++i) {
    if (options.stop && options.stop->load(std::memory_order_relaxed)) break;
    std::vector<double> x = start;
    for (const std::vector<double>& one : lab.allowed_directions()) {
      const double by = widest * random.normal();
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += by * one[k];
    }
    take(x);
  }
  if (out.empty())
    throw InputError(
        {scene.name},
        fmt::format(
            "the motion never passes the section '{}'{}: another formula, or a longer "
            "motion, may do",
            options.when,
            column ? fmt::format(", and no start on it has the energy {}", number_text(energy)) : ""));
  return out;
}

// Of the energy asked for, from where the scene's own motion passes the section.
class EnergySection::Spread {
 public:
  Spread(const Scene& scene, const SectionOptions& options, const std::string& energy)
      : solver_(scene, options, energy) {}

  Solver& solver() { return solver_; }

  void add(std::vector<double> state) {
    const std::array<double, 2> at{solver_.value(state, 2), solver_.value(state, 3)};
    for (int k = 0; k < 2; ++k) {
      low_[k] = found_.empty() ? at[k] : std::min(low_[k], at[k]);
      high_[k] = found_.empty() ? at[k] : std::max(high_[k], at[k]);
    }
    found_.push_back({std::move(state), at});
  }

  // A start at these axes, from the nearest that is known.
  bool try_at(const std::array<double, 2>& at, double energy) {
    std::vector<std::size_t> order(found_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return distance(found_[a].at, at) < distance(found_[b].at, at);
    });
    constexpr std::size_t kGuesses = 3;
    for (std::size_t i = 0; i < std::min(kGuesses, order.size()); ++i) {
      const std::vector<double> near = found_[order[i]].state;
      for (const std::vector<double>& guess : {near, solver_.reversed(near)}) {
        auto solved = solver_.solve(guess, {0.0, energy, at[0], at[1]});
        if (!solved || !solver_.passes(*solved)) continue;
        add(std::move(*solved));
        return true;
      }
    }
    return false;
  }

  // The same in small steps from the nearest one.
  bool try_on_the_way_to(const std::array<double, 2>& at, double energy) {
    constexpr int kSteps = 16;
    const auto nearest = std::min_element(found_.begin(), found_.end(), [&](const Found& a, const Found& b) {
      return distance(a.at, at) < distance(b.at, at);
    });
    Found from = *nearest;
    for (int i = 1; i <= kSteps; ++i) {
      const double part = static_cast<double>(i) / kSteps;
      const double a = nearest->at[0] + part * (at[0] - nearest->at[0]),
                   b = nearest->at[1] + part * (at[1] - nearest->at[1]);
      auto solved = solver_.solve(from.state, {0.0, energy, a, b});
      if (!solved) return false;
      from.state = std::move(*solved);
    }
    if (!solver_.passes(from.state)) return false;
    add(std::move(from.state));
    return true;
  }

  double span(int k) const { return std::max(high_[k] - low_[k], 0.05 * std::max(1.0, std::fabs(high_[k]))); }
  double low(int k) const { return low_[k]; }
  double high(int k) const { return high_[k]; }
  const std::vector<Found>& found() const { return found_; }

 private:
  double distance(const std::array<double, 2>& from, const std::array<double, 2>& to) const {
    const double a = (from[0] - to[0]) / span(0), b = (from[1] - to[1]) / span(1);
    return a * a + b * b;
  }

  Solver solver_;
  std::vector<Found> found_;
  std::array<double, 2> low_{}, high_{};
};

EnergySection::EnergySection(const Scene& scene, const SectionOptions& options) : options_(options) {
  Lab lab(scene);
  const std::optional<std::string> column = energy_column(lab);
  if (!column)
    throw InputError({scene.name},
                     "starts on one energy need an energy: give the equations one entry in "
                     "`invariants`, or the starts themselves by --starts FILE");
  const double own = energy_of(lab);
  energy_ = options.energy.value_or(own);
  spread_ = std::make_unique<Spread>(scene, options_, *column);
  Solver& solver = spread_->solver();
  std::vector<std::vector<double>> guesses = own_passages(scene, options);
  guesses.push_back(lab.state().hi);
  for (const std::vector<double>& guess : guesses) {
    // In steps of energy where one would be too wide.
    for (const int steps : {1, 8}) {
      std::optional<std::vector<double>> x = guess;
      for (int i = 1; i <= steps && x; ++i) x = solver.solve(*x, {0.0, own + (energy_ - own) * i / steps});
      if (!x) continue;
      if (!solver.passes(*x)) x = solver.solve(solver.reversed(*x), {0.0, energy_});
      if (!x || !solver.passes(*x)) continue;
      spread_->add(std::move(*x));
      break;
    }
  }
  if (spread_->found().empty())
    throw InputError(
        {scene.name},
        fmt::format("no start on the section '{}' has the energy {}: that of the scene is {}; a higher "
                    "one, or another section, may do",
                    options.when, number_text(energy_), number_text(own)));
}

EnergySection::~EnergySection() = default;

double EnergySection::energy() const { return energy_; }

std::array<double, 2> EnergySection::reach(int axis) const {
  return {spread_->low(axis), spread_->high(axis)};
}

std::optional<std::vector<double>> EnergySection::start_at(const std::array<double, 2>& at) {
  if (!spread_->try_at(at, energy_) && !spread_->try_on_the_way_to(at, energy_)) return std::nullopt;
  return spread_->found().back().state;
}

SpreadStarts EnergySection::spread(std::size_t starts) {
  Spread& spread = *spread_;
  // First how far the section reaches, then points spread over it.
  constexpr std::size_t kLooks = 80;
  for (std::size_t i = 0; i < kLooks; ++i) {
    const auto [u, v] = spread_point(i);
    std::array<double, 2> at{};
    const double place[2] = {u, v};
    for (int k = 0; k < 2; ++k) at[k] = spread.low(k) + (1.6 * place[k] - 0.3) * spread.span(k);
    spread.try_at(at, energy_);
  }
  const double low[2] = {spread.low(0), spread.low(1)}, span[2] = {spread.span(0), spread.span(1)};
  const std::size_t known = spread.found().size();
  SpreadStarts out;
  for (std::size_t i = 0; i < 40 * starts && spread.found().size() - known < starts; ++i) {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed)) break;
    const auto [u, v] = spread_point(i);
    spread.try_at({low[0] + u * span[0], low[1] + v * span[1]}, energy_);
  }
  for (std::size_t i = known; i < spread.found().size(); ++i) out.states.push_back(spread.found()[i].state);
  for (std::size_t i = 0; i < known && out.states.size() < starts; ++i)
    out.states.push_back(spread.found()[i].state);
  if (out.states.size() < starts)
    out.notes.push_back(fmt::format("{} on the section have the energy {}; {} were asked for",
                                    counted(out.states.size(), "start"), number_text(energy_), starts));
  return out;
}

SpreadStarts starts_on_section(const Scene& scene, const SectionOptions& options) {
  return EnergySection(scene, options).spread(options.starts);
}

}  // namespace catena
