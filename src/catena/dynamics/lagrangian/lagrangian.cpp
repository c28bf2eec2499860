#include "catena/dynamics/lagrangian/lagrangian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/base/words.h"
#include "catena/expr/kinks.h"

namespace catena {
namespace {

using expr::NodeId;

constexpr int kMostCorrections = 50;
// Below this, the next correction would be roundoff, and the factors at hand serve for the rates as well.
constexpr double kSmallCorrection = 1e-9;
// What Newton-Raphson leaves of a constraint that can be met is far below.
constexpr double kMet = 1e-9;

std::vector<NodeId> upper_half(const LagrangianEquations& equations) {
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < equations.coordinates; ++i) {
    for (std::size_t j = i; j < equations.coordinates; ++j)
      out.push_back(equations.mass[i * equations.coordinates + j]);
  }
  return out;
}

std::vector<NodeId> joined(std::vector<NodeId> first, const std::vector<NodeId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<NodeId> motion_outputs(const LagrangianEquations& equations) {
  return joined(joined(upper_half(equations), equations.force), {equations.loss, equations.power});
}

expr::SampledFormulas sampled_formulas(const LagrangianEquations& equations) {
  return {equations.graph, joined(motion_outputs(equations), joined(equations.jacobian, equations.drift)),
          equations.inputs(), 1, static_cast<int>(equations.time())};
}

}  // namespace

LagrangianSystem::LagrangianSystem(const Lagrangian& given, bool decimals)
    : given_(given),
      equations_(derive(given, decimals)),
      n_(given.coordinates.size()),
      m_(given.constraints.size()),
      motion_(equations_.graph, motion_outputs(equations_), equations_.inputs()),
      ties_(equations_.graph, joined(equations_.jacobian, equations_.drift), equations_.inputs()),
      excess_(equations_.graph, {equations_.excess}, equations_.inputs()),
      sampled_(sampled_formulas(equations_)),
      matrices_(equations_.graph, joined(upper_half(equations_), equations_.jacobian), equations_.inputs()),
      exact_(equations_.graph, joined(equations_.constraints, equations_.gap_rates), equations_.inputs()),
      energies_(equations_.graph, {equations_.kinetic, equations_.potential}, equations_.inputs(), decimals),
      saddle_(n_, m_) {
  inputs_.resize(2 * n_ + 1);
  exact_inputs_.resize(2 * n_ + 1);
  gaps_.resize(2 * m_);
  values_.resize(n_ * (n_ + 1) / 2 + m_ * n_);
  mass_.resize(n_ * n_);
  rows_.resize(m_ * n_);
  right_.resize(n_);
  demand_.resize(m_);
  solution_.resize(n_);
  reaction_.resize(m_);
  restored_hi_.resize(2 * n_);
  restored_lo_.resize(2 * n_);
  order_one_.resize(2 * (2 * n_ + 2));
  // Where constraints have kinks in time, another piece may drive.
  driven_ = given.piece || std::any_of(equations_.drift.begin(), equations_.drift.end(),
                                       [&](NodeId node) { return !equations_.is_zero(node); });
  moves_energy_ = driven_ || !equations_.is_zero(equations_.loss) || !equations_.is_zero(equations_.power) ||
                  !equations_.is_zero(equations_.excess);
  const auto first_rate = static_cast<std::uint32_t>(n_);
  separable_ = m_ == 0 && !equations_.depends(joined(equations_.mass, equations_.force), first_rate,
                                              equations_.time() - 1);
  reserve(2);
  check_start();
  for (std::size_t i = 0; decimals && m_ == 0 && i < n_; ++i) {
    start_.lo[i] = given_.coordinates[i].start_rest;
    start_.lo[n_ + i] = given_.coordinates[i].rate_rest;
  }
}

// ---- the start --------------------------------------------------------------------------------------------

void LagrangianSystem::check_start() {
  start_.hi.resize(2 * n_);
  start_.lo.assign(2 * n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    start_.hi[i] = given_.coordinates[i].start;
    start_.hi[n_ + i] = given_.coordinates[i].rate;
  }
  check_values();
  check_determined();
  if (m_ == 0) return;
  meet_constraints();
  check_determined();  // where it really starts
}

// Every formula by itself, so that the message can name it; then what was derived from them.
void LagrangianSystem::check_values() {
  std::vector<Mistake> mistakes;
  show(0.0, start_.hi.data(), start_.lo.data());
  const auto check = [&](NodeId node, const Place& place, const std::string& what) {
    double value = 0.0;
    expr::Program(equations_.graph, {node}, equations_.inputs()).evaluate(inputs_.data(), 1, &value);
    if (std::isfinite(value)) return;
    mistakes.push_back({place, fmt::format("lagrangian: {} has no finite value at the start ({}): a division "
                                           "by zero, or a function outside its domain",
                                           what, number_text(value))});
  };
  if (!given_.lagrangian.text.empty()) check(equations_.lagrangian, given_.lagrangian.place, "lagrangian");
  if (!given_.kinetic.text.empty()) check(equations_.kinetic, given_.kinetic.place, "kinetic");
  if (!given_.potential.text.empty()) check(equations_.potential, given_.potential.place, "potential");
  if (!given_.dissipation.text.empty())
    check(equations_.dissipation, given_.dissipation.place, "dissipation");
  for (std::size_t j = 0; j < m_; ++j)
    check(equations_.constraints[j], given_.constraints[j].place, fmt::format("constraint {}", j + 1));
  for (std::size_t i = 0; i < n_; ++i) {
    const LagrangianCoordinate& of = given_.coordinates[i];
    if (!of.force.text.empty())
      check(equations_.applied[i], of.force.place, "the force on '" + of.name + "'");
  }
  if (mistakes.empty()) {
    for (std::size_t i = 0; i < n_; ++i) {
      check(equations_.force[i], given_.place,
            fmt::format("the derived equation of '{}'", given_.coordinates[i].name));
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

void LagrangianSystem::meet_constraints() {
  const std::vector<double> asked = start_.hi;
  project(0.0, start_.hi.data(), start_.lo.data());
  std::vector<Mistake> mistakes;
  gaps(0.0, start_.hi.data(), start_.lo.data());
  for (std::size_t j = 0; j < 2 * m_; ++j) {
    const double gap = std::fabs(static_cast<double>(gaps_[j]));
    if (gap <= kMet) continue;
    mistakes.push_back(
        {given_.constraints[j % m_].place,
         fmt::format(
             "lagrangian: constraint {} cannot be met from this start: {}{} is left of it; change the "
             "start values{}",
             j % m_ + 1, j < m_ ? "" : "of its rate, ", number_text(gap),
             given_.picks_coordinates ? " of the dependent coordinates" : "")});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  for (std::size_t i = 0; i < 2 * n_; ++i) {
    const DoubleDouble sum = two_sum(start_.hi[i], start_.lo[i]);
    start_.hi[i] = sum.hi;
    start_.lo[i] = sum.lo;
    start_change_ = std::max(start_change_, std::fabs(start_.hi[i] - asked[i]));
  }
}

void LagrangianSystem::check_determined() {
  show(0.0, start_.hi.data(), start_.lo.data());
  const bool determined = factor(false);
  rank_ = saddle_.rank();
  redundant_ = saddle_.redundant();
  if (determined) {
    if (redundant_.empty()) return;
    // Constraints that follow from the others here, but not a little aside: a singular position.
    LanePair aside = start_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double part = 1.0 + 0.37 * static_cast<double>(i % 5);  // in no special direction
      aside.hi[i] += 1e-3 * part * std::max(1e-2, std::fabs(aside.hi[i]));
    }
    project(0.0, aside.hi.data(), aside.lo.data());
    if (!(constraint_error(0.0, aside.hi.data(), aside.lo.data()) <= kMet)) return;
    show(0.0, aside.hi.data(), aside.lo.data());
    if (factor(false) && saddle_.rank() <= rank_) return;
    throw InputError(
        given_.constraints[redundant_.front()].place,
        fmt::format("lagrangian: the start is a singular position of constraint {}, where the motion "
                    "can go on in more than one way; start it a little aside",
                    redundant_.front() + 1));
  }
  std::vector<std::string> names;
  const std::vector<double> direction = saddle_.undetermined();
  for (std::size_t i = 0; i < n_; ++i) {
    if (std::fabs(direction[i]) > 0.01) names.push_back("'" + given_.coordinates[i].name + "'");
  }
  throw InputError(
      given_.place,
      fmt::format("lagrangian: the motion of {} is left undetermined: at the start the Lagrangian "
                  "gives it no inertia, and no constraint ties it to the others; give it kinetic "
                  "energy or a constraint, or start aside of a pole",
                  fmt::join(names, ", ")));
}

// ---- back onto the constraints ----------------------------------------------------------------------------

void LagrangianSystem::show(double t, const double* hi, const double* lo) {
  for (std::size_t i = 0; i < 2 * n_; ++i) inputs_[i] = hi[i] + lo[i];
  inputs_[2 * n_] = t;
}

bool LagrangianSystem::factor(bool for_projection) {
  matrices_.evaluate(inputs_.data(), 1, values_.data());
  const double* value = values_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i; j < n_; ++j) mass_[i * n_ + j] = mass_[j * n_ + i] = *value++;
  }
  std::copy_n(value, m_ * n_, rows_.data());
  if (for_projection && given_.picks_coordinates) {
    for (std::size_t i = 0; i < n_; ++i) {
      std::fill_n(mass_.data() + i * n_, n_, 0.0);
      mass_[i * n_ + i] = 1.0;
      if (!given_.coordinates[i].independent) continue;
      for (std::size_t j = 0; j < m_; ++j) rows_[j * n_ + i] = 0.0;
    }
  }
  return saddle_.factor(mass_.data(), rows_.data());
}

void LagrangianSystem::gaps(double t, const double* hi, const double* lo) {
  for (std::size_t i = 0; i < 2 * n_; ++i) exact_inputs_[i] = two_sum(hi[i], lo[i]);
  exact_inputs_[2 * n_] = t;
  exact_.evaluate(exact_inputs_.data(), gaps_.data());
}

double LagrangianSystem::correct_positions(double t, const double* hi, double* lo) {
  gaps(t, hi, lo);
  for (std::size_t j = 0; j < m_; ++j) demand_[j] = -static_cast<double>(gaps_[j]);
  std::fill(right_.begin(), right_.end(), 0.0);
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), reaction_.data());
  double square = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    lo[i] += solution_[i];
    square += solution_[i] * solution_[i];
  }
  return std::sqrt(square);
}

void LagrangianSystem::correct_rates(double t, const double* hi, double* lo) {
  gaps(t, hi, lo);
  for (std::size_t j = 0; j < m_; ++j) demand_[j] = -static_cast<double>(gaps_[m_ + j]);
  std::fill(right_.begin(), right_.end(), 0.0);
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), reaction_.data());
  for (std::size_t i = 0; i < n_; ++i) lo[n_ + i] += solution_[i];
}

void LagrangianSystem::project(double t, const double* hi, double* lo) {
  if (m_ == 0) return;
  double size = 0.0;
  for (int i = 0; i < kMostCorrections; ++i) {
    show(t, hi, lo);
    if (!factor(true)) return;
    size = correct_positions(t, hi, lo);
    if (!(size > given_.newton_tolerance)) break;
  }
  if (size > kSmallCorrection) {
    show(t, hi, lo);
    factor(true);
  }
  correct_rates(t, hi, lo);
}

const double* LagrangianSystem::restored(double t, const double* x) {
  if (!given_.picks_coordinates) return x;
  std::copy_n(x, 2 * n_, restored_hi_.data());
  std::fill(restored_lo_.begin(), restored_lo_.end(), 0.0);
  project(t, restored_hi_.data(), restored_lo_.data());
  for (std::size_t i = 0; i < 2 * n_; ++i) restored_hi_[i] += restored_lo_[i];
  return restored_hi_.data();
}

double LagrangianSystem::constraint_error(double t, const double* hi, const double* lo) {
  if (m_ == 0) return 0.0;
  gaps(t, hi, lo);
  double largest = 0.0;
  for (const DoubleDouble& gap : gaps_) largest = std::max(largest, std::fabs(static_cast<double>(gap)));
  return largest;
}

double LagrangianSystem::margin(double t, const double* x) {
  std::copy_n(x, 2 * n_, inputs_.data());
  inputs_[2 * n_] = t;
  factor(false);
  return saddle_.rank() < rank_ ? 0.0 : saddle_.margin();
}

// ---- kinks in time ----------------------------------------------------------------------------------------

void LagrangianSystem::take_piece(double moment) {
  given_.piece = moment;
  equations_ = derive(given_);
  motion_ = {equations_.graph, motion_outputs(equations_), equations_.inputs()};
  ties_ = {equations_.graph, joined(equations_.jacobian, equations_.drift), equations_.inputs()};
  excess_ = {equations_.graph, {equations_.excess}, equations_.inputs()};
  sampled_ = sampled_formulas(equations_);
  matrices_ = {equations_.graph, joined(upper_half(equations_), equations_.jacobian), equations_.inputs()};
  exact_ = {equations_.graph, joined(equations_.constraints, equations_.gap_rates), equations_.inputs()};
  energies_ = {equations_.graph, {equations_.kinetic, equations_.potential}, equations_.inputs()};
  const int order = std::max(reserved_, 2);
  reserved_ = -1;
  reserve(order);
}

std::vector<double> LagrangianSystem::drifts(double t, const double* hi, const double* lo) {
  LanePair resting{{hi, hi + 2 * n_}, {lo, lo + 2 * n_}};
  for (std::vector<double>* lanes : {&resting.hi, &resting.lo})
    std::fill(lanes->begin() + static_cast<std::ptrdiff_t>(n_), lanes->end(), 0.0);
  gaps(t, resting.hi.data(), resting.lo.data());
  std::vector<double> out;
  for (std::size_t j = 0; j < m_; ++j) out.push_back(static_cast<double>(gaps_[m_ + j]));
  return out;
}

double LagrangianSystem::strike(double t, const double* hi, double* lo,
                                const std::vector<double>& drifts_before) {
  const std::vector<double> drifts_now = drifts(t, hi, lo);
  show(t, hi, lo);
  factor(false);
  correct_rates(t, hi, lo);
  double work = 0.0;
  for (std::size_t j = 0; j < m_; ++j) work -= reaction_[j] * 0.5 * (drifts_before[j] + drifts_now[j]);
  return work;
}

LagrangianSystem::Gap LagrangianSystem::largest_gap(double t, const double* hi, const double* lo) {
  gaps(t, hi, lo);
  Gap out;
  for (std::size_t j = 0; j < m_; ++j) {
    const double size = std::fabs(static_cast<double>(gaps_[j]));
    if (!(size <= out.size)) out = {j, size};
  }
  return out;
}

// ---- motion -----------------------------------------------------------------------------------------------

void LagrangianSystem::reserve(int order) {
  if (order <= reserved_) return;
  for (expr::SeriesProgram* program : {&motion_, &ties_, &excess_}) program->reserve(1, order);
  const auto orders = static_cast<std::size_t>(order) + 1;
  q_.resize(orders * n_);
  v_.resize(orders * n_);
  lambda_.resize(orders * m_);
  reserved_ = order;
}

bool LagrangianSystem::has_kinks() const { return !motion_.switches().empty() || !ties_.switches().empty(); }

void LagrangianSystem::look_inside(double allowed) {
  if (allowed_ > 0.0) return;
  // Forces count by what they accelerate: the lightest coordinate at the start.
  show(0.0, start_.hi.data(), start_.lo.data());
  factor(false);
  double lightest = 1.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double inertia = std::fabs(mass_[i * n_ + i]);
    if (inertia > 0.0) lightest = std::min(lightest, inertia);
  }
  allowed_ = allowed * lightest;
}

bool LagrangianSystem::looks_inside() const { return allowed_ > 0.0 && !sampled_.empty(); }

void LagrangianSystem::sample(int which, double t, const double* x) {
  if (!looks_inside()) return;
  std::copy_n(x, 2 * n_, inputs_.data());
  inputs_[2 * n_] = t;
  sampled_.note(which, inputs_.data(), 1);
}

bool LagrangianSystem::misses(double length) {
  return looks_inside() && sampled_.unseen() * length > allowed_;
}

double LagrangianSystem::smooth_until(double length) const {
  length = first_break(motion_, last_order_ - 1, length, allowed_);
  return first_break(ties_, last_order_, length, allowed_);
}

// Orders k + 1 of the coordinates and rates and order k of the multipliers from all that is known below.
void LagrangianSystem::advance(int k) {
  const auto order = [&](std::vector<double>& rows, int j) {
    return rows.data() + static_cast<std::size_t>(j) * n_;
  };
  const auto time_coefficient = [this](int j) { return j == 0 ? inputs_[2 * n_] : j == 1 ? 1.0 : 0.0; };
  const auto feed = [&](expr::SeriesProgram& program, int j) {
    for (std::size_t i = 0; i < n_; ++i) {
      *program.input(j, static_cast<int>(i)) = order(q_, j)[i];
      *program.input(j, static_cast<int>(n_ + i)) = j <= k ? order(v_, j)[i] : 0.0;
    }
    *program.input(j, static_cast<int>(2 * n_)) = time_coefficient(j);
    program.advance(j);
  };
  for (std::size_t i = 0; i < n_; ++i) order(q_, k + 1)[i] = order(v_, k)[i] / (k + 1);
  feed(motion_, k);
  if (m_ > 0 && k == 0) feed(ties_, 0);
  if (m_ > 0) feed(ties_, k + 1);
  const int halves = static_cast<int>(n_ * (n_ + 1) / 2);
  if (k == 0) {
    int output = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i; j < n_; ++j)
        mass_[i * n_ + j] = mass_[j * n_ + i] = *motion_.output(0, output++);
    }
    for (std::size_t r = 0; r < m_ * n_; ++r) rows_[r] = *ties_.output(0, static_cast<int>(r));
    saddle_.factor(mass_.data(), rows_.data());
  }
  for (std::size_t i = 0; i < n_; ++i) right_[i] = *motion_.output(k, halves + static_cast<int>(i));
  int output = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i; j < n_; ++j, ++output) {
      if (motion_.is_steady(output)) continue;
      double first = 0.0, second = 0.0;
      for (int l = 1; l <= k; ++l) {
        const double m = *motion_.output(l, output) * (k + 1 - l);
        first += m * order(v_, k + 1 - l)[j];
        second += m * order(v_, k + 1 - l)[i];
      }
      right_[i] -= first;
      if (i != j) right_[j] -= second;
    }
  }
  for (std::size_t r = 0; r < m_; ++r) {
    demand_[r] = -*ties_.output(k + 1, static_cast<int>(m_ * n_ + r));
    for (std::size_t i = 0; i < n_; ++i) {
      const int g = static_cast<int>(r * n_ + i);
      for (int l = 1; l <= k + 1; ++l) demand_[r] -= *ties_.output(l, g) * order(v_, k + 1 - l)[i];
      for (int l = 1; l <= k; ++l)
        right_[i] += *ties_.output(l, g) * lambda_[static_cast<std::size_t>(k - l) * m_ + r];
    }
    demand_[r] *= k + 1;
  }
  double* multipliers = m_ > 0 ? lambda_.data() + static_cast<std::size_t>(k) * m_ : nullptr;
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), multipliers);
  for (std::size_t i = 0; i < n_; ++i) order(v_, k + 1)[i] = solution_[i] / (k + 1);
}

// Order k + 1 of what was dissipated and of the work done.
void LagrangianSystem::account(int k, double* next) {
  const int outputs = motion_.outputs();
  const double loss = *motion_.output(k, outputs - 2);
  double power = *motion_.output(k, outputs - 1);
  for (std::size_t r = 0; driven_ && r < m_; ++r) {
    for (int l = 0; l <= k; ++l) {
      power -=
          lambda_[static_cast<std::size_t>(l) * m_ + r] * *ties_.output(k - l, static_cast<int>(m_ * n_ + r));
    }
  }
  next[0] = loss / (k + 1);
  next[1] = power / (k + 1);
  if (equations_.is_zero(equations_.excess)) return;
  const auto feed = [&](int j) {
    for (std::size_t i = 0; i < n_; ++i) {
      *excess_.input(j, static_cast<int>(i)) = q_[static_cast<std::size_t>(j) * n_ + i];
      *excess_.input(j, static_cast<int>(n_ + i)) = v_[static_cast<std::size_t>(j) * n_ + i];
    }
    *excess_.input(j, static_cast<int>(2 * n_)) = j == 0 ? inputs_[2 * n_] : j == 1 ? 1.0 : 0.0;
    excess_.advance(j);
  };
  if (k == 0) feed(0);
  feed(k + 1);
  next[1] += *excess_.output(k + 1, 0);
}

void LagrangianSystem::taylor(double t, const double* x, int order, double* c, std::size_t stride,
                              std::size_t accounts) {
  reserve(order);
  last_order_ = order;
  if (accounts != kNoAccounts) std::copy_n(x + accounts, 2, c + accounts);
  const double* start = restored(t, x);
  std::copy_n(start, n_, q_.data());
  std::copy_n(start + n_, n_, v_.data());
  inputs_[2 * n_] = t;
  for (int k = 0;; ++k) {
    double* row = c + static_cast<std::size_t>(k) * stride;
    std::copy_n(q_.data() + static_cast<std::size_t>(k) * n_, n_, row);
    std::copy_n(v_.data() + static_cast<std::size_t>(k) * n_, n_, row + n_);
    if (k == order) return;
    advance(k);
    if (accounts != kNoAccounts) account(k, row + stride + accounts);
  }
}

void LagrangianSystem::rhs(double t, const double* x, double* dx, std::size_t accounts) {
  const std::size_t stride = 2 * n_ + (accounts == kNoAccounts ? 0 : 2);
  const int before = last_order_;
  taylor(t, x, 1, order_one_.data(), stride, accounts);
  last_order_ = before;
  std::copy_n(order_one_.data() + stride, stride, dx);
}

void LagrangianSystem::multipliers(double t, const double* x, double* out) {
  rhs(t, x, order_one_.data(), kNoAccounts);
  std::copy_n(lambda_.data(), m_, out);
}

Energies LagrangianSystem::energy(double t, const double* hi, const double* lo) {
  for (std::size_t i = 0; i < 2 * n_; ++i) exact_inputs_[i] = two_sum(hi[i], lo[i]);
  exact_inputs_[2 * n_] = t;
  DoubleDouble out[2];
  energies_.evaluate(exact_inputs_.data(), out);
  return {out[0], out[1], {}};
}

}  // namespace catena
