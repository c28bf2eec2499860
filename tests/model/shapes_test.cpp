// Masses and inertias of shapes: closed forms against integration over meshes.
#include "catena/model/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/model/placement.h"

namespace catena::test {
namespace {

Mesh box_mesh(const Vec3& size, const Vec3& center) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.points.push_back({center[0] + (i & 1 ? 0.5 : -0.5) * size[0],
                           center[1] + (i & 2 ? 0.5 : -0.5) * size[1],
                           center[2] + (i & 4 ? 0.5 : -0.5) * size[2]});
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Rings of points on a surface of revolution about z, closed at both ends.
Mesh turned_mesh(const std::vector<std::pair<double, double>>& profile, int around) {
  Mesh mesh;
  for (const auto& [r, z] : profile) {
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      mesh.points.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  }
  const std::size_t n = static_cast<std::size_t>(around), rings = profile.size();
  for (std::size_t i = 0; i + 1 < rings; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t a = i * n + k, b = i * n + (k + 1) % n, c = a + n, d = b + n;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  for (std::size_t k = 1; k + 1 < n; ++k) {
    mesh.triangles.push_back({0, k + 1, k});
    const std::size_t top = (rings - 1) * n;
    mesh.triangles.push_back({top, top + k, top + k + 1});
  }
  return mesh;
}

void expect_near(const MassProperties& a, const MassProperties& b, double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a.inertia[i][j], b.inertia[i][j], relative * (b.inertia[0][0] + b.inertia[2][2])) << i << j;
    }
  }
}

TEST(Shapes, MeshOfABoxIsExactAlsoFarAway) {
  const Vec3 size{1, 2, 3};
  const MassProperties far = solid(box_mesh(size, {100, -50, 20}));
  expect_near(far, solid("box", size), 1e-13);
  EXPECT_NEAR(far.center[0], 100, 1e-12);
  EXPECT_NEAR(far.center[1], -50, 1e-12);
}

// Polygons of many sides approach the circle with the square of the number of sides.
TEST(Shapes, RoundShapesAreTheLimitOfMeshes) {
  const int around = 400;
  const double tolerance = 2e-4;
  expect_near(solid(turned_mesh({{0.5, -1}, {0.5, 1}}, around)), solid("cylinder", Vec3{1, 1, 2}), tolerance);
  expect_near(solid(turned_mesh({{0.5, 0}, {1e-9, 2}}, around)), solid("cone", Vec3{1, 1, 2}), tolerance);
  EXPECT_NEAR(solid(turned_mesh({{0.5, 0}, {1e-9, 2}}, around)).center[2],
              solid("cone", Vec3{1, 1, 2}).center[2], tolerance);
  std::vector<std::pair<double, double>> ball, pill;
  for (int i = 0; i <= 400; ++i) {
    const double a = std::numbers::pi * (i / 400.0 - 0.5);
    const double r = std::max(std::cos(a), 1e-9), z = std::sin(a);
    ball.push_back({1.5 * r, 1.5 * z});
    pill.push_back({0.5 * r, 0.5 * z + (i < 200 ? -0.5 : 0.5)});
  }
  expect_near(solid(turned_mesh(ball, around)), solid("sphere", Vec3{3, 3, 3}), tolerance);
  expect_near(solid(turned_mesh(pill, around)), solid("capsule", Vec3{1, 1, 2}), tolerance);
}

TEST(Shapes, BadMeshesAreRefusedWithTheReason) {
  Mesh open = box_mesh({1, 1, 1}, {});
  open.triangles.pop_back();
  EXPECT_NE(mesh_complaint(open).find("not closed"), std::string::npos);
  Mesh inverted = box_mesh({1, 1, 1}, {});
  for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(mesh_complaint(inverted).find("inwards"), std::string::npos);
  EXPECT_NE(mesh_complaint(box_mesh({1, 1, 0}, {})).find("no volume"), std::string::npos);
  EXPECT_EQ(mesh_complaint(box_mesh({1, 1, 1}, {3, 3, 3})), "");
  EXPECT_EQ(mesh_complaint(box_mesh({1, 1, 1}, {1e6, -1e6, 2e6})), "");  // small, and far away
}

// A box of two halves is the box, wherever the halves are turned from.
TEST(Shapes, PartsAddUp) {
  const MassProperties half = solid("box", Vec3{1, 2, 0.5});
  const Quaternion quarter = turn_about({0, 0, 1}, Angle::from_degrees(90));
  const MassProperties both =
      together(std::vector<MassProperties>{placed(solid("box", Vec3{2, 1, 0.5}), quarter, {0, 0, 0.25}),
                                           placed(half, {1, 0, 0, 0}, {0, 0, -0.25})});
  expect_near(both, solid("box", Vec3{1, 2, 1}), 1e-14);
  EXPECT_NEAR(both.center[2], 0.0, 1e-15);
}

TEST(Shapes, InertiasOfNoSolidAreNamed) {
  const auto diagonal = [](double x, double y, double z) {
    return Matrix3{{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
  };
  EXPECT_EQ(inertia_complaint(diagonal(1, 2, 3)), "");
  EXPECT_NE(inertia_complaint(diagonal(1, 1, 2.1)).find("no solid"), std::string::npos);
  EXPECT_NE(inertia_complaint(diagonal(1, 1, -1)).find("negative"), std::string::npos);
  EXPECT_NE(inertia_complaint({{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}}).find("symmetric"), std::string::npos);
}

}  // namespace
}  // namespace catena::test
