// The motion that a fit compares with its data, in segments: the first starts where the scene does, each
// further one from a state of its own. With derivatives of all that is observed, and of where segments end.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "catena/analyze/fit.h"
#include "catena/analyze/observation.h"
#include "catena/lab/lab.h"

namespace catena {

// Where a segment starts.
struct SegmentStart {
  double t = 0.0;
  std::vector<double> x;  // of the first segment: none, it starts as the scene does
  std::vector<AngleMemory> angles;
};

// One segment of the motion. Rows are those of the data.
struct SegmentMotion {
  std::size_t first = 0, last = 0;   // rows [first, last)
  std::vector<double> residuals;     // [row - first][observed]: modelled less measured; nan: not measured
  std::vector<double> modelled;      // likewise
  Eigen::MatrixXd by_numbers;        // [(row - first) * observed + column, free number]
  Eigen::MatrixXd by_start;          // likewise, [.., change of the start]
  std::vector<double> start;         // the state it started from, as the constraints allow it
  Eigen::MatrixXd basis;             // [lane, change]: what may change in it
  Eigen::MatrixXd start_by_numbers;  // [lane, free number]: how it is brought back to what they allow
  std::vector<double> end;           // the state where the next one starts
  std::vector<AngleMemory> end_angles;
  Eigen::MatrixXd end_by_numbers, end_by_start;  // [lane, ..]
};

class Shooting {
 public:
  // Throws InputError where the scene or what is observed makes no sense.
  Shooting(const FitProblem& problem, const FitControl& control);
  ~Shooting();

  std::size_t observed() const { return observation_.count(); }
  const std::vector<std::string>& summed() const { return observation_.summed(); }
  const std::vector<Warning>& warnings() const { return warnings_; }

  // Whether it could be computed; why not: failure().
  bool run(const std::vector<double>& values, const std::vector<SegmentStart>& starts, bool with_rates,
           std::vector<SegmentMotion>& out);
  const std::string& failure() const { return failure_; }
  // The failure was a mistake: throws it again.
  void throw_mistakes() const;
  bool stopped() const;

  // One segment after the other, each from a state that its data and the end of the one before make likely
  // (an extended Kalman filter, iterated), where the numbers are uncertain by `errors` and the data by
  // `noise`. `count`: as many of about as many rows; 0: a segment ends where small differences have grown.
  // One start alone: there is no need for segments.
  bool assimilate(const std::vector<double>& values, const std::vector<double>& errors,
                  const std::vector<double>& noise, int count, std::vector<SegmentStart>& starts);

 private:
  struct Followed;  // a lab with its directions
  struct Spread;    // how far small differences have come
  struct Filter;    // assimilation on its way

  std::unique_ptr<Followed> made(const std::vector<double>& values, bool with_rates, bool with_state,
                                 bool only_acting);
  bool reach(Lab& lab, double t);
  bool look(Followed& of, std::size_t row, SegmentMotion& out);
  bool travel(Followed& of, double end, bool to_end, SegmentMotion& out);
  void begin(Followed& of, const SegmentStart& start, SegmentMotion& out);
  void reserve(const Followed& of, SegmentMotion& out) const;
  void settle_turns(Followed& of, std::size_t row);
  void note_acting(const Followed& of, const SegmentMotion& motion);
  bool needs_segments(const std::vector<double>& values, const std::vector<double>& errors, bool& needed);
  std::size_t first_row_at(double t) const;
  double adjust(const SegmentMotion& motion, const std::vector<double>& predicted,
                const Eigen::MatrixXd& spread, const std::vector<double>& noise, std::vector<double>& x,
                Eigen::MatrixXd& left) const;

  const FitProblem& problem_;
  const FitControl& control_;
  Observation observation_;
  std::vector<Warning> warnings_;
  std::vector<char> acts_;  // of the free numbers: whether it does more than say where the motion starts
  bool knows_acting_ = false;
  std::string failure_;
  std::vector<Mistake> mistakes_;
  std::vector<double> row_, column_rates_, observed_rates_, measured_;
};

}  // namespace catena
