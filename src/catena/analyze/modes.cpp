#include "catena/analyze/modes.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/shown.h"
#include "catena/analyze/warned.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/math/stencil.h"

namespace catena {

double Mode::damping() const {
  const double size = frequency();
  return eigenvalue.real() != 0.0 ? -eigenvalue.real() / size : 0.0;
}

const char* stability_text(Stability stability) {
  switch (stability) {
    case Stability::asymptotic:
      return "asymptotically stable";
    case Stability::minimum:
      return "stable: a minimum of the energy";
    case Stability::undecided:
      return "not decided by the linear equations";
    default:
      return "unstable";
  }
}

namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

// The linearised flow in a basis of allowed changes: coordinates y of places and z of rates with y' = z,
// z' = pull y + drag z; of a system of equations y' = flow y.
struct Linear {
  MatrixXd basis;  // [coordinate][lane]; places first
  MatrixXd flow;   // of all coordinates
  MatrixXd pull, drag, mass;
  std::size_t places = 0;  // how many coordinates are places; of a system of equations all

  bool mechanical() const { return pull.size() > 0; }
};

// M of the kinetic energy z' M z / 2, by its values along sums of directions.
MatrixXd mass_matrix(Lab& lab, const Equilibrium& at) {
  const Eigen::Index k = static_cast<Eigen::Index>(at.allowed.rates.size());
  const auto kinetic = [&](Eigen::Index i, Eigen::Index j) {
    std::vector<double> x = at.x;
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      x[lane] += at.allowed.rates[static_cast<std::size_t>(i)][lane];
      if (j >= 0) x[lane] += at.allowed.rates[static_cast<std::size_t>(j)][lane];
    }
    return lab.energies_of(0.0, x).kinetic;
  };
  MatrixXd out(k, k);
  for (Eigen::Index i = 0; i < k; ++i) out(i, i) = 2.0 * kinetic(i, -1);
  for (Eigen::Index i = 0; i < k; ++i) {
    for (Eigen::Index j = 0; j < i; ++j)
      out(i, j) = out(j, i) = kinetic(i, j) - 0.5 * (out(i, i) + out(j, j));
  }
  return out;
}

Linear linearised(Lab& lab, TangentField& field, const Equilibrium& at) {
  const std::size_t n = at.x.size();
  Linear out;
  const auto along = [&](const MatrixXd& rows) {
    return rows_of(field.along(0.0, at.x, flat_of(lists_of(rows))), n);
  };
  if (at.allowed.rates.empty()) {
    out.basis = matrix_of(at.allowed.places, n);
    out.places = at.allowed.places.size();
    out.flow = out.basis * along(out.basis).transpose();
    return out;
  }
  // Places that the rates of the basis lead to: then y' = z to the last bit, whatever the coordinates.
  const MatrixXd rates = matrix_of(at.allowed.rates, n);
  const Eigen::Index k = rates.rows();
  MatrixXd led = along(rates);
  out.drag = rates * led.transpose();
  for (std::size_t i = 0; i < n; ++i) {
    if (field.rate_lanes()[i] || i >= lab.motion_lanes()) led.col(static_cast<Eigen::Index>(i)).setZero();
  }
  out.places = static_cast<std::size_t>(k);
  out.basis.resize(2 * k, static_cast<Eigen::Index>(n));
  out.basis << led, rates;
  out.pull = rates * along(led).transpose();
  out.mass = mass_matrix(lab, at);
  out.flow = MatrixXd::Zero(2 * k, 2 * k);
  out.flow.topRightCorner(k, k).setIdentity();
  out.flow.bottomLeftCorner(k, k) = out.pull;
  out.flow.bottomRightCorner(k, k) = out.drag;
  return out;
}

// An eigenvalue with its vector in the coordinates of the basis.
struct Eigenpair {
  Complex value;
  VectorXcd vector;
};

// What is this small beside the largest is zero but for roundoff: squares of frequencies, and eigenvalues.
constexpr double kZeroSquare = 1e-12;
constexpr double kZero = 1e-10;

// K y = w^2 M y with symmetric K and M has real w^2 with all digits; none where K is not symmetric or there
// is drag.
std::vector<Eigenpair> symmetric_modes(const Linear& linear) {
  const MatrixXd stiffness = -linear.mass * linear.pull;
  const double size = stiffness.cwiseAbs().maxCoeff();
  const double rate = std::sqrt(linear.pull.cwiseAbs().maxCoeff());
  constexpr double kRoundoff = 1e-10;
  if (linear.drag.cwiseAbs().maxCoeff() > kRoundoff * rate) return {};
  if ((stiffness - stiffness.transpose()).cwiseAbs().maxCoeff() > kRoundoff * size) return {};
  const Eigen::Index k = stiffness.rows();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(0.5 * (stiffness + stiffness.transpose()),
                                                                  linear.mass);
  if (solver.info() != Eigen::Success) return {};
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Eigenpair> out;
  const auto add = [&](Complex value, const VectorXd& y) {
    VectorXcd whole(2 * k);
    whole << y.cast<Complex>(), value * y.cast<Complex>();
    out.push_back({value, whole});
  };
  for (Eigen::Index i = 0; i < k; ++i) {
    const VectorXd y = solver.eigenvectors().col(i);
    // The quotient of energies along the shape has twice the digits of the shape.
    const double square = y.dot(stiffness * y) / y.dot(linear.mass * y);
    if (std::fabs(square) <= kZeroSquare * largest || largest == 0.0) {
      add(0.0, y);
    } else if (square > 0.0) {
      add(Complex(0.0, std::sqrt(square)), y);
    } else {
      add(std::sqrt(-square), y);
      add(-std::sqrt(-square), y);
    }
  }
  return out;
}

std::vector<Eigenpair> general_modes(const Linear& linear) {
  const RealEigen eigen = real_eigen(linear.flow);
  const double largest = eigen.values.size() > 0 ? eigen.values.cwiseAbs().maxCoeff() : 0.0;
  // Places along which nothing pulls: pairs of zeros that share a vector, known to half the digits only.
  double nothing = kZero * largest;
  std::size_t pairs = 0;
  if (linear.mechanical()) {
    Eigen::JacobiSVD<MatrixXd> svd(linear.pull);
    svd.setThreshold(kZeroSquare);
    pairs = static_cast<std::size_t>(linear.pull.rows() - svd.rank());
    if (pairs > 0) nothing = 1e-6 * largest;
  }
  std::vector<Eigenpair> out;
  std::size_t zeros = 0;
  for (Eigen::Index i = 0; i < eigen.values.size(); ++i) {
    Complex value = eigen.values(i);
    const bool is_zero = std::abs(value) <= nothing;
    if (is_zero && ++zeros > 1 && linear.mechanical() && zeros > pairs) continue;  // the second of a pair
    if (is_zero) value = 0.0;
    if (value.imag() < 0.0) continue;
    out.push_back({value, eigen.vectors.col(i)});
  }
  return out;
}

// ---- columns ----------------------------------------------------------------------------------------------

bool is_angle(const std::string& name) {
  const auto begins = [&](const char* with) { return name.rfind(with, 0) == 0; };
  return begins("theta") || begins("angle_") || begins("travel_");
}

// Columns that can stand for the coordinates: as many as there are, independent, angles before positions.
std::vector<std::size_t> chosen_states(const Shown& all, bool by_formulas, std::size_t count,
                                       std::size_t places) {
  std::vector<std::size_t> order(all.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (by_formulas || is_angle(all.names[a])) && !(by_formulas || is_angle(all.names[b]));
  });
  const auto row = [&](std::size_t i) -> VectorXd {
    return all.slopes.row(static_cast<Eigen::Index>(i)).transpose();
  };
  std::vector<std::size_t> out;
  const auto take = [&](bool rates, std::size_t wanted) {
    MatrixXd taken(0, static_cast<Eigen::Index>(count));
    for (const double least : {0.1, 1e-3}) {
      for (const std::size_t i : order) {
        if (static_cast<std::size_t>(taken.rows()) == wanted) return;
        VectorXd slope = row(i);
        if (!slope.allFinite()) continue;
        const double on_places = slope.head(static_cast<Eigen::Index>(places)).norm();
        const double on_rates = slope.tail(static_cast<Eigen::Index>(count - places)).norm();
        if (rates ? !(on_places <= 1e-9 * on_rates) : !(on_rates <= 1e-9 * on_places)) continue;
        const double size = slope.norm();
        if (!(size > 1e-9)) continue;
        for (int pass = 0; pass < 2; ++pass) slope -= taken.transpose() * (taken * slope);
        if (!(slope.norm() > least * size)) continue;
        taken.conservativeResize(taken.rows() + 1, Eigen::NoChange);
        taken.row(taken.rows() - 1) = slope.normalized();
        out.push_back(i);
      }
    }
  };
  take(false, places);
  if (count > places) take(true, count - places);
  return out;
}

// ---- inputs -----------------------------------------------------------------------------------------------

// Forces and torques that formulas of the scene exert in joints or along coordinates: what is added to them
// is an input.
std::vector<Direction> motors_of(const Scene& scene) {
  std::vector<Direction> out;
  const auto added = [](const std::string& formula, double value) {
    return fmt::format("({}) + ({})", formula, number_text(value));
  };
  for (std::size_t k = 0; k < scene.mechanism.forces.size(); ++k) {
    const JointForce& force = scene.mechanism.forces[k];
    if (force.drive.empty()) continue;
    const char* what = force.along == JointForce::Along::angle ? "torque_" : "force_";
    const std::string name =
        force.joint >= 0 ? scene.mechanism.joints[static_cast<std::size_t>(force.joint)].name : force.name;
    out.push_back({what + name,
                   0.0,
                   [scene, k, added](double value) {
                     Scene other = scene;
                     JointForce& driven = other.mechanism.forces[k];
                     driven.drive = added(driven.drive, value);
                     return other;
                   },
                   {}});
  }
  for (std::size_t k = 0; k < scene.lagrangian.coordinates.size(); ++k) {
    const LagrangianCoordinate& coordinate = scene.lagrangian.coordinates[k];
    if (coordinate.force.text.empty()) continue;
    out.push_back({"force_" + coordinate.name,
                   0.0,
                   [scene, k, added](double value) {
                     Scene other = scene;
                     std::string& text = other.lagrangian.coordinates[k].force.text;
                     text = added(text, value);
                     return other;
                   },
                   {}});
  }
  return out;
}

// What a number of the scene does at this state to the rates and to the columns.
struct Influence {
  VectorXd rates, columns;
};

Influence influence(const Direction& of, const State& state, const std::vector<AngleMemory>& angles,
                    const std::vector<std::string>& words) {
  const Stencil stencil = Stencil::central();
  const double spacing = of.value != 0.0 ? std::fabs(of.value) / 16 : 0.125;
  Influence out;
  for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
    Lab beside(analysed(of.scene(of.value + stencil.nodes[node] * spacing)));
    if (beside.dimension() != state.hi.size())
      throw InputError(
          {beside.scene().name},
          fmt::format("{} is no input: beside it the state has another number of coordinates", of.path));
    beside.place(state, angles);
    const VectorXd f = vector_of(beside.rhs(state.t, state.hi));
    const Columns columns = beside.columns(words);
    std::vector<double> row(columns.width());
    beside.observe(state.t, columns, row.data());
    const double weight = stencil.slope[node] / spacing;
    if (node == 0) {
      out.rates = VectorXd::Zero(f.size());
      out.columns = VectorXd::Zero(static_cast<Eigen::Index>(row.size()));
    }
    out.rates += weight * f;
    out.columns += weight * vector_of(row);
  }
  return out;
}

// ---- the whole --------------------------------------------------------------------------------------------

// Whether the rates have a derivative here: from both sides the same, as far as short ways tell.
void refuse_kinks(Lab& lab, const Equilibrium& at, const MatrixXd& basis) {
  constexpr double kShort = 1e-5;
  const VectorXd x = vector_of(at.x), f = vector_of(lab.rhs(0.0, at.x));
  for (Eigen::Index k = 0; k < basis.rows(); ++k) {
    const VectorXd way = kShort * basis.row(k).transpose().normalized();
    const VectorXd more = vector_of(lab.rhs(0.0, list_of(x + way))) - f;
    const VectorXd less = vector_of(lab.rhs(0.0, list_of(x - way))) - f;
    if ((more + less).norm() <= 0.01 * (more - less).norm() + 1e-9 * kShort) continue;
    throw InputError(
        {lab.scene().name},
        "the equilibrium is where a law, a limit or a slack link switches: the equations have no "
        "derivative there; move the switch, or what rests, a little");
  }
}

Stability stability_of(const std::vector<Eigenpair>& pairs, bool conservative) {
  double largest = 0.0;
  for (const Eigenpair& pair : pairs) largest = std::max(largest, std::abs(pair.value));
  bool all_decay = true, all_swing = true;
  for (const Eigenpair& pair : pairs) {
    const double nothing = 1e-11 * std::max(largest, std::abs(pair.value));
    if (pair.value.real() > nothing) return Stability::unstable;
    all_decay = all_decay && pair.value.real() < -nothing;
    all_swing = all_swing && std::abs(pair.value) > 0.0;
  }
  if (all_decay) return Stability::asymptotic;
  return conservative && all_swing ? Stability::minimum : Stability::undecided;
}

// The largest place of a shape becomes 1.
void normalise(Mode& mode, const Shown& all, const std::vector<std::size_t>& kept, const VectorXcd& vector) {
  const VectorXcd columns = all.slopes.cast<Complex>() * vector;
  Complex largest = 0.0;
  for (const std::size_t i : kept) {
    const Complex value = columns(static_cast<Eigen::Index>(i));
    // Of equal ones the first, whatever roundoff says.
    if (std::isfinite(std::abs(value)) && std::abs(value) > (1.0 + 1e-9) * std::abs(largest)) largest = value;
  }
  const Complex scale = std::abs(largest) > 0.0 ? 1.0 / largest : Complex(1.0);
  for (const std::size_t i : kept) mode.columns.push_back(columns(static_cast<Eigen::Index>(i)) * scale);
  for (Complex& one : mode.state) one *= scale;
}

// Whether what rests also rests a little further along a shape.
bool rests_beside(Lab& lab, TangentField& field, const Equilibrium& at, const Mode& mode, double pull) {
  constexpr double kAway = 1e-2;
  std::vector<double> x = at.x;
  double size = 0.0;
  for (const Complex& lane : mode.state) size = std::max(size, std::abs(lane));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += kAway * mode.state[i].real() / size;
  x = placed(lab, 0.0, std::move(x), lab.row_angles());
  const AllowedChanges allowed = allowed_changes(lab, field);
  const MatrixXd onto = matrix_of(allowed.rates.empty() ? allowed.places : allowed.rates, x.size());
  const double rest = (onto * vector_of(lab.rhs(0.0, x))).norm();
  placed(lab, 0.0, at.x, lab.row_angles());
  return rest <= 1e-9 * std::max(pull, 1e-300);
}

RestingFamily family_of(const Mode& mode, const std::vector<std::string>& columns) {
  RestingFamily out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::abs(mode.columns[i]) > 0.5 && out.columns.size() < 4) out.columns.push_back(columns[i]);
  }
  return out;
}

Matrix rows_list(const MatrixXd& matrix) { return lists_of(matrix); }

class Analysis {
 public:
  Analysis(const Scene& scene, const ModesOptions& options)
      : options_(options), lab_(analysed(scene)), field_(lab_) {}

  Modes found() {
    if (!options_.outputs.empty()) lab_.columns(options_.outputs);  // mistakes before anything is computed
    const State start = lab_.state();
    out_.equilibrium = find_equilibrium(lab_, field_);
    note_warnings(lab_, out_.warnings);
    say_rates_left_out(start);
    linear_ = linearised(lab_, field_, out_.equilibrium);
    if (field_.has_kinks()) refuse_kinks(lab_, out_.equilibrium, linear_.basis);
    std::vector<Eigenpair> pairs;
    if (linear_.mechanical()) pairs = symmetric_modes(linear_);
    out_.conservative = !pairs.empty();
    if (pairs.empty()) pairs = general_modes(linear_);
    out_.stability = stability_of(pairs, out_.conservative);
    show(std::move(pairs));
    look_for_families();
    make_model();
    return std::move(out_);
  }

 private:
  void say_rates_left_out(const State& start) {
    for (std::size_t i = 0; i < start.hi.size(); ++i) {
      if (!field_.rate_lanes()[i] || start.hi[i] == 0.0) continue;
      out_.warnings.push_back(
          "the start has rates: the equilibrium is looked for from its positions, at rest");
      return;
    }
  }

  void show(std::vector<Eigenpair> pairs) {
    words_ = known_words(lab_, {"angles", "position", "orientation", "velocity", "rotation", "states"});
    all_ = shown(lab_, words_, linear_.basis);
    const Eigen::Index places = static_cast<Eigen::Index>(linear_.places);
    for (std::size_t i = 0; i < all_.names.size(); ++i) {
      const VectorXd slope = all_.slopes.row(static_cast<Eigen::Index>(i)).transpose();
      const bool of_places = slope.allFinite() && slope.head(places).norm() > 0.0 &&
                             slope.tail(slope.size() - places).norm() <= 1e-9 * slope.head(places).norm();
      if (!of_places) continue;
      kept_.push_back(i);
      out_.columns.push_back(all_.names[i]);
      out_.row.push_back(all_.row(static_cast<Eigen::Index>(i)));
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Eigenpair& a, const Eigenpair& b) {
      return std::abs(a.value) < std::abs(b.value);
    });
    for (const Eigenpair& pair : pairs) {
      Mode mode{pair.value, {}, {}};
      const VectorXcd state = linear_.basis.transpose().cast<Complex>() * pair.vector;
      mode.state.assign(state.data(), state.data() + state.size());
      normalise(mode, all_, kept_, pair.vector);
      out_.modes.push_back(std::move(mode));
    }
  }

  void look_for_families() {
    const double pull =
        linear_.mechanical() ? linear_.pull.cwiseAbs().maxCoeff() : linear_.flow.cwiseAbs().maxCoeff();
    for (const Mode& mode : out_.modes) {
      if (mode.frequency() > 0.0) continue;
      RestingFamily family = family_of(mode, out_.columns);
      family.level = rests_beside(lab_, field_, out_.equilibrium, mode, pull);
      out_.families.push_back(std::move(family));
    }
  }

  void make_model() {
    const std::size_t count = static_cast<std::size_t>(linear_.flow.rows());
    const std::vector<std::size_t> states =
        chosen_states(all_, lab_.scene().by_formulas(), count, linear_.places);
    // Coordinates of the model, from those of the basis.
    MatrixXd onto = MatrixXd::Identity(linear_.flow.rows(), linear_.flow.rows());
    LinearModel& model = out_.model;
    if (states.size() == count) {
      for (std::size_t k = 0; k < count; ++k) {
        onto.row(static_cast<Eigen::Index>(k)) = all_.slopes.row(static_cast<Eigen::Index>(states[k]));
        model.states.push_back(all_.names[states[k]]);
      }
    } else {
      for (std::size_t k = 1; k <= count; ++k) model.states.push_back(fmt::format("change_{}", k));
      out_.warnings.push_back("no columns can stand for the coordinates: the linear model has its own");
    }
    const Eigen::PartialPivLU<MatrixXd> back(onto);
    const MatrixXd inverse = back.inverse();
    model.a = rows_list(onto * linear_.flow * inverse);
    const std::vector<std::string> words = options_.outputs.empty() ? out_.columns : options_.outputs;
    const Shown outputs = shown(lab_, words, linear_.basis);
    model.outputs = outputs.names;
    model.c = rows_list(outputs.slopes * inverse);
    add_inputs(onto, words);
  }

  void add_inputs(const MatrixXd& onto, const std::vector<std::string>& words) {
    std::vector<Direction> inputs = motors_of(lab_.scene());
    inputs.insert(inputs.end(), options_.inputs.begin(), options_.inputs.end());
    LinearModel& model = out_.model;
    MatrixXd b(onto.rows(), static_cast<Eigen::Index>(inputs.size()));
    MatrixXd d(static_cast<Eigen::Index>(model.outputs.size()), b.cols());
    // Coordinates of a change of the state: what the basis makes of it, backwards.
    const Eigen::ColPivHouseholderQR<MatrixXd> coordinates(linear_.basis.transpose());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Influence does = influence(inputs[k], lab_.state(), lab_.row_angles(), words);
      const auto column = static_cast<Eigen::Index>(k);
      VectorXd rates = does.rates;
      for (std::size_t i = lab_.motion_lanes(); i < lab_.dimension(); ++i)
        rates(static_cast<Eigen::Index>(i)) = 0.0;
      b.col(column) = onto * coordinates.solve(rates);
      d.col(column) = does.columns.tail(does.columns.size() - 1);
      model.inputs.push_back(inputs[k].path);
    }
    model.b = rows_list(b);
    model.d = rows_list(d);
    for (const JointMotor& motor : lab_.scene().mechanism.motors) {
      out_.warnings.push_back(
          fmt::format("the motor of joint '{}' prescribes a motion: it is no input of the linear model",
                      lab_.scene().mechanism.joints[static_cast<std::size_t>(motor.joint)].name));
    }
  }

  const ModesOptions& options_;
  Lab lab_;
  TangentField field_;
  Modes out_;
  Linear linear_;
  std::vector<std::string> words_;
  Shown all_;
  std::vector<std::size_t> kept_;
};

}  // namespace

ModeRows mode_rows(const Scene& scene, const Modes& modes, std::size_t mode, double size, std::size_t count,
                   const std::vector<std::string>& words) {
  Lab lab(analysed(scene));
  const Columns columns = lab.columns(words);
  const Mode& shape = modes.modes[mode];
  const double swing = std::fabs(shape.eigenvalue.imag());
  ModeRows out{columns.stems(), {}};
  for (std::size_t k = 0; k < count; ++k) {
    const double phase = 2.0 * M_PI * static_cast<double>(k) / static_cast<double>(count);
    std::vector<double> x = modes.equilibrium.x;
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += size * (shape.state[i] * std::polar(1.0, phase)).real();
    placed(lab, 0.0, std::move(x), lab.row_angles());
    std::vector<double> row(columns.width());
    lab.observe(0.0, columns, row.data());
    row[0] = phase / (swing > 0.0 ? swing : 2.0 * M_PI);
    out.rows.push_back(std::move(row));
  }
  return out;
}

Modes find_modes(const Scene& scene, const ModesOptions& options) { return Analysis(scene, options).found(); }

}  // namespace catena
