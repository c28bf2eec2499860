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

expr::SampledFormulas sampled_formulas(const LagrangianEquations& equations) {
  return {equations.graph, joined(motion_outputs(equations), tie_outputs(equations)), equations.inputs(), 1,
          static_cast<int>(equations.time())};
}

}  // namespace

LagrangianSystem::LagrangianSystem(const Lagrangian& given, bool decimals)
    : given_(given),
      decimals_(decimals),
      equations_(derive(given, decimals)),
      n_(given.coordinates.size()),
      m_(given.constraints.size()),
      motion_(equations_),
      sampled_(sampled_formulas(equations_)),
      matrices_(equations_.graph, joined(upper_half(equations_), equations_.jacobian), equations_.inputs()),
      exact_(equations_.graph, joined(equations_.constraints, equations_.gap_rates), equations_.inputs(),
             decimals),
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
  left_.resize(m_);
  solution_.resize(n_);
  reaction_.resize(m_);
  restored_hi_.resize(2 * n_ + 2);
  restored_lo_.resize(2 * n_);
  rates_.resize(2 * n_);
  // Where constraints have kinks in time, another piece may drive.
  const bool driven = given.piece || std::any_of(equations_.drift.begin(), equations_.drift.end(),
                                                 [&](NodeId node) { return !equations_.is_zero(node); });
  moves_energy_ = driven || !equations_.is_zero(equations_.loss) || !equations_.is_zero(equations_.power) ||
                  !equations_.is_zero(equations_.excess);
  const auto first_rate = static_cast<std::uint32_t>(n_);
  separable_ = m_ == 0 && !equations_.depends(joined(equations_.mass, equations_.force), first_rate,
                                              equations_.time() - 1);
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

bool LagrangianSystem::prepare_return(double t, const double* x) {
  std::copy_n(x, 2 * n_, inputs_.data());
  inputs_[2 * n_] = t;
  return factor(true);
}

const std::vector<double>& LagrangianSystem::way_back(const double* gaps) {
  for (std::size_t j = 0; j < m_; ++j) demand_[j] = -gaps[j];
  std::fill(right_.begin(), right_.end(), 0.0);
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), reaction_.data());
  return solution_;
}

double LagrangianSystem::correct_positions(double t, const double* hi, double* lo) {
  gaps(t, hi, lo);
  for (std::size_t j = 0; j < m_; ++j) left_[j] = static_cast<double>(gaps_[j]);
  const std::vector<double>& way = way_back(left_.data());
  double square = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    lo[i] += way[i];
    square += way[i] * way[i];
  }
  return std::sqrt(square);
}

void LagrangianSystem::correct_rates(double t, const double* hi, double* lo) {
  gaps(t, hi, lo);
  for (std::size_t j = 0; j < m_; ++j) left_[j] = static_cast<double>(gaps_[m_ + j]);
  const std::vector<double>& way = way_back(left_.data());
  for (std::size_t i = 0; i < n_; ++i) lo[n_ + i] += way[i];
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

const double* LagrangianSystem::restored(double t, const double* x, std::size_t accounts) {
  if (!given_.picks_coordinates) return x;
  std::copy_n(x, 2 * n_, restored_hi_.data());
  std::fill(restored_lo_.begin(), restored_lo_.end(), 0.0);
  project(t, restored_hi_.data(), restored_lo_.data());
  for (std::size_t i = 0; i < 2 * n_; ++i) restored_hi_[i] += restored_lo_[i];
  if (accounts != kNoAccounts) std::copy_n(x + accounts, 2, restored_hi_.data() + accounts);
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
  const int order = motion_.last_order();
  equations_ = derive(given_, decimals_);
  motion_ = LagrangianMotion<double>(equations_);
  sampled_ = sampled_formulas(equations_);
  matrices_ = {equations_.graph, joined(upper_half(equations_), equations_.jacobian), equations_.inputs()};
  exact_ = {equations_.graph, joined(equations_.constraints, equations_.gap_rates), equations_.inputs(),
            decimals_};
  energies_ = {equations_.graph, {equations_.kinetic, equations_.potential}, equations_.inputs(), decimals_};
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

bool LagrangianSystem::has_kinks() const {
  return !motion_.motion().switches().empty() || !motion_.ties().switches().empty();
}

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

bool LagrangianSystem::reads_time() const {
  const int time = static_cast<int>(equations_.time());
  return motion_.motion().reads(time) || motion_.ties().reads(time);
}

void LagrangianSystem::set_low_time(double low) {
  motion_.motion().set_low(low);
  motion_.ties().set_low(low);
}

bool LagrangianSystem::misses(double, double length) {
  return looks_inside() && sampled_.unseen() * length > allowed_;
}

double LagrangianSystem::smooth_until(int order, double length) const {
  length = first_break(motion_.motion(), order - 1, length, allowed_);
  return first_break(motion_.ties(), order, length, allowed_);
}

void LagrangianSystem::taylor(double t, const double* x, int order, double* c, std::size_t stride,
                              std::size_t accounts) {
  motion_.taylor(t, restored(t, x, accounts), order, c, stride, accounts);
}

void LagrangianSystem::rhs(double t, const double* x, double* dx, std::size_t accounts) {
  motion_.rhs(t, restored(t, x, accounts), dx, accounts);
}

void LagrangianSystem::multipliers(double t, const double* x, double* out) {
  rhs(t, x, rates_.data(), kNoAccounts);
  std::copy_n(motion_.multipliers(), m_, out);
}

Energies LagrangianSystem::energy(double t, const double* hi, const double* lo) {
  for (std::size_t i = 0; i < 2 * n_; ++i) exact_inputs_[i] = two_sum(hi[i], lo[i]);
  exact_inputs_[2 * n_] = t;
  DoubleDouble out[2];
  energies_.evaluate(exact_inputs_.data(), out);
  return {out[0], out[1], {}};
}

LagrangianSystem::LagrangianSystem(const LagrangianSystem&) = default;
LagrangianSystem::LagrangianSystem(LagrangianSystem&&) noexcept = default;
LagrangianSystem& LagrangianSystem::operator=(const LagrangianSystem&) = default;
LagrangianSystem& LagrangianSystem::operator=(LagrangianSystem&&) noexcept = default;
LagrangianSystem::~LagrangianSystem() = default;

}  // namespace catena
