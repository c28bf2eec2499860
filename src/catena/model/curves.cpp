#include "catena/model/curves.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "catena/expr/lower.h"
#include "catena/expr/parse.h"

namespace catena {
namespace {

std::vector<expr::NodeId> nodes_of(const Formulas& curve, const expr::Expression& s) {
  std::vector<expr::NodeId> nodes;
  for (const std::string& text : curve) {
    const expr::Parsed made = expr::parse(*s.graph, text, {{}, {}, {{kCurveParameter, s.node}}});
    assert(made);  // checked when the scene was read
    nodes.push_back(made.node);
  }
  return nodes;
}

expr::Program program_of(const Formulas& curve) {
  expr::Graph graph;
  return {graph, nodes_of(curve, expr::variable(graph, 0)), 1};
}

bool is_finite(const Vec3& v) { return std::isfinite(v[0] + v[1] + v[2]); }

}  // namespace

expr::Vector curve_at(const Formulas& curve, const expr::Expression& s) {
  const std::vector<expr::NodeId> nodes = nodes_of(curve, s);
  return {{s.graph, nodes[0]}, {s.graph, nodes[1]}, {s.graph, nodes[2]}};
}

std::string curve_complaint(const Formulas& curve) {
  expr::Graph graph;
  const std::vector<expr::NodeId> nodes = nodes_of(curve, expr::variable(graph, 0));
  const auto is_known = [&](expr::NodeId node) { return graph[node].op == expr::Op::constant; };
  if (std::all_of(nodes.begin(), nodes.end(), is_known))
    return "must depend on s: it is a point; join the bodies with a ball";
  for (const expr::Switch& one : expr::lower(graph, nodes, 1, expr::Purpose::series).switches) {
    if (one.kind != expr::SwitchKind::sign_change) continue;
    const expr::Function* function = expr::find_function(one.op);
    return "must be smooth, and has a corner" +
           (function ? " by " + std::string(function->name) : std::string()) +
           "; round it off, as with sqrt(s^2 + r^2) for abs(s)";
  }
  return "";
}

Curve::Curve(const Formulas& formulas) : program_(program_of(formulas)) {}

Curve::Point Curve::at(double s) {
  const double one = 1.0;
  Point out;
  program_.tangent(&s, &one, 1, out.place.data(), out.slope.data());
  return out;
}

double Curve::nearest(const Vec3& to) {
  constexpr double kFurthest = 100.0, kStep = 0.01, kSame = 1e-9;
  constexpr int kSteps = static_cast<int>(kFurthest / kStep), kHalvings = 60;
  const auto gap = [&](double s) {
    const double size = length(at(s).place - to);
    return std::isfinite(size) ? size : HUGE_VAL;
  };
  // Below zero where the point that is closest lies ahead.
  const auto behind = [&](double s) {
    const Point here = at(s);
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) sum += (here.place[i] - to[i]) * here.slope[i];
    return sum;
  };
  double best = 0.0, least = gap(0.0);
  const auto consider = [&](double s) {
    const double size = gap(s);
    const double closer = std::isfinite(least) ? least - kSame * (1.0 + least) : least;
    if (size < closer) best = s, least = size;
  };
  // From the middle outwards, so that of several as close the smallest s is found first.
  for (int i = 0; i < kSteps; ++i) {
    for (const double side : {1.0, -1.0}) {
      double low = std::min(side * i * kStep, side * (i + 1) * kStep), high = low + kStep;
      consider(side * (i + 1) * kStep);
      if (!(behind(low) < 0.0 && behind(high) > 0.0)) continue;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = 0.5 * (low + high);
        (behind(middle) < 0.0 ? low : high) = middle;
      }
      consider(0.5 * (low + high));
    }
  }
  return best;
}

std::vector<Vec3> Curve::drawn(double s, double reach) {
  constexpr int kMostPoints = 2000;
  const Vec3 start = at(s).place;
  const double step_length = reach / 100.0;
  const auto walk = [&](double side, bool& closed) {
    std::vector<Vec3> out;
    double here = s;
    for (int i = 0; i < kMostPoints; ++i) {
      const Point before = at(here);
      const double speed = length(before.slope);
      here += side * std::min(0.1, step_length / std::max(speed, 1e-300));
      const Vec3 place = at(here).place;
      if (!is_finite(place)) break;
      out.push_back(place);
      const double away = length(place - start);
      if (away > reach) break;
      // Back where it began, and not merely still there.
      closed = i > 10 && away < 0.75 * length(place - before.place);
      if (closed) break;
    }
    return out;
  };
  bool closed = false;
  std::vector<Vec3> ahead = walk(1.0, closed);
  std::vector<Vec3> out;
  if (closed) {
    ahead.back() = start;
  } else {
    bool never = false;
    out = walk(-1.0, never);
    std::reverse(out.begin(), out.end());
  }
  out.push_back(start);
  out.insert(out.end(), ahead.begin(), ahead.end());
  return out;
}

std::vector<Vec3> drawn_curve(const Mechanism& mechanism, const Joint& joint) {
  Curve curve(joint.curve);
  const JointFrame& frame = joint.in_a;
  const Vec3 start = curve.at(joint.curve_start).place;
  double reach = std::max(0.1, length(start));
  for (const Body& body : mechanism.bodies) {
    for (const Body& other : mechanism.bodies)
      reach = std::max(reach, length(body.position - other.position));
    reach = std::max({reach, body.size[0], body.size[1], body.size[2]});
  }
  std::vector<Vec3> out;
  for (const Vec3& at : curve.drawn(joint.curve_start, 2.5 * reach)) {
    Vec3 place = frame.point;
    for (std::size_t i = 0; i < 3; ++i)
      place[i] += at[0] * frame.x[i] + at[1] * frame.y[i] + at[2] * frame.z[i];
    out.push_back(place);
  }
  return out;
}

}  // namespace catena
