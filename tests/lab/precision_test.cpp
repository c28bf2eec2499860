// Runs with more digits than a double: against motions computed elsewhere to 34 digits, against one another,
// and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/math/functions_digits.h"
#include "lab/digits.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

const std::string kPair =
    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\ntheta_dot = 0.5\n"
    "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\n";

const std::map<std::string, std::string> kScenes{
    {"planar", kPair},
    {"three",
     "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\ntheta_dot = 0.25\n"
     "[[chain.links]]\nlength = 0.4\nmass = 0.3\ntheta = \"90 deg\"\ntheta_dot = -1\n"},
    {"spatial",
     "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\nphi_dot = 1.5\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\nphi = \"90 deg\"\n"
     "theta_dot = -0.5\n"},
    {"elastic",
     "[chain]\nkind = \"elastic\"\n"
     "[[chain.links]]\nlength = 1\nmass = 1\nstiffness = 200\ntheta = \"90 deg\"\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\nstiffness = 100\ntheta = \"90 deg\"\n"},
    {"driven", kPair + "[[forces]]\nkind = \"drag\"\nlinear = 0.25\ncoefficient = 0\n"
                       "[[forces]]\nkind = \"formula\"\nforce = [\"0.5*cos(3*t)\", 0, 0]\n"},
    {"damped",
     "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\ntheta_dot = 0.5\ndamping = 0.25\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\ndamping = 0.125\n"},
    {"pivot", "[chain]\npivot = [\"0.25*sin(2*t)\", 0, \"0.125*cos(3*t)\"]\n" + kPair},
    {"lorentz",
     "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\nphi_dot = 1.5\ncharge = 0.5\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\nphi = \"90 deg\"\n"
     "theta_dot = -0.5\ncharge = 0.5\n"
     "[[forces]]\nkind = \"magnetic\"\nfield = [0, 0, 2]\n"},
    {"angles",
     "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\ntheta_dot = 0.3\n"
     "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 0.7\ntheta_dot = -0.1\n"},
    {"rod",
     "[[chain.links]]\nlength = 0.8\nmass = 1.3\ninertia = \"rod\"\ncenter_of_mass = 0.5\n"
     "theta = \"90 deg\"\ntheta_dot = 1\n"}};

Scene scene_named(const std::string& name, const std::string& settings) {
  return scene_of("[simulation]\nduration = 10\n" + settings + "\n" + kScenes.at(name));
}

// Ends of links at time t, with all digits of the state.
std::vector<std::array<DoubleDouble, 3>> ends_at(const Scene& scene, double t) {
  Lab lab(scene);
  while (lab.time() < t) EXPECT_EQ(lab.advance(), StepStatus::done);
  const State state = lab.state_at(t);
  const ChainUnit& unit = lab.inside().world.chains()[0];
  const std::size_t n = unit.links(), components = unit.components();
  std::vector<std::array<DoubleDouble, 3>> ends(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < components; ++i) {
      const std::size_t lane = i * n + k, axis = components == 2 && i == 1 ? 2 : i;
      const DoubleDouble own(state.hi[lane], state.lo[lane]);
      if (unit.elastic()) {
        ends[k][axis] = own;
      } else {
        const DoubleDouble upper = k == 0 ? DoubleDouble(0.0) : ends[k - 1][axis];
        ends[k][axis] = upper + unit.parameters().number<DoubleDouble>(unit.parameters().length[k]) * own;
      }
    }
  }
  return ends;
}

double largest_difference(const std::vector<std::array<DoubleDouble, 3>>& a,
                          const std::vector<std::array<DoubleDouble, 3>>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, abs(a[k][i] - b[k][i]));
  }
  return largest;
}

struct Reference {
  double t = 0.0;
  std::vector<std::array<DoubleDouble, 3>> ends;
};

Reference reference_named(const std::string& name) {
  std::ifstream file(std::string(CATENA_SOURCE_DIR) + "/tests/lab/precision_references.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  for (const auto& one : all["cases"]) {
    if (one["name"] != name) continue;
    Reference out{one["t"].get<double>(), {}};
    for (const auto& end : one["ends"]) out.ends.push_back({parsed(end[0]), parsed(end[1]), parsed(end[2])});
    return out;
  }
  throw std::out_of_range(name);
}

double error_against_reference(const std::string& name, const std::string& settings) {
  const Reference wanted = reference_named(name);
  return largest_difference(ends_at(scene_named(name, settings), wanted.t), wanted.ends);
}

// A mass on a spring that swings, dragged and driven: r, theta and the rate of r.
TEST(Precision, LagrangiansAreRightToThirtyDigits) {
  const std::string given =
      "[lagrangian]\ncoordinates = { r = 1.3, theta = 1.5 }\nparameters = { k = 40.0, l = 1.0, g = 9.81 }\n"
      "kinetic = \"0.5*(r'^2 + r^2*theta'^2)\"\npotential = \"0.5*k*(r - l)^2 - g*r*cos(theta)\"\n"
      "dissipation = \"r'^2/8\"\nforces = { theta = \"cos(2*t)/2\" }\n";
  for (const char* settings :
       {"precision = \"double-double\"", "precision = \"quad\"",
        "precision = \"double-double\"\nmethod = \"bulirsch-stoer\"\ntolerance = 1e-30"}) {
    Lab lab(scene_of(fmt::format("[simulation]\nduration = 10\n{}\n{}", settings, given)));
    while (lab.time() < 1.0) ASSERT_EQ(lab.advance(), StepStatus::done);
    const State state = lab.state_at(1.0);
    const auto wanted = reference_named("lagrangian").ends[0];
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(abs(DoubleDouble(state.hi[i], state.lo[i]) - wanted[i]), 1e-28) << settings;
  }
}

// The shipped systems of equations. Bounds are a few times what was reached: 1.4e-29, 8e-27 and 5e-29 with
// more digits, 2e-14, 6e-11 and 1e-12 in double. Chaos multiplies rounding alike in both.
TEST(Precision, EquationsAreRightToTheDigitsThatChaosLeaves) {
  struct Case {
    std::string scene, reference;
    double more_digits, plain;
  };
  for (const Case& one :
       {Case{"lorenz", "lorenz", 1e-28, 2e-13}, Case{"lorenz", "lorenz, longer", 5e-26, 5e-10},
        Case{"henon-heiles", "henon-heiles", 5e-28, 1e-11}}) {
    const Reference wanted = reference_named(one.reference);
    for (const std::string precision : {"double", "double-double", "quad"}) {
      if (precision == "quad" && !CATENA_HAS_QUAD) continue;
      Lab lab(test::shipped_scene(one.scene, {"simulation.precision=" + precision}));
      while (lab.time() < wanted.t) ASSERT_EQ(lab.advance(), StepStatus::done);
      const State state = lab.state_at(wanted.t);
      double error = 0.0;
      for (std::size_t i = 0; i < lab.dimension(); ++i) {
        const DoubleDouble found(state.hi[i], state.lo[i]);
        error = std::max(error, abs(found - (i < 3 ? wanted.ends[0][i] : wanted.ends[1][i - 1])));
      }
      EXPECT_LT(error, precision == "double" ? one.plain : one.more_digits)
          << one.reference << " " << precision;
    }
  }
}

// A driven double pendulum by its angles, and by the places of its bobs with constraints: all of them
// integrated, some restored from the others, one constraint said twice, the pivot moved inside a constraint.
TEST(Precision, LagrangiansWithConstraintsAgreeWithThoseInAnglesToTwentyEightDigits) {
  const std::string places =
      "coordinates = { x = 1, z = 0, u = 1, w = -0.5 }\nparameters = { g = 9.81 }\n"
      "kinetic = \"(x'^2 + z'^2 + u'^2 + w'^2)/2\"\npotential = \"g*(z + w)\"\n";
  const std::string angles =
      "coordinates = { a = \"90 deg\", b = 0 }\nparameters = { g = 9.81 }\n"
      "kinetic = \"((s' + cos(a)*a')^2 + (sin(a)*a')^2 + (s' + cos(a)*a' + cos(b)*b'/2)^2 + (sin(a)*a' + "
      "sin(b)*b'/2)^2)/2\"\npotential = \"-g*(2*cos(a) + cos(b)/2)\"\n";
  const auto state = [](const std::string& settings, const std::string& given) {
    Lab lab(scene_of(fmt::format("[simulation]\nduration = 10\n{}\n[lagrangian]\n{}", settings, given)));
    while (lab.time() < 1.0) EXPECT_EQ(lab.advance(), StepStatus::done);
    // Energies that depend on time are those at the double next to it.
    EXPECT_LT(lab.energies().largest_error, given.find("(t)") == std::string::npos ? 1e-28 : 1e-16);
    return lab.state_at(1.0);
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  };
  struct Case {
    std::string pivot, rate, more;  // where the pivot is, how fast, other keys
  };
  for (const char* precision : {"double-double", "quad"}) {
    for (const Case& one : {Case{"0", "0", ""}, Case{"0", "0", "independent = [\"x\", \"u\"]\n"},
                            Case{"sin(t)^2/4", "sin(t)*cos(t)/2", ""}}) {
      const std::string settings = fmt::format("precision = \"{}\"", precision);
      const bool doubled = one.pivot == "0" && one.more.empty();
      const std::string constraints =
          fmt::format("constraints = [\"(x - {0})^2 + z^2 - 1\", \"(u - x)^2 + (w - z)^2 - 0.25\"{1}]\n",
                      one.pivot, doubled ? ", \"2*x^2 + 2*z^2 - 2\"" : "");
      const State by_places = state(settings, places + constraints + one.more);
      const State by_angles = state(settings, replaced(angles, "s'", one.rate));
      const DoubleDouble a(by_angles.hi[0], by_angles.lo[0]), b(by_angles.hi[1], by_angles.lo[1]);
      const DoubleDouble sine = digits::sin(DoubleDouble(1.0));
      const DoubleDouble pivot = one.pivot == "0" ? DoubleDouble(0.0) : sine * sine / DoubleDouble(4.0);
      const DoubleDouble half(0.5), x = pivot + digits::sin(a), z = -digits::cos(a);
      const DoubleDouble wanted[] = {x, z, x + half * digits::sin(b), z - half * digits::cos(b)};
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_LT(abs(DoubleDouble(by_places.hi[i], by_places.lo[i]) - wanted[i]), 1e-28)
            << precision << " " << one.pivot << one.more << i;
    }
  }
}

// 106 bits are 1.2e-32; two seconds of these motions stretch what is lost in a step a hundredfold.
TEST(Precision, TaylorInDoubleDoubleIsRightToThirtyDigits) {
  for (const auto& [name, text] : kScenes) {
    EXPECT_LT(error_against_reference(name, "precision = \"double-double\""), 2e-30) << name;
  }
}

TEST(Precision, TaylorInQuadIsRightToThirtyDigits) {
  for (const auto& [name, text] : kScenes) {
    EXPECT_LT(error_against_reference(name, "precision = \"quad\""), 2e-30) << name;
  }
}

// Extrapolation magnifies roundoff: three digits less.
TEST(Precision, BulirschStoerInDoubleDoubleIsRightToTwentySevenDigits) {
  for (const auto& [name, text] : kScenes) {
    const std::string settings =
        "precision = \"double-double\"\nmethod = \"bulirsch-stoer\"\ntolerance = 1e-30";
    EXPECT_LT(error_against_reference(name, settings), 1e-27) << name;
  }
}

// A column and the one of its digits are one number: the state's own, in world coordinates.
TEST(Precision, ColumnsHaveAllDigits) {
  for (const auto& [name, text] : kScenes) {
    const Scene scene = scene_named(name, "precision = \"double-double\"");
    const test::Recorded run(scene, Schedule::grid(1.0, 1.0));
    const auto ends = ends_at(scene, 1.0);
    const bool moves = name == "pivot";
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const std::string label = std::to_string(k + 1);
      const auto whole = [&](const std::string& stem) {
        const double hi = run.last(stem + "_" + label), lo = run.last("lo_" + stem + "_" + label);
        EXPECT_EQ(hi, hi + lo) << "the nearest double";
        return DoubleDouble(hi, lo);
      };
      // 0.25 sin 2 and 0.125 cos 3 to 30 digits
      const DoubleDouble pivot_x = moves ? parsed("0.22732435670642042384900496647794") : DoubleDouble(0.0);
      const DoubleDouble pivot_z = moves ? parsed("-0.12374906207505568215894659934141") : DoubleDouble(0.0);
      EXPECT_LT(abs(whole("x") - pivot_x - ends[k][0]), 1e-29) << name;
      EXPECT_LT(abs(whole("z") - pivot_z - ends[k][2]), 1e-29) << name;
      if (k > 0 || moves) continue;
      // Angles belong to the same direction.
      const DoubleDouble length =
          square_root(ends[0][0] * ends[0][0] + ends[0][1] * ends[0][1] + ends[0][2] * ends[0][2]);
      const DoubleDouble theta = whole("theta");
      EXPECT_LT(abs(digits::cos(theta) * length + ends[0][2]), 1e-29) << name;
    }
  }
}

// A rod as a link and as a body on a hinge: two formulations, whose digits agree. All numbers have few binary
// digits, so that those of the body are exact as well. theta is from straight down, the angle from the
// drawing about y.
TEST(Precision, BodiesHaveColumnsOfDigitsThatAgreeWithThoseOfChains) {
  const std::string settings =
      "[simulation]\nduration = 1\ngravity = 9.8125\nprecision = \"double-double\"\n";
  const test::Recorded chain(
      scene_of(settings + "[[chain.links]]\nlength = 1\nmass = 1\ncenter_of_mass = 0.5\ninertia = "
                          "0.125\ntheta = \"90 deg\"\ntheta_dot = 0.5\n"),
      Schedule::grid(0.5, 1.0));
  const test::Recorded body(
      scene_of(
          settings +
          "[[bodies]]\nname = \"bar\"\nmass = 1\ninertia = [0.125, 0.125, 0.125]\nposition = [0.5, 0, 0]\n"
          "[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"bar\"]\npoint = [0, 0, "
          "0]\n"
          "axis = [0, 1, 0]\nrate = -0.5\n"),
      Schedule::grid(0.5, 1.0));
  const auto whole = [](const test::Recorded& run, const std::string& name) {
    const double hi = run.last(name), lo = run.last("lo_" + name);
    EXPECT_EQ(hi, hi + lo) << name << ": the nearest double";
    return DoubleDouble(hi, lo);
  };
  const DoubleDouble two(2.0);
  EXPECT_LT(abs(two * whole(body, "x_bar") - whole(chain, "x_1")), 1e-29);
  EXPECT_LT(abs(two * whole(body, "z_bar") - whole(chain, "z_1")), 1e-29);
  EXPECT_LT(abs(two * whole(body, "vz_bar") - whole(chain, "vz_1")), 1e-28);
  EXPECT_LT(abs(whole(body, "angle_pin") + whole(chain, "theta_1") - digits::pi<DoubleDouble>() / two),
            1e-29);
  EXPECT_LT(abs(whole(body, "angle_pin_dot") + whole(chain, "theta_dot_1")), 1e-28);
  EXPECT_LT(abs(whole(body, "wy_bar") + whole(chain, "theta_dot_1")), 1e-28);
  DoubleDouble square;
  for (const char* name : {"qw_bar", "qx_bar", "qy_bar", "qz_bar"})
    square += whole(body, name) * whole(body, name);
  EXPECT_LT(abs(square - DoubleDouble(1.0)), 1e-30);
}

// Links that are solved as bodies have the digits of the same chain solved by itself, in all its columns; so
// have those on a body that flies, whose columns are beside the chain's.
TEST(Precision, ChainsSolvedAsBodiesHaveAllDigits) {
  const std::string settings = "[simulation]\nduration = 0.5\nsample = 0.5\nprecision = \"double-double\"\n";
  const std::string links =
      "[[chain.links]]\nlength = 0.976\nmass = 1.834\ntheta = 2.044\nphi = 2.361\ntheta_dot = 2.26\n"
      "phi_dot = -0.3\ninertia = 0.123\ncenter_of_mass = 0.263\n"
      "[[chain.links]]\nlength = 0.7\nmass = 0.3\ndirection = [0.3, -0.1, 0.7]\nrate = [0.1, 0.2, 0.3]\n"
      "[[chain.links]]\nlength = 0.41\nmass = 0.9\ntheta = \"-40 deg\"\nphi = 0.9\ninertia = \"rod\"\n";
  const test::Recorded alone(scene_of(settings + "[chain]\npivot = [0.1, 0.2, 0.3]\n" + links));
  const test::Recorded bodies(
      scene_of(settings + "[chain]\npivot = [0.1, 0.2, 0.3]\nformulation = \"multibody\"\n" + links));
  const test::Recorded held(scene_of(
      settings +
      "[[bodies]]\nname = \"post\"\nshape = \"box\"\nsize = [0.1, 0.1, 0.1]\nmass = 1\nfixed = true\n"
      "position = [0.1, 0.2, 0.3]\n[[bodies]]\nname = \"bird\"\nshape = \"point\"\nmass = 0.1\n"
      "velocity = [0.3, 0, 0]\n[chain]\npivot = \"post\"\n" +
      links));
  for (const test::Recorded* other : {&bodies, &held}) {
    for (const char* stem : {"x", "y", "z", "vx", "vy", "vz", "theta", "phi", "theta_dot", "phi_dot"}) {
      for (const char* link : {"1", "2", "3"}) {
        const std::string name = fmt::format("{}_{}", stem, link);
        for (const std::size_t row : {0UL, 1UL}) {
          const DoubleDouble one(alone.at(row, name), alone.at(row, "lo_" + name)),
              two(other->at(row, name), other->at(row, "lo_" + name));
          EXPECT_LT(abs(one - two), 1e-27) << name << " in row " << row;
        }
      }
    }
  }
}

TEST(Precision, OtherRunsHaveColumnsOfDigitsWhenAsked) {
  const test::Recorded plain(scene_named("planar", ""), Schedule::grid(1.0, 1.0));
  EXPECT_FALSE(plain.has("lo_x_1"));
  const test::Recorded asked(scene_named("planar", ""), Schedule::grid(1.0, 1.0), {"x_1", "digits"});
  EXPECT_TRUE(asked.has("lo_x_1"));
  EXPECT_LE(std::fabs(asked.last("lo_x_1")), 1.2e-16);
}

TEST(Precision, DoublesAreAsFarOffAsTheirDigitsSay) {
  const double error = error_against_reference("planar", "tolerance = 1e-18");
  EXPECT_LT(error, 1e-14);
  EXPECT_GT(error, 1e-18);
}

// Tolerance 1e-20 leaves ten digits unused, 1e-25 five: the error follows the tolerance down.
TEST(Precision, TheErrorFollowsTheTolerance) {
  double before = 1e-17;
  for (const char* tolerance : {"1e-20", "1e-24", "1e-28"}) {
    const double error = error_against_reference(
        "planar", fmt::format("precision = \"double-double\"\ntolerance = {}", tolerance));
    EXPECT_LT(error, 1e3 * std::stod(tolerance));
    EXPECT_LT(error, 0.01 * before);
    before = error;
  }
}

TEST(Precision, EnergyIsKeptToThirtyDigits) {
  for (const auto& [name, text] : kScenes) {
    const test::Recorded run(scene_named(name, "precision = \"double-double\""));
    // A few hundred steps, each of which loses 1e-32 of the scale or so.
    // The energy of a chain on a moving pivot is computed from the pivot's velocity in double.
    EXPECT_LT(run.summary.energy_error_relative, name == "pivot" ? 1e-14 : 1e-29) << name;
    EXPECT_EQ(run.summary.precision, "double-double");
    EXPECT_LT(run.summary.constraint_error, 1e-30) << name;
  }
}

TEST(Precision, ARunTakenUpAgainGoesOnWithTheSameBits) {
  for (const char* settings : {"precision = \"double-double\"", "precision = \"quad\"",
                               "precision = \"double-double\"\nmethod = \"bulirsch-stoer\""}) {
    const Scene scene = scene_named("planar", settings);
    Lab whole(scene), first(scene), second(scene);
    for (int i = 0; i < 6; ++i) whole.advance();
    for (int i = 0; i < 4; ++i) first.advance();
    second.restore(first.checkpoint());  // from the start of its last step
    for (int i = 0; i < 3; ++i) second.advance();
    EXPECT_EQ(whole.state().hi, second.state().hi) << settings;
    EXPECT_EQ(whole.state().lo, second.state().lo) << settings;
    EXPECT_EQ(whole.state().t, second.state().t) << settings;
  }
}

std::string refusal_of(const Scene& scene) {
  try {
    const Lab lab(scene);
  } catch (const InputError& error) {
    return error.mistakes().front().message;
  }
  return "";
}

TEST(Precision, WhatCannotBeDoneIsRefusedByName) {
  const auto expect = [](const Scene& scene, const std::string& words) {
    const std::string reason = refusal_of(scene);
    EXPECT_NE(reason.find(words), std::string::npos) << reason;
    EXPECT_NE(reason.find("'double-double'"), std::string::npos) << reason;
  };
  const std::string precise = "precision = \"double-double\"";
  expect(scene_named("planar", precise + "\nmethod = \"dop853\""), "taylor and bulirsch-stoer");
}

}  // namespace
}  // namespace catena
