#include "catena/dynamics/joints/constraint_lanes.h"

#include <algorithm>
#include <map>
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

bool is_some(double number) { return number != 0.0; }

std::size_t numbers_of(const std::vector<JointLane>& lanes) {
  return lanes.empty() ? 0 : lanes[0].numbers.size();
}

// Series a few lanes wide, and how far it is from one order to the next.
struct Series {
  const double* at;
  std::size_t stride;
};

// even + odd grow by sum_{i=1..k} a_i b_{k-i}: two sums need not wait for each other.
void convolve(const Series& a, const Series& b, int k, Lanes<1>& even, Lanes<1>& odd) {
  const double* at = a.at + a.stride;
  const double* with = b.at + static_cast<std::size_t>(k - 1) * b.stride;
  int i = 1;
  for (; i < k; i += 2, at += 2 * a.stride, with -= 2 * b.stride) {
    even = multiply_add(expr::read<1>(at), expr::read<1>(with), even);
    odd = multiply_add(expr::read<1>(at + a.stride), expr::read<1>(with - b.stride), odd);
  }
  if (i == k) even = multiply_add(expr::read<1>(at), expr::read<1>(with), even);
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

// Lanes with different sides at rest have programs of their own: these run one lane at a time.
void ConstraintLanes::make_exact(const EquationMaker& equations) {
  std::map<std::vector<bool>, std::vector<std::size_t>> alike;
  for (std::size_t lane = 0; lane < count(); ++lane) alike[moving_sides(lanes_[lane])].push_back(lane);
  exact_of_.resize(count());
  for (const auto& [moves, which] : alike) {
    std::vector<JointLane> lanes;
    for (const std::size_t lane : which) {
      lanes.push_back(lanes_[lane]);
      exact_of_[lane] = exact_.size();
    }
    const JointVariables variables(moves, numbers_of(lanes_), true);
    Graph run;
    const std::vector<NodeId> gaps = gap_nodes(variables, equations, lanes, run);
    exact_.push_back({variables, expr::DigitsProgram(run, gaps, static_cast<int>(variables.count()))});
    exact_.back().program.look_for_zeros();
    inputs_.resize(std::max(inputs_.size(), variables.count()));
    outputs_.resize(gaps.size());
  }
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

// The entries that are not zero beyond order 0 and meet something that is not zero, sum by sum.
void ConstraintLanes::list_sums() {
  const expr::SeriesProgram& program = series_[0];
  listed_ = program.plans();
  const auto list = [&](std::size_t Entry::*of, std::size_t Entry::*with, const std::vector<Part>& parts,
                        Sums& sums) {
    sums.terms.clear();
    sums.ends.clear();
    for (std::size_t index = 0; index < std::max(rows_, moving() * kMotion); ++index) {
      for (const Entry& entry : changing_) {
        const auto is_other = [&](const Part& part) { return part.live && part.index == entry.*with; };
        if (entry.*of != index || program.is_resting(entry.output)) continue;
        if (std::none_of(parts.begin(), parts.end(), is_other)) continue;
        sums.terms.push_back({program.output(0, entry.output) - program.coefficients(),
                              static_cast<std::ptrdiff_t>(entry.*with * stride_)});
      }
      const std::size_t before = sums.ends.empty() ? 0 : sums.ends.back().end;
      if (sums.terms.size() > before) sums.ends.push_back({index, sums.terms.size()});
    }
  };
  list(&Entry::row, &Entry::motion, motions_, rates_);
  list(&Entry::motion, &Entry::row, multiplied_, reactions_);
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
  for (const Input& place : places_) {
    const bool live = program.is_live(place.input);
    if (!places.has(place.component) && !live) continue;
    double* row = program.input(k, place.input);
    const int* body = body_.data() + place.rank * stride_;
    for (std::size_t i = 0; i < stride_; ++i) {
      if (body[i] != kGround) row[i] = places(place.component, body[i]);
    }
    if (!live && std::any_of(row, row + stride_, is_some)) program.enliven(place.input);
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
  for (Part& part : motions_) {
    if (!velocities.has(part.index % kMotion) && !part.live) continue;
    double* to = order + part.index * stride_;
    const int* body = body_.data() + part.index / kMotion * stride_;
    for (std::size_t lane = 0; lane < count(); ++lane) {
      if (body[lane] != kGround) to[lane] = velocities(part.index % kMotion, body[lane]);
    }
    if (!part.live && std::any_of(to, to + count(), is_some)) enliven(part, &Entry::motion);
  }
}

// Calls put(index, first lane, its number of lanes, sums).
template <class Put>
void ConstraintLanes::for_sums(const Sums& sums, const double* others, std::size_t stride, int k,
                               Put&& put) const {
  const std::size_t j_stride = series_[0].order_stride();
  for (std::size_t lane = 0; lane < count(); lane += expr::kWidth) {
    const double* j = series_[0].coefficients() + lane;
    const Term* term = sums.terms.data();
    for (const auto& [index, end] : sums.ends) {
      Lanes<1> even = expr::zero<1>(), odd = expr::zero<1>();
      for (; term != sums.terms.data() + end; ++term)
        convolve({j + term->j, j_stride}, {others + lane + term->other, stride}, k, even, odd);
      alignas(Lanes<1>) double sum[expr::kWidth];
      expr::write<1>(sum, even + odd);
      put(index, lane, std::min(expr::kWidth, count() - lane), sum);
    }
  }
}

void ConstraintLanes::add_rate_left(int k, double factor, double* right) const {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (drive_[row] < 0) continue;
    const double* drive = series_[0].output(k, drive_[row]);
    for (std::size_t lane = 0; lane < count(); ++lane) right[row_at(row, lane)] += factor * drive[lane];
  }
  for_sums(rates_, velocities_.data(), moving() * kMotion * stride_, k,
           [&](std::size_t row, std::size_t first, std::size_t lanes, const double* sum) {
             for (std::size_t i = 0; i < lanes; ++i) right[row_at(row, first + i)] -= factor * sum[i];
           });
}

void ConstraintLanes::set_multipliers(int k, const double* all) {
  double* order = multipliers_.data() + static_cast<std::size_t>(k) * rows_ * stride_;
  for (Part& part : multiplied_) {
    double* to = order + part.index * stride_;
    const std::size_t* from = row_at_.data() + part.index * count();
    for (std::size_t lane = 0; lane < count(); ++lane) to[lane] = all[from[lane]];
    if (!part.live && std::any_of(to, to + count(), is_some)) enliven(part, &Entry::row);
  }
}

void ConstraintLanes::add_reactions(int k, double* forces, std::size_t stride) const {
  if (k == 0) return;
  for_sums(reactions_, multipliers_.data(), rows_ * stride_, k,
           [&](std::size_t motion, std::size_t first, std::size_t lanes, const double* sum) {
             double* to = forces + (motion % kMotion) * stride;
             const int* body = body_.data() + motion / kMotion * stride_ + first;
             for (std::size_t i = 0; i < lanes; ++i) {
               if (body[i] != kGround) to[body[i]] += sum[i];
             }
           });
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

const DoubleDouble* ConstraintLanes::violation(std::size_t lane, double t, std::size_t bodies,
                                               const double* hi, const double* lo) {
  Exact& exact = exact_[exact_of_[lane]];
  exact.variables.write_exact(lanes_[lane], t, bodies, hi, lo, inputs_);
  exact.program.evaluate(inputs_.data(), outputs_.data());
  return outputs_.data();
}

ConstraintLanes::ConstraintLanes(const ConstraintLanes&) = default;
ConstraintLanes::ConstraintLanes(ConstraintLanes&&) noexcept = default;
ConstraintLanes& ConstraintLanes::operator=(const ConstraintLanes&) = default;
ConstraintLanes& ConstraintLanes::operator=(ConstraintLanes&&) noexcept = default;
ConstraintLanes::~ConstraintLanes() = default;

}  // namespace catena
