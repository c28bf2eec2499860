#include "catena/analyze/energy_limit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/lyapunov_checks.h"
#include "catena/analyze/statistics.h"
#include "catena/lab/column_formula.h"

namespace catena {
namespace {

// States on the surface formula = 0, and their energy.
class Surface {
 public:
  Surface(Lab& lab, const std::string& formula)
      : lab_(lab), base_(lab.state()), formula_(lab, formula, Place{"formula"}, "formula") {}

  // Newton's method with the smallest change; false: it leads nowhere.
  bool reach(std::vector<double>& x) {
    constexpr int kPasses = 60;
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!put(x)) return false;
      x = lab_.state().hi;
      const double off = value();
      if (!std::isfinite(off)) return false;
      if (std::fabs(off) < 1e-12) return true;
      const std::vector<std::vector<double>> basis = lab_.allowed_directions();
      const Eigen::VectorXd slope = slopes(x, basis, [&] { return value(); });
      if (!(slope.squaredNorm() > 1e-24)) return false;
      double size = -off / slope.squaredNorm();
      const double most = 0.3 / slope.norm();
      size = std::clamp(size, -most, most);
      x = along(x, basis, size * slope);
    }
    return false;
  }

  double energy(const std::vector<double>& x) { return put(x) ? energy() : kInfinity; }

  // Downhill within the surface, as long as that leads down.
  double descend(std::vector<double> x) {
    double best = energy(x), step = 0.1;
    constexpr int kPasses = 400;
    for (int pass = 0; pass < kPasses && step > 1e-10; ++pass) {
      put(x);
      const std::vector<std::vector<double>> basis = lab_.allowed_directions();
      Eigen::VectorXd down = -slopes(x, basis, [&] { return energy(); });
      const Eigen::VectorXd normal = slopes(x, basis, [&] { return value(); });
      if (normal.squaredNorm() > 0.0) down -= normal * (normal.dot(down) / normal.squaredNorm());
      const double steep = down.norm();
      if (steep < 1e-9) break;
      std::vector<double> next = along(x, basis, down * (step / std::max(1.0, steep)));
      const double found = reach(next) ? energy(next) : kInfinity;
      if (found < best) {
        const bool is_settled = best - found < 1e-13 * std::max(1.0, std::fabs(best));
        best = found;
        x = std::move(next);
        step = std::min(1.5 * step, 1.0);
        if (is_settled) break;
      } else {
        step *= 0.4;
      }
    }
    return best;
  }

  // Another state, far from this one.
  std::vector<double> thrown(const std::vector<double>& x, Random& random) {
    put(x);
    std::vector<double> out = x;
    for (const std::vector<double>& one : lab_.allowed_directions()) {
      const double by = 2.0 * random.normal();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += by * one[i];
    }
    return lab_.projected(base_.t, out);
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

 private:
  bool put(const std::vector<double>& x) {
    if (!std::all_of(x.begin(), x.end(), [](double one) { return std::isfinite(one); })) return false;
    State state = base_;
    state.hi = lab_.projected(base_.t, x);
    std::fill(state.lo.begin(), state.lo.end(), 0.0);
    lab_.place(std::move(state));
    return true;
  }
  double value() { return formula_.value(lab_, base_.t, row_); }
  double energy() {
    const StateEnergies of = lab_.energies_of(base_.t, lab_.state().hi);
    return of.kinetic + of.potential + of.elastic;
  }
  static std::vector<double> along(std::vector<double> x, const std::vector<std::vector<double>>& basis,
                                   const Eigen::VectorXd& by) {
    for (std::size_t k = 0; k < basis.size(); ++k) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += by(static_cast<Eigen::Index>(k)) * basis[k][i];
    }
    return x;
  }
  template <class F>
  Eigen::VectorXd slopes(const std::vector<double>& x, const std::vector<std::vector<double>>& basis,
                         const F& of) {
    constexpr double kStep = 1e-6;
    Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(basis.size()));
    for (std::size_t k = 0; k < basis.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      const auto there = [&](double by) {
        std::vector<double> moved = x;
        for (std::size_t i = 0; i < x.size(); ++i) moved[i] += by * basis[k][i];
        return put(moved) ? of() : std::numeric_limits<double>::quiet_NaN();
      };
      out(at) = (there(kStep) - there(-kStep)) / (2.0 * kStep);
    }
    put(x);
    return out;
  }

  Lab& lab_;
  State base_;
  ColumnFormula formula_;
  std::vector<double> row_;
};

}  // namespace

std::optional<double> least_energy(const Scene& scene, const std::string& formula) {
  Lab lab(scene);
  Surface surface(lab, formula);
  // Equations have no energy; what does work, or reads the clock, may lift anything.
  if (lab.facts().equations || lab.dimension() != lab.motion_lanes() || !is_autonomous(lab))
    return std::nullopt;
  constexpr int kStarts = 24;
  Random random(1);
  const std::vector<double> start = lab.state().hi;
  double best = Surface::kInfinity;
  for (int k = 0; k < kStarts; ++k) {
    std::vector<double> x = k == 0 ? start : surface.thrown(start, random);
    if (surface.reach(x)) best = std::min(best, surface.descend(std::move(x)));
  }
  return std::isfinite(best) ? std::optional<double>(best) : std::nullopt;
}

}  // namespace catena
