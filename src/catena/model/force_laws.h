// Every force law, described once: its kind, its fields, what it does in words and as an equation, and the
// equation itself as an expression. Values, series, energies, help, schema and `catena list forces` derive
// from here.
//
// Laws are of three sorts. Most act on one mass and see where it is and how it moves (MassLaw). Some of these
// only say what surrounds the masses: the velocity of the medium, the electric and the magnetic field. All
// sources add up, and then drag, charges and magnetic moments respond to the sum. Others act between two
// masses, or among all that have a magnetic moment.
#pragma once

#include <string>
#include <vector>

#include "catena/expr/vector.h"
#include "catena/model/forces.h"

namespace catena {

// The variables of a law's graph, in this order.
enum LawVariable : std::uint32_t {
  kLawTime,
  kLawPosition,                      // three: of the mass, in the world
  kLawVelocity = kLawPosition + 3,   // three
  kLawDirection = kLawVelocity + 3,  // three: the unit vector along its link, or along its body's moment
  kLawRotation = kLawDirection + 3,  // three: angular velocity of its link or body
  kLawMass = kLawRotation + 3,
  kLawCharge,
  kLawNumber,  // of the link or body, from 1
  kLawArea,
  kLawVolume,
  kLawSusceptibility,
  kLawMomentAlong,
  kLawMoment,  // three
  kLawVariables = kLawMoment + 3,
};

// What acts on one mass, as it is put together.
struct MassLaw {
  MassLaw(expr::Graph& graph, const std::array<double, 3>& gravity);

  expr::Graph& graph;
  expr::Expression t, m, q, number, area, volume, susceptibility;
  expr::Vector x, v, moment;  // moment: fixed and along the link
  expr::Vector rotation;
  expr::Vector gravity;  // the uniform one
  // Around the mass.
  expr::Vector wind, electric, magnetic;
  expr::Expression electric_potential;  // of the part of `electric` that has one
  // What follows.
  expr::Vector force, torque;
  expr::Expression dissipated, work;  // rates, W
  expr::Expression potential;         // J

  // A formula of the entry, its names replaced by what they stand for here.
  expr::Expression formula(const std::string& text, const Parameters& parameters) const;
  expr::Vector formulas(const Formulas& texts, const Parameters& parameters) const;

  void add_force(const expr::Vector& added, const expr::Expression& dissipated_rate,
                 const expr::Expression& work_rate);
  void add_torque(const expr::Vector& added);
  // Force and torque of a potential energy; where it changes by itself, that is work.
  void add_potential(const expr::Expression& energy);
  expr::Vector gradient(const expr::Expression& of, std::uint32_t first_variable) const;
  expr::Expression zero() const { return constant(graph, 0.0); }
};

// What the entries say together: first what surrounds the mass, then what acts on it there.
void add_laws(const std::vector<const ForceEntry*>& entries, MassLaw& law);

// Charges and moments answer to the fields once all sources are in.
void respond_to_fields(MassLaw& law);

struct ForceLaw {
  std::string kind;
  std::string summary;
  std::string equation;
  std::vector<std::string> fields;    // besides kind
  std::vector<std::string> required;  // of these
  std::vector<std::uint32_t> acts_through =
      {};  // of a mass, LawVariables: without any of them it feels nothing
  // What is wrong with the fields together, in words; "" if nothing.
  std::string (*complaint)(const ForceEntry&) = nullptr;
  // Adds what surrounds the masses, or what acts on them; null for laws between masses.
  void (*surround)(const ForceEntry&, MassLaw&) = nullptr;
  void (*act)(const ForceEntry&, MassLaw&) = nullptr;
  bool has_pole = false;  // grows without bound where two things meet: passing by, it may act within no time

  bool has(const std::string& field) const;
  bool needs(const std::string& field) const;
};

const std::vector<ForceLaw>& force_laws();
const ForceLaw* find_force_law(const std::string& kind);
std::vector<std::string> force_law_kinds();

// Laws between two masses at distance d = x_1 - x_2: the potential energy of each.
expr::Expression coulomb_energy(double constant, const expr::Expression& charges, const expr::Vector& d);
expr::Expression spring_energy(const expr::Expression& stiffness, const expr::Expression& length,
                               const expr::Vector& d);

// The field at d from a magnetic moment.
expr::Vector dipole_field(const expr::Vector& moment, const expr::Vector& d);
// The energy of a moment in a field, and of a body that the field magnetises.
expr::Expression magnetic_energy(const expr::Vector& moment, const expr::Expression& susceptibility,
                                 const expr::Expression& volume, const expr::Vector& field);

}  // namespace catena
