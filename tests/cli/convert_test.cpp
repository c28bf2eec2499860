// catena convert: scenes and recorded runs in other formats.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;
using Convert = Workplace;

// A tetrahedron with corners at the origin and at 1 along each axis, facing outward.
constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

constexpr const char* kMeshScene = R"([simulation]
duration = 0.1
[[bodies]]
name = "a"
shape = "mesh"
file = "t.obj"
density = 6
)";

TEST_F(Convert, EveryShippedSceneIsTheSameAfterJsonAndToml) {
  const Result listed = catena({"list", "scenes"});
  std::size_t count = 0;
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.empty() ||
        !std::filesystem::exists(std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml"))
      continue;
    ++count;
    ASSERT_EQ(catena({"convert", name, "a.json"}).status, 0) << name;
    ASSERT_EQ(catena({"convert", "a.json", "b.toml"}).status, 0) << name;
    ASSERT_EQ(catena({"convert", "b.toml", "c.json"}).status, 0) << name;
    EXPECT_EQ(Json::parse(read("a.json")), Json::parse(read("c.json"))) << name;
  }
  EXPECT_GT(count, 30u);
}

TEST_F(Convert, RunsKeepTheirBitsThroughAllFormats) {
  for (const char* scene : {"governor", "spherical-pendulum"}) {
    ASSERT_EQ(catena({"run", scene, "-o", "a.h5", "--duration", "0.3"}).status, 0);
    ASSERT_EQ(catena({"convert", "a.h5", "b.json"}).status, 0);
    ASSERT_EQ(catena({"convert", "b.json", "c.csv"}).status, 0);
    ASSERT_EQ(catena({"convert", "c.csv", "d.npz"}).status, 0);
    ASSERT_EQ(catena({"convert", "d.npz", "e.h5"}).status, 0);
    EXPECT_EQ(recorded(path("a.h5")), recorded(path("e.h5")));
    // The scene and the checkpoint travel too: the run can be resumed from any of them.
    ASSERT_EQ(catena({"run", "--resume", "e.h5", "--duration", "0.5"}).status, 0);
    ASSERT_EQ(catena({"run", scene, "-o", "whole.h5", "--duration", "0.5"}).status, 0);
    EXPECT_EQ(recorded(path("e.h5")), recorded(path("whole.h5")));
  }
}

TEST_F(Convert, MeshFilesAreReadByWordsAndWhole) {
  std::string tabs = kTetrahedron;
  std::replace(tabs.begin(), tabs.end(), ' ', '\t');
  write("t.obj", tabs);
  write("mesh.toml", kMeshScene);
  EXPECT_EQ(catena({"check", "mesh.toml"}).status, 0);
  std::string cut(80, 'x');
  cut += std::string("\x02\0\0\0", 4) + std::string(50, '\0');  // says two triangles, has one
  write("t.stl", cut);
  const Result refused = catena({"check", "mesh.toml", "--set", "bodies.1.file=t.stl"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("'t.stl': is cut short"), std::string::npos) << refused.err;
}

TEST_F(Convert, AMeshGoesInsideTheScene) {
  write("t.obj", kTetrahedron);
  write("mesh.toml", kMeshScene);
  ASSERT_EQ(catena({"convert", "mesh.toml", "mesh.json"}).status, 0);
  std::filesystem::remove(path("t.obj"));  // it is not needed any more
  const Result run = catena({"run", "mesh.json", "-o", "run.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json body = Json::parse(read("run.json"))["drawing"]["bodies"][0];
  EXPECT_NEAR(body["mass"].get<double>(), 1.0, 1e-14);  // volume 1/6 at density 6
  EXPECT_EQ(body["shapes"][0]["triangles"].size(), 4u);
  // The body's frame has its origin at the centre of mass, a quarter from each face at the origin.
  for (const Json& part : body["shapes"][0]["position"]) EXPECT_NEAR(part.get<double>(), -0.25, 1e-15);
}

TEST_F(Convert, AMeshInsideASceneIsCheckedLikeAFile) {
  const std::string start =
      "[simulation]\nduration = 1\n[[bodies]]\nname = \"a\"\nshape = \"mesh\"\nmass = 1\n"
      "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n";
  write("open.toml", start + "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3]]\n");
  const Result open = catena({"check", "open.toml"});
  EXPECT_EQ(open.status, 2);
  EXPECT_NE(open.err.find("open.toml:8:"), std::string::npos) << open.err;
  EXPECT_NE(open.err.find("body 'a': triangles bound no solid"), std::string::npos) << open.err;
  write("far.toml", start + "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 4], [0, 3, 2]]\n");
  const Result far = catena({"check", "far.toml"});
  EXPECT_EQ(far.status, 2);
  EXPECT_NE(far.err.find("whole numbers from 0 to 3, got 4"), std::string::npos) << far.err;
}

TEST_F(Convert, AFormatOfTheFutureIsRefused) {
  write("later.json",
        R"({"format": 2, "simulation": {"duration": 1}, "chain": {"links": [{"length": 1, "mass": 1}]}})");
  const Result scene = catena({"check", "later.json"});
  EXPECT_EQ(scene.status, 2);
  EXPECT_NE(scene.err.find("later.json:1:12: format must be 1"), std::string::npos) << scene.err;
  write("run.json", R"({"catena": "9", "format": 2, "columns": {"t": [0]}})");
  const Result run = catena({"convert", "run.json", "run.csv"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("a later version"), std::string::npos) << run.err;
}

TEST_F(Convert, WhatCannotBeIsRefusedAndNothingIsTouched) {
  ASSERT_EQ(catena({"run", "pendulum", "-o", "a.h5", "--duration", "0.1"}).status, 0);
  const auto before = files();
  EXPECT_EQ(catena({"convert", "a.h5", "a.toml"}).status, 2);
  EXPECT_EQ(catena({"convert", "pendulum", "a.glb"}).status, 2);
  EXPECT_EQ(catena({"convert", "a.h5", "a.h5"}).status, 2);
  EXPECT_EQ(catena({"convert", "a.h5", "nowhere/b.json"}).status, 2);
  EXPECT_EQ(catena({"convert", "a.h5"}).status, 2);
  EXPECT_EQ(catena({"convert", "missing.h5", "b.json"}).status, 2);
  EXPECT_EQ(files(), before);
}

// ---- glTF -------------------------------------------------------------------------------------------------

// A .glb file taken apart, as its specification says.
struct Glb {
  Json json;
  std::string binary;

  explicit Glb(const std::string& bytes) {
    const auto u32 = [&](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at, 4);
      return value;
    };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(u32(4), 2u);
    EXPECT_EQ(u32(8), bytes.size());
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    json = Json::parse(bytes.substr(20, u32(12)));
    const std::size_t second = 20 + u32(12);
    EXPECT_EQ(second % 4, 0u);
    EXPECT_EQ(bytes.substr(second + 4, 4), std::string("BIN\0", 4));
    binary = bytes.substr(second + 8, u32(second));
  }

  std::vector<float> numbers(const Json& accessor_index) const {
    const Json& accessor = json["accessors"][accessor_index.get<std::size_t>()];
    const Json& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t width = accessor["type"] == "SCALAR" ? 1 : accessor["type"] == "VEC3" ? 3 : 4;
    std::vector<float> out(accessor["count"].get<std::size_t>() * width);
    EXPECT_EQ(view["byteLength"].get<std::size_t>(), out.size() * 4);
    std::memcpy(out.data(), binary.data() + view["byteOffset"].get<std::size_t>(), out.size() * 4);
    return out;
  }

  std::size_t node(const std::string& name) const {
    for (std::size_t i = 0; i < json["nodes"].size(); ++i) {
      if (json["nodes"][i].value("name", "") == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  // Times and values of a node's property.
  std::pair<std::vector<float>, std::vector<float>> animation(const std::string& name,
                                                              const std::string& path) const {
    const Json& animation = json["animations"][0];
    for (const Json& channel : animation["channels"]) {
      if (channel["target"]["node"] != node(name) || channel["target"]["path"] != path) continue;
      const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      return {numbers(sampler["input"]), numbers(sampler["output"])};
    }
    ADD_FAILURE() << name << " " << path;
    return {};
  }
};

TEST_F(Convert, TheAnimationOfAMechanismIsItsRecordedRows) {
  ASSERT_EQ(catena({"run", "governor", "-o", "a.h5", "-o", "a.json", "--duration", "4"}).status, 0);
  ASSERT_EQ(catena({"convert", "a.h5", "a.glb"}).status, 0);
  const Glb glb(read("a.glb"));
  const Json columns = Json::parse(read("a.json"))["columns"];
  for (const std::string body : {"spindle", "left", "sleeve"}) {
    const auto [times, places] = glb.animation(body, "translation");
    const auto [again, turns] = glb.animation(body, "rotation");
    ASSERT_EQ(times.size(), columns["t"].size());
    EXPECT_EQ(times, again);
    double sign = 1.0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto column = [&](const std::string& stem) {
        return columns[stem + "_" + body][k].get<double>();
      };
      // Floats: half a unit of the last of 24 bits.
      EXPECT_NEAR(times[k], columns["t"][k].get<double>(), 4e-7);
      EXPECT_NEAR(places[3 * k], column("x"), 1e-7);
      EXPECT_NEAR(places[3 * k + 2], column("z"), 1e-7);
      float along = 0, before = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        along += turns[4 * k + i] * static_cast<float>(column(i < 3 ? std::string("q") + "xyz"[i] : "qw"));
        if (k > 0) before += turns[4 * k + i] * turns[4 * k - 4 + i];
      }
      EXPECT_NEAR(std::fabs(along), 1.0, 1e-6);  // the same rotation,
      EXPECT_GT(k > 0 ? before : 1.0f, 0.9f);    // without flips of its sign
      sign = std::min<double>(sign, turns[4 * k + 3]);
    }
    // The spindle turns nearly four times, so that a quaternion must change its sign on the way.
    EXPECT_LT(body == "spindle" ? sign : -1.0, -0.5);
  }
}

TEST_F(Convert, AChainHangsTogetherInTheAnimation) {
  ASSERT_EQ(catena({"run", "elastic-pendulum", "-o", "a.h5", "--duration", "1"}).status, 0);
  ASSERT_EQ(catena({"convert", "a.h5", "a.glb"}).status, 0);
  const Glb glb(read("a.glb"));
  const auto bob = glb.animation("bob_1", "translation").second;
  const auto turn = glb.animation("rod_1", "rotation").second;
  const auto scale = glb.animation("rod_1", "scale").second;  // it stretches
  for (std::size_t k = 0; 3 * k < bob.size(); ++k) {
    const float x = turn[4 * k], y = turn[4 * k + 1], z = turn[4 * k + 2], w = turn[4 * k + 3];
    const float length = scale[3 * k + 2];
    // The rod's far end: its z axis turned, times its length.
    EXPECT_NEAR(length * 2 * (x * z + w * y), bob[3 * k], 1e-5);
    EXPECT_NEAR(length * 2 * (y * z - w * x), bob[3 * k + 1], 1e-5);
    EXPECT_NEAR(length * (1 - 2 * (x * x + y * y)), bob[3 * k + 2], 1e-5);
  }
}

TEST_F(Convert, MeshesOfTheAnimationAreSound) {
  ASSERT_EQ(catena({"run", "gyroscope", "-o", "a.h5", "--duration", "0.1"}).status, 0);
  ASSERT_EQ(catena({"convert", "a.h5", "a.glb"}).status, 0);
  const Glb glb(read("a.glb"));
  for (const Json& mesh : glb.json["meshes"]) {
    const Json& primitive = mesh["primitives"][0];
    const std::vector<float> points = glb.numbers(primitive["attributes"]["POSITION"]);
    const std::vector<float> normals = glb.numbers(primitive["attributes"]["NORMAL"]);
    ASSERT_EQ(points.size(), normals.size());
    for (std::size_t i = 0; i < normals.size(); i += 3) {
      EXPECT_NEAR(std::hypot(normals[i], normals[i + 1], normals[i + 2]), 1.0, 1e-6);
    }
  }
}

}  // namespace
}  // namespace catena::testing
