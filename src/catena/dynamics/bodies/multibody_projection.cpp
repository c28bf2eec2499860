// Bodies back onto their joints: during a run, when a drawing is brought together, and what gaps are left.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/model/placement.h"

namespace catena {

Multibody::Largest Multibody::measure(double t, const double* hi, const double* lo) {
  for (ConstraintLanes& group : groups_) group.measure(t, bodies(), hi, lo, right_.data(), rates_.data());
  Largest largest{0.0, 0.0};
  for (std::size_t row = 0; row < right_.size(); ++row) {
    largest.gap = std::max(largest.gap, std::fabs(right_[row]));
    largest.rate = std::max(largest.rate, std::fabs(rates_[row]));
  }
  return largest;
}

double Multibody::left_over(double t, const double* hi, const double* lo, bool rates) {
  const Largest largest = measure(t, hi, lo);
  if (rates) std::copy(rates_.begin(), rates_.end(), right_.begin());
  return rates ? largest.rate : largest.gap;
}

void Multibody::move_places(const double* hi, double* lo) {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b) {
    double* six = y_.data() + 6 * b;
    bodies_.divide_by_transposed_root(b, six);
    for (std::size_t c = 0; c < 3; ++c) lo[(kPosition + c) * n + b] += six[c];
    const double* p = hi + kOrientation * n + b;
    const double w = p[0], x = p[n], y = p[2 * n], z = p[3 * n];
    double* to = lo + kOrientation * n + b;
    to[0] -= 0.5 * (x * six[3] + y * six[4] + z * six[5]);
    to[n] += 0.5 * (w * six[3] + y * six[5] - z * six[4]);
    to[2 * n] += 0.5 * (w * six[4] + z * six[3] - x * six[5]);
    to[3 * n] += 0.5 * (w * six[5] + x * six[4] - y * six[3]);
  }
}

void Multibody::move_velocities(double* lo) {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b) {
    double* six = y_.data() + 6 * b;
    bodies_.divide_by_transposed_root(b, six);
    for (std::size_t c = 0; c < 6; ++c) lo[(kVelocity + c) * n + b] += six[c];
  }
}

// How much a constraint that counts turns grows with each turn of its pairs of bodies.
std::array<double, 2> Multibody::turn_weights(std::size_t group, std::size_t lane) const {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const JointLane& of = groups_[group].lanes()[lane];
  const JointInfo& info = joint_info(mechanism_.joints[static_cast<std::size_t>(of.joint)].kind);
  const bool motor = std::find(motors_.begin(), motors_.end(), group) != motors_.end();
  if (motor) return {info.coordinate == Coordinate::angle ? kTurn : 0.0, 0.0};
  if (info.turning_pairs == 0) return {0.0, 0.0};
  return {-of.numbers[0] * kTurn, info.turning_pairs > 1 ? kTurn : 0.0};
}

namespace {

// The turns of both pairs that bring a gap closest to zero, the fewest that do. With one pair they are plain;
// with two the search widens until the gap is as small as gaps are.
std::array<double, 2> missing_turns(double gap, double first_weight, double second_weight) {
  if (second_weight == 0.0) return {-std::round(gap / first_weight), 0.0};
  constexpr double kSmall = 1e-6;
  constexpr int kMostTurns = 100'000;
  std::array<double, 2> best{0.0, 0.0};
  double least = std::fabs(gap);
  for (int i = 0; i <= 2 * kMostTurns && least > kSmall; ++i) {
    const double first = i % 2 == 0 ? 0.5 * i : -0.5 * (i + 1);
    const double with_first = gap + first * first_weight;
    const double second = -std::round(with_first / second_weight);
    const double size = std::fabs(with_first + second * second_weight);
    if (size >= 0.5 * least) continue;
    least = size;
    best = {first, second};
  }
  return best;
}

}  // namespace

// Turns are whole, and the constraint itself says how many: gaps are far below what a turn would make.
void Multibody::follow_turns(double t, const double* hi, const double* lo) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  constexpr double kMost = 1e9;  // a gap beyond is of no motion, and turns that it says are none
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    ConstraintLanes& group = groups_[g];
    for (std::size_t l = 0; l < group.count(); ++l) {
      const auto [first_weight, second_weight] = turn_weights(g, l);
      if (first_weight == 0.0) continue;
      const double gap = group.violation(l, t, bodies(), hi, lo)[group.rows() - 1];
      if (!(std::fabs(gap) < kMost)) continue;
      const auto [first, second] = missing_turns(gap, first_weight, second_weight);
      if (first != 0.0 || second != 0.0) group.add_turns(l, first * kTurn, second * kTurn);
    }
  }
}

void Multibody::follow_all_turns(double t, const double* hi, const double* lo, bool is_end) {
  for (ForceLanes& group : forces_) {
    if (group.turns()) group.follow_turns(t, bodies(), hi, lo, is_end);
  }
  follow_turns(t, hi, lo);
}

void Multibody::set_turns(const std::vector<double>& of_joints) {
  for (ForceLanes& group : forces_) {
    if (group.turns()) group.set_turns(of_joints);
  }
}

void Multibody::project(double t, const double* hi, double* lo) {
  if (!factored_near(t, hi)) factor_at(t, hi);
  project(t, hi, lo, [this](const double* r, double* y) { factor_.solve(r, y, multipliers_.data()); });
}

void Multibody::project(double t, const double* hi, double* lo, const Closing& closing) {
  // One or two passes are enough after a good step; a coarse one may leave so much that each of the later
  // ones, with the same factorisation, gains a digit or two.
  constexpr int kFewPasses = 3, kMostPasses = 20;
  // 1e-4 of what doubles resolve: no trace in hi. Near singular positions of loops a gap of d^2 hides a way
  // d.
  const double gapless = (has_loops() ? 1e-24 : 1e-20) * size_;
  constexpr double kOneIsEnough = 1e-13;  // rates are linear in velocities: the square of this is left
  bodies_.normalise(hi, lo);
  for (ForceLanes& group : forces_) {
    if (group.turns()) group.follow_turns(t, bodies(), hi, lo, true);
  }
  const auto goes_on = [&](int pass, double now, double before) {
    return now > gapless && (pass < kFewPasses || (pass < kMostPasses && now < 0.5 * before));
  };
  Largest left{}, before{};
  for (int pass = 0;; ++pass) {
    follow_turns(t, hi, lo);  // a correction may take an angle over the half turn where its sign changes
    left = measure(t, hi, lo);
    if (!goes_on(pass, left.gap, before.gap)) break;
    before = left;
    std::fill(y_.begin(), y_.end(), 0.0);
    closing(right_.data(), y_.data());
    move_places(hi, lo);
    bodies_.normalise(hi, lo);
  }
  for (int pass = 0; goes_on(pass, left.rate, before.rate); ++pass) {
    before = left;
    std::fill(y_.begin(), y_.end(), 0.0);
    closing(rates_.data(), y_.data());
    move_velocities(lo);
    if (left.rate <= kOneIsEnough) break;
    left = measure(t, hi, lo);
  }
}

// Moves all bodies by factor * y_ (mass metric), however far.
void Multibody::displace(LanePair& state, double factor) {
  const std::size_t n = bodies();
  for (std::size_t b = 0; b < n; ++b) {
    double six[6];
    for (std::size_t c = 0; c < 6; ++c) six[c] = factor * y_[6 * b + c];
    bodies_.divide_by_transposed_root(b, six);
    for (std::size_t c = 0; c < 3; ++c) state.hi[(kPosition + c) * n + b] += six[c];
    Quaternion p;
    for (std::size_t c = 0; c < 4; ++c) p[c] = state.hi[(kOrientation + c) * n + b];
    const double angle = std::hypot(six[3], six[4], six[5]), half = 0.5 * angle;
    const double s = angle > 0.0 ? std::sin(half) / angle : 0.5;
    p = normalised(product(p, {std::cos(half), s * six[3], s * six[4], s * six[5]}));
    for (std::size_t c = 0; c < 4; ++c) state.hi[(kOrientation + c) * n + b] = p[c];
  }
  std::fill(state.lo.begin(), state.lo.end(), 0.0);
}

double Multibody::close(LanePair& state) {
  constexpr int kMostSteps = 100;
  constexpr double kDone = 1e-15;
  // The length of all gaps: it is the same from wherever one looks, and so is the way that is taken.
  const auto gap_of = [this](const LanePair& at) {
    left_over(0.0, at.hi.data(), at.lo.data(), false);
    double squares = 0.0;
    for (const double row : right_) squares += row * row;
    return std::sqrt(squares);
  };
  double gap = gap_of(state);
  LanePair best = state;
  double factor = 1.0;
  for (int i = 0; i < kMostSteps && gap > kDone; ++i) {
    factor_at(0.0, best.hi.data());
    gap_of(best);
    std::fill(y_.begin(), y_.end(), 0.0);
    factor_.solve(right_.data(), y_.data(), multipliers_.data());
    state = best;
    displace(state, factor);
    const double next = gap_of(state);
    if (next < gap) {
      best = state;
      gap = next;
      factor = std::min(1.0, 2.0 * factor);
    } else if (factor > 1e-3 && gap > 1e-13) {
      factor *= 0.5;
    } else {
      break;
    }
  }
  state = best;
  return left_over(0.0, state.hi.data(), state.lo.data(), false);
}

namespace {

// The turn that leads from one orientation to another, as a vector in the first one's frame.
Vec3 turn_between(const Quaternion& from, const Quaternion& to) {
  const Quaternion p = product({from[0], -from[1], -from[2], -from[3]}, to);
  const double sine = std::hypot(p[1], p[2], p[3]);
  if (sine == 0.0) return {};
  const double angle = 2.0 * std::atan2(p[0] < 0.0 ? -sine : sine, std::fabs(p[0]));
  return {angle / sine * p[1], angle / sine * p[2], angle / sine * p[3]};
}

}  // namespace

// Over and over to the state closest to the drawing among those that satisfy the linearised joints (Gauss and
// Newton's method). Where it ends, the way back to the drawing is normal to all that the joints allow, which
// is the same from wherever one looks, and for all ways to write a joint's equations. There may be several
// such states: the gaps of the drawing are closed little by little, each time to the closest state, which
// leads to one of them in every frame and in all units. Where that leads nowhere, the way begins at `state`.
void Multibody::approach(const LanePair& drawn, LanePair& state) {
  constexpr int kMostSteps = 200, kParts = 32;
  constexpr double kDone = 1e-13, kOnTheWay = 1e-3, kFarOff = 1e-3, kRoundoff = 1e-10;  // of what moves
  const std::size_t n = bodies();
  const auto orientation = [n](const LanePair& at, std::size_t b) {
    Quaternion p;
    for (std::size_t c = 0; c < 4; ++c) p[c] = at.hi[(kOrientation + c) * n + b];
    return p;
  };
  left_over(0.0, drawn.hi.data(), drawn.lo.data(), false);
  const std::vector<double> gaps_drawn = right_;
  // To where `open` times the gaps of the drawing are left, and no motion moves more than `within`.
  const auto comes_close = [&](LanePair& at, double open, double within) {
    double before = std::numeric_limits<double>::infinity(), share = 1.0;
    for (int i = 0; i < kMostSteps && share >= 1e-3; ++i) {
      factor_at(0.0, at.hi.data());
      left_over(0.0, at.hi.data(), at.lo.data(), false);
      for (std::size_t row = 0; open > 0.0 && row < right_.size(); ++row)
        right_[row] -= open * gaps_drawn[row];
      for (std::size_t b = 0; b < n; ++b) {
        double* six = y_.data() + 6 * b;
        for (std::size_t c = 0; c < 3; ++c)
          six[c] = share * (drawn.hi[(kPosition + c) * n + b] - at.hi[(kPosition + c) * n + b]);
        const Vec3 turn = bodies_.point(b) ? Vec3{} : turn_between(orientation(at, b), orientation(drawn, b));
        for (std::size_t c = 0; c < 3; ++c) six[3 + c] = share * turn[c];
        bodies_.multiply_by_transposed_root(b, six);
      }
      factor_.solve(right_.data(), y_.data(), multipliers_.data());
      const double move = largest_move(extent_);
      displace(at, 1.0);
      if (move <= within) return true;
      if (!(move < before)) share *= 0.5;  // it overshoots where joints lead around narrow curves
      before = move;
    }
    return before <= kRoundoff;  // which is all that it still moves by
  };
  double gap = 0.0;
  for (const double row : gaps_drawn) gap = std::hypot(gap, row);
  LanePair at = drawn;
  bool found = true;
  for (int part = 1; found && part < kParts && gap > kFarOff * extent_; ++part)
    found = comes_close(at, 1.0 - 1.0 * part / kParts, part + 1 < kParts ? kOnTheWay : kDone);
  if (found) {
    const LanePair nearly = at;
    if (!comes_close(at, 0.0, kDone)) at = nearly;  // all but closed, which the last lines below do
  } else {
    at = state;
    found = comes_close(at, 0.0, kDone);
  }
  if (!found) return;
  close(at);
  state = at;
}

// Of a body, by y_ (mass metric): in units of `length`, m, or in rad.
double Multibody::largest_move(double length) const {
  double largest = 0.0;
  for (std::size_t b = 0; b < bodies(); ++b) {
    double six[6];
    std::copy_n(y_.data() + 6 * b, 6, six);
    bodies_.divide_by_transposed_root(b, six);
    for (std::size_t c = 0; c < 6; ++c)
      largest = std::max(largest, std::fabs(six[c]) / (c < 3 ? length : 1.0));
  }
  return largest;
}

std::vector<JointGap> Multibody::gaps(const LanePair& state, bool rates, double larger_than) {
  left_over(0.0, state.hi.data(), state.lo.data(), rates);
  std::vector<JointGap> out;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t lane = 0; lane < groups_[g].count(); ++lane) {
      const double* rows = right_.data() + factor_.first_row(first_block_[g] + lane);
      double largest = 0.0;
      for (int row = 0; row < groups_[g].rows(); ++row) largest = std::max(largest, std::fabs(rows[row]));
      if (largest > larger_than)
        out.push_back({static_cast<std::size_t>(groups_[g].lanes()[lane].joint), largest});
    }
  }
  std::sort(out.begin(), out.end(), [](const JointGap& a, const JointGap& b) { return a.joint < b.joint; });
  return out;
}

void Multibody::wander(LanePair& state, double size) {
  factor_at(0.0, state.hi.data());
  // Any direction serves; this one is the same on every machine.
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = std::sin(1.0 + 2.7 * static_cast<double>(i));
  std::fill(right_.begin(), right_.end(), 0.0);
  factor_.solve(right_.data(), y_.data(), multipliers_.data());
  const double largest = largest_move(1.0);
  if (largest > 0.0) displace(state, size / largest);
}

std::vector<double> Multibody::prescribed_rates(double t, const double* hi, const double* lo) {
  LanePair resting{{hi, hi + dimension()}, {lo, lo + dimension()}};
  for (std::vector<double>* lanes : {&resting.hi, &resting.lo})
    std::fill(lanes->begin() + static_cast<std::ptrdiff_t>(kVelocity * bodies()), lanes->end(), 0.0);
  measure(t, resting.hi.data(), resting.lo.data());
  return rates_;
}

double Multibody::strike(double t, const double* hi, double* lo, const std::vector<double>& rates_before) {
  const std::vector<double> rates_now = prescribed_rates(t, hi, lo);
  factor_at(t, hi);
  massless_.factor(factor_);
  measure(t, hi, lo);
  std::fill(y_.begin(), y_.end(), 0.0);
  massless_.solve(factor_, rates_.data(), y_.data(), multipliers_.data());
  move_velocities(lo);
  double work = 0.0;
  for (std::size_t row = 0; row < rates_now.size(); ++row)
    work += multipliers_[row] * 0.5 * (rates_before[row] + rates_now[row]);
  return work;
}

JointGap Multibody::largest_gap(double t, const double* hi, const double* lo) {
  follow_turns(t, hi, lo);
  measure(t, hi, lo);
  JointGap out{0, 0.0};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t lane = 0; lane < groups_[g].count(); ++lane) {
      const double* rows = right_.data() + factor_.first_row(first_block_[g] + lane);
      for (int row = 0; row < groups_[g].rows(); ++row) {
        if (!(std::fabs(rows[row]) <= out.gap))
          out = {static_cast<std::size_t>(groups_[g].lanes()[lane].joint), std::fabs(rows[row])};
      }
    }
  }
  return out;
}

}  // namespace catena
