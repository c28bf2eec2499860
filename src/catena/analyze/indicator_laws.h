// What indicators make of a motion; the table of them is in indicators.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "catena/analyze/indicators.h"
#include "catena/analyze/tangent_course.h"

namespace catena::indication {

inline constexpr double kTransient = 0.1;  // of the duration

// How often a motion has gone there and back: every number of the state has its maxima, and half of the
// numbers at least have as many as this says. (Angles that go round and round have none, their rates do.)
class Turns {
 public:
  void look(const std::vector<double>& state, std::size_t lanes) {
    if (before_.empty()) maxima_.assign(lanes, 0);
    rises_.resize(lanes, false);
    for (std::size_t i = 0; i < lanes && !before_.empty(); ++i) {
      if (state[i] == before_[i]) continue;
      const bool rises = state[i] > before_[i];
      if (rises_[i] && !rises) ++maxima_[i];
      rises_[i] = rises;
    }
    before_ = state;
  }
  std::size_t count() const {
    std::vector<std::size_t> sorted = maxima_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }

 private:
  std::vector<double> before_;
  std::vector<bool> rises_;
  std::vector<std::size_t> maxima_;
};

// What the indicators are made from.
struct Motion {
  double duration = 0.0;
  Turns turns;
  bool keeps_volume = false;
  Lab* lab = nullptr;
  std::unique_ptr<TangentCourse> tangents;  // null: nobody needs them
  double spacing = 0.0;
  std::vector<std::vector<double>> states;  // [sample][lane]
  std::vector<double> signal;
  std::string signal_name;
};

// Every so manieth, some thousand in all.
void thin(Indicator& of);

// From tangents.
Indicator megno(const Motion& motion);
Indicator gali(const Motion& motion, std::size_t k);
Indicator sali(const Motion& motion);
Indicator fli(const Motion& motion);
Indicator largest_exponent(const Motion& motion);
Indicator finite_time_exponent(const Motion& motion);
// From series.
Indicator zero_one(const Motion& motion);
Indicator naff(const Motion& motion);
Indicator recurrences(const Motion& motion);
Indicator spectrum(const Motion& motion);
Indicator dimension(const Motion& motion);

}  // namespace catena::indication
