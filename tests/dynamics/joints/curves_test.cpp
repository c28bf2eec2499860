// A point on a curve: against rods, slots, Lagrangians and closed forms of the same motion.
#include "catena/model/curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

// A point of the second body on a curve of the first, which starts at s.
void add_curve(Mechanism& m, int a, int b, const Formulas& curve, double s, const Vec3& point_b = {}) {
  Joint joint;
  joint.kind = JointKind::point_on_curve;
  joint.name = "curve";
  joint.a = a;
  joint.b = b;
  joint.in_b.point = point_b;
  joint.curve = curve;
  joint.curve_start = s;
  m.joints.push_back(joint);
  add_sliders(m);
}

Mechanism bead(const Formulas& curve, double s, double rate = 0.0) {
  Mechanism m;
  const Curve::Point at = Curve(curve).at(s);
  const int point = add_point(m, 0.7, at.place, rate * at.slope);
  m.bodies.back().velocity_given = rate != 0.0;
  add_curve(m, kGround, point, curve, s);
  return m;
}

Mobility mobility(Motion& motion) { return motion.multibody().mobility(0.0, motion.state().hi.data()); }

TEST(Curves, TakeTwoMotionsAwayAndNoneTwice) {
  Motion motion(bead({"cos(s)", "sin(s)", "0.2*s"}, 0.3), kDown);
  EXPECT_EQ(mobility(motion).rank, 2u);
  EXPECT_EQ(mobility(motion).equations, 2u);
  EXPECT_EQ(mobility(motion).degrees_of_freedom, 1u);
}

// A bead on a ring is a pendulum on a rod: over the top, for 20 s. An error grows with the time there.
TEST(Curves, ARingIsARod) {
  const double angle = 2.0, rate = 3.5;
  Mechanism ring = bead({"1.3*sin(s)", "0", "-1.3*cos(s)"}, angle, rate), rod;
  const int point = add_point(rod, 0.7, ring.bodies[0].position, ring.bodies[0].velocity);
  rod.joints.push_back(rod_between(rod, kGround, point, {0, 0, 0}, ring.bodies[0].position));
  Motion on_ring(ring, kDown), on_rod(rod, kDown);
  for (const double t : {1.0, 5.0, 20.0}) {
    ASSERT_EQ(on_ring.go_to(t), StepStatus::done);
    ASSERT_EQ(on_rod.go_to(t), StepStatus::done);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(on_ring.position(0)[i], on_rod.position(0)[i], 1e-12) << t;
      EXPECT_NEAR(on_ring.velocity(0)[i], on_rod.velocity(0)[i], 1e-11) << t;
    }
  }
  EXPECT_LT(on_ring.worst_gap(), 1e-12);
  EXPECT_LT(on_ring.worst_energy(), 1e-12);
}

// Down a slope: constant acceleration g sin(slope).
TEST(Curves, AStraightLineIsASlot) {
  Mechanism line = bead({"3*s", "0", "4*s"}, 0.0, 0.5), slot;
  const int body = add_body(slot, 0.7, diagonal(1, 1, 1), {0, 0, 0});
  slot.bodies[0].velocity = line.bodies[0].velocity;
  slot.bodies[0].velocity_given = true;
  add_joint(slot, JointKind::prismatic, kGround, body, {0, 0, 0}, {3, 0, 4});
  Motion on_line(line, kDown), in_slot(slot, kDown);
  ASSERT_EQ(on_line.go_to(2.0), StepStatus::done);
  ASSERT_EQ(in_slot.go_to(2.0), StepStatus::done);
  const double way = 2.5 * 2.0 - 0.5 * 9.81 * 0.8 * 4.0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(on_line.position(0)[i], in_slot.position(0)[i], 1e-13);
    EXPECT_NEAR(on_line.position(0)[i], way * (i == 0 ? 0.6 : i == 2 ? 0.8 : 0.0), 1e-13);
  }
}

// s'' = -g c / (1 + c^2) along (cos s, sin s, c s).
TEST(Curves, AHelixHasItsClosedForm) {
  const double c = 0.25, s0 = 0.4, rate = 3.0, t = 4.0;
  Motion motion(bead({"cos(s)", "sin(s)", "0.25*s"}, s0, rate), kDown);
  ASSERT_EQ(motion.go_to(t), StepStatus::done);
  const double s = s0 + rate * t - 0.5 * 9.81 * c / (1 + c * c) * t * t;
  EXPECT_NEAR(motion.position(0)[0], std::cos(s), 1e-12);
  EXPECT_NEAR(motion.position(0)[1], std::sin(s), 1e-12);
  EXPECT_NEAR(motion.position(0)[2], c * s, 1e-12);
  EXPECT_LT(motion.worst_gap(), 1e-12);
}

constexpr const char* kParabola = R"~(
[simulation]
duration = 5
tolerance = 1e-16
[[bodies]]
name = "bead"
shape = "point"
mass = 0.7
position = [1, 0, 1]
[[joints]]
name = "wire"
kind = "point-on-curve"
bodies = ["ground", "bead"]
curve = ["s", "0", "s^2"]
)~";

constexpr const char* kLagrangian = R"~(
[simulation]
duration = 5
tolerance = 1e-16
[lagrangian]
coordinates = { x = 1.0 }
rates = { x = 0.0 }
parameters = { m = 0.7, g = 9.81 }
lagrangian = "m/2*x'^2*(1 + 4*x^2) - m*g*x^2"
)~";

std::vector<double> row_at(Lab& lab, double t, const std::vector<std::string>& quantities) {
  const Columns columns = lab.columns(quantities);
  std::vector<double> row(columns.width());
  while (lab.time() < t) EXPECT_EQ(lab.advance(), StepStatus::done);
  lab.sample(t, columns, row.data());
  return row;
}

TEST(Curves, AParabolaIsTheLagrangianOfItsBead) {
  Lab wire(scene_of(kParabola)), lagrangian(scene_of(kLagrangian));
  for (const double t : {0.5, 2.0, 5.0}) {
    const std::vector<double> on_wire = row_at(wire, t, {"x_bead", "vx_bead", "constraint_error", "rank"});
    const std::vector<double> along_x = row_at(lagrangian, t, {"x", "x_dot"});
    EXPECT_NEAR(on_wire[1], along_x[1], 2e-12) << t;
    EXPECT_NEAR(on_wire[2], along_x[2], 2e-11) << t;
    EXPECT_LT(on_wire[3], 1e-12);
    EXPECT_EQ(on_wire[4], 2.0);
  }
  EXPECT_LT(wire.energies().largest_error, 1e-12);
}

// The wire carries the bead's weight at the bottom, and what turns it besides.
TEST(Curves, ReactionsAreTheWires) {
  const std::string text = kParabola;
  Lab lab(scene_of(text, {"bodies.1.position=[0, 0, 0]", "bodies.1.velocity=[2, 0, 0]"}));
  const std::vector<double> row = row_at(lab, 0.0, {"fx_wire", "fy_wire", "fz_wire"});
  EXPECT_NEAR(row[1], 0.0, 1e-13);
  EXPECT_NEAR(row[2], 0.0, 1e-13);
  EXPECT_NEAR(row[3], 0.7 * (9.81 + 2 * 2.0 * 2.0), 1e-12);  // z'' = 2 x'^2
}

// A hoop that flies freely, with a body sliding on it by a point off its centre: nothing from outside.
TEST(Curves, AFlyingHoopKeepsItsMomenta) {
  Mechanism m;
  const int hoop =
      add_body(m, 2.0, diagonal(1, 1, 2), {0.5, 0, 0}, turn_about({1, 2, 2}, Angle::from_radians(0.8)));
  m.bodies[0].angular_velocity = {0.4, -1.0, 0.7};
  m.bodies[0].angular_velocity_given = true;
  const Vec3 own{std::cos(0.3), std::sin(0.3), 0};
  const Vec3 arm = rotated(m.bodies[0].orientation, own);
  const Vec3 at{0.5 + arm[0], arm[1], arm[2]};
  const int slider = add_body(m, 0.5, diagonal(0.02, 0.03, 0.04), {at[0] + 0.1, at[1], at[2]});
  add_curve(m, hoop, slider, {"cos(s)", "sin(s)", "0"}, 0.3, {-0.1, 0, 0});
  Motion motion(m, kNoGravity);
  EXPECT_EQ(mobility(motion).degrees_of_freedom, 10u);
  const auto momentum = [&] {
    Vec3 linear{}, angular{};
    for (std::size_t b = 0; b < 2; ++b) {
      const Body& body = m.bodies[b];
      const Vec3 v = motion.velocity(b), w = motion.spin(b);
      const Vec3 spin{body.inertia[0][0] * w[0], body.inertia[1][1] * w[1], body.inertia[2][2] * w[2]};
      linear = linear + body.mass * v;
      angular = angular + body.mass * cross(motion.position(b), v) + rotated(motion.orientation(b), spin);
    }
    return std::array<Vec3, 2>{linear, angular};
  };
  ASSERT_EQ(motion.go_to(1e-9), StepStatus::done);
  const auto before = momentum();
  ASSERT_EQ(motion.go_to(10.0), StepStatus::done);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(momentum()[k][i], before[k][i], 1e-12);
  }
  EXPECT_LT(motion.worst_energy(), 1e-12);
  EXPECT_LT(motion.worst_gap(), 1e-12);
  const Vec3 seen =
      rotated_back(motion.orientation(0),
                   motion.position(1) + rotated(motion.orientation(1), {-0.1, 0, 0}) - motion.position(0));
  EXPECT_NEAR(std::hypot(seen[0], seen[1]), 1.0, 1e-13);
  EXPECT_NEAR(seen[2], 0.0, 1e-13);
}

// Methods of all sorts agree on it.
TEST(Curves, EveryMethodFollowsThem) {
  Lab reference(scene_of(kParabola));
  const double expected = row_at(reference, 1.0, {"x_bead"})[1];
  for (const char* method : {"dop853", "radau5", "bulirsch-stoer"}) {
    Lab lab(scene_of(kParabola,
                     {std::string("simulation.method=\"") + method + "\"", "simulation.tolerance=1e-11"}));
    EXPECT_NEAR(row_at(lab, 1.0, {"x_bead"})[1], expected, 1e-8) << method;
  }
}

TEST(Curves, TheNearestPointIsFound) {
  Curve ring({"cos(s)", "sin(s)", "0"});
  EXPECT_NEAR(ring.nearest({3, 3, 1}), std::numbers::pi / 4, 1e-9);
  EXPECT_NEAR(std::fabs(ring.nearest({-1, 0, 0})), std::numbers::pi, 1e-9);
  EXPECT_NEAR(Curve({"s", "0", "s^2"}).nearest({20, 0, 400}), 20.0, 1e-9);
  EXPECT_NEAR(Curve({"s", "log(s)", "0"}).nearest({1, 0, 0}), 1.0, 1e-9);
}

TEST(Curves, APictureShowsTheWholeRingAndAPieceOfTheParabola) {
  const std::vector<Vec3> ring = Curve({"cos(s)", "sin(s)", "0"}).drawn(0.5, 5.0);
  EXPECT_EQ(ring.front(), ring.back());
  double length = 0.0;
  for (std::size_t i = 1; i < ring.size(); ++i) {
    const Vec3 d = ring[i] - ring[i - 1];
    length += std::sqrt(dot(d, d));
  }
  EXPECT_NEAR(length, 2 * std::numbers::pi, 0.02);
  const std::vector<Vec3> parabola = Curve({"s", "0", "s^2"}).drawn(0.0, 3.0);
  EXPECT_LT(parabola.front()[0], -1.4);
  EXPECT_GT(parabola.back()[0], 1.4);
}

std::string complaint(const std::string& text) {
  try {
    const Lab lab(scene_of(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Curves, MistakesAreToldWithARemedy) {
  const std::string all = kParabola;
  const std::string without = all.substr(0, all.find("curve = "));
  const std::pair<const char*, const char*> wrong[] = {
      {"", "curve is missing; it must be three formulas of s"},
      {"curve = [\"abs(s)\", \"0\", \"s\"]\n", "curve must be smooth, and has a corner by abs"},
      {"curve = [\"1\", \"0\", \"2\"]\n", "curve must depend on s"},
      {"curve = [\"r*s\", \"0\", \"2\"]\n", "'r'"},
      {"curve = [\"s\", \"0\", \"s\"]\nratio = 2\n", "ratio is for gear and rack"},
      {"curve = [\"s\", \"0\", \"s\"]\nmotor = { force = \"1\" }\n",
       "motor needs a joint with one coordinate"},
  };
  for (const auto& [lines, words] : wrong) {
    const std::string text = complaint(without + lines);
    EXPECT_NE(text.find(words), std::string::npos) << lines << text;
  }
  const std::string ball = complaint(without.substr(0, without.find("kind")) +
                                     "kind = \"ball\"\nbodies = [\"ground\", \"bead\"]\npoint = [1, 0, 1]\n"
                                     "curve = [\"s\", \"0\", \"s\"]\n");
  EXPECT_NE(ball.find("curve is for point-on-curve"), std::string::npos) << ball;
}

}  // namespace
}  // namespace catena::test
