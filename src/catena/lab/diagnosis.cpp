#include "catena/lab/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/dynamics/laws/law_masses.h"
#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/expr/print.h"
#include "catena/lab/lab.h"
#include "catena/math/vec3.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

// What a formula may name, and its rate along the motion.
struct Known {
  double value = 0.0;
  double rate = 0.0;
};
using KnownNames = std::map<std::string, Known>;

// A formula that changes by its own size within this time, s, cannot be followed.
constexpr double kAtOnce = 1e-4;

// All columns that need no reactions, at the time reached, with their rates.
KnownNames columns_now(Lab& lab) {
  std::vector<std::string> asked;
  for (const char* group : {"position", "velocity", "direction", "rotation", "angles"}) {
    try {
      lab.columns({group});
      asked.emplace_back(group);
    } catch (const InputError&) {  // this world has none of them
    }
  }
  const Columns columns = lab.columns(asked);
  std::vector<double> row(columns.width()), rates(columns.width());
  const double t = lab.time();
  lab.observe(t, columns, row.data());
  lab.rates(t, columns, rates.data());
  KnownNames out;
  std::size_t at = 0;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty()) out[stem.name] = {row[at], rates[at]}, ++at;
    for (const std::string& label : stem.labels) {
      out[stem.name + "_" + label] = {row[at], rates[at]};
      ++at;
    }
  }
  out["t"] = {t, 1.0};
  return out;
}

class Diagnosis {
 public:
  explicit Diagnosis(Lab& lab) : lab_(lab), columns_(columns_now(lab)) {
    double h = 4 * std::numeric_limits<double>::epsilon() * std::max(1e-3, std::fabs(lab.time()));
    const double longest = std::max(kAtOnce, 2 * lab.last_step());
    for (ahead_ = {0.0}; h < longest; h *= 4) ahead_.push_back(h);
  }

  // The joint of a link whose spring is linear in its bend, with the link folded back: there its torque
  // changes its sign at once.
  std::string folded_joint() const {
    const Scene& scene = lab_.scene();
    for (const Chain& chain : scene.chains) {
      for (std::size_t k = 0; k < chain.links.size(); ++k) {
        const Link& link = chain.links[k];
        if (!link.linear_stiffness || link.joint_stiffness == 0.0) continue;
        const auto label = [&](std::size_t of) {
          return scene.chains.size() > 1 ? fmt::format("{}_{}", chain.name, of + 1) : std::to_string(of + 1);
        };
        double apart = 0.0;
        for (const char* axis : {"ux", "uy", "uz"}) {
          const double down = axis[1] == 'z' ? -1.0 : 0.0;
          const double above =
              link.parent < 0 ? down : column(axis, label(static_cast<std::size_t>(link.parent))).value;
          apart = std::max(apart, std::fabs(column(axis, label(k)).value + above));
        }
        if (apart > 1e-6) continue;
        return fmt::format(
            "link {} is folded back at t = {} s, where the spring in its joint, linear in the bend, changes "
            "its sign "
            "at once: taylor cannot pass that; take dop853, or joint_stiffness_law = \"sine\"",
            label(k), number_text(lab_.time()));
      }
    }
    return "";
  }

  // An elastic link that has shrunk to next to nothing: what turns it acts on an arm that vanishes.
  std::string vanishing_link() const {
    constexpr double kVanishing = 1e-3;  // of its length at rest
    const Scene& scene = lab_.scene();
    for (std::size_t c = 0; c < scene.chains.size(); ++c) {
      const Chain& chain = scene.chains[c];
      for (std::size_t k = 0; k < chain.links.size(); ++k) {
        const Link& link = chain.links[k];
        const auto label = [&](std::size_t of) {
          return scene.chains.size() > 1 ? fmt::format("{}_{}", chain.name, of + 1) : std::to_string(of + 1);
        };
        const auto end = [&](std::size_t of) {
          return Vec3{column("x", label(of)).value, column("y", label(of)).value,
                      column("z", label(of)).value};
        };
        const Vec3 from =
            link.parent < 0 ? lab_.pivot_at(c, lab_.time()) : end(static_cast<std::size_t>(link.parent));
        const double now = length(end(k) - from);
        if (chain.kind != ChainKind::elastic || !(now < kVanishing * link.length)) continue;
        return fmt::format(
            "link {} is {:.2g} m long at t = {} s and shrinks to nothing, where it has no direction: what "
            "turns it, as joint_stiffness and damping do, grows without bound there",
            label(k), now, number_text(lab_.time()));
      }
    }
    return "";
  }

  // The formula that is largest here, with its place and value; "" where none is large.
  std::string largest() {
    constexpr double kLarge = 1e3;
    double most = kLarge;
    std::string said;
    for (const WrittenFormula& formula : lab_.scene().formulas) {
      for (const KnownNames& names : meanings(formula)) {
        const double value = value_of(formula, names);
        if (!(std::fabs(value) > most)) continue;
        most = std::fabs(value);
        said = text(Mistake{formula.place, fmt::format("{}: {}: '{}' is {:.2g} there", formula.owner,
                                                       formula.key, formula.text, value)});
      }
    }
    return said;
  }

  // The formula with a switch that is about to jump; "" where none does. `beside`: or would, if one of the
  // names in it were another by next to nothing. A motion that slides is as near as that, and where it goes
  // by itself may lead along the switch.
  std::string jumping(bool beside) {
    for (const WrittenFormula& formula : lab_.scene().formulas) {
      for (const KnownNames& names : meanings(formula)) judge_jump(formula, names, beside);
    }
    return said_;
  }

  std::string found() {
    for (const WrittenFormula& formula : lab_.scene().formulas) {
      for (const KnownNames& names : meanings(formula)) judge(formula, names);
    }
    if (!said_.empty()) return said_;
    const std::vector<ForceEntry>& forces = lab_.scene().forces;
    for (std::size_t i = 0; i < forces.size(); ++i) judge(forces[i], i);
    if (!said_.empty()) return said_;
    for (const WrittenFormula& formula : lab_.scene().formulas) {
      for (const KnownNames& names : meanings(formula)) judge_parts(formula, names);
    }
    for (const WrittenFormula& formula : lab_.scene().formulas) {
      for (const KnownNames& names : meanings(formula)) {
        if (lab_.method().name == "taylor") judge_slopes(formula, names);
        judge_ends(formula, names);
      }
    }
    return said_;
  }

 private:
  // What the formula's names stand for; of a law, for each mass that it acts on.
  std::vector<KnownNames> meanings(const WrittenFormula& formula) const {
    const Scene& scene = lab_.scene();
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
      if (formula.owner == fmt::format("force {}", i + 1)) return masses(scene.forces[i]);
    }
    for (const Joint& joint : scene.mechanism.joints) {
      if (formula.owner != fmt::format("joint '{}'", joint.name)) continue;
      KnownNames names = columns_;
      const std::string coordinate = coordinate_name(joint);
      if (const auto own = columns_.find(coordinate); own != columns_.end()) names["q"] = own->second;
      if (const auto own = columns_.find(coordinate + "_dot"); own != columns_.end())
        names["rate"] = own->second;
      return {names};
    }
    if (formula.owner != "lagrangian") return {columns_};
    KnownNames names = columns_;
    for (const LagrangianCoordinate& coordinate : scene.lagrangian.coordinates) {
      if (const auto rate = columns_.find(coordinate.name + "_dot"); rate != columns_.end())
        names[coordinate.name + "'"] = rate->second;
    }
    return {names};
  }

  Known column(const char* stem, const std::string& label) const {
    const auto found = columns_.find(std::string(stem) + "_" + label);
    return found == columns_.end() ? Known{std::nan(""), 0.0} : found->second;
  }

  // A law's names at a mass: of the columns called `label`, `back` m before them along the link.
  KnownNames mass(const std::string& label, double back, double mass, double charge, double number) const {
    KnownNames names{{"t", columns_.at("t")}, {"m", {mass}}, {"q", {charge}}, {"i", {number}}};
    const char* const axes[] = {"x", "y", "z"};
    double square = 0.0, growth = 0.0;
    for (int i = 0; i < 3; ++i) {
      const std::string axis = axes[i], turn = "w" + axis, speed = "v" + axis;
      Known place = column(axis.c_str(), label), velocity = column(speed.c_str(), label);
      if (back != 0.0) {  // a rod: its ends are what columns show
        const Known along = column(("u" + axis).c_str(), label);
        place = {place.value - back * along.value, place.rate - back * along.rate};
        velocity.value = place.rate;
      }
      names[axis] = place;
      names[speed] = velocity;
      names[turn] = column(turn.c_str(), label);
      square += velocity.value * velocity.value;
      growth += velocity.value * velocity.rate;
    }
    const double size = std::sqrt(square);
    names["speed"] = {size, size > 0.0 ? growth / size : 0.0};
    return names;
  }

  struct NamedMass {
    std::string name;
    KnownNames names;
  };

  std::vector<KnownNames> masses(const ForceEntry& entry) const {
    std::vector<KnownNames> out;
    for (NamedMass& mass : named_masses(entry)) out.push_back(std::move(mass.names));
    return out;
  }

  std::vector<NamedMass> named_masses(const ForceEntry& entry) const {
    const Scene& scene = lab_.scene();
    std::vector<NamedMass> out;
    for (std::size_t c = 0; c < scene.chains.size(); ++c) {
      const Chain& chain = scene.chains[c];
      for (std::size_t k = 0; k < chain.links.size() && out.size() < kMostMasses; ++k) {
        if (!acts_on_link(entry, static_cast<int>(c), static_cast<int>(k))) continue;
        const Link& link = chain.links[k];
        const std::string label =
            scene.chains.size() > 1 ? fmt::format("{}_{}", chain.name, k + 1) : std::to_string(k + 1);
        out.push_back({fmt::format("{}.{}", chain.name.empty() ? "chain" : chain.name, k + 1),
                       mass(label, (1.0 - link.center_of_mass) * link.length, link.mass, link.charge,
                            static_cast<double>(k + 1))});
      }
    }
    for (std::size_t b = 0; b < scene.mechanism.bodies.size() && out.size() < kMostMasses; ++b) {
      const Body& body = scene.mechanism.bodies[b];
      if (body.fixed || !acts_on_body(entry, static_cast<int>(b))) continue;
      out.push_back({body.name, mass(body.name, 0.0, body.mass, body.charge, static_cast<double>(b + 1))});
    }
    return out;
  }

  // Laws that have no formulas grow without bound where two things meet.
  void judge(const ForceEntry& entry, std::size_t index) {
    const std::vector<NamedMass> all = named_masses(entry);
    const auto from_source = {"point-mass", "point-charge", "magnet"};
    if (std::find(from_source.begin(), from_source.end(), entry.kind) != from_source.end()) {
      KnownNames source;
      for (std::size_t i = 0; i < 3; ++i) source[std::string(1, "xyz"[i])] = {entry.position[i], 0.0};
      for (const NamedMass& mass : all) meet(entry, index, mass, {"", source});
    }
    if (entry.kind == "wind" && entry.height > 0.0) return come_to_ground(entry, index, all);
    if (entry.kind == "spring") return meet(entry, index, end_of(entry.between[0]), end_of(entry.between[1]));
    if (entry.kind != "coulomb" && entry.kind != "dipoles") return;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) meet(entry, index, all[a], all[b]);
    }
  }

  // The end of a spring: where a link's mass is, a point of a body, or a point that rests.
  NamedMass end_of(const Attachment& end) const {
    const Scene& scene = lab_.scene();
    if (end.chain >= 0) {
      ForceEntry alone;
      alone.names = {"this"};
      alone.on = {{end.chain, end.link}};
      return named_masses(alone).at(0);
    }
    const std::string label =
        end.body < 0 ? "" : scene.mechanism.bodies[static_cast<std::size_t>(end.body)].name;
    const auto three = [&](const char* x, const char* y, const char* z) -> Vec3 {
      return {column(x, label).value, column(y, label).value, column(z, label).value};
    };
    Vec3 at = end.point, velocity{};
    if (end.body >= 0) {
      const Quaternion q{column("qw", label).value, column("qx", label).value, column("qy", label).value,
                         column("qz", label).value};
      const bool turns = std::isfinite(q[0]);
      const Vec3 arm = turns ? rotated(q, end.point) : Vec3{};
      at = three("x", "y", "z") + arm;
      velocity = three("vx", "vy", "vz");
      if (turns) velocity = velocity + cross(three("wx", "wy", "wz"), arm);
    }
    NamedMass out{label, {}};
    for (std::size_t i = 0; i < 3; ++i) out.names[std::string(1, "xyz"[i])] = {at[i], velocity[i]};
    return out;
  }

  // The wind's profile, a broken power of the height, begins at the ground with an infinite slope.
  void come_to_ground(const ForceEntry& entry, std::size_t index, const std::vector<NamedMass>& all) {
    if (std::floor(entry.exponent) == entry.exponent) return;
    for (const NamedMass& mass : all) {
      const Known& z = mass.names.at("z");
      const double until = (entry.ground - z.value) / z.rate;
      if (!(std::fabs(until) < kSoon) || (!said_.empty() && until >= soonest_)) continue;
      soonest_ = until;
      said_ = text(Mistake{
          entry.place,
          fmt::format(
              "force {} ({}): '{}' comes to the ground soon after t = {} s, where the wind's profile, "
              "height^{:.6g}, has no slope, and series need one: {} may pass",
              index + 1, entry.kind, mass.name, number_text(lab_.time()), entry.exponent,
              lab_.scene().simulation.precision == "double" ? "a method without series, such as dop853,"
                                                            : "a lower order, such as 12, whose series stay "
                                                              "within the range of numbers closer to it, or "
                                                              "precision = \"double\",")});
    }
  }

  // Whether these two are about to be in the same place.
  void meet(const ForceEntry& entry, std::size_t index, const NamedMass& one, const NamedMass& other) {
    double square = 0.0, speed = 0.0;
    for (const char* axis : {"x", "y", "z"}) {
      const Known &a = one.names.at(axis), &b = other.names.at(axis);
      square += (a.value - b.value) * (a.value - b.value);
      speed += (a.rate - b.rate) * (a.rate - b.rate);
    }
    const double apart = std::sqrt(square), until = apart / std::sqrt(speed);
    if (!(until < kSoon) || (!said_.empty() && until >= soonest_)) return;
    soonest_ = until;
    const auto place = [](const NamedMass& mass) {
      return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", mass.names.at("x").value, mass.names.at("y").value,
                         mass.names.at("z").value);
    };
    const bool is_spring = entry.kind == "spring";
    const char* what =
        is_spring ? "its ends meet, where it has no direction, soon after" : "it grows without bound at";
    const char* source = is_spring ? "its anchor" : "its source";
    const auto name = [&](const NamedMass& mass) {
      return mass.name.empty() ? source : fmt::format("'{}'", mass.name);
    };
    said_ = text(Mistake{
        entry.place,
        fmt::format("force {} ({}): {} t = {} s, where {} at {} and {} are {:.2g} m apart", index + 1,
                    entry.kind, what, number_text(lab_.time()), name(one), place(one), name(other), apart)});
  }

  static constexpr double kSoon = 1e-2;  // s

  // Here and now.
  static double value_of(const WrittenFormula& formula, const KnownNames& names) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty()) return 0.0;
    expr::Program program(graph, {parsed.node}, static_cast<int>(formula.variables.size()));
    std::vector<double> inputs;
    for (const std::string& variable : formula.variables) {
      const auto known = names.find(variable);
      inputs.push_back(known == names.end() ? 0.0 : known->second.value);
    }
    double value = 0.0;
    program.evaluate(inputs.data(), 1, &value);
    return value;
  }

  // Whether the formula leaves the range on the way ahead, and what it then has to be said of it.
  void judge(const WrittenFormula& formula, const KnownNames& names) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty()) return;
    const std::vector<std::string> used = used_names(graph, parsed.node, formula);
    std::vector<char> is_used;
    for (const std::string& name : formula.variables)
      is_used.push_back(std::find(used.begin(), used.end(), name) != used.end());
    expr::Program program(graph, {parsed.node}, static_cast<int>(formula.variables.size()));
    std::vector<double> inputs(formula.variables.size());
    double first = 0.0;
    for (const double h : ahead_) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto known = names.find(formula.variables[i]);
        inputs[i] = known == names.end() ? 0.0 : known->second.value + h * known->second.rate;
        if (is_used[i] && !std::isfinite(inputs[i])) return;  // the motion itself, not the formula
      }
      double value = 0.0;
      program.evaluate(inputs.data(), 1, &value);
      if (!std::isfinite(value)) return blame(h, formula, used, names, value);
      if (h == 0.0) first = value;
      const double change = std::fabs(value - first);
      if (h > 0.0 && h < kAtOnce && change > std::fabs(first) && change > 1.0)
        return blame(h, formula, used, names, value, has_switch(graph, parsed.node));
    }
  }

  static std::vector<std::string> used_names(const expr::Graph& graph, expr::NodeId node,
                                             const WrittenFormula& formula) {
    const std::vector<char> reached = expr::reachable(graph, {node});
    std::vector<std::string> used;
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      if (reached[id] && graph[id].op == expr::Op::variable)
        used.push_back(formula.variables[graph[id].index]);
    }
    return used;
  }

  static bool has_switch(const expr::Graph& graph, expr::NodeId node) {
    const std::vector<char> reached = expr::reachable(graph, {node});
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      if (reached[id] && (graph[id].op == expr::Op::sign || graph[id].op == expr::Op::choose)) return true;
    }
    return false;
  }

  // Whether the formula jumps at once as the motion goes on.
  void judge_jump(const WrittenFormula& formula, const KnownNames& names, bool beside) {
    constexpr double kAll = 0.5, kBeside = 1e-9, kJump = 1e-3;
    constexpr int kHalvings = 60;
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty()) return;
    expr::Program program(graph, {parsed.node}, static_cast<int>(formula.variables.size()));
    std::vector<double> inputs(formula.variables.size());
    const auto evaluated = [&] {
      double out = 0.0;
      program.evaluate(inputs.data(), 1, &out);
      return out;
    };
    const auto value_at = [&](double h) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto known = names.find(formula.variables[i]);
        inputs[i] = known == names.end() ? 0.0 : known->second.value + h * known->second.rate;
      }
      return evaluated();
    };
    const double here = value_at(0.0);
    for (std::size_t i = 0; beside && i < 2 * inputs.size(); ++i) {
      double& input = inputs[i / 2];
      const double kept = input;
      input += (i % 2 == 0 ? kBeside : -kBeside) * std::max(1.0, std::fabs(kept));
      const double there = evaluated();
      input = kept;
      if (std::fabs(there - here) > kJump * std::max(std::fabs(there), std::fabs(here)))
        return blame(0.0, formula, used_names(graph, parsed.node, formula), names, here, true);
    }
    double low = 0.0, high = 0.0, change = 0.0;  // where it changes most
    for (const double side : {1.0, -1.0}) {      // it may have just jumped
      for (std::size_t i = 1; i < ahead_.size() && ahead_[i] <= kAtOnce; ++i) {
        const double now = std::fabs(value_at(side * ahead_[i]) - value_at(side * ahead_[i - 1]));
        if (now > change) low = side * ahead_[i - 1], high = side * ahead_[i], change = now;
      }
    }
    if (change == 0.0) return;
    double before = value_at(low), behind = value_at(high);
    for (int i = 0; i < kHalvings; ++i) {
      const double h = 0.5 * (low + high), value = value_at(h);
      const bool is_before = std::fabs(value - before) > std::fabs(behind - value);
      (is_before ? high : low) = h;
      (is_before ? behind : before) = value;
    }
    if (!(std::fabs(behind - before) > kAll * change)) return;
    blame(high, formula, used_names(graph, parsed.node, formula), names, behind, true);
  }

  // Whether a part of the formula is so large, here, that slopes of it leave the range, though the whole does
  // not: as the divisor of 1/(1 + exp(u)^2).
  void judge_parts(const WrittenFormula& formula, const KnownNames& names) {
    constexpr double kLarge = 1e150;
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty() || !said_.empty()) return;
    const std::vector<char> reached = expr::reachable(graph, {parsed.node});
    std::vector<expr::NodeId> parts;
    for (expr::NodeId id = 0; id < graph.size(); ++id) {
      if (reached[id] && graph[id].op != expr::Op::constant) parts.push_back(id);
    }
    expr::Program program(graph, parts, static_cast<int>(formula.variables.size()));
    std::vector<double> inputs, values(parts.size());
    for (const std::string& variable : formula.variables) {
      const auto known = names.find(variable);
      inputs.push_back(known == names.end() ? 0.0 : known->second.value);
    }
    program.evaluate(inputs.data(), 1, values.data());
    for (const double value : values) {
      if (std::fabs(value) <= kLarge) continue;
      said_ =
          text(Mistake{formula.place, fmt::format("{}: {}: '{}' has a part that leaves the range of numbers "
                                                  "at t = {} s: it is {:.2g} there",
                                                  formula.owner, formula.key, formula.text,
                                                  number_text(lab_.time()), value)});
      return;
    }
  }

  // Whether a slope of the formula, here, is none, though its value is a number: that of sqrt(t) at 0. Series
  // have all of them.
  void judge_slopes(const WrittenFormula& formula, const KnownNames& names) {
    constexpr int kOrders = 4;
    constexpr std::size_t kLarge = 20'000;  // formulas that are not differentiated any further
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty() || !said_.empty()) return;
    std::vector<double> inputs;
    for (const std::string& variable : formula.variables) {
      const auto known = names.find(variable);
      inputs.push_back(known == names.end() ? 0.0 : known->second.value);
    }
    for (std::uint32_t i = 0; i < formula.variables.size(); ++i) {
      expr::NodeId node = parsed.node;
      for (int order = 1; order <= kOrders && graph.size() < kLarge; ++order) {
        node = expr::derivative(graph, node, i);
        double slope = 0.0;
        expr::Program(graph, {node}, static_cast<int>(inputs.size())).evaluate(inputs.data(), 1, &slope);
        if (std::isfinite(slope)) continue;
        const std::string& name = formula.variables[i];
        said_ = text(Mistake{
            formula.place,
            fmt::format("{}: {}: '{}' has no derivative of order {} by {} at t = {} s{}, and series "
                        "need all of them: a method without series, such as dop853, may pass",
                        formula.owner, formula.key, formula.text, order, name, number_text(lab_.time()),
                        name == "t" ? "" : fmt::format(", where {} = {:.6g}", name, inputs[i]))});
        return;
      }
    }
  }

  // Whether something close by is where a function of the formula ends: there its value is a number and its
  // slopes are none, as those of abs(t - 0.5)^1.5 at 0.5. Steps come close to it, and not there.
  void judge_ends(const WrittenFormula& formula, const KnownNames& names) {
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, formula.text, {formula.variables, formula.parameters});
    if (!parsed.mistakes.empty() || !said_.empty()) return;
    const std::vector<char> reached = expr::reachable(graph, {parsed.node});
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      if (!reached[id]) continue;
      const expr::NodeId margin = margin_of(graph, id);
      if (margin == expr::kNone) continue;
      if (const auto h = vanishes_at(graph, margin, formula, names))
        return blame_end(*h, graph, id, formula, names);
    }
  }

  // What vanishes where the function of a node ends; kNone: it is smooth wherever it is a number.
  static expr::NodeId margin_of(expr::Graph& graph, expr::NodeId id) {
    const expr::Node node = graph[id];
    const expr::NodeId of = node.operands[0];
    switch (node.op) {
      case expr::Op::power: {
        const expr::Node exponent = graph[node.operands[1]];
        const bool is_number = exponent.op == expr::Op::constant || exponent.op == expr::Op::parameter;
        return is_number && exponent.value >= 0.0 && std::floor(exponent.value) == exponent.value
                   ? expr::kNone
                   : of;
      }
      case expr::Op::sqrt:
      case expr::Op::log:
        return of;
      case expr::Op::asin:
      case expr::Op::acos:
        return graph.subtract(graph.constant(1.0), graph.multiply(of, of));
      case expr::Op::norm:
        return id;
      case expr::Op::atan2:
        return graph.add(graph.multiply(of, of), graph.multiply(node.operands[1], node.operands[1]));
      default:
        return expr::kNone;
    }
  }

  // How long from now, or ago, a part of a formula vanishes if the motion goes straight on.
  std::optional<double> vanishes_at(const expr::Graph& graph, expr::NodeId part,
                                    const WrittenFormula& formula, const KnownNames& names) const {
    // Of what it is now; and of what it is a moment later, where it has just vanished.
    constexpr double kGone = 1e-3, kGoneNow = 1e-9;
    // Of a difference roundoff of its terms is left: 1 - cos(t) is 0, or no less than 1e-16.
    const expr::Node& node = graph[part];
    const bool is_sum = node.op == expr::Op::add || node.op == expr::Op::subtract;
    const std::vector<expr::NodeId> all{part, is_sum ? node.operands[0] : part,
                                        is_sum ? node.operands[1] : part};
    expr::Program program(graph, all, static_cast<int>(formula.variables.size()));
    std::vector<double> inputs(formula.variables.size());
    double roundoff = 0.0;
    const auto size_at = [&](double h) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto known = names.find(formula.variables[i]);
        inputs[i] = known == names.end() ? 0.0 : known->second.value + h * known->second.rate;
      }
      double values[3] = {};
      program.evaluate(inputs.data(), 1, values);
      if (is_sum)
        roundoff = 8 * std::numeric_limits<double>::epsilon() * (std::fabs(values[1]) + std::fabs(values[2]));
      return std::isnan(values[0]) ? std::numeric_limits<double>::infinity() : std::fabs(values[0]);
    };
    const double now = size_at(0.0);
    if (now <= kGoneNow * size_at(ahead_.back())) return 0.0;
    for (const double side : {1.0, -1.0}) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < ahead_.size(); ++i) {
        if (size_at(side * ahead_[i]) < size_at(side * ahead_[least])) least = i;
      }
      double low = ahead_[least > 0 ? least - 1 : 0], high = ahead_[std::min(least + 1, ahead_.size() - 1)];
      for (int halving = 0; halving < 200; ++halving) {
        const double third = (high - low) / 3.0;
        const bool is_left = size_at(side * (low + third)) < size_at(side * (high - third));
        (is_left ? high : low) = is_left ? high - third : low + third;
      }
      const double h = 0.5 * (low + high);
      const double then = size_at(side * h);
      if (then <= std::max(kGone * now, roundoff)) return side * h;
    }
    return std::nullopt;
  }

  void blame_end(double h, const expr::Graph& graph, expr::NodeId part, const WrittenFormula& formula,
                 const KnownNames& names) {
    std::string values;
    const std::vector<char> reached = expr::reachable(graph, {part});
    for (expr::NodeId id = 0; id < reached.size(); ++id) {
      if (!reached[id] || graph[id].op != expr::Op::variable) continue;
      const std::string& name = formula.variables[graph[id].index];
      const auto known = names.find(name);
      if (name == "t" || known == names.end()) continue;
      values += fmt::format("{}{} = {:.6g}", values.empty() ? ", where " : ", ", name,
                            known->second.value + h * known->second.rate);
    }
    const expr::Node node = graph[part];
    const bool is_unbounded =
        node.op == expr::Op::log || (node.op == expr::Op::power && graph[node.operands[1]].value < 0.0);
    const std::string what =
        fmt::format("{}: {}: '{}' {} at t = {:.9g} s{}", formula.owner, formula.key, formula.text,
                    is_unbounded ? "grows without bound" : "is not smooth", lab_.time() + h, values);
    const std::string why = fmt::format(": '{}' ends there, and its slopes are no numbers",
                                        expr::text(graph, part, {formula.variables, 60}));
    const std::string remedy = lab_.method().name == "taylor"
                                   ? ", which series need: a method without series, such as dop853, may pass"
                                   : "";
    said_ = text(Mistake{formula.place, is_unbounded ? what : what + why + remedy});
  }

  // The one that leaves first.
  void blame(double h, const WrittenFormula& formula, const std::vector<std::string>& used,
             const KnownNames& names, double value, bool switches = false) {
    if (!said_.empty() && h >= soonest_) return;
    soonest_ = h;
    std::string values;
    for (const std::string& name : used) {
      const auto known = names.find(name);
      if (name == "t" || known == names.end()) continue;
      values += fmt::format("{}{} = {:.6g}", values.empty() ? ", where " : ", ", name,
                            known->second.value + h * known->second.rate);
    }
    const char* what = std::isnan(value)   ? "is not a number"
                       : std::isinf(value) ? "leaves the range of numbers"
                       : switches          ? "switches to and fro"
                                           : "grows without bound";
    const char* remedy = !std::isfinite(value) || !switches
                             ? ""
                             : ": the motion slides along the switch, which steps do not follow; a smooth "
                               "change over a width w, such as tanh(x/w), can be followed";
    said_ = text(Mistake{formula.place, fmt::format("{}: {}: {} {} at t = {} s{}{}", formula.owner,
                                                    formula.key, "'" + formula.text + "'", what,
                                                    number_text(lab_.time() + h), values, remedy)});
  }

  static constexpr std::size_t kMostMasses = 1000;
  Lab& lab_;
  KnownNames columns_;
  std::vector<double> ahead_;
  double soonest_ = 0.0;
  std::string said_;
};

}  // namespace

std::string formula_at_fault(Lab& lab) {
  const Scene& scene = lab.scene();
  const bool linear = std::any_of(scene.chains.begin(), scene.chains.end(), [](const Chain& chain) {
    return std::any_of(chain.links.begin(), chain.links.end(),
                       [](const Link& link) { return link.linear_stiffness; });
  });
  if (!linear && scene.formulas.empty() && scene.forces.empty()) return "";
  Diagnosis diagnosis(lab);
  const std::string folded = linear ? diagnosis.folded_joint() : "";
  return folded.empty() ? diagnosis.found() : folded;
}

std::string what_slows(Lab& lab, bool slides) {
  Diagnosis diagnosis(lab);
  const std::string vanishing = diagnosis.vanishing_link();
  if (!vanishing.empty()) return vanishing;
  for (const bool beside : {false, true}) {
    if (const std::string jumping = diagnosis.jumping(beside); !jumping.empty()) return jumping;
  }
  if (slides) {
    return fmt::format(
        "the motion slides along a switch of a law from about t = {} s on: its rates jump to and fro in most "
        "steps, which are {:.2g} s long; a larger tolerance takes fewer, or a law that changes smoothly",
        number_text(lab.time()), lab.last_step());
  }
  const std::string large = diagnosis.largest();
  return fmt::format(
      "steps get ever shorter: at t = {} s, after {} of them, they are {:.2g} s long, and the end at {} s is "
      "not reached in 1e11{}{}",
      number_text(lab.time()), lab.counts().steps, lab.last_step(),
      number_text(lab.scene().simulation.duration), large.empty() ? "" : "; ", large);
}

}  // namespace catena
