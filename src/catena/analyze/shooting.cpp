#include "catena/analyze/shooting.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/analyze/linear_algebra.h"
#include "catena/base/words.h"
#include "catena/lab/run.h"
#include "catena/lab/variation.h"

namespace catena {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Seams are states: chains are in the formulations whose states have derivatives. Charts have angles of their
// own, which may be what was measured.
Scene measured(Scene scene) {
  const bool has_charts = std::any_of(scene.chains.begin(), scene.chains.end(), [](const Chain& chain) {
    return !formulation_info(chain.formulation).knows_planes;
  });
  return has_charts ? scene : in_unit_vectors(std::move(scene));
}

std::unique_ptr<Lab> guessed_lab(const FitProblem& problem) {
  std::vector<double> values;
  for (const FreeNumber& one : problem.free) values.push_back(one.guess);
  return std::make_unique<Lab>(measured(problem.scene(values)));
}

// Modelled less measured; angles in one turn differ by half a turn at most.
double difference(double modelled, double measured, bool wrapped) {
  const double plain = modelled - measured;
  return wrapped ? std::remainder(plain, kTurn) : plain;
}

// The nearest allowed state: one step of projection is enough for drift, not for a change of lengths.
std::vector<double> allowed(Lab& lab, double t, std::vector<double> x) {
  constexpr int kMost = 20;
  for (int i = 0; i < kMost; ++i) {
    std::vector<double> next = lab.projected(t, x);
    double change = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) change = std::max(change, std::fabs(next[j] - x[j]));
    x = std::move(next);
    if (!(change > 1e-14)) break;
  }
  return x;
}

// Small differences in a segment: those of its start by the factor that they have grown by, and what the
// errors of the numbers make of the state, beside its size.
constexpr double kMostGrowth = 4.0, kMostSpread = 0.3;
// A record in which both stay below is not cut.
constexpr double kHarmlessGrowth = 20.0, kHarmlessSpread = 0.5;

}  // namespace

struct Shooting::Followed {
  std::unique_ptr<Lab> lab;
  std::vector<std::size_t> numbers;     // free numbers of the scene, in the order of the lab's directions
  std::size_t states = 0;               // directions behind them: changes of the state
  std::vector<std::size_t> parameters;  // free numbers of the formulas: directions behind those
  std::vector<double> parameter_values, parameter_rates;
  bool rates = false;
  bool in_middle = false;  // the segment does not start where the scene does
  std::vector<double> offsets;
  std::vector<char> settled;

  std::size_t followed() const { return numbers.size() + states; }
  std::size_t directions() const { return followed() + parameters.size(); }
};

// How far small differences have come at the row sampled last.
struct Shooting::Spread {
  double growth = 0.0, by_numbers = 0.0;

  Spread(Followed& of, const std::vector<double>& errors) {
    const std::vector<double>& rates = of.lab->state_derivatives();
    const std::size_t n = of.lab->dimension(), lanes = of.lab->motion_lanes();
    const auto size = [&](const double* x) {
      double sum = 0.0;
      for (std::size_t i = 0; i < lanes; ++i) sum += x[i] * x[i];
      return sum;
    };
    double sum = 0.0, spread = 0.0;
    for (std::size_t j = 0; j < of.numbers.size(); ++j) {
      const double error = errors[of.numbers[j]];
      spread += error * error * size(rates.data() + j * n);
    }
    for (std::size_t j = 0; j < of.states; ++j) sum += size(rates.data() + (of.numbers.size() + j) * n);
    growth = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, of.states)));
    by_numbers = std::sqrt(spread / std::max(size(of.lab->sampled_state().data()), 1e-300));
  }
};

Shooting::Shooting(const FitProblem& problem, const FitControl& control)
    : problem_(problem),
      control_(control),
      observation_(*guessed_lab(problem), problem),
      acts_(problem.free.size(), 1) {
  row_.resize(observation_.columns().width());
  measured_.resize(observation_.count());
}

Shooting::~Shooting() = default;

void Shooting::throw_mistakes() const {
  if (!mistakes_.empty()) throw InputError(mistakes_);
}

bool Shooting::stopped() const { return control_.stop != nullptr && control_.stop->load(); }

std::size_t Shooting::first_row_at(double t) const {
  return static_cast<std::size_t>(std::lower_bound(problem_.times.begin(), problem_.times.end(), t) -
                                  problem_.times.begin());
}

// A lab with these numbers. `with_state`: changes of its state are followed too; `only_acting`: numbers that
// say where the motion starts, and nothing else, are not.
std::unique_ptr<Shooting::Followed> Shooting::made(const std::vector<double>& values, bool with_rates,
                                                   bool with_state, bool only_acting) {
  auto out = std::make_unique<Followed>();
  out->lab = std::make_unique<Lab>(measured(problem_.scene(values)));
  out->rates = with_rates;
  for (const FitPlan::Named& one : problem_.parameters) out->parameter_values.push_back(one.value);
  std::vector<Direction> directions;
  for (std::size_t j = 0; j < problem_.free.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    if (one.parameter) {
      out->parameter_values[*one.parameter] = values[j];
      out->parameters.push_back(j);
      continue;
    }
    if (!with_rates || (only_acting && !acts_[j])) continue;
    out->numbers.push_back(j);
    directions.push_back({one.path,
                          values[j],
                          [this, values, j](double value) {
                            std::vector<double> others = values;
                            others[j] = value;
                            return measured(problem_.scene(others));
                          },
                          {}});
  }
  if (with_rates && with_state) {
    for (std::vector<double>& start : out->lab->allowed_directions()) {
      directions.push_back({"state", 0.0, {}, std::move(start)});
      ++out->states;
    }
  }
  const std::size_t count = out->parameter_values.size();
  out->parameter_rates.assign(out->directions() * count, 0.0);
  for (std::size_t j = 0; j < out->parameters.size(); ++j)
    out->parameter_rates[(out->followed() + j) * count + *problem_.free[out->parameters[j]].parameter] = 1.0;
  if (!directions.empty()) out->lab->follow(std::move(directions));
  for (const Warning& warning : out->lab->warnings()) {
    const auto same = [&](const Warning& other) { return other.message == warning.message; };
    if (std::none_of(warnings_.begin(), warnings_.end(), same)) warnings_.push_back(warning);
  }
  return out;
}

bool Shooting::reach(Lab& lab, double t) {
  while ((t - lab.time()) - lab.state().t_lo > 1e-15 * t) {
    if (control_.pulse) control_.pulse();
    if (stopped()) {
      failure_ = "interrupted";
      return false;
    }
    const StepStatus status = lab.advance();
    if (status == StepStatus::done) continue;
    failure_ = failure_text(lab, status);
    return false;
  }
  return true;
}

void Shooting::reserve(const Followed& of, SegmentMotion& out) const {
  const std::size_t count = (out.last - out.first) * observed();
  out.residuals.assign(count, std::numeric_limits<double>::quiet_NaN());
  out.modelled.assign(count, std::numeric_limits<double>::quiet_NaN());
  if (!of.rates) return;
  out.by_numbers = Eigen::MatrixXd::Zero(index(count), index(problem_.free.size()));
  out.by_start = Eigen::MatrixXd::Zero(index(count), index(of.states));
}

// A motion that is taken up in the middle does not know how many whole turns came before: those that the
// first measurements agree with best.
void Shooting::settle_turns(Followed& of, std::size_t row) {
  const double* measured = problem_.values.data() + row * observed();
  const auto distance = [&](double& cell, double offset) {
    const double before = cell;
    cell += offset;
    observation_.values(row_.data(), of.parameter_values.data(), measured_.data());
    cell = before;
    double sum = 0.0;
    for (std::size_t c = 0; c < observed(); ++c) {
      const double difference = measured_[c] - measured[c];
      if (!std::isnan(difference)) sum += difference * difference;
    }
    return sum;
  };
  constexpr int kMostTurns = 8;
  const std::vector<std::size_t>& turning = observation_.turning();
  for (std::size_t i = 0; i < turning.size(); ++i) {
    double& cell = row_[turning[i]];
    if (!of.settled[i]) {
      double best = 0.0, least = distance(cell, 0.0);
      const double beside = distance(cell, kTurn);
      of.settled[i] = beside != least;
      for (int k = -kMostTurns; of.settled[i] && k <= kMostTurns; ++k) {
        const double now = distance(cell, k * kTurn);
        if (now < least) least = now, best = k * kTurn;
      }
      of.offsets[i] = best;
    }
    cell += of.offsets[i];
  }
}

bool Shooting::look(Followed& of, std::size_t row, SegmentMotion& out) {
  if (!reach(*of.lab, problem_.times[row])) return false;
  of.lab->sample(problem_.times[row], observation_.columns(), row_.data());
  if (of.in_middle) settle_turns(of, row);
  const std::size_t count = observed(), at = (row - out.first) * count;
  observation_.values(row_.data(), of.parameter_values.data(), out.modelled.data() + at);
  const double* measured = problem_.values.data() + row * count;
  bool any = false;
  for (std::size_t c = 0; c < count; ++c) {
    if (std::isnan(measured[c])) continue;
    any = true;
    double& residual = out.residuals[at + c];
    residual = difference(out.modelled[at + c], measured[c], observation_.is_wrapped(c));
    if (std::isfinite(residual)) continue;
    failure_ = fmt::format("{} is not a number at t = {} s", problem_.observed[c].name,
                           number_text(problem_.times[row]));
    return false;
  }
  if (!any || !of.rates) return true;
  const std::size_t directions = of.directions();
  column_rates_.assign(directions * row_.size(), 0.0);
  if (of.followed() > 0) of.lab->derivatives(observation_.columns(), column_rates_.data());
  observed_rates_.resize(count * directions);
  observation_.rates(row_.data(), of.parameter_values.data(), column_rates_.data(), of.parameter_rates.data(),
                     directions, observed_rates_.data());
  for (std::size_t c = 0; c < count; ++c) {
    if (std::isnan(measured[c])) continue;
    const double* rates = observed_rates_.data() + c * directions;
    for (std::size_t j = 0; j < of.numbers.size(); ++j)
      out.by_numbers(index(at + c), index(of.numbers[j])) = rates[j];
    for (std::size_t j = 0; j < of.states; ++j)
      out.by_start(index(at + c), index(j)) = rates[of.numbers.size() + j];
    for (std::size_t j = 0; j < of.parameters.size(); ++j)
      out.by_numbers(index(at + c), index(of.parameters[j])) = rates[of.followed() + j];
  }
  return true;
}

// Over the segment's rows and, `to_end`, to where the next one starts.
bool Shooting::travel(Followed& of, double end, bool to_end, SegmentMotion& out) {
  for (std::size_t row = out.first; row < out.last; ++row) {
    if (!look(of, row, out)) return false;
  }
  if (!to_end) return true;
  if (!reach(*of.lab, end)) return false;
  of.lab->sample(end, observation_.columns(), row_.data());
  out.end = of.lab->sampled_state();
  out.end_angles = of.lab->row_angles();
  if (!of.rates) return true;
  const std::size_t n = of.lab->dimension();
  out.end_by_numbers = Eigen::MatrixXd::Zero(index(n), index(problem_.free.size()));
  out.end_by_start = Eigen::MatrixXd::Zero(index(n), index(of.states));
  if (of.followed() == 0) return true;
  const std::vector<double>& rates = of.lab->state_derivatives();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < of.numbers.size(); ++j)
      out.end_by_numbers(index(i), index(of.numbers[j])) = rates[j * n + i];
    for (std::size_t j = 0; j < of.states; ++j)
      out.end_by_start(index(i), index(j)) = rates[(of.numbers.size() + j) * n + i];
  }
  return true;
}

void Shooting::begin(Followed& of, const SegmentStart& start, SegmentMotion& out) {
  of.in_middle = true;
  of.offsets.assign(observation_.turning().size(), 0.0);
  of.settled.assign(observation_.turning().size(), 0);
  Lab& lab = *of.lab;
  lab.place({start.t, 0.0, allowed(lab, start.t, start.x), std::vector<double>(start.x.size(), 0.0)},
            start.angles);
  const std::size_t n = lab.dimension();
  out.start.resize(n);
  for (std::size_t i = 0; i < n; ++i) out.start[i] = lab.state().hi[i] + lab.state().lo[i];
  if (!of.rates) return;
  std::vector<std::vector<double>> basis = lab.allowed_directions();
  if (basis.size() != of.states)
    throw InputError({lab.scene().name},
                     fmt::format("at t = {} s the joints allow {} changes of the state, and {} at "
                                 "the start: cut the record elsewhere, or say segments = 1",
                                 number_text(start.t), basis.size(), of.states));
  out.basis.resize(index(n), index(basis.size()));
  std::vector<double> rates(of.numbers.size() * n, 0.0);
  for (std::size_t j = 0; j < basis.size(); ++j) {
    for (std::size_t i = 0; i < n; ++i) out.basis(index(i), index(j)) = basis[j][i];
    rates.insert(rates.end(), basis[j].begin(), basis[j].end());
  }
  lab.set_state_derivatives(rates);
  out.start_by_numbers = Eigen::MatrixXd::Zero(index(n), index(problem_.free.size()));
  for (std::size_t j = 0; j < of.numbers.size(); ++j) {
    for (std::size_t i = 0; i < n; ++i)
      out.start_by_numbers(index(i), index(of.numbers[j])) = lab.end_derivatives()[j * n + i];
  }
}

// After a segment in the middle: which numbers do anything there.
void Shooting::note_acting(const Followed& of, const SegmentMotion& motion) {
  if (knows_acting_ || !of.in_middle) return;
  for (const std::size_t j : of.numbers) {
    const bool still = motion.by_numbers.col(index(j)).isZero(0.0) &&
                       (motion.end_by_numbers.size() == 0 || motion.end_by_numbers.col(index(j)).isZero(0.0));
    acts_[j] = !still;
  }
  knows_acting_ = true;
}

bool Shooting::run(const std::vector<double>& values, const std::vector<SegmentStart>& starts,
                   bool with_rates, std::vector<SegmentMotion>& out) {
  out.assign(starts.size(), {});
  try {
    std::unique_ptr<Followed> of = made(values, with_rates, false, false);
    for (std::size_t k = 0; k < starts.size(); ++k) {
      SegmentMotion& motion = out[k];
      const bool is_last = k + 1 == starts.size();
      motion.first = k == 0 ? 0 : out[k - 1].last;
      motion.last = is_last ? problem_.times.size() : first_row_at(starts[k + 1].t);
      if (k == 1 && with_rates) of = made(values, true, true, knows_acting_);
      if (k > 0) {
        SegmentStart start = starts[k];
        // What adds up along the motion goes on from where it is.
        for (std::size_t i = of->lab->motion_lanes(); i < start.x.size(); ++i) start.x[i] = out[k - 1].end[i];
        begin(*of, start, motion);
      }
      reserve(*of, motion);
      if (!travel(*of, is_last ? 0.0 : starts[k + 1].t, !is_last, motion)) return false;
      if (with_rates) note_acting(*of, motion);
    }
    return true;
  } catch (const InputError& error) {
    failure_ = error.what();
    mistakes_ = error.mistakes();
    return false;
  }
}

// ---- a first guess of the segments' starts
// -------------------------------------------------------------------

bool Shooting::needs_segments(const std::vector<double>& values, const std::vector<double>& errors,
                              bool& needed) {
  const std::unique_ptr<Followed> of = made(values, true, true, false);
  for (std::size_t row = 0; row < problem_.times.size(); ++row) {
    if (!reach(*of->lab, problem_.times[row])) return false;
    of->lab->sample(problem_.times[row], observation_.columns(), row_.data());
    const Spread spread(*of, errors);
    needed = spread.growth > kHarmlessGrowth || spread.by_numbers > kHarmlessSpread;
    if (needed) return true;
  }
  return true;
}

// The likeliest start of a segment, from a prediction with its spread (in the segment's basis) and from the
// segment's data, linearised; what is uncertain about it is left. Returns how far it moved.
double Shooting::adjust(const SegmentMotion& motion, const std::vector<double>& predicted,
                        const Eigen::MatrixXd& spread, const std::vector<double>& noise,
                        std::vector<double>& x, Eigen::MatrixXd& left) const {
  const Eigen::Index m = motion.basis.cols();
  Eigen::VectorXd away(index(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) away(index(i)) = motion.start[i] - predicted[i];
  const Eigen::MatrixXd information = spread.ldlt().solve(Eigen::MatrixXd::Identity(m, m));
  Eigen::MatrixXd normal = information;
  Eigen::VectorXd gradient = information * (motion.basis.transpose() * away);
  for (std::size_t i = 0; i < motion.residuals.size(); ++i) {
    if (std::isnan(motion.residuals[i])) continue;
    const double weight = 1.0 / noise[i % observed()];
    const Eigen::VectorXd slope = weight * motion.by_start.row(index(i)).transpose();
    // An outlier must not pull further than a few standard deviations.
    const double residual = std::clamp(weight * motion.residuals[i], -1e3, 1e3);
    normal += slope * slope.transpose();
    gradient += residual * slope;
  }
  const Eigen::LDLT<Eigen::MatrixXd> factored(normal);
  const Eigen::VectorXd change = -(motion.basis * factored.solve(gradient));
  left = factored.solve(Eigen::MatrixXd::Identity(m, m));
  if (!change.allFinite()) return 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = motion.start[i] + change(index(i));
  return change.norm();
}

// Goes along the record, a segment at a time.
struct Shooting::Filter {
  Shooting& shooting;
  const std::vector<double>&errors, &noise;
  int count;
  std::unique_ptr<Followed> of;
  std::vector<SegmentStart> starts;
  std::size_t first = 0, last = 0;  // rows of the segment
  SegmentMotion motion;
  std::vector<double> predicted, x;  // its start, as the one before ended, and as the data have it
  Eigen::MatrixXd before, left;      // the spread of the first over lanes, of the second over the basis

  std::size_t rows() const { return shooting.problem_.times.size(); }
  bool is_first() const { return starts.size() == 1; }

  std::size_t planned_end() const {
    if (count == 0) return rows();
    const auto to_come = static_cast<std::size_t>(std::max(1, count + 1 - static_cast<int>(starts.size())));
    return first + (rows() - first) / to_come;
  }

  void place() {
    if (!is_first()) shooting.begin(*of, {starts.back().t, x, starts.back().angles}, motion);
  }

  // The segment's rows; it ends where small differences have grown, with enough rows to tell a state from.
  bool look_at_rows(bool may_cut) {
    const std::size_t seen = std::max<std::size_t>(1, shooting.observed());
    const std::size_t least = std::max<std::size_t>(2, (of->states + seen - 1) / seen);
    motion.first = first;
    motion.last = last;
    place();
    shooting.reserve(*of, motion);
    for (std::size_t row = first; row < last; ++row) {
      if (!shooting.look(*of, row, motion)) return false;
      if (!may_cut || row - first < least || rows() - row < least) continue;
      const Spread spread(*of, errors);
      if (spread.growth > kMostGrowth || spread.by_numbers > kMostSpread) last = row;
    }
    const std::size_t size = (last - first) * shooting.observed();
    motion.residuals.resize(size);
    motion.by_start.conservativeResize(index(size), Eigen::NoChange);
    return true;
  }

  double adjust() {
    constexpr double kFloor = 1e-6;
    const Eigen::Index m = motion.basis.cols();
    const Eigen::MatrixXd spread =
        motion.basis.transpose() * before * motion.basis + kFloor * kFloor * Eigen::MatrixXd::Identity(m, m);
    return shooting.adjust(motion, predicted, spread, noise, x, left);
  }

  // From the start that was found to where the next segment begins.
  bool go_on() {
    place();
    motion.last = motion.first;  // no rows again
    if (!shooting.travel(*of, shooting.problem_.times[last], true, motion)) return false;
    shooting.note_acting(*of, motion);
    predicted = x = motion.end;
    Eigen::MatrixXd by_numbers = motion.end_by_numbers;
    for (std::size_t j = 0; j < errors.size(); ++j) by_numbers.col(index(j)) *= errors[j];
    before = by_numbers * by_numbers.transpose();
    if (!is_first()) before += motion.end_by_start * left * motion.end_by_start.transpose();
    starts.push_back({shooting.problem_.times[last], motion.end, motion.end_angles});
    first = last;
    return true;
  }

  bool run() {
    constexpr int kPasses = 3;
    constexpr double kNear = 0.05;  // of lanes that are about 1: linear enough
    while (first < rows()) {
      last = planned_end();
      for (int pass = 0; pass < kPasses; ++pass) {
        if (!look_at_rows(count == 0 && pass == 0)) return false;
        if (is_first() || adjust() < kNear) break;
      }
      if (!is_first()) starts.back().x = x;
      if (last == rows()) return true;
      if (!go_on()) return false;
    }
    return true;
  }
};

bool Shooting::assimilate(const std::vector<double>& values, const std::vector<double>& errors,
                          const std::vector<double>& noise, int count, std::vector<SegmentStart>& starts) {
  starts.assign(1, {});
  try {
    bool needed = count > 1;
    if (count == 0 && !needs_segments(values, errors, needed)) return false;
    if (!needed) return true;
    Filter filter{*this, errors, noise, count, made(values, true, true, false), starts, 0, 0, {},
                  {},    {},     {},    {}};
    if (!filter.run()) return false;
    starts = std::move(filter.starts);
    return true;
  } catch (const InputError& error) {
    failure_ = error.what();
    mistakes_ = error.mistakes();
    return false;
  }
}

}  // namespace catena
