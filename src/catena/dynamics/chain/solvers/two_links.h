// The series of two links of point masses, in registers: both links and two components side by side.
//
// What counts is how long the way is from one order's tensions to the next one's. Of all sums of order n only
// two terms need the tensions T' of order n - 1: T' u_1 in the pulls and, through u_{n+1}, the product with
// u_1 in the lengths. Both are linear in T', so that
//
//   T_n = Q_n + H_n T'        H_n = H_a + (n+2)/n H_b
//
// with matrices that a step computes once and a Q_n that is ready before T' is. Two orders share a pass
// through the series: each tension and each direction that is loaded is used twice.
#pragma once

#include <cstddef>

#include "catena/dynamics/chain/solvers/chain_series.h"
#include "catena/math/pack.h"

namespace catena {

// (x1, x2, y1, y2) and in space (z1, z2): a number for each component and link.
template <int D>
struct PairRow {
  using Four = Pack<double, 4>;
  using Two = Pack<double, 2>;
  static constexpr bool kSpace = D == 3;

  Four a;
  Two b;

  static PairRow at(const double* from) {
    PairRow row;
    row.a = load<4>(from);
    if constexpr (kSpace) row.b = load<2>(from + 4);
    return row;
  }
  void put(double* to) const {
    store<4>(to, a);
    if constexpr (kSpace) store<2>(to + 4, b);
  }
  static Two low(Four v) { return __builtin_shufflevector(v, v, 0, 1); }
  // The same for each component.
  static PairRow of(Four v) {
    PairRow row;
    row.a = v;
    if constexpr (kSpace) row.b = low(v);
    return row;
  }

  static Four exchanged(Four v) { return __builtin_shufflevector(v, v, 1, 0, 3, 2); }
  PairRow exchanged() const {
    PairRow row;
    row.a = exchanged(a);
    if constexpr (kSpace) row.b = __builtin_shufflevector(b, b, 1, 0);
    return row;
  }
  PairRow first() const {
    PairRow row;
    row.a = __builtin_shufflevector(a, a, 0, 0, 2, 2);
    if constexpr (kSpace) row.b = __builtin_shufflevector(b, b, 0, 0);
    return row;
  }
  PairRow second() const {
    PairRow row;
    row.a = __builtin_shufflevector(a, a, 1, 1, 3, 3);
    if constexpr (kSpace) row.b = __builtin_shufflevector(b, b, 1, 1);
    return row;
  }
  // Of the first link from one, of the second from the other.
  static PairRow either(const PairRow& one, const PairRow& other) {
    PairRow row;
    row.a = __builtin_shufflevector(one.a, other.a, 0, 5, 2, 7);
    if constexpr (kSpace) row.b = __builtin_shufflevector(one.b, other.b, 0, 3);
    return row;
  }
  // Over the components, twice: (s1, s2, s1, s2).
  Four sum() const {
    const Four both = a + __builtin_shufflevector(a, a, 2, 3, 0, 1);
    if constexpr (kSpace) return both + __builtin_shufflevector(b, b, 0, 1, 0, 1);
    return both;
  }

  friend PairRow operator+(PairRow x, const PairRow& y) {
    x.a += y.a;
    if constexpr (kSpace) x.b += y.b;
    return x;
  }
  friend PairRow operator-(PairRow x, const PairRow& y) {
    x.a -= y.a;
    if constexpr (kSpace) x.b -= y.b;
    return x;
  }
  friend PairRow operator*(PairRow x, const PairRow& y) {
    x.a *= y.a;
    if constexpr (kSpace) x.b *= y.b;
    return x;
  }
  friend PairRow operator*(PairRow x, Four y) { return x * of(y); }
};

template <int D>
class TwoLinks {
 public:
  using Row = PairRow<D>;
  using Four = typename Row::Four;
  static constexpr std::size_t kRow = 2 * D;

  // What every order needs of its number: 1 / ((n+2) (n+1) L) for both links and two components, hi and lo,
  // then (n+2) (n+1), n+2, and (n+2) / n, hi and lo.
  static constexpr std::size_t kRank = 12;
  static void fill_rank(int n, const double* hi, const double* lo, double* rank) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      rank[lane] = hi[lane % 2];
      rank[4 + lane] = lo[lane % 2];
    }
    const TwoPartFactor<double> growth(DoubleDouble(n + 2.0) / DoubleDouble(n == 0 ? 1.0 : n));
    rank[8] = (n + 2.0) * (n + 1.0);
    rank[9] = n + 2.0;
    rank[10] = growth.hi;
    rank[11] = growth.lo;
  }

  struct Given {
    double own, below;  // 1/m of both
    const double* length;
    TwoPartFactor<double> tip_pivot;
    const double* ranks;
    Row free;                                    // L u'' by gravity and loads alone
    double coupling = 0.0, inverse_pivot = 0.0;  // see TensionSolver

    const double* rank(int n) const { return ranks + kRank * static_cast<std::size_t>(n); }
  };
  static Row gravity(const double* gravity) {
    Row free = Row::of(same(0.0));
    free.a[0] = gravity[0];
    free.a[2] = gravity[1];
    if constexpr (D == 3) free.b[0] = gravity[2];
    return free;
  }

  // The state's rates from factors of its directions. What needs the rates comes last: a step's directions
  // are known earlier than they are.
  static void rates(const Given& given, const double* x, double* dx) {
    const Row u = Row::at(x), w = Row::at(x + kRow);
    const double l = given.coupling, ip = given.inverse_pivot, along = ip * l;
    const Four hi = load<4>(given.rank(0)) * same(2.0), lo = load<4>(given.rank(0) + 4) * same(2.0);
    const auto share = [&](const Row& row) { return row * hi + row * lo; };
    const Row by_own = share((u * both(given.own, given.below) + u * both(0.0, given.own)) * same(-1.0));
    const Row by_other = share(u.exchanged() * same(given.own)), free = share(given.free);
    const Four pulled = (u * given.free).sum();
    const Four own = both(ip, l * along), other = same(along);
    const Four tip_hi = both(0.0, given.tip_pivot.hi), tip_lo = both(0.0, given.tip_pivot.lo);
    const Four b = (w * w).sum() * both(given.length[0], given.length[1]) + pulled;
    const Four tension = (own * b + other * Row::exchanged(b)) + (tip_hi * b + tip_lo * b);
    const Row rate = (free + by_own * tension) + by_other * Row::exchanged(tension);
    w.put(dx);
    rate.put(dx + kRow);
  }

  // From the state x and both tensions: rows of u [order][component][link], of T [order][link], of T twice
  // over, and of the state's series.
  static void expand(const Given& given, const double* x, const double* tensions, int order, double* u,
                     double* t, double* twice, double* c) {
    const TwoLinks links(given, Row::at(x), Row::at(x + kRow));
    links.run(x, tensions, order, {u, t, twice, c});
  }

 private:
  static Four same(double v) { return Four{v, v, v, v}; }
  static Four both(double one, double other) { return Four{one, other, one, other}; }

  TwoLinks(const Given& given, const Row& u0, const Row& u1) : given_(given), u0_(u0), u1_(u1) {
    const double own = given.own, below = given.below, l = given.coupling, ip = given.inverse_pivot;
    const TwoPartFactor<double>& tip = given.tip_pivot;
    pair_ = same(own);
    tip_ = both(0.0, below);
    // T = P b with  T_1 = (b_1 + l b_2) / d_1,  T_2 = b_2 / d_2 + l T_1,  and b = u_0 . known + lengths,
    // where known_1 = d / m_1, known_2 = -d / m_1 - p_2 / m_2 of the pulls' difference d = p_2 - p_1.
    const auto at_tip = [&](const Row& row) { return row * same(tip.hi) + row * same(tip.lo); };
    const Row above = u0.second() * same(own), under = u0.second() * same(below);
    const Row w1 = (u0.first() * same(own) - above * same(l)) * same(ip);
    const Row w2 = w1 * same(l) - at_tip(above);
    const Row v1 = under * same(-(ip * l));
    const Row v2 = v1 * same(l) - at_tip(under);
    of_difference_ = Row::either(w1, w2 * same(-1.0));  // the second link has -d at hand
    of_second_ = Row::either(v1, v2);
    const double along = ip * l, length1 = given.length[0], length2 = given.length[1];
    own_length_ = both(ip * length1, l * along * length2);
    // The tip's own part is a constant: in two parts, and added to nothing that is on a coarser grid than it
    // is.
    const TwoPartFactor<double> at_end(DoubleDouble(tip.hi, tip.lo) * DoubleDouble(length2));
    tip_length_hi_ = both(0.0, at_end.hi);
    tip_length_lo_ = both(0.0, at_end.lo);
    other_length_ = both(along * length2, along * length1);
    // H_a: what T u_1 does to the pulls; H_b: what it does to u_1 . u_{n+1}.
    const Row first = u1.first(), second = u1.second();
    const Four a1 = (w1 * first).sum(), a2 = (w2 * first).sum();
    const Four b1 = ((w1 + v1) * second).sum(), b2 = ((w2 + v2) * second).sum();
    by_pull_own_ = both(-a1[0], b2[0]);
    by_pull_other_ = both(b1[0], -a2[0]);
    const Four o = (u1 * (u0 * both(own, below) + u0 * both(0.0, own)) * same(-1.0)).sum();
    const Four e = (u1 * u0.exchanged() * pair_).sum();
    const double tip_own = tip.hi * o[1] + tip.lo * o[1], tip_other = tip.hi * e[1] + tip.lo * e[1];
    const double t11 = ip * (o[0] + l * e[1]), t12 = ip * (e[0] + l * o[1]);
    by_length_own_ = both(t11, tip_own + l * t12);
    by_length_other_ = both(t12, tip_other + l * t11);
  }

  // L u'' without the tensions of this order, from its pulls.
  Row known(const Row& pull) const { return (pull.exchanged() - pull) * pair_ - pull * tip_; }

  struct Rows {
    double *u, *t, *twice, *out;

    Row direction(int order) const { return Row::at(u + static_cast<std::size_t>(order) * kRow); }
    Four tension(int order) const { return load<4>(twice + 4 * static_cast<std::size_t>(order)); }
  };
  // What goes from order to order, in registers.
  struct Newest {
    Row u;         // u_{n+1}
    Row ahead;     // of it what does not come from the newest tensions
    Four tension;  // (T_1, T_2, T_1, T_2)
  };
  struct Sums {
    Row pull, square, pull_next, square_next;
  };

  void run(const double* x, const double* tensions, int order, Rows rows) const {
    for (double* to : {rows.u, rows.out}) {
      Row::at(x).put(to);
      u1_.put(to + kRow);
    }
    Newest now{u1_, given_.free, both(tensions[0], tensions[1])};
    close(0, Row::of(same(0.0)), given_.free, now, rows);
    for (int n = 1; n < order; n += 2) {
      const Sums sums = convolve(n, now, rows);
      solve(n, sums.pull, sums.square, now, rows);
      if (n + 1 < order) solve(n + 1, sums.pull_next, sums.square_next, now, rows);
    }
  }

  // Pulls and half squares of orders n and n + 1, n odd, without what the newest tensions and their u do. Old
  // terms first: the newest ones are not there yet.
  [[gnu::always_inline]] Sums convolve(int n, const Newest& now, const Rows& rows) const {
    const Row zero = Row::of(same(0.0));
    Row pull = zero, pull_next = zero, square = zero, square_next = zero, pull_too = zero,
        pull_next_too = zero;
    const double* tension = rows.twice + 4 * (n - 3);
    const double* from = rows.u + 3 * kRow;
    const double* low = rows.u + static_cast<std::size_t>((n + 1) / 2) * kRow;
    const double* high = rows.u + static_cast<std::size_t>(n + 2 - (n + 1) / 2) * kRow;
    for (int i = 3; i < n; i += 2, tension -= 8, from += 2 * kRow, low -= kRow, high += kRow) {
      const Row newer = Row::of(load<4>(tension)), older = Row::of(load<4>(tension - 4)), base = Row::at(low);
      pull = pull + newer * Row::at(from);
      pull_next = pull_next + newer * Row::at(from + kRow);
      square = square + base * Row::at(high);
      square_next = square_next + base * Row::at(high + kRow);
      pull_too = pull_too + older * Row::at(from + kRow);
      pull_next_too = pull_next_too + older * Row::at(from + 2 * kRow);
    }
    const Row middle = rows.direction((n + 3) / 2), u2 = rows.direction(2);
    square_next = square_next + middle * same(0.5) * middle;
    if (n > 1) {
      const Row before = rows.direction(n);
      const Row start = Row::of(rows.tension(0)), late = Row::of(rows.tension(n - 2));
      pull = (pull + pull_too) + start * before + late * u2;
      pull_next = (pull_next + pull_next_too) + late * rows.direction(3) + start * now.u;
      square = square + u2 * before;
      square_next = square_next + u2 * now.u;
    }
    return {pull, square, pull_next + u2 * now.tension, square_next};
  }

  [[gnu::always_inline]] void solve(int n, const Row& pull, const Row& square, Newest& now,
                                    Rows& rows) const {
    const double* rank = given_.rank(n);
    // Half of |u|^2 of this order, but for what the newest tensions do to u_{n+1}.
    const Row lengths = square + u1_ * now.ahead;
    const Row from_lengths = (lengths * own_length_ + lengths.exchanged() * other_length_) +
                             (lengths * tip_length_hi_ + lengths * tip_length_lo_);
    const Row from_pulls = (pull.exchanged() - pull) * of_difference_ + pull.second() * of_second_;
    const Four sum = (from_pulls + from_lengths * same(rank[8])).sum();
    const Row all = pull + u1_ * now.tension;
    const Four growth_hi = same(rank[10]), growth_lo = same(rank[11]);
    const Four own = (by_pull_own_ + by_length_own_ * growth_hi) + by_length_own_ * growth_lo;
    const Four other = (by_pull_other_ + by_length_other_ * growth_hi) + by_length_other_ * growth_lo;
    now.tension = (sum + own * now.tension) + other * Row::exchanged(now.tension);
    close(n, all, known(all), now, rows);
  }

  // u_{n+2} from this order's tensions. What pulls one link one way pulls its neighbour the other way to the
  // last bit: where a light mass lies between heavy ones, anything else is seen in the energy.
  [[gnu::always_inline]] void close(int n, const Row& pull, const Row& without, Newest& now,
                                    Rows& rows) const {
    const double* rank = given_.rank(n);
    const Four hi = load<4>(rank), lo = load<4>(rank + 4);
    store<2>(rows.t + 2 * n, Row::low(now.tension));
    store<4>(rows.twice + 4 * n, now.tension);
    now.ahead = without * hi + without * lo;
    const Row drawn = known(pull + u0_ * now.tension), sum = n == 0 ? without + drawn : drawn;
    rows.out += 2 * kRow;
    now.u.put(rows.out);
    now.u = sum * hi + sum * lo;
    now.u.put(rows.u + static_cast<std::size_t>(n + 2) * kRow);
    (now.u * same(rank[9])).put(rows.out + kRow);
  }

  const Given& given_;
  Row u0_, u1_;
  Four pair_, tip_;  // of what pulls do to L u'': 1/m_1 of their difference, 1/m_2 of the tip's own
  Row of_difference_, of_second_;  // tensions by the pulls' difference, and by the second one
  Four tip_length_hi_, tip_length_lo_;
  Four own_length_, other_length_;                                      // and by the lengths
  Four by_pull_own_, by_pull_other_, by_length_own_, by_length_other_;  // H_a, H_b
};

}  // namespace catena
