// Motions that close: Newton's method on x(T) = x(0), with the exact derivatives of the flow.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <atomic>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

// A motion to be closed, or closed: states at equal parts of its period, the first at t = 0.
struct ClosedMotion {
  double parameter = 0.0;
  double period = 0.0;
  std::vector<std::vector<double>> states;
};

// A change of a closed motion: of its states, of its period and of the parameter.
struct ClosedChange {
  std::vector<std::vector<double>> states;
  double period = 0.0;
  double parameter = 0.0;
};

// What is asked of closed motions.
struct ClosingProblem {
  std::string path;                    // of the number that the parameter is; empty: there is none
  std::function<Scene(double)> scene;  // by the parameter
  double parameter_scale = 1.0;        // by which changes of it are measured
  bool driven = false;                 // the period is that of the drive, times `multiple`
  int multiple = 1;
  std::optional<double> drive_period;  // as given; none: found from the equations
  std::vector<std::string> conserved;  // columns that the motion keeps: one condition each
  std::vector<double> kept;            // and their values
  std::vector<double> mirror;          // signs of the lanes; given: half a period leads to the mirror image
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> pulse = {};  // many times a second
};

// A closed motion with what its linear equations say. Matrices are in coordinates of allowed changes.
struct ClosingLook {
  ClosedMotion motion;
  std::vector<Eigen::MatrixXd> bases;  // of each state, [coordinate][lane]
  Eigen::VectorXd residual;
  Eigen::MatrixXd
      jacobian;  // by all states, the period where it is free, and the parameter where there is one
  Eigen::MatrixXd monodromy;
  Eigen::VectorXd flow;                     // dx/dt at the first state
  Eigen::MatrixXd conserved;                // gradients, [column][coordinate]
  std::vector<std::vector<double>> pushed;  // by the parameter: the change of each part's end, [part][lane]
  bool good = false;
  std::string why;  // it is not

  double gap() const { return residual.size() > 0 ? residual.cwiseAbs().maxCoeff() : 0.0; }
};

struct Multipliers {
  std::vector<std::complex<double>>
      values;               // by falling size; those that are 1 for the flow and for what is kept
  std::size_t trivial = 0;  // so many of these, at the end
  double largest() const;   // of the others
};

class Closing {
 public:
  explicit Closing(ClosingProblem problem) : problem_(std::move(problem)) {}

  const ClosingProblem& problem() const { return problem_; }
  ClosingProblem& problem() { return problem_; }
  // The lab at a parameter. Of the last parameter asked for it is kept.
  Lab& lab(double parameter);
  // Of the drive, at a parameter. Throws InputError where there is none.
  double drive_period(double parameter);

  // Signs of lanes that bring a state near another one: of opposite quaternions, which turn alike.
  std::vector<double> signs_near(const std::vector<double>& x, const std::vector<double>& other) const;
  double distance(const std::vector<double>& a, const std::vector<double>& b) const;

  // The motion as it is, with all derivatives; `parameter`: by the parameter, too.
  ClosingLook look(const ClosedMotion& motion, bool parameter);
  // Closed by Newton's method; `along`: the parameter is free, and changes are perpendicular to this one.
  // Derivatives by the parameter are those of `like` on the way, or of the guess: they cost most, and
  // Newton's method does with nearby ones.
  ClosingLook closed(ClosedMotion guess, const ClosedChange* along, int most_steps = 25,
                     const ClosingLook* like = nullptr);

  // The directions in which closed motions go on, as unit changes, the least changed first: of a regular one
  // the first alone.
  std::vector<ClosedChange> tangents(const ClosingLook& at, std::size_t count);
  ClosedMotion moved(const ClosedMotion& from, const ClosedChange& by, double size) const;
  // Unit changes are measured so.
  double product(const ClosedChange& a, const ClosedChange& b, const ClosedMotion& at) const;
  // Of the bordered equations: it changes its sign where branches meet. NaN where there are more equations
  // than unknowns.
  double border(const ClosingLook& at, const ClosedChange& tangent) const;

  // The motion over a time from its first state: states and, where words for them are given, columns at even
  // times.
  struct Course {
    std::vector<std::string> names;
    std::vector<double> times;
    std::vector<std::vector<double>> rows;  // without time
    std::vector<std::vector<double>> states;
    bool done = false;
  };
  Course course(const ClosedMotion& of, const std::vector<std::string>& words, double length,
                std::size_t count);

 private:
  struct Passage {
    std::vector<double> end;
    Eigen::MatrixXd rates;  // [direction][lane]
    std::string why;        // it did not arrive
  };
  Passage passage(Lab& lab, double t, const std::vector<double>& x, double length,
                  const Eigen::MatrixXd& basis, bool parameter);
  Eigen::VectorXd row_of(const ClosingLook& at, const ClosedChange& change) const;
  ClosedChange change_of(const ClosingLook& at, const Eigen::VectorXd& solution) const;
  bool stopped() const {
    if (problem_.pulse) problem_.pulse();
    return problem_.stop != nullptr && problem_.stop->load();
  }

  ClosingProblem problem_;
  std::unique_ptr<Lab> lab_;
  std::vector<AngleMemory> angles_;
  std::vector<bool> idle_;  // lanes that mean nothing
  std::vector<std::array<std::size_t, 4>> quaternions_;
  std::size_t lanes_ = 0;  // of the motion
  double lab_parameter_ = 0.0;
  double last_drive_ = 0.0;
  bool drive_stays_ = false;  // its period does not depend on the parameter, as far as was seen
};

// Floquet multipliers: what is 1 by the flow and by what is kept is taken out before the others are computed.
Multipliers multipliers_of(const ClosingLook& at, bool driven);
// |M f - f| / |f| of a motion that is not driven.
double flow_error(const ClosingLook& at);

// The shortest time after which the rates at any state are the same again, near `about` where that is given;
// none within `longest`.
std::optional<double> period_of_drive(Lab& lab, double longest, std::optional<double> about);

}  // namespace catena
