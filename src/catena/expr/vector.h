// Three expressions as a vector, so that laws read like their equations:  q (E + cross(v, B)).
#pragma once

#include "catena/expr/expression.h"

namespace catena::expr {

struct Vector {
  Expression x, y, z;
};

inline Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator-(const Vector& a) { return {-a.x, -a.y, -a.z}; }
inline Vector operator*(const Expression& s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vector operator*(double s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vector operator/(const Vector& a, const Expression& s) { return {a.x / s, a.y / s, a.z / s}; }
inline Expression dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Expression norm(const Vector& a) { return norm(a.x, a.y, a.z); }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Vector constant(Graph& graph, double x, double y, double z) {
  return {constant(graph, x), constant(graph, y), constant(graph, z)};
}
inline Vector variables(Graph& graph, std::uint32_t first) {
  return {variable(graph, first), variable(graph, first + 1), variable(graph, first + 2)};
}

}  // namespace catena::expr
