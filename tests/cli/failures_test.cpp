// What ends a run is said: the formula as written, its place, the time and the values of what it is made of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

class CliFailures : public Workplace {
 protected:
  // Exit 1 within a moment, with all of these words on standard error.
  void expect_failure(const std::string& scene, const std::vector<std::string>& said,
                      const std::vector<std::string>& options = {}) {
    write("a.toml", scene);
    Words words{"run", "a.toml", "-o", "a.csv"};
    words.insert(words.end(), options.begin(), options.end());
    const Result ran = catena(words);
    EXPECT_EQ(ran.status, 1) << scene << ran.err;
    for (const std::string& one : said)
      EXPECT_NE(ran.err.find(one), std::string::npos) << one << "\n" << scene << ran.err;
    EXPECT_EQ(ran.err.find("smaller tolerance"), std::string::npos) << ran.err;
  }

  void expect_refusal(const std::string& scene, const std::vector<std::string>& said) {
    write("a.toml", scene);
    const Result checked = catena({"check", "a.toml"});
    EXPECT_EQ(checked.status, 2) << scene;
    for (const std::string& one : said)
      EXPECT_NE(checked.err.find(one), std::string::npos) << one << "\n" << scene << checked.err;
  }
};

const std::string kSwing = "[simulation]\nduration = 5\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n";

const std::vector<std::vector<std::string>> kMethods{{},
                                                     {"--method", "dop853"},
                                                     {"--method", "rk4", "--step", "1e-3"},
                                                     {"--method", "radau5"},
                                                     {"--method", "rkmk54"}};

TEST_F(CliFailures, AForceThatIsNoNumberIsNamedForEveryMethod) {
  for (const auto& method : kMethods)
    expect_failure(kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"log(2 - t)\", 0, 0]\n",
                   {"a.toml:9:10", "force 1: force: 'log(2 - t)'", "at t = 2", " s"}, method);
}

TEST_F(CliFailures, LawsOfEveryKindAreNamedWithTheirValues) {
  // The bob falls from x = 0.84 towards 0.
  expect_failure(kSwing + "[[forces]]\nkind = \"formula\"\npotential = \"-0.5/(x - 0.5)\"\n",
                 {"a.toml:9:13", "force 1: potential: '-0.5/(x - 0.5)'", "where x = 0.5"});
  expect_failure(kSwing + "[[forces]]\nkind = \"formula\"\ntorque = [0, \"sqrt(1.5 - t)\", 0]\n",
                 {"a.toml:9:", "force 1: torque: 'sqrt(1.5 - t)'", "at t = 1.5"});
  expect_failure(kSwing + "charge = 1\n[[forces]]\nkind = \"electric\"\nfield = [\"log(x)\", 0, 0]\n",
                 {"a.toml:10:", "force 1: field: 'log(x)'", "where x = "});
  expect_failure(
      kSwing +
          "drag_area = 1\n[[forces]]\nkind = \"wind\"\nvelocity = [\"1/(1 - t)\", 0, 0]\n[[forces]]\n"
          "kind = \"drag\"\n",
      {"a.toml:10:", "force 1: velocity: '1/(1 - t)'", "at t = "});
}

TEST_F(CliFailures, PivotsMotorsAndLagrangiansAreNamed) {
  expect_refusal(
      "[simulation]\nduration = 5\n[chain]\npivot = [\"log(1.5 - t)\", 0, 0]\n[[chain.links]]\nlength = "
      "1\nmass = 1\n",
      {"a.toml:4:", "chain: pivot: log or tan is infinite at about t = 1.5 s"});
  const std::string wheel =
      "[simulation]\nduration = 5\n[[bodies]]\nname = \"a\"\nshape = \"box\"\nsize = [1, 1, 1]\nmass = 1\n"
      "[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, "
      "0]\naxis = [0, 1, "
      "0]\n";
  expect_failure(wheel + "motor = { torque = \"1/(1 - q)\" }\n",
                 {"a.toml:14:", "joint 'pin': motor.torque: '1/(1 - q)'", "where q = "});
  expect_failure(
      "[simulation]\nduration = 5\n[lagrangian]\ncoordinates = { x = 1.0 }\nkinetic = "
      "\"x'^2/2\"\npotential = \"log(x)\"\n",
      {"a.toml:6:", "lagrangian: potential: 'log(x)'", "where x = "});
}

// x = sqrt(1 - 2 t) ends at t = 1/2, 1/(1 - t) at 1.
TEST_F(CliFailures, EquationsAreNamedForEveryMethod) {
  const auto system = [](const std::string& dot) {
    return "[simulation]\nduration = 5\n[equations]\nstates = { x = 1, y = 0 }\ndot = { " + dot + " }\n";
  };
  const std::vector<std::vector<std::string>> methods{{},
                                                      {"--method", "dop853"},
                                                      {"--method", "radau5"},
                                                      {"--method", "bulirsch-stoer"},
                                                      {"--set", "simulation.precision=double-double"}};
  for (const auto& method : methods) {
    expect_failure(system("x = \"-1/x\", y = \"x\""),
                   {"a.toml:5:13", "equations: dot.x: '-1/x' grows without bound", "at t = 0.", "where x = "},
                   method);
    expect_failure(system("x = \"-1\", y = \"log(x - 0.25)\""),
                   {"a.toml:5:23", "equations: dot.y: 'log(x - 0.25)'", "at t = 0.7", "where x = 0.25"},
                   method);
    expect_failure(system("x = \"1\", y = \"log(2 - t)\""),
                   {"a.toml:5:22", "dot.y: 'log(2 - t)'", "at t = 2"}, method);
  }
  expect_failure(system("x = \"x^2\", y = \"1\""), {"a.toml:5:13", "dot.x: 'x^2' grows without bound"});
  expect_failure(system("x = \"-1\", y = \"sqrt(x)\""), {"dot.y: 'sqrt(x)' is not a number at t = 1"});
  expect_refusal(system("x = \"1/y\", y = \"log(-x)\""),
                 {"a.toml:5:13: equations: dot.x has no finite value at the start (inf)",
                  "a.toml:5:24: equations: dot.y has no finite value at the start (nan)"});
}

TEST_F(CliFailures, NoRunHangs) {
  // Kinks that a prescribed motion cannot follow are refused before it starts.
  const auto pivot = [](const std::string& formula) {
    return "[simulation]\nduration = 5\n[chain]\npivot = [\"" + formula +
           "\", 0, 0]\n[[chain.links]]\nlength = "
           "1\nmass = 1\n";
  };
  expect_refusal(pivot("asin(sin(2*t))"), {"a.toml:4:", "chain: pivot: asin or acos", "t = 0.785398"});
  expect_refusal(pivot("acos(cos(2*t))"), {"chain: pivot: asin or acos"});
  expect_refusal(pivot("norm(t - 1, (t - 1)^2)"), {"chain: pivot: norm vanishes", "t = 1 s"});
  expect_refusal(pivot("atan2(sin(3*t), cos(3*t))"), {"chain: pivot: atan2 jumps", "t = 1.0472"});
  for (const char* smooth : {"asin(0.99*sin(2*t))", "norm(t - 1, 0.01)", "atan2(sin(3*t), 1.01 + cos(3*t))",
                             "norm(t - 1, 2*(t - 1))"}) {
    write("a.toml", pivot(smooth));
    const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--quiet"});
    EXPECT_EQ(ran.status, 0) << smooth << ran.err;
  }
  expect_refusal(
      "[simulation]\nduration = 1\n[lagrangian]\ncoordinates = { x = -1.0 }\nrates = { x = 1.0 }\n"
      "kinetic = \"choose(x, 2, 1)*x'^2/2\"\n",
      {"a.toml:6:", "kinetic has masses with sign or choose"});
}

// The whole formula is a plain number all the time: what it is made of is not, and is told.
TEST_F(CliFailures, AFormulaWhosePartLeavesTheRangeIsNamedWithThatPart) {
  const std::string law = kSwing + "[[forces]]\nkind = \"formula\"\n";
  for (const auto& method : {kMethods[0], kMethods[1], kMethods[3]}) {
    expect_failure(law + "force = [\"1/(1 + exp(200*t)^2)\", 0, 0]\n",
                   {"a.toml:9:10",
                    "force 1: force: '1/(1 + exp(200*t)^2)' has a part that leaves the range of "
                    "numbers at t = 1.",
                    " s: it is "},
                   method);
    expect_failure(
        law + "force = [0, \"cosh(300*t)/sinh(300*t + 1)\", 0]\n",
        {"a.toml:9:13", "'cosh(300*t)/sinh(300*t + 1)' has a part that leaves the range of numbers"}, method);
  }
  // The same written so that nothing leaves it.
  write("a.toml", law + "force = [\"logistic(-400*t)\", 0, 0]\n");
  EXPECT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quiet"}).status, 0);
}

// Their values are numbers, their slopes are not: series need these, others do not.
TEST_F(CliFailures, FormulasWithoutASlopeAreNamedWhereSeriesNeedIt) {
  const auto law = [](const std::string& force) {
    return kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"" + force + "\", 0, 0]\n";
  };
  expect_failure(law("sqrt(t)"),
                 {"a.toml:9:10", "force 1: force: 'sqrt(t)' has no derivative of order 1 by t at t = 0 s",
                  "dop853, may pass"});
  expect_failure(law("t^1.5"), {"'t^1.5' has no derivative of order 2 by t at t = 0 s"});
  expect_failure(law("t^t"), {"has no derivative of order 1 by t at t = 0 s"});
  EXPECT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quiet", "--method", "dop853"}).status, 0);
  write("b.toml", kSwing);
  const Result refused = catena({"run", "b.toml", "-o", "b.csv", "--max-step", "1e-20"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("5 s in steps of 1e-20 s would be 5e+20 steps: choose a larger max_step"),
            std::string::npos)
      << refused.err;
}

// Kinks under a root or a power that is no whole number: a step comes close to them, and not there.
TEST_F(CliFailures, KinksWithoutASlopeAreNamedWhereTheyAre) {
  const auto law = [](const std::string& force) {
    return kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"" + force + "\", 0, 0]\n";
  };
  expect_failure(law("abs(t - 0.5)^0.5"),
                 {"a.toml:9:10", "force 1: force: 'abs(t - 0.5)^0.5' is not smooth at t = 0.5 s",
                  "'sqrt(abs(t - 0.5))' ends there", "dop853, may pass"});
  EXPECT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quiet", "--method", "dop853"}).status, 0);
  expect_failure(law("2 + sqrt(abs(t - 0.75))"), {"is not smooth at t = 0.75 s"});
  expect_failure(law("abs(t - 0.5)^1.5"), {"is not smooth at t = 0.5 s", "'abs(t - 0.5)^1.5' ends there"});
  expect_failure(law("min(abs(t - 0.5)^2.5, 0.4)"), {"is not smooth at t = 0.5 s"});
  expect_failure(law("abs(x - 0.5)^0.5"), {"is not smooth at t = 0.3579", "where x = 0.5"});
  expect_failure(law("x*log(abs(t - 0.5))"), {"'x*log(abs(t - 0.5))' grows without bound at t = 0.5 s"});
  expect_failure(law("abs(t - 0.5)^-0.3"), {"grows without bound at t = 0.5 s"}, {"--method", "radau5"});
  const auto pivot = [](const std::string& formula) {
    return "[simulation]\nduration = 5\n[chain]\npivot = [\"" + formula +
           "\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\n";
  };
  expect_refusal(pivot("abs(t - 0.5)^0.5"), {"a.toml:4:", "chain: pivot: what stands under a root vanishes",
                                             "infinite", "at about t = 0.5 s"});
  expect_refusal(pivot("0.1*abs(t - 0.5)^1.5"),
                 {"the base of a power that is not whole, or negative, vanishes", "at about t = 0.5 s"});
}

// The same without abs: a square that comes to zero does not change its sign there.
TEST_F(CliFailures, RootsOfWhatOnlyTouchesZeroAreNamed) {
  const auto law = [](const std::string& force) {
    return kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"" + force + "\", 0, 0]\n";
  };
  for (const char* force : {"((t - 0.5)^2)^0.25", "((t - 0.5)^4)^0.3"})
    expect_failure(law(force), {"a.toml:9:10", "is not smooth at t = 0.5 s", "dop853, may pass"});
  // Roundoff hides the place within 1e-8 s.
  expect_failure(law("sqrt(1 - cos(t - 0.5))"),
                 {"a.toml:9:10", "is not smooth at t = 0.", "dop853, may pass"});
  expect_failure(law("((x - 0.5)^2)^0.25"), {"is not smooth at t = 0.3579", "where x = 0.5"});
  // What stays away from zero, if only just, is passed, and agrees with a method without series.
  for (const char* force : {"((t - 0.5)^2 + 1e-8)^0.25", "sqrt(1.00000001 - cos(t - 0.5))"}) {
    write("a.toml", law(force));
    for (const char* method : {"taylor", "dop853"}) {
      const std::string file = std::string(method) + ".json";
      const Result ran =
          catena({"run", "a.toml", "-o", file, "--quiet", "--method", method, "--tolerance", "1e-13"});
      EXPECT_EQ(ran.status, 0) << force << ran.err;
    }
    const auto last = [&](const char* file) {
      return nlohmann::json::parse(read(file))["columns"]["theta_1"].back().get<double>();
    };
    EXPECT_NEAR(last("taylor.json"), last("dop853.json"), 1e-10) << force;
  }
}

// Prescribed motions without a rate, or infinite, are refused before any method starts, also where its steps
// would pass them by; what choose leaves out, and what is not reached in time, is no reason.
TEST_F(CliFailures, PrescribedMotionsWithoutARateAreRefused) {
  const auto pivot = [](const std::string& formula) {
    return "[simulation]\nduration = 5\nmethod = \"rk4\"\nstep = 0.003\n[chain]\npivot = [\"" + formula +
           "\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\n";
  };
  const auto motor = [](const std::string& formula) {
    return "[simulation]\nduration = 5\n[[bodies]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joints]]\n"
           "kind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
           "motor = { angle = \"" +
           formula + "\" }\n";
  };
  const std::vector<std::pair<std::string, std::string>> faults{{"((t - 0.5)^2)^0.25", "t = 0.5 s"},

                                                                {"abs(t - 1)^(1/3)", "t = 1 s"},
                                                                {"0.01/(t - 0.5004)", "t = 0.5004 s"},
                                                                {"0.01*(t - 3)^-2", "t = 3 s"},
                                                                {"log(4.25 - t)", "t = 4.25 s"},
                                                                {"0.01*tan(t)", "t = 1.5708 s"},
                                                                {"max(0, t - 1)^1.5", "t = 1 s"},
                                                                {"0.1*t^1.5", "t = "}};
  for (const auto& [formula, when] : faults) {
    expect_refusal(pivot(formula), {"a.toml:6:", "chain: pivot: ", "at about " + when});
    expect_refusal(motor(formula), {"motor.angle: ", "at about " + when});
  }
  for (const char* fine : {"0.1*t^2.5", "0.1*sqrt((t - 2)^2)", "sqrt(0.01 + (t - 1)^2)", "0.1/(6 - t)",
                           "choose(t - 1, sqrt(t - 0.5), 0.5^0.5)", "0.1*max(0, t - 1)^2",
                           "sqrt(4 - (1.9*sin(t))^2)", "0.1*(2 + sin(50*t))^-1.5"}) {
    write("a.toml", pivot(fine));
    const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--quiet"});
    EXPECT_EQ(ran.status, 0) << fine << ran.err;
  }
}

// Each time the number of steps doubles, the run gets ln(2)/10 s further: it would take 1e400 of them to get
// to the end. At 1.9 s it is there within seconds.
TEST_F(CliFailures, StepsThatGetEverShorterEndWithWhatMakesThem) {
  const std::string scene = kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"exp(20*t)\", 0, 0]\n";
  const std::vector<std::vector<std::string>> methods{{}, {"--method", "dop853", "--tolerance", "1e-13"}};
  for (std::vector<std::string> options : methods) {
    options.insert(options.end(), {"--duration", "100", "--sample", "100"});
    expect_failure(scene,
                   {"steps get ever shorter: at t = 1.", "the end at 100 s is not reached",
                    "a.toml:9:10: force 1: force: 'exp(20*t)' is "},
                   options);
  }
  write("a.toml", scene);
  EXPECT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quiet", "--duration", "1.2"}).status, 0);
}

// Where both sides of a switch lead back to it the motion slides along it, and there is no end of switching.
TEST_F(CliFailures, MotionsThatSlideAlongASwitchAreNamed) {
  expect_failure(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 1 }\ndot = { x = \"0.1 - sign(x)\" }\n",
      {"a.toml:5:", "dot.x: '0.1 - sign(x)' switches to and fro at t = 1.11111111", "tanh(x/w)"});
}

// Methods without series take steps as short as the tolerance there, and would for hours.
TEST_F(CliFailures, MethodsWithoutSeriesDoNotSlideForHours) {
  const std::string slide = "[simulation]\nduration = 3\n[equations]\nstates = { x = 1 }\ndot = { x = ";
  for (const char* method : {"dop853", "vern9", "tsit5", "radau5", "bulirsch-stoer"}) {
    expect_failure(slide + "\"0.1 - sign(x)\" }\n",
                   {"a.toml:5:", "dot.x: '0.1 - sign(x)' switches to and fro at t = 1.1", "tanh(x/w)"},
                   {"--method", method});
  }
  // Jumps of less than 1, and of what acts on the rate of a rate.
  for (const char* method : {"taylor", "dop853", "tsit5"}) {
    expect_failure(
        "[simulation]\nduration = 2\n[equations]\nstates = { x = 0.3, v = 0 }\ndot = { x = \"v\", "
        "v = \"-x - choose(v, 0.4, -0.4)\" }\n",
        {"a.toml:5:", "choose(v, 0.4, -0.4)' switches to and fro"}, {"--method", method});
    expect_failure(kSwing + "[[forces]]\nkind = \"formula\"\nforce = [\"-15*sign(vx)\", 0, 0]\n",
                   {"a.toml:9:", "force 1: force: '-15*sign(vx)' switches to and fro"}, {"--method", method});
    // A hinge whose motor drives it onto a line, and keeps it there.
    expect_failure(
        "[simulation]\nduration = 3\ngravity = 0\n[[bodies]]\nname = \"a\"\nshape = \"rod\"\nlength = 1\n"
        "mass = 1\nposition = [0.5, 0, 0]\n[[joints]]\nname = \"j\"\nkind = \"revolute\"\n"
        "bodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nrate = -1\n"
        "motor = { torque = \"0.4*sign(-0.74*q - 0.96*rate - 0.55)\" }\n",
        {"a.toml:17:", "motor.torque: '0.4*sign(-0.74*q - 0.96*rate - 0.55)' switches to and fro"},
        {"--method", method});
  }
}

// A coarse tolerance slides in few steps: x stays at 0 but for the tolerance.
TEST_F(CliFailures, SlidesThatEndSoonGoOn) {
  write("a.toml",
        "[simulation]\nduration = 3\nmethod = \"dop853\"\ntolerance = 1e-5\n[equations]\nstates = { x = 1 }\n"
        "dot = { x = \"0.1 - sign(x)\" }\n");
  const Result ran = catena({"run", "a.toml", "--times", "3", "-o", "a.csv"});
  EXPECT_EQ(ran.status, 0) << ran.err;
}

// What is sqrt(t) at its start has no slope there, and took all time there is.
TEST_F(CliFailures, AccountsWithoutASlopeEndTheRun) {
  write("a.toml",
        "[simulation]\nduration = 1e-6\n[lagrangian]\ncoordinates = { q = 0.1 }\nkinetic = "
        "\"q'^2/2\"\npotential = \"sqrt(t)\"\n");
  const Result ran = catena({"run", "a.toml", "-o", "a.csv"});
  EXPECT_NE(ran.status, 0) << ran.out;
  EXPECT_NE(ran.err.find("sqrt(t)"), std::string::npos) << ran.err;
}

// Laws without formulas: the two things that meet are named, with their places and the time.
TEST_F(CliFailures, ThingsThatMeetAreNamed) {
  const std::string comet =
      "[simulation]\nduration = 5\ngravity = 0\n[[bodies]]\nname = \"comet\"\nshape = \"point\"\nmass = 1\n"
      "charge = -1e-5\nposition = [1, 0, 0]\n";
  // From rest at r: pi r^(3/2) / sqrt(8 strength) = 0.7854 s with r = 1 and strength 2.
  expect_failure(comet + "[[forces]]\nkind = \"point-mass\"\nstrength = 2\nposition = [0, 0, 0]\n",
                 {"a.toml:10:", "force 1 (point-mass)", "at t = 0.785", "'comet' at [", "its source are"});
  expect_failure(comet +
                     "[[bodies]]\nname = \"sun\"\nshape = \"point\"\nmass = 1\ncharge = 1e-5\n"
                     "[[forces]]\nkind = \"coulomb\"\n",
                 {"a.toml:15:", "force 1 (coulomb)", "'comet' at [", "and 'sun' are"});
  // On a line through its anchor, where a spring of some length has no direction.
  expect_failure(comet +
                     "[[forces]]\nkind = \"spring\"\nbetween = [\"comet\", [0, 0, 0]]\nlength = 0.2\n"
                     "stiffness = 10\ndamping = 0.1\n",
                 {"a.toml:10:", "force 1 (spring): its ends meet", "'comet' at [", "its anchor are"},
                 {"--set", "simulation.precision=double-double"});
}

// Events: nothing is found where their formulas are no numbers, and that is said, once; what is before is
// found.
TEST_F(CliFailures, EventsThatAreNoNumbersTellWhere) {
  // x falls from 0.84 to 0 in a quarter of a period of 2.14 s (theta = 1), passing 0.51 on the way.
  write("a.toml", kSwing + "[[events]]\nname = \"low\"\nwhen = \"sqrt(x_1 - 0.5) - 0.1\"\n");
  const Result ran = catena({"run", "a.toml", "-o", "a.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* said :
       {"a.toml:9:9: warning: event 'low': 'sqrt(x_1 - 0.5) - 0.1' is not a number at t = ", "where x_1 = "})
    EXPECT_NE(ran.err.find(said), std::string::npos) << said << ran.err;
  EXPECT_EQ(ran.err.find("warning", ran.err.find("warning") + 1), std::string::npos) << ran.err;
  // As often as x_1 passes 0.51, which is a number all the time.
  write("b.toml", kSwing + "[[events]]\nname = \"low\"\nwhen = \"x_1 - 0.51\"\n");
  EXPECT_EQ(catena({"run", "b.toml", "-o", "b.json", "--quiet"}).status, 0);
  const auto times = [this](const char* file) {
    std::vector<double> out;
    const nlohmann::json run = nlohmann::json::parse(read(file));
    for (const auto& row : run["summary"]["events"]["low"]["rows"]) out.push_back(row[0]);
    return out;
  };
  const std::vector<double> found = times("a.json"), wanted = times("b.json");
  ASSERT_EQ(found.size(), wanted.size());
  ASSERT_GE(found.size(), 4u);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12);
}

// Three links to an end as far away as one of them is long: a parallelogram, which passes positions with all
// in one line. Methods get through, or end and name what hindered them; none hangs.
TEST_F(CliFailures, SingularPositionsArePassedOrNamed) {
  write(
      "a.toml",
      "[simulation]\nduration = 10\n[chain]\nend = [1, 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
      "\"180 deg\"\ntheta_dot = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0\n");
  int ended = 0;
  for (const char* method : {"taylor", "dop853", "tsit5", "vern9"}) {
    for (const char* tolerance : {"1e-12", "1e-14"}) {
      const Result ran = catena(
          {"run", "a.toml", "-o", "a.csv", "--method", method, "--tolerance", tolerance, "--sample", "1"});
      if (ran.status == 0) continue;
      ++ended;
      EXPECT_NE(ran.err.find("close to a singular position of the joints"), std::string::npos)
          << method << tolerance << ran.err;
      EXPECT_STRNE(method, "taylor");
    }
  }
  EXPECT_GT(ended, 0);  // the words were read
}

TEST_F(CliFailures, EndsOfPointsAreTheirOwnPlaces) {
  const std::string bob =
      "[simulation]\nduration = 1\n[[bodies]]\nname = \"bob\"\nshape = \"point\"\nmass = 1\nposition = [1, "
      "0, 0]\n"
      "[[joints]]\nkind = \"distance\"\nbodies = [\"ground\", \"bob\"]\n";
  expect_refusal(bob + "points = [[0, 0, 0], [1, 0, 0.2]]\n",
                 {"a.toml:11:", "points must be [1, 0, 0] on 'bob'"});
  expect_refusal(bob + "anchors = [[0, 0, 0], [0, 0, 0.2]]\n",
                 {"a.toml:11:", "anchors must be [0, 0, 0] on 'bob'"});
  write("a.toml", bob + "points = [[0, 0, 0], [1, 0, 0]]\n");
  EXPECT_EQ(catena({"check", "a.toml"}).status, 0);
}

}  // namespace
}  // namespace catena::testing
