// Solid bodies.
#include "catena/draw/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "draw/pictures.h"

namespace catena::draw::testing {
namespace {

using Shapes = Pictures;

constexpr double kPi = std::numbers::pi;

// By the divergence theorem, fans of each face: right only if all faces look outward and none is missing.
double volume(const Mesh& mesh) {
  double six = 0.0;
  for (const std::vector<int>& face : mesh.faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const Vec3 &a = mesh.corners[static_cast<std::size_t>(face[0])],
                 &b = mesh.corners[static_cast<std::size_t>(face[i])],
                 &c = mesh.corners[static_cast<std::size_t>(face[i + 1])];
      six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
  }
  return six / 6;
}

TEST_F(Shapes, AreClosedAndLookOutward) {
  // Inscribed polygons of 28 sides have 0.9916 of a circle's area, and 14 bands take a little more off a
  // sphere.
  EXPECT_NEAR(volume(box_mesh({1, 2, 3})), 6.0, 1e-12);
  EXPECT_NEAR(volume(cylinder_mesh(0.5, 2)), kPi * 0.25 * 2, 0.01 * kPi * 0.5);
  EXPECT_NEAR(volume(rod_mesh(2, 0.5)), kPi * 0.25 * 2, 0.01 * kPi * 0.5);
  EXPECT_NEAR(volume(cone_mesh(1, 3)), kPi, 0.01 * kPi);
  EXPECT_NEAR(volume(sphere_mesh(1)), 4 * kPi / 3, 0.03 * 4 * kPi / 3);
  EXPECT_NEAR(volume(ellipsoid_mesh({1, 2, 3})), 8 * kPi, 0.03 * 8 * kPi);
  EXPECT_NEAR(volume(capsule_mesh(1, 2)), 4 * kPi / 3 + 2 * kPi, 0.03 * 4 * kPi);
}

TEST_F(Shapes, EveryEdgeBelongsToTwoFaces) {
  for (const Mesh& mesh : {box_mesh({1, 1, 1}), cylinder_mesh(1, 1)}) {
    std::map<std::pair<int, int>, int> edges;
    for (const std::vector<int>& face : mesh.faces) {
      for (std::size_t i = 0; i < face.size(); ++i) ++edges[{face[i], face[(i + 1) % face.size()]}];
    }
    for (const auto& [edge, count] : edges) {
      EXPECT_EQ(count, 1);
      EXPECT_TRUE(edges.contains({edge.second, edge.first}));
    }
  }
}

TEST_F(Shapes, ABodyIsDrawnPartByPart) {
  Body body;
  body.shapes.push_back({"box", {1, 2, 3}, {5, 0, 0}, {1, 0, 0, 0}, {}});
  body.shapes.push_back({"cone", {1, 1, 3}, {0, 0, 0}, {0, 1, 0, 0}, {}});  // upside down
  DrawnShape corner{"mesh", {}, {0, 0, 10}, {1, 0, 0, 0}, {}};
  corner.mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  corner.mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  body.shapes.push_back(corner);
  const Mesh mesh = body_mesh(body);
  EXPECT_NEAR(volume(mesh), 6 + kPi / 4 + 1.0 / 6, 0.01 * kPi / 4);
  double low = 0.0, high = 0.0;
  for (const Vec3& point : mesh.corners) {
    low = std::min(low, point[2]);
    high = std::max(high, point[2]);
  }
  EXPECT_NEAR(low, -3.0, 1e-12);   // the cone's tip, as its base is its origin
  EXPECT_NEAR(high, 11.0, 1e-12);  // the mesh's
}

TEST_F(Shapes, TurnAsTheirQuaternionsSay) {
  const Solid solid = {
      nullptr, {1, 2, 3}, {std::cos(kPi / 4), 0, 0, std::sin(kPi / 4)}, {}};  // 90 degrees about z
  const Vec3 world = to_world(solid, {1, 0, 0});
  EXPECT_NEAR(world[0], 1, 1e-15);
  EXPECT_NEAR(world[1], 3, 1e-15);
  EXPECT_NEAR(world[2], 3, 1e-15);
}

TEST_F(Shapes, NearOnesCoverFarOnes) {
  const Mesh box = box_mesh({1, 1, 1}), ball = sphere_mesh(0.4);
  const Colour blue = rgb(0x0072b2), orange = rgb(0xe69f00);
  const Gaze gaze = {0.0, 0.0};  // from +x
  const std::vector<Vec3> room = {{-2, -2, -2}, {2, 2, 2}};
  for (const bool ball_is_near : {true, false}) {
    const std::vector<Solid> solids = {{&box, {0, 0, 0}, {1, 0, 0, 0}, blue},
                                       {&ball, {ball_is_near ? 1.5 : -1.5, 0, 0}, {1, 0, 0, 0}, orange}};
    Canvas canvas = Canvas::to_image(200, 200);
    canvas.fill(rgb(0xffffff));
    draw_solids(canvas, View(room, gaze, {0, 0, 200, 200}), solids);
    const std::uint32_t middle = canvas.taken_image().at(100, 100);
    const bool looks_orange = (middle >> 16 & 255u) > (middle & 255u);
    EXPECT_EQ(looks_orange, ball_is_near);
  }
}

TEST_F(Shapes, ABodyWithoutAShapeIsTheEllipsoidOfItsInertia) {
  Body body;
  body.mass = 2.0;
  const double a = 0.3, b = 0.2, c = 0.1;
  body.inertia[0][0] = body.mass / 5 * (b * b + c * c);
  body.inertia[1][1] = body.mass / 5 * (a * a + c * c);
  body.inertia[2][2] = body.mass / 5 * (a * a + b * b);
  EXPECT_NEAR(volume(body_mesh(body)), 4 * kPi / 3 * a * b * c, 0.03 * 4 * kPi / 3 * a * b * c);
  body.shape = "box";
  body.size = {1, 2, 3};
  EXPECT_NEAR(volume(body_mesh(body)), 6.0, 1e-12);
}

TEST_F(Shapes, TheHullOfPointsIsTheirOutline) {
  const std::vector<Point> outline = hull({{0, 0}, {2, 0}, {1, 1}, {2, 2}, {0, 2}, {1, 0.5}, {1, 0}});
  ASSERT_EQ(outline.size(), 4u);
  double area = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point &a = outline[i], &b = outline[(i + 1) % 4];
    area += 0.5 * (a.x * b.y - b.x * a.y);
  }
  EXPECT_NEAR(area, 4.0, 1e-12);
}

TEST_F(Shapes, APictureOfAllOfThem) {
  const std::vector<Mesh> meshes = {box_mesh({0.8, 0.5, 0.3}), rod_mesh(0.9, 0.06),      sphere_mesh(0.3),
                                    cylinder_mesh(0.25, 0.6),  capsule_mesh(0.18, 0.35), cone_mesh(0.3, 0.6)};
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const double turn = 0.4 + 0.3 * static_cast<double>(i);
    solids.push_back({&meshes[i],
                      {static_cast<double>(i % 3) - 1.0, 1.1 * static_cast<double>(i / 3) - 0.5, 0.4},
                      {std::cos(0.5 * turn), std::sin(0.5 * turn) * 0.6, std::sin(0.5 * turn) * 0.8, 0},
                      series_colour(light_theme(), i, 6)});
  }
  const std::vector<Vec3> room = {{-1.6, -1.2, 0}, {1.6, 1.2, 1}, {-1.6, 1.2, 0}, {1.6, -1.2, 1}};
  Canvas canvas = Canvas::to_file(path("shapes.png"), 480, 320);
  canvas.fill(light_theme().sky);
  draw_solids(canvas, View(room, {-1.1, 0.6}, {20, 20, 440, 280}), solids);
  canvas.finish();
  EXPECT_EQ(decoded(path("shapes.png")), "960 640");
}

}  // namespace
}  // namespace catena::draw::testing
