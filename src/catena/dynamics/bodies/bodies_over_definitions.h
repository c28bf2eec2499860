// What BodiesOver does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "catena/dynamics/bodies/bodies_over_parts.h"

namespace catena {

// C or dC/dt; the largest.
template <class S>
double BodiesOver<S>::Parts::measure(const S& t, const S* x, bool rates) {
  if constexpr (is_lanes<S>) {
    return 0.0;
  } else {
    double largest = 0.0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      joints[j].measure(t, x, n);
      for (std::size_t row = 0; row < joints[j].rows(); ++row)
        largest = std::max(largest, std::fabs(bodies_parts::rounded(joints[j].gap(row, rates))));
    }
    return largest;
  }
}

template <class S>
void BodiesOver<S>::Parts::take_gaps(bool rates, int part) {
  if constexpr (!is_lanes<S>) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      for (std::size_t row = 0; row < joints[j].rows(); ++row)
        rest[factor.first_row(j) + row] = -part_of(joints[j].gap(row, rates), part);
    }
  }
}

// By what closes the gaps of this part, with the least change.
template <class S>
void BodiesOver<S>::Parts::move_back(S* x, bool rates, int part) {
  if constexpr (!is_lanes<S>) {
    take_gaps(rates, part);
    std::fill(y.begin(), y.end(), 0.0);
    factor.solve(rest.data(), y.data(), mu.data());
    const auto change = [part](double by) {
      S out(0.0);
      add_part(out, part, by);
      return out;
    };
    for (std::size_t b = 0; b < n; ++b) {
      double* six = y.data() + kMotion * b;
      lanes.divide_by_transposed_root(b, six);
      const auto add = [&](std::size_t component, const S& by) {
        x[component * n + b] = x[component * n + b] + by;
      };
      if (rates) {
        for (std::size_t c = 0; c < kMotion; ++c) add(kVelocity + c, change(six[c]));
        continue;
      }
      for (std::size_t c = 0; c < 3; ++c) add(kPosition + c, change(six[c]));
      std::array<S, 4> p;
      for (std::size_t i = 0; i < 4; ++i) p[i] = x[(kOrientation + i) * n + b];
      const S ox = change(0.5 * six[3]), oy = change(0.5 * six[4]), oz = change(0.5 * six[5]);
      add(kOrientation, -(p[1] * ox + p[2] * oy + p[3] * oz));
      add(kOrientation + 1, p[0] * ox + p[2] * oz - p[3] * oy);
      add(kOrientation + 2, p[0] * oy + p[3] * ox - p[1] * oz);
      add(kOrientation + 3, p[0] * oz + p[1] * oy - p[2] * ox);
    }
  }
}

// What closes the gaps of the rates, in all directions.
template <class S>
void BodiesOver<S>::Parts::move_rates_back(S* x, bool rates) {
  if constexpr (is_tangent<S>) {
    for (int q = 0; q < S::kPacks; ++q) {
      for (std::size_t j = 0; j < joints.size(); ++j) {
        for (std::size_t row = 0; row < joints[j].rows(); ++row)
          rates_rest[factor.first_row(j) + row] = -joints[j].gap(row, rates).rates(q);
      }
      std::fill(rates_y.begin(), rates_y.end(), PackOfFour{});
      factor.solve(rates_rest.data(), rates_y.data(), rates_mu.data());
      for (std::size_t b = 0; b < n; ++b) {
        PackOfFour* six = rates_y.data() + kMotion * b;
        lanes.divide_by_transposed_root(b, six);
        const auto add = [&](std::size_t component, const PackOfFour& by) {
          x[component * n + b].rates(q) += by;
        };
        for (std::size_t c = 0; c < kMotion && rates; ++c) add(kVelocity + c, six[c]);
        for (std::size_t c = 0; c < 3 && !rates; ++c) add(kPosition + c, six[c]);
        for (std::size_t i = 0; i < 4 && !rates; ++i) {
          for (const bodies_parts::TurnTerm& term : bodies_parts::kTurn[i]) {
            const double half = (term.minus ? -0.5 : 0.5) * x[(kOrientation + term.p) * n + b].value();
            add(kOrientation + i, half * six[3 + term.omega]);
          }
        }
      }
    }
  }
}

template <class S>
void BodiesOver<S>::Parts::normalise(S* x) const {
  for (std::size_t b = 0; b < n; ++b) {
    S* p = x + kOrientation * n + b;
    S square(0.0);
    for (std::size_t i = 0; i < 4; ++i) square = square + p[i * n] * p[i * n];
    const S length = square_root(square);
    for (std::size_t i = 0; i < 4; ++i) p[i * n] = p[i * n] / length;
  }
}

template <class S>
BodiesOver<S>::BodiesOver(const Multibody& bodies, std::size_t rank, NumberTape* tape) {
  std::vector<bodies_parts::JointOver<S>> joints;
  std::vector<typename Parts::LaneAt> places;
  for (std::size_t g = 0; g < bodies.constraints().size(); ++g) {
    const EquationMaker equations = bodies.equations_of(g);
    const std::vector<JointLane>& lanes = bodies.constraints()[g].lanes();
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      joints.emplace_back(lanes[l], bodies_parts::rest_of_joint(bodies, lanes[l]), equations,
                          bodies.may_be_tree(static_cast<std::size_t>(lanes[l].joint)), tape);
      places.push_back({g, l, {}});
      bodies_parts::note_turns(lanes[l], places.back().turns);
    }
  }
  parts_ = std::make_unique<Parts>(bodies, std::move(joints), rank, tape);
  if constexpr (is_lanes<S>) {
    parts_->bodies_of.assign(static_cast<std::size_t>(S::kWidth), &parts_->doubles);
    parts_->turns_of.resize(static_cast<std::size_t>(S::kWidth));
    parts_->counts_turns = bodies.counts_turns();
    if (LaneEquations<S>::can_take(bodies))
      parts_->equations.emplace_back(
          bodies, parts_->factor.rows(), rank + bodies.slider_rows(),
          ConstraintFactor(parts_->n, bodies_parts::blocks_of(parts_->joints), FactorWay::tree_first)
              .tree_rows(),
          parts_->masses, parts_->inertias);
  }
  parts_->joint_places = std::move(places);
  for (std::size_t g = 0; g < bodies.joint_forces().size(); ++g) {
    const ForceLanes& group = bodies.joint_forces()[g];
    for (std::size_t l = 0; l < group.count(); ++l) {
      const JointForce& force = bodies.mechanism().forces[bodies.forces_in(g)[l]];
      parts_->forces.emplace_back(
          group.lanes()[l], bodies_parts::rest_of_force(bodies, group.lanes()[l], force), group.law(), tape);
      parts_->force_places.push_back({g, l, {}});
      bodies_parts::note_turns(group.lanes()[l], parts_->force_places.back().turns);
    }
  }
  for (auto& of_lane : parts_->turns_of) of_lane.resize(parts_->forces.size());
  reserve(1);
  if (tape == nullptr) return;
  for (const std::size_t word : {parts_->n, rank, parts_->factor.rows(), parts_->forces.size()})
    tape->shape(word);
  for (const auto& joint : parts_->joints) {
    for (const int body : joint.bodies()) tape->shape(static_cast<std::size_t>(body));
  }
}

template <class S>
void BodiesOver<S>::seat(int lane, Multibody* of) {
  parts_->bodies_of.at(static_cast<std::size_t>(lane)) = of == nullptr ? &parts_->doubles : of;
}

template <class S>
void BodiesOver<S>::project_lane(int lane, double t, const double* hi, double* lo) {
  if constexpr (is_lanes<S>) {
    Multibody& of = *parts_->bodies_of[static_cast<std::size_t>(lane)];
    if (parts_->equations.empty()) return of.project(t, hi, lo);
    of.project(t, hi, lo,
               [this, lane](const double* r, double* y) { parts_->equations[0].solve_lane(lane, r, y); });
  }
}

template <class S>
S BodiesOver<S>::margin(const S& t, const S* x) {
  S out(0.0);
  if constexpr (is_lanes<S>) {
    if (!parts_->equations.empty()) {
      parts_->hold_lanes(t, x);
      return parts_->equations[0].margin();
    }
    std::vector<double>& state = parts_->hi;
    for (int l = 0; l < S::kWidth; ++l) {
      for (std::size_t i = 0; i < state.size(); ++i) state[i] = x[i].lane(l);
      out.set_lane(l, parts_->bodies_of[static_cast<std::size_t>(l)]->margin(t.lane(l), state.data()));
    }
  }
  return out;
}

template <class S>
BodiesOver<S>::~BodiesOver() = default;

template <class S>
BodiesOver<S>::BodiesOver(BodiesOver&&) noexcept = default;

template <class S>
std::size_t BodiesOver<S>::bodies() const {
  return parts_->n;
}

template <class S>
void BodiesOver<S>::reserve(int order) {
  Parts& of = *parts_;
  if (order <= of.reserved) return;
  of.reserved = order;
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  of.series.resize(orders * kBodyState * of.n);
  of.momentum.resize(orders * 3 * of.n);
  of.multipliers.resize(orders * of.factor.rows());
  of.entries_plans = 0;  // they move
  for (auto& joint : of.joints) joint.reserve(order);
  for (auto& force : of.forces) force.reserve(order);
  for (expr::SeriesOver<S>& program : of.torques) program.reserve(of.n, order);
}

template <class S>
void BodiesOver<S>::begin(const S& t, const S* x) {
  std::copy_n(x, kBodyState * parts_->n, parts_->series.data());
  parts_->follow_turns(t, x, false);
  parts_->begin(t, x);
}

template <class S>
S BodiesOver<S>::loss(int n) const {
  S sum(0.0);
  for (const auto& force : parts_->forces) sum += force.loss(n);
  return sum;
}

// Of drives, and of motors: lambda . c.
template <class S>
S BodiesOver<S>::work(int n) const {
  S sum(0.0);
  for (const auto& force : parts_->forces) sum += force.work(n);
  const std::size_t rows = parts_->factor.rows();
  for (std::size_t j = 0; j < parts_->joints.size(); ++j) {
    const auto& joint = parts_->joints[j];
    const std::size_t first = parts_->factor.first_row(j);
    for (std::size_t i = 0; i < joint.rows(); ++i) {
      for (int k = 0; k <= n && joint.prescribed(0, i) != nullptr; ++k) {
        sum +=
            *joint.prescribed(k, i) * parts_->multipliers[static_cast<std::size_t>(n - k) * rows + first + i];
      }
    }
  }
  return sum;
}

template <class S>
S BodiesOver<S>::smooth_until(int order, const S& length) const {
  S until = length;
  for (const auto& force : parts_->forces) until = first_break(force.series(), order - 1, until, 0.0);
  for (const auto& joint : parts_->joints) until = first_break(joint.series(), order, until, 0.0);
  return until;
}

template <class S>
void BodiesOver<S>::advance(int n, const BodyLoadsOver<S>& loads) {
  parts_->advance(n, loads);
}

template <class S>
typename BodiesOver<S>::Rows BodiesOver<S>::rows(int n) const {
  return {parts_->series.data() + static_cast<std::size_t>(n) * kBodyState * parts_->n, parts_->n};
}

template <class S>
void BodiesOver<S>::write(int n, S* c) const {
  std::copy_n(rows(n).at, kBodyState * parts_->n, c);
}

template <class S>
void BodiesOver<S>::rhs(const S& t, const S* x, S* dx, const BodyLoadsOver<S>& loads) {
  begin(t, x);
  advance(0, loads);
  write(1, dx);
}

template <class S>
void BodiesOver<S>::project(const S& t, S* x) {
  if constexpr (!is_lanes<S>) {
    Parts& of = *parts_;
    of.normalise(x);
    of.follow_turns(t, x, true);
    of.begin(t, x);
    for (const bool rates : {false, true}) {
      for (int pass = 0;
           pass < bodies_parts::kMostPasses && of.measure(t, x, rates) > bodies_parts::finest<S>(); ++pass) {
        of.move_back(x, rates, 0);
        if (!rates) of.normalise(x);
      }
      if constexpr (is_tangent<S>) {
        of.measure(t, x, rates);
        of.move_rates_back(x, rates);
      }
    }
  }
}

// M dv = J^T lambda, J dv = - dC/dt: the equations of an acceleration, without forces.
template <class S>
void BodiesOver<S>::settle_velocities(const S& t, S* x) {
  if constexpr (!is_lanes<S>) {
    Parts& of = *parts_;
    of.follow_turns(t, x, true);
    of.begin(t, x);
    for (std::size_t j = 0; j < of.joints.size(); ++j) {
      of.joints[j].measure(t, x, of.n);
      for (std::size_t row = 0; row < of.joints[j].rows(); ++row)
        of.right[of.factor.first_row(j) + row] = -of.joints[j].gap(row, true);
    }
    std::fill(of.force.begin(), of.force.end(), S(0.0));
    std::fill(of.acceleration.begin(), of.acceleration.end(), S(0.0));
    std::fill_n(of.multipliers.data(), of.factor.rows(), S(0.0));
    // Masses may be far apart, and a pass then wins half of its digits.
    for (int pass = 0; pass < bodies_parts::kMostPasses; ++pass) of.correct(of.multipliers.data(), kParts<S>);
    for (std::size_t i = 0; i < kMotion * of.n; ++i) x[kVelocity * of.n + i] += of.acceleration[i];
  }
}

template <class S>
std::vector<S> BodiesOver<S>::prescribed_rates(const S& t, const S* x) {
  Parts& of = *parts_;
  of.begin(t, x);
  std::vector<S> out(of.factor.rows(), S(0.0));
  for (std::size_t j = 0; j < of.joints.size(); ++j) {
    for (std::size_t row = 0; row < of.joints[j].rows(); ++row) {
      if (const S* rate = of.joints[j].prescribed(0, row)) out[of.factor.first_row(j) + row] = *rate;
    }
  }
  return out;
}

template <class S>
S BodiesOver<S>::strike(const S& t, S* x, const std::vector<S>& rates_before) {
  settle_velocities(t, x);
  const std::vector<S> impulses(parts_->multipliers.data(),
                                parts_->multipliers.data() + parts_->factor.rows());
  const std::vector<S> rates_now = prescribed_rates(t, x);
  S work(0.0);
  for (std::size_t row = 0; row < impulses.size(); ++row)
    work += impulses[row] * S(0.5) * (rates_before[row] + rates_now[row]);
  return work;
}

}  // namespace catena
