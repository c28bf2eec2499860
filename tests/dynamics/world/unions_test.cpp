// Chains that are bodies: the same motion as other formulations give, both ends held, and hung on bodies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/lab/experiment/experiment.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

double difference(const Recorded& a, const Recorded& b, const std::vector<std::string>& columns) {
  double out = a.count() == b.count() ? 0.0 : INFINITY;
  for (const std::string& column : columns)
    out = std::max(out, test::largest_difference(a.column(column), b.column(column)));
  return out;
}

// Rods, point masses and a branch; swings of a few tenths of a radian.
const char* kTree = R"(
[simulation]
duration = 10
sample = 0.5
[chain]
[[chain.links]]
length = 0.8
mass = 1
inertia = "rod"
theta = 0.3
phi_dot = 0.4
[[chain.links]]
length = 0.5
mass = 0.4
theta = 0.2
phi = 1.0
[[chain.links]]
length = 0.6
mass = 0.7
center_of_mass = 0.3
inertia = 0.05
theta = -0.2
[[chain.links]]
parent = 1
length = 0.4
mass = 0.3
theta = 0.4
phi = 2.0
)";

// The sum over the chain of roundoff over ten seconds; 1e-11 is asked for.
TEST(Unions, RodsAndTreesMoveAsArticulatedLinks) {
  const Recorded expected(scene_of(kTree, {"chain.formulation=\"articulated\""}));
  const Recorded run(scene_of(kTree, {"chain.formulation=\"multibody\""}));
  std::vector<std::string> places, reactions{"fx_pivot", "fy_pivot", "fz_pivot"};
  for (const int k : {1, 2, 3, 4}) {
    for (const char* stem : {"x", "y", "z", "vx", "vy", "vz", "ux", "wx", "wy", "wz", "lx", "lz"})
      places.push_back(fmt::format("{}_{}", stem, k));
    reactions.push_back(fmt::format("tension_{}", k));
  }
  EXPECT_LT(difference(run, expected, places), 1e-11);
  EXPECT_LT(difference(run, expected, {"kinetic", "potential", "energy", "px_total", "lz_total"}), 1e-11);
  EXPECT_LT(difference(run, expected, reactions), 1e-9);
}

TEST(Unions, HaveTheColumnsOfEveryFormulation) {
  for (const char* phi : {"0", "1"}) {
    const std::vector<std::string> brief{"simulation.duration=0.1", fmt::format("chain.links.*.phi={}", phi)};
    std::vector<std::string> other = brief;
    other.push_back("chain.formulation=\"multibody\"");
    const Lab plain(scene_of(kTree, brief)), bodies(scene_of(kTree, other));
    const Columns a = plain.columns({}), b = bodies.columns({});
    ASSERT_EQ(a.stems().size(), b.stems().size());
    for (std::size_t i = 0; i < a.stems().size(); ++i) {
      EXPECT_EQ(a.stems()[i].name, b.stems()[i].name);
      EXPECT_EQ(a.stems()[i].labels, b.stems()[i].labels);
    }
  }
}

// A rod on a hinge, as a link and as a body: friction stops both in the same way.
TEST(Unions, FrictionIsOneLawInLinksAndInJoints) {
  const Recorded link(
      scene_of("[simulation]\nduration = 3\nsample = 0.5\n[[chain.links]]\nlength = 1\nmass = "
               "1\ncenter_of_mass = 0.5\ninertia = 0.125\ntheta = \"90 deg\"\nfriction = "
               "0.5\nfriction_rate = 0.05\n"));
  const Recorded body(scene_of(
      "[simulation]\nduration = 3\nsample = 0.5\n[[bodies]]\nname = \"bar\"\nmass = 1\ninertia = [0.125, "
      "0.125, 0.125]\nposition = [0.5, 0, 0]\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = "
      "[\"ground\", \"bar\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nfriction = 0.5\nfriction_rate = 0.05\n"));
  EXPECT_NEAR(2 * body.last("x_bar"), link.last("x_1"), 1e-12);
  EXPECT_NEAR(2 * body.last("z_bar"), link.last("z_1"), 1e-12);
  EXPECT_NEAR(body.last("dissipated"), link.last("dissipated"), 1e-12);
  EXPECT_GT(link.last("dissipated"), 0.5);
}

// Laws on links, in their joints and on the pivot do the same to bodies.
TEST(Unions, FeelForcesAsLinksDo) {
  const std::string forced = R"~(
[simulation]
duration = 5
sample = 0.25
[chain]
velocity_damping = 0.02
[[chain.links]]
length = 1
mass = 1
theta = 0.4
damping = 0.1
charge = 0.2
moment = 0.3
[[chain.links]]
length = 0.7
mass = 0.5
theta = -0.3
joint_stiffness = 0.2
friction = 0.01
charge = 0.1
inertia = "rod"
[[forces]]
kind = "formula"
force = ["-0.1*vx*speed + 0.2*sin(t)", "0.02*x", "-0.1*vz*speed"]
torque = [0, "0.01*sin(t)", "-0.01*wz"]
[[forces]]
kind = "coulomb"
constant = 10
[[forces]]
kind = "magnetic"
field = [0.1, 0.05, "0.5 + 0.1*x"]
[[forces]]
kind = "spring"
between = ["chain.2", [1, 1, 0]]
stiffness = 0.3
damping = 0.1
)~";
  for (const bool planar : {true, false}) {
    std::vector<std::string> more{fmt::format("chain.links.2.phi={}", planar ? 0 : 1)};
    const Recorded expected(scene_of(forced, more));
    for (const char* method : {"taylor", "dop853"}) {
      std::vector<std::string> settings = more;
      settings.insert(settings.end(), {"chain.formulation=\"multibody\"", "simulation.tolerance=1e-14",
                                       fmt::format("simulation.method=\"{}\"", method)});
      const Recorded run(scene_of(forced, settings));
      EXPECT_LT(difference(run, expected, {"x_1", "y_1", "z_1", "x_2", "y_2", "z_2", "vx_2"}), 1e-11)
          << method;
      EXPECT_LT(difference(run, expected, {"dissipated", "work", "potential", "elastic"}), 1e-11) << method;
      const std::vector<std::string> reactions{"tension_1", "tension_2", "fx_pivot", "fy_pivot", "fz_pivot"};
      EXPECT_LT(difference(run, expected, reactions), 1e-9) << method;
      EXPECT_NEAR(run.last("energy_error"), 0.0, 1e-11) << method;
    }
  }
}

// Rods under forces on their centres and torques, three in a row or with a branch. `articulated` shares these
// forces between the links' ends, `multibody` has them on bodies.
const char* kForcedRods = R"~(
[simulation]
duration = 1
sample = 0.25
[[chain.links]]
length = 0.8
mass = 1
inertia = "rod"
theta = 0.7
damping = 0.05
[[chain.links]]
length = 0.5
mass = 0.6
center_of_mass = 0.3
inertia = 0.02
theta = -0.4
phi_dot = 0.8
joint_stiffness = 0.3
[[chain.links]]
length = 0.6
mass = 0.7
center_of_mass = 0
inertia = 0.05
theta = 1.2
theta_dot = 2
[[forces]]
kind = "formula"
force = ["3 - 0.1*vx*speed", "0.5*sin(3*t)", "1 + x"]
torque = [0.1, "0.2*sin(t)", 0.05]
)~";

TEST(Unions, TensionsOfRodsUnderForcesAreThoseOfBodiesAndOfThePivot) {
  for (const int parent : {1, 2}) {
    for (const char* flat : {"chain.plane=\"auto\"", "chain.links.2.phi_dot=0.0"}) {
      const std::vector<std::string> more{fmt::format("chain.links.3.parent={}", parent), flat};
      std::vector<std::string> bodies = more;
      bodies.push_back("chain.formulation=\"multibody\"");
      const Recorded links(scene_of(kForcedRods, more)), joints(scene_of(kForcedRods, bodies));
      EXPECT_LT(difference(links, joints, {"tension_1", "tension_2", "tension_3", "fx_pivot", "fz_pivot"}),
                1e-10)
          << parent << flat;
      for (std::size_t row = 0; row < links.count(); ++row) {
        double along = 0.0;
        for (const char* axis : {"x", "y", "z"})
          along -= links.at(row, fmt::format("f{}_pivot", axis)) * links.at(row, fmt::format("u{}_1", axis));
        EXPECT_NEAR(links.at(row, "tension_1"), along, 1e-11) << parent << flat;
      }
    }
  }
}

// The joint above the last link carries p' - F - m g, p its momentum: by differences of fourth order.
TEST(Unions, TensionsOfRodsUnderForcesObeyNewtonsLaw) {
  constexpr double kApart = 1e-4, kMass = 0.7;
  const std::array<double, 3> force{3.0, 0.5, 1.0 - kMass * 9.81};
  for (const char* formulation : {"articulated", "multibody"}) {
    const Recorded run(scene_of(
        kForcedRods, {"forces.1.force=[3, 0.5, 1]", "simulation.duration=0.5", "simulation.sample=1e-4",
                      fmt::format("chain.formulation=\"{}\"", formulation)}));
    for (const std::size_t row : {2UL, 1000UL, 2500UL, 4998UL}) {
      double tension = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string momentum = fmt::format("p{}_3", "xyz"[i]), along = fmt::format("u{}_3", "xyz"[i]);
        const auto p = [&](std::size_t at) { return run.at(at, momentum); };
        const double rate = (p(row - 2) - 8 * p(row - 1) + 8 * p(row + 1) - p(row + 2)) / (12 * kApart);
        tension -= (rate - force[i]) * run.at(row, along);
      }
      EXPECT_NEAR(run.at(row, "tension_3"), tension, 1e-8) << formulation << row;
    }
  }
}

// ---- both ends held ---------------------------------------------------------------------------------------

struct Catenary {
  std::vector<double> x, z, tension;
};

// Equal masses at the joints of equal links: the pull has the same horizontal part H in all links, and its
// vertical part falls by m g from each to the next. H and the first vertical part from the two conditions
// that the links reach from one end to the other, by Newton's method with differences.
Catenary discrete_catenary(int links, double length, double mass, double gravity, double dx, double dz) {
  const auto shape = [&](double h, double v) {
    Catenary out;
    double x = 0.0, z = 0.0;
    for (int k = 0; k < links; ++k) {
      const double down = v - k * mass * gravity, pull = std::hypot(h, down);
      out.x.push_back(x += length * h / pull);
      out.z.push_back(z -= length * down / pull);
      out.tension.push_back(pull);
    }
    return out;
  };
  double h = mass * gravity * links, v = 0.5 * mass * gravity * links;
  for (int i = 0; i < 200; ++i) {
    const auto miss = [&](double a, double b) {
      const Catenary at = shape(a, b);
      return std::pair{at.x.back() - dx, at.z.back() - dz};
    };
    const double d = 1e-7 * mass * gravity;
    const auto [fx, fz] = miss(h, v);
    const auto [hx, hz] = miss(h + d, v);
    const auto [vx, vz] = miss(h, v + d);
    const double a = (hx - fx) / d, b = (vx - fx) / d, c = (hz - fz) / d, e = (vz - fz) / d;
    const double determinant = a * e - b * c;
    const double step_h = (fx * e - b * fz) / determinant, step_v = (a * fz - c * fx) / determinant;
    const double factor = std::min(1.0, 0.3 * h / std::max(1e-300, std::fabs(step_h)));
    h -= factor * step_h;
    v -= factor * step_v;
  }
  return shape(h, v);
}

// A drawing that is a straight line, too long, comes to its end by assembly; damping brings it to rest.
TEST(Unions, AHangingChainRestsAsTheDiscreteCatenary) {
  const std::string scene = R"(
[simulation]
duration = 40
sample = 40
[chain]
end = [2, 0, -0.5]
velocity_damping = 2
[[chain.links]]
length = 0.3
mass = 0.2
theta = "90 deg"
repeat = 10
)";
  const Recorded run(scene_of(scene));
  const Catenary expected = discrete_catenary(10, 0.3, 0.2, 9.81, 2.0, -0.5);
  EXPECT_NEAR(expected.x.back(), 2.0, 1e-12);
  for (int k = 1; k <= 10; ++k) {
    EXPECT_NEAR(run.last(fmt::format("x_{}", k)), expected.x[k - 1], 1e-11);
    EXPECT_NEAR(run.last(fmt::format("z_{}", k)), expected.z[k - 1], 1e-11);
    EXPECT_NEAR(run.last(fmt::format("y_{}", k)), 0.0, 1e-12);
    EXPECT_NEAR(run.last(fmt::format("tension_{}", k)), expected.tension[k - 1], 1e-10);
  }
  EXPECT_NEAR(run.at(0, "x_10"), 2.0, 1e-14);
  EXPECT_NEAR(run.at(0, "z_10"), -0.5, 1e-14);
}

// Let go aside of it, it swings for ever. Five bobs, the last one held, and five rods: 12 - 5 freedoms.
TEST(Unions, AChainHeldAtBothEndsKeepsItsEnergy) {
  const std::string scene = R"(
[simulation]
duration = 10
sample = 0.5
[chain]
end = [1.5, 0.2, 0]
[[chain.links]]
length = 0.5
mass = 0.2
theta = "60 deg"
repeat = 3
phi = 0.3
phi_dot = 0.5
[[chain.links]]
length = 0.4
mass = 0.3
theta = "130 deg"
repeat = 2
)";
  const Recorded run(scene_of(scene));
  EXPECT_EQ(run.summary.degrees_of_freedom, 7u);
  EXPECT_LT(run.summary.energy_error_relative, 1e-12);
  EXPECT_LT(run.summary.constraint_error, 1e-12);
  for (std::size_t i = 0; i < run.count(); ++i) {
    EXPECT_NEAR(run.at(i, "x_5"), 1.5, 1e-14);
    EXPECT_NEAR(run.at(i, "y_5"), 0.2, 1e-14);
    EXPECT_NEAR(run.at(i, "z_5"), 0.0, 1e-14);
  }
}

// ---- on bodies --------------------------------------------------------------------------------------------

const std::string kCart = R"(
[simulation]
duration = 10
sample = 1
gravity = 9.8
[[bodies]]
name = "cart"
size = [0.4, 0.2, 0.2]
mass = 1
[[joints]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = [1, 0, 0]
)";

// The published cart-pole, with its ball as a chain of one link.
TEST(Unions, ACartWithOneLinkIsTheCartPole) {
  const Recorded run(scene_of(kCart + "[chain]\npivot = \"cart\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
                                      "theta = 3.0415926535897932\n",
                              {"simulation.sample=0.5"}));
  std::size_t compared = 0;
  const nlohmann::json samples = test::reference("cartpole")["samples"];
  for (const auto& sample : samples) {
    const double t = test::number(sample["t"]);
    const auto row = static_cast<std::size_t>(std::lround(2 * t));
    if (2 * t != static_cast<double>(row)) continue;
    EXPECT_NEAR(run.at(row, "x_cart"), test::number(sample["x_cart"]), 1e-11);
    EXPECT_NEAR(run.at(row, "x_1"), test::number(sample["ball"][0]), 1e-11);
    EXPECT_NEAR(run.at(row, "z_1"), test::number(sample["ball"][1]), 1e-11);
    ++compared;
  }
  EXPECT_GT(compared, 2u);
}

// A cart that a motor drives is a pivot that moves by a formula.
TEST(Unions, AChainOnADrivenCartIsAChainOnAMovingPivot) {
  const std::string links =
      "[[chain.links]]\nlength = 0.7\nmass = 1\ntheta = 0.3\n[[chain.links]]\nlength = 0.5\nmass = "
      "0.4\ntheta = "
      "-0.2\nphi = 1\n";
  // The cart starts at the motor's rate, so that assembly finds nothing to change.
  const Recorded cart(scene_of(
      kCart +
          "motor = { travel = \"0.2*sin(2*t)\" }\n[chain]\npivot = \"cart\"\npivot_point = [0.1, 0, -0.1]\n" +
          links,
      {"simulation.duration=3", "bodies.1.velocity=[0.4,0,0]"}));
  const Recorded pivot(
      scene_of("[simulation]\nduration = 3\nsample = 1\ngravity = 9.8\n[chain]\npivot = "
               "[\"0.1 + 0.2*sin(2*t)\", 0, -0.1]\n" +
               links));
  EXPECT_LT(difference(cart, pivot, {"x_1", "x_2", "y_2", "z_2", "vx_2", "lx_2", "kinetic_2"}), 1e-11);
  EXPECT_LT(difference(cart, pivot, {"tension_1", "tension_2", "fx_pivot", "fz_pivot"}), 1e-9);
}

// In a plane theta is signed and counts turns; a cart that can leave the plane takes the chain along.
TEST(Unions, ChainsOnBodiesKeepToAPlaneWhereTheirMotionDoes) {
  const std::string links = "[chain]\npivot = \"cart\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = -1\n";
  const auto is_planar = [](const Scene& scene) { return World(scene).chains()[0].planar(); };
  EXPECT_TRUE(is_planar(scene_of(kCart + links)));
  EXPECT_TRUE(is_planar(scene_of(kCart + links, {"joints.1.axis=[1,0,1]"})));
  EXPECT_TRUE(is_planar(scene_of(kCart + links, {"joints.1.axis=[1,1,0]", "chain.links.1.phi=\"45 deg\""})));
  EXPECT_FALSE(is_planar(scene_of(kCart + links, {"joints.1.axis=[1,1,0]"})));
  EXPECT_FALSE(is_planar(scene_of(kCart + links, {"chain.links.1.phi_dot=1"})));
  EXPECT_FALSE(is_planar(scene_of(kCart + links, {"chain.plane=\"none\""})));
  const Recorded run(scene_of(kCart + links));
  EXPECT_NEAR(run.at(0, "theta_1"), -1.0, 1e-15);
  EXPECT_EQ(run.last("phi_1"), 0.0);
}

// The formulas tell, not a look at the start: what acts late leaves the plane, unless joints hold it there.
TEST(Unions, ChainsOnBodiesLeaveTheirPlanesWhereFormulasPushThemOut) {
  const std::string links = "[chain]\npivot = \"cart\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = -1\n";
  const auto is_planar = [&](const std::string& forces, const std::vector<std::string>& overrides = {}) {
    return World(scene_of(kCart + links + forces, overrides)).chains()[0].planar();
  };
  const auto force = [](const std::string& on, const std::string& parts) {
    return "[[forces]]\nkind = \"formula\"\non = [\"" + on + "\"]\n" + parts + "\n";
  };
  for (const char* late : {"choose(t - 5, 1, 0)", "1 + tanh(200*(t - 10))", "max(t - 3, 0)"}) {
    const std::string text = std::string("\"") + late + "\"";
    EXPECT_FALSE(is_planar(force("chain", "force = [0, " + text + ", 0]"))) << late;
    EXPECT_TRUE(is_planar(force("chain", "force = [" + text + ", 0, " + text + "]"))) << late;
    EXPECT_TRUE(is_planar(force("cart", "force = [0, " + text + ", 0]"))) << late;  // the rail holds it
    EXPECT_TRUE(is_planar(force("cart", "torque = [" + text + ", 0, 0]"))) << late;
    // A rail that leads out of the plane, at rest until something pushes.
    EXPECT_FALSE(is_planar(force("cart", "force = [" + text + ", 0, 0]"),
                           {"joints.1.axis=[1,1,0]", "chain.links.1.theta=0", "simulation.gravity=9.8"}))
        << late;
  }
  const std::string motor = "motor = { travel = \"max(t - 3, 0)\" }\n";
  EXPECT_TRUE(World(scene_of(kCart + motor + links)).chains()[0].planar());
  EXPECT_FALSE(World(scene_of(kCart + motor + links, {"joints.1.axis=[0,1,0]"})).chains()[0].planar());
}

// A plank that hangs on two chains, written as chains and as points with rods.
TEST(Unions, SeveralChainsHoldABody) {
  const std::string plank =
      "[simulation]\nduration = 5\nsample = 0.25\n[[bodies]]\nname = \"plank\"\nsize = [1, 0.3, 0.05]\nmass "
      "= 2\n"
      "position = [0.3, 0, -1]\n";
  const std::string chains = R"(
[[chains]]
name = "left"
pivot = [-0.5, 0, 0]
end = "plank"
end_point = [-0.5, 0, 0]
[[chains.links]]
length = 0.6
mass = 0.1
theta = 0.2
repeat = 2
[[chains]]
name = "right"
pivot = "plank"
pivot_point = [0.5, 0, 0]
end = [0.5, 0.1, 0]
[[chains.links]]
length = 0.6
mass = 0.1
theta = "170 deg"
repeat = 2
)";
  const Recorded run(scene_of(plank + chains));
  EXPECT_LT(run.summary.energy_error_relative, 1e-12);
  EXPECT_LT(run.summary.constraint_error, 1e-12);
  EXPECT_EQ(run.summary.degrees_of_freedom, 8u);
  for (std::size_t i = 0; i < run.count(); ++i) {
    EXPECT_NEAR(run.at(i, "x_right_2"), 0.5, 1e-13);
    EXPECT_NEAR(run.at(i, "y_right_2"), 0.1, 1e-13);
  }
  // What pulls at the plank, together with its weight, is what changes its momentum: tension of the ends.
  EXPECT_GT(test::largest(run.column("tension_left_2")), 1.0);
}

// A hand pulls at a bob: the cart comes along as far as it is free, and all links keep their lengths.
TEST(Unions, LinksOnBodiesFollowAHand) {
  Experiment experiment(
      scene_of(kCart + "[chain]\npivot = \"cart\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
                       "0.3\nrepeat = 2\n"),
      {1.0 / 120, {"x_2", "z_2", "kinetic", "constraint_error"}, {}});
  experiment.drag(0, 1, {1.2, 0, -1.0}, false);
  const std::vector<double>& row = experiment.row();
  EXPECT_NEAR(row[1], 1.2, 1e-3);
  EXPECT_NEAR(row[2], -1.0, 1e-3);
  EXPECT_LT(row[3], 1e-20);
  EXPECT_LT(row[4], 1e-12);
}

// A run taken up again has the bits of one in one piece.
TEST(Unions, GoOnFromACheckpointWithTheSameBits) {
  const Scene scene = scene_of(kCart +
                               "[chain]\npivot = \"cart\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
                               "2.5\nrepeat = 3\n[[forces]]\nkind = \"drag\"\nlinear = 0.1\n");
  Lab whole(scene);
  while (whole.time() < 1.0) ASSERT_EQ(whole.advance(), StepStatus::done);
  Lab again(scene);
  again.restore(whole.checkpoint());
  while (again.time() < whole.time()) ASSERT_EQ(again.advance(), StepStatus::done);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(whole.advance(), StepStatus::done);
    ASSERT_EQ(again.advance(), StepStatus::done);
  }
  EXPECT_EQ(whole.state().hi, again.state().hi);
  EXPECT_EQ(whole.state().lo, again.state().lo);
}

// ---- shipped scenes ---------------------------------------------------------------------------------------

Scene shipped(const std::string& name, double duration) {
  const std::string path = std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml";
  SceneOptions options;
  options.source = path;
  options.name = name;
  options.overrides = {fmt::format("simulation.duration={}", duration)};
  return read_scene(read_scene_text(path), options);
}

// The relative energy error that is asked for of every conservative mechanism.
TEST(Unions, ShippedScenesKeepEnergyAndJoints) {
  struct Case {
    const char* name;
    double duration;
    std::size_t freedom;
  };
  for (const Case& one : {Case{"cart-with-links", 10.0, 5}, Case{"plank-swing", 10.0, 20},
                          Case{"catenary", 2.0, 38}, Case{"thousand-links", 0.3, 2000}}) {
    SCOPED_TRACE(one.name);
    Lab lab(shipped(one.name, one.duration));
    EXPECT_EQ(lab.inside().world.degrees_of_freedom(), one.freedom);
    while (lab.time() < one.duration) ASSERT_EQ(lab.advance(), StepStatus::done);
    const double scale = lab.energies().scale(lab.weight_scale());
    EXPECT_LT(lab.energies().largest_error / scale, 1e-12);
    const State& state = lab.state();
    EXPECT_LT(lab.inside().world.constraint_error(lab.time(), state.hi.data(), state.lo.data()), 1e-12);
  }
}

}  // namespace
}  // namespace catena
