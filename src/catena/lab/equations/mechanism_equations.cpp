#include "catena/lab/equations/mechanism_equations.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "catena/expr/derivative.h"
#include "catena/expr/expand.h"
#include "catena/model/curves.h"
#include "catena/model/joint_info.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

using expr::Expression;
using expr::NodeId;

constexpr std::size_t kMostBodies = 8, kMostEquations = 60;
constexpr std::size_t kPerBody = 12;  // variables: x, y, z, and the rotation matrix R row by row

class MechanismSheet {
 public:
  MechanismSheet(const Scene& scene, bool latex) : scene_(scene), mechanism_(scene.mechanism) {
    sheet_.title = scene.name;
    sheet_.latex = latex;
    for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b) {
      if (mechanism_.bodies[b].fixed) continue;
      for (const char* stem : {"x", "y", "z", "R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"})
        names_.push_back(fmt::format("{}_{}", stem, mechanism_.bodies[b].name));
      moving_.push_back(b);
    }
    for (const Joint& joint : mechanism_.joints) {
      if (joint_info(joint.kind).place == JointPlace::curve)
        names_.push_back(fmt::format("{}_{}", kCurveParameter, joint.name));
    }
    time_ = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back("t");
  }

  EquationSheet take() {
    refuse_what_does_not_fit();
    sheet_.sections.push_back({"Unknowns",
                               {},
                               "of each body: x, y, z of its centre of mass, its rotation matrix R (body to "
                               "world), and its angular "
                               "velocity w in its own frame, R' = R [w]x"});
    add_joints();
    add_bodies();
    add_sliders();
    return std::move(sheet_);
  }

 private:
  void refuse_what_does_not_fit() const {
    const auto refuse = [&](const std::string& why) { throw InputError({scene_.name}, why); };
    if (moving_.size() > kMostBodies)
      refuse(fmt::format("the mechanism has {} bodies that move: equations are printed for {} at most",
                         moving_.size(), kMostBodies));
    int equations = 0;
    for (const Joint& joint : mechanism_.joints) equations += joint_info(joint.kind).equations;
    if (equations > static_cast<int>(kMostEquations))
      refuse(
          fmt::format("its joints have {} equations: they are printed up to {}", equations, kMostEquations));
    if (!mechanism_.motors.empty())
      refuse("a motor prescribes a joint's motion: equations are printed for joints that are free to move");
    if (!scene_.forces.empty()) refuse("bodies under [[forces]]: equations are printed under gravity alone");
  }

  std::size_t first_variable(std::size_t body) const {
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      if (moving_[k] == body) return kPerBody * k;
    }
    return names_.size();
  }

  // Roundoff of the drawing is not worth reading.
  static double clean(double value) {
    const double rounded = std::stod(fmt::format("{:.12g}", value));
    return std::fabs(rounded) < 1e-14 ? 0.0 : rounded;
  }

  static bool is_diagonal(const Matrix3& m) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (i != j && clean(m[i][j]) != 0.0) return false;
      }
    }
    return true;
  }

  // A body's frame in world coordinates; numbers where it does not move.
  FrameExpressions frame_of(int index, const JointFrame& in_body) {
    const auto fixed_vector = [&](const Vec3& v) {
      return expr::constant(graph_, clean(v[0]), clean(v[1]), clean(v[2]));
    };
    if (index == kGround)
      return {fixed_vector(in_body.point), fixed_vector(in_body.x), fixed_vector(in_body.y),
              fixed_vector(in_body.z)};
    const auto b = static_cast<std::size_t>(index);
    const Body& body = mechanism_.bodies[b];
    const auto first = static_cast<std::uint32_t>(first_variable(b));
    const auto turned = [&](const Vec3& v) {
      if (body.fixed) return fixed_vector(rotated(body.orientation, v));
      if (body.point) return fixed_vector(v);
      const auto row = [&](std::uint32_t i) {
        return clean(v[0]) * expr::variable(graph_, first + 3 + 3 * i) +
               clean(v[1]) * expr::variable(graph_, first + 4 + 3 * i) +
               clean(v[2]) * expr::variable(graph_, first + 5 + 3 * i);
      };
      return expr::Vector{row(0), row(1), row(2)};
    };
    const expr::Vector x = body.fixed ? fixed_vector(body.position) : expr::variables(graph_, first);
    return {x + turned(in_body.point), turned(in_body.x), turned(in_body.y), turned(in_body.z)};
  }

  std::uint32_t slider_variable(std::size_t slider) const {
    return static_cast<std::uint32_t>(kPerBody * moving_.size() + slider);
  }

  FrameExpressions slider_frame(std::size_t slider) {
    const Expression zero = expr::constant(graph_, 0.0);
    return {{expr::variable(graph_, slider_variable(slider)), zero, zero}, {}, {}, {}};
  }

  // Nothing pushes along a curve.
  void add_sliders() {
    for (std::size_t slider = 0; slider < sliders_; ++slider) {
      std::vector<NodeId> seeds(time_ + 1 + constraints_.size(), expr::kNone);
      seeds[slider_variable(slider)] = graph_.constant(1.0);
      sheet_.sections.push_back({fmt::format("Along the curve, {}", names_[slider_variable(slider)]),
                                 {{"0", shorter(reaction(seeds))}},
                                 ""});
    }
  }

  void add_joints() {
    for (const Joint& joint : mechanism_.joints) {
      JointSymbols symbols;
      const auto add_side = [&](const Joint& of) {
        symbols.sides.push_back(frame_of(of.a, of.in_a));
        symbols.sides.push_back(frame_of(of.b, of.in_b));
        symbols.turns.push_back(expr::constant(graph_, 0.0));
      };
      if (joint.first >= 0) {
        add_side(mechanism_.joints[static_cast<std::size_t>(joint.first)]);
        add_side(mechanism_.joints[static_cast<std::size_t>(joint.second)]);
      } else {
        add_side(joint);
        symbols.turns.push_back(expr::constant(graph_, 0.0));
      }
      if (joint_info(joint.kind).place == JointPlace::curve)
        symbols.sides.push_back(slider_frame(sliders_++));
      symbols.t = expr::variable(graph_, time_);
      symbols.numbers = {expr::constant(graph_, clean(joint.value))};
      const JointInfo& info = joint_info(joint.kind);
      EquationSection section{fmt::format("Joint {} ({})", joint.name, info.name), {}, ""};
      if (info.turning_pairs > 0) section.note = "its angles count whole turns";
      for (const Expression& equation : joint_equations(joint, symbols)) {
        if (info.place == JointPlace::curve && graph_.is_constant(equation.node, 0.0))
          continue;  // the slider is on its axis
        constraints_.push_back(equation.node);
        names_.push_back(fmt::format("lambda_{}", constraints_.size()));
        section.lines.push_back({shorter(equation.node), "0"});
      }
      sheet_.sections.push_back(std::move(section));
    }
  }

  // Squares of distances are shorter as they are.
  std::string shorter(NodeId node) {
    const std::string as_is = sheet_.written(graph_, node, names_);
    const std::string multiplied = sheet_.written(graph_, expr::expanded(graph_, node), names_);
    return as_is.size() < multiplied.size() ? as_is : multiplied;
  }
  NodeId multiplier(std::size_t r) { return graph_.variable(static_cast<std::uint32_t>(time_ + 1 + r)); }

  // sum of lambda times what the constraints change by when the seeds move.
  NodeId reaction(const std::vector<NodeId>& seeds) {
    NodeId sum = graph_.constant(0.0);
    const std::vector<NodeId> slopes = expr::directional_derivatives(graph_, constraints_, seeds);
    for (std::size_t r = 0; r < slopes.size(); ++r)
      sum = graph_.add(sum, graph_.multiply(multiplier(r), slopes[r]));
    return sum;
  }

  void add_bodies() {
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      const Body& body = mechanism_.bodies[moving_[k]];
      const std::size_t first = kPerBody * k;
      EquationSection section{fmt::format("Body {}", body.name), {}, ""};
      if (!acting_on(moving_[k]).empty()) section.note = "besides, " + acting_on(moving_[k]);
      for (std::size_t i = 0; i < 3; ++i) {
        std::vector<NodeId> seeds(time_ + 1 + constraints_.size(), expr::kNone);
        seeds[first + i] = graph_.constant(1.0);
        const NodeId weight = graph_.constant(clean(body.mass * scene_.simulation.gravity[i]));
        expr::Graph left;
        const NodeId inertia = left.multiply(left.constant(clean(body.mass)), left.variable(0));
        section.lines.push_back({sheet_.written(left, inertia, {names_[first + i] + "''"}),
                                 shorter(graph_.add(weight, reaction(seeds)))});
      }
      if (!body.point) add_turning(body, first, section);
      sheet_.sections.push_back(std::move(section));
    }
  }

  // I w' + w x (I w) = sum of lambda (change of the constraint per turn about each axis)
  void add_turning(const Body& body, std::size_t first, EquationSection& section) {
    const char* const axes[3] = {"x", "y", "z"};
    expr::Graph left;
    std::vector<std::string> names;
    for (const char* rate : {"", "'"}) {
      for (const char* axis : axes) names.push_back(fmt::format("w{}_{}{}", axis, body.name, rate));
    }
    const expr::Vector w = expr::variables(left, 0), turning = expr::variables(left, 3);
    const auto weighed = [&](const expr::Vector& v) {
      const auto row = [&](std::size_t i) {
        return clean(body.inertia[i][0]) * v.x + clean(body.inertia[i][1]) * v.y +
               clean(body.inertia[i][2]) * v.z;
      };
      return expr::Vector{row(0), row(1), row(2)};
    };
    const expr::Vector sum = weighed(turning) + expr::cross(w, weighed(w));
    Expression components[3] = {sum.x, sum.y, sum.z};
    if (is_diagonal(body.inertia)) {  // differences of moments are rounded once
      const Expression rates[3] = {w.x, w.y, w.z}, changes[3] = {turning.x, turning.y, turning.z};
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        components[i] = clean(body.inertia[i][i]) * changes[i] +
                        clean(body.inertia[k][k] - body.inertia[j][j]) * rates[j] * rates[k];
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      // R' = R [e_i]x: two columns turn into one another.
      std::vector<NodeId> seeds(time_ + 1 + constraints_.size(), expr::kNone);
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      for (std::size_t row = 0; row < 3; ++row) {
        const auto entry = [&](std::size_t column) {
          return static_cast<std::uint32_t>(first + 3 + 3 * row + column);
        };
        seeds[entry(j)] = graph_.variable(entry(k));
        seeds[entry(k)] = graph_.negate(graph_.variable(entry(j)));
      }
      section.lines.push_back(
          {sheet_.written(left, expr::expanded(left, components[i].node), names), shorter(reaction(seeds))});
    }
  }

  // What springs, dampers and motors do is named, not written out.
  std::string acting_on(std::size_t body) const {
    std::vector<std::string> names;
    for (const JointForce& force : mechanism_.forces) {
      const bool of_joint = force.joint >= 0;
      const int a = of_joint ? mechanism_.joints[static_cast<std::size_t>(force.joint)].a : force.a;
      const int b = of_joint ? mechanism_.joints[static_cast<std::size_t>(force.joint)].b : force.b;
      if (a == static_cast<int>(body) || b == static_cast<int>(body)) names.push_back("'" + force.name + "'");
    }
    return names.empty() ? "" : fmt::format("what acts in {}", fmt::join(names, ", "));
  }

  const Scene& scene_;
  const Mechanism& mechanism_;
  EquationSheet sheet_;
  expr::Graph graph_;
  std::vector<std::size_t> moving_;
  std::vector<std::string> names_;  // of variables, t, then multipliers
  std::uint32_t time_ = 0;
  std::vector<NodeId> constraints_;
  std::size_t sliders_ = 0;  // of the joints so far
};

}  // namespace

EquationSheet mechanism_equations(const Scene& scene, bool latex) {
  return MechanismSheet(scene, latex).take();
}

}  // namespace catena
