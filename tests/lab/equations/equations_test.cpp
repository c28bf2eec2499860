// Equations as they are printed, on systems whose equations everybody knows.
#include "catena/lab/equations/equations.h"

#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

std::string printed(const std::string& toml, bool latex = false) {
  return equations_of(scene_of("[simulation]\nduration = 1\n" + toml), latex).text();
}

void expect_in(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
}

constexpr const char* kPendulum =
    "[lagrangian]\ncoordinates = { theta = 1.0 }\nparameters = { m = 1.0, l = 2.0, g = 9.81 }\n"
    "kinetic = \"0.5*m*l^2*theta'^2\"\npotential = \"-m*g*l*cos(theta)\"\n";

TEST(Equations, PendulumInTextAndLatex) {
  expect_in(printed(kPendulum), {"M[theta, theta] = m*l^2\n", "m*l^2*theta'' + m*l*g*sin(theta) = 0\n"});
  expect_in(printed(kPendulum, true),
            {"M_{\\theta\\,\\theta} &= m l^{2}", "\\ddot{\\theta}", "\\sin\\left(\\theta\\right) &= 0",
             "\\begin{align*}", "\\end{align*}"});
}

TEST(Equations, ConstraintsAndTheirForces) {
  const std::string text = printed(
      "[lagrangian]\ncoordinates = { x = 1.0, z = 0.0 }\n"
      "parameters = { m = 1.0, g = 9.81, l = 1.0, c = 0.1, F = 2.0 }\n"
      "kinetic = \"0.5*m*(x'^2 + z'^2)\"\npotential = \"m*g*z\"\nconstraints = [\"x^2 + z^2 - l^2\"]\n"
      "dissipation = \"0.5*c*x'^2\"\nforces = { z = \"F\" }\n");
  expect_in(text, {"m*x'' = ", "lambda_1", "x^2 + z^2 - l^2 = 0\n", "D = 0.5*c*x'^2\n"});
}

// (m1 + m2) l1^2 th1'' + m2 l1 l2 (cos(th1 - th2) th2'' + sin(th1 - th2) th2'^2) + (m1 + m2) g l1 sin th1 = 0
TEST(Equations, DoublePendulumOfTheChain) {
  const std::string text =
      printed("[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n[[chain.links]]\nlength = 1\nmass = 2\n");
  expect_in(text, {"M[theta_1, theta_1] = (m_1 + m_2)*l_1^2\n", "M[theta_2, theta_2] = m_2*l_2^2\n",
                   "M[theta_1, theta_2] = m_2*l_1*l_2*cos(theta_1 - theta_2)\n", "*sin(theta_1) = 0\n",
                   "theta_2'^2*sin(theta_1 - theta_2)"});
  EXPECT_EQ(text.find("theta_1'*theta_2'*sin"), std::string::npos);  // these cancel
}

// What is printed of a chain is what moves it: the printed Lagrangian, simulated, follows the chain.
TEST(Equations, PrintedChainsMoveAsTheChainsThemselves) {
  const std::string links =
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\ninertia = \"rod\"\n[[chain.links]]\nlength = "
      "0.7\nmass = 2\n"
      "theta = -0.4\ncenter_of_mass = 0.3\n[[chain.links]]\nlength = 0.5\nmass = 0.4\nparent = 1\ntheta = "
      "0.2\n";
  const std::string text = printed(links);
  const auto value_of = [&](const std::string& key) {
    const std::size_t at = text.find("\n  " + key + " = ") + key.size() + 6;
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string parameters = text.substr(text.find("Parameters\n  ") + 13);
  const Scene chain = scene_of("[simulation]\nduration = 2\n" + links);
  const Scene again = scene_of(
      "[simulation]\nduration = 2\n[lagrangian]\ncoordinates = { theta_1 = 1.0, theta_2 = -0.4, theta_3 = "
      "0.2 }\n"
      "parameters = { " +
      parameters.substr(0, parameters.find('\n')) + " }\nkinetic = \"" + value_of("T") +
      "\"\npotential = \"" + value_of("V") + "\"\n");
  const test::Recorded a(chain, Schedule::list({2.0})), b(again, Schedule::list({2.0}));
  for (const char* angle : {"theta_1", "theta_2", "theta_3"})
    EXPECT_NEAR(a.last(angle), b.last(angle), 1e-11) << angle;
}

TEST(Equations, ChainsInSpaceHaveLinksAsConstraints) {
  expect_in(printed("[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\nphi_dot = 2\n[[chain.links]]\nlength "
                    "= 1\nmass = 1\n"),
            {"x_1^2 + y_1^2 + z_1^2 - l_1^2 = 0\n", "m_1*x_1'' = ", "(x_2 - x_1)^2"});
}

// Where on its curve a point is is one more unknown, along which nothing pushes.
TEST(Equations, ACurveHasItsParameter) {
  const std::string text = printed(
      "[[bodies]]\nname = \"bead\"\nshape = \"point\"\nmass = 2\nposition = [1, 0, 1]\n"
      "[[joints]]\nname = \"wire\"\nkind = \"point-on-curve\"\nbodies = [\"ground\", \"bead\"]\n"
      "curve = [\"s\", \"0\", \"s^2\"]\n");
  expect_in(text, {"Joint wire (point-on-curve)\n", "x_bead - s_wire = 0", "Along the curve, s_wire\n",
                   "lambda_3"});
}

TEST(Equations, MechanismsHaveJointsAndBodies) {
  const std::string text = printed(
      "[[bodies]]\nname = \"bob\"\nshape = \"point\"\nmass = 2\nposition = [1, 0, 0]\n"
      "[[joints]]\nname = \"rod\"\nkind = \"distance\"\nbodies = [\"ground\", \"bob\"]\npoints = [[0, 0, 0], "
      "[1, 0, 0]]\n");
  expect_in(text, {"Joint rod (distance)\n", "Body bob\n", "2*x_bob'' = ", "lambda_1",
                   "2*z_bob'' = lambda_1*z_bob - 19.62\n"});
  EXPECT_EQ(text.find("R11_bob"), std::string::npos);  // a point has no orientation
}

// 1/60 - 1/150 = 0.01: rounded once, not the difference of two rounded moments.
TEST(Equations, DifferencesOfMomentsAreRoundedOnce) {
  const std::string text =
      printed("[[bodies]]\nname = \"cart\"\nshape = \"box\"\nsize = [0.4, 0.2, 0.2]\nmass = 1\n");
  expect_in(text, {"0.0166666666667*wy_cart' - 0.01*wx_cart*wz_cart"});
}

std::string refusal(const std::string& toml) {
  try {
    printed(toml);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Equations, LargeSystemsAreRefusedWithTheReason) {
  EXPECT_NE(refusal("[[chain.links]]\nlength = 1\nmass = 1\nrepeat = 20\n").find("20 links"),
            std::string::npos);
  EXPECT_NE(refusal("[[chain.links]]\nlength = 1\nmass = 1\n[[forces]]\nkind = \"drag\"\n")
                .find("under gravity alone"),
            std::string::npos);
  EXPECT_NE(refusal("[chain]\nend = [1, 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\nrepeat = 2\n"
                    "theta = \"60 deg\"\n")
                .find("one free end"),
            std::string::npos);
}

}  // namespace
}  // namespace catena
