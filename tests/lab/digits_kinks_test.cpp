// Runs with more digits than a double: impulses where prescribed motions have kinks, and chains in angles,
// charts and Lie groups, against closed forms and against one another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/math/functions_digits.h"
#include "lab/digits.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

DoubleDouble pair_in(const Recorded& run, const std::string& name) {
  return {run.last(name), run.last("lo_" + name)};
}

// The largest difference of these columns in the last row.
double rows_apart(const Recorded& a, const Recorded& b, const std::vector<std::string>& columns) {
  double largest = 0.0;
  for (const std::string& name : columns) {
    const double difference = abs(pair_in(a, name) - pair_in(b, name));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

std::string simulated_for(const std::string& precision, double duration, const std::string& more = "") {
  return fmt::format("[simulation]\nduration = {0}\nsample = {0}\nprecision = \"{1}\"\n{2}", duration,
                     precision, more);
}

const std::vector<std::string> kTwoEnds{"x_1", "y_1", "z_1", "vx_1", "x_2", "y_2", "z_2", "vx_2", "vz_2"};

// x = 0.3 + sin theta, sin(theta/2) = k sn(w t, k), k = v / (2 w): a load at rest below a trolley that goes
// with 1 m/s and stops after three tenths of a second, which no double is, 1.7 s later; by 50 digits of
// mpmath.
TEST(DigitsKinks, ALoadSwingsOnWhenItsTrolleyStops) {
  const DoubleDouble x = parsed("0.0344849520283203921884014793623881847");
  const DoubleDouble v = parsed("0.524330270506997252607021714712147304");
  for (const std::string& precision : kPrecisions) {
    for (const std::string formulation : {"tension", "articulated", "angles", "chart", "lie"}) {
      const Recorded run(scene_of(simulated_for(precision, 2.0) + "[chain]\nformulation = \"" + formulation +
                                  "\"\npivot = [\"min(t, 0.3)\", 0, 0]\n[[chain.links]]\nlength = 1\n"
                                  "mass = 2\n"));
      EXPECT_LT(abs(pair_in(run, "x_1") - x), 1e-29) << precision << formulation;
      EXPECT_LT(abs(pair_in(run, "vx_1") - v), 1e-29) << precision << formulation;
      EXPECT_LT(run.summary.energy_error_relative, 1e-14) << precision << formulation;
    }
  }
}

// Extrapolation is cut at a kink by the polynomial through its steps' ends.
TEST(DigitsKinks, BulirschStoerPassesThem) {
  const auto scene = [](const std::string& settings) {
    return scene_of(simulated_for("double-double", 1.0, settings) +
                    "[chain]\npivot = [\"0.2*abs(t - 0.3)\", 0, \"0.1*min(t, 0.6)\"]\n"
                    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.3\n"
                    "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1.4\n");
  };
  const Recorded taylor(scene("")), other(scene("method = \"bulirsch-stoer\"\n"));
  EXPECT_LT(rows_apart(taylor, other, kTwoEnds), 1e-25);
}

TEST(DigitsKinks, FormulationsAreStruckAlikeInSpaceAndInAPlane) {
  for (const std::string& precision : kPrecisions) {
    for (const std::string azimuth : {"0", "1.1"}) {
      const auto run = [&](const std::string& formulation) {
        return Recorded(scene_of(
            simulated_for(precision, 1.5) + "[chain]\nformulation = \"" + formulation +
            "\"\npivot = [\"0.2*abs(t - 0.3) + 0.1*max(0, t - 0.9)\", 0, \"0.1*min(t, 0.6)\"]\n"
            "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.3\n"
            "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1.4\nphi = " +
            azimuth + "\n[[chain.links]]\nlength = 0.4\nmass = 0.8\ntheta = 2.9\ntheta_dot = 1.5\n"));
      };
      const Recorded tension = run("tension");
      EXPECT_LT(tension.summary.counts.steps, 100) << "each kink is passed once";
      for (const std::string formulation : {"articulated", "angles", "chart", "lie"}) {
        if (azimuth != "0" && formulation == "angles") continue;
        EXPECT_LT(rows_apart(tension, run(formulation), {"x_1", "z_2", "y_3", "x_3", "z_3", "vx_3"}), 1e-27)
            << precision << formulation << azimuth;
      }
    }
  }
}

// Springs pass no impulse: in the world the masses keep their velocities.
TEST(DigitsKinks, ElasticChainsAgreeWithLagrange) {
  for (const std::string& precision : kPrecisions) {
    const Recorded chain(
        scene_of(simulated_for(precision, 1.0) +
                 "[chain]\nkind = \"elastic\"\npivot = [\"min(t, 0.3)\", 0, 0]\n"
                 "[[chain.links]]\nlength = 1\nmass = 2\nstiffness = 200\ntheta = \"90 deg\"\n"));
    const Recorded by_hand(
        scene_of(simulated_for(precision, 1.0) +
                 "[lagrangian]\ncoordinates = { x = 1, z = 0 }\nrates = { x = 1 }\n"
                 "parameters = { k = 200 }\nkinetic = \"x'^2 + z'^2\"\n"
                 "potential = \"2*9.81*z + k/2*(sqrt((x - min(t, 0.3))^2 + z^2) - 1)^2\"\n"));
    EXPECT_LT(abs(pair_in(chain, "x_1") - pair_in(by_hand, "x")), 1e-27) << precision;
    EXPECT_LT(abs(pair_in(chain, "z_1") - pair_in(by_hand, "z")), 1e-27) << precision;
  }
}

// Three bodies without mass carry a pivot there; with a law in the joints and a force that acts on the links.
TEST(DigitsKinks, LinksAsBodiesHangOnPivotsThatMove) {
  const auto scene = [](const std::string& precision, const std::string& formulation,
                        const std::string& pivot) {
    return scene_of(simulated_for(precision, 1.5) + "[chain]\nformulation = \"" + formulation +
                    "\"\npivot = [" + pivot +
                    "]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.3\ndamping = 0.1\n"
                    "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1.4\nphi = 1.1\ntheta_dot = 1.5\n"
                    "[[forces]]\nkind = \"drag\"\nlinear = 0.1\n");
  };
  const std::string smooth = "\"0.3*sin(3*t)\", \"0.2*cos(2*t)\", \"0.1*t^2\"",
                    kinked = "\"0.2*abs(t - 0.3) + 0.1*max(0, t - 0.9)\", 0, \"0.1*min(t, 0.6)\"";
  for (const std::string& precision : {std::string("double"), kPrecisions[0], kPrecisions[1]}) {
    for (const std::string& pivot : {smooth, kinked}) {
      const Recorded tension(scene(precision, "tension", pivot)),
          bodies(scene(precision, "multibody", pivot));
      if (precision != "double") {
        EXPECT_LT(rows_apart(tension, bodies, kTwoEnds), pivot == smooth ? 1e-28 : 1e-27)
            << precision << pivot;
        continue;
      }
      for (const std::string& name : kTwoEnds)
        EXPECT_NEAR(tension.last(name), bodies.last(name), 1e-12) << name << pivot;
      for (const std::string name : {"fx_pivot", "fz_pivot", "tension_1", "kinetic_2"})
        EXPECT_NEAR(tension.last(name), bodies.last(name), 1e-10) << name << pivot;
    }
  }
}

// M dv = J^T Lambda with all joints in J, in another solver than a pivot's.
TEST(DigitsKinks, APivotAndACartThatAMotorMovesAreStruckAlike) {
  const std::string links =
      "[[chain.links]]\nlength = 0.7\nmass = 1\ntheta = 0.9\nphi_dot = 0.6\n[[chain.links]]\nlength = 0.5\n"
      "mass = 0.4\ntheta = 2\nphi = 1\n";
  const std::string motion = "0.8*min(t, 0.3) + 0.1*abs(t - 0.7) - 0.1*t";
  for (const std::string& precision : kPrecisions) {
    const Recorded pivot(scene_of(simulated_for(precision, 1.0) + "[chain]\npivot = [\"" + motion +
                                  " - 0.07\", 0, 0]\n" + links));
    const Recorded cart(
        scene_of(simulated_for(precision, 1.0) +
                 "[[bodies]]\nname = \"cart\"\nsize = [0.4, 0.2, 0.2]\nmass = 1\nvelocity = [0.6, 0, 0]\n"
                 "[[joints]]\nname = \"rail\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"cart\"]\n"
                 "point = [0, 0, 0]\naxis = [1, 0, 0]\nmotor = { travel = \"" +
                 motion + " - 0.07\" }\n[chain]\npivot = \"cart\"\n" + links));
    ASSERT_EQ(cart.summary.outcome, Outcome::done) << cart.summary.message;
    EXPECT_LT(rows_apart(pivot, cart, kTwoEnds), 1e-27) << precision;
  }
}

// A pendulum whose point of suspension is held by constraints that stop, and by a pivot.
TEST(DigitsKinks, ConstraintsThatStopStrikeLikePivots) {
  for (const std::string& precision : kPrecisions) {
    const Recorded pivot(scene_of(simulated_for(precision, 1.0) +
                                  "[chain]\npivot = [\"min(t, 0.3)\", 0, 0]\n[[chain.links]]\nlength = 1\n"
                                  "mass = 2\ntheta = 0.5\n[[chain.links]]\nlength = 0.5\nmass = 1\n"));
    const Recorded tied(scene_of(
        simulated_for(precision, 1.0) +
        "[lagrangian]\ncoordinates = { x = 0, a = 0.5, b = 0 }\nrates = { x = 1 }\n"
        "kinetic = \"x'^2 + a'^2 + 2*x'*a'*cos(a) + (x'^2 + a'^2 + b'^2/4 + 2*x'*a'*cos(a) + x'*b'*cos(b) + "
        "a'*b'*cos(a - b))/2\"\n"
        "potential = \"-9.81*(3*cos(a) + cos(b)/2)\"\nconstraints = [\"x - min(t, 0.3)\"]\n"));
    ASSERT_EQ(tied.summary.outcome, Outcome::done) << tied.summary.message;
    EXPECT_LT(abs(pair_in(pivot, "theta_1") - pair_in(tied, "a")), 1e-27) << precision;
    EXPECT_LT(abs(pair_in(pivot, "theta_2") - pair_in(tied, "b")), 1e-27) << precision;
    EXPECT_LT(tied.summary.energy_error_relative, 1e-14) << precision;
  }
}

// Kinks at numbers that no double is, close to one another, touched with all slopes, or many.
TEST(DigitsKinks, EachIsPassedOnce) {
  for (const std::string motion : {"0.2*abs(t - 0.3) + 0.1*max(0, t - 0.9)", "abs((t - 1)^3)",
                                   "0.1*abs(sin(10*t))", "max(t - 0.3, 0) + max(0.3 - t, 0)", "abs(t - 1/3)",
                                   "0.3*max(sin(4*t), 0.2) - 0.06", "choose(t - 0.7, 0.49, t^2)"}) {
    const auto run = [&](const std::string& precision) {
      return Recorded(scene_of(simulated_for(precision, 1.5) + "[chain]\npivot = [\"" + motion +
                               "\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.3\n"));
    };
    const Recorded plain = run("double"), digits = run("double-double");
    EXPECT_EQ(digits.summary.outcome, Outcome::done) << motion << digits.summary.message;
    EXPECT_LT(digits.summary.counts.steps, 2 * plain.summary.counts.steps + 2) << motion;
    EXPECT_NEAR(digits.last("x_1"), plain.last("x_1"), 1e-13) << motion;
  }
}

TEST(DigitsKinks, ARunTakenUpAgainBesideAKinkGoesOnWithTheSameBits) {
  for (const std::string settings : {"max_step = 0.125\n", ""}) {
    const Scene scene = scene_of(simulated_for("double-double", 2.0, settings) +
                                 "[chain]\npivot = [\"abs(t - 1) + min(t, 0.3)\", 0, 0]\n[[chain.links]]\n"
                                 "length = 1\nmass = 2\ntheta = 1\n");
    Lab all(scene);
    std::vector<std::string> checkpoints;
    while (all.time() < 2.0) {
      ASSERT_EQ(all.advance(), StepStatus::done);
      checkpoints.push_back(all.checkpoint());
    }
    for (const std::string& checkpoint : checkpoints) {
      Lab again(scene);
      again.restore(checkpoint);
      while (again.time() < 2.0) ASSERT_EQ(again.advance(), StepStatus::done);
      EXPECT_EQ(all.state().hi, again.state().hi) << settings;
      EXPECT_EQ(all.state().lo, again.state().lo) << settings;
    }
  }
}

// ---- formulations -----------------------------------------------------------------------------------------

const std::string kLinksInAPlane =
    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\ntheta_dot = 0.3\n"
    "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"400 deg\"\ntheta_dot = -0.1\n";
const std::string kLinksInSpace =
    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\nphi_dot = 1.5\n"
    "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = \"90 deg\"\nphi = \"90 deg\"\ntheta_dot = -0.5\n";
const std::string kDragAndPush =
    "[[forces]]\nkind = \"drag\"\nlinear = 0.25\ncoefficient = 0\n"
    "[[forces]]\nkind = \"formula\"\nforce = [\"0.5*cos(3*t)\", 0, 0]\n";

TEST(DigitsFormulations, AgreeWithTensionsToTwentyEightDigits) {
  for (const std::string& precision : kPrecisions) {
    for (const auto& [links, in_a_plane] : {std::pair{kLinksInAPlane, true}, {kLinksInSpace, false}}) {
      for (const std::string& more : {std::string(), kDragAndPush}) {
        const auto run = [&](const std::string& formulation) {
          return Recorded(scene_of(simulated_for(precision, 1.0) + "[chain]\nformulation = \"" + formulation +
                                   "\"\n" + links + more));
        };
        const Recorded tension = run("tension");
        for (const std::string formulation : {"angles", "chart", "lie"}) {
          if (!in_a_plane && formulation == "angles") continue;
          const Recorded other = run(formulation);
          EXPECT_LT(rows_apart(tension, other, kTwoEnds), 1e-28) << precision << formulation << links << more;
          EXPECT_LT(other.summary.energy_error_relative, 1e-29) << precision << formulation;
          if (formulation == "chart" || !in_a_plane) continue;  // charts have angles of their own
          EXPECT_LT(rows_apart(tension, other, {"theta_1", "theta_2", "theta_dot_1", "theta_dot_2"}), 1e-28)
              << precision << formulation;
        }
      }
    }
  }
}

TEST(DigitsFormulations, BulirschStoerAgreesWithTaylor) {
  for (const std::string formulation : {"chart", "lie"}) {
    const auto run = [&](const std::string& settings) {
      return Recorded(scene_of(simulated_for("double-double", 1.0, settings) + "[chain]\nformulation = \"" +
                               formulation + "\"\n" + kLinksInSpace));
    };
    EXPECT_LT(rows_apart(run(""), run("method = \"bulirsch-stoer\"\ntolerance = 1e-30\n"), kTwoEnds), 1e-26)
        << formulation;
  }
}

// Charts have poles; links go over to the other chart before, with all their digits.
TEST(DigitsFormulations, ChartsChangeWithAllDigits) {
  const std::string links =
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.1\nphi_dot = 0.2\ntheta_dot = 9\n";
  for (const std::string& precision : kPrecisions) {
    const auto run = [&](const std::string& formulation) {
      return Recorded(scene_of(simulated_for(precision, 4.0) + "[chain]\nformulation = \"" + formulation +
                               "\"\n" + links));
    };
    const Recorded chart = run("chart");
    EXPECT_LT(rows_apart(run("tension"), chart, {"x_1", "y_1", "z_1", "vx_1", "vy_1"}), 1e-27) << precision;
    EXPECT_LT(chart.summary.energy_error_relative, 1e-29) << precision;
    // The angle from the pole that the chart has.
    const bool is_z = chart.last("pole_1") == 1.0;
    const DoubleDouble along = is_z ? -pair_in(chart, "z_1") : pair_in(chart, "x_1");
    EXPECT_LT(abs(digits::cos(pair_in(chart, "theta_1")) - along), 1e-30) << precision;
  }
}

}  // namespace
}  // namespace catena
