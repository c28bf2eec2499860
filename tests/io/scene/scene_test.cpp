#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/model/entries.h"
#include "catena/model/fields.h"
#include "catena/model/force_laws.h"
#include "io/scene/scene_bits.h"

namespace catena {
namespace {

const std::string kHead = "[simulation]\nduration = 2\n[[chain.links]]\nlength = 2\nmass = 3\n";

Link link_given(const std::string& lines) { return scene_from(kHead + lines).chains.at(0).links.at(0); }

TEST(Scene, has_the_documented_defaults) {
  const Scene scene = scene_from(kHead);
  EXPECT_EQ(scene.simulation.sample, 0.01);
  EXPECT_EQ(scene.simulation.gravity, (Vec3{0.0, 0.0, -9.81}));
  EXPECT_EQ(scene.simulation.method, "taylor");
  EXPECT_FALSE(scene.simulation.tolerance || scene.simulation.step || scene.simulation.order);
  const Chain& chain = scene.chains.at(0);
  EXPECT_EQ(chain.formulation, Formulation::automatic);
  EXPECT_TRUE(chain.plane_allowed);
  EXPECT_EQ(chain.name, "");
  EXPECT_EQ(chain.links.at(0).center_of_mass, 1.0);
  EXPECT_EQ(chain.links.at(0).inertia, 0.0);
  EXPECT_EQ(chain.links.at(0).parent, -1);
  EXPECT_FALSE(chain.links.at(0).by_direction);
}

TEST(Scene, understands_all_units_of_angles) {
  EXPECT_EQ(link_given("theta = 1.5").theta.radians, 1.5);
  EXPECT_EQ(link_given("theta = '1.5 rad'").theta.radians, 1.5);
  EXPECT_EQ(link_given("theta = '90 deg'").theta.cosine, 0.0);
  EXPECT_EQ(link_given("theta = ' 90degrees '").theta.cosine, 0.0);
  EXPECT_EQ(link_given("theta = '9e1\u00b0'").theta.cosine, 0.0);
  EXPECT_EQ(link_given("theta = '-0.5 pi'").theta.sine, -1.0);
  EXPECT_EQ(link_given("theta = 'pi'").theta.cosine, -1.0);
  EXPECT_EQ(link_given("theta = '-pi'").theta.sine, 0.0);
  EXPECT_EQ(link_given("phi_dot = '180 deg'").phi_dot, std::acos(-1.0));
  EXPECT_EQ(link_given("phi_dot = '180 deg/s'").phi_dot, std::acos(-1.0));
}

TEST(Scene, takes_gravity_as_number_or_vector) {
  const auto gravity = [](const std::string& value) {
    return scene_from(kHead, {"simulation.gravity=" + value}).simulation.gravity;
  };
  EXPECT_EQ(gravity("1.62"), (Vec3{0.0, 0.0, -1.62}));
  EXPECT_EQ(gravity("-1"), (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(gravity("[1, 2, 3]"), (Vec3{1.0, 2.0, 3.0}));
  EXPECT_FALSE(std::signbit(gravity("0")[2]));
}

TEST(Scene, allows_a_sample_time_beyond_the_end) {
  EXPECT_EQ(scene_from(kHead, {"simulation.sample=50"}).simulation.sample, 50.0);
}

TEST(Scene, normalises_directions) {
  const Link link = link_given("direction = [1, 1, 0]");
  EXPECT_TRUE(link.by_direction);
  EXPECT_EQ(link.direction[0], link.direction[1]);
  EXPECT_DOUBLE_EQ(link.direction[0], std::sqrt(0.5));
  EXPECT_EQ(link_given("direction = [0, -1e300, 0]").direction, (Vec3{0.0, -1.0, 0.0}));
  EXPECT_EQ(link_given("direction = [0, 0, 1e-300]").direction, (Vec3{0.0, 0.0, 1.0}));
}

TEST(Scene, removes_the_part_of_a_rate_along_the_direction) {
  EXPECT_EQ(link_given("direction = [1, 1, 0]\nrate = [3, 3, 0]").rate, (Vec3{0.0, 0.0, 0.0}));
  EXPECT_EQ(link_given("direction = [2, 0, 0]\nrate = [5, 6, 7]").rate, (Vec3{0.0, 6.0, 7.0}));
  const Link link = link_given("direction = [1, 2, 3]\nrate = [1e6, 2e6, 3000001]");
  const double along =
      link.rate[0] * link.direction[0] + link.rate[1] * link.direction[1] + link.rate[2] * link.direction[2];
  EXPECT_NEAR(along, 0.0, 1e-15);  // the rate that is left is of the order of 1
}

TEST(Scene, makes_rods_of_links) {
  const Link rod = link_given("inertia = 'rod'");
  EXPECT_EQ(rod.inertia, 3.0 * 2.0 * 2.0 / 12.0);
  EXPECT_EQ(rod.center_of_mass, 0.5);
  EXPECT_EQ(link_given("inertia = 'rod'\ncenter_of_mass = 0.25").center_of_mass, 0.25);
  EXPECT_EQ(link_given("inertia = 0.5").center_of_mass, 1.0);
}

TEST(Scene, expands_repeats_and_counts_parents_after_them) {
  const Scene scene = scene_from(
      "simulation.duration = 1\n[chain]\nlinks = [\n"
      "{length = 1, mass = 1, repeat = 3}, {length = 2, mass = 1, parent = 1, repeat = 2},\n"
      "{length = 3, mass = 1}, {length = 4, mass = 1, parent = 0}]\n");
  std::vector<int> parents;
  for (const Link& link : scene.chains.at(0).links) parents.push_back(link.parent);
  EXPECT_EQ(parents, (std::vector<int>{-1, 0, 1, 0, 3, 4, -1}));
}

TEST(Scene, adds_a_step_with_each_repeat) {
  const Scene scene = scene_from(kHead + "phi = 0.3\nphi_step = 0.3\ntheta_step = '45 deg'\nrepeat = 100\n");
  const auto& links = scene.chains.at(0).links;
  ASSERT_EQ(links.size(), 100u);
  for (int k = 1; k <= 100; ++k) EXPECT_EQ(links[static_cast<std::size_t>(k - 1)].phi.radians, 0.3 * k);
  EXPECT_EQ(links[2].theta.sine, 1.0);
}

TEST(Scene, takes_a_million_links_and_no_more) {
  EXPECT_EQ(scene_from(kHead + "repeat = 1000000\n").chains.at(0).links.size(), std::size_t{kMostLinks});
}

TEST(Scene, allows_a_mass_at_the_upper_joint_above_a_rod) {
  EXPECT_EQ(
      complaints("simulation.duration = 1\n[chain]\nlinks = [{length = 1, mass = 1, center_of_mass = 0},\n"
                 "{length = 1, mass = 1, inertia = 'rod'}]"),
      "");
}

TEST(Scene, allows_an_explicit_tension_formulation_for_point_masses) {
  const Scene scene = scene_from(kHead + "repeat = 2\n[chain]\nformulation = 'tension'\nplane = 'none'\n");
  EXPECT_EQ(scene.chains.at(0).formulation, Formulation::tension);
  EXPECT_FALSE(scene.chains.at(0).plane_allowed);
}

TEST(Scene, reads_elastic_links) {
  const Scene scene = scene_from(
      kHead + "repeat = 2\nstiffness = 200\nstretch = -0.25\nstretch_dot = 3\n[chain]\nkind = 'elastic'\n");
  EXPECT_EQ(scene.chains.at(0).kind, ChainKind::elastic);
  for (const Link& link : scene.chains.at(0).links) {
    EXPECT_EQ(link.stiffness, 200.0);
    EXPECT_EQ(link.stretch, -0.25);
    EXPECT_EQ(link.stretch_dot, 3.0);
  }
  EXPECT_EQ(bits(scene), bits(scene_from(scene.json)));
}

TEST(Scene, reads_several_chains) {
  const Scene scene = scene_from(
      "simulation = {duration = 1}\n[[chains]]\nname = 'left'\npivot = [-1, 0, 0]\n[[chains.links]]\nlength "
      "= 1\n"
      "mass = 1\n[[chains]]\nname = 'right-2'\n[[chains.links]]\nlength = 2\nmass = 1\n");
  ASSERT_EQ(scene.chains.size(), 2u);
  EXPECT_EQ(scene.chains[0].name, "left");
  EXPECT_EQ(scene.chains[0].pivot[0], -1.0);
  EXPECT_EQ(scene.chains[1].name, "right-2");
  EXPECT_EQ(scene.chains[1].links.at(0).length, 2.0);
}

TEST(Scene, is_the_same_from_json_as_from_toml) {
  const std::string toml =
      "[simulation]\nduration = 1.5\ngravity = [0, 0.1, -9]\nmethod = 'rk4'\nstep = 1e-3\norder = 20\n"
      "[chain]\npivot = [1, 2, 3]\n[[chain.links]]\nlength = 0.1\nmass = 3\ntheta = '120 deg'\nphi_dot = "
      "-0.0\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ndirection = [1, 2, 3]\nrate = [3, 2, 1]\nrepeat = 3\n";
  const std::string json = R"(
    {"simulation": {"duration": 1.5, "gravity": [0, 0.1, -9], "method": "rk4", "step": 1e-3, "order": 20},
     "chain": {"pivot": [1, 2, 3],
               "links": [{"length": 0.1, "mass": 3, "theta": "120 deg", "phi_dot": -0.0},
                         {"length": 1, "mass": 1, "direction": [1, 2, 3], "rate": [3, 2, 1], "repeat": 3}]}})";
  EXPECT_EQ(bits(scene_from(toml)), bits(scene_from(json)));
}

TEST(Scene, accepts_a_byte_order_mark_and_windows_line_ends) {
  EXPECT_EQ(
      complaints("\xEF\xBB\xBF[simulation]\r\nduration = 1\r\n[[chain.links]]\r\nlength = 1\r\nmass = 1\r\n"),
      "");
  EXPECT_EQ(complaints("\xEF\xBB\xBF{\"simulation\": 1}"),
            "s.toml:1:1: there is no chain; a scene needs a [chain] with [[chain.links]], several "
            "[[chains]], [[bodies]], a [lagrangian] or [equations]\n"
            "s.toml:1:16: simulation must be a table, got 1");
}

TEST(SceneJson, reads_back_to_the_same_bits) {
  for (const auto& path : shipped_scenes()) {
    const Scene scene = scene_from(read_scene_text(path.string()));
    const Scene again = scene_from(scene.json);
    EXPECT_EQ(bits(scene), bits(again)) << path;
    EXPECT_EQ(scene.json, again.json) << path;
  }
}

TEST(SceneJson, keeps_every_bit_of_its_numbers) {
  const std::string text =
      kHead +
      "theta = 0.1\nphi = '1e22 deg'\ntheta_dot = -0.0\nphi_dot = 2.2250738585072014e-308\n"
      "inertia = 0.30000000000000004\n";
  const Scene scene = scene_from(text);
  EXPECT_EQ(bits(scene), bits(scene_from(scene.json)));
  EXPECT_TRUE(std::signbit(scene_from(scene.json).chains[0].links[0].theta_dot));
}

TEST(SceneJson, keeps_repeats_together) {
  EXPECT_LT(scene_from(kHead + "repeat = 100000\n").json.size(), 200u);
}

TEST(SceneMistakes, are_cut_short_after_a_hundred) {
  std::string text = "[simulation]\nduration = 1\n[chain]\nlinks = [\n";
  for (int i = 0; i < 130; ++i) text += "{ length = 0, mass = 1 },\n";
  const std::string said = complaints(text + "]\n");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 100);
  EXPECT_NE(said.find("\ns.toml: 30 more mistakes are not shown"), std::string::npos);
}

TEST(SceneFile, must_exist) {
  try {
    read_scene_text("no/such/scene.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no/such/scene.toml: cannot be opened: No such file or directory");
  }
}

TEST(SceneFile, must_not_be_a_folder) {
  try {
    read_scene_text(CATENA_SOURCE_DIR);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), CATENA_SOURCE_DIR ": is a folder, not a scene");
  }
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) : path_(testing::TempDir() + name) {}
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(SceneFile, must_not_be_binary) {
  const TemporaryFile file("catena_scene_binary");
  std::ofstream(file.path(), std::ios::binary) << std::string(
      "\x7F"
      "ELF\0\0",
      6);
  try {
    read_scene_text(file.path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              file.path() + ":1:5: this is not text: a scene is UTF-8 text, but here is the byte 0x00");
  }
}

TEST(SceneFile, must_not_be_larger_than_the_limit) {
  const TemporaryFile file("catena_scene_large");
  std::ofstream(file.path(), std::ios::binary).close();
  std::filesystem::resize_file(file.path(), 5ull << 30);  // sparse: takes no room
  try {
    read_scene_text(file.path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file.path() + ": has 5120.0 MiB; a scene may have 16 MiB at most");
  }
}

TEST(StarterScene, is_valid_whatever_its_name) {
  EXPECT_EQ(complaints(starter_scene("first")), "");
  EXPECT_EQ(complaints(starter_scene("two\nlines = 3")), "");
  EXPECT_EQ(scene_from(starter_scene("first")).chains.at(0).links.size(), 3u);
}

TEST(SceneSchema, names_every_field_of_every_section) {
  const auto schema = nlohmann::json::parse(scene_schema());
  const auto& properties = schema["properties"];
  for (const SectionInfo& section : scene_sections()) {
    if (section.path == "forces") continue;  // one table for each law
    const auto& bodies = properties["bodies"]["items"];
    const auto& table = section.path == "chain.links"    ? properties["chain"]["properties"]["links"]["items"]
                        : section.path == "chain"        ? properties["chains"]["items"]
                        : section.path == "bodies.parts" ? bodies["properties"]["parts"]["items"]
                        : section.path == "fit.free"     ? properties["fit"]["properties"]["free"]["items"]
                        : section.path == "simulation" || section.path == "method" ||
                                section.path == "lagrangian" || section.path == "equations" ||
                                section.path == "fit"
                            ? properties[section.path]
                            : properties[section.path]["items"];
    for (const FieldInfo& field : section.fields) {
      ASSERT_TRUE(table["properties"].contains(field.name)) << section.path << ' ' << field.name;
      EXPECT_FALSE(field.summary.empty()) << field.name;
    }
  }
  const auto& laws = properties["forces"]["items"]["oneOf"];
  ASSERT_EQ(laws.size(), force_laws().size());
  for (std::size_t i = 0; i < laws.size(); ++i) {
    EXPECT_EQ(laws[i]["properties"]["kind"]["enum"][0], force_laws()[i].kind);
    for (const std::string& field : force_laws()[i].fields)
      EXPECT_TRUE(laws[i]["properties"].contains(field));
  }
  EXPECT_EQ(properties["simulation"]["properties"]["sample"]["default"], 0.01);
  EXPECT_EQ(properties["simulation"]["required"], nlohmann::json::array({"duration"}));
}

}  // namespace
}  // namespace catena
