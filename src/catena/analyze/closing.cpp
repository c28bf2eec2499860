#include "catena/analyze/closing.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/equilibrium.h"
#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/shown.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/run.h"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {}  // namespace

double Multipliers::largest() const {
  double out = 0.0;
  for (std::size_t i = 0; i + trivial < values.size(); ++i) out = std::max(out, std::abs(values[i]));
  return out;
}

Lab& Closing::lab(double parameter) {
  if (lab_ != nullptr && (problem_.path.empty() || parameter == lab_parameter_)) return *lab_;
  Scene scene = analysed(problem_.scene(parameter));
  // Nobody is to think that a motion of many periods does not get on.
  scene.simulation.duration = std::max(1e6, 1e3 * scene.simulation.duration);
  lab_ = std::make_unique<Lab>(scene);
  angles_ = lab_->row_angles();
  if (idle_.empty()) {
    const TangentField field(*lab_);
    idle_ = field.idle_lanes();
    quaternions_ = field.quaternions();
    lanes_ = lab_->motion_lanes();
  }
  lab_parameter_ = parameter;
  return *lab_;
}

std::vector<double> Closing::signs_near(const std::vector<double>& x,
                                        const std::vector<double>& other) const {
  std::vector<double> out(x.size(), 1.0);
  for (const std::array<std::size_t, 4>& quaternion : quaternions_) {
    double along = 0.0;
    for (const std::size_t lane : quaternion) along += x[lane] * other[lane];
    if (along >= 0.0) continue;
    for (const std::size_t lane : quaternion) out[lane] = -1.0;
  }
  return out;
}

double Closing::distance(const std::vector<double>& a, const std::vector<double>& b) const {
  const std::vector<double> signs = signs_near(a, b);
  double sum = 0.0;
  for (std::size_t i = 0; i < lanes_; ++i) sum += (signs[i] * a[i] - b[i]) * (signs[i] * a[i] - b[i]);
  return std::sqrt(sum);
}

double Closing::drive_period(double parameter) {
  if (problem_.drive_period) return *problem_.drive_period;
  const double longest = problem_.scene(parameter).simulation.duration;
  const std::optional<double> about = last_drive_ > 0.0 ? std::optional(last_drive_) : std::nullopt;
  const std::optional<double> found = period_of_drive(lab(parameter), longest, about);
  if (!found) {
    throw InputError(
        {lab(parameter).scene().name},
        fmt::format("what depends on t does not repeat within {} s: give its period by --period, or a "
                    "longer --duration",
                    number_text(longest)));
  }
  if (last_drive_ > 0.0 && std::fabs(*found - last_drive_) > 1e-12 * last_drive_) drive_stays_ = false;
  return last_drive_ = *found;
}

Closing::Passage Closing::passage(Lab& lab, double t, const std::vector<double>& x, double length,
                                  const MatrixXd& basis, bool parameter) {
  const std::size_t n = x.size();
  std::vector<Direction> directions;
  for (const std::vector<double>& row : lists_of(basis)) {
    Direction& direction = directions.emplace_back();
    direction.path = fmt::format("state {}", directions.size());
    direction.start = row;
  }
  if (parameter) {
    directions.push_back({problem_.path,
                          lab_parameter_,
                          [this](double value) { return analysed(problem_.scene(value)); },
                          {}});
  }
  lab.place({t, 0.0, x, std::vector<double>(n, 0.0)}, angles_);
  lab.follow(std::move(directions));
  const double end = t + length;
  while (lab.time() < end) {
    if (stopped()) return {{}, {}, "interrupted"};
    if (const StepStatus status = lab.advance(); status != StepStatus::done)
      return {{}, {}, failure_text(lab, status)};
  }
  const State reached = lab.state_at(end);
  Passage out;
  for (std::size_t i = 0; i < n; ++i) out.end.push_back(reached.hi[i] + reached.lo[i]);
  out.rates = rows_of(lab.state_derivatives(), n);
  return out;
}

ClosingLook Closing::look(const ClosedMotion& given, bool parameter) {
  ClosingLook out;
  out.motion = given;
  Lab& lab = this->lab(given.parameter);
  const std::size_t lanes = lab.motion_lanes(), parts = given.states.size();
  if (problem_.driven) {
    const bool known = drive_stays_ && !parameter;
    out.motion.period = problem_.multiple * (known ? last_drive_ : drive_period(given.parameter));
  }
  const double whole = out.motion.period * (problem_.mirror.empty() ? 1.0 : 0.5);
  const double length = whole / static_cast<double>(parts);
  const auto time = [&](std::size_t i) { return problem_.driven ? length * static_cast<double>(i) : 0.0; };
  for (std::size_t i = 0; i < parts; ++i) {
    std::vector<double> x = given.states[i];
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(lanes), x.end(), 0.0);  // accounts begin anew
    out.motion.states[i] = placed(lab, time(i), std::move(x), angles_);
    out.bases.push_back(allowed_basis(lab, idle_));
    if (i == 0 && !problem_.conserved.empty()) {
      const Shown kept = shown(lab, problem_.conserved, out.bases[0]);
      out.conserved = kept.slopes;
      out.residual = kept.row;
    }
  }
  const Index k = out.bases[0].rows();
  for (const MatrixXd& basis : out.bases) {
    if (basis.rows() != k) return out.why = "the motion meets a singular position of its joints", out;
  }
  out.flow = out.bases[0] * vector_of(lab.rhs(0.0, out.motion.states[0]));
  const Index states = k * index(parts), own = out.conserved.rows();
  const bool free_period = !problem_.driven;
  const bool drive_moves = problem_.driven && !problem_.drive_period && parameter && !drive_stays_;
  MatrixXd jacobian = MatrixXd::Zero(states + own, states + (free_period ? 1 : 0) + (parameter ? 1 : 0));
  VectorXd residual(states + own);
  out.monodromy = MatrixXd::Identity(k, k);
  double period_slope = 0.0;
  if (drive_moves) {
    const double step = 1e-4 * problem_.parameter_scale, here = given.parameter;
    const auto at = [&](double p) {
      return period_of_drive(this->lab(p), problem_.scene(p).simulation.duration, last_drive_);
    };
    const std::optional<double> more = at(here + step), less = at(here - step);
    if (more && less) period_slope = problem_.multiple * (*more - *less) / (2.0 * step);
    if (std::fabs(period_slope) * problem_.parameter_scale < 1e-9 * out.motion.period) {
      period_slope = 0.0;
      drive_stays_ = true;
    }
  }
  Lab& moving = this->lab(given.parameter);
  for (std::size_t i = 0; i < parts; ++i) {
    const Passage passed = passage(moving, time(i), out.motion.states[i], length, out.bases[i], parameter);
    if (!passed.why.empty()) return out.why = passed.why, out;
    const bool last = i + 1 == parts;
    const std::size_t next = last ? 0 : i + 1;
    VectorXd end = vector_of(passed.end), speed = vector_of(moving.rhs(time(i) + length, passed.end));
    MatrixXd rates = passed.rates;
    const auto turn = [&](const std::vector<double>& signs) {
      end = vector_of(signs).cwiseProduct(end);
      speed = vector_of(signs).cwiseProduct(speed);
      rates = (rates * vector_of(signs).asDiagonal()).eval();
    };
    if (last && !problem_.mirror.empty()) turn(problem_.mirror);
    if (!quaternions_.empty()) turn(signs_near(list_of(end), out.motion.states[next]));
    const MatrixXd& onto = out.bases[next];
    const MatrixXd through = onto * rates.topRows(k).transpose();
    const Index row = k * index(i);
    residual.segment(row, k) = onto * (end - vector_of(out.motion.states[next]));
    jacobian.block(row, row, k, k) += through;
    jacobian.block(row, k * index(next), k, k) -= MatrixXd::Identity(k, k);
    const VectorXd later = onto * speed * (length / out.motion.period);
    if (free_period) jacobian.col(states).segment(row, k) = later;
    if (parameter) {
      out.pushed.push_back(
          list_of(rates.row(k).transpose() + speed * (period_slope * length / out.motion.period)));
      jacobian.col(jacobian.cols() - 1).segment(row, k) = onto * vector_of(out.pushed.back());
    }
    out.monodromy = through * out.monodromy;
  }
  if (!problem_.mirror.empty()) out.monodromy = (out.monodromy * out.monodromy).eval();
  for (Index j = 0; j < own; ++j) {
    residual(states + j) = out.residual(j) - problem_.kept[static_cast<std::size_t>(j)];
    jacobian.row(states + j).head(k) = out.conserved.row(j);
  }
  out.residual = residual;
  out.jacobian = jacobian;
  out.good = residual.allFinite() && jacobian.allFinite();
  if (!out.good) out.why = "the motion has no finite derivatives";
  return out;
}

VectorXd Closing::row_of(const ClosingLook& at, const ClosedChange& change) const {
  const std::size_t parts = at.motion.states.size();
  VectorXd out = VectorXd::Zero(at.jacobian.cols());
  const Index k = at.bases[0].rows();
  for (std::size_t i = 0; i < parts; ++i)
    out.segment(k * index(i), k) = at.bases[i] * vector_of(change.states[i]);
  if (!problem_.driven) out(k * index(parts)) = change.period / (at.motion.period * at.motion.period);
  out(out.size() - 1) = change.parameter / (problem_.parameter_scale * problem_.parameter_scale);
  return out;
}

ClosedChange Closing::change_of(const ClosingLook& at, const VectorXd& solution) const {
  const std::size_t parts = at.motion.states.size();
  const Index k = at.bases[0].rows(), states = k * index(parts);
  ClosedChange out;
  for (std::size_t i = 0; i < parts; ++i)
    out.states.push_back(list_of(at.bases[i].transpose() * solution.segment(k * index(i), k)));
  if (!problem_.driven) out.period = solution(states);
  if (solution.size() > states + (problem_.driven ? 0 : 1)) out.parameter = solution(solution.size() - 1);
  return out;
}

double Closing::product(const ClosedChange& a, const ClosedChange& b, const ClosedMotion& at) const {
  double out = a.parameter * b.parameter / (problem_.parameter_scale * problem_.parameter_scale);
  if (!problem_.driven) out += a.period * b.period / (at.period * at.period);
  for (std::size_t i = 0; i < a.states.size(); ++i) out += vector_of(a.states[i]).dot(vector_of(b.states[i]));
  return out;
}

ClosedMotion Closing::moved(const ClosedMotion& from, const ClosedChange& by, double size) const {
  ClosedMotion out = from;
  for (std::size_t i = 0; i < out.states.size(); ++i) {
    for (std::size_t lane = 0; lane < out.states[i].size(); ++lane)
      out.states[i][lane] += size * by.states[i][lane];
  }
  out.period += size * by.period;
  out.parameter += size * by.parameter;
  return out;
}

namespace {

// The phase of a motion that is not driven: changes are perpendicular to the flow.
MatrixXd with_phase(const ClosingLook& at, bool driven) {
  if (driven) return at.jacobian;
  MatrixXd out(at.jacobian.rows() + 1, at.jacobian.cols());
  out.topRows(at.jacobian.rows()) = at.jacobian;
  out.bottomRows(1).setZero();
  out.bottomRows(1).leftCols(at.flow.size()) = at.flow.normalized().transpose();
  return out;
}

// Columns of the period and of the parameter in the units that changes are measured in.
VectorXd column_scales(const ClosingLook& at, bool driven, bool parameter, double parameter_scale) {
  VectorXd out = VectorXd::Ones(at.jacobian.cols());
  const Index after = out.size() - (parameter ? 1 : 0);
  if (!driven) out(after - 1) = at.motion.period;
  if (parameter) out(after) = parameter_scale;
  return out;
}

// The column of the parameter, from changes of the ends.
void add_parameter(ClosingLook& at, const std::vector<std::vector<double>>& pushed) {
  if (!at.good) return;
  at.pushed = pushed;
  const Index k = at.bases[0].rows(), last = at.jacobian.cols();
  at.jacobian.conservativeResize(Eigen::NoChange, last + 1);
  at.jacobian.col(last).setZero();
  for (std::size_t i = 0; i < pushed.size(); ++i) {
    const MatrixXd& onto = at.bases[(i + 1) % pushed.size()];
    at.jacobian.col(last).segment(k * index(i), k) = onto * vector_of(pushed[i]);
  }
}

}  // namespace

ClosingLook Closing::closed(ClosedMotion guess, const ClosedChange* along, int most_steps,
                            const ClosingLook* like) {
  const bool parameter = along != nullptr;
  ClosingLook at = look(guess, parameter && like == nullptr);
  const std::vector<std::vector<double>> pushed = like != nullptr ? like->pushed : at.pushed;
  if (like != nullptr) add_parameter(at, pushed);
  constexpr double kClosed = 1e-9;
  for (int step = 0; step < most_steps && at.good; ++step) {
    const VectorXd scales = column_scales(at, problem_.driven, parameter, problem_.parameter_scale);
    MatrixXd equations = with_phase(at, problem_.driven);
    VectorXd wanted = VectorXd::Zero(equations.rows() + (parameter ? 1 : 0));
    wanted.head(at.residual.size()) = -at.residual;
    if (parameter) {
      equations.conservativeResize(equations.rows() + 1, Eigen::NoChange);
      equations.bottomRows(1) = row_of(at, *along).transpose();
    }
    equations = (equations * scales.asDiagonal()).eval();
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
    solver.setThreshold(1e-13);
    solver.compute(equations);
    VectorXd solution = solver.solve(wanted);
    double size = 1.0;
    for (const std::vector<double>& x : at.motion.states) size = std::max(size, vector_of(x).norm());
    const double longest = 0.5 * size;
    const double length = solution.norm();
    const bool settled = length <= 1e-7 * size;
    if (length > longest) solution *= longest / length;
    solution = scales.cwiseProduct(solution);
    const ClosedChange change = change_of(at, solution);
    bool better = false;
    for (double part = 1.0; part > 0.03; part *= 0.5) {
      ClosedMotion there = moved(at.motion, change, part);
      if (!problem_.driven && !(there.period > 0.2 * at.motion.period)) continue;
      ClosingLook next = look(there, false);
      if (parameter) add_parameter(next, pushed);
      if (stopped()) return at.good = false, at.why = "interrupted", at;
      if (next.good && next.residual.norm() < (1.0 - 0.1 * part) * at.residual.norm()) {
        at = std::move(next);
        better = true;
        break;
      }
      if (settled) break;
    }
    if (!better) break;
  }
  if (at.good && !(at.gap() <= kClosed)) {
    at.good = false;
    at.why = fmt::format("it does not close: {:.2g} is left", at.gap());
  }
  return at;
}

std::vector<ClosedChange> Closing::tangents(const ClosingLook& at, std::size_t count) {
  const VectorXd scales = column_scales(at, problem_.driven, true, problem_.parameter_scale);
  MatrixXd equations = with_phase(at, problem_.driven) * scales.asDiagonal();
  const Index columns = equations.cols();
  if (equations.rows() < columns) {  // so that all right vectors are there
    equations.conservativeResize(columns, Eigen::NoChange);
    equations.bottomRows(1).setZero();
  }
  const Eigen::JacobiSVD<MatrixXd> svd(equations, Eigen::ComputeFullV);
  std::vector<ClosedChange> out;
  for (std::size_t j = 0; j < count && index(j) < columns; ++j)
    out.push_back(change_of(at, scales.cwiseProduct(svd.matrixV().col(columns - 1 - index(j)))));
  return out;
}

double Closing::border(const ClosingLook& at, const ClosedChange& tangent) const {
  const VectorXd scales = column_scales(at, problem_.driven, true, problem_.parameter_scale);
  const MatrixXd above = with_phase(at, problem_.driven);
  if (above.rows() + 1 != above.cols()) return std::numeric_limits<double>::quiet_NaN();
  MatrixXd whole(above.cols(), above.cols());
  whole.topRows(above.rows()) = above;
  whole.bottomRows(1) = row_of(at, tangent).transpose();
  return Eigen::PartialPivLU<MatrixXd>(whole * scales.asDiagonal()).determinant();
}

Closing::Course Closing::course(const ClosedMotion& of, const std::vector<std::string>& words, double length,
                                std::size_t count) {
  Lab& lab = this->lab(of.parameter);
  const std::size_t n = lab.dimension();
  lab.place({0.0, 0.0, of.states[0], std::vector<double>(n, 0.0)}, angles_);
  lab.follow({});
  Course out;
  std::optional<Columns> columns;
  std::vector<double> row(1);
  if (!words.empty()) {
    columns = lab.columns(words);
    out.names = names_of(*columns);
    out.names.erase(out.names.begin());  // time
    row.resize(columns->width());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double t = length * static_cast<double>(i) / static_cast<double>(count - 1);
    while (lab.time() < t) {
      if (stopped() || lab.advance() != StepStatus::done) return out;
    }
    if (columns) lab.sample(t, *columns, row.data());
    out.times.push_back(t);
    out.rows.emplace_back(row.begin() + 1, row.end());
    const State here = lab.state_at(t);
    out.states.push_back(here.hi);
    for (std::size_t lane = 0; lane < n; ++lane) out.states.back()[lane] += here.lo[lane];
  }
  out.done = true;
  return out;
}

Multipliers multipliers_of(const ClosingLook& at, bool driven) {
  Multipliers out;
  MatrixXd m = at.monodromy;
  const Index k = m.rows();
  if (!driven) {
    MatrixXd known(1 + at.conserved.rows(), k);
    known.row(0) = at.flow.normalized().transpose();
    for (Index j = 0; j < at.conserved.rows(); ++j) known.row(1 + j) = at.conserved.row(j).normalized();
    Eigen::ColPivHouseholderQR<MatrixXd> qr(known.transpose());
    qr.setThreshold(1e-8);
    const Index rank = qr.rank();
    const MatrixXd q = qr.householderQ() * MatrixXd::Identity(k, k);
    const MatrixXd others = q.rightCols(k - rank);
    m = (others.transpose() * m * others).eval();
    out.trivial = static_cast<std::size_t>(rank);
  }
  if (m.rows() > 0) {
    const RealEigen eigen = real_eigen(m);
    out.values.assign(eigen.values.data(), eigen.values.data() + eigen.values.size());
  }
  std::stable_sort(out.values.begin(), out.values.end(),
                   [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  out.values.insert(out.values.end(), out.trivial, 1.0);
  return out;
}

double flow_error(const ClosingLook& at) {
  return (at.monodromy * at.flow - at.flow).norm() / at.flow.norm();
}

// ---- drives -----------------------------------------------------------------------------------------------

namespace {

// The rates at some states beside the start, at a time.
class Rhythm {
 public:
  explicit Rhythm(Lab& lab) : lab_(lab) {
    const State start = lab.state();
    for (int which = 1; which <= 3; ++which) {
      std::vector<double> x = start.hi;
      for (std::size_t i = 0; i < lab.motion_lanes(); ++i)
        x[i] += 0.3 * std::sin(1.7 * static_cast<double>(i + 1) * which);
      states_.push_back(lab.projected(0.0, x));
    }
  }
  VectorXd at(double t) {
    const Index lanes = index(lab_.motion_lanes());
    VectorXd out(lanes * index(states_.size()));
    for (std::size_t s = 0; s < states_.size(); ++s)
      out.segment(lanes * index(s), lanes) = vector_of(lab_.rhs(t, states_[s])).head(lanes);
    return out;
  }

 private:
  Lab& lab_;
  std::vector<std::vector<double>> states_;
};

constexpr double kLooks[] = {0.0, 0.0713, 0.1371, 0.2194, 0.2857};  // of the longest period

struct Shift {
  VectorXd apart, speed;  // of the rates at all looks, t and a period later
  double size = 0.0;
};

Shift shifted(Rhythm& rhythm, double period, double longest) {
  std::vector<VectorXd> apart, speed;
  Shift out;
  const double h = 1e-5 * period;
  Index all = 0;
  for (const double look : kLooks) {
    const double t = look * longest;
    const VectorXd now = rhythm.at(t);
    apart.push_back(rhythm.at(t + period) - now);
    speed.push_back((rhythm.at(t + period + h) - rhythm.at(t + period - h)) / (2 * h));
    out.size = std::max(out.size, now.cwiseAbs().maxCoeff());
    all += now.size();
  }
  out.apart.resize(all);
  out.speed.resize(all);
  Index place = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    out.apart.segment(place, apart[i].size()) = apart[i];
    out.speed.segment(place, speed[i].size()) = speed[i];
    place += apart[i].size();
  }
  return out;
}

// Gauss-Newton on the period; none where the rates do not repeat.
std::optional<double> refined(Rhythm& rhythm, double period, double longest) {
  for (int step = 0; step < 12; ++step) {
    const Shift shift = shifted(rhythm, period, longest);
    const double by = -shift.apart.dot(shift.speed) / shift.speed.squaredNorm();
    if (!std::isfinite(by) || std::fabs(by) > 0.2 * period) return std::nullopt;
    period += by;
    if (std::fabs(by) <= 1e-15 * period) break;
  }
  const Shift shift = shifted(rhythm, period, longest);
  const bool repeats = shift.apart.cwiseAbs().maxCoeff() <= 1e-11 * std::max(shift.size, 1e-300);
  return repeats ? std::optional(period) : std::nullopt;
}

}  // namespace

std::optional<double> period_of_drive(Lab& lab, double longest, std::optional<double> about) {
  Rhythm rhythm(lab);
  if (about) {
    if (const std::optional<double> near = refined(rhythm, *about, longest)) return near;
  }
  constexpr std::size_t kSamples = 12'000;
  const double between = longest / kSamples;
  std::vector<VectorXd> seen;
  for (std::size_t i = 0; i < kSamples; ++i) seen.push_back(rhythm.at(between * static_cast<double>(i)));
  std::vector<std::size_t> looks;
  for (const double look : kLooks) looks.push_back(static_cast<std::size_t>(look * kSamples));
  std::vector<double> apart(kSamples * 7 / 10, 0.0);
  double mean = 0.0;
  for (std::size_t shift = 1; shift < apart.size(); ++shift) {
    for (const std::size_t look : looks) apart[shift] += (seen[look + shift] - seen[look]).squaredNorm();
    mean += apart[shift] / static_cast<double>(apart.size());
  }
  for (std::size_t shift = 2; shift + 1 < apart.size(); ++shift) {
    const bool lowest = apart[shift] <= apart[shift - 1] && apart[shift] <= apart[shift + 1];
    if (!lowest || apart[shift] > 0.05 * mean) continue;
    if (const auto period = refined(rhythm, between * static_cast<double>(shift), longest)) return period;
  }
  return std::nullopt;
}

}  // namespace catena
