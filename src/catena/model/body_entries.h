// What [[bodies]] and [[joints]] say, before shapes become inertias and names become bodies.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/entries.h"

namespace catena {

// w, x, y, z; or { axis, angle }; or { euler_xyz = [a, b, c] }: turned about x, then the new y, then the new
// z.
struct WrittenOrientation {
  Quaternion quaternion{1.0, 0.0, 0.0, 0.0};
  Quaternion rest{};  // what these doubles cannot hold of it
};

// Three principal moments, or a matrix.
struct WrittenTensor {
  Matrix3 matrix{};
};

// Two vectors, one for each body of a joint.
using VectorPair = EndPoints;

using Numbers = std::vector<double>;
using Triples = std::vector<Vec3>;

// { torque | force | angle | travel = "formula", parameters = { .. } }
struct WrittenMotor {
  std::string drives;  // which of the four; empty: none
  Formula formula;
  Parameters parameters;
};

// A part of a compound body, or a body's own shape.
struct ShapeEntry {
  std::string shape = "box";
  Numbers size;
  std::optional<double> radius;
  std::optional<double> length;
  std::string file;
  Triples vertices;
  Triples triangles;
  double scale = 1.0;
  std::optional<double> mass;
  std::optional<double> density;
};

struct PartEntry : ShapeEntry {
  Vec3 position{};
  WrittenOrientation orientation;
};

struct BodyEntry : ShapeEntry {
  std::string name;
  std::optional<WrittenTensor> inertia;
  Vec3 position{};
  WrittenOrientation orientation;
  Vec3 velocity{};
  Vec3 angular_velocity{};
  bool fixed = false;
  double charge = 0.0;
  Vec3 moment{};
  double susceptibility = 0.0;
  std::optional<double> volume;
  double drag_area = 0.0;
};

struct JointEntry {
  std::string name;
  std::string kind;
  std::vector<std::string> bodies;
  std::optional<Vec3> point;
  std::optional<Vec3> axis;
  std::optional<Vec3> axis2;
  std::optional<VectorPair> anchors;
  std::optional<VectorPair> axes;
  std::optional<VectorPair> points;
  std::vector<std::string> joints;
  std::optional<double> value;  // by the key that its kind has for it
  Formulas curve{};             // likewise
  std::optional<WrittenAngle> angle;
  std::optional<double> travel;
  std::optional<double> rate;
  double damping = 0.0;
  double friction = 0.0;
  double friction_rate = kFrictionRate;
  double stiffness = 0.0;
  double rest = 0.0;
  Numbers limits;
  double limit_stiffness = 1000.0;
  double limit_damping = 0.0;
  WrittenMotor motor;
};

}  // namespace catena
