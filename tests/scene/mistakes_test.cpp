// Bad scenes, and what is said about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/scene_bits.h"

namespace catena {
namespace {

struct BadScene {
  const char* name;
  std::string text;
  std::vector<std::string> complaints;  // without "s.toml:" in front
};

void PrintTo(const BadScene& bad, std::ostream* out) { *out << bad.name; }

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Scenes that are right but for the lines given; these begin in line 2, 3, 4, 4, 6 and 8.
std::string simulation_of(const std::string& lines) {
  return "[simulation]\n" + lines + "\n[[chain.links]]\nlength = 1\nmass = 1\n";
}
std::string simulation_with(const std::string& lines) { return simulation_of("duration = 1\n" + lines); }
std::string chain_with(const std::string& lines) {
  return "[simulation]\nduration = 1\n[chain]\n" + lines + "\n[[chain.links]]\nlength = 1\nmass = 1\n";
}
std::string link_of(const std::string& lines) {
  return "[simulation]\nduration = 1\n[[chain.links]]\n" + lines + "\n";
}
std::string link_with(const std::string& lines) { return link_of("length = 1\nmass = 1\n" + lines); }
std::string elastic_link_with(const std::string& lines) {
  return "[simulation]\nduration = 1\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n" +
         lines + "\n";
}

// One inline table per link, from line 5 on.
std::string links(const std::vector<std::string>& entries) {
  std::string text = "[simulation]\nduration = 1\n[chain]\nlinks = [\n";
  for (const std::string& entry : entries) text += "  { " + entry + " },\n";
  return text + "]\n";
}

// Chains of one link; the lines given are 4, 7, ...
std::string chains(const std::vector<std::string>& lines) {
  std::string text = "[simulation]\nduration = 1\n";
  for (const std::string& line : lines) {
    text += "[[chains]]\n" + line + "\nlinks = [{ length = 1, mass = 1 }]\n";
  }
  return text;
}

// clang-format off
const std::vector<BadScene> kBadScenes = {
    {"duration_is_missing",
     simulation_of("sample = 0.1"),
     {"1:1: simulation: duration is missing; it must be a number in s"}},
    {"duration_is_zero",
     simulation_of("duration = 0"),
     {"2:12: simulation: duration must be positive, got 0"}},
    {"duration_is_negative",
     simulation_of("duration = -2.5"),
     {"2:12: simulation: duration must be positive, got -2.5"}},
    {"duration_is_text",
     simulation_of(R"(duration = "10 s")"),
     {"2:12: simulation: duration must be a number in s, got the text '10 s'"}},
    {"duration_is_nan",
     simulation_of("duration = nan"),
     {"2:12: simulation: duration must be a finite number, got nan"}},
    {"duration_is_infinite",
     simulation_of("duration = inf"),
     {"2:12: simulation: duration must be a finite number, got inf"}},
    {"duration_is_absurd",
     simulation_of("duration = 1e300"),
     {"2:12: simulation: duration must lie between 1e-100 and 1e+100, got 1e+300"}},
    {"duration_is_a_date",
     simulation_of("duration = 1979-05-27"),
     {"2:12: simulation: duration must be a number in s, got a date or time"}},
    {"sample_is_zero",
     simulation_with("sample = 0"),
     {"3:10: simulation: sample must be positive, got 0"}},
    {"sample_is_a_list",
     simulation_with("sample = [0.1]"),
     {"3:10: simulation: sample must be a number in s, got a list of 1"}},
    {"gravity_is_nan",
     simulation_with("gravity = nan"),
     {"3:11: simulation: gravity must be a finite number, got nan"}},
    {"gravity_has_two_components",
     simulation_with("gravity = [0, 9.81]"),
     {"3:11: simulation: gravity must be a number or three numbers in m/s^2, got a list of 2"}},
    {"gravity_has_an_infinite_component",
     simulation_with("gravity = [0, 0, -inf]"),
     {"3:18: simulation: gravity[3] must be a finite number, got -inf"}},
    {"gravity_has_a_text_component",
     simulation_with(R"(gravity = [0, "a", 0])"),
     {"3:15: simulation: gravity[2] must be a number in m/s^2, got the text 'a'"}},
    {"method_is_misspelt",
     simulation_with(R"(method = "tailor")"),
     {"3:10: simulation: unknown method 'tailor', did you mean 'taylor'?"}},
    {"method_is_unknown",
     simulation_with(R"(method = "leapfrog")"),
     {"3:10: simulation: unknown method 'leapfrog'; known are taylor, rk4, dopri5, gauss4"}},
    {"method_is_a_number",
     simulation_with("method = 4"),
     {"3:10: simulation: method must be a text, got 4"}},
    {"tolerance_is_zero",
     simulation_with("tolerance = 0.0"),
     {"3:13: simulation: tolerance must be positive, got 0"}},
    {"tolerance_is_negative",
     simulation_with("tolerance = -1e-9"),
     {"3:13: simulation: tolerance must be positive, got -1e-09"}},
    {"step_is_negative",
     simulation_with("step = -0.1"),
     {"3:8: simulation: step must be positive, got -0.1"}},
    {"order_is_too_low",
     simulation_with("order = 1"),
     {"3:9: simulation: order must lie between 2 and 200, got 1"}},
    {"order_is_too_high",
     simulation_with("order = 201"),
     {"3:9: simulation: order must lie between 2 and 200, got 201"}},
    {"order_is_not_whole",
     simulation_with("order = 20.5"),
     {"3:9: simulation: order must be a whole number, got 20.5"}},
    {"precision_is_unknown",
     simulation_with(R"(precision = "half")"),
     {"3:13: simulation: unknown precision 'half'; only 'double' is known"}},
    {"simulation_key_is_misspelt",
     simulation_with("tolerence = 1e-9"),
     {"3:1: simulation: unknown key 'tolerence', did you mean 'tolerance'?"}},
    {"simulation_key_is_unknown",
     simulation_with("colour = 1"),
     {"3:1: simulation: unknown key 'colour'; known are duration, sample, gravity, method, tolerance, step, order, precision"}},
    {"kind_is_unknown",
     chain_with(R"(kind = "soft")"),
     {"4:8: chain: unknown kind 'soft'; known are rigid, elastic"}},
    {"kind_is_unknown_and_links_are_elastic",
     "[simulation]\nduration = 1\n[chain]\nkind = 'elastik'\nlinks = [{ length = 1, mass = 1, stiffness = 9 }]\n",
     {"4:8: chain: unknown kind 'elastik', did you mean 'elastic'?"}},
    {"elastic_link_without_stiffness",
     chain_with(R"(kind = "elastic")"),
     {"5:1: link 1: stiffness is missing; an elastic link needs it, a number in N/m"}},
    {"elastic_link_with_mass_along_it",
     elastic_link_with("stiffness = 9\ncenter_of_mass = 0.5\ninertia = \"rod\""),
     {"9:18: link 1: center_of_mass does not go with kind = \"elastic\", whose masses are points at the links' ends",
      "10:11: link 1: inertia does not go with kind = \"elastic\", whose masses are points at the links' ends"}},
    {"elastic_link_starts_shorter_than_nothing",
     elastic_link_with("stiffness = 9\nstretch = -1.5"),
     {"9:11: link 1: stretch must leave a millionth of the length, at least -0.999999, got -1.5"}},
    {"elastic_link_starts_without_length",
     elastic_link_with("stiffness = 9\nstretch = -1"),
     {"9:11: link 1: stretch must leave a millionth of the length, at least -0.999999, got -1"}},
    {"elastic_chain_with_a_formulation",
     "[simulation]\nduration = 1\n[chain]\nkind = 'elastic'\nformulation = 'tension'\nlinks = [{ length = 1, mass = 1, stiffness = 9 }]\n",
     {"5:15: chain: formulation is for rigid chains; elastic ones have one only, leave it out"}},
    {"stiffness_is_zero",
     elastic_link_with("stiffness = 0"),
     {"8:13: link 1: stiffness must be positive, got 0"}},
    {"stiffness_is_negative",
     elastic_link_with("stiffness = -200"),
     {"8:13: link 1: stiffness must be positive, got -200"}},
    {"stiffness_is_text",
     elastic_link_with(R"(stiffness = "soft")"),
     {"8:13: link 1: stiffness must be a number in N/m, got the text 'soft'"}},
    {"stretch_is_nan",
     elastic_link_with("stiffness = 9\nstretch = nan"),
     {"9:11: link 1: stretch must be a finite number, got nan"}},
    {"stretch_dot_is_infinite",
     elastic_link_with("stiffness = 9\nstretch_dot = inf"),
     {"9:15: link 1: stretch_dot must be a finite number, got inf"}},
    {"rigid_link_with_stiffness",
     link_with("stiffness = 200"),
     {"6:13: link 1: stiffness is for elastic chains; give the chain kind = \"elastic\", or leave it out"}},
    {"rigid_link_with_stretch",
     link_with("stretch = 0.1\nstretch_dot = 1"),
     {"6:11: link 1: stretch is for elastic chains; give the chain kind = \"elastic\", or leave it out",
      "7:15: link 1: stretch_dot is for elastic chains; give the chain kind = \"elastic\", or leave it out"}},
    {"formulation_is_unknown",
     chain_with(R"(formulation = "dirac")"),
     {"4:15: chain: unknown formulation 'dirac'; known are tension, articulated, angles, lie, chart, multibody"}},
    {"formulation_is_for_bodies",
     chain_with(R"(formulation = "multibody")"),
     {"4:15: chain: formulation 'multibody' comes with bodies and joints, which chains do not have yet; use 'articulated' or 'lie', or leave formulation out"}},
    {"dense_formulation_of_a_long_chain",
     "[simulation]\nduration = 1\n[chain]\nformulation = 'chart'\nlinks = [{ length = 1, mass = 1, repeat = 1001 }]\n",
     {"4:15: chain: formulation 'chart' solves dense matrices, for 1000 links at most, and there are 1001; use 'tension', or leave formulation out"}},
    {"lie_formulation_with_a_rod",
     "[simulation]\nduration = 1\n[chain]\nformulation = 'lie'\nlinks = [{ length = 1, mass = 1, inertia = 'rod' }]\n",
     {"4:15: chain: formulation 'lie' is for point masses in one line, but link 1 has inertia; use 'articulated', or leave formulation out"}},
    {"angles_without_a_plane",
     chain_with("formulation = 'angles'\nplane = 'none'"),
     {"5:9: chain: formulation 'angles' is for motion in a plane and does not go with plane = \"none\"; use 'chart' or 'lie', or leave plane out"}},
    {"formulation_is_misspelt",
     chain_with(R"(formulation = "tensoin")"),
     {"4:15: chain: unknown formulation 'tensoin', did you mean 'tension'?"}},
    {"pivot_is_a_formula",
     chain_with(R"~(pivot = ["sin(t)", 0, 0])~"),
     {"4:10: chain: pivot[1] must be a number in m, got the text 'sin(t)'"}},
    {"pivot_is_a_name",
     chain_with(R"(pivot = "crank")"),
     {"4:9: chain: pivot must be three numbers in m, got the text 'crank'"}},
    {"pivot_is_nan",
     chain_with("pivot = [nan, 0, 0]"),
     {"4:10: chain: pivot[1] must be a finite number, got nan"}},
    {"plane_is_unknown",
     chain_with(R"(plane = "xy")"),
     {"4:9: chain: unknown plane 'xy'; known are auto, none"}},
    {"the_only_chain_has_a_name",
     chain_with(R"(name = "a")"),
     {"4:8: chain: only [[chains]] have names; leave name out"}},
    {"chain_key_is_misspelt",
     chain_with("pivott = [0, 0, 0]"),
     {"4:1: chain: unknown key 'pivott', did you mean 'pivot'?"}},
    {"length_is_missing",
     link_of("mass = 1"),
     {"3:1: link 1: length is missing; it must be a number in m"}},
    {"mass_is_missing",
     link_of("length = 1"),
     {"3:1: link 1: mass is missing; it must be a number in kg"}},
    {"length_is_zero",
     link_of("mass = 1\nlength = 0"),
     {"5:10: link 1: length must be positive, got 0"}},
    {"length_is_negative",
     link_of("mass = 1\nlength = -1"),
     {"5:10: link 1: length must be positive, got -1"}},
    {"length_is_nan",
     link_of("mass = 1\nlength = nan"),
     {"5:10: link 1: length must be a finite number, got nan"}},
    {"length_is_too_large",
     link_of("mass = 1\nlength = 1e300"),
     {"5:10: link 1: length must lie between 1e-100 and 1e+100, got 1e+300"}},
    {"length_is_too_small",
     link_of("mass = 1\nlength = 1e-200"),
     {"5:10: link 1: length must lie between 1e-100 and 1e+100, got 1e-200"}},
    {"length_is_a_flag",
     link_of("mass = 1\nlength = true"),
     {"5:10: link 1: length must be a number in m, got true"}},
    {"mass_is_zero",
     link_of("length = 1\nmass = 0"),
     {"5:8: link 1: mass must be positive, got 0"}},
    {"mass_is_minus_infinity",
     link_of("length = 1\nmass = -inf"),
     {"5:8: link 1: mass must be a finite number, got -inf"}},
    {"mass_is_a_table",
     link_of("length = 1\nmass = { value = 1 }"),
     {"5:8: link 1: mass must be a number in kg, got a table"}},
    {"unit_is_misspelt",
     link_with(R"(theta = "120 degs")"),
     {"6:9: link 1: theta has the unknown unit 'degs', did you mean 'deg'?"}},
    {"unit_is_unknown",
     link_with(R"(theta = "3 turns")"),
     {"6:9: link 1: theta has the unknown unit 'turns'; units are deg, pi and rad"}},
    {"unit_is_missing",
     link_with(R"(theta = "120")"),
     {"6:9: link 1: theta must have a unit in '120' (deg, pi or rad), or be a plain number in radians"}},
    {"angle_is_not_a_number",
     link_with(R"(phi = "pi/2")"),
     {R"(6:7: link 1: phi must be a number in rad, or a text with a unit such as "120 deg" or "0.25 pi", got the text 'pi/2')"}},
    {"angle_is_empty_text",
     link_with(R"(phi = "")"),
     {R"(6:7: link 1: phi must be a number in rad, or a text with a unit such as "120 deg" or "0.25 pi", got the text '')"}},
    {"angle_is_infinite",
     link_with("theta = inf"),
     {"6:9: link 1: theta must be a finite number, got inf"}},
    {"angle_text_overflows",
     link_with(R"(theta = "1e999 deg")"),
     {R"(6:9: link 1: theta must be a number in rad, or a text with a unit such as "120 deg" or "0.25 pi", got the text '1e999 deg')"}},
    {"angle_is_a_pair",
     link_with(R"(theta = [90, "d"])"),
     {R"(6:9: link 1: theta must be a number in rad, or a text with a unit such as "120 deg" or "0.25 pi", got a list of 2)"}},
    {"rate_of_angle_has_an_unknown_unit",
     link_with(R"(theta_dot = "3 rpm")"),
     {"6:13: link 1: theta_dot has the unknown unit 'rpm'; units are deg, pi and rad"}},
    {"rate_of_angle_is_nan",
     link_with("phi_dot = nan"),
     {"6:11: link 1: phi_dot must be a finite number, got nan"}},
    {"angles_and_direction",
     link_with("theta = 1\ndirection = [1, 0, 0]"),
     {"7:13: link 1: give either direction (and rate) or angles, not both: here is also theta"}},
    {"step_of_angle_and_direction",
     link_with("phi_step = 1\ndirection = [1, 0, 0]"),
     {"7:13: link 1: give either direction (and rate) or angles, not both: here is also phi_step"}},
    {"direction_is_zero",
     link_with("direction = [0, 0, 0]"),
     {"6:13: link 1: direction must not be zero"}},
    {"direction_is_zero_and_more",
     link_of("length = 0\nmass = 1\ndirection = [0, 0, 0]"),
     {"4:10: link 1: length must be positive, got 0", "6:13: link 1: direction must not be zero"}},
    {"direction_is_wrong_and_there_is_a_rate",
     link_with("direction = [0, 1]\nrate = [1, 0, 0]"),
     {"6:13: link 1: direction must be three numbers, got a list of 2"}},
    {"direction_is_nan",
     link_with("direction = [0, nan, 1]"),
     {"6:17: link 1: direction[2] must be a finite number, got nan"}},
    {"direction_has_four_components",
     link_with("direction = [1, 0, 0, 0]"),
     {"6:13: link 1: direction must be three numbers, got a list of 4"}},
    {"rate_without_direction",
     link_with("rate = [1, 0, 0]"),
     {"6:8: link 1: rate needs a direction; with angles, give theta_dot and phi_dot"}},
    {"center_of_mass_is_above_one",
     link_with("center_of_mass = 1.5"),
     {"6:18: link 1: center_of_mass must lie between 0 and 1, got 1.5"}},
    {"center_of_mass_is_negative",
     link_with("center_of_mass = -0.1"),
     {"6:18: link 1: center_of_mass must lie between 0 and 1, got -0.1"}},
    {"inertia_is_negative",
     link_with("inertia = -1"),
     {"6:11: link 1: inertia must not be negative, got -1"}},
    {"inertia_is_another_text",
     link_with(R"(inertia = "bar")"),
     {R"(6:11: link 1: inertia must be a number in kg m^2 or "rod", got the text 'bar')"}},
    {"motion_of_a_leaf_is_undetermined",
     link_with("center_of_mass = 0"),
     {"6:18: link 1: with center_of_mass = 0 and inertia = 0 nothing resists its turning, so its motion is undetermined; give it an inertia or a center_of_mass above 0"}},
    {"motion_of_a_junction_is_undetermined",
     links({"length = 1, mass = 1, center_of_mass = 0", "length = 1, mass = 1"}),
     {"5:44: link 1: with center_of_mass = 0 and inertia = 0 it has no inertia when it lines up with the link below, so its motion is undetermined; give it an inertia or a center_of_mass above 0"}},
    {"parent_is_negative",
     link_with("parent = -1"),
     {"6:10: link 1: parent must not be negative, got -1"}},
    {"parent_is_the_link_itself",
     link_with("parent = 1"),
     {"6:10: link 1: parent must be 0, the pivot, got 1"}},
    {"parent_is_not_whole",
     link_with("parent = 0.5"),
     {"6:10: link 1: parent must be a whole number, got 0.5"}},
    {"parent_of_the_second_link_comes_later",
     links({"length = 1, mass = 1", "length = 1, mass = 1, parent = 2", "length = 1, mass = 1"}),
     {"6:36: link 2: parent must be link 1, or 0 for the pivot, got 2"}},
    {"parent_is_beyond_the_repeated_links",
     links({"length = 1, mass = 1, repeat = 5", "length = 1, mass = 1, parent = 6"}),
     {"6:36: link 2: parent must be a link before it, 1 to 5, or 0 for the pivot, got 6"}},
    {"repeat_is_zero",
     link_with("repeat = 0"),
     {"6:10: link 1: repeat must lie between 1 and 1000000, got 0"}},
    {"repeat_is_negative",
     link_with("repeat = -3"),
     {"6:10: link 1: repeat must lie between 1 and 1000000, got -3"}},
    {"repeat_is_a_thousand_million",
     link_with("repeat = 1000000000"),
     {"6:10: link 1: repeat must lie between 1 and 1000000, got 1000000000"}},
    {"links_exceed_the_limit_together",
     links({"length = 1, mass = 1, repeat = 999999", "length = 1, mass = 1, repeat = 2"}),
     {"6:36: link 2: the scene has more than 1000000 links here, which is the limit"}},
    {"link_key_is_misspelt",
     link_with("lenght = 2"),
     {"6:1: link 1: unknown key 'lenght', did you mean 'length'?"}},
    {"link_key_is_unknown",
     link_with("wobble = 2"),
     {"6:1: link 1: unknown key 'wobble'; known are length, mass, theta, phi, theta_dot, phi_dot, direction, rate, center_of_mass, inertia, parent, repeat, theta_step, phi_step, stiffness, stretch, stretch_dot"}},
    {"link_key_has_odd_characters",
     link_with(R"("a\nb" = 2)"),
     {R"(6:1: link 1: unknown key 'a\x0ab'; known are length, mass, theta, phi, theta_dot, phi_dot, direction, rate, center_of_mass, inertia, parent, repeat, theta_step, phi_step, stiffness, stretch, stretch_dot)"}},
    {"link_is_a_number",
     "[simulation]\nduration = 1\n[chain]\nlinks = [1]\n",
     {"4:10: link 1 must be a table, got 1"}},
    {"tension_with_a_mass_along_the_link",
     R"([simulation]
duration = 1
[chain]
formulation = "tension"
links = [{ length = 1, mass = 1, center_of_mass = 0.5 }]
)",
     {"4:15: chain: formulation 'tension' is for point masses in one line, but link 1 has center_of_mass below 1; use 'articulated', or leave formulation out"}},
    {"tension_with_inertia",
     R"([simulation]
duration = 1
[chain]
formulation = "tension"
links = [{ length = 1, mass = 1, inertia = 0.1 }]
)",
     {"4:15: chain: formulation 'tension' is for point masses in one line, but link 1 has inertia; use 'articulated', or leave formulation out"}},
    {"tension_with_a_branch",
     R"([simulation]
duration = 1
[chain]
formulation = "tension"
[[chain.links]]
length = 1
mass = 1
repeat = 2
[[chain.links]]
length = 1
mass = 1
parent = 1
)",
     {"4:15: chain: formulation 'tension' is for point masses in one line, but link 2 has a parent other than the link before; use 'articulated', or leave formulation out"}},
    {"empty",
     "",
     {"1:1: [simulation] is missing; it needs at least a duration", "1:1: there is no chain; a scene needs a [chain] with [[chain.links]], or several [[chains]]"}},
    {"only_a_comment",
     "# nothing here\n",
     {"1:1: [simulation] is missing; it needs at least a duration", "1:1: there is no chain; a scene needs a [chain] with [[chain.links]], or several [[chains]]"}},
    {"simulation_is_missing",
     "[[chain.links]]\nlength = 1\nmass = 1\n",
     {"1:1: [simulation] is missing; it needs at least a duration"}},
    {"simulation_is_a_number",
     "simulation = 3\n[[chain.links]]\nlength = 1\nmass = 1\n",
     {"1:14: simulation must be a table, got 3"}},
    {"chain_is_missing",
     "[simulation]\nduration = 1\n",
     {"1:1: there is no chain; a scene needs a [chain] with [[chain.links]], or several [[chains]]"}},
    {"chain_has_no_links",
     "[simulation]\nduration = 1\n[chain]\n",
     {"3:1: chain: there are no links; a chain needs at least one, with length and mass"}},
    {"links_are_empty",
     "[simulation]\nduration = 1\n[chain]\nlinks = []\n",
     {"4:9: chain: there are no links; a chain needs at least one, with length and mass"}},
    {"links_are_one_table",
     "[simulation]\nduration = 1\n[chain.links]\nlength = 1\nmass = 1\n",
     {"3:1: chain: links must be a list of tables, got a table; write [[chain.links]] with double brackets"}},
    {"chain_is_a_list",
     "[simulation]\nduration = 1\n[[chain]]\n",
     {"3:1: chain must be a table, got a list of 1"}},
    {"section_is_misspelt",
     "[simulatoin]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n",
     {"1:1: [simulation] is missing; it needs at least a duration", "1:2: scene: unknown key 'simulatoin', did you mean 'simulation'?"}},
    {"section_is_unknown",
     "[simulation]\nduration = 1\n[[bodies]]\nname = 'a'\n[[chain.links]]\nlength = 1\nmass = 1\n",
     {"3:3: scene: unknown key 'bodies'; known are simulation, chain, chains, output, plot"}},
    {"chain_and_chains",
     "[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n[[chains]]\nname = 'a'\nlinks = [{ length = 1, mass = 1 }]\n",
     {"6:1: give either one [chain] or several [[chains]], not both"}},
    {"chains_is_one_table",
     "[simulation]\nduration = 1\n[chains]\nname = 'a'\n",
     {"3:1: chains must be a list of tables, got a table; write [[chains]] with double brackets, or [chain] for a single one"}},
    {"chains_is_empty",
     "chains = []\n[simulation]\nduration = 1\n",
     {"1:10: chains is empty; a scene needs at least one chain"}},
    {"chains_without_a_name",
     chains({"pivot = [1, 0, 0]"}),
     {"3:1: chain 1: name is missing; each of [[chains]] needs its own"}},
    {"chains_with_the_same_name",
     chains({"name = 'a'", "name = 'a'"}),
     {"7:8: chain 2: the name 'a' is given to two chains"}},
    {"chains_with_an_ill_formed_name",
     chains({"name = '2nd'"}),
     {"4:8: chain 1: name '2nd' must begin with a letter and have only letters, digits, _ and -"}},
    {"chains_with_an_empty_name",
     chains({"name = ''"}),
     {"4:8: chain 1: name '' must begin with a letter and have only letters, digits, _ and -"}},
    {"chains_with_a_reserved_name",
     chains({"name = 'total'", "name = 'ground'"}),
     {"4:8: chain 1: the name 'total' is taken; choose another", "7:8: chain 2: the name 'ground' is taken; choose another"}},
    {"link_of_the_second_chain_is_wrong",
     "[simulation]\nduration = 1\n[[chains]]\nname = 'a'\nlinks = [{ length = 1, mass = 1 }]\n[[chains]]\nname = 'b'\nlinks = [{ length = 1, mass = 1 }, { length = 0, mass = 1 }]\n",
     {"8:47: chain 2, link 2: length must be positive, got 0"}},
    {"output_is_a_number",
     "output = 3\n[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n",
     {"1:10: output must be a file's name, got 3"}},
    {"toml_value_is_missing",
     "[simulation]\nduration =\n",
     {R"(2:11: TOML: while parsing key-value pair: expected value, saw '\n')"}},
    {"toml_key_is_given_twice",
     "[simulation]\nduration = 1\nduration = 2\n",
     {"3:12: TOML: while parsing key-value pair: cannot redefine existing integer 'duration'"}},
    {"toml_text_is_open",
     R"([simulation]
method = "rk4
)",
     {"2:14: TOML: while parsing string: unescaped control characters other than TAB (U+0009) are explicitly prohibited"}},
    {"toml_number_overflows",
     "[simulation]\nduration = 1e400\n",
     {"2:17: TOML: while parsing floating-point: '1e400' could not be interpreted as a value"}},
    {"toml_keys_are_nested_too_deep",
     "[simulation]\nduration = 1\n" + repeated("a.", 70) + "a = 1\n",
     {"3:130: a key has more than 64 parts"}},
    {"json_comma_is_missing",
     R"({"simulation": {"duration": 1}
 "chain": 1})",
     {"2:2: JSON: unexpected string literal; expected '}'"}},
    {"json_is_cut_short",
     R"({"simulation": {"duration": 1)",
     {"1:30: JSON: unexpected end of input; expected '}'"}},
    {"json_key_is_given_twice",
     R"({"simulation": {"duration": 1,
 "duration": 2}})",
     {"2:2: the key 'duration' is given twice"}},
    {"json_value_is_wrong",
     R"({"simulation": {"duration": 1},
 "chain": {"links": [{"length": 1, "mass": 1},
  {"length": -1, "mass": 1}]}})",
     {"3:14: link 2: length must be positive, got -1"}},
    {"json_has_null",
     R"({"simulation": {"duration": null},
 "chain": {"links": [{"length": 1, "mass": 1}]}})",
     {"1:29: simulation: duration must be a number in s, got null"}},
    {"json_has_nan",
     R"({"simulation": {"duration": NaN}})",
     {"1:29: JSON: invalid literal"}},
    {"json_number_overflows",
     R"({"simulation": {"duration": 1e999}})",
     {"1:29: JSON: number overflow parsing '1e999'"}},
    {"json_is_a_list_of_lists",
     "{\"a\": " + repeated("[", 70) + repeated("]", 70) + "}",
     {"1:70: tables and lists are nested more than 64 deep"}},
    {"json_has_text_behind_it",
     R"({"simulation": {"duration": 1}} x)",
     {"1:33: JSON: invalid literal"}},
    {"bytes_are_not_utf8",
     "[simulation]\nduration = \xFF" "1\n",
     {"2:12: this is not text: a scene is UTF-8 text, but here is the byte 0xff"}},
    {"there_is_a_nul",
     std::string("[simulation]\ndur\0" "ation = 1\n", 27),
     {"2:4: this is not text: a scene is UTF-8 text, but here is the byte 0x00"}},
    {"several_mistakes_at_once",
     R"([simulation]
duration = 0
metod = "rk4"
[chain]
kind = "soft"
[[chain.links]]
length = -1
mass = "heavy"
theta = "90 dge"
[[chain.links]]
length = 1
)",
     {"2:12: simulation: duration must be positive, got 0", "3:1: simulation: unknown key 'metod', did you mean 'method'?", "5:8: chain: unknown kind 'soft'; known are rigid, elastic", "7:10: link 1: length must be positive, got -1", "8:8: link 1: mass must be a number in kg, got the text 'heavy'", "9:9: link 1: theta has the unknown unit 'dge', did you mean 'deg'?", "10:1: link 2: mass is missing; it must be a number in kg"}},
};
// clang-format on

class BadScenes : public testing::TestWithParam<BadScene> {};

TEST_P(BadScenes, are_refused_with_place_and_remedy) {
  std::string expected;
  for (const std::string& line : GetParam().complaints) {
    expected += (expected.empty() ? "s.toml:" : "\ns.toml:") + line;
  }
  EXPECT_EQ(complaints(GetParam().text), expected);
}

INSTANTIATE_TEST_SUITE_P(Scene, BadScenes, testing::ValuesIn(kBadScenes),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace catena
