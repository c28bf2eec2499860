#include "catena/dynamics/joints/constraint_lanes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "catena/dynamics/joints/joint_programs.h"
#include "catena/expr/lanes.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

using expr::Graph;
using expr::Lanes;
using expr::NodeId;

std::size_t numbers_of(const std::vector<JointLane>& lanes) {
  return lanes.empty() ? 0 : lanes[0].numbers.size();
}

// Series a few lanes wide, and how far it is from one order to the next.
struct Series {
  const double* at;
  std::size_t stride;
};

void add(double* sum, const Lanes<1>& more) { expr::write<1>(sum, expr::read<1>(sum) + more); }

// sum_{i=1..k+1} j_i v_{k+1-i} and sum_{i=1..k} j_i m_{k-i}, as far as asked for: j is read once. Two sums
// each, that need not wait for each other.
template <bool WithVelocity, bool WithMultiplier>
void add_products(const Series& j, const Series& v, const Series& m, int k, double* rate, double* push) {
  Lanes<1> rates[2] = {expr::zero<1>(), expr::zero<1>()}, pushes[2] = {expr::zero<1>(), expr::zero<1>()};
  const double* at = j.at + j.stride;
  const double* velocity = v.at + static_cast<std::size_t>(k) * v.stride;
  const double* multiplier = m.at + static_cast<std::size_t>(std::max(k - 1, 0)) * m.stride;
  int i = 1;
  for (; i < k; i += 2, at += 2 * j.stride) {
    const Lanes<1> one = expr::read<1>(at), two = expr::read<1>(at + j.stride);
    if constexpr (WithVelocity) {
      rates[0] = multiply_add(one, expr::read<1>(velocity), rates[0]);
      rates[1] = multiply_add(two, expr::read<1>(velocity - v.stride), rates[1]);
      velocity -= 2 * v.stride;
    }
    if constexpr (WithMultiplier) {
      pushes[0] = multiply_add(one, expr::read<1>(multiplier), pushes[0]);
      pushes[1] = multiply_add(two, expr::read<1>(multiplier - m.stride), pushes[1]);
      multiplier -= 2 * m.stride;
    }
  }
  if (i == k) {
    const Lanes<1> one = expr::read<1>(at);
    if constexpr (WithVelocity) rates[0] = multiply_add(one, expr::read<1>(velocity), rates[0]);
    if constexpr (WithMultiplier) pushes[0] = multiply_add(one, expr::read<1>(multiplier), pushes[0]);
    at += j.stride;
  }
  if constexpr (WithVelocity) {
    rates[1] = multiply_add(expr::read<1>(at), expr::read<1>(v.at), rates[1]);
    add(rate, rates[0] + rates[1]);
  }
  if constexpr (WithMultiplier) add(push, pushes[0] + pushes[1]);
}

// Bits of numbers, but for their signs: 0 where all are zero.
std::uint64_t bits_of(const double* numbers, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, numbers + i, sizeof bits);
    out |= bits << 1;
  }
  return out;
}

// All that programs depend on: the equations, which sides move, which numbers become constants, and which of
// a lane's are zero or one. The others are inputs.
std::string key_of(const std::string& called, const JointVariables& variables,
                   const std::vector<JointLane>& lanes) {
  std::string key = called;
  for (const int side : variables.sides()) key += static_cast<char>('0' + side);
  key += static_cast<char>('0' + variables.moving());
  for (const std::optional<double>& one : variables.shared(lanes)) {
    key += one ? '=' : '?';
    if (one) key.append(reinterpret_cast<const char*>(&*one), sizeof(double));
  }
  std::vector<double> steady(variables.steady());
  for (const JointLane& lane : lanes) {
    for (const int body : lane.body) key += body == kGround ? 'g' : 'b';
    variables.write_steady(lane, steady.data(), 1);
    for (const double x : steady) key += x == 0.0 ? '0' : x == 1.0 ? '1' : x == -1.0 ? '-' : 'x';
  }
  return key;
}

// Assembly makes the groups of a mechanism several times over, and a hand that drags one pivot leaves most of
// them as they are.
class Shelf {
 public:
  const ConstraintLanes* find(const std::string& key) const {
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : &found->second;
  }
  void keep(std::string key, const ConstraintLanes& made) {
    if (kept_.size() >= kMost) kept_.clear();
    kept_.emplace(std::move(key), made);
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::unordered_map<std::string, ConstraintLanes> kept_;
};
constexpr std::size_t kMostLanes = 16;  // of what is kept: many take long to compare and to copy

thread_local Shelf shelf;

}  // namespace

ConstraintLanes::ConstraintLanes(const std::vector<bool>& moves, const EquationMaker& equations,
                                 std::vector<JointLane> lanes, const std::string& called)
    : lanes_(std::move(lanes)), variables_(moves, numbers_of(lanes_), false) {
  if (called.empty() || lanes_.size() > kMostLanes) {
    make(equations);
    return;
  }
  std::string key = key_of(called, variables_, lanes_);
  if (const ConstraintLanes* same = shelf.find(key)) {
    std::vector<JointLane> own = std::move(lanes_);
    *this = *same;
    lanes_ = std::move(own);
    put_bodies();
    refresh_steady();
    return;
  }
  make(equations);
  shelf.keep(std::move(key), *this);
}

void ConstraintLanes::put_bodies() {
  body_.clear();
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (std::size_t i = 0; i < stride_; ++i) body_.push_back(filled(i).body[variables_.sides()[rank]]);
  }
}

void ConstraintLanes::make(const EquationMaker& equations) {
  stride_ = rounded_up(count(), kNativeWidth);
  put_bodies();
  Graph run;
  const JacobianNodes jacobian = jacobian_nodes(variables_, equations, lanes_, Folding::all, run);
  rows_ = static_cast<std::size_t>(jacobian.rows);
  drive_ = jacobian.drive;
  for (const JacobianEntry& of : jacobian.entries)
    entries_.push_back({static_cast<std::size_t>(of.row), of.motion, of.output});
  series_.emplace_back(run, jacobian.outputs, static_cast<int>(variables_.count()),
                       static_cast<int>(variables_.steady()), static_cast<int>(variables_.time()));
  series_[0].compute_on_demand();
  for (const int output : drive_) {
    if (output >= 0) series_[0].want(output);
  }
  find_parts();

  make_exact(equations);
  reserve(1);
}

// Where a side of some lanes rests, it is a body that stays where it is.
void ConstraintLanes::make_exact(const EquationMaker& equations) {
  std::vector<bool> moves(lanes_[0].body.size(), false);
  for (std::size_t rank = 0; rank < moving(); ++rank)
    moves[static_cast<std::size_t>(variables_.sides()[rank])] = true;
  const JointVariables variables(moves, numbers_of(lanes_), true);
  Graph run;
  const std::vector<NodeId> gaps = gap_nodes(variables, equations, lanes_, run);
  exact_.push_back({variables,
                    expr::DigitsLanes(run, gaps, static_cast<int>(variables.count())),
                    {},
                    {},
                    {},
                    std::vector<DoubleDouble>(variables.steady())});
  Exact& exact = exact_[0];
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (std::size_t c = 0; c < kPlace + kMotion; ++c) {
      const std::size_t input = c < kPlace ? variables.place(rank) + c : variables.motion(rank) + c - kPlace;
      if (exact.program.reads(input)) exact.followed.push_back({input, rank, c});
    }
  }
  for (std::size_t input = variables.count() - variables.steady(); input < variables.count(); ++input) {
    if (exact.program.reads(input)) exact.steady.push_back(input);
  }
  outputs_.resize(gaps.size());
  refresh_exact();
}

void ConstraintLanes::refresh_exact() {
  constexpr std::size_t kWidth = expr::DigitsLanes::kLanes;
  Exact& exact = exact_[0];
  const std::size_t first = exact.variables.count() - exact.variables.steady();
  exact.held.assign(stride_ * 2 * exact.steady.size(), 0.0);
  std::vector<DoubleDouble>& steady = exact.one;
  for (std::size_t i = 0; i < stride_; ++i) {
    exact.variables.write_steady_exact(filled(i), steady.data());
    double* to = exact.held.data() + i / kWidth * kWidth * 2 * exact.steady.size() + i % kWidth;
    for (const std::size_t input : exact.steady) {
      to[0] = steady[input - first].hi;
      to[kWidth] = steady[input - first].lo;
      to += 2 * kWidth;
    }
  }
  // The first register may be the only one. Sides that rest there stay; numbers of the others will follow.
  for (const auto& [input, rank, component] : exact.followed) {
    const auto side = static_cast<std::size_t>(variables_.sides()[rank]);
    for (std::size_t i = 0; i < std::min(kWidth, count()); ++i) {
      const bool rests = body_[rank * stride_ + i] == kGround && component < kPlace;
      exact.program.hi(input)[i] = rests ? lanes_[i].resting[side][component] : 0.0;
    }
  }
  const double* from = exact.held.data();
  for (const std::size_t input : exact.steady) {
    std::copy_n(from, 2 * kWidth, exact.program.hi(input));
    from += 2 * kWidth;
  }
}

// The register that begins with this lane.
void ConstraintLanes::evaluate_exact(std::size_t first_lane, double t, std::size_t bodies, const double* hi,
                                     const double* lo) {
  constexpr std::size_t kWidth = expr::DigitsLanes::kLanes;
  Exact& exact = exact_[0];
  expr::DigitsLanes& program = exact.program;
  const bool is_only = stride_ == kWidth;
  const std::size_t used = std::min(kWidth, count() - first_lane);
  for (const auto& [input, rank, component] : exact.followed) {
    double *to_hi = program.hi(input), *to_lo = program.lo(input);
    const int* body = body_.data() + rank * stride_ + first_lane;
    const double *from_hi = hi + component * bodies, *from_lo = lo + component * bodies;
    for (std::size_t i = 0; i < used; ++i) {
      if (body[i] != kGround) {
        to_hi[i] = from_hi[body[i]];
        to_lo[i] = from_lo[body[i]];
      } else if (!is_only) {
        const auto side = static_cast<std::size_t>(variables_.sides()[rank]);
        to_hi[i] = component < kPlace ? lanes_[first_lane + i].resting[side][component] : 0.0;
        to_lo[i] = 0.0;
      }
    }
  }
  if (program.reads(exact.variables.time())) std::fill_n(program.hi(exact.variables.time()), kWidth, t);
  if (is_only) return program.evaluate(used);  // what is steady is there
  const double* from = exact.held.data() + first_lane * 2 * exact.steady.size();
  for (const std::size_t input : exact.steady) {
    std::copy_n(from, 2 * kWidth, program.hi(input));
    from += 2 * kWidth;
  }
  program.evaluate(used);
}

std::size_t ConstraintLanes::rank_of(int side) const {
  const std::vector<int>& sides = variables_.sides();
  return static_cast<std::size_t>(std::find(sides.begin(), sides.end(), side) - sides.begin());
}

void ConstraintLanes::refresh_steady() {
  expr::SeriesProgram& program = series_[0];
  const int first = static_cast<int>(variables_.count() - variables_.steady());
  const std::size_t stride = static_cast<std::size_t>(program.input(0, 1) - program.input(0, 0));
  for (std::size_t i = 0; i < stride_; ++i) {
    variables_.write_steady(filled(i), program.input(0, first) + i, stride);
    for (const Input& place : places_) {
      const int side = variables_.sides()[place.rank];
      if (body_[place.rank * stride_ + i] == kGround)
        program.input(0, place.input)[i] = filled(i).resting[side][place.component];
    }
  }
  refresh_exact();
}

// What the series have to do with: places that J depends on, motions and rows whose part of J changes, rows
// that do work.
void ConstraintLanes::find_parts() {
  for (std::size_t rank = 0; rank < moving(); ++rank) {
    for (std::size_t c = 0; c < kPlace; ++c) {
      const int input = static_cast<int>(rank * kPlace + c);
      if (series_[0].reads(input)) places_.push_back({input, rank, c});
    }
  }
  std::vector<char> motions(moving() * kMotion, 0), rows(rows_, 0);
  for (const Entry& entry : entries_) {
    if (series_[0].is_steady(entry.output)) continue;
    changing_.push_back(entry);
    motions[entry.motion] = rows[entry.row] = 1;
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    if (drive_[row] >= 0) rows[row] = 1;
  }
  for (std::size_t i = 0; i < motions.size(); ++i) {
    if (motions[i]) motions_.push_back({i, false});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]) multiplied_.push_back({i, false});
  }
}

// A motion, or a multiplier, that was always zero is so no longer: from now on it has a say in the series.
void ConstraintLanes::enliven(Part& part, std::size_t Entry::*index) {
  part.live = true;
  listed_ = 0;
  for (const Entry& entry : changing_) {
    if (entry.*index == part.index) series_[0].want(entry.output);
  }
}

// The entries that are not zero beyond order 0 and meet something that is not zero.
void ConstraintLanes::list_sums() {
  const expr::SeriesProgram& program = series_[0];
  listed_ = program.plans();
  terms_.clear();
  const auto is_live = [](const std::vector<Part>& parts, std::size_t index) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.live && part.index == index; });
  };
  std::vector<char> rows(rows_, 0), motions(moving() * kMotion, 0);
  for (const Entry& entry : changing_) {
    if (program.is_resting(entry.output)) continue;
    const bool with_velocity = is_live(motions_, entry.motion),
               with_multiplier = is_live(multiplied_, entry.row);
    if (!with_velocity && !with_multiplier) continue;
    terms_.push_back({program.output(0, entry.output) - program.coefficients(), entry.row, entry.motion,
                      with_velocity, with_multiplier});
    if (with_velocity) rows[entry.row] = 1;
    if (with_multiplier) motions[entry.motion] = 1;
  }
  const auto list = [](const std::vector<char>& flags, std::vector<std::size_t>& to) {
    to.clear();
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) to.push_back(i);
    }
  };
  list(rows, summed_rows_);
  list(motions, summed_motions_);
  sums_.resize((rows_ + moving() * kMotion) * expr::kWidth);
}

void ConstraintLanes::add_turns(std::size_t lane, double first, double second) {
  std::array<double, 2>& turns = lanes_[lane].turns;
  turns = {catena::add_turns(turns[0], first), catena::add_turns(turns[1], second)};
  refresh_steady();
}

void ConstraintLanes::reserve(int order) {
  if (!velocities_.empty() && order <= series_[0].max_order()) return;
  series_[0].reserve(count(), order);
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  velocities_.assign(orders * moving() * kMotion * stride_, 0.0);
  multipliers_.assign(orders * rows_ * stride_, 0.0);
  listed_ = 0;
  refresh_steady();
}

void ConstraintLanes::advance(int k, double t, const BodyRows& places) {
  expr::SeriesProgram& program = series_[0];
  const std::size_t stride = stride_;
  for (const Input& place : places_) {
    const bool live = program.is_live(place.input);
    if (!places.has(place.component) && !live) continue;
    double* row = program.input(k, place.input);
    const int* body = body_.data() + place.rank * stride;
    const double* from = places.at + place.component * places.stride;
    for (std::size_t i = 0; i < stride; ++i) {
      if (body[i] != kGround) row[i] = from[body[i]];
    }
    if (!live && bits_of(row, stride) != 0) program.enliven(place.input);
  }
  const int time = static_cast<int>(variables_.time());
  if (program.reads(time)) {
    std::fill_n(program.input(k, time), stride_, k == 0 ? t : k == 1 ? 1.0 : 0.0);
    if (!program.is_live(time)) program.enliven(time);
  }
  program.advance_filled(k);
  if (listed_ != program.plans()) list_sums();
}

void ConstraintLanes::jacobian(std::size_t lane, int row, std::size_t rank, double* six) const {
  std::fill_n(six, kMotion, 0.0);
  for (const Entry& entry : entries_) {
    if (entry.row != static_cast<std::size_t>(row) || entry.motion / kMotion != rank) continue;
    six[entry.motion % kMotion] = series_[0].output(0, entry.output)[lane];
  }
}

void ConstraintLanes::set_velocities(int k, const BodyRows& velocities) {
  double* order = velocities_.data() + static_cast<std::size_t>(k) * moving() * kMotion * stride_;
  const std::size_t lanes = count();
  for (Part& part : motions_) {
    if (!part.live && !velocities.has(part.index % kMotion)) continue;
    double* to = order + part.index * stride_;
    const double* from = velocities.at + part.index % kMotion * velocities.stride;
    const int* body = body_.data() + part.index / kMotion * stride_;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (body[lane] != kGround) to[lane] = from[body[lane]];
    }
    if (!part.live && bits_of(to, lanes) != 0) enliven(part, &Entry::motion);
  }
}

void ConstraintLanes::add_sums(int k, double* right, double* forces, std::size_t stride) {
  const double factor = k + 1;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (drive_[row] < 0) continue;
    const double* drive = series_[0].output(k + 1, drive_[row]);
    for (std::size_t lane = 0; lane < count(); ++lane) right[row_at(row, lane)] += factor * drive[lane];
  }
  const std::size_t of_j = series_[0].order_stride(), of_v = moving() * kMotion * stride_,
                    of_m = rows_ * stride_;
  const auto rate_of = [&](std::size_t row) { return sums_.data() + row * expr::kWidth; };
  const auto push_of = [&](std::size_t motion) { return sums_.data() + (rows_ + motion) * expr::kWidth; };
  for (std::size_t first = 0; first < count(); first += expr::kWidth) {
    for (const std::size_t row : summed_rows_) expr::write<1>(rate_of(row), expr::zero<1>());
    for (const std::size_t motion : summed_motions_) expr::write<1>(push_of(motion), expr::zero<1>());
    for (const Term& term : terms_) {
      const Series j{series_[0].coefficients() + first + term.j, of_j};
      const Series v{velocities_.data() + first + term.motion * stride_, of_v};
      const Series m{multipliers_.data() + first + term.row * stride_, of_m};
      double *rate = rate_of(term.row), *push = push_of(term.motion);
      if (term.with_velocity && term.with_multiplier) {
        add_products<true, true>(j, v, m, k, rate, push);
      } else if (term.with_velocity) {
        add_products<true, false>(j, v, m, k, rate, push);
      } else {
        add_products<false, true>(j, v, m, k, rate, push);
      }
    }
    const std::size_t lanes = std::min(expr::kWidth, count() - first);
    for (const std::size_t row : summed_rows_) {
      const double* sum = rate_of(row);
      const std::size_t* at = row_at_.data() + row * count() + first;
      for (std::size_t i = 0; i < lanes; ++i) right[at[i]] -= factor * sum[i];
    }
    for (const std::size_t motion : summed_motions_) {
      const double* sum = push_of(motion);
      double* to = forces + (motion % kMotion) * stride;
      const int* body = body_.data() + motion / kMotion * stride_ + first;
      for (std::size_t i = 0; i < lanes; ++i) {
        if (body[i] != kGround) to[body[i]] += sum[i];
      }
    }
  }
}

// What has always been zero is zero at this order, too, unless it says otherwise.
void ConstraintLanes::set_multipliers(int k, const double* all) {
  double* order = multipliers_.data() + static_cast<std::size_t>(k) * rows_ * stride_;
  const std::size_t lanes = count();
  for (Part& part : multiplied_) {
    double* to = order + part.index * stride_;
    const std::size_t* from = row_at_.data() + part.index * lanes;
    if (!part.live) {
      std::uint64_t some = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) some |= bits_of(all + from[lane], 1);
      if (some == 0) continue;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) to[lane] = all[from[lane]];
    if (!part.live) enliven(part, &Entry::row);
  }
}

double ConstraintLanes::work(int k) const {
  double sum = 0.0;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (drive_[row] < 0) continue;
    for (int j = 0; j <= k; ++j) {
      const double* c = series_[0].output(j, drive_[row]);
      const double* l = multipliers_.data() + (static_cast<std::size_t>(k - j) * rows_ + row) * stride_;
      for (std::size_t lane = 0; lane < count(); ++lane) sum += c[lane] * l[lane];
    }
  }
  return sum;
}

const double* ConstraintLanes::violation(std::size_t lane, double t, std::size_t bodies, const double* hi,
                                         const double* lo) {
  constexpr std::size_t kWidth = expr::DigitsLanes::kLanes;
  evaluate_exact(lane / kWidth * kWidth, t, bodies, hi, lo);
  const expr::DigitsLanes& program = exact_[0].program;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    outputs_[i] = program.output_hi(i, lane % kWidth) + program.output_lo(i, lane % kWidth);
  return outputs_.data();
}

void ConstraintLanes::measure(double t, std::size_t bodies, const double* hi, const double* lo, double* gaps,
                              double* rates) {
  constexpr std::size_t kWidth = expr::DigitsLanes::kLanes;
  const expr::DigitsLanes& program = exact_[0].program;
  for (std::size_t first = 0; first < count(); first += kWidth) {
    evaluate_exact(first, t, bodies, hi, lo);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 0; i < std::min(kWidth, count() - first); ++i) {
        const std::size_t at = row_at(row, first + i);
        gaps[at] = -(program.output_hi(row, i) + program.output_lo(row, i));
        rates[at] = -(program.output_hi(rows_ + row, i) + program.output_lo(rows_ + row, i));
      }
    }
  }
}

ConstraintLanes::ConstraintLanes(const ConstraintLanes&) = default;
ConstraintLanes::ConstraintLanes(ConstraintLanes&&) noexcept = default;
ConstraintLanes& ConstraintLanes::operator=(const ConstraintLanes&) = default;
ConstraintLanes& ConstraintLanes::operator=(ConstraintLanes&&) noexcept = default;
ConstraintLanes::~ConstraintLanes() = default;

}  // namespace catena
