// Bad [lagrangian] sections, and what is said about each.
#include <gtest/gtest.h>

#include "io/scene/said.h"

namespace catena {
namespace {

TEST(LagrangianMistakes, UnknownNamesAreProposedWithTheirPlaces) {
  expect_said(
      "[lagrangian]\ncoordinates = { theta = 0.1 }\nkinetic = \"0.5*theta'^2\"\npotential = "
      "\"-cos(thata)\"\n",
      {"s.toml:6:19: lagrangian: potential:", "thata", "did you mean 'theta'?"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\nlagrangian = \"0.5*y'^2\"\n", {"s.toml:5:19:", "y'"});
}

TEST(LagrangianMistakes, AllAtOnce) {
  expect_said(
      "[lagrangian]\ncoordinates = { x = 0.1 }\nrates = { z = 1.0 }\nkinetic = \"0.5*x'^2\"\npotential = "
      "\"k*x\"\n"
      "forces = { y = \"1\" }\nconstraints = [\"x' - 1\"]\n",
      {"s.toml:5:11: lagrangian: rates: there is no coordinate 'z'",
       "s.toml:7:14: lagrangian: potential:", "s.toml:8:12: lagrangian: forces: there is no coordinate 'y'",
       "s.toml:9:16: lagrangian: constraint 1 uses the rate 'x''"});
}

TEST(LagrangianMistakes, WhatIsMissingOrTwice) {
  expect_said("[lagrangian]\nkinetic = \"1\"\n", {"coordinates is missing"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\n", {"give lagrangian, or kinetic and potential"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\nlagrangian = \"x'^2\"\nkinetic = \"x'^2\"\n",
              {"s.toml:6:11: lagrangian: give either lagrangian or kinetic, not both"});
  expect_said("[lagrangian]\ncoordinates = {}\nlagrangian = \"1\"\n", {"there must be at least one"});
  expect_said(
      "[lagrangian]\ncoordinates = { x = 0.1 }\nlagrangian = \"x'^2\"\n[[chain.links]]\nlength = 1\nmass = "
      "1\n",
      {"a scene has either [lagrangian] or chain, not both"});
  expect_said("[lagrangian]\ncoordinates = { x = \"fast\" }\nlagrangian = \"x'^2\"\n",
              {"coordinates.x must be"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\nlagrangian = \"x'^2\"\nconstraint = [\"x\"]\n",
              {"unknown key 'constraint', did you mean 'constraints'?"});
}

TEST(LagrangianMistakes, NamesThatAreTaken) {
  expect_said("[lagrangian]\ncoordinates = { energy = 0.1 }\nlagrangian = \"energy'^2\"\n",
              {"s.toml:4:17: lagrangian: the name 'energy' is taken"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1, x_dot = 1 }\nlagrangian = \"x'^2\"\n",
              {"'x_dot' is the column of a rate"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\nparameters = { x = 1 }\nlagrangian = \"x'^2\"\n",
              {"s.toml:5:16: lagrangian: the name 'x' is taken"});
  expect_said("[lagrangian]\ncoordinates = { a-b = 0.1 }\nlagrangian = \"1\"\n", {"letters, digits and _"});
}

TEST(LagrangianMistakes, NoValueAtTheStart) {
  expect_said(
      "[lagrangian]\ncoordinates = { x = 0.0 }\nkinetic = \"0.5*x'^2\"\npotential = \"1/x\"\n",
      {"s.toml:6:13: lagrangian: potential has no finite value at the start (inf)", "division by zero"});
  expect_said("[lagrangian]\ncoordinates = { x = 0.0 }\nkinetic = \"0.5*x'^2\"\npotential = \"sqrt(x)\"\n",
              {"the derived equation of 'x' has no finite value"});
}

TEST(LagrangianMistakes, MotionsLeftUndeterminedAreNamed) {
  expect_said("[lagrangian]\ncoordinates = { x = 0.1, y = 0.2 }\nlagrangian = \"x'^2 - x^2 - y^2\"\n",
              {"the motion of 'y' is left undetermined"});
  expect_said(
      "[lagrangian]\ncoordinates = { x = 0.1, y = 0.2, z = 0.2 }\nlagrangian = \"z'^2 - x^2\"\nconstraints = "
      "[\"x - y\"]\n",
      {"the motion of 'x', 'y' is left undetermined"});
  EXPECT_EQ(said("[lagrangian]\ncoordinates = { x = 0.1, y = 0.2 }\nlagrangian = \"x'^2 - x^2 - y^2\"\n"
                 "constraints = [\"y - x^2\"]\n"),
            "");
}

TEST(LagrangianMistakes, SingularStarts) {
  expect_said(
      "[lagrangian]\ncoordinates = { x = 0.0, y = 0.0 }\nlagrangian = \"x'^2 + y'^2\"\nconstraints = "
      "[\"x*y\"]\n",
      {"s.toml:6:16: lagrangian: the start is a singular position of constraint 1"});
  // One that follows from the other everywhere is harmless.
  EXPECT_EQ(said("[lagrangian]\ncoordinates = { x = 1.0, y = 0.0 }\nlagrangian = \"x'^2 + y'^2\"\n"
                 "constraints = [\"x^2 + y^2 - 1\", \"2*x^2 + 2*y^2 - 2\"]\n"),
            "");
}

TEST(LagrangianMistakes, ConstraintsThatCannotBeMet) {
  expect_said("[lagrangian]\ncoordinates = { x = 0.1 }\nlagrangian = \"x'^2\"\nconstraints = [\"x^2 + 1\"]\n",
              {"s.toml:6:16: lagrangian: constraint 1 cannot be met from this start"});
  expect_said(
      "[lagrangian]\ncoordinates = { x = 1.0, y = 0.0 }\nlagrangian = \"x'^2 + y'^2\"\n"
      "constraints = [\"x^2 + y^2 - 1\"]\nindependent = [\"x\", \"y\"]\n",
      {"independent names 2 of 2 coordinates, but 1 constraint would leave 1"});
}

}  // namespace
}  // namespace catena
