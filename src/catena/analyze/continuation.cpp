#include "catena/analyze/continuation.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/shown.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const char* special_text(SpecialKind kind) {
  switch (kind) {
    case SpecialKind::fold:
      return "fold";
    case SpecialKind::doubling:
      return "doubling";
    case SpecialKind::branch:
      return "branch";
    default:
      return "torus";
  }
}

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A motion on a branch, and how the branch goes on from it.
struct Station {
  ClosingLook look;
  ClosedChange tangent;
  Multipliers multipliers;
  double border = 0.0, plus = 0.0, pair = kNone;

  // What changes its sign at a special point of a kind.
  double test(SpecialKind kind) const {
    switch (kind) {
      case SpecialKind::fold:
        return tangent.parameter;
      case SpecialKind::doubling:
        return plus;
      case SpecialKind::branch:
        return border;
      default:
        return pair;
    }
  }
};

ClosedChange scaled(ClosedChange change, double by) {
  for (std::vector<double>& x : change.states) {
    for (double& lane : x) lane *= by;
  }
  change.period *= by;
  change.parameter *= by;
  return change;
}

// a + by b
ClosedChange sum(ClosedChange a, const ClosedChange& b, double by) {
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    for (std::size_t lane = 0; lane < a.states[i].size(); ++lane) a.states[i][lane] += by * b.states[i][lane];
  }
  a.period += by * b.period;
  a.parameter += by * b.parameter;
  return a;
}

ClosedChange difference(const ClosedMotion& a, const ClosedMotion& b) {
  ClosedChange out{a.states, a.period - b.period, a.parameter - b.parameter};
  for (std::size_t i = 0; i < out.states.size(); ++i) {
    for (std::size_t lane = 0; lane < out.states[i].size(); ++lane) out.states[i][lane] -= b.states[i][lane];
  }
  return out;
}

// A branch to be followed: where from, and in which direction.
struct Begin {
  Closing shooting;
  ClosingLook look;
  std::optional<ClosedChange> along;  // none: towards the end of the range
  std::optional<std::size_t> origin;
  SpecialKind born = SpecialKind::fold;
  double parameter = 0.0;
  bool symmetric = false;  // half a period leads to the mirror image, all along
  bool breaks = false;     // it begins at a symmetric motion, and its own are not
};

class Follower {
 public:
  Follower(const OrbitOptions& options, Continuation& out, std::vector<double> mirror, bool conservative)
      : options_(options),
        out_(out),
        mirror_(std::move(mirror)),
        conservative_(conservative),
        low_(std::min(options.from, options.to)),
        high_(std::max(options.from, options.to)) {}

  // Follows one branch; what begins at its special points is left in `waiting`.
  void follow(Begin begin) {
    shooting_ = &begin.shooting;
    mirrored_.reset();
    if (begin.symmetric) {
      mirrored_.emplace(begin.shooting.problem());
      mirrored_->problem().mirror = mirror_;
    }
    number_ = out_.branches.size();
    out_.branches.push_back({begin.origin, begin.shooting.problem().multiple, {}, ""});
    if (begin.origin) out_.special[*begin.origin].leads_to = number_;
    std::optional<Station> here = first(begin);
    if (!here) {
      branch().end = "its first motion was not found";
      return;
    }
    add(*here);
    double arc = begin.origin ? 2.0 * begin_size_ : 0.02;
    while (branch().end.empty()) {
      if (stopped()) {
        branch().end = "interrupted";
      } else if (branch().points.size() >= options_.most_points) {
        branch().end = fmt::format("{} points", options_.most_points);
      } else {
        step(*here, arc, begin);
      }
    }
  }

  std::vector<Begin> take_waiting() { return std::move(waiting_); }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

 private:
  Branch& branch() { return out_.branches[number_]; }

  Station station(ClosingLook look, const ClosedChange* before) {
    Station out;
    out.tangent = shooting_->tangents(look, 1)[0];
    const double along = before != nullptr ? shooting_->product(out.tangent, *before, look.motion)
                                           : out.tangent.parameter * (options_.to - options_.from);
    if (along < 0.0) out.tangent = scaled(std::move(out.tangent), -1.0);
    const MatrixXd& m = look.monodromy;
    const MatrixXd one = MatrixXd::Identity(m.rows(), m.rows());
    out.plus = (m + one).determinant();
    out.multipliers = multipliers_of(look, shooting_->problem().driven);
    out.border = shooting_->border(look, out.tangent);
    if (std::isnan(out.border)) {  // multipliers meet 1 there, or where the branch turns back
      double less = 1.0;
      for (std::size_t i = 0; i + out.multipliers.trivial < out.multipliers.values.size(); ++i) {
        const std::complex<double> value = out.multipliers.values[i];
        less *= value.imag() == 0.0 ? value.real() - 1.0 : std::abs(value - 1.0);
      }
      out.border = less / out.tangent.parameter;
    }
    for (const std::complex<double>& value : out.multipliers.values) {
      if (value.imag() > 1e-9 && !conservative_ && std::isnan(out.pair)) out.pair = std::abs(value) - 1.0;
    }
    out.look = std::move(look);
    return out;
  }

  // Closed, with all derivatives. On a symmetric branch half a period is closed: where symmetry breaks the
  // whole one has hardly a solution of its own, and the half one has.
  ClosingLook closed(const ClosedMotion& guess, const ClosedChange& along, int most_steps,
                     const ClosingLook* like) {
    ClosingLook out = mirrored_ ? mirrored_->closed(guess, &along, most_steps)
                                : shooting_->closed(guess, &along, most_steps, like);
    return out.good ? shooting_->look(out.motion, true) : out;
  }

  std::optional<Station> first(Begin& begin) {
    if (!begin.along) {
      ClosingLook look = shooting_->look(begin.look.motion, true);
      if (!look.good) return std::nullopt;
      return station(std::move(look), nullptr);
    }
    double size = 0.0;
    for (const double lane : begin.look.motion.states[0]) size = std::max(size, std::fabs(lane));
    for (double part : {1e-3, 3e-4, 1e-4, 3e-5}) {
      begin_size_ = part * std::max(size, 1e-3);
      const ClosedMotion guess = shooting_->moved(begin.look.motion, *begin.along, begin_size_);
      ClosingLook look = closed(guess, *begin.along, 12, nullptr);
      const ClosedChange off = difference(look.motion, guess);
      if (!look.good) continue;
      // Across a branch the other one may lie aslant; this one is much farther off.
      const double most = begin.born == SpecialKind::branch && !begin.breaks ? 5.0 : 0.5;
      if (std::sqrt(shooting_->product(off, off, guess)) > most * begin_size_) continue;
      if (begin.breaks && half_way_gap(*shooting_, look.motion, mirror_) < 0.1 * part) continue;
      return station(std::move(look), &*begin.along);
    }
    return std::nullopt;
  }

  // The station an arc further; none where there is no motion near.
  std::optional<Station> ahead(const Station& from, double arc) {
    const ClosedMotion guess = shooting_->moved(from.look.motion, from.tangent, arc);
    ClosingLook look = closed(guess, from.tangent, 8, &from.look);
    if (!look.good) return std::nullopt;
    const ClosedChange off = difference(look.motion, guess);
    // Far off is on another branch.
    if (std::sqrt(shooting_->product(off, off, guess)) > 0.5 * arc) return std::nullopt;
    return station(std::move(look), &from.tangent);
  }

  void step(Station& here, double& arc, const Begin& begin) {
    constexpr double kShortest = 1e-7, kLongest = 0.3, kMostPart = 1.0 / 25;
    const double steep = std::fabs(here.tangent.parameter) / shooting_->problem().parameter_scale;
    if (steep * arc > kMostPart) arc = kMostPart / steep;
    std::optional<Station> next = ahead(here, arc);
    const bool turns = next && shooting_->product(next->tangent, here.tangent, here.look.motion) < 0.9;
    const auto trace = [](const Station& at) { return at.look.monodromy.trace(); };
    const bool jumps =
        next && std::fabs(trace(*next) - trace(here)) > 0.5 * (1.0 + 0.3 * std::fabs(trace(here)));
    if (!next || ((turns || jumps) && arc > 16 * kShortest)) {
      arc *= 0.5;
      if (arc < kShortest) branch().end = next ? "it turns too sharply" : "the motion was lost";
      return;
    }
    const double p = next->look.motion.parameter;
    if (p < low_ || p > high_) {
      const double last = p < low_ ? low_ : high_;
      finish(here, last, begin);
      return;
    }
    if (shrinks(here, *next)) {
      branch().end = "it shrinks to an equilibrium";
      return;
    }
    look_between(here, *next, arc, begin);
    here = std::move(*next);
    add(here);
    arc = std::min(kLongest, 1.6 * arc);
    if (here.multipliers.largest() > 1e9) branch().end = "it is too unstable to be followed";
    if (options_.progress && number_ == 0)
      options_.progress((p - options_.from) / (options_.to - options_.from));
  }

  // Through a point: there the flow turns round.
  bool shrinks(const Station& here, const Station& next) const {
    if (shooting_->problem().driven) return false;
    const auto flow = [](const Station& at) -> VectorXd {
      return at.look.bases[0].transpose() * at.look.flow;
    };
    const VectorXd before = flow(here), after = flow(next);
    return before.dot(after) < -0.5 * before.norm() * after.norm() ||
           after.norm() * next.look.motion.period < 1e-6;
  }

  // The last motion is that at the end of the range.
  void finish(const Station& here, double last, const Begin& begin) {
    branch().end = "the end of the range";
    if (here.look.motion.parameter == last) return;
    const double part = (last - here.look.motion.parameter) / here.tangent.parameter;
    ClosedMotion guess = shooting_->moved(here.look.motion, here.tangent, part);
    guess.parameter = last;
    const ClosingLook closed = shooting_->closed(guess, nullptr, 12);
    if (!closed.good) return;
    ClosingLook look = shooting_->look(closed.motion, true);
    if (!look.good) return;
    Station there = station(std::move(look), &here.tangent);
    const ClosedChange off = difference(there.look.motion, here.look.motion);
    const std::string end = branch().end;
    branch().end.clear();
    look_between(here, there, shooting_->product(off, here.tangent, here.look.motion), begin);
    if (branch().end.empty()) {
      add(there);
      branch().end = end;
    }
  }

  void look_between(const Station& a, const Station& b, double arc, const Begin& begin) {
    for (const SpecialKind kind :
         {SpecialKind::fold, SpecialKind::branch, SpecialKind::doubling, SpecialKind::torus}) {
      const double before = a.test(kind), after = b.test(kind);
      if (std::isnan(before) || std::isnan(after) || before * after > 0.0 || before == 0.0) continue;
      // By what is not the bordered determinant a fold looks like a branch.
      std::optional<Station> at = located(a, b, arc, kind);
      if (!at) continue;
      if (kind == SpecialKind::branch && is_pole(*at, a, b)) continue;
      if (!branch().end.empty()) return;
      if (kind == SpecialKind::branch) at->tangent = own_tangent(*at, a, b);
      mark(kind, *at, begin);
    }
  }

  // Where branches meet the equations leave a plane of directions, and what a solver returns is any one of
  // it. That of the branch itself is known otherwise: of a symmetric one by the equations of half a period,
  // which are regular there; else it lies between those before and behind.
  ClosedChange own_tangent(const Station& at, const Station& a, const Station& b) {
    const ClosedMotion& motion = at.look.motion;
    const ClosedChange between = sum(a.tangent, b.tangent, 1.0);
    ClosedChange out = between;
    if (mirrored_) {
      const ClosingLook half = mirrored_->look(motion, true);
      if (half.good) out = mirrored_->tangents(half, 1)[0];
    }
    const double size = std::sqrt(shooting_->product(out, out, motion));
    return scaled(std::move(out), (shooting_->product(out, between, motion) < 0.0 ? -1.0 : 1.0) / size);
  }

  // Where a test is a quotient it may change its sign through infinity.
  static bool is_pole(const Station& at, const Station& a, const Station& b) {
    return std::fabs(at.border) > std::max(std::fabs(a.border), std::fabs(b.border));
  }

  // By the secant that keeps the root between its ends (the Illinois rule).
  std::optional<Station> located(const Station& a, const Station& b, double arc, SpecialKind kind) {
    double left = 0.0, right = arc, at_left = a.test(kind), at_right = b.test(kind);
    const double size = std::max(std::fabs(at_left), std::fabs(at_right));
    std::optional<Station> best;
    int side = 0;
    for (int i = 0; i < 60 && right - left > 1e-14 * arc; ++i) {
      const double middle =
          i % 8 == 7 ? 0.5 * (left + right) : (left * at_right - right * at_left) / (at_right - at_left);
      std::optional<Station> there = ahead(a, middle);
      if (!there) there = ahead(a, 0.5 * (left + right));
      if (!there || std::isnan(there->test(kind))) break;
      const double value = there->test(kind);
      best = std::move(there);
      if (std::fabs(value) <= 1e-13 * size) break;
      if (value * at_left > 0.0) {
        left = middle;
        at_left = value;
        if (side == 1) at_right *= 0.5;
        side = 1;
      } else {
        right = middle;
        at_right = value;
        if (side == -1) at_left *= 0.5;
        side = -1;
      }
    }
    return best;
  }

  void mark(SpecialKind kind, const Station& at, const Begin& begin) {
    const ClosedMotion& motion = at.look.motion;
    const bool comes_back =
        kind == SpecialKind::branch && begin.origin &&
        ((begin.born == SpecialKind::doubling && half_way_gap(*shooting_, motion, {}) < 1e-3) ||
         (begin.born == SpecialKind::branch && !mirror_.empty() &&
          half_way_gap(*shooting_, motion, mirror_) < 1e-3));
    SpecialPoint point{kind, motion.parameter, motion.period, number_, std::nullopt, {}, false};
    if (comes_back) {
      point.kind = begin.born;
      if (begin.born == SpecialKind::doubling) point.period *= 0.5;
      branch().end = "it comes back to the branch that it began at";
    }
    BranchPoint shown = shown_point(at);
    point.levels = shown.levels;
    out_.special.push_back(point);
    // It belongs to both sides: stable where nothing but what happens there is in the way.
    shown.stable = shown.multipliers.largest() <= 1.0 + 1e-6;
    branch().points.push_back(std::move(shown));
    if (comes_back) return;
    const std::size_t number = out_.special.size() - 1;
    if (kind == SpecialKind::doubling) begin_doubled(at, number);
    if (kind == SpecialKind::branch) begin_branches(at, number);
  }

  // The other branch's direction, of the plane that the equations leave at a branch point. Where symmetry
  // breaks, p is the same to first order on both sides (they are mirror images of each other); else the one
  // perpendicular to this branch is near enough to begin with.
  std::optional<ClosedChange> across(const Station& at, bool breaks) {
    const ClosedMotion& motion = at.look.motion;
    const std::vector<ClosedChange> plane = shooting_->tangents(at.look, 2);
    const auto length = [&](const ClosedChange& of) { return std::sqrt(shooting_->product(of, of, motion)); };
    ClosedChange best;
    double size = 0.0;
    if (breaks && plane.size() == 2) {
      best = sum(scaled(plane[0], plane[1].parameter), plane[1], -plane[0].parameter);
      const double whole = std::hypot(plane[0].parameter, plane[1].parameter);
      if (whole > 0.0) best = scaled(std::move(best), 1.0 / whole), size = length(best);
    }
    for (std::size_t i = 0; i < plane.size() && !(size > 1e-3); ++i) {
      ClosedChange one = sum(plane[i], at.tangent, -shooting_->product(plane[i], at.tangent, motion));
      const double its = length(one);
      if (its > size) best = std::move(one), size = its;
    }
    if (!(size > 1e-3)) return std::nullopt;
    return scaled(std::move(best), 1.0 / size);
  }

  void begin_branches(const Station& at, std::size_t number) {
    const bool mirrored = !mirror_.empty() && half_way_gap(*shooting_, at.look.motion, mirror_) < 1e-3;
    const std::optional<ClosedChange> other = across(at, mirrored);
    if (!other) return;
    out_.special[number].mirrored = mirrored;
    for (const double side : {1.0, -1.0}) {
      if (side < 0.0 && mirrored) break;
      waiting_.push_back({Closing(shooting_->problem()), at.look, scaled(*other, side), number,
                          SpecialKind::branch, at.look.motion.parameter, false, mirrored});
    }
  }

  // Two rounds, of which the second is off to the other side.
  void begin_doubled(const Station& at, std::size_t number) {
    const MatrixXd& m = at.look.monodromy;
    const Index k = m.rows();
    const Eigen::JacobiSVD<MatrixXd> svd(m + MatrixXd::Identity(k, k), Eigen::ComputeFullV);
    VectorXd off = svd.matrixV().col(k - 1);
    const std::size_t parts = at.look.motion.states.size();
    ClosedChange along;
    for (std::size_t i = 0; i < parts; ++i) {
      along.states.push_back(list_of(at.look.bases[i].transpose() * off));
      if (parts > 1) {
        const Index row = k * static_cast<Index>(i);
        off = (at.look.jacobian.block(row, row, k, k) * off).eval();
      }
    }
    Begin begin{Closing(shooting_->problem()), at.look, {}, number, SpecialKind::doubling,
                at.look.motion.parameter};
    begin.look.motion.period *= 2.0;
    if (begin.shooting.problem().driven) begin.shooting.problem().multiple *= 2;
    if (parts > 1) {
      std::vector<std::vector<double>>& states = begin.look.motion.states;
      const std::vector<std::vector<double>> once = states;
      states.insert(states.end(), once.begin(), once.end());
      const ClosedChange first = along;
      const ClosedChange back = scaled(along, -1.0);
      along.states.insert(along.states.end(), back.states.begin(), back.states.end());
    }
    const double size = std::sqrt(begin.shooting.product(along, along, begin.look.motion));
    begin.along = scaled(std::move(along), 1.0 / size);
    waiting_.push_back(std::move(begin));
  }

  BranchPoint shown_point(const Station& at) {
    const ClosedMotion& motion = at.look.motion;
    BranchPoint out;
    out.parameter = motion.parameter;
    out.period = motion.period;
    out.multipliers = at.multipliers;
    out.stable = is_stable(at.multipliers, conservative_);
    constexpr std::size_t kParts = 64;
    const auto rounds = static_cast<std::size_t>(shooting_->problem().multiple);
    const Closing::Course course =
        shooting_->course(motion, {out_.column}, motion.period, kParts * rounds + 1);
    if (!course.done) return out;
    out.low = out.high = course.rows[0][0];
    for (const std::vector<double>& row : course.rows) {
      out.low = std::min(out.low, row[0]);
      out.high = std::max(out.high, row[0]);
    }
    if (!shooting_->problem().driven) out.levels = {out.high};
    for (std::size_t k = 0; shooting_->problem().driven && k < rounds; ++k)
      out.levels.push_back(course.rows[k * kParts][0]);
    return out;
  }

  void add(const Station& at) { branch().points.push_back(shown_point(at)); }

  const OrbitOptions& options_;
  Continuation& out_;
  std::vector<double> mirror_;
  bool conservative_;
  double low_, high_;
  Closing* shooting_ = nullptr;
  std::optional<Closing> mirrored_;
  std::size_t number_ = 0;
  double begin_size_ = 0.0;
  std::vector<Begin> waiting_;
};

// Of doublings that lie one behind the other.
std::vector<double> ratios_of(const Continuation& all) {
  std::vector<double> best;
  for (std::size_t last = 0; last < all.special.size(); ++last) {
    std::vector<double> at;
    std::optional<std::size_t> now = last;
    while (now && all.special[*now].kind == SpecialKind::doubling) {
      at.insert(at.begin(), all.special[*now].parameter);
      now = all.branches[all.special[*now].branch].origin;
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i + 2 < at.size(); ++i)
      ratios.push_back((at[i + 1] - at[i]) / (at[i + 2] - at[i + 1]));
    const bool shrinks = std::all_of(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1.0; });
    if (shrinks && ratios.size() > best.size()) best = ratios;
  }
  return best;
}

}  // namespace

Continuation continued(FoundOrbit found, const OrbitOptions& options) {
  Continuation out;
  out.path = options.path;
  out.column = options.column;
  if (out.column.empty()) {
    const Lab& lab = found.shooting.lab(options.from);
    for (const char* word : {"theta", "angle", "travel", "coordinate", "states", "position"}) {
      if (!out.column.empty() || known_words(lab, {word}).empty()) continue;
      out.column = names_of(lab.columns({word}))[1];
    }
  }
  Follower follower(options, out, found.mirror, found.orbit.conservative);
  std::vector<Begin> waiting;
  waiting.push_back({std::move(found.shooting), std::move(found.look), std::nullopt, std::nullopt,
                     SpecialKind::fold, options.from, found.orbit.symmetric.value_or(false)});
  while (!waiting.empty() && out.branches.size() < options.most_branches && !follower.stopped()) {
    // Those nearest to where the first one began come first.
    const auto next = std::min_element(waiting.begin(), waiting.end(), [&](const Begin& a, const Begin& b) {
      return std::fabs(a.parameter - options.from) < std::fabs(b.parameter - options.from);
    });
    Begin begin = std::move(*next);
    waiting.erase(next);
    follower.follow(std::move(begin));
    for (Begin& one : follower.take_waiting()) waiting.push_back(std::move(one));
  }
  out.interrupted = follower.stopped();
  out.ratios = ratios_of(out);
  return out;
}

}  // namespace catena
