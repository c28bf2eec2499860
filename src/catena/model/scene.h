// What a scene says, as plain structs in SI units: the meeting point of everything that reads scenes
// and everything that simulates them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/model/equations.h"
#include "catena/model/forces.h"
#include "catena/model/formulations.h"
#include "catena/model/lagrangian.h"
#include "catena/model/mechanism.h"
#include "catena/model/vectors.h"

namespace catena {

// One link: from its upper joint to its end. How its start is given: by angles from straight down,
// u = (sin th cos ph, sin th sin ph, -cos th), or by a direction and its rate.
struct Link {
  double length = 0.0;
  double mass = 0.0;
  Angle theta;
  Angle phi;
  double theta_dot = 0.0;  // rad/s
  double phi_dot = 0.0;
  double theta_dot_rest = 0.0;  // what these doubles cannot hold of what was written
  double phi_dot_rest = 0.0;
  bool by_direction = false;               // direction and rate hold, not the angles
  Vec3 direction{0.0, 0.0, -1.0};          // unit vector
  Vec3 rate{0.0, 0.0, 0.0};                // its time derivative, 1/s, perpendicular to it
  Vec3 written_direction{0.0, 0.0, -1.0};  // both as they were given
  Vec3 written_rate{0.0, 0.0, 0.0};
  double center_of_mass = 1.0;  // 0..1 along the link from its upper joint
  double inertia = 0.0;         // transverse, about the centre of mass, kg m^2
  bool rod = false;             // the inertia is that of a rod, m L^2 / 12
  int parent = -1;              // index (from 0) of the link it hangs from; -1: the pivot
  double stiffness = 0.0;       // elastic chains: N/m along the link; the length is that at rest
  double stretch = 0.0;         // elastic chains, at the start: how much longer than at rest, m
  double stretch_dot = 0.0;     // its rate, m/s
  double axial_damping = 0.0;   // elastic chains: N s/m along the link
  // At the joint above the link.
  Vec3 written_hinge{};           // as it was written, of any length
  Vec3 hinge{};                   // unit vector, fixed in space: it turns about this alone; zero: freely
  Vec3 damping{};                 // N m s about the axes x, y, z
  double friction = 0.0;          // N m
  double friction_rate = 0.0;     // rad/s: where friction has reached 1/sqrt(2) of itself
  double joint_stiffness = 0.0;   // N m/rad towards straight on, or straight down at the pivot
  bool linear_stiffness = false;  // in proportion to the bend, not to its sine
  // What force laws need to know of the mass.
  double charge = 0.0;          // C
  Vec3 moment{};                // A m^2, fixed in space
  double moment_along = 0.0;    // A m^2, along the link
  double susceptibility = 0.0;  // of a body of the volume
  double volume = 0.0;          // m^3
  double drag_area = 0.0;       // m^2
};

// Start of a link, as the scene gives it: where it points, and the rate of that.
Vec3 start_direction(const Link& link);
Vec3 start_rate(const Link& link);

enum class ChainKind { rigid, elastic };

// What holds an end of a chain: a body at a point of it, or a point that rests.
struct Hold {
  int body = -1;  // index in the mechanism; -1: the point rests
  Vec3 point{};   // in the body's frame, or in the world
  Place place{};  // in the scene's text
};

struct Chain {
  std::string name;  // empty for the one and only chain
  ChainKind kind = ChainKind::rigid;
  Formulation formulation = Formulation::automatic;
  Place formulation_place;  // where the scene says so, for what only the motion can tell
  Vec3 pivot{0.0, 0.0, 0.0};
  Formulas pivot_motion{};  // of t; given: the pivot moves, and `pivot` is its place at t = 0
  // Of a pivot's motion with kinks: the piece that holds at this time.
  std::optional<double> pivot_piece = std::nullopt;
  std::optional<Hold> carrier;    // given: the pivot is on this body, and `pivot` is its place at t = 0
  std::optional<Hold> end;        // given: holds the end of the last link
  double velocity_damping = 0.0;  // 1/s: a force -m v times this on every mass
  bool slack = false;             // elastic: links pull and do not push
  bool plane_allowed = true;      // plane = "auto"; false: "none", always computed in space
  std::vector<Link> links;        // after `repeat`; parents stand before children

  // Solved as bodies and joints.
  bool as_bodies() const { return formulation == Formulation::multibody || carrier || end; }
};

// An explicit Runge-Kutta method of the user's own: [method] of a scene.
struct RungeKuttaTable {
  std::vector<std::vector<double>> a;  // row i has i entries
  std::vector<double> b;
  std::vector<double> b_hat;  // empty: no error estimate, so a fixed step
  std::vector<double> c;
  int order = 0;      // by the order conditions
  int hat_order = 0;  // of b_hat
};

// A method of the caller's own, for programs that have no name for it: one step as a function.
struct StepFunction {
  using Rhs = std::function<void(double t, const double* x, double* dx)>;
  std::string name;  // what summaries call it
  int order = 1;     // as the caller says; the dense output is one order better
  // The state of `dimension` numbers at t + h, into `end`, from x at t.
  std::function<void(const Rhs& rhs, std::size_t dimension, double t, const double* x, double h, double* end)>
      take;
};

// A formula of columns and t whose roots are events.
// A formula as it was written, with its place: what a message needs when it leaves the range of numbers.
struct WrittenFormula {
  std::string owner;  // "force 1", "joint 'elbow'", "chain", "lagrangian"
  std::string key;
  std::string text;
  std::vector<std::string> variables;
  Parameters parameters;
  Place place;
};

struct Event {
  std::string name;
  std::string when;
  std::string direction = "any";    // rising, falling, any
  int stop = 0;                     // ends the run at this one; 0: goes on
  double cooldown = 0.0;            // s: none within this time after one
  std::vector<std::string> record;  // columns at the event; empty: the angles, or the positions
  Place place;                      // of the formula in the scene
};

struct Simulation {
  double duration = 0.0;          // s
  double sample = 0.01;           // s between recorded rows
  Vec3 gravity{0.0, 0.0, -9.81};  // m/s^2
  std::string method = "taylor";
  std::optional<double> tolerance;           // none: the method's default
  std::optional<double> max_velocity_error;  // m/s per step; instead of tolerance, or besides
  std::optional<double> max_momentum_error;  // kg m/s
  std::optional<double> step;                // s
  std::optional<double> max_step;            // s; none: as long as the error allows
  std::optional<double> max_assembly_gap;    // m or rad: what joints may be apart in the drawing; none: any
  std::optional<int> order;                  // taylor only
  std::string precision = "double";
  std::optional<RungeKuttaTable> custom;         // for method = "custom"
  std::shared_ptr<const StepFunction> function;  // given: it steps, whatever `method` says
};

// Switches of the classic config.toml's [system.plot]: name -> one boolean per component.
struct PlotSwitch {
  std::string name;
  std::vector<bool> on;
};

struct Scene {
  std::string name;  // "double-pendulum"; names the default output file
  Simulation simulation;
  std::vector<Chain> chains;
  Mechanism mechanism;
  Lagrangian lagrangian;
  Equations equations;
  std::vector<ForceEntry> forces;
  std::vector<Event> events;
  std::vector<WrittenFormula> formulas;  // all that act, with their places
  std::vector<PlotSwitch> plot;          // classic config only
  std::string output;                    // default output file; classic config: "<filename>.h5"
  std::vector<Warning> warnings;         // what reading it found, in the order of places
  std::string json;                      // the scene as it was understood (overrides applied), compact JSON

  // Long where they are made anew, so they are defined once.
  Scene();
  Scene(const Scene& other);
  Scene(Scene&& other) noexcept;
  Scene& operator=(const Scene& other);
  Scene& operator=(Scene&& other) noexcept;
  ~Scene();

  // Whether it is a Lagrangian or equations, whose coordinates or states have no place in space.
  bool by_formulas() const { return !lagrangian.coordinates.empty() || !equations.states.empty(); }
  // Of these; none: it is not.
  std::vector<std::string> coordinate_names() const {
    std::vector<std::string> names;
    for (const LagrangianCoordinate& one : lagrangian.coordinates) names.push_back(one.name);
    for (const EquationState& one : equations.states) names.push_back(one.name);
    return names;
  }
};

}  // namespace catena
