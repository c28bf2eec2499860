#include <gtest/gtest.h>

#include <string>

#include "io/scene/scene_bits.h"

namespace catena {
namespace {

const std::string kThreeLinks =
    "[simulation]\nduration = 2\n[chain]\nlinks = [{ length = 1, mass = 1 }, { length = 2, mass = 2 }, "
    "{ length = 3, mass = 3 }]\n";

TEST(Override, changes_one_item_of_a_list) {
  const Scene scene = scene_from(kThreeLinks, {"chain.links.2.mass=7.5"});
  EXPECT_EQ(scene.chains.at(0).links.at(1).mass, 7.5);
  EXPECT_EQ(scene.chains.at(0).links.at(2).mass, 3.0);
}

TEST(Override, changes_all_items_of_a_list) {
  const Scene scene = scene_from(kThreeLinks, {"chain.links.*.mass = 4"});
  for (const Link& link : scene.chains.at(0).links) EXPECT_EQ(link.mass, 4.0);
}

TEST(Override, takes_words_and_units_without_quotes) {
  EXPECT_EQ(scene_from(kThreeLinks, {"simulation.method=rk4"}).simulation.method, "rk4");
  EXPECT_EQ(scene_from(kThreeLinks, {"simulation.method=\"rk4\""}).simulation.method, "rk4");
  EXPECT_EQ(scene_from(kThreeLinks, {"chain.links.1.theta=90 deg"}).chains[0].links[0].theta.sine, 1.0);
}

TEST(Override, creates_missing_keys_and_tables) {
  const Scene scene =
      scene_from("[[chain.links]]\nlength = 1\nmass = 1\n",
                 {"simulation.duration=3", "chain.pivot=[1, 2, 3]", "chain.links.1.repeat=5"});
  EXPECT_EQ(scene.simulation.duration, 3.0);
  EXPECT_EQ(scene.chains.at(0).pivot, (Vec3{1.0, 2.0, 3.0}));
  EXPECT_EQ(scene.chains.at(0).links.size(), 5u);
}

TEST(Override, applies_in_order) {
  EXPECT_EQ(scene_from(kThreeLinks, {"simulation.duration=3", "simulation.duration=4"}).simulation.duration,
            4.0);
}

TEST(Override, of_the_value_default_removes_the_key) {
  const Scene scene = scene_from(
      kThreeLinks + "[simulation.x]\n",
      {"simulation.order=7", "simulation.x=default", "simulation.order=default", "chain.pivot=default"});
  EXPECT_FALSE(scene.simulation.order.has_value());
  EXPECT_NE(complaints(kThreeLinks, {"chain.links.1=default"}).find("has no default"), std::string::npos);
}

TEST(Override, repairs_a_mistake_of_the_file) {
  EXPECT_EQ(complaints(kThreeLinks + "kind = 'soft'\n", {"chain.kind=rigid"}), "");
}

TEST(Override, is_seen_in_the_json_of_the_scene) {
  const Scene scene = scene_from(kThreeLinks, {"simulation.duration=0.3", "chain.links.*.theta=0.1 pi"});
  EXPECT_NE(scene.json.find("\"duration\":0.3"), std::string::npos);
  EXPECT_EQ(bits(scene), bits(scene_from(scene.json)));
}

struct BadOverride {
  const char* name;
  std::string text;
  std::string complaint;  // after "--set <text>: "
};

void PrintTo(const BadOverride& bad, std::ostream* out) { *out << bad.name; }

const std::vector<BadOverride> kBadOverrides = {
    {"item_is_beyond_the_list", "chain.links.7.mass=2", "there is no item 7 in chain.links (it has 3)"},
    {"item_is_zero", "chain.links.0.mass=2", "there is no item 0 in chain.links (it has 3)"},
    {"item_is_huge", "chain.links.99999999999999999999.mass=2",
     "there is no item 99999999999999999999 in chain.links (it has 3)"},
    {"item_is_a_word", "chain.links.first.mass=2",
     "chain.links is a list: its items are named by number, from 1 to 3, or * for all"},
    {"star_on_a_table", "chain.*.mass=2", "* stands for all items of a list, but chain is a table"},
    {"number_has_no_parts", "simulation.duration.x=2", "simulation.duration is 2, which has no parts"},
    {"no_equals_sign", "simulation.duration",
     "an override needs the form path=value, as in chain.links.1.mass=2"},
    {"no_value", "simulation.duration=", "there is no value after '='"},
    {"no_path", "=2", "the path before '=' has an empty part"},
    {"empty_part", "simulation..duration=2", "the path before '=' has an empty part"},
    {"value_is_not_toml", "simulation.duration=[1",
     "the value cannot be read: TOML: while parsing array: encountered end-of-file"},
    {"value_has_the_wrong_type", "simulation.duration=long",
     "simulation: duration must be a number in s, got the text 'long'"},
    {"value_is_out_of_range", "chain.links.2.mass=-2", "link 2: mass must be positive, got -2"},
    {"value_is_nan", "simulation.sample=nan", "simulation: sample must be a finite number, got nan"},
    {"method_is_misspelt", "simulation.method=rk5", "simulation: unknown method 'rk5', did you mean 'rk4'?"},
    {"section_is_misspelt", "simulatoin.duration=2",
     "scene: unknown key 'simulatoin', did you mean 'simulation'?"},
    {"key_is_misspelt", "chain.links.1.mas=2", "link 1: unknown key 'mas', did you mean 'mass'?"},
};

class BadOverrides : public testing::TestWithParam<BadOverride> {};

TEST_P(BadOverrides, are_refused_by_name) {
  EXPECT_EQ(complaints(kThreeLinks, {GetParam().text}),
            "--set " + GetParam().text + ": " + GetParam().complaint);
}

INSTANTIATE_TEST_SUITE_P(Override, BadOverrides, testing::ValuesIn(kBadOverrides),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Override, mistakes_follow_those_of_the_file) {
  EXPECT_EQ(complaints(kThreeLinks + "kind = 'soft'\n", {"chain.links.9.mass=1", "simulation.sample=0"}),
            "s.toml:5:8: chain: unknown kind 'soft'; known are rigid, elastic\n"
            "--set chain.links.9.mass=1: there is no item 9 in chain.links (it has 3)\n"
            "--set simulation.sample=0: simulation: sample must be positive, got 0");
}

TEST(Override, value_cannot_bring_in_a_second_key) {
  EXPECT_EQ(complaints(kThreeLinks, {"simulation.duration=1\nmethod=2"}),
            "--set simulation.duration=1\\x0amethod=2: the value cannot be read: it must be one value");
}

}  // namespace
}  // namespace catena
