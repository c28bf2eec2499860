// What the entries of a scene say, before repeats are expanded and angles become directions. Simulation
// (scene.h) is its own entry.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

constexpr int kMostLinks = 1'000'000;  // of a scene, after repeats
constexpr int kMostDenseLinks = 1000;  // of a chain whose formulation has dense matrices

// Below about this rate, rad/s or m/s, friction fades where a scene says nothing: in chains and in joints.
constexpr double kFrictionRate = 0.01;

enum class AngleUnit { radians, degrees, half_turns };

// An angle as it was written: kept with its unit, so that adding steps to it stays exact in that unit.
struct WrittenAngle {
  double value = 0.0;
  AngleUnit unit = AngleUnit::radians;
  double rest = 0.0;       // a sum of steps: what the double cannot hold of it
  bool is_summed = false;  // otherwise the decimal that was written is meant: math/decimal.h
};

Angle angle_of(const WrittenAngle& written);

// Direction and rate of a link that is written with them: a unit vector, and what of the rate turns it.
void set_direction(Link& link, const Vec3& direction, const Vec3& rate);

// start + count * step, rounded once when both have the same unit.
WrittenAngle stepped(const WrittenAngle& start, int count, const WrittenAngle& step);

// A number: along the link. Three: fixed in space.
struct WrittenMoment {
  double along = 0.0;
  Vec3 fixed{};
};

// Where a chain hangs: three numbers or formulas of t, or a body's name.
struct WrittenPivot {
  Vec3 start{0.0, 0.0, 0.0};
  Formulas motion{};  // given: it moves
  std::string body{};
};

// What holds a chain's end: a body's name, or a point that rests.
struct WrittenHold {
  std::string body{};
  Vec3 point{};
};

// A number, or "rod": m L^2 / 12.
struct WrittenInertia {
  double value = 0.0;
  bool rod = false;
};

struct LinkEntry {
  double length = 0.0;
  double mass = 0.0;
  WrittenAngle theta;
  WrittenAngle phi;
  WrittenAngle theta_dot;  // per second
  WrittenAngle phi_dot;
  std::optional<Vec3> direction;
  std::optional<Vec3> rate;
  std::optional<double> center_of_mass;
  WrittenInertia inertia;
  std::optional<int> parent;  // counts links from 1; 0: the pivot
  int repeat = 1;
  WrittenAngle theta_step;
  WrittenAngle phi_step;
  std::optional<double> stiffness;
  double stretch = 0.0;
  double stretch_dot = 0.0;
  double axial_damping = 0.0;
  std::optional<Vec3> hinge;
  Vec3 damping{};
  double friction = 0.0;
  double friction_rate = kFrictionRate;
  double joint_stiffness = 0.0;
  std::string joint_stiffness_law = "sine";
  double charge = 0.0;
  WrittenMoment moment;
  double susceptibility = 0.0;
  double volume = 0.0;
  double drag_area = 0.0;
};

struct ChainEntry {
  std::string name;
  std::string kind = "rigid";
  std::string formulation;  // empty: chosen automatically
  WrittenPivot pivot;
  Vec3 pivot_point{};
  std::optional<WrittenHold> end;
  Vec3 end_point{};
  double velocity_damping = 0.0;
  bool slack = false;
  std::string plane = "auto";
};

// Names with their start values, or rates at the start.
struct WrittenStarts {
  std::vector<std::pair<std::string, WrittenAngle>> values;
};

// Names with formulas.
struct WrittenFormulas {
  std::vector<std::pair<std::string, Formula>> values;
};

// [lagrangian] as written.
struct LagrangianEntry {
  WrittenStarts coordinates;
  WrittenStarts rates;
  Parameters parameters;
  Formula lagrangian;
  Formula kinetic;
  Formula potential;
  std::vector<std::string> constraints;
  Formula dissipation;
  WrittenFormulas forces;
  std::vector<std::string> independent;
  double newton_tolerance = 1e-11;
};

// [equations] as written.
struct EquationsEntry {
  WrittenStarts states;
  Parameters parameters;
  WrittenFormulas dot;
  WrittenFormulas invariants;
};

// [method]: a Runge-Kutta table as written.
struct MethodEntry {
  std::vector<std::vector<double>> a;
  std::vector<double> b;
  std::vector<double> b_hat;
  std::vector<double> c;
};

// The link that an entry stands for, the `index`-th (from 0) of its repeats; all but its parent.
Link link_of(const LinkEntry& entry, int index);

}  // namespace catena
