#include "catena/analyze/lyapunov_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/analyze/statistics.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/column_formula.h"
#include "catena/math/column_space.h"

namespace catena {
namespace {

constexpr std::size_t kMostLanes = 16;  // up to which divergences are added up
constexpr double kSumAllowed = 1e-10;   // 1/s

// Gauss-Legendre nodes and weights on [0, 1], by Newton's method on the polynomial.
struct Gauss {
  static constexpr int kNodes = 10;
  std::array<double, kNodes> at{}, weight{};
  Gauss() {
    for (int i = 0; i < kNodes; ++i) {
      double x = std::cos(3.141592653589793 * (i + 0.75) / (kNodes + 0.5)), slope = 1.0;
      for (int pass = 0; pass < 50; ++pass) {
        double before = 1.0, p = x;
        for (int n = 2; n <= kNodes; ++n) {
          const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
          before = p;
          p = next;
        }
        slope = kNodes * (x * p - before) / (x * x - 1.0);
        const double step = p / slope;
        x -= step;
        if (std::fabs(step) < 1e-16) break;
      }
      at[static_cast<std::size_t>(i)] = 0.5 * (1.0 + x);
      weight[static_cast<std::size_t>(i)] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
  }
};

std::vector<std::string> candidates(const Lab& lab) {
  std::vector<std::string> out;
  const WorldFacts facts = lab.facts();
  std::vector<std::string> wanted{"energy",   "px_total", "py_total", "pz_total",
                                  "lx_total", "ly_total", "lz_total"};
  if (facts.equations) wanted = facts.equations->invariants;
  std::vector<std::string> known;
  for (const std::string& name : wanted) {
    try {
      lab.columns({name});
      known.push_back(name);
    } catch (const InputError&) {  // this scene has no such column
    }
  }
  if (known.empty()) return out;
  for (const std::string& name : names_of(lab.columns(known))) {
    if (name != "t") out.push_back(name);  // in the order of rows
  }
  return out;
}

}  // namespace

bool is_autonomous(Lab& lab) {
  const std::vector<double>& x = lab.state().hi;
  const double t = lab.time();
  const std::vector<double> now = lab.rhs(t, x);
  for (const double later : {0.3712, 1.9173, 12.137}) {
    if (lab.rhs(t + later, x) != now) return false;
  }
  return true;
}

namespace {

// Of the lane that changes fastest.
double speed_of(Lab& lab) {
  const std::vector<double> rate = lab.rhs(lab.time(), lab.state().hi);
  double fastest = 0.0;
  for (std::size_t i = 0; i < lab.motion_lanes(); ++i) fastest = std::max(fastest, std::fabs(rate[i]));
  return fastest;
}

}  // namespace

bool is_at_rest(Lab& lab) {
  double size = 0.0;
  for (std::size_t i = 0; i < lab.motion_lanes(); ++i) size = std::max(size, std::fabs(lab.state().hi[i]));
  const double fastest = speed_of(lab);
  return fastest <= 1e-12 * std::max(size, 1e-300) || fastest == 0.0;
}

AlongTheWay::AlongTheWay(Lab& lab)
    : density_(lab),
      autonomous_(is_autonomous(lab)),
      at_rest_(autonomous_ && is_at_rest(lab)),
      of_equations_(lab.facts().equations.has_value()),
      start_speed_(speed_of(lab)),
      names_(candidates(lab)),
      least_(names_.size(), std::numeric_limits<double>::infinity()),
      most_(names_.size(), -std::numeric_limits<double>::infinity()) {}

// By five points, which polynomials of the fourth degree pass exactly.
double AlongTheWay::divergence(Lab& lab, double t, const std::vector<double>& x) const {
  double sum = 0.0;
  std::vector<double> moved = x;
  for (std::size_t i = 0; i < lab.motion_lanes(); ++i) {
    const double h = 1e-3 * std::max(1.0, std::fabs(x[i]));
    double slope = 0.0;
    constexpr std::array<std::pair<double, double>, 4> kStencil{
        {{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}};
    for (const auto& [shift, weight] : kStencil) {
      moved[i] = x[i] + shift * h;
      slope += weight * lab.rhs(t, moved)[i];
    }
    moved[i] = x[i];
    sum += slope / (12.0 * h);
  }
  return sum;
}

double AlongTheWay::mean_divergence(Lab& lab) const {
  static const Gauss gauss;
  double sum = 0.0;
  const double start = lab.step_start(), length = lab.time() - start;
  for (std::size_t i = 0; i < gauss.at.size(); ++i) {
    const double t = start + gauss.at[i] * length;
    sum += gauss.weight[i] * divergence(lab, t, lab.state_at(t).hi);
  }
  return sum;
}

void AlongTheWay::begin(Lab& lab, const TangentFrame& frame) {
  counts_all_ = frame.count() == frame.dimension();
  if (!counts_all_) return;
  start_density_ = density_.log_density(lab);
  if (!of_equations_ || lab.motion_lanes() > kMostLanes) return;
  const std::vector<double>& x = lab.state().hi;
  const double here = divergence(lab, lab.time(), x);
  Random random(1);
  for (int i = 0; i < 4; ++i) {
    std::vector<double> other = x;
    for (double& number : other) number += (1.0 + 0.3 * std::fabs(number)) * random.normal();
    if (!(std::fabs(divergence(lab, lab.time() + i, other) - here) <= 1e-8 * (1.0 + std::fabs(here)))) return;
  }
  constant_ = here;
}

void AlongTheWay::look(Lab& lab, const TangentFrame&) {
  last_ = 0.0;
  if (counts_all_ && of_equations_ && !constant_ && lab.motion_lanes() <= kMostLanes)
    last_ = mean_divergence(lab) * (lab.time() - lab.step_start());
  looking_ = looks_ + 1.0;
  // At steps 1, 2, 4, 8, ..
  const double power = std::exp2(std::round(std::log2(looking_)));
  if (power != looking_ || names_.empty()) return;
  const Columns columns = lab.columns(names_);
  std::vector<double> row(columns.width());
  lab.observe(lab.time(), columns, row.data());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    least_[i] = std::min(least_[i], row[i + 1]);
    most_[i] = std::max(most_[i], row[i + 1]);
  }
}

void AlongTheWay::keep() {
  divergence_ += last_;
  looks_ = looking_;
  last_ = 0.0;
}

// Nothing dissipates, nothing does work, and nothing knows the time.
bool AlongTheWay::keeps_energy(Lab& lab) const {
  if (!autonomous_ || of_equations_) return false;
  for (std::size_t i = lab.motion_lanes(); i < lab.dimension(); ++i) {
    if (std::fabs(lab.state().hi[i]) > 1e-12 * (1.0 + lab.energies().scale(lab.weight_scale()))) return false;
  }
  return std::isfinite(lab.energies_of(lab.time(), lab.state().hi).kinetic);
}

// How many columns stay as they are and differ in neighbouring motions, independently of each other.
std::size_t AlongTheWay::integrals(Lab& lab) const {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const double size = std::max(std::fabs(least_[i]), std::fabs(most_[i]));
    if (most_[i] - least_[i] <= 1e-7 * std::max(size, 1e-3)) kept.push_back(names_[i]);
  }
  if (kept.empty() || lab.variation() == nullptr) return 0;
  const Columns columns = lab.columns(kept);
  std::vector<double> row(columns.width());
  lab.sample(lab.time(), columns, row.data());
  const std::size_t count = lab.end_derivatives().size() / lab.dimension();
  std::vector<double> rates(count * columns.width());
  lab.derivatives(columns, rates.data());
  std::vector<double> slopes(count * kept.size());  // column by column, each of unit length
  for (std::size_t q = 0; q < kept.size(); ++q) {
    double squares = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      slopes[q * count + j] = rates[j * columns.width() + q + 1];
      squares += slopes[q * count + j] * slopes[q * count + j];
    }
    const double size = std::sqrt(squares);
    for (std::size_t j = 0; j < count; ++j)  // smaller: it has no other value nearby
      slopes[q * count + j] = size > 1e-7 ? slopes[q * count + j] / size : 0.0;
  }
  return column_rank(slopes, count, 1e-6);
}

void AlongTheWay::check_sum(Lab& lab, const TangentFrame& frame, const GrowthRecord& record,
                            LyapunovResult& out) const {
  if (frame.count() != frame.dimension()) return;
  double sum = 0.0;
  for (std::size_t k = 0; k < record.count(); ++k) sum += record.total(k);
  LyapunovCheck check{"sum", "", 0.0, kSumAllowed};
  if (of_equations_ && lab.motion_lanes() <= kMostLanes) {
    const double expected = constant_ ? *constant_ : (divergence_ + last_) / record.time();
    check.value = std::fabs(sum / record.time() - expected);
    check.meaning = fmt::format("the sum of all exponents is the mean divergence, {}", number_text(expected));
    check.allowed = (constant_ ? kSumAllowed : 1e-8) * std::max(1.0, std::fabs(expected));
  } else if (keeps_energy(lab) && density_.obstacle().empty()) {
    const double change = density_.log_density(lab) - start_density_;
    if (!std::isfinite(change)) return;
    check.value = std::fabs(sum + change) / record.time();
    check.meaning =
        "the sum of all exponents is zero, with the change of Liouville's density along the motion added";
  } else {
    return;
  }
  for (LyapunovCheck& known : out.checks) {
    if (known.name != check.name) continue;
    known.value = std::max(known.value, check.value);
    return;
  }
  out.checks.push_back(check);
}

namespace {

// The one that exceeds what is allowed for it by most.
void keep_worst(LyapunovCheck& check, double value, double allowed) {
  if (check.allowed > 0.0 && value - allowed <= check.value - check.allowed) return;
  check.value = value;
  check.allowed = allowed;
}

}  // namespace

void AlongTheWay::check_zeros(LyapunovResult& out, std::size_t zeros) const {
  if (zeros == 0 || out.exponents.size() < out.dimension) return;
  std::vector<std::size_t> order(out.exponents.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(out.exponents[a]) < std::fabs(out.exponents[b]);
  });
  LyapunovCheck check{"zeros", fmt::format("{} must be zero", counted(zeros, "exponent")), 0.0, 0.0};
  for (std::size_t i = 0; i < std::min(zeros, order.size()); ++i)
    keep_worst(check, std::fabs(out.exponents[order[i]]), out.errors[order[i]] + order_bound(out.duration));
  out.checks.push_back(check);
}

void AlongTheWay::check_pairs(LyapunovResult& out) const {
  const std::size_t n = out.exponents.size();
  if (n < out.dimension || n % 2 != 0) return;
  LyapunovCheck check{"pairs", "with every exponent its negative is one, too", 0.0, 0.0};
  for (std::size_t i = 0; i < n / 2; ++i) {
    const double error = std::hypot(out.errors[i], out.errors[n - 1 - i]);
    keep_worst(check, std::fabs(out.exponents[i] + out.exponents[n - 1 - i]),
               error + order_bound(out.duration));
  }
  out.checks.push_back(check);
}

void AlongTheWay::conclude(Lab& lab, const TangentFrame& frame, const GrowthRecord& record, bool is_first,
                           LyapunovResult& out) {
  check_sum(lab, frame, record, out);
  if (!is_first) return;
  if (at_rest_) {
    out.notes.push_back(
        "the scene rests in an equilibrium: these are the real parts of its eigenvalues, which `catena "
        "analyze "
        "modes` has to all digits; give it another start, or a velocity, to see a motion");
  }
  const std::size_t kept = integrals(lab);
  const bool conservative = keeps_energy(lab);
  if (conservative) {
    check_zeros(out, std::min(2 * std::max<std::size_t>(kept, 1), out.dimension));
    check_pairs(out);
  } else if (autonomous_ && speed_of(lab) < 1e-3 * start_speed_) {
    out.notes.push_back(
        "the motion comes to rest: exponents tend to the real parts of the eigenvalues of where it ends, "
        "which "
        "`catena analyze modes` has to all digits");
  } else if (!at_rest_) {
    check_zeros(out, std::min(kept + (autonomous_ ? 1 : 0), out.dimension));
  }
  const bool keeps_volume = of_equations_ && constant_ && std::fabs(*constant_) < 1e-9;
  if (keeps_volume && kept > 0) check_pairs(out);
  if (conservative || keeps_volume) {
    out.notes.push_back(
        "volumes are kept: in a mixed phase space a motion stays near islands of order for times without "
        "bound, batches never become independent, and no share of the error bars' intervals that hold can be "
        "promised");
  }
  if ((conservative || keeps_volume) && out.exponents.size() == out.dimension) {
    out.kaplan_yorke = static_cast<double>(out.dimension);
    out.kaplan_yorke_error = 0.0;
  }
  if (!autonomous_) {
    out.notes.push_back(
        "the scene is driven in time: the zero of the direction of time is not among the exponents, and the "
        "dimension is that of a section at one phase");
  }
}

void AlongTheWay::write(ByteWriter& out) const {
  out.put(start_density_);
  out.put(divergence_);
  out.put(looks_);
  out.put(least_);
  out.put(most_);
}

void AlongTheWay::read(ByteReader& in) {
  in.get(start_density_);
  in.get(divergence_);
  in.get(looks_);
  in.get(least_);
  in.get(most_);
}

}  // namespace catena
