#include "catena/model/force_laws.h"

#include <algorithm>
#include <utility>

#include "catena/expr/derivative.h"
#include "catena/expr/parse.h"
#include "catena/expr/substitute.h"
#include "catena/model/constants.h"

namespace catena {
namespace {

using expr::Expression;
using expr::Vector;

constexpr double kDipoleConstant = kMagneticConstant / (4 * 3.14159265358979323846);

Vector point(const MassLaw& law, const std::array<double, 3>& at) {
  return constant(law.graph, at[0], at[1], at[2]);
}

std::string force_or_potential(const ForceEntry& entry) {
  if ((given(entry.force) || given(entry.torque)) != !entry.potential.empty()) return "";
  return "give either force and torque, three formulas each, or potential, one formula";
}

std::string field_or_potential(const ForceEntry& entry) {
  if (given(entry.field) != !entry.potential.empty()) return "";
  return "give either field, three formulas, or potential, one formula";
}

std::string both_ends(const ForceEntry& entry) {
  const auto& [a, b] = entry.ends;
  if (a.name.empty() && b.name.empty())
    return "between needs at least one link or body; two points do not move";
  return a.name == b.name ? "between names the same link or body twice" : "";
}

std::string some_drag(const ForceEntry& entry) {
  return entry.linear == 0.0 && entry.coefficient * entry.density == 0.0
             ? "linear, coefficient or density: one way of drag must not be zero"
             : "";
}

void act_by_formula(const ForceEntry& entry, MassLaw& law) {
  if (!entry.potential.empty()) return law.add_potential(law.formula(entry.potential, entry.parameters));
  if (given(entry.force)) {
    const Vector force = law.formulas(entry.force, entry.parameters);
    law.add_force(force, law.zero(), dot(force, law.v));
  }
  if (given(entry.torque)) law.add_torque(law.formulas(entry.torque, entry.parameters));
}

// -c s - (rho C A / 2) |s| s, with s the velocity relative to the medium.
void act_by_drag(const ForceEntry& entry, MassLaw& law) {
  const Vector slip = law.v - law.wind;
  const Expression area = entry.area ? constant(law.graph, *entry.area) : law.area;
  const Expression half_density = 0.5 * constant(law.graph, entry.density);
  const Expression per_speed = entry.linear + half_density * entry.coefficient * area * norm(slip);
  const Vector force = -(per_speed * slip);
  law.add_force(force, -dot(force, slip), dot(force, law.wind));
}

void surround_by_wind(const ForceEntry& entry, MassLaw& law) {
  Vector velocity = law.formulas(entry.velocity, entry.parameters);
  if (entry.height > 0.0) {
    const Expression above = max(law.x.z - entry.ground, law.zero());
    velocity = pow(above / entry.height, entry.exponent) * velocity;
  }
  law.wind = law.wind + velocity;
}

void act_by_buoyancy(const ForceEntry& entry, MassLaw& law) {
  const Expression volume = entry.volume ? constant(law.graph, *entry.volume) : law.volume;
  law.add_potential(entry.density * (volume * dot(law.gravity, law.x)));
}

void act_by_damping(const ForceEntry& entry, MassLaw& law) {
  const Vector force = -entry.rate * (law.m * law.v);
  law.add_force(force, -dot(force, law.v), law.zero());
}

void act_by_gravity(const ForceEntry& entry, MassLaw& law) {
  if (!entry.potential.empty())
    return law.add_potential(law.m * law.formula(entry.potential, entry.parameters));
  const Vector force = law.m * law.formulas(entry.field, entry.parameters);
  law.add_force(force, law.zero(), dot(force, law.v));
}

void act_by_point_mass(const ForceEntry& entry, MassLaw& law) {
  const Vector d = law.x - point(law, entry.position);
  law.add_potential(-entry.strength * (law.m * pow(dot(d, d), -0.5)));
}

void surround_by_electric(const ForceEntry& entry, MassLaw& law) {
  if (entry.potential.empty()) {
    law.electric = law.electric + law.formulas(entry.field, entry.parameters);
  } else {
    law.electric_potential = law.electric_potential + law.formula(entry.potential, entry.parameters);
  }
}

void surround_by_magnetic(const ForceEntry& entry, MassLaw& law) {
  law.magnetic = law.magnetic + law.formulas(entry.field, entry.parameters);
}

void surround_by_point_charge(const ForceEntry& entry, MassLaw& law) {
  const Vector d = law.x - point(law, entry.position);
  law.electric_potential =
      law.electric_potential + constant(law.graph, entry.constant) * entry.charge * pow(dot(d, d), -0.5);
}

void surround_by_magnet(const ForceEntry& entry, MassLaw& law) {
  law.magnetic = law.magnetic + dipole_field(point(law, entry.moment), law.x - point(law, entry.position));
}

}  // namespace

MassLaw::MassLaw(expr::Graph& g, const std::array<double, 3>& uniform)
    : graph(g),
      t(variable(g, kLawTime)),
      m(variable(g, kLawMass)),
      q(variable(g, kLawCharge)),
      number(variable(g, kLawNumber)),
      area(variable(g, kLawArea)),
      volume(variable(g, kLawVolume)),
      susceptibility(variable(g, kLawSusceptibility)),
      x(expr::variables(g, kLawPosition)),
      v(expr::variables(g, kLawVelocity)),
      moment(expr::variables(g, kLawMoment) +
             variable(g, kLawMomentAlong) * expr::variables(g, kLawDirection)),
      rotation(expr::variables(g, kLawRotation)),
      gravity(constant(g, uniform[0], uniform[1], uniform[2])),
      wind(constant(g, 0, 0, 0)),
      electric(wind),
      magnetic(wind),
      electric_potential(constant(g, 0.0)),
      force(wind),
      torque(wind),
      dissipated(electric_potential),
      work(electric_potential),
      potential(electric_potential) {}

Expression MassLaw::formula(const std::string& text, const Parameters& parameters) const {
  const std::pair<const char*, Expression> meanings[] = {
      {"t", t},           {"x", x.x},         {"y", x.y},         {"z", x.z},         {"vx", v.x},
      {"vy", v.y},        {"vz", v.z},        {"m", m},           {"q", q},           {"i", number},
      {"wx", rotation.x}, {"wy", rotation.y}, {"wz", rotation.z}, {"speed", norm(v)},
  };
  expr::Graph own;
  own.keep_decimals(graph.keeps_decimals());
  expr::Names names{{}, parameters};
  std::vector<expr::NodeId> images;
  for (const auto& [name, meaning] : meanings) {
    names.variables.emplace_back(name);
    images.push_back(meaning.node);
  }
  const expr::Parsed parsed = expr::parse(own, text, names);
  return {&graph, expr::substitute(own, {parsed.node}, graph, images)[0]};
}

Vector MassLaw::formulas(const Formulas& texts, const Parameters& parameters) const {
  return {formula(texts[0], parameters), formula(texts[1], parameters), formula(texts[2], parameters)};
}

void MassLaw::add_force(const Vector& added, const Expression& dissipated_rate, const Expression& work_rate) {
  force = force + added;
  dissipated = dissipated + dissipated_rate;
  work = work + work_rate;
}

void MassLaw::add_torque(const Vector& added) {
  torque = torque + added;
  work = work + dot(added, rotation);
}

Vector MassLaw::gradient(const Expression& of, std::uint32_t first) const {
  const auto by = [&](std::uint32_t i) {
    return Expression{&graph, expr::derivative(graph, of.node, first + i)};
  };
  return {by(0), by(1), by(2)};
}

void MassLaw::add_potential(const Expression& energy) {
  potential = potential + energy;
  force = force - gradient(energy, kLawPosition);
  torque = torque - cross(expr::variables(graph, kLawDirection), gradient(energy, kLawDirection));
  work = work + Expression{&graph, expr::derivative(graph, energy.node, kLawTime)};
}

void add_laws(const std::vector<const ForceEntry*>& entries, MassLaw& law) {
  for (const ForceEntry* entry : entries) {
    const ForceLaw& kind = *find_force_law(entry->kind);
    if (kind.surround != nullptr) kind.surround(*entry, law);
  }
  for (const ForceEntry* entry : entries) {
    const ForceLaw& kind = *find_force_law(entry->kind);
    if (kind.act != nullptr) kind.act(*entry, law);
  }
}

void respond_to_fields(MassLaw& law) {
  law.add_potential(law.q * law.electric_potential);
  const Vector pull = law.q * law.electric;
  law.add_force(pull, law.zero(), dot(pull, law.v));
  law.add_force(law.q * cross(law.v, law.magnetic), law.zero(), law.zero());
  law.add_potential(magnetic_energy(law.moment, law.susceptibility, law.volume, law.magnetic));
}

bool ForceLaw::has(const std::string& field) const {
  return field == "kind" || std::find(fields.begin(), fields.end(), field) != fields.end();
}

bool ForceLaw::needs(const std::string& field) const {
  return field == "kind" || std::find(required.begin(), required.end(), field) != required.end();
}

const std::vector<ForceLaw>& force_laws() {
  static const std::vector<ForceLaw> laws{
      {.kind = "formula",
       .summary = "a force and a torque, or a potential energy, written as formulas",
       .equation = "F = force, T = torque, or F = -grad potential",
       .fields = {"force", "torque", "potential", "parameters", "on", "point"},
       .required = {},
       .complaint = force_or_potential,
       .act = act_by_formula},
      {.kind = "drag",
       .summary = "resistance of the medium to motion through it, linear and quadratic in speed",
       .equation = "F = -linear s - (density coefficient area / 2) |s| s, s = v - wind",
       .fields = {"linear", "coefficient", "density", "area", "on", "point"},
       .required = {},
       .acts_through = {kLawArea},
       .complaint = some_drag,
       .act = act_by_drag},
      {.kind = "wind",
       .summary = "velocity of the medium, which drag acts against; several add up",
       .equation = "wind = velocity ((z - ground)/height)^exponent",
       .fields = {"velocity", "height", "ground", "exponent", "parameters", "on"},
       .required = {"velocity"},
       .surround = surround_by_wind},
      {.kind = "buoyancy",
       .summary = "weight of the medium that a mass displaces",
       .equation = "F = -density volume gravity",
       .fields = {"density", "volume", "on", "point"},
       .required = {},
       .acts_through = {kLawVolume},
       .act = act_by_buoyancy},
      {.kind = "velocity-damping",
       .summary = "takes the same share of every velocity away; at a point of a body, a force there alone",
       .equation = "F = -rate m v, and T = -rate I omega",
       .fields = {"rate", "on", "point"},
       .required = {"rate"},
       .act = act_by_damping},
      {.kind = "gravity",
       .summary = "gravity that depends on place and time, beside the uniform one",
       .equation = "F = m field, or F = -m grad potential",
       .fields = {"field", "potential", "parameters", "on", "point"},
       .required = {},
       .acts_through = {kLawMass},
       .complaint = field_or_potential,
       .act = act_by_gravity},
      {.kind = "point-mass",
       .summary = "attraction by a heavy point",
       .equation = "F = -strength m d / |d|^3, d = x - position",
       .fields = {"strength", "position", "on", "point"},
       .required = {"strength", "position"},
       .acts_through = {kLawMass},
       .act = act_by_point_mass,
       .has_pole = true},
      {.kind = "electric",
       .summary = "electric field, acts on charges",
       .equation = "F = q field, or F = -q grad potential",
       .fields = {"field", "potential", "parameters", "on", "point"},
       .required = {},
       .acts_through = {kLawCharge},
       .complaint = field_or_potential,
       .surround = surround_by_electric},
      {.kind = "magnetic",
       .summary = "magnetic field, acts on moving charges, on moments and on what it magnetises",
       .equation = "F = q v x B + grad(moment . B + susceptibility volume |B|^2 / (2 mu0))",
       .fields = {"field", "parameters", "on", "point"},
       .required = {"field"},
       .acts_through = {kLawCharge, kLawMoment, kLawSusceptibility},
       .surround = surround_by_magnetic},
      {.kind = "point-charge",
       .summary = "electric field of a fixed charge",
       .equation = "E = constant charge d / |d|^3, d = x - position",
       .fields = {"charge", "position", "constant", "on", "point"},
       .required = {"charge", "position"},
       .acts_through = {kLawCharge},
       .surround = surround_by_point_charge,
       .has_pole = true},
      {.kind = "magnet",
       .summary = "magnetic field of a fixed dipole",
       .equation = "B = mu0/(4 pi) (3 (moment . d) d / |d|^5 - moment / |d|^3), d = x - position",
       .fields = {"moment", "position", "on", "point"},
       .required = {"moment", "position"},
       .acts_through = {kLawCharge, kLawMoment, kLawSusceptibility},
       .surround = surround_by_magnet,
       .has_pole = true},
      {.kind = "coulomb",
       .summary = "forces between all charges of links and bodies",
       .equation = "F_1 = constant q_1 q_2 d / |d|^3 = -F_2, d = x_1 - x_2",
       .fields = {"constant", "on", "point"},
       .required = {},
       .has_pole = true},
      {.kind = "dipoles",
       .summary =
           "forces between all magnetic moments of links and bodies, and on what their fields magnetise",
       .equation =
           "V = -sum over pairs of moment_1 . B_2(x_1) - sum of susceptibility volume |B|^2 / (2 mu0)",
       .fields = {"on", "point"},
       .required = {},
       .has_pole = true},
      {.kind = "spring",
       .summary = "spring and damper between two of links, points of bodies and points that rest",
       .equation = "F_1 = -(stiffness (|d| - length) + damping |d|') d/|d| = -F_2, d = x_1 - x_2",
       .fields = {"between", "points", "stiffness", "damping", "length"},
       .required = {"between"},
       .complaint = both_ends},
  };
  return laws;
}

const ForceLaw* find_force_law(const std::string& kind) {
  for (const ForceLaw& law : force_laws()) {
    if (law.kind == kind) return &law;
  }
  return nullptr;
}

std::vector<std::string> force_law_kinds() {
  std::vector<std::string> kinds;
  for (const ForceLaw& law : force_laws()) kinds.push_back(law.kind);
  return kinds;
}

Expression coulomb_energy(double constant, const Expression& charges, const Vector& d) {
  return constant * charges * pow(dot(d, d), -0.5);
}

Expression spring_energy(const Expression& stiffness, const Expression& length, const Vector& d) {
  return 0.5 * stiffness * pow(norm(d) - length, 2);
}

Vector dipole_field(const Vector& moment, const Vector& d) {
  const Expression square = dot(d, d);
  return kDipoleConstant * (3.0 * dot(moment, d) * pow(square, -2.5) * d - pow(square, -1.5) * moment);
}

Expression magnetic_energy(const Vector& moment, const Expression& susceptibility, const Expression& volume,
                           const Vector& field) {
  return -dot(moment, field) - susceptibility * volume / (2 * kMagneticConstant) * dot(field, field);
}

}  // namespace catena
