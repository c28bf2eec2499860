#include "catena/expr/pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/expr/derivative.h"
#include "catena/expr/kinks.h"
#include "catena/expr/substitute.h"
#include "catena/expr/values.h"
#include "catena/expr/values_digits.h"

namespace catena::expr {
namespace {

constexpr int kOrder = 16;
constexpr double kNoise = 1e-15;

// Which nodes of the tape depend on nothing but time, and their values at a moment.
struct TimeValues {
  std::vector<char> known, changes;  // changes: with time
  std::vector<double> value;

  TimeValues(const Graph& graph, const std::vector<char>& wanted, std::uint32_t t, double moment)
      : known(graph.size()), changes(graph.size()), value(graph.size()) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (wanted[id]) look_at(graph, id, t, moment);
    }
  }

 private:
  void look_at(const Graph& graph, NodeId id, std::uint32_t t, double moment) {
    const Node& n = graph[id];
    if (n.op == Op::variable) {
      known[id] = changes[id] = n.index == t;
      value[id] = moment;
      return;
    }
    known[id] = 1;
    if (n.op == Op::constant || n.op == Op::parameter) {
      value[id] = n.value;
      return;
    }
    double of[3] = {0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < 3; ++i) {
      if (n.operands[i] == kNone) continue;
      known[id] = known[id] && known[n.operands[i]];
      changes[id] = changes[id] || changes[n.operands[i]];
      of[i] = value[n.operands[i]];
    }
    if (known[id]) value[id] = value_of(n.op, of[0], of[1], of[2]);
  }
};

// What decides an operation, each a node that changes its sign there; empty: nothing does.
std::vector<NodeId> deciders(Graph& graph, const Node& n) {
  switch (n.op) {
    case Op::abs:
    case Op::sign:
    case Op::choose:
      return {n.operands[0]};
    case Op::step:
      return {n.operands[0], graph.subtract(n.operands[0], graph.constant(1.0))};
    case Op::min:
    case Op::max:
      return {graph.subtract(n.operands[0], n.operands[1])};
    default:
      return {};
  }
}

// An operation as it is decided where its operands have these values; kNone: it is none of those.
NodeId decided(Graph& g, Op op, const NodeId* operand, const double* value) {
  switch (op) {
    case Op::abs:
      return value[0] < 0.0 ? g.negate(operand[0]) : operand[0];
    case Op::sign:
      return g.constant(sign_of(value[0]));
    case Op::choose:
      return value[0] >= 0.0 ? operand[1] : operand[2];
    case Op::min:
      return value[1] < value[0] ? operand[1] : operand[0];
    case Op::max:
      return value[0] < value[1] ? operand[1] : operand[0];
    case Op::step: {
      if (value[0] < 0.0 || value[0] > 1.0) return g.constant(value[0] < 0.0 ? 0.0 : 1.0);
      const NodeId rest = g.subtract(g.constant(3.0), g.multiply(g.constant(2.0), operand[0]));
      return g.multiply(g.power(operand[0], 2.0), rest);
    }
    default:
      return kNone;
  }
}

int sign_of(double value, double noise) { return std::fabs(value) <= noise ? 0 : value > 0.0 ? 1 : -1; }

}  // namespace

NodeId piece_at(Graph& graph, NodeId formula, std::uint32_t t, double moment) {
  const Graph from = graph;
  const std::vector<char> wanted = reachable(from, {formula});
  const TimeValues at(from, wanted, t, moment);
  std::vector<NodeId> image(from.size(), kNone);
  for (NodeId id = 0; id < from.size(); ++id) {
    if (!wanted[id]) continue;
    const Node& n = from[id];
    image[id] = id;
    if (n.op == Op::variable || n.op == Op::constant || n.op == Op::parameter) continue;
    NodeId operand[3] = {kNone, kNone, kNone};
    double value[3] = {0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < 3; ++i) {
      if (n.operands[i] == kNone) continue;
      operand[i] = image[n.operands[i]];
      value[i] = at.value[n.operands[i]];
    }
    // Of choose the condition decides, whatever its values depend on.
    const bool by_time = n.op == Op::choose ? at.changes[n.operands[0]] && at.known[n.operands[0]]
                                            : at.known[id] && at.changes[id];
    const NodeId piece = by_time ? decided(graph, n.op, operand, value) : kNone;
    image[id] = piece != kNone ? piece : graph.apply(n.op, operand[0], operand[1], operand[2]);
  }
  return image[formula];
}

void TimeKinks::add(const Graph& graph, NodeId formula, std::uint32_t t, const std::string& name) {
  Graph from = graph;
  const std::vector<char> wanted = reachable(graph, {formula});
  const TimeValues at(graph, wanted, t, 0.0);
  std::vector<NodeId> images(t + 1, kNone);
  images[t] = graph_.variable(0);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!wanted[id]) continue;
    for (const NodeId decider : deciders(from, graph[id])) {
      const std::vector<NodeId> own = {decider};
      const TimeValues of(from, reachable(from, own), t, 0.0);
      if (!of.known[decider] || !of.changes[decider]) continue;
      const NodeId condition = substitute(from, own, graph_, images)[0];
      if (std::find(conditions_.begin(), conditions_.end(), condition) != conditions_.end()) continue;
      conditions_.push_back(condition);
      names_.push_back(name);
    }
  }
  if (conditions_.empty()) return;
  series_.emplace(graph_, conditions_, 1);
  series_->reserve(1, kOrder);
}

void TimeKinks::expand(double t) {
  for (int k = 0; k <= kOrder; ++k) {
    *series_->input(k, 0) = k == 0 ? t : k == 1 ? 1.0 : 0.0;
    series_->advance(k);
  }
}

// What rounding makes of a condition: of its own size, and of time's.
double TimeKinks::noise(std::size_t condition, double t) const {
  const int i = static_cast<int>(condition);
  return kNoise * (1.0 + std::fabs(*series_->output(0, i)) + std::fabs(t * *series_->output(1, i)));
}

double TimeKinks::enter(double t, bool arriving) {
  constexpr double kSoonest = 1e-15, kLatest = 1e-10;
  double moment = t;
  for (double later = kSoonest;; later *= 4.0) {
    expand(moment);
    signs_.clear();
    for (std::size_t i = 0; i < conditions_.size(); ++i)
      signs_.push_back(sign_of(*series_->output(0, static_cast<int>(i)), noise(i, moment)));
    const bool decided = std::find(signs_.begin(), signs_.end(), 0) == signs_.end();
    if (decided || later > kLatest) return moment;
    moment = t + (arriving ? -later : later) * (1.0 + std::fabs(t));
  }
}

bool TimeKinks::is_over_here(double t) {
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const int sign = sign_of(*series_->output(0, static_cast<int>(i)), noise(i, t));
    if (sign == 0 || signs_[i] == 0 || sign == signs_[i]) continue;
    ended_by_ = i;
    return true;
  }
  return false;
}

// Newton's method; where the condition only touches zero with all its slope, it creeps, and gets there.
DoubleDouble TimeKinks::refined(double kink) const {
  constexpr int kMostPasses = 300;
  constexpr double kAstray = 1e-4, kMet = 1e-33;
  Graph graph = graph_;
  const NodeId condition = conditions_[ended_by_];
  DigitsProgram program(graph, {condition, derivative(graph, condition, 0)}, 1, graph.keeps_decimals());
  DoubleDouble t(kink), best = t, out[2];
  double least = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    program.evaluate(&t, out);
    const double left = abs(out[0]);
    if (!(left < least)) break;
    least = left;
    best = t;
    const DoubleDouble step = out[0] / out[1];
    if (left == 0.0 || !(abs(step) > kMet * (1.0 + std::fabs(kink)))) break;
    t = t - step;
    if (!(abs(t - DoubleDouble(kink)) <= kAstray * (1.0 + std::fabs(kink)))) return kink;
  }
  return best;
}

bool TimeKinks::is_over(double t) {
  expand(t);
  return is_over_here(t);
}

double TimeKinks::next(double after, double until) {
  constexpr int kParts = 4;  // at least: what a series does not tell is seen at their ends
  constexpr double kTrusted = 1e-16;
  double t = after;
  while (t < until) {
    expand(t);
    if (is_over_here(t)) return t;
    double length = std::min(until - t, (until - after) / kParts);
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      const auto c = [&](int k) { return std::fabs(*series_->output(k, static_cast<int>(i))); };
      for (int k = kOrder - 1; k <= kOrder; ++k) {
        if (c(k) > 0.0) length = std::min(length, std::pow(kTrusted * (1.0 + c(0)) / c(k), 1.0 / k));
      }
    }
    length = std::max(length, 1e-13 * (1.0 + std::fabs(t)));
    double first = length;
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      // A kink right here: hardly more than noise from it, and on the way to the other side.
      const double value = *series_->output(0, static_cast<int>(i)),
                   rate = *series_->output(1, static_cast<int>(i));
      if (std::fabs(value) <= 4.0 * noise(i, t) && rate * signs_[i] < 0.0) {
        const double beyond = (std::max(value * signs_[i], 0.0) + 3.0 * noise(i, t)) / std::fabs(rate);
        if (beyond < first) ended_by_ = i;
        first = std::min(first, beyond);
        continue;
      }
      const double found = first_sign_change(series_->output(0, static_cast<int>(i)), series_->order_stride(),
                                             kOrder, first, 1.5 * noise(i, t));
      if (found < first) ended_by_ = i;
      first = std::min(first, found);
    }
    if (first < length && t + first <= until) return t + first;
    t = length < until - t ? t + length : until;
  }
  return is_over(until) ? until : std::numeric_limits<double>::infinity();
}

}  // namespace catena::expr
