// What LaneFactor does, for the files that make it over a number.
#pragma once

#include <utility>

#include "catena/dynamics/bodies/lane_factor.h"

namespace catena {
namespace lane_factor {

// As ConstraintFactor has them, of columns of length 1.
inline constexpr double kDependent = 1e-10;
inline constexpr double kNothing = 1e-13;

// Zero in all lanes: of numbers that are recorded, whatever the motion.
template <class S>
bool is_nothing(const S& x) {
  if constexpr (requires { x.is_constant(); }) {
    return x.is_constant() && x.value == 0.0;
  } else {
    return x == S(0.0);
  }
}
template <class S>
bool is_nowhere(const typename S::Mask& mask) {
  if constexpr (requires { mask.is(); }) {
    return mask.is().is_constant() && mask.value == 0.0;
  } else {
    return !mask.any();
  }
}

template <class S>
typename S::Mask is_index(const S& which, std::size_t i) {
  const S at(static_cast<double>(i));
  return (which >= at) & (which <= at);
}

template <class S>
void note_some(const S* x, std::size_t count, std::vector<std::size_t>& some) {
  some.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_nothing(x[i])) some.push_back(i);
  }
}

}  // namespace lane_factor

template <class S>
LaneFactor<S>::LaneFactor(std::size_t motions, std::size_t rows, std::size_t rank,
                          std::vector<std::size_t> first)
    : m_(motions),
      n_(rows),
      rank_(std::min({rank, motions, rows})),
      first_(std::move(first)),
      steps_(rank_),
      a_(m_ * n_),
      scale_(n_),
      v_(rank_ * m_),
      q_(rank_ * m_),
      r_(rank_ * n_),
      w_(rank_ * n_),
      t_(rank_ * rank_),
      u_(rank_ * rank_),
      d_(rank_),
      lane_d_(rank_) {
  for (Step& step : steps_) {
    step.columns.reserve(n_);
    step.rows.reserve(m_);
    step.some.reserve(m_);
    step.some_of_q.reserve(m_);
    step.some_of_w.reserve(n_);
  }
}

template <class S>
void LaneFactor<S>::scale_columns() {
  for (std::size_t j = 0; j < n_; ++j) {
    S* column = a_.data() + j * m_;
    S square(0.0);
    for (std::size_t i = 0; i < m_; ++i) square += column[i] * column[i];
    scale_[j] = choose(square > S(0.0), S(1.0) / square_root(square), S(1.0));
    for (std::size_t i = 0; i < m_; ++i) column[i] = column[i] * scale_[j];
  }
}

// The next column, or the longest one that is left, and where it is largest; its reflection. False: nothing
// is left anywhere.
template <class S>
bool LaneFactor<S>::choose_pivot(std::size_t k) {
  using lane_factor::is_index;
  using lane_factor::is_nowhere;
  Step& step = steps_[k];
  S longest(0.0), which(0.0);
  const bool is_given = k < first_.size();
  for (std::size_t j = is_given ? first_[k] : 0; j < (is_given ? first_[k] + 1 : n_); ++j) {
    const S* column = a_.data() + j * m_;
    S square(0.0);
    for (std::size_t i = 0; i < m_; ++i) square += column[i] * column[i];
    const Mask longer = square > longest;
    longest = choose(longer, square, longest);
    which = choose(longer, S(static_cast<double>(j)), which);
  }
  if (is_given) which = S(static_cast<double>(first_[k]));
  const Mask is_some = longest > S(lane_factor::kNothing * lane_factor::kNothing);
  step.columns.clear();
  step.rows.clear();
  step.counts = is_some;
  if (is_nowhere<S>(is_some)) return false;
  S* v = row(v_, k, m_);
  std::fill_n(v, m_, S(0.0));
  for (std::size_t j = 0; j < n_; ++j) {
    const Mask chosen = is_some & is_index(which, j);
    if (is_nowhere<S>(chosen)) continue;
    step.columns.push_back({j, chosen});
    for (std::size_t i = 0; i < m_; ++i) v[i] = choose(chosen, a_[j * m_ + i], v[i]);
  }
  S largest(0.0), first(0.0), place(0.0);
  for (std::size_t i = 0; i < m_; ++i) {
    const Mask larger = size_of(v[i]) > largest;
    largest = choose(larger, size_of(v[i]), largest);
    first = choose(larger, v[i], first);
    place = choose(larger, S(static_cast<double>(i)), place);
  }
  const S length = square_root(longest), beta = choose(first > S(0.0), -length, length);
  step.pivot = beta;
  step.turn = choose(is_some, (beta - first) / beta, S(0.0));
  step.counts = is_some & (length > S(lane_factor::kDependent));
  const S over = choose(is_some, S(1.0) / (first - beta), S(0.0));
  for (std::size_t i = 0; i < m_; ++i) {
    const Mask is_row = is_some & is_index(place, i);
    v[i] = v[i] * over;
    if (is_nowhere<S>(is_row)) continue;
    step.rows.push_back({i, is_row});
    v[i] = choose(is_row, S(1.0), v[i]);
  }
  lane_factor::note_some(v, m_, step.some);
  return true;
}

// All columns, and the row of R: what is there is done with.
template <class S>
void LaneFactor<S>::turn_columns(std::size_t k) {
  Step& step = steps_[k];
  const S* v = row(v_, k, m_);
  S* r = row(r_, k, n_);
  for (std::size_t j = 0; j < n_; ++j) {
    S* column = a_.data() + j * m_;
    S sum(0.0);
    for (const std::size_t i : step.some) sum += v[i] * column[i];
    r[j] = S(0.0);
    if (!lane_factor::is_nothing(sum)) {
      const S less = step.turn * sum;
      for (const std::size_t i : step.some) column[i] -= less * v[i];
    }
    for (const Choice& one : step.rows) {
      r[j] = choose(one.lanes, column[one.at], r[j]);
      column[one.at] = choose(one.lanes, S(0.0), column[one.at]);
    }
  }
  for (const Choice& one : step.columns) {
    r[one.at] = choose(one.lanes, step.pivot, r[one.at]);
    for (std::size_t i = 0; i < m_; ++i) a_[one.at * m_ + i] = choose(one.lanes, S(0.0), a_[one.at * m_ + i]);
  }
}

// Columns of Q.
template <class S>
void LaneFactor<S>::expand_turns() {
  for (std::size_t k = 0; k < rank_; ++k) {
    Step& step = steps_[k];
    S* q = row(q_, k, m_);
    std::fill_n(q, m_, S(0.0));
    for (const Choice& one : step.rows) q[one.at] = choose(one.lanes, S(1.0), q[one.at]);
    for (std::size_t h = k + 1; h-- > 0;) {
      const S* v = row(v_, h, m_);
      S sum(0.0);
      for (const std::size_t i : steps_[h].some) sum += v[i] * q[i];
      if (lane_factor::is_nothing(sum)) continue;
      const S less = steps_[h].turn * sum;
      for (const std::size_t i : steps_[h].some) q[i] -= less * v[i];
    }
    for (std::size_t i = 0; i < m_; ++i) q[i] = choose(step.counts, q[i], S(0.0));
    lane_factor::note_some(q, m_, step.some_of_q);
  }
}

template <class S>
void LaneFactor<S>::invert() {
  for (std::size_t j = 0; j < rank_; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      S& t = t_[k * rank_ + j];
      t = S(0.0);
      for (const Choice& one : steps_[j].columns) t = choose(one.lanes, r_[k * n_ + one.at], t);
    }
  }
  for (std::size_t j = 0; j < rank_; ++j) {
    const auto u = [&](std::size_t i) -> S& { return u_[j * rank_ + i]; };
    u(j) = choose(steps_[j].counts, S(1.0) / t_[j * rank_ + j], S(0.0));
    for (std::size_t i = j; i-- > 0;) {
      S sum(0.0);
      for (std::size_t l = i + 1; l <= j; ++l) {
        if (!lane_factor::is_nothing(u(l))) sum += t_[i * rank_ + l] * u(l);
      }
      u(i) = lane_factor::is_nothing(sum) ? S(0.0) : S(-sum * u_[i * rank_ + i]);
    }
    S* w = row(w_, j, n_);
    std::fill_n(w, n_, S(0.0));
    for (std::size_t i = 0; i <= j; ++i) {
      for (const Choice& one : steps_[i].columns)
        w[one.at] = choose(one.lanes, u(i) * scale_[one.at], w[one.at]);
    }
    lane_factor::note_some(w, n_, steps_[j].some_of_w);
  }
}

template <class S>
void LaneFactor<S>::factor() {
  scale_columns();
  margin_ = S(1.0);
  std::size_t k = 0;
  for (; k < rank_ && choose_pivot(k); ++k) {
    turn_columns(k);
    if (k > 0) steps_[k].counts = steps_[k].counts & steps_[k - 1].counts;
    const S pivot = k < first_.size() ? S(1.0) : size_of(steps_[k].pivot);
    margin_ = choose(steps_[k].counts, smaller(margin_, pivot), S(0.0));
  }
  for (; k < rank_; ++k) {  // nothing
    Step& step = steps_[k];
    step.some.clear();
    step.rows.clear();
    step.columns.clear();
    step.counts = S(1.0) < S(0.0);
    step.turn = S(0.0);
    std::fill_n(row(r_, k, n_), n_, S(0.0));
    margin_ = S(0.0);
  }
  expand_turns();
  invert();
}

template <class S>
void LaneFactor<S>::solve(const S* r, S* y, S* mu) {
  for (std::size_t k = 0; k < rank_; ++k) {
    const S *q = row(q_, k, m_), *w = row(w_, k, n_);
    S sum(0.0);
    for (const std::size_t j : steps_[k].some_of_w) sum += w[j] * r[j];
    for (const std::size_t i : steps_[k].some_of_q) sum -= q[i] * y[i];
    d_[k] = sum;
  }
  std::fill_n(mu, n_, S(0.0));
  for (std::size_t k = 0; k < rank_; ++k) {
    if (lane_factor::is_nothing(d_[k])) continue;
    const S *q = row(q_, k, m_), *w = row(w_, k, n_);
    for (const std::size_t i : steps_[k].some_of_q) y[i] += q[i] * d_[k];
    for (const std::size_t j : steps_[k].some_of_w) mu[j] += w[j] * d_[k];
  }
}

template <class S>
void LaneFactor<S>::solve_lane(int lane, const double* r, double* y) {
  for (std::size_t k = 0; k < rank_; ++k) {
    const S *q = row(q_, k, m_), *w = row(w_, k, n_);
    double sum = 0.0;
    for (const std::size_t j : steps_[k].some_of_w) sum += w[j].lane(lane) * r[j];
    for (const std::size_t i : steps_[k].some_of_q) sum -= q[i].lane(lane) * y[i];
    lane_d_[k] = sum;
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    const S* q = row(q_, k, m_);
    for (const std::size_t i : steps_[k].some_of_q) y[i] += q[i].lane(lane) * lane_d_[k];
  }
}

}  // namespace catena
