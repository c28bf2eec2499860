// Rigid bodies and the joints between them, as plain structs in SI units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/expr/parameters.h"
#include "catena/model/vectors.h"

namespace catena {

using Quaternion = std::array<double, 4>;  // w, x, y, z
using Matrix3 = std::array<Vec3, 3>;       // rows

constexpr int kGround = -1;  // the fixed world, as a body of joints

struct Mesh {
  std::vector<Vec3> points;
  std::vector<std::array<std::size_t, 3>> triangles;  // counterclockwise seen from outside
};

// What a body looks like, or a part of it: placed in the body's frame, whose origin is the centre of mass.
// Its own origin is its centre, but a cone's is its base and a mesh's is where its points say.
struct DrawnShape {
  std::string shape;
  Vec3 size{};  // extents along its own x, y and z; none for a mesh
  Vec3 position{};
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};  // shape to body
  Mesh mesh{};
};

struct Body {
  std::string name;
  double mass = 0.0;
  Matrix3 inertia{};   // about the centre of mass, in the body's frame
  bool point = false;  // a mass without extent: three degrees of freedom, no orientation
  bool fixed = false;
  bool link = false;  // of a chain, along its own x: nothing turns it about that, and it has no spin there
  Vec3 position{};    // of the centre of mass, world
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};  // body to world
  Vec3 velocity{};                             // of the centre of mass, world
  Vec3 angular_velocity{};                     // world
  bool velocity_given = false;                 // in the scene: assembly keeps it before what was left out
  bool angular_velocity_given = false;
  // What force laws need to know.
  double charge = 0.0;          // C
  Vec3 moment{};                // A m^2, in the body's frame
  double susceptibility = 0.0;  // of the volume
  double volume = 0.0;          // m^3
  double drag_area = 0.0;       // m^2
  std::string shape;            // for drawing, with its extents
  Vec3 size{};
  std::vector<DrawnShape> shapes;  // none: known by mass and inertia alone
  Place place{};                   // in the scene's text
  Vec3 volume_center{};            // where buoyancy acts, in the body's frame
  // What the doubles above cannot hold of what was written: for runs with more digits.
  double mass_rest = 0.0;
  double volume_rest = 0.0;
  Vec3 volume_center_rest{};
  Matrix3 inertia_rest{};
  Vec3 position_rest{};
  Quaternion orientation_rest{};
  Vec3 velocity_rest{}, angular_velocity_rest{};
};

// Defined with a row for each in joint_kinds.h.
enum class JointKind : std::uint8_t;

// What a joint leaves free, if that is one number.
enum class Coordinate { none, angle, travel };

// A point and three unit vectors, right-handed, fixed in a body and given in its frame. z is the joint's
// axis.
struct JointFrame {
  Vec3 point{};
  Vec3 x{1.0, 0.0, 0.0};
  Vec3 y{0.0, 1.0, 0.0};
  Vec3 z{0.0, 0.0, 1.0};
  // What these doubles cannot hold of what was written: for runs with more digits.
  Vec3 point_rest{}, x_rest{}, y_rest{}, z_rest{};
};

struct Joint {
  std::string name;
  JointKind kind{};
  int a = kGround;  // index of the first body
  int b = kGround;
  JointFrame in_a;
  JointFrame in_b;
  // What the row of its kind says (JointValue); of a universal joint the cosine of the angle between its
  // axes.
  double value = 0.0;
  double value_rest = 0.0;  // what this double cannot hold of it
  // Of ties: the joints whose coordinates they tie; these stand before.
  int first = -1;
  int second = -1;
  // Start values of the coordinate, where they are given: m or rad, and per second.
  std::optional<double> start;
  std::optional<double> start_rate;
  double start_rest = 0.0, start_rate_rest = 0.0;  // what these doubles cannot hold of them
  // Of kinds with a curve: three formulas of s, in the first body's frame of the joint; s at the start; and
  // the body whose x is s, which add_sliders makes.
  std::array<std::string, 3> curve{};
  double curve_start = 0.0;
  int slider = -1;
  Place place{};  // in the scene's text
};

// A force along a coordinate of a joint, or along the line between two points (its coordinate is their
// distance). All of its parts add up; in N for travel and distance, in N m for an angle.
struct JointForce {
  enum class Along { angle, travel, distance };
  std::string name;
  Along along = Along::distance;
  int joint = -1;  // whose coordinate; distance: none, between the frames' points
  int a = kGround;
  int b = kGround;
  JointFrame in_a;
  JointFrame in_b;
  double stiffness = 0.0;
  double rest = 0.0;
  double damping = 0.0;
  double friction = 0.0;        // of constant size against the motion
  double friction_rate = 1e-2;  // below about this rate w it fades: friction w / sqrt(w^2 + friction_rate^2)
  std::optional<std::array<double, 2>> limits;  // beyond them a spring pushes back
  double rest_rest = 0.0;                       // what doubles cannot hold of `rest`, and of the limits
  std::array<double, 2> limits_rest{};
  double limit_stiffness = 0.0;
  double limit_damping = 0.0;   // acts beyond the limits only
  std::string drive;            // a formula of t and joint coordinates, or empty
  expr::Parameters parameters;  // of the formula
};

// A motion that a joint's coordinate is made to follow: a formula of t.
struct JointMotor {
  int joint = -1;
  std::string motion;
  expr::Parameters parameters;
  std::optional<double> piece = std::nullopt;  // of a motion with kinks: the one that holds at this time
};

struct Mechanism {
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<JointForce> forces;
  std::vector<JointMotor> motors;
  // The last of the bodies and joints may stand for links of chains, which are seen as links, and for
  // sliders, which are not seen.
  std::size_t hidden_bodies = 0;
  std::size_t hidden_joints = 0;

  // Long where they are made anew, so they are defined once.
  Mechanism();
  Mechanism(const Mechanism& other);
  Mechanism(Mechanism&& other) noexcept;
  Mechanism& operator=(const Mechanism& other);
  Mechanism& operator=(Mechanism&& other) noexcept;
  ~Mechanism();

  std::size_t shown_bodies() const { return bodies.size() - hidden_bodies; }
  std::size_t shown_joints() const { return joints.size() - hidden_joints; }
};

// A joint with a curve has an unknown besides its bodies' places: s, where on the curve it is. It is the x of
// a point without mass that keeps to the world's x axis: a slider, which this gives to every joint that needs
// one.
void add_sliders(Mechanism& mechanism);

// "angle_elbow" or "travel_rail".
std::string coordinate_name(const Joint& joint);

// Names that the formula of a drive may use: t; q and rate of the joint itself; and the coordinates of all
// joints with their rates, "angle_elbow", "travel_rail_dot".
constexpr std::size_t kOwnDriveNames = 3;
std::vector<std::string> drive_names(const Mechanism& mechanism);

}  // namespace catena
