#include "catena/analyze/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/linear_algebra.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/variation.h"

namespace catena {

Scene analysed(Scene scene) {
  scene = in_unit_vectors(std::move(scene));
  Simulation& simulation = scene.simulation;
  if (simulation.method != "taylor") simulation.order = std::nullopt;
  if (simulation.method != "taylor" || simulation.precision != "double") simulation.tolerance = std::nullopt;
  simulation.method = "taylor";
  simulation.precision = "double";
  simulation.function = nullptr;
  simulation.step = std::nullopt;
  simulation.max_velocity_error = simulation.max_momentum_error = std::nullopt;
  return scene;
}

std::vector<double> placed(Lab& lab, double t, std::vector<double> x,
                           const std::vector<AngleMemory>& angles) {
  // Twice: far from the constraints the nearest state is found to first order only.
  for (int pass = 0; pass < 2; ++pass) x = lab.projected(t, x);
  lab.place({t, 0.0, x, std::vector<double>(x.size(), 0.0)}, angles);
  return x;
}

Eigen::MatrixXd allowed_basis(Lab& lab, const std::vector<bool>& idle_lanes) {
  Eigen::MatrixXd all = matrix_of(lab.allowed_directions(), lab.dimension());
  if (std::find(idle_lanes.begin(), idle_lanes.end(), true) == idle_lanes.end()) return all;
  for (std::size_t i = 0; i < idle_lanes.size(); ++i) {
    if (idle_lanes[i]) all.col(static_cast<Eigen::Index>(i)).setZero();
  }
  return row_space(all);
}

AllowedChanges allowed_changes(Lab& lab, const TangentField& field) {
  const Eigen::MatrixXd all = allowed_basis(lab, field.idle_lanes());
  AllowedChanges out;
  if (all.rows() == 0) return out;
  // At rest places and rates change independently: what is allowed is what each part of a change is.
  const auto part = [&](bool rates) {
    Eigen::MatrixXd kept = all;
    for (std::size_t i = 0; i < lab.dimension(); ++i) {
      if (field.rate_lanes()[i] != rates) kept.col(static_cast<Eigen::Index>(i)).setZero();
    }
    return row_space(kept);
  };
  out.places = lists_of(part(false));
  out.rates = lists_of(part(true));
  return out;
}

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// What Newton's method sees at a state of rest.
struct Look {
  std::vector<double> x;
  AllowedChanges allowed;
  Eigen::VectorXd rest;      // accelerations in the basis of rates; of a system of equations its rates
  Eigen::MatrixXd jacobian;  // of them by changes of places
  double size = 0.0;         // of what adds up to them
};

class Search {
 public:
  Search(Lab& lab, TangentField& field) : lab_(lab), field_(field), n_(lab.dimension()) {}

  Look at(std::vector<double> x) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (field_.rate_lanes()[i] || i >= lab_.motion_lanes()) x[i] = 0.0;
    }
    Look look;
    look.x = placed(lab_, 0.0, std::move(x), lab_.row_angles());
    look.allowed = allowed_changes(lab_, field_);
    const Eigen::MatrixXd places = matrix_of(look.allowed.places, n_);
    const Eigen::MatrixXd onto = look.allowed.rates.empty() ? places : matrix_of(look.allowed.rates, n_);
    const std::vector<double> f = lab_.rhs(0.0, look.x);
    look.rest = onto * vector_of(f);
    look.jacobian = onto * rows_of(field_.along(0.0, look.x, flat_of(look.allowed.places)), n_).transpose();
    look.size = look.jacobian.size() > 0 ? look.jacobian.cwiseAbs().maxCoeff() : 0.0;
    return look;
  }

  std::vector<double> moved(const Look& from, const Eigen::VectorXd& by) const {
    std::vector<double> x = from.x;
    const Eigen::VectorXd change = matrix_of(from.allowed.places, n_).transpose() * by;
    for (std::size_t i = 0; i < n_; ++i) x[i] += change(static_cast<Eigen::Index>(i));
    return x;
  }

  // The shortest change that the linear equations ask for.
  static Eigen::VectorXd newton_step(const Look& look) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(look.jacobian, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-11);
    return svd.solve(-look.rest);
  }

  bool at_rest(const Look& look) const {
    constexpr double kRoundoff = 1e3;
    return look.rest.size() == 0 || look.rest.norm() <= kRoundoff * kEpsilon * std::max(look.size, weight_);
  }

  // Newton's method with steps that are shortened until accelerations fall. False: they do not any more.
  bool newton(Look& look) {
    constexpr int kMost = 60;
    constexpr double kLongest = 0.5;  // rad, or of the state's size
    for (int k = 0; k < kMost; ++k) {
      if (!look.rest.allFinite() || !look.jacobian.allFinite()) return false;
      if (look.rest.norm() <= 4 * kEpsilon * look.size) break;
      Eigen::VectorXd step = newton_step(look);
      ++steps_;
      const bool settled = step.norm() <= 1e-9 * (1.0 + vector_of(look.x).norm());
      const double longest = kLongest * std::max(1.0, 0.1 * vector_of(look.x).cwiseAbs().maxCoeff());
      if (step.norm() > longest) step *= longest / step.norm();
      bool better = false;
      for (double part = 1.0; part > 1e-6; part *= 0.5) {
        Look next = at(moved(look, part * step));
        if (next.rest.allFinite() && next.rest.norm() < (1.0 - 1e-4 * part) * look.rest.norm()) {
          look = std::move(next);
          better = true;
          break;
        }
        if (settled) break;
      }
      if (!better) break;
    }
    look = at(look.x);
    return at_rest(look);
  }

  // Along the accelerations, from rest to rest: down to a minimum of the energy where there is one.
  void descend(Look& look, int steps) {
    double length = 1e-2;
    for (int k = 0; k < steps && !at_rest(look); ++k) {
      const Eigen::VectorXd way = downhill(look);
      if (!(way.norm() > 0.0)) return;
      Look next =
          at(moved(look, std::min(length, way.norm() / std::max(look.size, 1e-300)) / way.norm() * way));
      const bool turned = next.rest.size() != look.rest.size() ||
                          downhill(next).dot(way) < -0.5 * way.norm() * downhill(next).norm();
      length = turned ? 0.5 * length : std::min(0.05, 1.2 * length);
      if (length < 1e-9) return;
      if (!turned || length < 1e-4) look = std::move(next);
    }
  }

  void set_weight(double weight) { weight_ = weight; }
  int steps() const { return steps_; }

 private:
  // Accelerations as a change of places: what a short time from rest would do.
  Eigen::VectorXd downhill(const Look& look) {
    if (look.allowed.rates.empty()) return look.rest;
    std::vector<double> v(n_, 0.0);
    const Eigen::VectorXd rates = matrix_of(look.allowed.rates, n_).transpose() * look.rest;
    for (std::size_t i = 0; i < n_; ++i) v[i] = rates(static_cast<Eigen::Index>(i));
    return matrix_of(look.allowed.places, n_) * vector_of(field_.along(0.0, look.x, v));
  }

  Lab& lab_;
  TangentField& field_;
  std::size_t n_;
  double weight_ = 0.0;  // accelerations at the start
  int steps_ = 0;
};

// What does not come to rest, by the largest of it.
std::string restless(const Lab& lab, const Look& look, std::size_t n) {
  const std::vector<std::vector<double>>& onto =
      look.allowed.rates.empty() ? look.allowed.places : look.allowed.rates;
  const Eigen::VectorXd rates = matrix_of(onto, n).transpose() * look.rest;
  Eigen::Index lane = 0;
  const double largest = rates.cwiseAbs().maxCoeff(&lane);
  const std::vector<std::string> names = lab.facts().lanes;
  return fmt::format("the rate of {} stays {:.3g} at the least", names[static_cast<std::size_t>(lane)],
                     largest);
}

void refuse_singular(const Lab& lab, const TangentField& field, const std::vector<double>& x,
                     const char* where) {
  constexpr double kSingular = 1e-7;
  if (field.margin(0.0, x) > kSingular) return;
  throw InputError({lab.scene().name},
                   fmt::format("{} is a singular position of the joints: what they allow changes there, and "
                               "there is no linear model; start from a position beside it",
                               where));
}

}  // namespace

Equilibrium find_equilibrium(Lab& lab, TangentField& field) {
  const std::size_t n = lab.dimension();
  if (field.reads_time()) {
    throw InputError(
        {lab.scene().name},
        "the scene is driven: a formula depends on t, so nothing stays at rest; hold t fixed in it "
        "by --set, or look for the periodic motion: `catena analyze orbit`");
  }
  Search search(lab, field);
  Look look = search.at(lab.state().hi);
  if (look.allowed.places.empty())
    throw InputError({lab.scene().name}, "nothing can move: there are no degrees of freedom to analyse");
  if (!look.rest.allFinite() || !look.jacobian.allFinite()) {
    refuse_singular(lab, field, look.x, "the start");
    throw InputError(
        {lab.scene().name},
        "the equations have no finite derivatives at the start; start from a position beside it");
  }
  search.set_weight(look.rest.norm());
  const Look start = look;
  Equilibrium out;
  bool found = search.newton(look);
  if (!found) {  // at a crest of the accelerations Newton's method has no direction: a little further
                 // downhill
    look = search.at(start.x);
    search.descend(look, 20);
    found = search.newton(look);
  }
  if (!found) {
    out.descended = true;
    look = search.at(start.x);
    search.descend(look, 3000);
    found = search.newton(look);
  }
  refuse_singular(lab, field, look.x, found ? "the equilibrium" : "where the search ended");
  if (!found) {
    throw InputError(
        {lab.scene().name},
        fmt::format("no equilibrium was found near the start: {}; hold what falls, or start nearer "
                    "to where it can rest",
                    restless(lab, look, n)));
  }
  out.x = look.x;
  out.allowed = look.allowed;
  out.residual = look.rest.size() > 0 ? look.rest.cwiseAbs().maxCoeff() : 0.0;
  out.steps = search.steps();
  return out;
}

}  // namespace catena
