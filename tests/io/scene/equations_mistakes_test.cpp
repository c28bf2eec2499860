// Bad [equations] sections, and what is said about each.
#include <gtest/gtest.h>

#include "io/scene/said.h"

namespace catena {
namespace {

// Of a table whose lines begin in line 4.
void expect_table(const std::string& lines, const std::vector<std::string>& parts) {
  expect_said("[equations]\n" + lines, parts);
}

TEST(EquationsMistakes, WhatIsMissingIsNamedWithAnExample) {
  expect_table("states = { x = 1 }\n", {"s.toml:3:1: equations: dot is missing", "such as { x = \"-k*x\" }"});
  expect_table("dot = { x = \"1\" }\n", {"s.toml:3:1: equations: states is missing"});
  expect_table("states = {}\ndot = {}\n", {"s.toml:4:10: equations: states is empty"});
  expect_table("states = { x = 1, y = 2 }\ndot = { x = \"y\" }\n",
               {"s.toml:4:19: equations: state 'y' has no rate; give it one in dot"});
}

TEST(EquationsMistakes, UnknownNamesAreProposedAllAtOnce) {
  expect_table(
      "states = { theta = 1, w = 0 }\ndot = { theta = \"w\", w = \"-sin(thata)\", v = \"1\" }\n"
      "invariants = { H = \"w^2 - g\" }\nstate = 1\n",
      {"unknown key 'state', did you mean 'states'?"});
  expect_table(
      "states = { theta = 1, w = 0 }\ndot = { theta = \"w\", w = \"-sin(thata)\", wv = \"1\" }\n"
      "invariants = { H = \"w^2 - g\" }\n",
      {"s.toml:5:32: equations: dot.w: unknown name 'thata', did you mean 'theta'?",
       "s.toml:5:41: equations: dot: there is no state 'wv', did you mean 'w'?",
       "s.toml:6:27: equations: invariants.H: unknown name 'g'"});
  expect_table("states = { x = 1 }\ndot = { x = \"sin(x\" }\n",
               {"s.toml:5:17: equations: dot.x: missing ')'"});
  // The rate of a state is its formula: there is no second name for it.
  expect_table("states = { x = 1, y = 0 }\ndot = { x = \"y\", y = \"-x'\" }\n", {"dot.y", "x'"});
}

TEST(EquationsMistakes, NamesThatAreTaken) {
  expect_table("states = { t = 1, sin = 2, step_size = 3, pi = 4, \"a b\" = 5 }\ndot = { t = \"1\" }\n",
               {"s.toml:4:12: equations: the name 't' is taken; choose another for the state",
                "s.toml:4:19: equations: the name 'sin' is taken", "the name 'step_size' is taken",
                "the name 'pi' is taken", "state 'a b' must begin with a letter"});
  expect_table(
      "states = { x = 1 }\nparameters = { x = 2, t = 3, cos = 4 }\ndot = { x = \"-x\" }\n",
      {"s.toml:5:16: equations: the name 'x' is taken", "the name 't' is taken", "the name 'cos' is taken"});
  expect_table("states = { x = 1 }\ndot = { x = \"-x\" }\ninvariants = { x = \"1\", t = \"2\" }\n",
               {"s.toml:6:16: equations: the invariant 'x' has the name of a state",
                "s.toml:6:25: equations: the name 't' is taken; choose another for the invariant"});
  // Columns that would be called alike, with a place.
  expect_table(
      "states = { x = 1, H_error = 2 }\ndot = { x = \"x\", H_error = \"x\" }\ninvariants = { H = \"1\" }\n",
      {"s.toml:6:", "two columns would be called 'H_error'"});
}

TEST(EquationsMistakes, ParametersThatAreNoNumbers) {
  expect_table(
      "states = { x = 1 }\nparameters = { k = \"y\", m = \"1/0\", n = true, p = \"2*k\", q = \"8/\", r = nan "
      "}\n"
      "dot = { x = \"k*x\" }\n",
      {"s.toml:5:20: equations: parameter 'k' must be a formula of numbers such as \"8/3\": unknown name 'y'",
       "equations: parameter 'm' must be a finite number", "parameter 'n' must be a finite number",
       "parameter 'p' must be a formula of numbers", "parameter 'q' must be a formula of numbers",
       "parameter 'r' must be a finite number"});
  expect_table("states = { x = \"fast\", y = inf }\ndot = { x = \"x\", y = \"1\" }\n",
               {"s.toml:4:16: equations: states.x must be", "equations: states.y must be"});
}

TEST(EquationsMistakes, NothingElseMayStandBesideThem) {
  const std::string table = "[equations]\nstates = { x = 1 }\ndot = { x = \"x\" }\n";
  expect_said("gravity = 0\n" + table,
              {"s.toml:3:11: simulation: [equations] know no gravity; leave it out"});
  expect_said(table + "[[forces]]\nkind = \"drag\"\n", {"either [equations] or forces, not both"});
  expect_said(table + "[[chain.links]]\nlength = 1\nmass = 1\n", {"either [equations] or chain, not both"});
  expect_said(table + "[[bodies]]\nname = \"a\"\nsize = [1, 1, 1]\nmass = 1\n",
              {"either [equations] or bodies, not both"});
  expect_said(table + "[lagrangian]\ncoordinates = { q = 1 }\nlagrangian = \"q'^2\"\n",
              {"[equations]", "lagrangian", "not both"});
}

TEST(EquationsMistakes, EventsKnowTheStatesAlone) {
  const std::string table =
      "[equations]\nstates = { x = 1 }\ndot = { x = \"x\" }\ninvariants = { H = \"x\" }\n";
  expect_said(table + "[[events]]\nwhen = \"energy - 1\"\n",
              {"s.toml:8:9: event 'event1': unknown name 'energy'"});
  EXPECT_EQ(said(table + "[[events]]\nwhen = \"x - 2 + H + H_error + t\"\n"), "");
}

TEST(EquationsMistakes, TooManyStatesAreCounted) {
  std::string states, dot;
  for (std::size_t i = 0; i <= kMostStates; ++i) {
    const std::string name = "x" + std::to_string(i), comma = i == 0 ? "" : ", ";
    states += comma + name + " = 1";
    dot += comma + name + " = \"0\"";
  }
  expect_table("states = { " + states + " }\ndot = { " + dot + " }\n",
               {"there are 1001 states, at most 1000 are allowed"});
}

}  // namespace
}  // namespace catena
