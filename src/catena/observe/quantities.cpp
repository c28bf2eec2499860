#include "catena/observe/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

using Scope = QuantityInfo::Scope;

constexpr const char* kAxes[3] = {"x", "y", "z"};
constexpr const char* kDigits = "digits";  // the group of columns that only runs with more digits have

// In place of a chain's index.
constexpr int kOfAll = -1;
constexpr int kOfBodies = -2;
constexpr int kOfJoints = -3;
constexpr int kOfFormulas = -4;

// One line of the table: what it is and where its numbers come from.
struct Quantity {
  QuantityInfo info;
  std::function<double(const ChainFrame&, std::size_t)> of_link = {};
  std::function<double(const ChainFrame&)> of_chain = {};
  std::function<double(const RowParts&)> of_all = {};
  std::function<double(const BodyFrame&, std::size_t)> of_body = {};  // of a body, or of a joint
  std::vector<double> FormulaFrame::*of_coordinate = nullptr;         // or of a constraint
};

Quantity link_value(std::string stem, std::string group, std::string unit, std::string summary,
                    std::function<double(const ChainFrame&, std::size_t)> value) {
  return {{std::move(stem), std::move(group), std::move(unit), std::move(summary), Scope::link},
          std::move(value)};
}

Quantity link_lanes(std::string stem, std::string group, std::string unit, std::string summary,
                    Lanes ChainFrame::*lanes) {
  return link_value(std::move(stem), std::move(group), std::move(unit), std::move(summary),
                    [lanes](const ChainFrame& frame, std::size_t k) { return (frame.*lanes)[k]; });
}

// Columns that only elastic chains have.
Quantity elastic_lanes(std::string stem, std::string group, std::string unit, std::string summary,
                       Lanes ChainFrame::*lanes) {
  Quantity out = link_lanes(std::move(stem), std::move(group), std::move(unit), std::move(summary), lanes);
  out.info.elastic_only = true;
  return out;
}

Quantity total(std::string stem, std::string group, std::string unit, std::string summary,
               std::function<double(const RowParts&)> value) {
  return {{std::move(stem), std::move(group), std::move(unit), std::move(summary), Scope::total},
          {},
          {},
          std::move(value)};
}

Quantity total_of(std::string stem, std::string group, std::string unit, std::string summary,
                  double RowTotals::*member) {
  return total(std::move(stem), std::move(group), std::move(unit), std::move(summary),
               [member](const RowParts& parts) { return parts.totals.*member; });
}

// Gives a link's quantity to bodies too.
Quantity also(Quantity quantity, std::function<double(const BodyFrame&, std::size_t)> of_body) {
  quantity.info.of_bodies = true;
  quantity.of_body = std::move(of_body);
  return quantity;
}

Quantity body_value(std::string stem, std::string group, std::string unit, std::string summary,
                    std::function<double(const BodyFrame&, std::size_t)> value, Scope scope = Scope::body,
                    Coordinate coordinate = Coordinate::none) {
  Quantity out{{std::move(stem), std::move(group), std::move(unit), std::move(summary), scope}};
  out.info.coordinate = coordinate;
  out.of_body = std::move(value);
  return out;
}

void add_vector(std::vector<Quantity>& table, const std::string& prefix, const std::string& group,
                const std::string& unit, const std::string& summary, Lanes3 ChainFrame::*lanes,
                Lanes3 BodyFrame::*bodies = nullptr) {
  for (std::size_t i = 0; i < 3; ++i) {
    Quantity one =
        link_value(prefix + kAxes[i], group, unit, summary,
                   [lanes, i](const ChainFrame& frame, std::size_t k) { return (frame.*lanes)[i][k]; });
    if (bodies == nullptr) {
      table.push_back(std::move(one));
      continue;
    }
    table.push_back(
        also(std::move(one), [bodies, i](const BodyFrame& f, std::size_t k) { return (f.*bodies)[i][k]; }));
  }
}

double length_at(const Lanes3& vectors, std::size_t k) {
  return std::hypot(vectors[0][k], vectors[1][k], vectors[2][k]);
}

double component_sum(const RowParts& parts, Lanes3 ChainFrame::*lanes, Lanes3 BodyFrame::*bodies,
                     std::size_t i) {
  double sum = 0.0;
  for (const ChainFrame& frame : parts.chains) {
    for (const double value : (frame.*lanes)[i]) sum += value;
  }
  if (parts.bodies == nullptr) return sum;
  for (const double value : (parts.bodies->*bodies)[i]) sum += value;
  return sum;
}

void add_vector_total(std::vector<Quantity>& table, const std::string& prefix, const std::string& unit,
                      const std::string& summary, Lanes3 ChainFrame::*lanes, Lanes3 BodyFrame::*bodies) {
  const auto component = [lanes, bodies](const RowParts& parts, std::size_t i) {
    return component_sum(parts, lanes, bodies, i);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(total(prefix + kAxes[i] + "_total", "momentum", unit, summary,
                          [component, i](const RowParts& parts) { return component(parts, i); }));
  }
  table.push_back(
      total(prefix + "_total", "momentum", unit, summary + ", size", [component](const RowParts& parts) {
        return std::hypot(component(parts, 0), component(parts, 1), component(parts, 2));
      }));
}

// Coordinates of joints, and what joints do to their second bodies.
void add_joints(std::vector<Quantity>& table) {
  using B = BodyFrame;
  const auto add = [&](const char* stem, const char* unit, const char* summary, Lanes B::*lanes,
                       Coordinate coordinate) {
    const auto of = [lanes](const B& f, std::size_t j) { return (f.*lanes)[j]; };
    table.push_back(body_value(stem, "angles", unit, summary, of, Scope::joint, coordinate));
  };
  add("angle", "rad", "angle of the joint, continuous over turns", &B::angle, Coordinate::angle);
  add("angle_dot", "rad/s", "rate of the joint's angle, named angle_<joint>_dot", &B::angle_dot,
      Coordinate::angle);
  add("travel", "m", "travel of the joint", &B::travel, Coordinate::travel);
  add("travel_dot", "m/s", "rate of the joint's travel, named travel_<joint>_dot", &B::travel_dot,
      Coordinate::travel);
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(body_value(
        std::string("f") + kAxes[i], "reactions", "N",
        "force of the joint's equations on its second body; of a gear or rack, of its second joint",
        [i](const B& f, std::size_t j) { return f.force[i][j]; }, Scope::joint));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(body_value(
        std::string("m") + kAxes[i], "reactions", "N m", "likewise the moment, about the joint's point there",
        [i](const B& f, std::size_t j) { return f.moment[i][j]; }, Scope::joint));
  }
  table.push_back(body_value(
      "unique", "reactions", "",
      "1: the joint's force and moment are unique; 0: redundant joints leave them open, and the least are "
      "shown",
      [](const B& f, std::size_t j) { return f.unique[j]; }, Scope::joint));
}

Quantity formula_value(std::string stem, std::string group, std::string summary, Scope scope,
                       std::vector<double> FormulaFrame::*values) {
  Quantity out{{std::move(stem), std::move(group), "", std::move(summary), scope}};
  out.of_coordinate = values;
  return out;
}

// Columns are named by the coordinates and states themselves.
void add_formulas(std::vector<Quantity>& table) {
  using L = FormulaFrame;
  table.push_back(
      formula_value("state", "states", "[equations]: the state, by its name", Scope::state, &L::coordinates));
  table.push_back(formula_value("invariant", "invariants", "[equations]: the invariant, by its name",
                                Scope::invariant, &L::invariants));
  table.push_back(formula_value("invariant_error", "invariants",
                                "[equations]: its change since the start, named <invariant>_error",
                                Scope::invariant, &L::changes));
  table.push_back(formula_value("coordinate", "position", "Lagrangian systems: the coordinate, by its name",
                                Scope::coordinate, &L::coordinates));
  table.push_back(formula_value("coordinate_dot", "velocity",
                                "Lagrangian systems: the coordinate's rate, named <coordinate>_dot",
                                Scope::coordinate, &L::rates));
  table.push_back(formula_value("multiplier", "reactions",
                                "Lagrangian systems: the constraint's multiplier lambda, by its number",
                                Scope::multiplier, &L::multipliers));
}

// Of bodies and joints alone.
void add_body_digits(std::vector<Quantity>& table) {
  using B = BodyFrame;
  const auto add = [&](const std::string& stem, const char* unit,
                       std::function<double(const B&, std::size_t)> value, Scope scope,
                       Coordinate coordinate = Coordinate::none) {
    table.push_back(body_value("lo_" + stem, kDigits, unit, "what a double cannot hold of " + stem,
                               std::move(value), scope, coordinate));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    add(
        std::string("w") + kAxes[i], "rad/s", [i](const B& f, std::size_t k) { return f.rotation_lo[i][k]; },
        Scope::body);
  }
  const char* const names[4] = {"qw", "qx", "qy", "qz"};
  for (std::size_t i = 0; i < 4; ++i) {
    add(
        names[i], "", [i](const B& f, std::size_t k) { return f.orientation_lo[i][k]; }, Scope::body);
  }
  const auto add_coordinate = [&](const std::string& stem, const char* unit, Lanes B::*lanes,
                                  Coordinate coordinate) {
    add(
        stem, unit, [lanes](const B& f, std::size_t j) { return (f.*lanes)[j]; }, Scope::joint, coordinate);
  };
  add_coordinate("angle", "rad", &B::angle_lo, Coordinate::angle);
  add_coordinate("angle_dot", "rad/s", &B::angle_dot_lo, Coordinate::angle);
  add_coordinate("travel", "m", &B::travel_lo, Coordinate::travel);
  add_coordinate("travel_dot", "m/s", &B::travel_dot_lo, Coordinate::travel);
}

// What doubles cannot hold of the columns of these names: the sum of the two has all digits.
void add_digits(std::vector<Quantity>& table) {
  using F = ChainFrame;
  using B = BodyFrame;
  const auto add_vectors = [&](const std::string& prefix, const char* unit, Lanes3 F::*lanes,
                               Lanes3 B::*bodies) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string stem = prefix + kAxes[i];
      table.push_back(
          also(link_value("lo_" + stem, kDigits, unit, "what a double cannot hold of " + stem,
                          [lanes, i](const F& frame, std::size_t k) { return (frame.*lanes)[i][k]; }),
               [bodies, i](const B& frame, std::size_t k) { return (frame.*bodies)[i][k]; }));
    }
  };
  add_vectors("", "m", &F::end_lo, &B::position_lo);
  add_vectors("v", "m/s", &F::end_velocity_lo, &B::velocity_lo);
  add_body_digits(table);
  const auto add = [&](const std::string& stem, const char* unit, Lanes F::*lanes) {
    table.push_back(link_lanes("lo_" + stem, kDigits, unit, "what a double cannot hold of " + stem, lanes));
  };
  using L = FormulaFrame;
  table.push_back(formula_value("lo_state", kDigits,
                                "[equations]: what a double cannot hold of the state, named lo_<state>",
                                Scope::state, &L::coordinates_lo));
  table.push_back(formula_value("lo_coordinate", kDigits,
                                "Lagrangian systems: what a double cannot hold of the coordinate, named "
                                "lo_<coordinate>",
                                Scope::coordinate, &L::coordinates_lo));
  table.push_back(formula_value("lo_coordinate_dot", kDigits,
                                "Lagrangian systems: what a double cannot hold of the rate, named "
                                "lo_<coordinate>_dot",
                                Scope::coordinate, &L::rates_lo));
  add("theta", "rad", &F::theta_lo);
  add("phi", "rad", &F::phi_lo);
  add("theta_dot", "rad/s", &F::theta_dot_lo);
  add("phi_dot", "rad/s", &F::phi_dot_lo);
}

std::vector<Quantity> make_table() {
  using F = ChainFrame;
  using B = BodyFrame;
  std::vector<Quantity> table;
  add_vector(table, "", "position", "m", "position of the link's end, or the body's centre of mass", &F::end,
             &B::position);
  add_vector(table, "v", "velocity", "m/s", "velocity of the link's end, or the body's centre of mass",
             &F::end_velocity, &B::velocity);
  const char* const names[4] = {"qw", "qx", "qy", "qz"};
  for (std::size_t i = 0; i < 4; ++i) {
    table.push_back(body_value(names[i], "orientation", "",
                               "orientation of the body, a unit quaternion, body to world",
                               [i](const B& f, std::size_t k) { return f.orientation[i][k]; }));
  }
  add_formulas(table);
  table.push_back(link_lanes("theta", "angles", "rad", "polar angle from straight down", &F::theta));
  table.push_back(link_lanes("phi", "angles", "rad", "azimuth", &F::phi));
  table.push_back(link_lanes("theta_dot", "angles", "rad/s", "rate of theta", &F::theta_dot));
  table.push_back(link_lanes("phi_dot", "angles", "rad/s", "rate of phi; nan at a pole", &F::phi_dot));
  table.push_back(
      link_lanes("pole", "angles", "", "chart of the angles: 1 pole along z, 0 along x", &F::pole));
  add_vector(table, "u", "direction", "", "unit vector along the link", &F::direction);
  add_vector(table, "w", "rotation", "rad/s", "angular velocity of the link or body", &F::rotation,
             &B::rotation);
  add_joints(table);
  table.push_back(
      link_lanes("tension", "reactions", "N", "pull along the link at its upper joint", &F::tension));
  table.push_back(elastic_lanes("strain", "reactions", "", "stretch over length at rest; elastic chains only",
                                &F::strain));
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back(
        {{std::string("f") + kAxes[i], "reactions", "N", "force of the pivot on the chain", Scope::chain},
         {},
         [i](const F& frame) { return frame.pivot_force[i]; }});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    table.push_back({{std::string("f") + kAxes[i], "reactions", "N",
                      "force on the chain of what holds its end", Scope::chain_end},
                     {},
                     [i](const F& frame) { return frame.end_force[i]; }});
  }
  add_vector(table, "p", "momentum", "kg m/s", "linear momentum of the link or body", &F::momentum,
             &B::momentum);
  add_vector(table, "l", "momentum", "kg m^2/s",
             "angular momentum of the link about the pivot, of the body about the origin",
             &F::angular_momentum, &B::angular_momentum);
  table.push_back(also(link_value("p", "momentum", "kg m/s", "linear momentum of the link or body, size",
                                  [](const F& f, std::size_t k) { return length_at(f.momentum, k); }),
                       [](const B& f, std::size_t k) { return length_at(f.momentum, k); }));
  table.push_back(
      also(link_value("l", "momentum", "kg m^2/s",
                      "angular momentum of the link about the pivot, of the body about the origin, size",
                      [](const F& f, std::size_t k) { return length_at(f.angular_momentum, k); }),
           [](const B& f, std::size_t k) { return length_at(f.angular_momentum, k); }));
  table.push_back(
      also(link_lanes("kinetic", "energies", "J", "kinetic energy of the link or body", &F::kinetic),
           [](const B& f, std::size_t k) { return f.kinetic[k]; }));
  table.push_back(
      also(link_lanes("potential", "energies", "J", "potential energy of the link or body", &F::potential),
           [](const B& f, std::size_t k) { return f.potential[k]; }));
  table.push_back(elastic_lanes("elastic", "energies", "J", "elastic energy of the link; elastic chains only",
                                &F::elastic));
  table.push_back(
      also(link_value("energy", "energies", "J", "energy of the link or body: kinetic + potential + elastic",
                      [](const F& f, std::size_t k) { return f.kinetic[k] + f.potential[k] + f.elastic[k]; }),
           [](const B& f, std::size_t k) { return f.kinetic[k] + f.potential[k]; }));
  add_vector_total(table, "p", "kg m/s", "total linear momentum", &F::momentum, &B::momentum);
  add_vector_total(table, "l", "kg m^2/s", "total angular momentum", &F::angular_momentum,
                   &B::angular_momentum);
  table.push_back(total_of("kinetic", "energies", "J", "kinetic energy", &RowTotals::kinetic));
  table.push_back(
      total_of("potential", "energies", "J", "potential energy, zero at z = 0", &RowTotals::potential));
  table.push_back(
      total_of("elastic", "energies", "J", "elastic energy; rigid links have none", &RowTotals::elastic));
  table.push_back(total_of("energy", "energies", "J", "kinetic + potential + elastic", &RowTotals::energy));
  table.push_back(total_of("dissipated", "energies", "J",
                           "energy lost to damping, friction and drag since the start",
                           &RowTotals::dissipated));
  table.push_back(
      total_of("work", "energies", "J", "work done by drives and fields since the start", &RowTotals::work));
  table.push_back(total_of("balance", "energies", "J", "energy + dissipated - work", &RowTotals::balance));
  table.push_back(total_of("energy_error", "energies", "J",
                           "energy minus its start, plus dissipated, minus work", &RowTotals::energy_error));
  table.push_back(
      total_of("step_size", "run", "s", "the integrator's step at this time", &RowTotals::step_size));
  table.push_back(total_of("constraint_error", "run", "",
                           "largest violation of |u| = 1 and u . du/dt = 0, and of what joints demand",
                           &RowTotals::constraint_error));
  Quantity rank =
      total("rank", "run", "", "how many equations of the joints count",
            [](const RowParts& parts) { return parts.bodies != nullptr ? parts.bodies->rank : 0.0; });
  rank.info.scope = Scope::mechanism;
  table.push_back(std::move(rank));
  add_digits(table);
  return table;
}

const std::vector<Quantity>& table() {
  static const std::vector<Quantity> all = make_table();
  return all;
}

// Every column of one quantity: its names, so that words can be matched against them.
struct Candidate {
  Stem stem;
  int quantity;
  int chain;
  std::vector<int> which;  // bodies or joints behind the labels
};

void add_chains(const World& world, std::size_t q, std::vector<Candidate>& out) {
  const QuantityInfo& info = table()[q].info;
  for (std::size_t c = 0; c < world.chains().size(); ++c) {
    const ChainUnit& unit = world.chains()[c];
    if (info.elastic_only && !unit.elastic()) continue;
    Stem stem{unit.name.empty() ? info.stem : info.stem + "_" + unit.name, {}};
    if (info.scope == Scope::chain_end && (unit.bodies() == nullptr || !unit.bodies()->end_held())) continue;
    if (info.scope == Scope::chain || info.scope == Scope::chain_end) {
      stem.name += info.scope == Scope::chain ? "_pivot" : "_end";
    } else {
      stem.labels = Labels::numbers(unit.links());
    }
    out.push_back({std::move(stem), static_cast<int>(q), static_cast<int>(c), {}});
  }
}

void add_bodies(const Mechanism& mechanism, std::size_t q, std::vector<Candidate>& out) {
  Candidate all{{table()[q].info.stem, {}}, static_cast<int>(q), kOfBodies, {}};
  for (std::size_t b = 0; b < mechanism.shown_bodies(); ++b) {
    all.which.push_back(static_cast<int>(b));
    all.stem.labels.push_back(mechanism.bodies[b].name);
  }
  if (!all.which.empty()) out.push_back(std::move(all));
}

// A rate's name ends with _dot behind the joint's name: each is a column of its own.
void add_joints(const Mechanism& mechanism, std::size_t q, std::vector<Candidate>& out) {
  const QuantityInfo& info = table()[q].info;
  const bool is_rate = info.stem.ends_with("angle_dot") || info.stem.ends_with("travel_dot");
  Candidate all{{info.stem, {}}, static_cast<int>(q), kOfJoints, {}};
  for (std::size_t j = 0; j < mechanism.shown_joints(); ++j) {
    const Joint& joint = mechanism.joints[j];
    if (info.coordinate != Coordinate::none && !shows(joint.kind, info.coordinate)) continue;
    if (is_rate) {
      const std::string name =
          fmt::format("{}_{}_dot", info.stem.substr(0, info.stem.size() - 4), joint.name);
      out.push_back({{name, {}}, static_cast<int>(q), kOfJoints, {static_cast<int>(j)}});
      continue;
    }
    all.which.push_back(static_cast<int>(j));
    all.stem.labels.push_back(joint.name);
  }
  if (!all.which.empty()) out.push_back(std::move(all));
}

// Each coordinate is a column of its own; multipliers share a stem.
void add_lagrangian(const LagrangianSystem& system, std::size_t q, std::vector<Candidate>& out) {
  const QuantityInfo& info = table()[q].info;
  if (info.scope == Scope::multiplier) {
    Candidate all{{info.stem, {}}, static_cast<int>(q), kOfFormulas, {}};
    for (std::size_t j = 0; j < system.constraints(); ++j) {
      all.which.push_back(static_cast<int>(j));
      all.stem.labels.push_back(std::to_string(j + 1));
    }
    if (!all.which.empty()) out.push_back(std::move(all));
    return;
  }
  const std::string beginning = info.group == kDigits ? "lo_" : "";
  const std::string ending = info.stem == beginning + "coordinate" ? "" : "_dot";
  for (std::size_t i = 0; i < system.coordinates(); ++i) {
    out.push_back({{beginning + system.given().coordinates[i].name + ending, {}},
                   static_cast<int>(q),
                   kOfFormulas,
                   {static_cast<int>(i)}});
  }
}

// Each state and invariant is a column of its own.
void add_equations(const EquationsSystem& system, std::size_t q, std::vector<Candidate>& out) {
  const QuantityInfo& info = table()[q].info;
  const auto add = [&](std::size_t i, std::string name) {
    out.push_back({{std::move(name), {}}, static_cast<int>(q), kOfFormulas, {static_cast<int>(i)}});
  };
  const Equations& given = system.given();
  for (std::size_t i = 0; info.scope == Scope::state && i < given.states.size(); ++i)
    add(i, (info.group == kDigits ? "lo_" : "") + given.states[i].name);
  for (std::size_t i = 0; info.scope == Scope::invariant && i < given.invariants.size(); ++i)
    add(i, given.invariants[i].name + (info.stem == "invariant" ? "" : "_error"));
}

// Momenta are those of masses in space, which coordinates need not be; equations have no energies either.
bool has_total(const World& world, const QuantityInfo& info) {
  if (world.equations() != nullptr) return info.stem == "step_size";
  return info.scope == Scope::total && (world.lagrangian() == nullptr || info.group != "momentum");
}

std::vector<Candidate> candidates(const World& world) {
  std::vector<Candidate> out;
  const Mechanism* mechanism = world.mechanism() != nullptr ? &world.mechanism()->mechanism() : nullptr;
  for (std::size_t q = 0; q < table().size(); ++q) {
    const QuantityInfo& info = table()[q].info;
    const bool of_mechanism =
        info.scope == Scope::mechanism && mechanism != nullptr && mechanism->shown_bodies() > 0;
    if (has_total(world, info) || of_mechanism)
      out.push_back({{info.stem, {}}, static_cast<int>(q), kOfAll, {}});
    if (info.scope == Scope::link || info.scope == Scope::chain || info.scope == Scope::chain_end)
      add_chains(world, q, out);
    const bool of_lagrangian = info.scope == Scope::coordinate || info.scope == Scope::multiplier;
    if (of_lagrangian && world.lagrangian() != nullptr) add_lagrangian(*world.lagrangian(), q, out);
    if (world.equations() != nullptr) add_equations(*world.equations(), q, out);
    if (mechanism == nullptr) continue;
    if (info.scope == Scope::body || info.of_bodies) add_bodies(*mechanism, q, out);
    if (info.scope == Scope::joint) add_joints(*mechanism, q, out);
  }
  return out;
}

// Names may be chosen so that two columns are called alike: "angle_a_dot" is the rate of joint a and the
// angle of joint a_dot.
class ColumnNames {
 public:
  explicit ColumnNames(const World& world) : world_(world) {}

  void take(const Candidate& of) {
    if (of.chain >= 0 && !of.stem.labels.empty()) {
      if (!numbered_.emplace(of.stem.name, &of).second) refuse(of.stem.name + "_1", of, 0);
      return;
    }
    if (of.stem.labels.empty()) return add(of.stem.name, of, 0);
    for (std::size_t k = 0; k < of.stem.labels.size(); ++k)
      add(of.stem.name + "_" + of.stem.labels[k], of, k);
  }

  // Columns of links have numbers behind their stems.
  void compare_with_links() const {
    for (const auto& [name, owner] : named_) {
      const std::size_t end = name.rfind('_');
      const auto found = end == std::string::npos ? numbered_.end() : numbered_.find(name.substr(0, end));
      if (found == numbered_.end()) continue;
      if (found->second->stem.labels.contains(name.substr(end + 1))) refuse(name, *owner.first, owner.second);
    }
  }

 private:
  void add(const std::string& name, const Candidate& of, std::size_t k) {
    if (!named_.emplace(name, std::pair{&of, k}).second) refuse(name, of, k);
  }

  [[noreturn]] void refuse(const std::string& name, const Candidate& of, std::size_t k) const {
    throw InputError(
        place(of, k),
        fmt::format("two columns would be called '{}'; choose another name for what is behind it", name));
  }

  Place place(const Candidate& of, std::size_t k) const {
    const auto which = of.which.empty() ? 0 : static_cast<std::size_t>(of.which[k]);
    if (of.chain == kOfFormulas && world_.equations() != nullptr) {
      const Equations& given = world_.equations()->given();
      const bool is_state = table()[static_cast<std::size_t>(of.quantity)].info.scope == Scope::state;
      return is_state ? given.states[which].rate.place : given.invariants[which].formula.place;
    }
    if (of.chain != kOfBodies && of.chain != kOfJoints) return {};
    const Mechanism& mechanism = world_.mechanism()->mechanism();
    return of.chain == kOfBodies ? mechanism.bodies[which].place : mechanism.joints[which].place;
  }

  const World& world_;
  std::unordered_map<std::string, std::pair<const Candidate*, std::size_t>> named_;
  std::unordered_map<std::string, const Candidate*> numbered_;
};

void refuse_same_columns(const World& world, const std::vector<Candidate>& all) {
  ColumnNames names(world);
  for (const Candidate& one : all) names.take(one);
  names.compare_with_links();
}

// What the words ask for: whole quantities by group or stem, or single columns.
class Wanted {
 public:
  Wanted(const std::vector<Candidate>& all, const std::vector<std::string>& asked) {
    std::vector<Mistake> mistakes;
    for (const std::string& word : asked) {
      if (word == "all" || word == "t") {
        everything_ = everything_ || word == "all";
        continue;
      }
      if (!take(all, word)) {
        Mistake mistake;
        mistake.place.source = "--quantities";
        mistake.message = fmt::format("unknown quantity '{}'{}", word, remedy(all, word));
        mistakes.push_back(std::move(mistake));
      }
    }
    if (asked.empty()) everything_ = true;
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
  }

  // Labels of the candidate that are wanted; false: nothing of it is.
  bool select(std::size_t candidate, const Candidate& of, bool more_digits, std::vector<int>& links) const {
    const Stem& stem = of.stem;
    links.clear();
    const bool usual = more_digits || table()[of.quantity].info.group != kDigits;
    const bool whole = (everything_ && usual) || whole_.count(candidate) > 0;
    for (std::size_t k = 0; k < stem.labels.size(); ++k) {
      if (whole || columns_.count(stem.name + "_" + stem.labels[k]) > 0) links.push_back(static_cast<int>(k));
    }
    return whole || !links.empty();
  }

 private:
  bool take(const std::vector<Candidate>& all, const std::string& word) {
    // A single column of this name (the total `energy`) comes before the stem of the same name (`energy_1`
    // ..).
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].stem.labels.empty() && all[i].stem.name == word) return whole_.insert(i), true;
    }
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const QuantityInfo& info = table()[all[i].quantity].info;
      const std::string plural = word + "s";  // "energies" and "reactions" are also known as one of them
      if (info.group == word || info.group == plural || info.stem == word || all[i].stem.name == word) {
        whole_.insert(i);
        found = true;
      }
      const std::string prefix = all[i].stem.name + "_";
      if (word.rfind(prefix, 0) != 0) continue;
      if (all[i].stem.labels.contains(word.substr(prefix.size()))) return columns_.insert(word), true;
    }
    return found;
  }

  static std::string remedy(const std::vector<Candidate>& all, const std::string& word) {
    std::set<std::string> known{"all"};
    for (const Candidate& candidate : all) {
      known.insert(table()[candidate.quantity].info.group);
      known.insert(candidate.stem.name);
      if (!candidate.stem.labels.empty())
        known.insert(candidate.stem.name + "_" + candidate.stem.labels.back());
    }
    const std::string near = did_you_mean(word, {known.begin(), known.end()});
    return near.empty() ? ": `catena list quantities` shows them all" : near;
  }

  bool everything_ = false;
  std::set<std::size_t> whole_;
  std::set<std::string> columns_;
};

}  // namespace

std::vector<QuantityInfo> quantities() {
  std::vector<QuantityInfo> out;
  for (const Quantity& quantity : table()) out.push_back(quantity.info);
  return out;
}

Columns::Columns(const World& world, const std::vector<std::string>& asked) : stems_{{"t", {}}} {
  std::vector<Candidate> all = candidates(world);
  refuse_same_columns(world, all);
  const Wanted wanted(all, asked);
  std::vector<int> links;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!wanted.select(i, all[i], world.has_more_digits(), links)) continue;
    Stem stem{all[i].stem.name, {}};
    const bool whole = links.size() == all[i].stem.labels.size();
    if (whole) {
      stem.labels = std::move(all[i].stem.labels);
    } else {
      for (const int k : links) stem.labels.push_back(all[i].stem.labels[static_cast<std::size_t>(k)]);
    }
    width_ += std::max<std::size_t>(1, links.size());
    const std::string& group = table()[all[i].quantity].info.group;
    needs_reactions_ = needs_reactions_ || group == "reactions";
    needs_digits_ = needs_digits_ || group == kDigits;
    Source source{all[i].quantity, all[i].chain, links.size(), {}};
    if (!whole || !all[i].which.empty()) source.links = links;
    if (!all[i].which.empty() && links.empty()) source.links = all[i].which;  // a single column
    for (int& k : source.links) {
      if (!all[i].which.empty() && !links.empty()) k = all[i].which[k];
    }
    sources_.push_back(std::move(source));
    // Links and bodies share a stem: x_1, x_2, x_crank.
    Stem& last = stems_.back();
    if (last.name == stem.name && !last.labels.empty() && !stem.labels.empty()) {
      last.labels.append(stem.labels);
    } else {
      stems_.push_back(std::move(stem));
    }
  }
}

void Columns::write(double t, const RowParts& parts, double* row) const {
  *row++ = t;
  const Quantity* const quantities = table().data();
  for (const Source& source : sources_) {
    const Quantity& quantity = quantities[source.quantity];
    if (source.chain >= 0) {
      const ChainFrame& chain = parts.chains[static_cast<std::size_t>(source.chain)];
      if (quantity.of_chain) {
        *row++ = quantity.of_chain(chain);
      } else if (source.links.empty()) {  // of all of them there is no list
        for (std::size_t k = 0; k < source.count; ++k) *row++ = quantity.of_link(chain, k);
      } else {
        for (const int k : source.links) *row++ = quantity.of_link(chain, static_cast<std::size_t>(k));
      }
    } else if (source.chain == kOfAll) {
      *row++ = quantity.of_all(parts);
    } else {
      const int* const list = source.links.empty() ? nullptr : source.links.data();
      const std::size_t count = list != nullptr ? source.links.size() : source.count;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = list != nullptr ? static_cast<std::size_t>(list[i]) : i;
        *row++ = source.chain == kOfFormulas ? (parts.formulas->*quantity.of_coordinate)[k]
                                             : quantity.of_body(*parts.bodies, k);
      }
    }
  }
}

}  // namespace catena
