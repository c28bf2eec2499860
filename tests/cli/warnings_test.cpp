// What is valid and yet hardly meant is said: on standard error with its place, and in the summary.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

constexpr const char* kLink =
    "[simulation]\nduration = 0.1\n[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = 1.0\n";
constexpr const char* kBody =
    "[simulation]\nduration = 0.1\n[[bodies]]\nname = 'a'\nshape = 'box'\nsize = [1, 1, 1]\nmass = 1.0\n";

class CliWarnings : public Workplace {
 protected:
  // `check` and `run` say so at the place, and the summary has it.
  void expect_warning(const std::string& scene, const std::string& place, const std::string& said) {
    write("a.toml", scene);
    const Result checked = catena({"check", "a.toml"});
    EXPECT_EQ(checked.status, 0) << checked.err;
    const std::string line = "a.toml:" + place + ": warning: " + said;
    EXPECT_NE(checked.err.find(line), std::string::npos) << line << "\n" << checked.err;
    const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.err.find(line), std::string::npos) << line << "\n" << ran.err;
    const auto summary = nlohmann::json::parse(ran.out);
    std::string all;
    for (const auto& one : summary["warnings"]) all += one.get<std::string>() + "\n";
    EXPECT_NE(all.find("a.toml:" + place + ": " + said), std::string::npos) << all;
  }

  void expect_silence(const std::string& scene) {
    write("a.toml", scene);
    const Result checked = catena({"check", "a.toml", "--json"});
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_EQ(checked.err, "") << scene;
    EXPECT_TRUE(nlohmann::json::parse(checked.out)["warnings"].empty()) << checked.out;
  }

  void expect_refusal(const std::string& scene, const std::string& said) {
    write("a.toml", scene);
    const Result checked = catena({"check", "a.toml"});
    EXPECT_EQ(checked.status, 2);
    EXPECT_NE(checked.err.find(said), std::string::npos) << said << "\n" << checked.err;
  }
};

std::string with(const char* scene, const std::string& more) { return std::string(scene) + more; }

TEST_F(CliWarnings, AJointWithTheNameOfABodyIsToldApart) {
  const std::string joint =
      "[[joints]]\nname = '{}'\nkind = 'ball'\nbodies = ['ground', 'a']\npoint = [0, 0, 0]\n";
  const auto named = [&](const std::string& name) {
    return with(kBody, std::string(joint).replace(joint.find("{}"), 2, name));
  };
  expect_warning(named("a"), "9:8", "the name 'a' is given to a joint and to a body");
  expect_silence(named("b"));
}

TEST_F(CliWarnings, LawsThatFindNothingToActOnAreNamed) {
  const auto expect_idle = [&](const std::string& law, const std::string& why) {
    SCOPED_TRACE(law);
    write("a.toml", with(kLink, "[[forces]]\n" + law));
    const Result result = catena({"check", "a.toml"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find(" acts on nothing: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
  };
  const std::string charge = "nothing that it acts on has charge";
  expect_idle("kind = 'electric'\nfield = [1, 0, 0]", charge);
  expect_idle("kind = 'electric'\npotential = 'x'", charge);
  expect_idle("kind = 'point-charge'\ncharge = 1e-6\nposition = [1, 0, 0]", charge);
  expect_idle("kind = 'magnetic'\nfield = [0, 0, 1]",
              "nothing that it acts on has charge, moment or susceptibility");
  expect_idle("kind = 'magnet'\nmoment = [0, 0, 1]\nposition = [0, 0, -2]",
              "charge, moment or susceptibility");
  expect_idle("kind = 'drag'\ncoefficient = 0.5",
              "has drag_area; give drag_area to links or bodies, or area here");
  expect_idle("kind = 'wind'\nvelocity = [1, 0, 0]", "there is no drag");
  expect_idle("kind = 'buoyancy'\ndensity = 1000", "or volume here");
  expect_idle("kind = 'coulomb'", "two links or bodies with charge");
  expect_idle("kind = 'dipoles'", "two links or bodies with moment");
  expect_idle("kind = 'formula'\nforce = ['0*x', 0, 0]", "zero as it stands");
  expect_idle("kind = 'spring'\nbetween = ['chain.1', [0, 0, 1]]", "neither stiffness nor damping");
}

TEST_F(CliWarnings, LawsThatActAreNotNamed) {
  const auto expect_quiet = [&](const std::string& traits, const std::string& law) {
    SCOPED_TRACE(law);
    expect_silence(with(kLink, traits + "\n[[forces]]\n" + law));
  };
  expect_quiet("charge = 1e-6", "kind = 'electric'\nfield = [1, 0, 0]");
  expect_quiet("charge = 1e-6", "kind = 'magnetic'\nfield = [0, 0, 1]");
  expect_quiet("moment = 0.1", "kind = 'magnetic'\nfield = [0, 0, 1]");
  expect_quiet("susceptibility = 0.1\nvolume = 1e-3",
               "kind = 'magnet'\nmoment = [0, 0, 1]\nposition = [0, 0, -2]");
  expect_quiet("drag_area = 0.1", "kind = 'drag'");
  expect_quiet("", "kind = 'drag'\nlinear = 0.1");
  expect_quiet("", "kind = 'drag'\narea = 0.1\n[[forces]]\nkind = 'wind'\nvelocity = [1, 0, 0]");
  expect_quiet("volume = 1e-3", "kind = 'buoyancy'");
  expect_quiet("", "kind = 'velocity-damping'\nrate = 0.1");
  expect_quiet("", "kind = 'gravity'\nfield = [1, 0, 0]");
  expect_quiet("", "kind = 'formula'\nforce = ['k*x', 0, 0]\nparameters = { k = 1.0 }");
  expect_quiet("", "kind = 'formula'\ntorque = [0, 0, 'wz']");
}

TEST_F(CliWarnings, TheWarningHasItsPlace) {
  expect_warning(with(kLink, "[[forces]]\nkind = 'electric'\nfield = [1, 0, 0]\n"), "9:9",
                 "force 1 (electric) acts on nothing: nothing that it acts on has charge");
}

TEST_F(CliWarnings, WhatIsNamedAndDoesNotFeelALawIsSaid) {
  expect_warning(
      with(kBody,
           "charge = 1e-6\n[[bodies]]\nname = 'b'\nsize = [1, 1, 1]\nmass = 1.0\nposition = [5, 0, "
           "0]\n[[forces]]\nkind = 'electric'\nfield = [1, 0, 0]\non = ['a', 'b']\n"),
      "16:9", "force 1 (electric) does nothing to 'b'");
  expect_warning(with(kBody,
                      "fixed = true\n[[bodies]]\nname = 'b'\nsize = [1, 1, 1]\nmass = 1.0\nposition = [5, 0, "
                      "0]\n[[forces]]\nkind = 'formula'\nforce = [1, 0, 0]\non = ['a']\n"),
                 "16:9", "force 1 (formula) acts on nothing: all that it acts on is fixed");
}

TEST_F(CliWarnings, ParametersThatMeanNothingAreSaid) {
  expect_refusal(with(kLink, "[[forces]]\nkind = 'formula'\nforce = ['t', 0, 0]\nparameters = { t = 3 }\n"),
                 "a.toml:10:16: force 1: the name 't' is taken");
  expect_refusal(with(kLink, "[[forces]]\nkind = 'wind'\nvelocity = ['m*z', 0, 0]\nparameters = { m = 3 }\n"),
                 "a.toml:10:16: force 1: the name 'm' is taken");
  expect_refusal(
      with(kLink, "[[forces]]\nkind = 'formula'\nforce = ['sin(t)', 0, 0]\nparameters = { sin = 3 }\n"),
      "the name 'sin' is taken");
  expect_refusal(
      with(kBody,
           "[[joints]]\nname = 'j'\nkind = 'revolute'\nbodies = ['ground', 'a']\npoint = [0, 0, 0]\n"
           "axis = [0, 1, 0]\nmotor = { torque = 't*q', parameters = { q = 3 } }\n"),
      "a.toml:14:42: joint 'j': the name 'q' is taken");
  expect_warning(
      with(kLink, "[[forces]]\nkind = 'formula'\nforce = ['k1*x', 0, 0]\nparameters = { k1 = 1, k = 3 }\n"),
      "10:24", "force 1: parameter 'k' is used by no formula");
  expect_warning(
      with(kLink, "[[forces]]\nkind = 'formula'\nforce = ['pi*x', 0, 0]\nparameters = { pi = 3 }\n"), "10:16",
      "force 1: the parameter 'pi' takes the place of the number pi");
  expect_warning(
      "[simulation]\nduration = 0.1\n[lagrangian]\ncoordinates = { x = 1.0 }\nparameters = { k = 1, m = 2 }\n"
      "kinetic = \"0.5*x'^2\"\npotential = '0.5*k*x^2'\n",
      "5:23", "lagrangian: parameter 'm' is used by no formula");
}

TEST_F(CliWarnings, KeysThatDoNothingAreSaid) {
  const std::string joint = "[[joints]]\nname = 'j'\nbodies = ['ground', 'a']\n";
  expect_warning(with(kBody, joint + "kind = 'ball'\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"), "13:8",
                 "joint 'j': axis does nothing in a joint of kind ball");
  expect_warning(
      with(kBody, joint + "kind = 'distance'\npoints = [[0, 0, 1], [0, 0, 0]]\npoint = [0, 0, 0]\n"), "13:9",
      "joint 'j': point does nothing in a joint of kind distance");
  expect_warning(with(kBody, joint + "kind = 'revolute'\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nrest = 0.5\n"),
                 "14:8", "joint 'j': rest does nothing without stiffness");
  expect_warning(with(kBody,
                      "velocity = [1, 0, 0]\nfixed = true\n[[bodies]]\nname = 'b'\nsize = [1, 1, 1]\nmass = "
                      "1.0\nposition = [5, 0, 0]\n"),
                 "8:12", "body 'a': velocity does nothing: the body is fixed");
  expect_warning(with(kLink, "friction_rate = 0.1\n"), "7:17",
                 "link 1: friction_rate does nothing without friction");
  expect_refusal(
      with(kBody, joint + "kind = 'universal'\npoint = [0, 0, 0]\naxes = [[1, 0, 0], [0, 1, 0]]\naxis2 = [0, "
                          "1, 0]\n"),
      "joint 'j': axes says the same as axis2");
}

TEST_F(CliWarnings, SettingsThatDoNothingAreSaid) {
  expect_warning(
      "[simulation]\nduration = 0.1\ngravity = 3.7\n[lagrangian]\ncoordinates = { x = 1.0 }\nkinetic = "
      "\"0.5*x'^2\"\npotential = '0.5*x^2'\n",
      "3:11", "simulation: gravity does nothing");
  expect_warning(
      "[simulation]\nduration = 0.1\nmax_assembly_gap = 0.1\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n",
      "3:20", "simulation: max_assembly_gap does nothing");
  expect_warning(with(kLink, "[method]\na = [[]]\nb = [1]\n"), "7:1", "method does nothing");
}

TEST_F(CliWarnings, NumbersWithMoreDigitsThanAreKeptAreSaid) {
  const std::string scene =
      "[simulation]\nduration = 0.1\nprecision = 'double-double'\n[[chain.links]]  # "
      "1.00000000000000000001\nlength = "
      "1.00000000000000000001\nmass = 0.123456789012345\ntheta = '0.25 pi'\n";
  expect_warning(scene, "5:10", "1.00000000000000000001 has more digits than are kept: it counts as 1");
  write("a.toml", scene);
  EXPECT_EQ(catena({"check", "a.toml", "--set", "simulation.precision=double"}).err, "");
}

TEST_F(CliWarnings, TwoThingsOfOneNameAreRefused) {
  const std::string chains =
      "[simulation]\nduration = 0.1\n[[chains]]\nname = 'NAME'\n[[chains.links]]\nlength = "
      "1.0\nmass = 1.0\n[[bodies]]\nname = 'a'\nsize = [1, 1, 1]\nmass = 1.0\n";
  const auto named = [&](const std::string& name) {
    std::string scene = chains;
    return scene.replace(scene.find("NAME"), 4, name);
  };
  expect_refusal(named("a"), "a.toml:4:8: the name 'a' is given to a chain and to a body");
  expect_silence(named("b"));
}

TEST_F(CliWarnings, ColumnsThatWouldCollideAreRefused) {
  const auto joint = [](const std::string& name, const std::string& body) {
    return "[[joints]]\nname = '" + name + "'\nkind = 'revolute'\nbodies = ['ground', '" + body +
           "']\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n";
  };
  const std::string other = "[[bodies]]\nname = 'b'\nsize = [1, 1, 1]\nmass = 1.0\n";
  expect_refusal(with(kBody, other + joint("j", "a") + joint("j_dot", "b")),
                 "a.toml:12:1: two columns would be called 'angle_j_dot'");
  expect_silence(with(kBody, other + joint("j", "a") + joint("k", "b")));
  // Link 1 of the chain called c, and a body of that name.
  const std::string chain =
      "[[chains]]\nname = 'c'\n[[chains.links]]\nlength = 1.0\nmass = 1.0\nrepeat = 12\n";
  const auto body = [](const std::string& name) {
    return "[[bodies]]\nname = '" + name + "'\nsize = [1, 1, 1]\nmass = 1.0\n";
  };
  const std::string simulation = "[simulation]\nduration = 0.1\n";
  expect_refusal(simulation + chain + body("c_12"), "two columns would be called ");
  expect_silence(simulation + chain + body("c_13"));
}

TEST_F(CliWarnings, CompoundsDisplaceTheVolumeOfTheirParts) {
  // As heavy as the water it displaces, so that it stays where it is: nothing else holds it.
  const std::string parts =
      "[[bodies]]\nname = 'a'\nshape = 'compound'\n[[bodies.parts]]\nshape = 'box'\nsize = [1, 2, "
      "0.5]\ndensity = 1000\n[[bodies.parts]]\nshape = 'sphere'\nradius = 0.3\ndensity = "
      "1000\nposition = [2, 0, 0]\n";
  const std::string scene =
      "[simulation]\nduration = 1.0\n" + parts + "[[forces]]\nkind = 'buoyancy'\ndensity = 1000\n";
  expect_silence(scene);
  write("a.toml", scene);
  ASSERT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quantities", "z_a"}).status, 0);
  const auto reader = RunReader::open(path("a.csv").string());
  std::vector<double> row(2);
  reader->read(reader->rows() - 1, 1, row.data());
  EXPECT_NEAR(row[1], 0.0, 1e-12);  // free fall would be 4.905 m
}

TEST_F(CliWarnings, AShapeWithItsOwnInertiaDisplacesItsVolume) {
  write("a.toml",
        "[simulation]\nduration = 1.0\n[[bodies]]\nname = 'a'\nshape = 'cylinder'\nradius = 0.5\nlength = "
        "2.0\nmass = 1.0\ninertia = [1, 1, 1]\n[[forces]]\nkind = 'buoyancy'\ndensity = 1.0\n");
  ASSERT_EQ(catena({"run", "a.toml", "-o", "a.csv", "--quantities", "z_a"}).status, 0);
  const auto reader = RunReader::open(path("a.csv").string());
  std::vector<double> row(2);
  reader->read(reader->rows() - 1, 1, row.data());
  const double volume = 3.14159265358979323846 * 0.25 * 2.0;
  EXPECT_NEAR(row[1], -0.5 * 9.81 * (1.0 - volume), 1e-12);
}

TEST_F(CliWarnings, AnEnergyBalanceThatIsNotKeptIsSaid) {
  const Result loose = catena(
      {"run", "double-pendulum", "--method", "dopri5", "--tolerance", "1e-2", "-o", "a.csv", "--json"});
  EXPECT_EQ(loose.status, 0) << loose.err;
  const auto summary = nlohmann::json::parse(loose.out);
  ASSERT_GT(summary["energy_error_relative"], 1e-6);
  EXPECT_NE(loose.err.find("warning: the balance of energy is kept to"), std::string::npos) << loose.err;
  ASSERT_EQ(summary["warnings"].size(), 1u);
  // The step of a fixed-step method is the user's own choice.
  const Result fixed =
      catena({"run", "double-pendulum", "--method", "rk4", "--step", "2e-2", "-o", "a.csv", "--json"});
  ASSERT_GT(nlohmann::json::parse(fixed.out)["energy_error_relative"], 1e-6);
  EXPECT_EQ(fixed.err, "");
  EXPECT_TRUE(nlohmann::json::parse(fixed.out)["warnings"].empty());
}

// What rests has an energy of rounding alone, which is no scale to measure anything by.
TEST_F(CliWarnings, WhatCannotMoveKeepsItsEnergy) {
  write("a.toml",
        with(kBody,
             "position = [-0.255, 0.445, 0.422]\norientation = [-0.3972, -0.1075, 0.6489, -0.6399]\n"
             "[[joints]]\nkind = 'fixed'\nbodies = ['ground', 'a']\npoint = [-0.2, 0, 0]\n"
             "[[forces]]\nkind = 'formula'\nforce = ['tanh(cos(y))', 0, '2.3*sin(vz + 0.85)']\n"));
  const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err.find("balance of energy"), std::string::npos) << ran.err;
  EXPECT_LT(nlohmann::json::parse(ran.out)["energy_error_relative"], 1e-12);
}

// The tolerance is one of the largest state, or of 1: small states among large ones, and systems in which all
// are small, may be lost in it, for every method.
TEST_F(CliWarnings, StatesThatAreLostInTheToleranceAreNamed) {
  const auto said = [this](const std::string& equations, const std::string& method) {
    write("a.toml", "[simulation]\nduration = 10\n[equations]\n" + equations);
    const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--method", method});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.err;
  };
  const auto oscillator = [](const std::string& size) {
    return "states = { x = " + size + ", v = 0 }\ndot = { x = 'v', v = '-x' }\n";
  };
  const auto beside = [](const std::string& large) {
    return "states = { x = 1, v = 0, b = 0 }\ndot = { x = '30*v', v = '-30*x', b = '" + large +
           "*cos(t)' }\n";
  };
  for (const char* method : {"taylor", "dop853", "vern9", "tsit5", "bulirsch-stoer", "radau5"}) {
    for (const std::string& lost : {oscillator("1e-9"), oscillator("1e-20"), beside("1e12")})
      EXPECT_NE(said(lost, method).find("warning: a step is wrong by"), std::string::npos) << method << lost;
    for (const std::string& fine : {oscillator("1"), oscillator("0.01"), beside("10")})
      EXPECT_EQ(said(fine, method).find("warning"), std::string::npos) << method << fine;
  }
  // Lagrangians, too: x = 1e-9 cos(t).
  write("a.toml",
        "[simulation]\nduration = 10\n[lagrangian]\ncoordinates = { x = 1e-9 }\nlagrangian = \"x'^2/2 - "
        "x^2/2\"\n");
  const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--method", "dop853"});
  EXPECT_NE(ran.err.find("a step is wrong by"), std::string::npos) << ran.err;
  // A chain beside something that is very far away.
  write("a.toml", std::string(kLink) +
                      "[[bodies]]\nname = 'far'\nshape = 'point'\nmass = 1\nposition = [1e12, "
                      "0, 0]\n");
  const Result far = catena({"run", "a.toml", "-o", "a.csv", "--duration", "3", "--method", "dop853"});
  EXPECT_NE(far.err.find("a step is wrong by"), std::string::npos) << far.err;
}

// So may the turns of a body beside one that is far away.
TEST_F(CliWarnings, TurnsThatAreLostInTheToleranceAreNamed) {
  const auto said = [this](const std::string& far, const std::string& method) {
    write(
        "a.toml",
        "[simulation]\nduration = 5\n[[bodies]]\nname = 'rod'\nshape = 'rod'\nlength = 1\nmass = 1\nposition "
        "= "
        "[0.5, 0, 0]\norientation = { axis = [0, 1, 0], angle = '90 deg' }\n[[bodies]]\nname = 'far'\nshape "
        "= "
        "'point'\nmass = 1\nposition = [" +
            far +
            ", 0, 0]\n[[joints]]\nname = 'h'\nkind = 'revolute'\nbodies = ['ground', 'rod']\npoint = [0, 0, "
            "0]\naxis = [0, 1, 0]\n");
    return catena({"run", "a.toml", "-o", "a.csv", "--method", method}).err;
  };
  for (const char* method : {"taylor", "dop853", "tsit5"}) {
    EXPECT_NE(said("1e6", method).find("a step is wrong by"), std::string::npos) << method;
    EXPECT_EQ(said("10", method), "") << method;
  }
}

// What a potential that changes with time does, though nobody feels it, is integrated as exactly as the
// motion.
TEST_F(CliWarnings, WorkThatNobodyFeelsIsInTheBalance) {
  for (const char* method : {"taylor", "dop853", "vern7", "vern9", "tsit5", "dopri5", "rkf78", "radau5",
                             "bulirsch-stoer", "rkmk54"}) {
    write(
        "a.toml",
        "[simulation]\nduration = 2\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.5\n[[forces]]\nkind = "
        "'formula'\npotential = '2*exp(-(100*(t - 0.5))^2)'\n");
    const Result ran = catena({"run", "a.toml", "-o", "a.csv", "--method", method, "--json"});
    const auto summary = nlohmann::json::parse(ran.out);
    EXPECT_LT(summary["energy_error_relative"], std::string(method) == "bulirsch-stoer" ? 2e-7 : 2e-8)
        << method;
    EXPECT_EQ(ran.err.find("balance of energy"), std::string::npos) << method << ran.err;
  }
  write(
      "a.toml",
      "[simulation]\nduration = 1\n[lagrangian]\ncoordinates = { q = 1 }\nkinetic = \"q'^2/2\"\npotential = "
      "\"q^2/2 - 0.892*exp(-(78*(t - 0.611))^2)\"\n");
  for (const char* method : {"dop853", "vern9", "tsit5", "radau5"}) {
    const auto summary =
        nlohmann::json::parse(catena({"run", "a.toml", "-o", "a.csv", "--method", method, "--json"}).out);
    EXPECT_LT(summary["energy_error_relative"], 2e-8) << method;
  }
}

// Where a potential jumps the force is infinite: nothing would show it.
TEST_F(CliWarnings, PotentialsThatJumpAreNamed) {
  const std::string body =
      "[simulation]\nduration = 0.1\n[[bodies]]\nname = 'a'\nshape = 'point'\nmass = 1\n[[forces]]\nkind = "
      "'formula'\npotential = ";
  for (const char* jumping :
       {"'x + choose(x - 1, 0, 5)'", "'x + 2*sign(x - y)'", "'choose(x - 0.1*t, x, 5)'"})
    expect_warning(body + jumping + "\n", "9:13", "force 1: " + std::string(jumping) + " jumps, as where ");
  for (const char* steady : {"'choose(x, x^2, 3*x^2)'", "'x*sign(x)'", "'choose(t - 1, x, 5*x)'",
                             "'choose(m - 1, x, 5*x)'", "'2*tanh(1e9*(x - 1))'", "'step(x) + abs(y)'"})
    expect_silence(body + steady + "\n");
  expect_warning(
      "[simulation]\nduration = 0.1\n[lagrangian]\ncoordinates = { s = 0.5 }\nkinetic = "
      "\"s'^2/2\"\npotential = 'choose(s - 3, 1, s)'\n",
      "6:13", "lagrangian: 'choose(s - 3, 1, s)' jumps, as where s = 3");
}

// So it is on a magnetic moment where the field jumps; a charge feels a force that jumps, which is passed.
TEST_F(CliWarnings, FieldsThatJumpAroundMomentsAreNamed) {
  const std::string law = "\n[[forces]]\nkind = 'magnetic'\nfield = ['0.1*choose(x - 0.8, 1, 2)', 0, 0]\n";
  expect_warning(std::string(kLink) + "moment = 2.0" + law, "10:10",
                 "force 1: '0.1*choose(x - 0.8, 1, 2)' jumps");
  expect_silence(std::string(kLink) + "charge = 2.0" + law);
}

TEST_F(CliWarnings, OverridesAreNamedAsTheyWereTyped) {
  write("a.toml", with(kLink, "friction = 0.1\n"));
  const Result result = catena({"check", "a.toml", "--set", "chain.links.1.friction=default", "--set",
                                "chain.links.1.friction_rate=0.1"});
  EXPECT_NE(result.err.find("--set chain.links.1.friction_rate=0.1: warning: link 1: friction_rate"),
            std::string::npos)
      << result.err;
}

// Some are drawn in another position than they start in: what assembly changed is said of these, and nothing
// else.
TEST_F(CliWarnings, ShippedScenesHaveNoneButOfAssembly) {
  const auto scenes = nlohmann::json::parse(catena({"list", "scenes", "--json"}).out);
  ASSERT_GT(scenes.size(), 10u);
  for (const auto& scene : scenes) {
    const Result result = catena({"check", scene["name"].get<std::string>(), "--json"});
    EXPECT_EQ(result.status, 0) << scene["name"] << result.err;
    for (const auto& warning : nlohmann::json::parse(result.out)["warnings"]) {
      EXPECT_NE(warning.get<std::string>().find("assembly changed"), std::string::npos) << warning;
    }
  }
}

}  // namespace
}  // namespace catena::testing
